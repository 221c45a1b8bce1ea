/*
** What becomes of an action for which an authorizer of the application answers SQLITE_IGNORE.
**
** SQLite defines the answer for columns that are read, and for DELETE. For other actions, it leaves out the code of the
** action, and goes on: SELECT then leaves registers and cursors without a value, a definition loses a part, and VACUUM
** copies NULL. So SQLite only gets the answer where the rest of the statement doesn't need the action. Everywhere else,
** the action is denied, or allowed if only SQLite or a virtual table needs it to maintain its own tables.
*/

/* The first keyword of a statement, apart from EXPLAIN QUERY PLAN: TK_CREATE, for example. */
static int amalgam_verb(const Parse *parse) {
    const unsigned char *sql = (const unsigned char *)parse->zTail;
    while (sql != 0 && *sql != 0) {
        int type = 0;
        sql += sqlite3GetToken(sql, &type);
        switch (type) {
        case TK_SPACE:
        case TK_COMMENT:
        case TK_SEMI:
        case TK_EXPLAIN:
        case TK_QUERY:
        case TK_PLAN: break;
        default: return type;
        }
    }
    return TK_SEMI;
}

/* Whether a statement defines, alters or drops an object of the schema. */
static int amalgam_is_definition(const Parse *parse) {
    const int verb = amalgam_verb(parse);
    return verb == TK_CREATE || verb == TK_ALTER || verb == TK_DROP;
}

/* Whether an expression belongs to the definition of an index, a constraint or a column. With NULL in the place of a part,
** the contents of an index would differ from its definition. The SELECT of CREATE TABLE … AS isn't a definition. */
static int amalgam_is_part_of_definition(const Parse *parse) {
    return amalgam_is_definition(parse) && parse->pNewTable == 0;
}

/* Whether SQLite can leave out one column of UPDATE. It can't leave out a rowid, and writes outside of its memory if the
** rowid isn't a column. The values of one row of the schema belong together. */
static int amalgam_can_leave_out(sqlite3 *db, const char *schema, const char *table, const char *column) {
    const Table *found = table == 0 ? 0 : sqlite3FindTable(db, table, schema);
    if (found == 0 || column == 0 || sqlite3StrICmp(column, "ROWID") == 0) return 0;
    if (sqlite3StrNICmp(found->zName, "sqlite_", 7) == 0) return 0;
    for (int i = 0; i < found->nCol; i++) {
        if (sqlite3StrICmp(found->aCol[i].zCnName, column) == 0) return i != found->iPKey;
    }
    return 0;
}

static int amalgam_is_shadow_table(sqlite3 *db, const char *schema, const char *table) {
    const Table *found = table == 0 ? 0 : sqlite3FindTable(db, table, schema);
    return found != 0 && (found->tabFlags & TF_Shadow) != 0;
}

/* The answer for a statement that a virtual table, VACUUM, or C code compiles. The statements of virtual tables maintain
** their shadow tables. */
static int amalgam_answer_to_internal(
    sqlite3 *db, const Parse *parse, int action, const char *table, const char *schema
) {
    switch (action) {
    case SQLITE_READ:
    case SQLITE_INSERT:
    case SQLITE_UPDATE: return amalgam_is_shadow_table(db, schema, table) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_DELETE: return parse != 0 && amalgam_is_definition(parse) ? SQLITE_DENY : SQLITE_IGNORE;
    case SQLITE_ANALYZE:
    case SQLITE_FUNCTION:
    case SQLITE_PRAGMA:
    case SQLITE_RECURSIVE:
    case SQLITE_REINDEX:
    case SQLITE_SAVEPOINT:
    case SQLITE_SELECT:
    case SQLITE_TRANSACTION: return SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

/* Whether SQLite can go on without an action of a statement of the application. */
static int amalgam_can_ignore(
    sqlite3 *db, const Parse *parse, int action, const char *first, const char *second, const char *schema
) {
    switch (action) {
    case SQLITE_READ:
        /* SQLite would return the column of RETURNING all the same. A table that doesn't exist yet is the new one. */
        return !parse->bReturning && !amalgam_is_part_of_definition(parse)
            && (parse->pNewTable == 0 || sqlite3FindTable(db, first, schema) != 0);
    case SQLITE_FUNCTION: return !amalgam_is_part_of_definition(parse);
    case SQLITE_UPDATE: return amalgam_can_leave_out(db, schema, first, second);
    case SQLITE_INSERT:
        /* RETURNING reads a cursor that INSERT opens. */
        return !(parse->bReturning && db->pParse == parse) && !amalgam_is_definition(parse);
    case SQLITE_DELETE: return !amalgam_is_definition(parse);
    case SQLITE_REINDEX: return amalgam_verb(parse) == TK_REINDEX;
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_PRAGMA:
    case SQLITE_SAVEPOINT:
    case SQLITE_TRANSACTION: return 1;
    default: return 0;
    }
}

int amalgam_answer_to_ignored(
    sqlite3 *db, int action, const char *first, const char *second, const char *schema, int circumstances
) {
    const Parse *parse = db->pParse;
    if (parse != 0 && parse->pToplevel != 0) parse = parse->pToplevel;
    /* SQLite only asks about the presence of rows, and doesn't use the answer. */
    if (action == SQLITE_READ && second != 0 && *second == 0) return SQLITE_IGNORE;
    /* SQL by which SQLite itself changes the schema. */
    if (parse != 0 && parse->nested > 0) return SQLITE_OK;
    if (parse == 0 || (circumstances & AMALGAM_IS_INTERNAL) != 0) {
        return amalgam_answer_to_internal(db, parse, action, first, schema);
    }
    return amalgam_can_ignore(db, parse, action, first, second, schema) ? SQLITE_IGNORE : SQLITE_DENY;
}
