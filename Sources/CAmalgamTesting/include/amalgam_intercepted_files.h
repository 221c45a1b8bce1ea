/*
** A VFS that calls a function before each operation, and then performs the operation through SQLite's default VFS. The
** function can make the operation fail.
**
** Syncs don't reach the device: tests needn't wait for it, and the process reads what it has written.
*/
#ifndef AMALGAM_INTERCEPTED_FILES_H
#define AMALGAM_INTERCEPTED_FILES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The operations. */
enum {
    AMALGAM_FILE_READ = 1 << 0,
    AMALGAM_FILE_WRITE = 1 << 1,
    AMALGAM_FILE_SYNC = 1 << 2,
    AMALGAM_FILE_LOCK = 1 << 3,
    AMALGAM_FILE_TRUNCATE = 1 << 4,
    AMALGAM_FILE_OPEN = 1 << 5,
    AMALGAM_FILE_DELETE = 1 << 6,
    AMALGAM_FILE_SIZE = 1 << 7,
    AMALGAM_FILE_ACCESS = 1 << 8,
    AMALGAM_FILE_SHM_MAP = 1 << 9,
    AMALGAM_FILE_SHM_LOCK = 1 << 10,
    AMALGAM_FILE_FETCH = 1 << 11,
    AMALGAM_FILE_PATH = 1 << 12,
    /* These can't fail. A code other than SQLITE_OK leaves out a hint or a sleep. */
    AMALGAM_FILE_CLOSE = 1 << 13,
    AMALGAM_FILE_SIZE_HINT = 1 << 14,
    AMALGAM_FILE_SLEEP = 1 << 15,
};

/* The kinds of files. */
enum {
    AMALGAM_FILE_IS_DATABASE = 1 << 0,
    AMALGAM_FILE_IS_JOURNAL = 1 << 1,
    AMALGAM_FILE_IS_WAL = 1 << 2,
    AMALGAM_FILE_IS_TEMPORARY = 1 << 3,
};

/* An operation that is about to be performed. */
typedef struct {
    uint32_t operation;
    uint32_t kind;
    /* The path of the file; NULL for temporary files without a name. */
    const char *path;
    /* The first byte of a read or a write, the new size of a truncation. */
    int64_t offset;
    /* The number of bytes of a read or a write. */
    int count;
    /* Whether closing the file deletes it. */
    int deletes_on_close;
    /* The code with which this operation usually fails. */
    int usual_code;
    /* Set by the function: the bytes that a failing read or write transfers nevertheless. */
    int transferred;
    /* The file, for amalgam_file_size; NULL while there is none. */
    void *file;
} amalgam_file_call;

typedef struct {
    /* Returns SQLITE_OK, or the code with which the operation fails. Threads call it concurrently. */
    int (*before)(void *context, amalgam_file_call *call);
    /*
    ** Whether files that are opened now are intercepted. Other ones are opened by the default VFS, and deleted with its
    ** syncs. NULL for all files.
    */
    int (*intercepts)(void *context);
    /* Called when the VFS was released and its last file closed. May be NULL. */
    void (*destroy)(void *context);
} amalgam_interceptor;

typedef struct amalgam_intercepting_vfs amalgam_intercepting_vfs;

/* Registers a VFS, also as the default one. NULL if there isn't enough memory, or SQLite can't be initialized. */
amalgam_intercepting_vfs *amalgam_intercepting_vfs_create(
    const char *name, amalgam_interceptor interceptor, void *context, int is_default);

/* Unregisters the VFS. It lives until its last file is closed. */
void amalgam_intercepting_vfs_release(amalgam_intercepting_vfs *);

const char *amalgam_intercepting_vfs_name(const amalgam_intercepting_vfs *);

/* The current size of the file of a call; 0 if there is no file. */
int64_t amalgam_file_size(const amalgam_file_call *);

#ifdef __cplusplus
}
#endif
#endif
