// SPDX-License-Identifier: Apache-2.0
// A certification of answers that were recorded: the record stands in for the target, its machine
// for this one, and the files that it names for those that lie here.

#ifndef ASSAY_HARNESS_CLI_CERTIFY_RECORDED_H
#define ASSAY_HARNESS_CLI_CERTIFY_RECORDED_H

#include "harness/cli/certify/work.h"
#include "harness/host/record/record.h"

#define RECORDED_SIGNATURE "record.signature"
#define RECORDED_PREDICATE "urn:assay:record:1"

// Reads the record that the arguments name, checks its signature where they ask for that, and makes
// it the only target.
enum error recorded_open(struct certify_work *work, struct diagnostic *diagnostic);

// What the record says of the target's files and of its end.
enum error recorded_take_session(struct certify_work *work, struct certify_session *session,
                                 struct diagnostic *diagnostic);

// Appends the signature of a record whose digest is `sha256`, by the private key in a PEM file.
enum error recorded_sign(struct text *text, const char *key, const char *target,
                         const char *recorded, const char *sha256, struct diagnostic *diagnostic);

#endif
