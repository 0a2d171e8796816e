// SPDX-License-Identifier: Apache-2.0
// What an operation is: its public names, its freedoms, and how it is computed. One row of the
// table for each.

#ifndef ASSAY_REF_OP_OPERATION_H
#define ASSAY_REF_OP_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/nearest.h"
#include "ref/base/arena.h"
#include "ref/base/dtype.h"
#include "ref/base/error.h"
#include "ref/base/tensor.h"
#include "ref/op/stepping.h"

enum {
    OPERATION_ATTRIBUTES_MAX = 24,
    OPERATION_INPUTS_MAX = 24,
    OPERATION_OUTPUTS_MAX = 12,
    PROFILE_CHOICES_MAX = 80,
    INFERENCE_NUMBERS = 32,
};

enum attribute_kind {
    ATTRIBUTE_INTEGER,   // a whole number in [minimum, maximum]
    ATTRIBUTE_INTEGER64, // -2^63 to 2^64 - 1, kept modulo 2^64 in `integer`
    ATTRIBUTE_BOOLEAN,   // 0 or 1 in `integer`
    ATTRIBUTE_WORD,      // one of `words`: its index in `integer`
    ATTRIBUTE_DTYPE,     // one of `dtypes`: an enum dtype in `integer`
    ATTRIBUTE_SIZES,     // a list of whole numbers from 0 (where `minimum` is not 0: of any) in
                         // `integers`; one number stands for a list of one
    ATTRIBUTE_WORDS, // a list of `words`, their indices in `integers`; one word stands for a list
                     // of one
    ATTRIBUTE_REAL,  // a number, rounded once to f32, in `real`
    ATTRIBUTE_REALS, // a list of such numbers in `reals`; one number stands for a list of one
};

enum attribute_presence { ATTRIBUTE_OPTIONAL, ATTRIBUTE_REQUIRED, ATTRIBUTE_DEFAULT };

struct attribute_spec {
    const char *name;
    enum attribute_kind kind;
    enum attribute_presence presence; // optional: absent unless given
    int64_t standard; // the default, as `integer`; SIZES: -1 the empty list, else a list of that
                      // one number; REAL: as a number
    double standard_real;     // REAL: the default where it is no whole number, else 0
    int64_t minimum, maximum; // INTEGER; SIZES: minimum
    const char *const *words; // WORD, WORDS: NULL-terminated, without commas
    unsigned dtypes;          // DTYPE: set of DTYPE_BIT
    bool layout; // asks how tensors lie in memory, and changes no value; a target must declare that
                 // it takes such attributes
};

struct attribute_value {
    bool present; // given or by default
    bool given;   // written in the request
    int64_t integer;
    double real;
    size_t count;
    const int64_t *integers;
    const double *reals;
};

struct input_spec {
    const char *name;
    bool optional;
};

// A freedom of the operation, or a known way to go wrong. options[0] is the default. Which options
// are allowed is said by the suite, not here.
struct choice {
    const char *name;
    const char *const *options; // NULL-terminated, at least two
};

// One option for each choice of an operation: the operation's own choices first, in the order of
// its table, then those of ref/variant. All zero is the default profile.
struct profile {
    uint16_t option[PROFILE_CHOICES_MAX];
};

struct operation;
struct evaluation_model;

// How many elements of nodes there were, and how many the first look left open: decided by a longer
// sum (products), by enclosures (of products the fixed-point sum), and by exact rationals.
struct operation_looks {
    uint64_t elements, pairs, enclosed, rational;
};
struct stored;

