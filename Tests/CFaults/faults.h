/* What the allocator and the files share: the plan of a thread. */
#ifndef AMALGAM_FAULTS_PRIVATE_H
#define AMALGAM_FAULTS_PRIVATE_H

#include "CAmalgam.h"
#include "CFaults.h"

#include <stdatomic.h>

struct faults {
    /* The plan. Used by the thread on which the object is in force. */
    uint32_t operations;
    uint32_t files;
    int64_t n;
    int persists;
    int code;
    int tears;
    int64_t calls;
    int64_t failures;
    /* Memory may be freed by other threads. */
    _Atomic int64_t live_allocations;
    _Atomic int64_t live_bytes;
    /* One for the creator, and one for each live allocation: the last one frees the object. */
    _Atomic int64_t references;
};

/* The object in force on this thread, or NULL. */
faults *faults_current(void);

/* Counts an operation. Returns whether it must fail. */
int faults_strike(faults *, uint32_t operation, uint32_t file);

void faults_retain(faults *);
void faults_release(faults *);

#endif
