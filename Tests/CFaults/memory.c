/*
** An allocator between SQLite and its own allocator. Each block begins with a header that names the faults object that
** was active at the allocation, so that the block counts as live there until any thread frees it.
**
** Connections opened under a faults object get no lookaside memory (a private pool of small blocks that SQLite
** allocates in one piece, and can do without): otherwise most allocations would bypass this allocator.
*/
#include "faults.h"
#ifdef AMALGAM_FAULTS_HAVE_SQLITE

#include <stdlib.h>
#include <string.h>

/* Like SQLite's own allocator, this one aligns blocks to eight bytes. */
typedef struct {
    faults *owner;
    int64_t size;
} header;

_Static_assert(sizeof(header) % 8 == 0, "blocks behind a header are aligned");

static sqlite3_mem_methods plain;
static int installed;

enum { lookaside_bytes = 1200 * 40 };

static void adopt(header *block, faults *owner, int size) {
    block->owner = owner;
    block->size = size;
    if (owner == 0) return;
    faults_retain(owner);
    atomic_fetch_add(&owner->live_allocations, 1);
    atomic_fetch_add(&owner->live_bytes, size);
}

static void abandon(header *block) {
    faults *owner = block->owner;
    if (owner == 0) return;
    atomic_fetch_sub(&owner->live_allocations, 1);
    atomic_fetch_sub(&owner->live_bytes, block->size);
    faults_release(owner);
}

static void *allocate(int size) {
    faults *owner = faults_current();
    if (owner != 0 && size == lookaside_bytes) return 0;
    if (faults_strike(owner, FAULTS_ALLOCATION, FAULTS_ANY_FILE)) return 0;
    header *block = plain.xMalloc(size + (int)sizeof(header));
    if (block == 0) return 0;
    adopt(block, owner, size);
    return block + 1;
}

static void release(void *memory) {
    if (memory == 0) return;
    header *block = (header *)memory - 1;
    abandon(block);
    plain.xFree(block);
}

static void *reallocate(void *memory, int size) {
    faults *owner = faults_current();
    if (faults_strike(owner, FAULTS_ALLOCATION, FAULTS_ANY_FILE)) return 0;
    header *block = (header *)memory - 1;
    header *moved = plain.xRealloc(block, size + (int)sizeof(header));
    if (moved == 0) return 0;
    faults *first = moved->owner;
    if (first) atomic_fetch_add(&first->live_bytes, size - moved->size);
    moved->size = size;
    return moved + 1;
}

static int size_of(void *memory) { return memory ? (int)((header *)memory - 1)->size : 0; }
static int round_up(int size) { return plain.xRoundup(size); }
static int start(void *context) { return plain.xInit(context); }
static void stop(void *context) { plain.xShutdown(context); }

/* Before main: SQLite accepts an allocator only before its first use. */
__attribute__((constructor(200))) static void install(void) {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain) != SQLITE_OK) return;
    sqlite3_mem_methods methods = {
        allocate, release, reallocate, size_of, round_up, start, stop, plain.pAppData,
    };
    installed = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK;
}

int faults_memory_is_installed(void) { return installed; }

#endif
