/*
** The tokenizer `snowball` of FTS5: it replaces the tokens of another tokenizer by their stems.
**
**     tokenize='snowball LANGUAGE… VERSION [stop_words 1] [remove_diacritics 0|1|2] [TOKENIZER…]'
**
** The version is that of Snowball when the index was built. A tokenizer with another version exists, so that the table
** can be read and dropped, but it fails to tokenize, with a message that tells what to do.
*/
#include "../include/amalgam_stemming.h"
#include "stop_words.h"

#ifdef AMALGAM_SNOWBALL_VERSION

#define AMALGAM_STEMMER_COUNT ((int)ArraySize(amalgam_snowball_languages))

const char *amalgam_stemming_version(void) { return AMALGAM_SNOWBALL_VERSION; }

const char *amalgam_stemming_language(int number) {
    return number >= 0 && number < AMALGAM_STEMMER_COUNT ? amalgam_snowball_languages[number].name : 0;
}

/* Whether a list of codes, with spaces before and after each, contains a code. */
static int amalgam_stemming_has_code(const char *codes, const char *code, int length) {
    for (const char *next = codes; (next = strchr(next, ' ')) != 0 && next[1] != 0; next++) {
        if (strncmp(next + 1, code, (size_t)length) == 0 && next[1 + length] == ' ') return 1;
    }
    return 0;
}

int amalgam_stemming_language_of(const char *locale, int length) {
    char code[16];
    int count = 0;
    while (count < length && sqlite3Isalpha(locale[count])) {
        if (count == (int)sizeof(code) - 1) return -1;
        code[count] = (char)sqlite3Tolower(locale[count]);
        count++;
    }
    code[count] = 0;
    if (count == 0 || (count < length && locale[count] != '_' && locale[count] != '-')) return -1;
    /* Snowball has one stemmer for Bokmål and Nynorsk. */
    if (strcmp(code, "nb") == 0 || strcmp(code, "nn") == 0) {
        memcpy(code, "no", 3);
        count = 2;
    }
    for (int i = 0; i < AMALGAM_STEMMER_COUNT; i++) {
        if (strcmp(amalgam_snowball_languages[i].name, code) == 0) return i;
        if (amalgam_stemming_has_code(amalgam_snowball_languages[i].codes, code, count)) return i;
    }
    return -1;
}

const char *amalgam_stemming_ending(int number, int index, int *length) {
    *length = 0;
    if (amalgam_stemming_language(number) == 0 || index < 0) return 0;
    const struct amalgam_snowball_endings *endings = amalgam_snowball_languages[number].endings;
    for (; endings->strings != 0; endings++) {
        if (index < endings->count) {
            const struct among *ending = &endings->strings[index];
            *length = ending->s_size;
            return ending->s_size > 0 ? (const char *)ending->s : "";
        }
        index -= endings->count;
    }
    return 0;
}

#else

#define AMALGAM_STEMMER_COUNT 0

const char *amalgam_stemming_version(void) { return 0; }
const char *amalgam_stemming_language(int number) { return (void)number, (const char *)0; }
int amalgam_stemming_language_of(const char *locale, int length) { return (void)locale, (void)length, -1; }
const char *amalgam_stemming_ending(int number, int index, int *length) {
    return (void)number, (void)index, *length = 0, (const char *)0;
}

#endif

const char *amalgam_stemming_stop_words(int number) {
    const char *name = amalgam_stemming_language(number);
    for (int i = 0; name != 0 && i < (int)ArraySize(amalgam_stop_words); i++) {
        if (strcmp(amalgam_stop_words[i].language, name) == 0) return amalgam_stop_words[i].words;
    }
    return "";
}

/* The arguments of the tokenizer, parsed. */
typedef struct amalgam_stemming_arguments {
    const char *version;
    int has_stop_words;
    int remove_diacritics;
    /* The indexes of the first and the last language, and of the base tokenizer's name. */
    int last_language;
    int base;
} amalgam_stemming_arguments;

#define AMALGAM_STEMMING_USAGE "the tokenizer snowball needs languages, and then the version of its stemmers"

/* Whether an argument is a version: it begins with a digit, and no name of a language does. */
static int amalgam_is_version(const char *argument) { return sqlite3Isdigit(argument[0]); }

/* The number in an option, from 0 to a limit; -1 if it is something else. */
static int amalgam_stemming_number(const char *value, int limit) {
    return value[0] >= '0' && value[0] <= '0' + limit && value[1] == 0 ? value[0] - '0' : -1;
}

