// SPDX-License-Identifier: Apache-2.0
// onnx.bit_cast: BitCast of ONNX, version 26.
//
// The bits of an element as an element of another type of as many bits: no number is converted, so
// that a NaN keeps its sign and its payload, and a signaling one stays so. Elements of 4 and 2 bits
// count as such. What another type calls bool has the codes 0 and 1 alone.

#include "ref/op/onnx/bit_cast.h"

#include <inttypes.h>
#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"

enum { TO, OPSET };

static const struct attribute_spec attributes[] = {
    [TO] = ATTRIBUTE("to", INTEGER, REQUIRED, .minimum = 1, .maximum = 26),
    [OPSET] = ATTRIBUTE("opset", INTEGER, DEFAULT, .standard = 26, .minimum = 26, .maximum = 28),
};

static const struct input_spec inputs[] = {{.name = "input"}};

enum { READING, NAN_BITS, SUBNORMAL, ZERO, ORDER };

static const struct choice choices[] = {
    [READING] = {"reading", OPERATION_WORDS("bits", "value")}, // value: as Cast has it
    // Of floats that come in. quiet: a signaling NaN as a processor hands it on; plain: every NaN
    // positive, quiet and without a payload.
    [NAN_BITS] = {"payload", OPERATION_WORDS("kept", "quiet", "plain")},
    [SUBNORMAL] = {"subnormal", OPERATION_WORDS("kept", "zero")},
    [ZERO] = {"zeros", OPERATION_WORDS("kept", "positive")},
    [ORDER] = {"bytes", OPERATION_WORDS("kept", "swapped")}, // of the bytes of an element
};

enum { NAN_KEPT, NAN_QUIET, NAN_PLAIN };

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    (void)request;
    (void)input;
    return DTYPE_NONE;
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const struct tensor *const input = &request->input[0];
    const enum dtype to = dtype_of_onnx(request->attribute[TO].integer);
    if (to == DTYPE_NONE)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "to is %" PRId64 ", which no known type has",
                               request->attribute[TO].integer);
    if (dtype_bits(to) != dtype_bits(input->dtype))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "input is %s of %u bits, and to %s of %u: they must have as many",
                               dtype_name(input->dtype), dtype_bits(input->dtype), dtype_name(to),
                               dtype_bits(to));
    uint64_t count = 0;
    tensor_count(input, &count);
    for (uint64_t i = 0; to == DTYPE_BOOL && input->data && i < count; i++)
        if (element_load(input->data, 1, i) > 1)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "element %" PRIu64 " is no code of a bool, which are 0 and 1",
                                   i);
    inference->output[0] = *input;
    inference->output[0].dtype = to;
    inference->output[0].data = NULL;
    return ERROR_NONE;
}

static bool is_float(enum dtype type)
{
    return dtype_kind(type) == DTYPE_KIND_FLOAT;
}

// What a load and a store of a float of at least 16 bits may do to its code.
static uint64_t passed_on(const struct request *request, enum dtype type, uint64_t code)
{
    const uint16_t *const option = request->profile.option;
    if (!is_float(type) || dtype_bits(type) < 16)
        return code;
    // The exponent of an infinity is all ones, and zeros follow: the lowest one is its last bit.
    const uint64_t infinity = num_from_double(type, INFINITY), least = infinity & -infinity,
                   sign = (uint64_t)1 << (dtype_bits(type) - 1), magnitude = code & (sign - 1);
    if (magnitude > infinity && option[NAN_BITS] == NAN_QUIET)
        return code | least >> 1;
    if (magnitude > infinity && option[NAN_BITS] == NAN_PLAIN)
        return infinity | least >> 1;
    if (magnitude && magnitude < least && option[SUBNORMAL])
        return code & sign;
    return !magnitude && option[ZERO] ? 0 : code;
}

static uint64_t swapped(uint64_t code, size_t size)
{
    uint64_t turned = 0;
    for (size_t i = 0; i < size; i++)
        turned |= (code >> 8 * i & 0xff) << 8 * (size - 1 - i);
    return turned;
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    const enum dtype from = request->input[0].dtype, to = inference->output[0].dtype;
    const size_t size = dtype_size(to);
    (void)diagnostic;
    for (uint64_t i = 0; i < slice->count; i++) {
        uint64_t code = element_load(request->input[0].data, size, slice->first + i);
        if (request->profile.option[READING])
            code = num_convert(to, from, code, is_float(to) ? NUM_NEAREST_EVEN : NUM_TOWARD_ZERO,
                               NUM_WRAP);
        code = passed_on(request, from, code);
        element_store(slice->data, size, i,
                      request->profile.option[ORDER] ? swapped(code, size) : code);
    }
    return ERROR_NONE;
}

const struct operation onnx_bit_cast = {
    .name = "onnx.bit_cast",
    .summary = "ONNX BitCast: the bits of a tensor as another type of as many",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUTS(inputs),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = plain_dtype,
    .infer = infer,
    .fill = fill,
};
