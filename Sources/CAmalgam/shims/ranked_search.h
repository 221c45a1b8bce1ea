/*
** Finds the rows of a full-text query with the highest bm25() scores, without a function call for each match.
**
** The scores are those of FTS5's bm25(), bit for bit: this code evaluates the same expressions in the same order. Rows
** with equal scores are in the order of their rowids.
**
** A query is one of these:
** - Terms, or OR'd queries: their postings are read in windows of rowids, and each adds its part to the scores of the
**   window. AND'd terms: the window of the rarest term is read first, and of the others only the rows in it.
** - Anything else: FTS5 finds one match after the other.
*/

typedef struct amalgam_ranked_row {
    double score;
    int64_t rowid;
} amalgam_ranked_row;

/* One of several OR'd or AND'd queries. */
typedef struct amalgam_ranked_branch {
    Fts5ExprNode *node;
    int is_term;
    const amalgam_kept_term *kept; /* the postings in memory */
    amalgam_term *term;            /* otherwise, the postings in the index; NULL if FTS5 has to find the matches */
    int position;                  /* in the windows in memory */
    int first, end;                /* its phrases */
    amalgam_postings postings;     /* of the current window */
    amalgam_postings_buffer *buffer; /* NULL if the postings are in memory */
    const double *fractions[AMALGAM_CODE_OTHER + 1]; /* for each code; NULL: to be computed */
} amalgam_ranked_branch;

/* The rows of a window that match, and their scores. */
typedef struct amalgam_window {
    u64 rows[AMALGAM_WINDOW_WORDS];
    double scores[AMALGAM_WINDOW_ROWS];
    uint16_t lengths[AMALGAM_WINDOW_ROWS]; /* of a sparse chunk */
} amalgam_window;

typedef struct amalgam_ranked_search {
    Fts5FullTable *table;
    Fts5Cursor *cursor;
    Fts5Expr *expr;
    amalgam_index_state *state;
    amalgam_chunk_entry chunk; /* the last one, without a reference */
    int64_t rows;
    double average; /* the length of a row */
    int phrase_count;
    double *idf;               /* for each phrase */
    amalgam_kept_term **kept; /* for each phrase; NULL if its postings aren't in memory */
    amalgam_column_weights weights;
    amalgam_ranked_branch *branches;
    int branch_count;
    amalgam_window *window;
    int64_t limit; /* of `best`; the search looks for this number of rows */
    int64_t count, capacity;
    amalgam_ranked_row *best; /* a heap: the last row of the result is first */
    int64_t skip_count;
    const int64_t *skipped; /* sorted rowids of rows that aren't looked for */
    u32 steps;
} amalgam_ranked_search;

/* Interrupts */

/* Between two checks for interrupts, a search looks at this number of rows. */
enum { AMALGAM_RANKED_STEPS = 4096 };

static int amalgam_ranked_check(sqlite3 *db) {
    if (AtomicLoad(&db->u1.isInterrupted)) return SQLITE_INTERRUPT;
#ifndef SQLITE_OMIT_PROGRESS_CALLBACK
    if (db->xProgress != 0 && db->xProgress(db->pProgressArg)) return SQLITE_INTERRUPT;
#endif
    return SQLITE_OK;
}

/* Counts rows that were looked at. */
static inline int amalgam_ranked_step(amalgam_ranked_search *search, u32 rows) {
    search->steps += rows;
    if (search->steps < AMALGAM_RANKED_STEPS) return SQLITE_OK;
    search->steps = 0;
    return amalgam_ranked_check(search->table->p.pConfig->db);
}

/* Lengths */

/* Lengths are read one by one until their number exceeds this part of the rows. Then all are read. */
enum { AMALGAM_READS_PART = 32 };

static int amalgam_ranked_read_length(amalgam_ranked_search *search, int64_t rowid, double *length) {
    const Fts5Config *config = search->table->p.pConfig;
    if (!amalgam_index_state_has_lengths(search->state)) {
        const int64_t reads = __atomic_add_fetch(&search->state->reads, 1, __ATOMIC_RELAXED);
        if (reads > search->rows / AMALGAM_READS_PART) {
            const int code = amalgam_index_state_load(search->table, search->state);
            if (code != SQLITE_OK) return code;
        }
    }
    const int code = sqlite3Fts5StorageDocsize(search->table->pStorage, rowid, search->cursor->aColumnSize);
    if (code != SQLITE_OK) return code;
    int total = 0;
    for (int column = 0; column < config->nCol; column++) total += search->cursor->aColumnSize[column];
    *length = (double)total;
    return SQLITE_OK;
}