/*
** Parses the arguments. Returns SQLITE_ERROR with a message if they are wrong, and SQLITE_MISMATCH with a message if
** they are those of another version, or of a build with stemmers, whose languages this one may not know.
*/
static int amalgam_stemming_parse(
    const char *const *arguments, int count, amalgam_stemming_arguments *parsed, char **message
) {
    *parsed = (amalgam_stemming_arguments){.remove_diacritics = 2};
    *message = 0;
    int i = 0;
    while (i < count && !amalgam_is_version(arguments[i])) i++;
    if (i == 0 || i == count) {
        *message = sqlite3_mprintf("%s", AMALGAM_STEMMING_USAGE);
        return SQLITE_ERROR;
    }
    parsed->last_language = i - 1;
    parsed->version = arguments[i++];
    for (; i + 1 < count; i += 2) {
        const int is_diacritics = sqlite3_stricmp(arguments[i], "remove_diacritics") == 0;
        if (!is_diacritics && sqlite3_stricmp(arguments[i], "stop_words") != 0) break;
        const int value = amalgam_stemming_number(arguments[i + 1], is_diacritics ? 2 : 1);
        if (value < 0) {
            *message = sqlite3_mprintf("the tokenizer snowball has no %s=%s", arguments[i], arguments[i + 1]);
            return SQLITE_ERROR;
        }
        *(is_diacritics ? &parsed->remove_diacritics : &parsed->has_stop_words) = value;
    }
    parsed->base = i;
    const char *version = amalgam_stemming_version();
    if (version == 0) {
        *message = sqlite3_mprintf(
            "this SQLite was built without stemmers, and can't use an index with the stems of Snowball %s: run "
            "scripts/bootstrap without --without-stemmers", parsed->version);
        return SQLITE_MISMATCH;
    }
    if (strcmp(parsed->version, version) != 0) {
        *message = sqlite3_mprintf(
            "the full-text index has the stems of Snowball %s, and this SQLite has Snowball %s: rebuild the index with "
            "FTS5Index.rebuild(_:)", parsed->version, version);
        return SQLITE_MISMATCH;
    }
    for (i = 0; i <= parsed->last_language; i++) {
        if (amalgam_stemming_language_of(arguments[i], sqlite3Strlen30(arguments[i])) < 0) {
            *message = sqlite3_mprintf("Snowball %s has no stemmer for the language %s", version, arguments[i]);
            return SQLITE_ERROR;
        }
    }
    return SQLITE_OK;
}

/* A set of tokens: an open-addressed hash table of ranges in a buffer. */
typedef struct amalgam_token_set {
    char *bytes;
    int capacity;
    int used;
    int count;
    unsigned mask;
    struct {
        int start;
        int length;
    } *slots;
} amalgam_token_set;

static void amalgam_token_set_free(amalgam_token_set *set) {
    sqlite3_free(set->bytes);
    sqlite3_free(set->slots);
    memset(set, 0, sizeof(*set));
}

/* Makes an empty set with space for the tokens of a string: there are at most half as many as bytes. */
static int amalgam_token_set_make(amalgam_token_set *set, int byte_count) {
    unsigned size = 4;
    while (size < (unsigned)byte_count) size *= 2;
    set->mask = size - 1;
    set->bytes = sqlite3_malloc(byte_count * 4 + 1);
    set->slots = sqlite3_malloc64((sqlite3_uint64)size * sizeof(*set->slots));
    if (set->bytes == 0 || set->slots == 0) {
        amalgam_token_set_free(set);
        return SQLITE_NOMEM;
    }
    memset(set->slots, 0, size * sizeof(*set->slots));
    set->capacity = byte_count * 4;
    return SQLITE_OK;
}

/* The slot of a token, which is free (its length is 0) if the set doesn't contain the token. */
static unsigned amalgam_token_slot(const amalgam_token_set *set, const char *token, int length) {
    unsigned slot = amalgam_key_hash(token, length) & set->mask;
    while (set->slots[slot].length != 0) {
        const char *found = set->bytes + set->slots[slot].start;
        if (set->slots[slot].length == length && memcmp(found, token, (size_t)length) == 0) break;
        slot = (slot + 1) & set->mask;
    }
    return slot;
}

