// SPDX-License-Identifier: Apache-2.0
// A target, made of what names it: a plugin's file, a command, a script of harness/targets, or
// whatever runs an ONNX model, behind harness/targets/helper/onnx_target.py.

#ifndef ASSAY_HARNESS_CLI_TARGET_OF_H
#define ASSAY_HARNESS_CLI_TARGET_OF_H

#include "harness/cli/target.h"
#include "ref/base/arena.h"
#include "ref/base/error.h"

// The target that the file `plugin` is, under the file's name.
enum error target_of_plugin(const char *plugin, struct arena *arena, struct target *target,
                            struct diagnostic *diagnostic);

// The target that a program with its arguments is, parted by spaces, under its file's name. Words
// that are files below `folder` ("" or one that ends in a slash) are meant so.
enum error target_of_program(const char *program, const char *folder, struct arena *arena,
                             struct target *target, struct diagnostic *diagnostic);

// What stands before the name of a backend, "onnx:onnxruntime", and before the words of a command,
// "onnx:runner {model} {inputs} {outputs}".
#define TARGET_ONNX "onnx:"

// Whether `text` begins so and goes on.
bool target_is_onnx(const char *text);

// The target that a script of harness/targets is, run by the virtual environment's Python with
// `more` words behind it (NULL-terminated; NULL: none). Memory is the arena's.
enum error target_of_script(const char *script, char *const *more, struct arena *arena,
                            struct target *target, struct diagnostic *diagnostic);

// The target "onnx:MODULE", "onnx:MODULE@DEVICE", `length` bytes of `name`; its name is a copy.
enum error target_of_backend(const char *name, size_t length, struct arena *arena,
                             struct target *target, struct diagnostic *diagnostic);

#endif
