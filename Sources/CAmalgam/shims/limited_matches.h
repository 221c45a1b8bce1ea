/*
** The matches (instances of phrases) in a row of an FTS5 table, and snippet(). SQLite's own code compares each match with
** all phrases, and snippet() compares it with all other matches. Here, both take time in proportion to the number of
** matches, and look at interrupts and the limits of shims/limits.h. The results are the same.
*/

/* Matches */

/* Whether the next match of a phrase comes before that of another phrase. */
static int amalgam_match_precedes(const Fts5PoslistReader *readers, int phrase, int other) {
    const i64 position = readers[phrase].iPos, other_position = readers[other].iPos;
    return position < other_position || (position == other_position && phrase < other);
}

/* Moves a phrase of a heap to its place. The first phrase of the heap has the next match. */
static void amalgam_match_sift(const Fts5PoslistReader *readers, int *heap, int count, int at) {
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && amalgam_match_precedes(readers, heap[child + 1], heap[child])) child++;
        if (!amalgam_match_precedes(readers, heap[child], heap[at])) return;
        const int phrase = heap[at];
        heap[at] = heap[child];
        heap[child] = phrase;
    }
}

/* Reads the positions of all phrases. `count` receives the number of phrases that match. */
static int amalgam_match_readers(Fts5Cursor *cursor, Fts5PoslistReader *readers, int *heap, int *count) {
    const int phrases = sqlite3Fts5ExprPhraseCount(cursor->pExpr);
    *count = 0;
    for (int phrase = 0; phrase < phrases; phrase++) {
        const u8 *bytes = 0;
        int length = 0;
        const int code = fts5CsrPoslist(cursor, phrase, &bytes, &length);
        if (code != SQLITE_OK) return code;
        sqlite3Fts5PoslistReaderInit(bytes, length, &readers[phrase]);
        if (!readers[phrase].bEof) heap[(*count)++] = phrase;
    }
    for (int at = *count / 2; at-- > 0;) amalgam_match_sift(readers, heap, *count, at);
    return SQLITE_OK;
}

/* Appends a match to the cursor. */
static int amalgam_match_append(Fts5Cursor *cursor, int index, int phrase, i64 position, int columns) {
    if (index >= cursor->nInstAlloc) {
        const int size = cursor->nInstAlloc ? cursor->nInstAlloc * 2 : 32;
        int *matches = sqlite3_realloc64(cursor->aInst, (u64)size * sizeof(int) * 3);
        if (matches == 0) return SQLITE_NOMEM;
        cursor->aInst = matches;
        cursor->nInstAlloc = size;
    }
    int *match = &cursor->aInst[3 * index];
    match[0] = phrase;
    match[1] = FTS5_POS2COLUMN(position);
    match[2] = FTS5_POS2OFFSET(position);
    return match[1] >= columns ? FTS5_CORRUPT : SQLITE_OK;
}

/* Between two looks at the limits, this number of matches is read. */
enum { AMALGAM_MATCHES_PER_CHECK = 1024 };

static int amalgam_match_merge(Fts5Cursor *cursor, Fts5PoslistReader *readers, int *heap, int count) {
    const Fts5Config *config = ((Fts5Table *)cursor->base.pVtab)->pConfig;
    int code = SQLITE_OK, matches = 0;
    while (count > 0 && code == SQLITE_OK) {
        Fts5PoslistReader *next = &readers[heap[0]];
        code = amalgam_match_append(cursor, matches, heap[0], next->iPos, config->nCol);
        if (code == SQLITE_OK) matches++;
        if (sqlite3Fts5PoslistReaderNext(next)) heap[0] = heap[--count];
        amalgam_match_sift(readers, heap, count, 0);
        if (matches % AMALGAM_MATCHES_PER_CHECK == 0 && amalgam_must_stop(config->db)) code = SQLITE_INTERRUPT;
    }
    cursor->nInstCount = matches;
    return code;
}

