/*
** Functions of SQLite that look at the limits of shims/limits.h. amalgamation.c makes SQLite call them.
**
** Before each call of a built-in function, SQLite looks at the time limit: see amalgam_limit_functions. So a call may take as
** long as it takes to read its arguments once, and must be stopped only if it takes longer:
**
** - instr() and replace() compared each byte of a string with each byte of another. Here, they search in linear time.
** - trim(), unhex(), LIKE, GLOB, json_patch() and geopoly_overlap() do the same. If there is a time limit, they
**   refuse arguments whose product is large.
** - median() and the percentile functions sorted some values in the square of their number. Here, they sort in n log n.
** - snippet() of FTS5 compared each match with each other one. Here, it looks at each match twice.
** - matchinfo() and snippet() of FTS3 and FTS4, and NEAR and long phrases of FTS5, compare matches with each other, or read
**   them again for each letter of an argument. They look at the time limit by AMALGAM_MUST_STOP: see vendor/sqlite/sqlite.patch.
** - Functions that make large values allocate memory, where the allocator looks at the limit: printf(), group_concat(),
**   highlight(), and so on.
** - All other built-in functions take time in proportion to the sizes of their arguments and results.
*/

/* Calls of functions */

/* A copy of a built-in function that looks at the time limit. */
typedef struct amalgam_limited_function {
    FuncDef definition; /* SQLite sees this structure */
    void (*call)(sqlite3_context *, int, sqlite3_value **);
} amalgam_limited_function;

/* Limits look at the clock once in this number of calls. A call with large arguments counts for several ones. */
enum { AMALGAM_CALLS = 16, AMALGAM_BYTES_PER_CALL = 1024 };

static int amalgam_limits_refuse_call(amalgam_limits *limits, int count, sqlite3_value **values) {
    int64_t calls = limits->calls + 1;
    for (int i = 0; i < count && i < 3; i++) {
        if (values[i]->flags & (MEM_Str | MEM_Blob)) calls += values[i]->n / AMALGAM_BYTES_PER_CALL;
    }
    limits->calls = calls < AMALGAM_CALLS ? (int)calls : 0;
    if (calls < AMALGAM_CALLS) return 0;
    return amalgam_limits_end_function(limits);
}

static void amalgam_call_limited(sqlite3_context *context, int count, sqlite3_value **values) {
    amalgam_limits *limits = amalgam_current_limits;
    if (limits != 0 && amalgam_limits_refuse_call(limits, count, values)) {
        sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    } else {
        ((const amalgam_limited_function *)context->pFunc)->call(context, count, values);
    }
}

/* A copy of a function, which replaces it in SQLite's table. NULL if memory is exhausted. */
static FuncDef *amalgam_limited_copy(const FuncDef *function) {
    amalgam_limited_function *copy = malloc(sizeof *copy);
    if (copy == 0) return 0;
    copy->definition = *function;
    copy->call = function->xSFunc;
    const int is_scalar = function->xSFunc != 0 && function->xFinalize == 0;
    if (is_scalar && (function->funcFlags & SQLITE_FUNC_INLINE) == 0) copy->definition.xSFunc = amalgam_call_limited;
    return &copy->definition;
}

/* SQLite's table has a list of names in each slot, and for each name a list of functions. */
int amalgam_limit_functions(void) {
    static int is_done;
    if (is_done) return SQLITE_OK;
    for (int slot = 0; slot < SQLITE_FUNC_HASH_SZ; slot++) {
        for (FuncDef **name = &sqlite3BuiltinFunctions.a[slot]; *name != 0; name = &(*name)->u.pHash) {
            for (FuncDef **function = name; *function != 0; function = &(*function)->pNext) {
                FuncDef *copy = amalgam_limited_copy(*function);
                if (copy == 0) return SQLITE_NOMEM;
                *function = copy;
            }
        }
    }
    is_done = 1;
    return SQLITE_OK;
}

/* Functions that search in linear time */

/* The position of a needle at or after `from`; -1 if there is none. */
static int amalgam_find(const uint8_t *text, int count, int from, const uint8_t *needle, int needle_count) {
    if (needle_count > count - from) return -1;
    const uint8_t *found = memmem(text + from, (size_t)(count - from), needle, (size_t)needle_count);
    return found == 0 ? -1 : (int)(found - text);
}

/* The number of characters before a position: the bytes that begin one. The first byte always does. */
static int amalgam_character_number(const uint8_t *text, int position) {
    int number = position > 0 ? 1 : 0;
    for (int i = 1; i < position; i++) number += (text[i] & 0xc0) != 0x80;
    return number;
}

