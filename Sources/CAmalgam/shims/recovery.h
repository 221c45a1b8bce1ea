/* What must not fail when memory or files do. */

/*
** As OP_AutoCommit does it, in vdbe.c. The statement of this instruction counts as one that reads, so that statements under
** way keep their read transaction: the call counts, too.
*/
void amalgam_rollback(sqlite3 *db) {
    sqlite3_mutex_enter(db->mutex);
    db->nVdbeRead++;
    sqlite3RollbackAll(db, SQLITE_ABORT_ROLLBACK);
    db->nVdbeRead--;
    db->autoCommit = 1;
    sqlite3CloseSavepoints(db);
    sqlite3_mutex_leave(db->mutex);
}
