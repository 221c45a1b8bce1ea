/*
** What a connection knows about an FTS5 table, as long as SQLite keeps the table connected.
**
** A transaction that writes the table logs its rowids and terms, so that its own searches read no more than it has written.
** The log begins with xBegin, and belongs to one connection. After the commit, a file in WAL mode has the state of the next
** snapshot: see ranked_state.h. Other databases are known to one connection only, which keeps its state and the log. The
** state is valid as long as the data version and the schema cookie stay the same. A rowid in the log needs not have
** changed, so rollbacks remove none: the lengths of the rows are read again.
*/

typedef struct amalgam_write_log {
    int is_complete; /* 0: other rows may have changed */
    int64_t count, capacity;
    int64_t *rowids;
    int has_terms; /* 0: rows with other terms may have been written */
    int term_bytes, term_capacity;
    uint8_t *terms; /* for each term, the number of its bytes and the bytes */
} amalgam_write_log;

enum { AMALGAM_LOG_ROWIDS = 1 << 18, AMALGAM_LOG_TERM_BYTES = 1 << 16 };

/* The positions of more savepoints aren't remembered. */
enum { AMALGAM_LOG_SAVEPOINTS = 16 };

/* Identifies a database that isn't shared. */
typedef struct amalgam_private_version {
    u32 data;
    int cookie;
    Pgno roots[2];
} amalgam_private_version;

typedef struct amalgam_index_use {
    struct amalgam_index_use *next;
    const Fts5FullTable *table;
    amalgam_index *index;           /* NULL if the database isn't shared, or before the first search */
    amalgam_index_state *state;     /* of the running transaction, or of a database that isn't shared */
    amalgam_private_version version; /* of a state that isn't shared */
    int is_logging;                 /* a transaction writes the table */
    int is_whole;                   /* the log has all writes of the transaction */
    amalgam_snapshot before;        /* of the transaction, in WAL mode */
    amalgam_write_log log;
    int64_t applied;                /* the first rowids of the log, which the state includes */
    int64_t start;                  /* where the transaction begins in the log; -1 if the log has lost a part */
    int64_t savepoints[AMALGAM_LOG_SAVEPOINTS]; /* where they begin in the log */
    int has_pending_terms;          /* FTS5 has terms in memory that aren't in the log */
    int writer_runs;                /* how often FTS5 has written to the index, when its terms were looked at last */
    int64_t changes;                /* writes and rollbacks */
    int64_t state_changes;          /* the changes that the state includes */
    void *terms;                    /* to which those of the log are added */
    void (*release_terms)(void *);
} amalgam_index_use;

typedef struct amalgam_ranked {
    int is_disabled;
    int64_t load_count; /* of databases that aren't shared */
    amalgam_index_use *uses;
} amalgam_ranked;

static const char amalgam_ranked_name[] = "amalgam.ranked";

/* The log */

static void amalgam_log_clear(amalgam_index_use *use) {
    use->log.count = 0;
    use->applied = 0;
    use->start = 0;
    use->log.is_complete = 1;
    memset(use->savepoints, 0, sizeof(use->savepoints));
}

static void amalgam_log_clear_terms(amalgam_index_use *use) {
    if (use->terms != 0) use->release_terms(use->terms);
    use->terms = 0;
    use->log.term_bytes = 0;
}

static void amalgam_use_forget(amalgam_index_use *use) {
    amalgam_index_state_release(use->state);
    use->state = 0;
    amalgam_log_clear(use);
    amalgam_log_clear_terms(use);
    use->log.has_terms = 0;
}

/* Forgets everything, maybe in the middle of a transaction. */
static void amalgam_use_restart(amalgam_index_use *use) {
    amalgam_use_forget(use);
    use->is_whole = 0;
    use->start = -1;
}

/* A log of this length loses the rowids that the state includes. A rollback can't be undone in the state then. */
static int amalgam_log_shorten(amalgam_index_use *use) {
    if (use->applied == 0) return 0;
    amalgam_write_log *log = &use->log;
    memmove(log->rowids, log->rowids + use->applied, sizeof(int64_t) * (size_t)(log->count - use->applied));
    log->count -= use->applied;
    use->applied = 0;
    use->start = -1;
    return 1;
}

