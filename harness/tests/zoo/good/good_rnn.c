// SPDX-License-Identifier: Apache-2.0
// Behaves well in many ways: onednn.rnn forward in f32, every freedom that the evaluation model
// leaves drawn from a number (ASSAY_ZOO_VARIANT): order and blocks of sums, one sum or two, fused
// products, activations off by up to 2 and 4 ulp, three forms of the GRU's blend. Written from the
// equations on its own; none of these may be called wrong.

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

#ifndef RNN_TAKES_BIAS
#define RNN_TAKES_BIAS 1
#define RNN_NAME "good_rnn"
#endif
// What a gate's sum is after its computation: elsewhere it may be spoilt.
#ifndef RNN_RUN
#define RNN_RUN run
#define RNN_CAPABILITIES 0
#endif
#ifndef RNN_GATE
#define RNN_GATE(sum, gate, x) (sum)
#endif

// One more product of a sum: elsewhere it may be rounded otherwise.
#ifndef RNN_ADD
#define RNN_ADD(fused, sum, a, b) ((fused) ? fmaf(a, b, sum) : (sum) + (a) * (b))
#endif

enum { LEAVES_MAX = 4096, CHANNELS_MAX = 512, GATES_MAX = 4 };
enum cell { VANILLA, LSTM, GRU, LBR };
enum order { NATURAL, BACKWARDS, SHUFFLED, POSITIVES_FIRST, ORDERS };

struct variant {
    uint64_t state; // of the stream that draws
    enum order order;
    int block;         // leaves of a partial sum
    bool fused, apart; // fused products; x.W and h.U summed apart
    int blend;
    int activation; // 0: rounded once, 1: the C library's, 2: off by as much as is allowed
};

static uint64_t draw(struct variant *variant)
{
    uint64_t z = variant->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static struct variant make_variant(void)
{
    const char *const text = getenv("ASSAY_ZOO_VARIANT");
    struct variant variant = {.state = text ? strtoull(text, NULL, 10) : 1};
    variant.order = (enum order)(draw(&variant) % ORDERS);
    variant.block = 1 << draw(&variant) % 8;
    variant.fused = draw(&variant) & 1;
    variant.apart = draw(&variant) & 1;
    variant.blend = (int)(draw(&variant) % 3);
    variant.activation = (int)(draw(&variant) % 3);
    return variant;
}

// ---- sums -------------------------------------------------------------------

struct leaves {
    float a[LEAVES_MAX], b[LEAVES_MAX];
    int count;
};

static void add_leaf(struct leaves *leaves, float a, float b)
{
    if (leaves->count < LEAVES_MAX) {
        leaves->a[leaves->count] = a;
        leaves->b[leaves->count++] = b;
    }
}

static void swap(struct leaves *leaves, int i, int k)
{
    const float a = leaves->a[i], b = leaves->b[i];
    leaves->a[i] = leaves->a[k];
    leaves->b[i] = leaves->b[k];
    leaves->a[k] = a;
    leaves->b[k] = b;
}

static void put_in_order(struct variant *variant, struct leaves *leaves)
{
    int front = 0;
    for (int i = 0; variant->order == BACKWARDS && i < leaves->count / 2; i++)
        swap(leaves, i, leaves->count - 1 - i);
    for (int i = leaves->count; variant->order == SHUFFLED && i > 1; i--)
        swap(leaves, i - 1, (int)(draw(variant) % (unsigned)i));
    for (int i = 0; variant->order == POSITIVES_FIRST && i < leaves->count; i++)
        if (leaves->a[i] * leaves->b[i] > 0)
            swap(leaves, front++, i);
}

// The sum of the products, in blocks whose sums are added up.
static float sum(struct variant *variant, struct leaves *leaves)
{
    float total = 0;
    put_in_order(variant, leaves);
    for (int first = 0; first < leaves->count; first += variant->block) {
        float part = 0;
        for (int i = first; i < leaves->count && i < first + variant->block; i++)
            part = RNN_ADD(variant->fused, part, leaves->a[i], leaves->b[i]);
        total = first ? RNN_ADD(false, total, part, 1) : part;
    }
    return total;
}

// ---- activations ------------------------------------------------------------

static float ulp(float y)
{
    int exponent = 0;
    frexpf(y, &exponent);
    return ldexpf(1, exponent - 24 < -149 ? -149 : exponent - 24);
}

// A value at most `most` ulp from the exact one, after it was rounded.
static float spoil(struct variant *variant, double exact, int most)
{
    const float rounded = (float)exact;
    const int steps = (int)(draw(variant) % (unsigned)(2 * most + 1)) - most;
    float y = rounded;
    for (int i = 0; i < abs(steps); i++)
        y = nextafterf(y, steps > 0 ? INFINITY : -INFINITY);
    return fabs((double)y - exact) <= most * (double)ulp(rounded) && fabs(exact) > 1e-30 ? y
                                                                                         : rounded;
}

static float hyperbolic(struct variant *variant, float z)
{
    const double exact = tanh((double)z);
    return variant->activation == 1   ? tanhf(z)
           : variant->activation == 2 ? spoil(variant, exact, 2)
                                      : (float)exact;
}

static float sigmoid(struct variant *variant, float z)
{
    const double exact = 1 / (1 + exp(-(double)z));
    return variant->activation == 1   ? 1 / (1 + expf(-z))
           : variant->activation == 2 ? spoil(variant, exact, 4)
                                      : (float)exact;
}

static float blend(const struct variant *variant, float u, float h, float o)
{
    if (variant->blend == 1)
        return variant->fused ? fmaf(u, h - o, o) : o + u * (h - o);
    if (variant->blend == 2)
        return variant->fused ? fmaf(u, h, fmaf(-u, o, o)) : (u * h + o) - u * o;
    return variant->fused ? fmaf(u, h, (1 - u) * o) : u * h + (1 - u) * o;
}

// ---- the network ------------------------------------------------------------

struct network {
    struct variant variant;
    enum cell cell;
    int time, batch, slc, sic, dhc, dic, layers, directions, gates, biases, direction, activation;
    float alpha;
    const float *x, *h0, *c0, *wx, *wh, *peephole, *projection, *bias;
};

static const float *data_of(const struct assay_request *request, const char *name)
{
    const struct assay_tensor *const tensor = assay_input_named(request, name);
    return tensor ? tensor->layout.data : NULL;
}

static const char *word_of(const struct assay_request *request, const char *name)
{
    for (size_t i = 0; i < request->attribute_count; i++)
        if (!strcmp(request->attributes[i].name, name) && request->attributes[i].text)
            return request->attributes[i].text;
    return "";
}

// Index of the word among `words`, -1 when it is none of them.
static int index_of(const char *word, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], word))
            return i;
    return -1;
}

