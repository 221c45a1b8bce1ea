/*
** `ORDER BY rank` of FTS5 tables, by a search for the best rows.
**
** FTS5 answers `SELECT ... WHERE table MATCH ? ORDER BY rank LIMIT 20` by a nested SELECT statement that calls the ranking
** function for each match, and sorts all matches with their positions. If the ranking is bm25(), these functions take the
** place of FTS5's methods: a cursor finds the best rows first, and the next ones when SQLite asks for them. A LIMIT
** clause says how many are needed.
**
** To FTS5, the cursor is one with a sorter that has no statement. The rows of the search follow the sorter in memory.
*/

/* Flags of idxNum, next to those of FTS5. */
enum {
    AMALGAM_BY_RANK_AND_ROWID = 0x1000,
    AMALGAM_HAS_LIMIT = 0x2000,
    AMALGAM_HAS_OFFSET = 0x4000,
    AMALGAM_RANKED_FLAGS = 0x7000,
};

_Static_assert((AMALGAM_RANKED_FLAGS & 0xff) == 0 && FTS5_BI_ORDER_DESC == 0x80, "FTS5 has the lower flags");
_Static_assert(
    (AMALGAM_RANKED_FLAGS & (FTS5_BI_MATCH | FTS5_BI_RANK | FTS5_BI_ROWID_EQ | FTS5_BI_ROWID_LE | FTS5_BI_ROWID_GE |
                             FTS5_BI_ORDER_RANK | FTS5_BI_ORDER_ROWID | FTS5_BI_ORDER_DESC)) == 0,
    "a flag of FTS5");
_Static_assert(offsetof(Fts5Cursor, base) == 0, "a cursor of FTS5 begins with SQLite's own structure");

/* The rows that are found first if there is no LIMIT clause. The next search finds four times as many. */
enum { AMALGAM_FIRST_ROWS = 64, AMALGAM_MORE_ROWS = 4, AMALGAM_SEARCHES = 3 };

/*
** The positions of the phrases in some rows. FTS5 finds the positions of a prefix without an index by reading all terms
** with the prefix, so that they are read for several rows at once.
*/
typedef struct amalgam_row_positions {
    int count;
    int64_t rowids[AMALGAM_FIRST_ROWS]; /* sorted */
    int *ends;                          /* for each row and phrase, where the positions end */
    Fts5Buffer lists;
} amalgam_row_positions;

typedef struct amalgam_ranked_cursor {
    amalgam_ranked_search search;
    int64_t position; /* in the rows of the search */
    int searches;
    amalgam_row_positions positions;
} amalgam_ranked_cursor;

_Static_assert(
    SZ_FTS5SORTER(0) % _Alignof(amalgam_ranked_cursor) == 0 && SZ_FTS5SORTER(1) % _Alignof(amalgam_ranked_cursor) == 0,
    "a cursor follows a sorter in memory");
_Static_assert(SZ_FTS5SORTER(2) >= offsetof(Fts5Sorter, aIdx) + 2 * sizeof(int), "a sorter has an offset for each phrase");

static amalgam_ranked_cursor *amalgam_ranked_of_cursor(const Fts5Cursor *cursor) {
    Fts5Sorter *sorter = cursor->pSorter;
    if (sorter == 0 || sorter->pStmt != 0) return 0;
    return (amalgam_ranked_cursor *)((char *)sorter + SZ_FTS5SORTER(sorter->nIdx));
}

static void amalgam_ranked_close(Fts5Cursor *cursor) {
    amalgam_ranked_cursor *ranked = amalgam_ranked_of_cursor(cursor);
    if (ranked == 0) return;
    amalgam_ranked_search_free(&ranked->search);
    sqlite3_free(ranked->positions.ends);
    fts5BufferFree(&ranked->positions.lists);
    sqlite3_free(cursor->pSorter);
    cursor->pSorter = 0;
}

/* Which way */

/* How a search finds its rows. EXPLAIN QUERY PLAN tells it. */
enum {
    AMALGAM_RANKED_BEST_FIRST,
    AMALGAM_RANKED_OFF,      /* amalgam_ranked_set_enabled() */
    AMALGAM_RANKED_FUNCTION, /* the ranking is neither bm25() nor amalgam_typos() */
    AMALGAM_RANKED_DETAIL,   /* detail=column or detail=none: the index has no positions */
    AMALGAM_RANKED_SIZES,    /* columnsize=0: the table has no lengths of rows */
    AMALGAM_RANKED_TOKENS,   /* tokendata=1, or fts5_insttoken(): FTS5 notes the tokens of all matches */
};

/* Whether a ranking function has the scores of this code. */
static int amalgam_is_ranking(Fts5FullTable *table, const char *name) {
    const Fts5Auxiliary *function = fts5FindAuxiliary(table, name);
    return function != 0 && (function->xFunc == fts5Bm25Function || function->xFunc == amalgam_typo_function);
}

