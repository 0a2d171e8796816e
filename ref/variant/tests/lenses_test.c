// SPDX-License-Identifier: Apache-2.0
// The options of lenses on equations say what the tables of cells say: every place of an equation
// that a change can touch is an option, and every option touches some cell.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ref/op/onnx/rnn_cell.h"
#include "ref/variant/onednn_rnn.h"
#include "ref/variant/onnx_rnn.h"
#include "ref/variant/variant.h"

static const struct rnn_cell *const cells[] = {&rnn_cell_vanilla[RNN_RELU],
                                               &rnn_cell_vanilla[RNN_TANH],
                                               &rnn_cell_vanilla[RNN_LOGISTIC],
                                               &rnn_cell_lstm,
                                               &rnn_cell_gru,
                                               &rnn_cell_lbr_gru};

// The cells of a family, and the choices of its lenses on equations.
struct family {
    const struct lens_family *lenses;
    const struct rnn_cell *const *cell;
    size_t cells;
};

// The places of the equations that give `result` where `change` makes another cell.
static unsigned places_touched(const struct family *family, enum rnn_change change, uint8_t result)
{
    unsigned places = 0;
    for (size_t c = 0; c < family->cells; c++)
        for (unsigned place = 0; place < 8; place++) {
            struct rnn_cell changed;
            memcpy(&changed, family->cell[c], sizeof changed); // with its padding
            rnn_change_cell(&changed, change, result, place);
            const void *const own = family->cell[c], *const made = &changed;
            places |= (unsigned)(memcmp(own, made, sizeof changed) != 0) << place;
        }
    return places;
}

static bool is_on_equations(const struct lens *lens)
{
    static const char *const names[] = {"operand", "twice",  "neighbour",
                                        "sign",    "factor", "factor_neighbour"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found = found || !strcmp(lens->choice.name, names[i]);
    return found;
}

static unsigned hold_options(const struct family *family)
{
    unsigned equations = 0;
    for (unsigned i = 0; i < family->lenses->count; i++) {
        const struct lens *const lens = &family->lenses->lens[i];
        if (!is_on_equations(lens))
            continue;
        const struct rnn_equation_lens *const detail = lens->detail;
        unsigned options = 0, bits = 0;
        for (const struct rnn_row *row = detail->row; row->places; row++) {
            if (row->places != places_touched(family, detail->change, row->result))
                fail_msg("lens %s lists the places %#x of variable %d, the cells have %#x",
                         lens->choice.name, (unsigned)row->places, row->result,
                         places_touched(family, detail->change, row->result));
            bits += (unsigned)__builtin_popcount(row->places);
        }
        while (lens->choice.options[options + 1])
            options++;
        assert_int_equal(options, bits);
        equations++;
    }
    return equations;
}

static void options_are_what_the_tables_of_cells_say(void **state)
{
    (void)state;
    static const struct rnn_cell *const rnn[] = {&onnx_cell_rnn}, *const lstm[] = {&onnx_cell_lstm},
                                        *const gru[] = {&onnx_cell_gru, &onnx_cell_lbr_gru};
    assert_int_equal(
        hold_options(&(struct family){&rnn_lenses, cells, sizeof cells / sizeof *cells}), 6);
    assert_int_equal(hold_options(&(struct family){&onnx_rnn_lenses, rnn, 1}), 3);
    assert_int_equal(hold_options(&(struct family){&onnx_gru_lenses, gru, 2}), 4);
    assert_int_equal(hold_options(&(struct family){&onnx_lstm_lenses, lstm, 1}), 4);
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
