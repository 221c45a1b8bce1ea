#include "include/DateText.h"

#include <math.h>

// The number of days from 1 March 0000 to 1 January 2001.
#define REFERENCE_DAY 730791

static int digits(const char *text, int count) {
    int number = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') return -1;
        number = 10 * number + text[i] - '0';
    }
    return number;
}

int parse_date(const char *text, int length, double *seconds) {
    if (length != DATE_LENGTH || text[4] != '-' || text[7] != '-' || text[10] != ' ' || text[13] != ':'
        || text[16] != ':' || text[19] != '.')
        return -1;
    int year = digits(text, 4), month = digits(text + 5, 2), day = digits(text + 8, 2);
    int hour = digits(text + 11, 2), minute = digits(text + 14, 2), second = digits(text + 17, 2);
    int millisecond = digits(text + 20, 3);
    if ((year | month | day | hour | minute | second | millisecond) < 0 || month < 1 || month > 12 || day < 1 || day > 31
        || hour > 23 || minute > 59 || second > 59)
        return -1;
    // Years begin in March, so that the leap day comes last.
    if (month < 3) year--;
    int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int64_t days = 365 * (int64_t)year + year / 4 - year / 100 + year / 400 + day_of_year - REFERENCE_DAY;
    int64_t milliseconds = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millisecond;
    *seconds = milliseconds / 1000.0;
    return 0;
}

static void print(char *text, int count, int number) {
    for (int i = count - 1; i >= 0; i--, number /= 10) text[i] = '0' + number % 10;
}

void print_date(double seconds, char *text) {
    int64_t milliseconds = llround(seconds * 1000) + REFERENCE_DAY * (int64_t)86400000;
    int day = milliseconds / 86400000;
    int time = milliseconds % 86400000;
    int cycle = day / 146097;
    day %= 146097;
    int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int day_of_year = day - (365 * year + year / 4 - year / 100);
    int month = (5 * day_of_year + 2) / 153;
    print(text + 8, 2, day_of_year - (153 * month + 2) / 5 + 1);
    month = month < 10 ? month + 3 : month - 9;
    print(text, 4, year + 400 * cycle + (month < 3));
    print(text + 5, 2, month);
    print(text + 20, 3, time % 1000);
    time /= 1000;
    print(text + 17, 2, time % 60);
    time /= 60;
    print(text + 14, 2, time % 60);
    print(text + 11, 2, time / 60);
    text[4] = text[7] = '-';
    text[10] = ' ';
    text[13] = text[16] = ':';
    text[19] = '.';
}
