#ifndef CRANKEDFUZZ_H
#define CRANKEDFUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Searches a changed table for each input, one at a time: see ranked.c. */
void amalgam_fuzz_ranked(const uint8_t *data, size_t size);

#endif
