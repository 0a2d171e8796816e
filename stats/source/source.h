// SPDX-License-Identifier: Apache-2.0
// A source of random words: an infinite or finite stream of 32-bit words, by position where it can
// be, in order otherwise.

#ifndef ASSAY_STATS_SOURCE_SOURCE_H
#define ASSAY_STATS_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/error.h"
#include "stats/source/structure.h"

// Reads start at multiples of this many words and ask for multiples of it.
enum { SOURCE_GRAIN = 1 << 16 };
// What is known of a source that several were joined to.
struct source_streams {
    unsigned count;   // 0: it is one stream
    size_t compared;  // words from the beginning of each that were compared
    unsigned twin[2]; // the first two streams found equal in them, or overlapping; the same number
                      // twice: there are none
    size_t offset;    // word of the first at which the second begins: 0 where they are equal
};

struct source {
    const char *name;
    bool random_access; // any position, from several threads at once; else positions only rise and
                        // one call runs at a time
    void *context;
    // Writes words [first, first + words) to `to`; *got is less than `words` only where the stream
    // ends.
    enum error (*read)(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                       struct diagnostic *diagnostic);
    void (*close)(void *context);
    unsigned reach; // random access to 2^reach words: far lags are looked at; 0: not known to have
                    // so many
    const struct block_function
        *block;         // the function behind a counter-based source, on `context`; NULL: not known
    unsigned seed_bits; // the low bits of a seed that are taken; each choice of them is another
                        // stream; 0: there is no seed
    bool seed_nonzero;  // the seed 0 is refused
    struct source_streams streams;
    struct key_tree tree; // the tree that its keys are of
};

void source_close(struct source *source);

// Raw little-endian words of 32 or 64 bits (the low half first: the same bytes) from a path, or
// from standard input for NULL. A regular file has random access. ERROR_INPUT when it cannot be
// opened.
enum error source_open_file(struct source *source, const char *path, struct diagnostic *diagnostic);

// The ChaCha20 key stream of OpenSSL under the key whose first word is `seed`: what tests are
// calibrated on. Random access.
enum error source_open_chacha(struct source *source, uint64_t seed, struct diagnostic *diagnostic);

// The reference's own generators: "philox4x32" (ten rounds), "threefry2x32" (twenty; both words of
// each block) by counter from 0 under the key `seed`, low word first, and "mt19937" in order.
// "philox4x32-6" and the like take another number of rounds. ERROR_UNSUPPORTED for another name.
enum error source_open_reference(struct source *source, const char *name, uint64_t seed,
                                 struct diagnostic *diagnostic);

// An operation of the reference, by position: "openvino.random_uniform" (the 23 bits of each f32),
// "directml.random_generator", "jax.bits", "jax.uniform" (23 bits), "jax.split" (the child keys).
// `seed` is its seed or key. ERROR_UNSUPPORTED for another name.
enum error source_open_operation(struct source *source, const char *name, uint64_t seed,
                                 struct diagnostic *diagnostic);

// Makes one source of `count` (a power of two up to SOURCE_STREAMS_MAX) and takes them over.
// Streams in order are read in rising positions, in pieces of SOURCE_GRAIN / count words. The first
// piece of each is read at once, kept, and compared with the others'.
enum { SOURCE_STREAMS_MAX = 1024 };
enum error source_join(struct source *joined, struct source *streams, unsigned count,
                       struct diagnostic *diagnostic);

// A generator of a panel plugin (stats/panel): `path` of the shared library, `generator` its name,
// `seed` handed to it.
enum error source_open_plugin(struct source *source, const char *path, const char *generator,
                              uint64_t seed, struct diagnostic *diagnostic);

#endif
