/*
** Looking names up in the schemas that SQLite keeps in memory.
**
** A statement that runs compares the schema cookie in the file with the one it was compiled for. A look-up does the
** same (as schemaIsValid and sqlite3_table_column_metadata do), and has SQLite read the schema again when another
** connection has changed it.
*/

/*
** A schema that was detached may leave its memory to the next one that is attached, and both begin with generation 0.
** Numbers of their own tell them apart. A new number has statements compiled again at their next run, no more.
*/
static void amalgam_schema_number(Schema *schema) {
    static unsigned count = 0;
    enum { GENERATIONS = 4096 };
    if ((unsigned)schema->iGeneration >= GENERATIONS) return;
    unsigned number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    schema->iGeneration = (int)(number * GENERATIONS + (unsigned)schema->iGeneration);
}

/* Compares the schema in memory with that of the file. Temporary databases have no other user. */
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
    /* In a transaction, what was read must stay true: the read goes on, as that of a statement would. */
    if (opened && db->autoCommit) code = sqlite3BtreeCommit(btree);
    return code;
}

static int amalgam_schema_refresh(sqlite3 *db, int index, char **message) {
    int code = amalgam_schema_check_cookie(db, index);
    if (code != SQLITE_OK) return code;
    if (DbHasProperty(db, index, DB_SchemaLoaded)) return SQLITE_OK;
    if (db->init.busy) return SQLITE_LOCKED;
    return sqlite3Init(db, message);
}

int amalgam_schema_index(sqlite3 *db, const char *name) { return sqlite3FindDbName(db, name); }

static int amalgam_schema_kind(const Table *table) {
    if (IsView(table)) return AMALGAM_KIND_VIEW;
    if (IsVirtual(table)) return AMALGAM_KIND_VIRTUAL;
    if (table->tabFlags & TF_Shadow) return AMALGAM_KIND_SHADOW;
    return AMALGAM_KIND_TABLE;
}

static void amalgam_schema_describe(const Table *table, amalgam_schema_object *object) {
    object->identity = table;
    object->name = table->zName;
    object->kind = amalgam_schema_kind(table);
    object->has_rowid = HasRowid(table) && !IsView(table);
    object->is_strict = (table->tabFlags & TF_Strict) != 0;
    if (object->has_rowid && table->iPKey >= 0) object->rowid_column = table->aCol[table->iPKey].zCnName;
}

static void amalgam_schema_look(sqlite3 *db, int kinds, int index, const char *name, amalgam_schema_object *object) {
    const Schema *schema = db->aDb[index].pSchema;
    if (kinds & (AMALGAM_SCHEMA_TABLE | AMALGAM_SCHEMA_VIEW)) {
        const Table *table = sqlite3FindTable(db, name, db->aDb[index].zDbSName);
        if (table == 0) return;
        if (kinds & (IsView(table) ? AMALGAM_SCHEMA_VIEW : AMALGAM_SCHEMA_TABLE)) {
            amalgam_schema_describe(table, object);
        }
    } else if (kinds & AMALGAM_SCHEMA_INDEX) {
        const Index *found = sqlite3HashFind(&schema->idxHash, name);
        object->identity = found;
        if (found) object->name = found->zName;
    } else {
        const Trigger *trigger = sqlite3HashFind(&schema->trigHash, name);
        object->identity = trigger;
        if (trigger) object->name = trigger->zName;
    }
}

/* The table of the temporary schema has a name of its own, and answers to that of main when it is asked for it. */
static int amalgam_schema_is_temp_only(const amalgam_schema_object *object, const char *name) {
    return sqlite3_stricmp(object->name, LEGACY_TEMP_SCHEMA_TABLE) == 0
        && sqlite3_stricmp(name, LEGACY_TEMP_SCHEMA_TABLE) != 0
        && sqlite3_stricmp(name, PREFERRED_TEMP_SCHEMA_TABLE) != 0;
}

static int amalgam_schema_search(
    sqlite3 *db, int kinds, int schema, const char *name, amalgam_schema_object *object, char **message
) {
    for (int i = 0; i < db->nDb; i++) {
        int index = schema >= 0 ? schema : i == 0 ? 1 : i == 1 ? 0 : i;
        int code = amalgam_schema_refresh(db, index, message);
        if (code != SQLITE_OK) return code;
        amalgam_schema_look(db, kinds, index, name, object);
        if (schema < 0 && index == 1 && object->identity && amalgam_schema_is_temp_only(object, name)) {
            *object = (amalgam_schema_object){ 0 };
        }
        if (object->identity) {
            Schema *found = db->aDb[index].pSchema;
            amalgam_schema_number(found);
            object->schema = index;
            object->stamp = (amalgam_schema_stamp){
                .schema = found, .cookie = (uint32_t)found->schema_cookie, .generation = (uint32_t)found->iGeneration
            };
            return SQLITE_OK;
        }
        if (schema >= 0) return SQLITE_OK;
    }
    return SQLITE_OK;
}

int amalgam_schema_find(
    sqlite3 *db, int kinds, int schema, const char *name, int64_t length, amalgam_schema_object *object
) {
    *object = (amalgam_schema_object){ 0 };
    if (strlen(name) != (size_t)length) return SQLITE_OK;
    if (schema >= db->nDb) return SQLITE_MISUSE;
    char *message = 0;
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
    int code = amalgam_schema_search(db, kinds, schema, name, object, &message);
    sqlite3BtreeLeaveAll(db);
    if (code != SQLITE_OK) {
        sqlite3ErrorWithMsg(db, code, message ? "%s" : 0, message);
        code = sqlite3ApiExit(db, code);
    }
    sqlite3DbFree(db, message);
    sqlite3_mutex_leave(db->mutex);
    return code;
}

int amalgam_schema_defers_foreign_key(sqlite3 *db, int schema, const char *name, int64_t id) {
    if (schema < 0 || schema >= db->nDb) return 0;
    const Table *table = sqlite3FindTable(db, name, db->aDb[schema].zDbSName);
    if (table == 0 || !IsOrdinaryTable(table)) return 0;
    const FKey *key = table->u.tab.pFKey;
    for (int64_t i = 0; key != 0 && i < id; i++) key = key->pNextFrom;
    return key != 0 && key->isDeferred;
}

unsigned amalgam_trace_pause(sqlite3 *db) {
    unsigned mask = db->mTrace;
    db->mTrace = 0;
    return mask;
}

void amalgam_trace_resume(sqlite3 *db, unsigned mask) { db->mTrace = (u8)mask; }
