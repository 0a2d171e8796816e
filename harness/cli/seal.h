// SPDX-License-Identifier: Apache-2.0
// Statements and certificates as files: for `report`, which makes one of kept results, and for
// `certify --sign`.

#ifndef ASSAY_HARNESS_CLI_SEAL_H
#define ASSAY_HARNESS_CLI_SEAL_H

#include <stdint.h>

#include "ref/base/error.h"

struct results;
struct tally;

// Writes both statements about the target to `path`, a line each: bare, or,
// with a private key (PEM), in signed envelopes, which is a certificate. ERROR_INVALID_ARGUMENT
// when the target may not have one.
enum error seal_write(const char *path, const char *key, const struct results *results,
                      const struct tally *tally, uint32_t target, struct diagnostic *diagnostic);

// Whether the key can sign: asked before a long run. ERROR_INPUT when it cannot.
enum error seal_check_key(const char *key, struct diagnostic *diagnostic);

// For results that have just come of a run and are kept at `path`: the statement of every target
// beside it, and with a key the certificate of every target that may have one. Prints a line for
// each file, and why there is none.
enum error seal_results(const char *path, const char *key, const struct results *results,
                        const struct tally *tally, struct diagnostic *diagnostic);

#endif
