// SPDX-License-Identifier: Apache-2.0
// Errors and where they were found.

#include "ref/base/error.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

const char *error_name(enum error error)
{
    static const char *const name[] = {
        [ERROR_NONE] = "none",
        [ERROR_INVALID_ARGUMENT] = "invalid_argument",
        [ERROR_UNSUPPORTED] = "unsupported",
        [ERROR_TOO_LARGE] = "too_large",
        [ERROR_NONDETERMINISTIC] = "nondeterministic",
        [ERROR_INTERNAL] = "internal",
        [ERROR_INPUT] = "input",
        [ERROR_SYSTEM] = "system",
    };
    assert((unsigned)error < sizeof name / sizeof *name);
    return name[error];
}

enum error diagnostic_fail(struct diagnostic *diagnostic, enum error error, const char *format, ...)
{
    if (!diagnostic)
        return error;
    diagnostic->error = error;
    diagnostic->line = diagnostic->column = 0;
    diagnostic->file[0] = diagnostic->excerpt[0] = '\0';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(diagnostic->text, sizeof diagnostic->text, format, arguments);
    va_end(arguments);
    return error;
}

enum error diagnostic_no_memory(struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
}

enum error error_of_reading(int reason)
{
    if (reason == ENOMEM)
        return ERROR_INTERNAL;
    return reason == EIO || reason == EMFILE || reason == ENFILE || reason == ESTALE ? ERROR_SYSTEM
                                                                                     : ERROR_INPUT;
}
