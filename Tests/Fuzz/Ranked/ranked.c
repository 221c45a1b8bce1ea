/*
** Searches FTS5 tables whose shadow tables and database pages libFuzzer has changed, in order of rank. Any rows, ranks and
** errors are right: the address sanitizer finds what isn't.
**
** The first byte of the input chooses a table, the second one a hostile schema or none. Then, each four bytes change a byte
** of a page, and the rest is written over a record of the index.
*/
#include "CRankedFuzz.h"
#include "CAmalgam.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES = 6, SCHEMAS = 8, PAGES = 400, MUTATIONS = 24 };

/* A database with one FTS5 table, and the pages of its shadow tables. */
typedef struct base_file {
    unsigned char *bytes;
    sqlite3_int64 size;
    int page_size, page_count;
    int pages[PAGES];
} base_file;

static base_file bases[TABLES];

static const char *const options[TABLES] = {
    "", ", content=''", ", content='', contentless_delete=1", ", prefix='1 2'", ", columnsize=0", ", detail=column"};

static const char *const schemas[SCHEMAS] = {
    "CREATE TABLE t_docsize (id, sz); INSERT INTO t_docsize SELECT 1, sz FROM kept",
    "CREATE VIEW t_docsize AS SELECT id, sz FROM kept UNION ALL SELECT 5, sz FROM kept",
    "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz) WITHOUT ROWID; INSERT INTO t_docsize SELECT * FROM kept",
    "CREATE TABLE t_docsize (sz, id INTEGER PRIMARY KEY); INSERT INTO t_docsize SELECT sz, id FROM kept",
    "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz); INSERT INTO t_docsize SELECT id, randomblob(id % 12) FROM kept",
    "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz); INSERT INTO t_docsize SELECT id * 72057594037, sz FROM kept",
    "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz); INSERT INTO t_docsize SELECT id, zeroblob(6000) FROM kept LIMIT 20",
    "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz); INSERT INTO t_docsize SELECT id, x'8080808080' FROM kept"};

static void run(sqlite3 *db, const char *sql) { sqlite3_exec(db, sql, 0, 0, 0); }

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static int add_page(void *context, int count, char **values, char **names) {
    base_file *base = context;
    (void)count, (void)names;
    if (base->page_count < PAGES) base->pages[base->page_count++] = atoi(values[0]);
    return 0;
}

/* Without SQLITE_ENABLE_DBSTAT_VTAB, all pages may change. */
static void find_pages(sqlite3 *db, base_file *base) {
    sqlite3_exec(db, "SELECT pageno FROM dbstat WHERE name LIKE 't\\_%' ESCAPE '\\'", add_page, base, 0);
    for (int page = 2; base->page_count == 0 && page <= base->size / base->page_size && page < PAGES; page++) {
        base->pages[base->page_count++] = page;
    }
}

static void make_base(base_file *base, const char *option) {
    sqlite3 *db = 0;
    char sql[4096];
    require(sqlite3_open(":memory:", &db) == SQLITE_OK, "no database");
    base->page_size = 1024;
    snprintf(
        sql, sizeof(sql),
        "PRAGMA page_size = 1024; CREATE VIRTUAL TABLE t USING fts5(x, y%s);"
        "INSERT INTO t(t, rank) VALUES ('pgsz', 200), ('automerge', 2);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)"
        "INSERT INTO t(rowid, x, y) SELECT i, 'a ' || replace(hex(zeroblob(i %% 9)), '00', 'b '), 'w' || i || ' c' FROM n;"
        "WITH RECURSIVE n(i) AS (SELECT 301 UNION ALL SELECT i + 1 FROM n LIMIT 100)"
        "INSERT INTO t(rowid, x, y) SELECT i * 1000003, 'a c', 'b w' || i FROM n;"
        "CREATE TABLE kept AS SELECT id, sz FROM t_docsize;",
        option);
    run(db, sql);
    base->bytes = sqlite3_serialize(db, "main", &base->size, 0);
    require(base->bytes != 0, "no bytes");
    find_pages(db, base);
    sqlite3_close(db);
}

