/*
** What the Swift modules need from SQLite and its C interface does not say, or says more slowly.
** These functions live in the same translation unit as sqlite3.c (see amalgamation.c) and may
** therefore read its internals; nothing else in the package does.
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
** The readable head of SQLite's own value (struct sqlite3_value, "Mem"): amalgamation.c asserts
** at compile time that the members agree. Reading a column through it costs one call and no
** conversion; whatever the flags below do not describe exactly goes through sqlite3_column_x.
*/
typedef struct amalgam_value {
    int64_t integer;     /* valid with AMALGAM_INTEGER; the bits of a double with AMALGAM_REAL */
    const char *bytes;   /* valid with AMALGAM_TEXT or AMALGAM_BLOB; text is not always NUL-terminated */
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
    AMALGAM_ZERO_FILLED = 0x0400, /* a blob whose trailing zeros are not materialised */
};

/* A column of the current row; a NULL value when there is no current row or no such column. */
const amalgam_value *amalgam_column(sqlite3_stmt *statement, int index);

/*
** A row that outlives its statement: one allocation that holds `count` cells, then the bytes of
** texts and blobs. Texts are UTF-8.
*/
typedef struct amalgam_cell {
    int64_t payload; /* the integer, the bits of the double, or the offset of the bytes from the first cell */
    int32_t length;  /* number of bytes of a text or blob */
    int32_t type;    /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL */
} amalgam_cell;

/* Both return NULL when memory is exhausted. Free with amalgam_row_free. */
amalgam_cell *amalgam_row_allocate(size_t size);
amalgam_cell *amalgam_row_copy(sqlite3_stmt *statement, int count);
void amalgam_row_free(amalgam_cell *cells);

/*
** The same copy into memory of the caller: the number of bytes that it takes, 0 when memory is exhausted, and then the
** copy, before the statement does anything else.
*/
size_t amalgam_row_size(sqlite3_stmt *statement, int count);
void amalgam_row_write(sqlite3_stmt *statement, int count, amalgam_cell *cells);

/* ---- Connections ------------------------------------------------------------------------- */

/* sqlite3_db_config for the verbs that take an int and answer an int. */
int amalgam_db_config(sqlite3 *db, int verb, int value, int *result);

/* sqlite3_config(SQLITE_CONFIG_LOG, …): only before the library is initialised. */
int amalgam_config_log(void (*log)(void *context, int code, const char *message), void *context);

/* What PRAGMA query_only does, without compiling a statement. Returns the previous state. */
int amalgam_set_query_only(sqlite3 *db, int on);

/*
** Forgets an interruption. SQLite does so by itself when the last running statement ends; a statement that must
** run nevertheless (ROLLBACK) cannot wait for that.
*/
void amalgam_clear_interrupt(sqlite3 *db);

/* Statements compile again before their next first step: all of a connection, or one. */
void amalgam_expire_statements(sqlite3 *db);
void amalgam_expire(sqlite3_stmt *statement);

/*
** The hooks of one connection. SQLite has one slot of each kind; this object owns them all
** (authorizer, pre-update, commit, rollback) for as long as it lives, and passes on what its
** owner asked for.
*/
typedef struct amalgam_hooks amalgam_hooks;

typedef struct amalgam_callbacks {
    void *owner;
    /* A DELETE on this table is being compiled: 1 when its rows must be reported one by one. */
    int (*observes_deletions)(void *owner, const char *schema, const char *table);
    /*
    ** A row is about to change. The old and new values are readable with sqlite3_preupdate_x
    ** during the call. `has_rowid` is 0 for WITHOUT ROWID tables, whose keys are not numbers. A shadow
    ** table is where a virtual table keeps its data. The names are those of SQLite's schema: the pointers
    ** are the same for all rows of a statement.
    */
    void (*row_will_change)(
        void *owner, int operation, const char *schema, const char *table,
        int64_t old_rowid, int64_t new_rowid, int has_rowid, int is_shadow);
    /* A statement that changes rows is compiled again, in the middle of its run. */
    void (*recompiles)(void *owner);
    /* Returns 0 to let the transaction commit. */
    int (*will_commit)(void *owner);
    void (*did_rollback)(void *owner);
    /* SQLite runs SAVEPOINT, RELEASE or ROLLBACK TO by itself: see amalgam_hooks_report_savepoints. */
    void (*savepoint_will_change)(void *owner, const char *operation, const char *name);
} amalgam_callbacks;

/* NULL when memory is exhausted. */
amalgam_hooks *amalgam_hooks_create(sqlite3 *db, const amalgam_callbacks *callbacks);
/* Empties the slots, for a connection that lives on. */
void amalgam_hooks_uninstall(amalgam_hooks *hooks);
/* Frees the object, once its connection is closed or the slots are empty. */
void amalgam_hooks_free(amalgam_hooks *hooks);

/*
** A value of the row that is about to change, before or after the change; NULL when there is none. A value as
** sqlite3_value_x reads it, valid during the call of the hook.
*/
const amalgam_value *amalgam_preupdate_value(sqlite3 *db, int column, int is_new);

