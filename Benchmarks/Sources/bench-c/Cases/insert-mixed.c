// 50,000 rows of mixed types through one statement, in one transaction, into a new file. SQLite copies nothing: all
// strings and blobs outlive the step that stores them.

#include "../Database.h"

#include <stdio.h>
#include <string.h>

static const char *folder;
static sqlite3 *db;

static const char name[] = "Anna-Lena van der Meulen";
static const char avatar[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
static char emails[64][40];

static void set_up(const char *path) {
    folder = path;
    for (int i = 0; i < 64; i++) snprintf(emails[i], sizeof emails[i], "player%d@mail.example.org", i * 1001);
}

static void reset(void) {
    sqlite3_close(db);
    db = open_fresh(folder, "insert-mixed.sqlite");
    execute(db, MIXED_TABLE);
}

static int64_t run(void) {
    execute(db, "BEGIN IMMEDIATE");
    sqlite3_stmt *statement = prepare(db, MIXED_INSERT);
    for (int64_t row = 1; row <= MIXED_INSERTED_ROWS; row++) {
        char date[DATE_LENGTH];
        print_date(row * 4321.125, date);
        sqlite3_bind_int64(statement, 1, row);
        sqlite3_bind_text(statement, 2, name, 4 + row % 20, SQLITE_STATIC);
        sqlite3_bind_text(statement, 3, emails[row % 64], strlen(emails[row % 64]), SQLITE_STATIC);
        sqlite3_bind_double(statement, 4, row / 8.0);
        sqlite3_bind_text(statement, 5, date, DATE_LENGTH, SQLITE_STATIC);
        if (row % 3 > 0)
            sqlite3_bind_blob(statement, 6, avatar + row % 10, sizeof avatar - 1 - row % 10, SQLITE_STATIC);
        else
            sqlite3_bind_null(statement, 6);
        expect(db, sqlite3_step(statement), SQLITE_DONE);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    execute(db, "COMMIT");
    return 0;
}

static int64_t checksum(void) {
    return fetch_int64(db, MIXED_CHECKSUM);
}

const Case insert_mixed = {"insert-mixed", set_up, reset, run, checksum};
const Case insert_values_mixed = {"insert-values-mixed", set_up, reset, run, checksum};
