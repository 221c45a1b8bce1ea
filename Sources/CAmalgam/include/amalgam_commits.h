/* Detects commits of other connections without blocking them. */
#ifndef AMALGAM_COMMITS_H
#define AMALGAM_COMMITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
** Looks for commits of other connections to the main database.
**
** `version` receives the value of PRAGMA data_version, which changes with commits of other connections, but not of this
** one.
**
** `is_settled` receives 1 if `version` includes everything that other connections have written so far. It is always 1
** for a database without a file, which has no other connections. It is 0 while another connection holds the write lock:
** this other connection may commit what it has written without another write to the files. It is also 0 if this
** function can't look for commits now: because of locks, because a transaction or statement of this connection is
** running, or because `may_look` is 0. `version` is then the last known value.
**
** The function acquires no lock unless something has changed. It calls no busy handler, runs no statement, and can't be
** interrupted.
*/
int amalgam_look_for_commits(sqlite3 *db, int may_look, uint32_t *version, int *is_settled);

#ifdef __cplusplus
}
#endif
#endif
