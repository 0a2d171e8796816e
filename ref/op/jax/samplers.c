// SPDX-License-Identifier: Apache-2.0
// jax.normal, jax.exponential, jax.gumbel: uniform floats through one function each, correctly
// rounded.
//
// The function is one node: sqrt(2) erf_inv(u), -log1p(-u), -log(-log(u)), and in gumbel's mode
// high -log(-log1p(-x)). A target computes it by polynomials of its own, so the level is `bound`:
// the admissible interval is the value plus and minus its own rounding, the declared error of the
// implementation in ulp of the value, and what one ulp of u moves it.

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/function/function.h"
#include "ref/num/small_float.h"
#include "ref/op/jax/operation.h"
#include "ref/op/jax/uniform.h"

__extension__ typedef unsigned __int128 uint128;

enum { CHUNK = 512 };

enum { DTYPE = JAX_OWN_ATTRIBUTES, MODE };

enum { ROUNDING = JAX_CHOICES };

// What differs: the function and the range of u.
struct sampler {
    enum num_function function;
    bool below_minus_one, above_zero; // u from the number above -1, or from the smallest normal
                                      // number, instead of from 0
};

static const struct sampler normal = {NUM_NORMAL_QUANTILE, .below_minus_one = true};
static const struct sampler exponential = {NUM_EXPONENTIAL, false, false};
static const struct sampler gumbel = {NUM_GUMBEL, .above_zero = true};
static const struct sampler gumbel_high = {NUM_GUMBEL_HIGH, false, false};

static const struct sampler *sampler_of(const struct request *request)
{
    const struct operation *const operation = request->operation;
    if (operation == &jax_normal_operation)
        return &normal;
    if (operation == &jax_exponential_operation)
        return &exponential;
    return request->attribute[MODE].integer ? &gumbel_high : &gumbel;
}

// ---- u ----------------------------------------------------------------------

static uint64_t smallest_normal(enum dtype dtype)
{
    return UINT64_C(1) << jax_uniform_fraction_bits(dtype);
}

static struct jax_uniform uniform_of(const struct request *request,
                                     const struct inference *inference)
{
    const struct sampler *const sampler = sampler_of(request);
    const struct jax_key key = jax_drawing_key(request);
    uint64_t total;
    tensor_count(&inference->output[0], &total);
    struct jax_uniform uniform = jax_uniform_unit(&key, inference->output[0].dtype, total);
    uniform.fused = request->operation == &jax_normal_operation &&
                    jax_is_fused(request->profile.option[ROUNDING], uniform.dtype);
    if (sampler->below_minus_one)
        uniform.minimum = num_from_double(uniform.dtype, -1) - 1;
    else if (sampler->above_zero)
        uniform.minimum = smallest_normal(uniform.dtype);
    if (sampler == &gumbel_high)
        uniform.total = 2 * total;
    return uniform;
}

// The exact sum a + 2^-m b + tiny, rounded once; a and b are multiples of 2^-m below 1, so that in
// units of 2^-2m all but tiny is an integer, and in f16 tiny is one too.
static uint64_t joined(enum dtype dtype, uint64_t a, uint64_t b)
{
    const int m = (int)jax_uniform_fraction_bits(dtype);
    const uint64_t high = (uint64_t)ldexp(num_to_double(dtype, a), m),
                   low = (uint64_t)ldexp(num_to_double(dtype, b), m);
    uint128 sum = (uint128)high << m | low;
    if (num_to_double(dtype, a) >= 0.5)
        return a;
    if (dtype == DTYPE_F16)
        return num_from_double(dtype, ldexp((double)(uint64_t)sum, -2 * m) + 0x1p-14);
    if (!sum)
        return smallest_normal(dtype);
    int exponent = -2 * m;
    while (!(sum >> 127)) {
        sum <<= 1;
        exponent--;
    }
    const struct num_exact exact = {.kind = NUM_FINITE,
                                    .sticky = true,
                                    .exponent = exponent + 64,
                                    .significand = (uint64_t)(sum >> 64)};
    return num_pack(dtype, exact, NUM_NEAREST_EVEN, NUM_IEEE);
}

