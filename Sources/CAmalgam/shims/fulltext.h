/* What tokenizers and auxiliary functions of FTS5 in Swift need: see include/amalgam_fulltext.h; and rows that fail. */
#include "../include/amalgam_fulltext.h"

_Static_assert(offsetof(Fts5Global, api) == 0, "FTS5 passes its own structure to its functions");

fts5_api *amalgam_fts5_api(sqlite3 *db) {
    const Module *module = sqlite3HashFind(&db->aModule, "fts5");
    if (module == 0 || module->pModule->xCreate != fts5CreateMethod) return 0;
    return &((Fts5Global *)module->pAux)->api;
}

_Static_assert(offsetof(Fts5FullTable, p.base) == 0, "a table of FTS5 begins with SQLite's own structure");

/* The table of FTS5 with a name, if the connection has connected to it. */
static VTable *amalgam_fts5_table(sqlite3 *db, const char *name) {
    sqlite3BtreeEnterAll(db);
    Table *table = sqlite3FindTable(db, name, 0);
    VTable *vtable = table != 0 && IsVirtual(table) ? sqlite3GetVTable(db, table) : 0;
    sqlite3BtreeLeaveAll(db);
    if (vtable == 0 || vtable->pVtab == 0 || vtable->pVtab->pModule->xCreate != fts5CreateMethod) return 0;
    return vtable;
}

static int amalgam_notice_token(void *has_token, int flags, const char *token, int count, int start, int end) {
    (void)flags, (void)token, (void)start, (void)end;
    if (count > 0) *(int *)has_token = 1;
    return SQLITE_OK;
}

int amalgam_fts5_has_token(sqlite3 *db, const char *name, const char *string, int is_prefix, int *has_token) {
    int code = SQLITE_NOTFOUND;
    *has_token = 0;
    sqlite3_mutex_enter(db->mutex);
    VTable *vtable = amalgam_fts5_table(db, name);
    if (vtable != 0) {
        /* A tokenizer of the application may run SQL. A cursor keeps the table from being dropped in the same way. */
        sqlite3VtabLock(vtable);
        vtable->pVtab->nRef++;
        const int flags = FTS5_TOKENIZE_QUERY | (is_prefix ? FTS5_TOKENIZE_PREFIX : 0);
        Fts5Config *config = ((Fts5FullTable *)vtable->pVtab)->p.pConfig;
        code = sqlite3Fts5Tokenize(config, flags, string, (int)strlen(string), has_token, amalgam_notice_token);
        vtable->pVtab->nRef--;
        sqlite3VtabUnlock(vtable);
    }
    sqlite3_mutex_leave(db->mutex);
    return code;
}

int amalgam_fts5_is_same_callback(amalgam_fts5_callback *callback, amalgam_fts5_callback *other) {
    return callback == other;
}

int amalgam_fts5_is_same_tokenizer(const fts5_tokenizer_v2 *tokenizer, const fts5_tokenizer_v2 *other) {
    return tokenizer->xCreate == other->xCreate;
}

static int amalgam_is_in_transaction(const sqlite3 *db, const sqlite3_vtab *table) {
    for (int i = 0; i < db->nVTrans; i++) {
        if (db->aVTrans[i]->pVtab == table) return 1;
    }
    return 0;
}

/*
** Writes a row of a table of FTS5, and has the table forget what it holds in memory when the transaction ended meanwhile.
**
** FTS5 reads and writes with statements of its own. One that runs out of memory, or fails on a file, rolls the transaction
** back in the middle of the row. SQLite tells FTS5 at once, and FTS5 forgets what it has not written yet, but it is not
** done with the row: fts5StorageLoadTotals() says that the sizes of the table are valid even if it could not read them.
** The next transaction, or who reads the table of terms, would write them as zeros: the ranks are wrong from then on, and
** the integrity check says "malformed inverted index". SQLite 3.53.4 does this with its own tokenizers, too.
**
** What a row wrote after the rollback would be committed without what it wrote before: then the row is an error.
*/
static int fts5UpdateMethod(sqlite3_vtab *vtab, int count, sqlite3_value **values, sqlite_int64 *rowid) {
    const int code = amalgam_sqlite_fts5_update(vtab, count, values, rowid);
    Fts5FullTable *table = (Fts5FullTable *)vtab;
    if (amalgam_is_in_transaction(table->p.pConfig->db, vtab)) return code;
    sqlite3Fts5StorageRollback(table->pStorage);
    table->p.pConfig->pgsz = 0;
    return code == SQLITE_OK ? SQLITE_ABORT_ROLLBACK : code;
}
