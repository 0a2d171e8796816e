// SPDX-License-Identifier: Apache-2.0
// In what two plans differ, for messages: one key with both values, from where they part on.

#include <stdio.h>
#include <string.h>

#include "ref/base/json.h"
#include "ref/base/shard/shard.h"

enum { DIFFERENCE_SHOWN = 100, KEY_SIZE = 160 };

struct difference {
    const char *but;
    char key[KEY_SIZE];
    const struct document_node *a, *b; // NULL: not there
};

static bool differ(struct difference *found, const struct document_node *a,
                   const struct document_node *b);

// Goes one step down and comes back where nothing differs.
static bool differ_below(struct difference *found, const char *name, const struct document_node *a,
                         const struct document_node *b)
{
    const size_t length = strlen(found->key);
    snprintf(found->key + length, sizeof found->key - length, "%s%.60s", length ? "." : "", name);
    if (differ(found, a, b))
        return true;
    found->key[length] = '\0';
    return false;
}

// An item of a list is called by its name, where it has one.
static const char *item_name(const struct document_node *item, char number[24], size_t at)
{
    const struct document_node *const name =
        item->kind == DOCUMENT_MAPPING ? document_find(item, "name") : NULL;
    if (name && name->kind == DOCUMENT_SCALAR)
        return name->text;
    snprintf(number, 24, "%zu", at + 1);
    return number;
}

static bool differ(struct difference *found, const struct document_node *a,
                   const struct document_node *b)
{
    char number[24];
    found->a = a;
    found->b = b;
    if (!a || !b || a->kind != b->kind)
        return a != b;
    if (a->kind == DOCUMENT_SCALAR)
        return strcmp(a->text, b->text) != 0;
    for (size_t i = 0; a->kind == DOCUMENT_MAPPING && i < a->count; i++)
        if ((!found->but || strcmp(a->key[i]->text, found->but) != 0) &&
            differ_below(found, a->key[i]->text, a->item[i], document_find(b, a->key[i]->text)))
            return true;
    for (size_t i = 0; a->kind == DOCUMENT_MAPPING && i < b->count; i++)
        if ((!found->but || strcmp(b->key[i]->text, found->but) != 0) &&
            !document_find(a, b->key[i]->text))
            return differ_below(found, b->key[i]->text, NULL, b->item[i]);
    for (size_t i = 0; a->kind == DOCUMENT_SEQUENCE && (i < a->count || i < b->count); i++) {
        const struct document_node *const one = i < a->count ? a->item[i] : NULL,
                                          *const other = i < b->count ? b->item[i] : NULL;
        if (differ_below(found, item_name(one ? one : other, number, i), one, other))
            return true;
    }
    return false;
}

// A value as words, from shortly before the place where it differs from the other.
static void show(const struct document_node *node, const struct document_node *other,
                 char text[DIFFERENCE_SHOWN + 16])
{
    const bool scalar = node && node->kind == DOCUMENT_SCALAR;
    if (!scalar) {
        snprintf(text, DIFFERENCE_SHOWN + 16, "%s",
                 !node                            ? "not given"
                 : node->kind == DOCUMENT_MAPPING ? "an object"
                                                  : "a list");
        return;
    }
    size_t same = 0;
    while (other && other->kind == DOCUMENT_SCALAR && node->text[same] &&
           node->text[same] == other->text[same])
        same++;
    const size_t from = strlen(node->text) > DIFFERENCE_SHOWN && same > 40 ? same - 40 : 0;
    snprintf(text, DIFFERENCE_SHOWN + 16, "'%s%.*s'", from ? "..." : "", DIFFERENCE_SHOWN,
             node->text + from);
}

bool shard_plan_difference(const char *a, const char *there, const char *b, const char *here,
                           const char *but, char *text, size_t size)
{
    struct arena arena = {0};
    struct document_node *root[2] = {NULL, NULL};
    const struct document_source source[2] = {{.name = "plan", .text = a, .size = strlen(a)},
                                              {.name = "plan", .text = b, .size = strlen(b)}};
    struct difference found = {.but = but};
    bool differs = strcmp(a, b) != 0;
    if (!differs)
        return false;
    if (json_read(&source[0], &arena, &root[0], NULL) ||
        json_read(&source[1], &arena, &root[1], NULL))
        snprintf(text, size, "it is no plan that this version reads");
    else if ((differs = differ(&found, root[0], root[1]))) {
        char one[DIFFERENCE_SHOWN + 16], other[DIFFERENCE_SHOWN + 16];
        show(found.a, found.b, one);
        show(found.b, found.a, other);
        snprintf(text, size, "%s is %s %s, %s %s", found.key[0] ? found.key : "it", one, there,
                 other, here);
    } else if ((differs = !but))
        snprintf(text, size, "it is spelled otherwise");
    arena_release(&arena);
    return differs;
}