// The sum of a gate: x.W + h.U + B, and the peephole.
static float gate(struct network *n, int ld, int g, int o, const float *x, const float *h,
                  bool recurrent, const float *peephole, float cell)
{
    static struct leaves first, second;
    first.count = second.count = 0;
    for (int i = 0; i < n->slc; i++)
        add_leaf(&first, x[i], n->wx[((ld * n->slc + i) * n->gates + g) * n->dhc + o]);
    for (int i = 0; i < n->sic && recurrent; i++)
        add_leaf(n->variant.apart ? &second : &first, h[i],
                 n->wh[((ld * n->sic + i) * n->gates + g) * n->dhc + o]);
    if (n->bias)
        add_leaf(&first, 1, n->bias[(ld * n->biases + g) * n->dhc + o]);
    if (peephole)
        add_leaf(&first, peephole[o], cell);
    const float one = sum(&n->variant, &first);
    return RNN_GATE(second.count ? RNN_ADD(false, one, sum(&n->variant, &second), 1) : one, g, x);
}

static float recurrent_sum(struct network *n, int ld, int g, int o, const float *h)
{
    static struct leaves leaves;
    leaves.count = 0;
    for (int i = 0; i < n->sic; i++)
        add_leaf(&leaves, h[i], n->wh[((ld * n->sic + i) * n->gates + g) * n->dhc + o]);
    if (n->bias)
        add_leaf(&leaves, 1, n->bias[(ld * n->biases + 3) * n->dhc + o]);
    return sum(&n->variant, &leaves);
}

static void step_vanilla(struct network *n, int ld, const float *x, const float *h, float *out)
{
    for (int o = 0; o < n->dhc; o++) {
        const float z = gate(n, ld, 0, o, x, h, true, NULL, 0);
        out[o] = n->activation == 0   ? (z > 0 ? z : n->alpha * z)
                 : n->activation == 1 ? hyperbolic(&n->variant, z)
                                      : sigmoid(&n->variant, z);
    }
}

