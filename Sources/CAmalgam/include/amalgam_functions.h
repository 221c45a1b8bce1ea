/*
** What functions and collations written in Swift need from a connection, and the C interface does not say.
*/
#ifndef AMALGAM_FUNCTIONS_H
#define AMALGAM_FUNCTIONS_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
** Whether a statement is under way, or is being compiled: SQLite may call a function or a collation then, and the
** functions and collations it has found must stay where they are.
*/
int amalgam_is_busy(const sqlite3 *db);

/* How many statements run inside one another: a function may run a statement that calls a function. */
int amalgam_execution_depth(const sqlite3 *db);

/* sqlite3_log with a message that holds no format. */
void amalgam_log(int code, const char *message);

#ifdef __cplusplus
}
#endif
#endif
