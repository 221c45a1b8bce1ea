/* What is behind the tables and the text of a statement: see include/amalgam_program.h. */

/* ---- Virtual tables ---------------------------------------------------------------------- */

/* Whether a string is a name in single quotes, as sqlite3_mprintf("%Q") writes it. */
static int amalgam_is_quoted_name(const char *text, const char *name) {
    if (*text++ != '\'') return 0;
    for (; *name != 0; name++) {
        if (sqlite3UpperToLower[(unsigned char)*text++] != sqlite3UpperToLower[(unsigned char)*name]) return 0;
        if (*name == '\'' && *text++ != '\'') return 0;
    }
    return text[0] == '\'' && text[1] == 0;
}

/* FTS5 stores the content table as the quoted names of its schema and of the table. Without memory, they are compared. */
static void amalgam_tell_fts5_content(
    sqlite3 *db, const Fts5Config *config, void *context,
    void (*tell)(void *context, const char *schema, const char *table)
) {
    const int index = config->eContent == FTS5_CONTENT_EXTERNAL ? sqlite3FindDbName(db, config->zDb) : -1;
    int type = 0;
    if (index < 0 || config->zContent == 0) return;
    const int length = (int)sqlite3GetToken((const unsigned char *)config->zContent, &type);
    const char *text = config->zContent + length + (config->zContent[length] == '.');
    const Hash *tables = &db->aDb[index].pSchema->tblHash;
    for (HashElem *element = sqliteHashFirst(tables); element != 0; element = sqliteHashNext(element)) {
        const Table *table = sqliteHashData(element);
        if (amalgam_is_quoted_name(text, table->zName)) tell(context, config->zDb, table->zName);
    }
}

/* Whether a table-valued function runs a pragma that reads rows. Which ones, its arguments may say. */
static int amalgam_runs_check(const sqlite3_module *module, const sqlite3_vtab *table) {
    if (module->xOpen != pragmaVtabOpen) return 0;
    const int type = ((const PragmaVtab *)table)->pName->ePragTyp;
    return type == PragTyp_FOREIGN_KEY_CHECK || type == PragTyp_INTEGRITY_CHECK;
}

static int amalgam_tell_sources(
    sqlite3 *db, const char *schema, const char *name, void *context,
    void (*tell)(void *context, const char *schema, const char *table)
) {
    const Module *eponymous = sqlite3HashFind(&db->aModule, name);
    Table *table = sqlite3FindTable(db, name, schema);
    if (table == 0 && eponymous != 0) table = eponymous->pEpoTab;
    if (table == 0 || !IsVirtual(table)) return 0;
    const VTable *connected = sqlite3GetVTable(db, table);
    if (connected == 0 || connected->pVtab == 0) return AMALGAM_SOURCES_ARE_UNKNOWN;
    const sqlite3_module *module = connected->pMod->pModule;
    if (module->xOpen == fts5OpenMethod) {
        amalgam_tell_fts5_content(db, ((const Fts5Table *)connected->pVtab)->pConfig, context, tell);
    } else if (module->xOpen == fts5VocabOpenMethod) {
        const Fts5VocabTable *vocabulary = (const Fts5VocabTable *)connected->pVtab;
        tell(context, vocabulary->zFts5Db, vocabulary->zFts5Tbl);
        return AMALGAM_SHOWS_WORDS_OF_SOURCE;
    } else if (module->xOpen == fts3OpenMethod) {
        const Fts3Table *searched = (const Fts3Table *)connected->pVtab;
        if (searched->zContentTbl != 0) tell(context, searched->zDb, searched->zContentTbl);
    } else if (module->xOpen == fts3auxOpenMethod) {
        const Fts3Table *searched = ((const Fts3auxTable *)connected->pVtab)->pFts3Tab;
        tell(context, searched->zDb, searched->zName);
        return AMALGAM_SHOWS_WORDS_OF_SOURCE;
    }
    if (module->xOpen == statOpen || module->xOpen == dbpageOpen) return AMALGAM_READS_ALL_PAGES;
    return amalgam_runs_check(module, connected->pVtab) ? AMALGAM_READS_ALL_PAGES : 0;
}

int amalgam_virtual_table_sources(
    sqlite3 *db, const char *schema, const char *name, void *context,
    void (*tell)(void *context, const char *schema, const char *table)
) {
    amalgam_enter_schemas(db);
    const int result = amalgam_tell_sources(db, schema, name, context, tell);
    amalgam_leave_schemas(db);
    return result;
}

