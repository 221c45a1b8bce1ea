// A million integers that no table holds.

#ifndef WORKLOAD_SERIES_H
#define WORKLOAD_SERIES_H

#define SERIES_NAME "series"
#define SERIES_SUM "SELECT sum(value) FROM series(1, 1000000)"

#endif
