// SPDX-License-Identifier: Apache-2.0
// Text for people and for markup. What comes from a results file is never trusted: control
// characters, which could drive a terminal, and marks that turn the direction of writing become
// U+FFFD, and each format's own characters are escaped.

#ifndef ASSAY_REPORTS_TEXT_H
#define ASSAY_REPORTS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "ref/base/error.h"
#include "ref/base/file.h"
#include "ref/base/text.h"

// Text from elsewhere, for a terminal: one line, no controls.
void text_put_plain(struct text *text, const char *words);
// For XML and HTML, in content and in quoted attributes. Newlines stay when `lines`, else they
// become spaces.
void text_put_markup(struct text *text, const char *words, bool lines);
// A format with such texts in it: %s is one of them (NULL: nothing), for a terminal or (without
// newlines) for markup; %zu is a number in groups of three digits, %u one without, %% a per cent
// sign. There are no others.
__attribute__((format(printf, 2, 3))) void text_print_plain(struct text *text, const char *format,
                                                            ...);
__attribute__((format(printf, 2, 3))) void text_print_markup(struct text *text, const char *format,
                                                             ...);
// For Markdown, also inside a table.
void text_put_markdown(struct text *text, const char *words);
// For Markdown between backquotes: a code span that nothing inside can end.
void text_put_code(struct text *text, const char *words);

// Where a long text goes while it is written: a file that replaces another, or a stream.
struct text_sink {
    struct file_replacement *file;
    FILE *stream;
    bool coloured; // the escapes of a terminal may go there
};

// Hands on what has gathered, always or (unless `now`) when it is over a megabyte. ERROR_INTERNAL
// when memory ran out on the way.
enum error text_flush(struct text *text, const struct text_sink *sink, bool now,
                      struct diagnostic *diagnostic);

// 1234567 as "1,234,567".
void text_put_count(struct text *text, unsigned long long count);

#endif
