/*
** Whether a function must not be redefined now, because a statement runs or is compiled. SQLite itself only checks
** whether a statement runs. But the query planner also calls functions during compilation: collations, and
** deterministic functions with constant arguments, whose results it looks up in ANALYZE samples. A function that
** removes itself during such a call would free its own code.
*/
int amalgam_is_busy(const sqlite3 *db) { return db->nVdbeActive > 0 || db->pParse != 0; }

int amalgam_execution_depth(const sqlite3 *db) { return db->nVdbeExec; }

void amalgam_log(int code, const char *message) { sqlite3_log(code, "%s", message); }
