/*
** Reads the postings of a term from the pages of an FTS5 index, many at a time. FTS5's iterators merge the segments of the
** index row by row, with several function calls for each row, which takes longer than everything else in a search.
**
** Postings are read in windows of rowids, or of places: see ranked_lengths.h. In a window, the segments are read one after
** the other, the oldest first: a newer segment replaces the postings of an older one.
*/

enum { AMALGAM_WINDOW_ROWS = AMALGAM_CHUNK_ROWS, AMALGAM_WINDOW_WORDS = AMALGAM_WINDOW_ROWS / 64 };

_Static_assert(AMALGAM_WINDOW_ROWS <= UINT16_MAX, "a row of a window is a number of 16 bits");
_Static_assert(FTS5_POS2COLUMN((((i64)7 << 32) + 5)) == 7, "the upper half of a position is the column");
_Static_assert(FTS5_DATA_PADDING >= sizeof(u64), "eight bytes can be read at each position list of a page");

/* The postings of a term in one segment. FTS5's iterator has the page, and reads the next one. */
typedef struct amalgam_segment {
    Fts5SegIter *iter; /* NULL after the last posting */
    const u8 *page;
    int limit;     /* of the postings on the page */
    int at, size;  /* the position list of the current posting */
    int64_t rowid; /* of the current posting */
} amalgam_segment;

/* The weights of the first columns of a table. */
typedef struct amalgam_column_weights {
    int column_count; /* of the table */
    int count;        /* 0: each position counts as one */
    double *values;
} amalgam_column_weights;

typedef struct amalgam_term {
    Fts5Index *index;
    const Fts5Colset *columns; /* NULL: all columns */
    const amalgam_column_weights *weights;
    amalgam_places *places; /* NULL: windows are those of rowids */
    int has_no_place;       /* a row has none */
    Fts5Buffer list; /* a position list on several pages */
    int segment_count;
    amalgam_segment segments[];
} amalgam_term;

/*
** The postings of a window: the remainders of their rowids in ascending order, and for each row a code, which stands for
** the frequency of the term.
*/
typedef struct amalgam_postings {
    int count;
    const uint16_t *rows;
    const uint8_t *codes;
    const double *frequencies; /* for each code */
    const double *others;      /* for each row with the code AMALGAM_CODE_OTHER */
} amalgam_postings;

enum { AMALGAM_CODE_OTHER = UINT8_MAX };

/* The memory for postings that are read from the index. A code is the frequency itself. */
typedef struct amalgam_postings_buffer {
    uint16_t rows[AMALGAM_WINDOW_ROWS + 1];
    uint8_t codes[AMALGAM_WINDOW_ROWS + 1];
    double others[AMALGAM_WINDOW_ROWS + 1];
    double frequencies[AMALGAM_CODE_OTHER];
} amalgam_postings_buffer;

static void amalgam_postings_buffer_init(amalgam_postings_buffer *buffer) {
    for (int code = 0; code < AMALGAM_CODE_OTHER; code++) buffer->frequencies[code] = code;
}

static void amalgam_segment_load(amalgam_segment *segment) {
    const Fts5SegIter *iter = segment->iter;
    if (iter->pLeaf == 0) {
        segment->iter = 0;
        return;
    }
    segment->page = iter->pLeaf->p;
    segment->limit = MIN(iter->pLeaf->szLeaf, iter->iEndofDoclist);
    segment->at = (int)iter->iLeafOffset;
    segment->size = iter->nPos;
    segment->rowid = iter->iRowid;
}

/* Tells FTS5's iterator the current posting. */
static void amalgam_segment_store(const amalgam_segment *segment) {
    segment->iter->iLeafOffset = segment->at;
    segment->iter->nPos = segment->size;
    segment->iter->iRowid = segment->rowid;
}

static SQLITE_NOINLINE void amalgam_segment_next_page(Fts5Index *index, amalgam_segment *segment) {
    int is_new_term = 0;
    amalgam_segment_store(segment);
    segment->iter->xNext(index, segment->iter, &is_new_term);
    if (index->rc != SQLITE_OK) segment->iter = 0;
    else amalgam_segment_load(segment);
}

