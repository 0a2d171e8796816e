// SPDX-License-Identifier: Apache-2.0
// The one door to the operations: a request under a profile.
//
// The default profile is the reference. Options of an operation's own choices are parameters of the
// reference; the others are lenses: transformations of the request before, or of the result after,
// an untouched reference.

#ifndef ASSAY_REF_VARIANT_VARIANT_H
#define ASSAY_REF_VARIANT_VARIANT_H

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/op/operation.h"

// ---- choices ----------------------------------------------------------------

// How many choices `operation` has here: its own and those of its lenses; at most
// PROFILE_CHOICES_MAX.
unsigned variant_choice_count(const struct operation *operation);

// Choice `index` (below variant_choice_count), as `profile.option[index]` is numbered.
const struct choice *variant_choice(const struct operation *operation, unsigned index);

// What choice `index` is about, in words; NULL: that is for a suite to say.
const char *variant_choice_about(const struct operation *operation, unsigned index);

// Finds choice and option by name; false when either is unknown. `option` may be NULL to find the
// choice alone.
bool variant_find(const struct operation *operation, const char *choice, const char *option,
                  unsigned *choice_index, unsigned *option_index);

// Reads {choice: option, ...} into `profile`, which starts as the default. ERROR_INVALID_ARGUMENT
// for unknown names.
enum error variant_read_profile(const struct document_node *node, const struct operation *operation,
                                struct profile *profile, struct diagnostic *diagnostic);

// ---- evaluation -------------------------------------------------------------

// Outputs of all runs: run r's output i is tensor[r * OPERATION_OUTPUTS_MAX + i]; absent or
// unwanted ones have DTYPE_NONE. With a window, the first wanted output has its whole shape, and
// data for the window alone.
struct evaluation {
    struct inference inference;
    unsigned windowed_output; // which one, when the request has a window
    struct tensor *tensor;
    struct tensor *lower, *upper; // variant_bound: the admissible interval of outputs at
                                  // LEVEL_BOUND, laid out like `tensor`
};

// Checks `request` and infers its outputs. ERROR_INVALID_ARGUMENT, ERROR_UNSUPPORTED,
// ERROR_TOO_LARGE, ERROR_NONDETERMINISTIC.
enum error variant_infer(const struct request *request, struct inference *inference,
                         struct diagnostic *diagnostic);

// Evaluates all wanted outputs of all runs into memory of `arena`, on all threads. ERROR_TOO_LARGE
// beyond VARIANT_OUTPUT_BYTES_MAX in one output (or its window) of all runs together.
enum error variant_evaluate(const struct request *request, struct arena *arena,
                            struct evaluation *evaluation, struct diagnostic *diagnostic);

enum { VARIANT_OUTPUT_BYTES_MAX = 1 << 30 };

// The same, and with `bounds` also `lower` and `upper`: in less time than one after the other,
// where an operation can share work.
enum error variant_evaluate_with(const struct request *request, bool bounds, struct arena *arena,
                                 struct evaluation *evaluation, struct diagnostic *diagnostic);

// Fills `lower` and `upper` alone of an evaluation made by variant_evaluate.
enum error variant_bound(const struct request *request, struct arena *arena,
                         struct evaluation *evaluation, struct diagnostic *diagnostic);

// Whether the profile cannot matter, which goes to *idle: the operation says so of its own options,
// no lens that is set looks at an output that there is, and all of them leave the request as it is.
// Errors as variant_infer, and of lenses that refuse the request.
enum error variant_is_idle(const struct request *request, struct arena *arena, bool *idle,
                           struct diagnostic *diagnostic);

// Whether any slice can be computed alone (operations that have `fill`, under a profile without
// result lenses).
bool variant_streams(const struct request *request);

// Writes one slice, on `threads` threads (0: all). Only where variant_streams.
enum error variant_fill(const struct request *request, const struct inference *inference,
                        const struct slice *slice, unsigned threads, struct diagnostic *diagnostic);

#endif
