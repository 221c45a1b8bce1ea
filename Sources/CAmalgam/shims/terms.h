/*
** The terms in the index of an FTS5 table (see include/amalgam_terms.h). FTS5 stores the terms of a segment in order,
** in leaf pages, and each page ends with the offsets of the terms that begin on it. So the terms can be read without
** the documents between them.
*/
#include "../include/amalgam_terms.h"

_Static_assert(FTS5_MAIN_PREFIX == '0', "the terms of the main index begin with this byte");

/* An FTS5 table that can't be dropped in the meantime: like a cursor, it has references. A trace doesn't show the statements of FTS5. */
typedef struct amalgam_fts5_hold {
    VTable *vtable;
    Fts5FullTable *table;
    u8 trace;
} amalgam_fts5_hold;

static int amalgam_fts5_begin(sqlite3 *db, const char *name, amalgam_fts5_hold *hold) {
    sqlite3_mutex_enter(db->mutex);
    hold->vtable = amalgam_fts5_table(db, 0, name);
    if (hold->vtable == 0) {
        sqlite3_mutex_leave(db->mutex);
        return SQLITE_NOTFOUND;
    }
    hold->table = (Fts5FullTable *)hold->vtable->pVtab;
    sqlite3VtabLock(hold->vtable);
    hold->vtable->pVtab->nRef++;
    hold->trace = db->mTrace;
    db->mTrace = 0;
    return SQLITE_OK;
}

static int amalgam_fts5_end(sqlite3 *db, amalgam_fts5_hold *hold, int code) {
    db->mTrace = hold->trace;
    hold->vtable->pVtab->nRef--;
    sqlite3VtabUnlock(hold->vtable);
    sqlite3_mutex_leave(db->mutex);
    return code;
}

int amalgam_fts5_get_settings(sqlite3 *db, const char *name, amalgam_fts5_settings *settings) {
    amalgam_fts5_hold hold;
    int code = amalgam_fts5_begin(db, name, &hold);
    if (code != SQLITE_OK) return code;
    Fts5Index *index = hold.table->p.pIndex;
    /* Another connection may have changed the settings. */
    code = sqlite3Fts5IndexReset(index);
    if (code == SQLITE_OK) code = sqlite3Fts5IndexLoadConfig(index);
    fts5IndexCloseReader(index);
    const Fts5Config *config = hold.table->p.pConfig;
    settings->has_phrases = config->eDetail == FTS5_DETAIL_FULL;
    settings->rank = config->zRank;
    settings->rank_weights = config->zRankArgs;
    settings->languages = amalgam_stemming_languages(config);
    settings->has_porter = 0;
    for (int i = 0; i < config->t.nArg; i++) {
        if (sqlite3_stricmp(config->t.azArg[i], "porter") == 0) settings->has_porter = 1;
    }
    return amalgam_fts5_end(db, &hold, code);
}

/* Writes pending terms to the index, and discards a structure that another connection has changed. */
static Fts5Structure *amalgam_fts5_structure(amalgam_fts5_hold *hold) {
    Fts5Index *index = hold->table->p.pIndex;
    const Fts5Config *config = hold->table->p.pConfig;
    const int may_have_written = sqlite3_txn_state(config->db, config->zDb) == SQLITE_TXN_WRITE;
    index->rc = may_have_written ? sqlite3Fts5FlushToDisk(&hold->table->p) : SQLITE_OK;
    if (index->rc == SQLITE_OK) index->rc = sqlite3Fts5IndexReset(index);
    return index->rc == SQLITE_OK ? fts5StructureRead(index) : 0;
}

static int amalgam_fts5_release(Fts5Index *index, Fts5Structure *structure) {
    fts5StructureRelease(structure);
    /* An open blob would hold the read transaction. */
    fts5IndexCloseReader(index);
    return fts5IndexReturn(index);
}

/* The term that was read last. Its documents end where the next term begins. */
typedef struct amalgam_pending_term {
    uint8_t bytes[256]; /* with the prefix of the main index */
    int count;          /* 0 for no term; more than 256 for a term that is skipped */
    int64_t start;      /* where its documents begin, counted from the first page */
} amalgam_pending_term;