/*
** Decodes the posting at an offset of a page, after another one: the difference of the rowids, and the size of the
** position list. Returns the offset of the list.
*/
static inline int64_t amalgam_posting_decode(const u8 *page, int64_t at, int64_t *rowid, int *size) {
    if (page[at] < 0x80) {
        *rowid += page[at++];
    } else {
        u64 difference;
        at += sqlite3Fts5GetVarint(page + at, &difference);
        *rowid = (int64_t)((u64)*rowid + difference);
    }
    u32 bytes = page[at++];
    if (bytes & 0x80) {
        at--;
        at += sqlite3Fts5GetVarint32(page + at, &bytes);
    }
    *size = (int)(bytes >> 1);
    return at;
}

static inline void amalgam_segment_next(Fts5Index *index, amalgam_segment *segment) {
    const int64_t at = (int64_t)segment->at + segment->size;
    if (at >= segment->limit) amalgam_segment_next_page(index, segment);
    else segment->at = (int)amalgam_posting_decode(segment->page, at, &segment->rowid, &segment->size);
}

/* Moves to the first posting whose rowid isn't smaller: the current one is. If the segment has an index of its pages, skips pages. */
static void amalgam_segment_seek(Fts5Index *index, amalgam_segment *segment, int64_t rowid) {
    if (segment->iter->pDlidx != 0 && (u64)rowid - (u64)segment->rowid > AMALGAM_WINDOW_ROWS) {
        amalgam_segment_store(segment);
        fts5SegIterNextFrom(index, segment->iter, rowid);
        if (index->rc != SQLITE_OK) segment->iter = 0;
        else amalgam_segment_load(segment);
    }
    while (segment->iter != 0 && segment->rowid < rowid) amalgam_segment_next(index, segment);
}

/* The number of positions in a position list. */
static inline int amalgam_position_count(const u8 *list, int size) {
    int count = 0;
    for (int at = 0; at < size; count++) {
        if (list[at] == 1) {
            at++;
            while (at < size && (list[at] & 0x80)) at++;
            at++;
        }
        while (at < size && (list[at] & 0x80)) at++;
        at++;
    }
    return count;
}

/*
** The number of positions in a list of up to eight bytes. Unless one of them is part of a longer number, the list consists of
** positions, which are two or more, and of a one and a column number before the positions of each other column.
*/
static inline int amalgam_short_position_count(const u8 *list, int size) {
    const u64 ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    u64 bytes;
    memcpy(&bytes, list, sizeof(bytes));
    const u64 mask = ~(u64)0 >> (64 - 8 * size);
    bytes &= mask;
    if (bytes & highs) return amalgam_position_count(list, size);
    /* The high bit of each byte that is a one. */
    const u64 others = bytes ^ ones;
    const u64 is_one = (highs - others) & ~others & highs & mask;
    /* A one after a one is the number of the second column. */
    const u64 is_column = is_one & (is_one << 8);
    return size - 2 * (__builtin_popcountll(is_one) - (is_column != 0));
}

/* Whether a query is a term whose postings this file can read: FTS5 keeps no list of deleted rows next to the index. */
static int amalgam_node_is_term(const Fts5ExprNode *node) {
    if (node->eType != FTS5_TERM) return 0;
    const Fts5Iter *iter = (const Fts5Iter *)node->pNear->apPhrase[0]->aTerm[0].pIter;
    if (iter == 0 || iter->nSeg == 0 || iter->pTokenDataIter != 0 || iter->bRev) return 0;
    for (int i = 0; i < iter->nSeg; i++) {
        if (iter->aSeg[i].pTombArray != 0) return 0;
    }
    return 1;
}

