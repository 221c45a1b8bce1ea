// The headers are all there is; a C target needs one source file.
#include "Workload.h"
