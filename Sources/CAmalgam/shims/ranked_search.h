/*
** Finds the rows of a full-text query with the highest scores, without a function call for each match.
**
** The scores are those of FTS5's bm25() or of amalgam_typos(), bit for bit: this code evaluates the same expressions in
** the same order. Rows with equal scores are in the order of their rowids.
**
** Most queries are evaluated in windows of rowids: see ranked_branches.h. For all others, FTS5 finds one match after the
** other.
*/

typedef struct amalgam_ranked_row {
    double score;
    int64_t rowid;
} amalgam_ranked_row;

/* One of several OR'd or AND'd queries. */
typedef struct amalgam_ranked_branch {
    Fts5ExprNode *node;
    int group;                     /* of the branches of which a row has to have one */
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
} amalgam_window;

/* The words of a query with typos in the rows of a window. */
typedef struct amalgam_word_window {
    amalgam_word_match words[AMALGAM_WINDOW_ROWS]; /* of one word */
    int typos[AMALGAM_WINDOW_ROWS];                /* of all words */
    double lengths[AMALGAM_WINDOW_ROWS];
} amalgam_word_window;

typedef struct amalgam_ranked_search {
    Fts5FullTable *table;
    Fts5Cursor *cursor;
    Fts5Expr *expr;
    amalgam_index_state *state;
    amalgam_places *places; /* NULL: windows are those of rowids */
    int64_t first, last;    /* the places, or rowids, that the rows may have */
    int64_t rows;
    double average; /* the length of a row */
    amalgam_typo_plan *plan; /* of amalgam_typos(); NULL for bm25() */
    int phrase_count;
    /* For each phrase */
    amalgam_kept_term **kept; /* NULL if the postings aren't in memory */
    int64_t *hits;            /* the number of rows; with a plan, that of the word */
    double *idf;
    double *frequencies; /* in the current row; only with a plan */
    amalgam_column_weights weights;
    amalgam_ranked_branch *branches;
    int branch_count;
    amalgam_window *window;
    amalgam_word_window *word_window;
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

/* Counts rows that were looked at. */
static inline int amalgam_ranked_step(amalgam_ranked_search *search, u32 rows) {
    search->steps += rows;
    if (search->steps < AMALGAM_RANKED_STEPS) return SQLITE_OK;
    search->steps = 0;
    return amalgam_ranked_check(search->table->p.pConfig->db);
}

/* Lengths */

/* Lengths are read one by one until their number exceeds this part of the rows. Then all are read. */
enum { AMALGAM_READS_PART = 256 };

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
    if (!amalgam_index_state_has_lengths(search->state)) return amalgam_ranked_read_length(search, rowid, length);
    const unsigned value = amalgam_lengths_value(&search->state->lengths, rowid);
    if (value == AMALGAM_LENGTH_MISSING || value == AMALGAM_LENGTH_TOO_LARGE) {
        return amalgam_ranked_read_length(search, rowid, length);
    }
    *length = (double)(value - 1);
    return SQLITE_OK;
}

/* Places */

/* The rowid at a place; the place itself if windows are those of rowids. */
static inline int64_t amalgam_ranked_rowid(const amalgam_ranked_search *search, int64_t place) {
    return search->places == 0 ? place : amalgam_lengths_rowid(search->places->lengths, place);
}

/* The first place whose rowid isn't smaller. */
static inline int64_t amalgam_ranked_place(const amalgam_ranked_search *search, int64_t rowid, int *is_there) {
    *is_there = 1;
    return search->places == 0 ? rowid : amalgam_lengths_place(search->places->lengths, rowid, is_there);
}