/* The name of the function of a ranking; NULL: the ranking of the table. NULL if FTS5 can't parse it. The caller owns it. */
static char *amalgam_ranking_function(const Fts5Config *config, const char *ranking) {
    if (ranking == 0) return sqlite3_mprintf("%s", config->zRank != 0 ? config->zRank : FTS5_DEFAULT_RANK);
    char *name = 0, *arguments = 0;
    const int code = sqlite3Fts5ConfigParseRank(ranking, &name, &arguments);
    sqlite3_free(arguments);
    if (code == SQLITE_OK) return name;
    sqlite3_free(name);
    return 0;
}

/* Whether the authorizer allows what FTS5 would read by statements of its own. */
static int amalgam_ranked_is_allowed(const Fts5Config *config, const char *ranking) {
    sqlite3 *db = config->db;
    if (db->xAuth == 0) return 1;
    char *function = amalgam_ranking_function(config, ranking);
    char *sizes = sqlite3_mprintf("%s_docsize", config->zName);
    char *pages = sqlite3_mprintf("%s_idx", config->zName);
    int is_allowed = function != 0 && sizes != 0 && pages != 0;
    const char *const reads[][2] = {
        {config->zName, "ROWID"}, {config->zName, "rank"}, {config->zName, config->zName}, {sizes, "id"}, {sizes, "sz"},
        {pages, "segid"}, {pages, "term"}, {pages, "pgno"}};
    is_allowed = is_allowed && db->xAuth(db->pAuthArg, SQLITE_SELECT, 0, 0, 0, 0) == SQLITE_OK &&
                 db->xAuth(db->pAuthArg, SQLITE_FUNCTION, 0, function, 0, 0) == SQLITE_OK;
    for (size_t i = 0; is_allowed && i < ArraySize(reads); i++) {
        is_allowed = db->xAuth(db->pAuthArg, SQLITE_READ, reads[i][0], reads[i][1], config->zDb, 0) == SQLITE_OK;
    }
    sqlite3_free(function);
    sqlite3_free(sizes);
    sqlite3_free(pages);
    return is_allowed;
}

/* The way of a search with a ranking; NULL: that of the table. FTS5 reports a ranking that it can't parse. */
static int amalgam_ranked_way_of(Fts5FullTable *table, const char *ranking) {
    const Fts5Config *config = table->p.pConfig;
    const amalgam_ranked *ranked = amalgam_ranked_of(config->db, 0);
    if (ranked != 0 && ranked->is_disabled) return AMALGAM_RANKED_OFF;
    if (config->eDetail != FTS5_DETAIL_FULL) return AMALGAM_RANKED_DETAIL;
    if (!config->bColumnsize) return AMALGAM_RANKED_SIZES;
    if (config->bTokendata || config->bPrefixInsttoken) return AMALGAM_RANKED_TOKENS;
    char *function = amalgam_ranking_function(config, ranking);
    const int is_ranking = function != 0 && amalgam_is_ranking(table, function);
    sqlite3_free(function);
    return is_ranking ? AMALGAM_RANKED_BEST_FIRST : AMALGAM_RANKED_FUNCTION;
}

/* Reads the arguments of the ranking: weights of columns, after the plan of a query with typos. */
static int amalgam_ranked_read_arguments(amalgam_ranked_search *search, int *is_possible) {
    Fts5Cursor *cursor = search->cursor;
    const int code = cursor->pRank != 0 ? SQLITE_OK : fts5FindRankFunction(cursor);
    if (code != SQLITE_OK) return code;
    const int has_plan = cursor->pRank->xFunc == amalgam_typo_function;
    if (has_plan) {
        const char *text = cursor->nRankArg > 0 ? (const char *)sqlite3_value_text(cursor->apRankArg[0]) : 0;
        search->plan = amalgam_typo_plan_new(text, search->phrase_count);
        if (search->plan == 0) return SQLITE_NOMEM;
    }
    const int count = cursor->nRankArg - has_plan;
    if (count <= 0) return SQLITE_OK;
    search->weights.values = sqlite3_malloc64((size_t)count * sizeof(double));
    if (search->weights.values == 0) return SQLITE_NOMEM;
    search->weights.count = count;
    for (int i = 0; i < count; i++) {
        const double weight = sqlite3_value_double(cursor->apRankArg[has_plan + i]);
        /* Otherwise, the scores may not be numbers: FTS5 has to compute them. */
        if (!(weight >= 0 && weight <= 1e100)) *is_possible = 0;
        search->weights.values[i] = weight;
    }
    return SQLITE_OK;
}

static int amalgam_ranked_new_phrases(amalgam_ranked_search *search) {
    const size_t count = (size_t)(search->phrase_count > 0 ? search->phrase_count : 1);
    search->kept = sqlite3_malloc64(sizeof(amalgam_kept_term *) * count);
    search->hits = sqlite3_malloc64(sizeof(int64_t) * count);
    search->idf = sqlite3_malloc64(sizeof(double) * count);
    search->frequencies = sqlite3_malloc64(sizeof(double) * count);
    if (search->kept != 0) memset(search->kept, 0, sizeof(amalgam_kept_term *) * count);
    const int has_all = search->kept != 0 && search->hits != 0 && search->idf != 0 && search->frequencies != 0;
    return has_all ? SQLITE_OK : SQLITE_NOMEM;
}

/* Rows */

