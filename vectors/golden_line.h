// SPDX-License-Identifier: Apache-2.0
// A line of the manifest, put together. Private to vectors.

#ifndef ASSAY_VECTORS_GOLDEN_LINE_H
#define ASSAY_VECTORS_GOLDEN_LINE_H

#include "ref/base/digest.h"
#include "ref/base/json.h"
#include "ref/base/tensor.h"
#include "vectors/golden.h"

enum { GOLDEN_MANIFEST_FORMAT = 1 };

// What struct golden says of the suite's declared operators; NULL where there is none.
enum error golden_line_operators(const struct suite *suite, struct arena *arena,
                                 const char **operators, struct diagnostic *diagnostic);

// The head line: {"manifest": 1, "suite", "version", "suite_sha256", "cases"}.
void golden_line_head(struct text *line, const struct golden *golden);

// Opens the line of a case: id, requirements, op, level, profile, attributes, outputs wanted,
// window and runs as in `node`.
void golden_line_begin(struct text *line, const struct suite *suite, const struct suite_case *of,
                       const struct document_node *node);

// {"dtype", "shape", "window", "sha256", "bits"}: `count` native elements at `data`; the bits only
// up to GOLDEN_HEX_MAX.
void golden_line_tensor(struct text *line, const struct tensor *tensor, const void *data,
                        uint64_t count, const uint64_t window[2],
                        const unsigned char digest[DIGEST_SIZE]);

// {"dtype", "shape", "chunks", "sha256_of_chunks"}.
void golden_line_chunks(struct text *line, const struct tensor *tensor, uint64_t chunks,
                        const unsigned char digest[DIGEST_SIZE]);

// "survive": WHY, of what is undefined.
void golden_line_survival(struct text *line, const char *why);

// "reject": {"code", "because"}.
void golden_line_refusal(struct text *line, enum error error, const char *because);

#endif
