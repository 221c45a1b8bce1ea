/*
** The lengths of the rows of an FTS5 table, in memory. The rank of a row depends on its length in tokens, which FTS5
** reads from the table %_docsize, one row at a time.
**
** A set of lengths belongs to one state of the table, and never changes. A write leads to a new state, whose set shares
** all unchanged chunks with the previous one.
*/

/* A chunk has the lengths of rows whose rowids have the same quotient by AMALGAM_CHUNK_ROWS. */
enum { AMALGAM_CHUNK_BITS = 12, AMALGAM_CHUNK_ROWS = 1 << AMALGAM_CHUNK_BITS };

/*
** A length is stored as its successor in 16 bits. These two numbers are no lengths. In both cases, the reader asks FTS5,
** which also reports an error for a row without a length.
*/
enum { AMALGAM_LENGTH_MISSING = 0, AMALGAM_LENGTH_TOO_LARGE = 0xffff };

/*
** The lengths of a chunk. A dense chunk has one value for each rowid. A sparse chunk has `count` sorted rowids (their
** remainders), followed by their lengths.
*/
typedef struct amalgam_chunk {
    int references;
    int count;
    int is_dense;
    uint16_t values[];
} amalgam_chunk;

typedef struct amalgam_chunk_entry {
    int64_t key; /* the quotient of the rowids */
    amalgam_chunk *chunk;
} amalgam_chunk_entry;

typedef struct amalgam_lengths {
    int count, capacity;
    int64_t rows;
    int64_t bytes;
    int is_too_large; /* the lengths aren't held in memory */
    amalgam_chunk_entry *entries; /* sorted by key */
} amalgam_lengths;

/* The average size of a length in memory, beyond which lengths aren't held in memory. */
enum { AMALGAM_LENGTH_BYTES = 5, AMALGAM_LENGTHS_ALLOWANCE = 65536 };

static int amalgam_lengths_are_too_large(const amalgam_lengths *lengths) {
    return lengths->bytes > AMALGAM_LENGTHS_ALLOWANCE + AMALGAM_LENGTH_BYTES * lengths->rows;
}

static int64_t amalgam_chunk_key(int64_t rowid) { return rowid >> AMALGAM_CHUNK_BITS; }
static int amalgam_chunk_remainder(int64_t rowid) { return (int)(rowid & (AMALGAM_CHUNK_ROWS - 1)); }

static int64_t amalgam_chunk_size(const amalgam_chunk *chunk) {
    const int values = chunk->is_dense ? AMALGAM_CHUNK_ROWS : 2 * chunk->count;
    return (int64_t)(sizeof(amalgam_chunk_entry) + sizeof(amalgam_chunk) + values * sizeof(uint16_t));
}

/* Other threads may share the chunk. */
static void amalgam_chunk_retain(amalgam_chunk *chunk) { __atomic_add_fetch(&chunk->references, 1, __ATOMIC_RELAXED); }

static void amalgam_chunk_release(amalgam_chunk *chunk) {
    if (__atomic_sub_fetch(&chunk->references, 1, __ATOMIC_ACQ_REL) == 0) sqlite3_free(chunk);
}

/* Makes a chunk from one value for each rowid. Returns NULL if memory is exhausted. */
static amalgam_chunk *amalgam_chunk_new(const uint16_t *values, int count) {
    const int is_dense = count > AMALGAM_CHUNK_ROWS / 2;
    const size_t size = (is_dense ? AMALGAM_CHUNK_ROWS : 2 * (size_t)count) * sizeof(uint16_t);
    amalgam_chunk *chunk = sqlite3_malloc64(sizeof(amalgam_chunk) + size);
    if (chunk == 0) return 0;
    *chunk = (amalgam_chunk){.references = 1, .count = count, .is_dense = is_dense};
    if (is_dense) {
        memcpy(chunk->values, values, size);
        return chunk;
    }
    for (int row = 0, at = 0; row < AMALGAM_CHUNK_ROWS; row++) {
        if (values[row] == AMALGAM_LENGTH_MISSING) continue;
        chunk->values[at] = (uint16_t)row;
        chunk->values[count + at++] = values[row];
    }
    return chunk;
}

