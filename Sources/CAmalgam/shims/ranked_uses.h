/*
** The state of a table that a search sees: of a snapshot, which connections share, of a database that isn't shared, or of a
** transaction that has written the table. See ranked_state.h and ranked_log.h.
*/

/* Reads the length of a row. FTS5 reports an error for a row without one. */
static int amalgam_use_read_length(const amalgam_index_use *use, int64_t rowid, int *sizes, uint16_t *value) {
    const int columns = use->table->p.pConfig->nCol;
    const int code = sqlite3Fts5StorageDocsize(use->table->pStorage, rowid, sizes);
    int64_t length = 0;
    for (int column = 0; column < columns; column++) length += MIN((u32)sizes[column], AMALGAM_LENGTH_TOO_LARGE);
    *value = code == SQLITE_OK ? (uint16_t)MIN(length + 1, AMALGAM_LENGTH_TOO_LARGE) : AMALGAM_LENGTH_MISSING;
    return (code & 0xff) == SQLITE_CORRUPT ? SQLITE_OK : code;
}

/* Reads the lengths of the rows that were written since the last search. */
static int amalgam_use_apply(amalgam_index_use *use, amalgam_index_state *state) {
    const int columns = use->table->p.pConfig->nCol;
    int *sizes = sqlite3_malloc64(sizeof(int) * (size_t)columns);
    int code = sizes != 0 ? SQLITE_OK : SQLITE_NOMEM;
    for (int64_t i = use->applied; code == SQLITE_OK && i < use->log.count; i++) {
        uint16_t value = AMALGAM_LENGTH_MISSING;
        memset(sizes, 0, sizeof(int) * (size_t)columns);
        code = amalgam_use_read_length(use, use->log.rowids[i], sizes, &value);
        if (code == SQLITE_OK) code = amalgam_lengths_put(&state->lengths, use->log.rowids[i], value);
    }
    sqlite3_free(sizes);
    if (code == SQLITE_OK) amalgam_lengths_adapt_windows(&state->lengths);
    return code;
}

/* What follows from other rows than the current ones. */
static void amalgam_state_forget(amalgam_index_state *state) {
    amalgam_index_state_forget_phrases(state);
    state->has_fractions = 0;
    if (state->terms != 0) state->release_terms(state->terms);
    state->terms = 0;
}

/* A state that only its connection uses, with the lengths of another one. */
static int amalgam_use_copy(amalgam_index_use *use, const amalgam_index_state *source) {
    amalgam_index_state *state = amalgam_index_state_new();
    int code = state != 0 ? SQLITE_OK : SQLITE_NOMEM;
    if (code == SQLITE_OK && source != 0 && amalgam_index_state_has_lengths(source)) {
        code = amalgam_lengths_copy(&source->lengths, &state->lengths);
        if (code == SQLITE_OK) amalgam_lengths_copy_windows(&source->lengths, &state->lengths);
        state->has_lengths = 1;
    }
    if (code == SQLITE_OK && source != 0) state->reads = source->reads;
    if (code != SQLITE_OK) {
        amalgam_index_state_release(state);
        return code;
    }
    amalgam_index_state_release(use->state);
    use->state = state;
    return SQLITE_OK;
}

/* Makes the state of a connection include what the transaction has written. A cursor may have the state before. */
static int amalgam_use_update(amalgam_index_use *use) {
    int code = SQLITE_OK;
    if (use->state == 0 || use->state->references > 1) code = amalgam_use_copy(use, use->state);
    if (code != SQLITE_OK) return code;
    /* If a row can't be read, SQLite may roll the transaction back, and the table releases its state. */
    amalgam_index_state *state = amalgam_index_state_retain(use->state);
    amalgam_state_forget(state);
    if (state->has_lengths && use->log.is_complete && !state->lengths.is_left_out) code = amalgam_use_apply(use, state);
    const int is_kept = use->state == state;
    amalgam_index_state_release(state);
    if (!is_kept) return code != SQLITE_OK ? code : SQLITE_ABORT;
    if (!use->log.is_complete || code != SQLITE_OK) {
        amalgam_lengths_free(&state->lengths);
        state->has_lengths = 0;
        state->reads = 0;
    }
    /* From here on, the log has what follows. It had lost rowids, so a rollback reads all lengths again. */
    if (!use->log.is_complete) {
        use->log.count = 0;
        use->log.is_complete = 1;
        use->start = -1;
    }
    use->applied = use->log.count;
    use->state_changes = use->changes;
    return code;
}

/* The state of a transaction that writes the table, or of a database that isn't shared. */
static int amalgam_use_state(amalgam_index_use *use, amalgam_index_state **result) {
    if (use->state == 0 || use->state_changes != use->changes) {
        const int code = amalgam_use_update(use);
        if (code != SQLITE_OK) return code;
    }
    if (!use->is_logging) amalgam_log_clear(use);
    *result = amalgam_index_state_retain(use->state);
    return SQLITE_OK;
}

