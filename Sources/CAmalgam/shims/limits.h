/*
** The limits of include/amalgam_limits.h.
**
** SQLite looks at interrupts and calls its progress handler between instructions. One instruction, or a compilation, may
** take hours and gigabytes. But it allocates memory for everything that it makes. So the allocator counts the memory
** that the connection of the current thread allocates, and reads the clock once in 64 allocations. Code that takes long without
** allocating asks amalgam_must_stop: see shims/limited_functions.h.
**
** - A compilation that exceeds a limit gets no memory. SQLite ends it with SQLITE_NOMEM, as if memory were exhausted.
** - A running statement is interrupted. If it still takes much more time or memory, it gets no memory.
**
** Swift code replaces the errors. No allocation fails while SQLite handles an earlier failure: it needs memory to undo what
** the statement did.
*/
#include <time.h>
#include "../include/amalgam_limits.h"

struct amalgam_limits {
    sqlite3 *db;          /* NULL after the connection was closed */
    int64_t deadline;     /* in nanoseconds of the monotonic clock; AMALGAM_UNLIMITED for none */
    int64_t end;          /* after a stop: the time when allocations begin to fail */
    int64_t memory_limit; /* in bytes; AMALGAM_UNLIMITED for none */
    int64_t memory;       /* the counted bytes */
    int64_t cached;       /* the bytes of cached pages of files when counting began, or the lowest number since then */
    uint32_t number;      /* marks the counted allocations; 0 counts none */
    int ticks;            /* the allocations since the last look at the clock */
    int calls;            /* the calls of functions since the last look at the clock */
    int64_t steps;        /* the steps of loops without allocations since the last look at the clock */
    int stop;             /* AMALGAM_STOP_… */
    int preserves;        /* whether only the statement that exceeds a limit is undone: see amalgam_limits_preserve */
    int suspensions;      /* while it isn't 0, memory is counted, but nothing stops */
    int callers;          /* the number of statements that were running before, and must not fail */
    int worker_threads;   /* the connection's limit of worker threads, whose memory isn't counted; -1 if it is unchanged */
};

enum {
    AMALGAM_TICKS = 64,
    /* After a failed allocation, the number of allocations that don't look at the clock. */
    AMALGAM_TICKS_AFTER_FAILURE = 100000,
    /* The memory that a statement may allocate after it was interrupted: it undoes its changes. */
    AMALGAM_MEMORY_AFTER_STOP = 8 << 20,
    /* An allocation counts for one tick more for each of these bytes: large memory takes long to fill. */
    AMALGAM_BYTES_PER_TICK = 4096,
    /* The value of SQLite's flag isInterrupted that means: interrupted by a limit, and not by the application. */
    AMALGAM_INTERRUPTED_BY_LIMIT = 2,
};

/* The nanoseconds that an interrupted statement has to stop, or to undo its changes. */
#define AMALGAM_TIME_AFTER_INTERRUPT 200000000
#define AMALGAM_TIME_TO_UNDO 10000000000

static _Thread_local amalgam_limits *amalgam_current_limits;
static uint32_t amalgam_last_number;

static int64_t amalgam_monotonic_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/*
** The bytes of cached pages of files. They have their own limit, PRAGMA cache_size. Reads the caches directly: their
** methods would lock mutexes that the caller of the allocator may hold.
*/
static int64_t amalgam_cached_bytes(const sqlite3 *db) {
    int64_t bytes = 0;
    if (sqlite3GlobalConfig.pcache2.xFetch != pcache1Fetch) return 0;
    for (int i = 0; i < db->nDb; i++) {
        const Btree *tree = db->aDb[i].pBt;
        if (tree == 0) continue;
        const PCache1 *cache = (const PCache1 *)tree->pBt->pPager->pPCache->pCache;
        if (cache != 0 && cache->bPurgeable) bytes += (int64_t)cache->nPage * cache->szAlloc;
    }
    return bytes;
}

amalgam_limits *amalgam_limits_create(sqlite3 *db) {
    amalgam_limits *limits = calloc(1, sizeof *limits);
    if (limits == 0) return 0;
    limits->db = db;
    limits->deadline = limits->memory_limit = AMALGAM_UNLIMITED;
    limits->worker_threads = -1;
    return limits;
}

