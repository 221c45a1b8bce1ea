// A corpus of real text, created by scripts/corpus: descriptions of Debian packages in seven languages, and the C
// sources of SQLite.

#ifndef WORKLOAD_CORPUS_H
#define WORKLOAD_CORPUS_H

// The environment variable with the path of the corpus, which scripts/bench sets.
#define CORPUS_VARIABLE "AMALGAM_BENCH_CORPUS"

#define CORPUS_DOCUMENTS_TABLE "CREATE VIRTUAL TABLE document USING fts5(title, body"
#define CORPUS_END ")"

#define CORPUS_INDEXED_COUNT 100000
#define CORPUS_TOKENIZED_COUNT 20000
#define CORPUS_CODE_COUNT 5000

#define CORPUS_SELECT_DOCUMENTS "SELECT title, body FROM document WHERE id <= ? ORDER BY id"
#define CORPUS_SELECT_CODE "SELECT '', body FROM code WHERE id <= ? ORDER BY id"

#define CORPUS_INSERT "INSERT INTO document (title, body) VALUES (?, ?)"

// The number of rows with one of two words, and the number of all rows.
#define CORPUS_CHECKSUM "\
SELECT (SELECT COUNT(*) FROM document WHERE document MATCH 'library OR sqlite3') * 1000000 \
+ (SELECT COUNT(*) FROM document)"

// An index of the first documents. Beyond the end of the corpus, the titles repeat, each with the description of a
// different package.
#define CORPUS_INDEX "\
WITH RECURSIVE numbers(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < %lld), \
size(count) AS MATERIALIZED (SELECT max(id) FROM corpus.document), \
places(n, place, other, count) AS (\
SELECT n, n - n / count * count, n - n / count * count + n / count * 7919, count FROM numbers CROSS JOIN size) \
INSERT INTO document (rowid, title, body) \
SELECT n + 1, titles.title, bodies.body FROM places \
CROSS JOIN corpus.document AS titles ON titles.id = 1 + place \
CROSS JOIN corpus.document AS bodies ON bodies.id = 1 + other - other / count * count"

#define CORPUS_FILE "documents-%lld.sqlite"

#define CORPUS_RANKED "SELECT rowid, title FROM document WHERE document MATCH ? ORDER BY rank LIMIT 20"

// Typical queries: common words and rare ones, several words, phrases, prefixes, and other languages.
#define CORPUS_PATTERNS "\
library|python|sqlite|development files|debugging symbols|full text search|perl module|\"command line\"|\
graphical user interface|web browser|image viewer OR editor|compress*|encrypt* file*|haskell NOT documentation|\
\"programming language\" c|kde plasma|title : rust|emulator|bibliothèque|\"fichiers de développement\"|\
programma per la gestione|strumenti audio|werkzeug|dokumentation zu|javascript framework|NEAR(network monitor)|\
mathematics|chess|synth* music|postgresql extension"

#endif
