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

/* Returns 0 if memory is exhausted. */
static int amalgam_recorder_open_savepoint(amalgam_recorder *recorder, int level) {
    amalgam_recorder_release(recorder, level);
    if (recorder->savepoint_count == recorder->savepoint_capacity) {
        int capacity = recorder->savepoint_capacity * 2 + 8;
        void *savepoints = sqlite3_realloc64(
            recorder->savepoints, sizeof(amalgam_recorded_savepoint) * (size_t)capacity);
        if (savepoints == 0) return 0;
        recorder->savepoints = savepoints;
        recorder->savepoint_capacity = capacity;
    }
    recorder->savepoints[recorder->savepoint_count++] =
        (amalgam_recorded_savepoint){ .level = level, .mark = recorder->length };
    return 1;
}

/* The oldest savepoint from this level on has the changes of all of them. It remains, as ROLLBACK TO doesn't end it. */
static void amalgam_recorder_roll_back(amalgam_recorder *recorder, int level) {
    while (recorder->savepoint_count > 1 && recorder->savepoints[recorder->savepoint_count - 2].level >= level) {
        recorder->savepoint_count--;
    }
    if (recorder->savepoint_count == 0) return;
    const amalgam_recorded_savepoint *savepoint = &recorder->savepoints[recorder->savepoint_count - 1];
    if (savepoint->level >= level) amalgam_recorder_truncate(recorder, savepoint->mark);
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
    for (amalgam_recorder *recorder = amalgam_source_of(vtab)->recorders; recorder != 0; recorder = recorder->next) {
        if (!amalgam_recorder_open_savepoint(recorder, level)) return SQLITE_NOMEM;
    }
    return SQLITE_OK;
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