static void amalgam_ranked_show(Fts5Cursor *cursor, amalgam_ranked_cursor *ranked) {
    cursor->pSorter->iRowid = ranked->search.best[ranked->position].rowid;
    fts5CsrNewrow(cursor);
}

static int amalgam_ranked_search_rows(Fts5Cursor *cursor, amalgam_ranked_cursor *ranked, int64_t limit) {
    amalgam_ranked_search *search = &ranked->search;
    ranked->searches++;
    ranked->position = 0;
    search->limit = limit;
    search->count = 0;
    amalgam_index_state_release(search->state);
    search->state = 0;
    int code = amalgam_index_state_of(search->table, &search->state);
    if (code == SQLITE_OK) code = amalgam_ranked_run(search);
    if (code != SQLITE_OK) return code;
    if (search->count > 0) amalgam_ranked_show(cursor, ranked);
    else CsrFlagSet(cursor, FTS5CSR_EOF | FTS5CSR_REQUIRE_CONTENT);
    return SQLITE_OK;
}

/* Adds the rows of the search to those that the next search skips. */
static int amalgam_ranked_skip_rows(amalgam_ranked_search *search) {
    const int64_t count = search->skip_count + search->count;
    int64_t *skipped = sqlite3_realloc64((void *)search->skipped, (size_t)count * sizeof(int64_t));
    if (skipped == 0) return SQLITE_NOMEM;
    for (int64_t i = 0; i < search->count; i++) skipped[search->skip_count + i] = search->best[i].rowid;
    qsort(skipped, (size_t)count, sizeof(int64_t), amalgam_compare_rowids);
    search->skipped = skipped;
    search->skip_count = count;
    return SQLITE_OK;
}

static int amalgam_ranked_next(Fts5Cursor *cursor, amalgam_ranked_cursor *ranked) {
    amalgam_ranked_search *search = &ranked->search;
    if (++ranked->position < search->count) {
        amalgam_ranked_show(cursor, ranked);
        return SQLITE_OK;
    }
    if (search->count < search->limit) {
        CsrFlagSet(cursor, FTS5CSR_EOF | FTS5CSR_REQUIRE_CONTENT);
        return SQLITE_OK;
    }
    const int64_t limit =
        ranked->searches < AMALGAM_SEARCHES ? search->limit * AMALGAM_MORE_ROWS : LARGEST_INT64;
    const int code = amalgam_ranked_skip_rows(search);
    return code == SQLITE_OK ? amalgam_ranked_search_rows(cursor, ranked, limit) : code;
}

/* Positions */

/*
** Whether the positions in a row depend on the rows before it. If one phrase of a NEAR isn't in the row, FTS5 leaves the
** positions of the others as they were in an earlier row. They count as matches of a row that matches by another
** branch of the query.
*/
static int amalgam_ranked_reads_all(const Fts5Expr *expr) {
    if (expr->pRoot == 0 || Fts5NodeIsString(expr->pRoot)) return 0;
    for (int i = 0; i < expr->nPhrase; i++) {
        if (expr->apExprPhrase[i]->pNode->pNear->nPhrase > 1) return 1;
    }
    return 0;
}

/* With tokendata=1, xInstToken() needs the phrases to be at the row. */
static int amalgam_ranked_reads_ahead(const Fts5Expr *expr) {
    if (expr->pConfig->bTokendata) return 0;
    if (amalgam_ranked_reads_all(expr)) return 1;
    for (int i = 0; i < expr->nPhrase; i++) {
        const Fts5ExprPhrase *phrase = expr->apExprPhrase[i];
        if (phrase->nTerm > 0 && phrase->aTerm[phrase->nTerm - 1].bPrefix) return 1;
    }
    return 0;
}

/* Reads the positions of the phrases in the rows, whose rowids are known. */
static int amalgam_positions_read(amalgam_row_positions *positions, const Fts5Cursor *cursor, Fts5Index *index) {
    Fts5Expr *expr = cursor->pExpr;
    const int64_t last = positions->rowids[positions->count - 1];
    const int reads_all = amalgam_ranked_reads_all(expr);
    /* The search has left positions, too. */
    for (int i = 0; i < expr->nPhrase; i++) expr->apExprPhrase[i]->poslist.n = 0;
    int code = sqlite3Fts5ExprFirst(expr, index, reads_all ? cursor->iFirstRowid : positions->rowids[0], last, 0);
    fts5BufferZero(&positions->lists);
    int *end = positions->ends;
    for (int row = 0; row < positions->count; row++) {
        const int64_t rowid = positions->rowids[row];
        Fts5ExprNode *root = expr->pRoot;
        while (code == SQLITE_OK && !root->bEof && (root->iRowid < rowid || root->bNomatch)) {
            code = fts5ExprNodeNext(expr, root, !reads_all, rowid);
        }
        const int is_at = code == SQLITE_OK && !root->bEof && root->iRowid == rowid;
        for (int phrase = 0; phrase < expr->nPhrase; phrase++) {
            const u8 *list = 0;
            const int size = is_at ? sqlite3Fts5ExprPoslist(expr, phrase, &list) : 0;
            if (size > 0) fts5BufferAppendBlob(&code, &positions->lists, (u32)size, list);
            *end++ = positions->lists.n;
        }
    }
    if (code != SQLITE_OK) positions->count = 0;
    return code;
}

