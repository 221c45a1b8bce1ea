/*
** Versions of a database in WAL mode: what a transaction sees, compared with what another one sees.
*/
#ifndef AMALGAM_VERSIONS_H
#define AMALGAM_VERSIONS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The size of a record: that of a sqlite3_snapshot, which opens the version again. */
#define AMALGAM_VERSION_SIZE 48

/*
** Records the version of the main database that a connection sees. Inside a transaction it is the transaction's,
** which begins to read if it has not yet, in a way that keeps the version from being overwritten; outside of one, it is
** the last commit.
**
** SQLITE_NOTFOUND: the database is not in WAL mode. SQLITE_MISUSE: the transaction writes.
*/
int amalgam_version_take(sqlite3 *db, void *record);

/*
** Records the version that a connection has just committed, also when others have committed since. It reads nothing, and takes
** no lock.
**
** SQLITE_NOTFOUND: the database is not in WAL mode, or the connection has forgotten its version, as after a checkpoint
** that has found a commit of others.
*/
int amalgam_version_of_commit(sqlite3 *db, void *record);

/* How a version is opened. */
enum {
    /* So that it is not overwritten before the transaction ends, and others can open it as well. */
    AMALGAM_VERSION_HELD,
    /*
    ** For this transaction only: while nothing was written since, it takes the locks of an ordinary read. Others may find the
    ** version lost meanwhile.
    */
    AMALGAM_VERSION_READ,
    /*
    ** All of the version is in the database file, and somebody keeps it there: see amalgam_version_is_in_file(). It can be
    ** opened then although the WAL file was begun anew since.
    */
    AMALGAM_VERSION_IN_FILE,
};

/*
** Lets the transaction of a connection, which has read nothing yet, see a version.
**
** SQLITE_ERROR_SNAPSHOT: the version is gone. SQLITE_BUSY: a checkpoint runs for longer than the busy handler waits.
** SQLITE_MISUSE: the transaction has read.
*/
int amalgam_version_open(sqlite3 *db, const void *record, int mode);

/*
** Whether the transaction of a connection, which has read, sees the database file and no frame of the WAL file. As long
** as it is open, no checkpoint changes the file, but the WAL file may be begun anew.
*/
int amalgam_version_is_in_file(sqlite3 *db);

/*
** Goes on to another version in a transaction that reads, in which no statement runs. Meanwhile no checkpoint can begin, so
** that a version which comes after the one of the transaction is not lost. Waits up to a second for a checkpoint under way.
*/
int amalgam_version_advance(sqlite3 *db, const void *record);

/*
** Whether a version is older than another one of the same file (-1), the same (0), or newer (1).
** AMALGAM_VERSION_UNKNOWN: SQLite has no way to tell.
**
** sqlite3_snapshot_cmp cannot be used. It compares the salts of the WAL headers, which grow by one in big-endian order,
** in the order of the machine: on most machines, one restart of the WAL file in 256 looks like a step back. It takes
** salts that have no order for ordered, and the same content for changed when a checkpoint has emptied the WAL file.
*/
#define AMALGAM_VERSION_UNKNOWN 2
int amalgam_version_order(const void *record, const void *other);

/* How many frames of the WAL file a version is made of: none when all of it is in the database file. */
uint32_t amalgam_version_frame_count(const void *record);

/* How many commits were counted, in this version, since the index of the WAL file was made. */
uint32_t amalgam_version_commit_count(const void *record);

/* Whether a commit to the WAL file is known. Without one, nothing tells a version from another one. */
int amalgam_version_is_known(const void *record);

/* A number for the main database file of a connection. Different files have different numbers, as good as always. */
uint64_t amalgam_version_file(sqlite3 *db);

#ifdef __cplusplus
}
#endif
#endif
