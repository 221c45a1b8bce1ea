/*
** Compilations under limits: see shims/limits.h. The authorizer and the allocator look at the limits while SQLite compiles a
** statement. The code of a compilation that fails says why: SQLITE_INTERRUPT for a limit of time or an interrupt, SQLITE_TOOBIG
** for too many instructions.
*/

/* Whether the current compilation of the thread has failed because its statement is too long. */
static _Thread_local int amalgam_has_too_many_instructions;

/* A compilation, and the limits that hold for it. */
typedef struct amalgam_compilation {
    amalgam_limits own; /* without limits, an interrupt still ends the compilation */
    amalgam_limits *limits;
    amalgam_limits *outer;
    int had_too_many_instructions; /* whether the outer compilation has */
} amalgam_compilation;

static void amalgam_begin_compilation(amalgam_compilation *compilation, sqlite3 *db) {
    compilation->own = (amalgam_limits){ .db = db, .deadline = AMALGAM_UNLIMITED, .memory_limit = AMALGAM_UNLIMITED };
    amalgam_limits *outer = compilation->outer = amalgam_current_limits;
    amalgam_limits *limits = compilation->limits = outer != 0 && outer->db == db ? outer : &compilation->own;
    if (db->nVdbeActive == 0 && limits->suspensions == 0) limits->stop = AMALGAM_STOP_NONE;
    amalgam_current_limits = limits;
    compilation->had_too_many_instructions = amalgam_has_too_many_instructions;
    amalgam_has_too_many_instructions = 0;
}

static void amalgam_note_too_many_instructions(void) { amalgam_has_too_many_instructions = 1; }

/* The code of a failed compilation. SQLite reports a statement with too many instructions as if memory were exhausted. */
static int amalgam_compilation_failure(const amalgam_limits *limits, int code) {
    if (limits->suspensions == 0) {
        const int is_stopped = limits->stop == AMALGAM_STOP_TIME || limits->stop == AMALGAM_STOP_INTERRUPT;
        if (is_stopped) return SQLITE_INTERRUPT;
    }
    return code == SQLITE_NOMEM && amalgam_has_too_many_instructions ? SQLITE_TOOBIG : code;
}

/* Returns the code of the compilation: SQLITE_INTERRUPT if an interrupt or the time limit has ended it. */
static int amalgam_end_compilation(amalgam_compilation *compilation, int code) {
    sqlite3 *db = compilation->limits->db;
    amalgam_current_limits = compilation->outer;
    const int failure = code == SQLITE_OK ? SQLITE_OK : amalgam_compilation_failure(compilation->limits, code);
    amalgam_has_too_many_instructions = compilation->had_too_many_instructions;
    if (failure == code) return code;
    sqlite3_mutex_enter(db->mutex);
    if (failure == SQLITE_TOOBIG) {
        sqlite3ErrorWithMsg(
            db, failure, "too many instructions: the limit is %d", db->aLimit[SQLITE_LIMIT_VDBE_OP]);
    } else {
        sqlite3Error(db, failure);
    }
    sqlite3_mutex_leave(db->mutex);
    return failure;
}

/*
** Compiles a statement. Ends with SQLITE_INTERRUPT if the connection is interrupted, or if the time limit is exceeded.
*/
static int amalgam_compile(
    sqlite3 *db, const char *sql, int length, unsigned int flags, sqlite3_stmt **statement, const char **tail
) {
    amalgam_compilation compilation;
    amalgam_begin_compilation(&compilation, db);
    return amalgam_end_compilation(&compilation, sqlite3_prepare_v3(db, sql, length, flags, statement, tail));
}

/* Compiles a statement again. Ends as amalgam_compile does. */
static int amalgam_reprepare(sqlite3_stmt *statement) {
    sqlite3 *db = ((Vdbe *)statement)->db;
    amalgam_compilation compilation;
    sqlite3_mutex_enter(db->mutex);
    amalgam_begin_compilation(&compilation, db);
    int code = sqlite3ApiExit(db, sqlite3Reprepare((Vdbe *)statement));
    code = amalgam_end_compilation(&compilation, code);
    sqlite3_mutex_leave(db->mutex);
    return code;
}

/* Whether a compilation must stop. The authorizer asks: SQLite calls it for each column and SELECT of a statement. */
static int amalgam_must_stop_compiling(void) {
    amalgam_limits *limits = amalgam_current_limits;
    if (limits == 0 || ++limits->ticks < AMALGAM_TICKS) return 0;
    const int reason = amalgam_limits_exceeded(limits);
    return reason != AMALGAM_STOP_NONE && amalgam_limits_fail(limits, reason);
}