/* Adds a rowid. If memory is exhausted, or the log becomes too long, the log isn't complete any longer. */
static void amalgam_log_add(amalgam_index_use *use, int64_t rowid) {
    amalgam_write_log *log = &use->log;
    if (!log->is_complete || (log->count > use->applied && log->rowids[log->count - 1] == rowid)) return;
    if (log->count == AMALGAM_LOG_ROWIDS && !amalgam_log_shorten(use)) {
        log->is_complete = 0;
        return;
    }
    if (log->count == log->capacity) {
        const int64_t capacity = log->capacity > 0 ? 2 * log->capacity : 16;
        int64_t *rowids = sqlite3_realloc64(log->rowids, (size_t)capacity * sizeof(int64_t));
        if (rowids == 0) {
            log->is_complete = 0;
            return;
        }
        log->rowids = rowids;
        log->capacity = capacity;
    }
    log->rowids[log->count++] = rowid;
}

static int amalgam_log_grow_terms(amalgam_write_log *log, int count) {
    if (log->term_bytes + count <= log->term_capacity) return 1;
    const int capacity = log->term_capacity > 0 ? 2 * log->term_capacity : 1024;
    uint8_t *terms = capacity <= AMALGAM_LOG_TERM_BYTES ? sqlite3_realloc64(log->terms, (size_t)capacity) : 0;
    if (terms == 0) return 0;
    log->terms = terms;
    log->term_capacity = capacity;
    return 1;
}

/* Adds the terms that FTS5 has in memory. If memory is exhausted, or they are too many, the log has no terms. */
static void amalgam_log_add_terms(amalgam_write_log *log, const Fts5Hash *hash) {
    for (int slot = 0; hash != 0 && log->has_terms && slot < hash->nSlot; slot++) {
        for (const Fts5HashEntry *entry = hash->aSlot[slot]; entry != 0 && log->has_terms; entry = entry->pHashNext) {
            const uint8_t *key = (const uint8_t *)fts5EntryKey(entry);
            const int count = entry->nKey - 1; /* without the prefix of the main index */
            if (key[0] != FTS5_MAIN_PREFIX || count < 1 || count > 255) continue;
            log->has_terms = amalgam_log_grow_terms(log, count + 1);
            if (!log->has_terms) return;
            log->terms[log->term_bytes] = (uint8_t)count;
            memcpy(log->terms + log->term_bytes + 1, key + 1, (size_t)count);
            log->term_bytes += count + 1;
        }
    }
}

/* Connections */

static void amalgam_use_free(amalgam_index_use *use) {
    amalgam_use_forget(use);
    amalgam_index_release(use->index);
    sqlite3_free(use->log.rowids);
    sqlite3_free(use->log.terms);
    sqlite3_free(use);
}

static void amalgam_ranked_free(void *context) {
    amalgam_ranked *ranked = context;
    for (amalgam_index_use *use = ranked->uses, *next; use != 0; use = next) {
        next = use->next;
        amalgam_use_free(use);
    }
    sqlite3_free(ranked);
}

/* What a connection knows. Returns NULL if memory is exhausted, or if `adds` is 0 and the connection knows nothing. */
static amalgam_ranked *amalgam_ranked_of(sqlite3 *db, int adds) {
    amalgam_ranked *ranked = sqlite3_get_clientdata(db, amalgam_ranked_name);
    if (ranked != 0 || !adds) return ranked;
    ranked = sqlite3_malloc64(sizeof(amalgam_ranked));
    if (ranked == 0) return 0;
    memset(ranked, 0, sizeof(*ranked));
    /* sqlite3_set_clientdata calls the destructor if it fails. */
    return sqlite3_set_clientdata(db, amalgam_ranked_name, ranked, amalgam_ranked_free) == SQLITE_OK ? ranked : 0;
}

