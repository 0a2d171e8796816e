// SPDX-License-Identifier: Apache-2.0
// Guarded memory in the worker: buffers between inaccessible pages, open only while the call runs
// that they belong to, at addresses that no later call is given, but for one that asks for them: a
// target that writes there later faults, however much later.

#ifndef ASSAY_HARNESS_HOST_SLOT_H
#define ASSAY_HARNESS_HOST_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/host/wire.h"

// Inaccessible pages on each side of a buffer.
enum { SLOT_GUARD_PAGES = 16, SLOT_COUNT_MAX = 4096 };

// Before the slots of a call are opened. `in_place`: they get the addresses of the call before, in
// turn, as far as they are as large.
void slot_begin(bool in_place);

// Opens the slot of `place` and returns the address of its first page: inputs for reading, outputs
// for reading and writing. NULL when the system refuses.
unsigned char *slot_open(const struct wire_place *place);

// The same address while it is open; NULL: it is not.
unsigned char *slot_base(const struct wire_place *place);

// Makes the addresses of these slots inaccessible until the process ends. Fastest in the order in
// which they were opened, or the reverse.
void slot_shut(const struct wire_place *places, size_t count);

// Which open slot `address` lies in or beside; SLOT_COUNT_MAX: a slot was open there earlier. Safe
// in a signal handler. False when none.
bool slot_find(uintptr_t address, uint32_t *slot, int64_t *offset);

#endif
