/*
** What is held in memory about the states of FTS5 tables: the lengths of rows, how many rows have a phrase, and the terms
** for queries with typos. All connections of the process to a file share it.
**
** A state is recognized without reading the table. Every transaction that writes an FTS5 table also writes the sizes of
** the table and the structure of its index, two records which are always on the first page of the table %_data:
** - In WAL mode, the frame of this page, together with the salts of the WAL file, identifies the state.
** - Otherwise, a connection knows by SQLite's data version that no other connection has committed, and counts its own
**   transactions. Such states aren't shared.
**
** Transactions of this process note the rowids and the terms that they write. From a known state, the state after such a
** transaction is found by reading the lengths of these rows, and likewise the state before it: a rowid in a note needs
** not have changed. So a rollback to a savepoint removes no rowid from a note. The terms of the state after it are those
** of the state before it and those of the note.
*/

_Static_assert(
    FTS5_AVERAGES_ROWID == 1 && FTS5_STRUCTURE_ROWID == 10 && FTS5_SEGMENT_ROWID(1, 0) > FTS5_STRUCTURE_ROWID,
    "the records that each write replaces are the first ones of %_data");

typedef struct amalgam_index_version {
    int kind; /* one of the following */
    Pgno page;
    u32 frame;
    u32 salt[2];
    uint64_t transactions;
    const void *owner;
} amalgam_index_version;

_Static_assert(
    sizeof(((amalgam_index_version *)0)->salt) == sizeof(((Wal *)0)->hdr.aSalt), "the salts of a WAL file");

enum {
    AMALGAM_VERSION_NONE,    /* can't be recognized */
    AMALGAM_VERSION_FRAME,   /* the page is in this frame of the WAL file; if zero, not in the file */
    AMALGAM_VERSION_COMMIT,  /* the whole file, as of the last frame of a commit */
    AMALGAM_VERSION_FILE,    /* the whole file, without a WAL file, as of its change counter */
    AMALGAM_VERSION_PRIVATE, /* of one connection, which is the owner */
};

/* How many rows have a phrase, and its postings. */
typedef struct amalgam_known_phrase {
    struct amalgam_known_phrase *next;
    uint32_t hash;
    int size;
    int64_t rows;
    amalgam_kept_term *kept; /* NULL if the phrase isn't a term */
    char key[];
} amalgam_known_phrase;

/* Before the phrases of a state take more memory than this, with a number of bytes for each row, they are forgotten. */
enum { AMALGAM_PHRASE_SLOTS = 256, AMALGAM_PHRASE_BYTES = 16, AMALGAM_PHRASE_ALLOWANCE = 1 << 20 };

/* Scores of rows with up to this many positions, whose length plus one is less than this number, are looked up. */
enum { AMALGAM_FRACTION_POSITIONS = 5, AMALGAM_FRACTION_LENGTHS = 256 };

typedef struct amalgam_index_state {
    int references;
    amalgam_index_version version;
    int has_lengths; /* the lengths have been read, or are too large to be held in memory */
    amalgam_lengths lengths;
    int64_t reads; /* how many lengths were read one by one */
    int has_fractions;
    double fractions[AMALGAM_FRACTION_POSITIONS][AMALGAM_FRACTION_LENGTHS]; /* see amalgam_ranked_fraction() */
    int64_t phrase_bytes;
    amalgam_known_phrase *phrases[AMALGAM_PHRASE_SLOTS];
    void *terms; /* see amalgam_fts5_terms() */
    void (*release_terms)(void *);
} amalgam_index_state;

/* The rowids and terms that a transaction has written, or has tried to write. */
typedef struct amalgam_index_note {
    amalgam_index_version before;
    amalgam_index_version after; /* the last frame of the transaction */
    u32 first_frame;             /* of the transaction; the frames after it are those of the transaction */
    int is_complete;             /* 0: other rows may have changed */
    int64_t count, capacity;
    int64_t *rowids;
    int has_terms;               /* 0: rows with other terms may have been written */
    int term_bytes, term_capacity;
    uint8_t *terms;              /* for each term, the number of its bytes and the bytes */
} amalgam_index_note;

enum {
    AMALGAM_INDEX_STATES = 4,
    AMALGAM_INDEX_NOTES = 64,
    AMALGAM_NOTE_LIMIT = 1 << 18,
    AMALGAM_NOTE_TERM_BYTES = 1 << 16,
};

/* A file that takes the place of another one has the same path. Zeros if the VFS isn't SQLite's for Unix. */
typedef struct amalgam_file_id {
    u64 device, inode;
} amalgam_file_id;

/* An FTS5 table. Connections to a file share it; a connection without a file has its own. */
typedef struct amalgam_index {
    struct amalgam_index *next;
    int references; /* of connections */
    const sqlite3 *owner;
    char *file, *table;
    amalgam_file_id file_id;
    int64_t load_count; /* how often the lengths of all rows were read */
    amalgam_index_state *states[AMALGAM_INDEX_STATES]; /* the last used first */
    int note_count;
    amalgam_index_note notes[AMALGAM_INDEX_NOTES]; /* the oldest first */
} amalgam_index;

/* What a connection knows about an FTS5 table. */
typedef struct amalgam_index_use {
    struct amalgam_index_use *next;
    amalgam_index *index;
    uint64_t transactions;      /* of this connection, which have written the table */
    const Fts5FullTable *table; /* NULL outside of such a transaction */
    int has_note;
    amalgam_index_note note;    /* of the running transaction */
    int has_pending_terms;      /* FTS5 has terms in memory that aren't in the note */
    int writer_runs;            /* how often FTS5 has written to the index, when its terms were looked at last */
    uint64_t changes;           /* writes and rollbacks to a savepoint */
    amalgam_index_state *state; /* inside the running transaction */
    uint64_t state_changes;     /* the changes that the state includes */
} amalgam_index_use;

