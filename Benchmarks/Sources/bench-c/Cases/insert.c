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
