/* The plan and the space of a disk. The mutex guards all of its state but the VFS, which never changes. */
#include "amalgam_disk.h"

#if __has_include("../../vendor/sqlite/sqlite3.h")
#include "CAmalgam.h"
#include "amalgam_intercepted_files.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

struct amalgam_disk {
    amalgam_intercepting_vfs *vfs;
    sqlite3_mutex *mutex;
    uint32_t operations;
    uint32_t files;
    int64_t n;
    int persists;
    int code;
    int tears;
    int64_t calls;
    int64_t failures;
    int64_t free_bytes; /* -1 for no limit */
};

static int strikes(amalgam_disk *disk, const amalgam_file_call *call) {
    if ((disk->operations & call->operation) == 0 || (disk->files & call->kind) == 0) return 0;
    disk->calls++;
    return disk->n > 0 && (disk->calls == disk->n || (disk->persists && disk->calls > disk->n));
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* A write on a disk with a limit. As with a real file system, the bytes that fit are written. */
static int claim_space(amalgam_disk *disk, amalgam_file_call *call) {
    int64_t size = amalgam_file_size(call);
    int64_t growth = larger(0, call->offset + call->count - size);
    if (growth <= disk->free_bytes) {
        disk->free_bytes -= growth;
        return SQLITE_OK;
    }
    int64_t fitting = call->count - (growth - disk->free_bytes);
    if (fitting > 0) {
        call->transferred = (int)fitting;
        disk->free_bytes = 0;
    }
    disk->failures++;
    return SQLITE_FULL;
}

static int64_t size_of_path(const char *path) {
    struct stat status;
    return path != 0 && stat(path, &status) == 0 ? (int64_t)status.st_size : 0;
}

static int account(amalgam_disk *disk, amalgam_file_call *call) {
    switch (call->operation) {
    case AMALGAM_FILE_WRITE:
        return claim_space(disk, call);
    case AMALGAM_FILE_TRUNCATE:
        disk->free_bytes += larger(0, amalgam_file_size(call) - call->offset);
        return SQLITE_OK;
    case AMALGAM_FILE_DELETE:
        disk->free_bytes += size_of_path(call->path);
        return SQLITE_OK;
    case AMALGAM_FILE_CLOSE:
        if (call->deletes_on_close) disk->free_bytes += amalgam_file_size(call);
        return SQLITE_OK;
    case AMALGAM_FILE_SIZE_HINT:
        /* The default VFS would grow the file, in chunks. */
        return SQLITE_FULL;
    default:
        return SQLITE_OK;
    }
}

static int before(void *context, amalgam_file_call *call) {
    amalgam_disk *disk = context;
    int code = SQLITE_OK;
    sqlite3_mutex_enter(disk->mutex);
    if (strikes(disk, call)) {
        disk->failures++;
        code = disk->code ? disk->code : call->usual_code;
        if (disk->tears) call->transferred = call->count / 2;
    } else if (disk->free_bytes >= 0) {
        code = account(disk, call);
    }
    sqlite3_mutex_leave(disk->mutex);
    return code;
}

static void destroy(void *context) {
    amalgam_disk *disk = context;
    sqlite3_mutex_free(disk->mutex);
    sqlite3_free(disk);
}

amalgam_disk *amalgam_disk_create(void) {
    static _Atomic int64_t last_number;
    if (sqlite3_initialize() != SQLITE_OK) return 0;
    amalgam_disk *disk = sqlite3_malloc64(sizeof *disk);
    if (disk == 0) return 0;
    memset(disk, 0, sizeof *disk);
    disk->free_bytes = -1;
    disk->mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST);
    char name[64];
    sqlite3_snprintf(
        sizeof name, name, "amalgam-disk-%lld", (long long)atomic_fetch_add(&last_number, 1) + 1);
    amalgam_interceptor interceptor = {.before = before, .destroy = destroy};
    disk->vfs = amalgam_intercepting_vfs_create(name, interceptor, disk, 0);
    if (disk->mutex != 0 && disk->vfs != 0) return disk;
    if (disk->vfs != 0) {
        amalgam_intercepting_vfs_release(disk->vfs);
    } else {
        destroy(disk);
    }
    return 0;
}

void amalgam_disk_release(amalgam_disk *disk) { amalgam_intercepting_vfs_release(disk->vfs); }

const char *amalgam_disk_name(const amalgam_disk *disk) { return amalgam_intercepting_vfs_name(disk->vfs); }

void amalgam_disk_plan(
    amalgam_disk *disk, uint32_t operations, uint32_t files, int64_t n, int persists, int code, int tears
) {
    sqlite3_mutex_enter(disk->mutex);
    disk->operations = operations;
    disk->files = files;
    disk->n = n;
    disk->persists = persists;
    disk->code = code;
    disk->tears = tears;
    disk->calls = 0;
    disk->failures = 0;
    sqlite3_mutex_leave(disk->mutex);
}

/* Reads a number of the state. */
static int64_t number(amalgam_disk *disk, const int64_t *number) {
    sqlite3_mutex_enter(disk->mutex);
    int64_t value = *number;
    sqlite3_mutex_leave(disk->mutex);
    return value;
}

int64_t amalgam_disk_operation_count(amalgam_disk *disk) { return number(disk, &disk->calls); }
int64_t amalgam_disk_failure_count(amalgam_disk *disk) { return number(disk, &disk->failures); }
int64_t amalgam_disk_free_bytes(amalgam_disk *disk) { return number(disk, &disk->free_bytes); }

void amalgam_disk_set_free_bytes(amalgam_disk *disk, int64_t bytes) {
    sqlite3_mutex_enter(disk->mutex);
    disk->free_bytes = bytes < 0 ? -1 : bytes;
    sqlite3_mutex_leave(disk->mutex);
}

#endif
