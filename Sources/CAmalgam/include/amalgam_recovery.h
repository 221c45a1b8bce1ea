/* What must not fail when memory or files do. */
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

#ifdef __cplusplus
}
#endif
#endif
