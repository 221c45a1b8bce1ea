/*
** SQLite keeps a picture of each schema in memory: hash tables of tables, indexes and triggers. These functions look
** names up in it, once it is made sure that it agrees with the database file. Nothing is compiled or run, so that a
** look-up costs some hundred nanoseconds and no trace shows it.
*/
#ifndef AMALGAM_SCHEMA_H
#define AMALGAM_SCHEMA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is looked for. Views and tables share their names. */
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

/*
** The state of the schemas of a connection: two numbers that grow. Equal numbers mean that nothing has changed since.
*/
typedef struct amalgam_schema_stamp {
    uint64_t schemas;  /* the objects in the schemas, and the attached databases */
    uint64_t programs; /* the same, and the settings that statements are compiled for */
} amalgam_schema_stamp;

/* A schema object. The pointers are valid until the schema changes. */
typedef struct amalgam_schema_object {
    const void *identity;     /* NULL when there is no such object */
    const char *name;         /* with the spelling of the schema */
    const char *rowid_column; /* of a table: the column that is its rowid, or NULL */
    uint64_t stamp;           /* of the schema: equal stamps mean that nothing in it has changed */
    int schema;               /* 0 is main, 1 is temp, from 2 on databases are attached */
    int kind;                 /* of a table or view */
    int has_rowid;
    int is_strict;
} amalgam_schema_object;

/* The number of a schema, or -1. */
int amalgam_schema_index(sqlite3 *db, const char *name);

/*
** Looks an object up: in one schema, or with schema -1 in temp, main and the attached databases, in this order.
** `length` is the number of bytes of the name: a name with a NUL character is never found.
** Returns a result code, whose message is that of the connection; SQLITE_OK also when there is no such object.
** Inside a transaction, the look-up begins to read the database if nothing did so before.
*/
int amalgam_schema_find(
    amalgam_hooks *hooks, int kinds, int schema, const char *name, int64_t length, amalgam_schema_object *object);

/* The state of the schemas in memory. No file is read. */
amalgam_schema_stamp amalgam_schema_now(amalgam_hooks *hooks);

/*
** Whether the program of a statement stands for the schemas in memory. Its pointers to tables and indexes are valid then,
** and dangle otherwise.
*/
int amalgam_program_is_current(sqlite3_stmt *statement);

/* Whether SQLite compiles a statement again before it next begins to run. */
int amalgam_program_is_expired(sqlite3_stmt *statement);

/*
** Compares the schemas that a statement was compiled for with the database files. Those that another connection has
** changed are read again when they are needed, as they would be when the statement runs.
*/
void amalgam_schema_compare(sqlite3_stmt *statement);

/* Whether the table that a blob handle points to is still there. SQLite passes it on to the pre-update hook. */
int amalgam_blob_is_current(sqlite3_blob *blob, const char *table);

/* Whether the foreign key with this number (PRAGMA foreign_key_list) is checked at the end of the transaction. */
int amalgam_schema_defers_foreign_key(sqlite3 *db, int schema, const char *table, int64_t id);

/*
** Whether a statement that only reads does so once in a table: in one place of its FROM clause, and in no subquery or
** view. Then a condition on the rows of that place is one on all rows of the table that the statement depends on. 0 when
** that is not certain.
*/
int amalgam_reads_once(sqlite3_stmt *statement, const char *table);

/* Stops traces, and lets them go on as they were. */
unsigned amalgam_trace_pause(sqlite3 *db);
void amalgam_trace_resume(sqlite3 *db, unsigned mask);

/* What sqlite3_changes64 and the like tell, to be put back after statements that are not the application's. */
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
