/* Operations that must not fail when memory is exhausted or a file fails, and the effects of a failed statement. */
#ifndef AMALGAM_RECOVERY_H
#define AMALGAM_RECOVERY_H

#ifdef __cplusplus
extern "C" {
#endif

/*
** Does what the statement ROLLBACK does, without a statement: compiling one needs memory, and a transaction must be
** able to end without memory. Cursors that write stop with SQLITE_ABORT_ROLLBACK. Those that read do so only if the
** transaction has changed the schema. The rollback hook is called.
*/
void amalgam_rollback(sqlite3 *db);

/* Whether SQLite undoes the changes of a statement whose last step has failed. It doesn't with ON CONFLICT FAIL. */
int amalgam_undoes_failed_step(sqlite3_stmt *statement);

/* Whether a statement fails with ON CONFLICT FAIL, so that its changes stay. */
int amalgam_fails_on_conflict(sqlite3_stmt *statement);

/* The number of running statements that write. */
int amalgam_writing_statements(sqlite3 *db);

/* Sets autocommit, which BEGIN disables, without a statement. */
void amalgam_set_autocommit(sqlite3 *db, int on);

#ifdef __cplusplus
}
#endif
#endif
