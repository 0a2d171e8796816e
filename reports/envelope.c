// SPDX-License-Identifier: Apache-2.0
// DSSE envelopes with Ed25519 signatures by OpenSSL.

#include "reports/envelope.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/digest.h"
#include "reports/shape.h"

enum { SIGNATURE_SIZE = 64 };

static const struct shape signature_fields[] = {
    {.key = "keyid", .kind = SHAPE_TEXT},
    {.key = "sig", .kind = SHAPE_TEXT, .needed = true},
    {0},
};
static const struct shape envelope_shape[] = {
    {.key = "payloadType", .kind = SHAPE_TEXT, .needed = true},
    {.key = "payload", .kind = SHAPE_TEXT, .needed = true},
    {.key = "signatures", SHAPE_OBJECTS(signature_fields), .needed = true, .most = 16},
    {0},
};

// ---- keys -------------------------------------------------------------------

// The diagnostic of a failed call of OpenSSL or of the system: out of memory, or its own text.
static enum error key_failed(struct diagnostic *diagnostic, const char *path, const char *what)
{
    if (errno == ENOMEM)
        return diagnostic_no_memory(diagnostic);
    return diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s: %s", path, what);
}

// A private key from PEM; for checking also a public one.
static enum error read_key(const char *path, bool private_half, EVP_PKEY **key,
                           struct diagnostic *diagnostic)
{
    errno = 0;
    FILE *const file = fopen(path, "re");
    if (!file)
        return key_failed(diagnostic, path, "the key cannot be opened");
    *key = private_half ? NULL : PEM_read_PUBKEY(file, NULL, NULL, NULL);
    rewind(file);
    if (!*key)
        *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    fclose(file);
    if (!*key)
        return key_failed(diagnostic, path,
                          private_half ? "no private key in PEM form" : "no key in PEM form");
    if (EVP_PKEY_id(*key) != EVP_PKEY_ED25519) {
        EVP_PKEY_free(*key);
        *key = NULL;
        return key_failed(
            diagnostic, path,
            "the key is not an Ed25519 key; `openssl genpkey -algorithm ed25519` makes one");
    }
    return ERROR_NONE;
}

static enum error key_id(EVP_PKEY *key, char hex[DIGEST_HEX_SIZE], struct diagnostic *diagnostic)
{
    unsigned char *der = NULL, digest[DIGEST_SIZE];
    const int size = i2d_PUBKEY(key, &der);
    enum error error =
        size > 0 ? digest_of(der, (size_t)size, digest, diagnostic)
                 : diagnostic_fail(diagnostic, ERROR_INTERNAL, "the key has no public half");
    if (!error)
        digest_write_hex(digest, hex);
    OPENSSL_free(der);
    return error;
}

// ---- bytes ------------------------------------------------------------------

// What DSSE signs: "DSSEv1", then type and payload, each after its length in decimal digits.
static void put_signed_bytes(struct text *text, const char *type, const char *payload, size_t size)
{
    char head[256];
    const int length = snprintf(head, sizeof head, "DSSEv1 %zu %s %zu ", strlen(type), type, size);
    if (length < 0 || (size_t)length >= sizeof head) {
        text->failed = true;
        return;
    }
    text_put_bytes(text, head, (size_t)length);
    text_put_bytes(text, payload, size);
}

static void put_base64(struct text *text, const unsigned char *bytes, size_t size)
{
    // Groups of 3 bytes at a time, so that lengths fit OpenSSL's int.
    while (size) {
        unsigned char digits[4 * 4096 + 1];
        const size_t part = size < 3 * 4096 ? size : 3 * 4096;
        const int length = EVP_EncodeBlock(digits, bytes, (int)part);
        text_put_bytes(text, (const char *)digits, (size_t)length);
        bytes += part;
        size -= part;
    }
}

// Strict: four digits a group, padding only at the end, no white space; `what` names the text in
// the message about anything else.
static enum error decode_base64(const struct document_node *node, const char *what,
                                struct arena *arena, unsigned char **bytes, size_t *size,
                                struct diagnostic *diagnostic)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *const text = node->text;
    const size_t length = node->count;
    size_t padding = 0;
    while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
        padding++;
    bool good = length % 4 == 0 && length <= 1U << 30 && strspn(text, digits) == length - padding;
    if (good && !(*bytes = arena_take(arena, length / 4 * 3 + 1)))
        return diagnostic_no_memory(diagnostic);
    good = good && EVP_DecodeBlock(*bytes, (const unsigned char *)text, (int)length) >= 0;
    struct text again = {0};
    if (good) {
        // The bits that padding leaves over must be zero: each byte string has one spelling.
        *size = length / 4 * 3 - padding;
        put_base64(&again, *bytes, *size);
        good = again.size == length && (!length || !memcmp(again.bytes, text, length));
    }
    const enum error error =
        again.failed ? diagnostic_no_memory(diagnostic)
        : good       ? ERROR_NONE
                     : document_fail(node, ERROR_INPUT, diagnostic, "%s is not in base64", what);
    text_release(&again);
    return error;
}

// ---- signing ----------------------------------------------------------------