// What is to be computed. Made by request_read or by hand; the memory behind it is its maker's.
struct request {
    const char *id; // NULL: none
    const struct operation *operation;
    struct attribute_value
        attribute[OPERATION_ATTRIBUTES_MAX];   // in the order of the operation's table
    struct tensor input[OPERATION_INPUTS_MAX]; // likewise; DTYPE_NONE when absent
    uint32_t outputs;                          // bit i: output i is wanted; 0: all that exist
    bool windowed;                             // only a part of the first wanted output
    uint64_t window_first, window_count;       // elements, row-major
    uint32_t runs;                             // of the same instance, at least 1
    struct profile profile;
    const void *deviation; // a table in place of the operation's own, as ref/variant makes it; of a
                           // type that these two share; NULL: as specified
    // For bounds: the model of the implementation that is compared (NULL: the standard one), and
    // what it gave for the output that operation_observable names (DTYPE_NONE: not known).
    const struct evaluation_model *model;
    struct tensor observed;
    const struct stored *stored;   // of an operation over stored values (stored.h): what is stated
    struct operation_looks *looks; // a declared operator adds what decided its nodes; NULL: unasked
};

enum level { LEVEL_BITS, LEVEL_BOUND, LEVEL_DISTRIBUTION };

// What a valid request gives: the type and shape of each output (data NULL; DTYPE_NONE: does not
// exist), the level at which it is compared, and numbers that the operation worked out for itself.
struct inference {
    struct tensor output[OPERATION_OUTPUTS_MAX];
    enum level level[OPERATION_OUTPUTS_MAX];
    union {
        uint64_t word[INFERENCE_NUMBERS];
        int64_t integer[INFERENCE_NUMBERS];
        double real[INFERENCE_NUMBERS];
    } own;
};

// Elements [first, first + count) of one output of one run (from 0), to be written to `data`.
struct slice {
    unsigned output, run;
    uint64_t first, count;
    void *data;
};

struct operation {
    const char *name;    // "openvino.random_uniform"
    const char *summary; // one line for people
    const struct attribute_spec *attributes;
    const struct input_spec *inputs;
    const char *const *outputs; // NULL-terminated
    const struct choice *choices;
    unsigned attribute_count, input_count, choice_count;

    // The dtype of a plain (untyped) value of input `input`; the attributes of `request` and its
    // earlier inputs are read already. DTYPE_NONE: it must be typed.
    enum dtype (*plain_dtype)(const struct request *request, unsigned input);

    // `infer` and the stepping's `take` look at attributes, types and shapes alone: inputs may come
    // without data.
    bool shapes_suffice;

    // How the request asks for a tensor, which may be of any rank, to lie in memory: input `index`,
    // or output where `output`. NULL: no attribute asks.
    struct tensor_layout (*layout)(const struct request *request, bool output, unsigned index);

    // Refuses a request that breaks a rule; else fills `inference` (which comes zeroed).
    enum error (*infer)(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic);

    // Exactly one of fill and evaluate is set. `fill` writes any slice of any output, from any
    // thread, without memory of its own. `evaluate` writes all outputs of one run at once (data[i]
    // NULL where output i does not exist), using `workspace_size` bytes of workspace aligned to 64,
    // which may hold anything.
    enum error (*fill)(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic);
    enum error (*evaluate)(const struct request *request, const struct inference *inference,
                           void *const *data, void *workspace, struct diagnostic *diagnostic);

    // For outputs at LEVEL_BOUND: the smallest and the largest admissible value of each element of
    // `slice`, in the output's dtype. `fill_bounds` goes with `fill`; `evaluate_bounds` with
    // `evaluate` (lower[i] and upper[i] NULL where output i does not exist or is at LEVEL_BITS),
    // and writes what `evaluate` would to `data` as well, unless that is NULL.
    enum error (*fill_bounds)(const struct request *request, const struct inference *inference,
                              const struct slice *slice, void *lower, void *upper,
                              struct diagnostic *diagnostic);
    enum error (*evaluate_bounds)(const struct request *request, const struct inference *inference,
                                  void *const *data, void *const *lower, void *const *upper,
                                  void *workspace, struct diagnostic *diagnostic);
    enum error (*workspace_size)(const struct request *request, const struct inference *inference,
                                 bool bounds, size_t *size, struct diagnostic *diagnostic);

    // Whether a request that breaks no rule is answered as by the default options of the
    // operation's own choices, whatever its profile says of them: values, bounds, types and shapes.
    // False says nothing, nor does NULL.
    bool (*is_idle)(const struct request *request);