static void amalgam_connect_tables_of(sqlite3 *db, const Schema *schema) {
    for (HashElem *element = sqliteHashFirst(&schema->tblHash); element != 0; element = sqliteHashNext(element)) {
        Table *table = sqliteHashData(element);
        if (!IsVirtual(table) || sqlite3GetVTable(db, table) != 0) continue;
        Parse parse;
        sqlite3ParseObjectInit(&parse, db);
        /* A table whose module is missing, or fails, reports its error when a statement uses it. */
        sqlite3ViewGetColumnNames(&parse, table);
        sqlite3DbFree(db, parse.zErrMsg);
        parse.zErrMsg = 0;
        sqlite3ParseObjectReset(&parse);
    }
}

void amalgam_connect_virtual_tables(sqlite3 *db) {
    char *message = 0;
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
    if (!db->init.busy && sqlite3Init(db, &message) == SQLITE_OK) {
        /* A module may run statements, which must not discard the schemas. */
        amalgam_schema_lock(db);
        for (int i = 0; i < db->nDb; i++) amalgam_connect_tables_of(db, db->aDb[i].pSchema);
        amalgam_schema_unlock(db);
    }
    sqlite3BtreeLeaveAll(db);
    sqlite3DbFree(db, message);
    /* What could not be connected without memory is connected when a statement uses it. */
    sqlite3ApiExit(db, SQLITE_OK);
    sqlite3_mutex_leave(db->mutex);
}

static const char *amalgam_find_shadow_owner(sqlite3 *db, const char *schema, const char *name) {
    const Table *shadow = sqlite3FindTable(db, name, schema);
    if (shadow == 0 || (shadow->tabFlags & TF_Shadow) == 0) return 0;
    const Hash *tables = &shadow->pSchema->tblHash;
    for (HashElem *element = sqliteHashFirst(tables); element != 0; element = sqliteHashNext(element)) {
        Table *table = sqliteHashData(element);
        if (IsVirtual(table) && sqlite3IsShadowTableOf(db, table, shadow->zName)) return table->zName;
    }
    return 0;
}

void amalgam_shadow_table_owner(
    sqlite3 *db, const char *schema, const char *name, void *context, void (*tell)(void *context, const char *owner)
) {
    amalgam_enter_schemas(db);
    const char *owner = amalgam_find_shadow_owner(db, schema, name);
    if (owner != 0) tell(context, owner);
    amalgam_leave_schemas(db);
}

/* The columns of a view, or of a virtual table, aren't known before a statement uses it. */
static int amalgam_column_index(Table *table, const char *column) {
    return table == 0 || table->nCol <= 0 || table->aCol == 0 ? -1 : sqlite3ColumnIndex(table, column);
}

int amalgam_is_hidden_column(sqlite3 *db, const char *schema, const char *name, const char *column) {
    amalgam_enter_schemas(db);
    Table *table = sqlite3FindTable(db, name, schema);
    const int index = amalgam_column_index(table, column);
    const int is_hidden = index >= 0 && IsVirtual(table) && IsHiddenColumn(&table->aCol[index]);
    amalgam_leave_schemas(db);
    return is_hidden;
}

/* ---- Indexes ----------------------------------------------------------------------------- */

static int amalgam_index_has_column(const Index *index, const char *column) {
    const Table *table = index->pTable;
    for (int i = 0; i < index->nColumn; i++) {
        const int field = index->aiColumn[i];
        /* An expression, or a generated column, may be computed from the column. */
        if (field == XN_EXPR) return 1;
        if (field < 0 || field >= table->nCol) continue;
        if (table->aCol[field].colFlags & COLFLAG_GENERATED) return 1;
        if (sqlite3_stricmp(table->aCol[field].zCnName, column) == 0) return 1;
    }
    return index->pPartIdxWhere != 0;
}

/*
** A column whose indexes a sandbox refuses. Connections with a shared cache share the flag of an index that keeps it from
** being used. So all refusals of the process are in a list, guarded by a mutex of SQLite, and the flag of an index is set as
** long as one of them concerns the index.
*/
struct amalgam_index_refusal {
    amalgam_index_refusal *next;
    const Schema *owner; /* of the table, when the refusal was last applied; NULL if there was no table */
    const char *schema;  /* the strings follow the structure */
    const char *table;
    const char *column;
};

static amalgam_index_refusal *amalgam_index_refusals;

static sqlite3_mutex *amalgam_index_refusals_mutex(void) { return sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP3); }

static int amalgam_is_refused(const Table *table, const Index *index) {
    int is_refused = 0;
    sqlite3_mutex_enter(amalgam_index_refusals_mutex());
    for (const amalgam_index_refusal *refusal = amalgam_index_refusals; refusal != 0; refusal = refusal->next) {
        if (refusal->owner != table->pSchema || sqlite3_stricmp(refusal->table, table->zName) != 0) continue;
        if (amalgam_index_has_column(index, refusal->column)) is_refused = 1;
    }
    sqlite3_mutex_leave(amalgam_index_refusals_mutex());
    return is_refused;
}

