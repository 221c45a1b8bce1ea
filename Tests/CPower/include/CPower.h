/*
** A disk that loses power, for tests.
**
** `power_install` registers a VFS over the default one. It logs what SQLite does to the files in the folder of a
** `power_disk`: creations, writes, truncations, syncs and deletions. Nothing is synced to the real disk. Files elsewhere
** use the methods of the real VFS, and so do temporary files and the shared memory of a WAL file, which no crash keeps.
**
** `power_disk_crash` computes a state in which a power failure after any entry of the log may leave the files, and
** writes the state into a folder:
**
** - What a file was given before its last sync is there.
** - Later writes to the file are there or not, each by itself, in part (by sectors), and in any order. Later changes of
**   its length may be missing, too. A part of the file that is inside of its length, but was never written, holds zeros
**   or random bytes.
** - A file is in its folder, or isn't any more, when the folder was synced since. Before, the old entry may be there.
**
** A sync of a file isn't a sync of its folder. The log has both where SQLite's VFS for Unix does both.
*/
#ifndef AMALGAM_CPOWER_H
#define AMALGAM_CPOWER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct power_disk power_disk;

typedef enum {
    POWER_CREATE,
    POWER_WRITE,
    POWER_TRUNCATE,
    POWER_SYNC,
    POWER_DELETE,
    POWER_SYNC_FOLDER,
} power_operation;

/* An entry of the log. `name` is valid until the disk is freed, and is the empty string for POWER_SYNC_FOLDER. */
typedef struct {
    power_operation operation;
    const char *name;
    int64_t offset; /* of a write; the new length of a truncation */
    int64_t size;   /* of a write, in bytes */
} power_entry;

/* What happens to operations that weren't synced. */
typedef enum {
    /* All are lost. */
    POWER_LOSES_ALL,
    /* All are kept, as when only the process ends. */
    POWER_KEEPS_ALL,
    /* Those before a random one are kept; this one is torn, and later ones are lost. No disk promises this. */
    POWER_KEEPS_ORDER,
    /* Each is kept or lost. */
    POWER_REORDERS,
    /* Each sector of each write is kept or lost. */
    POWER_TEARS,
    /* Those of some files are kept, those of others are lost. */
    POWER_CHOOSES_FILES,
    /* One is lost, others are kept; or one is kept, others are lost. */
    POWER_CHOOSES_ONE,
    /* Any behavior above, by the seed. */
    POWER_ANY,
} power_behavior;

/* Registers the VFS as the default one, once. Returns a result code of SQLite. */
int power_install(void);

/*
** Starts a log for a folder: an absolute path without symbolic links. Files that are in the folder count as synced. No
** connection has them open. Earlier logs of the folder get no more entries.
*/
power_disk *power_disk_create(const char *folder);

/* Ends the log. All connections to files of the folder are closed by then. */
void power_disk_free(power_disk *);

/* The number of entries of the log. */
int64_t power_disk_count(power_disk *);

/* Returns the entry at an index below `power_disk_count`. */
power_entry power_disk_entry(power_disk *, int64_t index);

/* The number of syncs that SQLite has asked for, those of folders included. */
int64_t power_disk_syncs(power_disk *);

/* Leaves the n-th sync out of the log, from the start of the log: the caller is told that it has succeeded. 0 for none. */
void power_disk_drop_sync(power_disk *, int64_t n);

/*
** Writes a state after a crash into an empty folder: the first `count` entries have happened. The state depends on the
** log, the behavior and the seed only. Returns 0 or an errno.
*/
int power_disk_crash(power_disk *, int64_t count, power_behavior behavior, uint64_t seed, const char *folder);

/* Adds bytes to a hash, which is FNV-1a: the first hash is 0xcbf29ce484222325. */
uint64_t power_hash(uint64_t hash, const void *bytes, int64_t size);

#ifdef __cplusplus
}
#endif
#endif
