_Static_assert(offsetof(amalgam_context, result) == offsetof(sqlite3_context, pOut), "sqlite3_context.pOut has moved");
_Static_assert(offsetof(amalgam_context, function) == offsetof(sqlite3_context, pFunc), "sqlite3_context.pFunc has moved");
_Static_assert(offsetof(amalgam_function, user_data) == offsetof(FuncDef, pUserData), "FuncDef.pUserData has moved");
_Static_assert(AMALGAM_OWNS_MEMORY == (MEM_Agg | MEM_Dyn), "flags");

/*
** SQLite refuses to redefine a function while a statement runs, but not while one is compiled. It calls functions and
** collations there, too: the planner computes constant calls of deterministic functions to look them up in the samples
** of ANALYZE. A function that removed itself in such a call would pull its code from under its own feet.
*/
int amalgam_is_busy(const sqlite3 *db) { return db->nVdbeActive > 0 || db->pParse != 0; }

int amalgam_execution_depth(const sqlite3 *db) { return db->nVdbeExec; }

void amalgam_log(int code, const char *message) { sqlite3_log(code, "%s", message); }
