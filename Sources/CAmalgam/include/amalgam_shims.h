/*
** Functions for the Swift modules that SQLite's C interface lacks, or only has in a slower form. These functions are in
** the same translation unit as sqlite3.c (see amalgamation.c), so they can read SQLite's internals. No other code does.
*/
#ifndef AMALGAM_SHIMS_H
#define AMALGAM_SHIMS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Provenance ------------------------------------------------------------------------- */

const char *amalgam_build_checkin(void);
const char *amalgam_build_origin(void);
const char *amalgam_build_verification(void);
const char *amalgam_build_traits(void); /* The names of the enabled traits, with a space after each. */
int amalgam_build_has_decimals(void); /* Whether decimal.c, which only the canonical tree has, is part of the build. */
int amalgam_build_has_recovery(void); /* In the same way, recover.c. */
int amalgam_build_has_custom_options(void);

/* Adds the functions and the collation of decimal.c to a connection, in a build that has them. */
int amalgam_add_decimals(sqlite3 *db);

/* ---- Values ------------------------------------------------------------------------------ */

/*
** The first members of SQLite's internal value (struct sqlite3_value, "Mem"). shims/value.h asserts at compile time
** that the members agree. Reading a column through this struct takes one call and no conversion. If a value hasn't
** exactly one of the type flags below, the caller reads the column with sqlite3_column_text and similar functions.
*/
typedef struct amalgam_value {
    int64_t integer;     /* valid with AMALGAM_INTEGER; the bits of a double with AMALGAM_REAL */
    const char *bytes;   /* valid with AMALGAM_TEXT or AMALGAM_BLOB; text isn't always NUL-terminated */
    int32_t length;      /* number of bytes */
    uint16_t flags;
    uint8_t encoding;    /* 1 is UTF-8 */
    uint8_t subtype;
} amalgam_value;

enum {
    AMALGAM_NULL = 0x0001,
    AMALGAM_TEXT = 0x0002,
    AMALGAM_INTEGER = 0x0004,
    AMALGAM_REAL = 0x0008,
    AMALGAM_BLOB = 0x0010,
    AMALGAM_INTEGER_AS_REAL = 0x0020,
    AMALGAM_TYPE_MASK = 0x003f,
    AMALGAM_ZERO_FILLED = 0x0400, /* a blob whose trailing zeros are not materialized */
};

/* Returns a column of the current row; an SQL NULL if there is no current row or no such column. */
const amalgam_value *amalgam_column(sqlite3_stmt *statement, int index);

/*
** A row that outlives its statement: one allocation that holds `count` cells, and then the bytes of TEXT values and
** blobs. TEXT is UTF-8.
*/
typedef struct amalgam_cell {
    int64_t payload; /* the integer, the bits of the double, or the offset of the bytes from the first cell */
    int32_t length;  /* number of bytes of a TEXT value or blob */
    int32_t type;    /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL */
} amalgam_cell;

/* Allocate a row, and copy the current row. Both return NULL if memory is exhausted. Free with amalgam_row_free. */
amalgam_cell *amalgam_row_allocate(size_t size);
amalgam_cell *amalgam_row_copy(sqlite3_stmt *statement, int count);
void amalgam_row_free(amalgam_cell *cells);

/*
** Copies the current row into memory of the caller. amalgam_row_size returns the number of bytes for the copy, or 0 if
** memory is exhausted. Call amalgam_row_write before the statement does anything else.
*/
size_t amalgam_row_size(sqlite3_stmt *statement, int count);
void amalgam_row_write(sqlite3_stmt *statement, int count, amalgam_cell *cells);

/* ---- Connections ------------------------------------------------------------------------- */

/* Calls sqlite3_db_config, for verbs that take an int and return an int. */
int amalgam_db_config(sqlite3 *db, int verb, int value, int *result);

/* Calls sqlite3_config(SQLITE_CONFIG_LOG, …). Call it only before the library is initialized. */
int amalgam_config_log(void (*log)(void *context, int code, const char *message), void *context);

/* Does what PRAGMA query_only does, without compiling a statement. Returns the previous state. */
int amalgam_set_query_only(sqlite3 *db, int on);

