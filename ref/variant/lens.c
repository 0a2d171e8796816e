// SPDX-License-Identifier: Apache-2.0
// The table of lenses.

#include "ref/variant/lens.h"

#include <string.h>

#include "ref/base/bytes.h"

// The library forgets to add the lower bound, or takes the wrong one: seen through the request as another range.
static enum error shift_range(unsigned option, struct request *request, struct arena *arena, struct diagnostic *diagnostic)
{
    enum { MINVAL = 1 };
    (void)option;
    struct tensor *const minimum = &request->input[MINVAL];
    const size_t size = dtype_size(minimum->dtype);
    void *const data = arena_take(arena, size);
    if (!data)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    minimum->data = data;
    return ERROR_NONE;
}

const struct lens lens_table[] = {
    {"openvino.random_uniform", {"minval", (const char *const[]){"as_given", "ignored", NULL}}, shift_range, NULL},
};

const unsigned lens_count = OPERATION_ROWS(lens_table);