typedef struct amalgam_ranked {
    int is_disabled;
    amalgam_index_use *uses;
} amalgam_ranked;

static const char amalgam_ranked_name[] = "amalgam.ranked";
static amalgam_index *amalgam_indexes;

static sqlite3_mutex *amalgam_indexes_mutex(void) { return sqlite3MutexAlloc(SQLITE_MUTEX_STATIC_VFS3); }

/* States */

static void amalgam_index_state_forget_phrases(amalgam_index_state *state) {
    for (int slot = 0; slot < AMALGAM_PHRASE_SLOTS; slot++) {
        for (amalgam_known_phrase *phrase = state->phrases[slot], *next; phrase != 0; phrase = next) {
            next = phrase->next;
            amalgam_kept_term_release(phrase->kept);
            sqlite3_free(phrase);
        }
        state->phrases[slot] = 0;
    }
    state->phrase_bytes = 0;
}

static void amalgam_index_state_free(amalgam_index_state *state) {
    amalgam_index_state_forget_phrases(state);
    amalgam_lengths_free(&state->lengths);
    if (state->terms != 0) state->release_terms(state->terms);
    sqlite3_free(state);
}

static void amalgam_index_state_release(amalgam_index_state *state) {
    if (state != 0 && __atomic_sub_fetch(&state->references, 1, __ATOMIC_ACQ_REL) == 0) amalgam_index_state_free(state);
}

static amalgam_index_state *amalgam_index_state_retain(amalgam_index_state *state) {
    __atomic_add_fetch(&state->references, 1, __ATOMIC_RELAXED);
    return state;
}

/* Another thread may have read the lengths. */
static inline int amalgam_index_state_has_lengths(const amalgam_index_state *state) {
    return __atomic_load_n(&state->has_lengths, __ATOMIC_ACQUIRE);
}

static amalgam_index_state *amalgam_index_state_new(const amalgam_index_version *version) {
    amalgam_index_state *state = sqlite3_malloc64(sizeof(amalgam_index_state));
    if (state == 0) return 0;
    memset(state, 0, sizeof(*state));
    state->references = 1;
    state->version = *version;
    return state;
}

static amalgam_known_phrase *amalgam_phrase_find(amalgam_index_state *state, const char *key, int size) {
    const uint32_t hash = amalgam_key_hash(key, size);
    amalgam_known_phrase *phrase = state->phrases[hash % AMALGAM_PHRASE_SLOTS];
    while (phrase != 0 && (phrase->hash != hash || phrase->size != size || memcmp(phrase->key, key, (size_t)size) != 0)) {
        phrase = phrase->next;
    }
    return phrase;
}

/* The number of rows with a phrase, -1 if unknown, and its postings. The caller owns a reference to them. */
static int64_t amalgam_phrase_rows(amalgam_index_state *state, const char *key, int size, amalgam_kept_term **kept) {
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    const amalgam_known_phrase *phrase = amalgam_phrase_find(state, key, size);
    const int64_t rows = phrase != 0 ? phrase->rows : -1;
    *kept = phrase != 0 ? phrase->kept : 0;
    if (*kept != 0) __atomic_add_fetch(&(*kept)->references, 1, __ATOMIC_RELAXED);
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    return rows;
}

static int64_t amalgam_phrase_budget(int64_t rows) { return AMALGAM_PHRASE_ALLOWANCE + AMALGAM_PHRASE_BYTES * rows; }

/* Remembers the number of rows with a phrase and its postings, unless memory is exhausted. */
static void amalgam_phrase_remember(
    amalgam_index_state *state, const char *key, int size, int64_t rows, amalgam_kept_term *kept, int64_t budget) {
    const int64_t bytes = (int64_t)sizeof(amalgam_known_phrase) + size + (kept != 0 ? kept->bytes : 0);
    amalgam_known_phrase *phrase = sqlite3_malloc64(sizeof(amalgam_known_phrase) + (size_t)size);
    if (phrase == 0) return;
    const uint32_t hash = amalgam_key_hash(key, size);
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    if (amalgam_phrase_find(state, key, size) == 0) {
        if (state->phrase_bytes + bytes > budget) amalgam_index_state_forget_phrases(state);
        amalgam_known_phrase **slot = &state->phrases[hash % AMALGAM_PHRASE_SLOTS];
        *phrase = (amalgam_known_phrase){.next = *slot, .hash = hash, .size = size, .rows = rows, .kept = kept};
        if (kept != 0) __atomic_add_fetch(&kept->references, 1, __ATOMIC_RELAXED);
        memcpy(phrase->key, key, (size_t)size);
        *slot = phrase;
        state->phrase_bytes += bytes;
        phrase = 0;
    }
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    sqlite3_free(phrase);
}

/* Versions */

/* The frame of a page, even if a checkpoint has copied this frame to the database file. */
static int amalgam_frame(Wal *wal, Pgno page, u32 *frame) {
    const u32 minimum = wal->minFrame;
    wal->minFrame = 1;
    const int code = sqlite3WalFindFrame(wal, page, frame);
    wal->minFrame = minimum;
    return code;
}

/* The first page of a table. `is_changed` receives whether this connection has written it without a commit. */
static int amalgam_first_page(Btree *tree, Pgno root, Pgno *page, int *is_changed) {
    BtCursor cursor;
    int is_empty = 0;
    sqlite3BtreeCursorZero(&cursor);
    /* With a shared cache, another connection may hold the lock of the table: only the number of the page is read. */
    const u64 flags = tree->db->flags;
    tree->db->flags |= SQLITE_ReadUncommit;
    int code = sqlite3BtreeCursor(tree, root, 0, 0, &cursor);
    tree->db->flags = flags;
    if (code == SQLITE_OK) code = sqlite3BtreeFirst(&cursor, &is_empty);
    if (code == SQLITE_OK && is_empty) code = SQLITE_EMPTY;
    if (code == SQLITE_OK) {
        *page = cursor.pPage->pgno;
        *is_changed = (cursor.pPage->pDbPage->flags & PGHDR_DIRTY) != 0;
    }
    sqlite3BtreeCloseCursor(&cursor);
    return code;
}

