// One measured piece of work: a file in Cases/, listed in main.c. Only `run` is timed.
//
// A process measures one case and ends, so a case stores its connection in a file-scope variable and never closes it.

#ifndef CASE_H
#define CASE_H

#include <CAmalgam.h>
#include <Workload.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name;                       // the name in the Swift programs and scripts/bench
    void (*set_up)(const char *folder);     // opens the databases of the runs, once per process
    void (*reset)(void);                    // prepares the next run; may be NULL
    int64_t (*run)(void);                   // does the work; the result depends on every value that was read
    int64_t (*checksum)(void);              // reads what a case wrote; NULL: the result is the checksum
} Case;

#endif
