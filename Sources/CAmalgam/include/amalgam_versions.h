/*
** Snapshots of a database in WAL mode: records of what a transaction sees, their order, and reads of earlier snapshots.
** The names in this file call a snapshot a version.
*/
#ifndef AMALGAM_VERSIONS_H
#define AMALGAM_VERSIONS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The size of a record: that of a sqlite3_snapshot, which opens the snapshot again. */
#define AMALGAM_VERSION_SIZE 48

/*
** Records the snapshot of the main database that a connection sees. Inside a transaction, it is that of the
** transaction. If the transaction hasn't read yet, it begins to read, in a way that prevents the snapshot from being
** overwritten. Outside of a transaction, the snapshot is the last commit.
**
** SQLITE_NOTFOUND: the database isn't in WAL mode. SQLITE_MISUSE: the transaction writes.
*/
int amalgam_version_take(sqlite3 *db, void *record);

/*
** Records the snapshot that a connection has just committed, even if other connections have committed since. It reads
** nothing, and takes no lock.
**
** SQLITE_NOTFOUND: the database isn't in WAL mode, or the connection no longer knows its snapshot, as after a
** checkpoint that has found a commit of another connection.
*/
int amalgam_version_of_commit(sqlite3 *db, void *record);

/* How a snapshot is opened. */
enum {
    /* The snapshot isn't overwritten before the transaction ends, and other connections can open it as well. */
    AMALGAM_VERSION_HELD,
    /*
    ** For this transaction only. If nothing was written since, it takes the locks of an ordinary read. Other
    ** connections may find that the snapshot is lost.
    */
    AMALGAM_VERSION_READ,
    /*
    ** The snapshot is completely in the database file, and another connection keeps it there: see
    ** amalgam_version_is_in_file(). It can be opened even if the WAL file was restarted since.
    */
    AMALGAM_VERSION_IN_FILE,
};

/*
** Makes the transaction of a connection, which has read nothing yet, see a snapshot.
**
** SQLITE_ERROR_SNAPSHOT: the snapshot no longer exists. SQLITE_BUSY: a checkpoint takes longer than the busy handler
** waits. SQLITE_MISUSE: the transaction has read.
*/
int amalgam_version_open(sqlite3 *db, const void *record, int mode);

/*
** Whether the transaction of a connection, which has read, sees the database file and no frame of the WAL file. While
** it is open, no checkpoint changes the file, but the WAL file may be restarted.
*/
int amalgam_version_is_in_file(sqlite3 *db);

/*
** Moves a read transaction, in which no statement runs, to another snapshot. No checkpoint can begin during the move,
** so a snapshot that comes after the current one isn't lost. Waits up to a second for a running checkpoint.
*/
int amalgam_version_advance(sqlite3 *db, const void *record);

/*
** Whether a snapshot is older than another one of the same file (-1), the same (0), or newer (1).
** AMALGAM_VERSION_UNKNOWN: SQLite can't determine the order.
**
** sqlite3_snapshot_cmp can't be used. It compares the salts of the WAL headers, which grow by one in big-endian order,
** in the byte order of the machine: on most machines, one restart of the WAL file in 256 looks like a step back. It
** orders salts that have no order, and considers the same content changed if a checkpoint has emptied the WAL file.
*/
#define AMALGAM_VERSION_UNKNOWN 2
int amalgam_version_order(const void *record, const void *other);

/* The number of frames of the WAL file in a snapshot: 0 if all of it is in the database file. */
uint32_t amalgam_version_frame_count(const void *record);

/* The number of commits up to a snapshot since the index of the WAL file was created. */
uint32_t amalgam_version_commit_count(const void *record);

/* Whether a commit to the WAL file is known. Without one, snapshots can't be distinguished. */
int amalgam_version_is_known(const void *record);

/*
** A hash that identifies the main database file of a connection. Different files almost certainly have different
** hashes.
*/
uint64_t amalgam_version_file(sqlite3 *db);

#ifdef __cplusplus
}
#endif
#endif
