// One measured piece of work: a file in Cases/, listed in main.c. Only `run` is timed.
//
// A process measures one case and ends, so a case keeps its connection in a file-scope variable and never closes it.

#ifndef CASE_H
#define CASE_H

#include <CAmalgam.h>
#include <Workload.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name;                       // the name the Swift programs and scripts/bench know it by
    void (*set_up)(const char *folder);     // opens what the runs need, once per process
    void (*reset)(void);                    // makes ready for the next run; may be NULL
    int64_t (*run)(void);                   // the work; the result depends on every value that was read
    int64_t (*checksum)(void);              // reads back what a case wrote; NULL: the result is the checksum
} Case;

#endif
