/*
** Skips SQLite's automatic checkpoint at the end of a commit if the connection is suspended.
**
** The slot of the WAL hook holds one function, and PRAGMA wal_autocheckpoint recognizes SQLite's hook by its address.
** So this file replaces SQLite's hook by a function of the same name. amalgamation.c renames SQLite's function in its
** declaration and definition, but not where SQLite uses it.
*/

static const char amalgam_suspension_name[] = "amalgam.suspended";

int amalgam_set_suspension(sqlite3 *db, const int32_t *is_suspended) {
    return sqlite3_set_clientdata(db, amalgam_suspension_name, (void *)is_suspended, 0);
}

static int amalgam_is_suspended(sqlite3 *db) {
    const int32_t *flag = sqlite3_get_clientdata(db, amalgam_suspension_name);
    return flag != 0 && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

static int sqlite3WalDefaultHook(void *limit, sqlite3 *db, const char *schema, int frames) {
    if (frames < SQLITE_PTR_TO_INT(limit) || amalgam_is_suspended(db)) return SQLITE_OK;
    return amalgam_sqlite_wal_hook(limit, db, schema, frames);
}