static int amalgam_token_set_has(const amalgam_token_set *set, const char *token, int length) {
    return set->slots != 0 && length > 0 && set->slots[amalgam_token_slot(set, token, length)].length != 0;
}

/* Adds a token of the base tokenizer to a set of stop words. */
static int amalgam_add_stop_word(void *context, int flags, const char *token, int length, int start, int end) {
    amalgam_token_set *set = context;
    (void)start, (void)end;
    if (length <= 0 || (flags & FTS5_TOKEN_COLOCATED)) return SQLITE_OK;
    const unsigned slot = amalgam_token_slot(set, token, length);
    if (set->slots[slot].length != 0) return SQLITE_OK;
    /* A custom tokenizer may make more of a list than any of SQLite's does. */
    if (set->count > (int)(set->mask / 2)) return SQLITE_OK;
    if (length > set->capacity - set->used) return SQLITE_OK;
    memcpy(set->bytes + set->used, token, (size_t)length);
    set->slots[slot].start = set->used;
    set->slots[slot].length = length;
    set->used += length;
    set->count++;
    return SQLITE_OK;
}

/* Words are remembered with their stems, because most words of a text occur again and again: 512 KB. */
#define AMALGAM_STEM_CACHE_SIZE 8192
#define AMALGAM_STOP_WORD 0xFF

typedef struct amalgam_cached_stem {
    /* The language in the tokenizer, from 1; 0 for a free entry. */
    unsigned char language;
    unsigned char length;
    /* AMALGAM_STOP_WORD for a token to omit. */
    unsigned char stem_length;
    char bytes[61];
} amalgam_cached_stem;

_Static_assert(sizeof(amalgam_cached_stem) == 64, "an entry of the cache fills a cache line");

/* One language of a tokenizer. */
typedef struct amalgam_stemmer {
    int language;
    struct SN_env *environment;
    amalgam_token_set stop_words;
} amalgam_stemmer;

/* Longer tokens aren't words, and have no stem. */
#define AMALGAM_STEM_LIMIT 255

typedef struct amalgam_stemming {
    sqlite3 *db;
    /* Why the tokenizer fails, or NULL. */
    char *problem;
    Fts5Tokenizer *base;
    fts5_tokenizer_v2 functions;
    int remove_diacritics;
    int count;
    amalgam_stemmer *stemmers;
    amalgam_cached_stem *cache;
} amalgam_stemming;

static void amalgam_stemming_delete(Fts5Tokenizer *tokenizer) {
    amalgam_stemming *self = (amalgam_stemming *)tokenizer;
    if (self == 0) return;
    if (self->base != 0) self->functions.xDelete(self->base);
    for (int i = 0; i < self->count; i++) {
#ifdef AMALGAM_SNOWBALL_VERSION
        if (self->stemmers[i].environment != 0) {
            amalgam_snowball_languages[self->stemmers[i].language].close(self->stemmers[i].environment);
        }
#endif
        amalgam_token_set_free(&self->stemmers[i].stop_words);
    }
    sqlite3_free(self->stemmers);
    sqlite3_free(self->cache);
    sqlite3_free(self->problem);
    sqlite3_free(self);
}

/*
** The connection for which this thread creates the tokenizer that one of these wraps. A schema may come from a hostile file,
** and each tokenizer takes its part of the stack.
*/
static _Thread_local const sqlite3 *amalgam_stemming_wrapping;

/* Creates the base tokenizer. */
static int amalgam_stemming_make_base(amalgam_stemming *self, fts5_api *api, const char **arguments, int count) {
    /* Vowel signs are parts of words in Hindi, Nepali and Tamil, and points in Yiddish. */
    static const char *const unicode61[] = {"unicode61", "remove_diacritics", "0", "categories", "L* N* Co Mn Mc"};
    if (count == 0) {
        arguments = (const char **)unicode61;
        count = (int)ArraySize(unicode61);
    }
    void *data = 0;
    fts5_tokenizer_v2 *functions = 0;
    const int code = api->xFindTokenizer_v2(api, arguments[0], &data, &functions);
    if (code != SQLITE_OK) return code;
    self->functions = *functions;
    const sqlite3 *outer = amalgam_stemming_wrapping;
    amalgam_stemming_wrapping = self->db;
    const int result = functions->xCreate(data, arguments + 1, count - 1, &self->base);
    amalgam_stemming_wrapping = outer;
    return result;
}

