// SPDX-License-Identifier: Apache-2.0
// Sources that are bytes: files, standard input, and OpenSSL's ChaCha20.

#include "stats/source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/bytes.h"
#include "ref/base/file.h"

void source_close(struct source *source)
{
    if (source->close)
        source->close(source->context);
    *source = (struct source){0};
}

struct file {
    int descriptor;
    uint64_t position; // of a pipe, in words
};

// Reads as much as there is.
static enum error read_all(struct file *file, uint64_t at, void *to, size_t size, size_t *got,
                           struct diagnostic *diagnostic)
{
    return file_take(file->descriptor, at, to, size, got)
               ? ERROR_NONE
               : diagnostic_fail(diagnostic, ERROR_SYSTEM, "the source cannot be read: %s",
                                 strerror(errno));
}

static enum error read_file(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                            struct diagnostic *diagnostic)
{
    size_t bytes;
    const enum error error = read_all(context, first * 4, to, words * 4, &bytes, diagnostic);
    *got = bytes / 4;
    bytes_copy_little_endian(to, to, 4, *got);
    return error;
}

static enum error pipe_read(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                            struct diagnostic *diagnostic)
{
    struct file *const file = context;
    *got = 0;
    while (file->position < first) { // words before the first one asked for are dropped
        const uint64_t left = first - file->position;
        size_t bytes;
        const enum error error = read_all(
            file, FILE_HERE, to, (left < words ? (size_t)left : words) * 4, &bytes, diagnostic);
        if (error || !bytes)
            return error;
        file->position += bytes / 4;
    }
    size_t bytes;
    const enum error error = read_all(file, FILE_HERE, to, words * 4, &bytes, diagnostic);
    *got = bytes / 4;
    file->position += *got;
    bytes_copy_little_endian(to, to, 4, *got);
    return error;
}

static void file_close(void *context)
{
    struct file *const file = context;
    close(file->descriptor); // standard input too: the writer then ends at once
    free(file);
}

enum error source_open_file(struct source *source, const char *path, struct diagnostic *diagnostic)
{
    const int descriptor = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%s cannot be opened: %s",
                               path ? path : "standard input", strerror(errno));
    if (S_ISDIR(status.st_mode)) {
        close(descriptor);
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%s is a directory, not a file of words",
                               path ? path : "standard input");
    }
    struct file *const file = malloc(sizeof *file);
    if (!file) {
        if (path)
            close(descriptor);
        return diagnostic_no_memory(diagnostic);
    }
    *file = (struct file){descriptor, 0};
    const bool seekable = path && S_ISREG(status.st_mode);
    *source = (struct source){.name = path ? path : "stdin",
                              .random_access = seekable,
                              .context = file,
                              .read = seekable ? read_file : pipe_read,
                              .close = file_close};
    return ERROR_NONE;
}

struct chacha {
    unsigned char key[32];
};

// OpenSSL's IV holds the 64-bit block counter (little-endian) and the nonce; a block is 64 bytes.
static enum error chacha_read(void *context, uint64_t first, size_t words, uint32_t *to,
                              size_t *got, struct diagnostic *diagnostic)
{
    const struct chacha *const chacha = context;
    unsigned char iv[16] = {0};
    const uint64_t block = first / 16;
    for (int i = 0; i < 8; i++)
        iv[i] = (unsigned char)(block >> 8 * i);
    *got = 0;
    EVP_CIPHER_CTX *const cipher = EVP_CIPHER_CTX_new();
    int n;
    bool ok = cipher && EVP_EncryptInit_ex(cipher, EVP_chacha20(), NULL, chacha->key, iv) == 1;
    memset(to, 0, words * 4);
    ok = ok && EVP_EncryptUpdate(cipher, (unsigned char *)to, &n, (const unsigned char *)to,
                                 (int)(words * 4)) == 1;
    EVP_CIPHER_CTX_free(cipher);
    if (!ok)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "OpenSSL's ChaCha20 failed");
    bytes_copy_little_endian(to, to, 4, words);
    *got = words;
    return ERROR_NONE;
}

enum error source_open_chacha(struct source *source, uint64_t seed, struct diagnostic *diagnostic)
{
    struct chacha *const chacha = calloc(1, sizeof *chacha);
    if (!chacha)
        return diagnostic_no_memory(diagnostic);
    for (int i = 0; i < 8; i++)
        chacha->key[i] = (unsigned char)(seed >> 8 * i);
    *source = (struct source){.name = "chacha20",
                              .random_access = true,
                              .context = chacha,
                              .read = chacha_read,
                              .close = free,
                              .reach = 63,
                              .seed_bits = 64};
    return ERROR_NONE;
}
