// SPDX-License-Identifier: Apache-2.0
// The cases of ONNX operators as folders in the form of ONNX's own backend tests. Private to
// harness/cli/export.

#ifndef ASSAY_HARNESS_CLI_EXPORT_ONNX_H
#define ASSAY_HARNESS_CLI_EXPORT_ONNX_H

#include "yaml/suite.h"

struct onnx_export {
    const char *to;           // a folder, made if it is not there
    const char *pattern;      // only cases whose id matches, as in a shell; NULL: all
    const char *initializers; // inputs that are constants of the model: names parted by commas, or
                              // "all"; NULL: none
    unsigned long long limit; // cases with larger outputs, in elements, are left out
    size_t written;           // folders
    size_t refused, valueless, large; // cases left out: to be refused or undefined; without values
                                      // of their own; with outputs above the limit
    size_t unversioned;               // and those of operators that name no opset
};

// Writes each case of an ONNX operator that `suite` has as TO/SUITE/test_CASE/: model.onnx, and in
// test_data_set_0 input_N.pb and output_N.pb in the order of the graph; beside them, where an
// output has bounds, low_N.pb and high_N.pb, its ends, and data.json with a tolerance that accuses
// nothing between them. Suites of other operations have none. ERROR_INPUT where such a folder is
// there already.
enum error export_onnx_suite(const struct suite *suite, struct onnx_export *export,
                             struct diagnostic *diagnostic);

// Refuses a name among `initializers` that no input of an ONNX operator of the suites has.
// ERROR_INPUT.
enum error export_onnx_check(const struct onnx_export *export, const struct suite *suites,
                             size_t count, struct diagnostic *diagnostic);

#endif
