// 200,000 integers as one growing array, which is then summed and freed.

#include "../Database.h"

#include <stdlib.h>

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_integers(folder);
}

typedef struct {
    int64_t *start;
    int64_t count, capacity;
} CopiedIntegers;

static void append(CopiedIntegers *integers, int64_t integer) {
    if (integers->count == integers->capacity) {
        integers->capacity = integers->capacity ? 2 * integers->capacity : 16;
        integers->start = realloc(integers->start, integers->capacity * sizeof *integers->start);
    }
    integers->start[integers->count++] = integer;
}

static CopiedIntegers fetch(void) {
    CopiedIntegers integers = {0};
    sqlite3_stmt *statement = prepare(db, INTEGERS_SELECT_VALUES);
    while (next_row(statement)) append(&integers, sqlite3_column_int64(statement, 0));
    sqlite3_finalize(statement);
    return integers;
}

static int64_t run(void) {
    CopiedIntegers integers = fetch();
    int64_t sum = 0;
    for (int64_t i = 0; i < integers.count; i++) sum += integers.start[i];
    free(integers.start);
    return sum;
}

const Case integers = {"integers", set_up, NULL, run, NULL};
