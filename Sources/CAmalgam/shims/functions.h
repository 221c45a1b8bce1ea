/*
** SQLite refuses to redefine a function while a statement runs, but not while a statement is compiled. It calls
** functions and collations during compilation, too: the query planner evaluates constant calls of deterministic
** functions, to look up the results in the samples of ANALYZE. A function that removes itself in such a call would free
** its own code.
*/
int amalgam_is_busy(const sqlite3 *db) { return db->nVdbeActive > 0 || db->pParse != 0; }

int amalgam_execution_depth(const sqlite3 *db) { return db->nVdbeExec; }

void amalgam_log(int code, const char *message) { sqlite3_log(code, "%s", message); }
