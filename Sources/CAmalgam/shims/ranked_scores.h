/*
** The scores of rows: those of FTS5's bm25(), and those of amalgam_typos(), the ranking of queries with typos.
**
** Both are sums of the same expression, once for each phrase or word.
*/

/* The part of a phrase in the score of a row is the product of its IDF and this fraction: see fts5Bm25Function(). */
static inline double amalgam_ranked_fraction(double frequency, double length, double average) {
    const double k1 = 1.2, b = 0.75;
    return (frequency * (k1 + 1.0)) / (frequency + k1 * (1 - b + b * length / average));
}

static inline double amalgam_ranked_term(double idf, double frequency, double length, double average) {
    return idf * amalgam_ranked_fraction(frequency, length, average);
}

/* The inverse document frequency of a phrase that is in `hits` of the rows of a table: see fts5Bm25GetData(). */
static double amalgam_ranked_idf(int64_t rows, int64_t hits) {
    const double idf = log((rows - hits + 0.5) / (hits + 0.5));
    return idf <= 0.0 ? 1e-6 : idf;
}

/*
** Words and typos
**
** In a query with typos, the phrases are alternatives of words. The ranking amalgam_typos(plan, weights ...) counts a word
** once: its typos are those of the best alternative in the row, its occurrences those of the alternatives with as many
** typos, and its documents those of its most frequent alternative. Rows with fewer typos come first, because a typo
** outweighs each sum of scores.
*/

static const double amalgam_typo_rank = 1e6;

/* More typos than a word can have. */
enum { AMALGAM_NO_ALTERNATIVE = UINT8_MAX };

/* The word that a phrase is an alternative of, and the number of its typos. */
typedef struct amalgam_alternative {
    int phrase;
    int word;
    uint8_t typos;
} amalgam_alternative;

/* The alternatives of all words, sorted by word, and then by phrase. */
typedef struct amalgam_typo_plan {
    int phrase_count, word_count;
    amalgam_alternative alternatives[];
} amalgam_typo_plan;

/* Reads a number. Returns NULL if there is none, or if it isn't smaller than a limit. */
static const char *amalgam_plan_number(const char *text, int limit, int *number) {
    const char *start = text;
    for (*number = 0; *text >= '0' && *text <= '9'; text++) {
        *number = 10 * *number + *text - '0';
        if (*number >= limit) return 0;
    }
    return text > start ? text : 0;
}

/*
** Reads a plan such as `0:0 0:1 1:0`: word and typos of each phrase. Words have the numbers from 0, in the order of their
** first phrases. With another text, each phrase is a word without typos: the scores are those of bm25(). Returns NULL if
** memory is exhausted.
*/
static amalgam_typo_plan *amalgam_typo_plan_new(const char *text, int phrase_count) {
    amalgam_typo_plan *plan =
        sqlite3_malloc64(sizeof(amalgam_typo_plan) + sizeof(amalgam_alternative) * (size_t)phrase_count);
    if (plan == 0) return 0;
    *plan = (amalgam_typo_plan){.phrase_count = phrase_count};
    int is_valid = text != 0;
    for (int phrase = 0; is_valid && phrase < phrase_count; phrase++) {
        int word = 0, typos = 0;
        text = amalgam_plan_number(text, plan->word_count + 1, &word);
        text = text != 0 && *text == ':' ? amalgam_plan_number(text + 1, AMALGAM_NO_ALTERNATIVE, &typos) : 0;
        is_valid = text != 0 && *text == (phrase + 1 < phrase_count ? ' ' : 0);
        if (!is_valid) break;
        text++;
        if (word == plan->word_count) plan->word_count++;
        int at = phrase;
        for (; at > 0 && plan->alternatives[at - 1].word > word; at--) plan->alternatives[at] = plan->alternatives[at - 1];
        plan->alternatives[at] = (amalgam_alternative){.phrase = phrase, .word = word, .typos = (uint8_t)typos};
    }
    if (is_valid) return plan;
    plan->word_count = phrase_count;
    for (int phrase = 0; phrase < phrase_count; phrase++) {
        plan->alternatives[phrase] = (amalgam_alternative){.phrase = phrase, .word = phrase};
    }
    return plan;
}

