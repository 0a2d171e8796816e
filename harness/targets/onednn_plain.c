// SPDX-License-Identifier: Apache-2.0
// oneDNN 3, weights in named formats: other code paths of the library, with other bits, so a target
// of its own.

#define _GNU_SOURCE
#include "harness/targets/onednn/target.h"

const struct rnn_target rnn_target = {
    .name = "onednn_plain", .version = &dnn_version_3, .plain = true};
