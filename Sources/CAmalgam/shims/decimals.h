/* SQLite's functions and collation for decimal numbers as TEXT: https://sqlite.org/floatingpoint.html#decext */

/* A vendor folder that an earlier scripts/bootstrap has filled has no decimal.c. */
#ifndef AMALGAM_DECIMALS
#define AMALGAM_DECIMALS 0
#endif

int amalgam_build_has_decimals(void) { return AMALGAM_DECIMALS; }

int amalgam_add_decimals(sqlite3 *db) {
#if AMALGAM_DECIMALS
    return sqlite3_decimal_init(db, 0, 0);
#else
    (void)db;
    return SQLITE_OK;
#endif
}