/* The last frame of all commits. SQLite's macros want this name of the WAL file. */
SQLITE_NO_TSAN static u32 amalgam_committed_frames(Wal *pWal) {
    volatile u32 frames = 0;
    if (pWal->nWiData == 0 || pWal->apWiData[0] == 0) return 0;
    SEH_TRY {
        frames = walIndexHdr(pWal)->mxFrame;
    }
    SEH_EXCEPT( frames = 0; )
    return frames;
}

static int amalgam_wal_version(Pager *pager, Pgno page, int is_writer, amalgam_index_version *version) {
    Wal *wal = pager->pWal;
    const u32 last = wal->hdr.mxFrame;
    memcpy(version->salt, wal->hdr.aSalt, sizeof(version->salt));
    if ((version->salt[0] | version->salt[1]) == 0) {
        DbPage *first = 0;
        const int code = sqlite3PagerGet(pager, 1, &first, 0);
        if (code != SQLITE_OK) return code;
        version->kind = AMALGAM_VERSION_FILE;
        version->frame = sqlite3Get4byte((const u8 *)sqlite3PagerGetData(first) + 24);
        sqlite3PagerUnrefPageOne(first);
        return SQLITE_OK;
    }
    if (wal->readLock == 0 && last > 0) {
        version->kind = AMALGAM_VERSION_COMMIT;
        version->frame = last;
        return SQLITE_OK;
    }
    u32 frame = 0;
    const int code = last > 0 ? amalgam_frame(wal, page, &frame) : SQLITE_OK;
    if (code != SQLITE_OK) return code;
    /* A transaction may have written frames that aren't committed. */
    if (is_writer && frame > amalgam_committed_frames(wal)) {
        version->kind = AMALGAM_VERSION_NONE;
        return SQLITE_OK;
    }
    version->kind = AMALGAM_VERSION_FRAME;
    version->frame = frame;
    /* Two tables whose pages aren't in the WAL file may have exchanged their names. */
    version->page = page;
    return SQLITE_OK;
}

/* Whether the states of a database are shared between connections. */
static int amalgam_is_shared(sqlite3 *db, int database) {
    const Btree *tree = db->aDb[database].pBt;
    const char *file = sqlite3BtreeGetFilename(db->aDb[database].pBt);
    return file != 0 && file[0] != 0 && tree->sharable == 0 && sqlite3BtreePager(db->aDb[database].pBt)->pWal != 0;
}

static amalgam_file_id amalgam_file_id_of(Btree *tree) {
    amalgam_file_id id = {0};
#if SQLITE_OS_UNIX && !OS_VXWORKS
    const sqlite3_file *file = sqlite3PagerFile(sqlite3BtreePager(tree));
    if (file->pMethods == &posixIoMethods) {
        const struct unixFileId *known = &((const unixFile *)file)->pInode->fileId;
        id = (amalgam_file_id){.device = (u64)known->dev, .inode = known->ino};
    }
#endif
    return id;
}

/* The version that a connection sees. A read transaction must be open. `use` may be NULL. */
static int amalgam_index_version_of(
    const Fts5FullTable *table, const amalgam_index_use *use, amalgam_index_version *version) {
    const Fts5Config *config = table->p.pConfig;
    sqlite3 *db = config->db;
    memset(version, 0, sizeof(*version));
    const int database = sqlite3FindDbName(db, config->zDb);
    if (database < 0 || db->aDb[database].pBt == 0) return SQLITE_OK;
    char *name = sqlite3_mprintf("%s_data", config->zName);
    if (name == 0) return SQLITE_NOMEM;
    Btree *tree = db->aDb[database].pBt;
    Pager *pager = sqlite3BtreePager(tree);
    int code = SQLITE_OK, is_changed = 0;
    Pgno page = 0;
    sqlite3BtreeEnterAll(db);
    const Table *data = sqlite3FindTable(db, name, config->zDb);
    const int is_unknown = amalgam_is_in_transaction(db, &table->p.base) && (use == 0 || !use->has_note);
    if (data != 0 && !is_unknown && sqlite3BtreeTxnState(tree) != SQLITE_TXN_NONE) {
        const int is_writer = sqlite3BtreeTxnState(tree) == SQLITE_TXN_WRITE;
        code = amalgam_first_page(tree, data->tnum, &page, &is_changed);
        if (code == SQLITE_OK && is_writer && is_changed && amalgam_has_file(pager)) {
            version->kind = AMALGAM_VERSION_NONE;
        } else if (code == SQLITE_OK && amalgam_is_shared(db, database)) {
            code = amalgam_wal_version(pager, page, is_writer, version);
        } else if (code == SQLITE_OK) {
            version->kind = AMALGAM_VERSION_PRIVATE;
            version->owner = db;
            version->frame = sqlite3PagerDataVersion(pager) + tree->iBDataVersion;
            version->transactions = use != 0 ? use->transactions : 0;
        }
    }
    sqlite3BtreeLeaveAll(db);
    sqlite3_free(name);
    return code == SQLITE_EMPTY ? SQLITE_OK : code;
}

static int amalgam_is_same_version(const amalgam_index_version *version, const amalgam_index_version *other) {
    return version->kind != AMALGAM_VERSION_NONE && version->kind == other->kind && version->page == other->page &&
           version->frame == other->frame && memcmp(version->salt, other->salt, sizeof(version->salt)) == 0 &&
           version->transactions == other->transactions && version->owner == other->owner;
}