/* Reads the matches in the current row, if the cursor hasn't read them yet. */
static int amalgam_match_load(Fts5Cursor *cursor) {
    if (!CsrFlagTest(cursor, FTS5CSR_REQUIRE_INST)) return SQLITE_OK;
    const int phrases = sqlite3Fts5ExprPhraseCount(cursor->pExpr);
    Fts5PoslistReader *readers = sqlite3_malloc64((u64)(phrases + 1) * (sizeof *readers + sizeof(int)));
    if (readers == 0) return SQLITE_NOMEM;
    int *heap = (int *)(readers + phrases + 1);
    int count = 0;
    int code = amalgam_match_readers(cursor, readers, heap, &count);
    if (code == SQLITE_OK) {
        code = amalgam_match_merge(cursor, readers, heap, count);
        if (code == SQLITE_OK) CsrFlagClear(cursor, FTS5CSR_REQUIRE_INST);
    }
    sqlite3_free(readers);
    return code;
}

static int fts5ApiInstCount(Fts5Context *context, int *count) {
    Fts5Cursor *cursor = (Fts5Cursor *)context;
    const int code = amalgam_match_load(cursor);
    if (code == SQLITE_OK) *count = cursor->nInstCount;
    return code;
}

int amalgam_fts5_must_stop(Fts5Context *context) {
    if (context == 0) return amalgam_thread_must_stop();
    return amalgam_must_stop(((Fts5Table *)((Fts5Cursor *)context)->base.pVtab)->pConfig->db);
}

static int fts5ApiInst(Fts5Context *context, int index, int *phrase, int *column, int *offset) {
    const int code = amalgam_match_load((Fts5Cursor *)context);
    if (code != SQLITE_OK) return code;
    if (index % AMALGAM_MATCHES_PER_CHECK == 0 && amalgam_fts5_must_stop(context)) return SQLITE_INTERRUPT;
    return amalgam_sqlite_fts5_inst(context, index, phrase, column, offset);
}

/* snippet() */

/* The matches of a row in a range of tokens, which only moves forward. */
typedef struct amalgam_match_window {
    const int *matches; /* three numbers each: phrase, column, offset */
    int count;
    int first, end;     /* the matches in the window */
    int phrase_count;   /* the phrases in the window */
    int *occurrences;   /* of each phrase in the window */
} amalgam_match_window;

static int amalgam_match_is_before(const int *match, int column, i64 offset) {
    return match[1] < column || (match[1] == column && match[2] < offset);
}

/* Moves the window to a range of tokens. Returns its score: 1000 for each phrase, 1 for each repetition. */
static int amalgam_match_window_move(amalgam_match_window *window, int column, int start, i64 end) {
    for (const int *match; window->end < window->count; window->end++) {
        match = &window->matches[3 * window->end];
        if (!amalgam_match_is_before(match, column, end)) break;
        if (window->occurrences[match[0]]++ == 0) window->phrase_count++;
    }
    for (const int *match; window->first < window->end; window->first++) {
        match = &window->matches[3 * window->first];
        if (!amalgam_match_is_before(match, column, start)) break;
        if (--window->occurrences[match[0]] == 0) window->phrase_count--;
    }
    return window->end - window->first + 999 * window->phrase_count;
}

/* The best fragment of a row, and what finds it. */
typedef struct amalgam_snippet {
    const Fts5ExtensionApi *api;
    Fts5Context *context;
    int token_count;
    int column, start, score, column_size; /* the best fragment; the size of its column, or 0 if there is no match */
    amalgam_match_window windows[2];       /* of fragments around a match, and at the beginning of a sentence */
    Fts5SFinder sentences;
    int text_size;
    int token_start, space_start; /* the last token of `sentences`, and the white space before it */
} amalgam_snippet;

static void amalgam_snippet_offer(amalgam_snippet *snippet, int column, int start, int score, int column_size) {
    if (score <= snippet->score) return;
    snippet->column = column;
    snippet->start = start;
    snippet->score = score;
    snippet->column_size = column_size;
}

/* Where a fragment begins that has the matches of the window in its middle. */
static int amalgam_snippet_centered(const amalgam_snippet *snippet, int offset, int column_size) {
    const amalgam_match_window *window = &snippet->windows[0];
    const int *last = &window->matches[3 * (window->end - 1)];
    const int end = last[2] + snippet->api->xPhraseSize(snippet->context, last[0]);
    i64 start = offset - (snippet->token_count - (end - offset)) / 2;
    if (start + snippet->token_count > column_size) start = column_size - snippet->token_count;
    return start < 0 ? 0 : (int)start;
}

