// Observations of the note that was added last, and of tables that aren't written.

#ifndef WORKLOAD_OBSERVATIONS_H
#define WORKLOAD_OBSERVATIONS_H

#define OBSERVED_SELECT "SELECT n FROM notes ORDER BY id DESC LIMIT 1"
#define OBSERVED_COMMITS 1000
#define OBSERVED_STARTS 500

// The tables that aren't written. Their names end with numbers from 0 on.
#define BESIDE_TABLES 10
#define BESIDE_TABLE "beside"
#define BESIDE_COLUMNS " (id INTEGER PRIMARY KEY, n INTEGER)"

#endif
