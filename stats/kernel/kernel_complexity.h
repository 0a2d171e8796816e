// SPDX-License-Identifier: Apache-2.0
// Berlekamp and Massey's algorithm (stats/battery/linear/linear.c) for many short sequences at
// once: a part of kernel_body.h.
//
// Each bit of a vector is a sequence of its own, and what one sequence would branch on is a mask.
// `product[n]` is the discrepancy that step n meets. older[i] is the product from before the last
// change of length, shifted so far that it cancels at step n what stands at n + i; the shift grows
// with each step, and so does n. What decides whether the length L changes is n - 2 L, which the
// change turns into 2 L - n - 1: its bits are complemented.
// Source: Massey 1969, doi:10.1109/TIT.1969.1054260; Biham, doi:10.1007/BFb0052352 (an algorithm
// over bit slices).

#ifndef KERNEL_LANES
#error "kernel_body.h includes this"
#endif

enum { SEQUENCES = 32 * KERNEL_LANES, EXCESS_BITS = 9 }; // of n - 2 L: -192 to 192

struct sequences {
    vector product[KERNEL_SEQUENCE], older[KERNEL_SEQUENCE];
    vector excess[EXCESS_BITS]; // n - 2 L, in two's complement
};

// Bit `bit` of `words` words, one behind the other.
static inline __attribute__((always_inline)) void take_bits(const uint32_t *word, size_t words,
                                                            unsigned bit, vector *to)
{
    uint32_t bits[KERNEL_LANES] = {0};
    for (size_t i = 0; i < words; i += KERNEL_LANES) {
        const vector top = *(const vector *)(const void *)(word + i) << (31 - bit);
#ifdef KERNEL_BITS
        bits[i / 32] |= KERNEL_BITS(top) << i % 32;
#else
        for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
            bits[i / 32] |= top[lane] >> 31 << (i % 32 + lane);
#endif
    }
    memcpy(to, bits, sizeof *to);
}

static void run_sequences(struct sequences *s)
{
    for (unsigned n = 0; n < KERNEL_SEQUENCE; n++) {
        const vector differs = s->product[n], longer = differs & ~s->excess[EXCESS_BITS - 1];
        for (unsigned i = 1; n + i < KERNEL_SEQUENCE; i++) {
            const vector product = s->product[n + i], older = s->older[i];
            s->product[n + i] = product ^ (differs & older);
            s->older[i] = older ^ (longer & (product ^ older));
        }
        vector carry = ~longer;
        for (unsigned b = 0; b < EXCESS_BITS; b++) {
            const vector x = s->excess[b] ^ longer;
            s->excess[b] = x ^ carry;
            carry &= x;
        }
    }
}

static void count_complexities(const uint32_t *word, size_t stride, unsigned bit,
                               uint64_t count[KERNEL_SEQUENCE + 1])
{
    struct sequences s;
    for (size_t from = 0; from < stride; from += SEQUENCES) {
        const size_t sequences = stride - from < SEQUENCES ? stride - from : SEQUENCES;
        memset(s.excess, 0, sizeof s.excess);
        for (unsigned n = 0; n < KERNEL_SEQUENCE; n++) {
            take_bits(word + n * stride + from, sequences, bit, &s.product[n]);
            if (n + 1 < KERNEL_SEQUENCE) // as if a discrepancy of the polynomial 1 had stood before
                s.older[n + 1] = s.product[n];
        }
        run_sequences(&s);
        for (size_t at = 0; at < sequences; at++) {
            uint32_t excess = 0;
            for (unsigned b = 0; b < EXCESS_BITS; b++)
                excess |= (s.excess[b][at / 32] >> at % 32 & 1) << b;
            const int32_t sign = excess >> (EXCESS_BITS - 1) ? 1 << EXCESS_BITS : 0;
            count[(KERNEL_SEQUENCE - ((int32_t)excess - sign)) / 2]++;
        }
    }
}