/* The row of the current rowid; -1 if its positions haven't been read. */
static int amalgam_positions_row(const amalgam_row_positions *positions, int64_t rowid) {
    for (int row = 0; row < positions->count; row++) {
        if (positions->rowids[row] == rowid) return row;
    }
    return -1;
}

/* Gives auxiliary functions the positions of all phrases in the current row. */
static int amalgam_ranked_load_positions(Fts5Cursor *cursor, amalgam_ranked_cursor *ranked) {
    const amalgam_ranked_search *search = &ranked->search;
    amalgam_row_positions *positions = &ranked->positions;
    Fts5Sorter *sorter = cursor->pSorter;
    int row = amalgam_positions_row(positions, sorter->iRowid);
    if (row < 0) {
        const int limit = amalgam_ranked_reads_ahead(cursor->pExpr) ? AMALGAM_FIRST_ROWS : 1;
        const size_t size = sizeof(int) * (size_t)(limit * sorter->nIdx);
        if (positions->ends == 0) positions->ends = sqlite3_malloc64(size > 0 ? size : 1);
        if (positions->ends == 0) return SQLITE_NOMEM;
        positions->count = 0;
        for (int64_t at = ranked->position; at < search->count && positions->count < limit; at++) {
            positions->rowids[positions->count++] = search->best[at].rowid;
        }
        qsort(positions->rowids, (size_t)positions->count, sizeof(int64_t), amalgam_compare_rowids);
        const int code = amalgam_positions_read(positions, cursor, search->table->p.pIndex);
        if (code != SQLITE_OK) return code;
        row = amalgam_positions_row(positions, sorter->iRowid);
    }
    const int *ends = positions->ends + row * sorter->nIdx;
    const int start = row > 0 ? ends[-1] : 0;
    sorter->aPoslist = positions->lists.p + start;
    for (int phrase = 0; phrase < sorter->nIdx; phrase++) sorter->aIdx[phrase] = ends[phrase] - start;
    return SQLITE_OK;
}

/* Queries */

/* The number of rows that a LIMIT clause asks for. */
static int64_t amalgam_ranked_limit(int flags, int count, sqlite3_value **values) {
    int64_t limit = AMALGAM_FIRST_ROWS, offset = 0;
    if (flags & AMALGAM_HAS_OFFSET) offset = sqlite3_value_int64(values[--count]);
    if (flags & AMALGAM_HAS_LIMIT) limit = sqlite3_value_int64(values[--count]);
    if (limit < 0) return LARGEST_INT64;
    if (offset > 0) limit = limit > LARGEST_INT64 - offset ? LARGEST_INT64 : limit + offset;
    return limit > 0 ? limit : 1;
}

/* The value of an argument of a query that is an integer, or another number. Like fts5GetRowidLimit(). */
static int64_t amalgam_ranked_bound(sqlite3_value *value, int64_t other) {
    return sqlite3_value_numeric_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : other;
}

/* Adds the query of an argument. `*is_special` receives 1 if it is a command for FTS5, such as `*reads`. */
static int amalgam_ranked_add_query(
    Fts5FullTable *table, Fts5Cursor *cursor, sqlite3_value *value, int column, int *is_special) {
    Fts5Config *config = table->p.pConfig;
    Fts5Expr *expr = 0;
    char *text = 0;
    int has_locale = 0;
    int code = fts5ExtractExprText(config, value, &text, &has_locale);
    if (code == SQLITE_OK) {
        *is_special = text != 0 && text[0] == '*';
        if (!*is_special) {
            code = sqlite3Fts5ExprNew(config, 0, column, text != 0 ? text : "", &expr, &table->p.base.zErrMsg);
        }
        if (code == SQLITE_OK && !*is_special) code = sqlite3Fts5ExprAnd(&cursor->pExpr, expr);
    }
    if (has_locale) {
        sqlite3_free(text);
        sqlite3Fts5ClearLocale(config);
    }
    return code;
}

/*
** Reads the arguments of a query like FTS5's xFilter, without moving to the first match. `*is_special` receives 1 if FTS5
** has to read them.
*/
static int amalgam_ranked_read_query(
    Fts5FullTable *table, Fts5Cursor *cursor, const char *text, int count, sqlite3_value **values, int *is_special) {
    Fts5Config *config = table->p.pConfig;
    sqlite3_value *ranking = 0;
    char **error = config->pzErrmsg;
    int code = SQLITE_OK;
    if (cursor->ePlan != 0) fts5FreeCursorComponents(cursor);
    config->pzErrmsg = &table->p.base.zErrMsg;
    cursor->ePlan = FTS5_PLAN_SORTED_MATCH;
    cursor->iFirstRowid = SMALLEST_INT64;
    cursor->iLastRowid = LARGEST_INT64;
    for (int i = 0; code == SQLITE_OK && !*is_special && i < count; i++) {
        const char kind = *text++;
        int column = 0;
        while (*text >= '0' && *text <= '9') column = 10 * column + *text++ - '0';
        if (kind == 'M') code = amalgam_ranked_add_query(table, cursor, values[i], column, is_special);
        if (kind == 'r') ranking = values[i];
        if (kind == '<' || kind == '=') cursor->iLastRowid = amalgam_ranked_bound(values[i], LARGEST_INT64);
        if (kind == '>' || kind == '=') cursor->iFirstRowid = amalgam_ranked_bound(values[i], SMALLEST_INT64);
        *is_special |= kind == 'L' || kind == 'G';
    }
    if (code == SQLITE_OK && cursor->pExpr == 0) *is_special = 1;
    if (code == SQLITE_OK && !*is_special) code = fts5CursorParseRank(config, cursor, ranking);
    config->pzErrmsg = error;
    return code;
}

