// 200,000 typical rows of records: an integer, two strings, a real, and a date as TEXT.

#ifndef WORKLOAD_PROFILES_H
#define WORKLOAD_PROFILES_H

#define PROFILES_FILE "profiles.sqlite"

#define PROFILES_TABLE "\
CREATE TABLE profiles (\
id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, score REAL NOT NULL, seen TEXT NOT NULL)"

#define PROFILES_FILL "\
WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000) \
INSERT INTO profiles SELECT \
n, \
substr('Anna-Lena van der Meulen', 1, 4 + n % 20), \
'player' || n || '@mail.example.org', \
n / 8.0, \
strftime('%Y-%m-%d %H:%M:%f', 978307200 + n * 4321.125, 'unixepoch') \
FROM numbers"

#define PROFILES_SELECT "SELECT id, name, email, score, seen FROM profiles"

#endif
