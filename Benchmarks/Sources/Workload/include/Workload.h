// The data and the SQL of every case, written once: the C program includes these headers, the Swift programs import
// them as the module `Workload`, where each macro is a constant. So the programs can differ only in the code around the
// SQL.
//
// A fixture is a file name and the script that fills it. Its values depend on the row number only, so that any program
// may create the file, and all programs read the same bytes.

#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "Accesses.h"
#include "Corpus.h"
#include "DateText.h"
#include "Instants.h"
#include "Functions.h"
#include "Integers.h"
#include "League.h"
#include "Mixed.h"
#include "Observations.h"
#include "Persons.h"
#include "Profiles.h"
#include "Ranked.h"
#include "Series.h"
#include "Strings.h"

// Excludes disk latency from the comparison: a commit passes its pages to the operating system and doesn't wait.
#define SYNCHRONOUS_OFF "PRAGMA synchronous = OFF"

#endif
