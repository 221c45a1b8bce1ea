/*
** State of a connection that functions and collations written in Swift need, and SQLite's C interface doesn't return.
*/
#ifndef AMALGAM_FUNCTIONS_H
#define AMALGAM_FUNCTIONS_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
** Whether a statement runs, or is being compiled. In this case SQLite may call a function or a collation, and those
** that it has found must not be removed.
*/
int amalgam_is_busy(const sqlite3 *db);

/* The number of nested running statements: a function may run a statement that calls a function. */
int amalgam_execution_depth(const sqlite3 *db);

/* Calls sqlite3_log with a message that isn't a format string. */
void amalgam_log(int code, const char *message);

#ifdef __cplusplus
}
#endif
#endif
