// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) by OpenSSL.

#ifndef ASSAY_REF_BASE_DIGEST_H
#define ASSAY_REF_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "ref/base/error.h"

enum { DIGEST_SIZE = 32, DIGEST_HEX_SIZE = 2 * DIGEST_SIZE + 1 };

// A digest under way; it holds nothing that must be given back, and may be copied. Zero-initialised
// is not begun.
struct digest {
    uint64_t state[16];
};

// Begins a digest, or begins it anew. Everything that fails here is ERROR_INTERNAL.
enum error digest_begin(struct digest *digest, struct diagnostic *diagnostic);
enum error digest_add(struct digest *digest, const void *bytes, size_t size,
                      struct diagnostic *diagnostic);
// Gives the digest of all that was added; `digest` may then be begun again.
enum error digest_end(struct digest *digest, unsigned char result[DIGEST_SIZE],
                      struct diagnostic *diagnostic);

// The digest of `size` bytes.
enum error digest_of(const void *bytes, size_t size, unsigned char result[DIGEST_SIZE],
                     struct diagnostic *diagnostic);

// 64 lower-case digits and a NUL.
void digest_write_hex(const unsigned char digest[DIGEST_SIZE], char hex[DIGEST_HEX_SIZE]);

#endif
