// Accesses from many threads and tasks, and transactions that write one row.

#ifndef WORKLOAD_ACCESSES_H
#define WORKLOAD_ACCESSES_H

// Write-ahead logging without waiting for the disk at each commit: a crash of the machine undoes whole transactions
// only. It is the same for all programs. SQLite checkpoints at every 1,000 pages.
#define ACCESSES_WAL "PRAGMA journal_mode = WAL"
#define ACCESSES_SYNCHRONOUS "PRAGMA synchronous = NORMAL"
#define ACCESSES_CHECKPOINTS "PRAGMA wal_autocheckpoint = 1000"

#define ACCESSES_FILE "accesses.sqlite"
#define NOTES_TABLE "CREATE TABLE notes (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)"
#define NOTES_INSERT "INSERT INTO notes (n) VALUES (?)"
#define NOTES_DELETE "DELETE FROM notes"
#define NOTES_CHECKSUM "SELECT count(*) + sum(n) FROM notes"

#define ACCESSES_WRITES 1000
#define ACCESSES_READERS 8
#define ACCESSES_READS_OF_EACH 5000
#define ACCESSES_PAUSE 1000  // microseconds
#define ACCESSES_OPENINGS 100

// The files to open: one row each, in WAL mode, and not opened since they were closed.
#define OPENINGS_FILE "opening-%d.sqlite"
#define OPENINGS_TABLE "CREATE TABLE one (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)"
#define OPENINGS_FILL "INSERT INTO one (n) VALUES (10)"
#define OPENINGS_SELECT "SELECT n FROM one WHERE id = 1"

#endif
