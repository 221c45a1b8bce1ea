/*
** The hooks of one connection.
**
** SQLite gives a connection one slot for each kind of hook. A new session installs its own callback in the pre-update
** slot, and assumes that the previous context pointer is another session (sqlite3session_create, "pOld"). So only this
** object registers hooks, and it holds the chain of sessions. While a session is created or deleted, the slot contains
** the callback of SQLite's sessions. After that, the slot contains the dispatcher (amalgam_dispatch_row_change) again.
**
** The pre-update slot is only filled while row changes must be reported. A filled slot costs time for every row change,
** and disables SQLite's truncate optimization (DELETE without WHERE) for statements compiled during this time.
*/

/*
** A listener of row changes, such as an amalgam_recorder. For each change, the sessions are called first, then the
** listeners, and then the callback `row_will_change`. The code that adds a listener owns the listener, and must not
** free it before removing it from the hooks or freeing the hooks.
**
** All of them read the same values. In a UTF-16 database, sessions and recorders convert TEXT values to UTF-8, which can
** lose bytes that aren't characters. A listener that needs the stored bytes is called before the sessions. It must not
** convert a value.
*/
typedef struct amalgam_row_listener amalgam_row_listener;
struct amalgam_row_listener {
    void (*row_will_change)(
        void *context, sqlite3 *db, int operation, sqlite3_int64 old_rowid, sqlite3_int64 new_rowid);
    void *context;
    int reads_bytes;      /* called before the sessions; such listeners are the first ones of a list */
    amalgam_hooks *hooks; /* NULL while it isn't in a list */
    amalgam_row_listener *next;
};

typedef void (*amalgam_preupdate_hook)(
    void *, sqlite3 *, int, const char *, const char *, sqlite3_int64, sqlite3_int64);

struct amalgam_hooks {
    sqlite3 *db;
    amalgam_callbacks callbacks;
    sqlite3_session *sessions; /* head of SQLite's own chain */
    int recordings; /* the number of nested calls in which sessions record a change */
    amalgam_schema_monitor schema;
    int reports_rows;
    int reports_savepoints;
    int decodes_strictly;
    const char *dropped_schema, *dropped_table; /* that a running statement drops; NULL for none */
    amalgam_row_listener *listeners; /* NULL for none */
    amalgam_preupdate_hook hook;     /* of the application's C code; NULL for none */
    void *hook_context;
    amalgam_policy policy; /* restricts what may be compiled; NULL for none */
    int has_with;         /* whether the SQL that amalgam_prepare compiles contains a WITH clause */
    int records;          /* whether amalgam_prepare is collecting facts */
    Parse *outer_parse;   /* the parse in progress when collecting began, to leave out facts of nested statements */
    uint64_t actions;     /* the authorizer codes of the records in `facts` */
    uint8_t *facts;       /* a buffer that is reused for all statements */
    int facts_length;
    int facts_capacity;
    int out_of_memory;
};

/* Whether a table is being dropped. The deletions of its rows are reported to sessions only, as SQLite does it. */
static int amalgam_is_dropped(const amalgam_hooks *hooks, const char *schema, const char *table) {
    return hooks->dropped_table != 0 && strcmp(hooks->dropped_table, table) == 0
        && strcmp(hooks->dropped_schema, schema) == 0;
}

static void amalgam_dispatch_row_change(
    void *context, sqlite3 *db, int operation, const char *schema, const char *table,
    sqlite3_int64 old_rowid, sqlite3_int64 new_rowid
) {
    amalgam_hooks *hooks = context;
    amalgam_row_listener *listener = hooks->listeners;
    for (; listener != 0 && listener->reads_bytes; listener = listener->next) {
        listener->row_will_change(listener->context, db, operation, old_rowid, new_rowid);
    }
    if (hooks->sessions) {
        hooks->recordings++;
        /* A session runs statements. */
        amalgam_schema_lock(db);
        xPreUpdate(hooks->sessions, db, operation, schema, table, old_rowid, new_rowid);
        amalgam_schema_unlock_in_step(db);
        hooks->recordings--;
    }
    if (hooks->hook && db->pPreUpdate != 0) {
        amalgam_schema_lock(db);
        hooks->hook(hooks->hook_context, db, operation, schema, table, old_rowid, new_rowid);
        amalgam_schema_unlock_in_step(db);
    }
    if (amalgam_is_dropped(hooks, schema, table)) return;
    for (listener = hooks->listeners; listener != 0; listener = listener->next) {
        if (db->pPreUpdate == 0) break;
        if (listener->reads_bytes) continue;
        listener->row_will_change(listener->context, db, operation, old_rowid, new_rowid);
    }
    if (hooks->reports_rows && db->pPreUpdate != 0) {
        const PreUpdate *change = db->pPreUpdate;
        /* SQLite reports a write through a blob handle as a deletion, because sessions need that. */
        if (change->iBlobWrite >= 0) operation = SQLITE_UPDATE;
        hooks->callbacks.row_will_change(
            hooks->callbacks.owner, operation, schema, table, old_rowid, new_rowid,
            change->pPk == 0, (change->pTab->tabFlags & TF_Shadow) != 0);
    }
}

const char *amalgam_preupdate_column_name(sqlite3 *db, int column) {
    const PreUpdate *change = db->pPreUpdate;
    if (change == 0 || column < 0 || column >= change->pTab->nCol) return 0;
    return change->pTab->aCol[column].zCnName;
}

