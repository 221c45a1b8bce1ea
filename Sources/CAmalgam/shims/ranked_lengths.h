/*
** The lengths of the rows of an FTS5 table, in memory. The rank of a row depends on its length in tokens, which FTS5
** reads from the table %_docsize, one row at a time.
**
** A run has the rows of one leaf page of %_docsize. The lengths of two states of a table share the runs of all pages that
** haven't changed. A run never changes while it is shared.
*/

/* The bits of a rowid, or of a place, within a window. */
enum { AMALGAM_CHUNK_BITS = 12, AMALGAM_CHUNK_ROWS = 1 << AMALGAM_CHUNK_BITS };

/*
** A length is stored as its successor in 16 bits. These two numbers are no lengths. In both cases, the reader asks FTS5,
** which also reports an error for a row without a length.
*/
enum { AMALGAM_LENGTH_MISSING = 0, AMALGAM_LENGTH_TOO_LARGE = 0xffff };

/* Sorted rowids and their lengths. `offsets` or `rowids` are NULL, or both: then, the rowids follow on each other. */
typedef struct amalgam_run {
    int references;
    int count;
    int64_t first, last;     /* rowids */
    const uint16_t *offsets; /* the differences of the rowids from the first one */
    const int64_t *rowids;
    uint16_t *values;
    int64_t memory[];
} amalgam_run;

/* A leaf page of %_docsize. */
typedef struct amalgam_leaf {
    Pgno page;     /* 0 for rows that a transaction has written */
    int64_t place; /* the number of rows before this page; see `changed` */
    amalgam_run *run;
} amalgam_leaf;

/* A page of %_docsize. */
typedef struct amalgam_docsize_page {
    Pgno page;
    int leaf; /* the index of the leaf; -1 for other pages */
} amalgam_docsize_page;

/* The lengths of the rows of a window, one for each row. States share them. */
typedef struct amalgam_row_values {
    int references;
    uint16_t values[AMALGAM_CHUNK_ROWS];
} amalgam_row_values;

typedef struct amalgam_lengths {
    int count, capacity;
    amalgam_leaf *leaves; /* in the order of their rowids */
    int page_count, page_capacity;
    amalgam_docsize_page *pages; /* sorted; empty for a transaction that has written the table */
    int64_t rows;
    int changed;     /* the first leaf that has changed since the places of all leaves were counted */
    int is_left_out; /* FTS5 reads the lengths: the table isn't one that FTS5 has made, or it is corrupt */
    int is_sparse;   /* windows are those of places, not of rowids */
    int64_t first_window;
    int window_count;
    amalgam_row_values **windows; /* each is NULL until a search needs it */
} amalgam_lengths;

/* If windows of rowids had fewer rows on average, windows are those of places: of the numbers of rows in their order. */
enum { AMALGAM_SPARSE_ROWS = 256 };

static int amalgam_compare_rowids(const void *left, const void *right) {
    const int64_t first = *(const int64_t *)left, second = *(const int64_t *)right;
    return (first > second) - (first < second);
}

static int64_t amalgam_chunk_key(int64_t rowid) { return rowid >> AMALGAM_CHUNK_BITS; }
static int amalgam_chunk_remainder(int64_t rowid) { return (int)(rowid & (AMALGAM_CHUNK_ROWS - 1)); }

/* Runs */

static size_t amalgam_run_memory(const amalgam_run *run) {
    const size_t rowids = run->rowids != 0 ? sizeof(int64_t) : run->offsets != 0 ? sizeof(uint16_t) : 0;
    return sizeof(amalgam_run) + (rowids + sizeof(uint16_t)) * (size_t)run->count;
}

