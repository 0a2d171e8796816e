// SPDX-License-Identifier: Apache-2.0
// Axes of tensors, by what they are (rows, time, directions), and cutting and joining along one.
// Private to yaml/relation*.c.

#ifndef ASSAY_YAML_RELATION_AXES_H
#define ASSAY_YAML_RELATION_AXES_H

#include "yaml/suite.h"

// An operation that goes on where it stopped.
struct sequence {
    const char *cut[2];  // inputs that are cut along time; NULL: none
    const char *lengths; // the input that holds a length for each row; NULL: none
    const char *size;    // the attribute whose last number is the length; NULL: that of cut[0]
    const char *output;  // that is joined along time
    const char
        *handed[2][2]; // output and the input that it becomes, where it has them; NULL: no more
};

// NULL: the operation has no sequence.
const struct sequence *relation_sequence_of(const struct operation *operation);

// The axis of an input or output of that name: rows of a batch, directions of a recurrent network;
// -1: it has none.
int relation_row_axis(const struct request *request, const char *name, const struct tensor *tensor);
int relation_direction_axis(const struct request *request, const char *name,
                            const struct tensor *tensor);

// The axis of time of what the sequence cuts and joins.
unsigned relation_time_axis(const struct request *request, const struct sequence *sequence,
                            const struct tensor *tensor);

// Whether it is a sum over all rows, which an operation adds to its input of the same name.
bool relation_is_row_sum(const struct operation *operation, const char *name);

// ERROR_INVALID_ARGUMENT: why the case cannot be asked for in two ways.
enum error relation_does_not_fit(const struct suite_case *of, const char *why,
                                 struct diagnostic *diagnostic);

// Checks that the places of the cuts ascend within `length`; `why` is said where not.
enum error relation_check_cuts(const struct suite_case *of, uint64_t length, const char *why,
                               struct diagnostic *diagnostic);

// Piece `position` of what has `length` indices: its first index and its length.
void relation_find_piece(const struct suite_case *of, uint64_t length, size_t position,
                         uint64_t *first, uint64_t *count);

// *to is `from` with `count` indices along the axis: numbers[i], or first + i where that is NULL.
// Without data where `from` has none.
enum error relation_take_along(const struct tensor *from, unsigned axis, const uint64_t *numbers,
                               uint64_t first, uint64_t count, struct arena *arena,
                               struct tensor *to, struct diagnostic *diagnostic);

// *to has the shape of `whole`; `piece` of each position, whose stride is OPERATION_OUTPUTS_MAX
// tensors, is put in its place along the axis. `back`: the last position comes first.
enum error relation_join_along(const struct suite_case *of, const struct tensor *whole,
                               unsigned axis, const struct tensor *piece, bool back,
                               struct arena *arena, struct tensor *to,
                               struct diagnostic *diagnostic);

// The sums of the piece before are what `part` adds to; without data where `before` is NULL.
enum error relation_hand_sums_on(const struct request *whole, const struct tensor *before,
                                 struct request *part, struct diagnostic *diagnostic);

#endif
