/* A VFS over the default one, which logs what is done to the files of a disk, and syncs nothing. */
#include "power.h"
#ifdef AMALGAM_POWER_HAVE_SQLITE

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    sqlite3_file base;
    amalgam_power_disk *disk;
    amalgam_power_file *file;
    int syncs_folder;   /* the next sync is also one of the folder, as UNIXFILE_DIRSYNC of SQLite */
    sqlite3_file *real; /* in the memory after this struct */
} logged_file;

static sqlite3_vfs shim;
static sqlite3_vfs *real_vfs;

static sqlite3_file *real(sqlite3_file *file) { return ((logged_file *)file)->real; }

/* ---- Files -------------------------------------------------------------------------------- */

static int file_close(sqlite3_file *file) {
    int code = real(file)->pMethods->xClose(real(file));
    file->pMethods = 0;
    amalgam_power_lock();
    amalgam_power_release(((logged_file *)file)->disk);
    amalgam_power_unlock();
    return code;
}

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), buffer, count, offset);
}

static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    logged_file *self = (logged_file *)file;
    amalgam_power_lock();
    int code = self->real->pMethods->xWrite(self->real, buffer, count, offset);
    if (code == SQLITE_OK) amalgam_power_log(self->disk, AMALGAM_POWER_WRITE, self->file, buffer, count, offset);
    amalgam_power_unlock();
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    logged_file *self = (logged_file *)file;
    amalgam_power_lock();
    int code = self->real->pMethods->xTruncate(self->real, size);
    if (code == SQLITE_OK) amalgam_power_log(self->disk, AMALGAM_POWER_TRUNCATE, self->file, 0, 0, size);
    amalgam_power_unlock();
    return code;
}

static int file_sync(sqlite3_file *file, int flags) {
    (void)flags;
    logged_file *self = (logged_file *)file;
    amalgam_power_lock();
    if (amalgam_power_counts_sync(self->disk)) amalgam_power_log(self->disk, AMALGAM_POWER_SYNC, self->file, 0, 0, 0);
    if (self->syncs_folder && amalgam_power_counts_sync(self->disk)) amalgam_power_log(self->disk, AMALGAM_POWER_SYNC_FOLDER, 0, 0, 0, 0);
    self->syncs_folder = 0;
    amalgam_power_unlock();
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }

