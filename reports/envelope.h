// SPDX-License-Identifier: Apache-2.0
// DSSE envelopes (https://github.com/secure-systems-lab/dsse, version 1) with Ed25519 signatures by
// OpenSSL. What is signed is the type and the payload, each with its length, so that neither can be
// read as the other.

#ifndef ASSAY_REPORTS_ENVELOPE_H
#define ASSAY_REPORTS_ENVELOPE_H

#include <stddef.h>

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"
#include "ref/base/json.h"

#define ENVELOPE_PAYLOAD_TYPE "application/vnd.in-toto+json"
#define STATEMENT_TYPE "https://in-toto.io/Statement/v1" // of every payload
// Before the names of files that lie on another machine, where answers were recorded.
#define STATEMENT_ELSEWHERE "recorded/"

// Appends the envelope of `payload` to `text`, without a newline, signed with the private key in
// the PEM file `key`. The key's id is the SHA-256 of its public half (SubjectPublicKeyInfo, DER).
// ERROR_INPUT when the key cannot be used.
enum error envelope_sign(struct text *text, const char *payload, size_t size, const char *key,
                         struct diagnostic *diagnostic);

// The payload of a parsed envelope, once a signature of it was verified with the public (or
// private) key in the PEM file `key`; with `key` NULL nothing is verified. Memory is the arena's.
// ERROR_INPUT with what is wrong.
enum error envelope_open(const struct document_node *root, const char *key, struct arena *arena,
                         struct document_source *payload, struct diagnostic *diagnostic);

#endif