/* The state before a transaction that writes a table in WAL mode, if a search has found it. */
static amalgam_index_state *amalgam_use_known(const amalgam_index_use *use, Btree *tree) {
    if (use->index == 0 || !use->is_whole) return 0;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    amalgam_index_state *state = amalgam_index_known(use->index, &use->before, sqlite3BtreePager(tree)->pWal);
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    return state;
}

/* The state of a transaction that writes a table in WAL mode. */
static int amalgam_use_writing_state(amalgam_index_use *use, Btree *tree, amalgam_index_state **result) {
    int code = SQLITE_OK;
    if (use->state == 0 && use->start == 0) {
        amalgam_index_state *before = amalgam_use_known(use, tree);
        if (before != 0) {
            use->applied = 0;
            use->state_changes = use->changes - 1;
            code = amalgam_use_copy(use, before);
        }
        amalgam_index_state_release(before);
    }
    return code == SQLITE_OK ? amalgam_use_state(use, result) : code;
}

/* The state of a database that isn't shared. */
static int amalgam_use_private_state(
    amalgam_index_use *use, int database, const Pgno *roots, amalgam_index_state **result) {
    const Db *schema = &use->table->p.pConfig->db->aDb[database];
    const amalgam_private_version version = {
        .data = sqlite3PagerDataVersion(sqlite3BtreePager(schema->pBt)) + schema->pBt->iBDataVersion,
        .cookie = amalgam_schema_version(schema->pSchema),
        .roots = {roots[0], roots[1]}};
    const int is_same = use->version.data == version.data && use->version.cookie == version.cookie &&
                        use->version.roots[0] == version.roots[0] && use->version.roots[1] == version.roots[1];
    if (!is_same) amalgam_use_restart(use);
    use->version = version;
    return amalgam_use_state(use, result);
}

/* A state that isn't remembered. */
static int amalgam_state_unknown(amalgam_index_state **result) {
    *result = amalgam_index_state_new();
    return *result != 0 ? SQLITE_OK : SQLITE_NOMEM;
}

/* Finds the table of a file in WAL mode. It may differ from the earlier one, if the file has no automatic vacuum. */
static int amalgam_use_find(amalgam_index_use *use, Btree *tree, const Pgno *roots) {
    const amalgam_index_key key = {
        .file = sqlite3BtreeGetFilename(tree), .file_id = amalgam_file_id_of(sqlite3PagerFile(sqlite3BtreePager(tree))),
        .data = roots[0], .docsize = roots[1], .columns = use->table->p.pConfig->nCol};
    if (use->index != 0 && amalgam_index_is(use->index, &key)) return SQLITE_OK;
    amalgam_index_release(use->index);
    use->index = 0;
    amalgam_use_restart(use);
    return amalgam_index_find(&key, &use->index);
}

/* The caller has entered all trees. */
static int amalgam_use_find_state(amalgam_index_use *use, amalgam_index_state **result) {
    const Fts5Config *config = use->table->p.pConfig;
    int database = 0;
    Btree *tree = amalgam_table_tree(config, &database);
    const Table *data = 0, *docsize = 0;
    int code = tree != 0 ? amalgam_shadow_table(config, "data", &data) : SQLITE_OK;
    if (code == SQLITE_OK && data != 0 && config->bColumnsize) code = amalgam_shadow_table(config, "docsize", &docsize);
    if (code != SQLITE_OK) return code;
    const int is_dirty = tree != 0 && tree->sharable && (config->db->flags & SQLITE_ReadUncommit) != 0;
    if (data == 0 || is_dirty) return amalgam_state_unknown(result);
    const Pgno roots[] = {data->tnum, docsize != 0 ? docsize->tnum : 0};
    const int is_shared = amalgam_is_shared(config->db, database);
    if (!is_shared && use->index != 0) {
        /* The journal mode has changed. */
        amalgam_use_restart(use);
        amalgam_index_release(use->index);
        use->index = 0;
    }
    code = is_shared ? amalgam_use_find(use, tree, roots) : SQLITE_OK;
    if (code != SQLITE_OK) return code;
    if (use->is_logging && is_shared) return amalgam_use_writing_state(use, tree, result);
    if (use->is_logging) return amalgam_use_private_state(use, database, roots, result);
    amalgam_data_path path;
    amalgam_snapshot snapshot;
    code = amalgam_data_path_of(tree, roots[0], &path);
    if (code != SQLITE_OK) return code;
    /* A transaction may have written the table under another name, or by other means than FTS5. */
    if (path.count == 0 || path.is_changed) return amalgam_state_unknown(result);
    if (!is_shared) return amalgam_use_private_state(use, database, roots, result);
    code = amalgam_snapshot_of(tree, &snapshot);
    if (code != SQLITE_OK) return code;
    return amalgam_index_state_at(config, use->index, &snapshot, sqlite3BtreePager(tree)->pWal, &path, result);
}

