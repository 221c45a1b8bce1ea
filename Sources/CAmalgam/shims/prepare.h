/* Compiling a statement while collecting what it reads and does. */

static int amalgam_facts_copy(const amalgam_hooks *hooks, int start, amalgam_facts *facts) {
    facts->length = hooks->facts_length - start;
    facts->bytes = sqlite3_malloc64((size_t)facts->length);
    if (facts->bytes == 0) return SQLITE_NOMEM;
    memcpy(facts->bytes, hooks->facts + start, (size_t)facts->length);
    return SQLITE_OK;
}

void amalgam_facts_free(uint8_t *bytes) { sqlite3_free(bytes); }

int amalgam_prepare(
    amalgam_hooks *hooks, const char *sql, int length, unsigned int flags,
    sqlite3_stmt **statement, const char **tail, amalgam_facts *facts
) {
    /* A virtual table may compile a statement while one is compiled: the facts of both are kept apart. */
    int outer_records = hooks->records;
    Parse *outer_parse = hooks->outer_parse;
    uint64_t outer_actions = hooks->actions;
    int outer_out_of_memory = outer_records && hooks->out_of_memory;
    int outer_has_with = hooks->has_with;
    int start = outer_records ? hooks->facts_length : 0;
    hooks->records = 1;
    hooks->outer_parse = hooks->db->pParse;
    hooks->facts_length = start;
    hooks->actions = 0;
    hooks->out_of_memory = 0;
    /* Whether a DELETE must delete row by row is decided table by table: see amalgam_authorize. */
    amalgam_set_row_slot(hooks, hooks->sessions != 0);
    hooks->has_with = hooks->policy != 0 && amalgam_bytes_have_with(sql, length);

    int code = sqlite3_prepare_v3(hooks->db, sql, length, flags, statement, tail);

    if (hooks->policy != 0 && code == SQLITE_OK && *statement != 0) {
        ((Vdbe *)*statement)->prepFlags |= AMALGAM_PREPARE_OWN;
    }
    hooks->has_with = outer_has_with;
    hooks->records = outer_records;
    hooks->outer_parse = outer_parse;
    amalgam_update_row_slot(hooks);
    facts->bytes = 0;
    facts->length = 0;
    facts->actions = hooks->actions;
    hooks->actions = outer_actions;
    if (code == SQLITE_OK && *statement != 0) {
        if (hooks->out_of_memory) {
            code = SQLITE_NOMEM;
        } else if (hooks->facts_length > start) {
            code = amalgam_facts_copy(hooks, start, facts);
        }
        if (code != SQLITE_OK) {
            sqlite3_finalize(*statement);
            *statement = 0;
        }
    }
    hooks->facts_length = start;
    hooks->out_of_memory = outer_out_of_memory;
    return code;
}

/* Whether a value must be released before it is written over. */
static int amalgam_holds_memory(const Mem *value) {
    return (value->flags & (MEM_Agg | MEM_Dyn)) != 0 || value->szMalloc != 0;
}

/* The parameter, when writing its value is all there is to do. */
static Mem *amalgam_plain_parameter(sqlite3_stmt *statement, int index) {
    Vdbe *vdbe = (Vdbe *)statement;
    if (vdbe->eVdbeState != VDBE_READY_STATE || vdbe->expmask != 0) return 0;
    if (index < 1 || index > vdbe->nVar) return 0;
    Mem *parameter = &vdbe->aVar[index - 1];
    return amalgam_holds_memory(parameter) ? 0 : parameter;
}

int amalgam_bind_int64(sqlite3_stmt *statement, int index, int64_t value) {
    Mem *parameter = amalgam_plain_parameter(statement, index);
    if (parameter == 0) return sqlite3_bind_int64(statement, index, value);
    parameter->u.i = value;
    parameter->flags = MEM_Int;
    return SQLITE_OK;
}

int amalgam_bind_double(sqlite3_stmt *statement, int index, double value) {
    Mem *parameter = amalgam_plain_parameter(statement, index);
    if (parameter == 0 || sqlite3IsNaN(value)) return sqlite3_bind_double(statement, index, value);
    parameter->u.r = value;
    parameter->flags = MEM_Real;
    return SQLITE_OK;
}

int amalgam_bind_null(sqlite3_stmt *statement, int index) {
    Mem *parameter = amalgam_plain_parameter(statement, index);
    if (parameter == 0) return sqlite3_bind_null(statement, index);
    parameter->flags = MEM_Null;
    return SQLITE_OK;
}

/* Binds bytes where they are. Returns 0 when that is not all there is to do. */
static int amalgam_bind_in_place(sqlite3_stmt *statement, int index, const void *bytes, int length, int type) {
    sqlite3 *db = ((Vdbe *)statement)->db;
    if (ENC(db) != SQLITE_UTF8 || length > db->aLimit[SQLITE_LIMIT_LENGTH]) return 0;
    Mem *parameter = amalgam_plain_parameter(statement, index);
    if (parameter == 0) return 0;
    parameter->z = (char *)bytes;
    parameter->n = length;
    parameter->enc = SQLITE_UTF8;
    parameter->flags = (u16)(type | MEM_Static);
    return 1;
}

int amalgam_bind_static_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    if (amalgam_bind_in_place(statement, index, text, length, MEM_Str)) return SQLITE_OK;
    return sqlite3_bind_text64(statement, index, text, (sqlite3_uint64)length, SQLITE_STATIC, SQLITE_UTF8);
}

int amalgam_bind_static_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    if (amalgam_bind_in_place(statement, index, bytes, length, MEM_Blob)) return SQLITE_OK;
    return sqlite3_bind_blob64(statement, index, bytes, (sqlite3_uint64)length, SQLITE_STATIC);
}

int amalgam_reset_and_clear(sqlite3_stmt *statement) {
    int code = sqlite3_reset(statement);
    Vdbe *vdbe = (Vdbe *)statement;
    if (vdbe->expmask != 0) {
        sqlite3_clear_bindings(statement);
        return code;
    }
    for (int i = 0; i < vdbe->nVar; i++) {
        Mem *parameter = &vdbe->aVar[i];
        if (amalgam_holds_memory(parameter)) sqlite3VdbeMemRelease(parameter);
        parameter->flags = MEM_Null;
    }
    return code;
}

int amalgam_has_named_parameters(sqlite3_stmt *statement, int count) {
    for (int i = 1; i <= count; i++) {
        if (sqlite3_bind_parameter_name(statement, i) != 0) return 1;
    }
    return 0;
}

sqlite3_value *amalgam_bound_value(sqlite3_stmt *statement, int index) {
    Vdbe *program = (Vdbe *)statement;
    return index < 1 || index > program->nVar ? 0 : &program->aVar[index - 1];
}

int amalgam_has_bound_values(sqlite3_stmt *statement) {
    Vdbe *program = (Vdbe *)statement;
    for (int i = 0; i < program->nVar; i++) {
        if (program->aVar[i].flags != MEM_Null) return 1;
    }
    return 0;
}