typedef struct amalgam_term_reader {
    Fts5Index *index;
    void *context;
    amalgam_fts5_term_callback *receive;
    int segment;
    int64_t read; /* the number of bytes on the previous pages */
    amalgam_pending_term pending;
} amalgam_term_reader;

static int amalgam_pass_term(amalgam_term_reader *reader, int64_t end) {
    amalgam_pending_term *term = &reader->pending;
    if (term->count < 2 || term->count > (int)sizeof(term->bytes)) return SQLITE_OK;
    return reader->receive(
        reader->context, reader->segment, (const char *)term->bytes + 1, term->count - 1, end - term->start);
}

/*
** Reads the terms that begin on a page. Returns SQLITE_DONE after the last term of the main index. Terms that are too
** long stay in the buffer with the bytes that fit, because the next term may share them.
*/
static int amalgam_read_leaf(amalgam_term_reader *reader, const Fts5Data *leaf) {
    amalgam_pending_term *term = &reader->pending;
    const u8 *bytes = leaf->p;
    const int64_t end = leaf->szLeaf;
    int64_t footer = leaf->szLeaf, offset = 0;
    for (int is_first = 1; footer < leaf->nn; is_first = 0) {
        u32 delta = 0, shared = 0, count = 0;
        footer += fts5GetVarint32(&bytes[footer], delta);
        offset += delta;
        if (offset < 4 || offset >= end) return FTS5_CORRUPT;
        int code = amalgam_pass_term(reader, reader->read + offset);
        if (code != SQLITE_OK) return code;
        int64_t place = offset;
        if (!is_first) place += fts5GetVarint32(&bytes[place], shared);
        if (place >= end) return FTS5_CORRUPT;
        place += fts5GetVarint32(&bytes[place], count);
        if (count == 0 || place + count > end || (int64_t)shared > term->count) return FTS5_CORRUPT;
        const int64_t kept = MIN(shared, sizeof(term->bytes));
        const int64_t added = MIN((int64_t)count, (int64_t)sizeof(term->bytes) - kept);
        memcpy(term->bytes + kept, bytes + place, (size_t)added);
        term->count = (int)(shared + count);
        term->start = reader->read + place + count;
        if (term->bytes[0] != FTS5_MAIN_PREFIX) {
            term->count = 0;
            return SQLITE_DONE;
        }
    }
    return SQLITE_OK;
}

