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
** Copies the first `count` pages of a schema to `bytes`, which must have room for them. The caller must have a read
** transaction on the schema. If a page can't be read, sqlite3_serialize returns zeros, but this function returns the
** error.
*/
int amalgam_copy_pages(sqlite3 *db, const char *schema, uint8_t *bytes, int count);

/*
** Removes all content of the main database, and increases its schema version, in one transaction. The caller must have read
** the database, and be in no transaction. The page size, the reserved bytes, and the journal mode don't change.
*/
int amalgam_erase(sqlite3 *db);

/*
** Calls sqlite3_deserialize, which frees SQLite's object of the schema, and erases all pointers to it first: statements
** that use a table-valued function or a temporary trigger would read the freed memory. Also resets a state that SQLite
** leaves after a failure for an attached schema. With this state, CREATE TABLE without a schema name would create tables
** in the attached schema, or crash.
*/
int amalgam_deserialize(sqlite3 *db, const char *schema, uint8_t *bytes, int64_t size, unsigned int flags);

/*
** The number of frames at which SQLite checkpoints the WAL file automatically; 0 if it doesn't; -1 if the slot of the
** WAL hook contains a hook other than SQLite's own.
*/
int amalgam_wal_autocheckpoint(sqlite3 *db);

/*
** Sets a pointer to a flag. Before an automatic checkpoint at the end of a commit, the connection reads the flag, and
** skips the checkpoint if the flag isn't 0. Any thread may write the flag, atomically. The flag must exist until the
** pointer is set to NULL. Returns SQLITE_NOMEM if the pointer wasn't set.
*/
int amalgam_set_suspension(sqlite3 *db, const int32_t *is_suspended);

/*
** Calls the WAL hook after a commit that was made by closing a blob handle or resetting a statement. SQLite calls the
** hook itself only in sqlite3_step.
*/
int amalgam_wal_notify(sqlite3 *db);

/* Calls sqlite3_wal_checkpoint_v2 with any busy handler disabled, so it doesn't wait for locks. */
int amalgam_checkpoint_now(sqlite3 *db, const char *schema, int mode, int *frames, int *checkpointed);

/*
** The number of frames in the WAL file of a schema, the number of checkpointed frames, the page size, and the salts: the bytes
** 16 to 23 of the file's header, which change when SQLite writes to the file from its start again.
*/
typedef struct amalgam_wal_state {
    uint32_t frames;
    uint32_t checkpointed;
    uint32_t page_size;
    uint8_t salts[8];
} amalgam_wal_state;

/*
** Reads the state after the last commit of any process from the shared WAL index, without a lock. Returns 0 if the
** schema isn't in WAL mode, or if the connection hasn't opened its WAL file yet.
*/
int amalgam_wal_get_state(sqlite3 *db, const char *schema, amalgam_wal_state *state);

/* The size in bytes of the WAL file that the connection has open; -1 if there is none. */
int64_t amalgam_wal_file_size(sqlite3 *db, const char *schema);

/* A lock on a snapshot of the database that may block a checkpoint, or a restart of the WAL file. */
typedef struct {
    /* The connection of this process that holds the lock: see amalgam_wal_connection. 0 for another process. */
    uintptr_t connection;
    /* The other process that holds the lock; 0 for a connection of this process. */
    int32_t process;
    /* The last frame that the reader sees: https://sqlite.org/walformat.html#wal_read_marks. */
    uint32_t mark;
    /* Whether the lock prevents copying all frames or, if all are copied, restarting the WAL file. */
    int is_in_the_way;
} amalgam_wal_holder;

/*
** Writes at most `capacity` locks on snapshots of the database to `holders`. Returns the number of locks, or -1 if the
** VFS isn't SQLite's own for Unix.
*/
int amalgam_wal_holders(sqlite3 *db, const char *schema, amalgam_wal_holder *holders, int capacity);

/* Identifies a connection in the result of amalgam_wal_holders; 0 before its first read in WAL mode. */
uintptr_t amalgam_wal_connection(sqlite3 *db, const char *schema);

/* The identity of a file, which stays the same when the file is renamed. */
typedef struct amalgam_file_identity {
    uint64_t device;
    uint64_t number;
} amalgam_file_identity;

/*
** Asks the system for the identity of the file that a schema has open, through SQLite's descriptor. Returns 0 if the
** schema has no file, or if its VFS isn't SQLite's own for Unix.
*/
int amalgam_file_identify(sqlite3 *db, const char *schema, amalgam_file_identity *identity);

/* Whether a backup reads a schema of the connection, which can't be closed then. */
int amalgam_is_backup_source(sqlite3 *db);

/*
** Checks the pages of a schema, as the first part of PRAGMA integrity_check does: all pages belong to one table or index
** each, or are free, and their content is well-formed. Unlike the pragma, it needs no function, collation or module of the
** schema. The connection must have read the schema in a transaction that is open. Free the problems, one a line, with
** sqlite3_free. They are NULL if there are none.
*/
int amalgam_check_pages(sqlite3 *db, const char *schema, int limit, char **problems);

/* Whether all files, including attached ones, are in WAL mode, so that reading takes no lock that blocks writers. */
int amalgam_is_in_wal_mode(sqlite3 *db);

/* The encoding of TEXT values: SQLITE_UTF8, SQLITE_UTF16LE or SQLITE_UTF16BE. */
int amalgam_encoding(sqlite3 *db);

/*
** Makes SQLite read the text encoding of the main database again, with the schemas. The connection must be in autocommit
** mode, and run no statement.
*/
void amalgam_forget_encoding(sqlite3 *db);

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
