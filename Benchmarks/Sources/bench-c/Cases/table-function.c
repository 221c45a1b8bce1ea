// A million integers from a virtual table like SQLite's generate_series, summed by SQL.

#include "../Database.h"

#include <stdlib.h>

enum { COLUMN_VALUE, COLUMN_START, COLUMN_STOP };

typedef struct {
    sqlite3_vtab_cursor base;
    sqlite3_int64 value, start, stop, rowid;
} Cursor;

static sqlite3 *db;

static int connect_series(
    sqlite3 *connection, void *context, int count, const char *const *texts, sqlite3_vtab **table, char **message
) {
    (void)context, (void)count, (void)texts, (void)message;
    *table = calloc(1, sizeof **table);
    return sqlite3_declare_vtab(connection, "CREATE TABLE x(value, start HIDDEN, stop HIDDEN)");
}

static int disconnect_series(sqlite3_vtab *table) {
    free(table);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    int found = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || info->aConstraint[i].iColumn < COLUMN_START) continue;
        if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = info->aConstraint[i].iColumn;
        info->aConstraintUsage[i].omit = 1;
        found++;
    }
    info->estimatedCost = info->estimatedRows = 1000;
    return found == 2 ? SQLITE_OK : SQLITE_CONSTRAINT;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
    (void)table;
    *cursor = calloc(1, sizeof(Cursor));
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
    free(cursor);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *text, int count, sqlite3_value **values) {
    (void)plan, (void)text, (void)count;
    Cursor *cursor = (Cursor *)base;
    cursor->value = cursor->start = sqlite3_value_int64(values[0]);
    cursor->stop = sqlite3_value_int64(values[1]);
    cursor->rowid = 1;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base) {
    Cursor *cursor = (Cursor *)base;
    cursor->value++;
    cursor->rowid++;
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base) {
    Cursor *cursor = (Cursor *)base;
    return cursor->value > cursor->stop;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index) {
    Cursor *cursor = (Cursor *)base;
    switch (index) {
    case COLUMN_START: sqlite3_result_int64(context, cursor->start); break;
    case COLUMN_STOP: sqlite3_result_int64(context, cursor->stop); break;
    default: sqlite3_result_int64(context, cursor->value); break;
    }
    return SQLITE_OK;
}

static int read_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
    *rowid = ((Cursor *)base)->rowid;
    return SQLITE_OK;
}

static const sqlite3_module series = {
    .xConnect = connect_series,
    .xBestIndex = best_index,
    .xDisconnect = disconnect_series,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = is_at_end,
    .xColumn = column,
    .xRowid = read_rowid,
};

static void set_up(const char *folder) {
    (void)folder;
    sqlite3_open(":memory:", &db);
    sqlite3_create_module(db, SERIES_NAME, &series, NULL);
}

static int64_t run(void) {
    sqlite3_stmt *statement = prepare(db, SERIES_SUM);
    int64_t sum = next_row(statement) ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return sum;
}

const Case table_function = {"table-function", set_up, NULL, run, NULL};
