// SPDX-License-Identifier: Apache-2.0
// The loops of the glance. Included once by each file of an instruction set, which includes its
// vectors (ref/num/vector.h) and defines FORM.

#include <math.h>

#include "ref/num/round_step.h"
#include "ref/op/declared/glance_form.h"

#define INLINE static inline __attribute__((always_inline))

// The numbers of a run, whose kind the caller knows while it is compiled.
INLINE vector at(const struct glance_run *of, enum glance_kind kind, size_t i)
{
    return kind == GLANCE_NUMBER    ? splat(of->number)
           : kind == GLANCE_SINGLES ? load_widened(of->single + i)
                                    : load(of->value + i);
}

// A loop for each pair of kinds.
#define KINDS_OF(call, x, kind_y)                                                                  \
    ((x)->kind == GLANCE_SINGLES   ? call(GLANCE_SINGLES, kind_y)                                  \
     : (x)->kind == GLANCE_DOUBLES ? call(GLANCE_DOUBLES, kind_y)                                  \
                                   : call(GLANCE_NUMBER, kind_y))
#define KINDS(call, x, y)                                                                          \
    ((y)->kind == GLANCE_SINGLES   ? KINDS_OF(call, x, GLANCE_SINGLES)                             \
     : (y)->kind == GLANCE_DOUBLES ? KINDS_OF(call, x, GLANCE_DOUBLES)                             \
                                   : KINDS_OF(call, x, GLANCE_NUMBER))

INLINE bool arithmetic(enum word_op op, size_t count, const struct glance_run *x,
                       const struct glance_run *y, double *to, enum glance_kind kind_x,
                       enum glance_kind kind_y)
{
    const struct glance_run x_run = *x, y_run = *y; // copies, which no store can change
    const vector reciprocal = splat(kind_y == GLANCE_NUMBER ? 1 / y->number : 0);
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = at(&x_run, kind_x, i), b = at(&y_run, kind_y, i);
        store(to + i, op == WORD_ADD            ? a + b
                      : op == WORD_SUBTRACT     ? a - b
                      : op == WORD_MULTIPLY     ? a * b
                      : kind_y == GLANCE_NUMBER ? a * reciprocal
                                                : a / b);
    }
    return true;
}

static bool add(size_t count, const struct glance_run *x, const struct glance_run *y, double *to)
{
#define ADD(kind_x, kind_y) arithmetic(WORD_ADD, count, x, y, to, kind_x, kind_y)
    return KINDS(ADD, x, y);
}

static bool subtract(size_t count, const struct glance_run *x, const struct glance_run *y,
                     double *to)
{
#define SUBTRACT(kind_x, kind_y) arithmetic(WORD_SUBTRACT, count, x, y, to, kind_x, kind_y)
    return KINDS(SUBTRACT, x, y);
}

static bool multiply(size_t count, const struct glance_run *x, const struct glance_run *y,
                     double *to)
{
#define MULTIPLY(kind_x, kind_y) arithmetic(WORD_MULTIPLY, count, x, y, to, kind_x, kind_y)
    return KINDS(MULTIPLY, x, y);
}

static bool divide(size_t count, const struct glance_run *x, const struct glance_run *y, double *to)
{
#define DIVIDE(kind_x, kind_y) arithmetic(WORD_DIVIDE, count, x, y, to, kind_x, kind_y)
    return KINDS(DIVIDE, x, y);
}

// The numbers of a run of any kind.
INLINE vector any(const struct glance_run *of, size_t i)
{
    return of->kind == GLANCE_NUMBER    ? splat(of->number)
           : of->kind == GLANCE_SINGLES ? load_widened(of->single + i)
                                        : load(of->value + i);
}

// -x or |x|.
static bool sign_word(bool negate, size_t count, const struct glance_run *x, double *to)
{
    for (size_t i = 0; i < count; i += LANES)
        store(to + i, negate ? -any(x, i) : absolute(any(x, i)));
    return true;
}

// The larger one, times `sign` before and after: of zeros +0 where either is.
static bool extreme_word(double sign, size_t count, const struct glance_run *x,
                         const struct glance_run *y, double *to)
{
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = any(x, i) * sign, b = any(y, i) * sign;
        const vector m =
            choose((mask)(a > b), a, choose((mask)(b > a), b, choose((mask)(a == 0), a + b, a)));
        store(to + i, m * sign);
    }
    return true;
}