/* What a connection knows about a table; NULL if it hasn't searched the table. */
static amalgam_index_use *amalgam_use_of(const sqlite3_vtab *vtab) {
    const Fts5FullTable *table = (const Fts5FullTable *)vtab;
    const amalgam_ranked *ranked = amalgam_ranked_of(table->p.pConfig->db, 0);
    amalgam_index_use *use = ranked != 0 ? ranked->uses : 0;
    while (use != 0 && use->table != table) use = use->next;
    return use;
}

/* Begins a log in a transaction that may have written the table before. */
static void amalgam_use_join(amalgam_index_use *use) {
    use->is_logging = 1;
    use->is_whole = 0;
    use->has_pending_terms = 1;
    use->writer_runs = -1;
}

static amalgam_index_use *amalgam_use_add(const Fts5FullTable *table) {
    sqlite3 *db = table->p.pConfig->db;
    amalgam_ranked *ranked = amalgam_ranked_of(db, 1);
    amalgam_index_use *use = ranked != 0 ? sqlite3_malloc64(sizeof(amalgam_index_use)) : 0;
    if (use == 0) return 0;
    memset(use, 0, sizeof(*use));
    use->table = table;
    use->log.is_complete = 1;
    use->next = ranked->uses;
    ranked->uses = use;
    if (amalgam_is_in_transaction(db, &table->p.base)) amalgam_use_join(use);
    return use;
}

/* The table is dropped, its schema is reset or detached, or the connection is closed. */
static void amalgam_use_remove(const sqlite3_vtab *vtab) {
    const Fts5FullTable *table = (const Fts5FullTable *)vtab;
    amalgam_ranked *ranked = amalgam_ranked_of(table->p.pConfig->db, 0);
    for (amalgam_index_use **link = ranked != 0 ? &ranked->uses : 0; link != 0 && *link != 0; link = &(*link)->next) {
        amalgam_index_use *use = *link;
        if (use->table != table) continue;
        *link = use->next;
        amalgam_use_free(use);
        return;
    }
}

static int fts5DisconnectMethod(sqlite3_vtab *vtab) {
    amalgam_use_remove(vtab);
    return amalgam_sqlite_fts5_disconnect(vtab);
}

static int fts5DestroyMethod(sqlite3_vtab *vtab) {
    amalgam_use_remove(vtab);
    return amalgam_sqlite_fts5_destroy(vtab);
}

/* Transactions */

/* How often FTS5 has written to the index of a table. */
static int amalgam_writer_runs(const Fts5Index *index) {
    return index->pWriter != 0 ? sqlite3_stmt_status(index->pWriter, SQLITE_STMTSTATUS_RUN, 0) : 0;
}

/* Finds out whether FTS5 has written terms to the index that aren't in the log. */
static void amalgam_log_check_terms(amalgam_index_use *use) {
    const int runs = amalgam_writer_runs(use->table->p.pIndex);
    if (use->has_pending_terms && runs != use->writer_runs) use->log.has_terms = 0;
    use->writer_runs = runs;
}

/* Before FTS5 writes its terms in memory to the index, or may do so. */
static void amalgam_log_terms(amalgam_index_use *use) {
    if (use == 0 || !use->is_logging) return;
    amalgam_log_check_terms(use);
    amalgam_log_add_terms(&use->log, use->table->p.pIndex->pHash);
    use->has_pending_terms = 0;
}

static void amalgam_will_flush(const sqlite3_vtab *vtab) { amalgam_log_terms(amalgam_use_of(vtab)); }

static int fts5SyncMethod(sqlite3_vtab *vtab) {
    amalgam_will_flush(vtab);
    return amalgam_sqlite_fts5_sync(vtab);
}

static int fts5SavepointMethod(sqlite3_vtab *vtab, int savepoint) {
    amalgam_index_use *use = amalgam_use_of(vtab);
    amalgam_log_terms(use);
    if (use != 0 && savepoint >= 0 && savepoint < AMALGAM_LOG_SAVEPOINTS) use->savepoints[savepoint] = use->log.count;
    return amalgam_fts5_begin_savepoint(vtab, savepoint);
}

