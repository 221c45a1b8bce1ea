/*
** The only C file of the package: SQLite's amalgamation with our options and renamed symbols, followed by our shims.
** The shims may read SQLite's internals, because they are in the same translation unit.
*/
#if !__has_include("../../vendor/sqlite/sqlite3.c")
#error "SQLite is not built yet: run scripts/bootstrap in the folder of the Amalgam package, then build again. Packages depend on a release tag, which contains SQLite (scripts/release 0.1.0 makes one), or on the path of a clone: .package(name: \"Amalgam\", path: \"...\")."
#else

#if defined(__clang__)
/* SQLite's own code is compiled as its authors publish it, without warnings. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#endif

#if defined(AMALGAM_CIPHER) && !defined(__APPLE__) && !defined(SQLCIPHER_CRYPTO_CUSTOM)
#if !__has_include(<openssl/evp.h>)
#error "The trait Encryption needs the headers of OpenSSL 3: apt-get install libssl-dev, or the like. See Sources/Amalgam/Amalgam.docc/Encryption.md."
#endif
#endif

/*
** Without fused multiplications and additions, an expression has the same value on all processors, and the ranks of
** shims/ranked_scores.h are those of FTS5's bm25().
*/
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#define AMALGAM_COMPILES_SQLITE 1
#include "../../vendor/sqlite/amalgam_options.h"
#include "../../vendor/sqlite/amalgam_platform.h"
#include "../../vendor/sqlite/amalgam_symbols.h"

/*
** Before the checkpoint at the end of a commit, SQLite calls our function first: see shims/suspension.h. The macro
** renames SQLite's function where the name is followed by parentheses: at its declaration and definition. Code that
** takes the function's address gets ours.
*/
struct sqlite3;
static int sqlite3WalDefaultHook(void *, struct sqlite3 *, const char *, int);
#define sqlite3WalDefaultHook(limit, db, schema, frames) amalgam_sqlite_wal_hook(limit, db, schema, frames)

/*
** In the same way, SQLite calls our functions instead of methods of full-text tables: see shims/fulltext.h for writes of
** rows, shims/ranked_table.h for searches, shims/ranked_log.h for transactions, and shims/pending_rows.h for savepoints.
*/
struct sqlite3_context;
struct sqlite3_index_info;
struct sqlite3_value;
struct sqlite3_vtab;
struct sqlite3_vtab_cursor;
static int fts5UpdateMethod(struct sqlite3_vtab *, int, struct sqlite3_value **, long long int *);
static int fts5BestIndexMethod(struct sqlite3_vtab *, struct sqlite3_index_info *);
static int fts5FilterMethod(struct sqlite3_vtab_cursor *, int, const char *, int, struct sqlite3_value **);
static int fts5NextMethod(struct sqlite3_vtab_cursor *);
static int fts5ColumnMethod(struct sqlite3_vtab_cursor *, struct sqlite3_context *, int);
static int fts5CloseMethod(struct sqlite3_vtab_cursor *);
static int fts5BeginMethod(struct sqlite3_vtab *);
static int fts5SyncMethod(struct sqlite3_vtab *);
static int fts5SavepointMethod(struct sqlite3_vtab *, int);
static int fts5CommitMethod(struct sqlite3_vtab *);
static int fts5RollbackMethod(struct sqlite3_vtab *);
static int fts5ReleaseMethod(struct sqlite3_vtab *, int);
static int fts5RollbackToMethod(struct sqlite3_vtab *, int);
static int fts5DisconnectMethod(struct sqlite3_vtab *);
static int fts5DestroyMethod(struct sqlite3_vtab *);
static int fts5VocabOpenMethod(struct sqlite3_vtab *, struct sqlite3_vtab_cursor **);
static int fts3SavepointMethod(struct sqlite3_vtab *, int);
static void fts5ApiCallback(struct sqlite3_context *, int, struct sqlite3_value **);
#define fts5UpdateMethod(table, count, values, rowid) amalgam_sqlite_fts5_update(table, count, values, rowid)
#define fts5BestIndexMethod(table, info) amalgam_sqlite_fts5_best_index(table, info)
#define fts5FilterMethod(cursor, flags, text, count, values) \
    amalgam_sqlite_fts5_filter(cursor, flags, text, count, values)
