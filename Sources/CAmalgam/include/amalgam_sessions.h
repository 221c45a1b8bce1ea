/* State of sessions and changesets that the Swift code needs, and SQLite's C interface doesn't return. */
#ifndef AMALGAM_SESSIONS_H
#define AMALGAM_SESSIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the table header that an iterator has read last is one of a patchset. */
int amalgam_changeset_is_patchset(const sqlite3_changeset_iter *iterator);

/*
** The bytes of the current change of an iterator, without the table header before it. They are valid until the iterator
** advances.
*/
const void *amalgam_changeset_change(const sqlite3_changeset_iter *iterator, int *count);

/* Whether the values of that change have known types. The iterator reads other types as NULL. */
int amalgam_changeset_is_readable(const sqlite3_changeset_iter *iterator);

/*
** Enables reports of savepoints that SQLite begins and ends itself, without a statement compiled by amalgam_prepare:
** sqlite3changeset_apply does. Returns the previous state.
*/
int amalgam_hooks_report_savepoints(amalgam_hooks *hooks, int on);

/* The number of foreign keys violated in the transaction so far, among those that are checked at its end. */
int64_t amalgam_deferred_violations(const sqlite3 *db);

/* Whether a statement belongs to a session: SQLite compiles some for tables to which columns were added. */
int amalgam_is_session_statement(const amalgam_hooks *hooks, const sqlite3_stmt *statement);

/*
** Does what sqlite3rebaser_rebase does, but returns the error that ends its input. SQLite ignores that error, and
** returns the result so far: if memory is exhausted, only a part of the changes.
*/
int amalgam_rebase(sqlite3_rebaser *rebaser, int count, const void *bytes, int *result_count, void **result);

#ifdef __cplusplus
}
#endif

#endif
