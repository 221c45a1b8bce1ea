/*
** The VFS and its files. SQLite's methods of a file are copied for each file, because those of the default VFS differ:
** some files have no shared memory.
*/
#include "amalgam_intercepted_files.h"

/* Without SQLite, this target compiles to nothing: the error of CAmalgam says what to do. */
#if __has_include("../../vendor/sqlite/sqlite3.h")
#include "CAmalgam.h"

#include <stdatomic.h>
#include <string.h>

struct amalgam_intercepting_vfs {
    sqlite3_vfs base;
    sqlite3_vfs *real;
    amalgam_interceptor interceptor;
    void *context;
    /* One for the creator, and one for each open file. */
    _Atomic int64_t references;
};

typedef struct {
    sqlite3_file base;
    sqlite3_io_methods methods;
    amalgam_intercepting_vfs *vfs;
    const char *path;
    uint32_t kind;
    int deletes_on_close;
    sqlite3_file *real; /* in the memory after this struct */
} intercepted_file;

static void retain(amalgam_intercepting_vfs *vfs) { atomic_fetch_add(&vfs->references, 1); }

static void release(amalgam_intercepting_vfs *vfs) {
    if (atomic_fetch_sub(&vfs->references, 1) != 1) return;
    if (vfs->interceptor.destroy) vfs->interceptor.destroy(vfs->context);
    sqlite3_free(vfs);
}

static int ask(amalgam_intercepting_vfs *vfs, amalgam_file_call *call) {
    return vfs->interceptor.before(vfs->context, call);
}

/* ---- Files -------------------------------------------------------------------------------- */

static sqlite3_file *real(sqlite3_file *file) { return ((intercepted_file *)file)->real; }

static amalgam_file_call call_of(sqlite3_file *base, uint32_t operation, int usual_code) {
    intercepted_file *file = (intercepted_file *)base;
    return (amalgam_file_call){
        .operation = operation,
        .kind = file->kind,
        .path = file->path,
        .deletes_on_close = file->deletes_on_close,
        .usual_code = usual_code,
        .file = file->real,
    };
}

static int ask_about(sqlite3_file *file, uint32_t operation, int usual_code) {
    amalgam_file_call call = call_of(file, operation, usual_code);
    return ask(((intercepted_file *)file)->vfs, &call);
}

int64_t amalgam_file_size(const amalgam_file_call *call) {
    sqlite3_file *file = call->file;
    sqlite3_int64 size = 0;
    if (file == 0 || file->pMethods->xFileSize(file, &size) != SQLITE_OK) return 0;
    return size;
}

static int file_close(sqlite3_file *file) {
    ask_about(file, AMALGAM_FILE_CLOSE, SQLITE_OK);
    amalgam_intercepting_vfs *vfs = ((intercepted_file *)file)->vfs;
    int code = real(file)->pMethods->xClose(real(file));
    file->pMethods = 0;
    release(vfs);
    return code;
}

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    amalgam_file_call call = call_of(file, AMALGAM_FILE_READ, SQLITE_IOERR_READ);
    call.offset = offset;
    call.count = count;
    int failure = ask(((intercepted_file *)file)->vfs, &call);
    if (failure == SQLITE_OK) return real(file)->pMethods->xRead(real(file), buffer, count, offset);
    /* SQLite relies on the zeros that follow a short read, so the code of a short read isn't that of a failure. */
    if (call.transferred > 0) real(file)->pMethods->xRead(real(file), buffer, call.transferred, offset);
    return failure;
}

static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    amalgam_file_call call = call_of(file, AMALGAM_FILE_WRITE, SQLITE_IOERR_WRITE);
    call.offset = offset;
    call.count = count;
    int failure = ask(((intercepted_file *)file)->vfs, &call);
    if (failure == SQLITE_OK) return real(file)->pMethods->xWrite(real(file), buffer, count, offset);
    if (call.transferred > 0) real(file)->pMethods->xWrite(real(file), buffer, call.transferred, offset);
    return failure;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    amalgam_file_call call = call_of(file, AMALGAM_FILE_TRUNCATE, SQLITE_IOERR_TRUNCATE);
    call.offset = size;
    int failure = ask(((intercepted_file *)file)->vfs, &call);
    return failure ? failure : real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    (void)flags;
    return ask_about(file, AMALGAM_FILE_SYNC, SQLITE_IOERR_FSYNC);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    int failure = ask_about(file, AMALGAM_FILE_SIZE, SQLITE_IOERR_FSTAT);
    return failure ? failure : real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
    int failure = ask_about(file, AMALGAM_FILE_LOCK, SQLITE_IOERR_LOCK);
    return failure ? failure : real(file)->pMethods->xLock(real(file), level);
}