    const struct operation_stepping *stepping; // NULL: the operation has no steps
    const struct operation *like; // of one over stored values (stored.h): whose plain types it has
};

#define OPERATION_ROWS(array) ((unsigned)(sizeof(array) / sizeof *(array)))

// A row of a table of attributes: its name, ATTRIBUTE_kind, ATTRIBUTE_presence, then other members.
#define ATTRIBUTE(text, type, ...)                                                                 \
    {                                                                                              \
        .name = (text), .kind = ATTRIBUTE_##type, .presence = ATTRIBUTE_##__VA_ARGS__              \
    }

// The tables of an operation with their lengths, and lists of words.
#define OPERATION_ATTRIBUTES(table) .attributes = (table), .attribute_count = OPERATION_ROWS(table)
#define OPERATION_INPUTS(table) .inputs = (table), .input_count = OPERATION_ROWS(table)
#define OPERATION_INPUT_ROWS(...)                                                                  \
    .inputs = (const struct input_spec[]){__VA_ARGS__},                                            \
    .input_count = OPERATION_ROWS(((const struct input_spec[]){__VA_ARGS__}))
#define OPERATION_CHOICES(table) .choices = (table), .choice_count = OPERATION_ROWS(table)
#define OPERATION_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

// The table of all operations: `operation_count` rows.
extern const struct operation *const operation_table[];
extern const unsigned operation_count;

// The operation of that name, or NULL.
const struct operation *operation_named(const char *name);

// "; did you mean 'NAME'?" for a name that no operation has, or "". Returns `hint`.
const char *operation_hint(const char *name, char hint[NEAREST_HINT_SIZE]);

// Index by name in the operation's tables, -1 when there is none.
int operation_attribute(const struct operation *operation, const char *name);
int operation_input(const struct operation *operation, const char *name);
int operation_output(const struct operation *operation, const char *name);

// The word that the request's attribute has: one of ATTRIBUTE_WORD that is present.
const char *request_word(const struct request *request, unsigned attribute);

// The output that the request's stepping calls observable; -1: none.
int operation_observable(const struct request *request);

// Workspace for the operation's `evaluate`, or with `bounds` its `evaluate_bounds`, of the arena:
// NULL where it needs none.
enum error operation_take_workspace(const struct request *request,
                                    const struct inference *inference, bool bounds,
                                    struct arena *arena, void **workspace,
                                    struct diagnostic *diagnostic);

// ---- for the files of operations --------------------------------------------

// A `plain_dtype`: the same for every input.
enum dtype operation_plain_u32(const struct request *request, unsigned input);
enum dtype operation_plain_u64(const struct request *request, unsigned input);

// Refuses input `input` unless its dtype is in the set `dtypes`.
enum error operation_check_dtype(const struct request *request, unsigned input, unsigned dtypes,
                                 struct diagnostic *diagnostic);

// Refuses input `input` unless it has this rank; unless it has these sizes. `letters` names them in
// the message, as "L,D,N,SIC" or "batch_size, hidden_size".
enum error operation_check_rank(const struct request *request, unsigned input, unsigned rank,
                                const char *letters, struct diagnostic *diagnostic);
enum error operation_check_shape(const struct request *request, unsigned input, unsigned rank,
                                 const size_t *sizes, const char *letters,
                                 struct diagnostic *diagnostic);

// Refuses input `input` unless it has one element and rank 0 (or rank 1 where `one_element_list`).
enum error operation_check_scalar(const struct request *request, unsigned input,
                                  bool one_element_list, struct diagnostic *diagnostic);

// Sets the shape of `tensor` from a list of sizes; refuses negative sizes, a rank above
// TENSOR_RANK_MAX and a number of elements that does not fit in 63 bits. `what` names the list in
// messages.
enum error operation_set_shape(struct tensor *tensor, const int64_t *sizes, size_t count,
                               const char *what, struct diagnostic *diagnostic);

// Element `index` of an integer tensor (any integer dtype), sign-extended; u64 keeps its bits.
int64_t operation_load_integer(const struct tensor *tensor, uint64_t index);

#endif
