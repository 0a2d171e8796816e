// SPDX-License-Identifier: Apache-2.0
// Formatted text at the end of a text that grows.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_TEXT_H
#define ASSAY_HARNESS_JUDGE_COMPARE_TEXT_H

#include "ref/base/json.h"

// Appends the formatted text; a failure is noted in text->failed.
__attribute__((format(printf, 2, 3))) void text_add(struct json_text *text, const char *format,
                                                    ...);

// Appends `value` in double quotes, escaped as JSON, YAML and C read it.
void text_add_quoted(struct json_text *text, const char *value);

#endif
