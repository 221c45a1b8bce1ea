/* The log of a disk, for the VFS that fills it, and the computation of a crash that reads it. */
#ifndef AMALGAM_POWER_PRIVATE_H
#define AMALGAM_POWER_PRIVATE_H

/* Without SQLite, this target compiles to nothing: the error of CAmalgam says what to do. */
#if __has_include("../../vendor/sqlite/sqlite3.h")
#define AMALGAM_POWER_HAVE_SQLITE 1

#include "CAmalgam.h"
#include "CPower.h"

/* A file, from its creation on. A different file may have its name after it was deleted. */
typedef struct power_file power_file;

struct power_file {
    power_file *next;
    int index; /* in the order of creation */
    char *name; /* without the folder */
    int exists; /* has its name now */
    int is_old; /* was there before the log started */
    unsigned char *content; /* of an old file, before the log started */
    int64_t size;
};

typedef struct {
    power_operation operation;
    power_file *file; /* NULL for a sync of the folder */
    int64_t offset;
    int64_t size;
    unsigned char *content; /* of a write */
} power_record;

struct power_disk {
    power_disk *next;
    char *folder; /* ends with a slash */
    power_file *files;
    int file_count;
    power_record *records;
    int64_t count, capacity;
    int64_t syncs, dropped_sync;
};

/* A mutex around all disks. */
void power_lock(void);
void power_unlock(void);

/* The functions below are called with the mutex. */

/* The disk whose folder a path is in, or NULL. */
power_disk *power_disk_of(const char *path);

/* The file with this name, or NULL. */
power_file *power_file_named(power_disk *, const char *path);

/* Adds a file that is new, or was there before the log started. The name ends with the path's last component. */
power_file *power_file_add(power_disk *, const char *path, int is_old);

void power_log(power_disk *, power_operation, power_file *, const void *content, int64_t size, int64_t offset);

/* Counts a sync. Returns whether it is to be logged. */
int power_counts_sync(power_disk *);

#endif
#endif
