/*
** Writes down which rows change, and how, while a statement runs: inside the pre-update hook, where no statement can
** run. What was written down is stored by an INSERT after the statement.
*/
#ifndef AMALGAM_RECORDER_H
#define AMALGAM_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct amalgam_recorder amalgam_recorder;

/* What becomes of the values of a column. */
enum {
    AMALGAM_COLUMN_LEFT_OUT,
    AMALGAM_COLUMN_RECORDED,
    AMALGAM_COLUMN_REDACTED, /* it is recorded that they change */
};

/*
** Asked when a row of a table of the main schema changes, once for each table and state of the schema. It sets one mode
** for each column, whose names amalgam_preupdate_column_name tells. Returns the number of the table, or -1 when its rows
** are not recorded. It cannot use the connection.
*/
typedef int (*amalgam_recorder_describe)(
    void *owner, const char *table, int is_shadow, int column_count, uint8_t *modes);

/* NULL when memory is exhausted. */
amalgam_recorder *amalgam_recorder_create(
    amalgam_hooks *hooks, void *owner, amalgam_recorder_describe describe);
/* The hooks may be freed before. */
void amalgam_recorder_free(amalgam_recorder *recorder);

/* Whether the changes from now on are written down. Returns whether they were before. */
int amalgam_recorder_listen(amalgam_recorder *recorder, int on);

/* Forgets what tables were described as. */
void amalgam_recorder_forget(amalgam_recorder *recorder);

/* How much was written down, and has not been stored. */
size_t amalgam_recorder_mark(const amalgam_recorder *recorder);

/* Forgets what was written down since a mark, if it is still there. */
void amalgam_recorder_truncate(amalgam_recorder *recorder, size_t mark);

/* The bytes of the next write through a blob handle: SQLite does not tell of them. */
void amalgam_recorder_set_blob(amalgam_recorder *recorder, const void *bytes, int64_t length, int64_t offset);

/*
** Makes the changes that were written down the rows of `amalgam_recorded_changes`, and forgets them at the end. The
** statement that stores them reads that table once, in between. Its columns: originID; tableID, the element
** of `table_ids` with the number of the table; operation (SQLITE_INSERT, …); key; newKey, the key after the change if it
** is another one; changes, the columns that change, as JSONB:
**
**     {"name": ["Anna", "Anne"], "photo": [null, {"blob": "FFD8…"}], "password": true}
**
** A key is a number or TEXT, otherwise an array in JSONB of the columns of the primary key.
*/
void amalgam_recorder_begin_storing(
    amalgam_recorder *recorder, int64_t origin, const int64_t *table_ids, int table_id_count);
void amalgam_recorder_end_storing(amalgam_recorder *recorder);

/* The next table with changes that were written down whose identifier is 0, as its number; -1 for none. `offset` is 0 at
** first. */
int amalgam_recorder_next_table(
    const amalgam_recorder *recorder, size_t *offset, const int64_t *table_ids, int table_id_count);

/* The number of the table with the largest of the changes that are being stored. */
int amalgam_recorder_largest_table(const amalgam_recorder *recorder);

/* A real, as it stands in JSONB. */
#define AMALGAM_RECORDED_REAL_SIZE 40
void amalgam_recorder_format_real(double real, char digits[AMALGAM_RECORDED_REAL_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