#define fts5NextMethod(cursor) amalgam_sqlite_fts5_next(cursor)
#define fts5ColumnMethod(cursor, context, column) amalgam_sqlite_fts5_column(cursor, context, column)
#define fts5CloseMethod(cursor) amalgam_sqlite_fts5_close(cursor)
#define fts5BeginMethod(table) amalgam_sqlite_fts5_begin(table)
#define fts5SyncMethod(table) amalgam_sqlite_fts5_sync(table)
#define fts5SavepointMethod(table, savepoint) amalgam_sqlite_fts5_savepoint(table, savepoint)
#define fts5CommitMethod(table) amalgam_sqlite_fts5_commit(table)
#define fts5RollbackMethod(table) amalgam_sqlite_fts5_rollback(table)
#define fts5ReleaseMethod(table, savepoint) amalgam_sqlite_fts5_release(table, savepoint)
#define fts5RollbackToMethod(table, savepoint) amalgam_sqlite_fts5_rollback_to(table, savepoint)
#define fts5DisconnectMethod(table) amalgam_sqlite_fts5_disconnect(table)
#define fts5DestroyMethod(table) amalgam_sqlite_fts5_destroy(table)
#define fts5VocabOpenMethod(table, cursor) amalgam_sqlite_fts5_vocab_open(table, cursor)
#define fts3SavepointMethod(table, savepoint) amalgam_sqlite_fts3_savepoint(table, savepoint)
#define fts5ApiCallback(context, count, values) amalgam_sqlite_fts5_callback(context, count, values)

/*
** SQLite's memory, temporary files and some functions look at limits of time and memory: see shims/limits.h,
** shims/limited_functions.h and shims/limited_matches.h. Allocators for debugging count memory in their own way.
*/
struct sqlite3_file;
#if !defined(SQLITE_MEMDEBUG) && !defined(SQLITE_ZERO_MALLOC)
#define AMALGAM_COUNTS_MEMORY 1
static void *sqlite3MemMalloc(int);
static void sqlite3MemFree(void *);
static void *sqlite3MemRealloc(void *, int);
static int sqlite3MemSize(void *);
#define sqlite3MemMalloc(size) amalgam_sqlite_mem_malloc(size)
#define sqlite3MemFree(memory) amalgam_sqlite_mem_free(memory)
#define sqlite3MemRealloc(memory, size) amalgam_sqlite_mem_realloc(memory, size)
#define sqlite3MemSize(memory) amalgam_sqlite_mem_size(memory)
#endif
struct PgHdr;
static int pagerStress(void *, struct PgHdr *);
#define pagerStress(pager, page) amalgam_sqlite_pager_stress(pager, page)
#ifndef _WIN32
static int unixWrite(struct sqlite3_file *, const void *, int, long long int);
static int nolockClose(struct sqlite3_file *);
#define unixWrite(file, bytes, count, offset) amalgam_sqlite_unix_write(file, bytes, count, offset)
#define nolockClose(file) amalgam_sqlite_nolock_close(file)
#endif
static void instrFunc(struct sqlite3_context *, int, struct sqlite3_value **);
static void replaceFunc(struct sqlite3_context *, int, struct sqlite3_value **);
static void trimFunc(struct sqlite3_context *, int, struct sqlite3_value **);
static void unhexFunc(struct sqlite3_context *, int, struct sqlite3_value **);
static void likeFunc(struct sqlite3_context *, int, struct sqlite3_value **);
static void jsonPatchFunc(struct sqlite3_context *, int, struct sqlite3_value **);
#define instrFunc(context, count, values) amalgam_sqlite_instr(context, count, values)
#define replaceFunc(context, count, values) amalgam_sqlite_replace(context, count, values)
#define trimFunc(context, count, values) amalgam_sqlite_trim(context, count, values)
#define unhexFunc(context, count, values) amalgam_sqlite_unhex(context, count, values)
#define likeFunc(context, count, values) amalgam_sqlite_like(context, count, values)
#define jsonPatchFunc(context, count, values) amalgam_sqlite_json_patch(context, count, values)
#ifdef SQLITE_ENABLE_PERCENTILE
static void percentFinal(struct sqlite3_context *);
static void percentValue(struct sqlite3_context *);
static void percentInverse(struct sqlite3_context *, int, struct sqlite3_value **);
#define percentFinal(context) amalgam_sqlite_percent_final(context)
#define percentValue(context) amalgam_sqlite_percent_value(context)
#define percentInverse(context, count, values) amalgam_sqlite_percent_inverse(context, count, values)
#endif
#ifdef SQLITE_ENABLE_GEOPOLY
static void geopolyOverlapFunc(struct sqlite3_context *, int, struct sqlite3_value **);
static void geopolyWithinFunc(struct sqlite3_context *, int, struct sqlite3_value **);
#define geopolyOverlapFunc(context, count, values) amalgam_sqlite_geopoly_overlap(context, count, values)
#define geopolyWithinFunc(context, count, values) amalgam_sqlite_geopoly_within(context, count, values)
#endif
struct Fts5Context;
struct Fts5ExtensionApi;
static int fts5ApiInstCount(struct Fts5Context *, int *);
static int fts5ApiInst(struct Fts5Context *, int, int *, int *, int *);
static void fts5SnippetFunction(
    const struct Fts5ExtensionApi *, struct Fts5Context *, struct sqlite3_context *, int, struct sqlite3_value **);
