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

/*
** Tells whether the tokenizer of a table of FTS5 finds a token in a string of a pattern. FTS5 has this tokenizer at hand,
** and no function that passes a string to it outside of a search.
**
** Returns SQLITE_NOTFOUND when the name belongs to no table of FTS5, or when the connection has compiled no statement that
** uses the table; otherwise the code of the tokenizer.
*/
int amalgam_fts5_has_token(sqlite3 *db, const char *table, const char *string, int is_prefix, int *has_token);

/* A function that takes the tokens of a string. */
typedef int amalgam_fts5_callback(void *context, int flags, const char *token, int count, int start, int end);

/* Whether two callbacks are the same function: Swift doesn't compare C functions. */
int amalgam_fts5_is_same_callback(amalgam_fts5_callback *callback, amalgam_fts5_callback *other);

/* Whether two tokenizers are made by the same function. */
int amalgam_fts5_is_same_tokenizer(const fts5_tokenizer_v2 *tokenizer, const fts5_tokenizer_v2 *other);

#ifdef __cplusplus
}
#endif

#endif
