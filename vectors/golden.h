// SPDX-License-Identifier: Apache-2.0
// Golden vectors: what the reference gives for every case of a suite under the default profile,
// made and kept.
//
// Three files in one folder: SUITE.safetensors (tensors), SUITE.jsonl (the manifest: a header line,
// then one line a case in the order of ids), SHA256SUMS over all of them; CHANGES beside the folder
// says why a case ever changed. Tensors are called
//   CASE/in/NAME          an input of at most GOLDEN_INPUT_MAX elements; larger ones are fills
//   CASE/out/NAME         an output, or its window
//   CASE/out/NAME/run=R   the same, where the case runs its instance several times
//   CASE/out/NAME/chunks  of an output above GOLDEN_CHUNK elements: SHA-256 of each chunk of so
//                         many, U8 [chunks, 32]
//   CASE/out/NAME/at=E    with it, a few windows that start at element E
//   CASE/out/NAME/{C=O}   what a suite's program answered under other options than the default ones
// Cases of sweeps and of relations have none. Digests are of little-endian bytes.

#ifndef ASSAY_VECTORS_GOLDEN_H
#define ASSAY_VECTORS_GOLDEN_H

#include "ref/base/digest.h"
#include "vectors/safetensors.h"
#include "yaml/suite.h"

enum {
    GOLDEN_INPUT_MAX = 2048,
    GOLDEN_HEX_MAX = 64, // elements whose bits stand in the manifest
    GOLDEN_CHUNK = 64 * 1024,
    GOLDEN_CHUNKS_MAX =
        256 * 1024, // 2^34 elements, 8 MiB of digests; beyond that a case asks for a window
    GOLDEN_SUITE_BYTES_MAX = 24 * 1024 * 1024,
};

enum golden_part { GOLDEN_WHOLE, GOLDEN_CHUNKS, GOLDEN_WINDOW, GOLDEN_UNDER };

// One stored tensor.
struct golden_tensor {
    const char *name; // in the file
    const char *of;   // the input's or output's name
    bool output;
    unsigned run;
    enum golden_part part;
    uint64_t first;             // GOLDEN_WINDOW: the element it starts at
    struct tensor tensor;       // dtype and shape as stored
    const unsigned char *bytes; // little-endian
    size_t size;
};

struct golden_case {
    const char *id;
    const char *line; // of the manifest, without the newline
    size_t count;
    const struct golden_tensor *tensor; // inputs, then outputs, in the operation's order
};

struct golden {
    const char *suite, *version;
    const char *suite_sha256; // of the suite's file; when read: NULL in manifests that do not say
    // The program that answered, as JSON: {"exec", "files": {NAME: SHA-256}}; NULL: the reference
    // did.
    const char *program;
    // The declarations of operators that its cases ask for, as JSON: {NAME: SHA-256 of its file};
    // NULL: there is none.
    const char *operators;
    size_t count;
    struct golden_case *cases; // in the order of ids
    struct arena *arenas;      // what the cases were made in
    size_t arena_count;
};

// Reads SUITE.jsonl and SUITE.safetensors of `folder`. ERROR_INPUT when a file is missing or
// malformed; whether the bytes are the right ones is another question (golden_compare, sums_check).
enum error golden_read(const char *folder, const char *suite, struct golden *golden,
                       struct diagnostic *diagnostic);

// Whether the manifest of the suite in `folder` was made from the suite as it is now: any edit to
// the suite file or to the declaration of an operator, even to a comment, is detected. A suite
// without a manifest there has no vectors to be compared with and passes. ERROR_INPUT when the
// manifest was made from other files; the diagnostic says what to do.
enum error golden_check_suite(const char *folder, const struct suite *suite,
                              struct diagnostic *diagnostic);

// The first operator of the suite whose declaration is not among `operators`, those of struct
// golden; NULL where all are, though others may have been.
const char *golden_changed_operator(const char *operators, const struct suite *suite);

// Replaces both files, first the tensors.
enum error golden_write(const char *folder, const struct golden *golden,
                        struct diagnostic *diagnostic);

// Release it also after an error.
void golden_release(struct golden *golden);

// Holds what was made against what the specification prints. ERROR_INVALID_ARGUMENT names case and
// element.
enum error golden_check_printed(const struct suite *suite, const struct golden *golden,
                                struct diagnostic *diagnostic);

// GOLDEN_RELABELLED: the same vectors, other requirements.
enum golden_change { GOLDEN_SAME, GOLDEN_ADDED, GOLDEN_REMOVED, GOLDEN_RELABELLED, GOLDEN_CHANGED };

// One difference between kept and made. `what` says which tensor and element, or which part of the
// line.
struct golden_difference {
    enum golden_change change;
    const char *id;
    char what[320];
};

// Finds the differences in the order of ids, at most `limit` of them, into `difference`; returns
// how many there are in all.
size_t golden_compare(const struct golden *kept, const struct golden *made,
                      struct golden_difference *difference, size_t limit);

// SHA-256 over all lines and tensors, for comparing builds.
enum error golden_digest(const struct golden *golden, char hex[DIGEST_HEX_SIZE],
                         struct diagnostic *diagnostic);

#endif
