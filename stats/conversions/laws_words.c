// SPDX-License-Identifier: Apache-2.0
// Proofs of conversions from words to values: of OpenVINO, of JAX and of the systems of the mapping
// table.
//
// What a conversion should give is said by a row of the mapping table's kind, and computed here
// from it in integers. Values on a grid are counted, each against its exact number; where there are
// too many of them, or they are not on a grid, every input is compared with its formula. Source:
// Goualard, doi:10.1007/978-3-030-50417-5_2.

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ref/base/bytes.h"
#include "ref/base/json.h"
#include "ref/num/small_float.h"
#include "ref/op/jax/uniform.h"
#include "ref/op/words/mapping.h"
#include "ref/op/openvino/random_uniform.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "stats/conversions/enumerate.h"
#include "stats/conversions/laws_proofs.h"

enum { TIES_BITS = 24, WORDS_LEAST = 22, INTEGERS_MINIMUM = -5, INTEGERS_RANGE = 1000 };

// A conversion and the law that it is held against.
struct conversion {
    const char *operation;
    const char *prefix; // of what is printed
    struct mapping law;
    enumerate_convert convert;
    const void *context;
};

// What all proofs of a check share. `all`: from every word of 32 bits.
struct check {
    unsigned threads;
    bool all;
    law_report report;
    void *context;
    unsigned *broken;
    struct diagnostic *diagnostic;
};

// ---- laws in integers -------------------------------------------------------

static uint64_t whole_of(const struct mapping *law, const uint32_t *word)
{
    if (law->words == 1)
        return word[0];
    return law->first_high ? (uint64_t)word[0] << 32 | word[1] : (uint64_t)word[1] << 32 | word[0];
}

// v, rounded to `precision` bits: to the nearest, on ties to the even one. v < 2^63.
static uint64_t rounded(uint64_t v, unsigned precision)
{
    const unsigned length = v ? 64 - (unsigned)__builtin_clzll(v) : 0;
    if (length <= precision)
        return v;
    const unsigned dropped = length - precision;
    const uint64_t kept = v >> dropped, rest = v & ((UINT64_C(1) << dropped) - 1),
                   half = UINT64_C(1) << (dropped - 1);
    return (kept + (rest > half || (rest == half && (kept & 1)))) << dropped;
}

// The bits of v 2^-scale, a normal number of f32 or f64 or 0; v has no more bits than the type's
// precision, zeros at its end apart.
static uint64_t float_of(enum dtype dtype, uint64_t v, unsigned scale)
{
    const unsigned fraction = dtype == DTYPE_F32 ? 23 : 52, bias = dtype == DTYPE_F32 ? 127 : 1023;
    if (!v)
        return 0;
    const unsigned top = 63 - (unsigned)__builtin_clzll(v);
    const uint64_t below = top > fraction ? v >> (top - fraction) : v << (fraction - top);
    return ((uint64_t)(bias + top - scale) << fraction) + (below & ((UINT64_C(1) << fraction) - 1));
}

static uint64_t formula(const void *context, const uint32_t *word)
{
    const struct mapping *const law = context;
    if (law->rule == MAPPING_CENTRED) {
        // (x + 1/2) 2^-32, x rounded first; of two words x ^ (y << 21) is below 2^53 and needs no
        // rounding.
        const unsigned precision = law->dtype == DTYPE_F32 ? 24 : 53;
        const uint64_t x = law->dtype == DTYPE_F32 ? rounded(word[0], precision)
                                                   : word[0] ^ (uint64_t)word[1] << 21;
        return float_of(law->dtype, rounded(2 * x + 1, precision), law->bits + 1U);
    }
    const uint64_t whole = whole_of(law, word);
    const uint64_t numerator = law->rule == MAPPING_HIGH_BITS
                                   ? whole >> (32 * law->words - law->bits)
                                   : whole & ((UINT64_C(1) << law->bits) - 1);
    return float_of(law->dtype, numerator, law->bits);
}