/* Finds the best fragment of a column, from the matches that begin at `index`. */
static int amalgam_snippet_search(amalgam_snippet *snippet, int column, int column_size, int index) {
    amalgam_match_window *around = &snippet->windows[0], *sentence_start = &snippet->windows[1];
    const Fts5SFinder *sentences = &snippet->sentences;
    const int has_sentences = sentences->nFirst > 0 && column_size > snippet->token_count;
    for (int sentence = 0; index < around->count && around->matches[3 * index + 1] == column; index++) {
        const int offset = around->matches[3 * index + 2];
        if (offset > column_size) return FTS5_CORRUPT;
        if (index % AMALGAM_MATCHES_PER_CHECK == 0 && amalgam_fts5_must_stop(snippet->context)) return SQLITE_INTERRUPT;
        int score = amalgam_match_window_move(around, column, offset, (i64)offset + snippet->token_count);
        if (score > snippet->score) {
            const int start = amalgam_snippet_centered(snippet, offset, column_size);
            amalgam_snippet_offer(snippet, column, start, score, column_size);
        }
        if (!has_sentences) continue;
        while (sentence + 1 < sentences->nFirst && sentences->aFirst[sentence + 1] <= offset) sentence++;
        const int start = sentences->aFirst[sentence];
        if (start >= offset) continue;
        score = amalgam_match_window_move(sentence_start, column, start, (i64)start + snippet->token_count);
        amalgam_snippet_offer(snippet, column, start, score + (start == 0 ? 120 : 100), column_size);
    }
    return SQLITE_OK;
}

/* Tokenizes a column of the row. */
static int amalgam_snippet_tokenize(
    const amalgam_snippet *snippet, int column, const char *text, int length, void *receiver,
    int (*receive)(void *, int, const char *, int, int, int)
) {
    const char *locale = 0;
    int locale_length = 0;
    const int code = snippet->api->xColumnLocale(snippet->context, column, &locale, &locale_length);
    if (code != SQLITE_OK) return code;
    return snippet->api->xTokenize_v2(snippet->context, text, length, locale, locale_length, receiver, receive);
}

