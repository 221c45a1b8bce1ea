// A million integers that aren't stored in a table.

#ifndef WORKLOAD_SERIES_H
#define WORKLOAD_SERIES_H

#define SERIES_NAME "series"
#define SERIES_SUM "SELECT sum(value) FROM series(1, 1000000)"

#endif
