/*
** Encrypted databases. All functions exist in every build; without the trait Encryption, no database is encrypted, and those
** that set or change a key return SQLITE_ERROR.
*/
#ifndef AMALGAM_CIPHER_H
#define AMALGAM_CIPHER_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
** SQLCipher's C functions. These symbols exist with the trait Encryption only:
** <https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_key>.
*/
int sqlite3_key(sqlite3 *db, const void *key, int size);
int sqlite3_key_v2(sqlite3 *db, const char *schema, const void *key, int size);
int sqlite3_rekey(sqlite3 *db, const void *key, int size);
int sqlite3_rekey_v2(sqlite3 *db, const char *schema, const void *key, int size);

/* The version of SQLCipher, and the library that does its cryptography. NULL without the trait. */
const char *amalgam_cipher_version(void);
const char *amalgam_cipher_provider(void);
const char *amalgam_cipher_provider_version(void);

/* The state of the key of a schema. */
enum {
    AMALGAM_KEY_NONE = 0,   /* no key, and nothing was read */
    AMALGAM_KEY_UNUSED = 1, /* a key that hasn't opened a page yet: none was read, or the key is wrong */
    AMALGAM_KEY_USED = 2,   /* a key that has opened or written a page */
    AMALGAM_KEY_CLEAR = 3   /* no key, and the database was read as clear text */
};
int amalgam_key_state(sqlite3 *db, const char *schema);

/* The bytes that the codec reserves at the end of each page; 0 for a database without a codec. */
int amalgam_cipher_reserve(sqlite3 *db, const char *schema);

/* How often a key was derived in full in this process, rather than found among those kept. For tests. */
int64_t amalgam_derivation_count(void);

/* Sets the key of a database: bytes that a key is derived from, or a raw key as the characters x'…'. */
int amalgam_use_key(sqlite3 *db, const char *schema, const void *key, int size);

/*
** Encrypts all pages of the database with another key, in one transaction. If it fails, the old key stays.
**
** SQLITE_MISUSE if the database isn't encrypted, if a statement runs, inside of a savepoint, or if the transaction of the
** connection has written. A transaction that hasn't written stays open, and keeps its write lock if it can.
*/
int amalgam_change_key(sqlite3 *db, const char *schema, const void *key, int size);

/*
** Runs ATTACH with a key (size 0: without encryption), without telling trace callbacks. The strings and the key must stay valid
** for the call only.
*/
int amalgam_attach(sqlite3 *db, const char *path, const char *schema, const void *key, int size);

/*
** Opens a copy in memory whose pages have as many reserved bytes as the codec of an encrypted database wants, so that a backup
** can copy them to that database. The caller closes it, also after an error.
*/
int amalgam_copy_with_reserve(sqlite3 *db, const char *schema, int reserve, sqlite3 **copy);

/* Overwrites memory with zeros. The compiler doesn't remove the call. */
void amalgam_wipe(void *memory, size_t size);

#ifdef __cplusplus
}
#endif
#endif
