/* What a view reads, by the parse tree of its SELECT: see include/amalgam_program.h. */

typedef struct amalgam_view_walk {
    sqlite3 *db;
    Select *select; /* of the view */
    const char *column;
    int is_simple;      /* whether the names are all that the column depends on */
    int checks_aliases; /* whether a name may be the alias of a result column, as in WHERE */
    void *context;
    void (*tell)(void *context, const char *schema, const char *name);
} amalgam_view_walk;

static amalgam_view_walk *amalgam_view_walk_of(Walker *walker) { return (amalgam_view_walk *)walker->u.pRename; }

static Walker amalgam_view_walker(
    amalgam_view_walk *walk, int (*visit)(Walker *, Expr *), int (*visit_select)(Walker *, Select *)
) {
    Walker walker;
    memset(&walker, 0, sizeof walker);
    walker.xExprCallback = visit;
    walker.xSelectCallback = visit_select;
    /* With this callback, the walker visits window definitions. */
    walker.xSelectCallback2 = sqlite3WalkWinDefnDummyCallback;
    walker.u.pRename = (struct RenameCtx *)walk;
    return walker;
}

/* ---- Tables ------------------------------------------------------------------------------ */

/* The name of a common table expression is told as that of a table. It may be the name of both. */
static void amalgam_tell_viewed_table(const amalgam_view_walk *walk, const SrcItem *item) {
    if (item->fg.isSubquery || item->zName == 0) return;
    const char *schema =
        item->fg.fixedSchema ? amalgam_schema_name(walk->db, item->u4.pSchema) : item->u4.zDatabase;
    const Table *table = sqlite3FindTable(walk->db, item->zName, schema);
    if (table != 0) schema = amalgam_schema_name(walk->db, table->pSchema);
    walk->tell(walk->context, schema == 0 ? "main" : schema, table == 0 ? item->zName : table->zName);
}

static int amalgam_visit_viewed_select(Walker *walker, Select *select) {
    amalgam_view_walk *walk = amalgam_view_walk_of(walker);
    if (select != walk->select) walk->is_simple = 0;
    for (int i = 0; i < select->pSrc->nSrc; i++) {
        const SrcItem *item = &select->pSrc->a[i];
        amalgam_tell_viewed_table(walk, item);
        if (!item->fg.isUsing) sqlite3WalkExpr(walker, item->u3.pOn);
    }
    for (int i = 0; select->pWith != 0 && i < select->pWith->nCte; i++) {
        sqlite3WalkSelect(walker, select->pWith->a[i].pSelect);
    }
    return WRC_Continue;
}

/* A view with an aggregate or a window function computes a row from several rows. */
static int amalgam_visit_viewed_expression(Walker *walker, Expr *expression) {
    amalgam_view_walk *walk = amalgam_view_walk_of(walker);
    if (expression->op == TK_FUNCTION) {
        const ExprList *arguments = ExprUseXList(expression) ? expression->x.pList : 0;
        const int count = arguments == 0 ? 0 : arguments->nExpr;
        const FuncDef *function = sqlite3FindFunction(walk->db, expression->u.zToken, count, ENC(walk->db), 0);
        if (function == 0 || function->xFinalize != 0 || ExprHasProperty(expression, EP_WinFunc)) walk->is_simple = 0;
    }
    return WRC_Continue;
}

/* ---- Columns ----------------------------------------------------------------------------- */

static int amalgam_is_star(const Expr *expression) {
    while (expression->op == TK_DOT) expression = expression->pRight;
    return expression->op == TK_ASTERISK;
}

/* Whether each result column depends on the names in its expression, in WHERE and in FROM. */
static int amalgam_names_its_columns(const Table *view) {
    const Select *select = view->u.view.pSelect;
    if (select->pPrior != 0 || select->pWith != 0 || select->pLimit != 0) return 0;
    if (select->pGroupBy != 0 || select->pHaving != 0) return 0;
    if (select->selFlags & (SF_Distinct | SF_Values | SF_MultiValue)) return 0;
    for (int i = 0; i < select->pSrc->nSrc; i++) {
        const SrcItem *item = &select->pSrc->a[i];
        if (item->fg.isSubquery || item->fg.isUsing || (item->fg.jointype & JT_NATURAL)) return 0;
    }
    const ExprList *results = select->pEList;
    if (view->pCheck != 0 && view->pCheck->nExpr != results->nExpr) return 0;
    for (int i = 0; i < results->nExpr; i++) {
        /* A second table, or a second result column, may give a column of `*` a different name. */
        const int is_only = results->nExpr == 1 && select->pSrc->nSrc == 1 && view->pCheck == 0;
        if (amalgam_is_star(results->a[i].pExpr) && !is_only) return 0;
    }
    return 1;
}

