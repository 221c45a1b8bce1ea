// A million short documents and the queries that search them, created by scripts/corpus --short.

#ifndef WORKLOAD_RANKED_H
#define WORKLOAD_RANKED_H

// The environment variable with the path of the corpus, which scripts/bench sets.
#define RANKED_CORPUS_VARIABLE "AMALGAM_BENCH_SHORT_CORPUS"

// The environment variable that is "fts5" where FTS5 ranks all matches by itself.
#define RANKED_WAY_VARIABLE "AMALGAM_BENCH_RANKED"

#define RANKED_COUNT 1000000

#define RANKED_TABLE "CREATE VIRTUAL TABLE document USING fts5(title, body"
#define RANKED_PREFIXES ", prefix = '1 2 3'"
#define RANKED_END ")"

#define RANKED_FILL "\
INSERT INTO document (rowid, title, body) \
SELECT id, title, body FROM corpus.document WHERE id <= %lld ORDER BY id"

#define RANKED_OPTIMIZE "INSERT INTO document (document) VALUES ('optimize')"

#define RANKED_FILE "ranked-%lld.sqlite"
#define RANKED_PREFIXES_FILE "ranked-prefixes-%lld.sqlite"

#define RANKED_QUERIES "SELECT text FROM query WHERE class = ? ORDER BY rowid"

// 400 MB: more than an index takes.
#define RANKED_CACHE "PRAGMA cache_size = -400000"

#endif
