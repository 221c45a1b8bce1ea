/*
** What is held in memory about the states of FTS5 tables: the lengths of rows, how many rows have a phrase, and the terms
** for queries with typos. All connections of the process to a file in WAL mode share it.
**
** A table is known by its file and the roots of %_data and %_docsize. A state is known by snapshots, the first and the last
** one in which no page of %_docsize and no page on the way to the sizes of the table has changed. This is checked when a
** search finds the state, by the WAL index. If it says that pages have changed, these pages are read again. If it can't
** tell, the table is read again. Before a connection of this process begins a new generation of the WAL file, it takes the
** states along, with the pages that were written since.
**
** A mutex guards the list of tables, their states, and the snapshots, phrases and terms of a state.
*/

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

/* Numbers of pages: sorted, each once. */
typedef struct amalgam_page_list {
    int references;
    int count;
    Pgno pages[];
} amalgam_page_list;

typedef struct amalgam_index_state {
    int references;
    amalgam_generation generation;
    u32 first, last; /* the frames of snapshots with this state */
    u32 end;         /* the frame from which on there is another state; 0: unknown */
    int has_before;
    amalgam_snapshot before;    /* the last one of the generation before, with this state */
    int is_past;                /* the generation has begun with another state */
    amalgam_page_list *written; /* the pages that were written in between; NULL: unknown */
    amalgam_data_path path;
    int has_lengths; /* the lengths have been read */
    amalgam_lengths lengths;
    int64_t reads; /* how many lengths were read one by one */
    int has_fractions;
    double fractions[AMALGAM_FRACTION_POSITIONS][AMALGAM_FRACTION_LENGTHS]; /* see amalgam_ranked_fraction() */
    int64_t phrase_bytes;
    amalgam_known_phrase *phrases[AMALGAM_PHRASE_SLOTS];
    void *terms; /* see amalgam_fts5_terms() */
    void (*release_terms)(void *);
} amalgam_index_state;

enum { AMALGAM_INDEX_STATES = 4 };

/* What distinguishes a table from the other ones of all files. */
typedef struct amalgam_index_key {
    const char *file;
    amalgam_file_id file_id;
    Pgno data, docsize; /* root pages; zero for a table that FTS5 hasn't made */
    int columns;
} amalgam_index_key;

/* An FTS5 table of a file in WAL mode. Connections share it. */
typedef struct amalgam_index {
    struct amalgam_index *next;
    int references; /* of connections */
    amalgam_index_key key;
    int64_t load_count; /* how often the lengths of all rows were read */
    amalgam_index_state *states[AMALGAM_INDEX_STATES]; /* the last used first */
} amalgam_index;

static amalgam_index *amalgam_indexes;

static sqlite3_mutex *amalgam_indexes_mutex(void) { return sqlite3MutexAlloc(SQLITE_MUTEX_STATIC_VFS3); }

/* Lists of pages */

static void amalgam_page_list_release(amalgam_page_list *list) {
    if (list != 0 && __atomic_sub_fetch(&list->references, 1, __ATOMIC_ACQ_REL) == 0) sqlite3_free(list);
}

static int amalgam_compare_numbers(const void *left, const void *right) {
    const Pgno first = *(const Pgno *)left, second = *(const Pgno *)right;
    return (first > second) - (first < second);
}

/* If more pages have been written, the table is read again. */
enum { AMALGAM_WRITTEN_PAGES = 1 << 15 };

/* The pages of a list, which may be NULL, and of frames. NULL if they aren't known, or too many. */
static amalgam_page_list *amalgam_page_list_new(const amalgam_page_list *earlier, amalgam_frames frames) {
    const i64 first = earlier != 0 ? earlier->count : 0, count = first + (i64)frames.last + 1 - (i64)frames.next;
    if (count > AMALGAM_WRITTEN_PAGES) return 0;
    amalgam_page_list *list = sqlite3_malloc64(sizeof(amalgam_page_list) + sizeof(Pgno) * (size_t)count);
    if (list == 0) return 0;
    *list = (amalgam_page_list){.references = 1};
    if (first > 0) memcpy(list->pages, earlier->pages, sizeof(Pgno) * (size_t)first);
    for (i64 i = first; i < count; i++) {
        if (amalgam_frames_next(&frames, &list->pages[i]) == SQLITE_OK && list->pages[i] != 0) continue;
        sqlite3_free(list);
        return 0;
    }
    qsort(list->pages, (size_t)count, sizeof(Pgno), amalgam_compare_numbers);
    for (i64 i = 0; i < count; i++) {
        if (i == 0 || list->pages[i] != list->pages[i - 1]) list->pages[list->count++] = list->pages[i];
    }
    return list;
}

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
    amalgam_page_list_release(state->written);
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

