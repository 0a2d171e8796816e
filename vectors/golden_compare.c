// SPDX-License-Identifier: Apache-2.0
// Kept golden vectors against made ones, down to the element.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "vectors/golden.h"

static uint64_t load_little_endian(const unsigned char *bytes, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}

// "element 5 [0,1,2]" of `tensor`.
static void describe_element(const struct tensor *tensor, uint64_t element, char *text, size_t size)
{
    int used = snprintf(text, size, "element %" PRIu64, element);
    if (tensor->rank < 2)
        return;
    uint64_t index[TENSOR_RANK_MAX] = {0};
    for (unsigned i = tensor->rank; i-- > 0;) {
        index[i] = element % tensor->shape[i];
        element /= tensor->shape[i];
    }
    for (unsigned i = 0; i < tensor->rank && used > 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%" PRIu64 "%s", i ? "," : " [",
                         index[i], i + 1 == tensor->rank ? "]" : "");
}

static void describe_difference(const struct golden_tensor *kept, const struct golden_tensor *made,
                                char *what, size_t size)
{
    const size_t width = dtype_size(made->tensor.dtype);
    size_t at = 0;
    while (at < made->size && kept->bytes[at] == made->bytes[at])
        at++;
    if (made->part == GOLDEN_CHUNKS) {
        const uint64_t chunk = at / DIGEST_SIZE;
        snprintf(what, size,
                 "tensor %s: another digest of chunk %" PRIu64 " (elements %" PRIu64 " to %" PRIu64
                 ")",
                 made->of, chunk, chunk * GOLDEN_CHUNK, chunk * GOLDEN_CHUNK + GOLDEN_CHUNK - 1);
        return;
    }
    char element[128], was[17], is[17], run[24] = "";
    if (strstr(made->name, "/run="))
        snprintf(run, sizeof run, " of run %u", made->run);
    describe_element(&made->tensor, at / width + made->first, element, sizeof element);
    bytes_write_hex(was, load_little_endian(kept->bytes + at / width * width, width), width);
    bytes_write_hex(is, load_little_endian(made->bytes + at / width * width, width), width);
    snprintf(what, size, "tensor %s%s, %s: kept %s, made %s", made->of, run, element, was, is);
}

static const struct golden_tensor *find_tensor(const struct golden_case *of, const char *name)
{
    for (size_t i = 0; i < of->count; i++)
        if (!strcmp(of->tensor[i].name, name))
            return &of->tensor[i];
    return NULL;
}

// The first place where the two lines part, with the key in front of it.
static void describe_lines(const char *kept, const char *made, char *what, size_t size)
{
    size_t at = 0;
    while (kept[at] && kept[at] == made[at])
        at++;
    size_t start = at > 24 ? at - 24 : 0;
    snprintf(what, size, "the manifest's line, character %zu: kept ...%.60s..., made ...%.60s...",
             at + 1, kept + start, made + start);
}

// Whether the lines differ in their requirements alone. Those stand between the id and the
// operation, and are words.
static bool is_relabelled(const char *kept, const char *made)
{
    static const char behind[] = "], \"op\": ";
    const char *const a = strstr(kept, behind), *const b = strstr(made, behind);
    return a && b && !strcmp(a, b);
}

static enum golden_change compare_case(const struct golden_case *kept,
                                       const struct golden_case *made, char *what, size_t size)
{
    for (size_t i = 0; i < made->count; i++) {
        const struct golden_tensor *const b = &made->tensor[i];
        const struct golden_tensor *const a = find_tensor(kept, b->name);
        char was[96], is[96];
        if (!a) {
            snprintf(what, size, "tensor %s is missing", b->name);
            return GOLDEN_CHANGED;
        }
        if (!dtype_stored_as(b->tensor.dtype, a->tensor.dtype) ||
            !tensor_same_shape(&a->tensor, &b->tensor)) {
            snprintf(what, size, "tensor %s: kept %s, made %s", b->name,
                     tensor_describe(&a->tensor, was, sizeof was),
                     tensor_describe(&b->tensor, is, sizeof is));
            return GOLDEN_CHANGED;
        }
        if (b->size && memcmp(a->bytes, b->bytes, b->size) != 0) {
            describe_difference(a, b, what, size);
            return GOLDEN_CHANGED;
        }
    }
    if (kept->count != made->count) {
        snprintf(what, size, "%zu tensors are kept, %zu are made", kept->count, made->count);
        return GOLDEN_CHANGED;
    }
    if (!strcmp(kept->line, made->line))
        return GOLDEN_SAME;
    describe_lines(kept->line, made->line, what, size);
    return is_relabelled(kept->line, made->line) ? GOLDEN_RELABELLED : GOLDEN_CHANGED;
}

size_t golden_compare(const struct golden *kept, const struct golden *made,
                      struct golden_difference *difference, size_t limit)
{
    size_t found = 0;
    for (size_t i = 0, k = 0; i < kept->count || k < made->count;) {
        const int order = i == kept->count   ? 1
                          : k == made->count ? -1
                                             : strcmp(kept->cases[i].id, made->cases[k].id);
        struct golden_difference here = {.change = GOLDEN_SAME, .what = ""};
        if (order < 0) {
            here.change = GOLDEN_REMOVED;
            here.id = kept->cases[i].id;
        } else if (order > 0) {
            here.change = GOLDEN_ADDED;
            here.id = made->cases[k].id;
        } else {
            here.change =
                compare_case(&kept->cases[i], &made->cases[k], here.what, sizeof here.what);
            here.id = made->cases[k].id;
        }
        i += order <= 0;
        k += order >= 0;
        if (here.change == GOLDEN_SAME)
            continue;
        if (found < limit)
            difference[found] = here;
        found++;
    }
    return found;
}

enum error golden_digest(const struct golden *golden, char hex[DIGEST_HEX_SIZE],
                         struct diagnostic *diagnostic)
{
    struct digest digest = {0};
    unsigned char result[DIGEST_SIZE];
    enum error error = digest_begin(&digest, diagnostic);
    for (size_t i = 0; i < golden->count && !error; i++) {
        const struct golden_case *const at = &golden->cases[i];
        error = digest_add(&digest, at->line, strlen(at->line) + 1, diagnostic);
        for (size_t k = 0; k < at->count && !error; k++)
            if (!(error = digest_add(&digest, at->tensor[k].name, strlen(at->tensor[k].name) + 1,
                                     diagnostic)))
                error = digest_add(&digest, at->tensor[k].bytes, at->tensor[k].size, diagnostic);
    }
    if (!error)
        error = digest_end(&digest, result, diagnostic);
    if (!error)
        digest_write_hex(result, hex);
    return error;
}

static enum error check_case(const struct suite *suite, const struct golden_case *of,
                             struct diagnostic *diagnostic)
{
    const struct suite_case *const from = suite_find_case(suite, of->id);
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < of->count && from && from->printed && !error; i++) {
        const struct golden_tensor *const at = &of->tensor[i];
        if (!at->output || at->part != GOLDEN_WHOLE)
            continue;
        struct arena arena = {0};
        struct tensor native = at->tensor;
        const size_t size = dtype_size(native.dtype);
        native.data = arena_take(&arena, at->size);
        if (!native.data)
            error = diagnostic_no_memory(diagnostic);
        else
            bytes_copy_little_endian(native.data, at->bytes, size, at->size / size);
        if (!error)
            error = suite_check_printed(suite, from, at->of, &native, diagnostic);
        arena_release(&arena);
    }
    return error;
}

enum error golden_check_printed(const struct suite *suite, const struct golden *golden,
                                struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < golden->count && !error; i++)
        error = check_case(suite, &golden->cases[i], diagnostic);
    return error;
}
