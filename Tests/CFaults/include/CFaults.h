/*
** Makes SQLite's memory and files fail on demand, for tests.
**
** A `faults` object is a plan of failures for one thread: while it is active there, allocations and file operations are
** counted, and the n-th of the planned ones fails. Threads without one are unaffected: the layers between SQLite and
** the system pass all calls on, so tests can run concurrently with a fault test.
**
** - Memory: `SQLITE_CONFIG_MALLOC`, installed before `main`, because SQLite requires it before its first use.
** - Files: a VFS that wraps the default one, registered by `faults_install_files`, because that initializes SQLite.
**   Only files opened while a `faults` object is active are wrapped; others use SQLite's own methods.
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

/* The kinds of files that may fail. */
enum {
    FAULTS_DATABASE = 1 << 0,
    FAULTS_JOURNAL = 1 << 1,
    FAULTS_WAL = 1 << 2,
    FAULTS_TEMPORARY = 1 << 3,
    FAULTS_ANY_FILE = 0xff,
};

typedef struct faults faults;

/* Lives until faults_free, and at least as long as its last allocation. */
faults *faults_create(void);
void faults_free(faults *);

/* Activates an object on this thread; NULL for none. Returns the previously active object. */
faults *faults_exchange(faults *);

/*
** Plans failures: the n-th of these operations fails (1 is the next one; 0 for none), and with `persists` all following
** ones. `code` is the result code of the operation, 0 for the usual one. With `tears`, failing writes leave half of
** their bytes in the file, and failing reads return half of theirs.
*/
void faults_plan(faults *, uint32_t operations, uint32_t files, int64_t n, int persists, int code, int tears);

/* The number of operations of the planned kinds since the plan was made, and the number of failed ones. */
int64_t faults_calls(const faults *);
int64_t faults_failures(const faults *);

/* Memory that was allocated while the object was active, and that no thread has freed yet. */
int64_t faults_live_allocations(const faults *);
int64_t faults_live_bytes(const faults *);

/* Whether the allocator is installed: 0 if SQLite was used before. */
int faults_memory_is_installed(void);

/* Registers the VFS as the default one, once. Returns a result code. */
int faults_install_files(void);

/* Intended errors, for scripts/proof/sanitize --self-test. */
int faults_probe_overflow(int count);
void faults_probe_leak(void);
int faults_probe_undefined(int value);

/*
** Prints the stacks of all other threads on standard error, for a process that hangs and is about to end. Linux only.
*/
void faults_print_stacks(void);

#ifdef __cplusplus
}
#endif
#endif
