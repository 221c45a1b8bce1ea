/* Virtual tables: see include/amalgam_vtab.h. */

_Static_assert(offsetof(amalgam_table, module) == offsetof(sqlite3_vtab, pModule), "sqlite3_vtab has changed");
_Static_assert(offsetof(amalgam_table, references) == offsetof(sqlite3_vtab, nRef), "sqlite3_vtab has changed");
_Static_assert(offsetof(amalgam_table, message) == offsetof(sqlite3_vtab, zErrMsg), "sqlite3_vtab has changed");
_Static_assert(offsetof(amalgam_table, object) == sizeof(sqlite3_vtab), "sqlite3_vtab has changed");
_Static_assert(offsetof(amalgam_table_cursor, operations) == sizeof(sqlite3_vtab_cursor), "a cursor has changed");

void amalgam_disconnect_tables(sqlite3 *db) {
    sqlite3_mutex_enter(db->mutex);
    disconnectAllVtab(db);
    /* Disconnects the tables that have written in the current transaction, which are still connected here. */
    sqlite3VtabRollback(db);
    sqlite3_mutex_leave(db->mutex);
}

int amalgam_vtab_config(sqlite3 *db, int option, int value) { return sqlite3_vtab_config(db, option, value); }

static const char *amalgam_shadow_sets[AMALGAM_SHADOW_FUNCTIONS];

static int amalgam_is_shadow_name(int index, const char *suffix) {
    for (const char *name = amalgam_shadow_sets[index]; name != 0 && *name != 0; name += strlen(name) + 1) {
        if (sqlite3_stricmp(name, suffix) == 0) return 1;
    }
    return 0;
}

#define AMALGAM_SHADOW_FUNCTION(n) \
    static int amalgam_shadow_function_##n(const char *suffix) { return amalgam_is_shadow_name(n, suffix); }
#define AMALGAM_SHADOW_POINTER(n) amalgam_shadow_function_##n,
#define AMALGAM_EACH_SHADOW_FUNCTION(EACH) \
    EACH(0) EACH(1) EACH(2) EACH(3) EACH(4) EACH(5) EACH(6) EACH(7) \
    EACH(8) EACH(9) EACH(10) EACH(11) EACH(12) EACH(13) EACH(14) EACH(15) \
    EACH(16) EACH(17) EACH(18) EACH(19) EACH(20) EACH(21) EACH(22) EACH(23) \
    EACH(24) EACH(25) EACH(26) EACH(27) EACH(28) EACH(29) EACH(30) EACH(31)

AMALGAM_EACH_SHADOW_FUNCTION(AMALGAM_SHADOW_FUNCTION)

static const amalgam_shadow_function amalgam_shadow_function_list[] = {
    AMALGAM_EACH_SHADOW_FUNCTION(AMALGAM_SHADOW_POINTER)
};

_Static_assert(
    sizeof amalgam_shadow_function_list / sizeof amalgam_shadow_function_list[0] == AMALGAM_SHADOW_FUNCTIONS,
    "one function per set of names");

amalgam_shadow_function amalgam_shadow_names(int index, const char *names) {
    if (index < 0 || index >= AMALGAM_SHADOW_FUNCTIONS) return 0;
    if (amalgam_shadow_sets[index] == 0) amalgam_shadow_sets[index] = names;
    return amalgam_shadow_function_list[index];
}