static inline int amalgam_ranked_length(amalgam_ranked_search *search, int64_t rowid, double *length) {
    const int64_t key = amalgam_chunk_key(rowid);
    if (search->chunk.chunk == 0 || search->chunk.key != key) {
        const amalgam_lengths *lengths = &search->state->lengths;
        search->chunk.chunk = 0;
        if (amalgam_index_state_has_lengths(search->state)) {
            const int at = amalgam_lengths_search(lengths, key);
            if (at < lengths->count && lengths->entries[at].key == key) search->chunk = lengths->entries[at];
        }
        if (search->chunk.chunk == 0) return amalgam_ranked_read_length(search, rowid, length);
    }
    const unsigned value = amalgam_chunk_find(search->chunk.chunk, amalgam_chunk_remainder(rowid));
    if (value == AMALGAM_LENGTH_MISSING || value == AMALGAM_LENGTH_TOO_LARGE) {
        return amalgam_ranked_read_length(search, rowid, length);
    }
    *length = (double)(value - 1);
    return SQLITE_OK;
}

/* Scores */

/* The frequency of a phrase in a row: the sum of the weights of the columns of its positions. */
static int amalgam_ranked_frequency(const amalgam_ranked_search *search, const u8 *list, int size, double *frequency) {
    int is_match = 0;
    if (search->weights.count > 0) return amalgam_positions_weigh(&search->weights, 0, list, size, frequency, &is_match);
    *frequency = (double)amalgam_position_count(list, size);
    return SQLITE_OK;
}

/* The part of a phrase in the score of a row is the product of its IDF and this fraction: see fts5Bm25Function(). */
static inline double amalgam_ranked_fraction(double frequency, double length, double average) {
    const double k1 = 1.2, b = 0.75;
    return (frequency * (k1 + 1.0)) / (frequency + k1 * (1 - b + b * length / average));
}

static inline double amalgam_ranked_term(double idf, double frequency, double length, double average) {
    return idf * amalgam_ranked_fraction(frequency, length, average);
}

/* Most rows are short, with few positions of a phrase. */
static void amalgam_ranked_load_fractions(const amalgam_ranked_search *search) {
    amalgam_index_state *state = search->state;
    if (__atomic_load_n(&state->has_fractions, __ATOMIC_ACQUIRE)) return;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    for (int positions = 0; positions < AMALGAM_FRACTION_POSITIONS && !state->has_fractions; positions++) {
        for (int length = 1; length < AMALGAM_FRACTION_LENGTHS; length++) {
            state->fractions[positions][length] = amalgam_ranked_fraction(positions, length - 1, search->average);
        }
    }
    __atomic_store_n(&state->has_fractions, 1, __ATOMIC_RELEASE);
    sqlite3_mutex_leave(amalgam_indexes_mutex());
}

/* Adds the parts of some phrases to the score of the row that their nodes are at. */
static int amalgam_ranked_score(
    const amalgam_ranked_search *search, int first, int end, int64_t rowid, double length, double *score) {
    for (int phrase = first; phrase < end; phrase++) {
        const Fts5ExprPhrase *object = search->expr->apExprPhrase[phrase];
        double frequency = 0;
        if (!object->pNode->bEof && object->pNode->iRowid == rowid) {
            const int code = amalgam_ranked_frequency(search, object->poslist.p, object->poslist.n, &frequency);
            if (code != SQLITE_OK) return code;
        }
        *score += amalgam_ranked_term(search->idf[phrase], frequency, length, search->average);
    }
    return SQLITE_OK;
}

/* The heap */

static inline int amalgam_row_is_after(const amalgam_ranked_row *row, const amalgam_ranked_row *other) {
    return row->score < other->score || (row->score == other->score && row->rowid > other->rowid);
}

static inline int amalgam_ranked_is_full(const amalgam_ranked_search *search) { return search->count == search->limit; }

/* Whether a score is too low for the result. The rows come in the order of their rowids. */
static inline int amalgam_ranked_is_low(const amalgam_ranked_search *search, double score) {
    return amalgam_ranked_is_full(search) && score <= search->best[0].score;
}

static void amalgam_heap_sink(amalgam_ranked_row *heap, int64_t count, int64_t at) {
    const amalgam_ranked_row row = heap[at];
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && amalgam_row_is_after(&heap[child + 1], &heap[child])) child++;
        if (!amalgam_row_is_after(&heap[child], &row)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = row;
}