/* Makes the set of stop words of a language, in the form in which the base tokenizer passes them. */
static int amalgam_stemming_make_stop_words(amalgam_stemming *self, amalgam_stemmer *stemmer) {
    const char *words = amalgam_stemming_stop_words(stemmer->language);
    const int length = sqlite3Strlen30(words);
    if (length == 0) return SQLITE_OK;
    int code = amalgam_token_set_make(&stemmer->stop_words, length);
    if (code != SQLITE_OK) return code;
    return self->functions.xTokenize(
        self->base, &stemmer->stop_words, FTS5_TOKENIZE_DOCUMENT, words, length, 0, 0, amalgam_add_stop_word);
}

static int amalgam_stemming_make_stemmers(
    amalgam_stemming *self, const char **arguments, const amalgam_stemming_arguments *parsed
) {
    const int count = parsed->last_language + 1;
    self->stemmers = sqlite3MallocZero((u64)count * sizeof(*self->stemmers));
    if (self->stemmers == 0) return SQLITE_NOMEM;
    self->count = count;
    int code = SQLITE_OK;
    for (int i = 0; code == SQLITE_OK && i < count; i++) {
        self->stemmers[i].language = amalgam_stemming_language_of(arguments[i], sqlite3Strlen30(arguments[i]));
        if (parsed->has_stop_words) code = amalgam_stemming_make_stop_words(self, &self->stemmers[i]);
    }
    return code;
}

static int amalgam_stemming_create(void *context, const char **arguments, int count, Fts5Tokenizer **tokenizer) {
    fts5_api *api = context;
    amalgam_stemming_arguments parsed;
    amalgam_stemming *self = sqlite3MallocZero(sizeof(*self));
    *tokenizer = 0;
    if (self == 0) return SQLITE_NOMEM;
    self->db = ((Fts5Global *)api)->db;
    int code = SQLITE_ERROR;
    if (self->db == amalgam_stemming_wrapping) self->problem = sqlite3_mprintf("the tokenizer snowball can't wrap itself");
    else code = amalgam_stemming_parse(arguments, count, &parsed, &self->problem);
    if (code == SQLITE_MISMATCH) {
        code = self->problem == 0 ? SQLITE_NOMEM : SQLITE_OK;
    } else if (code == SQLITE_OK) {
        self->remove_diacritics = parsed.remove_diacritics;
        code = amalgam_stemming_make_base(self, api, arguments + parsed.base, count - parsed.base);
        if (code == SQLITE_OK) code = amalgam_stemming_make_stemmers(self, arguments, &parsed);
    } else if (self->problem != 0) {
        sqlite3_log(code, "%s", self->problem);
    }
    if (code != SQLITE_OK) {
        amalgam_stemming_delete((Fts5Tokenizer *)self);
        return code;
    }
    *tokenizer = (Fts5Tokenizer *)self;
    return SQLITE_OK;
}

/* The FTS5 table of a connection's schema, if the connection has it open. */
static Fts5FullTable *amalgam_connected_fts5(sqlite3 *db, Table *table) {
    VTable *vtable = IsVirtual(table) ? sqlite3GetVTable(db, table) : 0;
    if (vtable == 0 || vtable->pVtab == 0 || vtable->pMod->pModule->xCreate != fts5CreateMethod) return 0;
    return (Fts5FullTable *)vtable->pVtab;
}

/*
** Gives the message of a tokenizer that fails to the FTS5 table that uses it: FTS5 has no way to do so. A table expects a
** message while one of its functions runs. If none does, our own code runs the tokenizer, and asks the connection.
*/
static void amalgam_stemming_explain(const amalgam_stemming *self) {
    char **target = 0;
    for (int i = 0; i < self->db->nDb; i++) {
        const Schema *schema = self->db->aDb[i].pSchema;
        HashElem *element = schema != 0 ? sqliteHashFirst(&schema->tblHash) : 0;
        for (; element != 0; element = sqliteHashNext(element)) {
            const Fts5FullTable *table = amalgam_connected_fts5(self->db, sqliteHashData(element));
            const Fts5Config *config = table != 0 ? table->p.pConfig : 0;
            if (config == 0 || config->pzErrmsg == 0 || *config->pzErrmsg != 0) continue;
            if (target == 0 || config->t.pTok == (Fts5Tokenizer *)self) target = config->pzErrmsg;
        }
    }
    if (target != 0) {
        *target = sqlite3_mprintf("%s", self->problem);
    } else {
        sqlite3ErrorWithMsg(self->db, SQLITE_ERROR, "%s", self->problem);
    }
}