// ---- proofs -----------------------------------------------------------------

struct shifted {
    const struct conversion *conversion;
    unsigned shift; // the enumerated words stand so far up
};

static void convert_shifted(const void *context, const uint32_t *word, size_t count, void *out)
{
    enum { CHUNK = 1 << 14 };
    const struct shifted *const s = context;
    const size_t size = dtype_size(s->conversion->law.dtype);
    uint32_t up[CHUNK];
    for (size_t done = 0; done < count;) {
        const size_t now = count - done < CHUNK ? count - done : CHUNK;
        for (size_t i = 0; i < now; i++)
            up[i] = word[done + i] << s->shift;
        s->conversion->convert(s->conversion->context, up, now, (char *)out + done * size);
        done += now;
    }
}

// Each of these fills *e, and says at `what`, of `size` bytes, what it is about.
static enum error prove_grid(const struct conversion *c, const struct check *check,
                             struct enumeration *e, char *what, size_t size)
{
    // The bits that matter and some that must not; all of them when asked.
    const struct mapping *const law = &c->law;
    const unsigned bits = check->all ? 32 : law->bits < WORDS_LEAST ? WORDS_LEAST : law->bits;
    const struct shifted shifted = {c, law->rule == MAPPING_HIGH_BITS ? 32 - bits : 0};
    snprintf(what, size, "%s%s: each multiple of 2^-%u below 1 from 2^%u words", c->prefix,
             dtype_name(law->dtype), law->bits, bits);
    return enumerate_unit(convert_shifted, &shifted, law->dtype, bits, law->bits, check->threads, e,
                          check->diagnostic);
}

static enum error prove_remainder(const struct conversion *c, const struct check *check,
                                  struct enumeration *e, char *what, size_t size)
{
    const unsigned bits = check->all ? 32 : WORDS_LEAST;
    snprintf(what, size, "%s%s in [%d, %d): remainder of 2^%u words", c->prefix,
             dtype_name(c->law.dtype), INTEGERS_MINIMUM, INTEGERS_MINIMUM + INTEGERS_RANGE, bits);
    return enumerate_remainder(c->convert, c->context, INTEGERS_MINIMUM, INTEGERS_RANGE, bits,
                               check->threads, e, check->diagnostic);
}

static enum error prove_formula(const struct conversion *c, const struct check *check,
                                struct enumeration *e, char *what, size_t size)
{
    const struct mapping *const law = &c->law;
    const unsigned bits = check->all ? 32 : TIES_BITS + 1; // rounding begins behind 24 bits
    char inputs[48] = "two words by structure, 16 bits at a time";
    if (law->words == 1)
        snprintf(inputs, sizeof inputs, "2^%u words", bits);
    if (law->rule == MAPPING_CENTRED)
        snprintf(what, size, "%s%s: centred, in (0, 1], each step rounded, from %s", c->prefix,
                 dtype_name(law->dtype), inputs);
    else
        snprintf(what, size, "%s%s: multiples of 2^-%u below 1 from %s", c->prefix,
                 dtype_name(law->dtype), law->bits, inputs);
    return enumerate_against(c->convert, c->context, law->dtype, law->words, bits, formula, law,
                             check->threads, e, check->diagnostic);
}

