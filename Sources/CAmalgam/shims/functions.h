/*
** Whether a function must not be redefined now, because a statement runs or is compiled. SQLite only checks whether one
** runs. During compilation, the query planner calls collations, and evaluates constant calls of deterministic
** functions, to look up the results in ANALYZE samples. A function that removes itself in a call would free its own
** code.
*/
int amalgam_is_busy(const sqlite3 *db) { return db->nVdbeActive > 0 || db->pParse != 0; }

int amalgam_execution_depth(const sqlite3 *db) { return db->nVdbeExec; }

void amalgam_log(int code, const char *message) { sqlite3_log(code, "%s", message); }
