/*
** The terms in the index of an FTS5 table, without their documents. A table of the module fts5vocab returns the terms,
** too, but it reads all documents of each term, and it must exist.
**
** The functions return SQLITE_NOTFOUND if the name isn't that of an FTS5 table, or if the connection has compiled no
** statement that uses the table.
*/
#ifndef AMALGAM_TERMS_H
#define AMALGAM_TERMS_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The settings of an FTS5 table. */
typedef struct amalgam_fts5_settings {
    int has_phrases;          /* whether the index has the positions of tokens: detail=full */
    const char *rank;         /* the ranking function of the table; valid until its settings change */
    const char *rank_weights; /* its arguments; NULL if it has none */
    uint64_t languages;       /* the languages of the tokenizer `snowball`: bits by amalgam_stemming_language() */
    int has_porter;           /* whether the tokenizer is `porter`, or wraps it */
} amalgam_fts5_settings;

int amalgam_fts5_get_settings(sqlite3 *db, const char *table, amalgam_fts5_settings *settings);

/*
** Receives a term of a segment of the index.
**
** - size: The number of bytes that the documents of the term take in the segment, approximately.
**
** The function returns an SQLite result code. A code other than SQLITE_OK stops the reading.
*/
typedef int amalgam_fts5_term_callback(void *context, int segment, const char *term, int count, int64_t size);

/*
** Calls a function with the terms of each segment, in the order of their bytes. A term may be in several segments, and
** its documents may all be deleted in a later segment. Terms of more than 255 bytes are skipped.
*/
int amalgam_fts5_each_term(sqlite3 *db, const char *table, void *context, amalgam_fts5_term_callback *receive);

/* An object that holds the terms of a table in memory. Connections may share it. */
typedef struct amalgam_fts5_terms_methods {
    int (*load)(void *context, void **terms); /* reads the terms by amalgam_fts5_each_term(); an SQLite result code */
    /*
    ** Makes terms from those of an earlier state and those that were written since, each with the number of its bytes
    ** before it. `*terms` may receive the earlier ones, with a reference, or NULL: then, the terms are loaded.
    */
    void (*add)(void *context, void *earlier, const uint8_t *added, int64_t size, void **terms);
    void (*retain)(void *terms);
    void (*release)(void *terms);
} amalgam_fts5_terms_methods;

/*
** Returns the terms of the state of a table that the connection sees. If no connection has them for this state, they are
** made from those of an earlier state, or loaded. Terms that were deleted since the last loading may be left. The caller
** owns a reference.
*/
int amalgam_fts5_terms(
    sqlite3 *db, const char *table, const amalgam_fts5_terms_methods *methods, void *context, void **terms);

/* A function that receives the tokens of a string. */
typedef int amalgam_fts5_token_callback(void *context, int flags, const char *token, int count, int start, int end);

/*
** Calls a function with the tokens that the tokenizer of the table finds in a string. The string may have a locale; NULL
** for none.
*/
int amalgam_fts5_tokenize(
    sqlite3 *db, const char *table, int flags, const char *string, int byte_count, const char *locale,
    int locale_byte_count, void *context, amalgam_fts5_token_callback *receive);

#ifdef __cplusplus
}
#endif

#endif
