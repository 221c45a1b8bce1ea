/*
** Reads the lengths of all rows from the leaf pages of the table %_docsize, without a statement, and reads only those
** pages again that have changed since another state of the table.
**
** Each number from a page is checked before it is used. A table that FTS5 hasn't made, and a corrupt one, is left out: FTS5
** reads its lengths, and reports errors.
*/

/* Whether a search has to end. */
static int amalgam_ranked_check(sqlite3 *db) {
    if (AtomicLoad(&db->u1.isInterrupted)) return SQLITE_INTERRUPT;
#ifndef SQLITE_OMIT_PROGRESS_CALLBACK
    if (db->xProgress != 0 && db->xProgress(db->pProgressArg)) return SQLITE_INTERRUPT;
#endif
    return SQLITE_OK;
}

/* A varint between two addresses. Returns 0 if it doesn't end before `end`. */
static inline int amalgam_varint(const u8 **at, const u8 *end, u64 *value) {
    const u8 *byte = *at;
    u64 number = 0;
    for (int i = 0; i < 8; i++) {
        if (byte == end) return 0;
        number = (number << 7) | (*byte & 0x7f);
        if (*byte++ < 0x80) {
            *at = byte;
            *value = number;
            return 1;
        }
    }
    if (byte == end) return 0;
    *value = (number << 8) | *byte++;
    *at = byte;
    return 1;
}

/* The length in a blob of %_docsize: a varint for each column. FTS5 considers other blobs corrupt. */
static uint16_t amalgam_length_decode(const u8 *blob, int64_t size, int columns) {
    const u8 *at = blob, *end = blob + size;
    u64 length = 0;
    for (int column = 0; column < columns; column++) {
        u64 number = 0;
        if (!amalgam_varint(&at, end, &number)) return AMALGAM_LENGTH_MISSING;
        length += MIN(number, AMALGAM_LENGTH_TOO_LARGE);
    }
    if (at != end) return AMALGAM_LENGTH_MISSING;
    return (uint16_t)MIN(length + 1, AMALGAM_LENGTH_TOO_LARGE);
}

/* The length in a record whose numbers take one byte each; AMALGAM_LENGTH_MISSING if it isn't such a record. */
static inline uint16_t amalgam_short_record_decode(const u8 *record, int64_t size, int columns) {
    const int is_short = size == 3 + columns && record[0] == 3 && record[1] == 0 && record[2] == 12 + 2 * columns;
    unsigned length = 0, all = 0;
    if (!is_short || columns > 57) return AMALGAM_LENGTH_MISSING;
    for (int column = 0; column < columns; column++) {
        length += record[3 + column];
        all |= record[3 + column];
    }
    return all < 0x80 ? (uint16_t)(length + 1) : AMALGAM_LENGTH_MISSING;
}

/* The length in a record of %_docsize, whose second column is the blob. FTS5 is asked for that of any other record. */
static uint16_t amalgam_record_decode(const u8 *record, int64_t size, int columns) {
    const uint16_t value = amalgam_short_record_decode(record, size, columns);
    if (value != AMALGAM_LENGTH_MISSING) return value;
    const u8 *at = record, *end = record + size;
    u64 header = 0, first = 0, second = 0;
    if (!amalgam_varint(&at, end, &header) || header > (u64)size) return AMALGAM_LENGTH_TOO_LARGE;
    const u8 *body = record + header;
    if (at > body || !amalgam_varint(&at, body, &first) || !amalgam_varint(&at, body, &second)) {
        return AMALGAM_LENGTH_TOO_LARGE;
    }
    if (first != 0 || second < 12 || second % 2 == 1) return AMALGAM_LENGTH_TOO_LARGE;
    const u64 count = (second - 12) / 2;
    if (count > (u64)(end - body)) return AMALGAM_LENGTH_TOO_LARGE;
    return amalgam_length_decode(body, (int64_t)count, columns);
}

