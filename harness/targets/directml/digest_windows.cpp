// SPDX-License-Identifier: Apache-2.0
// SHA-256 by Windows' own library (BCryptHash, from Windows 10 on).

#include <stdexcept>

#include <windows.h>

#include <bcrypt.h>

#include "record.hpp"

std::string sha256(const void *bytes, size_t size)
{
    unsigned char digest[32];
    BCRYPT_ALG_HANDLE algorithm = nullptr;
    BCRYPT_HASH_HANDLE hash = nullptr;
    bool good = BCRYPT_SUCCESS(
                    BCryptOpenAlgorithmProvider(&algorithm, BCRYPT_SHA256_ALGORITHM, nullptr, 0)) &&
                BCRYPT_SUCCESS(BCryptCreateHash(algorithm, &hash, nullptr, 0, nullptr, 0, 0));
    const unsigned char *at = static_cast<const unsigned char *>(bytes);
    while (good && size) { // a length has 32 bits there
        const ULONG some = size > 1u << 30 ? 1u << 30 : static_cast<ULONG>(size);
        good = BCRYPT_SUCCESS(BCryptHashData(hash, const_cast<unsigned char *>(at), some, 0));
        at += some;
        size -= some;
    }
    good = good && BCRYPT_SUCCESS(BCryptFinishHash(hash, digest, sizeof digest, 0));
    if (hash)
        BCryptDestroyHash(hash);
    if (algorithm)
        BCryptCloseAlgorithmProvider(algorithm, 0);
    if (!good)
        throw std::runtime_error("Windows computes no SHA-256");
    return hexadecimal(digest, sizeof digest);
}
