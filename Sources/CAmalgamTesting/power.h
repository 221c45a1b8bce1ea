/* The log of a disk, for the VFS that fills it, and the computation of a crash that reads it. */
#ifndef AMALGAM_POWER_PRIVATE_H
#define AMALGAM_POWER_PRIVATE_H

/* Without SQLite, this target compiles to nothing: the error of CAmalgam says what to do. */
#if __has_include("../../vendor/sqlite/sqlite3.h")
#define AMALGAM_POWER_HAVE_SQLITE 1

#include "CAmalgam.h"
#include "amalgam_power.h"

/* A file, from its creation on. A different file may have its name after it was deleted. */
typedef struct amalgam_power_file amalgam_power_file;

struct amalgam_power_file {
    amalgam_power_file *next;
    int index; /* in the order of creation */
    char *name; /* without the folder */
    int exists; /* has its name now */
    int is_old; /* was there before the log started */
    unsigned char *content; /* of an old file, before the log started */
    int64_t size;
};

typedef struct {
    amalgam_power_operation operation;
    amalgam_power_file *file; /* NULL for a sync of the folder */
    int64_t offset;
    int64_t size;
    unsigned char *content; /* of a write */
} amalgam_power_record;

struct amalgam_power_disk {
    amalgam_power_disk *next;
    int64_t references; /* one for the creator, and one for each open file */
    char *folder; /* ends with a slash */
    amalgam_power_file *files;
    int file_count;
    amalgam_power_record *records;
    int64_t count, capacity;
    int64_t syncs, dropped_sync;
};

/* A mutex around all disks. */
void amalgam_power_lock(void);
void amalgam_power_unlock(void);

/* The functions below are called with the mutex. */

void amalgam_power_retain(amalgam_power_disk *);
void amalgam_power_release(amalgam_power_disk *);

/* The disk whose folder a path is in, or NULL. */
amalgam_power_disk *amalgam_power_disk_of(const char *path);

/* The file with this name, or NULL. */
amalgam_power_file *amalgam_power_file_named(amalgam_power_disk *, const char *path);

/* Adds a file that is new, or was there before the log started. The name ends with the path's last component. */
amalgam_power_file *amalgam_power_file_add(amalgam_power_disk *, const char *path, int is_old);

void amalgam_power_log(
    amalgam_power_disk *, amalgam_power_operation, amalgam_power_file *, const void *content, int64_t size, int64_t offset);

/* Counts a sync. Returns whether it is to be logged. */
int amalgam_power_counts_sync(amalgam_power_disk *);

#endif
#endif
