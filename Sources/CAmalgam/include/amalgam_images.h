/*
** Records the rows that change, with the values that they had before: the images of rows. A session can't record all
** tables and keys: an image knows a row by its place, the rowid or the primary key of a WITHOUT ROWID table, and has the
** exact bytes of its values.
*/
#ifndef AMALGAM_IMAGES_H
#define AMALGAM_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct amalgam_images amalgam_images;

/* Returns whether the rows of a table of the main schema are recorded. Called once for each table. It can't run SQL. */
typedef int (*amalgam_images_include)(void *owner, const char *table, int is_shadow);

/* Begins to record the changes of rows. Returns NULL if memory is exhausted. */
amalgam_images *amalgam_images_create(amalgam_hooks *hooks, void *owner, amalgam_images_include include);
/* Ends the recording. */
void amalgam_images_stop(amalgam_images *images);
/* Frees the object. The hooks may be freed before it. */
void amalgam_images_free(amalgam_images *images);

/* What a place contained before its first change. The pointers are valid until the next change is recorded. */
typedef struct amalgam_image {
    int table;
    int column_count; /* the number of values */
    int is_present;   /* 0 if the place contained no row */
    int64_t rowid;    /* 0 for WITHOUT ROWID tables */
    const uint8_t *key; /* the primary key of a WITHOUT ROWID table */
    size_t key_length;
    const uint8_t *values; /* of the stored columns, in their order */
    size_t length;
} amalgam_image;

int amalgam_images_count(const amalgam_images *images);
/* The places are in the order of their first changes. */
amalgam_image amalgam_images_get(const amalgam_images *images, int index);
/* NULL if there is no such table or column. The columns are those of the last change. */
const char *amalgam_images_table_name(const amalgam_images *images, int table);
const char *amalgam_images_column_name(const amalgam_images *images, int table, int column);
/* Whether recorded columns have been renamed, dropped or moved between changes. */
int amalgam_images_is_altered(const amalgam_images *images, int table);

/* The size of an encoded value. */
size_t amalgam_image_length(const uint8_t *value);
/* Binds an encoded value. Returns a result code. */
int amalgam_image_bind(sqlite3_stmt *statement, int parameter, const uint8_t *value);
/* The size of the image of some columns of the current row, or -1 if memory is exhausted. */
int64_t amalgam_image_row_size(sqlite3_stmt *statement, int first, int count);
void amalgam_image_row_write(sqlite3_stmt *statement, int first, int count, uint8_t *bytes);

/* ---- The schema ---------------------------------------------------------------------------- */

/*
** The functions below read the main schema in memory. Before, the caller has made SQLite compare it with the file. Those
** after the first one need a table that exists.
*/
typedef struct amalgam_image_table {
    int column_count;
    int has_rowid;
    int rowid_column;       /* the index of the column that is the rowid, or -1 */
    const char *rowid_name; /* a name of the rowid that isn't the name of a column; NULL if there is none */
    int key_count;          /* of a WITHOUT ROWID table: the number of columns in the primary key */
    int encoding;           /* of TEXT */
} amalgam_image_table;

/* Returns 0 if there is no such ordinary table. */
int amalgam_image_table_facts(sqlite3 *db, const char *table, amalgam_image_table *facts);

typedef struct amalgam_image_column {
    const char *name;
    int is_stored; /* 0 for a generated column */
    int is_primary_key;
} amalgam_image_column;

amalgam_image_column amalgam_image_table_column(sqlite3 *db, const char *table, int column);

/* The name and the collation of a column in the primary key of a WITHOUT ROWID table. */
const char *amalgam_image_table_key(sqlite3 *db, const char *table, int index, const char **collation);

/*
** Calls a function with the name of each ordinary table of the main schema. Returns the version of the schema, or -1 without
** a call if the schema in memory isn't the one of the file.
*/
int64_t amalgam_image_table_names(sqlite3 *db, void *owner, void (*add)(void *owner, const char *table));

/* Compares the images of two primary keys of a WITHOUT ROWID table as SQLite does. */
int amalgam_image_compare_keys(sqlite3 *db, const char *table, const uint8_t *a, const uint8_t *b);

/*
** Writes the default value of a column that ALTER TABLE has added, as rows have it that are older. Writes nothing if the
** value needs more bytes. Returns its size, or -1 if memory is exhausted.
*/
int64_t amalgam_image_defaults(sqlite3 *db, const char *table, int column, uint8_t *bytes, int64_t capacity);

/* ---- Foreign keys -------------------------------------------------------------------------- */

/* The state of the foreign keys before amalgam_images_begin_foreign_keys. */
typedef struct amalgam_foreign_keys {
    uint64_t flags;
    int64_t violations;
} amalgam_foreign_keys;

/* Makes foreign keys without actions of them all, and defers them, as for a changeset. */
amalgam_foreign_keys amalgam_images_begin_foreign_keys(sqlite3 *db);
/* Restores the state, and returns how many violations were added since, less those that were removed. */
int64_t amalgam_images_end_foreign_keys(sqlite3 *db, amalgam_foreign_keys previous);

#ifdef __cplusplus
}
#endif
#endif
