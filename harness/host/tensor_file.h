// SPDX-License-Identifier: Apache-2.0
// Tensors above 64 elements go to and from process targets in safetensors files, one tensor a file
// when we write. The format: 8 bytes header length (little-endian), a JSON header {name: {dtype,
// shape, data_offsets}}, the data, little-endian.

#ifndef ASSAY_HARNESS_HOST_TENSOR_FILE_H
#define ASSAY_HARNESS_HOST_TENSOR_FILE_H

#include "ref/base/error.h"
#include "ref/base/tensor.h"

// Writes `tensor` under `name` into the new file `file` of the open directory.
enum error tensor_file_write(int directory, const char *file, const char *name,
                             const struct tensor *tensor, struct diagnostic *diagnostic);

// Reads the tensor `name` into the data of `wanted`, after checking that the file, which the target
// wrote, says that it has just its dtype and shape; `window`: the number of elements where it holds
// a part of it, in any shape (0: all). Symbolic links, holes in the header, wrong sizes and bytes
// that no tensor of the file has are refused.
enum error tensor_file_read(int directory, const char *file, const char *name,
                            const struct tensor *wanted, uint64_t window,
                            struct diagnostic *diagnostic);

#endif
