// SPDX-License-Identifier: Apache-2.0
// oneDNN 2 of the system, weights in named formats.

#define _GNU_SOURCE
#include "harness/targets/onednn/target.h"

const struct rnn_target rnn_target = {
    .name = "onednn2_plain", .version = &dnn_version_2, .plain = true};
