// 20,000 rows looked up by key in one transaction through one statement, three columns read.

#include "../Database.h"

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_integers(folder);
}

static int64_t look_up(sqlite3_stmt *statement, int64_t id) {
    sqlite3_bind_int64(statement, 1, id);
    expect(db, sqlite3_step(statement), SQLITE_ROW);
    int64_t sum = sqlite3_column_int64(statement, 0);
    sum += sqlite3_column_int64(statement, 1);
    sum += sqlite3_column_int64(statement, 2);
    sqlite3_reset(statement);
    return sum;
}

static int64_t run(void) {
    int64_t sum = 0;
    execute(db, "BEGIN");
    sqlite3_stmt *statement = prepare(db, INTEGERS_SELECT_BY_KEY);
    for (int64_t lookup = 0; lookup < INTEGERS_LOOKUPS; lookup++)
        sum += look_up(statement, lookup * INTEGERS_LOOKUP_STRIDE % INTEGERS_LOOKUPS + 1);
    sqlite3_finalize(statement);
    execute(db, "COMMIT");
    return sum;
}

const Case lookups = {"lookups", set_up, NULL, run, NULL};

// The same keys, with all columns, as for a record.

static int64_t look_up_record(sqlite3_stmt *statement, int64_t id) {
    sqlite3_bind_int64(statement, 1, id);
    expect(db, sqlite3_step(statement), SQLITE_ROW);
    int64_t sum = 0;
    for (int column = 0; column <= INTEGERS_COLUMNS; column++) sum += sqlite3_column_int64(statement, column);
    sqlite3_reset(statement);
    return sum;
}

static int64_t run_records(void) {
    int64_t sum = 0;
    execute(db, "BEGIN");
    sqlite3_stmt *statement = prepare(db, INTEGERS_SELECT_RECORD);
    for (int64_t lookup = 0; lookup < INTEGERS_LOOKUPS; lookup++)
        sum += look_up_record(statement, lookup * INTEGERS_LOOKUP_STRIDE % INTEGERS_LOOKUPS + 1);
    sqlite3_finalize(statement);
    execute(db, "COMMIT");
    return sum;
}

const Case record_by_key = {"record-by-key", set_up, NULL, run_records, NULL};
const Case record_by_key_macro = {"record-by-key-macro", set_up, NULL, run_records, NULL};