typedef int amalgam_token_callback(void *context, int flags, const char *token, int length, int start, int end);

/* A buffer that grows. */
typedef struct amalgam_stemming_bytes {
    char *bytes;
    int count;
    int capacity;
} amalgam_stemming_bytes;

static int amalgam_stemming_reserve(amalgam_stemming_bytes *bytes, int capacity) {
    if (capacity <= bytes->capacity) return SQLITE_OK;
    char *grown = sqlite3_realloc64(bytes->bytes, (sqlite3_uint64)capacity);
    if (grown == 0) return SQLITE_NOMEM;
    bytes->bytes = grown;
    bytes->capacity = capacity;
    return SQLITE_OK;
}

/* A token that waits, because it may be the last one: then it is a prefix. */
typedef struct amalgam_waiting_token {
    int flags;
    int offset;
    int length;
    int start;
    int end;
} amalgam_waiting_token;

/* The tokenization of one string. */
typedef struct amalgam_stemming_run {
    amalgam_stemming *self;
    void *context;
    amalgam_token_callback *callback;
    /* The languages of the string: `first` is negative for words of another language, which have no stems. */
    int first;
    int last;
    /* Whether the words are passed as they are, in addition to their stems. */
    int passes_words;
    /* Whether the last token that isn't a synonym was omitted. */
    int omits;
    amalgam_stemming_bytes folded;
    /* The tokens at the last position of a query for a prefix. */
    amalgam_stemming_bytes waiting_bytes;
    amalgam_waiting_token *waiting;
    int waiting_count;
} amalgam_stemming_run;

/* Removes diacritics, and stores the result in `folded`. A token of nothing but diacritics stays. */
static int amalgam_stemming_fold(amalgam_stemming_run *run, const char *token, int length) {
    amalgam_stemming_bytes *folded = &run->folded;
    const unsigned char *next = (const unsigned char *)token;
    const unsigned char *end = next + length;
    folded->count = 0;
    /* A letter of two bytes may become one of three, and so may a byte that isn't UTF-8. */
    if (length > 0x1000000) return SQLITE_TOOBIG;
    const int code = amalgam_stemming_reserve(folded, length * 3 + 4);
    if (code != SQLITE_OK) return code;
    unsigned char *out = (unsigned char *)folded->bytes;
    while (next < end) {
        if (*next < 0x80) {
            *out++ = *next++;
            continue;
        }
        u32 c;
        READ_UTF8(next, end, c);
        c = (u32)sqlite3Fts5UnicodeFold((int)c, run->self->remove_diacritics);
        if (c != 0 && !sqlite3Fts5UnicodeIsdiacritic((int)c)) WRITE_UTF8(out, c);
    }
    folded->count = (int)((char *)out - folded->bytes);
    if (folded->count == 0) {
        memcpy(folded->bytes, token, (size_t)length);
        folded->count = length;
    }
    return SQLITE_OK;
}

/* Removes diacritics where the tokenizer does so, and the token has any. */
static int amalgam_stemming_plain(amalgam_stemming_run *run, const char **token, int *length) {
    if (run->self->remove_diacritics == 0) return SQLITE_OK;
    int i = 0;
    while (i < *length && (unsigned char)(*token)[i] < 0x80) i++;
    if (i == *length) return SQLITE_OK;
    const int code = amalgam_stemming_fold(run, *token, *length);
    if (code != SQLITE_OK) return code;
    *token = run->folded.bytes;
    *length = run->folded.count;
    return SQLITE_OK;
}

/* The stem of a token, without diacritics. It is valid until the next call. */
static int amalgam_stemming_stem(
    amalgam_stemming_run *run, int index, const char *token, int length, const char **stem, int *stem_length
) {
    *stem = token;
    *stem_length = length;
#ifdef AMALGAM_SNOWBALL_VERSION
    if (index >= 0 && length <= AMALGAM_STEM_LIMIT) {
        amalgam_stemmer *stemmer = &run->self->stemmers[index];
        const struct amalgam_snowball_language *language = &amalgam_snowball_languages[stemmer->language];
        if (stemmer->environment == 0) stemmer->environment = language->open();
        struct SN_env *environment = stemmer->environment;
        if (environment == 0) return SQLITE_NOMEM;
        if (SN_set_current(environment, length, (const symbol *)token) != 0 || language->stem(environment) < 0) {
            /* Snowball reports a slice that it can't replace as it reports missing memory: the Greek word "ισαισα". */
            const int is_faulty_slice = environment->p != 0
                && (environment->bra < 0 || environment->bra > environment->ket || environment->ket > environment->l);
            /* The environment may have lost a part of its memory. */
            language->close(environment);
            stemmer->environment = 0;
            if (!is_faulty_slice) return SQLITE_NOMEM;
        } else if (environment->l > 0) {
            *stem = (const char *)environment->p;
            *stem_length = environment->l;
        }
    }
#else
    (void)index;
#endif
    return amalgam_stemming_plain(run, stem, stem_length);
}