static amalgam_term *amalgam_term_new(
    const Fts5ExprNode *node, const amalgam_column_weights *weights, amalgam_places *places) {
    Fts5Iter *iter = (Fts5Iter *)node->pNear->apPhrase[0]->aTerm[0].pIter;
    amalgam_term *term = sqlite3_malloc64(sizeof(amalgam_term) + (size_t)iter->nSeg * sizeof(amalgam_segment));
    if (term == 0) return 0;
    memset(term, 0, sizeof(*term));
    term->index = iter->pIndex;
    term->columns = node->pNear->pColset;
    term->weights = weights;
    term->places = places;
    /* FTS5's iterator has the newest segment first. */
    for (int i = iter->nSeg; !node->bEof && i-- > 0;) {
        if (iter->aSeg[i].pLeaf == 0) continue;
        amalgam_segment *segment = &term->segments[term->segment_count++];
        segment->iter = &iter->aSeg[i];
        amalgam_segment_load(segment);
    }
    return term;
}

static void amalgam_term_free(amalgam_term *term) {
    if (term != 0) fts5BufferFree(&term->list);
    sqlite3_free(term);
}

/* The smallest rowid of the next postings. Returns 0 if there are none. */
static int amalgam_term_rowid(const amalgam_term *term, int64_t *rowid) {
    int has_row = 0;
    for (int i = 0; i < term->segment_count; i++) {
        const amalgam_segment *segment = &term->segments[i];
        if (segment->iter == 0 || (has_row && segment->rowid >= *rowid)) continue;
        *rowid = segment->rowid;
        has_row = 1;
    }
    return has_row;
}

/*
** Adds up the weights of the columns of the positions in a list. Columns without a weight have the weight 1. If
** `columns` isn't NULL, only these columns count. `*is_match` receives 1 if there is such a position.
*/
static SQLITE_NOINLINE int amalgam_positions_weigh(
    const amalgam_column_weights *weights, const Fts5Colset *columns, const u8 *list, int size, double *frequency,
    int *is_match) {
    Fts5PoslistReader reader;
    *frequency = 0;
    *is_match = 0;
    for (sqlite3Fts5PoslistReaderInit(list, size, &reader); !reader.bEof; sqlite3Fts5PoslistReaderNext(&reader)) {
        const int column = FTS5_POS2COLUMN(reader.iPos);
        if (column >= weights->column_count) return FTS5_CORRUPT;
        if (columns != 0 && !fts5IndexColsetTest((Fts5Colset *)columns, column)) continue;
        *frequency += column < weights->count ? weights->values[column] : 1.0;
        *is_match = 1;
    }
    return SQLITE_OK;
}

static inline int amalgam_term_is_weighted(const amalgam_term *term) {
    return term->columns != 0 || term->weights->count > 0;
}

/* Reads the posting of a segment. Returns 0 if the row is deleted, or isn't in the columns. */
static SQLITE_NOINLINE int amalgam_posting_read(
    amalgam_term *term, const amalgam_segment *segment, uint8_t *code, double *other) {
    const u8 *list = segment->page + segment->at;
    int size = segment->size;
    double frequency = 0;
    if (size == 0) return 0;
    if ((int64_t)segment->at + size > segment->iter->pLeaf->szLeaf) {
        amalgam_segment_store(segment);
        /* FTS5 reads the next page, and keeps it for the iterator. It may have done so before. */
        fts5DataRelease(segment->iter->pNextLeaf);
        segment->iter->pNextLeaf = 0;
        fts5BufferZero(&term->list);
        fts5SegiterPoslist(term->index, segment->iter, 0, &term->list);
        if (term->index->rc != SQLITE_OK) return 0;
        list = term->list.p;
        size = term->list.n;
    }
    if (!amalgam_term_is_weighted(term)) {
        frequency = amalgam_position_count(list, size);
    } else {
        int is_match = 0;
        term->index->rc = amalgam_positions_weigh(term->weights, term->columns, list, size, &frequency, &is_match);
        if (term->index->rc != SQLITE_OK || !is_match) return 0;
    }
    const int is_code = frequency < AMALGAM_CODE_OTHER && frequency == (double)(uint8_t)frequency;
    *code = is_code ? (uint8_t)frequency : AMALGAM_CODE_OTHER;
    *other = frequency;
    return 1;
}

static inline int amalgam_bit(const u64 *words, int row) { return (int)(words[row / 64] >> (row % 64)) & 1; }
static inline void amalgam_set_bit(u64 *words, int row) { words[row / 64] |= (u64)1 << (row % 64); }
static int64_t amalgam_window_rowid(int64_t key, int row) { return (int64_t)((u64)key << AMALGAM_CHUNK_BITS) + row; }