void amalgam_limits_free(amalgam_limits *limits) {
    if (limits == 0) return;
    if (amalgam_current_limits == limits) amalgam_current_limits = 0;
    free(limits);
}

void amalgam_limits_detach(amalgam_limits *limits) { limits->db = 0; }

void amalgam_limits_reset_memory(amalgam_limits *limits) {
    do {
        limits->number = __atomic_add_fetch(&amalgam_last_number, 1, __ATOMIC_RELAXED);
    } while (limits->number == 0);
    limits->memory = 0;
    limits->cached = amalgam_cached_bytes(limits->db);
}

void amalgam_limits_set(amalgam_limits *limits, int64_t nanoseconds, int64_t bytes) {
    limits->deadline = AMALGAM_UNLIMITED;
    if (nanoseconds != AMALGAM_UNLIMITED) limits->deadline = amalgam_monotonic_time() + nanoseconds;
    limits->memory_limit = bytes;
    limits->ticks = 0;
    if (limits->db == 0) return;
    int *worker_threads = &limits->db->aLimit[SQLITE_LIMIT_WORKER_THREADS];
    if (bytes != AMALGAM_UNLIMITED && limits->worker_threads < 0) {
        limits->worker_threads = *worker_threads;
        *worker_threads = 0;
    } else if (bytes == AMALGAM_UNLIMITED && limits->worker_threads >= 0) {
        *worker_threads = limits->worker_threads;
        limits->worker_threads = -1;
    }
}

int64_t amalgam_limits_memory(const amalgam_limits *limits) {
    const int64_t growth = limits->db == 0 ? 0 : amalgam_cached_bytes(limits->db) - limits->cached;
    return limits->memory - (growth > 0 ? growth : 0);
}

amalgam_limits *amalgam_limits_use(amalgam_limits *limits) {
    amalgam_limits *outer = amalgam_current_limits;
    amalgam_current_limits = limits;
    return outer;
}

amalgam_limits *amalgam_limits_suspend(void) {
    if (amalgam_current_limits != 0) amalgam_current_limits->suspensions++;
    return amalgam_current_limits;
}

void amalgam_limits_resume(amalgam_limits *limits) {
    if (limits != 0) limits->suspensions--;
}

int amalgam_limits_set_suspensions(amalgam_limits *limits, int count) {
    const int previous = limits->suspensions;
    limits->suspensions = count;
    return previous;
}

