// What pools make of small writes, and of being opened, without threads: two connections to a file in WAL mode.

#include "../Database.h"

static const char *folder;
static sqlite3 *db;

// -- Writes

static void set_up(const char *path) {
    folder = path;
}

static void set_pragmas(sqlite3 *connection) {
    execute(connection, ACCESSES_SYNCHRONOUS);
    execute(connection, ACCESSES_CHECKPOINTS);
}

static void set_up_notes(const char *path) {
    set_up(path);
    db = open_accesses(folder);
    set_pragmas(db);
}

static void reset_notes(void) {
    execute(db, NOTES_DELETE);
}

static int64_t write_notes(void) {
    for (int64_t number = 1; number <= ACCESSES_WRITES; number++) {
        execute(db, "BEGIN IMMEDIATE");
        sqlite3_stmt *statement = prepare(db, NOTES_INSERT);
        sqlite3_bind_int64(statement, 1, number);
        expect(db, sqlite3_step(statement), SQLITE_DONE);
        sqlite3_finalize(statement);
        execute(db, "COMMIT");
    }
    return 0;
}

static int64_t checksum_notes(void) {
    return fetch_int64(db, NOTES_CHECKSUM);
}

const Case small_writes = {"small-writes", set_up_notes, reset_notes, write_notes, checksum_notes};

// -- Openings

static int64_t open_and_read(void) {
    int64_t sum = 0;
    for (int opening = 0; opening < ACCESSES_OPENINGS; opening++) {
        sqlite3 *writer = open_integers_in_wal(folder);
        execute(writer, ACCESSES_WAL);
        set_pragmas(writer);
        sqlite3 *reader = open_integers_in_wal(folder);
        set_pragmas(reader);
        execute(reader, "BEGIN");
        sum += fetch_int64(reader, INTEGERS_SELECT_TINY);
        execute(reader, "COMMIT");
        sqlite3_close(reader);
        sqlite3_close(writer);
    }
    return sum;
}

const Case open_pool = {"open-pool", set_up, NULL, open_and_read, NULL};