/*
** Makes the statement fail as if memory were exhausted, if a value can't be read. The pre-update hook can't return an
** error, and without a failure, observers would receive a wrong value.
*/
static int amalgam_preupdate_succeeds(sqlite3 *db, int code) {
    int primary = code & 0xff;
    if (primary == SQLITE_NOMEM || primary == SQLITE_IOERR || primary == SQLITE_CORRUPT) sqlite3OomFault(db);
    return code == SQLITE_OK;
}

/* Reading TEXT values of UTF-16 databases, and blobs that end with implicit zeros, needs memory. */
static int amalgam_preupdate_materialize(sqlite3_value *value) {
    if ((value->flags & MEM_Str) && value->enc != SQLITE_UTF8) return sqlite3_value_text(value) != 0;
    if (value->flags & MEM_Zero) return sqlite3_value_blob(value) != 0 || value->n == 0;
    return 1;
}

/* Checks and converts what sqlite3_preupdate_old() or sqlite3_preupdate_new() has returned. These functions must not be
** called again after an error: a value whose copy has failed is NULL then. */
static const amalgam_value *amalgam_preupdate_converted(
    sqlite3 *db, int column, int is_new, int code, sqlite3_value *value
) {
    if (!amalgam_preupdate_succeeds(db, code) || value == 0) return 0;
    if (!amalgam_preupdate_materialize(value)) {
        amalgam_preupdate_succeeds(db, SQLITE_NOMEM);
        return 0;
    }
    /* SQLite stores reals without a fraction as integers, and the hook returns these integers for an insertion. */
    if (is_new && db->pPreUpdate->pTab->aCol[column].affinity == SQLITE_AFF_REAL
        && (value->flags & (MEM_Int | MEM_IntReal))) {
        sqlite3VdbeMemRealify(value);
    }
    return (const amalgam_value *)value;
}

const amalgam_value *amalgam_preupdate_value(sqlite3 *db, int column, int is_new) {
    const PreUpdate *change = db->pPreUpdate;
    sqlite3_value *value = 0;
    if (change == 0 || column < 0 || column >= change->pTab->nCol) return 0;
    int code = is_new ? sqlite3_preupdate_new(db, column, &value) : sqlite3_preupdate_old(db, column, &value);
    return amalgam_preupdate_converted(db, column, is_new, code, value);
}

/* Does what sqlite3_preupdate_hook does, but faster, because it runs twice for each statement. */
static void amalgam_set_row_slot(amalgam_hooks *hooks, int on) {
    hooks->db->xPreUpdateCallback = on ? amalgam_dispatch_row_change : 0;
    hooks->db->pPreUpdateArg = on ? hooks : 0;
}

int amalgam_has_listeners(const amalgam_hooks *hooks) {
    return hooks->sessions != 0 || hooks->listeners != 0 || hooks->hook != 0;
}

static void amalgam_update_row_slot(amalgam_hooks *hooks) {
    amalgam_set_row_slot(hooks, hooks->reports_rows || amalgam_has_listeners(hooks));
}

static void amalgam_add_row_listener(amalgam_hooks *hooks, amalgam_row_listener *listener) {
    amalgam_row_listener **link = &hooks->listeners;
    while (!listener->reads_bytes && *link != 0 && (*link)->reads_bytes) link = &(*link)->next;
    listener->hooks = hooks;
    listener->next = *link;
    *link = listener;
    amalgam_update_row_slot(hooks);
}

/* Does nothing if the listener isn't in a list. */
static void amalgam_remove_row_listener(amalgam_row_listener *listener) {
    amalgam_hooks *hooks = listener->hooks;
    if (hooks == 0) return;
    amalgam_row_listener **link = &hooks->listeners;
    while (*link != listener) link = &(*link)->next;
    *link = listener->next;
    listener->hooks = 0;
    amalgam_update_row_slot(hooks);
}

/* Sets the pre-update slot as SQLite's session code expects it: to the first session, or to nothing. */
static void amalgam_expose_sessions(amalgam_hooks *hooks) {
    if (hooks->sessions) {
        sqlite3_preupdate_hook(hooks->db, xPreUpdate, hooks->sessions);
    } else {
        sqlite3_preupdate_hook(hooks->db, 0, 0);
    }
}

static void amalgam_take_sessions_back(amalgam_hooks *hooks) {
    hooks->sessions = (sqlite3_session *)sqlite3_preupdate_hook(hooks->db, 0, 0);
    amalgam_update_row_slot(hooks);
}

int amalgam_session_create(amalgam_hooks *hooks, const char *schema, sqlite3_session **session) {
    amalgam_expose_sessions(hooks);
    int code = sqlite3session_create(hooks->db, schema, session);
    amalgam_take_sessions_back(hooks);
    /* Statements compiled with an empty slot may use the truncate optimization, which a session can't observe. */
    if (code == SQLITE_OK) sqlite3ExpirePreparedStatements(hooks->db, 0);
    return code;
}

void amalgam_session_delete(amalgam_hooks *hooks, sqlite3_session *session) {
    amalgam_expose_sessions(hooks);
    sqlite3session_delete(session);
    amalgam_take_sessions_back(hooks);
}

int amalgam_sessions_are_recording(const amalgam_hooks *hooks) { return hooks->recordings > 0; }

void amalgam_hooks_report_rows(amalgam_hooks *hooks, int on) {
    hooks->reports_rows = on;
    amalgam_update_row_slot(hooks);
}

void amalgam_hooks_drop(amalgam_hooks *hooks, const char *schema, const char *table) {
    hooks->dropped_schema = schema;
    hooks->dropped_table = table;
}

/* Compiles a statement again. Returns 0 if that fails. */
static int amalgam_recompile(sqlite3_stmt *statement) { return amalgam_reprepare(statement) == SQLITE_OK; }

