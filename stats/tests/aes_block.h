// SPDX-License-Identifier: Apache-2.0
// AES-128 of OpenSSL as a block function: what a random function looks like to the avalanche.

#ifndef ASSAY_STATS_TESTS_AES_BLOCK_H
#define ASSAY_STATS_TESTS_AES_BLOCK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/evp.h>

#include "stats/source/avalanche.h"

struct aes {
    unsigned input_words, output_words;
    uint32_t mask; // of each word of the output
};

static int aes_encrypt(unsigned key, const uint32_t (*from)[4], size_t count, uint32_t (*to)[4])
{
    const unsigned char bytes[16] = {(unsigned char)key};
    EVP_CIPHER_CTX *const cipher = EVP_CIPHER_CTX_new();
    int size = 0;
    const int good = cipher &&
                     EVP_EncryptInit_ex(cipher, EVP_aes_128_ecb(), NULL, bytes, NULL) == 1 &&
                     EVP_EncryptUpdate(cipher, (unsigned char *)to, &size,
                                       (const unsigned char *)from, (int)(count * 16)) == 1;
    EVP_CIPHER_CTX_free(cipher);
    return good;
}

// The input in groups of four words, chained; the last block, and under another key once more.
// `context`: a struct aes.
static enum error aes_evaluate(const void *context, const uint32_t *input, size_t count,
                               uint32_t *output, struct diagnostic *diagnostic)
{
    const struct aes *const aes = context;
    uint32_t(*const block)[4] = calloc(count, sizeof *block),
                    (*const next)[4] = calloc(count, sizeof *next);
    int good = block && next;
    for (unsigned w = 0; w < aes->input_words && good; w += 4) {
        for (size_t i = 0; i < count; i++)
            for (unsigned j = w; j < w + 4 && j < aes->input_words; j++)
                block[i][j - w] ^= input[i * BLOCK_INPUT_MAX + j];
        good = aes_encrypt(1, (const uint32_t(*)[4])block, count, next);
        memcpy(block, next, count * sizeof *block);
    }
    if (aes->output_words > 4)
        good = good && aes_encrypt(2, (const uint32_t(*)[4])block, count, next);
    for (size_t i = 0; i < count && good; i++)
        for (unsigned w = 0; w < aes->output_words; w++)
            output[i * BLOCK_OUTPUT_MAX + w] = (w < 4 ? block[i][w] : next[i][w - 4]) & aes->mask;
    free(block);
    free(next);
    return good ? ERROR_NONE : diagnostic_fail(diagnostic, ERROR_SYSTEM, "OpenSSL's AES failed");
}

#endif