/* The result of instr() for two strings or two blobs. A string is only found where a character begins. */
static int amalgam_instr(const uint8_t *text, int count, const uint8_t *needle, int needle_count, int is_text) {
    if (needle_count == 0) return 1;
    const int begins_character = !is_text || (needle[0] & 0xc0) != 0x80;
    if (!begins_character) return count >= needle_count && memcmp(text, needle, (size_t)needle_count) == 0;
    const int position = amalgam_find(text, count, 0, needle, needle_count);
    if (position < 0) return 0;
    return 1 + (is_text ? amalgam_character_number(text, position) : position);
}

/* The result of instr() for a string and a blob, which are both read as strings. */
static void amalgam_instr_as_text(sqlite3_context *context, sqlite3_value **values) {
    sqlite3_value *text = sqlite3_value_dup(values[0]);
    sqlite3_value *needle = sqlite3_value_dup(values[1]);
    const uint8_t *bytes = sqlite3_value_text(text);
    const uint8_t *needle_bytes = sqlite3_value_text(needle);
    if (bytes != 0 && needle_bytes != 0) {
        const int length = sqlite3_value_bytes(text), needle_length = sqlite3_value_bytes(needle);
        sqlite3_result_int(context, amalgam_instr(bytes, length, needle_bytes, needle_length, 1));
    } else {
        sqlite3_result_error_nomem(context);
    }
    sqlite3_value_free(text);
    sqlite3_value_free(needle);
}

static void instrFunc(sqlite3_context *context, int count, sqlite3_value **values) {
    const int is_blob = sqlite3_value_type(values[0]) == SQLITE_BLOB;
    const int is_needle_blob = sqlite3_value_type(values[1]) == SQLITE_BLOB;
    const int is_null = sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL;
    if (is_null || sqlite3_value_bytes(values[1]) == 0) return amalgam_sqlite_instr(context, count, values);
    if (is_blob != is_needle_blob) return amalgam_instr_as_text(context, values);
    const uint8_t *text = is_blob ? sqlite3_value_blob(values[0]) : sqlite3_value_text(values[0]);
    const uint8_t *needle = is_blob ? sqlite3_value_blob(values[1]) : sqlite3_value_text(values[1]);
    const int length = sqlite3_value_bytes(values[0]), needle_length = sqlite3_value_bytes(values[1]);
    if ((text == 0 && length > 0) || (needle == 0 && needle_length > 0)) return sqlite3_result_error_nomem(context);
    if (text == 0 || needle == 0) return amalgam_sqlite_instr(context, count, values);
    sqlite3_result_int(context, amalgam_instr(text, length, needle, needle_length, !is_blob));
}

/* Small arguments are left to SQLite. */
enum { AMALGAM_SMALL_REPLACEMENT = 100000 };

static void amalgam_replace(
    sqlite3_context *context, const uint8_t *text, int count, const uint8_t *old, int old_count, sqlite3_value *new
) {
    const char *replacement = (const char *)sqlite3_value_text(new);
    const int replacement_count = sqlite3_value_bytes(new);
    if (replacement == 0) return;
    sqlite3_str *result = sqlite3_str_new(sqlite3_context_db_handle(context));
    int from = 0;
    for (int at; (at = amalgam_find(text, count, from, old, old_count)) >= 0; from = at + old_count) {
        sqlite3_str_append(result, (const char *)text + from, at - from);
        sqlite3_str_append(result, replacement, replacement_count);
        if (sqlite3_str_errcode(result) != SQLITE_OK) break;
    }
    sqlite3_str_append(result, (const char *)text + from, count - from);
    const int code = sqlite3_str_errcode(result);
    const int length = sqlite3_str_length(result);
    char *string = sqlite3_str_finish(result);
    if (code == SQLITE_OK && string != 0) {
        sqlite3_result_text(context, string, length, sqlite3_free);
    } else {
        sqlite3_free(string);
        if (code != SQLITE_OK) sqlite3_result_error_code(context, code);
        else sqlite3_result_text(context, "", 0, SQLITE_STATIC);
    }
}

static void replaceFunc(sqlite3_context *context, int count, sqlite3_value **values) {
    const uint8_t *text = sqlite3_value_text(values[0]);
    const uint8_t *old = sqlite3_value_text(values[1]);
    const int length = sqlite3_value_bytes(values[0]), old_length = sqlite3_value_bytes(values[1]);
    const int is_small = text == 0 || old == 0 || (int64_t)length * old_length <= AMALGAM_SMALL_REPLACEMENT;
    if (is_small || old[0] == 0) return amalgam_sqlite_replace(context, count, values);
    amalgam_replace(context, text, length, old, old_length, values[2]);
}

#ifdef SQLITE_ENABLE_PERCENTILE

/* Moves a value of a heap down to its place. The first value of the heap is the largest one. */
static void amalgam_percent_sift(double *values, int64_t at, int64_t count) {
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && values[child + 1] > values[child]) child++;
        if (values[child] <= values[at]) return;
        const double value = values[at];
        values[at] = values[child];
        values[child] = value;
    }
}

