/*
** Access to FTS5 for tokenizers and auxiliary functions in Swift: see
** <https://www.sqlite.org/fts5.html#extending_fts5>.
*/
#ifndef AMALGAM_FULLTEXT_H
#define AMALGAM_FULLTEXT_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
** Returns the FTS5 API of a connection; NULL if a different module is registered as "fts5". SQLite's documentation gets
** the API with a SELECT statement, but an authorizer may deny this statement, and it would appear in traces.
*/
fts5_api *amalgam_fts5_api(sqlite3 *db);

/*
** Tells whether the tokenizer of an FTS5 table finds a token in a string of a search pattern. FTS5 has no function that
** passes a string to the tokenizer of a table outside of a search.
**
** Returns SQLITE_NOTFOUND if the name isn't that of an FTS5 table, or if the connection has compiled no statement that
** uses the table; otherwise the result code of the tokenizer.
*/
int amalgam_fts5_has_token(sqlite3 *db, const char *table, const char *string, int is_prefix, int *has_token);

/* A function that receives the tokens of a string. */
typedef int amalgam_fts5_callback(void *context, int flags, const char *token, int count, int start, int end);

/* Whether two callbacks are the same function. Swift can't compare C functions. */
int amalgam_fts5_is_same_callback(amalgam_fts5_callback *callback, amalgam_fts5_callback *other);

/* Whether the same function creates both tokenizers. */
int amalgam_fts5_is_same_tokenizer(const fts5_tokenizer_v2 *tokenizer, const fts5_tokenizer_v2 *other);

#ifdef __cplusplus
}
#endif

#endif