/*
** Clears the interrupt flag. SQLite clears this flag when the last running statement ends, but a ROLLBACK may have to
** run before that.
*/
void amalgam_clear_interrupt(sqlite3 *db);

/*
** Clears the interrupt flag that sqlite3_interrupt has set, unless a statement is in the middle of a step. SQLite doesn't
** clear the flag while there is an open cursor, and so interrupts all later statements.
*/
void amalgam_end_interrupt(sqlite3 *db);

/*
** Expires all statements of a connection, or one statement. SQLite compiles an expired statement again when its next
** run begins.
*/
void amalgam_expire_statements(sqlite3 *db);
void amalgam_expire(sqlite3_stmt *statement);

/*
** The hooks of one connection. SQLite has one slot for each kind of hook. This object occupies the authorizer,
** pre-update, commit and rollback slots until it is freed, and calls the callbacks of its owner.
*/
typedef struct amalgam_hooks amalgam_hooks;

/* The effects of pragmas that may be refused. */
typedef enum amalgam_pragma_effect {
    /* Changes the key of a database, or how SQLCipher derives it. */
    AMALGAM_PRAGMA_CHANGES_KEY,
    /* The same, in a statement that is only explained. */
    AMALGAM_PRAGMA_CHANGES_KEY_EXPLAINED,
    /* Changes how much of an encrypted file is clear, after its first pages were read or written. */
    AMALGAM_PRAGMA_CHANGES_USED_HEADER,
    /* Ends `query_only`. */
    AMALGAM_PRAGMA_ALLOWS_WRITES,
    /* Discards the schemas in memory, while a running statement has pointers to their tables. */
    AMALGAM_PRAGMA_DISCARDS_SCHEMAS
} amalgam_pragma_effect;

typedef struct amalgam_callbacks {
    void *owner;
    /* A DELETE on this table is being compiled. Returns 1 if the deletion of each row must be reported. */
    int (*observes_deletions)(void *owner, const char *schema, const char *table);
    /*
    ** A row is about to change. During the call, sqlite3_preupdate_x returns the old and new values. `has_rowid` is 0
    ** for WITHOUT ROWID tables, whose keys are not numbers. A shadow table contains the data of a virtual table. The
    ** names are pointers into SQLite's schema, which are the same for all rows of a statement.
    */
    void (*row_will_change)(
        void *owner, int operation, const char *schema, const char *table,
        int64_t old_rowid, int64_t new_rowid, int has_rowid, int is_shadow);
    /*
    ** A statement that changes rows of a table is compiled again while it runs, or compiled for a function of SQLite, such
    ** as sqlite3changeset_apply. The hooks report no rows of a virtual table. `column` is that of an update.
    */
    void (*recompiles)(void *owner, int action, const char *table, const char *column, int is_virtual);
    /* A transaction is about to commit. Returns 0 to allow this, other values to roll it back. */
    int (*will_commit)(void *owner);
    void (*did_rollback)(void *owner);
    /* SQLite runs SAVEPOINT, RELEASE or ROLLBACK TO itself: see amalgam_hooks_report_savepoints. */
    void (*savepoint_will_change)(void *owner, const char *operation, const char *name);
    /* C code has added or removed a session or a pre-update hook. */
    void (*listeners_did_change)(void *owner);
    /* A pragma that has its effect when it is compiled, also for EXPLAIN, is being compiled. Returns 1 to refuse it. */
    int (*refuses_pragma)(void *owner, amalgam_pragma_effect effect);
} amalgam_callbacks;

/* Returns NULL if memory is exhausted. */
amalgam_hooks *amalgam_hooks_create(sqlite3 *db, const amalgam_callbacks *callbacks);
/* Empties the slots of a connection that stays open. */
void amalgam_hooks_uninstall(amalgam_hooks *hooks);
/* Frees the object. Before, its connection must be closed, or the slots emptied with amalgam_hooks_uninstall. */
void amalgam_hooks_free(amalgam_hooks *hooks);

