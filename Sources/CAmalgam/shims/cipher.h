/*
** Keys of encrypted databases, on SQLCipher's codec: see amalgam_cipher.h. SQLCipher's internals are read here only.
**
** Deriving a key from a pass phrase takes about 0.1 s on purpose. The connections of a pool all derive the same key, so the last
** few derived keys are kept while any encrypted database of the process is open. Each of those has its key in memory anyway. A
** derived key is found again by a short derivation of the same pass phrase with random bytes of this process.
*/
#ifdef SQLITE_HAS_CODEC

#if defined(SQLCIPHER_CRYPTO_OPENSSL)
#include <openssl/crypto.h>
#endif

_Static_assert(CIPHER_READ_CTX == 0 && CIPHER_WRITE_CTX == 1, "SQLCipher's contexts have moved");

#define AMALGAM_KEPT_KEYS 4
#define AMALGAM_FINGERPRINT_SIZE 32
#define AMALGAM_FINGERPRINT_ROUNDS 1000
#define AMALGAM_MAXIMUM_SALT 64

typedef struct {
    int key_size; /* 0: unused */
    unsigned char fingerprint[AMALGAM_FINGERPRINT_SIZE];
    unsigned char key[CIPHER_MAX_KEY_SZ]; /* under SQLCipher's mask, as its own keys are */
} amalgam_kept_key;

/* Guarded by a mutex that SQLCipher makes and doesn't use. It is held for moments only. */
static struct {
    amalgam_kept_key keys[AMALGAM_KEPT_KEYS];
    int next;          /* the index of the key that is replaced next */
    int context_count; /* the codecs of open databases */
    int64_t derivation_count;
    int has_random;
    unsigned char random[16];
    int (*derive)(void *, int, const unsigned char *, int, const unsigned char *, int, int, int, unsigned char *);
    int (*begin_context)(void **);
    int (*end_context)(void **);
} amalgam_keys;

static void amalgam_lock_keys(void) { sqlite3_mutex_enter(sqlcipher_mutex(SQLCIPHER_MUTEX_RESERVED1)); }
static void amalgam_unlock_keys(void) { sqlite3_mutex_leave(sqlcipher_mutex(SQLCIPHER_MUTEX_RESERVED1)); }

static void amalgam_forget_keys(void) {
    amalgam_wipe(amalgam_keys.keys, sizeof(amalgam_keys.keys));
    amalgam_keys.next = 0;
}

static int amalgam_begin_context(void **context) {
    int code = amalgam_keys.begin_context(context);
    if (code != SQLITE_OK) return code;
    amalgam_lock_keys();
    amalgam_keys.context_count++;
    amalgam_unlock_keys();
    return code;
}

static int amalgam_end_context(void **context) {
    amalgam_lock_keys();
    if (--amalgam_keys.context_count == 0) amalgam_forget_keys();
    amalgam_unlock_keys();
    return amalgam_keys.end_context(context);
}

/* Derives what identifies a derivation: all that its result depends on. */
static int amalgam_fingerprint(
    void *context, int algorithm, const unsigned char *pass, int pass_size, const unsigned char *salt, int salt_size, int rounds,
    int key_size, unsigned char *fingerprint
) {
    unsigned char mixed[AMALGAM_MAXIMUM_SALT + sizeof(amalgam_keys.random) + 3 * sizeof(int)];
    unsigned char *end = mixed;
    if (salt_size < 0 || salt_size > AMALGAM_MAXIMUM_SALT) return SQLITE_ERROR;
    memcpy(end, salt, salt_size), end += salt_size;
    memcpy(end, amalgam_keys.random, sizeof(amalgam_keys.random)), end += sizeof(amalgam_keys.random);
    memcpy(end, &algorithm, sizeof(int)), end += sizeof(int);
    memcpy(end, &rounds, sizeof(int)), end += sizeof(int);
    memcpy(end, &key_size, sizeof(int)), end += sizeof(int);
    return amalgam_keys.derive(
        context, SQLCIPHER_PBKDF2_HMAC_SHA512, pass, pass_size, mixed, (int)(end - mixed), AMALGAM_FINGERPRINT_ROUNDS,
        AMALGAM_FINGERPRINT_SIZE, fingerprint);
}

