/* What tokenizers and auxiliary functions of FTS5 in Swift need: see <https://www.sqlite.org/fts5.html#extending_fts5>. */
#ifndef AMALGAM_FULLTEXT_H
#define AMALGAM_FULLTEXT_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
** The functions of FTS5 on a connection; NULL when another module has taken the name. SQLite's own way to them is a
** statement, which an authorizer may deny, and which a trace shows.
*/
fts5_api *amalgam_fts5_api(sqlite3 *db);

#ifdef __cplusplus
}
#endif

#endif
