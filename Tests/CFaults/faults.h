/* State shared by the allocator and the files: the plan of a thread. */
#ifndef AMALGAM_FAULTS_PRIVATE_H
#define AMALGAM_FAULTS_PRIVATE_H

/* Without SQLite, this target compiles to nothing: the error of CAmalgam says what to do. */
#if __has_include("../../vendor/sqlite/sqlite3.h")
#define AMALGAM_FAULTS_HAVE_SQLITE 1

#include "CAmalgam.h"
#include "CFaults.h"

#include <stdatomic.h>

struct faults {
    /* The plan. Only the thread on which the object is active uses it. */
    uint32_t operations;
    uint32_t files;
    int64_t n;
    int persists;
    int code;
    int tears;
    int64_t calls;
    int64_t failures;
    /* Other threads may free memory. */
    _Atomic int64_t live_allocations;
    _Atomic int64_t live_bytes;
    /* One for the creator, and one for each live allocation: the last release frees the object. */
    _Atomic int64_t references;
};

/* The active object of this thread, or NULL. */
faults *faults_current(void);

/* Counts an operation. Returns whether it must fail. */
int faults_strike(faults *, uint32_t operation, uint32_t file);

void faults_retain(faults *);
void faults_release(faults *);

#endif
#endif
