// SPDX-License-Identifier: Apache-2.0
// The inner loops of bounds for any machine, and the choice among the tables.

#define TABLE rnn_span_portable

#include "ref/op/onednn/rnn_span_body.h"

#include "ref/base/isa.h"

const struct rnn_span_table *rnn_span_chosen(void)
{
#if defined(__x86_64__)
    return ISA_FORM(isa_chosen(), &rnn_span, &rnn_span_portable);
#else
    return &rnn_span_portable;
#endif
}