/* The last rowid of a window. */
static inline int64_t amalgam_term_last(const amalgam_term *term, int64_t key) {
    const amalgam_places *places = term->places;
    return places == 0 ? amalgam_window_rowid(key, AMALGAM_WINDOW_ROWS - 1) : places->rowids[places->count - 1];
}

/* The row of a rowid in the window. `*at` is where to look for its place, and becomes where it is; -1 if it has none. */
static inline int amalgam_term_row(amalgam_term *term, int64_t rowid, int *at) {
    if (term->places == 0) return amalgam_chunk_remainder(rowid);
    const int row = amalgam_places_find(term->places, *at, rowid);
    if (row < 0) term->has_no_place = 1;
    else *at = row;
    return row;
}

/*
** Reads the postings on a page, up to the end of a window. Returns 1 if the window ends on the page. The loop has copies of
** what it changes, which the compiler keeps in registers.
*/
static inline int amalgam_segment_read_page(
    amalgam_term *term, amalgam_segment *segment, int64_t key, const u64 *only, amalgam_postings_buffer *buffer,
    int *total) {
    const int64_t last = amalgam_term_last(term, key);
    const int is_simple = !amalgam_term_is_weighted(term);
    const u8 *page = segment->page;
    const int limit = segment->limit;
    int64_t rowid = segment->rowid, at = segment->at;
    int size = segment->size, count = *total, place = 0;
    while (rowid <= last) {
        const int row = amalgam_term_row(term, rowid, &place);
        if (row >= 0 && (only == 0 || amalgam_bit(only, row))) {
            buffer->rows[count] = (uint16_t)row;
            if (is_simple && size - 1 < 8u && at + size <= limit) {
                buffer->codes[count++] = (uint8_t)amalgam_short_position_count(page + at, size);
            } else {
                *segment = (amalgam_segment){segment->iter, page, limit, (int)at, size, rowid};
                count += amalgam_posting_read(term, segment, &buffer->codes[count], &buffer->others[count]);
            }
            /* Only a corrupt index has more postings. */
            if (count > AMALGAM_WINDOW_ROWS) count = AMALGAM_WINDOW_ROWS;
        }
        if (at + size >= limit) break;
        at = amalgam_posting_decode(page, at + size, &rowid, &size);
    }
    *segment = (amalgam_segment){segment->iter, page, limit, (int)at, size, rowid};
    *total = count;
    return rowid > last;
}

/* Reads the postings of a window from a segment, which is in the window or after it. */
static int amalgam_segment_read(
    amalgam_term *term, amalgam_segment *segment, int64_t key, const u64 *only, amalgam_postings_buffer *buffer) {
    int count = 0;
    while (segment->iter != 0 && !amalgam_segment_read_page(term, segment, key, only, buffer, &count)) {
        amalgam_segment_next_page(term->index, segment);
    }
    return count;
}

/* Reads the postings of a window from several segments, the oldest first. A deleted row has an empty position list. */
static int amalgam_segments_read(amalgam_term *term, int64_t key, const u64 *only, amalgam_postings_buffer *buffer) {
    const int64_t last = amalgam_term_last(term, key);
    u64 rows[AMALGAM_WINDOW_WORDS] = {0};
    uint8_t codes[AMALGAM_WINDOW_ROWS];
    double others[AMALGAM_WINDOW_ROWS];
    for (int i = 0; i < term->segment_count; i++) {
        amalgam_segment *segment = &term->segments[i];
        int place = 0;
        while (segment->iter != 0 && segment->rowid <= last) {
            const int row = amalgam_term_row(term, segment->rowid, &place);
            if (row >= 0 && (only == 0 || amalgam_bit(only, row))) {
                rows[row / 64] &= ~((u64)1 << (row % 64));
                if (amalgam_posting_read(term, segment, &codes[row], &others[row])) amalgam_set_bit(rows, row);
            }
            amalgam_segment_next(term->index, segment);
        }
    }
    int count = 0;
    for (int word = 0; word < AMALGAM_WINDOW_WORDS; word++) {
        for (u64 bits = rows[word]; bits != 0; bits &= bits - 1) {
            const int row = 64 * word + __builtin_ctzll(bits);
            buffer->rows[count] = (uint16_t)row;
            buffer->codes[count] = codes[row];
            buffer->others[count++] = others[row];
        }
    }
    return count;
}