/* The provider's derivation of keys, which looks for the result of an earlier one. */
static int amalgam_derive(
    void *context, int algorithm, const unsigned char *pass, int pass_size, const unsigned char *salt, int salt_size, int rounds,
    int key_size, unsigned char *key
) {
    unsigned char fingerprint[AMALGAM_FINGERPRINT_SIZE];
    int index, is_kept = 0;
    int code;
    if (rounds < 10 * AMALGAM_FINGERPRINT_ROUNDS || key_size > CIPHER_MAX_KEY_SZ || !amalgam_keys.has_random
        || amalgam_fingerprint(context, algorithm, pass, pass_size, salt, salt_size, rounds, key_size, fingerprint)) {
        return amalgam_keys.derive(context, algorithm, pass, pass_size, salt, salt_size, rounds, key_size, key);
    }
    amalgam_lock_keys();
    for (index = 0; index < AMALGAM_KEPT_KEYS && !is_kept; index++) {
        amalgam_kept_key *kept = &amalgam_keys.keys[index];
        if (kept->key_size != key_size) continue;
        if (sqlcipher_memcmp(kept->fingerprint, fingerprint, sizeof(fingerprint)) != 0) continue;
        memcpy(key, kept->key, key_size);
        sqlcipher_shield(key, key_size);
        is_kept = 1;
    }
    amalgam_unlock_keys();
    if (is_kept) return SQLITE_OK;
    code = amalgam_keys.derive(context, algorithm, pass, pass_size, salt, salt_size, rounds, key_size, key);
    if (code != SQLITE_OK) return code;
    amalgam_lock_keys();
    amalgam_keys.derivation_count++;
    if (amalgam_keys.context_count > 0) {
        amalgam_kept_key *kept = &amalgam_keys.keys[amalgam_keys.next];
        amalgam_keys.next = (amalgam_keys.next + 1) % AMALGAM_KEPT_KEYS;
        kept->key_size = key_size;
        memcpy(kept->fingerprint, fingerprint, sizeof(fingerprint));
        memcpy(kept->key, key, key_size);
        sqlcipher_shield(kept->key, key_size);
    }
    amalgam_unlock_keys();
    return code;
}

/* Puts our functions before those of a provider that was just registered. */
static void amalgam_keep_keys_of(sqlcipher_provider *provider) {
    void *context = 0;
    if (provider->kdf == amalgam_derive) return;
    amalgam_keys.derive = provider->kdf;
    amalgam_keys.begin_context = provider->ctx_init;
    amalgam_keys.end_context = provider->ctx_free;
    amalgam_keys.has_random = provider->ctx_init(&context) == SQLITE_OK
        && provider->random(context, amalgam_keys.random, sizeof(amalgam_keys.random)) == SQLITE_OK;
    if (context) provider->ctx_free(&context);
    amalgam_keys.context_count = 0;
    amalgam_forget_keys();
    provider->kdf = amalgam_derive;
    provider->ctx_init = amalgam_begin_context;
    provider->ctx_free = amalgam_end_context;
}

/*
** When a process ends, SQLCipher and OpenSSL free what other threads still decrypt with. Neither may: the system takes the
** memory back anyway. Handlers run in reverse order, so this one runs before SQLCipher's, which then returns at once.
*/
static void amalgam_cipher_at_exit(void) { sqlcipher_shutdown = 1; }

/*
** SQLite calls this function at the end of its initialisation: SQLITE_EXTRA_INIT. If it fails, the next sqlite3_initialize calls it
** again: SQLite would count as initialised, without the codec.
*/
int amalgam_cipher_init(const char *argument) {
    int is_first = !sqlcipher_cleanup;
    int code;
#if defined(SQLCIPHER_CRYPTO_OPENSSL)
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, 0);
#endif
    code = sqlcipher_extra_init(argument);
    if (is_first && sqlcipher_cleanup) atexit(amalgam_cipher_at_exit);
    if (code == SQLITE_OK) {
        amalgam_keep_keys_of(sqlcipher_get_provider());
    } else {
        sqlite3GlobalConfig.isInit = 0;
    }
    return code;
}

const char *amalgam_cipher_version(void) { return CIPHER_XSTR(CIPHER_VERSION_NUMBER); }

int64_t amalgam_derivation_count(void) {
    int64_t count;
    if (sqlite3_initialize() != SQLITE_OK) return 0;
    amalgam_lock_keys();
    count = amalgam_keys.derivation_count;
    amalgam_unlock_keys();
    return count;
}

static const char *amalgam_ask_provider(const char *(*ask)(void *)) {
    const char *answer = 0;
    void *context = 0;
    if (ask && amalgam_keys.begin_context(&context) == SQLITE_OK) {
        answer = ask(context);
        amalgam_keys.end_context(&context);
    }
    return answer;
}

const char *amalgam_cipher_provider(void) {
    if (sqlite3_initialize() != SQLITE_OK) return 0;
    return amalgam_ask_provider(sqlcipher_get_provider()->get_provider_name);
}

const char *amalgam_cipher_provider_version(void) {
    if (sqlite3_initialize() != SQLITE_OK) return 0;
    return amalgam_ask_provider(sqlcipher_get_provider()->get_provider_version);
}

static Db *amalgam_schema_named(sqlite3 *db, const char *schema) {
    int index = sqlite3FindDbName(db, schema);
    return index < 0 || db->aDb[index].pBt == 0 ? 0 : &db->aDb[index];
}

static codec_ctx *amalgam_codec(Db *schema) {
    return schema ? sqlcipherPagerGetCodec(sqlite3BtreePager(schema->pBt)) : 0;
}