static bool apart(double sign, double off, size_t count, const struct glance_run *const *operand)
{
    const struct glance_run *const x = operand[0], *const y = operand[1];
    const mask vague_x = (mask){0} - (!x->bits && !x->zeros),
               vague_y = (mask){0} - (!y->bits && !y->zeros);
    mask holds = ~(mask){0};
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = any(x, i) * sign, b = any(y, i) * sign;
        holds &= (mask)(absolute(a - b) * (1 - 0x1p-50) > off);
        holds &= ~(vague_x & (mask)(a > b) & (mask)(a == 0)) &
                 ~(vague_y & (mask)(b > a) & (mask)(b == 0));
    }
    return ALL(holds);
}

// 1 where it holds and 0 elsewhere.
static bool condition_word(enum word_op op, size_t count, const struct glance_run *x,
                           const struct glance_run *y, double *to)
{
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = any(x, i), b = any(y, i);
        const mask p = (mask)(a != 0), q = (mask)(b != 0);
        const mask holds = op == WORD_LESS         ? (mask)(a < b)
                           : op == WORD_LESS_EQUAL ? (mask)(a <= b)
                           : op == WORD_EQUAL      ? (mask)(a == b)
                           : op == WORD_NOT_EQUAL  ? (mask)(a != b)
                           : op == WORD_AND        ? p & q
                           : op == WORD_OR         ? p | q
                                                   : ~p;
        store(to + i, choose(holds, splat(1), splat(0)));
    }
    return true;
}

static bool select_word(size_t count, const struct glance_run *const *of, double *to)
{
    for (size_t i = 0; i < count; i += LANES)
        store(to + i, choose((mask)(any(of[0], i) != 0), any(of[1], i), any(of[2], i)));
    return true;
}

static bool word(enum word_op op, size_t count, const struct glance_run *const *operand, double *to)
{
    const struct glance_run *const x = operand[0], *const y = operand[1];
    switch (op) {
    case WORD_ADD:
        return add(count, x, y, to);
    case WORD_SUBTRACT:
        return subtract(count, x, y, to);
    case WORD_MULTIPLY:
        return multiply(count, x, y, to);
    case WORD_SQUARE:
        return multiply(count, x, x, to);
    case WORD_DIVIDE:
        return divide(count, x, y, to);
    case WORD_NEGATE:
    case WORD_ABS:
        return sign_word(op == WORD_NEGATE, count, x, to);
    case WORD_LEAST:
    case WORD_GREATEST:
        return extreme_word(op == WORD_LEAST ? -1 : 1, count, x, y, to);
    case WORD_LESS:
    case WORD_LESS_EQUAL:
    case WORD_EQUAL:
    case WORD_NOT_EQUAL:
    case WORD_AND:
    case WORD_OR:
        return condition_word(op, count, x, y, to);
    case WORD_NOT:
        return condition_word(op, count, x, x, to);
    case WORD_SELECT:
        return select_word(count, operand, to);
    default:
        return false;
    }
}

// ---- f32 --------------------------------------------------------------------

enum { STEP_VECTORS = GLANCE_STEP / LANES };

INLINE narrow narrow_at(const struct glance_run *of, enum glance_kind kind, size_t i)
{
    narrow x;
    if (kind == GLANCE_SINGLES) {
        memcpy(&x, of->single + i, sizeof x);
        return x;
    }
    return (narrow)NARROW(at(of, kind, i));
}

INLINE bool single_of(enum word_op op, size_t count, const struct glance_run *x,
                      const struct glance_run *y, float *to, enum glance_kind kind_x,
                      enum glance_kind kind_y)
{
    const struct glance_run x_run = *x, y_run = *y; // copies, which no store can change
    narrow seen[STEP_VECTORS] = {{0}};
    for (size_t i = 0; i < count; i += GLANCE_STEP)
        for (size_t v = 0; v < STEP_VECTORS; v++) {
            const narrow a = narrow_at(&x_run, kind_x, i + v * LANES),
                         b = narrow_at(&y_run, kind_y, i + v * LANES);
            const narrow r = op == WORD_ADD        ? a + b
                             : op == WORD_SUBTRACT ? a - b
                             : op == WORD_MULTIPLY ? a * b
                                                   : a / b;
            seen[v] += r * 0;
            memcpy(to + i + v * LANES, &r, sizeof r);
        }
    bool finite = true;
    for (size_t v = 0; v < STEP_VECTORS; v++)
        for (size_t i = 0; i < LANES; i++)
            finite = finite && seen[v][i] == 0;
    return finite;
}