/* Finds the table %_docsize, or %_data. `*result` is NULL if the name is that of something else. */
static int amalgam_shadow_table(const Fts5Config *config, const char *suffix, const Table **result) {
    char *name = sqlite3_mprintf("%s_%s", config->zName, suffix);
    *result = 0;
    if (name == 0) return SQLITE_NOMEM;
    const Table *table = sqlite3FindTable(config->db, name, config->zDb);
    sqlite3_free(name);
    const int is_table = table != 0 && IsOrdinaryTable(table) && HasRowid(table) && table->iPKey == 0 && table->nCol >= 2 &&
                         (table->tabFlags & TF_HasGenerated) == 0 && table->tnum > 1;
    if (is_table) *result = table;
    return SQLITE_OK;
}

static int amalgam_is_docsize(const Table *table) {
    return sqlite3_stricmp(table->aCol[0].zCnName, "id") == 0 && sqlite3_stricmp(table->aCol[1].zCnName, "sz") == 0;
}

/* Pages */

/* The reading of a table. A page that hasn't changed since `origin` has the same run. */
typedef struct amalgam_docsize_reader {
    sqlite3 *db;
    BtShared *tree;
    int columns;
    const amalgam_lengths *origin; /* may be NULL */
    const uint8_t *changes;        /* for each page of the origin, whether it has changed */
    amalgam_lengths *lengths;
    int is_corrupt;
    u32 visited;
    int64_t *rowids; /* of a page */
    uint16_t *values;
} amalgam_docsize_reader;

/* The longest path to a leaf: see BTCURSOR_MAX_DEPTH. */
enum { AMALGAM_TREE_DEPTH = 20, AMALGAM_PAGES_BETWEEN_CHECKS = 64 };

/* The index of a page; -1 if the table doesn't have it. */
static int amalgam_lengths_page(const amalgam_lengths *lengths, Pgno page) {
    int low = 0, high = lengths->page_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (lengths->pages[middle].page < page) low = middle + 1;
        else high = middle;
    }
    return low < lengths->page_count && lengths->pages[low].page == page ? low : -1;
}

static int amalgam_docsize_add_page(amalgam_docsize_reader *reader, Pgno page, int leaf) {
    amalgam_lengths *lengths = reader->lengths;
    if (lengths->page_count == lengths->page_capacity) {
        const int capacity = lengths->page_capacity > 0 ? 2 * lengths->page_capacity : 16;
        amalgam_docsize_page *pages =
            sqlite3_realloc64(lengths->pages, sizeof(amalgam_docsize_page) * (size_t)capacity);
        if (pages == 0) return SQLITE_NOMEM;
        lengths->pages = pages;
        lengths->page_capacity = capacity;
    }
    lengths->pages[lengths->page_count++] = (amalgam_docsize_page){.page = page, .leaf = leaf};
    return SQLITE_OK;
}

/* Adds a leaf after the other ones. The caller gives its reference to the run. */
static int amalgam_docsize_add_leaf(amalgam_docsize_reader *reader, Pgno page, amalgam_run *run) {
    amalgam_lengths *lengths = reader->lengths;
    const amalgam_run *previous = lengths->count > 0 ? lengths->leaves[lengths->count - 1].run : 0;
    if (previous != 0 && previous->last >= run->first) reader->is_corrupt = 1;
    int code = amalgam_lengths_reserve(lengths, lengths->count + 1);
    if (code == SQLITE_OK && !reader->is_corrupt) {
        code = amalgam_docsize_add_page(reader, page, lengths->count);
        if (code == SQLITE_OK) lengths->leaves[lengths->count++] = (amalgam_leaf){.page = page, .run = run};
    }
    if (code != SQLITE_OK || reader->is_corrupt) amalgam_run_release(run);
    return code;
}

/* Reads the rows of a leaf page. Returns their number, or -1 if the page is corrupt. */
static int amalgam_page_decode(const MemPage *page, int columns, int64_t *rowids, uint16_t *values) {
    const u8 *end = page->aDataEnd;
    for (int i = 0; i < page->nCell; i++) {
        const u8 *at = findCell(page, i);
        u64 size = 0, rowid = 0;
        if (at >= end || !amalgam_varint(&at, end, &size) || !amalgam_varint(&at, end, &rowid)) return -1;
        rowids[i] = (int64_t)rowid;
        if (i > 0 && rowids[i - 1] >= rowids[i]) return -1;
        const int is_local = size <= page->maxLocal && size <= (u64)(end - at);
        values[i] = is_local ? amalgam_record_decode(at, (int64_t)size, columns) : AMALGAM_LENGTH_TOO_LARGE;
        /* In a run, each row has a length. FTS5 reports that this one is corrupt. */
        if (values[i] == AMALGAM_LENGTH_MISSING) values[i] = AMALGAM_LENGTH_TOO_LARGE;
    }
    return page->nCell;
}

