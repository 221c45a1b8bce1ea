/*
** Evaluates the queries of a ranked search that consist of terms, or of OR'd queries, in windows of rowids. The queries are
** called branches.
**
** - One term, and OR'd queries: each adds its part to the scores of the window.
** - AND'd terms: the window of the rarest term is read first, and of the others only the rows in it.
** - Groups: AND'd queries, each of which is a term, or OR'd terms. The rows that all groups have are found first, and
**   then their scores. A query with typos has a group for each word.
**
** The branches are sorted by their phrases, because the scores are sums in the order of FTS5's array of phrases. This isn't
** the order of the tree: if a table has several MATCH conditions, sqlite3Fts5ExprAnd() puts the phrases of a later one first.
*/

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

/*
** The number of the first phrase of a query. Returns the number of phrases if FTS5's array doesn't have it. The next phrase
** usually follows the last one: the array is searched from `hint` on.
*/
static int amalgam_ranked_first_phrase(const amalgam_ranked_search *search, const Fts5ExprNode *node, int hint) {
    while (node->nChild > 0) node = node->apChild[0];
    for (int i = 0; node->pNear != 0 && i < search->phrase_count; i++) {
        const int phrase = (hint + i) % search->phrase_count;
        if (search->expr->apExprPhrase[phrase] == node->pNear->apPhrase[0]) return phrase;
    }
    return search->phrase_count;
}

/* Whether the postings of a term are in memory, or can be read from the index. */
static int amalgam_ranked_has_postings(const amalgam_ranked_search *search, const Fts5ExprNode *node, int phrase) {
    if (node->eType != FTS5_TERM || phrase == search->phrase_count) return 0;
    return search->kept[phrase] != 0 || amalgam_node_is_term(node);
}

