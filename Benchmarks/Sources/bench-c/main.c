// bench-c CASE FOLDER [RUNS]
// bench-c --list

#include "Database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CASES(EACH)                                                                                                    \
    EACH(insert)                                                                                                       \
    EACH(insert_values)                                                                                                \
    EACH(insert_values_mixed)                                                                                          \
    EACH(insert_observed)                                                                                              \
    EACH(rows_by_position)                                                                                             \
    EACH(rows_by_name)                                                                                                 \
    EACH(rows_copied)                                                                                                  \
    EACH(strings)                                                                                                      \
    EACH(integers)                                                                                                     \
    EACH(lookups)                                                                                                      \
    EACH(tiny_reads_queue)                                                                                             \
    EACH(tiny_reads_pool)                                                                                              \
    EACH(rows_mixed)                                                                                                   \
    EACH(insert_mixed)                                                                                                 \
    EACH(dates)                                                                                                        \
    EACH(dates_bound)                                                                                                  \
    EACH(uuids)                                                                                                        \
    EACH(uuids_bound)                                                                                                  \
    EACH(function_calls)                                                                                               \
    EACH(function_calls_by_array)                                                                                      \
    EACH(table_function)                                                                                               \
    EACH(small_writes)                                                                                                 \
    EACH(open_pool)                                                                                                    \
    EACH(records_by_position)                                                                                          \
    EACH(records_by_name)                                                                                              \
    EACH(records_codable)                                                                                              \
    EACH(record_by_key)                                                                                                \
    EACH(insert_records)                                                                                               \
    EACH(update_changes)                                                                                               \
    EACH(records_macro)                                                                                                \
    EACH(records_macro_mixed)                                                                                          \
    EACH(record_by_key_macro)                                                                                          \
    EACH(insert_macro)                                                                                                 \
    EACH(full_text_index)                                                                                              \
    EACH(full_text_unicode61)                                                                                          \
    EACH(full_text_code)                                                                                               \
    EACH(full_text_search)                                                                                             \
    EACH(full_text_search_10000)                                                                                       \
    EACH(full_text_search_30000)                                                                                       \
    EACH(full_text_search_100000)                                                                                      \
    EACH(full_text_search_300000)                                                                                      \
    EACH(full_text_search_1000000)

#define DECLARE(name) extern const Case name;
#define POINTER(name) &name,

CASES(DECLARE)

static const Case *const cases[] = {CASES(POINTER)};

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

typedef struct {
    int64_t checksum;
    double time;
} Run;

static Run timed_run(const Case *subject) {
    if (subject->reset) subject->reset();
    double start = milliseconds();
    int64_t result = subject->run();
    double time = milliseconds() - start;
    return (Run){subject->checksum ? subject->checksum() : result, time};
}

// Runs once to warm up, and then `runs` times with a clock.
static void measure(const Case *subject, const char *folder, int runs) {
    double start = milliseconds();
    subject->set_up(folder);
    double set_up = milliseconds() - start;
    int64_t checksum = timed_run(subject).checksum;
    printf("{\"case\": \"%s\", \"checksum\": %lld, \"set_up_ms\": %.6f, \"ms\": [", subject->name,
           (long long)checksum, set_up);
    for (int i = 0; i < runs; i++) {
        Run run = timed_run(subject);
        if (run.checksum != checksum) {
            fprintf(stderr, "unstable checksum\n");
            exit(1);
        }
        printf("%s%.6f", i ? ", " : "", run.time);
    }
    printf("]}\n");
}

static const Case *find(const char *name) {
    for (int i = 0; i < COUNT(cases); i++)
        if (strcmp(cases[i]->name, name) == 0) return cases[i];
    return NULL;
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--list") == 0) {
        for (int i = 0; i < COUNT(cases); i++) puts(cases[i]->name);
        return 0;
    }
    const Case *subject = count == 3 || count == 4 ? find(arguments[1]) : NULL;
    if (!subject) {
        fprintf(stderr, "usage: %s CASE FOLDER [RUNS], or --list\n", arguments[0]);
        return 2;
    }
    measure(subject, arguments[2], count == 4 ? atoi(arguments[3]) : 3);
    return 0;
}
