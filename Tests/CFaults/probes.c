/* Intended errors, which the sanitizers must report. */
#include "CFaults.h"

#include <stdlib.h>

int faults_probe_overflow(int count) {
    volatile char *bytes = calloc((size_t)count, 1);
    int byte = bytes[count];
    free((void *)bytes);
    return byte & 0;
}

void faults_probe_leak(void) {
    volatile char *bytes = malloc(4321);
    bytes[0] = 1;
    bytes = 0;
}

int faults_probe_undefined(int value) { return value + 1; }
