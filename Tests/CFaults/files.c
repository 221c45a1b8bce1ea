/*
** A VFS over the default one: see amalgam_intercepted_files.h. Files opened while a faults object is active are
** intercepted; their operations use the object of the calling thread. Other files are opened by the real VFS, which sets
** its own methods.
**
** Intercepted files never reach the disk: a sync is counted, and succeeds. The tests only check what the process itself
** reads back.
*/
#include "faults.h"
#ifdef AMALGAM_FAULTS_HAVE_SQLITE

#include "CAmalgamTesting.h"

/* An operation on a file is the next higher bit here: the lowest one is an allocation. */
_Static_assert(FAULTS_READ == AMALGAM_FILE_READ << 1 && FAULTS_WRITE == AMALGAM_FILE_WRITE << 1, "operations");
_Static_assert(FAULTS_SYNC == AMALGAM_FILE_SYNC << 1 && FAULTS_LOCK == AMALGAM_FILE_LOCK << 1, "operations");
_Static_assert(FAULTS_TRUNCATE == AMALGAM_FILE_TRUNCATE << 1 && FAULTS_OPEN == AMALGAM_FILE_OPEN << 1, "operations");
_Static_assert(FAULTS_DELETE == AMALGAM_FILE_DELETE << 1 && FAULTS_SIZE == AMALGAM_FILE_SIZE << 1, "operations");
_Static_assert(FAULTS_ACCESS == AMALGAM_FILE_ACCESS << 1 && FAULTS_PATH == AMALGAM_FILE_PATH << 1, "operations");
_Static_assert(FAULTS_SHM_MAP == AMALGAM_FILE_SHM_MAP << 1, "operations");
_Static_assert(FAULTS_SHM_LOCK == AMALGAM_FILE_SHM_LOCK << 1 && FAULTS_FETCH == AMALGAM_FILE_FETCH << 1, "operations");
_Static_assert(
    (int)FAULTS_DATABASE == AMALGAM_FILE_IS_DATABASE && (int)FAULTS_JOURNAL == AMALGAM_FILE_IS_JOURNAL
        && (int)FAULTS_WAL == AMALGAM_FILE_IS_WAL && (int)FAULTS_TEMPORARY == AMALGAM_FILE_IS_TEMPORARY,
    "kinds of files");

static int before(void *context, amalgam_file_call *call) {
    (void)context;
    faults *self = faults_current();
    if (self == 0) return SQLITE_OK;
    switch (call->operation) {
    case AMALGAM_FILE_SLEEP:
        /* No other connection uses the files of a fault test, so waiting for a lock that fails on purpose is useless. */
        return SQLITE_BUSY;
    case AMALGAM_FILE_CLOSE:
    case AMALGAM_FILE_SIZE_HINT:
        return SQLITE_OK;
    default:
        break;
    }
    if (!faults_strike(self, call->operation << 1, call->kind)) return SQLITE_OK;
    if (self->tears) call->transferred = call->count / 2;
    return self->code ? self->code : call->usual_code;
}

static int intercepts(void *context) {
    (void)context;
    return faults_current() != 0;
}

int faults_install_files(void) {
    static _Atomic int state; /* 0 not installed, 1 in progress, 2 done */
    int untouched = 0;
    if (!atomic_compare_exchange_strong(&state, &untouched, 1)) {
        while (atomic_load(&state) == 1) {}
        return SQLITE_OK;
    }
    amalgam_interceptor interceptor = {.before = before, .intercepts = intercepts};
    int installed = amalgam_intercepting_vfs_create("amalgam-faults", interceptor, 0, 1) != 0;
    atomic_store(&state, 2);
    return installed ? SQLITE_OK : SQLITE_NOMEM;
}

#endif
