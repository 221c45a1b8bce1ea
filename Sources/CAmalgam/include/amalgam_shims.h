/*
** Functions that the Swift modules need, and SQLite's C interface doesn't have, or has in a slower form. They are in
** the same translation unit as sqlite3.c (see amalgamation.c) and may therefore read its internals. No other code in
** the package does.
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
int amalgam_build_has_custom_options(void);

/* ---- Values ------------------------------------------------------------------------------ */

/*
** The readable head of SQLite's own value (struct sqlite3_value, "Mem"): shims/value.h asserts at compile time that the
** members agree. Reading a column through it takes one call and no conversion. Values that the flags below don't
** describe exactly are read with sqlite3_column_x.
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

/* Returns a column of the current row; a NULL value if there is no current row or no such column. */
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

/* Both return NULL if memory is exhausted. Free with amalgam_row_free. */
amalgam_cell *amalgam_row_allocate(size_t size);
amalgam_cell *amalgam_row_copy(sqlite3_stmt *statement, int count);
void amalgam_row_free(amalgam_cell *cells);

/*
** The same copy, into memory of the caller. The first function returns the number of bytes that the copy takes, 0 if
** memory is exhausted. Call the second one before the statement does anything else.
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
** Clears an interruption. SQLite does so itself when the last running statement ends. A statement that must run before
** that, such as ROLLBACK, can't wait.
*/
void amalgam_clear_interrupt(sqlite3 *db);

/*
** Expires all statements of a connection, or one statement. SQLite compiles an expired statement again when its next
** run begins.
*/
void amalgam_expire_statements(sqlite3 *db);
void amalgam_expire(sqlite3_stmt *statement);

/*
** The hooks of one connection. SQLite has one slot of each kind. As long as it lives, this object owns the authorizer,
** pre-update, commit and rollback slots. It calls the callbacks of its owner.
*/
typedef struct amalgam_hooks amalgam_hooks;

typedef struct amalgam_callbacks {
    void *owner;
    /* A DELETE on this table is being compiled. Returns 1 if its rows must be reported one by one. */
    int (*observes_deletions)(void *owner, const char *schema, const char *table);
    /*
    ** A row is about to change. During the call, sqlite3_preupdate_x returns the old and new values. `has_rowid` is 0
    ** for WITHOUT ROWID tables, whose keys are not numbers. A shadow table contains the data of a virtual table. The
    ** names are those of SQLite's schema: the pointers are the same for all rows of a statement.
    */
    void (*row_will_change)(
        void *owner, int operation, const char *schema, const char *table,
        int64_t old_rowid, int64_t new_rowid, int has_rowid, int is_shadow);
    /* A statement that changes rows is compiled again while it runs. */
    void (*recompiles)(void *owner);
    /* Returns 0 to let the transaction commit. */
    int (*will_commit)(void *owner);
    void (*did_rollback)(void *owner);
    /* SQLite runs SAVEPOINT, RELEASE or ROLLBACK TO itself: see amalgam_hooks_report_savepoints. */
    void (*savepoint_will_change)(void *owner, const char *operation, const char *name);
} amalgam_callbacks;

/* Returns NULL if memory is exhausted. */
amalgam_hooks *amalgam_hooks_create(sqlite3 *db, const amalgam_callbacks *callbacks);
/* Empties the slots of a connection that stays open. */
void amalgam_hooks_uninstall(amalgam_hooks *hooks);
/* Frees the object. Its connection must be closed, or the slots must be empty. */
void amalgam_hooks_free(amalgam_hooks *hooks);

/*
** A value of the row that is about to change, before or after the change; NULL if there is none. The value is as
** sqlite3_value_x reads it, and is valid during the call of the hook.
*/
const amalgam_value *amalgam_preupdate_value(sqlite3 *db, int column, int is_new);

/* The name of a column of the row that is about to change; NULL if there is no such row or column. */
const char *amalgam_preupdate_column_name(sqlite3 *db, int column);

/* Starts or stops reports of row changes. */
void amalgam_hooks_report_rows(amalgam_hooks *hooks, int on);

/*
** Calls sqlite3_step for a statement whose row changes may be reported. SQLite frees no table that the program points
** to until the step has ended.
*/
int amalgam_step_reported(amalgam_hooks *hooks, sqlite3_stmt *statement);

