/*
** Snowball's stemmers, and the tokenizer `snowball` of FTS5, which every connection has: see shims/stemming.h.
*/
#ifndef AMALGAM_STEMMING_H
#define AMALGAM_STEMMING_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of Snowball; NULL if SQLite was built with `scripts/bootstrap --without-stemmers`. */
const char *amalgam_stemming_version(void);

/* The name of the language with a number from 0; NULL beyond the last one. The names are in alphabetical order. */
const char *amalgam_stemming_language(int number);

/* The number of the language that a locale names, such as `de_AT` or `german`; -1 if no stemmer has this language. */
int amalgam_stemming_language_of(const char *locale, int length);

/*
** A string that the stemmer of a language looks for at the end of a word, in order to remove or replace it. It isn't
** terminated, and NULL beyond the last one. A string may be empty, and may occur twice.
*/
const char *amalgam_stemming_ending(int number, int index, int *length);

/* The stop words of a language, separated by spaces; empty if it has no list, or if there is no such language. */
const char *amalgam_stemming_stop_words(int number);

/*
** Tells why the arguments of the tokenizer `snowball` are wrong, in memory to free with sqlite3_free(). Returns NULL if
** they are right, if they only name a different version, if the application has registered a tokenizer with this name,
** or if memory is exhausted.
*/
char *amalgam_stemming_problem(sqlite3 *db, const char *const *arguments, int count);

/*
** The version of the stemmers with which the index of an FTS5 table was built, if it isn't the version of this build,
** and the name of the table's schema. Returns NULL otherwise, if the connection has compiled no statement that uses the
** table, or if memory is exhausted. sqlite3_free() frees both strings.
*/
char *amalgam_stemming_outdated_version(sqlite3 *db, const char *table, char **schema);

#ifdef __cplusplus
}
#endif

#endif