/*
** Steps a statement whose row changes are reported. The pre-update hook reads tables to which the compiled statement
** has pointers. The schema lock (nSchemaLock) makes SQLite retain these tables during the step, even if a called
** function changes the schema.
**
** Without the lock, a step that finds a new schema in the file reads this schema and compiles the statement again. With
** the lock, such a step fails with SQLITE_SCHEMA before it has any effect. This function then releases the lock,
** compiles the statement, and steps it again.
*/
int amalgam_step_reported(amalgam_hooks *hooks, sqlite3_stmt *statement) {
    enum { ATTEMPTS = 50 };
    sqlite3 *db = hooks->db;
    const Vdbe *vdbe = (const Vdbe *)statement;
    const int attempts = db->nSchemaLock == 0 ? ATTEMPTS : 0;
    if (vdbe->readOnly || vdbe->eVdbeState == VDBE_RUN_STATE || db->xPreUpdateCallback == 0) return sqlite3_step(statement);
    for (int attempt = 0;; attempt++) {
        if (!amalgam_program_is_current(statement) && !amalgam_recompile(statement)) return sqlite3_step(statement);
        amalgam_schema_lock(db);
        int code = sqlite3_step(statement);
        amalgam_schema_unlock(db);
        /* A function in the statement may also return this code as its error. */
        if ((code & 0xff) != SQLITE_SCHEMA || attempt == attempts || amalgam_program_is_current(statement)) return code;
        sqlite3_reset(statement);
    }
}

/* Steps a statement whose row changes no observer wants, but a session or a listener does. */
static int amalgam_step_shared(amalgam_hooks *hooks, sqlite3_stmt *statement) {
    int reports_rows = hooks->reports_rows;
    hooks->reports_rows = 0;
    int code = amalgam_step_reported(hooks, statement);
    amalgam_hooks_report_rows(hooks, reports_rows);
    return code;
}

/*
** Steps a statement whose row changes no observer needs, with an empty pre-update slot if no session or listener needs
** the changes either. This must be fast: it happens for each such statement of a connection with observers.
*/
int amalgam_step_unreported(amalgam_hooks *hooks, sqlite3_stmt *statement) {
    sqlite3 *db = hooks->db;
    if (db->autoCommit || amalgam_program_is_expired(statement)) return AMALGAM_NOT_STEPPED;
    if (amalgam_has_listeners(hooks)) return amalgam_step_shared(hooks, statement);
    if (!hooks->reports_rows) return sqlite3_step(statement);
    hooks->reports_rows = 0;
    db->xPreUpdateCallback = 0;
    int code = sqlite3_step(statement);
    amalgam_hooks_report_rows(hooks, 1);
    return code;
}

static int amalgam_facts_reserve(amalgam_hooks *hooks, size_t size) {
    size_t needed = (size_t)hooks->facts_length + size;
    if (needed <= (size_t)hooks->facts_capacity) return 1;
    size_t capacity = needed * 2 + 256;
    uint8_t *bytes = sqlite3_realloc64(hooks->facts, capacity);
    if (bytes == 0) {
        hooks->out_of_memory = 1;
        return 0;
    }
    hooks->facts = bytes;
    hooks->facts_capacity = (int)capacity;
    return 1;
}

enum { AMALGAM_FACT_ARGUMENTS = 4 };

static void amalgam_facts_append(
    amalgam_hooks *hooks, int action, int is_nested, const char *const arguments[AMALGAM_FACT_ARGUMENTS]
) {
    size_t lengths[AMALGAM_FACT_ARGUMENTS] = { 0 };
    size_t size = 2;
    uint8_t presence = is_nested ? AMALGAM_FACT_IS_NESTED : 0;
    for (int i = 0; i < AMALGAM_FACT_ARGUMENTS; i++) {
        if (arguments[i] == 0) continue;
        presence |= (uint8_t)(1 << i);
        lengths[i] = strlen(arguments[i]) + 1;
        size += lengths[i];
    }
    if (!amalgam_facts_reserve(hooks, size)) return;
    uint8_t *end = hooks->facts + hooks->facts_length;
    *end++ = (uint8_t)action;
    *end++ = presence;
    for (int i = 0; i < AMALGAM_FACT_ARGUMENTS; i++) {
        if (arguments[i] == 0) continue;
        memcpy(end, arguments[i], lengths[i]);
        end += lengths[i];
    }
    hooks->facts_length += (int)size;
    hooks->actions |= (uint64_t)1 << action;
}

/*
** Whether SQLite is compiling the statement passed to amalgam_prepare, and not a statement that a virtual table
** compiles for its own use. FTS5, for example, compiles statements that read its configuration. Such a statement has a
** separate top-level Parse object. A trigger has the top-level Parse object of the statement that fires the trigger.
*/
static int amalgam_is_own_parse(const amalgam_hooks *hooks) {
    const Parse *parse = hooks->db->pParse;
    if (parse == 0) return 0;
    if (parse->pToplevel) parse = parse->pToplevel;
    return parse->pOuterParse == hooks->outer_parse;
}

static int amalgam_points_to_table(const VdbeOp *operation, const void *context) {
    (void)context;
    return operation->p4type == P4_TABLE;
}

/* Whether a program or one of its triggers has pointers to tables whose rows it changes. */
static int amalgam_points_to_tables(const Vdbe *vdbe) {
    return amalgam_find_instruction(vdbe, amalgam_points_to_table, 0);
}