/* Whether there are postings after the last place. They have none. */
static int amalgam_term_is_over(const amalgam_term *term, int64_t key) {
    if (term->places == 0 || key < amalgam_chunk_key(term->places->lengths->rows - 1)) return 0;
    for (int i = 0; i < term->segment_count; i++) {
        if (term->segments[i].iter != 0) return 1;
    }
    return 0;
}

/*
** Reads the postings of a window, and goes to the next window. If `only` isn't NULL, reads only those of the rows that are
** set in it. Earlier postings are skipped.
*/
static int amalgam_term_read(
    amalgam_term *term, int64_t key, const u64 *only, amalgam_postings_buffer *buffer, amalgam_postings *postings) {
    if (term->places != 0) amalgam_places_load(term->places, key);
    if (term->places != 0 && term->places->count == 0) return AMALGAM_NO_PLACE;
    const int64_t first = term->places != 0 ? term->places->rowids[0] : amalgam_window_rowid(key, 0);
    const int64_t last = amalgam_term_last(term, key);
    int last_segment = -1, segments = 0, count = 0;
    for (int i = 0; i < term->segment_count; i++) {
        amalgam_segment *segment = &term->segments[i];
        if (segment->iter != 0 && segment->rowid < first) amalgam_segment_seek(term->index, segment, first);
        if (segment->iter == 0 || segment->rowid > last) continue;
        last_segment = i;
        segments++;
    }
    if (segments == 1) count = amalgam_segment_read(term, &term->segments[last_segment], key, only, buffer);
    else if (segments > 1) count = amalgam_segments_read(term, key, only, buffer);
    *postings = (amalgam_postings){count, buffer->rows, buffer->codes, buffer->frequencies, buffer->others};
    const int code = fts5IndexReturn(term->index);
    if (code != SQLITE_OK) return code;
    return term->has_no_place || amalgam_term_is_over(term, key) ? AMALGAM_NO_PLACE : SQLITE_OK;
}

static inline double amalgam_posting_frequency(const amalgam_postings *postings, int at) {
    const int code = postings->codes[at];
    return code != AMALGAM_CODE_OTHER ? postings->frequencies[code] : postings->others[at];
}

/* Postings in memory */

typedef struct amalgam_kept_window {
    int64_t key;
    int first, count;
} amalgam_kept_window;

/* All postings of a term, in three bytes each. */
typedef struct amalgam_kept_term {
    int references;
    int64_t bytes;
    int count, capacity;
    uint16_t *rows;
    uint8_t *codes;
    int window_count, window_capacity;
    amalgam_kept_window *windows;
    int frequency_count;
    double frequencies[]; /* for each code */
} amalgam_kept_term;

static void amalgam_kept_term_release(amalgam_kept_term *kept) {
    if (kept == 0 || __atomic_sub_fetch(&kept->references, 1, __ATOMIC_ACQ_REL) != 0) return;
    sqlite3_free(kept->rows);
    sqlite3_free(kept->codes);
    sqlite3_free(kept->windows);
    sqlite3_free(kept);
}

static amalgam_kept_term *amalgam_kept_term_new(void) {
    amalgam_kept_term *kept = sqlite3_malloc64(sizeof(amalgam_kept_term) + sizeof(double) * AMALGAM_CODE_OTHER);
    if (kept == 0) return 0;
    memset(kept, 0, sizeof(*kept));
    kept->references = 1;
    return kept;
}

/* The size of the postings in memory. */
static int64_t amalgam_kept_bytes(const amalgam_kept_term *kept) {
    return (int64_t)(sizeof(uint16_t) + 1) * kept->capacity +
           (int64_t)sizeof(amalgam_kept_window) * kept->window_capacity;
}