/* Makes a run of rows, at least one, whose rowids ascend. Returns NULL if memory is exhausted. */
static amalgam_run *amalgam_run_new(const int64_t *rowids, const uint16_t *values, int count) {
    const u64 span = (u64)rowids[count - 1] - (u64)rowids[0];
    const int is_dense = span == (u64)count - 1, is_near = !is_dense && span <= UINT16_MAX;
    const size_t size = (is_dense ? 0 : is_near ? sizeof(uint16_t) : sizeof(int64_t)) * (size_t)count;
    amalgam_run *run = sqlite3_malloc64(sizeof(amalgam_run) + size + sizeof(uint16_t) * (size_t)count);
    if (run == 0) return 0;
    *run = (amalgam_run){.references = 1, .count = count, .first = rowids[0], .last = rowids[count - 1]};
    if (is_near) {
        uint16_t *offsets = (uint16_t *)run->memory;
        for (int i = 0; i < count; i++) offsets[i] = (uint16_t)((u64)rowids[i] - (u64)rowids[0]);
        run->offsets = offsets;
    } else if (!is_dense) {
        memcpy(run->memory, rowids, size);
        run->rowids = run->memory;
    }
    run->values = (uint16_t *)((char *)run->memory + size);
    memcpy(run->values, values, sizeof(uint16_t) * (size_t)count);
    return run;
}

/* Other threads may share the run. */
static amalgam_run *amalgam_run_retain(amalgam_run *run) {
    __atomic_add_fetch(&run->references, 1, __ATOMIC_RELAXED);
    return run;
}

static void amalgam_run_release(amalgam_run *run) {
    if (__atomic_sub_fetch(&run->references, 1, __ATOMIC_ACQ_REL) == 0) sqlite3_free(run);
}

static inline int64_t amalgam_run_rowid(const amalgam_run *run, int at) {
    if (run->rowids != 0) return run->rowids[at];
    return (int64_t)((u64)run->first + (run->offsets != 0 ? run->offsets[at] : (u64)at));
}

