// SPDX-License-Identifier: Apache-2.0
// Choices of operations and of their lenses, as one list.

#include "ref/variant/variant.h"

#include <assert.h>
#include <string.h>

#include "ref/variant/lens.h"

unsigned variant_choice_count(const struct operation *operation)
{
    return operation->choice_count + lens_family_of(operation)->count;
}

const struct choice *variant_choice(const struct operation *operation, unsigned index)
{
    assert(index < variant_choice_count(operation));
    return index < operation->choice_count
               ? &operation->choices[index]
               : &lens_family_of(operation)->lens[index - operation->choice_count].choice;
}

const char *variant_choice_about(const struct operation *operation, unsigned index)
{
    assert(index < variant_choice_count(operation));
    return index < operation->choice_count
               ? NULL
               : lens_family_of(operation)->lens[index - operation->choice_count].about;
}

bool variant_find(const struct operation *operation, const char *choice, const char *option,
                  unsigned *choice_index, unsigned *option_index)
{
    assert(choice);
    const unsigned count = variant_choice_count(operation);
    for (unsigned c = 0; c < count; c++) {
        const struct choice *const at = variant_choice(operation, c);
        if (strcmp(at->name, choice) != 0)
            continue;
        *choice_index = c;
        for (unsigned o = 0; option && at->options[o]; o++)
            if (!strcmp(at->options[o], option)) {
                *option_index = o;
                return true;
            }
        return !option;
    }
    return false;
}

enum error variant_read_profile(const struct document_node *node, const struct operation *operation,
                                struct profile *profile, struct diagnostic *diagnostic)
{
    *profile = (struct profile){{0}};
    enum error error = document_expect(node, DOCUMENT_MAPPING, "profile", diagnostic);
    for (size_t i = 0; i < node->count && !error; i++) {
        unsigned choice = 0, option = 0;
        if ((error = document_expect(node->item[i], DOCUMENT_SCALAR, "an option", diagnostic)))
            break;
        if (variant_find(operation, node->key[i]->text, node->item[i]->text, &choice, &option))
            profile->option[choice] = (uint16_t)option;
        else if (variant_find(operation, node->key[i]->text, NULL, &choice, &option))
            error = document_fail(node->item[i], ERROR_INVALID_ARGUMENT, diagnostic,
                                  "choice %s of %s has no option '%.80s'", node->key[i]->text,
                                  operation->name, node->item[i]->text);
        else
            error = document_fail(node->key[i], ERROR_INVALID_ARGUMENT, diagnostic,
                                  "%s has no choice '%.80s'", operation->name, node->key[i]->text);
    }
    return error;
}
