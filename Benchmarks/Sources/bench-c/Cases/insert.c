// 50,000 rows of ten integers through one statement, in one transaction, into a new file.

#include "../Database.h"

static const char *folder;
static sqlite3 *db;

static void set_up(const char *path) {
    folder = path;
}

static void reset(void) {
    sqlite3_close(db);
    db = open_fresh(folder, "insert.sqlite");
    execute(db, INTEGERS_TABLE);
}

static int64_t run(void) {
    execute(db, "BEGIN IMMEDIATE");
    sqlite3_stmt *statement = prepare(db, INTEGERS_INSERT);
    for (int64_t row = 1; row <= INTEGERS_INSERTED_ROWS; row++) {
        for (int column = 0; column < INTEGERS_COLUMNS; column++)
            sqlite3_bind_int64(statement, column + 1, 10 * row + column);
        expect(db, sqlite3_step(statement), SQLITE_DONE);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    execute(db, "COMMIT");
    return 0;
}

static int64_t checksum(void) {
    return fetch_int64(db, INTEGERS_CHECKSUM);
}

const Case insert = {"insert", set_up, reset, run, checksum};
const Case insert_records = {"insert-records", set_up, reset, run, checksum};
const Case insert_macro = {"insert-macro", set_up, reset, run, checksum};

// 20,000 of these rows, in which one column is changed through one statement, in one transaction.

static void reset_updates(void) {
    reset();
    run();
}

static int64_t run_updates(void) {
    execute(db, "BEGIN IMMEDIATE");
    sqlite3_stmt *statement = prepare(db, INTEGERS_UPDATE);
    for (int64_t row = 1; row <= INTEGERS_UPDATED_ROWS; row++) {
        sqlite3_bind_int64(statement, 1, 10 * row + 3 + row % 7 + 1);
        sqlite3_bind_int64(statement, 2, row);
        expect(db, sqlite3_step(statement), SQLITE_DONE);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    execute(db, "COMMIT");
    return 0;
}

const Case update_changes = {"update-changes", set_up, reset_updates, run_updates, checksum};

// 200,000 rows of ten integers through one INSERT … SELECT, with a pre-update hook that reads all values.

static int64_t sum;

static void hook(void *context, sqlite3 *db, int operation, const char *schema, const char *table, sqlite3_int64 old,
                 sqlite3_int64 new) {
    (void)context, (void)operation, (void)schema, (void)table, (void)old, (void)new;
    int count = sqlite3_preupdate_count(db);
    for (int column = 0; column < count; column++) {
        sqlite3_value *value;
        if (sqlite3_preupdate_new(db, column, &value) == SQLITE_OK) sum += sqlite3_value_int64(value);
    }
}

static void reset_observed(void) {
    reset();
    sum = 0;
    sqlite3_preupdate_hook(db, hook, NULL);
}

static int64_t run_observed(void) {
    execute(db, "BEGIN IMMEDIATE");
    execute(db, INTEGERS_FILL);
    execute(db, "COMMIT");
    return 0;
}

static int64_t checksum_observed(void) {
    return sum;
}

const Case insert_observed = {"insert-observed", set_up, reset_observed, run_observed, checksum_observed};
const Case insert_values = {"insert-values", set_up, reset, run, checksum};
