// SPDX-License-Identifier: Apache-2.0
// The options of lenses on equations say what the tables of cells say: every place of an equation
// that a change can touch is an option, and every option touches some cell.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ref/variant/onednn_rnn.h"
#include "ref/variant/variant.h"

static const struct rnn_cell *const cells[] = {&rnn_cell_vanilla[RNN_RELU],
                                               &rnn_cell_vanilla[RNN_TANH],
                                               &rnn_cell_vanilla[RNN_LOGISTIC],
                                               &rnn_cell_lstm,
                                               &rnn_cell_gru,
                                               &rnn_cell_lbr_gru};

// The places of the equations that give `result` where `change` makes another cell.
static unsigned places_touched(enum rnn_change change, uint8_t result)
{
    unsigned places = 0;
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
        for (unsigned place = 0; place < 8; place++) {
            struct rnn_cell changed;
            memcpy(&changed, cells[c], sizeof changed); // with its padding
            rnn_change_cell(&changed, change, result, place);
            const void *const own = cells[c], *const made = &changed;
            places |= (unsigned)(memcmp(own, made, sizeof changed) != 0) << place;
        }
    return places;
}

static void options_are_what_the_tables_of_cells_say(void **state)
{
    (void)state;
    unsigned equations = 0;
    for (unsigned i = 0; i < rnn_lenses.count; i++) {
        const struct lens *const lens = &rnn_lenses.lens[i];
        if (lens->request != rnn_lens_equation)
            continue;
        const struct rnn_equation_lens *const detail = lens->detail;
        unsigned options = 0, bits = 0;
        for (const struct rnn_row *row = detail->row; row->places; row++) {
            if (row->places != places_touched(detail->change, row->result))
                fail_msg("lens %s lists the places %#x of variable %d, the cells have %#x",
                         lens->choice.name, (unsigned)row->places, row->result,
                         places_touched(detail->change, row->result));
            bits += (unsigned)__builtin_popcount(row->places);
        }
        while (lens->choice.options[options + 1])
            options++;
        assert_int_equal(options, bits);
        equations++;
    }
    assert_int_equal(equations, 6);
}

static void every_choice_is_found_by_its_name_and_options(void **state)
{
    (void)state;
    for (unsigned o = 0; o < operation_count; o++)
        for (unsigned c = 0; c < variant_choice_count(operation_table[o]); c++) {
            const struct choice *const choice = variant_choice(operation_table[o], c);
            for (unsigned i = 0; choice->options[i]; i++) {
                unsigned at = 0, option = 0;
                assert_true(variant_find(operation_table[o], choice->name, choice->options[i], &at,
                                         &option));
                assert_int_equal(at, c);
                assert_int_equal(option, i);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_what_the_tables_of_cells_say),
        cmocka_unit_test(every_choice_is_found_by_its_name_and_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
