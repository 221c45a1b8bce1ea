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

/* In the same way, writes to rows of an FTS5 table call our function: see shims/fulltext.h. */
struct sqlite3_vtab;
struct sqlite3_value;
static int fts5UpdateMethod(struct sqlite3_vtab *, int, struct sqlite3_value **, long long int *);
#define fts5UpdateMethod(table, count, values, rowid) amalgam_sqlite_fts5_update(table, count, values, rowid)

#include "../../vendor/sqlite/sqlite3.c"

#undef sqlite3WalDefaultHook
#undef fts5UpdateMethod

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#include "../../vendor/sqlite/amalgam_build.h"
#include "include/amalgam_shims.h"
#include "include/amalgam_storage.h"
#include "include/amalgam_commits.h"
#include "include/amalgam_sessions.h"
#include "include/amalgam_schema.h"
#include "include/amalgam_recovery.h"
#include "include/amalgam_functions.h"
#include "include/amalgam_vtab.h"
#include "include/amalgam_inspection.h"
#include "include/amalgam_versions.h"
#include "include/amalgam_recorder.h"
#include "include/amalgam_fulltext.h"
#include "include/amalgam_cipher.h"

#include "shims/build.h"
#include "shims/value.h"
#include "shims/schema_state.h"
#include "shims/hooks.h"
#include "shims/prepare.h"
#include "shims/storage.h"
#include "shims/suspension.h"
#include "shims/commits.h"
#include "shims/sessions.h"
#include "shims/schema.h"
#include "shims/recovery.h"
#include "shims/functions.h"
#include "shims/vtab.h"
#include "shims/inspection.h"
#include "shims/versions.h"
#include "shims/recorder.h"
#include "shims/fulltext.h"
#include "shims/cipher.h"

#endif