int amalgam_key_state(sqlite3 *db, const char *schema) {
    Db *found = amalgam_schema_named(db, schema);
    codec_ctx *codec = amalgam_codec(found);
    if (codec) return SQLCIPHER_FLAG_GET(codec->flags, CIPHER_FLAG_KEY_USED) ? AMALGAM_KEY_USED : AMALGAM_KEY_UNUSED;
    if (found == 0) return AMALGAM_KEY_NONE;
    if (found->pSchema && (found->pSchema->schemaFlags & DB_SchemaLoaded)) return AMALGAM_KEY_CLEAR;
    return sqlite3PcachePagecount(sqlite3BtreePager(found->pBt)->pPCache) > 0 ? AMALGAM_KEY_CLEAR : AMALGAM_KEY_NONE;
}

int amalgam_cipher_reserve(sqlite3 *db, const char *schema) {
    codec_ctx *codec = amalgam_codec(amalgam_schema_named(db, schema));
    return codec ? codec->reserve_sz : 0;
}

int amalgam_use_key(sqlite3 *db, const char *schema, const void *key, int size) {
    int state = amalgam_key_state(db, schema);
    if (size <= 0 || state == AMALGAM_KEY_USED || state == AMALGAM_KEY_CLEAR) return SQLITE_MISUSE;
    return sqlite3_key_v2(db, schema, key, size);
}

int amalgam_change_key(sqlite3 *db, const char *schema, const void *key, int size) {
    Db *found = amalgam_schema_named(db, schema);
    int code, had_lock, index;
    if (amalgam_codec(found) == 0 || size <= 0 || db->nVdbeActive > 0 || db->pSavepoint) return SQLITE_MISUSE;
    for (index = 0; index < db->nDb; index++) {
        Btree *tree = db->aDb[index].pBt;
        if (tree && sqlite3BtreePager(tree)->eState >= PAGER_WRITER_CACHEMOD) return SQLITE_MISUSE;
    }
    had_lock = !db->autoCommit && sqlite3BtreeTxnState(found->pBt) == SQLITE_TXN_WRITE;
    code = sqlite3_rekey_v2(db, schema, key, size);
    amalgam_lock_keys();
    amalgam_forget_keys();
    amalgam_unlock_keys();
    /* If another connection has taken the lock, the next statement that writes waits for it. */
    if (had_lock) sqlite3BtreeBeginTrans(found->pBt, 1, 0);
    return code;
}

#else

const char *amalgam_cipher_version(void) { return 0; }
const char *amalgam_cipher_provider(void) { return 0; }
const char *amalgam_cipher_provider_version(void) { return 0; }
int64_t amalgam_derivation_count(void) { return 0; }
int amalgam_key_state(sqlite3 *db, const char *schema) { return AMALGAM_KEY_NONE; }
int amalgam_cipher_reserve(sqlite3 *db, const char *schema) { return 0; }
int amalgam_use_key(sqlite3 *db, const char *schema, const void *key, int size) { return SQLITE_ERROR; }
int amalgam_change_key(sqlite3 *db, const char *schema, const void *key, int size) { return SQLITE_ERROR; }

#endif

int amalgam_attach(sqlite3 *db, const char *path, const char *schema, const void *key, int size) {
    sqlite3_stmt *statement = 0;
    u8 traced = db->mTrace;
    int code;
    db->mTrace = 0;
    code = sqlite3_prepare_v2(
        db, amalgam_cipher_version() ? "ATTACH DATABASE ?1 AS ?2 KEY ?3" : "ATTACH DATABASE ?1 AS ?2", -1, &statement, 0);
    if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 2, schema, -1, SQLITE_STATIC);
    if (code == SQLITE_OK && amalgam_cipher_version()) {
        code = sqlite3_bind_blob(statement, 3, size > 0 ? key : "", size, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (statement) {
        int final = sqlite3_finalize(statement);
        if (code == SQLITE_DONE || code == SQLITE_ROW) code = final;
    }
    db->mTrace = traced;
    return code;
}

int amalgam_copy_with_reserve(sqlite3 *db, const char *schema, int reserve, sqlite3 **copy) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int code = sqlite3_open_v2(":memory:", copy, flags, 0);
    sqlite3_backup *backup;
    if (code != SQLITE_OK) return code;
    backup = sqlite3_backup_init(*copy, "main", db, schema);
    if (backup == 0) return sqlite3_extended_errcode(*copy);
    sqlite3_backup_step(backup, -1);
    code = sqlite3_backup_finish(backup);
    if (code == SQLITE_OK) code = sqlite3_file_control(*copy, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
    if (code == SQLITE_OK) code = sqlite3_exec(*copy, "VACUUM", 0, 0, 0);
    return code;
}

void amalgam_wipe(void *memory, size_t size) {
    volatile unsigned char *byte = memory;
    while (size-- > 0) *byte++ = 0;
}
