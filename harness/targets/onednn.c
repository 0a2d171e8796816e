// SPDX-License-Identifier: Apache-2.0
// oneDNN 3, weights in the format that the library asks for.

#define _GNU_SOURCE
#include "harness/targets/onednn/target.h"

const struct rnn_target rnn_target = {.name = "onednn", .version = &dnn_version_3};