static amalgam_index_state *amalgam_index_state_new(void) {
    amalgam_index_state *state = sqlite3_malloc64(sizeof(amalgam_index_state));
    if (state == 0) return 0;
    memset(state, 0, sizeof(*state));
    state->references = 1;
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

/* Snapshots of a state */

static int amalgam_state_has_page(const amalgam_index_state *state, Pgno page) {
    for (int i = 0; i < state->path.count; i++) {
        if (state->path.pages[i] == page) return 1;
    }
    return state->has_lengths && amalgam_lengths_page(&state->lengths, page) >= 0;
}

/* Finds the first frame of some that has a page of a state, or the last one; zero if there is none. */
static int amalgam_state_frame(
    const amalgam_index_state *state, amalgam_frames frames, int finds_last, u32 *frame) {
    Pgno page = 0;
    int code = amalgam_frames_next(&frames, &page);
    for (*frame = 0; code == SQLITE_OK && page != 0; code = amalgam_frames_next(&frames, &page)) {
        if (!amalgam_state_has_page(state, page)) continue;
        *frame = frames.next - 1;
        if (!finds_last) break;
    }
    return code;
}

/* Whether a snapshot is the last one of the generation before, and has the state. */
static int amalgam_state_is_before(const amalgam_index_state *state, const amalgam_snapshot *snapshot) {
    return state->has_before && state->before.frame == snapshot->frame &&
           amalgam_is_same_generation(&state->before.generation, &snapshot->generation);
}

/* Whether a snapshot has a state: none of its pages was written in between. If it can't be found out, it hasn't. */
static int amalgam_state_is_at(amalgam_index_state *state, const amalgam_snapshot *snapshot, Wal *wal) {
    u32 frame = 0;
    if (amalgam_state_is_before(state, snapshot)) return 1;
    if (state->is_past || !amalgam_is_same_generation(&state->generation, &snapshot->generation)) return 0;
    if (snapshot->frame >= state->first && snapshot->frame <= state->last) return 1;
    if (snapshot->frame > state->last) {
        if (state->end == 0) {
            const amalgam_frames frames = amalgam_frames_between(wal, state->last, snapshot->frame);
            if (amalgam_state_frame(state, frames, 0, &frame) != SQLITE_OK) return 0;
            if (!amalgam_is_in_index(wal, &state->generation)) return 0;
            state->end = frame;
        }
        if (state->end != 0 && snapshot->frame >= state->end) return 0;
        state->last = snapshot->frame;
        return 1;
    }
    const amalgam_frames frames = amalgam_frames_between(wal, snapshot->frame, state->first);
    if (amalgam_state_frame(state, frames, 1, &frame) != SQLITE_OK) return 0;
    if (!amalgam_is_in_index(wal, &state->generation)) return 0;
    state->first = frame != 0 ? frame : snapshot->frame;
    return frame == 0;
}

/* A state in memory that a snapshot has; NULL if there is none. The caller owns a reference. */
static amalgam_index_state *amalgam_index_known(amalgam_index *index, const amalgam_snapshot *snapshot, Wal *wal) {
    for (int i = 0; i < AMALGAM_INDEX_STATES && index->states[i] != 0; i++) {
        amalgam_index_state *state = index->states[i];
        if (!amalgam_state_is_at(state, snapshot, wal)) continue;
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

/* Another state of the table, the frames between the two in the same generation, and pages that were written before it. */
typedef struct amalgam_origin {
    amalgam_index_state *state; /* NULL if there is none; the caller owns it */
    amalgam_page_list *written; /* may be NULL; the caller owns it */
    amalgam_generation generation;
    u32 after, last;
} amalgam_origin;

static void amalgam_origin_release(amalgam_origin *origin) {
    amalgam_index_state_release(origin->state);
    amalgam_page_list_release(origin->written);
}

/* How much was written since an origin. */
static i64 amalgam_origin_distance(const amalgam_origin *origin) {
    return (i64)origin->last - (i64)origin->after + (origin->written != 0 ? origin->written->count : 0);
}

/* The nearest state in memory with lengths; with terms, the nearest earlier one. */
static amalgam_origin amalgam_index_origin(const amalgam_index *index, const amalgam_snapshot *snapshot, int has_terms) {
    amalgam_origin origin = {0};
    for (int i = 0; i < AMALGAM_INDEX_STATES && index->states[i] != 0; i++) {
        amalgam_index_state *state = index->states[i];
        if (has_terms ? state->terms == 0 : !state->has_lengths || state->lengths.is_left_out) continue;
        if (!amalgam_is_same_generation(&state->generation, &snapshot->generation)) continue;
        if (state->is_past && state->written == 0) continue;
        const int is_later = state->is_past || snapshot->frame > state->last;
        if (has_terms && !is_later) continue;
        const amalgam_origin next = {
            .state = state, .written = state->written, .generation = state->generation,
            .after = is_later ? state->last : snapshot->frame, .last = is_later ? snapshot->frame : state->first};
        if (origin.state == 0 || amalgam_origin_distance(&next) < amalgam_origin_distance(&origin)) origin = next;
    }
    if (origin.state != 0) amalgam_index_state_retain(origin.state);
    if (origin.written != 0) __atomic_add_fetch(&origin.written->references, 1, __ATOMIC_RELAXED);
    return origin;
}

/* For each page of %_docsize in the origin, whether it was written in between. `*changes` is NULL if that isn't known. */
static int amalgam_origin_changes(const amalgam_origin *origin, Wal *wal, uint8_t **changes) {
    const amalgam_lengths *lengths = &origin->state->lengths;
    amalgam_frames frames = amalgam_frames_between(wal, origin->after, origin->last);
    Pgno page = 0;
    *changes = sqlite3_malloc64((size_t)lengths->page_count + 1);
    if (*changes == 0) return SQLITE_NOMEM;
    memset(*changes, 0, (size_t)lengths->page_count + 1);
    int code = amalgam_frames_next(&frames, &page);
    for (; code == SQLITE_OK && page != 0; code = amalgam_frames_next(&frames, &page)) {
        const int at = amalgam_lengths_page(lengths, page);
        if (at >= 0) (*changes)[at] = 1;
    }
    for (int i = 0; origin->written != 0 && i < origin->written->count; i++) {
        const int at = amalgam_lengths_page(lengths, origin->written->pages[i]);
        if (at >= 0) (*changes)[at] = 1;
    }
    if (code == SQLITE_OK && amalgam_is_in_index(wal, &origin->generation)) return SQLITE_OK;
    sqlite3_free(*changes);
    *changes = 0;
    return code;
}

/* Generations */

/* Takes a state along to the next generation. `end` is the last snapshot of its own one. */
static void amalgam_state_continue(
    amalgam_index_state *state, Wal *wal, const amalgam_snapshot *end, const amalgam_generation *next) {
    const amalgam_frames frames = amalgam_frames_between(wal, state->last, end->frame);
    u32 frame = state->end;
    int is_known = state->is_past ? state->written != 0 : 1;
    if (!state->is_past && frame == 0) is_known = amalgam_state_frame(state, frames, 0, &frame) == SQLITE_OK;
    state->has_before = is_known && !state->is_past && frame == 0;
    if (state->has_before) {
        state->before = *end;
    } else {
        amalgam_page_list *written = is_known ? amalgam_page_list_new(state->written, frames) : 0;
        amalgam_page_list_release(state->written);
        state->written = written;
        state->is_past = 1;
    }
    state->generation = *next;
    state->first = state->last = state->end = 0;
}

static int amalgam_index_has_wal(const amalgam_index *index, const Wal *wal, const amalgam_file_id *file_id) {
    const size_t length = strlen(index->key.file);
    return index->key.file_id.inode == file_id->inode && index->key.file_id.device == file_id->device &&
           strncmp(wal->zWalName, index->key.file, length) == 0 && strcmp(wal->zWalName + length, "-wal") == 0;
}

/*
** A connection begins a new generation of the WAL file: `wal` has its salts, `old` the last header of the one before. All
** frames are in the database file. The connection holds the lock of the writer, so nothing is written between the two. The
** WAL index still has the frames of the one before.
*/
static void amalgam_wal_restarts(Wal *wal, const WalIndexHdr *old) {
    const amalgam_snapshot end = {.generation = {.salts = {old->aSalt[0], old->aSalt[1]}}, .frame = old->mxFrame};
    const amalgam_generation next = {.salts = {wal->hdr.aSalt[0], wal->hdr.aSalt[1]}};
    const amalgam_file_id file_id = amalgam_file_id_of(wal->pDbFd);
    /* Without salts, a generation is known by a counter that isn't known here. */
    if ((old->aSalt[0] | old->aSalt[1]) == 0) return;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    for (amalgam_index *index = amalgam_indexes; index != 0; index = index->next) {
        if (!amalgam_index_has_wal(index, wal, &file_id)) continue;
        for (int i = 0; i < AMALGAM_INDEX_STATES && index->states[i] != 0; i++) {
            amalgam_index_state *state = index->states[i];
            if (!amalgam_is_same_generation(&state->generation, &end.generation)) continue;
            amalgam_state_continue(state, wal, &end, &next);
        }
    }
    sqlite3_mutex_leave(amalgam_indexes_mutex());
}

/* Tables */

static void amalgam_index_free(amalgam_index *index) {
    for (int i = 0; i < AMALGAM_INDEX_STATES; i++) amalgam_index_state_release(index->states[i]);
    sqlite3_free((char *)index->key.file);
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

static int amalgam_index_is(const amalgam_index *index, const amalgam_index_key *key) {
    return index->key.data == key->data && index->key.docsize == key->docsize && index->key.columns == key->columns &&
           index->key.file_id.inode == key->file_id.inode && index->key.file_id.device == key->file_id.device &&
           strcmp(index->key.file, key->file) == 0;
}

/* Finds a table, or adds it. The caller owns a reference. */
static int amalgam_index_find(const amalgam_index_key *key, amalgam_index **result) {
    int code = SQLITE_OK;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    amalgam_index *index = amalgam_indexes;
    while (index != 0 && !amalgam_index_is(index, key)) index = index->next;
    if (index == 0) {
        index = sqlite3_malloc64(sizeof(amalgam_index));
        char *file = sqlite3_mprintf("%s", key->file);
        if (index == 0 || file == 0) {
            sqlite3_free(index);
            sqlite3_free(file);
            index = 0;
            code = SQLITE_NOMEM;
        } else {
            memset(index, 0, sizeof(*index));
            index->key = *key;
            index->key.file = file;
            index->next = amalgam_indexes;
            amalgam_indexes = index;
        }
    }
    if (index != 0) index->references++;
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    *result = index;
    return code;
}

/* Makes the state of a snapshot from the state of a different one: reads the changed pages again. */
static int amalgam_index_derive(
    const Fts5Config *config, const amalgam_origin *origin, Wal *wal, amalgam_index_state *state) {
    uint8_t *changes = 0;
    int code = amalgam_origin_changes(origin, wal, &changes);
    if (code == SQLITE_OK && changes != 0) {
        code = amalgam_lengths_read(config, &origin->state->lengths, changes, &state->lengths);
        state->has_lengths = code == SQLITE_OK;
    }
    sqlite3_free(changes);
    return code;
}

/* The state that a transaction sees, without what it has written itself. The caller owns it. */
static int amalgam_index_state_at(
    const Fts5Config *config, amalgam_index *index, const amalgam_snapshot *snapshot, Wal *wal,
    const amalgam_data_path *path, amalgam_index_state **result) {
    amalgam_origin origin = {0};
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    amalgam_index_state *state = amalgam_index_known(index, snapshot, wal);
    if (state == 0) origin = amalgam_index_origin(index, snapshot, 0);
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    *result = state;
    if (state != 0) return SQLITE_OK;
    state = amalgam_index_state_new();
    int code = state != 0 ? SQLITE_OK : SQLITE_NOMEM;
    if (code == SQLITE_OK && origin.state != 0) code = amalgam_index_derive(config, &origin, wal, state);
    amalgam_origin_release(&origin);
    if (code != SQLITE_OK) {
        amalgam_index_state_release(state);
        return code;
    }
    state->generation = snapshot->generation;
    state->first = state->last = snapshot->frame;
    state->path = *path;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    amalgam_index_state *other = amalgam_index_known(index, snapshot, wal);
    amalgam_index_state *removed = other == 0 ? amalgam_index_remember(index, state) : state;
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    amalgam_index_state_release(removed);
    *result = other != 0 ? other : state;
    return SQLITE_OK;
}