// The arguments of elements [first, first + count), count at most CHUNK.
static void arguments(const struct request *request, const struct inference *inference,
                      uint64_t first, size_t count, void *out)
{
    const struct jax_uniform uniform = uniform_of(request, inference);
    const size_t size = dtype_size(uniform.dtype);
    jax_uniform_fill(&uniform, first, count, out);
    if (sampler_of(request) != &gumbel_high)
        return;
    uint64_t low[CHUNK];
    jax_uniform_fill(&uniform, uniform.total / 2 + first, count, low);
    for (size_t i = 0; i < count; i++)
        element_store(
            out, size, i,
            joined(uniform.dtype, element_load(out, size, i), element_load(low, size, i)));
}

// ---- values and bounds ------------------------------------------------------

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const enum dtype dtype = inference->output[0].dtype;
    for (uint64_t done = 0; done < slice->count;) {
        uint64_t u[CHUNK];
        const size_t now = slice->count - done < CHUNK ? (size_t)(slice->count - done) : CHUNK;
        arguments(request, inference, slice->first + done, now, u);
        num_function_array(sampler_of(request)->function, dtype,
                           (unsigned char *)slice->data + done * dtype_size(dtype), dtype, u, now,
                           NULL);
        done += now;
    }
    return ERROR_NONE;
}

static double ulp_of(enum dtype dtype, double value)
{
    static const int least[DTYPE_COUNT] = {
        [DTYPE_F16] = -14, [DTYPE_BF16] = -126, [DTYPE_F32] = -126, [DTYPE_F64] = -1022};
    int exponent = least[dtype] + 1;
    if (value != 0)
        frexp(value, &exponent);
    if (exponent - 1 < least[dtype])
        exponent = least[dtype] + 1;
    return ldexp(1, exponent - 1 - (int)jax_uniform_fraction_bits(dtype));
}

static double round_f64(enum num_function function, double x)
{
    return double_from_bits(
        num_function_round(function, DTYPE_F64, DTYPE_F64, double_bits(x), NULL));
}

// |f'(u)| at the value f(u), to many digits more than a bound needs.
static double slope(enum num_function function, double u, double value)
{
    switch (function) {
    case NUM_NORMAL_QUANTILE:
        return 0x1.40d931ff62706p0 * round_f64(NUM_EXP, value * value / 2); // sqrt(pi / 2)
    case NUM_EXPONENTIAL:
        return 1 / (1 - u);
    case NUM_GUMBEL:
        return 1 / (u * -round_f64(NUM_LOG, u));
    default:
        return 1 / ((1 - u) * -round_f64(NUM_LOG1P, -u));
    }
}

// The errors that are declared for jax 0.10 on a CPU, in ulp of what each function gives. f32 is
// the largest of all 2^23 draws, f16 and bf16 of all draws, rounded up; f64 is derived from the
// formulas that are computed, by ref/op/tests/jax/bounds_test.py: that of log1p is used beyond
// where it was made for, and is 128.4 ulps away at u = sqrt(2) - 1.
static double declared_ulps(enum num_function function, enum dtype dtype)
{
    switch (function) {
    case NUM_NORMAL_QUANTILE:
        return dtype == DTYPE_F64 ? 40 : dtype == DTYPE_F32 ? 3 : 1;
    case NUM_EXPONENTIAL:
        return dtype == DTYPE_F64 ? 135 : 1;
    case NUM_GUMBEL_HIGH:
        return dtype == DTYPE_F64 ? 135 : 1;
    default:
        return 1;
    }
}

