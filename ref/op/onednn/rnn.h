// SPDX-License-Identifier: Apache-2.0
// onednn.rnn: the oneDNN RNN primitive (oneAPI specification 1.3, section RNN), forward and
// backward.

#ifndef ASSAY_REF_OP_ONEDNN_RNN_H
#define ASSAY_REF_OP_ONEDNN_RNN_H

#include "ref/op/operation.h"

extern const struct operation onednn_rnn;

#endif
