// SPDX-License-Identifier: Apache-2.0
// SHA-256 by OpenSSL, where the runner is tested.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <openssl/evp.h>

#include "record.hpp"

std::string sha256(const void *bytes, size_t size)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    char pair[3];
    std::string hex;
    if (!EVP_Digest(bytes, size, digest, &length, EVP_sha256(), nullptr))
        throw std::runtime_error("OpenSSL computes no SHA-256");
    for (unsigned i = 0; i < length; i++) {
        std::snprintf(pair, sizeof pair, "%02x", digest[i]);
        hex += pair;
    }
    return hex;
}

std::string sha256_of_file(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error("cannot open " + path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return sha256(text.data(), text.size());
}
