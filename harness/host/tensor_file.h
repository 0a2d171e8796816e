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

// Reads `count` elements of the tensor `name` into `data`, after checking that the file, which the
// target wrote, says that it has just the dtype `dtype` and so many elements. Symbolic links, holes
// in the header and wrong sizes are refused.
enum error tensor_file_read(int directory, const char *file, const char *name, enum dtype dtype,
                            uint64_t count, void *data, struct diagnostic *diagnostic);

#endif