/* Whether a version is that after the transaction of a note. */
static int amalgam_is_after(const amalgam_index_note *note, const amalgam_index_version *version) {
    if (note->after.kind == AMALGAM_VERSION_PRIVATE) return amalgam_is_same_version(&note->after, version);
    if (note->after.kind == AMALGAM_VERSION_NONE) return 0;
    if (memcmp(version->salt, note->after.salt, sizeof(version->salt)) != 0) return 0;
    if (version->kind == AMALGAM_VERSION_COMMIT) return version->frame == note->after.frame;
    return version->kind == AMALGAM_VERSION_FRAME && version->frame > note->first_frame &&
           version->frame <= note->after.frame;
}

/* Notes */

static void amalgam_note_clear(amalgam_index_note *note) {
    sqlite3_free(note->rowids);
    sqlite3_free(note->terms);
    *note = (amalgam_index_note){0};
}

/* Adds a rowid to a note. If memory is exhausted, or the note becomes too long, the note isn't complete any longer. */
static void amalgam_note_add(amalgam_index_note *note, int64_t rowid) {
    if (!note->is_complete || (note->count > 0 && note->rowids[note->count - 1] == rowid)) return;
    if (note->count == note->capacity) {
        const int64_t capacity = note->capacity > 0 ? 2 * note->capacity : 16;
        int64_t *rowids = capacity <= AMALGAM_NOTE_LIMIT
                              ? sqlite3_realloc64(note->rowids, (size_t)capacity * sizeof(int64_t))
                              : 0;
        if (rowids == 0) {
            note->is_complete = 0;
            return;
        }
        note->rowids = rowids;
        note->capacity = capacity;
    }
    note->rowids[note->count++] = rowid;
}

static int amalgam_note_grow_terms(amalgam_index_note *note, int count) {
    if (note->term_bytes + count <= note->term_capacity) return 1;
    const int capacity = note->term_capacity > 0 ? 2 * note->term_capacity : 1024;
    uint8_t *terms = capacity <= AMALGAM_NOTE_TERM_BYTES ? sqlite3_realloc64(note->terms, (size_t)capacity) : 0;
    if (terms == 0) return 0;
    note->terms = terms;
    note->term_capacity = capacity;
    return 1;
}

/* Adds the terms that FTS5 has in memory to a note. If memory is exhausted, or they are too many, the note has no terms. */
static void amalgam_note_add_terms(amalgam_index_note *note, const Fts5Hash *hash) {
    for (int slot = 0; hash != 0 && note->has_terms && slot < hash->nSlot; slot++) {
        for (const Fts5HashEntry *entry = hash->aSlot[slot]; entry != 0 && note->has_terms; entry = entry->pHashNext) {
            const uint8_t *key = (const uint8_t *)fts5EntryKey(entry);
            const int count = entry->nKey - 1; /* without the prefix of the main index */
            if (key[0] != FTS5_MAIN_PREFIX || count < 1 || count > 255) continue;
            note->has_terms = amalgam_note_grow_terms(note, count + 1);
            if (!note->has_terms) return;
            note->terms[note->term_bytes] = (uint8_t)count;
            memcpy(note->terms + note->term_bytes + 1, key + 1, (size_t)count);
            note->term_bytes += count + 1;
        }
    }
}

/* Tables and connections */

static void amalgam_index_free(amalgam_index *index) {
    for (int i = 0; i < AMALGAM_INDEX_STATES; i++) amalgam_index_state_release(index->states[i]);
    for (int i = 0; i < index->note_count; i++) amalgam_note_clear(&index->notes[i]);
    sqlite3_free(index->file);
    sqlite3_free(index->table);
    sqlite3_free(index);
}

static void amalgam_index_release(amalgam_index *index) {
    if (index == 0) return;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    const int is_last = --index->references == 0;
    if (is_last) {
        amalgam_index **link = &amalgam_indexes;
        while (*link != index) link = &(*link)->next;
        *link = index->next;
    }
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    if (is_last) amalgam_index_free(index);
}

static int amalgam_index_is(
    const amalgam_index *index, const sqlite3 *owner, const char *file, amalgam_file_id id, const char *table) {
    return index->owner == owner && index->file_id.inode == id.inode && index->file_id.device == id.device &&
           strcmp(index->file, file) == 0 && sqlite3StrICmp(index->table, table) == 0;
}

/* Finds a table, or adds it if `adds` is 1. The caller owns a reference. */
static int amalgam_index_find(
    const sqlite3 *owner, const char *file, amalgam_file_id id, const char *table, int adds, amalgam_index **result) {
    int code = SQLITE_OK;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    amalgam_index *index = amalgam_indexes;
    while (index != 0 && !amalgam_index_is(index, owner, file, id, table)) index = index->next;
    if (index == 0 && adds) {
        index = sqlite3_malloc64(sizeof(amalgam_index));
        code = index != 0 ? SQLITE_OK : SQLITE_NOMEM;
        if (index != 0) {
            memset(index, 0, sizeof(*index));
            index->owner = owner;
            index->file_id = id;
            index->file = sqlite3_mprintf("%s", file);
            index->table = sqlite3_mprintf("%s", table);
            if (index->file == 0 || index->table == 0) {
                amalgam_index_free(index);
                index = 0;
                code = SQLITE_NOMEM;
            } else {
                index->next = amalgam_indexes;
                amalgam_indexes = index;
            }
        }
    }
    if (index != 0) index->references++;
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    *result = index;
    return code;
}

static void amalgam_use_end_transaction(amalgam_index_use *use) {
    amalgam_note_clear(&use->note);
    amalgam_index_state_release(use->state);
    use->state = 0;
    use->has_note = 0;
    use->table = 0;
}

