// 100,000 rows of mixed types, columns by position. The loop is in Sources/Floor: it creates Swift strings and data.

#include "../Database.h"

int64_t floor_rows_mixed(sqlite3 *db);

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_mixed(folder);
}

static int64_t run(void) {
    return floor_rows_mixed(db);
}

const Case rows_mixed = {"rows-mixed", set_up, NULL, run, NULL};