/*
** Whether a program writes objects to the schema table and then adds them to the schema in memory. Returns 0 if the
** program creates, drops or renames a virtual table, because the module of the virtual table must then be able to
** create, drop or rename its shadow tables.
*/
static int amalgam_changes_schema(const Vdbe *vdbe) {
    const amalgam_instructions program = amalgam_main_program(vdbe);
    int changes_schema = 0;
    for (int i = 0; i < program.count; i++) {
        switch (program.operations[i].opcode) {
        case OP_ParseSchema: changes_schema = 1; break;
        case OP_VCreate:
        case OP_VDestroy:
        case OP_VRename: return 0;
        default: break;
        }
    }
    return changes_schema;
}

/* Whether a step is in progress, and one of the running programs that write fulfils a condition. */
static int amalgam_runs_program(const sqlite3 *db, int (*condition)(const Vdbe *)) {
    if (db->nVdbeExec == 0) return 0;
    for (const Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (vdbe->eVdbeState == VDBE_RUN_STATE && !vdbe->readOnly && condition(vdbe)) return 1;
    }
    return 0;
}

/*
** Whether a program fills an index as sqlite3RefillIndex does: through a sorter, and with a cursor opened for many
** insertions, without changes of rows.
*/
static int amalgam_fills_index(const Vdbe *vdbe) {
    const amalgam_instructions program = amalgam_main_program(vdbe);
    int sorts = 0, fills = 0;
    for (int i = 0; i < program.count; i++) {
        const VdbeOp *operation = &program.operations[i];
        if (operation->p4type == P4_TABLE) return 0;
        if (operation->opcode == OP_SorterInsert) sorts = 1;
        if (operation->opcode == OP_OpenWrite && (operation->p5 & OPFLAG_BULKCSR)) fills = 1;
    }
    return sorts && fills;
}

/* Whether a program relies on the tables and indexes that it was compiled for: see amalgam_needs_tables. */
static int amalgam_uses_tables(const Vdbe *vdbe) {
    return amalgam_points_to_tables(vdbe) || amalgam_changes_schema(vdbe) || amalgam_fills_index(vdbe);
}

int amalgam_needs_tables(amalgam_hooks *hooks) {
    return hooks->db->pParse != 0 || amalgam_runs_program(hooks->db, amalgam_uses_tables);
}

/* Whether the program of a statement contains an instruction with an opcode. */
static int amalgam_has_opcode(const Vdbe *vdbe, int opcode) {
    const amalgam_instructions program = amalgam_main_program(vdbe);
    for (int i = 0; i < program.count; i++) {
        if (program.operations[i].opcode == opcode) return 1;
    }
    return 0;
}

int amalgam_destroys_virtual_table(sqlite3_stmt *statement) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    return vdbe->db->nVdbeExec > 0 && amalgam_has_opcode(vdbe, OP_VDestroy);
}

int amalgam_vacuums(sqlite3_stmt *statement) { return amalgam_has_opcode((const Vdbe *)statement, OP_Vacuum); }

static int amalgam_collects_row(const VdbeOp *operation, const void *context) {
    (void)context;
    return operation->opcode == OP_RowSetAdd;
}

/*
** Whether a program first collects the rowids of rows, and then deletes these rows. Only the innermost program is
** checked: when a DELETE fires a trigger, it has collected all its rows.
*/
static int amalgam_collects_rows(const Vdbe *vdbe) {
    return amalgam_find_in_program(amalgam_innermost_program(vdbe), amalgam_collects_row, 0)
        && amalgam_program_is_current((sqlite3_stmt *)vdbe);
}

typedef struct amalgam_deletion {
    const sqlite3 *db;
    const Table *table;
} amalgam_deletion;

static int amalgam_deletes_row(const VdbeOp *operation, const void *context) {
    const amalgam_deletion *deletion = context;
    const Table *table = deletion->table;
    switch (operation->opcode) {
    case OP_Clear: return operation->p1 == (int)table->tnum && deletion->db->aDb[operation->p2].pSchema == table->pSchema;
    case OP_Delete:
        return operation->p4type == P4_TABLE && operation->p4.pTab == table && !(operation->p2 & OPFLAG_ISNOOP);
    default: return 0;
    }
}

/* Whether the program in `context` deletes rows of the table from which an instruction deletes rows. */
static int amalgam_shares_deleted_table(const VdbeOp *operation, const void *context) {
    const Vdbe *vdbe = context;
    if (operation->opcode != OP_Delete || operation->p4type != P4_TABLE) return 0;
    const amalgam_deletion deletion = {vdbe->db, operation->p4.pTab};
    return amalgam_find_instruction(vdbe, amalgam_deletes_row, &deletion);
}

/* Whether a statement deletes rows of a table of which a running program collects rowids. */
static int amalgam_deletes_collected_rows(sqlite3_stmt *statement) {
    const sqlite3 *db = ((const Vdbe *)statement)->db;
    if (!amalgam_program_is_current(statement) && !amalgam_recompile(statement)) return 0;
    for (const Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (vdbe->eVdbeState != VDBE_RUN_STATE || vdbe->readOnly || !amalgam_collects_rows(vdbe)) continue;
        if (amalgam_find_instruction(vdbe, amalgam_shares_deleted_table, statement)) return 1;
    }
    return 0;
}

/* Whether a statement with this authorizer code may free tables to which running programs have pointers. */
static int amalgam_frees_tables(int action) {
    switch (action) {
    case SQLITE_ALTER_TABLE:
    case SQLITE_DETACH:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_VTABLE: return 1;
    default: return 0;
    }
}

/* Whether an instruction has a pointer to the table in `context`. */
static int amalgam_points_to_this_table(const VdbeOp *operation, const void *context) {
    return operation->p4type == P4_TABLE && operation->p4.pTab == context;
}

