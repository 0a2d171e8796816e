// SPDX-License-Identifier: Apache-2.0
// Text files with places to fill.
//
// @NAME@ stands for a value; alone on its line, for a value that ends its own lines. On lines of
// their own, "@if NAME", "@else" and "@end" keep what lies between where the value is not empty, or
// where it is; they do not nest.

#ifndef ASSAY_HARNESS_JUDGE_WRITE_TEMPLATE_H
#define ASSAY_HARNESS_JUDGE_WRITE_TEMPLATE_H

#include "ref/base/error.h"
#include "ref/base/text.h"

enum { TEMPLATE_VALUES_MAX = 48 };

// Zero-initialised is empty and ready.
struct template
{
    size_t count;
    struct {
        const char *name; // must last
        struct text text;
    } value[TEMPLATE_VALUES_MAX];
};

// The text of a new value, which is empty. At most TEMPLATE_VALUES_MAX, each name once.
struct text *template_add(struct template *template, const char *name);

// A new value: `words` where it `holds`, else empty.
void template_set(struct template *template, const char *name, bool holds, const char *words);

// Appends the file FOLDER/NAME with its places filled. ERROR_INPUT, with its line, where it names a
// value that is not there or its conditions do not match.
enum error template_write(const struct template *template, const char *folder, const char *name,
                          struct text *to, struct diagnostic *diagnostic);

void template_release(struct template *template);

#endif