#define fts5ApiInstCount(context, count) amalgam_sqlite_fts5_inst_count(context, count)
#define fts5ApiInst(context, index, phrase, column, offset) \
    amalgam_sqlite_fts5_inst(context, index, phrase, column, offset)
#define fts5SnippetFunction(api, context, result, count, values) \
    amalgam_sqlite_fts5_snippet(api, context, result, count, values)

/* Before a connection begins a new generation of the WAL file: see shims/ranked_state.h, and vendor/sqlite/sqlite.patch. */
struct Wal;
struct WalIndexHdr;
static void amalgam_wal_restarts(struct Wal *, const struct WalIndexHdr *);
#define AMALGAM_WAL_RESTARTS(wal, old) amalgam_wal_restarts(wal, old)

/* Long loops of full-text search, calls of the progress handler, and statements that are too long: see shims/limits.h, and vendor/sqlite/sqlite.patch. */
struct Vdbe;
static int amalgam_must_stop_after(int);
static void amalgam_progress_after_step(const struct Vdbe *);
static void amalgam_note_too_many_instructions(void);
#define AMALGAM_STEPS_PER_LOOK 16384
#define AMALGAM_MUST_STOP(steps) amalgam_must_stop_after(steps)
#define AMALGAM_PROGRESS_AFTER_STEP(statement) amalgam_progress_after_step(statement)
#define AMALGAM_TOO_MANY_INSTRUCTIONS() amalgam_note_too_many_instructions()

/* FTS5 is initialized by our function, which adds a tokenizer: see shims/stemming.h. */
static int sqlite3Fts5Init(struct sqlite3 *);
#define sqlite3Fts5Init(db) amalgam_sqlite_fts5_init(db)

#include "../../vendor/sqlite/sqlite3.c"

#undef sqlite3WalDefaultHook
#undef fts5UpdateMethod
#undef fts5BestIndexMethod
#undef fts5FilterMethod
#undef fts5NextMethod
#undef fts5ColumnMethod
#undef fts5CloseMethod
#undef fts5BeginMethod
#undef fts5SyncMethod
#undef fts5SavepointMethod
#undef fts5CommitMethod
#undef fts5RollbackMethod
#undef fts5ReleaseMethod
#undef fts5RollbackToMethod
#undef fts5DisconnectMethod
#undef fts5DestroyMethod
#undef fts5VocabOpenMethod
#undef fts3SavepointMethod
#undef fts5ApiCallback
#undef sqlite3MemMalloc
#undef sqlite3MemFree
#undef sqlite3MemRealloc
#undef sqlite3MemSize
#undef pagerStress
#undef unixWrite
#undef nolockClose
#undef instrFunc
#undef replaceFunc
#undef trimFunc
#undef unhexFunc
#undef likeFunc
#undef jsonPatchFunc
#undef percentFinal
#undef percentValue
#undef percentInverse
#undef geopolyOverlapFunc
#undef geopolyWithinFunc
#undef fts5ApiInstCount
#undef fts5ApiInst
#undef fts5SnippetFunction
#undef AMALGAM_WAL_RESTARTS
#undef AMALGAM_MUST_STOP
#undef AMALGAM_PROGRESS_AFTER_STEP
#undef AMALGAM_TOO_MANY_INSTRUCTIONS
#undef sqlite3Fts5Init

