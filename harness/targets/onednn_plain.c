// SPDX-License-Identifier: Apache-2.0
// oneDNN 3.x fed with row-major weights: other code paths of the library, with other bits, so a target of its own.

#define ONEDNN_PLAIN_WEIGHTS 1
#include "harness/targets/onednn.c" // NOLINT(bugprone-suspicious-include)
