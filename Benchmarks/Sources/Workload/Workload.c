// This target consists of headers only, but a C target needs a source file.
#include "Workload.h"
