// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/target_of.h"

#include <string.h>
#include <sys/stat.h>

#include "harness/cli/cli.h"
#include "ref/base/file.h"

enum { PATH_SIZE = 4096, PROGRAM_WORDS_MAX = 32 };

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

// The target of the command whose words these are, which reads and writes ONNX files. It has no
// name yet.
static enum error target_of_command(char *const *words, struct arena *arena, struct target *target,
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

// The file that a program of several words is: of an interpreter with its script, the script.
static const char *program_file(char *const *words)
{
    struct stat status;
    for (size_t i = 1; words[i]; i++)
        if (!stat(words[i], &status) && S_ISREG(status.st_mode))
            return words[i];
    return words[0];
}

// A word of a command, as a path where it is a file below `folder`.
static char *take_word(const char *at, size_t length, const char *folder, struct arena *arena)
{
    char *const word = arena_print(arena, "%s%.*s", folder, (int)length, at);
    struct stat status;
    if (!word || (folder[0] && at[0] != '/' && !stat(word, &status) && S_ISREG(status.st_mode)))
        return word;
    return arena_copy_text(arena, at, length);
}

enum error target_of_program(const char *program, const char *folder, struct arena *arena,
                             struct target *target, struct diagnostic *diagnostic)
{
    char **const words = arena_take_array(arena, PROGRAM_WORDS_MAX + 1, sizeof *words);
    if (!words)
        return diagnostic_no_memory(diagnostic);
    size_t count = 0;
    const bool onnx = target_is_onnx(program); // a command that reads and writes ONNX files
    const char *const start = onnx ? program + sizeof TARGET_ONNX - 1 : program;
    for (const char *at = start + strspn(start, " "); *at && count < PROGRAM_WORDS_MAX;
         at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        words[count] = take_word(at, length, folder, arena);
        if (!words[count++])
            return diagnostic_no_memory(diagnostic);
        at += length;
        if (count == PROGRAM_WORDS_MAX && at[strspn(at, " ")])
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "the command '%.40s...' has more than %d words", program,
                                   PROGRAM_WORDS_MAX);
    }
    if (!count)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "a target's command is empty");
    const char *const file = program_file(words);
    *target = (struct target){.path = file, .program = words};
    const enum error error =
        onnx ? target_of_command(words, arena, target, diagnostic) : ERROR_NONE;
    target->name = file_stem(file, arena);
    return error ? error : target->name ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// dlopen looks in the system's folders for a name without a slash.
enum error target_of_plugin(const char *plugin, struct arena *arena, struct target *target,
                            struct diagnostic *diagnostic)
{
    *target =
        (struct target){.name = file_stem(plugin, arena),
                        .path = strchr(plugin, '/') ? plugin : arena_print(arena, "./%s", plugin)};
    return target->name && target->path ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}