/* An unlock doesn't fail. */
static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int file_is_reserved(sqlite3_file *file, int *result) {
    int failure = ask_about(file, AMALGAM_FILE_LOCK, SQLITE_IOERR_CHECKRESERVEDLOCK);
    return failure ? failure : real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    if (operation == SQLITE_FCNTL_SIZE_HINT) {
        amalgam_file_call call = call_of(file, AMALGAM_FILE_SIZE_HINT, SQLITE_FULL);
        call.offset = *(sqlite3_int64 *)argument;
        if (ask(((intercepted_file *)file)->vfs, &call) != SQLITE_OK) return SQLITE_OK;
    }
    int code = real(file)->pMethods->xFileControl(real(file), operation, argument);
    if (operation == SQLITE_FCNTL_VFSNAME && code == SQLITE_OK) {
        const char *name = ((intercepted_file *)file)->vfs->base.zName;
        char **names = argument;
        *names = sqlite3_mprintf("%s/%z", name, *names);
    }
    return code;
}

static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int file_shm_map(sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
    int failure = ask_about(file, AMALGAM_FILE_SHM_MAP, SQLITE_IOERR_SHMMAP);
    if (failure == SQLITE_OK) return real(file)->pMethods->xShmMap(real(file), region, size, extends, memory);
    *memory = 0;
    return failure;
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    int failure = flags & SQLITE_SHM_LOCK ? ask_about(file, AMALGAM_FILE_SHM_LOCK, SQLITE_IOERR_SHMLOCK) : SQLITE_OK;
    return failure ? failure : real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int file_shm_unmap(sqlite3_file *file, int deletes) {
    return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
    int failure = ask_about(file, AMALGAM_FILE_FETCH, SQLITE_IOERR_MMAP);
    if (failure == SQLITE_OK) return real(file)->pMethods->xFetch(real(file), offset, count, memory);
    *memory = 0;
    return failure;
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
    return real(file)->pMethods->xUnfetch(real(file), offset, memory);
}

/* The methods of a file, without those that the real file doesn't have. */
static sqlite3_io_methods methods_over(const sqlite3_io_methods *real) {
    sqlite3_io_methods methods = {
        3, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
        file_is_reserved, file_control, file_sector_size, file_characteristics, file_shm_map, file_shm_lock,
        file_shm_barrier, file_shm_unmap, file_fetch, file_unfetch,
    };
    if (real->iVersion < methods.iVersion) methods.iVersion = real->iVersion;
    if (real->iVersion >= 2 && real->xShmMap == 0) methods.xShmMap = 0;
    return methods;
}

/* ---- The VFS ------------------------------------------------------------------------------ */

static amalgam_intercepting_vfs *self(sqlite3_vfs *vfs) { return (amalgam_intercepting_vfs *)vfs; }

static sqlite3_vfs *under(sqlite3_vfs *vfs) { return self(vfs)->real; }

static int intercepts(sqlite3_vfs *vfs) {
    amalgam_interceptor *interceptor = &self(vfs)->interceptor;
    return interceptor->intercepts == 0 || interceptor->intercepts(self(vfs)->context);
}

static uint32_t kind_of_file(int flags) {
    if (flags & SQLITE_OPEN_MAIN_DB) return AMALGAM_FILE_IS_DATABASE;
    if (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) return AMALGAM_FILE_IS_JOURNAL;
    if (flags & SQLITE_OPEN_WAL) return AMALGAM_FILE_IS_WAL;
    return AMALGAM_FILE_IS_TEMPORARY;
}

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *result) {
    if (!intercepts(vfs)) return under(vfs)->xOpen(under(vfs), name, base, flags, result);
    intercepted_file *file = (intercepted_file *)base;
    memset(file, 0, sizeof *file);
    file->vfs = self(vfs);
    file->path = name;
    file->kind = kind_of_file(flags);
    file->deletes_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    amalgam_file_call call = call_of(base, AMALGAM_FILE_OPEN, SQLITE_CANTOPEN);
    int code = ask(self(vfs), &call);
    if (code != SQLITE_OK) return code;
    file->real = (sqlite3_file *)(file + 1);
    code = under(vfs)->xOpen(under(vfs), name, file->real, flags, result);
    /* The unix VFS closes files that it couldn't open. */
    if (code != SQLITE_OK) return code;
    file->methods = methods_over(file->real->pMethods);
    base->pMethods = &file->methods;
    retain(self(vfs));
    return SQLITE_OK;
}