// Two logarithms, one of the other: an error of the inner one moves the value by its share of the
// inner value.
static double inner_ulps(enum num_function function, enum dtype dtype, double u)
{
    if (function != NUM_GUMBEL && function != NUM_GUMBEL_HIGH)
        return 0;
    const double inner =
        function == NUM_GUMBEL ? -round_f64(NUM_LOG, u) : -round_f64(NUM_LOG1P, -u);
    return ulp_of(dtype, inner) / inner;
}

static enum error fill_bounds(const struct request *request, const struct inference *inference,
                              const struct slice *slice, void *lower, void *upper,
                              struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const enum dtype dtype = inference->output[0].dtype;
    const enum num_function function = sampler_of(request)->function;
    const size_t size = dtype_size(dtype);
    const double declared = declared_ulps(function, dtype);
    for (uint64_t done = 0; done < slice->count;) {
        uint64_t argument[CHUNK], result[CHUNK];
        const size_t now = slice->count - done < CHUNK ? (size_t)(slice->count - done) : CHUNK;
        arguments(request, inference, slice->first + done, now, argument);
        num_function_array(function, DTYPE_F64, result, dtype, argument, now, NULL);
        for (size_t i = 0; i < now; i++) {
            const double u = num_to_double(dtype, element_load(argument, size, i)),
                         value = double_from_bits(result[i]);
            const double radius = (declared + 0.5) * ulp_of(dtype, value) +
                                  declared * inner_ulps(function, dtype, u) +
                                  slope(function, u, value) * ulp_of(dtype, u);
            const uint64_t ends[2] = {double_bits(value - radius), double_bits(value + radius)};
            element_store(lower, size, done + i,
                          num_convert(dtype, DTYPE_F64, ends[0], NUM_DOWN, NUM_IEEE));
            element_store(upper, size, done + i,
                          num_convert(dtype, DTYPE_F64, ends[1], NUM_UP, NUM_IEEE));
        }
        done += now;
    }
    return ERROR_NONE;
}

// ---- the operations ---------------------------------------------------------

static const struct attribute_spec attributes[] = {
    JAX_DRAWING_ATTRIBUTES,
    [DTYPE] = JAX_ATTRIBUTE_DTYPE(DTYPE_F32, DTYPES_FLOAT),
    [MODE] = ATTRIBUTE("mode", WORD, DEFAULT, .words = OPERATION_WORDS("low", "high")),
};

static const struct choice choices[] = {
    JAX_READING_CHOICES,
    [ROUNDING] = JAX_ROUNDING_CHOICE,
};

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    inference->level[0] = LEVEL_BOUND;
    uint64_t total;
    const enum error error = jax_infer_drawn(
        request, inference, (enum dtype)request->attribute[DTYPE].integer, diagnostic);
    if (!error && tensor_count(&inference->output[0], &total) && total > INT64_MAX / 2)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "shape asks for more than 2^62 elements");
    return error;
}

#define SAMPLER(NAME, SUMMARY, ATTRIBUTES, CHOICES)                                                \
    {                                                                                              \
        .name = (NAME), .summary = (SUMMARY), .attributes = attributes,                            \
        .attribute_count = (ATTRIBUTES), OPERATION_INPUT_ROWS({.name = "key"}),                    \
        .outputs = OPERATION_WORDS("output"), .choices = choices, .choice_count = (CHOICES),       \
        .plain_dtype = operation_plain_u32, .infer = infer, .fill = fill,                          \
        .fill_bounds = fill_bounds                                                                 \
    }

const struct operation jax_normal_operation =
    SAMPLER("jax.normal", "normal floats (jax.random.normal)", MODE, OPERATION_ROWS(choices));
const struct operation jax_exponential_operation =
    SAMPLER("jax.exponential", "exponential floats (jax.random.exponential)", MODE, ROUNDING);
const struct operation jax_gumbel_operation = SAMPLER(
    "jax.gumbel", "Gumbel floats (jax.random.gumbel)", OPERATION_ROWS(attributes), ROUNDING);
