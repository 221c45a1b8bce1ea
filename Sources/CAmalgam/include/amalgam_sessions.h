/*
** What the Swift side of sessions and changesets needs beyond the C interface of SQLite.
*/
#ifndef AMALGAM_SESSIONS_H
#define AMALGAM_SESSIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the table header read last by an iterator is one of a patchset. */
int amalgam_changeset_is_patchset(const sqlite3_changeset_iter *iterator);

/*
** The bytes of the change that an iterator stands on, without the table header before it. Valid until the iterator
** moves.
*/
const void *amalgam_changeset_change(const sqlite3_changeset_iter *iterator, int *count);

/* Whether the values of that change have types that exist: the iterator reads others as NULL. */
int amalgam_changeset_is_readable(const sqlite3_changeset_iter *iterator);

/*
** Whether savepoints are reported that SQLite begins and ends by itself, without a statement compiled by
** amalgam_prepare: sqlite3changeset_apply does. Returns the previous state.
*/
int amalgam_hooks_report_savepoints(amalgam_hooks *hooks, int on);

/* How many foreign keys are violated in the transaction so far, of those that are checked at its end. */
int64_t amalgam_deferred_violations(const sqlite3 *db);

/* Whether a statement belongs to a session: SQLite compiles some for tables that got columns. */
int amalgam_is_session_statement(const amalgam_hooks *hooks, const sqlite3_stmt *statement);

/*
** sqlite3rebaser_rebase, which forgets the error that ends its input, and gives what it has so far: without memory, a
** part of the changes.
*/
int amalgam_rebase(sqlite3_rebaser *rebaser, int count, const void *bytes, int *result_count, void **result);

#ifdef __cplusplus
}
#endif

#endif
