// SPDX-License-Identifier: Apache-2.0
// oneDNN 3 with one thread: the library has no call for their number, which it takes from the
// process while it starts.

#define _GNU_SOURCE
#include "harness/targets/onednn/target.h"

const struct rnn_target rnn_target = {
    .name = "onednn_serial", .version = &dnn_version_3, .serial = true};
