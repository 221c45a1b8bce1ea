/*
** Looks names up in the schemas that SQLite holds in memory.
**
** A look-up first compares the schema cookie in the file with that of the schema in memory, as a running statement
** does. If the cookies differ, SQLite reads the schema again: see schema_state.h.
*/

amalgam_schema_stamp amalgam_schema_now(amalgam_hooks *hooks) { return amalgam_schema_update(&hooks->schema, hooks->db); }

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

/*
** Whether SQLite has found the schema table of temp by the name `sqlite_schema` or `sqlite_master`. If the caller gives
** no schema, these names mean the schema table of main.
*/
static int amalgam_schema_is_temp_only(const amalgam_schema_object *object, const char *name) {
    return sqlite3_stricmp(object->name, LEGACY_TEMP_SCHEMA_TABLE) == 0
        && sqlite3_stricmp(name, LEGACY_TEMP_SCHEMA_TABLE) != 0
        && sqlite3_stricmp(name, PREFERRED_TEMP_SCHEMA_TABLE) != 0;
}

static int amalgam_schema_search(
    amalgam_hooks *hooks, int kinds, int schema, const char *name, amalgam_schema_object *object, char **message
) {
    sqlite3 *db = hooks->db;
    for (int i = 0; i < db->nDb; i++) {
        int index = schema >= 0 ? schema : i == 0 ? 1 : i == 1 ? 0 : i;
        int code = amalgam_schema_refresh(db, index, message);
        if (code != SQLITE_OK) return code;
        amalgam_schema_look(db, kinds, index, name, object);
        if (schema < 0 && index == 1 && object->identity && amalgam_schema_is_temp_only(object, name)) {
            *object = (amalgam_schema_object){ 0 };
        }
        if (object->identity) {
            object->schema = index;
            amalgam_schema_update(&hooks->schema, db);
            object->stamp = hooks->schema.known[index].stamp;
            return SQLITE_OK;
        }
        if (schema >= 0) return SQLITE_OK;
    }
    return SQLITE_OK;
}

int amalgam_schema_find(
    amalgam_hooks *hooks, int kinds, int schema, const char *name, int64_t length, amalgam_schema_object *object
) {
    sqlite3 *db = hooks->db;
    *object = (amalgam_schema_object){ 0 };
    if (strlen(name) != (size_t)length) return SQLITE_OK;
    if (schema >= db->nDb) return SQLITE_MISUSE;
    char *message = 0;
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
    int code = amalgam_schema_search(hooks, kinds, schema, name, object, &message);
    sqlite3BtreeLeaveAll(db);
    if (code != SQLITE_OK) {
        sqlite3ErrorWithMsg(db, code, message ? "%s" : 0, message);
        code = sqlite3ApiExit(db, code);
    }
    sqlite3DbFree(db, message);
    sqlite3_mutex_leave(db->mutex);
    return code;
}

int amalgam_schema_is_unchanged(amalgam_hooks *hooks, int schema, uint64_t stamp) {
    sqlite3 *db = hooks->db;
    int code = schema < db->nDb ? SQLITE_OK : SQLITE_MISUSE;
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
    for (int i = 0; i <= schema && code == SQLITE_OK; i++) code = amalgam_schema_check_cookie(db, i);
    sqlite3BtreeLeaveAll(db);
    int is_unchanged = code == SQLITE_OK && amalgam_schema_now(hooks).schemas == stamp;
    sqlite3_mutex_leave(db->mutex);
    return is_unchanged;
}

int amalgam_blob_is_current(sqlite3_blob *blob, const char *table) {
    const Incrblob *incrblob = (const Incrblob *)blob;
    amalgam_enter_schemas(incrblob->db);
    const int is_current = sqlite3FindTable(incrblob->db, table, incrblob->zDb) == incrblob->pTab;
    amalgam_leave_schemas(incrblob->db);
    return is_current;
}