static void step_lstm(struct network *n, int ld, const float *x, const float *h, float *c,
                      float *out)
{
    const float *const p = n->peephole ? n->peephole + ld * 3 * n->dhc : NULL;
    float m[CHANNELS_MAX];
    for (int o = 0; o < n->dhc; o++) {
        const float i = sigmoid(&n->variant, gate(n, ld, 0, o, x, h, true, p, c[o]));
        const float f =
            sigmoid(&n->variant, gate(n, ld, 1, o, x, h, true, p ? p + n->dhc : NULL, c[o]));
        const float g = hyperbolic(&n->variant, gate(n, ld, 2, o, x, h, true, NULL, 0));
        const float next = n->variant.fused ? fmaf(f, c[o], i * g) : f * c[o] + i * g;
        m[o] =
            sigmoid(&n->variant, gate(n, ld, 3, o, x, h, true, p ? p + 2 * n->dhc : NULL, next)) *
            hyperbolic(&n->variant, next);
        c[o] = next;
    }
    for (int j = 0; j < n->dic; j++) {
        static struct leaves leaves;
        leaves.count = 0;
        for (int k = 0; k < n->dhc && n->projection; k++)
            add_leaf(&leaves, m[k], n->projection[(ld * n->dhc + k) * n->dic + j]);
        out[j] = n->projection ? sum(&n->variant, &leaves) : m[j];
    }
}

static void step_gru(struct network *n, int ld, const float *x, const float *h, float *out)
{
    float u[CHANNELS_MAX], r[CHANNELS_MAX], s[CHANNELS_MAX];
    for (int o = 0; o < n->dhc; o++) {
        u[o] = sigmoid(&n->variant, gate(n, ld, 0, o, x, h, true, NULL, 0));
        r[o] = sigmoid(&n->variant, gate(n, ld, 1, o, x, h, true, NULL, 0));
        s[o] = r[o] * h[o];
    }
    for (int o = 0; o < n->dhc; o++) {
        // The term r * w of the linear-before-reset form goes in as one more product.
        const float w = n->cell == LBR ? recurrent_sum(n, ld, 2, o, h) : 0;
        const float z = n->cell == LBR ? gate(n, ld, 2, o, x, h, false, r, w)
                                       : gate(n, ld, 2, o, x, s, true, NULL, 0);
        out[o] = blend(&n->variant, u[o], h[o], hyperbolic(&n->variant, z));
    }
}

// One layer of one direction over all steps of one row. `x` and `out` have a row of channels each
// step.
static void run_layer(struct network *n, int ld, bool backwards, const float *x, float *h, float *c,
                      float *out)
{
    float next[CHANNELS_MAX];
    for (int k = 0; k < n->time; k++) {
        const int t = backwards ? n->time - 1 - k : k;
        if (n->cell == VANILLA)
            step_vanilla(n, ld, x + t * n->slc, h, next);
        else if (n->cell == LSTM)
            step_lstm(n, ld, x + t * n->slc, h, c, next);
        else
            step_gru(n, ld, x + t * n->slc, h, next);
        memcpy(h, next, (size_t)n->dic * sizeof *h);
        memcpy(out + t * n->dic, next, (size_t)n->dic * sizeof *out);
    }
}

static void store(const struct assay_request *request, const char *name, int64_t at, float value)
{
    const struct assay_tensor *const tensor = assay_output_named(request, name);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (tensor)
        zoo_store(tensor, at, bits);
}

static void run_row(struct network *n, const struct assay_request *request, int row, float *x,
                    float *out)
{
    const int concatenated = n->direction == 2 ? 2 : 1;
    for (int d = 0; d < n->directions; d++) {
        for (int t = 0; t < n->time; t++)
            memcpy(x + t * n->slc, n->x + (t * n->batch + row) * n->slc,
                   (size_t)n->slc * sizeof *x);
        for (int l = 0; l < n->layers; l++) {
            const int ld = l * n->directions + d;
            float h[CHANNELS_MAX] = {0}, c[CHANNELS_MAX] = {0};
            for (int i = 0; i < n->sic && n->h0; i++)
                h[i] = n->h0[(ld * n->batch + row) * n->sic + i];
            for (int i = 0; i < n->dhc && n->c0; i++)
                c[i] = n->c0[(ld * n->batch + row) * n->dhc + i];
            run_layer(n, ld, n->direction == 1 || d == 1, x, h, c, out);
            for (int i = 0; i < n->dic; i++)
                store(request, "dst_iter", (ld * n->batch + row) * n->dic + i, h[i]);
            for (int i = 0; i < n->dhc && n->cell == LSTM; i++)
                store(request, "dst_iter_c", (ld * n->batch + row) * n->dhc + i, c[i]);
            memcpy(x, out, (size_t)(n->time * n->dic) * sizeof *x);
        }
        const struct assay_tensor *const layer = assay_output_named(request, "dst_layer");
        for (int t = 0; t < n->time && layer; t++)
            for (int i = 0; i < n->dic; i++) {
                const int64_t at = (int64_t)(t * n->batch + row) * n->dic * concatenated +
                                   (concatenated == 2 ? d * n->dic : 0) + i;
                const uint32_t bits = (uint32_t)zoo_load(layer, at);
                float before;
                memcpy(&before, &bits, sizeof before);
                store(request, "dst_layer", at,
                      n->direction == 3 && d ? before + out[t * n->dic + i] : out[t * n->dic + i]);
            }
    }
}