static int amalgam_is_stop_word(const amalgam_stemming_run *run, const char *token, int length) {
    for (int i = run->first; i >= 0 && i <= run->last; i++) {
        if (amalgam_token_set_has(&run->self->stemmers[i].stop_words, token, length)) return 1;
    }
    return 0;
}

/* Passes the stem of a token in a document, from the cache if possible. */
static int amalgam_stemming_pass_cached(
    amalgam_stemming_run *run, int flags, const char *token, int length, int start, int end
) {
    amalgam_stemming *self = run->self;
    const unsigned hash = amalgam_key_hash(token, length) ^ (unsigned)run->first;
    amalgam_cached_stem *entry = &self->cache[hash % AMALGAM_STEM_CACHE_SIZE];
    const int is_same = entry->language == run->first + 1 && entry->length == length;
    if (!is_same || memcmp(entry->bytes, token, (size_t)length) != 0) {
        const char *stem = 0;
        int stem_length = 0;
        const int omits = amalgam_is_stop_word(run, token, length);
        if (!omits) {
            const int code = amalgam_stemming_stem(run, run->first, token, length, &stem, &stem_length);
            if (code != SQLITE_OK) return code;
            if (length + stem_length > (int)sizeof(entry->bytes)) {
                return run->callback(run->context, flags, stem, stem_length, start, end);
            }
            memcpy(entry->bytes + length, stem, (size_t)stem_length);
        }
        memcpy(entry->bytes, token, (size_t)length);
        entry->language = (unsigned char)(run->first + 1);
        entry->length = (unsigned char)length;
        entry->stem_length = (unsigned char)(omits ? AMALGAM_STOP_WORD : stem_length);
    }
    if (entry->stem_length == AMALGAM_STOP_WORD) {
        run->omits = 1;
        return SQLITE_OK;
    }
    return run->callback(run->context, flags, entry->bytes + entry->length, entry->stem_length, start, end);
}

/* Passes the different stems of a token as synonyms of each other, and the word itself if the run asks for it. */
static int amalgam_stemming_pass_all(
    amalgam_stemming_run *run, int flags, const char *token, int length, int start, int end, int passes_word
) {
    amalgam_stemming_bytes seen = {0};
    int code = SQLITE_OK;
    for (int i = run->first; code == SQLITE_OK && i <= run->last + 1; i++) {
        const char *stem;
        int stem_length;
        if (i > run->last && !passes_word) break;
        code = amalgam_stemming_stem(run, i > run->last ? -1 : i, token, length, &stem, &stem_length);
        if (code != SQLITE_OK) break;
        /* `seen` has the tokens passed before, each after its length. */
        int is_new = 1;
        for (int at = 0; is_new && at < seen.count;) {
            int seen_length;
            memcpy(&seen_length, seen.bytes + at, sizeof(int));
            at += (int)sizeof(int);
            is_new = seen_length != stem_length || memcmp(seen.bytes + at, stem, (size_t)stem_length) != 0;
            at += seen_length;
        }
        if (!is_new) continue;
        const int colocated = seen.count > 0 ? FTS5_TOKEN_COLOCATED : 0;
        code = amalgam_stemming_reserve(&seen, seen.count + (int)sizeof(int) + stem_length);
        if (code != SQLITE_OK) break;
        memcpy(seen.bytes + seen.count, &stem_length, sizeof(int));
        memcpy(seen.bytes + seen.count + sizeof(int), stem, (size_t)stem_length);
        seen.count += (int)sizeof(int) + stem_length;
        code = run->callback(run->context, flags | colocated, stem, stem_length, start, end);
    }
    sqlite3_free(seen.bytes);
    return code;
}

