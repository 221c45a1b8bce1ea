#include "Database.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void expect(sqlite3 *db, int code, int expected) {
    if (code == expected) return;
    fprintf(stderr, "SQLite error %d: %s\n", code, sqlite3_errmsg(db));
    exit(1);
}

void execute(sqlite3 *db, const char *sql) {
    expect(db, sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement;
    expect(db, sqlite3_prepare_v3(db, sql, -1, 0, &statement, NULL), SQLITE_OK);
    return statement;
}

int64_t fetch_int64(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = prepare(db, sql);
    expect(db, sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

// -- Files

typedef struct {
    char text[4096];
} Path;

static Path path_of(const char *folder, const char *file, const char *suffix) {
    Path path;
    snprintf(path.text, sizeof path.text, "%s/%s%s", folder, file, suffix);
    return path;
}

static sqlite3 *open_file(Path path) {
    sqlite3 *db;
    int code = sqlite3_open(path.text, &db);
    expect(db, code, SQLITE_OK);
    return db;
}

static void erase(const char *folder, const char *file) {
    const char *suffixes[] = {"", "-journal", "-wal", "-shm"};
    for (int i = 0; i < COUNT(suffixes); i++) unlink(path_of(folder, file, suffixes[i]).text);
}

sqlite3 *open_fresh(const char *folder, const char *file) {
    erase(folder, file);
    sqlite3 *db = open_file(path_of(folder, file, ""));
    execute(db, SYNCHRONOUS_OFF);
    return db;
}

// -- Fixtures

// Filled under another name, so that a stopped program doesn't leave an incomplete fixture behind.
static void make_fixture(const char *folder, const char *file, const char *const *script, int count) {
    Path draft = path_of("", file, ".draft");
    sqlite3 *db = open_fresh(folder, draft.text);
    for (int i = 0; i < count; i++) execute(db, script[i]);
    sqlite3_close(db);
    rename(path_of(folder, draft.text, "").text, path_of(folder, file, "").text);
}

static sqlite3 *open_fixture(const char *folder, const char *file, const char *const *script, int count) {
    Path path = path_of(folder, file, "");
    if (access(path.text, F_OK) != 0) make_fixture(folder, file, script, count);
    return open_file(path);
}

sqlite3 *open_integers(const char *folder) {
    const char *const script[] = {INTEGERS_TABLE, INTEGERS_FILL};
    return open_fixture(folder, INTEGERS_FILE, script, COUNT(script));
}

sqlite3 *open_integers_in_wal(const char *folder) {
    const char *const script[] = {INTEGERS_WAL, INTEGERS_TABLE, INTEGERS_FILL};
    return open_fixture(folder, INTEGERS_WAL_FILE, script, COUNT(script));
}

sqlite3 *open_numbers(const char *folder) {
    const char *const script[] = {NUMBERS_TABLE, NUMBERS_FILL};
    return open_fixture(folder, NUMBERS_FILE, script, COUNT(script));
}

sqlite3 *open_strings(const char *folder) {
    const char *const script[] = {STRINGS_TABLE, STRINGS_FILL};
    return open_fixture(folder, STRINGS_FILE, script, COUNT(script));
}

sqlite3 *open_mixed(const char *folder) {
    const char *const script[] = {MIXED_TABLE, MIXED_FILL};
    return open_fixture(folder, MIXED_FILE, script, COUNT(script));
}

sqlite3 *open_profiles(const char *folder) {
    const char *const script[] = {PROFILES_TABLE, PROFILES_FILL};
    return open_fixture(folder, PROFILES_FILE, script, COUNT(script));
}

sqlite3 *open_dates(const char *folder) {
    const char *const script[] = {DATES_TABLE, DATES_FILL};
    return open_fixture(folder, DATES_FILE, script, COUNT(script));
}

sqlite3 *open_uuids(const char *folder) {
    const char *const script[] = {UUIDS_TABLE, UUIDS_FILL};
    return open_fixture(folder, UUIDS_FILE, script, COUNT(script));
}

sqlite3 *open_accesses(const char *folder) {
    const char *const script[] = {ACCESSES_WAL, INTEGERS_TABLE, INTEGERS_FILL, NOTES_TABLE};
    return open_fixture(folder, ACCESSES_FILE, script, COUNT(script));
}

// -- The corpus

static const char *corpus_path(void) {
    const char *path = getenv(CORPUS_VARIABLE);
    if (path && access(path, R_OK) == 0) return path;
    fprintf(stderr, "there is no corpus at %s: scripts/corpus makes it\n", path ? path : CORPUS_VARIABLE);
    exit(1);
}

sqlite3 *open_corpus(void) {
    sqlite3 *db;
    int code = sqlite3_open_v2(corpus_path(), &db, SQLITE_OPEN_READONLY, NULL);
    expect(db, code, SQLITE_OK);
    return db;
}

sqlite3 *open_documents(const char *folder, int64_t count) {
    Path file;
    snprintf(file.text, sizeof file.text, CORPUS_FILE, (long long)count);
    char *attach = sqlite3_mprintf("ATTACH %Q AS corpus", corpus_path());
    char *fill = sqlite3_mprintf(CORPUS_INDEX, (long long)count);
    const char *const script[] = {SYNCHRONOUS_OFF, CORPUS_DOCUMENTS_TABLE CORPUS_END, attach, fill};
    sqlite3 *db = open_fixture(folder, file.text, script, COUNT(script));
    sqlite3_free(attach);
    sqlite3_free(fill);
    return db;
}
