// SPDX-License-Identifier: Apache-2.0
// The processor's floating-point mode. This room computes with rounding to nearest and with
// subnormals; a caller that came here in another mode (a plugin's host may) is put right on entry
// and gets its own mode back on leaving.

#ifndef ASSAY_REF_NUM_ENVIRONMENT_H
#define ASSAY_REF_NUM_ENVIRONMENT_H

#include <fenv.h>
#include <stdbool.h>

#include "ref/base/error.h"

struct num_environment {
    fenv_t before;
};

// Whether this thread rounds to nearest and neither flushes subnormal results to zero nor reads
// subnormals as zero: found by computing, not by reading registers.
bool num_environment_is_standard(void);

// Puts this thread into the standard mode and remembers the one it was in. Threads started
// meanwhile inherit it. ERROR_INTERNAL when the processor refuses.
enum error num_environment_enter(struct num_environment *environment,
                                 struct diagnostic *diagnostic);

// Back to the mode before; exceptions raised in between are forgotten.
void num_environment_leave(const struct num_environment *environment);

#endif
