/* What must not fail when memory or files do. */

/* As OP_AutoCommit does it, in vdbe.c. */
void amalgam_rollback(sqlite3 *db) {
    sqlite3_mutex_enter(db->mutex);
    sqlite3RollbackAll(db, SQLITE_ABORT_ROLLBACK);
    db->autoCommit = 1;
    sqlite3CloseSavepoints(db);
    sqlite3_mutex_leave(db->mutex);
}
