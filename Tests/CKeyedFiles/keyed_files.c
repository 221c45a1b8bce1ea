#include "CKeyedFiles.h"

/* Without SQLite, this target compiles to nothing: the error of CAmalgam says what to do. */
#if __has_include("../../vendor/sqlite/sqlite3.h")
#include "CAmalgam.h"

#include <stdlib.h>
#include <string.h>

static const char key[] = "x'000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'";

int keyed_files_are_on(void) { return getenv("AMALGAM_TEST_KEY") != 0 && amalgam_cipher_version() != 0; }

/* SQLite calls this function for each connection, before it returns the connection. */
static int use_key(sqlite3 *db, char **error, const struct sqlite3_api_routines *api) {
    const char *path = sqlite3_db_filename(db, "main");
    if (path == 0 || path[0] == 0) return SQLITE_OK;
    return amalgam_use_key(db, "main", key, (int)strlen(key));
}

/* The constructor of CFaults, which must run before SQLite's first use, has a priority, and this one has none: it runs later. */
__attribute__((constructor)) static void install(void) {
    if (keyed_files_are_on()) sqlite3_auto_extension((void (*)(void))use_key);
}

#endif