static uint32_t kind_of_name(const char *name) {
    size_t length = name ? strlen(name) : 0;
    if (length > 4 && strcmp(name + length - 4, "-wal") == 0) return AMALGAM_FILE_IS_WAL;
    if (length > 8 && strcmp(name + length - 8, "-journal") == 0) return AMALGAM_FILE_IS_JOURNAL;
    return AMALGAM_FILE_IS_DATABASE;
}

static int ask_about_name(sqlite3_vfs *vfs, uint32_t operation, const char *name, int usual_code) {
    amalgam_file_call call = {
        .operation = operation, .kind = kind_of_name(name), .path = name, .usual_code = usual_code,
    };
    return ask(self(vfs), &call);
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    int failure = ask_about_name(vfs, AMALGAM_FILE_DELETE, name, SQLITE_IOERR_DELETE);
    return failure ? failure : under(vfs)->xDelete(under(vfs), name, intercepts(vfs) ? 0 : syncs);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    int failure = ask_about_name(vfs, AMALGAM_FILE_ACCESS, name, SQLITE_IOERR_ACCESS);
    return failure ? failure : under(vfs)->xAccess(under(vfs), name, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    amalgam_file_call call = {
        .operation = AMALGAM_FILE_PATH, .kind = AMALGAM_FILE_IS_DATABASE, .path = name,
        .usual_code = SQLITE_CANTOPEN_FULLPATH,
    };
    int failure = ask(self(vfs), &call);
    return failure ? failure : under(vfs)->xFullPathname(under(vfs), name, count, path);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    amalgam_file_call call = {.operation = AMALGAM_FILE_SLEEP, .count = microseconds};
    return ask(self(vfs), &call) ? microseconds : under(vfs)->xSleep(under(vfs), microseconds);
}

/* Other calls are passed on, with the VFS that their implementation expects. */
static void *vfs_dl_open(sqlite3_vfs *vfs, const char *name) { return under(vfs)->xDlOpen(under(vfs), name); }
static void vfs_dl_error(sqlite3_vfs *vfs, int count, char *message) {
    under(vfs)->xDlError(under(vfs), count, message);
}
static void (*vfs_dl_symbol(sqlite3_vfs *vfs, void *library, const char *symbol))(void) {
    return under(vfs)->xDlSym(under(vfs), library, symbol);
}
static void vfs_dl_close(sqlite3_vfs *vfs, void *library) { under(vfs)->xDlClose(under(vfs), library); }
static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return under(vfs)->xRandomness(under(vfs), count, bytes);
}
static int vfs_time(sqlite3_vfs *vfs, double *day) { return under(vfs)->xCurrentTime(under(vfs), day); }
static int vfs_error(sqlite3_vfs *vfs, int count, char *message) {
    return under(vfs)->xGetLastError(under(vfs), count, message);
}
static int vfs_time_int64(sqlite3_vfs *vfs, sqlite3_int64 *day) {
    return under(vfs)->xCurrentTimeInt64(under(vfs), day);
}

static sqlite3_vfs vfs_over(sqlite3_vfs *real, const char *name) {
    return (sqlite3_vfs){
        .iVersion = real->iVersion < 2 ? 1 : 2,
        .szOsFile = (int)sizeof(intercepted_file) + real->szOsFile,
        .mxPathname = real->mxPathname,
        .zName = name,
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
}

amalgam_intercepting_vfs *amalgam_intercepting_vfs_create(
    const char *name, amalgam_interceptor interceptor, void *context, int is_default
) {
    sqlite3_vfs *real = sqlite3_vfs_find(0);
    size_t length = strlen(name) + 1;
    /* The name follows the struct. */
    amalgam_intercepting_vfs *vfs = real == 0 ? 0 : sqlite3_malloc64(sizeof *vfs + length);
    if (vfs == 0) return 0;
    memset(vfs, 0, sizeof *vfs);
    memcpy(vfs + 1, name, length);
    vfs->base = vfs_over(real, (const char *)(vfs + 1));
    vfs->real = real;
    vfs->interceptor = interceptor;
    vfs->context = context;
    atomic_store(&vfs->references, 1);
    if (sqlite3_vfs_register(&vfs->base, is_default) == SQLITE_OK) return vfs;
    sqlite3_free(vfs);
    return 0;
}

void amalgam_intercepting_vfs_release(amalgam_intercepting_vfs *vfs) {
    if (vfs == 0) return;
    sqlite3_vfs_unregister(&vfs->base);
    release(vfs);
}

const char *amalgam_intercepting_vfs_name(const amalgam_intercepting_vfs *vfs) { return vfs->base.zName; }

#endif
