// 200,000 strings, each copied to separate memory; the array is then measured and freed.

#include "../Database.h"

#include <stdlib.h>
#include <string.h>

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_strings(folder);
}

typedef struct {
    char *bytes;
    int length;
} CopiedString;

typedef struct {
    CopiedString *start;
    int64_t count, capacity;
} CopiedStrings;

static void append(CopiedStrings *strings, CopiedString string) {
    if (strings->count == strings->capacity) {
        strings->capacity = strings->capacity ? 2 * strings->capacity : 16;
        strings->start = realloc(strings->start, strings->capacity * sizeof *strings->start);
    }
    strings->start[strings->count++] = string;
}

static CopiedString copied_text(sqlite3_stmt *statement) {
    const unsigned char *text = sqlite3_column_text(statement, 0);
    int length = sqlite3_column_bytes(statement, 0);
    return (CopiedString){memcpy(malloc(length), text, length), length};
}

static CopiedStrings fetch(void) {
    CopiedStrings strings = {0};
    sqlite3_stmt *statement = prepare(db, STRINGS_SELECT);
    while (next_row(statement)) append(&strings, copied_text(statement));
    sqlite3_finalize(statement);
    return strings;
}

static int64_t run(void) {
    CopiedStrings strings = fetch();
    int64_t bytes = 0;
    for (int64_t i = 0; i < strings.count; i++) {
        bytes += strings.start[i].length;
        free(strings.start[i].bytes);
    }
    free(strings.start);
    return bytes;
}

const Case strings = {"strings", set_up, NULL, run, NULL};