int amalgam_limits_take_stop(amalgam_limits *limits) {
    const int stop = limits->stop;
    int expected = AMALGAM_INTERRUPTED_BY_LIMIT;
    if (limits->db != 0) {
        __atomic_compare_exchange_n(
            &limits->db->u1.isInterrupted, &expected, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    limits->stop = AMALGAM_STOP_NONE;
    limits->ticks = 0;
    return stop;
}

int amalgam_limits_have_stopped(const amalgam_limits *limits) { return limits->stop != AMALGAM_STOP_NONE; }

int amalgam_executing_statements(sqlite3 *db) { return db->nVdbeExec; }

void amalgam_limits_preserve(amalgam_limits *limits, int on, int callers) {
    limits->preserves = on;
    limits->callers = callers;
}

static _Thread_local int amalgam_is_after_statement;

/* Statements of virtual tables don't count: the statement that uses the virtual table hasn't ended. */
static void amalgam_progress_after_step(const Vdbe *vdbe) {
    const int is_of_virtual_table = (vdbe->prepFlags & SQLITE_PREPARE_NO_VTAB) != 0;
    amalgam_is_after_statement = vdbe->eVdbeState == VDBE_HALT_STATE && !is_of_virtual_table;
}

int amalgam_take_after_statement(void) {
    const int is_after_statement = amalgam_is_after_statement;
    amalgam_is_after_statement = 0;
    return is_after_statement;
}

/* Whether a statement is in the middle of its first step. */
static int amalgam_is_stepping(const Vdbe *vdbe) {
    return vdbe->eVdbeState == VDBE_RUN_STATE && vdbe->pResultRow == 0;
}

/*
** Whether a statement that has returned a row may be in the middle of a step. SQLite doesn't distinguish it from statements
** that wait for their next step. The first row is returned at the end of the first step, where SQLite still looks at limits.
*/
static int amalgam_steps_after_row(const sqlite3 *db) {
    int first_steps = 0;
    for (const Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (amalgam_is_stepping(vdbe) && vdbe->explain == 0) first_steps++;
    }
    return first_steps < db->nVdbeExec;
}

/*
** Whether SQLite would roll back the transaction if the running statement were interrupted, and can undo the statement
** alone. The running statement may run others: those of virtual tables and of SQL functions, which fail, too. Statements
** that were running before must not fail.
*/
static int amalgam_limits_must_preserve(const amalgam_limits *limits) {
    const sqlite3 *db = limits->db;
    if (!limits->preserves || db == 0 || db->nVdbeExec == 0 || limits->callers > 0) return 0;
    const int may_have_rows = amalgam_steps_after_row(db);
    for (const Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (vdbe->eVdbeState != VDBE_RUN_STATE || vdbe->readOnly || !vdbe->usesStmtJournal) continue;
        if (may_have_rows || amalgam_is_stepping(vdbe)) return 1;
    }
    return 0;
}

/*
** Whether a statement that writes has results to read, between two steps: an interrupt now would end its next step, and roll
** back the transaction. The next step stops without one.
*/
static int amalgam_waits_for_step(const amalgam_limits *limits) {
    const sqlite3 *db = limits->db;
    return limits->preserves && limits->callers == 0 && db->nVdbeExec == 0 && db->nVdbeWrite > 0;
}

/*
** Makes statements that only read keep the transaction if they run out of memory. SQLite would roll it back, unless the
** statement has a statement journal, which a statement that only reads never opens.
*/
static void amalgam_keep_transaction_of_reads(const sqlite3 *db) {
    for (Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (vdbe->readOnly) vdbe->usesStmtJournal = 1;
    }
}

static void amalgam_expire_after_run(Vdbe *);

/*
** Makes all statements that may fail now leave it to the outermost one to undo the changes, with its statement journal.
** The statements of FTS3, FTS4, FTS5 and R-tree must not open a statement journal in their next run, because SQLite would
** notify the virtual table in the middle of a change. So they are compiled again before this run.
*/
static void amalgam_keep_transaction(const sqlite3 *db) {
    for (Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        const int is_of_virtual_table = (vdbe->prepFlags & SQLITE_PREPARE_NO_VTAB) != 0;
        if (vdbe->readOnly || (!is_of_virtual_table && !amalgam_is_stepping(vdbe))) continue;
        vdbe->usesStmtJournal = 1;
        if (is_of_virtual_table) amalgam_expire_after_run(vdbe);
    }
}

void amalgam_limits_end_statement(amalgam_limits *limits) {
    if (!amalgam_limits_must_preserve(limits)) return;
    amalgam_keep_transaction_of_reads(limits->db);
    amalgam_keep_transaction(limits->db);
    sqlite3OomFault(limits->db);
}

void amalgam_limits_note_stop(amalgam_limits *limits, int reason) {
    limits->stop = reason;
    limits->end = amalgam_monotonic_time() + AMALGAM_TIME_TO_UNDO;
    amalgam_limits_end_statement(limits);
}

/* The limit that is exceeded, except for the limit of memory. An interrupt counts only during a compilation. */
static int amalgam_limits_exceeded(amalgam_limits *limits) {
    limits->ticks = 0;
    if (limits->db == 0 || limits->suspensions > 0) return AMALGAM_STOP_NONE;
    /* Pages that SQLite discards and reads again are counted, so they are cached since counting began. */
    if (limits->memory_limit != AMALGAM_UNLIMITED) {
        const int64_t cached = amalgam_cached_bytes(limits->db);
        if (cached < limits->cached) limits->cached = cached;
    }
    /* SQLite clears an earlier interrupt when it begins to parse. */
    if (limits->db->pParse != 0 && AtomicLoad(&limits->db->u1.isInterrupted)) return AMALGAM_STOP_INTERRUPT;
    if (limits->deadline == AMALGAM_UNLIMITED) return AMALGAM_STOP_NONE;
    return amalgam_monotonic_time() >= limits->deadline ? AMALGAM_STOP_TIME : AMALGAM_STOP_NONE;
}

/* Whether a function that runs now must return SQLITE_INTERRUPT. */
static int amalgam_limits_end_function(amalgam_limits *limits) {
    const int reason = amalgam_limits_exceeded(limits);
    if (reason != AMALGAM_STOP_NONE) amalgam_limits_note_stop(limits, reason);
    return reason != AMALGAM_STOP_NONE;
}

int amalgam_must_stop(sqlite3 *db) {
    if (AtomicLoad(&db->u1.isInterrupted)) return 1;
    amalgam_limits *limits = amalgam_current_limits;
    return limits != 0 && limits->db == db && amalgam_limits_end_function(limits);
}

int amalgam_thread_must_stop(void) {
    amalgam_limits *limits = amalgam_current_limits;
    return limits != 0 && amalgam_limits_end_function(limits);
}

/* Whether a loop must return SQLITE_INTERRUPT. It has taken the given number of steps since the last call. */
static int amalgam_must_stop_after(int steps) {
    amalgam_limits *limits = amalgam_current_limits;
    if (limits == 0 || (limits->steps += steps) < AMALGAM_STEPS_PER_LOOK) return 0;
    limits->steps = 0;
    if (limits->db != 0 && limits->suspensions == 0 && AtomicLoad(&limits->db->u1.isInterrupted)) return 1;
    return amalgam_limits_end_function(limits);
}

/* Makes an allocation fail, and the next ones succeed. */
static int amalgam_limits_fail(amalgam_limits *limits, int reason) {
    amalgam_keep_transaction_of_reads(limits->db);
    /* Without this, SQLite would not always know that it must undo the statement, for which it needs memory. */
    amalgam_limits_end_statement(limits);
    limits->stop = reason;
    limits->ticks = AMALGAM_TICKS - AMALGAM_TICKS_AFTER_FAILURE;
    return 1;
}

/* Interrupts the running statement. The allocation fails only if this didn't help, or during a compilation. */
static int amalgam_limits_interrupt(amalgam_limits *limits, int reason, int has_room) {
    sqlite3 *db = limits->db;
    if (db->pParse != 0 || amalgam_limits_must_preserve(limits)) return amalgam_limits_fail(limits, reason);
    if (amalgam_waits_for_step(limits)) {
        return reason == AMALGAM_STOP_MEMORY && !has_room && amalgam_limits_fail(limits, reason);
    }
    if (limits->stop == AMALGAM_STOP_NONE) {
        int expected = 0;
        limits->stop = reason;
        limits->end = amalgam_monotonic_time() + AMALGAM_TIME_AFTER_INTERRUPT;
        __atomic_compare_exchange_n(
            &db->u1.isInterrupted, &expected, AMALGAM_INTERRUPTED_BY_LIMIT, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    if (reason == AMALGAM_STOP_MEMORY ? has_room : amalgam_monotonic_time() < limits->end) return 0;
    return amalgam_limits_fail(limits, reason);
}

/* Memory */

/* Whether an allocation must fail. */
static int amalgam_limits_refuse(amalgam_limits *limits, int64_t bytes) {
    /* The database is already ending a statement for which an allocation failed. */
    if (limits->db == 0 || limits->db->mallocFailed || limits->suspensions > 0) return 0;
    if (bytes > 0 && limits->memory + bytes > limits->memory_limit) {
        const int64_t excess = amalgam_limits_memory(limits) + bytes - limits->memory_limit;
        if (excess > 0) {
            return amalgam_limits_interrupt(limits, AMALGAM_STOP_MEMORY, excess <= AMALGAM_MEMORY_AFTER_STOP);
        }
    }
    limits->ticks += 1 + (bytes > 0 ? (int)(bytes / AMALGAM_BYTES_PER_TICK) : 0);
    if (limits->ticks < AMALGAM_TICKS) return 0;
    const int reason = amalgam_limits_exceeded(limits);
    return reason != AMALGAM_STOP_NONE && amalgam_limits_interrupt(limits, reason, 0);
}

#ifdef AMALGAM_COUNTS_MEMORY

/*
** The functions that SQLite calls for memory. Each allocation begins with its size, and the number of the limits that
** count it.
*/
typedef struct amalgam_allocation {
    uint32_t size;
    uint32_t number;
} amalgam_allocation;

_Static_assert(sizeof(amalgam_allocation) == 8, "an allocation is aligned to 8 bytes");

static void *amalgam_failed_allocation(int size) {
    sqlite3_log(SQLITE_NOMEM, "failed to allocate %u bytes of memory", size);
    return 0;
}

static void amalgam_count_allocation(amalgam_allocation *allocation, amalgam_limits *limits, int64_t bytes) {
    allocation->number = limits != 0 ? limits->number : 0;
    if (allocation->number != 0) limits->memory += bytes;
}

static void *sqlite3MemMalloc(int size) {
    amalgam_limits *limits = amalgam_current_limits;
    if (limits != 0 && amalgam_limits_refuse(limits, size)) return 0;
    amalgam_allocation *allocation = malloc((size_t)size + sizeof *allocation);
    if (allocation == 0) return amalgam_failed_allocation(size);
    allocation->size = (uint32_t)size;
    amalgam_count_allocation(allocation, limits, size);
    return allocation + 1;
}

static void sqlite3MemFree(void *memory) {
    amalgam_allocation *allocation = (amalgam_allocation *)memory - 1;
    if (allocation->number != 0) {
        amalgam_limits *limits = amalgam_current_limits;
        if (limits != 0 && limits->number == allocation->number) limits->memory -= allocation->size;
    }
    free(allocation);
}

static int sqlite3MemSize(void *memory) { return (int)((amalgam_allocation *)memory - 1)->size; }

static void *sqlite3MemRealloc(void *memory, int size) {
    amalgam_limits *limits = amalgam_current_limits;
    amalgam_allocation *allocation = (amalgam_allocation *)memory - 1;
    const int is_counted = limits != 0 && allocation->number == limits->number;
    const int64_t growth = size - (is_counted ? (int64_t)allocation->size : 0);
    if (limits != 0 && amalgam_limits_refuse(limits, growth)) return 0;
    allocation = realloc(allocation, (size_t)size + sizeof *allocation);
    if (allocation == 0) return amalgam_failed_allocation(size);
    allocation->size = (uint32_t)size;
    if (limits != 0) amalgam_count_allocation(allocation, limits, growth);
    return allocation + 1;
}

#endif

/*
** Writes a page of the cache to a file, to make room for a different page. If this failed halfway for want of memory, the
** transaction would have to be rolled back, even if the statement only reads. So no allocation fails here. The next one does.
*/
static int pagerStress(void *pager, PgHdr *page) {
    amalgam_limits *limits = amalgam_limits_suspend();
    const int code = amalgam_sqlite_pager_stress(pager, page);
    amalgam_limits_resume(limits);
    return code;
}

/* Temporary files */

#if SQLITE_OS_UNIX

/* The size of a temporary file, which SQLite deletes when it is closed; -1 for other files. */
static int64_t amalgam_temporary_size(const unixFile *file) {
    struct stat status;
    if ((file->ctrlFlags & UNIXFILE_DELETE) == 0) return -1;
    return osFstat(file->h, &status) == 0 ? (int64_t)status.st_size : -1;
}

static int unixWrite(sqlite3_file *id, const void *bytes, int count, sqlite3_int64 offset) {
    amalgam_limits *limits = amalgam_current_limits;
    if (limits != 0 && limits->memory_limit != AMALGAM_UNLIMITED) {
        const int64_t size = amalgam_temporary_size((const unixFile *)id);
        const int64_t growth = size < 0 ? 0 : offset + count - size;
        if (growth > 0) {
            /* After an error of I/O, SQLite would roll back the transaction, and not only the statement. */
            if (amalgam_limits_refuse(limits, growth)) return SQLITE_NOMEM;
            limits->memory += growth;
        }
    }
    return amalgam_sqlite_unix_write(id, bytes, count, offset);
}

static int nolockClose(sqlite3_file *id) {
    amalgam_limits *limits = amalgam_current_limits;
    if (limits != 0 && limits->memory_limit != AMALGAM_UNLIMITED) {
        const int64_t size = amalgam_temporary_size((const unixFile *)id);
        if (size > 0) limits->memory -= size < limits->memory ? size : limits->memory;
    }
    return amalgam_sqlite_nolock_close(id);
}

#endif