/* Makes the cursor of a query one for the best rows. `*is_open` receives 0 if FTS5 has to compute the scores. */
static int amalgam_ranked_open(Fts5FullTable *table, Fts5Cursor *cursor, int64_t limit, int *is_open) {
    const int phrases = sqlite3Fts5ExprPhraseCount(cursor->pExpr);
    const size_t size = SZ_FTS5SORTER(phrases);
    amalgam_ranked_search search = {.table = table, .cursor = cursor, .expr = cursor->pExpr, .phrase_count = phrases};
    search.weights.column_count = table->p.pConfig->nCol;
    *is_open = 1;
    int code = amalgam_ranked_read_arguments(&search, is_open);
    if (code == SQLITE_OK && *is_open) code = amalgam_ranked_new_phrases(&search);
    if (code == SQLITE_OK && *is_open) {
        cursor->pSorter = sqlite3_malloc64(size + sizeof(amalgam_ranked_cursor));
        if (cursor->pSorter == 0) code = SQLITE_NOMEM;
    }
    if (code != SQLITE_OK || !*is_open) {
        amalgam_ranked_search_free(&search);
        return code;
    }
    memset(cursor->pSorter, 0, size + sizeof(amalgam_ranked_cursor));
    cursor->pSorter->nIdx = phrases;
    amalgam_ranked_cursor *ranked = amalgam_ranked_of_cursor(cursor);
    ranked->search = search;
    return amalgam_ranked_search_rows(cursor, ranked, limit);
}

/* Makes the cursor of a MATCH query one that sorts all matches, like fts5CursorFirstSorted(), and then by rowid. */
static int amalgam_ranked_sort_all(Fts5FullTable *table, Fts5Cursor *cursor) {
    Fts5Config *config = table->p.pConfig;
    const int phrases = sqlite3Fts5ExprPhraseCount(cursor->pExpr);
    Fts5Sorter *sorter = sqlite3_malloc64(SZ_FTS5SORTER(phrases));
    if (sorter == 0) return SQLITE_NOMEM;
    memset(sorter, 0, SZ_FTS5SORTER(phrases));
    sorter->nIdx = phrases;
    char **error = config->pzErrmsg;
    config->pzErrmsg = &table->p.base.zErrMsg;
    int code = fts5PrepareStatement(
        &sorter->pStmt, config, "SELECT rowid, rank FROM %Q.%Q ORDER BY %s(\"%w\"%s%s), rowid", config->zDb, config->zName,
        cursor->zRank, config->zName, cursor->zRankArgs != 0 ? ", " : "",
        cursor->zRankArgs != 0 ? cursor->zRankArgs : "");
    config->pzErrmsg = error;
    CsrFlagClear(cursor, FTS5CSR_EOF);
    cursor->ePlan = FTS5_PLAN_SORTED_MATCH;
    if (code == SQLITE_OK) {
        cursor->pSorter = sorter;
        table->pSortCsr = cursor;
        code = fts5SorterNext(cursor);
        table->pSortCsr = 0;
    }
    if (code != SQLITE_OK) {
        sqlite3_finalize(sorter->pStmt);
        sqlite3_free(sorter);
        cursor->pSorter = 0;
    }
    return code;
}

/* Several rankings */

static int amalgam_is_typo_ranking(const char *ranking) {
    return ranking != 0 && sqlite3_strnicmp(ranking, "amalgam_typos(", 14) == 0;
}

/*
** The ranking of a query with typos, with the weights of a call of bm25(). NULL if it isn't one, or if memory is exhausted.
** The plan is a literal without quotation marks.
*/
static char *amalgam_ranking_weigh(const char *typos, const char *ranking) {
    char *name = 0, *weights = 0, *result = 0;
    const char *plan = amalgam_is_typo_ranking(typos) ? strchr(typos, '\'') : 0, *end = plan != 0 ? strchr(plan + 1, '\'') : 0;
    const int is_call = end != 0 && ranking != 0 && sqlite3Fts5ConfigParseRank(ranking, &name, &weights) == SQLITE_OK;
    if (is_call && sqlite3_stricmp(name, "bm25") == 0) {
        result = sqlite3_mprintf(
            "amalgam_typos(%.*s%s%s)", (int)(end + 1 - plan), plan, weights != 0 ? ", " : "", weights != 0 ? weights : "");
    }
    sqlite3_free(name);
    sqlite3_free(weights);
    return result;
}

