/*
** CAmalgam: SQLite, built by scripts/bootstrap with the options of vendor/sqlite/options, with every global symbol
** renamed from sqlite3_x to amalgam_sqlite3_x in the object file. C and Swift sources still use the names sqlite3_x.
**
** Include this header, never <sqlite3.h>: the options and the renamed symbols must be defined before the first
** declaration.
*/
#ifndef CAMALGAM_H
#define CAMALGAM_H

#if !__has_include("../../../vendor/sqlite/sqlite3.h")
#error "SQLite is not built yet: run scripts/bootstrap in the folder of the Amalgam package, then build again. Packages depend on a release tag, which contains SQLite (scripts/release 0.1.0 makes one), or on the path of a clone: .package(name: \"Amalgam\", path: \"...\")."
#else

#include "../../../vendor/sqlite/amalgam_options.h"
#include "../../../vendor/sqlite/amalgam_symbols.h"
#include "../../../vendor/sqlite/sqlite3.h"
#include "amalgam_shims.h"
#include "amalgam_limits.h"
#include "amalgam_storage.h"
#include "amalgam_commits.h"
#include "amalgam_sessions.h"
#include "amalgam_schema.h"
#include "amalgam_recovery.h"
#include "amalgam_functions.h"
#include "amalgam_vtab.h"
#include "amalgam_inspection.h"
#include "amalgam_program.h"
#include "amalgam_versions.h"
#include "amalgam_recorder.h"
#include "amalgam_images.h"
#include "amalgam_fulltext.h"
#include "amalgam_ranked.h"
#include "amalgam_stemming.h"
#include "amalgam_terms.h"
#include "amalgam_words.h"
#include "amalgam_cipher.h"
#include "amalgam_recover.h"

#endif
#endif