/* Sorting looks at the time limit once in this number of values. */
enum { AMALGAM_VALUES_PER_CHECK = 16384 };

/*
** Sorts the values of median() and percentile(), so that SQLite doesn't: its quicksort takes the square of the number of
** some values. Returns 0 if the time limit is exceeded: then the values aren't sorted, although they are marked as sorted.
*/
static int amalgam_percent_sort(sqlite3_context *context) {
    Percentile *percentile = sqlite3_aggregate_context(context, 0);
    if (percentile == 0 || percentile->a == 0 || percentile->bSorted || percentile->nUsed < 2) return 1;
    double *values = percentile->a;
    const int64_t count = (int64_t)percentile->nUsed;
    percentile->bSorted = 1;
    for (int64_t at = count / 2; at-- > 0;) amalgam_percent_sift(values, at, count);
    for (int64_t end = count; end-- > 1;) {
        const double value = values[0];
        values[0] = values[end];
        values[end] = value;
        amalgam_percent_sift(values, 0, end);
        if (end % AMALGAM_VALUES_PER_CHECK == 0 && amalgam_thread_must_stop()) return 0;
    }
    return 1;
}

static void percentFinal(sqlite3_context *context) {
    const int is_sorted = amalgam_percent_sort(context);
    /* Frees the values. */
    amalgam_sqlite_percent_final(context);
    if (!is_sorted) sqlite3_result_error_code(context, SQLITE_INTERRUPT);
}

static void percentValue(sqlite3_context *context) {
    const int is_sorted = amalgam_percent_sort(context);
    amalgam_sqlite_percent_value(context);
    if (!is_sorted) sqlite3_result_error_code(context, SQLITE_INTERRUPT);
}

static void percentInverse(sqlite3_context *context, int count, sqlite3_value **values) {
    const int is_sorted = amalgam_percent_sort(context);
    amalgam_sqlite_percent_inverse(context, count, values);
    if (!is_sorted) sqlite3_result_error_code(context, SQLITE_INTERRUPT);
}

#endif

/* Functions with limited arguments */

/*
** If there is a time limit, refuses a call that may compare each byte of an argument with each byte of the other.
** Returns whether the call was refused.
*/
static int amalgam_refuses_product(sqlite3_context *context, sqlite3_value *first, sqlite3_value *second, int64_t maximum) {
    const amalgam_limits *limits = amalgam_current_limits;
    if (limits == 0 || limits->deadline == AMALGAM_UNLIMITED || limits->suspensions > 0) return 0;
    if ((int64_t)sqlite3_value_bytes(first) * sqlite3_value_bytes(second) <= maximum) return 0;
    sqlite3_result_error(context, "arguments are too large for a statement with a time limit", -1);
    sqlite3_result_error_code(context, SQLITE_TOOBIG);
    return 1;
}

enum { AMALGAM_MAXIMUM_PRODUCT = 100000000, AMALGAM_MAXIMUM_FAST_PRODUCT = 1000000000 };

static void trimFunc(sqlite3_context *context, int count, sqlite3_value **values) {
    if (count == 2 && amalgam_refuses_product(context, values[0], values[1], AMALGAM_MAXIMUM_PRODUCT)) return;
    amalgam_sqlite_trim(context, count, values);
}

static void unhexFunc(sqlite3_context *context, int count, sqlite3_value **values) {
    if (count == 2 && amalgam_refuses_product(context, values[0], values[1], AMALGAM_MAXIMUM_PRODUCT)) return;
    amalgam_sqlite_unhex(context, count, values);
}

static void likeFunc(sqlite3_context *context, int count, sqlite3_value **values) {
    if (amalgam_refuses_product(context, values[0], values[1], AMALGAM_MAXIMUM_FAST_PRODUCT)) return;
    amalgam_sqlite_like(context, count, values);
}

static void jsonPatchFunc(sqlite3_context *context, int count, sqlite3_value **values) {
    if (amalgam_refuses_product(context, values[0], values[1], AMALGAM_MAXIMUM_FAST_PRODUCT)) return;
    amalgam_sqlite_json_patch(context, count, values);
}

#ifdef SQLITE_ENABLE_GEOPOLY
static void geopolyOverlapFunc(sqlite3_context *context, int count, sqlite3_value **values) {
    if (amalgam_refuses_product(context, values[0], values[1], AMALGAM_MAXIMUM_FAST_PRODUCT)) return;
    amalgam_sqlite_geopoly_overlap(context, count, values);
}

static void geopolyWithinFunc(sqlite3_context *context, int count, sqlite3_value **values) {
    if (amalgam_refuses_product(context, values[0], values[1], AMALGAM_MAXIMUM_FAST_PRODUCT)) return;
    amalgam_sqlite_geopoly_within(context, count, values);
}
#endif
