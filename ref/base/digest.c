// SPDX-License-Identifier: Apache-2.0
// SHA-256 by OpenSSL's direct functions, which pick the machine's SHA instructions like its EVP
// interface but need no memory: EVP sets up a library of providers first (5,000 allocations, some
// milliseconds of each start), and where one of those fails, OpenSSL 3.0 goes on with a null
// pointer.

#define OPENSSL_SUPPRESS_DEPRECATED

#include "ref/base/digest.h"

#include <openssl/sha.h>

_Static_assert(sizeof(SHA256_CTX) <= sizeof((struct digest){0}.state),
               "OpenSSL's state fits its place");

static SHA256_CTX *state(struct digest *digest)
{
    return (SHA256_CTX *)(void *)digest->state;
}

static enum error failed(struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INTERNAL, "SHA-256 is not available from OpenSSL");
}

enum error digest_begin(struct digest *digest, struct diagnostic *diagnostic)
{
    return SHA256_Init(state(digest)) ? ERROR_NONE : failed(diagnostic);
}

enum error digest_add(struct digest *digest, const void *bytes, size_t size,
                      struct diagnostic *diagnostic)
{
    return SHA256_Update(state(digest), bytes, size) ? ERROR_NONE : failed(diagnostic);
}

enum error digest_end(struct digest *digest, unsigned char result[DIGEST_SIZE],
                      struct diagnostic *diagnostic)
{
    return SHA256_Final(result, state(digest)) ? ERROR_NONE : failed(diagnostic);
}

enum error digest_of(const void *bytes, size_t size, unsigned char result[DIGEST_SIZE],
                     struct diagnostic *diagnostic)
{
    struct digest digest;
    enum error error = digest_begin(&digest, diagnostic);
    if (!error)
        error = digest_add(&digest, bytes, size, diagnostic);
    return error ? error : digest_end(&digest, result, diagnostic);
}

void digest_write_hex(const unsigned char digest[DIGEST_SIZE], char hex[DIGEST_HEX_SIZE])
{
    static const char digit[] = "0123456789abcdef";
    for (unsigned i = 0; i < DIGEST_SIZE; i++) {
        hex[2 * i] = digit[digest[i] >> 4];
        hex[2 * i + 1] = digit[digest[i] & 15];
    }
    hex[2 * DIGEST_SIZE] = '\0';
}
