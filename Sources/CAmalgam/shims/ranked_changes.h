/*
** Changes of the lengths in memory: copies of them, and the rows that a transaction has written, one by one. Each change
** replaces the run of a leaf, because states may share it.
*/

/* Shares all windows. Without memory, the copy has none. */
static void amalgam_lengths_copy_windows(const amalgam_lengths *source, amalgam_lengths *copy) {
    const size_t size = sizeof(amalgam_row_values *) * (size_t)source->window_count;
    copy->is_sparse = source->is_sparse;
    copy->windows = size == 0 ? 0 : sqlite3_malloc64(size);
    if (copy->windows == 0) return;
    copy->first_window = source->first_window;
    copy->window_count = source->window_count;
    for (int i = 0; i < source->window_count; i++) {
        copy->windows[i] = __atomic_load_n(&source->windows[i], __ATOMIC_ACQUIRE);
        if (copy->windows[i] != 0) __atomic_add_fetch(&copy->windows[i]->references, 1, __ATOMIC_RELAXED);
    }
}

/* Copies leaves, without pages and windows. */
static int amalgam_lengths_copy(const amalgam_lengths *source, amalgam_lengths *copy) {
    *copy = (amalgam_lengths){.is_left_out = source->is_left_out};
    const int code = amalgam_lengths_reserve(copy, source->count);
    if (code != SQLITE_OK) return code;
    for (int i = 0; i < source->count; i++) {
        copy->leaves[i] = source->leaves[i];
        amalgam_run_retain(copy->leaves[i].run);
    }
    copy->count = source->count;
    copy->rows = source->rows;
    copy->changed = source->changed;
    return SQLITE_OK;
}

/* A run of a transaction has up to this number of rows. */
enum { AMALGAM_RUN_ROWS = 1024 };

/* Replaces a leaf by one with other rows, or by none if `count` is zero. */
static int amalgam_lengths_replace(
    amalgam_lengths *lengths, int leaf, const int64_t *rowids, const uint16_t *values, int count) {
    lengths->rows += count - lengths->leaves[leaf].run->count;
    lengths->changed = MIN(lengths->changed, leaf);
    amalgam_run_release(lengths->leaves[leaf].run);
    lengths->leaves[leaf].run = count > 0 ? amalgam_run_new(rowids, values, count) : 0;
    lengths->leaves[leaf].page = 0;
    if (lengths->leaves[leaf].run != 0) return SQLITE_OK;
    lengths->count--;
    memmove(
        lengths->leaves + leaf, lengths->leaves + leaf + 1, sizeof(amalgam_leaf) * (size_t)(lengths->count - leaf));
    return count > 0 ? SQLITE_NOMEM : SQLITE_OK;
}

/* Inserts a leaf at an index. */
static int amalgam_lengths_insert(
    amalgam_lengths *lengths, int leaf, const int64_t *rowids, const uint16_t *values, int count) {
    const int code = amalgam_lengths_reserve(lengths, lengths->count + 1);
    amalgam_run *run = code == SQLITE_OK ? amalgam_run_new(rowids, values, count) : 0;
    if (run == 0) return SQLITE_NOMEM;
    memmove(
        lengths->leaves + leaf + 1, lengths->leaves + leaf, sizeof(amalgam_leaf) * (size_t)(lengths->count - leaf));
    lengths->leaves[leaf] = (amalgam_leaf){.run = run};
    lengths->count++;
    lengths->rows += count;
    lengths->changed = MIN(lengths->changed, leaf);
    return SQLITE_OK;
}

/* Writes a row to a leaf, at an index of its rows. */
static int amalgam_lengths_edit(amalgam_lengths *lengths, int leaf, int at, int exists, int64_t rowid, uint16_t value) {
    const amalgam_run *run = lengths->leaves[leaf].run;
    int64_t *rowids = sqlite3_malloc64((sizeof(int64_t) + sizeof(uint16_t)) * ((size_t)run->count + 1));
    if (rowids == 0) return SQLITE_NOMEM;
    uint16_t *values = (uint16_t *)(rowids + run->count + 1);
    int count = 0;
    for (int i = 0; i < run->count + 1; i++) {
        if (i == at && value != AMALGAM_LENGTH_MISSING) {
            rowids[count] = rowid;
            values[count++] = value;
        }
        if (i == run->count || (exists && i == at)) continue;
        rowids[count] = amalgam_run_rowid(run, i);
        values[count++] = run->values[i];
    }
    int code = SQLITE_OK;
    if (count > AMALGAM_RUN_ROWS) {
        const int half = count / 2;
        code = amalgam_lengths_insert(lengths, leaf + 1, rowids + half, values + half, count - half);
        count = half;
    }
    if (code == SQLITE_OK) code = amalgam_lengths_replace(lengths, leaf, rowids, values, count);
    sqlite3_free(rowids);
    return code;
}

/* Writes a length to its window, or forgets the window if it is shared. */
static void amalgam_lengths_put_in_window(amalgam_lengths *lengths, int64_t rowid, uint16_t value) {
    const int64_t key = amalgam_chunk_key(rowid), at = (int64_t)((u64)key - (u64)lengths->first_window);
    if (key < lengths->first_window || at >= lengths->window_count || lengths->windows[at] == 0) return;
    if (__atomic_load_n(&lengths->windows[at]->references, __ATOMIC_ACQUIRE) == 1) {
        lengths->windows[at]->values[amalgam_chunk_remainder(rowid)] = value;
        return;
    }
    amalgam_row_values_release(lengths->windows[at]);
    lengths->windows[at] = 0;
}

/*
** Sets the length of a row, or removes the row. Pages aren't valid afterwards; windows and places are after a call of
** amalgam_lengths_adapt_windows().
*/
static int amalgam_lengths_put(amalgam_lengths *lengths, int64_t rowid, uint16_t value) {
    if (lengths->window_count > 0 && !lengths->is_sparse) amalgam_lengths_put_in_window(lengths, rowid, value);
    const int leaf = MAX(0, amalgam_lengths_search(lengths, rowid));
    const int is_new = lengths->count == 0 || (leaf == lengths->count - 1 && rowid > lengths->leaves[leaf].run->last &&
                                               lengths->leaves[leaf].run->count >= AMALGAM_RUN_ROWS / 2);
    if (is_new && value == AMALGAM_LENGTH_MISSING) return SQLITE_OK;
    if (is_new) return amalgam_lengths_insert(lengths, lengths->count, &rowid, &value, 1);
    amalgam_run *run = lengths->leaves[leaf].run;
    const int at = amalgam_run_search(run, rowid);
    const int exists = at < run->count && amalgam_run_rowid(run, at) == rowid;
    if (!exists && value == AMALGAM_LENGTH_MISSING) return SQLITE_OK;
    if (exists && run->values[at] == value) return SQLITE_OK;
    return amalgam_lengths_edit(lengths, leaf, at, exists, rowid, value);
}
