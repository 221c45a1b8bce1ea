/* The authorizer, normalized SQL, arrays and extensions: see include/amalgam_inspection.h. */
#include "../include/amalgam_inspection.h"

/* ---- The authorizer ---------------------------------------------------------------------- */

void amalgam_hooks_set_policy(amalgam_hooks *hooks, amalgam_policy policy) { hooks->policy = policy; }

static int amalgam_class_of(const FuncDef *function) {
    int result = AMALGAM_FUNCTION_UNKNOWN;
    for (; function != 0; function = function->pNext) {
        int class = AMALGAM_FUNCTION_INNOCUOUS;
        if (function->xSFunc == sqlite3InvalidFunction) {
            class = AMALGAM_FUNCTION_AUXILIARY;
        } else if (function->funcFlags & (SQLITE_FUNC_UNSAFE | SQLITE_FUNC_DIRECT)) {
            class = AMALGAM_FUNCTION_UNSAFE;
        }
        if (class > result) result = class;
    }
    return result;
}

/* A function of the connection hides a built-in function only if both have the same name and number of arguments. */
int amalgam_function_class(sqlite3 *db, const char *name) {
    int own = amalgam_class_of(sqlite3HashFind(&db->aFunc, name));
    int first = sqlite3UpperToLower[(unsigned char)name[0]];
    int built_in = amalgam_class_of(sqlite3FunctionSearch(SQLITE_FUNC_HASH(first, sqlite3Strlen30(name)), name));
    return own > built_in ? own : built_in;
}

int amalgam_object_class(sqlite3 *db, const char *name, const char *schema) {
    amalgam_enter_schemas(db);
    const Table *table = sqlite3FindTable(db, name, schema);
    const int is_in_schema = table != 0 && (table->tabFlags & TF_Eponymous) == 0;
    const int is_view = is_in_schema && IsView(table);
    amalgam_leave_schemas(db);
    if (is_in_schema) return is_view ? AMALGAM_OBJECT_VIEW : AMALGAM_OBJECT_TABLE;
    /* An eponymous table isn't in a schema, but belongs to its module. */
    const Module *module = sqlite3HashFind(&db->aModule, name);
    if (module != 0 || sqlite3_strnicmp(name, "pragma_", 7) == 0) return AMALGAM_OBJECT_TABLE_FUNCTION;
    return AMALGAM_OBJECT_NONE;
}

int amalgam_has_trigger(sqlite3 *db, const char *name) {
    int is_found = 0;
    amalgam_enter_schemas(db);
    for (int i = 0; i < db->nDb && !is_found; i++) {
        is_found = sqlite3HashFind(&db->aDb[i].pSchema->trigHash, name) != 0;
    }
    amalgam_leave_schemas(db);
    return is_found;
}

int amalgam_set_defensive(sqlite3 *db, int on) {
    int previous = (db->flags & SQLITE_Defensive) != 0;
    if (on) {
        db->flags |= SQLITE_Defensive;
    } else {
        db->flags &= ~(u64)SQLITE_Defensive;
    }
    return previous;
}

/* ---- Statements -------------------------------------------------------------------------- */

const char *amalgam_normalized_sql(sqlite3_stmt *statement) {
#ifdef SQLITE_ENABLE_NORMALIZE
    return sqlite3_normalized_sql(statement);
#else
    (void)statement;
    return 0;
#endif
}

_Static_assert(sizeof(amalgam_bytes) == sizeof(struct iovec), "struct iovec");
_Static_assert(offsetof(amalgam_bytes, start) == offsetof(struct iovec, iov_base), "struct iovec");
_Static_assert(offsetof(amalgam_bytes, count) == offsetof(struct iovec, iov_len), "struct iovec");

/* ---- Extensions -------------------------------------------------------------------------- */

int amalgam_run_extension(sqlite3 *db, amalgam_extension extension, char **message) {
#ifdef SQLITE_OMIT_LOAD_EXTENSION
    const void *api = 0;
#else
    const void *api = &sqlite3Apis;
#endif
    *message = 0;
    int code = extension(db, message, api);
    return code == SQLITE_OK_LOAD_PERMANENTLY ? SQLITE_OK : code;
}

int amalgam_load_extension(sqlite3 *db, const char *path, const char *entry_point, char **message) {
    *message = 0;
#ifdef SQLITE_OMIT_LOAD_EXTENSION
    (void)db;
    (void)path;
    (void)entry_point;
    return SQLITE_MISUSE;
#else
    /* This flag only enables the C function. The SQL function load_extension() remains disabled. */
    u64 flags = db->flags;
    db->flags |= SQLITE_LoadExtension;
    int code = sqlite3_load_extension(db, path, entry_point, message);
    if ((flags & SQLITE_LoadExtension) == 0) db->flags &= ~(u64)SQLITE_LoadExtension;
    return code;
#endif
}