static int amalgam_docsize_read_leaf(amalgam_docsize_reader *reader, const MemPage *page) {
    const int count = amalgam_page_decode(page, reader->columns, reader->rowids, reader->values);
    if (count < 0) reader->is_corrupt = 1;
    if (count == 0) return amalgam_docsize_add_page(reader, page->pgno, -1);
    if (count < 0) return SQLITE_OK;
    amalgam_run *run = amalgam_run_new(reader->rowids, reader->values, count);
    return run != 0 ? amalgam_docsize_add_leaf(reader, page->pgno, run) : SQLITE_NOMEM;
}

/* Gets a page of a table. `*page` is NULL if the table is corrupt. */
static int amalgam_table_page(BtShared *tree, Pgno number, MemPage **page) {
    *page = 0;
    const int code = number > 1 ? getAndInitPage(tree, number, page, PAGER_GET_READONLY) : SQLITE_CORRUPT;
    if (code == SQLITE_OK && *page != 0 && (*page)->intKey && (*page)->nOverflow == 0) return SQLITE_OK;
    if (code == SQLITE_OK) releasePage(*page);
    *page = 0;
    return (code & 0xff) == SQLITE_CORRUPT ? SQLITE_OK : code;
}

/* The page of a child of an interior page; 0 if the page is corrupt. */
static Pgno amalgam_page_child(const MemPage *page, int child) {
    if (child == page->nCell) return get4byte(page->aData + page->hdrOffset + 8);
    const u8 *cell = findCell(page, child);
    return cell + 4 <= page->aDataEnd ? get4byte(cell) : 0;
}

/* Reads a part of the table, in the order of its rowids. */
static int amalgam_docsize_read(amalgam_docsize_reader *reader, Pgno number, int depth) {
    const int known = reader->origin != 0 ? amalgam_lengths_page(reader->origin, number) : -1;
    const int leaf = known >= 0 && !reader->changes[known] ? reader->origin->pages[known].leaf : -1;
    reader->is_corrupt |= depth == AMALGAM_TREE_DEPTH || ++reader->visited > reader->tree->nPage;
    if (reader->is_corrupt) return SQLITE_OK;
    if (leaf >= 0) return amalgam_docsize_add_leaf(reader, number, amalgam_run_retain(reader->origin->leaves[leaf].run));
    MemPage *page = 0;
    int code = reader->visited % AMALGAM_PAGES_BETWEEN_CHECKS == 0 ? amalgam_ranked_check(reader->db) : SQLITE_OK;
    if (code == SQLITE_OK) code = amalgam_table_page(reader->tree, number, &page);
    if (code != SQLITE_OK) return code;
    if (page == 0) {
        reader->is_corrupt = 1;
        return SQLITE_OK;
    }
    if (page->leaf) {
        code = amalgam_docsize_read_leaf(reader, page);
    } else {
        code = amalgam_docsize_add_page(reader, number, -1);
        for (int child = 0; code == SQLITE_OK && !reader->is_corrupt && child <= page->nCell; child++) {
            code = amalgam_docsize_read(reader, amalgam_page_child(page, child), depth + 1);
        }
    }
    releasePage(page);
    return code;
}

static int amalgam_compare_pages(const void *left, const void *right) {
    const Pgno first = ((const amalgam_docsize_page *)left)->page, second = ((const amalgam_docsize_page *)right)->page;
    return (first > second) - (first < second);
}

