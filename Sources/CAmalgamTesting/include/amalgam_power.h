/*
** A disk that loses power, for tests.
**
** `amalgam_power_install` registers a VFS over the default one. It logs what SQLite does to the files in the folder of an
** `amalgam_power_disk`: creations, writes, truncations, syncs and deletions. SQLite doesn't rename files. Nothing is
** synced to the real disk. Files elsewhere use the methods of the real VFS, and so do temporary files and the shared
** memory of a WAL file, which no crash keeps.
**
** `amalgam_power_disk_crash` computes a state in which a power failure after any entry of the log may leave the files, and
** writes the state into a folder:
**
** - What a file was given before its last sync is there.
** - Later writes to the file are there or not, each by itself, in part (by sectors), and in any order. Later changes of
**   its length may be missing, too. A part of the file that is inside of its length, but was never written, holds zeros
**   or random bytes. A write doesn't change the bytes next to it, as SQLite assumes (SQLITE_POWERSAFE_OVERWRITE).
** - A file is in its folder, or isn't any more, when the folder was synced since. Before, the old entry may be there.
**
** A sync of a file isn't a sync of its folder. The log has both where SQLite's VFS for Unix does both. All functions may
** be called by several threads at once.
*/
#ifndef AMALGAM_POWER_H
#define AMALGAM_POWER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct amalgam_power_disk amalgam_power_disk;

typedef enum {
    AMALGAM_POWER_CREATE,
    AMALGAM_POWER_WRITE,
    AMALGAM_POWER_TRUNCATE,
    AMALGAM_POWER_SYNC,
    AMALGAM_POWER_DELETE,
    AMALGAM_POWER_SYNC_FOLDER,
} amalgam_power_operation;

/* An entry of the log. `name` is valid until the disk is freed, and is empty for AMALGAM_POWER_SYNC_FOLDER. */
typedef struct {
    amalgam_power_operation operation;
    const char *name;
    int64_t offset; /* of a write; the new length of a truncation */
    int64_t size;   /* of a write, in bytes */
} amalgam_power_entry;

/* What happens to operations that weren't synced. */
typedef enum {
    /* All are lost. */
    AMALGAM_POWER_LOSES_ALL,
    /* All are kept, as when only the process ends. */
    AMALGAM_POWER_KEEPS_ALL,
    /* Those before a random one are kept; this one is torn, and later ones are lost. No disk promises this. */
    AMALGAM_POWER_KEEPS_ORDER,
    /* Each is kept or lost. */
    AMALGAM_POWER_REORDERS,
    /* Each sector of each write is kept or lost. */
    AMALGAM_POWER_TEARS,
    /* Those of some files are kept, those of others are lost. */
    AMALGAM_POWER_CHOOSES_FILES,
    /* One is lost, others are kept; or one is kept, others are lost. */
    AMALGAM_POWER_CHOOSES_ONE,
    /* Any behavior above, by the seed. */
    AMALGAM_POWER_ANY,
} amalgam_power_behavior;

/* Registers the VFS, once, and makes it the default one if `is_default` is true. Returns a result code of SQLite. */
int amalgam_power_install(int is_default);

/* The name of the VFS. */
const char *amalgam_power_vfs_name(void);

/*
** Starts a log for a folder: an absolute path without symbolic links. Files that are in the folder count as synced. No
** connection has them open. Earlier logs of the folder get no more entries.
*/
amalgam_power_disk *amalgam_power_disk_create(const char *folder);

/* Ends the log. Its memory lives until its last file is closed. */
void amalgam_power_disk_free(amalgam_power_disk *);

/* The number of entries of the log. */
int64_t amalgam_power_disk_count(amalgam_power_disk *);

/* Returns the entry at an index below `amalgam_power_disk_count`. */
amalgam_power_entry amalgam_power_disk_entry(amalgam_power_disk *, int64_t index);

/* The number of syncs that SQLite has asked for, those of folders included. */
int64_t amalgam_power_disk_syncs(amalgam_power_disk *);

/*
** Leaves the n-th sync out of the log, from the start of the log: the caller is told that it has succeeded. 0 for none.
*/
void amalgam_power_disk_drop_sync(amalgam_power_disk *, int64_t n);

/*
** Writes a state after a crash into an empty folder: the first `count` entries have happened. The state depends on the
** log, the behavior and the seed only. Returns 0 or an errno.
*/
int amalgam_power_disk_crash(
    amalgam_power_disk *, int64_t count, amalgam_power_behavior behavior, uint64_t seed, const char *folder);

/* Adds bytes to a hash, which is FNV-1a: the first hash is 0xcbf29ce484222325. */
uint64_t amalgam_power_hash(uint64_t hash, const void *bytes, int64_t size);

#ifdef __cplusplus
}
#endif
#endif
