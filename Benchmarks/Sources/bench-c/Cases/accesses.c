// The work of a pool for small writes, and for its opening, without threads: two connections to a file in WAL mode.

#include "../Database.h"

#include <stdio.h>

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

static sqlite3 *opened[ACCESSES_OPENINGS][2];
static char paths[ACCESSES_OPENINGS][4096];

// Creates files that haven't been opened before. Closes those of the last run.
static void reset_openings(void) {
    for (int i = 0; i < ACCESSES_OPENINGS; i++) {
        for (int j = 0; j < 2; j++) sqlite3_close(opened[i][j]);
        char file[64];
        snprintf(file, sizeof file, OPENINGS_FILE, i + 1);
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, file);
        db = open_fresh(folder, file);
        execute(db, ACCESSES_WAL);
        execute(db, OPENINGS_TABLE);
        execute(db, OPENINGS_FILL);
        sqlite3_close(db);
    }
}

static sqlite3 *open_connection(const char *path) {
    sqlite3 *connection;
    expect(connection, sqlite3_open(path, &connection), SQLITE_OK);
    set_pragmas(connection);
    return connection;
}

static int64_t open_and_read(void) {
    int64_t sum = 0;
    for (int i = 0; i < ACCESSES_OPENINGS; i++) {
        sqlite3 *writer = opened[i][0] = open_connection(paths[i]);
        execute(writer, ACCESSES_WAL);
        sqlite3 *reader = opened[i][1] = open_connection(paths[i]);
        execute(reader, "BEGIN");
        sum += fetch_int64(reader, OPENINGS_SELECT);
        execute(reader, "COMMIT");
    }
    return sum;
}

const Case open_pool = {"open-pool", set_up, reset_openings, open_and_read, NULL};