/* Reads the leaves that have changed since the origin. The other pages haven't. */
static int amalgam_docsize_reread(amalgam_docsize_reader *reader) {
    const amalgam_lengths *origin = reader->origin;
    amalgam_lengths *lengths = reader->lengths;
    int code = amalgam_lengths_copy(origin, lengths);
    for (int i = 0; code == SQLITE_OK && i < origin->page_count && !reader->is_corrupt; i++) {
        const int leaf = origin->pages[i].leaf;
        code = amalgam_docsize_add_page(reader, origin->pages[i].page, leaf);
        if (code != SQLITE_OK || !reader->changes[i]) continue;
        MemPage *page = 0;
        code = amalgam_table_page(reader->tree, origin->pages[i].page, &page);
        if (code != SQLITE_OK) break;
        const int count =
            page != 0 && page->leaf ? amalgam_page_decode(page, reader->columns, reader->rowids, reader->values) : -1;
        releasePage(page);
        amalgam_run *run = count > 0 ? amalgam_run_new(reader->rowids, reader->values, count) : 0;
        reader->is_corrupt = count <= 0;
        if (count <= 0) break;
        if (run == 0) return SQLITE_NOMEM;
        amalgam_run_release(lengths->leaves[leaf].run);
        lengths->leaves[leaf].run = run;
        reader->is_corrupt = (leaf > 0 && lengths->leaves[leaf - 1].run->last >= run->first) ||
                             (leaf + 1 < lengths->count && lengths->leaves[leaf + 1].run->first <= run->last);
    }
    return code;
}

/* Whether all pages of the origin that have changed are leaves. */
static int amalgam_docsize_is_same_tree(const amalgam_docsize_reader *reader) {
    const amalgam_lengths *origin = reader->origin;
    if (origin == 0 || origin->page_count == 0) return 0;
    for (int i = 0; i < origin->page_count; i++) {
        if (reader->changes[i] && origin->pages[i].leaf < 0) return 0;
    }
    return 1;
}

static int amalgam_docsize_read_all(amalgam_docsize_reader *reader, Pgno root) {
    int code = SQLITE_OK;
    if (amalgam_docsize_is_same_tree(reader)) {
        code = amalgam_docsize_reread(reader);
        if (code != SQLITE_OK || !reader->is_corrupt) return code;
        /* Neighbours have exchanged rows: then, the page above them has changed, too. The whole table is read. */
        amalgam_lengths_free(reader->lengths);
        reader->is_corrupt = 0;
    }
    code = amalgam_docsize_read(reader, root, 0);
    amalgam_lengths *lengths = reader->lengths;
    if (code == SQLITE_OK && lengths->page_count > 1) {
        qsort(lengths->pages, (size_t)lengths->page_count, sizeof(amalgam_docsize_page), amalgam_compare_pages);
    }
    return code;
}

/*
** Reads the lengths of all rows. If there is an origin, only the pages that have changed since then are read. A read
** transaction must be open.
*/
static int amalgam_lengths_read(
    const Fts5Config *config, const amalgam_lengths *origin, const uint8_t *changes, amalgam_lengths *lengths) {
    sqlite3 *db = config->db;
    *lengths = (amalgam_lengths){0};
    const int database = sqlite3FindDbName(db, config->zDb);
    if (database < 0 || db->aDb[database].pBt == 0) return SQLITE_ERROR;
    sqlite3BtreeEnterAll(db);
    BtShared *tree = db->aDb[database].pBt->pBt;
    const Table *table = 0;
    amalgam_docsize_reader reader = {
        .db = db, .tree = tree, .columns = config->nCol, .origin = origin, .changes = changes, .lengths = lengths};
    const size_t cells = MX_CELL(tree);
    int code = amalgam_shadow_table(config, "docsize", &table);
    if (code == SQLITE_OK && (table == 0 || !amalgam_is_docsize(table))) {
        reader.is_corrupt = 1;
    } else if (code == SQLITE_OK) {
        reader.rowids = sqlite3_malloc64((sizeof(int64_t) + sizeof(uint16_t)) * cells);
        if (reader.rowids == 0) code = SQLITE_NOMEM;
        else reader.values = (uint16_t *)(reader.rowids + cells);
        if (code == SQLITE_OK) code = amalgam_docsize_read_all(&reader, table->tnum);
    }
    sqlite3BtreeLeaveAll(db);
    sqlite3_free(reader.rowids);
    if (code != SQLITE_OK) {
        amalgam_lengths_free(lengths);
    } else if (reader.is_corrupt) {
        amalgam_lengths_leave_out(lengths);
    } else {
        amalgam_lengths_finish(lengths);
        if (origin != 0) amalgam_lengths_share_windows(lengths, origin);
    }
    return code;
}
