// 200,000 rows of ten integers, columns by position.

#include "../Database.h"

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_integers(folder);
}

static int64_t run(void) {
    int64_t sum = 0;
    sqlite3_stmt *statement = prepare(db, INTEGERS_SELECT_ROWS);
    while (next_row(statement))
        for (int column = 0; column < INTEGERS_COLUMNS; column++) sum += sqlite3_column_int64(statement, column);
    sqlite3_finalize(statement);
    return sum;
}

const Case rows_by_position = {"rows-by-position", set_up, NULL, run, NULL};
// SQLite has no access by name. A program that uses names first finds the positions, and then does the same.
const Case rows_by_name = {"rows-by-name", set_up, NULL, run, NULL};