/*
** A query may have several rankings: `rank MATCH ...`. The last one counts: SQLite passes the conditions in reverse order. If it
** is bm25(), and another one that of a query with typos, its weights are those of the latter. The caller owns the result; NULL
** if memory is exhausted.
*/
static char *amalgam_ranking_merge(const char *text, int count, sqlite3_value **values) {
    const char *typos = 0, *other = 0;
    for (int i = 0, at = 0; i < count; i++, at++) {
        const char *ranking = text[at] == 'r' ? (const char *)sqlite3_value_text(values[i]) : 0;
        if (amalgam_is_typo_ranking(ranking)) typos = ranking;
        else if (ranking != 0 && other == 0) other = ranking;
        while (text[at + 1] >= '0' && text[at + 1] <= '9') at++;
    }
    char *merged = amalgam_ranking_weigh(typos, other);
    if (merged != 0) return merged;
    return sqlite3_mprintf("%s", other != 0 ? other : typos != 0 ? typos : "");
}

/* The number of rankings in the arguments of a query. */
static int amalgam_ranking_count(const char *text, int count) {
    int rankings = 0;
    for (int i = 0, at = 0; i < count; i++, at++) {
        rankings += text[at] == 'r';
        while (text[at + 1] >= '0' && text[at + 1] <= '9') at++;
    }
    return rankings;
}

/* FTS5 accepts one ranking. Those after it become further arguments. */
static void amalgam_ranked_accept_rankings(const Fts5Config *config, sqlite3_index_info *info, int *count) {
    size_t end = strlen(info->idxStr);
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        const int is_ranking = constraint->op == SQLITE_INDEX_CONSTRAINT_MATCH && constraint->iColumn == config->nCol + 1;
        if (!is_ranking || !constraint->usable || info->aConstraintUsage[i].argvIndex > 0) continue;
        info->aConstraintUsage[i].argvIndex = ++*count;
        info->aConstraintUsage[i].omit = 1;
        info->idxStr[end++] = 'r';
    }
    info->idxStr[end] = 0;
}

/* Tells in EXPLAIN QUERY PLAN how the rows are found: after FTS5's own text, which FTS5 reads up to the arguments. */
static int amalgam_ranked_explain(sqlite3_vtab *vtab, sqlite3_index_info *info) {
    static const char *const ways[] = {
        "best rows first", "all rows sorted: turned off", "all rows sorted: not by bm25",
        "all rows sorted: detail isn't full", "all rows sorted: columnsize is 0", "all rows sorted: tokendata"};
    Fts5FullTable *table = (Fts5FullTable *)vtab;
    const char *ranking = 0;
    int is_known = 1;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        const int is_ranking = constraint->iColumn == table->p.pConfig->nCol + 1 && info->aConstraintUsage[i].argvIndex > 0;
        sqlite3_value *value = 0;
        if (!is_ranking) continue;
        const int is_value = sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK;
        const char *text = is_value ? (const char *)sqlite3_value_text(value) : "bm25()";
        is_known &= is_value;
        if (ranking == 0 || amalgam_is_typo_ranking(ranking)) ranking = text;
    }
    /* The configuration is that of the last use of the table. FTS5 would read it by a statement. */
    const int way = amalgam_ranked_way_of(table, ranking);
    const int is_conditional = way == AMALGAM_RANKED_BEST_FIRST && !is_known;
    char *text = sqlite3_mprintf("%s, %s%s", info->idxStr, ways[way], is_conditional ? " if by bm25" : "");
    if (text == 0) return SQLITE_NOMEM;
    sqlite3_free(info->idxStr);
    info->idxStr = text;
    return SQLITE_OK;
}

static int fts5BestIndexMethod(sqlite3_vtab *vtab, sqlite3_index_info *info) {
    const int code = amalgam_sqlite_fts5_best_index(vtab, info);
    if (code != SQLITE_OK) return code;
    const Fts5Config *config = ((const Fts5Table *)vtab)->pConfig;
    const int rank = config->nCol + 1;
    if (info->nOrderBy == 2 && strpbrk(info->idxStr, "MLG") != 0 && info->aOrderBy[0].iColumn == rank &&
        !info->aOrderBy[0].desc && info->aOrderBy[1].iColumn == -1 && !info->aOrderBy[1].desc) {
        info->orderByConsumed = 1;
        info->idxNum |= FTS5_BI_ORDER_RANK | AMALGAM_BY_RANK_AND_ROWID;
    }
    int count = 0;
    for (int i = 0; i < info->nConstraint; i++) count = MAX(count, info->aConstraintUsage[i].argvIndex);
    amalgam_ranked_accept_rankings(config, info, &count);
    if (!(info->idxNum & FTS5_BI_ORDER_RANK) || (info->idxNum & FTS5_BI_ORDER_DESC)) return code;
    static const struct { int operation, flag; } clauses[] = {
        {SQLITE_INDEX_CONSTRAINT_LIMIT, AMALGAM_HAS_LIMIT}, {SQLITE_INDEX_CONSTRAINT_OFFSET, AMALGAM_HAS_OFFSET}};
    for (size_t clause = 0; clause < ArraySize(clauses); clause++) {
        for (int i = 0; i < info->nConstraint; i++) {
            if (info->aConstraint[i].op != clauses[clause].operation || !info->aConstraint[i].usable) continue;
            info->aConstraintUsage[i].argvIndex = ++count;
            info->idxNum |= clauses[clause].flag;
        }
    }
    return amalgam_ranked_explain(vtab, info);
}