/* The database of a table, if a transaction is open; the caller has entered all trees. */
static Btree *amalgam_table_tree(const Fts5Config *config, int *database) {
    *database = sqlite3FindDbName(config->db, config->zDb);
    Btree *tree = *database >= 0 ? config->db->aDb[*database].pBt : 0;
    return tree != 0 && sqlite3BtreeTxnState(tree) != SQLITE_TXN_NONE ? tree : 0;
}

/* Whether the log has all writes of a transaction that begins. The caller has entered all trees. */
static int amalgam_use_can_log(amalgam_index_use *use) {
    const Fts5Config *config = use->table->p.pConfig;
    amalgam_data_path path;
    int database = 0;
    Btree *tree = amalgam_table_tree(config, &database);
    const Table *data = 0;
    if (tree == 0 || amalgam_shadow_table(config, "data", &data) != SQLITE_OK) return 0;
    if (data == 0 || amalgam_data_path_of(tree, data->tnum, &path) != SQLITE_OK) return 0;
    /* After a rollback to a savepoint, SQLite may connect the table again. */
    if (path.count == 0 || path.is_changed) return 0;
    return !amalgam_is_shared(config->db, database) || amalgam_snapshot_of(tree, &use->before) == SQLITE_OK;
}

/* FTS5 begins to write in a transaction. */
static int fts5BeginMethod(sqlite3_vtab *vtab) {
    const int code = amalgam_sqlite_fts5_begin(vtab);
    amalgam_index_use *use = code == SQLITE_OK ? amalgam_use_of(vtab) : 0;
    if (use == 0) return code;
    sqlite3 *db = use->table->p.pConfig->db;
    use->is_logging = 1;
    use->is_whole = 1;
    use->start = use->log.count;
    for (int i = 0; i < AMALGAM_LOG_SAVEPOINTS; i++) use->savepoints[i] = use->start;
    use->has_pending_terms = 0;
    use->writer_runs = amalgam_writer_runs(use->table->p.pIndex);
    if (use->index != 0) use->log.has_terms = 1;
    sqlite3BtreeEnterAll(db);
    if (!amalgam_use_can_log(use)) amalgam_use_restart(use);
    sqlite3BtreeLeaveAll(db);
    return code;
}

/* The lengths of the rows from a position of the log on are read again; with -1, those of all rows. */
static void amalgam_use_return(amalgam_index_use *use, int64_t position) {
    const int has_terms = use->log.has_terms || use->terms != 0;
    use->changes++;
    /* The terms may be those of rows that don't exist any longer. */
    if (has_terms) amalgam_log_clear_terms(use);
    use->log.has_terms = 0;
    if (position >= 0 && use->start >= 0 && use->is_whole && use->log.is_complete) {
        use->applied = MIN(use->applied, position);
    } else {
        amalgam_index_state_release(use->state);
        use->state = 0;
    }
}

/* A shared state is found again by its snapshot. */
static void amalgam_use_end_transaction(amalgam_index_use *use) {
    use->is_logging = 0;
    use->has_pending_terms = 0;
    if (use->index != 0 || use->state == 0 || !use->log.is_complete) amalgam_use_forget(use);
    use->start = 0;
}

static int fts5CommitMethod(sqlite3_vtab *vtab) {
    const int code = amalgam_sqlite_fts5_commit(vtab);
    amalgam_index_use *use = amalgam_use_of(vtab);
    if (use != 0) amalgam_use_end_transaction(use);
    return code;
}

static int fts5RollbackMethod(sqlite3_vtab *vtab) {
    const int code = amalgam_sqlite_fts5_rollback(vtab);
    amalgam_index_use *use = amalgam_use_of(vtab);
    if (use == 0) return code;
    amalgam_use_return(use, use->start);
    amalgam_use_end_transaction(use);
    return code;
}

static int fts5RollbackToMethod(sqlite3_vtab *vtab, int savepoint) {
    const int code = amalgam_sqlite_fts5_rollback_to(vtab, savepoint);
    amalgam_index_use *use = amalgam_use_of(vtab);
    if (use == 0) return code;
    const int is_known = savepoint >= 0 && savepoint < AMALGAM_LOG_SAVEPOINTS;
    amalgam_use_return(use, is_known ? use->savepoints[savepoint] : use->start);
    return code;
}

