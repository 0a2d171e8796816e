// SPDX-License-Identifier: Apache-2.0
// Guarded memory in the worker: buffers between inaccessible pages, open only while the call runs
// that they belong to.

#ifndef ASSAY_HARNESS_HOST_SLOT_H
#define ASSAY_HARNESS_HOST_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/host/wire.h"

// Inaccessible pages on each side of a buffer.
enum { SLOT_GUARD_PAGES = 16, SLOT_COUNT_MAX = 4096 };

// Opens the slot of `place` (maps it at its first use) and returns the address of its first page:
// inputs for reading, outputs for reading and writing. NULL when the system refuses.
unsigned char *slot_open(const struct wire_place *place);

// Makes the slot inaccessible again: a target that kept a pointer to it faults when it uses it.
void slot_shut(const struct wire_place *place);

// Which slot `address` lies in or beside. Safe in a signal handler. False when none.
bool slot_find(uintptr_t address, uint32_t *slot, int64_t *offset, bool *retired);

#endif
