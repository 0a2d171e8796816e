// SPDX-License-Identifier: Apache-2.0
// Notes in shared memory which signal killed the worker and which address it was after.

#ifndef ASSAY_HARNESS_HOST_FAULT_H
#define ASSAY_HARNESS_HOST_FAULT_H

#include <stdbool.h>

#include "harness/host/wire.h"

// Installs the handlers, on a stack of their own. `record` is shared with the harness.
bool fault_install(struct wire_fault *record);

// Does not return while another thread is being killed by a fault: nothing that the process ends by
// itself may hide it.
void fault_wait(void);

#endif
