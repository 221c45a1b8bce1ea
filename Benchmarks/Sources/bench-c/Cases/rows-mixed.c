// 100,000 rows of mixed types, columns by position: texts and blobs are copied to memory of their own, dates are parsed.
// A row is let go before the next one.

#include "../Database.h"
#include "../Instants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_mixed(folder);
}

typedef struct {
    char *bytes;
    int length;
} Copy;

static Copy text(sqlite3_stmt *statement, int column) {
    const unsigned char *text = sqlite3_column_text(statement, column);
    int length = sqlite3_column_bytes(statement, column);
    return (Copy){memcpy(malloc(length + 1), text, length), length};
}

static Copy blob(sqlite3_stmt *statement, int column) {
    if (sqlite3_column_type(statement, column) == SQLITE_NULL) return (Copy){NULL, 0};
    const void *bytes = sqlite3_column_blob(statement, column);
    int length = sqlite3_column_bytes(statement, column);
    return (Copy){memcpy(malloc(length + 1), bytes, length), length};
}

static double date(sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    double seconds;
    if (parse_date(text, sqlite3_column_bytes(statement, column), &seconds) != 0) abort();
    return seconds;
}

static int64_t run(void) {
    int64_t sum = 0;
    sqlite3_stmt *statement = prepare(db, MIXED_SELECT);
    while (next_row(statement)) {
        int64_t id = sqlite3_column_int64(statement, 0);
        Copy name = text(statement, 1);
        Copy email = text(statement, 2);
        double score = sqlite3_column_double(statement, 3);
        double seen = date(statement, 4);
        Copy avatar = blob(statement, 5);
        sum += id + name.length + email.length + (int64_t)score + llround(seen * 1000) + avatar.length;
        free(name.bytes);
        free(email.bytes);
        free(avatar.bytes);
    }
    sqlite3_finalize(statement);
    return sum;
}

const Case rows_mixed = {"rows-mixed", set_up, NULL, run, NULL};