static void amalgam_heap_rise(amalgam_ranked_row *heap, int64_t at) {
    const amalgam_ranked_row row = heap[at];
    while (at > 0 && amalgam_row_is_after(&row, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = row;
}

static int amalgam_ranked_is_skipped(const amalgam_ranked_search *search, int64_t rowid) {
    int64_t low = 0, high = search->skip_count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (search->skipped[middle] < rowid) low = middle + 1;
        else high = middle;
    }
    return low < search->skip_count && search->skipped[low] == rowid;
}

static int amalgam_ranked_add(amalgam_ranked_search *search, double score, int64_t rowid) {
    if (amalgam_ranked_is_low(search, score)) return SQLITE_OK;
    if (search->skip_count > 0 && amalgam_ranked_is_skipped(search, rowid)) return SQLITE_OK;
    if (amalgam_ranked_is_full(search)) {
        search->best[0] = (amalgam_ranked_row){.score = score, .rowid = rowid};
        amalgam_heap_sink(search->best, search->count, 0);
        return SQLITE_OK;
    }
    if (search->count == search->capacity) {
        const int64_t capacity = search->capacity > 0 ? 2 * search->capacity : 32;
        amalgam_ranked_row *best = sqlite3_realloc64(search->best, (size_t)capacity * sizeof(amalgam_ranked_row));
        if (best == 0) return SQLITE_NOMEM;
        search->best = best;
        search->capacity = capacity;
    }
    search->best[search->count] = (amalgam_ranked_row){.score = score, .rowid = rowid};
    amalgam_heap_rise(search->best, search->count++);
    return SQLITE_OK;
}

/* Sorts the rows of the result. */
static void amalgam_ranked_sort(amalgam_ranked_search *search) {
    for (int64_t rest = search->count; rest > 1; rest--) {
        const amalgam_ranked_row last = search->best[0];
        search->best[0] = search->best[rest - 1];
        amalgam_heap_sink(search->best, rest - 1, 0);
        search->best[rest - 1] = last;
    }
}

/* The frequencies of phrases in the table */

/* Whether a query is one term, or AND'd or OR'd terms. */
static int amalgam_node_is_simple(const Fts5ExprNode *node) {
    if (node->eType == FTS5_TERM) return 1;
    if (node->eType != FTS5_AND && node->eType != FTS5_OR) return 0;
    for (int i = 0; i < node->nChild; i++) {
        if (node->apChild[i]->eType != FTS5_TERM) return 0;
    }
    return 1;
}

static int amalgam_key_append(char **key, int *size, const void *bytes, int count) {
    char *longer = sqlite3_realloc64(*key, (size_t)(*size + count));
    if (longer == 0) return SQLITE_NOMEM;
    memcpy(longer + *size, bytes, (size_t)count);
    *key = longer;
    *size += count;
    return SQLITE_OK;
}

/* What distinguishes a phrase from other phrases of the table: its tokens, their flags, its columns and weights. */
static int amalgam_phrase_key(const amalgam_ranked_search *search, const Fts5ExprPhrase *phrase, char **key, int *size) {
    const Fts5Colset *columns = phrase->pNode->pNear->pColset;
    const int column_count = columns != 0 ? columns->nCol : -1;
    int code = amalgam_key_append(key, size, &column_count, sizeof(column_count));
    for (int i = 0; code == SQLITE_OK && i < column_count; i++) {
        code = amalgam_key_append(key, size, &columns->aiCol[i], sizeof(columns->aiCol[i]));
    }
    if (code == SQLITE_OK && search->weights.count > 0) {
        code = amalgam_key_append(key, size, search->weights.values, (int)sizeof(double) * search->weights.count);
    }
    for (int i = 0; code == SQLITE_OK && i < phrase->nTerm; i++) {
        for (const Fts5ExprTerm *term = &phrase->aTerm[i]; code == SQLITE_OK && term != 0; term = term->pSynonym) {
            const int head[] = {term->nQueryTerm, term->bPrefix, term->bFirst, term != &phrase->aTerm[i]};
            code = amalgam_key_append(key, size, head, sizeof(head));
            if (code == SQLITE_OK) code = amalgam_key_append(key, size, term->pTerm, term->nQueryTerm);
        }
    }
    return code;
}

/*
** Reads and counts all postings of a term, whose iterators are at the first one. `*kept` receives the postings; NULL if
** they take too much memory.
*/
static int amalgam_keep_term(
    amalgam_ranked_search *search, const Fts5ExprNode *node, int64_t *rows, amalgam_kept_term **kept) {
    amalgam_term *term = amalgam_term_new(node, &search->weights);
    amalgam_postings_buffer *buffer = sqlite3_malloc64(sizeof(amalgam_postings_buffer));
    amalgam_kept_term *result = amalgam_kept_term_new();
    int code = term != 0 && buffer != 0 && result != 0 ? SQLITE_OK : SQLITE_NOMEM;
    int64_t rowid = 0;
    int is_possible = 1;
    if (code == SQLITE_OK) amalgam_postings_buffer_init(buffer);
    while (code == SQLITE_OK && amalgam_term_rowid(term, &rowid)) {
        amalgam_postings postings;
        code = amalgam_term_read(term, amalgam_chunk_key(rowid), 0, buffer, &postings);
        *rows += postings.count;
        if (code == SQLITE_OK && is_possible && postings.count > 0) {
            code = amalgam_kept_add(result, amalgam_chunk_key(rowid), &postings, &is_possible);
        }
        if (amalgam_kept_bytes(result) > amalgam_phrase_budget(search->rows)) is_possible = 0;
        if (code == SQLITE_OK) code = amalgam_ranked_step(search, (u32)postings.count + 1);
    }
    amalgam_term_free(term);
    sqlite3_free(buffer);
    if (code == SQLITE_OK && is_possible) {
        *kept = amalgam_kept_term_finish(result);
    } else {
        amalgam_kept_term_release(result);
    }
    return code;
}

/* Counts the rows with a phrase, like FTS5's xQueryPhrase(). */
static int amalgam_count_phrase(
    amalgam_ranked_search *search, int phrase, int64_t *rows, amalgam_kept_term **kept) {
    Fts5Expr *expr = 0;
    *rows = 0;
    int code = sqlite3Fts5ExprClonePhrase(search->expr, phrase, &expr);
    if (code == SQLITE_OK) {
        code = sqlite3Fts5ExprFirst(expr, search->table->p.pIndex, SMALLEST_INT64, LARGEST_INT64, 0);
    }
    if (code == SQLITE_OK && amalgam_node_is_term(expr->pRoot)) {
        code = amalgam_keep_term(search, expr->pRoot, rows, kept);
    } else {
        while (code == SQLITE_OK && !sqlite3Fts5ExprEof(expr)) {
            ++*rows;
            code = amalgam_ranked_step(search, 1);
            if (code == SQLITE_OK) code = sqlite3Fts5ExprNext(expr, LARGEST_INT64);
        }
    }
    sqlite3Fts5ExprFree(expr);
    return code;
}

static int amalgam_phrase_frequency(amalgam_ranked_search *search, int phrase, int64_t *rows) {
    char *key = 0;
    int size = 0;
    int code = amalgam_phrase_key(search, search->expr->apExprPhrase[phrase], &key, &size);
    if (code == SQLITE_OK) {
        *rows = amalgam_phrase_rows(search->state, key, size, &search->kept[phrase]);
        if (*rows < 0) {
            code = amalgam_count_phrase(search, phrase, rows, &search->kept[phrase]);
            if (code == SQLITE_OK) {
                amalgam_phrase_remember(
                    search->state, key, size, *rows, search->kept[phrase], amalgam_phrase_budget(search->rows));
            }
        }
    }
    sqlite3_free(key);
    return code;
}

static void amalgam_ranked_release_kept(amalgam_ranked_search *search) {
    for (int phrase = 0; search->kept != 0 && phrase < search->phrase_count; phrase++) {
        amalgam_kept_term_release(search->kept[phrase]);
        search->kept[phrase] = 0;
    }
}

/*
** Like fts5Bm25GetData(). `*is_empty` receives 1 if no row can match: one of the AND'd terms is in no row.
*/
static int amalgam_ranked_load_statistics(amalgam_ranked_search *search, int *is_empty) {
    i64 rows = 0, tokens = 0;
    int code = sqlite3Fts5StorageRowCount(search->table->pStorage, &rows);
    if (code == SQLITE_OK) code = sqlite3Fts5StorageSize(search->table->pStorage, -1, &tokens);
    search->rows = rows;
    if (code == SQLITE_OK) search->average = (double)tokens / (double)rows;
    for (int phrase = 0; code == SQLITE_OK && phrase < search->phrase_count; phrase++) {
        int64_t hits = 0;
        code = amalgam_phrase_frequency(search, phrase, &hits);
        if (code != SQLITE_OK) break;
        double idf = log((rows - hits + 0.5) / (hits + 0.5));
        if (idf <= 0.0) idf = 1e-6;
        search->idf[phrase] = idf;
        if (hits == 0 && search->expr->pRoot->eType == FTS5_AND && amalgam_node_is_simple(search->expr->pRoot)) {
            *is_empty = 1;
            break;
        }
    }
    return code;
}

/* Matches one after the other */

static int amalgam_ranked_all(amalgam_ranked_search *search) {
    Fts5Expr *expr = search->expr;
    int code = SQLITE_OK;
    while (code == SQLITE_OK && !sqlite3Fts5ExprEof(expr)) {
        const int64_t rowid = sqlite3Fts5ExprRowid(expr);
        double length = 0, score = 0;
        code = amalgam_ranked_length(search, rowid, &length);
        if (code == SQLITE_OK) code = amalgam_ranked_score(search, 0, search->phrase_count, rowid, length, &score);
        if (code == SQLITE_OK) code = amalgam_ranked_add(search, score, rowid);
        if (code == SQLITE_OK) code = amalgam_ranked_step(search, 1);
        if (code == SQLITE_OK) code = sqlite3Fts5ExprNext(expr, search->cursor->iLastRowid);
    }
    return code;
}

/* Branches */

/*
** Whether the score of a row doesn't depend on the rows that were looked at before. In FTS5, it does for NEAR: if the first
** phrase isn't in a row, the positions of the second one are those in another row. It does for NOT: at the end of the
** first query, the second one stays at a row.
*/
static int amalgam_node_is_independent(const Fts5ExprNode *node) {
    if (node->eType == FTS5_STRING || node->eType == FTS5_TERM) return node->pNear->nPhrase == 1;
    for (int i = 0; i < node->nChild; i++) {
        if (!amalgam_node_is_independent(node->apChild[i])) return 0;
    }
    return node->eType != FTS5_NOT;
}

/* Whether the postings of a term are in memory, or can be read from the index. */
static int amalgam_ranked_has_postings(const amalgam_ranked_search *search, const Fts5ExprNode *node, int phrase) {
    return node->eType == FTS5_TERM && (search->kept[phrase] != 0 || amalgam_node_is_term(node));
}

static int amalgam_ranked_has_branches(const amalgam_ranked_search *search) {
    const Fts5ExprNode *root = search->expr->pRoot;
    if (root->eType == FTS5_OR) return amalgam_node_is_independent(root);
    if (!amalgam_node_is_simple(root)) return 0;
    if (root->eType == FTS5_TERM) return amalgam_ranked_has_postings(search, root, 0);
    for (int i = 0; i < root->nChild; i++) {
        if (!amalgam_ranked_has_postings(search, root->apChild[i], i)) return 0;
    }
    return 1;
}

static int amalgam_phrase_is_in(const Fts5ExprNode *node, const Fts5ExprNode *phrase) {
    if (node == phrase) return 1;
    for (int i = 0; i < node->nChild; i++) {
        if (amalgam_phrase_is_in(node->apChild[i], phrase)) return 1;
    }
    return 0;
}

static void amalgam_ranked_free_branches(amalgam_ranked_search *search) {
    for (int i = 0; i < search->branch_count; i++) {
        amalgam_term_free(search->branches[i].term);
        sqlite3_free(search->branches[i].buffer);
    }
    sqlite3_free(search->branches);
    search->branches = 0;
    search->branch_count = 0;
}

/* Prepares to read the postings of a term. */
static int amalgam_branch_open(amalgam_ranked_search *search, amalgam_ranked_branch *branch) {
    branch->is_term = 1;
    branch->kept = search->kept[branch->first];
    if (branch->kept == 0) {
        branch->buffer = sqlite3_malloc64(sizeof(amalgam_postings_buffer));
        if (branch->buffer == 0) return SQLITE_NOMEM;
        amalgam_postings_buffer_init(branch->buffer);
    }
    const double *frequencies = branch->kept != 0 ? branch->kept->frequencies : branch->buffer->frequencies;
    const int count = branch->kept != 0 ? branch->kept->frequency_count : AMALGAM_CODE_OTHER;
    for (int code = 0; code < count; code++) {
        const double frequency = frequencies[code];
        const int is_looked_up = frequency < AMALGAM_FRACTION_POSITIONS && frequency == (double)(int)frequency;
        branch->fractions[code] = is_looked_up ? search->state->fractions[(int)frequency] : 0;
    }
    if (branch->kept == 0) branch->term = amalgam_term_new(branch->node, &search->weights);
    return branch->kept != 0 || branch->term != 0 ? SQLITE_OK : SQLITE_NOMEM;
}

/* Finds the branches of a query, in the order of their phrases. There are none if FTS5 has to find the matches. */
static int amalgam_ranked_find_branches(amalgam_ranked_search *search) {
    Fts5ExprNode *root = search->expr->pRoot;
    if (!amalgam_ranked_has_branches(search)) return SQLITE_OK;
    const int count = root->nChild > 0 ? root->nChild : 1;
    search->branches = sqlite3_malloc64((size_t)count * sizeof(amalgam_ranked_branch));
    if (search->branches == 0) return SQLITE_NOMEM;
    memset(search->branches, 0, (size_t)count * sizeof(amalgam_ranked_branch));
    search->branch_count = count;
    int phrase = 0, code = SQLITE_OK;
    for (int i = 0; code == SQLITE_OK && i < count; i++) {
        amalgam_ranked_branch *branch = &search->branches[i];
        branch->node = root->nChild > 0 ? root->apChild[i] : root;
        branch->first = phrase;
        while (phrase < search->phrase_count &&
               amalgam_phrase_is_in(branch->node, search->expr->apExprPhrase[phrase]->pNode)) {
            phrase++;
        }
        branch->end = phrase;
        if (amalgam_ranked_has_postings(search, branch->node, branch->first)) code = amalgam_branch_open(search, branch);
    }
    /* Otherwise, the phrases of the branches aren't next to each other. */
    if (code == SQLITE_OK && phrase != search->phrase_count) amalgam_ranked_free_branches(search);
    return code;
}

static int amalgam_branch_rowid(const amalgam_ranked_branch *branch, int64_t *rowid) {
    if (branch->kept != 0) {
        if (branch->position == branch->kept->window_count) return 0;
        *rowid = amalgam_window_rowid(branch->kept->windows[branch->position].key, 0);
        return 1;
    }
    if (branch->term != 0) return amalgam_term_rowid(branch->term, rowid);
    *rowid = branch->node->iRowid;
    return !branch->node->bEof;
}

/* Reads the postings of a window, and goes to the next one. Only the rows that are set in `only` are needed. */
static int amalgam_branch_read(
    amalgam_ranked_search *search, amalgam_ranked_branch *branch, int64_t key, const u64 *only) {
    int code = SQLITE_OK;
    if (branch->kept != 0) {
        amalgam_kept_read(branch->kept, &branch->position, key, &branch->postings);
    } else {
        code = amalgam_term_read(branch->term, key, only, branch->buffer, &branch->postings);
    }
    return code == SQLITE_OK ? amalgam_ranked_step(search, (u32)branch->postings.count + 1) : code;
}

/* The window of the first row of all branches. Returns 0 if there is none. */
static int amalgam_ranked_next_window(const amalgam_ranked_search *search, int64_t *key) {
    int has_row = 0;
    int64_t first = 0, rowid = 0;
    for (int i = 0; i < search->branch_count; i++) {
        if (!amalgam_branch_rowid(&search->branches[i], &rowid) || (has_row && rowid >= first)) continue;
        first = rowid;
        has_row = 1;
    }
    *key = amalgam_chunk_key(first);
    return has_row && *key <= amalgam_chunk_key(search->cursor->iLastRowid);
}

/* The lengths of the rows of a window, as they are in a dense chunk; NULL if they aren't in memory. */
static const uint16_t *amalgam_window_lengths(amalgam_ranked_search *search, int64_t key) {
    const amalgam_lengths *lengths = &search->state->lengths;
    if (!amalgam_index_state_has_lengths(search->state)) return 0;
    const int at = amalgam_lengths_search(lengths, key);
    if (at == lengths->count || lengths->entries[at].key != key) return 0;
    const amalgam_chunk *chunk = lengths->entries[at].chunk;
    if (chunk->is_dense) return chunk->values;
    amalgam_chunk_unpack(chunk, search->window->lengths);
    return search->window->lengths;
}

/* The part of a posting in the score of its row. */
static inline int amalgam_ranked_part(
    amalgam_ranked_search *search, const amalgam_ranked_branch *branch, int at, int64_t key, const uint16_t *lengths,
    double idf, double *part) {
    const int row = branch->postings.rows[at];
    const double *fractions = branch->fractions[branch->postings.codes[at]];
    if (lengths != 0 && fractions != 0 && (unsigned)lengths[row] - 1 < AMALGAM_FRACTION_LENGTHS - 1) {
        *part = idf * fractions[lengths[row]];
        return SQLITE_OK;
    }
    double length = 0;
    const int code = amalgam_ranked_length(search, amalgam_window_rowid(key, row), &length);
    *part = amalgam_ranked_term(idf, amalgam_posting_frequency(&branch->postings, at), length, search->average);
    return code;
}

static int amalgam_window_add_term(amalgam_ranked_search *search, amalgam_ranked_branch *branch, int64_t key) {
    amalgam_window *window = search->window;
    const double idf = search->idf[branch->first];
    int code = amalgam_branch_read(search, branch, key, 0);
    const uint16_t *lengths = amalgam_window_lengths(search, key);
    for (int i = 0; code == SQLITE_OK && i < branch->postings.count; i++) {
        const int row = branch->postings.rows[i];
        double part = 0;
        code = amalgam_ranked_part(search, branch, i, key, lengths, idf, &part);
        window->scores[row] += part;
        amalgam_set_bit(window->rows, row);
    }
    return code;
}

static int amalgam_window_add_node(amalgam_ranked_search *search, amalgam_ranked_branch *branch, int64_t key) {
    amalgam_window *window = search->window;
    Fts5ExprNode *node = branch->node;
    int code = SQLITE_OK;
    while (code == SQLITE_OK && !node->bEof && amalgam_chunk_key(node->iRowid) <= key) {
        if (amalgam_chunk_key(node->iRowid) == key && !node->bNomatch) {
            const int row = amalgam_chunk_remainder(node->iRowid);
            double length = 0;
            code = amalgam_ranked_length(search, node->iRowid, &length);
            if (code == SQLITE_OK) {
                code = amalgam_ranked_score(
                    search, branch->first, branch->end, node->iRowid, length, &window->scores[row]);
            }
            amalgam_set_bit(window->rows, row);
        }
        if (code == SQLITE_OK) code = amalgam_ranked_step(search, 1);
        if (code == SQLITE_OK) code = fts5ExprNodeNext(search->expr, node, 0, 0);
    }
    return code;
}

static inline int amalgam_ranked_is_inside(const amalgam_ranked_search *search, int64_t rowid) {
    return rowid >= search->cursor->iFirstRowid && rowid <= search->cursor->iLastRowid;
}

/* Adds the rows of the window to the result, and clears it. */
static int amalgam_window_finish(amalgam_ranked_search *search, int64_t key) {
    amalgam_window *window = search->window;
    int code = SQLITE_OK;
    for (int word = 0; word < AMALGAM_WINDOW_WORDS; word++) {
        for (u64 bits = window->rows[word]; bits != 0; bits &= bits - 1) {
            const int row = 64 * word + __builtin_ctzll(bits);
            const int64_t rowid = amalgam_window_rowid(key, row);
            const double score = window->scores[row];
            window->scores[row] = 0;
            if (code != SQLITE_OK || amalgam_ranked_is_low(search, score)) continue;
            if (amalgam_ranked_is_inside(search, rowid)) code = amalgam_ranked_add(search, score, rowid);
        }
        window->rows[word] = 0;
    }
    return code;
}

/* One term. */
static int amalgam_ranked_one(amalgam_ranked_search *search) {
    amalgam_ranked_branch *branch = &search->branches[0];
    const double idf = search->idf[0];
    int64_t key = 0;
    int code = SQLITE_OK;
    while (code == SQLITE_OK && amalgam_ranked_next_window(search, &key)) {
        code = amalgam_branch_read(search, branch, key, 0);
        const uint16_t *lengths = amalgam_window_lengths(search, key);
        for (int i = 0; code == SQLITE_OK && i < branch->postings.count; i++) {
            double part = 0;
            code = amalgam_ranked_part(search, branch, i, key, lengths, idf, &part);
            if (code != SQLITE_OK || amalgam_ranked_is_low(search, part)) continue;
            const int64_t rowid = amalgam_window_rowid(key, branch->postings.rows[i]);
            if (amalgam_ranked_is_inside(search, rowid)) code = amalgam_ranked_add(search, part, rowid);
        }
    }
    return code;
}

/* OR'd queries. */
static int amalgam_ranked_any(amalgam_ranked_search *search) {
    int64_t key = 0;
    int code = SQLITE_OK;
    while (code == SQLITE_OK && amalgam_ranked_next_window(search, &key)) {
        for (int i = 0; code == SQLITE_OK && i < search->branch_count; i++) {
            amalgam_ranked_branch *branch = &search->branches[i];
            code = branch->is_term ? amalgam_window_add_term(search, branch, key)
                                                  : amalgam_window_add_node(search, branch, key);
        }
        if (code == SQLITE_OK) code = amalgam_window_finish(search, key);
    }
    return code;
}

/* AND'd terms */

/* The branches of the rarest terms first. */
static void amalgam_ranked_order_branches(const amalgam_ranked_search *search, int *order) {
    for (int i = 0; i < search->branch_count; i++) {
        int at = i;
        for (; at > 0 && search->idf[search->branches[order[at - 1]].first] < search->idf[search->branches[i].first]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* The index of the first of some sorted rows, from a position on, that isn't smaller than a row. */
static inline int amalgam_rows_gallop(const uint16_t *rows, int at, int count, int row) {
    int step = 1;
    while (at + step < count && rows[at + step] < row) {
        at += step;
        step *= 2;
    }
    int low = at, high = MIN(at + step, count);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (rows[middle] < row) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The rows of a window that all AND'd terms have, and where they are in the postings of each. */
typedef struct amalgam_common_rows {
    int count;
    uint16_t rows[AMALGAM_WINDOW_ROWS];
    uint16_t positions[][AMALGAM_WINDOW_ROWS];
} amalgam_common_rows;

/* Removes the rows that the branch `order[last]` doesn't have. */
static void amalgam_common_rows_filter(
    amalgam_common_rows *common, const amalgam_postings *postings, const int *order, int last) {
    int count = 0;
    for (int i = 0, at = 0; i < common->count; i++) {
        at = amalgam_rows_gallop(postings->rows, at, postings->count, common->rows[i]);
        if (at == postings->count) break;
        if (postings->rows[at] != common->rows[i]) continue;
        common->rows[count] = common->rows[i];
        for (int earlier = 0; earlier < last; earlier++) {
            common->positions[order[earlier]][count] = common->positions[order[earlier]][i];
        }
        common->positions[order[last]][count++] = (uint16_t)at;
    }
    common->count = count;
}

/* Finds the rows of a window that all branches have. */
static int amalgam_window_intersect(
    amalgam_ranked_search *search, const int *order, int64_t key, amalgam_common_rows *common) {
    common->count = AMALGAM_WINDOW_ROWS;
    for (int i = 0; i < search->branch_count && common->count > 0; i++) {
        amalgam_ranked_branch *branch = &search->branches[order[i]];
        u64 only[AMALGAM_WINDOW_WORDS];
        if (i > 0 && branch->kept == 0) {
            memset(only, 0, sizeof(only));
            for (int row = 0; row < common->count; row++) amalgam_set_bit(only, common->rows[row]);
        }
        const int code = amalgam_branch_read(search, branch, key, i > 0 && branch->kept == 0 ? only : 0);
        if (code != SQLITE_OK) return code;
        if (i > 0) {
            amalgam_common_rows_filter(common, &branch->postings, order, i);
            continue;
        }
        common->count = branch->postings.count;
        for (int row = 0; row < common->count; row++) {
            common->rows[row] = branch->postings.rows[row];
            common->positions[order[0]][row] = (uint16_t)row;
        }
    }
    return SQLITE_OK;
}

/* Scores the rows of a window that all branches have. */
static int amalgam_window_add_common(
    amalgam_ranked_search *search, int64_t key, const amalgam_common_rows *common) {
    const uint16_t *lengths = common->count > 0 ? amalgam_window_lengths(search, key) : 0;
    int code = SQLITE_OK;
    for (int row = 0; code == SQLITE_OK && row < common->count; row++) {
        const int64_t rowid = amalgam_window_rowid(key, common->rows[row]);
        double score = 0;
        for (int i = 0; code == SQLITE_OK && i < search->branch_count; i++) {
            const amalgam_ranked_branch *branch = &search->branches[i];
            double part = 0;
            code = amalgam_ranked_part(
                search, branch, common->positions[i][row], key, lengths, search->idf[branch->first], &part);
            score += part;
        }
        if (code == SQLITE_OK && amalgam_ranked_is_inside(search, rowid)) code = amalgam_ranked_add(search, score, rowid);
    }
    return code;
}

static int amalgam_ranked_both(amalgam_ranked_search *search) {
    const size_t rows = sizeof(uint16_t) * AMALGAM_WINDOW_ROWS;
    amalgam_common_rows *common = sqlite3_malloc64(sizeof(amalgam_common_rows) + rows * (size_t)search->branch_count);
    int *order = sqlite3_malloc64(sizeof(int) * (size_t)search->branch_count);
    int code = common != 0 && order != 0 ? SQLITE_OK : SQLITE_NOMEM;
    int64_t rowid = 0;
    if (code == SQLITE_OK) amalgam_ranked_order_branches(search, order);
    while (code == SQLITE_OK && amalgam_branch_rowid(&search->branches[order[0]], &rowid)) {
        const int64_t key = amalgam_chunk_key(rowid);
        if (key > amalgam_chunk_key(search->cursor->iLastRowid)) break;
        code = amalgam_window_intersect(search, order, key, common);
        if (code == SQLITE_OK) code = amalgam_window_add_common(search, key, common);
    }
    sqlite3_free(common);
    sqlite3_free(order);
    return code;
}

/* Moves FTS5's iterators to the first match. */
static int amalgam_ranked_first(amalgam_ranked_search *search) {
    const Fts5Cursor *cursor = search->cursor;
    return sqlite3Fts5ExprFirst(search->expr, search->table->p.pIndex, cursor->iFirstRowid, cursor->iLastRowid, 0);
}

/* Whether all postings of a simple query are in memory. */
static int amalgam_ranked_is_kept(const amalgam_ranked_search *search) {
    for (int phrase = 0; phrase < search->phrase_count; phrase++) {
        if (search->kept[phrase] == 0) return 0;
    }
    return amalgam_node_is_simple(search->expr->pRoot);
}

/* Finds the best rows. `search->best` receives them, the best one first. */
static int amalgam_ranked_run(amalgam_ranked_search *search) {
    /* FTS5 considers a table without rows corrupt, if there is a match. */
    int is_empty = 0, code = fts5StorageLoadTotals(search->table->pStorage, 0);
    int has_first = !amalgam_node_is_simple(search->expr->pRoot) || search->table->pStorage->nTotalRow <= 0;
    if (code == SQLITE_OK && has_first) {
        code = amalgam_ranked_first(search);
        is_empty = code == SQLITE_OK && sqlite3Fts5ExprEof(search->expr);
    }
    if (code == SQLITE_OK && !is_empty) code = amalgam_ranked_load_statistics(search, &is_empty);
    if (code == SQLITE_OK && !is_empty && !has_first && !amalgam_ranked_is_kept(search)) {
        code = amalgam_ranked_first(search);
        is_empty = code == SQLITE_OK && sqlite3Fts5ExprEof(search->expr);
    }
    if (code == SQLITE_OK && !is_empty) {
        amalgam_ranked_load_fractions(search);
        code = amalgam_ranked_find_branches(search);
    }
    if (code == SQLITE_OK && !is_empty && search->branch_count > 0 && search->window == 0) {
        search->window = sqlite3_malloc64(sizeof(amalgam_window));
        if (search->window == 0) code = SQLITE_NOMEM;
        else memset(search->window, 0, sizeof(amalgam_window));
    }
    if (code == SQLITE_OK && !is_empty) {
        if (search->branch_count == 0) code = amalgam_ranked_all(search);
        else if (search->branch_count == 1) code = amalgam_ranked_one(search);
        else if (search->expr->pRoot->eType == FTS5_AND) code = amalgam_ranked_both(search);
        else code = amalgam_ranked_any(search);
    }
    amalgam_ranked_free_branches(search);
    amalgam_ranked_release_kept(search);
    if (code == SQLITE_OK) amalgam_ranked_sort(search);
    return code;
}

static void amalgam_ranked_search_free(amalgam_ranked_search *search) {
    amalgam_ranked_free_branches(search);
    amalgam_ranked_release_kept(search);
    amalgam_index_state_release(search->state);
    sqlite3_free(search->kept);
    sqlite3_free(search->idf);
    sqlite3_free(search->weights.values);
    sqlite3_free(search->window);
    sqlite3_free(search->best);
    sqlite3_free((void *)search->skipped);
    memset(search, 0, sizeof(*search));
}
