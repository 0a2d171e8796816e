// SPDX-License-Identifier: Apache-2.0
// The inner loops of bounds for any machine, and the choice among the tables.

#define TABLE rnn_span_portable

#include "ref/op/onednn/rnn_span_body.h"

#include "ref/base/isa.h"

const struct rnn_span_table *rnn_span_chosen(void)
{
#if defined(__x86_64__)
    if (isa_chosen() == ISA_AVX2 || isa_chosen() == ISA_AVX512)
        return &rnn_span_avx2;
#endif
    return &rnn_span_portable;
}
