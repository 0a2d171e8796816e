// SPDX-License-Identifier: Apache-2.0
// The inner loops of bounds for AVX-512.

#define TABLE rnn_span_avx512

#include "ref/op/onednn/rnn_span_body.h"
