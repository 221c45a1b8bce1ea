// 200,000 strings of 5 to 60 characters, more of them short, like names and titles. One in four contains other
// characters than ASCII.

#ifndef WORKLOAD_STRINGS_H
#define WORKLOAD_STRINGS_H

#define STRINGS_FILE "strings.sqlite"

#define STRINGS_TABLE "CREATE TABLE strings (s TEXT NOT NULL)"

// The length is 5 plus the product of two numbers below 8 and a bit; the string is a part of one of four passages.
#define STRINGS_FILL "\
WITH RECURSIVE \
numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000), \
passages(p, text) AS (VALUES \
(0, 'The harbour master counted eleven boats at dusk and wrote the number down twice, in ink and then in chalk.'), \
(1, 'Order 4471-B: two crates of lemons, one roll of sailcloth, lamp oil; deliver before noon to the north quay.'), \
(2, 'Nobody in the archive remembered who had labelled the shelves, yet every label was right to the last folder.'), \
(3, 'Zoë a traversé la façade du café à midi, où Søren goûtait déjà la crème brûlée près de l’église de Málaga.')) \
INSERT INTO strings \
SELECT substr(text, 1 + (n * 37) % 48, 5 + (n % 8) * ((n / 8) % 8) + (n / 64) % 7) \
FROM numbers JOIN passages ON p = n % 4"

#define STRINGS_SELECT "SELECT s FROM strings"

#endif
