/*
** Makes SQLite's memory and files fail on demand, for tests.
**
** A `faults` object is the weather of one thread: while it is in force there, allocations and file operations are
** counted, and the n-th of those it was told to fail does so. Threads without one are not touched: what stands between
** SQLite and the system passes everything on, so tests that run beside a fault test never notice.
**
** - Memory: `SQLITE_CONFIG_MALLOC`, installed before `main`, as SQLite wants it before its first use.
** - Files: a VFS that wraps the default one, registered by `faults_install_files`, because that starts SQLite. Only
**   files opened while a `faults` is in force are wrapped; others are SQLite's own from the first call on.
*/
#ifndef AMALGAM_CFAULTS_H
#define AMALGAM_CFAULTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FAULTS_ALLOCATION = 1 << 0,
    FAULTS_READ = 1 << 1,
    FAULTS_WRITE = 1 << 2,
    FAULTS_SYNC = 1 << 3,
    FAULTS_LOCK = 1 << 4,
    FAULTS_TRUNCATE = 1 << 5,
    FAULTS_OPEN = 1 << 6,
    FAULTS_DELETE = 1 << 7,
    FAULTS_SIZE = 1 << 8,
    FAULTS_ACCESS = 1 << 9,
    FAULTS_SHM_MAP = 1 << 10,
    FAULTS_SHM_LOCK = 1 << 11,
    FAULTS_FETCH = 1 << 12,
    FAULTS_PATH = 1 << 13,
};

/* Which files may fail. */
enum {
    FAULTS_DATABASE = 1 << 0,
    FAULTS_JOURNAL = 1 << 1,
    FAULTS_WAL = 1 << 2,
    FAULTS_TEMPORARY = 1 << 3,
    FAULTS_ANY_FILE = 0xff,
};

typedef struct faults faults;

/* Lives until faults_free, and in any case as long as one of its allocations. */
faults *faults_create(void);
void faults_free(faults *);

/* Puts an object in force on this thread; NULL for none. Returns what was in force before. */
faults *faults_exchange(faults *);

/*
** What fails from now on: the n-th of these operations (1 is the next one; 0 for none), and with `persists` all that
** follow it. `code` is the result code of the operation, 0 for the usual one. With `tears`, writes leave half of their
** bytes in the file, and reads come back short, before they fail.
*/
void faults_plan(faults *, uint32_t operations, uint32_t files, int64_t n, int persists, int code, int tears);

/* Operations of the planned kinds since the plan was made, and how many of them failed. */
int64_t faults_calls(const faults *);
int64_t faults_failures(const faults *);

/* Memory that was allocated while the object was in force, and not freed yet by any thread. */
int64_t faults_live_allocations(const faults *);
int64_t faults_live_bytes(const faults *);

/* Whether the allocator is in place: 0 when something used SQLite before it could be. */
int faults_memory_is_installed(void);

/* Registers the VFS as the default one, once. Returns a result code. */
int faults_install_files(void);

/* Errors on purpose, for scripts/proof/sanitize --self-test. */
int faults_probe_overflow(int count);
void faults_probe_leak(void);
int faults_probe_undefined(int value);

/* Prints the stacks of all other threads on standard error, for a process that hangs and is about to end. Linux only. */
void faults_print_stacks(void);

#ifdef __cplusplus
}
#endif
#endif
