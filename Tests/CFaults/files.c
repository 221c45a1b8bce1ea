/*
** A VFS over the default one. Files opened while a faults object is active are wrapped; their operations use the object
** of the calling thread. Other files are opened by the real VFS, which sets its own methods.
**
** Wrapped files never reach the disk: a sync is counted, and succeeds. The tests only check what the process itself
** reads back.
*/
#include "faults.h"
#ifdef AMALGAM_FAULTS_HAVE_SQLITE

#include <string.h>

typedef struct {
    sqlite3_file base;
    uint32_t kind;
    sqlite3_file *real; /* in the memory after this struct */
} wrapped_file;

static sqlite3_vfs shim;
static sqlite3_vfs *real_vfs;

static sqlite3_file *real(sqlite3_file *file) { return ((wrapped_file *)file)->real; }

static int strikes(sqlite3_file *file, uint32_t operation) {
    return faults_strike(faults_current(), operation, ((wrapped_file *)file)->kind);
}

/* The code of a failure: the planned one, or the usual one of the operation. */
static int failure(int usual) {
    int planned = faults_current()->code;
    return planned ? planned : usual;
}

/* ---- Files -------------------------------------------------------------------------------- */

static int file_close(sqlite3_file *file) {
    int code = real(file)->pMethods->xClose(real(file));
    file->pMethods = 0;
    return code;
}

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    if (!strikes(file, FAULTS_READ)) return real(file)->pMethods->xRead(real(file), buffer, count, offset);
    if (!faults_current()->tears) return failure(SQLITE_IOERR_READ);
    /* Not SQLITE_IOERR_SHORT_READ: that is the code of reads past the end of a file, whose zeros SQLite relies on. */
    real(file)->pMethods->xRead(real(file), buffer, count / 2, offset);
    return failure(SQLITE_IOERR_READ);
}

static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    if (!strikes(file, FAULTS_WRITE)) return real(file)->pMethods->xWrite(real(file), buffer, count, offset);
    if (faults_current()->tears) real(file)->pMethods->xWrite(real(file), buffer, count / 2, offset);
    return failure(SQLITE_IOERR_WRITE);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    if (strikes(file, FAULTS_TRUNCATE)) return failure(SQLITE_IOERR_TRUNCATE);
    return real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    (void)flags;
    return strikes(file, FAULTS_SYNC) ? failure(SQLITE_IOERR_FSYNC) : SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    if (strikes(file, FAULTS_SIZE)) return failure(SQLITE_IOERR_FSTAT);
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
    if (strikes(file, FAULTS_LOCK)) return failure(SQLITE_IOERR_LOCK);
    return real(file)->pMethods->xLock(real(file), level);
}

static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int file_is_reserved(sqlite3_file *file, int *result) {
    if (strikes(file, FAULTS_LOCK)) return failure(SQLITE_IOERR_CHECKRESERVEDLOCK);
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
    if (strikes(file, FAULTS_SHM_MAP)) {
        *memory = 0;
        return failure(SQLITE_IOERR_SHMMAP);
    }
    return real(file)->pMethods->xShmMap(real(file), region, size, extends, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    /* An unlock doesn't fail. */
    if ((flags & SQLITE_SHM_LOCK) && strikes(file, FAULTS_SHM_LOCK)) return failure(SQLITE_IOERR_SHMLOCK);
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int file_shm_unmap(sqlite3_file *file, int deletes) {
    return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
    if (strikes(file, FAULTS_FETCH)) {
        *memory = 0;
        return failure(SQLITE_IOERR_MMAP);
    }
    return real(file)->pMethods->xFetch(real(file), offset, count, memory);
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
    return real(file)->pMethods->xUnfetch(real(file), offset, memory);
}

/* The methods of the newest version: SQLite checks `iVersion` before it calls later additions. */
static const sqlite3_io_methods file_methods = {
    3, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
    file_is_reserved, file_control, file_sector_size, file_characteristics, file_shm_map, file_shm_lock,
    file_shm_barrier, file_shm_unmap, file_fetch, file_unfetch,
};

/* ---- The VFS ------------------------------------------------------------------------------ */

static uint32_t kind_of_file(int flags) {
    if (flags & SQLITE_OPEN_MAIN_DB) return FAULTS_DATABASE;
    if (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) return FAULTS_JOURNAL;
    if (flags & SQLITE_OPEN_WAL) return FAULTS_WAL;
    return FAULTS_TEMPORARY;
}

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *result) {
    (void)vfs;
    if (faults_current() == 0) return real_vfs->xOpen(real_vfs, name, file, flags, result);
    wrapped_file *wrapped = (wrapped_file *)file;
    memset(wrapped, 0, sizeof *wrapped);
    wrapped->kind = kind_of_file(flags);
    wrapped->real = (sqlite3_file *)(wrapped + 1);
    if (strikes(file, FAULTS_OPEN)) return failure(SQLITE_CANTOPEN);
    int code = real_vfs->xOpen(real_vfs, name, wrapped->real, flags, result);
    /* The unix VFS closes files that it couldn't open. */
    if (code == SQLITE_OK) wrapped->base.pMethods = &file_methods;
    return code;
}

static uint32_t kind_of_name(const char *name) {
    size_t length = name ? strlen(name) : 0;
    if (length > 4 && strcmp(name + length - 4, "-wal") == 0) return FAULTS_WAL;
    if (length > 8 && strcmp(name + length - 8, "-journal") == 0) return FAULTS_JOURNAL;
    return FAULTS_DATABASE;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs;
    (void)syncs;
    if (faults_strike(faults_current(), FAULTS_DELETE, kind_of_name(name))) return failure(SQLITE_IOERR_DELETE);
    return real_vfs->xDelete(real_vfs, name, faults_current() ? 0 : syncs);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)vfs;
    if (faults_strike(faults_current(), FAULTS_ACCESS, kind_of_name(name))) return failure(SQLITE_IOERR_ACCESS);
    return real_vfs->xAccess(real_vfs, name, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    (void)vfs;
    if (faults_strike(faults_current(), FAULTS_PATH, FAULTS_DATABASE)) return failure(SQLITE_CANTOPEN_FULLPATH);
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
    /* No other connection uses the files of a fault test, so waiting for a lock that fails on purpose is useless. */
    return faults_current() ? microseconds : real_vfs->xSleep(real_vfs, microseconds);
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

int faults_install_files(void) {
    static _Atomic int state; /* 0 not installed, 1 in progress, 2 done */
    int untouched = 0;
    if (!atomic_compare_exchange_strong(&state, &untouched, 1)) {
        while (atomic_load(&state) == 1) {}
        return SQLITE_OK;
    }
    real_vfs = sqlite3_vfs_find(0);
    shim = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(wrapped_file) + real_vfs->szOsFile,
        .mxPathname = real_vfs->mxPathname,
        .zName = "amalgam-faults",
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
    int code = sqlite3_vfs_register(&shim, 1);
    atomic_store(&state, 2);
    return code;
}

#endif
