// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/target_onnx.h"

#include <string.h>

#include "harness/cli/cli.h"

enum { PATH_SIZE = 4096 };

static const char script_of_onnx[] = "helper/onnx_target.py";

bool target_is_onnx(const char *text)
{
    return !strncmp(text, TARGET_ONNX, sizeof TARGET_ONNX - 1) && text[sizeof TARGET_ONNX - 1];
}

enum error target_of_script(const char *script, char *const *more, struct arena *arena,
                            struct target *target, struct diagnostic *diagnostic)
{
    char folder[PATH_SIZE], python[PATH_SIZE];
    size_t count = 0;
    cli_data_path("harness/targets", folder, sizeof folder);
    cli_built_path("venv/bin/python", python, sizeof python);
    while (more && more[count])
        count++;
    char **const program = arena_take_array(arena, count + 3, sizeof *program);
    if (!program)
        return diagnostic_no_memory(diagnostic);
    program[0] = arena_copy_text(arena, python, strlen(python));
    program[1] = arena_print(arena, "%s/%s", folder, script);
    if (count)
        memcpy(program + 2, more, count * sizeof *program);
    *target = (struct target){.path = program[1], .program = program};
    return program[0] && program[1] ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

enum error target_of_backend(const char *name, size_t length, struct arena *arena,
                             struct target *target, struct diagnostic *diagnostic)
{
    char *const copy = arena_copy_text(arena, name, length);
    if (!copy)
        return diagnostic_no_memory(diagnostic);
    char *const more[] = {copy + sizeof TARGET_ONNX - 1, NULL};
    const enum error error = target_of_script(script_of_onnx, more, arena, target, diagnostic);
    target->name = copy;
    return error;
}

enum error target_of_command(char *const *words, struct arena *arena, struct target *target,
                             struct diagnostic *diagnostic)
{
    static char command[] = "--command";
    size_t count = 0;
    while (words[count])
        count++;
    char **const more = arena_take_array(arena, count + 2, sizeof *more);
    if (!more)
        return diagnostic_no_memory(diagnostic);
    more[0] = command;
    memcpy(more + 1, words, count * sizeof *more);
    return target_of_script(script_of_onnx, more, arena, target, diagnostic);
}
