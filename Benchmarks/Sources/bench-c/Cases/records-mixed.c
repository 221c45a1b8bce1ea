// 200,000 rows of mixed types as an array of structs. The loop is in Sources/Floor: it creates Swift strings and dates.

#include "../Database.h"

int64_t floor_records_mixed(sqlite3 *db);

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_profiles(folder);
}

static int64_t run(void) {
    return floor_records_mixed(db);
}

const Case records_macro_mixed = {"records-macro-mixed", set_up, NULL, run, NULL};
