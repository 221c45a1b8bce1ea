/* What must not fail when memory or files do, and what a failed statement leaves. */
#ifndef AMALGAM_RECOVERY_H
#define AMALGAM_RECOVERY_H

#ifdef __cplusplus
extern "C" {
#endif

/*
** What the statement ROLLBACK does, without a statement: compiling one takes memory, and a transaction must end also
** when there is none. Cursors under way stop with SQLITE_ABORT_ROLLBACK, and the rollback hook is called.
*/
void amalgam_rollback(sqlite3 *db);

/* Whether SQLite undoes what a statement has changed, as its last step has failed: not with ON CONFLICT FAIL. */
int amalgam_undoes_failed_step(sqlite3_stmt *statement);

/* What the last statement with ON CONFLICT FAIL has changed stays: whether the one that failed is one. */
int amalgam_fails_on_conflict(sqlite3_stmt *statement);

/* How many statements that write are under way. */
int amalgam_writing_statements(sqlite3 *db);

/* Whether each statement is a transaction: what BEGIN switches off, without a statement. */
void amalgam_set_autocommit(sqlite3 *db, int on);

#ifdef __cplusplus
}
#endif
#endif
