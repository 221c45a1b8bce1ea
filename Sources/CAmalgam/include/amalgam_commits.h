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
** `version` is that of PRAGMA data_version: it changes with the commits of other connections, not with those of this
** one.
**
** `is_settled` is 1 if the version includes everything that other connections have written so far. It is always 1 for a
** database without a file, which has no other connections. It is 0 if such writes may still be committed without
** another write to the files, because another connection holds the write lock. It is also 0 if the connection can't
** look now, because of locks or of its own transaction or statement, or because `may_look` is 0. Then the version is
** the one that the connection already knows.
**
** The function acquires no lock unless something has changed. It calls no busy handler, runs no statement, and can't be
** interrupted.
*/
int amalgam_look_for_commits(sqlite3 *db, int may_look, uint32_t *version, int *is_settled);

#ifdef __cplusplus
}
#endif
#endif
