// SPDX-License-Identifier: Apache-2.0
// Element types as OpenVINO writes and counts them: for the target, and for the programs that show
// a finding.

#ifndef ASSAY_HARNESS_TARGETS_HELPER_OPENVINO_TYPES_H
#define ASSAY_HARNESS_TARGETS_HELPER_OPENVINO_TYPES_H

// X(our name, in <data element_type>, in <port precision>, name and number in ov_element_type_e)
#define OPENVINO_TYPES(X)                                                                          \
    X(BOOL, "boolean", "BOOL", BOOLEAN, 1)                                                         \
    X(BF16, "bf16", "BF16", BF16, 2)                                                               \
    X(F16, "f16", "FP16", F16, 3)                                                                  \
    X(F32, "f32", "FP32", F32, 4)                                                                  \
    X(F64, "f64", "FP64", F64, 5)                                                                  \
    X(I8, "i8", "I8", I8, 7)                                                                       \
    X(I16, "i16", "I16", I16, 8)                                                                   \
    X(I32, "i32", "I32", I32, 9)                                                                   \
    X(I64, "i64", "I64", I64, 10)                                                                  \
    X(U8, "u8", "U8", U8, 16)                                                                      \
    X(U16, "u16", "U16", U16, 17)                                                                  \
    X(U32, "u32", "U32", U32, 18)                                                                  \
    X(U64, "u64", "U64", U64, 19)                                                                  \
    X(F8E4M3, "f8e4m3", "F8E4M3", F8E4M3, 21)                                                      \
    X(F8E5M2, "f8e5m2", "F8E5M2", F8E5M3, 22) // the C API misspells it

#endif