/*
** Whether a statement is being compiled, or a statement runs that changes rows or the schema. A statement that frees
** tables (ALTER TABLE, DROP TABLE, DETACH, VACUUM) or creates an index must not run inside it.
*/
int amalgam_needs_tables(amalgam_hooks *hooks);

/* Whether a statement destroys a virtual table while another statement runs, which may be opening the table. */
int amalgam_destroys_virtual_table(sqlite3_stmt *statement);

/* Whether a statement is VACUUM. */
int amalgam_vacuums(sqlite3_stmt *statement);

/* Whether a statement may change rows while other statements run. */
enum {
    AMALGAM_ROWS_MAY_CHANGE,
    /* A statement fills an index from its table: the index would lack rows that change. */
    AMALGAM_ROWS_ARE_INDEXED,
    /* A statement collects the rowids of the rows to delete. The rowid of a row that no longer exists is undefined. */
    AMALGAM_ROWS_ARE_COLLECTED,
};

/*
** Returns one of the values above for a statement that is about to run. NULL means a statement that may change any row.
*/
int amalgam_row_changes(sqlite3 *db, sqlite3_stmt *statement);

/*
** Calls sqlite3_step in a transaction, for a statement whose row changes no observer wants. Outside of a transaction,
** or if the statement must be compiled again, possibly to a program that changes observed rows, the function does
** nothing and returns AMALGAM_NOT_STEPPED, which isn't a result code of SQLite.
*/
#define AMALGAM_NOT_STEPPED (-1)
int amalgam_step_unreported(amalgam_hooks *hooks, sqlite3_stmt *statement);

/*
** Passes each table from which a statement may delete rows, also by REPLACE, for which SQLite doesn't call the
** authorizer. A table is passed once for each instruction that deletes its rows. If the program is outdated, the
** function passes no table and returns 0.
*/
int amalgam_deleted_tables(
    sqlite3_stmt *statement, void *context, void (*tell)(void *context, const char *table));

/* Returns sqlite3_total_changes64 plus the changes of this statement, which may still run. */
int64_t amalgam_changes_so_far(sqlite3_stmt *statement);

int amalgam_is_virtual_table(sqlite3 *db, const char *schema, const char *table);

/* Calls sqlite3session_create and sqlite3session_delete while row changes may be reported. */
int amalgam_session_create(amalgam_hooks *hooks, const char *schema, sqlite3_session **session);
void amalgam_session_delete(amalgam_hooks *hooks, sqlite3_session *session);

/* Whether the connection has sessions. */
int amalgam_has_sessions(const amalgam_hooks *hooks);

/*
** Whether sessions are recording a change. They run statements, which call the row tracer and the functions of DEFAULT
** clauses. These must not use or delete a session.
*/
int amalgam_sessions_are_recording(const amalgam_hooks *hooks);

/* ---- Statements -------------------------------------------------------------------------- */

/*
** What a statement reads and does, as SQLite reports it to the authorizer during compilation: a sequence of records {
** action, presence, text … }. `action` is an authorizer code, bit i of `presence` says that the record contains
** argument i, and each argument in the record is NUL-terminated. The arguments are those of the sqlite3_set_authorizer
** callback: 0 and 1 depend on the action, 2 is the schema.
*/
typedef struct amalgam_facts {
    uint8_t *bytes;   /* the receiver frees them with amalgam_facts_free */
    int32_t length;
    uint64_t actions; /* bit n is set if there is a record with action n */
} amalgam_facts;

void amalgam_facts_free(uint8_t *bytes);

/* Calls sqlite3_prepare_v3, and records facts. `facts` is filled only if a statement results. */
int amalgam_prepare(
    amalgam_hooks *hooks, const char *sql, int length, unsigned int flags,
    sqlite3_stmt **statement, const char **tail, amalgam_facts *facts);

/* Calls sqlite3_reset and sqlite3_clear_bindings. Returns the code of the reset. */
int amalgam_reset_and_clear(sqlite3_stmt *statement);

/* Returns 1 if a statement has parameters with names, which are then found by name. */
int amalgam_has_named_parameters(sqlite3_stmt *statement, int count);

/* The value of a parameter; NULL if there is no such parameter. It is valid until a value is bound. */
sqlite3_value *amalgam_bound_value(sqlite3_stmt *statement, int index);

/* Returns 1 if a parameter of a statement has a value other than NULL. */
int amalgam_has_bound_values(sqlite3_stmt *statement);

#ifdef __cplusplus
}
#endif
#endif