static int amalgam_ranked_filter(
    sqlite3_vtab_cursor *vtab_cursor, int flags, const char *text, int count, sqlite3_value **values) {
    Fts5Cursor *cursor = (Fts5Cursor *)vtab_cursor;
    Fts5FullTable *table = (Fts5FullTable *)vtab_cursor->pVtab;
    const int fts5_flags = flags & ~AMALGAM_RANKED_FLAGS;
    const int64_t limit = amalgam_ranked_limit(flags, count, values);
    amalgam_ranked_close(cursor);
    count -= ((flags & AMALGAM_HAS_LIMIT) != 0) + ((flags & AMALGAM_HAS_OFFSET) != 0);
    if (!(flags & FTS5_BI_ORDER_RANK) || (flags & FTS5_BI_ORDER_DESC)) {
        return amalgam_sqlite_fts5_filter(vtab_cursor, fts5_flags, text, count, values);
    }
    int code = sqlite3Fts5IndexLoadConfig(table->p.pIndex);
    if (code != SQLITE_OK) return code;
    const char *ranking = 0;
    int has_tokens = 0;
    for (int i = 0, at = 0; i < count; i++, at++) {
        if (text[at] == 'r') ranking = (const char *)sqlite3_value_text(values[i]);
        if (text[at] == 'M') has_tokens |= sqlite3_value_subtype(values[i]) == FTS5_INSTTOKEN_SUBTYPE;
        while (text[at + 1] >= '0' && text[at + 1] <= '9') at++;
    }
    const int is_best_first = amalgam_ranked_way_of(table, ranking) == AMALGAM_RANKED_BEST_FIRST;
    if (is_best_first && !has_tokens && amalgam_ranked_is_allowed(table->p.pConfig, ranking)) {
        int is_special = 0, is_open = 0;
        code = amalgam_ranked_read_query(table, cursor, text, count, values, &is_special);
        if (code == SQLITE_OK && !is_special) code = amalgam_ranked_open(table, cursor, limit, &is_open);
        if (code != SQLITE_OK || is_open) return code;
        if (!is_special) return amalgam_ranked_sort_all(table, cursor);
    }
    if (!(flags & AMALGAM_BY_RANK_AND_ROWID)) {
        return amalgam_sqlite_fts5_filter(vtab_cursor, fts5_flags, text, count, values);
    }
    code = amalgam_sqlite_fts5_filter(vtab_cursor, fts5_flags & ~FTS5_BI_ORDER_RANK, text, count, values);
    if (code != SQLITE_OK || cursor->ePlan != FTS5_PLAN_MATCH) return code;
    return amalgam_ranked_sort_all(table, cursor);
}

static int fts5FilterMethod(sqlite3_vtab_cursor *cursor, int flags, const char *text, int count, sqlite3_value **values) {
    const int limits = ((flags & AMALGAM_HAS_LIMIT) != 0) + ((flags & AMALGAM_HAS_OFFSET) != 0);
    int code = amalgam_fts5_flush_before_search(cursor->pVtab);
    if (code != SQLITE_OK) return code;
    if (amalgam_ranking_count(text, count - limits) < 2) return amalgam_ranked_filter(cursor, flags, text, count, values);
    sqlite3_value **merged = sqlite3_malloc64(sizeof(sqlite3_value *) * (size_t)count);
    sqlite3_value *ranking = sqlite3ValueNew(0);
    char *string = amalgam_ranking_merge(text, count - limits, values);
    code = merged != 0 && ranking != 0 && string != 0 ? SQLITE_OK : SQLITE_NOMEM;
    if (code == SQLITE_OK) {
        sqlite3ValueSetStr(ranking, -1, string, SQLITE_UTF8, SQLITE_STATIC);
        memcpy(merged, values, sizeof(sqlite3_value *) * (size_t)count);
        for (int i = 0, at = 0; i < count - limits; i++, at++) {
            if (text[at] == 'r') merged[i] = ranking;
            while (text[at + 1] >= '0' && text[at + 1] <= '9') at++;
        }
        code = amalgam_ranked_filter(cursor, flags, text, count, merged);
    }
    sqlite3ValueFree(ranking);
    sqlite3_free(string);
    sqlite3_free(merged);
    return code;
}

static int fts5NextMethod(sqlite3_vtab_cursor *vtab_cursor) {
    Fts5Cursor *cursor = (Fts5Cursor *)vtab_cursor;
    amalgam_ranked_cursor *ranked = amalgam_ranked_of_cursor(cursor);
    return ranked != 0 ? amalgam_ranked_next(cursor, ranked) : amalgam_sqlite_fts5_next(vtab_cursor);
}