/* The name of a column of the row that is about to change: NULL when there is no such row or column. */
const char *amalgam_preupdate_column_name(sqlite3 *db, int column);

/* Whether row changes are reported. */
void amalgam_hooks_report_rows(amalgam_hooks *hooks, int on);

/*
** sqlite3_step of a statement whose row changes may be reported: SQLite frees no table that the program points to until
** the step has ended.
*/
int amalgam_step_reported(amalgam_hooks *hooks, sqlite3_stmt *statement);

/*
** Whether a statement is being compiled, or runs that changes rows or the schema. A statement that frees tables (ALTER
** TABLE, DROP TABLE, DETACH, VACUUM) or makes an index must not run inside of it.
*/
int amalgam_needs_tables(amalgam_hooks *hooks);

/* Whether a statement destroys a virtual table inside of another statement, which may be opening it. */
int amalgam_destroys_virtual_table(sqlite3_stmt *statement);

/* Whether a statement is VACUUM. */
int amalgam_vacuums(sqlite3_stmt *statement);

/* Whether rows can be changed inside of the statements under way. */
enum {
    AMALGAM_ROWS_MAY_CHANGE,
    /* A statement fills an index from its table: changes of rows would be missing in the index. */
    AMALGAM_ROWS_ARE_INDEXED,
    /* A statement collects the rowids of the rows to delete. The rowid of a row that is gone is undefined. */
    AMALGAM_ROWS_ARE_COLLECTED,
};

/*
** One of the values above, for a statement that is about to run; for one that may change any row when it is NULL.
*/
int amalgam_row_changes(sqlite3 *db, sqlite3_stmt *statement);

/*
** sqlite3_step in a transaction, of a statement whose row changes no observer wants. Nothing is done outside of a
** transaction, and when the statement must be compiled again, possibly to a program that changes observed rows. The
** result is AMALGAM_NOT_STEPPED then, which isn't a result code of SQLite.
*/
#define AMALGAM_NOT_STEPPED (-1)
int amalgam_step_unreported(amalgam_hooks *hooks, sqlite3_stmt *statement);

/*
** The tables whose rows a statement may delete, also by REPLACE, which the authorizer isn't asked about. A table is passed
** once for each instruction that deletes its rows. Returns 0, and passes none, when the program is outdated.
*/
int amalgam_deleted_tables(
    sqlite3_stmt *statement, void *context, void (*tell)(void *context, const char *table));

/* sqlite3_total_changes64, with the changes of this statement, which may be under way. */
int64_t amalgam_changes_so_far(sqlite3_stmt *statement);

int amalgam_is_virtual_table(sqlite3 *db, const char *schema, const char *table);

/* sqlite3session_create and sqlite3session_delete, safe beside the reports of row changes. */
int amalgam_session_create(amalgam_hooks *hooks, const char *schema, sqlite3_session **session);
void amalgam_session_delete(amalgam_hooks *hooks, sqlite3_session *session);

/* Whether sessions live on the connection. */
int amalgam_has_sessions(const amalgam_hooks *hooks);

/*
** Whether sessions are recording a change. They run statements, which call the row tracer and the functions of DEFAULT
** clauses: these must not use or delete a session.
*/
int amalgam_sessions_are_recording(const amalgam_hooks *hooks);

/* ---- Statements -------------------------------------------------------------------------- */

/*
** What a statement reads and does, as told by SQLite's authorizer while it compiles:
** a sequence of records { action, presence, text … }, where `action` is an authorizer code,
** bit i of `presence` says that argument i is there, and each argument present is NUL-terminated.
** The arguments are those of sqlite3_set_authorizer: 0 and 1 by action, 2 the schema.
*/
typedef struct amalgam_facts {
    uint8_t *bytes;   /* the receiver frees them with amalgam_facts_free */
    int32_t length;
    uint64_t actions; /* bit n is set when a record with action n is there */
} amalgam_facts;

void amalgam_facts_free(uint8_t *bytes);

/* sqlite3_prepare_v3 that records facts. `facts` is filled only when a statement results. */
int amalgam_prepare(
    amalgam_hooks *hooks, const char *sql, int length, unsigned int flags,
    sqlite3_stmt **statement, const char **tail, amalgam_facts *facts);

/* sqlite3_reset and sqlite3_clear_bindings. Returns the code of the reset. */
int amalgam_reset_and_clear(sqlite3_stmt *statement);

/* 1 when a statement holds parameters with names; then they are found by name. */
int amalgam_has_named_parameters(sqlite3_stmt *statement, int count);

/* The value of a parameter, NULL when there is no such parameter. Valid until another value is bound. */
sqlite3_value *amalgam_bound_value(sqlite3_stmt *statement, int index);

/* 1 when a parameter of a statement holds another value than NULL. */
int amalgam_has_bound_values(sqlite3_stmt *statement);

#ifdef __cplusplus
}
#endif
#endif
