// 200,000 dates, parsed into one growing array, which is then read and freed; and 200,000 dates formatted and bound.

#include "../Database.h"

#include <math.h>
#include <stdlib.h>

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_dates(folder);
}

typedef struct {
    double *start;
    int64_t count, capacity;
} Dates;

static void append(Dates *dates, double date) {
    if (dates->count == dates->capacity) {
        dates->capacity = dates->capacity ? 2 * dates->capacity : 16;
        dates->start = realloc(dates->start, dates->capacity * sizeof *dates->start);
    }
    dates->start[dates->count++] = date;
}

static int64_t run(void) {
    Dates dates = {0};
    sqlite3_stmt *statement = prepare(db, DATES_SELECT);
    while (next_row(statement)) {
        double date;
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        if (parse_date(text, sqlite3_column_bytes(statement, 0), &date) != 0) abort();
        append(&dates, date);
    }
    sqlite3_finalize(statement);
    int64_t milliseconds = 0;
    for (int64_t i = 0; i < dates.count; i++) milliseconds += llround(dates.start[i] * 1000);
    free(dates.start);
    return milliseconds;
}

const Case dates = {"dates", set_up, NULL, run, NULL};

static void open_memory(const char *folder) {
    expect(NULL, sqlite3_open(":memory:", &db), SQLITE_OK);
}

static int64_t bind(void) {
    sqlite3_stmt *statement = prepare(db, BOUND_SELECT);
    for (int number = 1; number <= BOUND_VALUES; number++) {
        char text[DATE_LENGTH];
        print_date(number * 7654.125, text);
        sqlite3_bind_text(statement, 1, text, DATE_LENGTH, SQLITE_TRANSIENT);
    }
    expect(db, sqlite3_step(statement), SQLITE_ROW);
    int64_t length = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return length;
}

const Case dates_bound = {"dates-bound", open_memory, NULL, bind, NULL};
