/* Words by the dictionaries of ICU. */

#ifdef SQLITE_ENABLE_ICU

#include <unicode/ubrk.h>
#include <unicode/utext.h>

struct amalgam_words {
    UBreakIterator *iterator;
    UText *text;
};

int amalgam_words_are_available(void) { return 1; }

void amalgam_words_free(amalgam_words *words) {
    if (words == 0) return;
    if (words->iterator != 0) ubrk_close(words->iterator);
    if (words->text != 0) utext_close(words->text);
    sqlite3_free(words);
}

amalgam_words *amalgam_words_new(void) {
    amalgam_words *words = sqlite3_malloc64(sizeof(amalgam_words));
    if (words == 0) return 0;
    memset(words, 0, sizeof(*words));
    UErrorCode status = U_ZERO_ERROR;
    words->iterator = ubrk_open(UBRK_WORD, "", 0, 0, &status);
    if (U_SUCCESS(status)) return words;
    amalgam_words_free(words);
    return 0;
}

int amalgam_words_begin(amalgam_words *words, const char *string, int64_t byte_count) {
    UErrorCode status = U_ZERO_ERROR;
    words->text = utext_openUTF8(words->text, string, byte_count, &status);
    if (U_SUCCESS(status)) ubrk_setUText(words->iterator, words->text, &status);
    return U_SUCCESS(status) ? SQLITE_OK : status == U_MEMORY_ALLOCATION_ERROR ? SQLITE_NOMEM : SQLITE_ERROR;
}

int amalgam_words_next(amalgam_words *words, int64_t *start, int64_t *end) {
    for (;;) {
        *start = ubrk_current(words->iterator);
        *end = ubrk_next(words->iterator);
        if (*end == UBRK_DONE) return 0;
        if (ubrk_getRuleStatus(words->iterator) >= UBRK_WORD_NONE_LIMIT) return 1;
    }
}

#else

int amalgam_words_are_available(void) { return 0; }

void amalgam_words_free(amalgam_words *words) { (void)words; }

amalgam_words *amalgam_words_new(void) { return 0; }

int amalgam_words_begin(amalgam_words *words, const char *string, int64_t byte_count) {
    (void)words, (void)string, (void)byte_count;
    return SQLITE_ERROR;
}

int amalgam_words_next(amalgam_words *words, int64_t *start, int64_t *end) {
    (void)words, (void)start, (void)end;
    return 0;
}

#endif