/* Decides whether windows are those of places, and where the result begins and ends. */
static int amalgam_ranked_choose_places(amalgam_ranked_search *search, int allows_places) {
    const amalgam_lengths *lengths = &search->state->lengths;
    const Fts5Cursor *cursor = search->cursor;
    const int is_possible = allows_places && amalgam_index_state_has_lengths(search->state) && lengths->is_sparse &&
                            lengths->window_count > 0 && lengths->rows > 0;
    sqlite3_free(search->places);
    search->places = is_possible ? sqlite3_malloc64(sizeof(amalgam_places)) : 0;
    if (is_possible && search->places == 0) return SQLITE_NOMEM;
    search->first = cursor->iFirstRowid;
    search->last = cursor->iLastRowid;
    if (!is_possible) return SQLITE_OK;
    search->places->lengths = lengths;
    search->places->key = -1;
    int is_there = 0;
    search->first = amalgam_ranked_place(search, cursor->iFirstRowid, &is_there);
    search->last = amalgam_ranked_place(search, cursor->iLastRowid, &is_there) - !is_there;
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

/* Most rows are short, with few positions of a phrase. For a few rows, the table isn't made. */
static void amalgam_ranked_load_fractions(const amalgam_ranked_search *search) {
    amalgam_index_state *state = search->state;
    int64_t hits = 0;
    if (__atomic_load_n(&state->has_fractions, __ATOMIC_ACQUIRE)) return;
    for (int phrase = 0; phrase < search->phrase_count; phrase++) hits += search->hits[phrase];
    if (hits < AMALGAM_FRACTION_POSITIONS * AMALGAM_FRACTION_LENGTHS) return;
    sqlite3_mutex_enter(amalgam_indexes_mutex());
    for (int positions = 0; positions < AMALGAM_FRACTION_POSITIONS && !state->has_fractions; positions++) {
        for (int length = 1; length < AMALGAM_FRACTION_LENGTHS; length++) {
            state->fractions[positions][length] = amalgam_ranked_fraction(positions, length - 1, search->average);
        }
    }
    __atomic_store_n(&state->has_fractions, 1, __ATOMIC_RELEASE);
    sqlite3_mutex_leave(amalgam_indexes_mutex());
}

/* The frequency of a phrase in the row that its node is at. `*is_match` receives 0 if the node is at another row. */
static int amalgam_ranked_read_frequency(
    const amalgam_ranked_search *search, int phrase, int64_t rowid, double *frequency, int *is_match) {
    const Fts5ExprPhrase *object = search->expr->apExprPhrase[phrase];
    *frequency = 0;
    *is_match = !object->pNode->bEof && object->pNode->iRowid == rowid && object->poslist.n > 0;
    return *is_match ? amalgam_ranked_frequency(search, object->poslist.p, object->poslist.n, frequency) : SQLITE_OK;
}

/* Adds the parts of some phrases to the score of the row that their nodes are at. */
static int amalgam_ranked_score(
    const amalgam_ranked_search *search, int first, int end, int64_t rowid, double length, double *score) {
    for (int phrase = first; phrase < end; phrase++) {
        double frequency = 0;
        int is_match = 0;
        const int code = amalgam_ranked_read_frequency(search, phrase, rowid, &frequency, &is_match);
        if (code != SQLITE_OK) return code;
        *score += amalgam_ranked_term(search->idf[phrase], frequency, length, search->average);
    }
    return SQLITE_OK;
}

/* The score of the row that the nodes of a query with typos are at. */
static int amalgam_ranked_typo_score(
    const amalgam_ranked_search *search, int64_t rowid, double length, double *score) {
    for (int phrase = 0; phrase < search->phrase_count; phrase++) {
        int is_match = 0;
        const int code =
            amalgam_ranked_read_frequency(search, phrase, rowid, &search->frequencies[phrase], &is_match);
        if (code != SQLITE_OK) return code;
        if (!is_match) search->frequencies[phrase] = NAN;
    }
    *score = amalgam_typo_score(search->plan, search->idf, search->frequencies, length, search->average);
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

/* Adds a row to the result. The rows are known by their places until the end of the search. */
static int amalgam_ranked_add(amalgam_ranked_search *search, double score, int64_t rowid) {
    if (amalgam_ranked_is_low(search, score)) return SQLITE_OK;
    if (search->skip_count > 0 && amalgam_ranked_is_skipped(search, amalgam_ranked_rowid(search, rowid))) return SQLITE_OK;
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
    for (int64_t i = 0; search->places != 0 && i < search->count; i++) {
        search->best[i].rowid = amalgam_ranked_rowid(search, search->best[i].rowid);
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
    const int start[] = {column_count, search->places != 0};
    int code = amalgam_key_append(key, size, start, sizeof(start));
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
    amalgam_term *term = amalgam_term_new(node, &search->weights, search->places);
    amalgam_postings_buffer *buffer = sqlite3_malloc64(sizeof(amalgam_postings_buffer));
    amalgam_kept_term *result = amalgam_kept_term_new();
    int code = term != 0 && buffer != 0 && result != 0 ? SQLITE_OK : SQLITE_NOMEM;
    int64_t rowid = 0;
    int is_possible = 1, is_there = 1;
    if (code == SQLITE_OK) amalgam_postings_buffer_init(buffer);
    while (code == SQLITE_OK && amalgam_term_rowid(term, &rowid)) {
        amalgam_postings postings = {0};
        const int64_t key = amalgam_chunk_key(amalgam_ranked_place(search, rowid, &is_there));
        code = is_there ? amalgam_term_read(term, key, 0, buffer, &postings) : AMALGAM_NO_PLACE;
        *rows += postings.count;
        if (code == SQLITE_OK && is_possible && postings.count > 0) {
            code = amalgam_kept_add(result, key, &postings, &is_possible);
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
    for (int phrase = 0; code == SQLITE_OK && phrase < search->phrase_count && !*is_empty; phrase++) {
        code = amalgam_phrase_frequency(search, phrase, &search->hits[phrase]);
        *is_empty = search->hits[phrase] == 0 && search->expr->pRoot->eType == FTS5_AND &&
                    amalgam_node_is_simple(search->expr->pRoot);
    }
    if (code != SQLITE_OK || *is_empty) return code;
    if (search->plan != 0) amalgam_typo_plan_merge(search->plan, search->hits);
    for (int phrase = 0; phrase < search->phrase_count; phrase++) {
        search->idf[phrase] = amalgam_ranked_idf(rows, search->hits[phrase]);
    }
    return SQLITE_OK;
}

/* Matches one after the other */

static int amalgam_ranked_all(amalgam_ranked_search *search) {
    Fts5Expr *expr = search->expr;
    int code = SQLITE_OK;
    while (code == SQLITE_OK && !sqlite3Fts5ExprEof(expr)) {
        const int64_t rowid = sqlite3Fts5ExprRowid(expr);
        double length = 0, score = 0;
        code = amalgam_ranked_length(search, rowid, &length);
        if (code == SQLITE_OK) {
            code = search->plan != 0 ? amalgam_ranked_typo_score(search, rowid, length, &score)
                                     : amalgam_ranked_score(search, 0, search->phrase_count, rowid, length, &score);
        }
        if (code == SQLITE_OK) code = amalgam_ranked_add(search, score, rowid);
        if (code == SQLITE_OK) code = amalgam_ranked_step(search, 1);
        if (code == SQLITE_OK) code = sqlite3Fts5ExprNext(expr, search->cursor->iLastRowid);
    }
    return code;
}