/* Makes amalgam_decodes_strictly return 1 for the statements of the connection. */
void amalgam_hooks_decode_strictly(amalgam_hooks *hooks);
/* Whether columns of a statement are only decoded as types of their storage class (Configuration.strictDecoding). */
int amalgam_decodes_strictly(sqlite3_stmt *statement);

/*
** Returns a value of the row that is about to change, before or after the change; NULL if there is none. The value can
** be read without conversion: TEXT is UTF-8, and blobs are complete. The pointer is valid during the call of the hook.
*/
const amalgam_value *amalgam_preupdate_value(sqlite3 *db, int column, int is_new);

/* The name of a column of the row that is about to change; NULL if there is no such row or column. */
const char *amalgam_preupdate_column_name(sqlite3 *db, int column);

/* Starts or stops reports of row changes. */
void amalgam_hooks_report_rows(amalgam_hooks *hooks, int on);

/*
** Names the table that the statement drops which is about to be stepped, or NULL after the step. DROP TABLE deletes all rows
** of a table to which foreign keys refer, so that their actions run. These deletions aren't reported to observers and
** recorders, the changes of other tables are. The strings must exist until the next call.
*/
void amalgam_hooks_drop(amalgam_hooks *hooks, const char *schema, const char *table);

/*
** Calls sqlite3_step for a statement whose row changes may be reported. Until the step has ended, SQLite frees no table
** to which the compiled statement has a pointer.
*/
int amalgam_step_reported(amalgam_hooks *hooks, sqlite3_stmt *statement);

/*
** Whether a statement is being compiled, or a statement that changes rows or the schema, or fills an index, is running.
** If so, SQL functions that this statement calls must not run statements that free tables (ALTER TABLE, DROP TABLE,
** DETACH, VACUUM, PRAGMA schema_version) or create an index.
*/
int amalgam_needs_tables(amalgam_hooks *hooks);

/* Whether a statement destroys a virtual table while another statement runs, which may be opening the table. */
int amalgam_destroys_virtual_table(sqlite3_stmt *statement);

/* Whether a statement is VACUUM. */
int amalgam_vacuums(sqlite3_stmt *statement);

/* Whether a statement may change rows while other statements run. */
enum {
    AMALGAM_ROWS_MAY_CHANGE,
    /* A statement is filling a new index from its table. Rows that change now would be missing in the index. */
    AMALGAM_ROWS_ARE_INDEXED,
    /* A statement collects the rowids of rows to delete. No other statement may delete these rows. */
    AMALGAM_ROWS_ARE_COLLECTED,
    /* A statement is about to write at the position of a cursor. A change of the same table would move the cursor. */
    AMALGAM_ROWS_ARE_WRITTEN,
};

/* Returns one of the values above for a statement that is about to run. NULL: a statement that may change any row. */
int amalgam_row_changes(sqlite3 *db, sqlite3_stmt *statement);

/*
** Notes that a function, or other code that a statement calls, is about to begin a transaction, or to run a statement or
** open a blob handle that writes, which may stay open: see amalgam_undo_failed_step. amalgam_row_changes does this, too.
*/
void amalgam_note_nested_writer(sqlite3 *db);

/* Whether a statement that writes is calling the code that calls this function. */
int amalgam_is_writing_now(sqlite3 *db);

/*
** Moves the cursors of the statements that are writing back to their rows, after a nested statement was undone. SQLite
** saves the positions of all cursors before it undoes a statement, but writes at some of them without restoring them.
*/
void amalgam_restore_cursors(sqlite3 *db);

/*
** Whether REINDEX may run: no statement that changes rows, the schema or an index is calling the caller. Such a
** statement may have written a row to some of the indexes. It would write it to the rebuilt index once more, or remove
** it from the table only.
*/
int amalgam_may_rebuild_indexes(sqlite3 *db);

/* Whether a violated constraint or RAISE(ROLLBACK) in this statement would roll back the transaction. */
int amalgam_may_roll_back(sqlite3_stmt *statement);

