/*
** The state of a connection's schemas. Only this file reads schema cookies, generations, and `expired` flags.
**
** SQLite has a Schema object for each database of a connection. SQLite increments its `iGeneration` when it discards
** the content of the object, and sets `schema_cookie` when it changes or reads the schema. A newly attached database
** may reuse the memory of a detached schema, with the same numbers. So the authorizer also counts ATTACH and DETACH
** statements when they are compiled. SQLite compiles these statements again before each run.
*/

/* One schema, as of the last update. */
typedef struct amalgam_known_schema {
    const Schema *schema;
    int cookie;
    int generation;
    uint64_t stamp; /* a different number for each state of each schema */
} amalgam_known_schema;

typedef struct amalgam_schema_monitor {
    amalgam_schema_stamp stamp;
    amalgam_known_schema known[SQLITE_MAX_ATTACHED + 2];
    int known_count;
    int known_attachments;
    uint64_t stamp_count;
    int attachments; /* ATTACH and DETACH statements that were compiled */
    u64 settings;
} amalgam_schema_monitor;

/*
** Connections with a shared cache share the objects of their schemas. This lock keeps other connections from changing them.
** The order is SQLite's: first the connection, then its files.
*/
static void amalgam_enter_schemas(sqlite3 *db) {
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
}

static void amalgam_leave_schemas(sqlite3 *db) {
    sqlite3BtreeLeaveAll(db);
    sqlite3_mutex_leave(db->mutex);
}

/* Enters the schemas if other connections may share them. Returns whether they must be left. */
static int amalgam_enter_shared_schemas(sqlite3 *db) {
    if (db->noSharedCache) return 0;
    amalgam_enter_schemas(db);
    return 1;
}

static void amalgam_schema_will_attach(amalgam_schema_monitor *monitor) { monitor->attachments++; }

/* Compares a schema with its state at the last update. Returns 1 if the schema has changed. */
static int amalgam_schema_differs(amalgam_known_schema *known, const Schema *schema) {
    int cookie = schema ? schema->schema_cookie : 0;
    int generation = schema ? schema->iGeneration : 0;
    if (known->schema == schema && known->cookie == cookie && known->generation == generation) return 0;
    known->schema = schema;
    known->cookie = cookie;
    known->generation = generation;
    return 1;
}

static amalgam_schema_stamp amalgam_schema_update(amalgam_schema_monitor *monitor, sqlite3 *db) {
    const u64 settings = db->flags & (SQLITE_ForeignKeys | SQLITE_RecTriggers | SQLITE_EnableTrigger | SQLITE_EnableView);
    const int is_attached = monitor->known_count != db->nDb || monitor->known_attachments != monitor->attachments;
    int differs = is_attached;
    const int is_entered = amalgam_enter_shared_schemas(db);
    for (int i = 0; i < db->nDb; i++) {
        amalgam_known_schema *known = &monitor->known[i];
        int has_changed = amalgam_schema_differs(known, db->aDb[i].pSchema) || (is_attached && i > 1);
        if (has_changed) known->stamp = ++monitor->stamp_count;
        differs |= has_changed;
    }
    if (is_entered) amalgam_leave_schemas(db);
    monitor->known_count = db->nDb;
    monitor->known_attachments = monitor->attachments;
    if (differs) monitor->stamp.schemas++;
    if (differs || settings != monitor->settings) monitor->stamp.programs++;
    monitor->settings = settings;
    return monitor->stamp;
}

/* Whether an OP_Transaction instruction matches the schema in memory. */
static int amalgam_knows_schema(sqlite3 *db, const VdbeOp *op) {
    const Schema *schema = db->aDb[op->p1].pSchema;
    if (!DbHasProperty(db, op->p1, DB_SchemaLoaded)) return 0;
    return op->p5 == 0 || (op->p3 == schema->schema_cookie && op->p4.i == schema->iGeneration);
}

int amalgam_program_is_expired(sqlite3_stmt *statement) { return ((const Vdbe *)statement)->expired != 0; }

/* Whether the instructions OP_Transaction of a program match the schemas in memory. */
static int amalgam_knows_schemas(const Vdbe *vdbe) {
    const amalgam_instructions program = amalgam_main_program(vdbe);
    for (int i = 0; i < program.count; i++) {
        const VdbeOp *op = &program.operations[i];
        if (op->opcode == OP_Transaction && (op->p1 >= vdbe->db->nDb || !amalgam_knows_schema(vdbe->db, op))) return 0;
    }
    return 1;
}

int amalgam_program_is_current(sqlite3_stmt *statement) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    if (vdbe->expired) return 0;
    const int is_entered = amalgam_enter_shared_schemas(vdbe->db);
    const int is_current = amalgam_knows_schemas(vdbe);
    if (is_entered) amalgam_leave_schemas(vdbe->db);
    return is_current;
}