/* The state that a connection sees. The caller owns it. A read transaction must be open. */
static int amalgam_index_state_of(const Fts5FullTable *table, amalgam_index_state **result) {
    sqlite3 *db = table->p.pConfig->db;
    amalgam_index_use *use = amalgam_use_of(&table->p.base);
    *result = 0;
    if (use == 0) use = amalgam_use_add(table);
    if (use == 0) return SQLITE_NOMEM;
    sqlite3BtreeEnterAll(db);
    const int code = amalgam_use_find_state(use, result);
    sqlite3BtreeLeaveAll(db);
    return code;
}

/*
** Gives a state the snapshot in which its lengths were read: from here on, the pages of %_docsize are compared, too. In the
** meantime, a connection may have begun a new generation.
*/
static void amalgam_state_narrow(amalgam_index_state *state, const amalgam_snapshot *snapshot) {
    const int is_before = amalgam_state_is_before(state, snapshot);
    const int is_current =
        !state->is_past && amalgam_is_same_generation(&state->generation, &snapshot->generation);
    state->first = state->last = is_current ? snapshot->frame : 0;
    state->end = 0;
    /* The last snapshot of the generation before has the same pages as frame 0. */
    state->has_before = state->has_before && (is_before || (is_current && snapshot->frame == 0));
    if (is_before || is_current) return;
    /* Nothing is known about the pages that were written since: the state isn't found again. */
    amalgam_page_list_release(state->written);
    state->written = 0;
    state->is_past = 1;
}

/* Gives a state lengths that were read in a snapshot, unless it has some. */
static int amalgam_state_set_lengths(
    amalgam_index_state *state, const amalgam_index_use *use, const amalgam_snapshot *snapshot, amalgam_lengths *lengths) {
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    const int is_first = !state->has_lengths;
    if (is_first) {
        state->lengths = *lengths;
        __atomic_store_n(&state->has_lengths, 1, __ATOMIC_RELEASE);
        if (snapshot != 0) amalgam_state_narrow(state, snapshot);
    }
    if (use != 0 && use->index != 0) use->index->load_count++;
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    return is_first;
}

/* Reads the lengths of all rows, unless they have been read. */
static int amalgam_index_state_load(const Fts5FullTable *table, amalgam_index_state *state) {
    if (amalgam_index_state_has_lengths(state)) return SQLITE_OK;
    const Fts5Config *config = table->p.pConfig;
    amalgam_lengths lengths;
    amalgam_snapshot snapshot;
    amalgam_index_use *use = amalgam_use_of(&table->p.base);
    int database = 0, has_snapshot = 0;
    int code = amalgam_lengths_read(config, 0, 0, &lengths);
    if (code != SQLITE_OK) return code;
    sqlite3BtreeEnterAll(config->db);
    Btree *tree = amalgam_table_tree(config, &database);
    if (use != 0 && use->state != state && tree != 0 && amalgam_is_shared(config->db, database)) {
        has_snapshot = amalgam_snapshot_of(tree, &snapshot) == SQLITE_OK;
    }
    sqlite3BtreeLeaveAll(config->db);
    if (!amalgam_state_set_lengths(state, use, has_snapshot ? &snapshot : 0, &lengths)) amalgam_lengths_free(&lengths);
    if (use == 0) return SQLITE_OK;
    if (use->index == 0) amalgam_ranked_of(config->db, 0)->load_count++;
    if (use->state == state) use->applied = use->log.count;
    return SQLITE_OK;
}

int64_t amalgam_ranked_load_count(sqlite3 *db, const char *table) {
    int64_t count = 0;
    sqlite3_mutex_enter(db->mutex);
    const amalgam_ranked *ranked = amalgam_ranked_of(db, 0);
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    for (const amalgam_index_use *use = ranked != 0 ? ranked->uses : 0; use != 0; use = use->next) {
        if (use->index != 0 && sqlite3StrICmp(use->table->p.pConfig->zName, table) == 0) count += use->index->load_count;
    }
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    sqlite3_mutex_leave(db->mutex);
    return count;
}

int amalgam_ranked_table_count(sqlite3 *db) {
    int count = 0;
    sqlite3_mutex_enter(db->mutex);
    const amalgam_ranked *ranked = amalgam_ranked_of(db, 0);
    for (const amalgam_index_use *use = ranked != 0 ? ranked->uses : 0; use != 0; use = use->next) count++;
    sqlite3_mutex_leave(db->mutex);
    return count;
}