// j 2^-24 rounded to the nearest value of a 16-bit type, even on ties, 1 becoming 0: how often each
// value must come is counted from the midpoints between neighbours. The words above 2^24 must not
// matter.
static enum error prove_rounded(const struct conversion *c, struct law_result *result,
                                struct diagnostic *diagnostic)
{
    enum { BATCH = 4096 };
    const enum dtype dtype = c->law.dtype;
    const unsigned one = (unsigned)num_from_double(dtype, 1);
    const double scale = 1 << TIES_BITS;
    uint32_t *const count = calloc((size_t)one + 1, sizeof *count);
    if (!count)
        return diagnostic_no_memory(diagnostic);
    unsigned outside = 0, wrong = 0;
    for (uint32_t j = 0; j < 1u << TIES_BITS; j += BATCH) {
        uint32_t word[BATCH];
        uint16_t value[BATCH];
        for (uint32_t i = 0; i < BATCH; i++)
            word[i] = j + i;
        c->convert(c->context, word, BATCH, value);
        for (uint32_t i = 0; i < BATCH; i++)
            if (value[i] < one)
                count[value[i]]++;
            else
                outside++;
    }
    uint64_t below = 0; // numbers j that round to smaller values
    uint32_t first = 0, last = 0;
    for (unsigned v = 0; v <= one; v++) {
        const double next = v < one ? num_to_double(dtype, v + 1) : 2;
        const double middle = (num_to_double(dtype, v) + next) / 2 * scale;
        // j up to the midpoint round to v or below; the midpoint itself to the even one.
        double end = floor(middle);
        if (end == middle && (v & 1))
            end -= 1;
        const uint64_t upto = end >= scale ? (uint64_t)1 << TIES_BITS : (uint64_t)end + 1;
        const uint32_t expected = (uint32_t)(upto - below);
        below = upto;
        if (v == 0)
            first = expected;
        else if (v == one)
            last = expected;
        else
            wrong += count[v] != expected;
    }
    wrong += count[0] != first + last;
    free(count);
    result->draws = scale;
    result->holds = !outside && !wrong;
    snprintf(result->what, sizeof result->what,
             "%s%s: rounded from multiples of 2^-24, 1 becoming 0, from 2^24 words", c->prefix,
             dtype_name(dtype));
    return ERROR_NONE;
}

// Whatever its rule asks for; none for words that are the element.
static enum error prove(const struct conversion *c, const struct check *check)
{
    struct law_result result = {.operation = c->operation, .proof = true, .offered = 1};
    struct enumeration e = {0};
    enum error error = ERROR_NONE;
    if (c->law.rule == MAPPING_WHOLE)
        return ERROR_NONE;
    if (c->law.rule == MAPPING_VIA_F32) {
        error = prove_rounded(c, &result, check->diagnostic);
    } else {
        error = (c->law.rule == MAPPING_REMAINDER ? prove_remainder
                 : c->law.rule == MAPPING_CENTRED || c->law.words == 2
                     ? prove_formula
                     : prove_grid)(c, check, &e, result.what, sizeof result.what);
        result.draws = error ? 0 : (double)e.words;
        result.holds = !error && enumeration_proves(&e);
    }
    if (error)
        return error;
    *check->broken += !result.holds;
    check->report(check->context, &result);
    return ERROR_NONE;
}

// ---- OpenVINO ---------------------------------------------------------------

// Its alignments are the laws of the systems that they are named after.
static void convert_random_uniform(const void *context, const uint32_t *word, size_t count,
                                   void *out)
{
    random_uniform_values(context, word, count, out);
}

static enum error prove_random_uniform(enum dtype dtype, bool pytorch, const struct check *check)
{
    struct diagnostic *const diagnostic = check->diagnostic;
    const bool integers = dtype == DTYPE_I32;
    struct arena arena = {0};
    struct request request;
    struct inference inference = {0};
    struct document_node *root = NULL;
    char text[512];
    const int size = snprintf(
        text, sizeof text,
        "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"%s\", "
        "\"global_seed\": 1, "
        "\"alignment\": \"%s\"}, \"inputs\": {\"shape\": [4096], \"minval\": %d, \"maxval\": %d}}",
        dtype_name(dtype), pytorch ? "pytorch" : "tensorflow", integers ? INTEGERS_MINIMUM : 0,
        integers ? INTEGERS_MINIMUM + INTEGERS_RANGE : 1);
    const struct document_source source = {"law", text, (size_t)size, 0};
    struct random_uniform *uniform = NULL;
    enum error error = json_read(&source, &arena, &root, diagnostic);
    if (!error)
        error = request_read(root, NULL, NULL, &arena, &request, diagnostic);
    if (!error)
        error = variant_infer(&request, &inference, diagnostic);
    if (!error && !(uniform = arena_take(&arena, sizeof *uniform)))
        error = diagnostic_no_memory(diagnostic);
    if (!error) {
        random_uniform_start(uniform, &request, &inference, UINT64_C(1) << WORDS_LEAST);
        const struct conversion c = {
            .operation = "openvino.random_uniform",
            .prefix = pytorch ? "PyTorch alignment, " : "",
            .law = *mapping_of(pytorch ? MAPPING_TORCH : MAPPING_TENSORFLOW, dtype),
            .convert = convert_random_uniform,
            .context = uniform};
        error = prove(&c, check);
    }
    arena_release(&arena);
    return error;
}

