// SPDX-License-Identifier: Apache-2.0
// Errors and where they were found.
//
// Everything that can fail returns `enum error` and fills the caller's diagnostic. Library code
// never prints and never exits.

#ifndef ASSAY_REF_BASE_ERROR_H
#define ASSAY_REF_BASE_ERROR_H

enum error {
    ERROR_NONE = 0,
    ERROR_INVALID_ARGUMENT, // the request breaks a rule of its operation
    ERROR_UNSUPPORTED,      // well formed, but nothing here serves it
    ERROR_TOO_LARGE,        // beyond a stated limit
    ERROR_NONDETERMINISTIC, // the specification leaves the result to chance
    ERROR_INTERNAL,         // out of memory, or a defect of this program
    ERROR_INPUT,            // a file or a stream is malformed
    ERROR_SYSTEM,           // the operating system refused
};

enum { DIAGNOSTIC_FILE_SIZE = 256, DIAGNOSTIC_TEXT_SIZE = 768, DIAGNOSTIC_EXCERPT_SIZE = 256 };

// What went wrong and where. `line` and `column` count from 1; 0 means that there is no place.
struct diagnostic {
    enum error error;
    unsigned line, column;
    char file[DIAGNOSTIC_FILE_SIZE];
    char text[DIAGNOSTIC_TEXT_SIZE];
    char excerpt[DIAGNOSTIC_EXCERPT_SIZE]; // the offending line of the input, empty without a place
};

// The name used in answers: "invalid_argument", "unsupported", ... A static string.
const char *error_name(enum error error);

// Writes `error` and the formatted text to `diagnostic` (may be NULL), clears the place, and
// returns `error`.
__attribute__((format(printf, 3, 4))) enum error diagnostic_fail(struct diagnostic *diagnostic,
                                                                 enum error error,
                                                                 const char *format, ...);

// The same for an allocation that failed: ERROR_INTERNAL.
enum error diagnostic_no_memory(struct diagnostic *diagnostic);

// Why a file could not be opened or read, by errno: ERROR_INTERNAL without memory, ERROR_SYSTEM
// where the machine is at fault (a disk that fails, no descriptors left), ERROR_INPUT otherwise.
enum error error_of_reading(int reason);

#endif