/*
** Whether a statement may free a table to which a running program has a pointer. DROP TABLE of an ordinary table frees this
** table only: when a virtual table is dropped after ANALYZE, the program of this DROP TABLE deletes rows of sqlite_stat1, and
** points to it, while the module drops its shadow tables.
*/
static int amalgam_frees_used_tables(const sqlite3 *db, int action, const char *name, const char *schema) {
    if (!amalgam_frees_tables(action)) return 0;
    if (action != SQLITE_DROP_TABLE && action != SQLITE_DROP_TEMP_TABLE) {
        return amalgam_runs_program(db, amalgam_points_to_tables);
    }
    const Table *table = sqlite3FindTable((sqlite3 *)db, name, schema);
    if (table == 0 || db->nVdbeExec == 0) return 0;
    for (const Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (vdbe->eVdbeState != VDBE_RUN_STATE || vdbe->readOnly) continue;
        if (amalgam_find_instruction(vdbe, amalgam_points_to_this_table, table)) return 1;
    }
    return 0;
}

static int amalgam_changes_rows(int action) {
    return action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_DELETE;
}

/* A flag of statements compiled by amalgam_prepare, which remains when SQLite compiles them again. */
enum { AMALGAM_PREPARE_OWN = 0x40 };
_Static_assert((SQLITE_PREPARE_MASK & AMALGAM_PREPARE_OWN) == 0, "a flag of sqlite3_prepare_v3");
_Static_assert((SQLITE_PREPARE_SAVESQL & AMALGAM_PREPARE_OWN) == 0, "a flag of sqlite3_prepare_v3");

/* Whether the first statement of a string contains a WITH clause. The string is unchanged afterwards. */
static int amalgam_has_with(char *sql) {
    int offset = 0, has_content = 0;
    while (sql[offset] != 0) {
        int type = 0;
        offset += (int)sqlite3GetToken((const unsigned char *)sql + offset, &type);
        if (type == TK_WITH) return 1;
        if (type == TK_SEMI && has_content) {
            /* A semicolon ends a statement, unless it is in the body of a trigger. */
            const char next = sql[offset];
            sql[offset] = 0;
            const int ends = sqlite3_complete(sql);
            sql[offset] = next;
            if (ends) return 0;
        }
        if (type != TK_SEMI && type != TK_SPACE && type != TK_COMMENT) has_content = 1;
    }
    return 0;
}

/* Like amalgam_has_with, for bytes that may lack a NUL. Returns 1, the stricter answer, if memory is exhausted. */
static int amalgam_bytes_have_with(const char *sql, int length) {
    size_t count = length < 0 ? strlen(sql) : strnlen(sql, (size_t)length);
    char *copy = sqlite3_malloc64(count + 1);
    if (copy == 0) return 1;
    memcpy(copy, sql, count);
    copy[count] = 0;
    int has_with = amalgam_has_with(copy);
    sqlite3_free(copy);
    return has_with;
}

/* Returns the answer of the policy: SQLITE_OK, SQLITE_DENY or SQLITE_IGNORE. */
static int amalgam_ask_policy(
    amalgam_hooks *hooks, int action, const char *first, const char *second, const char *schema, const char *accessor
) {
    int is_own = hooks->records && amalgam_is_own_parse(hooks);
    int has_with = hooks->has_with;
    const Parse *parse = hooks->db->pParse;
    if (parse != 0 && parse->pToplevel) parse = parse->pToplevel;
    if (!is_own && parse != 0 && parse->pReprepare != 0
        && (parse->pReprepare->prepFlags & AMALGAM_PREPARE_OWN) != 0) {
        is_own = 1;
        has_with = accessor != 0 && amalgam_has_with(parse->pReprepare->zSql);
    }
    int circumstances = is_own ? 0 : AMALGAM_IS_INTERNAL;
    if (is_own && has_with && accessor != 0) {
        accessor = 0;
        circumstances |= AMALGAM_WITHHOLDS_ACCESSOR;
    }
    return hooks->policy(hooks->callbacks.owner, action, first, second, schema, accessor, circumstances);
}

/* Whether a table is the table function carray(), which reads its argument and no table. Such a fact isn't recorded. */
static int amalgam_is_array(const amalgam_hooks *hooks, int action, const char *table) {
    if (action != SQLITE_READ || table == 0 || sqlite3_stricmp(table, "carray") != 0) return 0;
    const Table *found = sqlite3FindTable(hooks->db, table, 0);
    return found == 0 || (found->tabFlags & TF_Eponymous) != 0;
}

#ifdef SQLITE_HAS_CODEC
static int amalgam_is_one_of(const char *name, const char *const *names) {
    while (*names != 0 && sqlite3_stricmp(name, *names) != 0) names++;
    return *names != 0;
}

static codec_ctx *amalgam_codec_of(const sqlite3 *db, const char *schema) {
    int index = schema == 0 ? 0 : sqlite3FindDbName((sqlite3 *)db, schema);
    Btree *tree = index < 0 ? 0 : db->aDb[index].pBt;
    return tree == 0 ? 0 : sqlcipherPagerGetCodec(sqlite3BtreePager(tree));
}