/* The index of the first row whose rowid isn't smaller; the number of rows if there is none. */
static int amalgam_run_search(const amalgam_run *run, int64_t rowid) {
    if (rowid <= run->first) return 0;
    if (rowid > run->last) return run->count;
    if (run->offsets == 0 && run->rowids == 0) return (int)((u64)rowid - (u64)run->first);
    int low = 0, high = run->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (amalgam_run_rowid(run, middle) < rowid) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Lengths */

static void amalgam_row_values_release(amalgam_row_values *values) {
    if (values != 0 && __atomic_sub_fetch(&values->references, 1, __ATOMIC_ACQ_REL) == 0) sqlite3_free(values);
}

static void amalgam_lengths_forget_windows(amalgam_lengths *lengths) {
    for (int i = 0; i < lengths->window_count; i++) amalgam_row_values_release(lengths->windows[i]);
    sqlite3_free(lengths->windows);
    lengths->windows = 0;
    lengths->window_count = 0;
}

static void amalgam_lengths_free(amalgam_lengths *lengths) {
    for (int i = 0; i < lengths->count; i++) amalgam_run_release(lengths->leaves[i].run);
    amalgam_lengths_forget_windows(lengths);
    sqlite3_free(lengths->leaves);
    sqlite3_free(lengths->pages);
    *lengths = (amalgam_lengths){0};
}

static void amalgam_lengths_leave_out(amalgam_lengths *lengths) {
    amalgam_lengths_free(lengths);
    lengths->is_left_out = 1;
}

/* The index of the last leaf whose first rowid isn't larger; -1 if there is none. */
static int amalgam_lengths_search(const amalgam_lengths *lengths, int64_t rowid) {
    int low = 0, high = lengths->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (lengths->leaves[middle].run->first <= rowid) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

/* The place of the first row whose rowid isn't smaller. `*is_there` receives whether it has this rowid. */
static int64_t amalgam_lengths_place(const amalgam_lengths *lengths, int64_t rowid, int *is_there) {
    const int leaf = amalgam_lengths_search(lengths, rowid);
    *is_there = 0;
    if (leaf < 0) return 0;
    const amalgam_run *run = lengths->leaves[leaf].run;
    const int at = amalgam_run_search(run, rowid);
    *is_there = at < run->count && amalgam_run_rowid(run, at) == rowid;
    return lengths->leaves[leaf].place + at;
}

/* The index of the leaf that has a place. There is such a place. */
static int amalgam_lengths_leaf_at(const amalgam_lengths *lengths, int64_t place) {
    int low = 0, high = lengths->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (lengths->leaves[middle].place <= place) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

/* The rowid at a place; the largest number if there is no such place. */
static int64_t amalgam_lengths_rowid(const amalgam_lengths *lengths, int64_t place) {
    if (place < 0 || place >= lengths->rows) return place < 0 ? SMALLEST_INT64 : LARGEST_INT64;
    const amalgam_leaf *leaf = &lengths->leaves[amalgam_lengths_leaf_at(lengths, place)];
    return amalgam_run_rowid(leaf->run, (int)(place - leaf->place));
}

/* The stored length of a row. */
static unsigned amalgam_lengths_value(const amalgam_lengths *lengths, int64_t rowid) {
    const int leaf = amalgam_lengths_search(lengths, rowid);
    if (leaf < 0) return AMALGAM_LENGTH_MISSING;
    const amalgam_run *run = lengths->leaves[leaf].run;
    const int at = amalgam_run_search(run, rowid);
    return at < run->count && amalgam_run_rowid(run, at) == rowid ? run->values[at] : AMALGAM_LENGTH_MISSING;
}

static int amalgam_lengths_reserve(amalgam_lengths *lengths, int count) {
    if (count <= lengths->capacity) return SQLITE_OK;
    const int capacity = MAX(count, lengths->capacity > 0 ? 2 * lengths->capacity : 16);
    amalgam_leaf *leaves = sqlite3_realloc64(lengths->leaves, (size_t)capacity * sizeof(amalgam_leaf));
    if (leaves == 0) return SQLITE_NOMEM;
    lengths->leaves = leaves;
    lengths->capacity = capacity;
    return SQLITE_OK;
}

/* The size in memory, without the lengths of windows. */
static int64_t amalgam_lengths_bytes(const amalgam_lengths *lengths) {
    int64_t bytes = (int64_t)sizeof(amalgam_docsize_page) * lengths->page_count;
    bytes += (int64_t)sizeof(amalgam_row_values *) * lengths->window_count;
    for (int i = 0; i < lengths->count; i++) {
        bytes += (int64_t)(amalgam_run_memory(lengths->leaves[i].run) + sizeof(amalgam_leaf));
    }
    return bytes;
}

/* Counts the places of the leaves from the first changed one on, whose place is returned, and the rows. */
static int64_t amalgam_lengths_count_places(amalgam_lengths *lengths) {
    const int changed = MIN(lengths->changed, lengths->count);
    const amalgam_leaf *before = changed > 0 ? &lengths->leaves[changed - 1] : 0;
    const int64_t first = before != 0 ? before->place + before->run->count : 0;
    lengths->rows = first;
    for (int i = changed; i < lengths->count; i++) {
        lengths->leaves[i].place = lengths->rows;
        lengths->rows += lengths->leaves[i].run->count;
    }
    lengths->changed = lengths->count;
    return first;
}

/* Windows */

/* The keys of windows. */
typedef struct amalgam_window_keys {
    int is_sparse;
    int64_t first;
    u64 count;
} amalgam_window_keys;

/* The windows of all rows. */
static amalgam_window_keys amalgam_lengths_keys(const amalgam_lengths *lengths) {
    if (lengths->count == 0) return (amalgam_window_keys){0};
    const int64_t first = amalgam_chunk_key(lengths->leaves[0].run->first);
    const int64_t last = amalgam_chunk_key(lengths->leaves[lengths->count - 1].run->last);
    const u64 count = (u64)last - (u64)first + 1;
    const int is_sparse = count > 1 && (u64)(lengths->rows / AMALGAM_SPARSE_ROWS) < count;
    if (!is_sparse) return (amalgam_window_keys){.first = first, .count = count};
    return (amalgam_window_keys){.is_sparse = 1, .count = (u64)amalgam_chunk_key(lengths->rows - 1) + 1};
}

/* Gives the lengths other windows, which include the earlier ones with the same keys. Without memory, there are none. */
static void amalgam_lengths_set_windows(amalgam_lengths *lengths, const amalgam_window_keys *keys) {
    const size_t size = keys->count <= INT_MAX ? sizeof(amalgam_row_values *) * (size_t)keys->count : 0;
    amalgam_row_values **windows = size > 0 ? sqlite3_malloc64(size) : 0;
    if (windows != 0) memset(windows, 0, size);
    for (int i = 0; windows != 0 && keys->is_sparse == lengths->is_sparse && i < lengths->window_count; i++) {
        const u64 at = (u64)lengths->first_window + (u64)i - (u64)keys->first;
        if (at >= keys->count) continue;
        windows[at] = lengths->windows[i];
        lengths->windows[i] = 0;
    }
    amalgam_lengths_forget_windows(lengths);
    lengths->windows = windows;
    lengths->window_count = windows != 0 ? (int)keys->count : 0;
    lengths->first_window = keys->first;
    lengths->is_sparse = keys->is_sparse;
}

/*
** Adapts windows and places to changed leaves. A window of rowids stays: it includes the changes. Of the windows of places,
** those before the first changed leaf stay.
*/
static void amalgam_lengths_adapt_windows(amalgam_lengths *lengths) {
    const amalgam_window_keys keys = amalgam_lengths_keys(lengths);
    if (keys.is_sparse) {
        const int64_t changed = amalgam_chunk_key(amalgam_lengths_count_places(lengths));
        for (int64_t i = changed; lengths->is_sparse && i < lengths->window_count; i++) {
            amalgam_row_values_release(lengths->windows[i]);
            lengths->windows[i] = 0;
        }
    }
    if (keys.is_sparse != lengths->is_sparse || keys.first != lengths->first_window ||
        keys.count != (u64)lengths->window_count) {
        amalgam_lengths_set_windows(lengths, &keys);
    }
}

/* Counts rows, and makes windows, for leaves that were read. */
static void amalgam_lengths_finish(amalgam_lengths *lengths) {
    amalgam_lengths_forget_windows(lengths);
    lengths->changed = 0;
    amalgam_lengths_count_places(lengths);
    amalgam_lengths_adapt_windows(lengths);
}

/* Writes the lengths of the rows of a run that are in a window, one for each row of the window. */
static void amalgam_run_unpack(const amalgam_run *run, int64_t key, uint16_t *values) {
    const int64_t first = (int64_t)((u64)key << AMALGAM_CHUNK_BITS);
    int at = amalgam_run_search(run, first);
    if (run->offsets == 0 && run->rowids == 0) {
        if (at == run->count) return;
        const int row = (int)((u64)amalgam_run_rowid(run, at) - (u64)first);
        const int count = MIN(run->count - at, AMALGAM_CHUNK_ROWS - row);
        if (row < AMALGAM_CHUNK_ROWS && count > 0) memcpy(values + row, run->values + at, sizeof(uint16_t) * (size_t)count);
        return;
    }
    for (; at < run->count; at++) {
        const int64_t rowid = amalgam_run_rowid(run, at);
        if (amalgam_chunk_key(rowid) != key) return;
        values[amalgam_chunk_remainder(rowid)] = run->values[at];
    }
}

/* Writes the lengths of the rows of a window; zero for a place without a row. */
static void amalgam_lengths_unpack(const amalgam_lengths *lengths, int64_t key, uint16_t *values) {
    memset(values, 0, sizeof(uint16_t) * AMALGAM_CHUNK_ROWS);
    const int64_t first = (int64_t)((u64)key << AMALGAM_CHUNK_BITS);
    if (!lengths->is_sparse) {
        for (int leaf = MAX(0, amalgam_lengths_search(lengths, first)); leaf < lengths->count; leaf++) {
            const amalgam_run *run = lengths->leaves[leaf].run;
            if (amalgam_chunk_key(run->first) > key) break;
            amalgam_run_unpack(run, key, values);
        }
        return;
    }
    const int64_t end = MIN(first + AMALGAM_CHUNK_ROWS, lengths->rows);
    for (int64_t place = first; place < end;) {
        const amalgam_leaf *leaf = &lengths->leaves[amalgam_lengths_leaf_at(lengths, place)];
        const int at = (int)(place - leaf->place), count = (int)MIN(leaf->run->count - at, end - place);
        memcpy(values + (place - first), leaf->run->values + at, sizeof(uint16_t) * (size_t)count);
        place += count;
    }
}

/* A window with fewer postings isn't made. */
enum { AMALGAM_WINDOW_POSTINGS = 32 };

/*
** The lengths of the rows of a window, for a number of postings. They are in memory as long as `lengths`. NULL: the window
** isn't made for so few, or there is no memory for it.
*/
static const uint16_t *amalgam_lengths_window(const amalgam_lengths *lengths, int64_t key, int postings) {
    const int64_t at = (int64_t)((u64)key - (u64)lengths->first_window);
    if (key < lengths->first_window || at >= lengths->window_count) return 0;
    amalgam_row_values *values = __atomic_load_n(&lengths->windows[at], __ATOMIC_ACQUIRE), *none = 0;
    if (values != 0) return values->values;
    if (postings < AMALGAM_WINDOW_POSTINGS) return 0;
    values = sqlite3_malloc64(sizeof(amalgam_row_values));
    if (values == 0) return 0;
    values->references = 1;
    amalgam_lengths_unpack(lengths, key, values->values);
    const int is_first =
        __atomic_compare_exchange_n(&lengths->windows[at], &none, values, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (is_first) return values->values;
    /* Another thread was faster. */
    sqlite3_free(values);
    return none->values;
}

/* Whether a window has the same runs in two sets of lengths. */
static int amalgam_window_is_same(const amalgam_lengths *lengths, const amalgam_lengths *other, int64_t key) {
    const int64_t first = (int64_t)((u64)key << AMALGAM_CHUNK_BITS), last = first + (AMALGAM_CHUNK_ROWS - 1);
    int at = amalgam_lengths_search(lengths, first), other_at = amalgam_lengths_search(other, first);
    if (at < 0 || lengths->leaves[at].run->last < first) at++;
    if (other_at < 0 || other->leaves[other_at].run->last < first) other_at++;
    for (;; at++, other_at++) {
        const amalgam_run *run = at < lengths->count ? lengths->leaves[at].run : 0;
        const amalgam_run *same = other_at < other->count ? other->leaves[other_at].run : 0;
        if (run != 0 && run->first > last) run = 0;
        if (same != 0 && same->first > last) same = 0;
        if (run != same) return 0;
        if (run == 0) return 1;
    }
}

/* Shares the windows of another set of lengths that have the same rows. */
static void amalgam_lengths_share_windows(amalgam_lengths *lengths, const amalgam_lengths *other) {
    if (lengths->is_sparse || other->is_sparse) return;
    for (int i = 0; i < lengths->window_count; i++) {
        const int64_t key = lengths->first_window + i;
        if (key < other->first_window || key - other->first_window >= other->window_count) continue;
        amalgam_row_values *values =
            __atomic_load_n(&other->windows[key - other->first_window], __ATOMIC_ACQUIRE);
        if (values == 0 || !amalgam_window_is_same(lengths, other, key)) continue;
        __atomic_add_fetch(&values->references, 1, __ATOMIC_RELAXED);
        lengths->windows[i] = values;
    }
}

/* Places */

/* The rowids of a window of places. */
typedef struct amalgam_places {
    const amalgam_lengths *lengths;
    int64_t key; /* -1: none */
    int count;
    int64_t rowids[AMALGAM_CHUNK_ROWS];
} amalgam_places;

/* A row of the index has no length. FTS5 has to find out whether that is an error. */
enum { AMALGAM_NO_PLACE = SQLITE_EMPTY };

static void amalgam_places_load(amalgam_places *places, int64_t key) {
    const amalgam_lengths *lengths = places->lengths;
    if (places->key == key) return;
    const int64_t first = (int64_t)((u64)key << AMALGAM_CHUNK_BITS);
    const int64_t end = MIN(first + AMALGAM_CHUNK_ROWS, lengths->rows);
    places->key = key;
    places->count = 0;
    for (int64_t place = first; place < end;) {
        const amalgam_leaf *leaf = &lengths->leaves[amalgam_lengths_leaf_at(lengths, place)];
        for (int at = (int)(place - leaf->place); at < leaf->run->count && place < end; at++, place++) {
            places->rowids[places->count++] = amalgam_run_rowid(leaf->run, at);
        }
    }
}

/* The row of a rowid in the window, from a position on; -1 if there is none. */
static inline int amalgam_places_find(const amalgam_places *places, int at, int64_t rowid) {
    int step = 1;
    while (at + step < places->count && places->rowids[at + step] < rowid) {
        at += step;
        step *= 2;
    }
    int low = at, high = MIN(at + step + 1, places->count);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (places->rowids[middle] < rowid) low = middle + 1;
        else high = middle;
    }
    return low < places->count && places->rowids[low] == rowid ? low : -1;
}
