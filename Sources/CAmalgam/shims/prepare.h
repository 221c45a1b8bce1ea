/* Compiles a statement, and collects facts: what the statement reads and does. */

static int amalgam_facts_copy(const amalgam_hooks *hooks, int start, amalgam_facts *facts) {
    facts->length = hooks->facts_length - start;
    facts->bytes = sqlite3_malloc64((size_t)facts->length);
    if (facts->bytes == 0) return SQLITE_NOMEM;
    memcpy(facts->bytes, hooks->facts + start, (size_t)facts->length);
    return SQLITE_OK;
}

void amalgam_facts_free(uint8_t *bytes) { sqlite3_free(bytes); }

static void amalgam_initialize(const amalgam_hooks *hooks, sqlite3_stmt *statement) {
    amalgam_forget_notes(statement);
    if (hooks->policy != 0) ((Vdbe *)statement)->prepFlags |= AMALGAM_PREPARE_OWN;
}

int amalgam_prepare(
    amalgam_hooks *hooks, const char *sql, int length, unsigned int flags,
    sqlite3_stmt **statement, const char **tail, amalgam_facts *facts
) {
    /* A virtual table may compile a statement while another statement is compiled. The facts of both are separate. */
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
    /* amalgam_authorize decides for each table whether a DELETE must delete row by row. */
    amalgam_set_row_slot(hooks, amalgam_has_listeners(hooks));
    hooks->has_with = hooks->policy != 0 && amalgam_bytes_have_with(sql, length);

    int code = amalgam_compile(hooks->db, sql, length, flags, statement, tail);

    if (code == SQLITE_OK && *statement != 0) amalgam_initialize(hooks, *statement);
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

int amalgam_reset_and_clear(sqlite3_stmt *statement) {
    int code = sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
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
