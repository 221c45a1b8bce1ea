// Indexes of a real corpus, and searches in them. The documents are loaded before the time is measured.

#include "../Database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;
static sqlite3 *db;

// -- Documents

typedef struct {
    char *title, *body;
    int title_length, body_length;
} Document;

static Document *documents;
static int64_t document_count;

static char *copied(sqlite3_stmt *statement, int column, int *length) {
    const unsigned char *text = sqlite3_column_text(statement, column);
    *length = sqlite3_column_bytes(statement, column);
    return memcpy(malloc(*length + 1), text, *length);
}

static void load(const char *select, int64_t count) {
    sqlite3 *corpus = open_corpus();
    documents = malloc(count * sizeof *documents);
    sqlite3_stmt *statement = prepare(corpus, select);
    sqlite3_bind_int64(statement, 1, count);
    while (next_row(statement)) {
        Document *document = &documents[document_count++];
        document->title = copied(statement, 0, &document->title_length);
        document->body = copied(statement, 1, &document->body_length);
    }
    sqlite3_finalize(statement);
    sqlite3_close(corpus);
}

// -- Indexing

static void set_up_index(const char *path) {
    folder = path;
    load(CORPUS_SELECT_DOCUMENTS, CORPUS_INDEXED_COUNT);
}

static void set_up_unicode61(const char *path) {
    folder = path;
    load(CORPUS_SELECT_DOCUMENTS, CORPUS_TOKENIZED_COUNT);
}

static void set_up_code(const char *path) {
    folder = path;
    load(CORPUS_SELECT_CODE, CORPUS_CODE_COUNT);
}

static void reset(void) {
    sqlite3_close(db);
    db = open_fresh(folder, "full-text.sqlite");
    execute(db, CORPUS_DOCUMENTS_TABLE CORPUS_END);
}

static int64_t run(void) {
    execute(db, "BEGIN IMMEDIATE");
    sqlite3_stmt *statement = prepare(db, CORPUS_INSERT);
    for (int64_t i = 0; i < document_count; i++) {
        const Document *document = &documents[i];
        sqlite3_bind_text(statement, 1, document->title, document->title_length, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, document->body, document->body_length, SQLITE_STATIC);
        expect(db, sqlite3_step(statement), SQLITE_DONE);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    execute(db, "COMMIT");
    return 0;
}

static int64_t checksum(void) {
    return fetch_int64(db, CORPUS_CHECKSUM);
}

const Case full_text_index = {"full-text-index", set_up_index, reset, run, checksum};
const Case full_text_unicode61 = {"full-text-unicode61", set_up_unicode61, reset, run, checksum};
const Case full_text_code = {"full-text-code", set_up_code, reset, run, checksum};

// -- Searching

typedef struct {
    int64_t id;
    char *title;
    int length;
} Found;

static int64_t search(sqlite3_stmt *statement, const char *pattern, int length) {
    Found found[20];
    int count = 0;
    sqlite3_bind_text(statement, 1, pattern, length, SQLITE_STATIC);
    while (next_row(statement)) {
        found[count].id = sqlite3_column_int64(statement, 0);
        found[count].title = copied(statement, 1, &found[count].length);
        count++;
    }
    sqlite3_reset(statement);
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += found[i].id + found[i].length;
        free(found[i].title);
    }
    return sum;
}

static int64_t run_search(void) {
    int64_t sum = 0;
    sqlite3_stmt *statement = prepare(db, CORPUS_RANKED);
    for (const char *pattern = CORPUS_PATTERNS; *pattern;) {
        int length = (int)strcspn(pattern, "|");
        sum += search(statement, pattern, length);
        pattern += length + (pattern[length] == '|');
    }
    sqlite3_finalize(statement);
    return sum;
}

#define SEARCH(name, title, count)                                                                                     \
    static void set_up_##name(const char *path) { db = open_documents(path, count); }                                  \
    const Case name = {title, set_up_##name, NULL, run_search, NULL};

SEARCH(full_text_search, "full-text-search", CORPUS_INDEXED_COUNT)
SEARCH(full_text_search_10000, "full-text-search-10000", 10000)
SEARCH(full_text_search_30000, "full-text-search-30000", 30000)
SEARCH(full_text_search_100000, "full-text-search-100000", 100000)
SEARCH(full_text_search_300000, "full-text-search-300000", 300000)
SEARCH(full_text_search_1000000, "full-text-search-1000000", 1000000)
