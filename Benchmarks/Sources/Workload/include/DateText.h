// Dates as texts, 2015-07-22 01:02:03.456, to and from the milliseconds since the first of January 2001.

#ifndef DATE_TEXT_H
#define DATE_TEXT_H

#include <stdint.h>

// -1 for a text that is not of this form, 0 for one that is.
int parse_date(const char *text, int length, double *seconds);

#define DATE_LENGTH 23

void print_date(double seconds, char *text);

#endif