/*
** Whether a pragma changes how many bytes of the first page are clear, although pages were read or written. SQLCipher
** ignores other settings then. This one would have an effect on the next write of the first page only, which later
** connections couldn't read by the old settings nor, without the salt, by the new ones.
*/
static int amalgam_changes_used_header(
    const sqlite3 *db, const char *schema, const char *pragma, const char *argument
) {
    if (pragma == 0 || argument == 0 || sqlite3_stricmp(pragma, "cipher_plaintext_header_size") != 0) return 0;
    const codec_ctx *codec = amalgam_codec_of(db, schema);
    return codec != 0 && SQLCIPHER_FLAG_GET(codec->flags, CIPHER_FLAG_KEY_USED)
        && atoi(argument) != codec->plaintext_header_sz;
}

/* Whether a pragma changes the key of a database, or the settings of its codec, when it is compiled. */
static int amalgam_changes_key(const sqlite3 *db, const char *schema, const char *pragma, const char *argument) {
    static const char *const keys[] = {"key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", 0};
    static const char *const harmless[] = {
        "cipher_add_random", "cipher_license", "cipher_log", "cipher_log_level", "cipher_log_source",
        "cipher_memory_security", "cipher_profile", 0};
    static const char *const others[] = {"kdf_iter", "fast_kdf_iter", 0};
    if (pragma == 0) return 0;
    if (sqlite3_stricmp(pragma, "cipher_migrate") == 0) return 1;
    if (argument == 0) return 0;
    if (sqlite3_stricmp(pragma, "page_size") == 0) return amalgam_codec_of(db, schema) != 0;
    if (amalgam_is_one_of(pragma, keys) || amalgam_is_one_of(pragma, others)) return 1;
    return sqlite3_strnicmp(pragma, "cipher_", 7) == 0 && !amalgam_is_one_of(pragma, harmless);
}
#endif

/* Whether a pragma makes SQLite discard the schemas in memory when it is compiled. */
static int amalgam_discards_schemas(const char *pragma, const char *argument) {
    if (pragma == 0 || argument == 0) return 0;
    if (sqlite3_stricmp(pragma, "writable_schema") == 0) return sqlite3_stricmp(argument, "reset") == 0;
    return sqlite3_stricmp(pragma, "temp_store") == 0 || sqlite3_stricmp(pragma, "temp_store_directory") == 0;
}

/* Whether the pragma that is being compiled must not have the effect that it has when it is compiled. */
static int amalgam_refuses_pragma(
    const amalgam_hooks *hooks, const char *schema, const char *pragma, const char *argument
) {
    if (pragma != 0 && argument != 0 && sqlite3_stricmp(pragma, "query_only") == 0 && !sqlite3GetBoolean(argument, 0)) {
        return hooks->callbacks.refuses_pragma(hooks->callbacks.owner, AMALGAM_PRAGMA_ALLOWS_WRITES);
    }
    if (amalgam_discards_schemas(pragma, argument) && amalgam_runs_program(hooks->db, amalgam_uses_tables)) {
        return hooks->callbacks.refuses_pragma(hooks->callbacks.owner, AMALGAM_PRAGMA_DISCARDS_SCHEMAS);
    }
#ifdef SQLITE_HAS_CODEC
    const Parse *parse = hooks->db->pParse;
    if (amalgam_changes_used_header(hooks->db, schema, pragma, argument)) {
        return hooks->callbacks.refuses_pragma(hooks->callbacks.owner, AMALGAM_PRAGMA_CHANGES_USED_HEADER);
    }
    if (!amalgam_changes_key(hooks->db, schema, pragma, argument)) return 0;
    return hooks->callbacks.refuses_pragma(
        hooks->callbacks.owner,
        parse != 0 && parse->explain != 0 ? AMALGAM_PRAGMA_CHANGES_KEY_EXPLAINED : AMALGAM_PRAGMA_CHANGES_KEY);
#else
    (void)schema;
    return 0;
#endif
}

/*
** SQLite calls the authorizer each time it compiles a statement:
** - During a call of amalgam_prepare, the authorizer records the actions and arguments as the statement's facts.
** - When SQLite compiles the statement again between two executions, the authorizer records no facts. If the statement
**   changes rows, the authorizer calls `recompiles`, because the tables of these rows may differ from those before.
**
** Each time, if the statement is a DELETE whose rows are observed, the authorizer fills the pre-update slot, so that
** SQLite deletes and reports each row.
*/
static int amalgam_authorize(
    void *context, int action, const char *first, const char *second, const char *schema, const char *trigger
) {
    amalgam_hooks *hooks = context;
    if (amalgam_must_stop_compiling()) return SQLITE_DENY;
    if (action == SQLITE_ATTACH || action == SQLITE_DETACH) amalgam_schema_will_attach(&hooks->schema);
    /* For statements of the application, the Swift code throws an error with the reason before they run. */
    if (!hooks->records && hooks->db->xPreUpdateCallback != 0
        && amalgam_frees_used_tables(hooks->db, action, first, schema)) {
        return SQLITE_DENY;
    }
    const int answer = hooks->policy ? amalgam_ask_policy(hooks, action, first, second, schema, trigger) : SQLITE_OK;
    /* SQLite deletes rows, and updates other columns, although the policy ignores the action. */
    if (answer != SQLITE_OK && !(answer == SQLITE_IGNORE && amalgam_changes_rows(action))) return answer;
    if (action == SQLITE_PRAGMA && amalgam_refuses_pragma(hooks, schema, first, second)) return SQLITE_DENY;
    if (hooks->records && amalgam_is_own_parse(hooks) && !amalgam_is_array(hooks, action, first)) {
        switch (action) {
        case SQLITE_SELECT:
        case SQLITE_FUNCTION:
        case SQLITE_RECURSIVE:
            break;
        default:
            amalgam_facts_append(
                hooks, action, hooks->db->pParse->pToplevel != 0,
                (const char *const[AMALGAM_FACT_ARGUMENTS]){ first, second, schema, trigger });
        }
    }
    if (!hooks->records && amalgam_changes_rows(action)) {
        const int is_virtual = amalgam_is_virtual_table(hooks->db, schema, first);
        hooks->callbacks.recompiles(hooks->callbacks.owner, action, first, second, is_virtual);
    }
    /* SQLite compiles its internal savepoints immediately before they run. */
    if (action == SQLITE_SAVEPOINT && hooks->reports_savepoints && !hooks->records) {
        hooks->callbacks.savepoint_will_change(hooks->callbacks.owner, first, second);
    }
    if (action == SQLITE_DELETE
        && hooks->db->xPreUpdateCallback == 0
        && hooks->callbacks.observes_deletions(hooks->callbacks.owner, schema, first)) {
        amalgam_set_row_slot(hooks, 1);
    }
    return answer;
}

