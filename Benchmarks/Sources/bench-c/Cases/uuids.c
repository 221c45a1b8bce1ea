// 200,000 blobs of 16 bytes, copied into one growing array, which is then read and freed; and 200,000 of them bound.

#include "../Database.h"

#include <stdlib.h>
#include <string.h>

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_uuids(folder);
}

typedef struct {
    uint8_t bytes[16];
} UUID;

typedef struct {
    UUID *start;
    int64_t count, capacity;
} UUIDs;

static UUID *append(UUIDs *uuids) {
    if (uuids->count == uuids->capacity) {
        uuids->capacity = uuids->capacity ? 2 * uuids->capacity : 16;
        uuids->start = realloc(uuids->start, uuids->capacity * sizeof *uuids->start);
    }
    return &uuids->start[uuids->count++];
}

static int64_t run(void) {
    UUIDs uuids = {0};
    sqlite3_stmt *statement = prepare(db, UUIDS_SELECT);
    while (next_row(statement)) {
        const void *bytes = sqlite3_column_blob(statement, 0);
        if (sqlite3_column_bytes(statement, 0) != sizeof(UUID)) abort();
        memcpy(append(&uuids), bytes, sizeof(UUID));
    }
    sqlite3_finalize(statement);
    int64_t sum = 0;
    for (int64_t i = 0; i < uuids.count; i++) sum += uuids.start[i].bytes[7] + uuids.start[i].bytes[15];
    free(uuids.start);
    return sum;
}

const Case uuids = {"uuids", set_up, NULL, run, NULL};

static void open_memory(const char *folder) {
    expect(NULL, sqlite3_open(":memory:", &db), SQLITE_OK);
}

static int64_t bind(void) {
    sqlite3_stmt *statement = prepare(db, BOUND_SELECT);
    UUID uuid = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
    for (int number = 1; number <= BOUND_VALUES; number++) {
        uuid.bytes[15] = (uint8_t)number;
        sqlite3_bind_blob(statement, 1, &uuid, sizeof uuid, SQLITE_TRANSIENT);
    }
    expect(db, sqlite3_step(statement), SQLITE_ROW);
    int64_t length = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return length;
}

const Case uuids_bound = {"uuids-bound", open_memory, NULL, bind, NULL};
