// 200,000 rows of ten integers and a key. Row n contains 10n, 10n + 1, … 10n + 9.

#ifndef WORKLOAD_INTEGERS_H
#define WORKLOAD_INTEGERS_H

#define INTEGERS_FILE "integers.sqlite"
#define INTEGERS_WAL_FILE "integers-wal.sqlite"
#define INTEGERS_COLUMNS 10

#define INTEGERS_TABLE "\
CREATE TABLE integers (\
id INTEGER PRIMARY KEY, \
i0 INTEGER NOT NULL, i1 INTEGER NOT NULL, i2 INTEGER NOT NULL, i3 INTEGER NOT NULL, i4 INTEGER NOT NULL, \
i5 INTEGER NOT NULL, i6 INTEGER NOT NULL, i7 INTEGER NOT NULL, i8 INTEGER NOT NULL, i9 INTEGER NOT NULL)"

#define INTEGERS_FILL "\
WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000) \
INSERT INTO integers \
SELECT n, 10*n, 10*n+1, 10*n+2, 10*n+3, 10*n+4, 10*n+5, 10*n+6, 10*n+7, 10*n+8, 10*n+9 FROM numbers"

// Write-ahead logging, as in a pool. The file stores the mode.
#define INTEGERS_WAL "PRAGMA journal_mode = WAL"

#define INTEGERS_INSERT "\
INSERT INTO integers (i0, i1, i2, i3, i4, i5, i6, i7, i8, i9) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
#define INTEGERS_INSERTED_ROWS 50000
#define INTEGERS_CHECKSUM "SELECT sum(id + i0 + i1 + i2 + i3 + i4 + i5 + i6 + i7 + i8 + i9) FROM integers"

#define INTEGERS_SELECT_ROWS "SELECT i0, i1, i2, i3, i4, i5, i6, i7, i8, i9 FROM integers"
#define INTEGERS_SELECT_VALUES "SELECT i0 FROM integers"
#define INTEGERS_SELECT_TINY "SELECT i0 FROM integers WHERE id = 1"
#define INTEGERS_TINY_READS 20000

#define INTEGERS_SELECT_BY_KEY "SELECT i0, i4, i9 FROM integers WHERE id = ?"
#define INTEGERS_LOOKUPS 20000
// Lookup n requests key n * stride modulo the number of lookups, plus one. The stride is a prime: each of the first
// 20,000 rows is requested once, in scattered order. These rows fit into SQLite's page cache, so that reads of pages
// aren't measured.
#define INTEGERS_LOOKUP_STRIDE 7919

#define INTEGERS_SELECT_RECORD "SELECT * FROM integers WHERE id = ?"

#define INTEGERS_UPDATED_ROWS 20000
#define INTEGERS_UPDATE "UPDATE integers SET i3 = ? WHERE id = ?"

#define INTEGERS_SELECT_PAGE "SELECT i0, i4, i9 FROM integers WHERE id > ? ORDER BY id LIMIT 100"
#define INTEGERS_PAGE_SIZE 100
#define INTEGERS_PAGES 2000

#endif
