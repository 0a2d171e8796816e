// SPDX-License-Identifier: Apache-2.0
// Which operations of targets give random words, and the request for a piece of their stream.

#ifndef ASSAY_HARNESS_CLI_AUDIT_TARGET_REQUEST_H
#define ASSAY_HARNESS_CLI_AUDIT_TARGET_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/nearest.h"
#include "ref/op/request.h"

// Bits of the number of a piece, in requests whose seed has that number as its low bits.
enum { TARGET_PIECE_BITS = 22 };

struct target_row {
    const char *name;
    unsigned bits;      // of an element that are used: 32 or 64 are words as they are
    unsigned elements;  // of a piece
    unsigned block;     // elements a block of a counter
    unsigned seed_bits; // that the request holds; equal ones are the same stream
    bool by_position;   // any piece may be asked for
    bool counters;      // takes any counters, and a key for each: the block function is at hand
    const char *request;
};

// What a request asks for.
struct target_piece {
    uint64_t seed, number; // of the piece, from 0
    unsigned rounds;       // 0: as the operation has them
};

// Rows of one name stand together; the first that a target supports is taken.
extern const struct target_row target_rows[];
extern const size_t target_row_count;

// A key that is split into 2^10: words are the children.
extern const struct target_row target_split_row;

// Whether `name` names the row: "philox", and of rows with counters "philox-6" for six rounds,
// "philox.u64" and "philox.u64-6" for 64-bit words.
bool target_row_is_named(const struct target_row *row, const char *name, unsigned *rounds);

// "; did you mean 'NAME'?", or "".
const char *target_row_hint(const char *name, char hint[NEAREST_HINT_SIZE]);

// Words of a piece.
size_t target_row_words(const struct target_row *row);

// Whether there are pieces of that number.
bool target_row_has(const struct target_row *row, uint64_t number);

// The request for a piece, with one block where the row takes counters. Memory is the arena's;
// `name` is that of the source, for errors.
enum error target_row_request(const struct target_row *row, const struct target_piece *piece,
                              const char *name, struct arena *arena, struct request *request,
                              struct diagnostic *diagnostic);

#endif