/* Sets the flags of the indexes that a refusal concerns, while other connections can't compile statements for them. */
static void amalgam_update_refused_indexes(sqlite3 *db, const amalgam_index_refusal *refusal) {
    const Table *table = sqlite3FindTable(db, refusal->table, refusal->schema);
    for (Index *index = table == 0 || !IsOrdinaryTable(table) ? 0 : table->pIndex; index != 0; index = index->pNext) {
        /* The rows of a WITHOUT ROWID table are in the index of its primary key. */
        if (!HasRowid(table) && IsPrimaryKeyIndex(index)) continue;
        if (amalgam_index_has_column(index, refusal->column)) index->bNoQuery = amalgam_is_refused(table, index);
    }
}

void amalgam_index_refusal_apply(sqlite3 *db, amalgam_index_refusal *refusal) {
    amalgam_enter_schemas(db);
    const Table *table = sqlite3FindTable(db, refusal->table, refusal->schema);
    sqlite3_mutex_enter(amalgam_index_refusals_mutex());
    refusal->owner = table == 0 ? 0 : table->pSchema;
    sqlite3_mutex_leave(amalgam_index_refusals_mutex());
    amalgam_update_refused_indexes(db, refusal);
    amalgam_leave_schemas(db);
}

amalgam_index_refusal *amalgam_index_refusal_begin(
    sqlite3 *db, const char *schema, const char *table, const char *column
) {
    const size_t schema_size = strlen(schema) + 1, table_size = strlen(table) + 1, column_size = strlen(column) + 1;
    amalgam_index_refusal *refusal = calloc(1, sizeof *refusal + schema_size + table_size + column_size);
    if (refusal == 0) return 0;
    char *strings = (char *)(refusal + 1);
    refusal->schema = memcpy(strings, schema, schema_size);
    refusal->table = memcpy(strings + schema_size, table, table_size);
    refusal->column = memcpy(strings + schema_size + table_size, column, column_size);
    sqlite3_mutex_enter(amalgam_index_refusals_mutex());
    refusal->next = amalgam_index_refusals;
    amalgam_index_refusals = refusal;
    sqlite3_mutex_leave(amalgam_index_refusals_mutex());
    amalgam_index_refusal_apply(db, refusal);
    return refusal;
}

void amalgam_index_refusal_end(sqlite3 *db, amalgam_index_refusal *refusal) {
    sqlite3_mutex_enter(amalgam_index_refusals_mutex());
    amalgam_index_refusal **link = &amalgam_index_refusals;
    while (*link != refusal) link = &(*link)->next;
    *link = refusal->next;
    sqlite3_mutex_leave(amalgam_index_refusals_mutex());
    if (db != 0) {
        amalgam_enter_schemas(db);
        amalgam_update_refused_indexes(db, refusal);
        amalgam_leave_schemas(db);
    }
    free(refusal);
}

/* ---- The text of a statement ------------------------------------------------------------- */

static int amalgam_next_token(const char *sql, int *offset, int *type) {
    int length = 0;
    do {
        *offset += length;
        if (sql[*offset] == 0) return 0;
        length = (int)sqlite3GetToken((const unsigned char *)sql + *offset, type);
    } while (*type == TK_SPACE || *type == TK_COMMENT);
    return length;
}

int amalgam_statement_clauses(sqlite3_stmt *statement) {
    const char *sql = sqlite3_sql(statement);
    int clauses = 0, length = 0, type = 0;
    for (int offset = 0; sql != 0 && (length = amalgam_next_token(sql, &offset, &type)) > 0; offset += length) {
        if (type == TK_WITH) clauses |= AMALGAM_HAS_WITH;
        if (type == TK_USING) clauses |= AMALGAM_HAS_USING;
        if (length == 7 && sqlite3_strnicmp(sql + offset, "natural", 7) == 0) clauses |= AMALGAM_HAS_USING;
    }
    return clauses;
}

/* Returns the offset after INTO and the name of the table; -1 if the text isn't INSERT or REPLACE. */
static int amalgam_after_inserted_table(const char *sql) {
    int offset = 0, length = 0, type = 0, depth = 0;
    for (; (length = amalgam_next_token(sql, &offset, &type)) > 0; offset += length) {
        depth += (type == TK_LP) - (type == TK_RP);
        if (depth == 0 && type == TK_INTO) break;
    }
    if (length == 0) return -1;
    for (;;) {
        offset += length;
        length = amalgam_next_token(sql, &offset, &type); /* a name */
        offset += length;
        length = amalgam_next_token(sql, &offset, &type);
        if (length == 0 || (type != TK_DOT && type != TK_AS)) return offset;
    }
}