enum error envelope_sign(struct text *text, const char *payload, size_t size, const char *key,
                         struct diagnostic *diagnostic)
{
    EVP_PKEY *pkey = NULL;
    EVP_MD_CTX *const context = EVP_MD_CTX_new();
    struct text signed_bytes = {0}, base64 = {0};
    unsigned char signature[SIGNATURE_SIZE];
    size_t signature_size = sizeof signature;
    char id[DIGEST_HEX_SIZE] = "";
    enum error error = read_key(key, true, &pkey, diagnostic);
    if (!error)
        error = key_id(pkey, id, diagnostic);
    put_signed_bytes(&signed_bytes, ENVELOPE_PAYLOAD_TYPE, payload, size);
    if (!error && (!context || signed_bytes.failed))
        error = diagnostic_no_memory(diagnostic);
    if (!error &&
        (EVP_DigestSignInit(context, NULL, NULL, NULL, pkey) != 1 ||
         EVP_DigestSign(context, signature, &signature_size,
                        (const unsigned char *)signed_bytes.bytes, signed_bytes.size) != 1))
        error = key_failed(diagnostic, key, "OpenSSL could not sign with it");
    if (!error) {
        json_begin_object(text);
        json_put_pair(text, "payloadType", ENVELOPE_PAYLOAD_TYPE);
        json_put_key(text, "payload");
        put_base64(&base64, (const unsigned char *)payload, size);
        json_put_string(text, base64.bytes ? base64.bytes : "");
        json_begin_list_at(text, "signatures");
        json_begin_object(text);
        json_put_pair(text, "keyid", id);
        text_clear(&base64);
        put_base64(&base64, signature, signature_size);
        json_put_pair(text, "sig", base64.bytes ? base64.bytes : "");
        json_end_object(text);
        json_end_list(text);
        json_end_object(text);
        if (text->failed || base64.failed)
            error = diagnostic_no_memory(diagnostic);
    }
    text_release(&signed_bytes);
    text_release(&base64);
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(pkey);
    return error;
}

// ---- opening ----------------------------------------------------------------

static enum error check_signature(EVP_PKEY *pkey, const char *type,
                                  const struct document_source *payload,
                                  const unsigned char *signature, size_t size, bool *holds,
                                  struct diagnostic *diagnostic)
{
    EVP_MD_CTX *const context = EVP_MD_CTX_new();
    struct text signed_bytes = {0};
    put_signed_bytes(&signed_bytes, type, payload->text, payload->size);
    const bool begun = context && !signed_bytes.failed &&
                       EVP_DigestVerifyInit(context, NULL, NULL, NULL, pkey) == 1;
    const bool good = begun && EVP_DigestVerify(context, signature, size,
                                                (const unsigned char *)signed_bytes.bytes,
                                                signed_bytes.size) == 1;
    *holds = *holds || good;
    text_release(&signed_bytes);
    EVP_MD_CTX_free(context);
    return begun ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

static enum error check_signatures(const struct document_node *root, const char *type,
                                   const char *key, const struct document_source *payload,
                                   struct arena *arena, struct diagnostic *diagnostic)
{
    EVP_PKEY *pkey = NULL;
    const struct document_node *const signatures = document_find(root, "signatures");
    enum error error = read_key(key, false, &pkey, diagnostic);
    bool holds = false;
    for (size_t i = 0; !error && i < signatures->count; i++) {
        const struct document_node *const sig = document_find(signatures->item[i], "sig");
        unsigned char *signature;
        size_t size;
        error = decode_base64(sig, "the signature", arena, &signature, &size, diagnostic);
        if (!error)
            error = check_signature(pkey, type, payload, signature, size, &holds, diagnostic);
    }
    EVP_PKEY_free(pkey);
    if (!error && !signatures->count)
        return document_fail(signatures, ERROR_INPUT, diagnostic,
                             "there is no signature: an unsigned statement is not a certificate");
    return error || holds
               ? error
               : document_fail(
                     signatures, ERROR_INPUT, diagnostic,
                     "no signature matches this payload and key: one of them was changed, or "
                     "another key signed");
}

enum error envelope_open(const struct document_node *root, const char *key, struct arena *arena,
                         struct document_source *payload, struct diagnostic *diagnostic)
{
    enum error error = shape_check(root, envelope_shape, diagnostic);
    if (error)
        return error;
    const struct document_node *const encoded = document_find(root, "payload"),
                                      *const type = document_find(root, "payloadType");
    unsigned char *bytes;
    size_t size;
    if (strcmp(type->text, ENVELOPE_PAYLOAD_TYPE) != 0)
        return document_fail(type, ERROR_INPUT, diagnostic,
                             "the payload is '%.80s', not " ENVELOPE_PAYLOAD_TYPE, type->text);
    error = decode_base64(encoded, "the payload", arena, &bytes, &size, diagnostic);
    if (error)
        return error;
    *payload =
        (struct document_source){.name = "payload", .text = (const char *)bytes, .size = size};
    return key ? check_signatures(root, type->text, key, payload, arena, diagnostic) : ERROR_NONE;
}