static int amalgam_read_segment(sqlite3 *db, amalgam_term_reader *reader, const Fts5StructureSegment *segment) {
    Fts5Index *index = reader->index;
    reader->read = 0;
    reader->pending.count = 0;
    int code = SQLITE_OK;
    for (int page = segment->pgnoFirst; page <= segment->pgnoLast && code == SQLITE_OK; page++) {
        code = amalgam_ranked_check(db);
        if (code != SQLITE_OK) return code;
        Fts5Data *leaf = fts5LeafRead(index, FTS5_SEGMENT_ROWID(segment->iSegid, page));
        if (leaf == 0) return SQLITE_OK; /* index->rc has the error */
        code = amalgam_read_leaf(reader, leaf);
        reader->read += leaf->szLeaf;
        fts5DataRelease(leaf);
    }
    if (code == SQLITE_OK) code = amalgam_pass_term(reader, reader->read);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int amalgam_fts5_each_term(sqlite3 *db, const char *name, void *context, amalgam_fts5_term_callback *receive) {
    amalgam_fts5_hold hold;
    int code = amalgam_fts5_begin(db, name, &hold);
    if (code != SQLITE_OK) return code;
    Fts5Index *index = hold.table->p.pIndex;
    amalgam_term_reader reader = {.index = index, .context = context, .receive = receive};
    Fts5Structure *structure = amalgam_fts5_structure(&hold);
    if (structure != 0) {
        for (int level = 0; level < structure->nLevel; level++) {
            const Fts5StructureLevel *segments = &structure->aLevel[level];
            for (int i = 0; i < segments->nSeg && code == SQLITE_OK && index->rc == SQLITE_OK; i++) {
                if (segments->aSeg[i].pgnoFirst > 0) code = amalgam_read_segment(db, &reader, &segments->aSeg[i]);
                reader.segment++;
            }
        }
    }
    const int failure = amalgam_fts5_release(index, structure);
    return amalgam_fts5_end(db, &hold, code != SQLITE_OK ? code : failure);
}

int amalgam_fts5_tokenize(
    sqlite3 *db, const char *name, int flags, const char *string, int byte_count, const char *locale,
    int locale_byte_count, void *context, amalgam_fts5_token_callback *receive) {
    amalgam_fts5_hold hold;
    int code = amalgam_fts5_begin(db, name, &hold);
    if (code != SQLITE_OK) return code;
    /* A tokenizer of the application may run SQL. */
    db->mTrace = hold.trace;
    Fts5Config *config = hold.table->p.pConfig;
    const char *previous = config->t.pLocale;
    const int previous_byte_count = config->t.nLocale;
    sqlite3Fts5SetLocale(config, locale, locale_byte_count);
    code = sqlite3Fts5Tokenize(config, flags, string, byte_count, context, receive);
    sqlite3Fts5SetLocale(config, previous, previous_byte_count);
    return amalgam_fts5_end(db, &hold, code);
}

/* Terms in memory */

/* The terms of a state, if it has some. The caller owns a reference. */
static void *amalgam_state_terms(const amalgam_index_state *state, const amalgam_fts5_terms_methods *methods) {
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    void *terms = state->terms;
    if (terms != 0) methods->retain(terms);
    sqlite3_mutex_leave(amalgam_indexes_mutex());
    return terms;
}

/* Gives terms to a state, unless another thread has. The caller owns a second reference. */
static void amalgam_state_set_terms(
    amalgam_index_state *state, const amalgam_fts5_terms_methods *methods, void *terms) {
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    if (state->terms == 0) {
        methods->retain(terms);
        state->terms = terms;
        state->release_terms = methods->release;
    }
    sqlite3_mutex_leave(amalgam_indexes_mutex());
}

/* The terms that were written since an earlier state, each with the number of its bytes before it. */
typedef struct amalgam_added_terms {
    uint8_t *bytes;
    int64_t size, capacity;
    int64_t pages; /* of the index, which may still be read */
} amalgam_added_terms;

enum { AMALGAM_ADDED_BYTES = 1 << 20 };

static int amalgam_added_receive(void *context, int segment, const char *term, int count, int64_t size) {
    amalgam_added_terms *added = context;
    (void)segment, (void)size;
    if (added->size + count + 1 > added->capacity) {
        const int64_t capacity = MAX(added->size + count + 1, 2 * added->capacity);
        uint8_t *bytes = capacity <= AMALGAM_ADDED_BYTES ? sqlite3_realloc64(added->bytes, (size_t)capacity) : 0;
        if (bytes == 0) return SQLITE_TOOBIG;
        added->bytes = bytes;
        added->capacity = capacity;
    }
    added->bytes[added->size] = (uint8_t)count;
    memcpy(added->bytes + added->size + 1, term, (size_t)count);
    added->size += count + 1;
    return SQLITE_OK;
}

static int64_t amalgam_structure_pages(const Fts5Structure *structure) {
    int64_t pages = 0;
    for (int level = 0; level < structure->nLevel; level++) {
        for (int i = 0; i < structure->aLevel[level].nSeg; i++) {
            const Fts5StructureSegment *segment = &structure->aLevel[level].aSeg[i];
            pages += (int64_t)segment->pgnoLast - segment->pgnoFirst + 1;
        }
    }
    return pages;
}

/* Whether a rowid of %_data belongs to a leaf page of a segment. */
static int amalgam_structure_has_leaf(const Fts5Structure *structure, int64_t rowid) {
    for (int level = 0; level < structure->nLevel; level++) {
        for (int i = 0; i < structure->aLevel[level].nSeg; i++) {
            const Fts5StructureSegment *segment = &structure->aLevel[level].aSeg[i];
            const int64_t first = FTS5_SEGMENT_ROWID(segment->iSegid, segment->pgnoFirst);
            if (rowid >= first && rowid <= FTS5_SEGMENT_ROWID(segment->iSegid, segment->pgnoLast)) return 1;
        }
    }
    return 0;
}

/* Reads the terms that begin on a leaf page of the index. The first term of a page is complete. */
static int amalgam_read_changed_leaf(amalgam_term_reader *reader, int64_t rowid) {
    amalgam_added_terms *added = reader->context;
    if (--added->pages < 0) return SQLITE_TOOBIG;
    Fts5Data *leaf = fts5LeafRead(reader->index, rowid);
    if (leaf == 0) return SQLITE_OK; /* index->rc has the error */
    reader->read = 0;
    reader->pending.count = 0;
    int code = amalgam_read_leaf(reader, leaf);
    fts5DataRelease(leaf);
    if (code == SQLITE_OK) code = amalgam_pass_term(reader, 0);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/*
** Gets a page that may be one of any kind. `*page` is NULL if it isn't a leaf page of a table. For a part of a long record,
** SQLite would log that the file is corrupt.
*/
static int amalgam_changed_leaf(BtShared *tree, Pgno number, MemPage **page) {
    DbPage *bytes = 0;
    *page = 0;
    if (number > tree->nPage) return SQLITE_OK;
    const int code = sqlite3PagerGet(tree->pPager, number, &bytes, PAGER_GET_READONLY);
    if (code != SQLITE_OK) return code;
    const int is_leaf = *(const u8 *)sqlite3PagerGetData(bytes) == (PTF_INTKEY | PTF_LEAFDATA | PTF_LEAF);
    sqlite3PagerUnref(bytes);
    return is_leaf ? amalgam_table_page(tree, number, page) : SQLITE_OK;
}

/* Reads the terms of the records of %_data on a database page that has changed, if the page belongs to the table. */
static int amalgam_read_changed_page(
    amalgam_term_reader *reader, Fts5Structure *structure, BtCursor *cursor, BtShared *tree, Pgno number) {
    MemPage *page = 0;
    int code = amalgam_changed_leaf(tree, number, &page), place = 0;
    if (page == 0 || page->nCell == 0) {
        releasePage(page);
        return code;
    }
    int64_t rowids[64];
    int count = 0, is_in_table = 0;
    for (int i = 0; i < page->nCell && i < (int)ArraySize(rowids); i++) {
        const u8 *at = findCell(page, i);
        u64 size = 0, rowid = 0;
        if (!amalgam_varint(&at, page->aDataEnd, &size) || !amalgam_varint(&at, page->aDataEnd, &rowid)) break;
        rowids[count++] = (int64_t)rowid;
    }
    const int has_all = count == page->nCell;
    releasePage(page);
    if (count > 0) code = sqlite3BtreeTableMoveto(cursor, rowids[0], 0, &place);
    if (code == SQLITE_OK && count > 0) is_in_table = place == 0 && cursor->pPage->pgno == number;
    if (is_in_table && !has_all) return SQLITE_TOOBIG;
    for (int i = 0; i < count && is_in_table && code == SQLITE_OK && reader->index->rc == SQLITE_OK; i++) {
        if (amalgam_structure_has_leaf(structure, rowids[i])) code = amalgam_read_changed_leaf(reader, rowids[i]);
    }
    return code;
}

/* If more frames have been written since, the terms are read again. */
enum { AMALGAM_TERM_FRAMES = 1 << 15 };

/* The pages that were written between an origin and a snapshot, sorted. `*pages` is NULL if they aren't known, or too many. */
static int amalgam_origin_pages(const amalgam_origin *origin, Wal *wal, Pgno **pages, int *count) {
    const i64 limit = amalgam_origin_distance(origin);
    const int written = origin->written != 0 ? origin->written->count : 0;
    amalgam_frames frames = amalgam_frames_between(wal, origin->after, origin->last);
    Pgno page = 0;
    *count = 0;
    *pages = limit <= AMALGAM_TERM_FRAMES ? sqlite3_malloc64(sizeof(Pgno) * ((size_t)limit + 1)) : 0;
    if (*pages == 0) return SQLITE_OK;
    int code = amalgam_frames_next(&frames, &page);
    for (; code == SQLITE_OK && page != 0; code = amalgam_frames_next(&frames, &page)) (*pages)[(*count)++] = page;
    if (written > 0) memcpy(*pages + *count, origin->written->pages, sizeof(Pgno) * (size_t)written);
    *count += written;
    if (code != SQLITE_OK || !amalgam_is_in_index(wal, &origin->generation)) {
        sqlite3_free(*pages);
        *pages = 0;
        return code;
    }
    qsort(*pages, (size_t)*count, sizeof(Pgno), amalgam_compare_numbers);
    return SQLITE_OK;
}

/* Reads the terms on the pages that were written since an origin. SQLITE_TOOBIG: all terms have to be read. */
static int amalgam_read_changes(
    amalgam_fts5_hold *hold, Btree *tree, const Pgno *pages, int count, amalgam_added_terms *added) {
    const Fts5Config *config = hold->table->p.pConfig;
    Fts5Index *index = hold->table->p.pIndex;
    const Table *data = 0;
    amalgam_term_reader reader = {.index = index, .context = added, .receive = amalgam_added_receive};
    BtCursor cursor;
    int code = amalgam_shadow_table(config, "data", &data);
    if (code == SQLITE_OK && data == 0) code = SQLITE_TOOBIG;
    if (code != SQLITE_OK) return code;
    sqlite3BtreeCursorZero(&cursor);
    code = sqlite3Fts5IndexReset(index);
    Fts5Structure *structure = code == SQLITE_OK ? fts5StructureRead(index) : 0;
    if (code == SQLITE_OK && structure != 0) code = sqlite3BtreeCursor(tree, data->tnum, 0, 0, &cursor);
    /* To read all terms takes no longer than to read most of them, and removes deleted ones. */
    if (structure != 0) added->pages = amalgam_structure_pages(structure) / 2;
    for (int i = 0; i < count && structure != 0 && code == SQLITE_OK && index->rc == SQLITE_OK; i++) {
        if (i > 0 && pages[i] == pages[i - 1]) continue;
        code = amalgam_ranked_check(config->db);
        if (code == SQLITE_OK) code = amalgam_read_changed_page(&reader, structure, &cursor, tree->pBt, pages[i]);
    }
    sqlite3BtreeCloseCursor(&cursor);
    const int failure = amalgam_fts5_release(index, structure);
    return code != SQLITE_OK ? code : failure;
}

/* Makes the terms of a snapshot from those of an earlier one. `*terms` is NULL if that isn't possible. */
static int amalgam_fts5_derive_terms(
    amalgam_fts5_hold *hold, const amalgam_index_use *use, const amalgam_fts5_terms_methods *methods, void *context,
    void **terms) {
    const Fts5Config *config = hold->table->p.pConfig;
    amalgam_added_terms added = {0};
    amalgam_origin origin = {0};
    amalgam_snapshot snapshot;
    Pgno *pages = 0;
    int database = 0, count = 0, code = SQLITE_OK;
    sqlite3BtreeEnterAll(config->db);
    Btree *tree = amalgam_table_tree(config, &database);
    Wal *wal = tree != 0 ? sqlite3BtreePager(tree)->pWal : 0;
    if (wal != 0) code = amalgam_snapshot_of(tree, &snapshot);
    if (wal != 0 && code == SQLITE_OK) {
        sqlite3_mutex_enter(amalgam_indexes_mutex());
        origin = amalgam_index_origin(use->index, &snapshot, 1);
        sqlite3_mutex_leave(amalgam_indexes_mutex());
    }
    if (origin.state != 0) code = amalgam_origin_pages(&origin, wal, &pages, &count);
    if (code == SQLITE_OK && pages != 0) code = amalgam_read_changes(hold, tree, pages, count, &added);
    sqlite3BtreeLeaveAll(config->db);
    if (code == SQLITE_OK && pages != 0) {
        void *earlier = amalgam_state_terms(origin.state, methods);
        methods->add(context, earlier, added.bytes, added.size, terms);
        methods->release(earlier);
    }
    sqlite3_free(added.bytes);
    sqlite3_free(pages);
    amalgam_origin_release(&origin);
    return code == SQLITE_TOOBIG ? SQLITE_OK : code;
}

/* Makes the terms of a transaction from those before it, or from those of its last search. */
static void amalgam_fts5_add_logged_terms(
    amalgam_index_use *use, const amalgam_fts5_terms_methods *methods, void *context, void **terms) {
    /* FTS5 has terms that aren't in the index yet. */
    amalgam_log_terms(use);
    if (!use->log.has_terms) return;
    if (use->terms == 0 && use->index != 0) {
        int database = 0;
        sqlite3BtreeEnterAll(use->table->p.pConfig->db);
        Btree *tree = amalgam_table_tree(use->table->p.pConfig, &database);
        amalgam_index_state *before = tree != 0 ? amalgam_use_known(use, tree) : 0;
        sqlite3BtreeLeaveAll(use->table->p.pConfig->db);
        use->terms = before != 0 ? amalgam_state_terms(before, methods) : 0;
        use->release_terms = methods->release;
        amalgam_index_state_release(before);
    }
    if (use->terms != 0) methods->add(context, use->terms, use->log.terms, use->log.term_bytes, terms);
}

/* The log begins after these terms. */
static void amalgam_use_set_terms(amalgam_index_use *use, const amalgam_fts5_terms_methods *methods, void *terms) {
    methods->retain(terms);
    amalgam_log_clear_terms(use);
    use->terms = terms;
    use->release_terms = methods->release;
    use->log.has_terms = 1;
    use->has_pending_terms = 0;
    use->writer_runs = amalgam_writer_runs(use->table->p.pIndex);
}

/* Makes or reads the terms of a state, and gives them to it. */
static int amalgam_fts5_make_terms(
    amalgam_fts5_hold *hold, amalgam_index_state *state, const amalgam_fts5_terms_methods *methods, void *context,
    void **terms) {
    amalgam_index_use *use = amalgam_use_of(&hold->table->p.base);
    const int is_own = use->state == state;
    int code = SQLITE_OK;
    /* The state of a transaction that has written the table by other means has no path. */
    if (is_own) amalgam_fts5_add_logged_terms(use, methods, context, terms);
    else if (state->path.count > 0) code = amalgam_fts5_derive_terms(hold, use, methods, context, terms);
    if (code == SQLITE_OK && *terms == 0) code = methods->load(context, terms);
    if (code != SQLITE_OK) return code;
    amalgam_state_set_terms(state, methods, *terms);
    if (is_own) amalgam_use_set_terms(use, methods, *terms);
    return SQLITE_OK;
}

int amalgam_fts5_terms(
    sqlite3 *db, const char *name, const amalgam_fts5_terms_methods *methods, void *context, void **terms) {
    amalgam_fts5_hold hold;
    *terms = 0;
    int code = amalgam_fts5_begin(db, name, &hold);
    if (code != SQLITE_OK) return code;
    Fts5Index *index = hold.table->p.pIndex;
    /* An open blob holds a read transaction. */
    fts5DataRelease(fts5DataRead(index, FTS5_AVERAGES_ROWID));
    code = fts5IndexReturn(index);
    amalgam_index_state *state = 0;
    if (code == SQLITE_OK) {
        /* Lengths of rows may be read again: not for the statement whose compilation the authorizer checks. */
        sqlite3_xauth authorizer = db->xAuth;
        db->xAuth = 0;
        code = amalgam_index_state_of(hold.table, &state);
        db->xAuth = authorizer;
    }
    if (code == SQLITE_OK) *terms = amalgam_state_terms(state, methods);
    if (code == SQLITE_OK && *terms == 0) code = amalgam_fts5_make_terms(&hold, state, methods, context, terms);
    amalgam_index_state_release(state);
    fts5IndexCloseReader(index);
    return amalgam_fts5_end(db, &hold, code);
}