static int amalgam_will_commit(void *context) {
    amalgam_hooks *hooks = context;
    return hooks->callbacks.will_commit(hooks->callbacks.owner);
}

/*
** The number of foreign key violations of a stopped statement, more than a statement can have. SQLite makes a statement
** with violations fail before it returns its first row or ends, and undoes its changes.
*/
#define AMALGAM_STOPPED ((i64)1 << 60)

static int amalgam_is_stopped(const Vdbe *vdbe) { return vdbe->nFkConstraint > AMALGAM_STOPPED / 2; }

/* Replaces the instructions that would empty or delete a table: they use no cursor, and look at no number. */
static void amalgam_fail_clearing(VdbeOp *operations, int count) {
    for (int i = 0; i < count; i++) {
        VdbeOp *operation = &operations[i];
        if (operation->opcode != OP_Clear && operation->opcode != OP_Destroy) continue;
        operation->opcode = OP_Halt;
        operation->p1 = SQLITE_ABORT_ROLLBACK;
        operation->p2 = OE_Abort;
        operation->p3 = 0;
        operation->p5 = 0;
        operation->p4type = P4_STATIC;
        operation->p4.z = "abort due to ROLLBACK";
    }
}

/* Stops a running statement, which is expired, or expires by a rollback: SQLite compiles it again before its next run. */
static void amalgam_stop(Vdbe *vdbe) {
    vdbe->nFkConstraint = AMALGAM_STOPPED;
    amalgam_fail_clearing(vdbe->aOp, vdbe->nOp);
    for (const VdbeFrame *frame = vdbe->pFrame; frame != 0; frame = frame->pParent) {
        amalgam_fail_clearing(frame->aOp, frame->nOp);
    }
    for (const SubProgram *program = vdbe->pProgram; program != 0; program = program->pNext) {
        amalgam_fail_clearing(program->aOp, program->nOp);
    }
}

/* Makes the next use of cursors fail, as SQLite does after a rollback with the cursors that write. */
static void amalgam_fail_cursors(VdbeCursor *const *cursors, int count) {
    for (int i = 0; i < count; i++) {
        VdbeCursor *cursor = cursors[i];
        if (cursor == 0 || cursor->eCurType != CURTYPE_BTREE || cursor->isEphemeral) continue;
        BtCursor *position = cursor->uc.pCursor;
        cursor->cacheStatus = CACHE_STALE;
        sqlite3BtreeClearCursor(position);
        btreeReleaseAllCursorPages(position);
        position->eState = CURSOR_FAULT;
        position->skipNext = SQLITE_ABORT_ROLLBACK;
    }
}

/*
** Stops the running statements that write, after a rollback. SQLite has invalidated the cursors by which they write, but
** a cursor opened later would write without a transaction. An expired statement fails with SQLITE_ABORT when it opens a
** cursor. REINDEX empties an index before it opens a cursor: so cursors that read fail, too. A statement that uses no
** cursor any more fails at the end of its first step, or when it would empty a table. The statement that rolls back has a
** result code. The statement journals have ended with the transaction. Their numbers may belong to later statements.
*/
static void amalgam_stop_writers(sqlite3 *db) {
    sqlite3BtreeEnterAll(db);
    for (Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (vdbe->eVdbeState != VDBE_RUN_STATE || vdbe->readOnly) continue;
        amalgam_expire((sqlite3_stmt *)vdbe);
        amalgam_fail_cursors(vdbe->apCsr, vdbe->nCursor);
        for (const VdbeFrame *frame = vdbe->pFrame; frame != 0; frame = frame->pParent) {
            amalgam_fail_cursors(frame->apCsr, frame->nCursor);
        }
        if (vdbe->rc != SQLITE_OK) continue;
        if (vdbe->pResultRow == 0) amalgam_stop(vdbe);
        vdbe->iStatement = 0;
    }
    sqlite3BtreeLeaveAll(db);
}

static void amalgam_did_rollback(void *context) {
    amalgam_hooks *hooks = context;
    if (amalgam_runs_again(hooks->db)) return;
    amalgam_stop_writers(hooks->db);
    hooks->callbacks.did_rollback(hooks->callbacks.owner);
}

amalgam_hooks *amalgam_hooks_create(sqlite3 *db, const amalgam_callbacks *callbacks) {
    amalgam_hooks *hooks = sqlite3_malloc64(sizeof *hooks);
    if (hooks == 0) return 0;
    memset(hooks, 0, sizeof *hooks);
    hooks->db = db;
    hooks->callbacks = *callbacks;
    sqlite3_set_authorizer(db, amalgam_authorize, hooks);
    sqlite3_commit_hook(db, amalgam_will_commit, hooks);
    sqlite3_rollback_hook(db, amalgam_did_rollback, hooks);
    return hooks;
}

