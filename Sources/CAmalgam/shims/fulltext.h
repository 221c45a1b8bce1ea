/* What tokenizers and auxiliary functions of FTS5 in Swift need: see include/amalgam_fulltext.h. */
#include "../include/amalgam_fulltext.h"

_Static_assert(offsetof(Fts5Global, api) == 0, "FTS5 passes its own structure to its functions");

fts5_api *amalgam_fts5_api(sqlite3 *db) {
    const Module *module = sqlite3HashFind(&db->aModule, "fts5");
    if (module == 0 || module->pModule->xCreate != fts5CreateMethod) return 0;
    return &((Fts5Global *)module->pAux)->api;
}
