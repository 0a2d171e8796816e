// SPDX-License-Identifier: Apache-2.0
// Targets for ONNX operators: whatever runs an ONNX model, behind harness/targets/helper/
// onnx_target.py.

#ifndef ASSAY_HARNESS_CLI_TARGET_ONNX_H
#define ASSAY_HARNESS_CLI_TARGET_ONNX_H

#include "harness/cli/target.h"
#include "ref/base/arena.h"
#include "ref/base/error.h"

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

// The target of the command whose words these are. It has no name yet.
enum error target_of_command(char *const *words, struct arena *arena, struct target *target,
                             struct diagnostic *diagnostic);

#endif
