/*
** Saves the content of a damaged database file: SQLite's own recovery, ext/recover of its source tree, on two connections of the
** caller. Only a build from the canonical tree has it. In other builds, each function returns SQLITE_ERROR, NULL or 0.
**
** One thread at a time uses an object, which is the thread that uses both connections.
*/
#ifndef AMALGAM_RECOVER_H
#define AMALGAM_RECOVER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Copies of files ----------------------------------------------------------------------- */

/*
** Copies a database file, its WAL file and its journal, with SQLite's functions for files: an open descriptor of this process
** keeps its locks. The path of the copy is absolute. `goes_on` is called now and then, and ends the copy when it returns 0.
**
** Parts of the database file that can't be read are zeros in the copy, and are counted. Returns SQLITE_BUSY if another connection
** writes to the database or runs a checkpoint, SQLITE_INTERRUPT if `goes_on` has ended the copy, or another result code.
*/
int amalgam_recover_copy(
    const char *from, const char *to, void *owner, int (*goes_on)(void *owner, int64_t copied, int64_t total),
    int64_t *unreadable_bytes);

/*
** Reads the first page of a copy. If it is encrypted and can't be decrypted, but the key of the connection decrypts another page,
** writes a new first page, and sets `is_replaced`: the schema is lost, and the connection can't be used any more. Returns
** SQLITE_NOTADB if the key decrypts no page.
*/
int amalgam_recover_unlock(sqlite3 *db, int *is_replaced);

/* ---- A recovery ---------------------------------------------------------------------------- */

typedef struct amalgam_recover amalgam_recover;

/*
** Begins a recovery from the main database of one connection to that of another one, which is a new file. The name of the table of
** lost rows may be NULL. Returns NULL if memory is exhausted.
*/
amalgam_recover *amalgam_recover_begin(
    sqlite3 *input, sqlite3 *output, const char *lost_table, int includes_free_pages, int keeps_rowids);

/* Works for a number of steps. Returns SQLITE_OK if there is more to do, SQLITE_DONE at the end, or an error. */
int amalgam_recover_work(amalgam_recover *recover, int steps);

/* The message of an error; NULL if there is none. */
const char *amalgam_recover_message(const amalgam_recover *recover);

/* Frees the object. Before the end of the recovery, the transaction of the output is rolled back. */
void amalgam_recover_end(amalgam_recover *recover);

enum {
    AMALGAM_RECOVER_TABLES = 0,  /* reads the rows of tables */
    AMALGAM_RECOVER_LOST = 1,    /* looks for rows on pages of no table */
    AMALGAM_RECOVER_INDEXES = 2, /* creates indexes, views and triggers, and commits: one step */
    AMALGAM_RECOVER_DONE = 3
};

typedef struct amalgam_recover_progress {
    int phase;
    int64_t page_count, read_pages, unreadable_pages;
    int64_t saved_rows, refused_rows, lost_rows;
} amalgam_recover_progress;

amalgam_recover_progress amalgam_recover_get_progress(const amalgam_recover *recover);

/* ---- Results, at the end ------------------------------------------------------------------- */

typedef struct amalgam_recovered_table {
    const char *name;
    int64_t saved, refused; /* rows */
} amalgam_recovered_table;

int amalgam_recover_table_count(const amalgam_recover *recover);
amalgam_recovered_table amalgam_recover_table(const amalgam_recover *recover, int index);

/* The name of the table of lost rows; NULL if there are none. */
const char *amalgam_recover_lost_table(const amalgam_recover *recover);

enum {
    AMALGAM_VIRTUAL_CREATED = 1, /* a full-text table with its content: its index is to be rebuilt */
    AMALGAM_VIRTUAL_MISSING = 2  /* a virtual table that isn't in the schema yet */
};

int amalgam_recover_virtual_count(const amalgam_recover *recover);
const char *amalgam_recover_virtual_name(const amalgam_recover *recover, int index);
const char *amalgam_recover_virtual_sql(const amalgam_recover *recover, int index);
/* The name of the module in the SQL; empty if there is none. */
const char *amalgam_recover_virtual_module(const amalgam_recover *recover, int index);
int amalgam_recover_virtual_state(const amalgam_recover *recover, int index);

#ifdef __cplusplus
}
#endif
#endif
