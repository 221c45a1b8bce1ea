/* SQLite's functions and collation for decimal numbers as TEXT: https://sqlite.org/floatingpoint.html#decext */

/* A vendor folder that an earlier scripts/bootstrap has filled has no decimal.c. */
#ifndef AMALGAM_DECIMALS
#define AMALGAM_DECIMALS 0
#endif

int amalgam_build_has_decimals(void) { return AMALGAM_DECIMALS; }

#if AMALGAM_DECIMALS
static int amalgam_has_null(sqlite3_value **values) {
    return sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL;
}

/* decimal.c reports a sum with NULL, and a power of two with a large exponent, as exhausted memory, for which SQLite rolls
 * back the transaction. */
static void amalgam_decimal_add(sqlite3_context *context, int count, sqlite3_value **values) {
    if (!amalgam_has_null(values)) decimalAddFunc(context, count, values);
}

static void amalgam_decimal_subtract(sqlite3_context *context, int count, sqlite3_value **values) {
    if (!amalgam_has_null(values)) decimalSubFunc(context, count, values);
}

static void amalgam_decimal_power(sqlite3_context *context, int count, sqlite3_value **values) {
    const sqlite3_int64 exponent = sqlite3_value_int64(values[0]);
    if (sqlite3_value_type(values[0]) == SQLITE_INTEGER && (exponent < -20000 || exponent > 20000)) {
        sqlite3_result_error(context, "decimal_pow2() has exponents from -20000 to 20000", -1);
        return;
    }
    decimalPow2Func(context, count, values);
}
#endif

int amalgam_add_decimals(sqlite3 *db) {
#if AMALGAM_DECIMALS
    int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC;
    int code = sqlite3_decimal_init(db, 0, 0);
    if (code == SQLITE_OK) code = sqlite3_create_function(db, "decimal_add", 2, flags, 0, amalgam_decimal_add, 0, 0);
    if (code == SQLITE_OK) code = sqlite3_create_function(db, "decimal_sub", 2, flags, 0, amalgam_decimal_subtract, 0, 0);
    if (code == SQLITE_OK) code = sqlite3_create_function(db, "decimal_pow2", 1, flags, 0, amalgam_decimal_power, 0, 0);
    return code;
#else
    (void)db;
    return SQLITE_OK;
#endif
}
