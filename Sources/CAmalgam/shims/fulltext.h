/* What tokenizers and auxiliary functions of FTS5 in Swift need: see include/amalgam_fulltext.h; and rows that fail. */
#include "../include/amalgam_fulltext.h"

_Static_assert(offsetof(Fts5Global, api) == 0, "FTS5 passes its own structure to its functions");

fts5_api *amalgam_fts5_api(sqlite3 *db) {
    const Module *module = sqlite3HashFind(&db->aModule, "fts5");
    if (module == 0 || module->pModule->xCreate != fts5CreateMethod) return 0;
    return &((Fts5Global *)module->pAux)->api;
}

static int amalgam_is_in_transaction(const sqlite3 *db, const sqlite3_vtab *table) {
    for (int i = 0; i < db->nVTrans; i++) {
        if (db->aVTrans[i]->pVtab == table) return 1;
    }
    return 0;
}

/*
** Writes a row of a table of FTS5, and forgets what it has in memory when the transaction ended meanwhile.
**
** FTS5 writes with statements of its own. One that runs out of memory, or fails on a file, rolls the transaction back, in
** the middle of the row. SQLite tells FTS5, which forgets what is not written yet; but the rest of the row comes after
** that. Above all, fts5StorageLoadTotals() says that the sizes of the table are valid when it could not read them. They
** would be written, as zeros, by the next transaction, or by who reads the table of terms: a damaged index, that no error
** was told of.
**
** A row that was written after the rollback would be committed alone, so there is none.
*/
static int fts5UpdateMethod(sqlite3_vtab *vtab, int count, sqlite3_value **values, sqlite_int64 *rowid) {
    const int code = amalgam_sqlite_fts5_update(vtab, count, values, rowid);
    Fts5FullTable *table = (Fts5FullTable *)vtab;
    if (amalgam_is_in_transaction(table->p.pConfig->db, vtab)) return code;
    sqlite3Fts5StorageRollback(table->pStorage);
    table->p.pConfig->pgsz = 0;
    return code == SQLITE_OK ? SQLITE_ABORT_ROLLBACK : code;
}