/* Writes */

/* Whether sqlite3Fts5IndexBeginWrite() writes the terms in memory to the index before it writes a row. */
static int amalgam_is_flushed_before(const Fts5Index *index, int64_t rowid) {
    return rowid < index->iWriteRowid || (rowid == index->iWriteRowid && !index->bDelete) ||
           index->nPendingData > index->pConfig->nHashSize;
}

/* Before a row is written, whose old or new rowid may be NULL. */
static void amalgam_log_terms_before(amalgam_index_use *use, sqlite3_value *old, sqlite3_value *new) {
    const Fts5Index *index = use->table->p.pIndex;
    if (!use->log.has_terms) return;
    amalgam_log_check_terms(use);
    const int has_old = sqlite3_value_type(old) == SQLITE_INTEGER, has_new = sqlite3_value_type(new) == SQLITE_INTEGER;
    const int64_t first = sqlite3_value_int64(has_old ? old : new);
    const int has_moved = has_old && has_new && sqlite3_value_int64(new) != first;
    const int has_none = !has_old && !has_new && index->nPendingData <= index->pConfig->nHashSize;
    if (!has_none && (has_moved || amalgam_is_flushed_before(index, first))) amalgam_log_terms(use);
}

/* After a row was written, or a part of it. */
static void amalgam_note_written(const sqlite3_vtab *vtab) {
    amalgam_index_use *use = amalgam_use_of(vtab);
    if (use == 0 || !use->is_logging) return;
    amalgam_log_check_terms(use);
    use->has_pending_terms = 1;
}

/* A command, or a row that is deleted from a contentless table. */
static void amalgam_log_command(amalgam_index_use *use, sqlite3_value *name, sqlite3_value *rowid) {
    const char *command = (const char *)sqlite3_value_text(name);
    const int is_delete = command != 0 && sqlite3_stricmp(command, "delete") == 0;
    if (is_delete) {
        amalgam_log_terms_before(use, rowid, rowid);
        amalgam_log_add(use, sqlite3_value_int64(rowid));
        return;
    }
    use->log.has_terms = 0;
    if (command == 0 || sqlite3_stricmp(command, "delete-all") == 0 || sqlite3_stricmp(command, "rebuild") == 0) {
        use->log.is_complete = 0;
    }
}

/* Logs the rowids of a write before it happens, because a write that fails may have written a part of a row. */
static void amalgam_note_write(const sqlite3_vtab *vtab, int count, sqlite3_value **values) {
    amalgam_index_use *use = amalgam_use_of(vtab);
    if (use == 0) return;
    const Fts5Config *config = ((const Fts5FullTable *)vtab)->p.pConfig;
    /* FTS5 isn't told of the transaction that creates the table. */
    if (!use->is_logging) amalgam_use_join(use);
    use->changes++;
    const int is_insertion = count > 1 && sqlite3_value_type(values[0]) == SQLITE_NULL;
    if (is_insertion && sqlite3_value_type(values[2 + config->nCol]) != SQLITE_NULL) {
        amalgam_log_command(use, values[2 + config->nCol], values[1]);
        return;
    }
    amalgam_log_terms_before(use, values[0], values[count > 1 ? 1 : 0]);
    if (sqlite3_value_type(values[0]) == SQLITE_INTEGER) amalgam_log_add(use, sqlite3_value_int64(values[0]));
    if (count > 1 && sqlite3_value_type(values[1]) != SQLITE_NULL) amalgam_log_add(use, sqlite3_value_int64(values[1]));
}

/* Logs the rowid that FTS5 has chosen for a new row. */
static void amalgam_note_insertion(const sqlite3_vtab *vtab, int count, sqlite3_value **values, int64_t rowid) {
    if (count <= 1 || sqlite3_value_type(values[1]) != SQLITE_NULL) return;
    amalgam_index_use *use = amalgam_use_of(vtab);
    if (use != 0) amalgam_log_add(use, rowid);
}