/*
** Calls sqlite3_step in a transaction, for a statement whose row changes no observer needs. In two cases, the function
** does nothing and returns AMALGAM_NOT_STEPPED, which isn't a result code of SQLite: if there is no transaction, and if
** the statement must be compiled again. The newly compiled statement may change rows that an observer needs.
*/
#define AMALGAM_NOT_STEPPED (-1)
int amalgam_step_unreported(amalgam_hooks *hooks, sqlite3_stmt *statement);

/*
** Calls `tell` with each table from which a statement may delete rows. This includes deletions by REPLACE, for which
** SQLite doesn't call the authorizer. A table is passed once for each instruction that deletes its rows. If the
** compiled statement is outdated, the function passes no table and returns 0.
*/
int amalgam_deleted_tables(
    sqlite3_stmt *statement, void *context, void (*tell)(void *context, const char *table));

/* Returns sqlite3_total_changes64 plus the changes that this statement has made so far. */
int64_t amalgam_changes_so_far(sqlite3_stmt *statement);

int amalgam_is_virtual_table(sqlite3 *db, const char *schema, const char *table);

/* Call sqlite3session_create and sqlite3session_delete, which also use the pre-update slot. */
int amalgam_session_create(amalgam_hooks *hooks, const char *schema, sqlite3_session **session);
void amalgam_session_delete(amalgam_hooks *hooks, sqlite3_session *session);

/* Whether sessions, listeners or a hook of the application receive row changes. */
int amalgam_has_listeners(const amalgam_hooks *hooks);

/*
** sqlite3session_create, sqlite3session_delete and sqlite3_preupdate_hook, as code outside of this target calls them:
** amalgam_symbols.h maps their names. They work next to the listeners and observers of the connection.
*/
int amalgam_shared_session_create(sqlite3 *db, const char *schema, sqlite3_session **session);
void amalgam_shared_session_delete(sqlite3_session *session);
void *amalgam_shared_preupdate_hook(
    sqlite3 *db,
    void (*hook)(void *, sqlite3 *, int, const char *, const char *, sqlite3_int64, sqlite3_int64), void *context);

/*
** Whether sessions are recording a change. Sessions run statements that call the row tracer and the functions of
** DEFAULT clauses. Code that is called in this way must not use or delete a session.
*/
int amalgam_sessions_are_recording(const amalgam_hooks *hooks);

/* ---- Statements -------------------------------------------------------------------------- */

/*
** What a statement reads and does: the calls of the authorizer during compilation, as a sequence of records { action,
** presence, text … }. `action` is an authorizer code. If bit i of `presence` is set, the record contains argument i as
** a NUL-terminated string. Arguments 0 and 1 are the first two of the sqlite3_set_authorizer callback, and depend on
** the action. Argument 2 is the schema, argument 3 the view or trigger that causes the action. AMALGAM_FACT_IS_NESTED is
** set in `presence` if a trigger or a foreign key action does it.
*/
enum { AMALGAM_FACT_IS_NESTED = 0x80 };

typedef struct amalgam_facts {
    uint8_t *bytes;   /* the receiver frees them with amalgam_facts_free */
    int32_t length;
    uint64_t actions; /* bit n is set if there is a record with action n */
} amalgam_facts;

void amalgam_facts_free(uint8_t *bytes);

/* Calls sqlite3_prepare_v3, and collects the facts of the statement. `facts` has no bytes if no statement results. */
int amalgam_prepare(
    amalgam_hooks *hooks, const char *sql, int length, unsigned int flags,
    sqlite3_stmt **statement, const char **tail, amalgam_facts *facts);

/* Calls sqlite3_reset and sqlite3_clear_bindings. Returns the code of the reset. */
int amalgam_reset_and_clear(sqlite3_stmt *statement);

/* Returns 1 if a statement has a parameter with a name. */
int amalgam_has_named_parameters(sqlite3_stmt *statement, int count);

/* The value of a parameter; NULL if there is no such parameter. The pointer is valid until a value is bound. */
sqlite3_value *amalgam_bound_value(sqlite3_stmt *statement, int index);

/* Returns 1 if a parameter of a statement has a value other than NULL. */
int amalgam_has_bound_values(sqlite3_stmt *statement);

#ifdef __cplusplus
}
#endif
#endif
