/*
** What Swift needs to implement virtual tables (https://sqlite.org/vtab.html): the structures that begin with
** SQLite's own, and the two places where SQLite's interface has no room for a context or takes a variable number of
** arguments.
*/
#ifndef AMALGAM_VTAB_H
#define AMALGAM_VTAB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
** A connected table. It begins as sqlite3_vtab does, whose name is not used: a program may import another sqlite3.h
** beside this one, where the structures of virtual tables differ.
*/
typedef struct amalgam_table {
    const void *module;
    int references;
    char *message;
    void *object; /* retained */
} amalgam_table;

/* An open cursor. It begins as sqlite3_vtab_cursor does. */
typedef struct amalgam_table_cursor {
    void *table;
    const void *operations; /* what the type of the cursor does; lives as long as the table */
    void *state;            /* the cursor itself */
    int is_at_end;
} amalgam_table_cursor;

/*
** Disconnects the virtual tables, which are connected again when they are used, and lets them give up the statements they
** have of their own: what sqlite3_close does before it looks whether there are statements.
*/
void amalgam_disconnect_tables(sqlite3 *db);

/* sqlite3_vtab_config, which takes a variable number of arguments. */
int amalgam_vtab_config(sqlite3 *db, int option, int value);

/*
** xShadowName gets no context: it must know by itself which names it answers for. So there is a number of functions,
** each with its own set of names. A set, once given, stays: `names` are NUL-terminated, the last one is empty.
*/
enum { AMALGAM_SHADOW_FUNCTIONS = 32 };
typedef int (*amalgam_shadow_function)(const char *suffix);
amalgam_shadow_function amalgam_shadow_names(int index, const char *names);

#ifdef __cplusplus
}
#endif
#endif
