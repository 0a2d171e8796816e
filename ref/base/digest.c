// SPDX-License-Identifier: Apache-2.0
// SHA-256 by OpenSSL's EVP interface, which picks the machine's SHA instructions itself.

#include "ref/base/digest.h"

#include <openssl/evp.h>

static enum error failed(struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INTERNAL, "SHA-256 is not available from OpenSSL, or there is no memory");
}

enum error digest_begin(struct digest *digest, struct diagnostic *diagnostic)
{
    if (!digest->context)
        digest->context = EVP_MD_CTX_new();
    return digest->context && EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL) ? ERROR_NONE : failed(diagnostic);
}

enum error digest_add(struct digest *digest, const void *bytes, size_t size, struct diagnostic *diagnostic)
{
    return EVP_DigestUpdate(digest->context, bytes, size) ? ERROR_NONE : failed(diagnostic);
}

enum error digest_end(struct digest *digest, unsigned char result[DIGEST_SIZE], struct diagnostic *diagnostic)
{
    return EVP_DigestFinal_ex(digest->context, result, NULL) ? ERROR_NONE : failed(diagnostic);
}

void digest_release(struct digest *digest)
{
    EVP_MD_CTX_free(digest->context);
    digest->context = NULL;
}

enum error digest_of(const void *bytes, size_t size, unsigned char result[DIGEST_SIZE], struct diagnostic *diagnostic)
{
    return EVP_Digest(bytes, size, result, NULL, EVP_sha256(), NULL) ? ERROR_NONE : failed(diagnostic);
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
