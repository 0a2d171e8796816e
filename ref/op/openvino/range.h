// SPDX-License-Identifier: Apache-2.0
// The parts of openvino.range: exact counts, a request made ready, its elements.
//
// Source: OpenVINO Range-4, "Detailed description". An integral output counts and steps in exact
// integers; a floating one counts in f64 and computes each element in an accumulator type, f64 for
// f64 and f32 for the rest, one rounding a node.

#ifndef ASSAY_REF_OP_OPENVINO_RANGE_H
#define ASSAY_REF_OP_OPENVINO_RANGE_H

#include "ref/num/exact.h"
#include "ref/op/operation.h"

enum range_input { RANGE_START, RANGE_STOP, RANGE_STEP };

enum range_choice {
    RANGE_ELEMENT,
    RANGE_COUNT,
    RANGE_CAST_FIRST,
    RANGE_INTEGER_OVERFLOW,
    RANGE_FLOAT_TO_INTEGER,
    RANGE_INTEGRAL_COUNT,
    RANGE_INTEGER_ELEMENT,
    RANGE_INTEGER_INPUT,
    RANGE_ACCUMULATE,
    RANGE_COUNT_ROUNDING,
    RANGE_COUNT_DIRECTION,
    RANGE_FLOAT_INPUT,
    RANGE_F8_OVERFLOW,
    RANGE_CHOICES
};

enum {
    ELEMENT_MULTIPLY,
    ELEMENT_MULTIPLY_F64,
    ELEMENT_FUSED,
    ELEMENT_RECURRENCE,
    ELEMENT_RECURRENCE_F64,
    ELEMENT_IN_REGISTERS_OF_32,
    ELEMENT_IN_REGISTERS_OF_64,
    ELEMENT_RECURRENCE_PARTS // and all that follow
};
enum { COUNT_F64, COUNT_F32, COUNT_EXACT, COUNT_ACCUMULATE_TYPE };
enum { CAST_INTEGRAL, CAST_NEVER, CAST_ALWAYS, CAST_ALWAYS_TOWARD_ZERO };
enum { OVERFLOW_WRAP, OVERFLOW_SATURATE };
enum { INTEGRAL_COUNT_EXACT, INTEGRAL_COUNT_F64, INTEGRAL_COUNT_F32, INTEGRAL_COUNT_I32 };
enum {
    INTEGER_ELEMENT_INTEGERS,
    INTEGER_ELEMENT_SECOND,
    INTEGER_ELEMENT_FROM_F32,
    INTEGER_ELEMENT_FROM_F64
};
enum { INTEGER_INPUT_EXACT, INTEGER_INPUT_I32 };
enum { ACCUMULATE_WIDER, ACCUMULATE_OUTPUT_TYPE, ACCUMULATE_F32 };
enum { COUNT_DIRECTION_SIGNED, COUNT_DIRECTION_MAGNITUDE };
enum { FLOAT_INPUT_EXACT, FLOAT_INPUT_F32 };
enum { F8_OVERFLOW_INFINITE, F8_OVERFLOW_SATURATE };
enum { COUNT_ROUNDING_UP, COUNT_ROUNDING_DOWN, COUNT_ROUNDING_DOWN_PLUS_ONE };

#define RANGE_COUNT_MAX                                                                            \
    (UINT64_C(1) << 53) // beyond it the number of an element is not exact in f64
#define RANGE_WHOLE_MAX (UINT64_C(2147483647)) // beyond it a window has to be asked for

// floor(|to - from| / |step|) for exact finite numbers of any exponents, step not zero.
struct range_quotient {
    bool huge;      // above 2^62; `floor` says nothing
    bool negative;  // the quotient is below zero
    bool exact;     // nothing remains
    uint64_t floor; // of the magnitude
};

struct range_quotient range_divide(const struct num_exact *from, const struct num_exact *to,
                                   const struct num_exact *step);

// How many elements; false beyond RANGE_COUNT_MAX. `rounding` and `direction` are options of their
// choices.
bool range_count_exactly(const struct num_exact *start, const struct num_exact *stop,
                         const struct num_exact *step, unsigned rounding, unsigned direction,
                         uint64_t *count);

// The number rounded to an integer, exact whatever its size.
struct num_exact range_to_integer(struct num_exact value, enum num_rounding rounding);

// A request made ready. With `integers`, element i is (first + i * step) mod 2^width, and those
// before `inside_first` or from `inside_end` on lie beyond the type (they saturate where the
// profile says so). Otherwise it is computed in `accumulator` from start and step, numbers of that
// type, and converted. With `saturate` what lies beyond the output type, infinities too, becomes
// its nearest end, in an accumulator of that type as well.
struct range {
    enum dtype type, accumulator;
    unsigned element;
    bool integers, saturate;
    uint64_t first_integer, step_integer, inside_first, inside_end;
    double start, step;
    enum num_rounding to_integer, to_float; // of what is computed in another type
    // A recurrence that starts anew, from start + i * step, in each of `parts` parts of `count`
    // elements; their sizes differ by at most one, larger ones first. 0: nowhere.
    uint64_t parts, count;
};

// `value` rounded once to the accumulator.
double range_round(const struct range *range, double value);

// The element after `value` in the recurrence of `range`: one rounding in the accumulator.
double range_next(const struct range *range, double value);

// Element `index` of the recurrence, without walking there: while values stay between two powers of
// two the rounded step is one number, so whole stretches are taken at once.
double range_recurrence_at(const struct range *range, uint64_t index);

// Elements [first, first + count) to `data`, of `range->type` in native order.
void range_fill(const struct range *range, uint64_t first, uint64_t count, void *data);

// start + i * step for i from `first`, each operation rounded to f32 (i too), or modulo 2^32.
void range_fill_f32(float start, float step, uint64_t first, uint64_t count, float *data);
void range_fill_u32(uint32_t start, uint32_t step, uint64_t count, uint32_t *data);

// The same by one instruction set; f32 only while first + count is at most 2^31.
void range_fill_f32_avx2(float start, float step, uint32_t first, uint64_t count, float *data);
void range_fill_u32_avx2(uint32_t start, uint32_t step, uint64_t count, uint32_t *data);
void range_fill_f32_avx512(float start, float step, uint32_t first, uint64_t count, float *data);
void range_fill_u32_avx512(uint32_t start, uint32_t step, uint64_t count, uint32_t *data);

extern const struct operation openvino_range;

#endif