int amalgam_schema_defers_foreign_key(sqlite3 *db, int schema, const char *name, int64_t id) {
    if (schema < 0 || schema >= db->nDb) return 0;
    amalgam_enter_schemas(db);
    const Table *table = sqlite3FindTable(db, name, db->aDb[schema].zDbSName);
    const FKey *key = table != 0 && IsOrdinaryTable(table) ? table->u.tab.pFKey : 0;
    for (int64_t i = 0; key != 0 && i < id; i++) key = key->pNextFrom;
    const int is_deferred = key != 0 && key->isDeferred;
    amalgam_leave_schemas(db);
    return is_deferred;
}

unsigned amalgam_trace_pause(sqlite3 *db) {
    unsigned mask = db->mTrace;
    db->mTrace = 0;
    return mask;
}

void amalgam_trace_resume(sqlite3 *db, unsigned mask) { db->mTrace = (u8)mask; }

amalgam_change_counts amalgam_get_change_counts(sqlite3 *db) {
    return (amalgam_change_counts){
        .last_rowid = db->lastRowid, .changes = db->nChange, .total_changes = db->nTotalChange };
}

void amalgam_set_change_counts(sqlite3 *db, amalgam_change_counts counts) {
    db->lastRowid = counts.last_rowid;
    db->nChange = counts.changes;
    db->nTotalChange = counts.total_changes;
}

static int amalgam_is_index_of(const Table *table, Pgno root) {
    for (const Index *index = table->pIndex; index != 0; index = index->pNext) {
        if (index->tnum == root) return 1;
    }
    return 0;
}

/* Whether an opened virtual table only reads its arguments. Other virtual tables may read any table. */
static int amalgam_reads_arguments_only(const VdbeOp *op) {
    static const char *const names[] = {"carray", "json_each", "json_tree", "jsonb_each", "jsonb_tree"};
    const char *name = op->p4type == P4_VTAB ? op->p4.pVtab->pMod->zName : "";
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (sqlite3_stricmp(name, names[i]) == 0) return 1;
    }
    return 0;
}

/* Whether a cursor on an index finds the rows that a cursor on the table reads. */
static int amalgam_seeks_for(const Vdbe *vdbe, int index, int table) {
    for (int i = 0; i < vdbe->nOp; i++) {
        const VdbeOp *op = &vdbe->aOp[i];
        if (op->opcode == OP_DeferredSeek && op->p1 == index && op->p3 == table) return 1;
    }
    return 0;
}

/*
** In a compiled statement, each reference to a table has separate cursors: one on the table, and one on each index that
** finds its rows. With a covering index, only the index has a cursor. So the statement refers to the table once if
** there is only one cursor, or if there is one cursor on the table, for which all index cursors find rows.
*/
int amalgam_reads_once(sqlite3_stmt *statement, const char *name) {
    enum { INDICES = 8 };
    Vdbe *vdbe = (Vdbe *)statement;
    sqlite3 *db = vdbe->db;
    int on_table = -1, on_index[INDICES], indices = 0;
    if (!vdbe->readOnly || !amalgam_program_is_current(statement)) return 0;
    for (int i = 0; i < vdbe->nOp; i++) {
        const VdbeOp *op = &vdbe->aOp[i];
        switch (op->opcode) {
        case OP_VOpen:
            if (!amalgam_reads_arguments_only(op)) return 0;
            break;
        case OP_Program:
        case OP_OpenWrite: return 0;
        case OP_OpenRead:
        case OP_ReopenIdx: {
            const Table *table = sqlite3HashFind(&db->aDb[op->p3].pSchema->tblHash, name);
            if (table == 0) break;
            if (op->p5 & OPFLAG_P2ISREG) return 0;
            if ((Pgno)op->p2 == table->tnum) {
                if (on_table >= 0 && on_table != op->p1) return 0;
                on_table = op->p1;
            } else if (amalgam_is_index_of(table, (Pgno)op->p2)) {
                int known = 0;
                while (known < indices && on_index[known] != op->p1) known++;
                if (known == INDICES) return 0;
                on_index[known] = op->p1;
                if (known == indices) indices++;
            }
            break;
        }
        default: break;
        }
    }
    if (on_table < 0) return indices == 1;
    for (int i = 0; i < indices; i++) {
        if (!amalgam_seeks_for(vdbe, on_index[i], on_table)) return 0;
    }
    return 1;
}
