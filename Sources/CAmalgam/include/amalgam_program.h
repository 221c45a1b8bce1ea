/*
** What a compiled program opens, reads and writes, by its instructions: tables, columns and virtual tables. The
** authorizer isn't called for all of them: not for columns of USING and NATURAL, for the source of
** INSERT INTO … SELECT * FROM …, for arguments of table-valued functions, and for the tables behind virtual tables.
*/
#ifndef AMALGAM_PROGRAM_H
#define AMALGAM_PROGRAM_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /* A table, or one of its indexes, is opened for reading. */
    AMALGAM_OPENS_TABLE,
    /* A column of a table that is opened for reading is read, or compared in an index. */
    AMALGAM_READS_COLUMN,
    /* A table is opened for writing, or cleared. Its columns aren't reported: each change reads the whole row. */
    AMALGAM_WRITES_TABLE,
    /* Only an index of the table is opened for writing. */
    AMALGAM_WRITES_INDEX,
    /* A virtual table is opened, or changed. */
    AMALGAM_OPENS_VIRTUAL_TABLE,
    AMALGAM_WRITES_VIRTUAL_TABLE,
    /* An eponymous virtual table, such as json_each, is opened. */
    AMALGAM_OPENS_TABLE_FUNCTION,
};

typedef struct amalgam_access {
    int kind;
    const char *schema;
    const char *table;  /* NULL if no table of the schema has the opened root page */
    const char *column; /* of AMALGAM_READS_COLUMN */
    int is_nested;      /* whether a trigger or a foreign key action does it */
} amalgam_access;

/*
** Calls `tell` for each access of a program and its triggers, often several times for the same access. With
** `tells_all_columns`, all columns of an opened virtual table count as read. If the program is outdated, so that its
** pointers may dangle, the function calls nothing and returns 0.
*/
int amalgam_program_accesses(
    sqlite3_stmt *statement, int tells_all_columns, void *context,
    void (*tell)(void *context, const amalgam_access *access));

/*
** Calls `tell` for each table that a virtual table of FTS3, FTS4, FTS5, fts4aux or fts5vocab reads in addition to its
** shadow tables: the content table, or the table whose words it shows. Returns 0 or one of the values below.
*/
enum {
    AMALGAM_READS_ALL_PAGES = 1,       /* dbstat, sqlite_dbpage, and functions such as pragma_foreign_key_check */
    AMALGAM_SHOWS_WORDS_OF_SOURCE = 2, /* fts4aux and fts5vocab */
    AMALGAM_SOURCES_ARE_UNKNOWN = 3,   /* the virtual table isn't connected */
};
int amalgam_virtual_table_sources(
    sqlite3 *db, const char *schema, const char *table, void *context,
    void (*tell)(void *context, const char *schema, const char *table));

/* Connects the virtual tables of the schemas, as statements do that use them. */
void amalgam_connect_virtual_tables(sqlite3 *db);

/* Calls `tell` with the name of the virtual table to which a shadow table belongs. Calls nothing if the table isn't one. */
void amalgam_shadow_table_owner(
    sqlite3 *db, const char *schema, const char *table, void *context, void (*tell)(void *context, const char *owner));

/*
** Makes queries that are compiled from now on ignore the indexes of a table that may contain a column, until all refusals of
** the column have ended. A query that scans an index returns its rows in the order of the index. With a shared cache, the
** queries of other connections ignore these indexes, too.
**
** amalgam_index_refusal_begin returns NULL if memory is exhausted. A schema that was read again has new indexes, for which the
** refusal must be applied again. If the connection was closed, a refusal ends with NULL in place of the connection.
*/
typedef struct amalgam_index_refusal amalgam_index_refusal;
amalgam_index_refusal *amalgam_index_refusal_begin(
    sqlite3 *db, const char *schema, const char *table, const char *column);
void amalgam_index_refusal_apply(sqlite3 *db, amalgam_index_refusal *refusal);
void amalgam_index_refusal_end(sqlite3 *db, amalgam_index_refusal *refusal);

/* Words of a statement that change what the authorizer's reports mean. */
enum {
    AMALGAM_HAS_WITH = 1,    /* the name of a common table expression is reported as that of a view */
    AMALGAM_HAS_USING = 2,   /* USING or NATURAL, whose columns aren't reported */
};
int amalgam_statement_clauses(sqlite3_stmt *statement);

/*
** Calls `tell` for each column to which an INSERT or REPLACE statement gives a value, in its own list of columns, or in
** the definition of the table if there is no list. A name in the list may be quoted.
*/
void amalgam_inserted_columns(
    sqlite3_stmt *statement, const char *schema, const char *table, void *context,
    void (*tell)(void *context, const char *column, int length));

/*
** Calls `tell` for each name that follows `excluded.` in the text of a statement. The name may be quoted. The authorizer isn't
** called for these columns: with ON CONFLICT DO UPDATE, they have the values that were to be inserted.
*/
void amalgam_excluded_columns(
    sqlite3_stmt *statement, void *context, void (*tell)(void *context, const char *column, int length));

/* Compiles a statement again. Returns 0 if that fails. */
int amalgam_compile_again(sqlite3_stmt *statement);

/*
** Calls sqlite3_step, so that no other program runs than the compiled one. If the program is outdated, the function
** returns AMALGAM_NOT_STEPPED, and the statement must be compiled again.
*/
int amalgam_step_current(sqlite3_stmt *statement);

/*
** Calls `tell` for the columns whose values a column shows: those from which a generated column is computed, and the column
** behind the names rowid, oid and _rowid_. This column is the INTEGER PRIMARY KEY of a table, or the `content_rowid` of an
** FTS5 table. Calls nothing for other columns.
*/
void amalgam_column_sources(
    sqlite3 *db, const char *schema, const char *table, const char *column, void *context,
    void (*tell)(void *context, const char *column));

/*
** Calls `tell` for each table that a view reads, also in subqueries; then, without a schema, for each name in the expressions
** that a column of the view depends on: its own expression, WHERE and FROM. The name "" stands for the presence of rows. The
** columns of the view needn't be known: its SELECT isn't compiled. Returns one of the values below.
*/
enum {
    AMALGAM_ISNT_VIEW = 0,
    AMALGAM_VIEW_SHOWS_NAMES = 1,  /* the column depends on no other columns than those with the names */
    AMALGAM_VIEW_MAY_SHOW_ALL = 2, /* the column may depend on all columns of the tables */
};
int amalgam_view_sources(
    sqlite3 *db, const char *schema, const char *view, const char *column, void *context,
    void (*tell)(void *context, const char *schema, const char *name));

/* Whether a column of a virtual table is a hidden one, which `*` doesn't expand to. */
int amalgam_is_hidden_column(sqlite3 *db, const char *schema, const char *table, const char *column);

#ifdef __cplusplus
}
#endif
#endif
