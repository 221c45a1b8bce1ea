// A million calls of a C function.

#include "../Database.h"

static sqlite3 *db;

static void affine(sqlite3_context *context, int count, sqlite3_value **values) {
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    sqlite3_result_int64(context, 2 * sqlite3_value_int64(values[0]) + 1);
}

static void set_up(const char *folder) {
    db = open_numbers(folder);
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    expect(db, sqlite3_create_function(db, FUNCTIONS_NAME, 1, flags, NULL, affine, NULL, NULL), SQLITE_OK);
}

static int64_t run(void) {
    return fetch_int64(db, FUNCTIONS_SELECT);
}

const Case function_calls = {"function-calls", set_up, NULL, run, NULL};
const Case function_calls_by_array = {"function-calls-by-array", set_up, NULL, run, NULL};