/* The typos and the frequency of a word in a row. */
typedef struct amalgam_word_match {
    uint8_t typos; /* AMALGAM_NO_ALTERNATIVE: the word isn't in the row */
    double frequency;
} amalgam_word_match;

/* Adds an alternative that is in the row. */
static inline void amalgam_word_add(amalgam_word_match *word, uint8_t typos, double frequency) {
    if (typos > word->typos) return;
    if (typos < word->typos) *word = (amalgam_word_match){.typos = typos};
    word->frequency += frequency;
}

/* Computes the score of a row from the frequencies of its phrases. That of a phrase that isn't in the row is NaN. */
static double amalgam_typo_score(
    const amalgam_typo_plan *plan, const double *idf, const double *frequencies, double length, double average) {
    double score = 0;
    int typos = 0;
    for (int at = 0; at < plan->phrase_count;) {
        const int word = plan->alternatives[at].word;
        const int first = plan->alternatives[at].phrase;
        amalgam_word_match match = {.typos = AMALGAM_NO_ALTERNATIVE};
        for (; at < plan->phrase_count && plan->alternatives[at].word == word; at++) {
            const amalgam_alternative *alternative = &plan->alternatives[at];
            if (isnan(frequencies[alternative->phrase])) continue;
            amalgam_word_add(&match, alternative->typos, frequencies[alternative->phrase]);
        }
        if (match.typos == AMALGAM_NO_ALTERNATIVE) continue;
        typos += match.typos;
        score += amalgam_ranked_term(idf[first], match.frequency, length, average);
    }
    return score - amalgam_typo_rank * typos;
}

/* Replaces the number of rows of each phrase by the largest one of the alternatives of its word. */
static void amalgam_typo_plan_merge(const amalgam_typo_plan *plan, int64_t *hits) {
    for (int at = 0, end; at < plan->phrase_count; at = end) {
        int64_t most = 0;
        for (end = at; end < plan->phrase_count && plan->alternatives[end].word == plan->alternatives[at].word; end++) {
            most = MAX(most, hits[plan->alternatives[end].phrase]);
        }
        for (int i = at; i < end; i++) hits[plan->alternatives[i].phrase] = most;
    }
}

/* The auxiliary function amalgam_typos() */

typedef struct amalgam_typo_data {
    amalgam_typo_plan *plan;
    double average; /* the length of a row */
    double *idf, *frequencies;
    int64_t *hits;
} amalgam_typo_data;

static void amalgam_typo_data_free(void *object) {
    amalgam_typo_data *data = object;
    sqlite3_free(data->plan);
    sqlite3_free(data->idf);
    sqlite3_free(data->frequencies);
    sqlite3_free(data->hits);
    sqlite3_free(data);
}

static int amalgam_typo_data_load(
    const Fts5ExtensionApi *api, Fts5Context *fts5, amalgam_typo_data *data, const char *text) {
    const int phrases = api->xPhraseCount(fts5);
    const size_t count = (size_t)(phrases > 0 ? phrases : 1);
    data->plan = amalgam_typo_plan_new(text, phrases);
    data->idf = sqlite3_malloc64(count * sizeof(double));
    data->frequencies = sqlite3_malloc64(count * sizeof(double));
    data->hits = sqlite3_malloc64(count * sizeof(int64_t));
    if (data->plan == 0 || data->idf == 0 || data->frequencies == 0 || data->hits == 0) return SQLITE_NOMEM;
    i64 rows = 0, tokens = 0;
    int code = api->xRowCount(fts5, &rows);
    if (code == SQLITE_OK) code = api->xColumnTotalSize(fts5, -1, &tokens);
    data->average = (double)tokens / (double)rows;
    for (int phrase = 0; code == SQLITE_OK && phrase < phrases; phrase++) {
        sqlite3_int64 hits = 0;
        code = api->xQueryPhrase(fts5, phrase, &hits, fts5CountCb);
        data->hits[phrase] = hits;
    }
    if (code != SQLITE_OK) return code;
    amalgam_typo_plan_merge(data->plan, data->hits);
    for (int phrase = 0; phrase < phrases; phrase++) data->idf[phrase] = amalgam_ranked_idf(rows, data->hits[phrase]);
    return SQLITE_OK;
}

