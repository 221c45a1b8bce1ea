/*
** A disk for tests: a VFS whose operations fail as planned, and whose space is limited. All functions may be called by
** several threads at once.
*/
#ifndef AMALGAM_DISK_H
#define AMALGAM_DISK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct amalgam_disk amalgam_disk;

/* A disk on which nothing fails. NULL if there isn't enough memory, or SQLite can't be initialized. */
amalgam_disk *amalgam_disk_create(void);

/* The disk lives until its last file is closed. */
void amalgam_disk_release(amalgam_disk *);

/* The name of the VFS. */
const char *amalgam_disk_name(const amalgam_disk *);

/*
** Plans failures: the n-th of these operations on these files fails (1 is the next one, 0 for none), and with `persists`
** all following ones. `code` is the result code of the operation, 0 for the usual one. With `tears`, failing writes leave
** half of their bytes in the file, and failing reads return half of theirs. Resets the counts.
*/
void amalgam_disk_plan(
    amalgam_disk *, uint32_t operations, uint32_t files, int64_t n, int persists, int code, int tears);

/* The operations of the plan since it was made. */
int64_t amalgam_disk_operation_count(amalgam_disk *);

/* The operations that have failed since the plan was made, also for want of space. */
int64_t amalgam_disk_failure_count(amalgam_disk *);

/* The bytes by which files can grow; -1 for no limit. */
int64_t amalgam_disk_free_bytes(amalgam_disk *);
void amalgam_disk_set_free_bytes(amalgam_disk *, int64_t);

#ifdef __cplusplus
}
#endif
#endif
