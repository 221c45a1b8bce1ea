/*
** Rows of full-text tables that are written to the index later than by the statement that has inserted them.
**
** FTS3, FTS4 and FTS5 collect the terms of new rows in memory. They write them to the index when a savepoint begins or ends,
** which may be the savepoint of one statement, and before some searches. That is work for earlier statements of the
** transaction. If it failed for a reason that concerns the current statement, the index would lose the terms, or the
** transaction couldn't be committed. So limits, progress handlers, interrupts, authorizers and query_only don't apply to
** it. The work is small: FTS5 collects at most its hashsize, and one row.
*/

/* What may stop or refuse a statement of a connection, while it is lifted. */
typedef struct amalgam_lifted {
    sqlite3 *db;
    amalgam_limits *limits;
    amalgam_hooks *hooks;
    amalgam_policy policy;
    int (*progress)(void *);
    u64 query_only;
    int interrupt;
} amalgam_lifted;

static amalgam_lifted amalgam_lift_restrictions(sqlite3 *db) {
    amalgam_hooks *hooks = amalgam_hooks_of(db);
    const amalgam_lifted lifted = {
        db, amalgam_limits_suspend(), hooks, hooks != 0 ? hooks->policy : 0, db->xProgress, db->flags & SQLITE_QueryOnly,
        __atomic_exchange_n(&db->u1.isInterrupted, 0, __ATOMIC_RELAXED)};
    if (hooks != 0) hooks->policy = 0;
    db->xProgress = 0;
    db->flags &= ~(u64)SQLITE_QueryOnly;
    return lifted;
}

static void amalgam_restore_restrictions(const amalgam_lifted *lifted) {
    sqlite3 *db = lifted->db;
    int expected = 0;
    amalgam_limits_resume(lifted->limits);
    if (lifted->hooks != 0) lifted->hooks->policy = lifted->policy;
    db->xProgress = lifted->progress;
    db->flags |= lifted->query_only;
    /* A new interrupt stays. */
    if (lifted->interrupt == 0) return;
    __atomic_compare_exchange_n(
        &db->u1.isInterrupted, &expected, lifted->interrupt, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* FTS3 and FTS4 */

static int fts3SavepointMethod(sqlite3_vtab *vtab, int savepoint) {
    const amalgam_lifted lifted = amalgam_lift_restrictions(((const Fts3Table *)vtab)->db);
    const int code = amalgam_sqlite_fts3_savepoint(vtab, savepoint);
    amalgam_restore_restrictions(&lifted);
    return code;
}

/* FTS5 */

/* Searches need to know which terms FTS5 has written to the index: see shims/ranked_log.h. */
static void amalgam_will_flush(const sqlite3_vtab *);

/*
** Begins a savepoint of an FTS5 table. If the terms in memory can't be written, a rollback to this savepoint must not
** discard them: they are older. FTS5 then returns the error to later statements and to COMMIT.
*/
static int amalgam_fts5_begin_savepoint(sqlite3_vtab *vtab, int savepoint) {
    Fts5FullTable *table = (Fts5FullTable *)vtab;
    const amalgam_lifted lifted = amalgam_lift_restrictions(table->p.pConfig->db);
    const int code = amalgam_sqlite_fts5_savepoint(vtab, savepoint);
    amalgam_restore_restrictions(&lifted);
    if (code != SQLITE_OK && table->iSavepoint > savepoint) table->iSavepoint = savepoint;
    return code;
}

/* FTS5 writes the terms only if savepoints inside of this one have begun. */
static int fts5ReleaseMethod(sqlite3_vtab *vtab, int savepoint) {
    const Fts5FullTable *table = (const Fts5FullTable *)vtab;
    if (savepoint + 1 >= table->iSavepoint) return amalgam_sqlite_fts5_release(vtab, savepoint);
    amalgam_will_flush(vtab);
    const amalgam_lifted lifted = amalgam_lift_restrictions(table->p.pConfig->db);
    const int code = amalgam_sqlite_fts5_release(vtab, savepoint);
    amalgam_restore_restrictions(&lifted);
    return code;
}

/* Writes the terms in memory to the index, if there are any. */
static int amalgam_fts5_flush(Fts5Table *table) {
    const Fts5Index *index = table->pIndex;
    if (index->nPendingData == 0 && index->nContentlessDelete == 0) return SQLITE_OK;
    amalgam_will_flush(&table->base);
    const amalgam_lifted lifted = amalgam_lift_restrictions(table->pConfig->db);
    const int code = sqlite3Fts5FlushToDisk(table);
    amalgam_restore_restrictions(&lifted);
    return code;
}

/* Before a search. With tokendata=1, it would write the terms itself. */
static int amalgam_fts5_flush_before_search(sqlite3_vtab *vtab) {
    Fts5Table *table = (Fts5Table *)vtab;
    return table->pConfig->bTokendata ? amalgam_fts5_flush(table) : SQLITE_OK;
}

/* FTS5 writes the terms of a table before a vocabulary of the table is read. */
static int fts5VocabOpenMethod(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor) {
    const Fts5VocabTable *vocabulary = (const Fts5VocabTable *)vtab;
    const VTable *table = amalgam_fts5_table(vocabulary->db, vocabulary->zFts5Db, vocabulary->zFts5Tbl);
    const int code = table != 0 ? amalgam_fts5_flush((Fts5Table *)table->pVtab) : SQLITE_OK;
    return code == SQLITE_OK ? amalgam_sqlite_fts5_vocab_open(vtab, cursor) : code;
}
