/*
** Ranked searches of FTS5 tables: `ORDER BY rank` finds the best rows without a function call for each match. See
** shims/ranked_table.h.
*/
#ifndef AMALGAM_RANKED_H
#define AMALGAM_RANKED_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Turns the search for the best rows on or off, for one connection. It is on unless this function turns it off. */
int amalgam_ranked_set_enabled(sqlite3 *db, int is_enabled);

/*
** Reads the lengths of all rows of an FTS5 table into memory, if they aren't there yet. `rows` and `bytes` receive the
** number of rows, and the size of the lengths in memory: zero if the table %_docsize isn't one that FTS5 has made, or is
** corrupt. A read transaction must be open. `schema` may be NULL.
**
** SQLITE_NOTFOUND: the name isn't that of an FTS5 table, or the connection hasn't used the table yet.
*/
int amalgam_ranked_load(sqlite3 *db, const char *schema, const char *table, int64_t *rows, int64_t *bytes);

/*
** Adds the auxiliary function amalgam_typos() to a connection, unless it has it: the ranking of queries with typos, which
** shims/ranked_scores.h describes. SQLITE_NOTFOUND: there is no FTS5.
*/
int amalgam_ranked_add_typos(sqlite3 *db);

/* The word that a phrase of a query is an alternative of, and the number of its typos. */
typedef struct amalgam_phrase_word {
    int word;
    int typos;
} amalgam_phrase_word;

/*
** Returns the words of the phrases of a query, for an auxiliary function. If the query isn't ranked by amalgam_typos(), each
** phrase is a word of its own.
*/
int amalgam_ranked_words(Fts5Context *context, int phrase_count, amalgam_phrase_word *words);

/* How often the connections that share the lengths of a table have read those of all rows. Tests use it. */
int64_t amalgam_ranked_load_count(sqlite3 *db, const char *table);

/* The number of tables that a connection knows from searches. Tests use it. */
int amalgam_ranked_table_count(sqlite3 *db);

#ifdef __cplusplus
}
#endif

#endif