static int amalgam_ranked_has_branches(const amalgam_ranked_search *search) {
    const Fts5ExprNode *root = search->expr->pRoot;
    if (root->eType == FTS5_OR) return amalgam_node_is_independent(root);
    if (!amalgam_node_is_simple(root)) return 0;
    if (root->eType == FTS5_TERM) return amalgam_ranked_has_postings(search, root, 0);
    for (int i = 0, phrase = 0; i < root->nChild; i++, phrase++) {
        phrase = amalgam_ranked_first_phrase(search, root->apChild[i], phrase);
        if (!amalgam_ranked_has_postings(search, root->apChild[i], phrase)) return 0;
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

static int amalgam_ranked_new_branches(amalgam_ranked_search *search, int count) {
    search->branches = sqlite3_malloc64((size_t)count * sizeof(amalgam_ranked_branch));
    if (search->branches == 0) return SQLITE_NOMEM;
    memset(search->branches, 0, (size_t)count * sizeof(amalgam_ranked_branch));
    search->branch_count = count;
    return SQLITE_OK;
}

static int amalgam_branch_new_buffer(amalgam_ranked_branch *branch) {
    branch->buffer = sqlite3_malloc64(sizeof(amalgam_postings_buffer));
    if (branch->buffer == 0) return SQLITE_NOMEM;
    amalgam_postings_buffer_init(branch->buffer);
    return SQLITE_OK;
}

/* Prepares to read the postings of a term. */
static int amalgam_branch_open(amalgam_ranked_search *search, amalgam_ranked_branch *branch) {
    branch->is_term = 1;
    branch->kept = search->kept[branch->first];
    if (branch->kept == 0) {
        const int code = amalgam_branch_new_buffer(branch);
        if (code != SQLITE_OK) return code;
    }
    const double *frequencies = branch->kept != 0 ? branch->kept->frequencies : branch->buffer->frequencies;
    const int count = branch->kept != 0 ? branch->kept->frequency_count : AMALGAM_CODE_OTHER;
    const int has_fractions = __atomic_load_n(&search->state->has_fractions, __ATOMIC_ACQUIRE);
    for (int code = 0; code < count && has_fractions; code++) {
        const double frequency = frequencies[code];
        const int is_looked_up = frequency < AMALGAM_FRACTION_POSITIONS && frequency == (double)(int)frequency;
        branch->fractions[code] = is_looked_up ? search->state->fractions[(int)frequency] : 0;
    }
    if (branch->kept == 0) branch->term = amalgam_term_new(branch->node, &search->weights, search->places);
    return branch->kept != 0 || branch->term != 0 ? SQLITE_OK : SQLITE_NOMEM;
}

static int amalgam_compare_branches(const void *first, const void *second) {
    return ((const amalgam_ranked_branch *)first)->first - ((const amalgam_ranked_branch *)second)->first;
}

/*
** Sorts branches that aren't open by their phrases. Returns 0 if a phrase is in no branch, or in several, or if a branch has
** none.
*/
static int amalgam_ranked_sort_branches(amalgam_ranked_search *search) {
    amalgam_ranked_branch *branches = search->branches;
    int phrase = 0, is_sorted = 1;
    for (int i = 1; i < search->branch_count; i++) is_sorted &= branches[i - 1].first < branches[i].first;
    if (!is_sorted) qsort(branches, (size_t)search->branch_count, sizeof(*branches), amalgam_compare_branches);
    for (int i = 0; i < search->branch_count; i++) {
        if (branches[i].first != phrase || branches[i].end == phrase) return 0;
        phrase = branches[i].end;
    }
    return phrase == search->phrase_count;
}

/* Finds the branches of a query. There are none if FTS5 has to find the matches. */
static int amalgam_ranked_find_branches(amalgam_ranked_search *search) {
    Fts5ExprNode *root = search->expr->pRoot;
    if (!amalgam_ranked_has_branches(search)) return SQLITE_OK;
    int phrase = 0, code = amalgam_ranked_new_branches(search, root->nChild > 0 ? root->nChild : 1);
    if (code != SQLITE_OK) return code;
    for (int i = 0; i < search->branch_count; i++) {
        amalgam_ranked_branch *branch = &search->branches[i];
        branch->node = root->nChild > 0 ? root->apChild[i] : root;
        branch->first = phrase = amalgam_ranked_first_phrase(search, branch->node, phrase);
        while (phrase < search->phrase_count &&
               amalgam_phrase_is_in(branch->node, search->expr->apExprPhrase[phrase]->pNode)) {
            phrase++;
        }
        branch->end = phrase;
    }
    if (!amalgam_ranked_sort_branches(search)) amalgam_ranked_free_branches(search);
    for (int i = 0; code == SQLITE_OK && i < search->branch_count; i++) {
        amalgam_ranked_branch *branch = &search->branches[i];
        if (amalgam_ranked_has_postings(search, branch->node, branch->first)) code = amalgam_branch_open(search, branch);
    }
    return code;
}

/* The place of the next posting. Returns 0 if there is none. */
static int amalgam_branch_place(
    const amalgam_ranked_search *search, const amalgam_ranked_branch *branch, int64_t *place) {
    int64_t rowid = branch->node->iRowid;
    int is_there = !branch->node->bEof;
    if (branch->kept != 0) {
        if (branch->position == branch->kept->window_count) return 0;
        *place = amalgam_window_rowid(branch->kept->windows[branch->position].key, 0);
        return 1;
    }
    if (branch->term != 0) is_there = amalgam_term_rowid(branch->term, &rowid);
    if (!is_there) return 0;
    *place = amalgam_ranked_place(search, rowid, &is_there);
    return 1;
}

/* The place of the row that FTS5's iterator is at. */
static int amalgam_node_place(const amalgam_ranked_search *search, const Fts5ExprNode *node, int64_t *place) {
    int is_there = 0;
    *place = amalgam_ranked_place(search, node->iRowid, &is_there);
    return is_there ? SQLITE_OK : AMALGAM_NO_PLACE;
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

/* Where to go on from the window of a place: earlier rows don't matter. Returns 0 after the last row that matters. */
static int amalgam_ranked_window_of(const amalgam_ranked_search *search, int64_t place, int64_t *key) {
    *key = MAX(amalgam_chunk_key(place), amalgam_chunk_key(search->first));
    return *key <= amalgam_chunk_key(search->last);
}

/* The window of the first row of all branches. Returns 0 if there is none. */
static int amalgam_ranked_next_window(const amalgam_ranked_search *search, int64_t *key) {
    int has_row = 0;
    int64_t first = 0, rowid = 0;
    for (int i = 0; i < search->branch_count; i++) {
        if (!amalgam_branch_place(search, &search->branches[i], &rowid) || (has_row && rowid >= first)) continue;
        first = rowid;
        has_row = 1;
    }
    return has_row && amalgam_ranked_window_of(search, first, key);
}

/* The lengths of the rows of a window; NULL if they aren't in memory. */
static const uint16_t *amalgam_window_lengths(const amalgam_ranked_search *search, int64_t key, int postings) {
    const amalgam_lengths *lengths = &search->state->lengths;
    if (!amalgam_index_state_has_lengths(search->state)) return 0;
    /* Another search may have read the lengths since this one began. */
    return lengths->is_sparse == (search->places != 0) ? amalgam_lengths_window(lengths, key, postings) : 0;
}

static inline int amalgam_ranked_is_inside(const amalgam_ranked_search *search, int64_t place) {
    return place >= search->first && place <= search->last;
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
    const unsigned value = lengths != 0 ? lengths[row] : AMALGAM_LENGTH_MISSING;
    int code = SQLITE_OK;
    if (value != AMALGAM_LENGTH_MISSING && value != AMALGAM_LENGTH_TOO_LARGE) length = (double)(value - 1);
    else code = amalgam_ranked_length(search, amalgam_ranked_rowid(search, amalgam_window_rowid(key, row)), &length);
    *part = amalgam_ranked_term(idf, amalgam_posting_frequency(&branch->postings, at), length, search->average);
    return code;
}

static int amalgam_window_add_term(amalgam_ranked_search *search, amalgam_ranked_branch *branch, int64_t key) {
    amalgam_window *window = search->window;
    const double idf = search->idf[branch->first];
    int code = amalgam_branch_read(search, branch, key, 0);
    const uint16_t *lengths = amalgam_window_lengths(search, key, branch->postings.count);
    for (int i = 0; code == SQLITE_OK && i < branch->postings.count; i++) {
        const int row = branch->postings.rows[i];
        double part = 0;
        if (!amalgam_ranked_is_inside(search, amalgam_window_rowid(key, row))) continue;
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
    while (code == SQLITE_OK && !node->bEof) {
        int64_t place = 0;
        code = amalgam_node_place(search, node, &place);
        if (code != SQLITE_OK || amalgam_chunk_key(place) > key) break;
        if (amalgam_chunk_key(place) == key && !node->bNomatch && amalgam_ranked_is_inside(search, place)) {
            const int row = amalgam_chunk_remainder(place);
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

/* Adds the rows of the window to the result, and clears it. */
static int amalgam_window_finish(amalgam_ranked_search *search, int64_t key) {
    amalgam_window *window = search->window;
    int code = SQLITE_OK;
    for (int word = 0; word < AMALGAM_WINDOW_WORDS; word++) {
        for (u64 bits = window->rows[word]; bits != 0; bits &= bits - 1) {
            const int row = 64 * word + __builtin_ctzll(bits);
            const double score = window->scores[row];
            window->scores[row] = 0;
            if (code != SQLITE_OK || amalgam_ranked_is_low(search, score)) continue;
            code = amalgam_ranked_add(search, score, amalgam_window_rowid(key, row));
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
        const uint16_t *lengths = amalgam_window_lengths(search, key, branch->postings.count);
        for (int i = 0; code == SQLITE_OK && i < branch->postings.count; i++) {
            const int64_t rowid = amalgam_window_rowid(key, branch->postings.rows[i]);
            double part = 0;
            if (!amalgam_ranked_is_inside(search, rowid)) continue;
            code = amalgam_ranked_part(search, branch, i, key, lengths, idf, &part);
            if (code != SQLITE_OK || amalgam_ranked_is_low(search, part)) continue;
            code = amalgam_ranked_add(search, part, rowid);
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
    const uint16_t *lengths = common->count > 0 ? amalgam_window_lengths(search, key, common->count) : 0;
    int code = SQLITE_OK;
    for (int row = 0; code == SQLITE_OK && row < common->count; row++) {
        const int64_t rowid = amalgam_window_rowid(key, common->rows[row]);
        double score = 0;
        if (!amalgam_ranked_is_inside(search, rowid)) continue;
        for (int i = 0; code == SQLITE_OK && i < search->branch_count; i++) {
            const amalgam_ranked_branch *branch = &search->branches[i];
            double part = 0;
            code = amalgam_ranked_part(
                search, branch, common->positions[i][row], key, lengths, search->idf[branch->first], &part);
            score += part;
        }
        if (code == SQLITE_OK) code = amalgam_ranked_add(search, score, rowid);
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
    while (code == SQLITE_OK && amalgam_branch_place(search, &search->branches[order[0]], &rowid)) {
        int64_t key = 0;
        if (!amalgam_ranked_window_of(search, rowid, &key)) break;
        code = amalgam_window_intersect(search, order, key, common);
        if (code == SQLITE_OK) code = amalgam_window_add_common(search, key, common);
    }
    sqlite3_free(common);
    sqlite3_free(order);
    return code;
}

/* Groups */

/* The queries that a row has to match: the AND'd ones, or the only one. */
static int amalgam_group_count(const Fts5ExprNode *root) { return root->eType == FTS5_AND ? root->nChild : 1; }

static Fts5ExprNode *amalgam_group_node(Fts5ExprNode *root, int group) {
    return root->eType == FTS5_AND ? root->apChild[group] : root;
}

static int amalgam_group_branch_count(const Fts5ExprNode *group) { return group->eType == FTS5_OR ? group->nChild : 1; }

static Fts5ExprNode *amalgam_group_branch_node(Fts5ExprNode *group, int branch) {
    return group->eType == FTS5_OR ? group->apChild[branch] : group;
}

/* Whether a query consists of groups of terms; with `allows_phrases`, of terms and phrases. */
static int amalgam_node_is_grouped(Fts5ExprNode *root, int allows_phrases) {
    for (int i = 0; i < amalgam_group_count(root); i++) {
        Fts5ExprNode *group = amalgam_group_node(root, i);
        for (int j = 0; j < amalgam_group_branch_count(group); j++) {
            const Fts5ExprNode *node = amalgam_group_branch_node(group, j);
            const int is_phrase = node->eType == FTS5_STRING && node->pNear->nPhrase == 1;
            if (node->eType != FTS5_TERM && !(allows_phrases && is_phrase)) return 0;
        }
    }
    return 1;
}

/* FTS5 finds AND'd phrases faster than this code, which looks at all matches of a phrase. */
static int amalgam_ranked_has_groups(const amalgam_ranked_search *search) {
    Fts5ExprNode *root = search->expr->pRoot;
    if (search->plan != 0) return amalgam_node_is_grouped(root, 1);
    return root->eType == FTS5_AND && !amalgam_node_is_simple(root) && amalgam_node_is_grouped(root, 0);
}

/*
** Finds the branches of all groups. Each has one phrase, the branches of a group follow each other. Otherwise, there are
** none: FTS5 has to find the matches.
*/
static int amalgam_groups_find_branches(amalgam_ranked_search *search) {
    Fts5ExprNode *root = search->expr->pRoot;
    const int group_count = amalgam_group_count(root);
    int branch_count = 0, phrase = 0, count = 0, ends = 1;
    for (int i = 0; i < group_count; i++) branch_count += amalgam_group_branch_count(amalgam_group_node(root, i));
    const int code = amalgam_ranked_new_branches(search, branch_count);
    if (code != SQLITE_OK) return code;
    for (int i = 0; i < group_count; i++) {
        Fts5ExprNode *group = amalgam_group_node(root, i);
        for (int j = 0; j < amalgam_group_branch_count(group); j++) {
            amalgam_ranked_branch *branch = &search->branches[count++];
            branch->node = amalgam_group_branch_node(group, j);
            branch->group = i;
            branch->first = amalgam_ranked_first_phrase(search, branch->node, phrase);
            branch->end = phrase = branch->first + 1;
        }
    }
    const int is_possible = amalgam_ranked_sort_branches(search);
    for (int i = 1; i < count; i++) ends += search->branches[i - 1].group != search->branches[i].group;
    if (!is_possible || ends != group_count) amalgam_ranked_free_branches(search);
    return SQLITE_OK;
}

/* Prepares the branches of all groups. */
static int amalgam_ranked_find_groups(amalgam_ranked_search *search) {
    int code = amalgam_groups_find_branches(search);
    for (int i = 0; code == SQLITE_OK && i < search->branch_count; i++) {
        amalgam_ranked_branch *branch = &search->branches[i];
        if (amalgam_ranked_has_postings(search, branch->node, i)) code = amalgam_branch_open(search, branch);
        else code = amalgam_branch_new_buffer(branch);
    }
    if (code == SQLITE_OK && search->plan != 0 && search->word_window == 0) {
        search->word_window = sqlite3_malloc64(sizeof(amalgam_word_window));
        if (search->word_window == 0) return SQLITE_NOMEM;
        for (int row = 0; row < AMALGAM_WINDOW_ROWS; row++) {
            search->word_window->words[row].typos = AMALGAM_NO_ALTERNATIVE;
            search->word_window->typos[row] = 0;
        }
    }
    return code;
}

/* The first window that may have a row of all groups. Returns 0 if there is none. */
static int amalgam_groups_next_window(const amalgam_ranked_search *search, int64_t *key) {
    int64_t last = SMALLEST_INT64;
    for (int i = 0; i < search->branch_count;) {
        const int group = search->branches[i].group;
        int has_row = 0;
        int64_t first = 0, rowid = 0;
        for (; i < search->branch_count && search->branches[i].group == group; i++) {
            if (!amalgam_branch_place(search, &search->branches[i], &rowid) || (has_row && rowid >= first)) continue;
            first = rowid;
            has_row = 1;
        }
        if (!has_row) return 0;
        last = MAX(last, first);
    }
    return amalgam_ranked_window_of(search, last, key);
}

/* Reads the rows and frequencies of a phrase in a window by FTS5's iterator. */
static int amalgam_branch_read_node(amalgam_ranked_search *search, amalgam_ranked_branch *branch, int64_t key) {
    amalgam_postings_buffer *buffer = branch->buffer;
    Fts5ExprNode *node = branch->node;
    const int64_t first = amalgam_ranked_rowid(search, amalgam_window_rowid(key, 0));
    int code = SQLITE_OK, count = 0;
    if (!node->bEof && node->iRowid < first) code = fts5ExprNodeNext(search->expr, node, 1, first);
    while (code == SQLITE_OK && !node->bEof) {
        int is_match = 0;
        int64_t place = 0;
        code = amalgam_node_place(search, node, &place);
        if (code != SQLITE_OK || amalgam_chunk_key(place) != key) break;
        buffer->rows[count] = (uint16_t)amalgam_chunk_remainder(place);
        buffer->codes[count] = AMALGAM_CODE_OTHER;
        code = amalgam_ranked_read_frequency(search, branch->first, node->iRowid, &buffer->others[count], &is_match);
        count += is_match && !node->bNomatch && count < AMALGAM_WINDOW_ROWS;
        if (code == SQLITE_OK) code = amalgam_ranked_step(search, 1);
        if (code == SQLITE_OK) code = fts5ExprNodeNext(search->expr, node, 0, 0);
    }
    branch->postings =
        (amalgam_postings){count, buffer->rows, buffer->codes, buffer->frequencies, buffer->others};
    return code;
}

/* Removes the rows of a window that can't be in the result. */
static void amalgam_window_clip(const amalgam_ranked_search *search, int64_t key, u64 *rows) {
    const int64_t first = amalgam_window_rowid(key, 0), last = amalgam_window_rowid(key, AMALGAM_WINDOW_ROWS - 1);
    if (first >= search->first && last <= search->last) return;
    for (int row = 0; row < AMALGAM_WINDOW_ROWS; row++) {
        if (!amalgam_ranked_is_inside(search, first + row)) rows[row / 64] &= ~((u64)1 << (row % 64));
    }
}

/* Finds the rows of a window that all groups have. `*is_empty` receives 1 if there are none. */
static int amalgam_groups_find(amalgam_ranked_search *search, int64_t key, u64 *rows, int *is_empty) {
    memset(rows, 0xff, sizeof(u64) * AMALGAM_WINDOW_WORDS);
    *is_empty = 0;
    for (int i = 0; i < search->branch_count && !*is_empty;) {
        const int group = search->branches[i].group;
        u64 found[AMALGAM_WINDOW_WORDS] = {0}, any = 0;
        for (; i < search->branch_count && search->branches[i].group == group; i++) {
            amalgam_ranked_branch *branch = &search->branches[i];
            const int code = branch->is_term ? amalgam_branch_read(search, branch, key, 0)
                                             : amalgam_branch_read_node(search, branch, key);
            if (code != SQLITE_OK) return code;
            for (int at = 0; at < branch->postings.count; at++) amalgam_set_bit(found, branch->postings.rows[at]);
        }
        for (int word = 0; word < AMALGAM_WINDOW_WORDS; word++) any |= rows[word] &= found[word];
        *is_empty = any == 0;
    }
    if (!*is_empty) amalgam_window_clip(search, key, rows);
    return SQLITE_OK;
}

/* Adds the parts of all phrases to the scores of the rows of the window. */
static int amalgam_window_add_groups(amalgam_ranked_search *search, int64_t key) {
    amalgam_window *window = search->window;
    int code = SQLITE_OK;
    for (int i = 0; i < search->branch_count; i++) {
        const amalgam_ranked_branch *branch = &search->branches[i];
        const uint16_t *lengths = amalgam_window_lengths(search, key, branch->postings.count);
        for (int at = 0; code == SQLITE_OK && at < branch->postings.count; at++) {
            const int row = branch->postings.rows[at];
            double part = 0;
            if (!amalgam_bit(window->rows, row)) continue;
            code = amalgam_ranked_part(search, branch, at, key, lengths, search->idf[i], &part);
            window->scores[row] += part;
        }
    }
    return code;
}

/* Adds the score of a word to those of the rows of the window. `alternative` is one of its phrases. */
static void amalgam_window_add_word(amalgam_ranked_search *search, const amalgam_alternative *alternative) {
    amalgam_window *window = search->window;
    amalgam_word_window *words = search->word_window;
    const double idf = search->idf[alternative->phrase];
    for (int word = 0; word < AMALGAM_WINDOW_WORDS; word++) {
        for (u64 bits = window->rows[word]; bits != 0; bits &= bits - 1) {
            const int row = 64 * word + __builtin_ctzll(bits);
            amalgam_word_match *match = &words->words[row];
            if (match->typos == AMALGAM_NO_ALTERNATIVE) continue;
            words->typos[row] += match->typos;
            window->scores[row] += amalgam_ranked_term(idf, match->frequency, words->lengths[row], search->average);
            match->typos = AMALGAM_NO_ALTERNATIVE;
        }
    }
}

/* Computes the scores of the rows of the window from their words and typos: see amalgam_typo_score(). */
static int amalgam_window_add_words(amalgam_ranked_search *search, int64_t key) {
    amalgam_window *window = search->window;
    amalgam_word_window *words = search->word_window;
    const amalgam_typo_plan *plan = search->plan;
    int code = SQLITE_OK;
    for (int word = 0; word < AMALGAM_WINDOW_WORDS; word++) {
        for (u64 bits = window->rows[word]; code == SQLITE_OK && bits != 0; bits &= bits - 1) {
            const int row = 64 * word + __builtin_ctzll(bits);
            const int64_t rowid = amalgam_ranked_rowid(search, amalgam_window_rowid(key, row));
            code = amalgam_ranked_length(search, rowid, &words->lengths[row]);
        }
    }
    if (code != SQLITE_OK) return code;
    for (int i = 0; i < plan->phrase_count; i++) {
        const amalgam_alternative *alternative = &plan->alternatives[i];
        const amalgam_postings *postings = &search->branches[alternative->phrase].postings;
        for (int at = 0; at < postings->count; at++) {
            const int row = postings->rows[at];
            if (!amalgam_bit(window->rows, row)) continue;
            amalgam_word_add(&words->words[row], alternative->typos, amalgam_posting_frequency(postings, at));
        }
        const int is_last = i + 1 == plan->phrase_count || plan->alternatives[i + 1].word != alternative->word;
        if (is_last) amalgam_window_add_word(search, alternative);
    }
    for (int word = 0; word < AMALGAM_WINDOW_WORDS; word++) {
        for (u64 bits = window->rows[word]; bits != 0; bits &= bits - 1) {
            const int row = 64 * word + __builtin_ctzll(bits);
            window->scores[row] -= amalgam_typo_rank * words->typos[row];
            words->typos[row] = 0;
        }
    }
    return SQLITE_OK;
}

static int amalgam_ranked_grouped(amalgam_ranked_search *search) {
    int64_t key = 0;
    int code = SQLITE_OK, is_empty = 0;
    while (code == SQLITE_OK && amalgam_groups_next_window(search, &key)) {
        code = amalgam_groups_find(search, key, search->window->rows, &is_empty);
        if (code == SQLITE_OK && !is_empty) {
            code = search->plan != 0 ? amalgam_window_add_words(search, key) : amalgam_window_add_groups(search, key);
        }
        if (code == SQLITE_OK) code = amalgam_window_finish(search, key);
    }
    return code;
}

/* The search */

/* Moves FTS5's iterators to the first match. */
static int amalgam_ranked_first(amalgam_ranked_search *search) {
    const Fts5Cursor *cursor = search->cursor;
    return sqlite3Fts5ExprFirst(search->expr, search->table->p.pIndex, cursor->iFirstRowid, cursor->iLastRowid, 0);
}

/* Whether a query consists of terms that this code reads, if it isn't the case that FTS5 keeps a list of deleted rows. */
static int amalgam_ranked_has_only_terms(const amalgam_ranked_search *search) {
    Fts5ExprNode *root = search->expr->pRoot;
    return amalgam_node_is_simple(root) || (amalgam_ranked_has_groups(search) && amalgam_node_is_grouped(root, 0));
}

static int amalgam_ranked_has_all_postings(const amalgam_ranked_search *search) {
    for (int phrase = 0; phrase < search->phrase_count; phrase++) {
        if (search->kept[phrase] == 0) return 0;
    }
    return 1;
}

/* Finds the best rows of a query that has matches. `has_first`: FTS5's iterators are at the first one. */
static int amalgam_ranked_find(amalgam_ranked_search *search, int has_first) {
    const int is_grouped = amalgam_ranked_has_groups(search);
    int code = SQLITE_OK;
    amalgam_ranked_load_fractions(search);
    if (is_grouped) code = amalgam_ranked_find_groups(search);
    else if (search->plan == 0) code = amalgam_ranked_find_branches(search);
    if (code == SQLITE_OK && search->branch_count > 0 && search->window == 0) {
        search->window = sqlite3_malloc64(sizeof(amalgam_window));
        if (search->window == 0) code = SQLITE_NOMEM;
        else memset(search->window, 0, sizeof(amalgam_window));
    }
    if (code != SQLITE_OK) return code;
    if (search->branch_count == 0) {
        code = amalgam_ranked_choose_places(search, 0);
        if (code == SQLITE_OK && !has_first) code = amalgam_ranked_first(search);
        return code == SQLITE_OK ? amalgam_ranked_all(search) : code;
    }
    if (is_grouped) return amalgam_ranked_grouped(search);
    if (search->branch_count == 1) return amalgam_ranked_one(search);
    return search->expr->pRoot->eType == FTS5_AND ? amalgam_ranked_both(search) : amalgam_ranked_any(search);
}

static int amalgam_ranked_run_once(amalgam_ranked_search *search) {
    /* FTS5 considers a table without rows corrupt, if there is a match. */
    int is_empty = 0, code = fts5StorageLoadTotals(search->table->pStorage, 0);
    int has_first = !amalgam_ranked_has_only_terms(search) || search->table->pStorage->nTotalRow <= 0;
    if (code == SQLITE_OK && has_first) {
        code = amalgam_ranked_first(search);
        is_empty = code == SQLITE_OK && sqlite3Fts5ExprEof(search->expr);
    }
    if (code == SQLITE_OK && !is_empty) code = amalgam_ranked_load_statistics(search, &is_empty);
    if (code == SQLITE_OK && !is_empty && !has_first && !amalgam_ranked_has_all_postings(search)) {
        code = amalgam_ranked_first(search);
        has_first = 1;
        is_empty = code == SQLITE_OK && sqlite3Fts5ExprEof(search->expr);
    }
    if (code == SQLITE_OK && !is_empty) code = amalgam_ranked_find(search, has_first);
    amalgam_ranked_free_branches(search);
    amalgam_ranked_release_kept(search);
    return code;
}

/* Finds the best rows. `search->best` receives them, the best one first. */
static int amalgam_ranked_run(amalgam_ranked_search *search) {
    int code = amalgam_ranked_choose_places(search, 1);
    if (code == SQLITE_OK) code = amalgam_ranked_run_once(search);
    if (code == AMALGAM_NO_PLACE) {
        sqlite3_free(search->window);
        sqlite3_free(search->word_window);
        search->window = 0;
        search->word_window = 0;
        search->count = 0;
        code = amalgam_ranked_choose_places(search, 0);
        if (code == SQLITE_OK) code = amalgam_ranked_run_once(search);
    }
    if (code == SQLITE_OK) amalgam_ranked_sort(search);
    return code;
}

static void amalgam_ranked_search_free(amalgam_ranked_search *search) {
    amalgam_ranked_free_branches(search);
    amalgam_ranked_release_kept(search);
    amalgam_index_state_release(search->state);
    sqlite3_free(search->plan);
    sqlite3_free(search->kept);
    sqlite3_free(search->hits);
    sqlite3_free(search->idf);
    sqlite3_free(search->frequencies);
    sqlite3_free(search->weights.values);
    sqlite3_free(search->window);
    sqlite3_free(search->word_window);
    sqlite3_free(search->places);
    sqlite3_free(search->best);
    sqlite3_free((void *)search->skipped);
    memset(search, 0, sizeof(*search));
}
