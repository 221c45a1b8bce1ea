/* State of a connection that SQLite's C interface doesn't return, for functions and collations written in Swift. */
#ifndef AMALGAM_FUNCTIONS_H
#define AMALGAM_FUNCTIONS_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a statement runs, or is being compiled. If so, no function or collation may be removed. */
int amalgam_is_busy(const sqlite3 *db);

/* The number of nested running statements: a function may run a statement that calls a function. */
int amalgam_execution_depth(const sqlite3 *db);

/* Calls sqlite3_log with a message that isn't a format string. */
void amalgam_log(int code, const char *message);

#ifdef __cplusplus
}
#endif
#endif
