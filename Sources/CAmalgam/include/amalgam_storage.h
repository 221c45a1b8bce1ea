/* Pages, the WAL file, and memory of a connection: operations and state that SQLite's C interface doesn't offer. */
#ifndef AMALGAM_STORAGE_H
#define AMALGAM_STORAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The page size of a schema, in bytes; 0 if there is no such schema. */
int amalgam_page_size(sqlite3 *db, const char *schema);

/*
** Copies the first `count` pages of a schema to `bytes`, which must have room for them. sqlite3_serialize does the
** same, but returns zeros for a page that can't be read. The caller holds a read transaction on the schema.
*/
int amalgam_copy_pages(sqlite3 *db, const char *schema, uint8_t *bytes, int count);

/*
** Calls sqlite3_deserialize. If that fails for an attached schema, SQLite by itself would resolve names without a
** schema in the attached one from then on: CREATE TABLE would create tables there, or crash after the schema is
** detached.
*/
int amalgam_deserialize(sqlite3 *db, const char *schema, uint8_t *bytes, int64_t size, unsigned int flags);

/*
** The number of frames at which SQLite checkpoints the WAL file automatically; 0 if it doesn't; -1 if the slot contains
** another hook than SQLite's own.
*/
int amalgam_wal_autocheckpoint(sqlite3 *db);

/*
** Sets a flag that the connection reads before it runs an automatic checkpoint, at the end of a commit. It skips the
** checkpoint if the flag isn't 0. Any thread may write the flag, atomically. A NULL pointer removes the flag, which
** must outlive its use. SQLITE_NOMEM: the connection has no flag.
*/
int amalgam_set_suspension(sqlite3 *db, const int32_t *is_suspended);

/*
** Calls the WAL hook for commits that no sqlite3_step reports: those by closing a blob handle, and by resetting a
** statement.
*/
int amalgam_wal_notify(sqlite3 *db);

/* Calls sqlite3_wal_checkpoint_v2 with any busy handler disabled, so it doesn't wait for locks. */
int amalgam_checkpoint_now(sqlite3 *db, const char *schema, int mode, int *frames, int *checkpointed);

/* The content of a schema's WAL file, and how much of it is in the database file. */
typedef struct amalgam_wal_state {
    uint32_t frames;
    uint32_t checkpointed;
    uint32_t page_size;
} amalgam_wal_state;

/*
** Reads the state from the shared index, without a lock: that of the last commit of any process. Returns 0 if the
** schema isn't in WAL mode, or if the connection hasn't opened its WAL file yet.
*/
int amalgam_wal_get_state(sqlite3 *db, const char *schema, amalgam_wal_state *state);

/* The size in bytes of the WAL file that the connection has open; -1 if there is none. */
int64_t amalgam_wal_file_size(sqlite3 *db, const char *schema);

/* A lock on a snapshot of the database that may block a checkpoint, or a restart of the WAL file. */
typedef struct {
    /*
    ** The connection of this process that holds the lock, as amalgam_wal_connection identifies it; 0 for another
    ** process.
    */
    uintptr_t connection;
    /* The other process that holds the lock; 0 for a connection of this process. */
    int32_t process;
    /* The last frame that the reader sees: https://sqlite.org/walformat.html#wal_read_marks. */
    uint32_t mark;
    /*
    ** Whether the lock prevents a checkpoint from copying frames or, if all are copied, the file from being restarted.
    */
    int is_in_the_way;
} amalgam_wal_holder;

/*
** Returns at most `capacity` locks on snapshots of the database. The result is their number, or -1 if the VFS isn't
** SQLite's own for Unix.
*/
int amalgam_wal_holders(sqlite3 *db, const char *schema, amalgam_wal_holder *holders, int capacity);

/* Identifies a connection among those that amalgam_wal_holders finds; 0 before its first read in WAL mode. */
uintptr_t amalgam_wal_connection(sqlite3 *db, const char *schema);

/* Whether reading takes no lock that blocks writers: all files, including attached ones, are in WAL mode. */
int amalgam_is_in_wal_mode(sqlite3 *db);

/* The encoding of TEXT values: SQLITE_UTF8, SQLITE_UTF16LE or SQLITE_UTF16BE. */
int amalgam_encoding(sqlite3 *db);

/* Makes the current operation of the connection fail as if memory were exhausted. */
void amalgam_out_of_memory(sqlite3 *db);

/* Whether SQLite counts the memory that it allocates. */
int amalgam_counts_memory(void);

/* Calls sqlite3_config(SQLITE_CONFIG_MEMSTATUS, …). Call it only before the library is initialized. */
int amalgam_config_count_memory(int on);

#ifdef __cplusplus
}
#endif
#endif
