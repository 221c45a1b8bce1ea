// 100,000 typical rows: an integer, two strings, a real, a date as TEXT, and a blob that is NULL in one row of three.

#ifndef WORKLOAD_MIXED_H
#define WORKLOAD_MIXED_H

#define MIXED_FILE "mixed.sqlite"

#define MIXED_TABLE "\
CREATE TABLE mixed (\
id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, score REAL NOT NULL, seen TEXT NOT NULL, avatar BLOB)"

#define MIXED_FILL "\
WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000) \
INSERT INTO mixed SELECT \
n, \
substr('Anna-Lena van der Meulen', 1, 4 + n % 20), \
'player' || n || '@mail.example.org', \
n / 8.0, \
strftime('%Y-%m-%d %H:%M:%f', 978307200 + n * 4321.125, 'unixepoch'), \
CASE WHEN n % 3 > 0 THEN CAST(substr('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 1 + n % 10) AS BLOB) END \
FROM numbers"

#define MIXED_SELECT "SELECT id, name, email, score, seen, avatar FROM mixed"

#define MIXED_INSERT "INSERT INTO mixed (id, name, email, score, seen, avatar) VALUES (?, ?, ?, ?, ?, ?)"
#define MIXED_INSERTED_ROWS 50000
#define MIXED_CHECKSUM "\
SELECT sum(id + length(name) + length(email) + CAST(score AS INTEGER) \
+ 1000 * strftime('%s', seen) + substr(seen, 21) + ifnull(length(avatar), 0)) FROM mixed"

#endif
