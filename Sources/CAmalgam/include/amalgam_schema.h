/*
** Looks names up in the schemas that SQLite holds in memory: hash tables of tables, indexes and triggers. A look-up
** first makes sure that these schemas agree with the database file. No statement is compiled or run, so a look-up takes
** some hundred nanoseconds and appears in no trace.
*/
#ifndef AMALGAM_SCHEMA_H
#define AMALGAM_SCHEMA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of objects to look for. Views and tables share a namespace. */
enum {
    AMALGAM_SCHEMA_TABLE = 1,
    AMALGAM_SCHEMA_VIEW = 2,
    AMALGAM_SCHEMA_INDEX = 4,
    AMALGAM_SCHEMA_TRIGGER = 8,
};

enum {
    AMALGAM_KIND_TABLE,
    AMALGAM_KIND_VIEW,
    AMALGAM_KIND_VIRTUAL,
    AMALGAM_KIND_SHADOW, /* a table that belongs to a virtual table */
};

/* Identifies a state of the schemas of a connection. Equal numbers mean that nothing has changed. Both numbers grow. */
typedef struct amalgam_schema_stamp {
    uint64_t schemas;  /* the objects in the schemas, and the attached databases */
    uint64_t programs; /* the same, and the settings that affect compiled statements */
} amalgam_schema_stamp;

/* A schema object. The pointers are valid until the schema changes. */
typedef struct amalgam_schema_object {
    const void *identity;     /* NULL if there is no such object */
    const char *name;         /* in the spelling of the schema */
    const char *rowid_column; /* of a table: the column that is an alias of the rowid, or NULL */
    uint64_t stamp;           /* a number of the schema: equal numbers mean that nothing in it has changed */
    int schema;               /* 0 is main, 1 is temp, 2 and more are attached databases */
    int kind;                 /* of a table or view */
    int has_rowid;
    int is_strict;
} amalgam_schema_object;

/* The index of a schema, or -1. */
int amalgam_schema_index(sqlite3 *db, const char *name);

/*
** Looks an object up in one schema or, if the schema is -1, in temp, main and the attached databases, in this order.
** `length` is the number of bytes of the name: a name that contains a NUL character is never found. Returns a result
** code, and sets its message on the connection. The code is SQLITE_OK even if no object has this name. Inside a
** transaction that hasn't read the database yet, the look-up begins to read it.
*/
int amalgam_schema_find(
    amalgam_hooks *hooks, int kinds, int schema, const char *name, int64_t length, amalgam_schema_object *object);

/* Returns the state of the schemas in memory, without reading a file. */
amalgam_schema_stamp amalgam_schema_now(amalgam_hooks *hooks);

/*
** Whether the schemas are those of a stamp, with which a table was found. Compares the schema of the table, and those that
** are searched before it, with the database files.
*/
int amalgam_schema_is_unchanged(amalgam_hooks *hooks, int schema, uint64_t stamp);

/*
** Whether the program (the compiled code) of a statement matches the schemas in memory. If not, the program's pointers
** to tables and indexes may dangle.
*/
int amalgam_program_is_current(sqlite3_stmt *statement);

/* Whether SQLite compiles a statement again when its next run begins. */
int amalgam_program_is_expired(sqlite3_stmt *statement);

/*
** Compares the schemas in memory that a statement uses with those in the database files. If another connection has
** changed a schema, this function discards the schema in memory, and SQLite reads the schema again on the next use.
*/
void amalgam_schema_compare(sqlite3_stmt *statement);

/* Whether the table of a blob handle still exists. SQLite passes a pointer to it to the pre-update hook. */
int amalgam_blob_is_current(sqlite3_blob *blob, const char *table);

/* Whether the foreign key with this number (PRAGMA foreign_key_list) is checked at the end of the transaction. */
int amalgam_schema_defers_foreign_key(sqlite3 *db, int schema, const char *table, int64_t id);

/*
** Whether a read-only statement reads a table only once: in its FROM clause, and in no subquery or view. In this case,
** a condition of the statement on this table, such as `id = 1`, holds for all rows of the table on which the result
** depends. Returns 0 if unsure.
*/
int amalgam_reads_once(sqlite3_stmt *statement, const char *table);

/* Stops traces, and resumes them with the previous mask. */
unsigned amalgam_trace_pause(sqlite3 *db);
void amalgam_trace_resume(sqlite3 *db, unsigned mask);

/* The values of sqlite3_changes64 and similar functions. The Swift code restores them after statements of its own. */
typedef struct amalgam_change_counts {
    int64_t last_rowid;
    int64_t changes;
    int64_t total_changes;
} amalgam_change_counts;

amalgam_change_counts amalgam_get_change_counts(sqlite3 *db);
void amalgam_set_change_counts(sqlite3 *db, amalgam_change_counts counts);

#ifdef __cplusplus
}
#endif
#endif
