/* Disks that fail or lose power, for tests: VFSs over SQLite's default one. */
#ifndef CAMALGAM_TESTING_H
#define CAMALGAM_TESTING_H

#include "amalgam_disk.h"
#include "amalgam_intercepted_files.h"
#include "amalgam_power.h"

#endif