/* Writes one value for each rowid of a chunk. */
static void amalgam_chunk_unpack(const amalgam_chunk *chunk, uint16_t *values) {
    if (chunk->is_dense) {
        memcpy(values, chunk->values, AMALGAM_CHUNK_ROWS * sizeof(uint16_t));
        return;
    }
    memset(values, 0, AMALGAM_CHUNK_ROWS * sizeof(uint16_t));
    for (int i = 0; i < chunk->count; i++) values[chunk->values[i]] = chunk->values[chunk->count + i];
}

static unsigned amalgam_chunk_find(const amalgam_chunk *chunk, int row) {
    if (chunk->is_dense) return chunk->values[row];
    int low = 0, high = chunk->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (chunk->values[middle] < row) low = middle + 1;
        else high = middle;
    }
    return low < chunk->count && chunk->values[low] == row ? chunk->values[chunk->count + low] : AMALGAM_LENGTH_MISSING;
}

/* The index of the first entry whose key isn't smaller. */
static int amalgam_lengths_search(const amalgam_lengths *lengths, int64_t key) {
    int low = 0, high = lengths->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (lengths->entries[middle].key < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void amalgam_lengths_free(amalgam_lengths *lengths) {
    for (int i = 0; i < lengths->count; i++) amalgam_chunk_release(lengths->entries[i].chunk);
    sqlite3_free(lengths->entries);
    *lengths = (amalgam_lengths){0};
}

static void amalgam_lengths_limit(amalgam_lengths *lengths) {
    if (!amalgam_lengths_are_too_large(lengths)) return;
    amalgam_lengths_free(lengths);
    lengths->is_too_large = 1;
}

/* Sets the chunk of a key, or removes it if `count` is zero. */
static int amalgam_lengths_set(amalgam_lengths *lengths, int64_t key, const uint16_t *values, int count) {
    const int at = amalgam_lengths_search(lengths, key);
    const int exists = at < lengths->count && lengths->entries[at].key == key;
    amalgam_chunk *chunk = count > 0 ? amalgam_chunk_new(values, count) : 0;
    if (count > 0 && chunk == 0) return SQLITE_NOMEM;
    if (chunk != 0 && !exists && lengths->count == lengths->capacity) {
        const int capacity = lengths->capacity > 0 ? 2 * lengths->capacity : 16;
        amalgam_chunk_entry *entries =
            sqlite3_realloc64(lengths->entries, (size_t)capacity * sizeof(amalgam_chunk_entry));
        if (entries == 0) {
            sqlite3_free(chunk);
            return SQLITE_NOMEM;
        }
        lengths->entries = entries;
        lengths->capacity = capacity;
    }
    amalgam_chunk_entry *entry = lengths->entries + at;
    const size_t rest = (size_t)(lengths->count - at);
    if (exists) {
        lengths->rows -= entry->chunk->count;
        lengths->bytes -= amalgam_chunk_size(entry->chunk);
        amalgam_chunk_release(entry->chunk);
    } else if (chunk != 0) {
        memmove(entry + 1, entry, rest * sizeof(amalgam_chunk_entry));
        lengths->count++;
    }
    if (chunk != 0) {
        *entry = (amalgam_chunk_entry){.key = key, .chunk = chunk};
        lengths->rows += count;
        lengths->bytes += amalgam_chunk_size(chunk);
    } else if (exists) {
        memmove(entry, entry + 1, (rest - 1) * sizeof(amalgam_chunk_entry));
        lengths->count--;
    }
    return SQLITE_OK;
}

/* The value of a row of %_docsize: a varint for each column. FTS5 considers other blobs corrupt. */
static uint16_t amalgam_length_decode(const uint8_t *blob, int size, int columns) {
    int at = 0;
    int64_t length = 0;
    for (int column = 0; column < columns; column++) {
        u32 number;
        if (at >= size) return AMALGAM_LENGTH_MISSING;
        at += sqlite3Fts5GetVarint32(blob + at, &number);
        length += (int)number;
    }
    if (at != size) return AMALGAM_LENGTH_MISSING;
    if (length < 0 || length + 1 >= AMALGAM_LENGTH_TOO_LARGE) return AMALGAM_LENGTH_TOO_LARGE;
    return (uint16_t)(length + 1);
}

static int amalgam_lengths_prepare(const Fts5Config *config, const char *condition, sqlite3_stmt **statement) {
    char *sql = sqlite3_mprintf("SELECT id, sz FROM %Q.'%q_docsize'%s", config->zDb, config->zName, condition);
    if (sql == 0) return SQLITE_NOMEM;
    const int code = sqlite3_prepare_v3(config->db, sql, -1, 0, statement, 0);
    sqlite3_free(sql);
    return code;
}

static uint16_t amalgam_length_column(sqlite3_stmt *statement, int columns) {
    const uint8_t *blob = sqlite3_column_blob(statement, 1);
    return amalgam_length_decode(blob, sqlite3_column_bytes(statement, 1), columns);
}

/* Reads the lengths of all rows. */
static int amalgam_lengths_read(const Fts5Config *config, amalgam_lengths *lengths) {
    uint16_t values[AMALGAM_CHUNK_ROWS] = {0};
    sqlite3_stmt *statement = 0;
    int64_t key = 0;
    int count = 0;
    *lengths = (amalgam_lengths){0};
    int code = amalgam_lengths_prepare(config, " ORDER BY id", &statement);
    while (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        const int64_t rowid = sqlite3_column_int64(statement, 0);
        if (amalgam_chunk_key(rowid) != key) {
            code = amalgam_lengths_set(lengths, key, values, count);
            if (code != SQLITE_OK || amalgam_lengths_are_too_large(lengths)) break;
            memset(values, 0, sizeof(values));
            key = amalgam_chunk_key(rowid);
            count = 0;
        }
        const uint16_t value = amalgam_length_column(statement, config->nCol);
        values[amalgam_chunk_remainder(rowid)] = value;
        count += value != AMALGAM_LENGTH_MISSING;
    }
    const int final_code = sqlite3_finalize(statement);
    if (code == SQLITE_OK) code = final_code;
    if (code == SQLITE_OK) code = amalgam_lengths_set(lengths, key, values, count);
    if (code != SQLITE_OK) amalgam_lengths_free(lengths);
    amalgam_lengths_limit(lengths);
    return code;
}

static int amalgam_lengths_copy(const amalgam_lengths *source, amalgam_lengths *copy) {
    *copy = *source;
    copy->capacity = source->count;
    copy->entries = sqlite3_malloc64(sizeof(amalgam_chunk_entry) * (size_t)(source->count > 0 ? source->count : 1));
    if (copy->entries == 0) {
        *copy = (amalgam_lengths){0};
        return SQLITE_NOMEM;
    }
    for (int i = 0; i < source->count; i++) {
        copy->entries[i] = source->entries[i];
        amalgam_chunk_retain(copy->entries[i].chunk);
    }
    return SQLITE_OK;
}

static int amalgam_compare_rowids(const void *left, const void *right) {
    const int64_t first = *(const int64_t *)left, second = *(const int64_t *)right;
    return (first > second) - (first < second);
}

/* Reads the lengths of some rows again, whose rowids are sorted. They may be those of deleted rows. */
static int amalgam_lengths_refresh(
    const Fts5Config *config, amalgam_lengths *lengths, const int64_t *rowids, int64_t count) {
    uint16_t values[AMALGAM_CHUNK_ROWS];
    sqlite3_stmt *statement = 0;
    int code = amalgam_lengths_prepare(config, " WHERE id = ?", &statement);
    for (int64_t i = 0; code == SQLITE_OK && i < count;) {
        const int64_t key = amalgam_chunk_key(rowids[i]);
        const int at = amalgam_lengths_search(lengths, key);
        if (at < lengths->count && lengths->entries[at].key == key) {
            amalgam_chunk_unpack(lengths->entries[at].chunk, values);
        } else {
            memset(values, 0, sizeof(values));
        }
        for (; code == SQLITE_OK && i < count && amalgam_chunk_key(rowids[i]) == key; i++) {
            sqlite3_bind_int64(statement, 1, rowids[i]);
            const int exists = sqlite3_step(statement) == SQLITE_ROW;
            values[amalgam_chunk_remainder(rowids[i])] =
                exists ? amalgam_length_column(statement, config->nCol) : AMALGAM_LENGTH_MISSING;
            code = sqlite3_reset(statement);
        }
        int rows = 0;
        for (int row = 0; row < AMALGAM_CHUNK_ROWS; row++) rows += values[row] != AMALGAM_LENGTH_MISSING;
        if (code == SQLITE_OK) code = amalgam_lengths_set(lengths, key, values, rows);
    }
    sqlite3_finalize(statement);
    amalgam_lengths_limit(lengths);
    return code;
}