static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int file_is_reserved(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int file_shm_map(sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
    return real(file)->pMethods->xShmMap(real(file), region, size, extends, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int file_shm_unmap(sqlite3_file *file, int deletes) {
    return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
    return real(file)->pMethods->xFetch(real(file), offset, count, memory);
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
    return real(file)->pMethods->xUnfetch(real(file), offset, memory);
}

static const sqlite3_io_methods file_methods = {
    3, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
    file_is_reserved, file_control, file_sector_size, file_characteristics, file_shm_map, file_shm_lock,
    file_shm_barrier, file_shm_unmap, file_fetch, file_unfetch,
};

/* For a real file without shared memory. */
static const sqlite3_io_methods file_methods_without_memory = {
    1, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
    file_is_reserved, file_control, file_sector_size, file_characteristics, 0, 0, 0, 0, 0, 0,
};

static const sqlite3_io_methods *methods_over(const sqlite3_io_methods *real) {
    return real->iVersion >= 3 && real->xShmMap != 0 ? &file_methods : &file_methods_without_memory;
}

/* ---- The VFS ------------------------------------------------------------------------------ */

enum {
    JOURNALS = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL,
    LOGGED = SQLITE_OPEN_MAIN_DB | JOURNALS,
};

/* Reads the content of a file that was created without this VFS, by the descriptor that SQLite has opened. */
static int read_content(sqlite3_file *real, amalgam_power_file *file) {
    sqlite3_int64 size = 0;
    int code = real->pMethods->xFileSize(real, &size);
    if (code != SQLITE_OK || size == 0) return code;
    file->content = malloc((size_t)size);
    if (file->content == 0) return SQLITE_NOMEM;
    file->size = size;
    return real->pMethods->xRead(real, file->content, (int)size, 0);
}

static int open_logged(amalgam_power_disk *disk, const char *name, sqlite3_file *file, int flags, int *result) {
    logged_file *self = (logged_file *)file;
    memset(self, 0, sizeof *self);
    self->disk = disk;
    self->real = (sqlite3_file *)(self + 1);
    self->syncs_folder = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & JOURNALS) != 0;
    /* `xAccess` takes an empty file for a missing one. */
    int is_old = access(name, F_OK) == 0;
    int code = real_vfs->xOpen(real_vfs, name, self->real, flags, result);
    if (code != SQLITE_OK) return code;
    self->file = amalgam_power_file_named(disk, name);
    if (self->file != 0 && !is_old) {
        /* It was deleted without this VFS. */
        self->file->exists = 0;
        amalgam_power_log(disk, AMALGAM_POWER_DELETE, self->file, 0, 0, 0);
        self->file = 0;
    }
    if (self->file == 0) {
        self->file = amalgam_power_file_add(disk, name, is_old);
        if (is_old) code = read_content(self->real, self->file);
    }
    if (code == SQLITE_OK) {
        self->base.pMethods = methods_over(self->real->pMethods);
        amalgam_power_retain(disk);
    } else {
        self->real->pMethods->xClose(self->real);
    }
    return code;
}

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *result) {
    (void)vfs;
    amalgam_power_disk *disk = 0;
    int code = SQLITE_OK;
    amalgam_power_lock();
    if (name != 0 && (flags & LOGGED) != 0 && (flags & SQLITE_OPEN_DELETEONCLOSE) == 0) disk = amalgam_power_disk_of(name);
    if (disk != 0) code = open_logged(disk, name, file, flags, result);
    amalgam_power_unlock();
    /* The real VFS sets its own methods. */
    return disk != 0 ? code : real_vfs->xOpen(real_vfs, name, file, flags, result);
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs;
    amalgam_power_lock();
    amalgam_power_disk *disk = amalgam_power_disk_of(name);
    amalgam_power_file *file = disk ? amalgam_power_file_named(disk, name) : 0;
    int code = real_vfs->xDelete(real_vfs, name, disk ? 0 : syncs);
    if (disk != 0 && code == SQLITE_OK) {
        if (file == 0) {
            /* It was created without this VFS. */
            file = amalgam_power_file_add(disk, name, 1);
        }
        file->exists = 0;
        amalgam_power_log(disk, AMALGAM_POWER_DELETE, file, 0, 0, 0);
        if ((syncs & 1) && amalgam_power_counts_sync(disk)) amalgam_power_log(disk, AMALGAM_POWER_SYNC_FOLDER, 0, 0, 0, 0);
    }
    amalgam_power_unlock();
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)vfs;
    return real_vfs->xAccess(real_vfs, name, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    (void)vfs;
    return real_vfs->xFullPathname(real_vfs, name, count, path);
}

/* Other calls are passed on, with the VFS that their implementation expects. */
static void *vfs_dl_open(sqlite3_vfs *vfs, const char *name) { (void)vfs; return real_vfs->xDlOpen(real_vfs, name); }
static void vfs_dl_error(sqlite3_vfs *vfs, int count, char *message) {
    (void)vfs;
    real_vfs->xDlError(real_vfs, count, message);
}
static void (*vfs_dl_symbol(sqlite3_vfs *vfs, void *library, const char *symbol))(void) {
    (void)vfs;
    return real_vfs->xDlSym(real_vfs, library, symbol);
}
static void vfs_dl_close(sqlite3_vfs *vfs, void *library) { (void)vfs; real_vfs->xDlClose(real_vfs, library); }
static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    return real_vfs->xRandomness(real_vfs, count, bytes);
}
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return real_vfs->xSleep(real_vfs, microseconds);
}
static int vfs_time(sqlite3_vfs *vfs, double *day) { (void)vfs; return real_vfs->xCurrentTime(real_vfs, day); }
static int vfs_error(sqlite3_vfs *vfs, int count, char *message) {
    (void)vfs;
    return real_vfs->xGetLastError(real_vfs, count, message);
}
static int vfs_time_int64(sqlite3_vfs *vfs, sqlite3_int64 *day) {
    (void)vfs;
    return real_vfs->xCurrentTimeInt64(real_vfs, day);
}

const char *amalgam_power_vfs_name(void) { return "amalgam-power"; }

int amalgam_power_install(int is_default) {
    static _Atomic int state; /* 0 not installed, 1 in progress, 2 done */
    int untouched = 0;
    if (!atomic_compare_exchange_strong(&state, &untouched, 1)) {
        while (atomic_load(&state) == 1) {}
        return is_default ? sqlite3_vfs_register(&shim, 1) : SQLITE_OK;
    }
    real_vfs = sqlite3_vfs_find(0);
    if (real_vfs == 0) {
        /* SQLite can't be initialized. */
        atomic_store(&state, 0);
        return SQLITE_ERROR;
    }
    shim = (sqlite3_vfs){
        .iVersion = real_vfs->iVersion < 2 ? 1 : 2,
        .szOsFile = (int)sizeof(logged_file) + real_vfs->szOsFile,
        .mxPathname = real_vfs->mxPathname,
        .zName = amalgam_power_vfs_name(),
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xDlOpen = vfs_dl_open,
        .xDlError = vfs_dl_error,
        .xDlSym = vfs_dl_symbol,
        .xDlClose = vfs_dl_close,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_error,
        .xCurrentTimeInt64 = vfs_time_int64,
    };
    int code = sqlite3_vfs_register(&shim, is_default);
    atomic_store(&state, 2);
    return code;
}

#endif
