// A million integers, and a function that is called for each of them.

#ifndef WORKLOAD_FUNCTIONS_H
#define WORKLOAD_FUNCTIONS_H

#define NUMBERS_FILE "numbers.sqlite"

#define NUMBERS_TABLE "CREATE TABLE numbers (n INTEGER PRIMARY KEY)"

#define NUMBERS_FILL "\
WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000000) \
INSERT INTO main.numbers SELECT n FROM numbers"

#define FUNCTIONS_NAME "affine"

#define FUNCTIONS_SELECT "SELECT sum(affine(n)) FROM numbers"

#endif
