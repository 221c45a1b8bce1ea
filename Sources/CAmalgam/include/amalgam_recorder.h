/*
** Records which rows change, and how, while a statement runs. The recorder runs inside the pre-update hook, where no
** statement can run. After the recorded statement, an INSERT statement stores the changes.
*/
#ifndef AMALGAM_RECORDER_H
#define AMALGAM_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct amalgam_recorder amalgam_recorder;

/* What is recorded about a column. */
enum {
    AMALGAM_COLUMN_LEFT_OUT,
    AMALGAM_COLUMN_RECORDED,
    AMALGAM_COLUMN_REDACTED, /* the fact that the value changes, but not the values */
};

/*
** Called before the first change of a row in a table of the main schema, and again after a schema change. For each
** column, the callback sets one of the modes above. It can get the names of the columns from
** amalgam_preupdate_column_name, but can't run SQL. It returns a number that identifies the table, or -1 if the table
** isn't recorded. Generated columns that are computed from redacted ones are redacted, too.
*/
typedef int (*amalgam_recorder_describe)(
    void *owner, const char *table, int is_shadow, int column_count, uint8_t *modes);

/* Whether a column of the row that is about to change belongs to the primary key, which is recorded in clear. */
int amalgam_recorder_is_key(sqlite3 *db, int column);

/* Returns NULL if memory is exhausted. */
amalgam_recorder *amalgam_recorder_create(
    amalgam_hooks *hooks, void *owner, amalgam_recorder_describe describe);
/* Frees the recorder. The hooks may be freed before it. */
void amalgam_recorder_free(amalgam_recorder *recorder);

/* Starts or stops the recording of changes. Returns whether changes were recorded before. */
int amalgam_recorder_listen(amalgam_recorder *recorder, int on);

/*
** Sets the context of later changes: a number that the caller chooses. Whether unstored changes have a context is returned
** by the second function.
*/
void amalgam_recorder_set_context(amalgam_recorder *recorder, int context);
int amalgam_recorder_has_context(const amalgam_recorder *recorder, int context);

/* Discards the descriptions of tables. */
void amalgam_recorder_forget(amalgam_recorder *recorder);

/*
** The number of SQLite's transaction with the last recorded change: a different one for each transaction with recorded
** changes. Statements and blob handles of which one begins before the other ends may share a transaction without BEGIN.
*/
uint64_t amalgam_recorder_transaction(const amalgam_recorder *recorder);

/* The number of recorded bytes that aren't stored yet. */
size_t amalgam_recorder_mark(const amalgam_recorder *recorder);

/* Discards the changes recorded since amalgam_recorder_mark returned this number, unless they are already stored. */
void amalgam_recorder_truncate(amalgam_recorder *recorder, size_t mark);

/* Sets the bytes of the next write through a blob handle, because SQLite doesn't report them. */
void amalgam_recorder_set_blob(amalgam_recorder *recorder, const void *bytes, int64_t length, int64_t offset);

/*
** The first function makes the recorded changes available as the rows of the virtual table `amalgam_recorded_changes`,
** and the second one discards them. Between both calls, the statement that stores the changes reads this table once.
** The columns of the table:
** - originID: the element of `origins` whose index is the context of the change
** - tableID: the element of `table_ids` whose index is the number of the table
** - operation: SQLITE_INSERT, …
** - key
** - newKey: the key after the change, if it differs from the key before; otherwise NULL
** - changes: the columns that change, as JSONB
**
**     {"name": ["Anna", "Anne"], "photo": [null, {"blob": "FFD8…"}], "password": true}
**
** A key is a number, a TEXT value, or for all other keys, a JSONB array of the values of the primary key.
*/
void amalgam_recorder_begin_storing(
    amalgam_recorder *recorder, const int64_t *origins, int origin_count, const int64_t *table_ids, int table_id_count);
void amalgam_recorder_end_storing(amalgam_recorder *recorder);

/*
** Returns the number of the next table that has recorded changes and whose element in `table_ids` is 0; -1 for none.
** The caller sets `offset` to 0 before the first call.
*/
int amalgam_recorder_next_table(
    const amalgam_recorder *recorder, size_t *offset, const int64_t *table_ids, int table_id_count);

/* The number of the table that contains the largest change among those that are being stored. */
int amalgam_recorder_largest_table(const amalgam_recorder *recorder);

/* Formats a real number like in recorded JSONB. */
#define AMALGAM_RECORDED_REAL_SIZE 40
void amalgam_recorder_format_real(double real, char digits[AMALGAM_RECORDED_REAL_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
