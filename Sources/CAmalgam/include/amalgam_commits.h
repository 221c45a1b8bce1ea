/*
** Whether other connections have committed, asked without standing in their way.
*/
#ifndef AMALGAM_COMMITS_H
#define AMALGAM_COMMITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
** Looks for commits of other connections to the main database. One that is in no file is settled: there are no others.
**
** `version` is that of PRAGMA data_version: it changes with the commits of others, not with those of this connection.
**
** `is_settled` is zero as long as what others have written so far may still be committed without another write to the
** files: somebody holds the lock of writers, or the connection cannot look now, because of locks, or of a transaction or
** a statement of its own, or because `may_look` is zero: then the version is the one that the connection knows.
**
** No lock is taken unless something has changed. The busy handler is not asked, no statement runs, nothing interrupts.
*/
int amalgam_look_for_commits(sqlite3 *db, int may_look, uint32_t *version, int *is_settled);

#ifdef __cplusplus
}
#endif
#endif
