/*
** Records which rows change, and how, while a statement runs. The recorder runs inside the pre-update hook, where no
** statement can run. An INSERT after the statement stores the recorded changes.
*/
#ifndef AMALGAM_RECORDER_H
#define AMALGAM_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct amalgam_recorder amalgam_recorder;

/* What is recorded of a column. */
enum {
    AMALGAM_COLUMN_LEFT_OUT,
    AMALGAM_COLUMN_RECORDED,
    AMALGAM_COLUMN_REDACTED, /* the fact that the value changes, but not the values */
};

/*
** Called when a row of a table of the main schema changes, once for each table and state of the schema. It sets one
** mode for each column, whose names amalgam_preupdate_column_name returns. It returns the number of the table, or -1 if
** its rows aren't recorded. It can't use the connection.
*/
typedef int (*amalgam_recorder_describe)(
    void *owner, const char *table, int is_shadow, int column_count, uint8_t *modes);

/* Returns NULL if memory is exhausted. */
amalgam_recorder *amalgam_recorder_create(
    amalgam_hooks *hooks, void *owner, amalgam_recorder_describe describe);
/* Frees the recorder. The hooks may be freed before it. */
void amalgam_recorder_free(amalgam_recorder *recorder);

/* Starts or stops the recording of changes. Returns whether changes were recorded before. */
int amalgam_recorder_listen(amalgam_recorder *recorder, int on);

/* Discards the descriptions of tables. */
void amalgam_recorder_forget(amalgam_recorder *recorder);

/* The number of recorded bytes that aren't stored yet. */
size_t amalgam_recorder_mark(const amalgam_recorder *recorder);

/* Discards what was recorded since a mark, unless it is already stored. */
void amalgam_recorder_truncate(amalgam_recorder *recorder, size_t mark);

/* Sets the bytes of the next write through a blob handle, which SQLite doesn't report. */
void amalgam_recorder_set_blob(amalgam_recorder *recorder, const void *bytes, int64_t length, int64_t offset);

/*
** Makes the recorded changes available as the rows of `amalgam_recorded_changes`, and discards them at the end. Between
** both calls, the statement that stores them reads that table once. Its columns:
** - originID
** - tableID: the element of `table_ids` at the number of the table
** - operation: SQLITE_INSERT, …
** - key
** - newKey: the key after the change, if it differs
** - changes: the columns that change, as JSONB
**
**     {"name": ["Anna", "Anne"], "photo": [null, {"blob": "FFD8…"}], "password": true}
**
** A key is a number or TEXT, otherwise a JSONB array of the columns of the primary key.
*/
void amalgam_recorder_begin_storing(
    amalgam_recorder *recorder, int64_t origin, const int64_t *table_ids, int table_id_count);
void amalgam_recorder_end_storing(amalgam_recorder *recorder);

/*
** Returns the number of the next table with recorded changes whose identifier is 0; -1 for none. `offset` is initially
** 0.
*/
int amalgam_recorder_next_table(
    const amalgam_recorder *recorder, size_t *offset, const int64_t *table_ids, int table_id_count);

/* The number of the table with the largest of the changes that are being stored. */
int amalgam_recorder_largest_table(const amalgam_recorder *recorder);

/* Formats a real as JSONB contains it. */
#define AMALGAM_RECORDED_REAL_SIZE 40
void amalgam_recorder_format_real(double real, char digits[AMALGAM_RECORDED_REAL_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