static int amalgam_schema_version(const Schema *schema) { return schema->schema_cookie; }

/*
** The version of the main schema in memory; -1 if the schema isn't loaded, or if it isn't the one that the open transaction
** reads. The caller has entered the schemas.
*/
static int64_t amalgam_schema_version_in_memory(sqlite3 *db) {
    Btree *tree = db->aDb[0].pBt;
    if (tree == 0 || db->init.busy || !DbHasProperty(db, 0, DB_SchemaLoaded)) return -1;
    u32 cookie = (u32)amalgam_schema_version(db->aDb[0].pSchema);
    if (sqlite3BtreeTxnState(tree) == SQLITE_TXN_NONE) return cookie;
    u32 stored;
    sqlite3BtreeGetMeta(tree, BTREE_SCHEMA_VERSION, &stored);
    return stored == cookie ? (int64_t)cookie : -1;
}

/* Lets the main database's schema differ from its file, so that SQLite reads it again. sqlite3changeset_apply() does it too. */
static void amalgam_schema_outdate(sqlite3 *db) { db->aDb[0].pSchema->schema_cookie -= 32; }

void amalgam_expire_statements(sqlite3 *db) { sqlite3ExpirePreparedStatements(db, 0); }

void amalgam_expire(sqlite3_stmt *statement) { ((Vdbe *)statement)->expired = 1; }

/* Makes SQLite compile a statement again before its next run. The current run isn't affected. */
static void amalgam_expire_after_run(Vdbe *vdbe) {
    if (vdbe->expired == 0) vdbe->expired = 2;
}

/* Discards a schema in memory that differs from the file. No other connection uses the temporary database. */
static int amalgam_schema_check_cookie(sqlite3 *db, int index) {
    Btree *btree = db->aDb[index].pBt;
    if (btree == 0 || index == 1) return SQLITE_OK;
    int code = sqlite3BtreeSchemaLocked(btree);
    if (code != SQLITE_OK) return code;
    int opened = 0;
    if (sqlite3BtreeTxnState(btree) == SQLITE_TXN_NONE) {
        code = sqlite3BtreeBeginTrans(btree, 0, 0);
        if (code != SQLITE_OK) return code;
        opened = 1;
    }
    u32 cookie;
    sqlite3BtreeGetMeta(btree, BTREE_SCHEMA_VERSION, &cookie);
    if (cookie != (u32)db->aDb[index].pSchema->schema_cookie) sqlite3ResetOneSchema(db, index);
    /* Inside of a transaction, the read transaction remains open, so that what was read remains valid. */
    if (opened && db->autoCommit) code = sqlite3BtreeCommit(btree);
    return code;
}

void amalgam_schema_compare(sqlite3_stmt *statement) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    sqlite3 *db = vdbe->db;
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
    for (int i = 0; i < db->nDb; i++) {
        /* If a cookie can't be read, the error is reported when the statement runs. */
        if (DbMaskTest(vdbe->btreeMask, i)) amalgam_schema_check_cookie(db, i);
    }
    sqlite3BtreeLeaveAll(db);
    sqlite3_mutex_leave(db->mutex);
}

/*
** Prevents SQLite from discarding schemas until the lock is released. The pre-update hook reads tables to which the
** running programs have pointers, so SQLite must not free these tables.
*/
static void amalgam_schema_lock(sqlite3 *db) { db->nSchemaLock++; }

/* A statement that was compiled under the lock noted that the schemas are loaded, although they are discarded here. */
static void amalgam_schema_unlock(sqlite3 *db) {
    db->nSchemaLock--;
    if (db->nSchemaLock > 0) return;
    db->mDbFlags &= ~DBFLAG_SchemaKnownOk;
    sqlite3ResetOneSchema(db, -1);
}

/*
** Releases the lock in the pre-update hook without discarding schemas, because the program that changes the row is
** still running and has pointers to tables. An outdated schema remains in memory until the next statement finds a
** different schema in the file.
*/
static void amalgam_schema_unlock_in_step(sqlite3 *db) { db->nSchemaLock--; }

/*
** Whether SQLite ends a transaction only because a statement was compiled for an outdated schema. SQLite then compiles
** the statement again and runs it from the start. The statement hasn't changed any row. OP_Transaction sets the fields
** that are checked here.
*/
static int amalgam_runs_again(const sqlite3 *db) {
    for (const Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (vdbe->eVdbeState == VDBE_RUN_STATE && vdbe->rc == SQLITE_SCHEMA && vdbe->expired && !vdbe->changeCntOn) return 1;
    }
    return 0;
}
