// 200,000 dates as TEXT with a precision of milliseconds, and 200,000 UUIDs as blobs of 16 bytes.

#ifndef WORKLOAD_INSTANTS_H
#define WORKLOAD_INSTANTS_H

#define DATES_FILE "dates.sqlite"
#define DATES_TABLE "CREATE TABLE dates (d TEXT NOT NULL)"
#define DATES_FILL "\
WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000) \
INSERT INTO dates SELECT strftime('%Y-%m-%d %H:%M:%f', n * 7654.125, 'unixepoch') FROM numbers"
#define DATES_SELECT "SELECT d FROM dates"

#define UUIDS_FILE "uuids.sqlite"
#define UUIDS_TABLE "CREATE TABLE uuids (u BLOB NOT NULL)"
#define UUIDS_FILL "\
WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000) \
INSERT INTO uuids SELECT CAST(printf('%016d', n * 1234567) AS BLOB) FROM numbers"
#define UUIDS_SELECT "SELECT u FROM uuids"

// The values that are bound, 200,000 times, to a statement that runs once at the end.
#define BOUND_VALUES 200000
#define BOUND_SELECT "SELECT length(?)"

#endif