void amalgam_hooks_decode_strictly(amalgam_hooks *hooks) { hooks->decodes_strictly = 1; }

int amalgam_decodes_strictly(sqlite3_stmt *statement) {
    const sqlite3 *db = ((const Vdbe *)statement)->db;
    /* A connection that this package hasn't opened has no hooks. */
    return db->xAuth == amalgam_authorize && ((const amalgam_hooks *)db->pAuthArg)->decodes_strictly;
}

/* The hooks of a connection; NULL if the connection wasn't opened by this package. */
static amalgam_hooks *amalgam_hooks_of(const sqlite3 *db) {
    if (db->xAuth == amalgam_authorize) return db->pAuthArg;
    if (db->xCommitCallback == amalgam_will_commit) return db->pCommitArg;
    if (db->xRollbackCallback == amalgam_did_rollback) return db->pRollbackArg;
    return 0;
}

int amalgam_shared_session_create(sqlite3 *db, const char *schema, sqlite3_session **session) {
    amalgam_hooks *hooks = amalgam_hooks_of(db);
    if (hooks == 0) return sqlite3session_create(db, schema, session);
    int code = amalgam_session_create(hooks, schema, session);
    hooks->callbacks.listeners_did_change(hooks->callbacks.owner);
    return code;
}

void amalgam_shared_session_delete(sqlite3_session *session) {
    amalgam_hooks *hooks = session == 0 ? 0 : amalgam_hooks_of(session->db);
    if (hooks == 0) {
        sqlite3session_delete(session);
        return;
    }
    amalgam_session_delete(hooks, session);
    hooks->callbacks.listeners_did_change(hooks->callbacks.owner);
}

void *amalgam_shared_preupdate_hook(sqlite3 *db, amalgam_preupdate_hook hook, void *context) {
    amalgam_hooks *hooks = amalgam_hooks_of(db);
    if (hooks == 0) return sqlite3_preupdate_hook(db, hook, context);
    void *previous = hooks->hook_context;
    hooks->hook = hook;
    hooks->hook_context = context;
    amalgam_update_row_slot(hooks);
    /* Statements compiled with an empty slot may use the truncate optimization, which reports no rows. */
    if (hook != 0) sqlite3ExpirePreparedStatements(db, 0);
    hooks->callbacks.listeners_did_change(hooks->callbacks.owner);
    return previous;
}

void amalgam_hooks_uninstall(amalgam_hooks *hooks) {
    sqlite3_set_authorizer(hooks->db, 0, 0);
    sqlite3_commit_hook(hooks->db, 0, 0);
    sqlite3_rollback_hook(hooks->db, 0, 0);
    amalgam_expose_sessions(hooks);
}

void amalgam_hooks_free(amalgam_hooks *hooks) {
    for (amalgam_row_listener *listener = hooks->listeners; listener != 0; listener = listener->next) listener->hooks = 0;
    sqlite3_free(hooks->facts);
    sqlite3_free(hooks);
}

int amalgam_db_config(sqlite3 *db, int verb, int value, int *result) {
    return sqlite3_db_config(db, verb, value, result);
}

int amalgam_config_log(void (*log)(void *context, int code, const char *message), void *context) {
    return sqlite3_config(SQLITE_CONFIG_LOG, log, context);
}

int amalgam_set_query_only(sqlite3 *db, int on) {
    int previous = (db->flags & SQLITE_QueryOnly) != 0;
    if (on) {
        db->flags |= SQLITE_QueryOnly;
    } else {
        db->flags &= ~(u64)SQLITE_QueryOnly;
    }
    return previous;
}

void amalgam_clear_interrupt(sqlite3 *db) { AtomicStore(&db->u1.isInterrupted, 0); }

void amalgam_end_interrupt(sqlite3 *db) {
    /* A limit sets another value than 1, and clears it by itself. */
    if (AtomicLoad(&db->u1.isInterrupted) == 1 && db->nVdbeExec == 0) amalgam_clear_interrupt(db);
}

static void amalgam_tell_deleted_tables(
    amalgam_instructions program, void *context, void (*tell)(void *context, const char *table)
) {
    for (int i = 0; i < program.count; i++) {
        const VdbeOp *operation = &program.operations[i];
        if (operation->opcode != OP_Delete || operation->p4type != P4_TABLE) continue;
        if (operation->p2 & OPFLAG_ISUPDATE) continue;
        tell(context, operation->p4.pTab->zName);
    }
}

int amalgam_deleted_tables(
    sqlite3_stmt *statement, void *context, void (*tell)(void *context, const char *table)
) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    amalgam_enter_schemas(vdbe->db);
    const int is_current = amalgam_program_is_current(statement);
    if (is_current) amalgam_tell_deleted_tables(amalgam_main_program(vdbe), context, tell);
    const SubProgram *program = is_current ? vdbe->pProgram : 0;
    for (; program != 0; program = program->pNext) {
        amalgam_tell_deleted_tables((amalgam_instructions){program->aOp, program->nOp}, context, tell);
    }
    amalgam_leave_schemas(vdbe->db);
    return is_current;
}

int64_t amalgam_changes_so_far(sqlite3_stmt *statement) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    return vdbe->db->nTotalChange + vdbe->nChange;
}

int amalgam_is_virtual_table(sqlite3 *db, const char *schema, const char *table) {
    amalgam_enter_schemas(db);
    const Table *found = sqlite3FindTable(db, table, schema);
    const int is_virtual = found != 0 && IsVirtual(found);
    amalgam_leave_schemas(db);
    return is_virtual;
}