static bool single(enum word_op op, size_t count, const struct glance_run *const *operand,
                   float *to)
{
    const struct glance_run *const x = operand[0], *const y = operand[1];
#define SINGLE_ADD(kind_x, kind_y) single_of(WORD_ADD, count, x, y, to, kind_x, kind_y)
#define SINGLE_SUBTRACT(kind_x, kind_y) single_of(WORD_SUBTRACT, count, x, y, to, kind_x, kind_y)
#define SINGLE_MULTIPLY(kind_x, kind_y) single_of(WORD_MULTIPLY, count, x, y, to, kind_x, kind_y)
#define SINGLE_DIVIDE(kind_x, kind_y) single_of(WORD_DIVIDE, count, x, y, to, kind_x, kind_y)
    return op == WORD_ADD        ? KINDS(SINGLE_ADD, x, y)
           : op == WORD_SUBTRACT ? KINDS(SINGLE_SUBTRACT, x, y)
           : op == WORD_MULTIPLY ? KINDS(SINGLE_MULTIPLY, x, y)
                                 : KINDS(SINGLE_DIVIDE, x, y);
}

#if FUSED_SINGLES_ONCE
// A float of every place, or one for all of them.
struct floats {
    const float *at;
    size_t moving; // all bits, or none
    float number[GLANCE_STEP];
};

INLINE void find_floats(const struct glance_run *of, struct floats *to)
{
    for (size_t s = 0; s < GLANCE_STEP; s++)
        to->number[s] = (float)of->number;
    to->moving = of->kind == GLANCE_SINGLES ? SIZE_MAX : 0;
    to->at = to->moving ? of->single : to->number;
}

INLINE singles floats_at(const float *at, size_t i)
{
    singles x;
    memcpy(&x, at + i, sizeof x);
    return x;
}

static bool fused_single(size_t count, const struct glance_run *const *of, float *to)
{
    struct floats x, y, z;
    singles seen[GLANCE_STEP / SINGLES] = {{0}};
    bool finite = true;
    find_floats(of[0], &x);
    find_floats(of[1], &y);
    find_floats(of[2], &z);
    const float *const x_at = x.at, *const y_at = y.at, *const z_at = z.at;
    const size_t x_moving = x.moving, y_moving = y.moving, z_moving = z.moving;
    for (size_t i = 0; i < count; i += GLANCE_STEP)
        for (size_t v = 0; v < GLANCE_STEP / SINGLES; v++) {
            const size_t from = v * SINGLES;
            const singles r = (singles)FUSED_SINGLES(floats_at(x_at, (i & x_moving) + from),
                                                     floats_at(y_at, (i & y_moving) + from),
                                                     floats_at(z_at, (i & z_moving) + from));
            seen[v] = (singles)FUSED_SINGLES(r, (singles){0}, seen[v]);
            memcpy(to + i + from, &r, sizeof r);
        }
    for (size_t v = 0; v < GLANCE_STEP / SINGLES; v++)
        for (size_t s = 0; s < SINGLES; s++)
            finite = finite && seen[v][s] == 0;
    return finite;
}
#else
#define fused_single NULL
#endif

static void narrow_all(size_t count, const double *of, float *to)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const narrow y = (narrow)NARROW(load(of + i));
        memcpy(to + i, &y, sizeof y);
    }
    for (; i < count; i++)
        to[i] = (float)of[i];
}

// What is rounded: doubles, or a product of such kinds.
INLINE vector value_at(const struct glance_run *x, const struct glance_run *y,
                       const struct glance_run *z, int product, enum glance_kind kind_x,
                       enum glance_kind kind_y, enum glance_kind kind_z, size_t i)
{
    return product ? fused(at(x, kind_x, i), at(y, kind_y, i), at(z, kind_z, i))
                   : load(x->value + i);
}

static vector value_any(const struct glance_run *of, size_t i)
{
    return of->kind == GLANCE_PRODUCT
               ? fused(any(of->part[0], i), any(of->part[1], i), any(of->part[2], i))
               : load(of->value + i);
}

