/*
** Structures and functions with which Swift implements virtual tables (https://sqlite.org/vtab.html): structures that
** begin with SQLite's own, and replacements for a callback without a context pointer (xShadowName) and for a function
** with a variable number of arguments (sqlite3_vtab_config).
*/
#ifndef AMALGAM_VTAB_H
#define AMALGAM_VTAB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
** A connected table. It begins with the members of sqlite3_vtab, but doesn't use this type, because a program may also
** import another sqlite3.h, in which the type is different.
*/
typedef struct amalgam_table {
    const void *module;
    int references;
    char *message;
    void *object; /* retained */
} amalgam_table;

/* An open cursor. It begins with the members of sqlite3_vtab_cursor. */
typedef struct amalgam_table_cursor {
    void *table;
    const void *operations; /* the functions of the cursor's type; lives as long as the table */
    void *state;            /* the cursor itself */
    int is_at_end;
} amalgam_table_cursor;

/*
** Disconnects the virtual tables of a connection, so that each finalizes its own statements. SQLite connects a table
** again when the table is used. sqlite3_close does the same before it checks whether statements are left.
*/
void amalgam_disconnect_tables(sqlite3 *db);

/* Calls sqlite3_vtab_config, which takes a variable number of arguments. */
int amalgam_vtab_config(sqlite3 *db, int option, int value);

/*
** Returns an xShadowName function for a set of shadow table suffixes. SQLite passes no context to xShadowName.
** Therefore, there is a fixed number of functions, each with one set of suffixes, which never changes after it was
** assigned. `names` contains NUL-terminated strings, of which the last one is empty.
*/
enum { AMALGAM_SHADOW_FUNCTIONS = 32 };
typedef int (*amalgam_shadow_function)(const char *suffix);
amalgam_shadow_function amalgam_shadow_names(int index, const char *names);

#ifdef __cplusplus
}
#endif
#endif