static void amalgam_ranked_free(void *context) {
    amalgam_ranked *ranked = context;
    for (amalgam_index_use *use = ranked->uses, *next; use != 0; use = next) {
        next = use->next;
        amalgam_use_end_transaction(use);
        amalgam_index_release(use->index);
        sqlite3_free(use);
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

/*
** What a connection knows about a table. `*result` is NULL if `adds` is 0 and no connection has searched the table.
** A database may change its journal mode, and its schema may be detached: then, the use is that of another table.
*/
static int amalgam_index_use_of(const Fts5FullTable *table, int adds, amalgam_index_use **result) {
    const Fts5Config *config = table->p.pConfig;
    sqlite3 *db = config->db;
    *result = 0;
    const int database = sqlite3FindDbName(db, config->zDb);
    if (database < 0 || db->aDb[database].pBt == 0) return SQLITE_OK;
    const int is_shared = amalgam_is_shared(db, database);
    const char *file = is_shared ? sqlite3BtreeGetFilename(db->aDb[database].pBt) : config->zDb;
    const amalgam_file_id id = is_shared ? amalgam_file_id_of(db->aDb[database].pBt) : (amalgam_file_id){0};
    const sqlite3 *owner = is_shared ? 0 : db;
    amalgam_ranked *ranked = amalgam_ranked_of(db, adds);
    if (ranked == 0 && adds) return SQLITE_NOMEM;
    for (amalgam_index_use *use = ranked != 0 ? ranked->uses : 0; use != 0; use = use->next) {
        if (amalgam_index_is(use->index, owner, file, id, config->zName)) {
            *result = use;
            return SQLITE_OK;
        }
    }
    amalgam_index *index = 0;
    int code = amalgam_index_find(owner, file, id, config->zName, adds, &index);
    if (index == 0) return code;
    if (ranked == 0) ranked = amalgam_ranked_of(db, 1);
    amalgam_index_use *use = ranked != 0 ? sqlite3_malloc64(sizeof(amalgam_index_use)) : 0;
    if (use == 0) {
        amalgam_index_release(index);
        return SQLITE_NOMEM;
    }
    memset(use, 0, sizeof(*use));
    use->index = index;
    use->next = ranked->uses;
    ranked->uses = use;
    *result = use;
    return SQLITE_OK;
}

/* Transactions */

/* The use of a table in a transaction that writes it; NULL if no search has used the table before the transaction. */
static amalgam_index_use *amalgam_use_in_transaction(const sqlite3_vtab *vtab) {
    const Fts5FullTable *table = (const Fts5FullTable *)vtab;
    const amalgam_ranked *ranked = amalgam_ranked_of(table->p.pConfig->db, 0);
    amalgam_index_use *use = ranked != 0 ? ranked->uses : 0;
    while (use != 0 && use->table != table) use = use->next;
    return use;
}

static u32 amalgam_last_frame(const Fts5Config *config, u32 *salt) {
    const int database = sqlite3FindDbName(config->db, config->zDb);
    if (database < 0 || config->db->aDb[database].pBt == 0) return 0;
    const Wal *wal = sqlite3BtreePager(config->db->aDb[database].pBt)->pWal;
    if (wal == 0) return 0;
    memcpy(salt, wal->hdr.aSalt, sizeof(wal->hdr.aSalt));
    return wal->hdr.mxFrame;
}

/* How often FTS5 has written to the index of a table. */
static int amalgam_writer_runs(const Fts5Index *index) {
    return index->pWriter != 0 ? sqlite3_stmt_status(index->pWriter, SQLITE_STMTSTATUS_RUN, 0) : 0;
}

/* Finds out whether FTS5 has written terms to the index that aren't in the note. */
static void amalgam_note_check_terms(amalgam_index_use *use) {
    const int runs = amalgam_writer_runs(use->table->p.pIndex);
    if (use->has_pending_terms && runs != use->writer_runs) use->note.has_terms = 0;
    use->writer_runs = runs;
}

/* Before FTS5 writes its terms in memory to the index, or may do so. */
static void amalgam_note_terms(amalgam_index_use *use) {
    if (use == 0 || !use->has_note) return;
    amalgam_note_check_terms(use);
    amalgam_note_add_terms(&use->note, use->table->p.pIndex->pHash);
    use->has_pending_terms = 0;
}

static int fts5SyncMethod(sqlite3_vtab *vtab) {
    amalgam_note_terms(amalgam_use_in_transaction(vtab));
    return amalgam_sqlite_fts5_sync(vtab);
}

static int fts5SavepointMethod(sqlite3_vtab *vtab, int savepoint) {
    amalgam_note_terms(amalgam_use_in_transaction(vtab));
    return amalgam_sqlite_fts5_savepoint(vtab, savepoint);
}

/* FTS5 begins to write in a transaction. Without memory, the next search reads the lengths again. */
static int fts5BeginMethod(sqlite3_vtab *vtab) {
    const int code = amalgam_sqlite_fts5_begin(vtab);
    if (code != SQLITE_OK) return code;
    const Fts5FullTable *table = (const Fts5FullTable *)vtab;
    amalgam_index_use *use = 0;
    amalgam_index_use_of(table, 0, &use);
    if (use == 0) return code;
    amalgam_use_end_transaction(use);
    use->table = table;
    u32 salt[2] = {0};
    use->note.first_frame = amalgam_last_frame(table->p.pConfig, salt);
    if (amalgam_index_version_of(table, use, &use->note.before) != SQLITE_OK) return code;
    if (use->note.before.kind == AMALGAM_VERSION_NONE) return code;
    use->note.is_complete = 1;
    use->note.has_terms = 1;
    use->has_pending_terms = 0;
    use->writer_runs = amalgam_writer_runs(table->p.pIndex);
    memcpy(use->note.after.salt, salt, sizeof(salt));
    use->has_note = 1;
    return code;
}

/* The transaction of a note is committed. The version after it is known by the frames that it has written. */
static void amalgam_note_complete(amalgam_index_use *use, const Fts5Config *config) {
    amalgam_index_note *note = &use->note;
    if (note->before.kind == AMALGAM_VERSION_PRIVATE) {
        note->after = note->before;
        note->after.transactions = use->transactions;
        return;
    }
    u32 salt[2] = {0};
    const u32 frame = amalgam_last_frame(config, salt);
    if (memcmp(salt, note->after.salt, sizeof(salt)) != 0) note->first_frame = 0;
    note->after.kind = frame > note->first_frame ? AMALGAM_VERSION_FRAME : AMALGAM_VERSION_NONE;
    note->after.frame = frame;
    memcpy(note->after.salt, salt, sizeof(salt));
}

static void amalgam_index_add_note(amalgam_index *index, amalgam_index_note *note) {
    amalgam_index_note removed = {0};
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    if (index->note_count == AMALGAM_INDEX_NOTES) {
        removed = index->notes[0];
        memmove(index->notes, index->notes + 1, sizeof(removed) * (AMALGAM_INDEX_NOTES - 1));
        index->note_count--;
    }
    index->notes[index->note_count++] = *note;
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    *note = (amalgam_index_note){0};
    amalgam_note_clear(&removed);
}

static int fts5CommitMethod(sqlite3_vtab *vtab) {
    const int code = amalgam_sqlite_fts5_commit(vtab);
    amalgam_index_use *use = amalgam_use_in_transaction(vtab);
    if (use == 0) return code;
    use->transactions++;
    if (use->has_note) {
        amalgam_note_complete(use, ((const Fts5FullTable *)vtab)->p.pConfig);
        amalgam_index_add_note(use->index, &use->note);
    }
    amalgam_use_end_transaction(use);
    return code;
}

static int fts5RollbackMethod(sqlite3_vtab *vtab) {
    const int code = amalgam_sqlite_fts5_rollback(vtab);
    amalgam_index_use *use = amalgam_use_in_transaction(vtab);
    if (use != 0) amalgam_use_end_transaction(use);
    return code;
}

static int fts5RollbackToMethod(sqlite3_vtab *vtab, int savepoint) {
    const int code = amalgam_sqlite_fts5_rollback_to(vtab, savepoint);
    amalgam_index_use *use = amalgam_use_in_transaction(vtab);
    if (use == 0) return code;
    use->changes++;
    /* The terms of the note may be those of rows that don't exist any longer. */
    use->note.has_terms = 0;
    return code;
}

/*
** Forgets what is known about a table of one connection only, when the table is dropped, or its schema is detached. The
** next table of this name might have the same version.
*/
static void amalgam_index_forget(const sqlite3_vtab *vtab) {
    const Fts5Config *config = ((const Fts5FullTable *)vtab)->p.pConfig;
    const amalgam_ranked *ranked = amalgam_ranked_of(config->db, 0);
    for (amalgam_index_use *use = ranked != 0 ? ranked->uses : 0; use != 0; use = use->next) {
        if (use->table == (const Fts5FullTable *)vtab) amalgam_use_end_transaction(use);
        if (use->index->owner == 0 || sqlite3StrICmp(use->index->table, config->zName) != 0) continue;
        use->transactions++;
    }
}

static int fts5DisconnectMethod(sqlite3_vtab *vtab) {
    amalgam_index_forget(vtab);
    return amalgam_sqlite_fts5_disconnect(vtab);
}

static int fts5DestroyMethod(sqlite3_vtab *vtab) {
    amalgam_index_forget(vtab);
    return amalgam_sqlite_fts5_destroy(vtab);
}

/* Whether sqlite3Fts5IndexBeginWrite() writes the terms in memory to the index before it writes a row. */
static int amalgam_is_flushed_before(const Fts5Index *index, int64_t rowid) {
    return rowid < index->iWriteRowid || (rowid == index->iWriteRowid && !index->bDelete) ||
           index->nPendingData > index->pConfig->nHashSize;
}

/* Before a row is written, whose old or new rowid may be NULL. */
static void amalgam_note_terms_before(amalgam_index_use *use, sqlite3_value *old, sqlite3_value *new) {
    const Fts5Index *index = use->table->p.pIndex;
    if (!use->has_note || !use->note.has_terms) return;
    amalgam_note_check_terms(use);
    const int has_old = sqlite3_value_type(old) == SQLITE_INTEGER, has_new = sqlite3_value_type(new) == SQLITE_INTEGER;
    const int64_t first = sqlite3_value_int64(has_old ? old : new);
    const int has_moved = has_old && has_new && sqlite3_value_int64(new) != first;
    const int has_none = !has_old && !has_new && index->nPendingData <= index->pConfig->nHashSize;
    if (!has_none && (has_moved || amalgam_is_flushed_before(index, first))) amalgam_note_terms(use);
}

/* After a row was written, or a part of it. */
static void amalgam_note_written(const sqlite3_vtab *vtab) {
    amalgam_index_use *use = amalgam_use_in_transaction(vtab);
    if (use == 0 || !use->has_note) return;
    amalgam_note_check_terms(use);
    use->has_pending_terms = 1;
}

/* Notes the rowids of a write before it happens, because a write that fails may have written a part of a row. */
static void amalgam_note_write(const sqlite3_vtab *vtab, int count, sqlite3_value **values) {
    amalgam_index_use *use = amalgam_use_in_transaction(vtab);
    if (use == 0) return;
    use->changes++;
    const Fts5Config *config = ((const Fts5FullTable *)vtab)->p.pConfig;
    /* A command, or a row that is deleted from a contentless table. */
    const int is_insertion = count > 1 && sqlite3_value_type(values[0]) == SQLITE_NULL;
    if (is_insertion && sqlite3_value_type(values[2 + config->nCol]) != SQLITE_NULL) {
        const char *command = (const char *)sqlite3_value_text(values[2 + config->nCol]);
        const int is_delete = command != 0 && sqlite3_stricmp(command, "delete") == 0;
        if (!is_delete) use->note.has_terms = 0;
        if (is_delete) amalgam_note_terms_before(use, values[1], values[1]);
        if (is_delete) amalgam_note_add(&use->note, sqlite3_value_int64(values[1]));
        else if (command == 0 || sqlite3_stricmp(command, "delete-all") == 0 || sqlite3_stricmp(command, "rebuild") == 0)
            use->note.is_complete = 0;
        return;
    }
    amalgam_note_terms_before(use, values[0], values[count > 1 ? 1 : 0]);
    if (sqlite3_value_type(values[0]) == SQLITE_INTEGER) amalgam_note_add(&use->note, sqlite3_value_int64(values[0]));
    if (count > 1 && sqlite3_value_type(values[1]) != SQLITE_NULL) {
        amalgam_note_add(&use->note, sqlite3_value_int64(values[1]));
    }
}

/* Notes the rowid that FTS5 has chosen for a new row. */
static void amalgam_note_insertion(const sqlite3_vtab *vtab, int count, sqlite3_value **values, int64_t rowid) {
    if (count <= 1 || sqlite3_value_type(values[1]) != SQLITE_NULL) return;
    amalgam_index_use *use = amalgam_use_in_transaction(vtab);
    if (use != 0) amalgam_note_add(&use->note, rowid);
}

/* The state of a search */

static amalgam_index_state *amalgam_index_known(amalgam_index *index, const amalgam_index_version *version) {
    for (int i = 0; i < AMALGAM_INDEX_STATES && index->states[i] != 0; i++) {
        amalgam_index_state *state = index->states[i];
        if (!amalgam_is_same_version(&state->version, version)) continue;
        memmove(index->states + 1, index->states, sizeof(state) * (size_t)i);
        index->states[0] = state;
        return amalgam_index_state_retain(state);
    }
    return 0;
}

/* Remembers a state instead of the one that was used least recently. Returns the latter. */
static amalgam_index_state *amalgam_index_remember(amalgam_index *index, amalgam_index_state *state) {
    amalgam_index_state *removed = index->states[AMALGAM_INDEX_STATES - 1];
    memmove(index->states + 1, index->states, sizeof(state) * (AMALGAM_INDEX_STATES - 1));
    index->states[0] = amalgam_index_state_retain(state);
    return removed;
}

/* The position between notes of a version: `i` is the state before note `i`; -1 if there is none. */
static int amalgam_index_position(const amalgam_index *index, const amalgam_index_version *version) {
    for (int i = index->note_count; i-- > 0;) {
        if (amalgam_is_after(&index->notes[i], version)) return i + 1;
        if (amalgam_is_same_version(&index->notes[i].before, version)) return i;
    }
    return -1;
}

/* Whether all notes from one position to another have all rowids, or all terms, and each follows on the one before. */
static int amalgam_notes_are_linked(const amalgam_index *index, int first, int end, int by_terms) {
    for (int i = first; i < end; i++) {
        if (!(by_terms ? index->notes[i].has_terms : index->notes[i].is_complete)) return 0;
        if (i > first && !amalgam_is_after(&index->notes[i - 1], &index->notes[i].before)) return 0;
    }
    return 1;
}

/*
** Finds a state with lengths from which notes lead to a version. The caller owns the state and the sorted rowids. They
** are NULL if there is no such state, or if memory is exhausted.
*/
static amalgam_index_state *amalgam_index_origin(
    amalgam_index *index, const amalgam_index_version *version, int64_t **rowids, int64_t *count) {
    amalgam_index_state *origin = 0;
    const int target = amalgam_index_position(index, version);
    *rowids = 0;
    *count = 0;
    for (int i = 0; target >= 0 && origin == 0 && i < AMALGAM_INDEX_STATES && index->states[i] != 0; i++) {
        const amalgam_index_state *state = index->states[i];
        const int position = state->has_lengths ? amalgam_index_position(index, &state->version) : -1;
        const int first = position < target ? position : target, end = position < target ? target : position;
        if (position < 0 || !amalgam_notes_are_linked(index, first, end, 0)) continue;
        int64_t total = 0;
        for (int note = first; note < end; note++) total += index->notes[note].count;
        *rowids = sqlite3_malloc64((size_t)(total > 0 ? total : 1) * sizeof(int64_t));
        if (*rowids == 0) return 0;
        for (int note = first; note < end; note++) {
            if (index->notes[note].count == 0) continue;
            memcpy(*rowids + *count, index->notes[note].rowids, sizeof(int64_t) * (size_t)index->notes[note].count);
            *count += index->notes[note].count;
        }
        origin = amalgam_index_state_retain(index->states[i]);
    }
    return origin;
}

/*
** Finds a state with terms from which notes with terms lead to a later version. The caller owns the terms, and those of the
** notes. They are NULL if there is no such state, or if memory is exhausted.
*/
static void *amalgam_index_terms_origin(
    amalgam_index *index, const amalgam_index_version *version, void (*retain)(void *), uint8_t **added, int64_t *size) {
    void *origin = 0;
    const int target = amalgam_index_position(index, version);
    *added = 0;
    *size = 0;
    for (int i = 0; target >= 0 && origin == 0 && i < AMALGAM_INDEX_STATES && index->states[i] != 0; i++) {
        const amalgam_index_state *state = index->states[i];
        const int position = state->terms != 0 ? amalgam_index_position(index, &state->version) : -1;
        if (position < 0 || position > target || !amalgam_notes_are_linked(index, position, target, 1)) continue;
        int64_t total = 0;
        for (int note = position; note < target; note++) total += index->notes[note].term_bytes;
        *added = sqlite3_malloc64((size_t)(total > 0 ? total : 1));
        if (*added == 0) return 0;
        for (int note = position; note < target; note++) {
            if (index->notes[note].term_bytes == 0) continue;
            memcpy(*added + *size, index->notes[note].terms, (size_t)index->notes[note].term_bytes);
            *size += index->notes[note].term_bytes;
        }
        origin = state->terms;
        retain(origin);
    }
    return origin;
}

/* Makes a state from another one, by reading the lengths of rows again. */
static int amalgam_index_derive(
    const Fts5Config *config, const amalgam_index_state *origin, int64_t *rowids, int64_t count,
    const amalgam_index_version *version, amalgam_index_state **result) {
    amalgam_index_state *state = amalgam_index_state_new(version);
    int code = state != 0 ? amalgam_lengths_copy(&origin->lengths, &state->lengths) : SQLITE_NOMEM;
    if (code == SQLITE_OK && !origin->lengths.is_too_large) {
        qsort(rowids, (size_t)count, sizeof(int64_t), amalgam_compare_rowids);
        code = amalgam_lengths_refresh(config, &state->lengths, rowids, count);
    }
    if (code == SQLITE_OK) {
        state->has_lengths = 1;
    } else {
        amalgam_index_state_release(state);
        state = 0;
    }
    *result = state;
    return code;
}

/* Inside a transaction that has written the table, the state before it, with the rows of the note read again. */
static int amalgam_use_state(const Fts5Config *config, amalgam_index_use *use, amalgam_index_state **result) {
    const amalgam_index_version none = {0};
    amalgam_index_note *note = &use->note;
    int code = SQLITE_OK;
    if (use->state == 0 || use->state_changes != use->changes) {
        amalgam_index_state *origin = 0, *state = 0;
        int64_t *rowids = 0;
        if (note->is_complete) {
            sqlite3_mutex_enter(amalgam_indexes_mutex());
            origin = amalgam_index_known(use->index, &note->before);
            sqlite3_mutex_leave(amalgam_indexes_mutex());
        }
        if (origin != 0 && amalgam_index_state_has_lengths(origin)) {
            rowids = sqlite3_malloc64((size_t)(note->count > 0 ? note->count : 1) * sizeof(int64_t));
            if (rowids == 0) code = SQLITE_NOMEM;
            if (rowids != 0 && note->count > 0) memcpy(rowids, note->rowids, sizeof(int64_t) * (size_t)note->count);
            if (code == SQLITE_OK) code = amalgam_index_derive(config, origin, rowids, note->count, &none, &state);
        } else {
            state = amalgam_index_state_new(&none);
            if (state == 0) code = SQLITE_NOMEM;
        }
        sqlite3_free(rowids);
        amalgam_index_state_release(origin);
        if (code != SQLITE_OK) return code;
        amalgam_index_state_release(use->state);
        use->state = state;
        use->state_changes = use->changes;
    }
    *result = amalgam_index_state_retain(use->state);
    return SQLITE_OK;
}

/* The state that a connection sees. The caller owns it. A read transaction must be open. */
static int amalgam_index_state_of(const Fts5FullTable *table, amalgam_index_state **result) {
    const Fts5Config *config = table->p.pConfig;
    amalgam_index_use *use = 0;
    amalgam_index_version version;
    int code = amalgam_index_use_of(table, 1, &use);
    *result = 0;
    if (code == SQLITE_OK && use != 0 && use->has_note) return amalgam_use_state(config, use, result);
    if (code == SQLITE_OK) code = amalgam_index_version_of(table, use, &version);
    if (code != SQLITE_OK) return code;
    if (use == 0 || version.kind == AMALGAM_VERSION_NONE) {
        const amalgam_index_version none = {0};
        *result = amalgam_index_state_new(&none);
        return *result != 0 ? SQLITE_OK : SQLITE_NOMEM;
    }
    int64_t *rowids = 0, count = 0;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    amalgam_index_state *state = amalgam_index_known(use->index, &version);
    amalgam_index_state *origin = state == 0 ? amalgam_index_origin(use->index, &version, &rowids, &count) : 0;
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    if (state == 0 && origin != 0) {
        code = amalgam_index_derive(config, origin, rowids, count, &version, &state);
    } else if (state == 0) {
        state = amalgam_index_state_new(&version);
        code = state != 0 ? SQLITE_OK : SQLITE_NOMEM;
    } else {
        *result = state;
        return SQLITE_OK;
    }
    sqlite3_free(rowids);
    amalgam_index_state_release(origin);
    if (code != SQLITE_OK) return code;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    amalgam_index_state *other = amalgam_index_known(use->index, &version);
    amalgam_index_state *removed = other == 0 ? amalgam_index_remember(use->index, state) : state;
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    amalgam_index_state_release(removed);
    *result = other != 0 ? other : state;
    return SQLITE_OK;
}

/* Reads the lengths of all rows, unless they have been read. */
static int amalgam_index_state_load(const Fts5FullTable *table, amalgam_index_state *state) {
    if (amalgam_index_state_has_lengths(state)) return SQLITE_OK;
    amalgam_lengths lengths;
    amalgam_index_use *use = 0;
    int code = amalgam_index_use_of(table, 0, &use);
    if (code == SQLITE_OK) code = amalgam_lengths_read(table->p.pConfig, &lengths);
    if (code != SQLITE_OK) return code;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    if (use != 0) use->index->load_count++;
    const int was_loaded = state->has_lengths;
    if (!was_loaded) {
        state->lengths = lengths;
        __atomic_store_n(&state->has_lengths, 1, __ATOMIC_RELEASE);
    }
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    if (was_loaded) amalgam_lengths_free(&lengths);
    return SQLITE_OK;
}

int64_t amalgam_ranked_load_count(sqlite3 *db, const char *table) {
    int64_t count = 0;
    sqlite3_mutex_enter(db->mutex);
    const amalgam_ranked *ranked = amalgam_ranked_of(db, 0);
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    for (const amalgam_index_use *use = ranked != 0 ? ranked->uses : 0; use != 0; use = use->next) {
        if (sqlite3StrICmp(use->index->table, table) == 0) count += use->index->load_count;
    }
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    sqlite3_mutex_leave(db->mutex);
    return count;
}
