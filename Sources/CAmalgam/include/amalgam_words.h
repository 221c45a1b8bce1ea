/*
** Words of text that is written without spaces between them, by the dictionaries of ICU:
** https://unicode-org.github.io/icu/userguide/boundaryanalysis/
*/
#ifndef AMALGAM_WORDS_H
#define AMALGAM_WORDS_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether SQLite was built with ENABLE_ICU. */
int amalgam_words_are_available(void);

/* Finds the words of one string after the other. Only one thread at a time may use it. */
typedef struct amalgam_words amalgam_words;

/* NULL without ENABLE_ICU, or if memory is exhausted. */
amalgam_words *amalgam_words_new(void);

void amalgam_words_free(amalgam_words *words);

/* Begins at the start of a UTF-8 string, which must remain valid until the last word was found. */
int amalgam_words_begin(amalgam_words *words, const char *string, int64_t byte_count);

/* The next word, as offsets of bytes. Returns 0 after the last one. */
int amalgam_words_next(amalgam_words *words, int64_t *start, int64_t *end);

#ifdef __cplusplus
}
#endif

#endif