/*
** Whether a phrase is in the current row of a contentless table with detail=column or detail=none. FTS5 reports no positions
** there: it finds them in the text.
*/
static int amalgam_typo_is_in_row(Fts5Cursor *cursor, int phrase, int *is_in_row) {
    const i64 rowid = fts5CursorRowid(cursor);
    Fts5FullTable *table = (Fts5FullTable *)cursor->base.pVtab;
    Fts5Expr *expr = 0;
    if (cursor->pSorter == 0) {
        const Fts5ExprNode *node = cursor->pExpr->apExprPhrase[phrase]->pNode;
        *is_in_row = !node->bEof && !node->bNomatch && node->iRowid == rowid;
        return SQLITE_OK;
    }
    /* The iterators aren't at the row. */
    int code = sqlite3Fts5ExprClonePhrase(cursor->pExpr, phrase, &expr);
    if (code == SQLITE_OK) code = sqlite3Fts5ExprFirst(expr, table->p.pIndex, rowid, rowid, 0);
    *is_in_row = code == SQLITE_OK && !sqlite3Fts5ExprEof(expr) && sqlite3Fts5ExprRowid(expr) == rowid;
    sqlite3Fts5ExprFree(expr);
    return code;
}

/*
** The frequency of a phrase in the current row; NaN if the phrase isn't in it. Without positions, the frequency is 0, as for
** bm25(). The values are the arguments of the function: the plan, and the weights of the columns.
*/
static int amalgam_typo_frequency(
    const Fts5ExtensionApi *api, Fts5Context *fts5, int phrase, int count, sqlite3_value **values, double *frequency) {
    Fts5PhraseIter iter;
    int column = 0, offset = 0;
    int code = api->xPhraseFirst(fts5, phrase, &iter, &column, &offset);
    *frequency = code == SQLITE_OK && column >= 0 ? 0 : NAN;
    for (; code == SQLITE_OK && column >= 0; api->xPhraseNext(fts5, &iter, &column, &offset)) {
        *frequency += column + 1 < count ? sqlite3_value_double(values[column + 1]) : 1.0;
    }
    Fts5Cursor *cursor = (Fts5Cursor *)fts5;
    Fts5FullTable *table = (Fts5FullTable *)cursor->base.pVtab;
    if (code == SQLITE_OK && table->p.pConfig->eDetail != FTS5_DETAIL_FULL && fts5IsContentless(table, 1)) {
        int is_in_row = 0;
        code = amalgam_typo_is_in_row(cursor, phrase, &is_in_row);
        if (is_in_row) *frequency = 0;
    }
    return code;
}

static void amalgam_typo_function(
    const Fts5ExtensionApi *api, Fts5Context *fts5, sqlite3_context *context, int count, sqlite3_value **values) {
    amalgam_typo_data *data = api->xGetAuxdata(fts5, 0);
    int code = SQLITE_OK;
    if (data == 0) {
        data = sqlite3_malloc64(sizeof(amalgam_typo_data));
        if (data == 0) {
            sqlite3_result_error_nomem(context);
            return;
        }
        memset(data, 0, sizeof(*data));
        code = amalgam_typo_data_load(api, fts5, data, count > 0 ? (const char *)sqlite3_value_text(values[0]) : 0);
        if (code == SQLITE_OK) code = api->xSetAuxdata(fts5, data, amalgam_typo_data_free);
        else amalgam_typo_data_free(data);
    }
    for (int phrase = 0; code == SQLITE_OK && phrase < data->plan->phrase_count; phrase++) {
        code = amalgam_typo_frequency(api, fts5, phrase, count, values, &data->frequencies[phrase]);
    }
    int size = 0;
    if (code == SQLITE_OK) code = api->xColumnSize(fts5, -1, &size);
    if (code != SQLITE_OK) {
        sqlite3_result_error_code(context, code);
        return;
    }
    const double score = amalgam_typo_score(data->plan, data->idf, data->frequencies, size, data->average);
    sqlite3_result_double(context, -1.0 * score);
}