static int each_term(void *context, int segment, const char *term, int count, int64_t size) {
    uint8_t *sum = context;
    (void)segment, (void)size;
    for (int i = 0; i < count; i++) *sum ^= (uint8_t)term[i];
    return SQLITE_OK;
}

static void search(sqlite3 *db, const char *query, const char *condition) {
    char sql[512];
    snprintf(
        sql, sizeof(sql), "SELECT rowid, rank FROM t WHERE t MATCH '%s' %s ORDER BY rank LIMIT 50", query, condition);
    sqlite3_stmt *statement = 0;
    int steps = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW && steps++ < 200) sqlite3_column_double(statement, 1);
    }
    sqlite3_finalize(statement);
}

static void search_all(sqlite3 *db) {
    static const char *const queries[] = {
        "a", "a OR b", "a AND b", "(a OR w7) AND (b OR c)", "w*", "a NOT b", "\"a b\"", "x : a", "w30 OR w31"};
    uint8_t sum = 0;
    int64_t rows = 0, bytes = 0;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) search(db, queries[i], "");
        run(db, "BEGIN; SELECT rowid FROM t LIMIT 1");
        amalgam_ranked_load(db, 0, "t", &rows, &bytes);
        run(db, "COMMIT");
    }
    search(db, "a OR b", "AND rowid BETWEEN 30 AND 5000000");
    search(db, "a OR w7", "AND rank MATCH 'amalgam_typos(''0:0 0:1'')'");
    amalgam_fts5_each_term(db, "t", &sum, each_term);
    run(db, "BEGIN; INSERT INTO t(rowid, x) VALUES (77777, 'a b')");
    search(db, "a OR b", "");
    run(db, "DELETE FROM t WHERE rowid = 12");
    search(db, "a", "");
    run(db, "ROLLBACK");
    search(db, "a", "");
}

static void change_pages(const base_file *base, unsigned char *bytes, const uint8_t *data, size_t count) {
    for (size_t i = 0; i < count; i++, data += 4) {
        const int page = base->pages[data[0] % base->page_count];
        const sqlite3_int64 offset = (sqlite3_int64)(page - 1) * base->page_size + (data[1] << 8 | data[2]) % base->page_size;
        if (offset < base->size) bytes[offset] = data[3];
    }
}

static void change_record(sqlite3 *db, const uint8_t *data, size_t size) {
    sqlite3_stmt *statement = 0;
    const char *sql = "UPDATE t_data SET block = ?1 WHERE id = (SELECT id FROM t_data ORDER BY id LIMIT 1 OFFSET ?2)";
    if (size < 2 || sqlite3_prepare_v2(db, sql, -1, &statement, 0) != SQLITE_OK) return;
    sqlite3_bind_blob(statement, 1, data + 1, (int)size - 1, SQLITE_TRANSIENT);
    sqlite3_bind_int(statement, 2, data[0] % 40);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
}

void amalgam_fuzz_ranked(const uint8_t *data, size_t size) {
    sqlite3 *db = 0;
    if (bases[0].bytes == 0) {
        for (int i = 0; i < TABLES; i++) make_base(&bases[i], options[i]);
    }
    if (size < 3) return;
    const base_file *base = &bases[data[0] % TABLES];
    const int schema = data[1] % (2 * SCHEMAS);
    const size_t most = (size - 3) / 4, count = data[2] % (MUTATIONS + 1) < most ? data[2] % (MUTATIONS + 1) : most;
    unsigned char *bytes = sqlite3_malloc64((sqlite3_uint64)base->size);
    if (bytes == 0 || sqlite3_open(":memory:", &db) != SQLITE_OK) return;
    memcpy(bytes, base->bytes, (size_t)base->size);
    change_pages(base, bytes, data + 3, count);
    sqlite3_deserialize(
        db, "main", bytes, base->size, base->size, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    amalgam_ranked_add_typos(db);
    if (schema < SCHEMAS) {
        run(db, "PRAGMA writable_schema = ON; DROP TABLE t_docsize");
        run(db, schemas[schema]);
    }
    change_record(db, data + 3 + 4 * count, size - 3 - 4 * count);
    search_all(db);
    sqlite3_close(db);
}
