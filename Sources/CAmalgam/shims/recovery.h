/* Operations that must not fail when memory is exhausted or a file fails, and the effects of a failed statement. */

/*
** Does what OP_AutoCommit does in vdbe.c for ROLLBACK. SQLite counts a running ROLLBACK in nVdbeRead, the number of
** reading statements. Other running statements retain their read transaction only if this number is larger than 1.
** There is no ROLLBACK statement here, so this function increments the number in its place.
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

int amalgam_undoes_failed_step(sqlite3_stmt *statement) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    return vdbe->usesStmtJournal && vdbe->errorAction != OE_Fail;
}

int amalgam_fails_on_conflict(sqlite3_stmt *statement) { return ((const Vdbe *)statement)->errorAction == OE_Fail; }

int amalgam_writing_statements(sqlite3 *db) { return db->nVdbeWrite; }

void amalgam_set_autocommit(sqlite3 *db, int on) { db->autoCommit = on ? 1 : 0; }
