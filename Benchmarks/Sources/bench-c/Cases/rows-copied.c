// 200,000 rows of ten integers as one growing array of plain structs, which is then read and freed.
//
// The structs have their columns at compile time. A Swift row stores any value of any column and its names, so this
// case is a lower bound for rows, and not a peer. For records, it is the same work.

#include "../Database.h"

#include <stdlib.h>

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_integers(folder);
}

typedef struct {
    int64_t columns[INTEGERS_COLUMNS];
} CopiedRow;

typedef struct {
    CopiedRow *start;
    int64_t count, capacity;
} CopiedRows;

static CopiedRow *append(CopiedRows *rows) {
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity ? 2 * rows->capacity : 16;
        rows->start = realloc(rows->start, rows->capacity * sizeof *rows->start);
    }
    return &rows->start[rows->count++];
}

static CopiedRows fetch(void) {
    CopiedRows rows = {0};
    sqlite3_stmt *statement = prepare(db, INTEGERS_SELECT_ROWS);
    while (next_row(statement)) {
        CopiedRow *row = append(&rows);
        for (int column = 0; column < INTEGERS_COLUMNS; column++)
            row->columns[column] = sqlite3_column_int64(statement, column);
    }
    sqlite3_finalize(statement);
    return rows;
}

static int64_t run(void) {
    CopiedRows rows = fetch();
    int64_t sum = 0;
    for (int64_t i = 0; i < rows.count; i++)
        for (int column = 0; column < INTEGERS_COLUMNS; column++) sum += rows.start[i].columns[column];
    free(rows.start);
    return sum;
}

const Case rows_copied = {"rows-copied", set_up, NULL, run, NULL};

// Records with a custom initializer: C has no names, so both cases are the same here.
const Case records_by_position = {"records-by-position", set_up, NULL, run, NULL};
const Case records_by_name = {"records-by-name", set_up, NULL, run, NULL};
const Case records_codable = {"records-codable", set_up, NULL, run, NULL};
const Case records_macro = {"records-macro", set_up, NULL, run, NULL};
