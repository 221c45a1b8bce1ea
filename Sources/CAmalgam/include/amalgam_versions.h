/*
** Snapshots of a database in WAL mode: recording the snapshot that a transaction sees, the order of snapshots, and
** reading earlier snapshots. The names in this file call a snapshot a version.
*/
#ifndef AMALGAM_VERSIONS_H
#define AMALGAM_VERSIONS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The size of a record of a snapshot. A record has the content of a sqlite3_snapshot. */
#define AMALGAM_VERSION_SIZE 48

/*
** Records the snapshot of the main database that a connection sees. Inside a transaction, this is the snapshot of the
** transaction. If the transaction hasn't read yet, it begins to read, with a lock that prevents the snapshot from being
** overwritten. Outside of a transaction, the snapshot is that of the last commit.
**
** SQLITE_NOTFOUND: the database isn't in WAL mode. SQLITE_MISUSE: the transaction writes.
*/
int amalgam_version_take(sqlite3 *db, void *record);

/*
** Records the snapshot that a connection has just committed, even if other connections have committed since. The
** function reads no file, and takes no lock.
**
** SQLITE_NOTFOUND: the database isn't in WAL mode, or the connection no longer knows its snapshot, for example after a
** checkpoint that has found a commit of another connection.
*/
int amalgam_version_of_commit(sqlite3 *db, void *record);

/* How a snapshot is opened. */
enum {
    /* The snapshot isn't overwritten before the transaction ends, and other connections can open it as well. */
    AMALGAM_VERSION_HELD,
    /*
    ** Opens the snapshot for this transaction only. If nothing was written since the snapshot, the transaction takes
    ** the locks of an ordinary read. Other connections may be unable to open the snapshot.
    */
    AMALGAM_VERSION_READ,
    /*
    ** The snapshot is completely in the database file, and the transaction of another connection prevents changes of
    ** the file: see amalgam_version_is_in_file(). The snapshot can be opened even if the WAL file was restarted since.
    */
    AMALGAM_VERSION_IN_FILE,
};

/*
** Makes the transaction of a connection see a snapshot. The transaction must not have read yet.
**
** SQLITE_ERROR_SNAPSHOT: the snapshot no longer exists. SQLITE_BUSY: a checkpoint takes longer than the busy handler
** waits. SQLITE_MISUSE: the transaction has already read.
*/
int amalgam_version_open(sqlite3 *db, const void *record, int mode);

/*
** In a transaction, begins to read the attached databases in WAL mode, so that the transaction sees their snapshots of
** now. SQLite would begin when a statement reads them. Other databases aren't locked: that would block their writers.
** Errors are ignored, because a statement that reads the database reports them.
*/
void amalgam_version_begin_attached(sqlite3 *db);

/*
** Whether the transaction of a connection sees the database file only, and no frame of the WAL file. The transaction
** must have read. While it is open, no checkpoint changes the database file, but the WAL file may be restarted.
*/
int amalgam_version_is_in_file(sqlite3 *db);

/*
** Moves a read transaction to another snapshot. No statement may be running. No checkpoint can begin during the move,
** so all snapshots that are newer than the current one are available. Waits up to a second for a running checkpoint.
*/
int amalgam_version_advance(sqlite3 *db, const void *record);

/*
** Compares two snapshots of the same file: returns -1 if the first one is older, 0 if they are equal, 1 if it is newer.
** AMALGAM_VERSION_UNKNOWN: SQLite can't determine the order.
**
** sqlite3_snapshot_cmp can't be used. A restart of the WAL file increments a salt in the WAL header, a big-endian
** number. SQLite's function compares salts in the byte order of the machine: on most machines, one restart in 256 seems
** to lead to an older snapshot. It also orders salts that are random, and considers the content changed if a checkpoint
** has only emptied the WAL file.
*/
#define AMALGAM_VERSION_UNKNOWN 2
int amalgam_version_order(const void *record, const void *other);

/* The number of frames of the WAL file that a snapshot includes: 0 if the whole snapshot is in the database file. */
uint32_t amalgam_version_frame_count(const void *record);

/* The number of commits up to a snapshot since the index of the WAL file was created. */
uint32_t amalgam_version_commit_count(const void *record);

/* Whether a record is of a WAL file with a commit. Without a commit, snapshots can't be distinguished. */
int amalgam_version_is_known(const void *record);

/* A hash of the path of the main database file. Different paths almost certainly have different hashes. */
uint64_t amalgam_version_file(sqlite3 *db);

#ifdef __cplusplus
}
#endif
#endif
