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

/* How a search with `ORDER BY rank` finds its rows. */
enum {
    /* The best rows are found first, and the others when they are needed. */
    AMALGAM_RANKED_BEST_FIRST = 0,
    /* FTS5 ranks and sorts all matches, for one of the reasons below. */
    AMALGAM_RANKED_OFF,      /* amalgam_ranked_set_enabled() */
    AMALGAM_RANKED_FUNCTION, /* the ranking isn't bm25() with finite weights of zero or more */
    AMALGAM_RANKED_DETAIL,   /* detail=column or detail=none: the index has no positions */
    AMALGAM_RANKED_SIZES,    /* columnsize=0: the table has no lengths of rows */
    AMALGAM_RANKED_TOKENS,   /* tokendata=1, or fts5_insttoken(): FTS5 notes the tokens of all matches */
    AMALGAM_RANKED_DENIED,   /* the authorizer denies what the search reads */
};

/*
** How a search of an FTS5 table finds its rows. `ranking` is the text of a `rank MATCH` condition, or NULL for the
** ranking of the table. SQLITE_NOTFOUND: the name isn't that of an FTS5 table, or the connection hasn't used it yet.
*/
int amalgam_ranked_way(sqlite3 *db, const char *schema, const char *table, const char *ranking, int *way);

/* Turns the search for the best rows on or off, for one connection. It is on unless this function turns it off. */
int amalgam_ranked_set_enabled(sqlite3 *db, int is_enabled);

/*
** Reads the lengths of all rows of an FTS5 table into memory, if they aren't there yet. `rows` and `bytes` receive the
** number of rows, and the size of the lengths in memory: zero if the rowids are so far apart that the lengths would
** take more than five bytes each. A read transaction must be open. SQLITE_NOTFOUND: as for amalgam_ranked_way().
*/
int amalgam_ranked_load(sqlite3 *db, const char *schema, const char *table, int64_t *rows, int64_t *bytes);

/* The number of times that this process has read the lengths of all rows of a table. Tests use it. */
int64_t amalgam_ranked_load_count(void);

#ifdef __cplusplus
}
#endif

#endif