static int amalgam_is_space(char byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

/*
** Finds the first tokens of sentences, as fts5SentenceFinderCb() does. That function reads all white space before each
** token. The tokenizer `trigram` has very many tokens that begin in white space, which is read once here.
*/
static int amalgam_snippet_receive(void *context, int flags, const char *token, int size, int start, int end) {
    amalgam_snippet *snippet = context;
    Fts5SFinder *sentences = &snippet->sentences;
    int code = SQLITE_OK;
    (void)token, (void)size, (void)end;
    if (flags & FTS5_TOKEN_COLOCATED) return SQLITE_OK;
    start = MIN(start, snippet->text_size);
    int at = start;
    while (at > 0 && amalgam_is_space(sentences->zDoc[at - 1])) {
        at = at == snippet->token_start && snippet->space_start < at ? snippet->space_start : at - 1;
    }
    snippet->token_start = start;
    snippet->space_start = at;
    const int is_end = at > 0 && at < start && (sentences->zDoc[at - 1] == '.' || sentences->zDoc[at - 1] == ':');
    if (sentences->iPos == 0 || is_end) code = fts5SentenceFinderAdd(sentences, sentences->iPos);
    sentences->iPos++;
    const int is_due = sentences->iPos % AMALGAM_MATCHES_PER_CHECK == 0;
    return code == SQLITE_OK && is_due && amalgam_fts5_must_stop(snippet->context) ? SQLITE_INTERRUPT : code;
}

static int amalgam_snippet_search_column(amalgam_snippet *snippet, int column) {
    int length = 0, size = 0;
    snippet->sentences.iPos = snippet->sentences.nFirst = 0;
    snippet->token_start = snippet->space_start = 0;
    int code = snippet->api->xColumnText(snippet->context, column, &snippet->sentences.zDoc, &length);
    snippet->text_size = length;
    if (code == SQLITE_OK) {
        code = amalgam_snippet_tokenize(
            snippet, column, snippet->sentences.zDoc, length, snippet, amalgam_snippet_receive);
    }
    if (code == SQLITE_OK) code = snippet->api->xColumnSize(snippet->context, column, &size);
    if (code != SQLITE_OK) return code;
    const amalgam_match_window *window = &snippet->windows[0];
    int first = window->first;
    while (first < window->count && amalgam_match_is_before(&window->matches[3 * first], column, 0)) first++;
    return amalgam_snippet_search(snippet, column, size, first);
}

/* Finds the best fragment of a column, or of all columns if `column` is negative. */
static int amalgam_snippet_find(amalgam_snippet *snippet, int column) {
    int count = 0;
    int code = snippet->api->xInstCount(snippet->context, &count);
    const int phrases = snippet->api->xPhraseCount(snippet->context);
    int *occurrences = sqlite3_malloc64((u64)(2 * phrases + 1) * sizeof(int));
    if (code == SQLITE_OK && occurrences == 0) code = SQLITE_NOMEM;
    if (code == SQLITE_OK) memset(occurrences, 0, (size_t)(2 * phrases) * sizeof(int));
    for (int i = 0; i < 2; i++) {
        snippet->windows[i].matches = ((const Fts5Cursor *)snippet->context)->aInst;
        snippet->windows[i].count = count;
        snippet->windows[i].occurrences = occurrences + i * phrases;
    }
    const int columns = snippet->api->xColumnCount(snippet->context);
    for (int i = 0; i < columns && code == SQLITE_OK; i++) {
        if (column < 0 || column == i) code = amalgam_snippet_search_column(snippet, i);
    }
    if (code == SQLITE_OK && snippet->column_size == 0) {
        code = snippet->api->xColumnSize(snippet->context, snippet->column, &snippet->column_size);
    }
    sqlite3_free(occurrences);
    sqlite3_free(snippet->sentences.aFirst);
    return code;
}

/* Writes the best fragment, with its highlights. */
static int amalgam_snippet_write(const amalgam_snippet *snippet, HighlightContext *highlight, const char *ellipsis) {
    const Fts5ExtensionApi *api = snippet->api;
    int code = api->xColumnText(snippet->context, snippet->column, &highlight->zIn, &highlight->nIn);
    if (highlight->zIn == 0) return code;
    if (code == SQLITE_OK) code = fts5CInstIterInit(api, snippet->context, snippet->column, &highlight->iter);
    highlight->iRangeStart = snippet->start;
    highlight->iRangeEnd = snippet->start + snippet->token_count - 1;
    if (snippet->start > 0) fts5HighlightAppend(&code, highlight, ellipsis, -1);
    while (code == SQLITE_OK && highlight->iter.iStart >= 0 && highlight->iter.iStart < snippet->start) {
        code = fts5CInstIterNext(&highlight->iter);
    }
    if (code == SQLITE_OK) {
        code = amalgam_snippet_tokenize(
            snippet, snippet->column, highlight->zIn, highlight->nIn, highlight, fts5HighlightCb);
    }
    if (highlight->bOpen) fts5HighlightAppend(&code, highlight, highlight->zClose, -1);
    if (highlight->iRangeEnd >= snippet->column_size - 1) {
        fts5HighlightAppend(&code, highlight, &highlight->zIn[highlight->iOff], highlight->nIn - highlight->iOff);
    } else {
        fts5HighlightAppend(&code, highlight, ellipsis, -1);
    }
    return code;
}

static void fts5SnippetFunction(
    const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *result, int count, sqlite3_value **values
) {
    /* SQLite reports the wrong number of arguments. */
    if (count != 5) return amalgam_sqlite_fts5_snippet(api, context, result, count, values);
    const int column = sqlite3_value_int(values[0]);
    const i64 token_count = sqlite3_value_int64(values[4]);
    amalgam_snippet snippet = { .api = api, .context = context, .column = column < 0 ? 0 : column };
    snippet.token_count = (int)(token_count < 0 ? 0 : token_count > 64 ? 64 : token_count);
    HighlightContext highlight;
    memset(&highlight, 0, sizeof highlight);
    highlight.zOpen = fts5ValueToText(values[1]);
    highlight.zClose = fts5ValueToText(values[2]);
    int code = amalgam_snippet_find(&snippet, column);
    if (code == SQLITE_OK) code = amalgam_snippet_write(&snippet, &highlight, fts5ValueToText(values[3]));
    if (code == SQLITE_OK) sqlite3_result_text(result, highlight.zOut, -1, SQLITE_TRANSIENT);
    else sqlite3_result_error_code(result, code);
    sqlite3_free(highlight.zOut);
}
