// Dates as strings, 2015-07-22 01:02:03.456, converted to and from the milliseconds since 1 January 2001.

#ifndef DATE_TEXT_H
#define DATE_TEXT_H

#include <stdint.h>

// Returns -1 if the string doesn't have this form, 0 if it does.
int parse_date(const char *text, int length, double *seconds);

#define DATE_LENGTH 23

void print_date(double seconds, char *text);

#endif
