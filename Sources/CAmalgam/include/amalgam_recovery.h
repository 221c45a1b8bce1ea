/* Operations that must not fail when memory is exhausted or a file fails, and the effects of a failed statement. */
#ifndef AMALGAM_RECOVERY_H
#define AMALGAM_RECOVERY_H

#ifdef __cplusplus
extern "C" {
#endif

/*
** Does what the statement ROLLBACK does, without compiling a statement, because a transaction must be able to end when
** memory is exhausted. Running statements that write stop with SQLITE_ABORT_ROLLBACK. Running statements that only read
** stop only if the transaction has changed the schema. The rollback hook is called.
*/
void amalgam_rollback(sqlite3 *db);

/* Whether SQLite undoes the changes of a statement whose last step has failed. With ON CONFLICT FAIL, it doesn't. */
int amalgam_undoes_failed_step(sqlite3_stmt *statement);

/* Whether a statement has failed with ON CONFLICT FAIL, so that its previous changes remain. */
int amalgam_fails_on_conflict(sqlite3_stmt *statement);

/*
** The result code of a statement whose last step has failed with `code`: SQLITE_ABORT_ROLLBACK if the step failed because
** its changes were rolled back by code that it has called.
*/
int amalgam_failure_code(sqlite3_stmt *statement, int code);

/*
** Undoes the changes of a statement whose last step has failed, if SQLite hasn't. SQLite undoes a statement without a
** statement journal by a rollback of the transaction, but only if no other statement writes. A function may have left such
** a statement open. This function rolls back the transaction. Call it before the failed statement is reset.
*/
void amalgam_undo_failed_step(sqlite3_stmt *statement);

/*
** Makes SQLite keep a statement journal in the next run of a statement that writes, so that it can undo the run. A statement
** that only reads keeps the transaction if it runs out of memory. When SQLite compiles the statement again, it forgets this.
*/
void amalgam_use_journal(sqlite3_stmt *statement);

/* The number of running statements that write. */
int amalgam_writing_statements(sqlite3 *db);

/* The number of active statements: those that have begun and neither ended nor been reset, and open blob handles. */
int amalgam_active_count(sqlite3 *db);

/*
** An active statement that was compiled from SQL; NULL for none. The statement inside of a blob handle isn't. A statement in
** which a session keeps the default values of a table is left out: it reads no table, and must keep its row.
*/
sqlite3_stmt *amalgam_active_statement(const amalgam_hooks *hooks);

/* A number that changes when a transaction of the connection is committed, and not before the commit hook has returned. */
uint32_t amalgam_commit_number(sqlite3 *db);

/* In the rollback hook: whether the transaction is rolled back because its commit has failed. */
int amalgam_commit_fails(sqlite3 *db);

/* Turns autocommit on or off without a statement. BEGIN turns it off. */
void amalgam_set_autocommit(sqlite3 *db, int on);

/*
** A point inside of a transaction to which the changes of one statement can be undone. It is what SQLite opens for a
** statement that may fail after changes of several rows, and not a savepoint: SQL statements don't see it.
*/
typedef struct amalgam_undo_point {
    int level;   /* 0: the changes can't be undone */
    int writers; /* the number of databases with changes */
    int64_t deferred_violations, immediate_violations;
} amalgam_undo_point;

/* Begins an undo point in a transaction that has begun to write to the main database. */
amalgam_undo_point amalgam_undo_begin(sqlite3 *db);

/*
** Ends an undo point. If `undoes`, the changes since its beginning are undone. Returns 0 if this isn't possible.
**
** `statement` is the statement that has run since the beginning, NULL if there is none. While it has results to read, SQLite
** can still undo it, together with all later changes.
*/
int amalgam_undo_end(sqlite3 *db, amalgam_undo_point point, int undoes, sqlite3_stmt *statement);

#ifdef __cplusplus
}
#endif
#endif
