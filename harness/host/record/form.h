// SPDX-License-Identifier: Apache-2.0
// The form in which requests travel to another machine and answers come back: a folder with lines
// of JSON (NAME.jsonl) and the bytes of tensors beside them (NAME.data).
//
// The last member of each line is "sha256", over the bytes of the line before the ", " that stands
// before it. The first line is a header ("record": "header", "format"), the last a footer: how many
// lines lie between, SHA-256 over all lines before it, size and SHA-256 of NAME.data. A tensor is
// {"dtype", "shape", "at", "sha256"}: its elements, little-endian and row-major, begin at byte `at`
// of NAME.data; tensors with the same bytes may share them, and of a window of an output "window"
// says how many elements it has. So a changed byte has a place.

#ifndef ASSAY_HARNESS_HOST_RECORD_FORM_H
#define ASSAY_HARNESS_HOST_RECORD_FORM_H

#include <stdio.h>

#include "ref/base/arena.h"
#include "ref/base/digest.h"
#include "ref/base/document.h"
#include "ref/base/error.h"
#include "ref/base/tensor.h"

enum { FORM_PATH_SIZE = 4096 };

// ---- writing ----------------------------------------------------------------

struct form_writer;

// Begins folder `folder`, which is not there yet or empty, beside its place. *writer is NULL after
// an error. Later errors are kept, and returned by form_close.
enum error form_begin(const char *folder, const char *name, struct form_writer **writer,
                      struct diagnostic *diagnostic);

// In an open object: the four members of a tensor with the type and shape of `like` and `count`
// elements at `data`.
void form_put_tensor(struct form_writer *writer, struct text *text, const struct tensor *like,
                     uint64_t count, const void *data);

// Ends the object that `text` holds by its digest and adds it as the next line. The text is empty
// afterwards.
void form_put_line(struct form_writer *writer, struct text *text);

// Keeps the first error.
void form_fail(struct form_writer *writer, enum error error, const struct diagnostic *diagnostic);

uint64_t form_lines(const struct form_writer *writer);
uint64_t form_bytes(const struct form_writer *writer); // of data

// Writes all files; `header` is the object of the first line, still open. `sha256` is that of
// NAME.jsonl, by which the whole is named.
enum error form_close(struct form_writer *writer, struct text *header, char sha256[DIGEST_HEX_SIZE],
                      struct diagnostic *diagnostic);

// After form_close: adds a file to the folder.
enum error form_add_file(struct form_writer *writer, const char *name, const char *bytes,
                         size_t size, struct diagnostic *diagnostic);

// Puts the folder into its place. What is not committed is removed by the release.
enum error form_commit(struct form_writer *writer, struct diagnostic *diagnostic);
void form_release(struct form_writer *writer);

// ---- reading ----------------------------------------------------------------

struct form {
    char data_path[FORM_PATH_SIZE], lines_path[FORM_PATH_SIZE];
    struct document_source *line; // whole lines in order, header and footer apart
    size_t count;
    struct document_source header;
    char sha256[DIGEST_HEX_SIZE]; // of NAME.jsonl
    const unsigned char *data;
    uint64_t size;
    char data_sha256[DIGEST_HEX_SIZE]; // that the footer gives
};

// Reads the folder with every digest of a line checked. ERROR_INPUT with the file and line of what
// is missing, changed, cut off or no such thing. Memory is the arena's.
enum error form_read(const char *folder, const char *name, struct arena *arena, struct form *form,
                     struct diagnostic *diagnostic);

// Checks that the line has no keys but `keys` (NULL-terminated; "sha256" is another).
enum error form_only_keys(const struct document_node *node, const char *const *keys,
                          struct diagnostic *diagnostic);

// Type and shape of the tensor that `node` is; its data are not looked at.
enum error form_take_type(const struct document_node *node, struct tensor *tensor,
                          struct diagnostic *diagnostic);

// The tensor that `node` is, its digest checked; `tensor->data` are its little-endian bytes in
// form->data. ERROR_INPUT.
enum error form_take_tensor(const struct form *form, const struct document_node *node,
                            struct tensor *tensor, uint64_t *count, struct diagnostic *diagnostic);

// Once all tensors were taken: that the bytes between them are unchanged too.
enum error form_check_data(const struct form *form, struct diagnostic *diagnostic);

#endif
