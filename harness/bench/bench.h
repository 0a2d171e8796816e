// SPDX-License-Identifier: Apache-2.0
// Our speed beside a named peer's, measured in the same run on one core, and beside what the core
// can do at most.
//
// A row is two pieces of work that make the same amount of output. Both are called alternately, so
// that whatever else the machine does strikes both; the figures are medians. A peer that is not
// installed skips its row with the reason. What the project asks for stands in goals.txt.

#ifndef ASSAY_HARNESS_BENCH_BENCH_H
#define ASSAY_HARNESS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { BENCH_WHY_SIZE = 256 };

// What one call of ours does at the least, as far as it is counted: no machine does it in less time
// than its limits allow (limits.h). All zero: nothing is counted.
struct bench_work {
    const char *unit;     // what cycles are given for: "byte", "element", "flop"; NULL: a call
    double units;         // of them in a call
    double f64, f32;      // additions and multiplications
    double words;         // additions and exclusive ors of 32 bits
    double products;      // of 32-bit factors, 64 bits wide
    double instructions;  // on vectors, in the instruction set in force, as the code has them
    double read, written; // bytes
    double span;          // bytes that every call touches anew; 0: those read and written
};

// What a row compares, ready to be called any number of times.
struct bench_pair {
    const char *peer;            // "OpenVINO 2026.4"
    uint64_t bytes;              // of output that one call makes; 0: times are printed as they are
    void (*ours)(void *state);   // one call
    void (*theirs)(void *state); // NULL: a row of growth, which is timed alone
    // For work on two threads, what no two threads do faster: two copies of the work on one thread,
    // at once, that share nothing but the machine. NULL: not measured.
    void (*copies)(void *state);
    double copied; // calls of ours that one call of it is worth
    // Seconds that a call of ours has waited on average for what is no work of ours, the calls of a
    // library that is judged: it cannot take less. NULL: nothing of the kind is known.
    double (*waited)(void *state);
    void *state;
    struct bench_work work;
    pid_t process; // where the peer works, for its processor time; 0: here
};

struct bench_row;

// What rows of a kind share.
struct bench_frame {
    // Fills `pair`; false with the reason in `why` when the row cannot run here.
    bool (*start)(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE]);
    void (*stop)(struct bench_pair *pair);
    bool threads;   // the work may use all cores
    bool processor; // the processor time of all threads is taken, which other programs disturb less
                    // than the time that passed
};

struct bench_row {
    const char *name; // "range/f32-2^14"
    const char *what; // one line for people
    uint64_t size;    // size and variant are for `start`
    int variant;
    const struct bench_frame *frame;
};

struct bench_table {
    const struct bench_row *row;
    size_t count;
};

// One table a file; main.c lists them.
extern const struct bench_table bench_declared, bench_function_peers, bench_judge,
    bench_num_function, bench_num_product, bench_onednn_rnn, bench_openvino, bench_rng, bench_stats;

// ---- for the files of rows --------------------------------------------------

// `size` bytes aligned to 4096 and touched, to be given back with free; NULL when there is no
// memory.
void *bench_take(size_t size);

// The same; without memory it says so in `why`.
void *bench_take_output(size_t size, char why[BENCH_WHY_SIZE]);

// Calls work(one) and work(other) at once, on a thread each.
void bench_at_once(void (*work)(void *), void *one, void *other);

// The vector instructions of code that issues so many for each vector's width of `bytes`, in the
// instruction set in force; 0 where neither is.
double bench_instructions(double bytes, double avx2, double avx512);

// Of philox4x32-10 for two vectors of words: an addition and a shift in round 1, a product and a
// shift in round 2, 14 of each in rounds 3 to 9, and 17 exclusive ors of three (AVX2: 30 of two);
// in round 10 two products, two exchanges of halves and two masked exclusive ors (AVX2: 4 and 2
// blends); two interleavings.
enum { BENCH_PHILOX_AVX2 = 74, BENCH_PHILOX_AVX512 = 57 };

// Keeps the compiler from leaving out or moving writes to `data`.
void bench_use(const void *data);

#endif