// The places of one step that stay open, one by one.
static size_t note_open(const struct glance_run *of, const struct round_off *off, size_t from,
                        size_t count, float *to, uint16_t *open)
{
    vector value[STEP_VECTORS];
    for (size_t v = 0; v < STEP_VECTORS; v++)
        value[v] = value_any(of, from + v * LANES);
    return round_note(value, STEP_VECTORS, off, of->zeros, from, count, to, open);
}

// Products that are NaN are seen at the end.
INLINE size_t round_kinds(size_t count, const struct glance_run *of, float *to, uint16_t *open,
                          int product, enum glance_kind kind_x, enum glance_kind kind_y,
                          enum glance_kind kind_z)
{
    const struct round_off off = round_off(of->relative, of->absolute);
    // copies, which no store can change
    const struct glance_run x_run = product ? *of->part[0] : *of,
                            y_run = product ? *of->part[1] : *of,
                            z_run = product ? *of->part[2] : *of;
    vector seen = {0};
    size_t opened = 0;
    for (size_t i = 0; i < count; i += GLANCE_STEP) {
        narrow_mask differ = {0};
        for (size_t v = 0; v < STEP_VECTORS; v++) {
            const vector x =
                value_at(&x_run, &y_run, &z_run, product, kind_x, kind_y, kind_z, i + v * LANES);
            if (product)
                seen = fused(x, splat(0), seen);
            differ |= round_ends(x, &off, to + i + v * LANES);
        }
        if (ANY_BITS(differ))
            opened += note_open(of, &off, i, count, to, open + opened);
    }
    if (product && !ALL((mask)(seen == 0)))
        for (size_t i = opened = 0; i < count; i += GLANCE_STEP)
            opened += note_open(of, &off, i, count, to, open + opened);
    return opened;
}

static size_t round_all(size_t count, const struct glance_run *of, float *to, uint16_t *open)
{
    if (of->kind != GLANCE_PRODUCT)
        return round_kinds(count, of, to, open, 0, GLANCE_DOUBLES, GLANCE_DOUBLES, GLANCE_DOUBLES);
#define ROUND_XY(kind_x, kind_y, kind_z) round_kinds(count, of, to, open, 1, kind_x, kind_y, kind_z)
#define ROUND_Z(kind_x, kind_y)                                                                    \
    (of->part[2]->kind == GLANCE_SINGLES   ? ROUND_XY(kind_x, kind_y, GLANCE_SINGLES)              \
     : of->part[2]->kind == GLANCE_DOUBLES ? ROUND_XY(kind_x, kind_y, GLANCE_DOUBLES)              \
                                           : ROUND_XY(kind_x, kind_y, GLANCE_NUMBER))
    return KINDS(ROUND_Z, of->part[0], of->part[1]);
}

// ---- ranges and sums --------------------------------------------------------

static bool range_singles(size_t count, const float *of, double *low, double *high)
{
    singles seen[2] = {{0}, {0}}, least[2], most[2]; // `least` negated
    float lanes[3][SINGLES];
    bool finite = true;
    size_t i = 0;
    for (size_t v = 0; v < 2; v++) {
        most[v] = of[0] - seen[v];
        least[v] = -most[v];
    }
    for (; i + 2 * SINGLES <= count; i += 2 * SINGLES)
        for (size_t v = 0; v < 2; v++) {
            singles x;
            memcpy(&x, of + i + v * SINGLES, sizeof x);
            seen[v] = (singles)FUSED_SINGLES(x, (singles){0}, seen[v]);
            least[v] = (singles)GREATER_SINGLES(-x, least[v]);
            most[v] = (singles)GREATER_SINGLES(x, most[v]);
        }
    least[0] = (singles)GREATER_SINGLES(least[0], least[1]);
    most[0] = (singles)GREATER_SINGLES(most[0], most[1]);
    seen[0] += seen[1];
    memcpy(lanes[0], &least[0], sizeof lanes[0]);
    memcpy(lanes[1], &most[0], sizeof lanes[1]);
    memcpy(lanes[2], &seen[0], sizeof lanes[2]);
    float less = lanes[0][0], more = lanes[1][0];
    for (size_t s = 0; s < SINGLES; s++) {
        finite = finite && lanes[2][s] == 0;
        less = lanes[0][s] > less ? lanes[0][s] : less;
        more = lanes[1][s] > more ? lanes[1][s] : more;
    }
    for (; i < count; i++) {
        finite = finite && isfinite(of[i]);
        less = -of[i] > less ? -of[i] : less;
        more = of[i] > more ? of[i] : more;
    }
    *low = -(double)less;
    *high = (double)more;
    return finite && isfinite(of[0]);
}

