// SQLite code shared by all cases, in addition to the calls that a case measures. A failure ends the program with
// SQLite's message.

#ifndef DATABASE_H
#define DATABASE_H

#include "Case.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(*(array))))

sqlite3 *open_integers(const char *folder);
sqlite3 *open_integers_in_wal(const char *folder);
sqlite3 *open_numbers(const char *folder);
sqlite3 *open_strings(const char *folder);
sqlite3 *open_mixed(const char *folder);
sqlite3 *open_profiles(const char *folder);
sqlite3 *open_dates(const char *folder);
sqlite3 *open_uuids(const char *folder);
sqlite3 *open_accesses(const char *folder);

// Opens the corpus that scripts/corpus has created.
sqlite3 *open_corpus(void);

// Opens an index of a number of documents of the corpus.
sqlite3 *open_documents(const char *folder, int64_t count);

// Creates a database, with synchronous = OFF.
sqlite3 *open_fresh(const char *folder, const char *file);

void execute(sqlite3 *db, const char *sql);
sqlite3_stmt *prepare(sqlite3 *db, const char *sql);
int64_t fetch_int64(sqlite3 *db, const char *sql);

void expect(sqlite3 *db, int code, int expected);

// Returns true for a row, false at the end.
static inline int next_row(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) return 1;
    expect(sqlite3_db_handle(statement), code, SQLITE_DONE);
    return 0;
}

#endif
