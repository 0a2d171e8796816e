// SPDX-License-Identifier: Apache-2.0
// The class of a processor: what decides which of its code paths a library takes.
//
// A class is an architecture or, on x86-64, a level of the psABI ("x86-64-v3": AVX2 and FMA;
// "x86-64-v4": AVX-512 F, BW, CD, DQ and VL), followed by what libraries for networks ask for
// beside it: "+vnni", "+bf16", "+fp16", "+amx".

#ifndef ASSAY_HARNESS_HOST_PROCESSOR_H
#define ASSAY_HARNESS_HOST_PROCESSOR_H

enum { PROCESSOR_CLASS_SIZE = 48 };

// The class of this processor, as far as the system lets programs use it.
void processor_class_here(char class[PROCESSOR_CLASS_SIZE]);

// The class as which a library computes that is held to class `ceiling` (NULL: to none) on a
// processor of class `has`: the lower one. A ceiling of another architecture holds nothing.
const char *processor_class_held(const char *has, const char *ceiling);

#endif
