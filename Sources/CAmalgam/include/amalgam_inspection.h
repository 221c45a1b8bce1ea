/* Authorization policies, classes of functions and objects, normalized SQL, arrays as arguments, and extensions. */
#ifndef AMALGAM_INSPECTION_H
#define AMALGAM_INSPECTION_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The authorizer ---------------------------------------------------------------------- */

/*
** A policy: a function that allows or denies what a statement does. The authorizer of the connection calls it. The
** arguments are those of the sqlite3_set_authorizer callback, except the last two. `circumstances` combines the flags
** below. `accessor` is the view or trigger that causes the access. It is NULL for statements with a WITH clause,
** because SQLite would also pass the name of a common table expression, which the author of the statement chooses.
*/
enum {
    AMALGAM_IS_INTERNAL = 1, /* SQLite or a virtual table, such as FTS5, compiles the statement for its own use */
    AMALGAM_WITHHOLDS_ACCESSOR = 2,
};
typedef int (*amalgam_policy)(
    void *owner, int action, const char *first, const char *second, const char *schema, const char *accessor,
    int circumstances);

/* Sets the policy, or removes it with NULL. This doesn't affect statements that are already compiled. */
void amalgam_hooks_set_policy(amalgam_hooks *hooks, amalgam_policy policy);

/*
** Returns the answer that a policy gives SQLite for an action that it ignores, with the arguments of its call:
** SQLITE_IGNORE if SQLite can go on without the action, SQLITE_OK if SQLite or a virtual table needs the action to
** maintain its own tables, otherwise SQLITE_DENY. Policies call it before they return SQLITE_IGNORE.
*/
int amalgam_answer_to_ignored(
    sqlite3 *db, int action, const char *first, const char *second, const char *schema, int circumstances);

/* The class of the functions with a name: the least safe class, if several functions have this name. */
enum {
    AMALGAM_FUNCTION_UNKNOWN = 0,
    AMALGAM_FUNCTION_INNOCUOUS = 1, /* no side effect, reveals no data: SQLITE_INNOCUOUS */
    AMALGAM_FUNCTION_AUXILIARY = 2, /* a name reserved for a function of virtual tables, such as bm25() */
    AMALGAM_FUNCTION_UNSAFE = 3,
};
int amalgam_function_class(sqlite3 *db, const char *name);

/* The kind of the object that has a name in a schema; in any schema, if the schema is NULL. */
enum {
    AMALGAM_OBJECT_NONE = 0,
    AMALGAM_OBJECT_TABLE = 1,
    AMALGAM_OBJECT_VIEW = 2,
    AMALGAM_OBJECT_TABLE_FUNCTION = 3, /* an eponymous virtual table, such as json_each */
};
int amalgam_object_class(sqlite3 *db, const char *name, const char *schema);
int amalgam_has_trigger(sqlite3 *db, const char *name);

/* Sets the SQLITE_DBCONFIG_DEFENSIVE flag, without expiring compiled statements. Returns the previous state. */
int amalgam_set_defensive(sqlite3 *db, int on);

/* ---- Statements -------------------------------------------------------------------------- */

/* Returns sqlite3_normalized_sql; NULL in a build without SQLITE_ENABLE_NORMALIZE. */
const char *amalgam_normalized_sql(sqlite3_stmt *statement);

/* An element of an array of blobs for carray(): a struct iovec. */
typedef struct amalgam_bytes {
    void *start;
    size_t count;
} amalgam_bytes;

/* ---- Extensions -------------------------------------------------------------------------- */

typedef int (*amalgam_extension)(sqlite3 *db, char **message, const void *api);

/* Calls an entry point as sqlite3_load_extension does. Free the message with sqlite3_free. */
int amalgam_run_extension(sqlite3 *db, amalgam_extension extension, char **message);

/* Calls sqlite3_load_extension, which it enables during the call. Returns SQLITE_MISUSE in a build without it. */
int amalgam_load_extension(sqlite3 *db, const char *path, const char *entry_point, char **message);

#ifdef __cplusplus
}
#endif
#endif