static bool read_network(const struct assay_request *request, struct network *n)
{
    static const char *const cells[] = {"vanilla_rnn", "lstm", "gru", "lbr_gru", NULL};
    static const char *const directions[] = {"left2right", "right2left", "bidirectional_concat",
                                             "bidirectional_sum", NULL};
    static const char *const activations[] = {"relu", "tanh", "logistic", NULL};
    const struct assay_tensor *const x = assay_input_named(request, "src_layer");
    const struct assay_tensor *const wx = assay_input_named(request, "weights_layer");
    const struct assay_tensor *const wh = assay_input_named(request, "weights_iter");
    const struct assay_tensor *const r = assay_input_named(request, "weights_projection");
    const struct assay_tensor *const b = assay_input_named(request, "bias");
    const int cell = index_of(word_of(request, "cell"), cells),
              direction = index_of(word_of(request, "direction"), directions);
    if (cell < 0 || direction < 0 || !x || !wx || !wh || x->layout.ndim != 3 ||
        wx->layout.ndim != 5 || wh->layout.ndim != 5)
        return false;
    for (size_t i = 0; i < request->input_count; i++)
        if (request->inputs[i].dtype != ASSAY_F32 || !strncmp(request->inputs[i].name, "diff", 4))
            return false;
    *n = (struct network){.cell = (enum cell)cell,
                          .direction = direction,
                          .activation = index_of(word_of(request, "activation"), activations),
                          .time = (int)x->layout.shape[0],
                          .batch = (int)x->layout.shape[1],
                          .slc = (int)x->layout.shape[2],
                          .layers = (int)wx->layout.shape[0],
                          .directions = (int)wx->layout.shape[1],
                          .gates = (int)wx->layout.shape[3],
                          .dhc = (int)wx->layout.shape[4],
                          .sic = (int)wh->layout.shape[2],
                          .biases = b ? (int)b->layout.shape[2] : 0};
    n->dic = r ? (int)r->layout.shape[3] : n->dhc;
    for (size_t i = 0; i < request->attribute_count; i++)
        if (!strcmp(request->attributes[i].name, "alpha"))
            n->alpha = (float)request->attributes[i].real;
    return n->slc + n->sic + 2 < LEAVES_MAX && n->dhc <= CHANNELS_MAX && n->dic <= CHANNELS_MAX &&
           n->sic <= CHANNELS_MAX && strcmp(word_of(request, "propagation"), "backward") != 0;
}

static enum assay_status supports(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message)
{
    struct network n;
    (void)session;
    if (!strcmp(request->operation, "onednn.rnn") && request->output_count &&
        read_network(request, &n))
        return ASSAY_OK;
    snprintf(message->text, sizeof message->text,
             "only onednn.rnn forward in f32, without attention");
    return ASSAY_UNSUPPORTED;
}

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    struct network n;
    if (!read_network(request, &n)) {
        snprintf(message->text, sizeof message->text, "not such a network");
        return ASSAY_REJECTED;
    }
    n.variant = make_variant();
    n.x = data_of(request, "src_layer");
    n.h0 = data_of(request, "src_iter");
    n.c0 = data_of(request, "src_iter_c");
    n.wx = data_of(request, "weights_layer");
    n.wh = data_of(request, "weights_iter");
    n.peephole = data_of(request, "weights_peephole");
    n.projection = data_of(request, "weights_projection");
    n.bias = RNN_TAKES_BIAS ? data_of(request, "bias") : NULL;
    const size_t wide = (size_t)(n.time + 1) * (size_t)((n.slc > n.dic ? n.slc : n.dic) + 1);
    float *const x = calloc(wide, sizeof *x), *const out = calloc(wide, sizeof *out);
    for (int row = 0; row < n.batch && x && out; row++)
        run_row(&n, request, row, x, out);
    free(x);
    free(out);
    return x && out ? ASSAY_OK : ASSAY_FAILED;
}

static const struct zoo_plugin zoo_plugin = {
    .name = RNN_NAME, .supports = supports, .capabilities = RNN_CAPABILITIES, .run = RNN_RUN};
