// SPDX-License-Identifier: Apache-2.0
// What the row of onednn.rnn in the table of operations is made of.

#ifndef ASSAY_REF_OP_ONEDNN_RNN_ENTRIES_H
#define ASSAY_REF_OP_ONEDNN_RNN_ENTRIES_H

#include "ref/op/operation.h"

enum error rnn_workspace_size(const struct request *request, const struct inference *inference,
                              bool bounds, size_t *size, struct diagnostic *diagnostic);
enum error rnn_evaluate(const struct request *request, const struct inference *inference,
                        void *const *data, void *workspace, struct diagnostic *diagnostic);
enum error rnn_evaluate_bounds(const struct request *request, const struct inference *inference,
                               void *const *data, void *const *lower, void *const *upper,
                               void *workspace, struct diagnostic *diagnostic);

// The same of a request in a frame (ref/op/onednn/rnn_problem.h); `upper` NULL: values alone, in
// `data`.
struct rnn_frame;
enum error rnn_framed_workspace_size(const struct request *request, const struct rnn_frame *frame,
                                     bool bounds, size_t *size, struct diagnostic *diagnostic);
enum error rnn_framed_evaluate(const struct request *request, const struct rnn_frame *frame,
                               void *const *data, void *const *lower, void *const *upper,
                               void *workspace, struct diagnostic *diagnostic);

// The operation's stepping (ref/op/stepping.h).
enum error rnn_take_step(struct request *request, const int64_t where[OPERATION_STEP],
                         struct arena *arena, struct diagnostic *diagnostic);
enum error rnn_describe_steps(const struct request *request, struct operation_steps *steps,
                              struct diagnostic *diagnostic);
int rnn_gate_of(const struct request *request, unsigned output, uint64_t element);
int rnn_observable(const struct request *request);

#endif