// ---- JAX --------------------------------------------------------------------

// A draw of 16 or 8 bits is taken from the high end of a word; one of 64 is two words, the low half
// first.
static void convert_jax(const void *context, const uint32_t *word, size_t count, void *out)
{
    enum { CHUNK = 1 << 14 }; // a table of a type's values is made for each
    const struct jax_uniform *const uniform = context;
    const size_t width = jax_uniform_draw_bits(uniform->dtype) / 8,
                 size = dtype_size(uniform->dtype);
    uint64_t draw[CHUNK];
    for (size_t done = 0; done < count;) {
        const size_t now = count - done < CHUNK ? count - done : CHUNK;
        for (size_t i = 0; i < now; i++) {
            const size_t at = done + i;
            element_store(draw, width, i,
                          width == 8 ? (uint64_t)word[2 * at + 1] << 32 | word[2 * at]
                                     : word[at] >> (32 - 8 * width));
        }
        jax_uniform_values(uniform, draw, now, (char *)out + done * size);
        done += now;
    }
}

static enum error prove_jax(enum dtype dtype, const struct check *check)
{
    const struct jax_key key = {.generator = JAX_THREEFRY2X32, .partitionable = true};
    const struct jax_uniform uniform = jax_uniform_unit(&key, dtype, 1);
    const struct conversion c = {.operation = "jax.uniform",
                                 .prefix = "",
                                 .law = {.dtype = dtype,
                                         .words = dtype == DTYPE_F64 ? 2 : 1,
                                         .rule = MAPPING_HIGH_BITS,
                                         .bits = (uint8_t)jax_uniform_fraction_bits(dtype)},
                                 .convert = convert_jax,
                                 .context = &uniform};
    return prove(&c, check);
}

// ---- the mapping table ------------------------------------------------------

static void convert_mapping(const void *context, const uint32_t *word, size_t count, void *out)
{
    const struct mapping *const mapping = context;
    for (size_t i = 0; i < count; i++)
        element_store(out, dtype_size(mapping->dtype), i,
                      mapping_element(mapping, word + i * mapping->words));
}

// ---- all --------------------------------------------------------------------

enum error laws_words_check(unsigned threads, bool all, law_report report, void *context,
                            unsigned *broken, struct diagnostic *diagnostic)
{
    static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64, DTYPE_I32};
    enum { TYPES = sizeof types / sizeof *types, FLOATS = TYPES - 1 };
    const struct check check = {threads, all, report, context, broken, diagnostic};
    enum error error = ERROR_NONE;
    for (unsigned t = 0; t < TYPES && !error; t++)
        error = prove_random_uniform(types[t], false, &check);
    for (unsigned t = 0; t < FLOATS && !error; t++)
        error = prove_random_uniform(types[t], true, &check);
    for (unsigned t = 0; t < FLOATS && !error; t++)
        error = prove_jax(types[t], &check);
    for (unsigned i = 0; i < mapping_count && !error; i++) {
        const struct mapping *const mapping = &mapping_table[i];
        const struct conversion c = {mapping_system_name(mapping->system), "", *mapping,
                                     convert_mapping, mapping};
        if (mapping->rule != MAPPING_REMAINDER) // a range is not the table's: its words are whole
            error = prove(&c, &check);
    }
    return error;
}
