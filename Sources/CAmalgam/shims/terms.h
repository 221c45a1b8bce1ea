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

/* Makes the terms of a state from those of an earlier one. `*terms` is NULL if that isn't possible. */
static int amalgam_fts5_add_terms(
    const Fts5FullTable *table, const amalgam_index_state *state, const amalgam_fts5_terms_methods *methods, void *context,
    void **terms) {
    amalgam_index_use *use = 0;
    uint8_t *added = 0;
    int64_t size = 0;
    void *earlier = 0;
    int code = amalgam_index_use_of(table, 0, &use);
    if (code != SQLITE_OK || use == 0) return code;
    if (use->has_note) {
        /* The state is that of a transaction, which has terms that aren't in the index yet. */
        amalgam_note_terms(use);
        sqlite3_mutex_enter(amalgam_indexes_mutex());
        amalgam_index_state *before = use->note.has_terms ? amalgam_index_known(use->index, &use->note.before) : 0;
        sqlite3_mutex_leave(amalgam_indexes_mutex());
        if (before != 0) earlier = amalgam_state_terms(before, methods);
        amalgam_index_state_release(before);
        if (earlier != 0) methods->add(context, earlier, use->note.terms, use->note.term_bytes, terms);
    } else {
        sqlite3_mutex_enter(amalgam_indexes_mutex());
        earlier = amalgam_index_terms_origin(use->index, &state->version, methods->retain, &added, &size);
        sqlite3_mutex_leave(amalgam_indexes_mutex());
        if (earlier != 0) methods->add(context, earlier, added, size, terms);
        sqlite3_free(added);
    }
    if (earlier != 0) methods->release(earlier);
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
    if (code == SQLITE_OK && *terms == 0) {
        code = amalgam_fts5_add_terms(hold.table, state, methods, context, terms);
        if (code == SQLITE_OK && *terms == 0) code = methods->load(context, terms);
        if (code == SQLITE_OK) amalgam_state_set_terms(state, methods, *terms);
    }
    amalgam_index_state_release(state);
    fts5IndexCloseReader(index);
    return amalgam_fts5_end(db, &hold, code);
}