static bool range(size_t count, const double *of, double *low, double *high)
{
    vector seen = splat(0), least = splat(-of[0]), most = splat(of[0]);
    size_t i = 0;
    double lanes[2] = {of[0], of[0]};
    bool finite = true;
    for (; i + LANES <= count; i += LANES) {
        const vector x = load(of + i);
        seen += x * 0;
        least = (vector)GREATER(-x, least);
        most = (vector)GREATER(x, most);
    }
    for (; i < count; i++) {
        finite = finite && isfinite(of[i]);
        lanes[0] = of[i] < lanes[0] ? of[i] : lanes[0];
        lanes[1] = of[i] > lanes[1] ? of[i] : lanes[1];
    }
    for (size_t lane = 0; lane < LANES; lane++) {
        lanes[0] = -least[lane] < lanes[0] ? -least[lane] : lanes[0];
        lanes[1] = most[lane] > lanes[1] ? most[lane] : lanes[1];
    }
    *low = lanes[0];
    *high = lanes[1];
    return finite && ALL((mask)(seen == 0));
}

static double least_of(size_t count, const struct glance_run *of)
{
    vector least = splat(-(double)INFINITY);
    double magnitude = (double)INFINITY;
    for (size_t i = 0; i < count; i += LANES)
        least = (vector)GREATER(-absolute(any(of, i)), least);
    for (size_t lane = 0; lane < LANES; lane++)
        magnitude = -least[lane] < magnitude ? -least[lane] : magnitude;
    return magnitude;
}

enum { SUMS = GLANCE_STEP / LANES };

// GLANCE_STEP partial sums of at most 64 terms each, then a tree over them: GLANCE_DEPTH additions.
INLINE void sum_run(enum glance_kind kind, int positive, size_t count, const struct glance_run *of,
                    struct glance_sum *to)
{
    const int product = kind == GLANCE_PRODUCT;
    const struct glance_run *const x = product ? of->part[0] : of, *const y = of->part[1];
    vector value[SUMS] = {{0}}, magnitude[SUMS] = {{0}};
    const size_t whole = count / GLANCE_STEP * GLANCE_STEP;
    double total[GLANCE_STEP], size[GLANCE_STEP];
    for (size_t i = 0; i < whole; i += GLANCE_STEP)
        for (size_t s = 0; s < SUMS; s++) {
            const vector a = at(x, product ? GLANCE_SINGLES : kind, i + s * LANES);
            const vector b = product ? at(y, GLANCE_SINGLES, i + s * LANES) : splat(1);
            value[s] = product ? fused(a, b, value[s]) : value[s] + a;
            if (!positive)
                magnitude[s] += absolute(product ? a * b : a);
        }
    for (size_t s = 0; s < SUMS; s++) {
        store(total + s * LANES, value[s]);
        store(size + s * LANES, magnitude[s]);
    }
    for (size_t i = whole; i < count; i++) {
        total[i - whole] += glance_at(of, i);
        size[i - whole] += fabs(glance_at(of, i));
    }
    for (size_t half = GLANCE_STEP / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++) {
            total[i] += total[i + half];
            size[i] += size[i + half];
        }
    to->value += total[0];
    to->magnitude += positive ? total[0] : size[0];
}

static void sum(size_t count, const struct glance_run *of, struct glance_sum *to)
{
    const bool positive = of->low >= 0;
    if (of->kind == GLANCE_PRODUCT && positive)
        sum_run(GLANCE_PRODUCT, 1, count, of, to);
    else if (of->kind == GLANCE_PRODUCT)
        sum_run(GLANCE_PRODUCT, 0, count, of, to);
    else if (of->kind == GLANCE_SINGLES && positive)
        sum_run(GLANCE_SINGLES, 1, count, of, to);
    else if (of->kind == GLANCE_SINGLES)
        sum_run(GLANCE_SINGLES, 0, count, of, to);
    else if (positive)
        sum_run(GLANCE_DOUBLES, 1, count, of, to);
    else
        sum_run(GLANCE_DOUBLES, 0, count, of, to);
}

const struct glance_form FORM = {range_singles, range,      least_of, word,      single,
                                 fused_single,  narrow_all, apart,    round_all, sum};
