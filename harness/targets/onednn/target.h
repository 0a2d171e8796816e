// SPDX-License-Identifier: Apache-2.0
// What one target of this folder is: a version of the library and a way to use it. Each file
// onednn*.c beside the folder defines one.

#ifndef ASSAY_HARNESS_TARGETS_ONEDNN_TARGET_H
#define ASSAY_HARNESS_TARGETS_ONEDNN_TARGET_H

#include "harness/targets/onednn/library.h"

struct rnn_target {
    const char *name;
    const struct dnn_version *version;
    bool plain;  // weights in named formats (ldigo, ldio; where backward wants it ldgoi, ldoi), not
                 // the library's choice
    bool serial; // one thread, whatever is asked for
};

extern const struct rnn_target rnn_target;

#endif
