/*
** Times what a key costs, in C: scripts/bench-encryption compiles this file with the trait Encryption and without it.
** usage: encryption PATH (clear|encrypted). Prints a line "case nanoseconds" for each case.
*/
#define _GNU_SOURCE
#include "CAmalgam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { rows = 100000, commits = 2000, lookups = 20000, connections = 6 };

static int is_encrypted;
static const char *path;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void check(sqlite3 *db, int code) {
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
    fprintf(stderr, "error %d: %s\n", code, sqlite3_errmsg(db));
    exit(1);
}

static void run(sqlite3 *db, const char *sql) { check(db, sqlite3_exec(db, sql, 0, 0, 0)); }

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = 0;
    check(db, sqlite3_prepare_v2(db, sql, -1, &statement, 0));
    return statement;
}

static sqlite3_int64 integer(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = prepare(db, sql);
    sqlite3_int64 result;
    check(db, sqlite3_step(statement));
    result = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return result;
}

static sqlite3 *open_database(void) {
    static const char passphrase[] = "correct horse battery staple";
    sqlite3 *db = 0;
    check(db, sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, 0));
    if (is_encrypted) check(db, amalgam_use_key(db, "main", passphrase, (int)strlen(passphrase)));
    return db;
}

static void report(const char *name, double start) { printf("%s %.0f\n", name, now() - start); }

static void remove_files(void) {
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    char name[4096];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
        unlink(name);
    }
}

static void insert(sqlite3 *db) {
    double start = now();
    sqlite3_stmt *statement;
    run(db, "BEGIN");
    statement = prepare(db, "INSERT INTO player (name, score, x) VALUES (?, ?, ?)");
    for (int i = 0; i < rows; i++) {
        char name[64];
        int length = snprintf(name, sizeof(name), "player number %d of the whole league", i);
        sqlite3_bind_text(statement, 1, name, length, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 2, (i * 2654435761u) % 1000000);
        sqlite3_bind_double(statement, 3, i * 0.5);
        check(db, sqlite3_step(statement));
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    run(db, "COMMIT");
    report("insert", start);
}

static void commit(sqlite3 *db) {
    double start = now();
    sqlite3_stmt *statement = prepare(db, "INSERT INTO player (name, score, x) VALUES ('one small commit', 1, 1)");
    for (int i = 0; i < commits; i++) {
        check(db, sqlite3_step(statement));
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    report("commits", start);
}

static void look_up(sqlite3 *db) {
    double start;
    sqlite3_stmt *statement;
    run(db, "PRAGMA cache_size = -2000");
    start = now();
    statement = prepare(db, "SELECT name FROM player WHERE id = ?");
    for (int i = 0; i < lookups; i++) {
        sqlite3_bind_int64(statement, 1, 1 + (i * 7919ll) % rows);
        check(db, sqlite3_step(statement));
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    report("lookups", start);
}

/* The connections of a pool: a writer and five readers, each of which reads. */
static void open_pool(void) {
    sqlite3 *opened[connections];
    double start = now();
    for (int i = 0; i < connections; i++) {
        opened[i] = open_database();
        integer(opened[i], "SELECT COUNT(*) FROM sqlite_master");
        if (i == 0) report("open", start);
    }
    report("open-pool", start);
    for (int i = 0; i < connections; i++) sqlite3_close(opened[i]);
}

int main(int count, char **arguments) {
    sqlite3 *db;
    double start;
    if (count != 3) return 2;
    path = arguments[1];
    is_encrypted = strcmp(arguments[2], "encrypted") == 0;
    remove_files();
    db = open_database();
    run(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
            "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, x REAL);"
            "CREATE INDEX playerOnScore ON player (score)");
    insert(db);
    check(db, sqlite3_wal_checkpoint_v2(db, 0, SQLITE_CHECKPOINT_TRUNCATE, 0, 0));
    commit(db);
    sqlite3_close(db);
    open_pool();
    db = open_database();
    integer(db, "SELECT COUNT(*) FROM sqlite_master");
    start = now();
    integer(db, "SELECT SUM(LENGTH(name) + score) FROM player");
    report("scan", start);
    look_up(db);
    sqlite3_close(db);
    remove_files();
    return 0;
}