/* Passes what replaces a token of the base tokenizer. */
static int amalgam_stemming_pass(
    amalgam_stemming_run *run, int flags, const char *token, int length, int start, int end, int is_prefix
) {
    if (flags & FTS5_TOKEN_COLOCATED) {
        /* Without its word, a synonym would be at the position of another one. */
        if (run->omits) return SQLITE_OK;
    } else {
        run->omits = !is_prefix && amalgam_is_stop_word(run, token, length);
        if (run->omits) return SQLITE_OK;
    }
    if (run->first == run->last && !run->passes_words && !is_prefix) {
        const char *stem;
        int stem_length;
        const int code = amalgam_stemming_stem(run, run->first, token, length, &stem, &stem_length);
        return code != SQLITE_OK ? code : run->callback(run->context, flags, stem, stem_length, start, end);
    }
    return amalgam_stemming_pass_all(run, flags, token, length, start, end, 1);
}

static int amalgam_stemming_take(void *context, int flags, const char *token, int length, int start, int end) {
    amalgam_stemming_run *run = context;
    if (length <= 0) return SQLITE_OK;
    if (run->self->cache != 0 && run->first >= 0 && run->first == run->last && !run->passes_words && length < 32) {
        if ((flags & FTS5_TOKEN_COLOCATED) == 0) {
            run->omits = 0;
            return amalgam_stemming_pass_cached(run, flags, token, length, start, end);
        }
    }
    return amalgam_stemming_pass(run, flags, token, length, start, end, 0);
}

/* Passes the waiting tokens. */
static int amalgam_stemming_flush(amalgam_stemming_run *run, int is_prefix) {
    int code = SQLITE_OK;
    for (int i = 0; code == SQLITE_OK && i < run->waiting_count; i++) {
        const amalgam_waiting_token *token = &run->waiting[i];
        const char *bytes = run->waiting_bytes.bytes + token->offset;
        code = amalgam_stemming_pass(run, token->flags, bytes, token->length, token->start, token->end, is_prefix);
    }
    run->waiting_count = 0;
    run->waiting_bytes.count = 0;
    return code;
}

/* Lets a token of a query for a prefix wait until the next position. */
static int amalgam_stemming_wait(void *context, int flags, const char *token, int length, int start, int end) {
    amalgam_stemming_run *run = context;
    if (length <= 0) return SQLITE_OK;
    int code = (flags & FTS5_TOKEN_COLOCATED) ? SQLITE_OK : amalgam_stemming_flush(run, 0);
    if (code == SQLITE_OK) code = amalgam_stemming_reserve(&run->waiting_bytes, run->waiting_bytes.count + length);
    if (code != SQLITE_OK) return code;
    const sqlite3_uint64 size = (sqlite3_uint64)(run->waiting_count + 1) * sizeof(amalgam_waiting_token);
    amalgam_waiting_token *grown = sqlite3_realloc64(run->waiting, size);
    if (grown == 0) return SQLITE_NOMEM;
    run->waiting = grown;
    memcpy(run->waiting_bytes.bytes + run->waiting_bytes.count, token, (size_t)length);
    run->waiting[run->waiting_count++] = (amalgam_waiting_token){flags, run->waiting_bytes.count, length, start, end};
    run->waiting_bytes.count += length;
    return SQLITE_OK;
}

/* Chooses the languages of a string. A tokenizer with one language ignores locales. */
static void amalgam_stemming_choose(amalgam_stemming_run *run, int flags, const char *locale, int length) {
    const amalgam_stemming *self = run->self;
    if (self->count == 1) return;
    if (locale != 0 && length > 0) {
        const int language = amalgam_stemming_language_of(locale, length);
        run->first = run->last = -1;
        for (int i = self->count - 1; language >= 0 && i >= 0; i--) {
            if (self->stemmers[i].language == language) run->first = run->last = i;
        }
    } else if (flags & FTS5_TOKENIZE_QUERY) {
        run->last = self->count - 1;
        run->passes_words = 1;
    }
}