/* Returns memory that isn't needed after the last posting. The term may move. */
static amalgam_kept_term *amalgam_kept_term_finish(amalgam_kept_term *kept) {
    const size_t count = (size_t)(kept->count > 0 ? kept->count : 1);
    const size_t windows = (size_t)(kept->window_count > 0 ? kept->window_count : 1);
    const size_t size = sizeof(amalgam_kept_term) + sizeof(double) * (size_t)kept->frequency_count;
    uint16_t *rows = sqlite3_realloc64(kept->rows, sizeof(uint16_t) * count);
    if (rows != 0) kept->rows = rows;
    uint8_t *codes = sqlite3_realloc64(kept->codes, count);
    if (codes != 0) kept->codes = codes;
    amalgam_kept_window *all = sqlite3_realloc64(kept->windows, sizeof(amalgam_kept_window) * windows);
    if (all != 0) kept->windows = all;
    kept->capacity = (int)count;
    kept->window_capacity = (int)windows;
    kept->bytes = (int64_t)size + amalgam_kept_bytes(kept);
    amalgam_kept_term *smaller = sqlite3_realloc64(kept, size);
    return smaller != 0 ? smaller : kept;
}

/* The code of a frequency; AMALGAM_CODE_OTHER if there are too many different ones. */
static uint8_t amalgam_kept_code(amalgam_kept_term *kept, double frequency) {
    int code = 0;
    while (code < kept->frequency_count && kept->frequencies[code] != frequency) code++;
    if (code == kept->frequency_count && code < AMALGAM_CODE_OTHER) kept->frequencies[kept->frequency_count++] = frequency;
    return (uint8_t)code;
}

static int amalgam_kept_grow(amalgam_kept_term *kept, int count) {
    if (kept->window_count == kept->window_capacity) {
        const int capacity = kept->window_capacity > 0 ? 2 * kept->window_capacity : 16;
        amalgam_kept_window *windows =
            sqlite3_realloc64(kept->windows, sizeof(amalgam_kept_window) * (size_t)capacity);
        if (windows == 0) return SQLITE_NOMEM;
        kept->windows = windows;
        kept->window_capacity = capacity;
    }
    if (kept->count + count > kept->capacity) {
        const int capacity = MAX(2 * kept->capacity, kept->count + count);
        uint16_t *rows = sqlite3_realloc64(kept->rows, sizeof(uint16_t) * (size_t)capacity);
        if (rows != 0) kept->rows = rows;
        uint8_t *codes = sqlite3_realloc64(kept->codes, (size_t)capacity);
        if (codes != 0) kept->codes = codes;
        if (rows == 0 || codes == 0) return SQLITE_NOMEM;
        kept->capacity = capacity;
    }
    return SQLITE_OK;
}

/* Adds a window. `*is_possible` receives 0 if the postings have too many different frequencies. */
static int amalgam_kept_add(
    amalgam_kept_term *kept, int64_t key, const amalgam_postings *postings, int *is_possible) {
    const int code = amalgam_kept_grow(kept, postings->count);
    if (code != SQLITE_OK) return code;
    kept->windows[kept->window_count++] = (amalgam_kept_window){key, kept->count, postings->count};
    memcpy(kept->rows + kept->count, postings->rows, sizeof(uint16_t) * (size_t)postings->count);
    for (int i = 0; i < postings->count; i++) {
        const uint8_t frequency = amalgam_kept_code(kept, amalgam_posting_frequency(postings, i));
        kept->codes[kept->count + i] = frequency;
        *is_possible &= frequency != AMALGAM_CODE_OTHER;
    }
    kept->count += postings->count;
    return SQLITE_OK;
}

/* The postings of a window. `*position` is the first window to look at, and becomes the one after it. */
static void amalgam_kept_read(
    const amalgam_kept_term *kept, int *position, int64_t key, amalgam_postings *postings) {
    *postings = (amalgam_postings){.frequencies = kept->frequencies};
    while (*position < kept->window_count && kept->windows[*position].key < key) ++*position;
    if (*position == kept->window_count || kept->windows[*position].key != key) return;
    const amalgam_kept_window *window = &kept->windows[(*position)++];
    postings->count = window->count;
    postings->rows = kept->rows + window->first;
    postings->codes = kept->codes + window->first;
}
