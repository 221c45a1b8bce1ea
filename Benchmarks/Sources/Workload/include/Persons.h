// 20,000 records with a JSON object: strings, numbers, a list, and an object that contains an array.

#ifndef WORKLOAD_PERSONS_H
#define WORKLOAD_PERSONS_H

#define PERSONS_FILE "persons.sqlite"
#define PERSONS_TABLE "CREATE TABLE persons (id INTEGER PRIMARY KEY, info TEXT NOT NULL)"
#define PERSONS_FILL "\
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000) \
INSERT INTO persons SELECT n, json_object( \
'active', json(CASE WHEN n % 2 THEN 'true' ELSE 'false' END), \
'address', json_object('city', 'Town ' || (n % 100), 'position', json_array(n * 0.25, n * -0.5), \
'street', 'Main Street ' || n), \
'balance', n * 1.25, 'email', 'person' || n || '@example.com', 'name', 'Person ' || n, 'score', n * 7, \
'tags', json_array('a', 'tag ' || n)) FROM numbers"
#define PERSONS_SELECT "SELECT id, info FROM persons"

// The same as JSONB, the binary format of newer versions of SQLite.
#define PERSONS_BINARY_FILE "persons-binary.sqlite"
#define PERSONS_BINARY "UPDATE persons SET info = jsonb(info)"

#endif