static int amalgam_stemming_tokenize(
    Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int length, const char *locale,
    int locale_length, amalgam_token_callback *callback
) {
    amalgam_stemming *self = (amalgam_stemming *)tokenizer;
    if (self->problem != 0) {
        amalgam_stemming_explain(self);
        return SQLITE_ERROR;
    }
    amalgam_stemming_run run = {.self = self, .context = context, .callback = callback};
    amalgam_stemming_choose(&run, flags, locale, locale_length);
    if ((flags & FTS5_TOKENIZE_DOCUMENT) && self->cache == 0) {
        /* Without memory for the cache, tokenizing takes longer. */
        self->cache = sqlite3MallocZero(AMALGAM_STEM_CACHE_SIZE * sizeof(*self->cache));
    }
    const int is_prefix = (flags & FTS5_TOKENIZE_PREFIX) != 0;
    amalgam_token_callback *next = is_prefix ? amalgam_stemming_wait : amalgam_stemming_take;
    int code = self->functions.xTokenize(self->base, &run, flags, text, length, locale, locale_length, next);
    if (code == SQLITE_OK && is_prefix) code = amalgam_stemming_flush(&run, 1);
    sqlite3_free(run.folded.bytes);
    sqlite3_free(run.waiting_bytes.bytes);
    sqlite3_free(run.waiting);
    return code;
}

/* FTS5 initializes itself on each new connection. The macro in amalgamation.c gives its function another name. */
static int sqlite3Fts5Init(sqlite3 *db) {
    int code = amalgam_sqlite_fts5_init(db);
    fts5_api *api = code == SQLITE_OK ? amalgam_fts5_api(db) : 0;
    if (api == 0) return code;
    fts5_tokenizer_v2 functions = {2, amalgam_stemming_create, amalgam_stemming_delete, amalgam_stemming_tokenize};
    return api->xCreateTokenizer_v2(api, "snowball", api, &functions, 0);
}

/* Whether the tokenizer of this name is ours, and not one that the application has registered. */
static int amalgam_stemming_is_registered(sqlite3 *db) {
    fts5_api *api = amalgam_fts5_api(db);
    Fts5TokenizerModule *module = api != 0 ? fts5LocateTokenizer((Fts5Global *)api, "snowball") : 0;
    return module != 0 && module->bV2Native && module->x2.xCreate == amalgam_stemming_create;
}

char *amalgam_stemming_problem(sqlite3 *db, const char *const *arguments, int count) {
    amalgam_stemming_arguments parsed;
    char *message;
    if (!amalgam_stemming_is_registered(db)) return 0;
    const int code = amalgam_stemming_parse(arguments, count, &parsed, &message);
    if (code == SQLITE_ERROR || amalgam_stemming_version() == 0) return message;
    sqlite3_free(message);
    return 0;
}

/* The argument that is the version of the stemmers in the arguments of an FTS5 table; NULL if there is none. */
static const char *amalgam_stemming_recorded(const Fts5Config *config) {
    int i = 0;
    while (i < config->t.nArg && sqlite3_stricmp(config->t.azArg[i], "snowball") != 0) i++;
    while (i < config->t.nArg && !amalgam_is_version(config->t.azArg[i])) i++;
    return i < config->t.nArg ? config->t.azArg[i] : 0;
}

/* The languages in the arguments of an FTS5 table's tokenizer, as a set of bits by number. */
static uint64_t amalgam_stemming_languages(const Fts5Config *config) {
    uint64_t languages = 0;
    int i = 0;
    while (i < config->t.nArg && sqlite3_stricmp(config->t.azArg[i], "snowball") != 0) i++;
    for (i++; i < config->t.nArg && !amalgam_is_version(config->t.azArg[i]); i++) {
        const char *argument = config->t.azArg[i];
        const int number = amalgam_stemming_language_of(argument, sqlite3Strlen30(argument));
        if (number >= 0 && number < 64) languages |= (uint64_t)1 << number;
    }
    return languages;
}

char *amalgam_stemming_outdated_version(sqlite3 *db, const char *name, char **schema) {
    char *version = 0;
    *schema = 0;
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
    Table *table = sqlite3FindTable(db, name, 0);
    const Fts5FullTable *connected = table != 0 ? amalgam_connected_fts5(db, table) : 0;
    const char *recorded = connected != 0 ? amalgam_stemming_recorded(connected->p.pConfig) : 0;
    const char *current = amalgam_stemming_version();
    if (recorded != 0 && current != 0 && strcmp(recorded, current) != 0 && amalgam_stemming_is_registered(db)) {
        version = sqlite3_mprintf("%s", recorded);
        *schema = sqlite3_mprintf("%s", db->aDb[sqlite3SchemaToIndex(db, table->pSchema)].zDbSName);
    }
    sqlite3BtreeLeaveAll(db);
    sqlite3_mutex_leave(db->mutex);
    return version;
}
