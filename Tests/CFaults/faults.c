#include "faults.h"
#ifdef AMALGAM_FAULTS_HAVE_SQLITE

#include <stdlib.h>

static _Thread_local faults *current;

faults *faults_current(void) { return current; }

faults *faults_exchange(faults *next) {
    faults *previous = current;
    current = next;
    return previous;
}

faults *faults_create(void) {
    faults *self = calloc(1, sizeof *self);
    if (self == 0) abort();
    atomic_store(&self->references, 1);
    return self;
}

void faults_retain(faults *self) { atomic_fetch_add(&self->references, 1); }

void faults_release(faults *self) {
    if (atomic_fetch_sub(&self->references, 1) == 1) free(self);
}

void faults_free(faults *self) { faults_release(self); }

void faults_plan(faults *self, uint32_t operations, uint32_t files, int64_t n, int persists, int code, int tears) {
    self->operations = operations;
    self->files = files;
    self->n = n;
    self->persists = persists;
    self->code = code;
    self->tears = tears;
    self->calls = 0;
    self->failures = 0;
}

int faults_strike(faults *self, uint32_t operation, uint32_t file) {
    if (self == 0 || (self->operations & operation) == 0 || (self->files & file) == 0) return 0;
    self->calls++;
    int strikes = self->n > 0 && (self->calls == self->n || (self->persists && self->calls > self->n));
    if (strikes) self->failures++;
    return strikes;
}

int64_t faults_calls(const faults *self) { return self->calls; }
int64_t faults_failures(const faults *self) { return self->failures; }
int64_t faults_live_allocations(const faults *self) { return atomic_load(&self->live_allocations); }
int64_t faults_live_bytes(const faults *self) { return atomic_load(&self->live_bytes); }

#endif
