/*
** The entry point of libFuzzer, whose library has main(). The targets are in Swift: see Tests/Fuzz/Targets/FuzzEntry.swift.
**
** This file is in C because SwiftPM renames the entry point of executables whose main module is in Swift.
*/
#include <stddef.h>
#include <stdint.h>

extern int amalgam_fuzz(const uint8_t *bytes, intptr_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return amalgam_fuzz(data, (intptr_t)size); }
