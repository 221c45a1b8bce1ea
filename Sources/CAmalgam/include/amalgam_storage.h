/*
** What one connection does with pages, the WAL file and memory, where SQLite's C interface does not tell enough.
*/
#ifndef AMALGAM_STORAGE_H
#define AMALGAM_STORAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The size of the pages of a schema, in bytes; 0 when there is no such schema. */
int amalgam_page_size(sqlite3 *db, const char *schema);

/*
** Copies the first `count` pages of a schema to `bytes`, which has room for them. sqlite3_serialize does the same, but
** answers zeros for a page that cannot be read. The caller holds a read transaction on the schema.
*/
int amalgam_copy_pages(sqlite3 *db, const char *schema, uint8_t *bytes, int count);

/*
** sqlite3_deserialize. When that fails for an attached schema, SQLite takes names without a schema for those of the
** attached one from then on: CREATE TABLE makes tables there, or crashes once it is detached.
*/
int amalgam_deserialize(sqlite3 *db, const char *schema, uint8_t *bytes, int64_t size, unsigned int flags);

/*
** How many frames a WAL file must have for SQLite to checkpoint it by itself: 0 when it does not; -1 when another
** hook than SQLite's own is in the slot.
*/
int amalgam_wal_autocheckpoint(sqlite3 *db);

/*
** Gives a connection a flag to look at before it runs a checkpoint by itself, at the end of a commit: it does not, when
** the flag is not zero. Any thread may write to the flag, atomically. Null takes the flag away, which lives longer.
** SQLITE_NOMEM: the connection has no flag.
*/
int amalgam_set_suspension(sqlite3 *db, const int32_t *is_suspended);

/*
** Calls the WAL hook for commits that no sqlite3_step has told: those made by the end of a blob handle, and by
** the reset of a statement.
*/
int amalgam_wal_notify(sqlite3 *db);

/*
** sqlite3_wal_checkpoint_v2, with the busy handler put aside, whoever has set it: what cannot be had at once is not
** waited for.
*/
int amalgam_checkpoint_now(sqlite3 *db, const char *schema, int mode, int *frames, int *checkpointed);

/* What the WAL file of a schema holds, and how much of that is in the database file. */
typedef struct amalgam_wal_state {
    uint32_t frames;
    uint32_t checkpointed;
    uint32_t page_size;
} amalgam_wal_state;

/*
** Reads the state from the shared index, without a lock: the last commit of any process. 0 when the schema is not in
** WAL mode, or when the connection has not opened its WAL file yet.
*/
int amalgam_wal_get_state(sqlite3 *db, const char *schema, amalgam_wal_state *state);

/* The bytes of the WAL file that the connection has open; -1 when there is none. */
int64_t amalgam_wal_file_size(sqlite3 *db, const char *schema);

/* A lock on a state of the database that a checkpoint, or a new start of the WAL file, would need. */
typedef struct {
    /* The connection of this process that holds it, as amalgam_wal_connection names it; 0 for another process. */
    uintptr_t connection;
    /* The other process that holds it; 0 for a connection of this process. */
    int32_t process;
    /* The last frame that the reader sees: https://sqlite.org/walformat.html#wal_read_marks. */
    uint32_t mark;
    /* Whether it keeps frames from being copied or, once all are copied, the file from being begun again. */
    int is_in_the_way;
} amalgam_wal_holder;

/*
** The locks on states of the database, `capacity` of them at most. It answers how many there are, or -1 where the file layer
** is not SQLite's own for Unix.
*/
int amalgam_wal_holders(sqlite3 *db, const char *schema, amalgam_wal_holder *holders, int capacity);

/* What identifies a connection among those that amalgam_wal_holders finds; 0 before its first read in WAL mode. */
uintptr_t amalgam_wal_connection(sqlite3 *db, const char *schema);

/* Whether reading takes no lock that keeps others from writing: all files, those attached included, are in WAL mode. */
int amalgam_is_in_wal_mode(sqlite3 *db);

/* The encoding of texts: SQLITE_UTF8, SQLITE_UTF16LE or SQLITE_UTF16BE. */
int amalgam_encoding(sqlite3 *db);

/* Lets what the connection is doing fail for lack of memory. */
void amalgam_out_of_memory(sqlite3 *db);

/* Whether SQLite counts the memory it allocates. */
int amalgam_counts_memory(void);

/* sqlite3_config(SQLITE_CONFIG_MEMSTATUS, …): only before the library is initialised. */
int amalgam_config_count_memory(int on);

#ifdef __cplusplus
}
#endif
#endif
