// SPDX-License-Identifier: Apache-2.0
// A request for onednn.rnn as an RNN primitive sees it: every tensor in the order of oneDNN's
// calls, before any library is asked.

#ifndef ASSAY_HARNESS_TARGETS_ONEDNN_RNN_H
#define ASSAY_HARNESS_TARGETS_ONEDNN_RNN_H

#include <stdbool.h>

#include "harness/plugin.h"

// Every tensor that an RNN primitive may have. The gradient of tensor t stands at RNN_DIFF + t.
enum rnn_slot {
    RNN_SRC_LAYER,
    RNN_SRC_ITER,
    RNN_SRC_ITER_C,
    RNN_ATTENTION,
    RNN_WEIGHTS_LAYER,
    RNN_WEIGHTS_ITER,
    RNN_WEIGHTS_PEEPHOLE,
    RNN_WEIGHTS_PROJECTION,
    RNN_BIAS,
    RNN_DST_LAYER,
    RNN_DST_ITER,
    RNN_DST_ITER_C,
    RNN_DIFF,
    RNN_SLOTS = 2 * RNN_DIFF
};

enum { RNN_RANK_MAX = 12, RNN_NAME_SIZE = 32 }; // the rank as oneDNN limits it

// Strides in elements.
struct rnn_tensor {
    bool present, padded; // padded: not dense, or not in the usual order
    bool formatted, any;  // the request asks for its place in memory; any: for the library's choice
    int rank, type;       // type: oneDNN's number of it, the same in all versions
    int64_t dims[RNN_RANK_MAX], strides[RNN_RANK_MAX];
};

enum rnn_cell { RNN_VANILLA, RNN_LSTM, RNN_GRU, RNN_LBR_GRU, RNN_AUGRU, RNN_LBR_AUGRU };
enum rnn_direction { RNN_LEFT_TO_RIGHT, RNN_RIGHT_TO_LEFT, RNN_CONCAT, RNN_SUM };
enum rnn_activation { RNN_RELU, RNN_TANH, RNN_LOGISTIC, RNN_NO_ACTIVATION };
enum rnn_propagation { RNN_INFERENCE, RNN_TRAINING, RNN_BACKWARD };
enum { RNN_F16 = 1, RNN_BF16 = 2, RNN_F32 = 3, RNN_I8 = 5, RNN_U8 = 6 };

struct rnn {
    enum rnn_cell cell;
    enum rnn_direction direction;
    enum rnn_activation activation;
    enum rnn_propagation propagation;
    float alpha;
    bool overwrite; // gradients of parameters overwrite
    struct rnn_tensor tensor[RNN_SLOTS];
};

// Which tensors keep the strides that a request gives them without being asked for a place in
// memory; the others are dense, and copied.
enum rnn_strides { RNN_ALL_STRIDED, RNN_DATA_STRIDED, RNN_STATES_STRIDED, RNN_DENSE };

// Reads a request. Backward has a gradient for every tensor.
// Nothing is checked: what does not fit together is the library's to refuse.
void rnn_read(const struct assay_request *request, enum rnn_strides strides, struct rnn *rnn);

// What of the request no call of the library has a place for, in words written to `text`; false
// when nothing is left over. Without it a request would be answered as if it had not asked for
// that.
bool rnn_is_left_over(const struct assay_request *request, const struct rnn *rnn, char *text,
                      size_t size);

// Whether every output that the request wants has the type and shape that the primitive gives it;
// else the name of one that has not is written to `name`, RNN_NAME_SIZE bytes.
bool rnn_outputs_fit(const struct assay_request *request, const struct rnn *rnn, char *name);

// The argument's name in a request; into `name`, RNN_NAME_SIZE bytes.
const char *rnn_name(unsigned slot, char *name);

// The argument's number in an execution.
int rnn_argument(unsigned slot);

// Weights of a product (layer, iter, projection) or their gradients: what a library may want in a
// format of its own.
bool rnn_is_matrix(unsigned slot);

// Written without being read: its memory may hold anything before.
bool rnn_is_result(unsigned slot);

// A tensor that is there; strides NULL: dense.
void rnn_set_tensor(struct rnn_tensor *to, int rank, const int64_t *dims, int type,
                    const int64_t *strides);

// Bytes from the first element of the tensor to the end of its last, and of all elements together.
size_t rnn_span(const struct rnn_tensor *tensor);

// Copies all elements. Strides NULL: dense.
void rnn_copy(const struct rnn_tensor *tensor, void *to, const int64_t *to_strides,
              const void *from, const int64_t *from_strides);

#endif