/*
** Whether a result column may have a name. Without alias, SQLite names the rowid, whatever its spelling, after the INTEGER PRIMARY
** KEY, likely(a) like `a`, and TRUE by a number. Sets `is_found` if the SELECT gives the column this name.
*/
static int amalgam_may_be_named(const Table *view, int index, const char *name, int *is_found) {
    const struct ExprList_item *item = &view->u.view.pSelect->pEList->a[index];
    const char *own = item->zEName;
    int may_have_any = 0;
    if (view->pCheck != 0) {
        own = view->pCheck->a[index].zEName;
    } else if (own == 0 || item->fg.eEName != ENAME_NAME) {
        const Expr *expression = sqlite3ExprSkipCollateAndLikely(item->pExpr);
        while (expression->op == TK_DOT) expression = expression->pRight;
        if (expression->op == TK_ASTERISK) own = name;
        if (expression->op == TK_ID) own = expression->u.zToken;
        may_have_any = expression->op == TK_FUNCTION || (own != 0 && sqlite3IsRowid(own));
    }
    if (own == 0 || sqlite3IsTrueOrFalse(own)) return 1;
    const int is_named = sqlite3_stricmp(own, name) == 0;
    if (is_named) *is_found = 1;
    return is_named || may_have_any;
}

static int amalgam_visit_viewed_name(Walker *walker, Expr *expression) {
    amalgam_view_walk *walk = amalgam_view_walk_of(walker);
    if (expression->op == TK_ASTERISK) walk->tell(walk->context, 0, walk->column);
    if (expression->op != TK_ID) return WRC_Continue;
    const char *name = expression->u.zToken;
    const ExprList *results = walk->select->pEList;
    for (int i = 0; walk->checks_aliases && i < results->nExpr; i++) {
        const struct ExprList_item *item = &results->a[i];
        if (item->fg.eEName != ENAME_NAME || item->zEName == 0) continue;
        if (sqlite3_stricmp(item->zEName, name) == 0) walk->is_simple = 0;
    }
    walk->tell(walk->context, 0, name);
    return WRC_Continue;
}

static void amalgam_tell_viewed_names(amalgam_view_walk *walk, const Table *view) {
    Walker walker = amalgam_view_walker(walk, amalgam_visit_viewed_name, sqlite3SelectWalkNoop);
    const char *column = walk->column;
    /* A view has no rowid, and the presence of a row is no column. */
    int is_found = column[0] == 0 || sqlite3IsRowid(column);
    for (int i = 0; i < walk->select->pEList->nExpr; i++) {
        if (amalgam_may_be_named(view, i, column, &is_found)) {
            sqlite3WalkExpr(&walker, walk->select->pEList->a[i].pExpr);
        }
    }
    /* SQLite appends a colon and a number to the second of two equal names. */
    if (!is_found || strchr(column, ':') != 0) walk->is_simple = 0;
    walk->checks_aliases = 1;
    sqlite3WalkExpr(&walker, walk->select->pWhere);
    for (int i = 0; i < walk->select->pSrc->nSrc; i++) {
        const SrcItem *item = &walk->select->pSrc->a[i];
        if (!item->fg.isUsing) sqlite3WalkExpr(&walker, item->u3.pOn);
        if (item->fg.isTabFunc) sqlite3WalkExprList(&walker, item->u1.pFuncArg);
    }
}

int amalgam_view_sources(
    sqlite3 *db, const char *schema, const char *name, const char *column, void *context,
    void (*tell)(void *context, const char *schema, const char *name)
) {
    int result = AMALGAM_ISNT_VIEW;
    amalgam_enter_schemas(db);
    const Table *view = sqlite3FindTable(db, name, schema);
    if (view != 0 && IsView(view)) {
        amalgam_view_walk walk = {db, view->u.view.pSelect, column, amalgam_names_its_columns(view), 0, context, tell};
        Walker walker = amalgam_view_walker(&walk, amalgam_visit_viewed_expression, amalgam_visit_viewed_select);
        sqlite3WalkSelect(&walker, walk.select);
        if (walk.is_simple) amalgam_tell_viewed_names(&walk, view);
        result = walk.is_simple ? AMALGAM_VIEW_SHOWS_NAMES : AMALGAM_VIEW_MAY_SHOW_ALL;
    }
    amalgam_leave_schemas(db);
    return result;
}
