/*
** Discards recorded changes that SQLite has undone.
**
** A statement that fails undoes its changes, also if C code runs this statement and goes on after the error: a changeset
** is applied so, and a conflict is an error of one statement. SQLite reports no such rollback, except to the virtual
** tables that take part in the transaction. So each connection has a virtual table without rows and without a name. It
** joins a transaction with the first recorded change. SQLite then calls it at the beginning and end of each savepoint, of
** SQL or of one statement, and at the end of the transaction.
*/

_Static_assert(offsetof(VTable, pVtab) == 2 * sizeof(void *), "VTable has changed");
_Static_assert(sizeof(Module) == 6 * sizeof(void *), "Module has changed");

static void amalgam_recorder_connect(amalgam_recorder *recorder, amalgam_recorded_source *source) {
    recorder->source = source;
    recorder->next = source->recorders;
    source->recorders = recorder;
}

static void amalgam_recorder_disconnect(amalgam_recorder *recorder) {
    if (recorder->source == 0) return;
    amalgam_recorder **link = &recorder->source->recorders;
    while (*link != recorder) link = &(*link)->next;
    *link = recorder->next;
}

/* Called when the buffer has become smaller: changes that are recorded later belong to all open savepoints. */
static void amalgam_recorder_lower_marks(amalgam_recorder *recorder) {
    for (int i = recorder->savepoint_count - 1; i >= 0; i--) {
        if (recorder->savepoints[i].mark <= recorder->length) return;
        recorder->savepoints[i].mark = recorder->length;
    }
}

/* Removes the savepoints from a level on. */
static void amalgam_recorder_release(amalgam_recorder *recorder, int level) {
    int count = recorder->savepoint_count;
    while (count > 0 && recorder->savepoints[count - 1].level >= level) count--;
    recorder->savepoint_count = count;
}

/* Allocates memory for one more savepoint. Returns 0 if memory is exhausted. */
static int amalgam_recorder_reserve_savepoint(amalgam_recorder *recorder) {
    if (recorder->savepoint_count < recorder->savepoint_capacity) return 1;
    int capacity = recorder->savepoint_capacity * 2 + 8;
    void *savepoints = sqlite3_realloc64(recorder->savepoints, sizeof(amalgam_recorded_savepoint) * (size_t)capacity);
    if (savepoints == 0) return 0;
    recorder->savepoints = savepoints;
    recorder->savepoint_capacity = capacity;
    return 1;
}

/*
** Returns 0 if memory is exhausted. The savepoint is noted even then, in memory that was reserved before, because SQLite
** rolls it back. If no memory is reserved, the savepoint before it has failed for the same reason.
*/
static int amalgam_recorder_open_savepoint(amalgam_recorder *recorder, int level) {
    amalgam_recorder_release(recorder, level);
    if (!amalgam_recorder_reserve_savepoint(recorder)) return 0;
    recorder->savepoints[recorder->savepoint_count++] =
        (amalgam_recorded_savepoint){ .level = level, .mark = recorder->length };
    return amalgam_recorder_reserve_savepoint(recorder);
}

/*
** Discards the changes since a savepoint, and the savepoints inside of it. The savepoint remains, as ROLLBACK TO doesn't
** end it.
**
** Of the savepoints that are open when the virtual table joins the transaction, SQLite reports only the innermost. An open
** savepoint without a mark is thus older than the first recorded change, and all changes belong to it. The transaction
** itself, as the level -1, is such a savepoint.
*/
static void amalgam_recorder_roll_back(amalgam_recorder *recorder, int level) {
    amalgam_recorder_release(recorder, level + 1);
    const int count = recorder->savepoint_count;
    const int is_marked = count > 0 && recorder->savepoints[count - 1].level == level;
    amalgam_recorder_truncate(recorder, is_marked ? recorder->savepoints[count - 1].mark : 0);
}

/* ---- The virtual table --------------------------------------------------------------------- */

static amalgam_recorded_source *amalgam_source_of(sqlite3_vtab *vtab) {
    return (amalgam_recorded_source *)((char *)vtab - offsetof(amalgam_recorded_source, vtab));
}

static int amalgam_savepoints_begin(sqlite3_vtab *vtab) {
    amalgam_recorded_source *source = amalgam_source_of(vtab);
    source->is_joined = 1;
    source->transactions++;
    return SQLITE_OK;
}

static int amalgam_savepoints_end(sqlite3_vtab *vtab) {
    amalgam_recorded_source *source = amalgam_source_of(vtab);
    source->is_joined = 0;
    for (amalgam_recorder *recorder = source->recorders; recorder != 0; recorder = recorder->next) {
        recorder->savepoint_count = 0;
    }
    return SQLITE_OK;
}

static int amalgam_savepoints_open(sqlite3_vtab *vtab, int level) {
    int status = SQLITE_OK;
    for (amalgam_recorder *recorder = amalgam_source_of(vtab)->recorders; recorder != 0; recorder = recorder->next) {
        if (!amalgam_recorder_open_savepoint(recorder, level)) status = SQLITE_NOMEM;
    }
    return status;
}

static int amalgam_savepoints_release(sqlite3_vtab *vtab, int level) {
    for (amalgam_recorder *recorder = amalgam_source_of(vtab)->recorders; recorder != 0; recorder = recorder->next) {
        amalgam_recorder_release(recorder, level);
    }
    return SQLITE_OK;
}

static int amalgam_savepoints_roll_back(sqlite3_vtab *vtab, int level) {
    for (amalgam_recorder *recorder = amalgam_source_of(vtab)->recorders; recorder != 0; recorder = recorder->next) {
        amalgam_recorder_roll_back(recorder, level);
    }
    return SQLITE_OK;
}

static const sqlite3_module amalgam_savepoints_module = {
    .iVersion = 2,
    .xBegin = amalgam_savepoints_begin,
    .xCommit = amalgam_savepoints_end,
    .xRollback = amalgam_savepoints_end,
    .xSavepoint = amalgam_savepoints_open,
    .xRelease = amalgam_savepoints_release,
    .xRollbackTo = amalgam_savepoints_roll_back,
};

/* SQLite frees neither the virtual table nor its module, because their counts of references never become 0. */
static void amalgam_recorded_source_prepare(amalgam_recorded_source *source, sqlite3 *db) {
    memset(source, 0, sizeof *source);
    source->vtab.pModule = &amalgam_savepoints_module;
    source->module.pModule = &amalgam_savepoints_module;
    source->module.zName = "amalgam_savepoints";
    source->module.nRefModule = 1;
    source->table.db = db;
    source->table.pMod = &source->module;
    source->table.pVtab = &source->vtab;
    source->table.nRef = 1;
}

uint64_t amalgam_recorder_transaction(const amalgam_recorder *recorder) {
    return recorder->source == 0 ? 0 : recorder->source->transactions;
}

/*
** Makes the virtual table take part in the transaction. Returns 0 if memory is exhausted: the statement then fails.
** While SQLite commits, no virtual table can join: changes that virtual tables make then aren't undone alone.
*/
static int amalgam_recorder_join_transaction(const amalgam_recorder *recorder, sqlite3 *db) {
    if (recorder->source == 0 || recorder->source->is_joined || sqlite3VtabInSync(db)) return 1;
    if (sqlite3VtabBegin(db, &recorder->source->table) == SQLITE_OK) return 1;
    sqlite3OomFault(db);
    return 0;
}
