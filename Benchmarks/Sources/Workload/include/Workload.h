// The data and the SQL of every case, written once: the C program includes these headers, the Swift programs import
// them as the module `Workload`, where each macro is a constant. What differs between the programs can only be the
// code around the SQL.
//
// A fixture is a file name and the script that fills it. Its values follow from the row number alone, so that whichever
// program comes first may make the file and all of them read the same bytes.

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
#include "Series.h"
#include "Strings.h"

// Keeps disk latency out of what is compared: a commit hands its pages to the operating system and does not wait.
#define SYNCHRONOUS_OFF "PRAGMA synchronous = OFF"

#endif
