/* State of sessions and changesets that SQLite's C interface doesn't return, and that the Swift code needs. */
#ifndef AMALGAM_SESSIONS_H
#define AMALGAM_SESSIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the last table header that an iterator has read belongs to a patchset. */
int amalgam_changeset_is_patchset(const sqlite3_changeset_iter *iterator);

/*
** The bytes of the current change of an iterator, without the table header before this change. The bytes are valid
** until the iterator advances.
*/
const void *amalgam_changeset_change(const sqlite3_changeset_iter *iterator, int *count);

/* Whether all values of the current change have known types. The iterator reads values of other types as NULL. */
int amalgam_changeset_is_readable(const sqlite3_changeset_iter *iterator);

/*
** Turns the callback `savepoint_will_change` on or off. The callback reports savepoints that sqlite3changeset_apply and
** other SQLite functions begin and end, without a statement compiled by amalgam_prepare. Returns the previous state.
*/
int amalgam_hooks_report_savepoints(amalgam_hooks *hooks, int on);

/* Whether a table belongs to an audit log. */
int amalgam_session_is_log(const char *table);

/*
** Does what sqlite3changeset_apply_v3 or, if `read` isn't NULL, sqlite3changeset_apply_v3_strm do.
**
** `includes_table` is called for each table of the changeset before its first change, and returns whether to change it.
** `skips_table` is called for each table of which no change is applied, because the database has no such table, or its
** table has fewer columns or another primary key. `includes_change` may be NULL.
*/
typedef struct amalgam_application {
    void *context;
    int (*includes_table)(void *context, const char *table);
    void (*skips_table)(void *context, const char *table);
    int (*includes_change)(void *context, sqlite3_changeset_iter *change);
    int (*resolve)(void *context, int conflict, sqlite3_changeset_iter *change);
    int (*read)(void *source, void *bytes, int *count);
    void *source;
    const void *bytes;
    int count;
    int flags;
    /* The results: the resolutions of conflicts, which the caller frees with sqlite3_free. */
    void *resolutions;
    int resolution_count;
    /* The table whose first change wasn't applied yet; NULL for none. Set to NULL by the caller. */
    char *waiting;
} amalgam_application;

int amalgam_session_apply(sqlite3 *db, amalgam_application *application);

/* The number of violations of foreign keys that are checked at the end of the transaction, so far. */
int64_t amalgam_deferred_violations(const sqlite3 *db);

/* Whether a statement belongs to a session. For tables to which columns were added, sessions compile statements. */
int amalgam_is_session_statement(const amalgam_hooks *hooks, const sqlite3_stmt *statement);

/*
** Does what sqlite3rebaser_rebase does, and also returns errors of reading the input. SQLite's function ignores such an
** error: if memory is exhausted, it silently returns only a part of the changes.
*/
int amalgam_rebase(sqlite3_rebaser *rebaser, int count, const void *bytes, int *result_count, void **result);

#ifdef __cplusplus
}
#endif

#endif
