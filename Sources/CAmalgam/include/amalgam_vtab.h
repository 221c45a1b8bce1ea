/*
** Structures and functions with which Swift implements virtual tables (https://sqlite.org/vtab.html): structures that
** begin with SQLite's own, and replacements for the two parts of SQLite's interface without a context pointer or with a
** variable number of arguments.
*/
#ifndef AMALGAM_VTAB_H
#define AMALGAM_VTAB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
** A connected table. It begins with the fields of sqlite3_vtab, but doesn't use that name: a program may also import
** another sqlite3.h, with different structures of virtual tables.
*/
typedef struct amalgam_table {
    const void *module;
    int references;
    char *message;
    void *object; /* retained */
} amalgam_table;

/* An open cursor. It begins with the fields of sqlite3_vtab_cursor. */
typedef struct amalgam_table_cursor {
    void *table;
    const void *operations; /* the functions of the cursor's type; lives as long as the table */
    void *state;            /* the cursor itself */
    int is_at_end;
} amalgam_table_cursor;

/*
** Disconnects the virtual tables, so that they finalize their own statements. SQLite connects them again when they are
** used. sqlite3_close does this before it checks whether there are statements.
*/
void amalgam_disconnect_tables(sqlite3 *db);

/* Calls sqlite3_vtab_config, which takes a variable number of arguments. */
int amalgam_vtab_config(sqlite3 *db, int option, int value);

/*
** Returns an xShadowName function for a set of names. SQLite passes no context to xShadowName, so the set can't be an
** argument of it: there is a fixed number of functions, each with its own set. A set is never changed after it is set.
** `names` are NUL-terminated, the last one is empty.
*/
enum { AMALGAM_SHADOW_FUNCTIONS = 32 };
typedef int (*amalgam_shadow_function)(const char *suffix);
amalgam_shadow_function amalgam_shadow_names(int index, const char *names);

#ifdef __cplusplus
}
#endif
#endif