static int fts5ColumnMethod(sqlite3_vtab_cursor *vtab_cursor, sqlite3_context *context, int column) {
    const Fts5Cursor *cursor = (const Fts5Cursor *)vtab_cursor;
    const amalgam_ranked_cursor *ranked = amalgam_ranked_of_cursor(cursor);
    if (ranked == 0 || column != ((const Fts5Table *)vtab_cursor->pVtab)->pConfig->nCol + 1) {
        return amalgam_sqlite_fts5_column(vtab_cursor, context, column);
    }
    sqlite3_result_double(context, -1.0 * ranked->search.best[ranked->position].score);
    return SQLITE_OK;
}

static int fts5CloseMethod(sqlite3_vtab_cursor *vtab_cursor) {
    if (vtab_cursor != 0) amalgam_ranked_close((Fts5Cursor *)vtab_cursor);
    return amalgam_sqlite_fts5_close(vtab_cursor);
}

/* An auxiliary function is called. Loads the positions of the row first. */
static void fts5ApiCallback(sqlite3_context *context, int count, sqlite3_value **values) {
    const Fts5Auxiliary *function = sqlite3_user_data(context);
    Fts5Cursor *cursor = fts5CursorFromCsrid(function->pGlobal, sqlite3_value_int64(values[0]));
    if (cursor != 0 && amalgam_fts5_refuses_cursor(context, cursor)) {
        sqlite3_result_error(context, "not authorized: the first argument isn't the full-text table of this statement", -1);
        sqlite3_result_error_code(context, SQLITE_AUTH);
        return;
    }
    amalgam_ranked_cursor *ranked = cursor != 0 ? amalgam_ranked_of_cursor(cursor) : 0;
    const int code = ranked != 0 ? amalgam_ranked_load_positions(cursor, ranked) : SQLITE_OK;
    if (code != SQLITE_OK) sqlite3_result_error_code(context, code);
    else amalgam_sqlite_fts5_callback(context, count, values);
}

/* The functions of include/amalgam_ranked.h */

int amalgam_ranked_set_enabled(sqlite3 *db, int is_enabled) {
    sqlite3_mutex_enter(db->mutex);
    amalgam_ranked *ranked = amalgam_ranked_of(db, !is_enabled);
    if (ranked != 0) ranked->is_disabled = !is_enabled;
    sqlite3_mutex_leave(db->mutex);
    return ranked != 0 || is_enabled ? SQLITE_OK : SQLITE_NOMEM;
}

int amalgam_ranked_load(sqlite3 *db, const char *schema, const char *name, int64_t *rows, int64_t *bytes) {
    int code = SQLITE_NOTFOUND;
    *rows = *bytes = 0;
    sqlite3_mutex_enter(db->mutex);
    const VTable *vtable = amalgam_fts5_table(db, schema, name);
    if (vtable != 0) {
        const Fts5FullTable *table = (const Fts5FullTable *)vtable->pVtab;
        amalgam_index_state *state = 0;
        code = amalgam_index_state_of(table, &state);
        if (code == SQLITE_OK) code = amalgam_index_state_load(table, state);
        if (code == SQLITE_OK) {
            *rows = state->lengths.rows;
            *bytes = amalgam_lengths_bytes(&state->lengths);
        }
        amalgam_index_state_release(state);
    }
    code = sqlite3ApiExit(db, code);
    sqlite3_mutex_leave(db->mutex);
    return code;
}

int amalgam_ranked_add_typos(sqlite3 *db) {
    int code = SQLITE_NOTFOUND;
    sqlite3_mutex_enter(db->mutex);
    const Module *module = sqlite3HashFind(&db->aModule, "fts5");
    Fts5Global *global = module != 0 ? module->pAux : 0;
    if (global != 0) {
        const Fts5Auxiliary *function = global->pAux;
        while (function != 0 && function->xFunc != amalgam_typo_function) function = function->pNext;
        code = function != 0
                   ? SQLITE_OK
                   : global->api.xCreateFunction(&global->api, "amalgam_typos", 0, amalgam_typo_function, 0);
    }
    sqlite3_mutex_leave(db->mutex);
    return code;
}

int amalgam_ranked_words(Fts5Context *context, int phrase_count, amalgam_phrase_word *words) {
    Fts5Cursor *cursor = (Fts5Cursor *)context;
    const int has_plan = cursor->zRank != 0 && sqlite3_stricmp(cursor->zRank, "amalgam_typos") == 0;
    const int code = has_plan && cursor->pRank == 0 ? fts5FindRankFunction(cursor) : SQLITE_OK;
    if (code != SQLITE_OK) return code;
    const int has_text = has_plan && cursor->nRankArg > 0;
    amalgam_typo_plan *plan = amalgam_typo_plan_new(
        has_text ? (const char *)sqlite3_value_text(cursor->apRankArg[0]) : 0, phrase_count);
    if (plan == 0) return SQLITE_NOMEM;
    for (int i = 0; i < phrase_count; i++) {
        const amalgam_alternative *alternative = &plan->alternatives[i];
        words[alternative->phrase] = (amalgam_phrase_word){alternative->word, alternative->typos};
    }
    sqlite3_free(plan);
    return SQLITE_OK;
}
