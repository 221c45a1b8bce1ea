/*
** Access to FTS5 for tokenizers and auxiliary functions in Swift (see include/amalgam_fulltext.h), and recovery from
** row writes that fail.
*/
#include "../include/amalgam_fulltext.h"

_Static_assert(offsetof(Fts5Global, api) == 0, "FTS5 passes its own structure to its functions");

fts5_api *amalgam_fts5_api(sqlite3 *db) {
    const Module *module = sqlite3HashFind(&db->aModule, "fts5");
    if (module == 0 || module->pModule->xCreate != fts5CreateMethod) return 0;
    return &((Fts5Global *)module->pAux)->api;
}

_Static_assert(offsetof(Fts5FullTable, p.base) == 0, "a table of FTS5 begins with SQLite's own structure");

/* The FTS5 table with a name; NULL if the connection hasn't connected to it. `schema` may be NULL. */
static VTable *amalgam_fts5_table(sqlite3 *db, const char *schema, const char *name) {
    sqlite3BtreeEnterAll(db);
    Table *table = sqlite3FindTable(db, name, schema);
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
    const int flags = FTS5_TOKENIZE_QUERY | (is_prefix ? FTS5_TOKENIZE_PREFIX : 0);
    *has_token = 0;
    return amalgam_fts5_tokenize(db, name, flags, string, (int)strlen(string), 0, 0, has_token, amalgam_notice_token);
}

int amalgam_fts5_is_same_callback(amalgam_fts5_callback *callback, amalgam_fts5_callback *other) {
    return callback == other;
}

int amalgam_fts5_is_same_tokenizer(const fts5_tokenizer_v2 *tokenizer, const fts5_tokenizer_v2 *other) {
    return tokenizer->xCreate == other->xCreate;
}

/* Whether an array of cursors has one of FTS5. */
static int amalgam_has_fts5_cursor(VdbeCursor *const *cursors, int count, const Fts5Cursor *searched) {
    for (int i = 0; i < count; i++) {
        const VdbeCursor *cursor = cursors[i];
        if (cursor != 0 && cursor->eCurType == CURTYPE_VTAB && cursor->uc.pVCur == &searched->base) return 1;
    }
    return 0;
}

/*
** Whether a sandbox refuses the call of an auxiliary function with a cursor. A caller can write any number in place of the
** number of its cursor. So the cursor must belong to the statement that calls, of which the authorizer knows what it reads:
** other cursors are those of statements outside of the sandbox.
*/
static int amalgam_fts5_refuses_cursor(const sqlite3_context *context, const Fts5Cursor *cursor) {
    const Vdbe *vdbe = context->pVdbe;
    if (vdbe == 0) return 0;
    const amalgam_hooks *hooks = amalgam_hooks_of(vdbe->db);
    if (hooks == 0 || hooks->policy == 0) return 0;
    if (amalgam_has_fts5_cursor(vdbe->apCsr, vdbe->nCursor, cursor)) return 0;
    for (const VdbeFrame *frame = vdbe->pFrame; frame != 0; frame = frame->pParent) {
        if (amalgam_has_fts5_cursor(frame->apCsr, frame->nCursor, cursor)) return 0;
    }
    return 1;
}

/* Searches need to know which rows and terms have been written: see shims/ranked_log.h. */
static void amalgam_note_write(const sqlite3_vtab *, int, sqlite3_value **);
static void amalgam_note_written(const sqlite3_vtab *);
static void amalgam_note_insertion(const sqlite3_vtab *, int, sqlite3_value **, int64_t rowid);

static int amalgam_is_in_transaction(const sqlite3 *db, const sqlite3_vtab *table) {
    for (int i = 0; i < db->nVTrans; i++) {
        if (db->aVTrans[i]->pVtab == table) return 1;
    }
    return 0;
}

/*
** Writes a row of an FTS5 table. If the write has ended the transaction, clears the state that FTS5 holds in memory.
**
** FTS5 reads and writes with its own statements. If one of them runs out of memory, or can't access a file, SQLite
** rolls back the transaction in the middle of the row and notifies FTS5, which discards what it hasn't written yet. But
** then FTS5 continues to write the row: fts5StorageLoadTotals() marks the sizes of the table as valid even if it
** couldn't read them. The next transaction, or a read of the table of terms, would write zeros as these sizes: the
** ranks would be wrong, and the integrity check would report "malformed inverted index". SQLite 3.53.4 has this bug
** even without custom tokenizers.
**
** The write returns an error, because only the part of the row written after the rollback would be committed.
*/
static int fts5UpdateMethod(sqlite3_vtab *vtab, int count, sqlite3_value **values, sqlite_int64 *rowid) {
    amalgam_note_write(vtab, count, values);
    const int code = amalgam_sqlite_fts5_update(vtab, count, values, rowid);
    amalgam_note_written(vtab);
    if (code == SQLITE_OK) amalgam_note_insertion(vtab, count, values, *rowid);
    Fts5FullTable *table = (Fts5FullTable *)vtab;
    if (amalgam_is_in_transaction(table->p.pConfig->db, vtab)) return code;
    sqlite3Fts5StorageRollback(table->pStorage);
    table->p.pConfig->pgsz = 0;
    return code == SQLITE_OK ? SQLITE_ABORT_ROLLBACK : code;
}