#include "../../vendor/sqlite/amalgam_build.h"

/* The stemmers are static functions, and compiled without warnings, too. */
#ifdef AMALGAM_SNOWBALL_VERSION
#include "../../vendor/sqlite/snowball.c"
#endif

/*
** So is SQLite's extension for decimal numbers: see shims/decimals.h. Multiplying takes the square of the number of digits, and
** isn't interrupted. This limit ends it within some milliseconds.
*/
#if AMALGAM_DECIMALS
#define SQLITE_DECIMAL_MAX_DIGIT 4096
#include "../../vendor/sqlite/decimal.c"
#endif

/* And SQLite's recovery of damaged files, which reads pages by a virtual table: see shims/recover.h. */
#if AMALGAM_RECOVERY && !defined(SQLITE_ENABLE_DBPAGE_VTAB)
#undef AMALGAM_RECOVERY
#define AMALGAM_RECOVERY 0
#endif
#if AMALGAM_RECOVERY
#include "include/amalgam_recover.h"
#include "shims/recover_calls.h"
#include "../../vendor/sqlite/recover.c"
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#include "include/amalgam_shims.h"
#include "include/amalgam_limits.h"
#include "include/amalgam_storage.h"
#include "include/amalgam_commits.h"
#include "include/amalgam_sessions.h"
#include "include/amalgam_schema.h"
#include "include/amalgam_recovery.h"
#include "include/amalgam_functions.h"
#include "include/amalgam_vtab.h"
#include "include/amalgam_inspection.h"
#include "include/amalgam_program.h"
#include "include/amalgam_versions.h"
#include "include/amalgam_recorder.h"
#include "include/amalgam_images.h"
#include "include/amalgam_fulltext.h"
#include "include/amalgam_ranked.h"
#include "include/amalgam_stemming.h"
#include "include/amalgam_terms.h"
#include "include/amalgam_words.h"
#include "include/amalgam_cipher.h"
#include "include/amalgam_recover.h"

#include "shims/build.h"
#include "shims/decimals.h"
#include "shims/hash.h"
#include "shims/value.h"
#include "shims/limits.h"
#include "shims/limited_compilation.h"
#include "shims/limited_functions.h"
#include "shims/limited_matches.h"
#include "shims/main_program.h"
#include "shims/schema_state.h"
#include "shims/hooks.h"
#include "shims/ignored_actions.h"
#include "shims/nested_writes.h"
#include "shims/prepare.h"
#include "shims/storage.h"
#include "shims/suspension.h"
#include "shims/commits.h"
#include "shims/sessions.h"
#include "shims/schema.h"
#include "shims/program.h"
#include "shims/program_sources.h"
#include "shims/view_sources.h"
#include "shims/recovery.h"
#include "shims/functions.h"
#include "shims/vtab.h"
#include "shims/inspection.h"
#include "shims/versions.h"
#include "shims/recorder.h"
#include "shims/recorded_savepoints.h"
#include "shims/images.h"
#include "shims/fulltext.h"
#include "shims/pending_rows.h"
#include "shims/ranked_lengths.h"
#include "shims/ranked_changes.h"
#include "shims/ranked_pages.h"
#include "shims/ranked_terms.h"
#include "shims/ranked_versions.h"
#include "shims/ranked_state.h"
#include "shims/ranked_log.h"
#include "shims/ranked_uses.h"
#include "shims/ranked_scores.h"
#include "shims/ranked_search.h"
#include "shims/ranked_branches.h"
#include "shims/ranked_table.h"
#include "shims/stemming.h"
#include "shims/terms.h"
#include "shims/words.h"
#include "shims/cipher.h"
#include "shims/recover.h"

#endif