void amalgam_inserted_columns(
    sqlite3_stmt *statement, const char *schema, const char *name, void *context,
    void (*tell)(void *context, const char *column, int length)
) {
    const char *sql = sqlite3_sql(statement);
    int offset = sql == 0 ? -1 : amalgam_after_inserted_table(sql), length = 0, type = 0;
    if (offset < 0) return;
    length = amalgam_next_token(sql, &offset, &type);
    if (length > 0 && type == TK_LP) {
        for (offset += length; (length = amalgam_next_token(sql, &offset, &type)) > 0 && type != TK_RP; offset += length) {
            if (type != TK_COMMA) tell(context, sql + offset, length);
        }
        return;
    }
    if (type == TK_DEFAULT) return;
    sqlite3 *db = ((const Vdbe *)statement)->db;
    amalgam_enter_schemas(db);
    const Table *table = sqlite3FindTable(db, name, schema);
    for (int i = 0; table != 0 && i < table->nCol; i++) {
        const Column *column = &table->aCol[i];
        if ((column->colFlags & (COLFLAG_GENERATED | COLFLAG_HIDDEN)) == 0) {
            tell(context, column->zCnName, sqlite3Strlen30(column->zCnName));
        }
    }
    amalgam_leave_schemas(db);
}

/* Whether a token is the name `excluded`, with or without quotes. */
static int amalgam_is_excluded(const char *token, int length) {
    const int quotes = strchr("\"'`[", token[0]) != 0;
    return length == 8 + 2 * quotes && sqlite3_strnicmp(token + quotes, "excluded", 8) == 0;
}

void amalgam_excluded_columns(
    sqlite3_stmt *statement, void *context, void (*tell)(void *context, const char *column, int length)
) {
    const char *sql = sqlite3_sql(statement);
    int state = 0, length = 0, type = 0; /* 1 after `excluded`, 2 after the period */
    for (int offset = 0; sql != 0 && (length = amalgam_next_token(sql, &offset, &type)) > 0; offset += length) {
        if (state == 2) {
            tell(context, sql + offset, length);
            state = 0;
        } else if (state == 1 && type == TK_DOT) {
            state = 2;
        } else {
            state = amalgam_is_excluded(sql + offset, length);
        }
    }
}

/* ---- Columns that show others ------------------------------------------------------------------- */

typedef struct amalgam_column_walk {
    const Table *table;
    void *context;
    void (*tell)(void *context, const char *column);
} amalgam_column_walk;

static int amalgam_walk_column(Walker *walker, Expr *expression) {
    const amalgam_column_walk *walk = (const amalgam_column_walk *)walker->u.pRename;
    if (expression->op == TK_COLUMN || expression->op == TK_AGG_COLUMN) {
        const int column = expression->iColumn < 0 ? walk->table->iPKey : expression->iColumn;
        if (column >= 0 && column < walk->table->nCol) walk->tell(walk->context, walk->table->aCol[column].zCnName);
    }
    return WRC_Continue;
}

/* The name of a column that is the rowid of a table; NULL if there is none. */
static const char *amalgam_rowid_column(sqlite3 *db, Table *table) {
    if (IsOrdinaryTable(table)) return table->iPKey >= 0 ? table->aCol[table->iPKey].zCnName : 0;
    const VTable *connected = IsVirtual(table) ? sqlite3GetVTable(db, table) : 0;
    if (connected == 0 || connected->pVtab == 0 || connected->pMod->pModule->xOpen != fts5OpenMethod) return 0;
    const Fts5Config *config = ((const Fts5Table *)connected->pVtab)->pConfig;
    return config->eContent == FTS5_CONTENT_EXTERNAL ? config->zContentRowid : 0;
}

static void amalgam_tell_column_sources(
    sqlite3 *db, Table *table, const char *column, void *context, void (*tell)(void *context, const char *column)
) {
    const int index = amalgam_column_index(table, column);
    const char *rowid = index < 0 && sqlite3IsRowid(column) ? amalgam_rowid_column(db, table) : 0;
    if (rowid != 0) tell(context, rowid);
    if (index < 0 || !IsOrdinaryTable(table) || (table->aCol[index].colFlags & COLFLAG_GENERATED) == 0) return;
    amalgam_column_walk walk = {table, context, tell};
    Walker walker;
    memset(&walker, 0, sizeof walker);
    walker.xExprCallback = amalgam_walk_column;
    walker.xSelectCallback = sqlite3SelectWalkNoop;
    walker.u.pRename = (struct RenameCtx *)&walk;
    sqlite3WalkExpr(&walker, sqlite3ColumnExpr(table, &table->aCol[index]));
}

void amalgam_column_sources(
    sqlite3 *db, const char *schema, const char *name, const char *column, void *context,
    void (*tell)(void *context, const char *column)
) {
    amalgam_enter_schemas(db);
    Table *table = sqlite3FindTable(db, name, schema);
    if (table != 0) amalgam_tell_column_sources(db, table, column, context, tell);
    amalgam_leave_schemas(db);
}
