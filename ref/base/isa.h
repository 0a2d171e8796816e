// SPDX-License-Identifier: Apache-2.0
// Which instruction set the fast forms use.
//
// Chosen once from what the processor has; ASSAY_ISA=scalar|avx2|avx512|avx512i|neon lowers the
// choice (never raises it): avx512 is that of x86-64-v4, and avx512i has VNNI and IFMA as well.
// Every form gives the same bytes; they differ in speed alone.

#ifndef ASSAY_REF_BASE_ISA_H
#define ASSAY_REF_BASE_ISA_H

enum isa { ISA_SCALAR, ISA_AVX2, ISA_AVX512, ISA_NEON };

// The instruction set in force: the best one of this processor, or the one that ASSAY_ISA names
// when the processor has it. An unknown or unavailable name falls back to ISA_SCALAR. Constant over
// the life of the process; safe from any thread.
enum isa isa_chosen(void);

// Whether that is AVX-512 with products of bytes and of 52 bits (VNNI, IFMA). Constant and safe as
// it is.
int isa_has_products(void);

// "scalar", "avx2", "avx512", "neon": a static string.
const char *isa_name(enum isa isa);

// Whether this processor can run `isa`.
int isa_available(enum isa isa);

// What serves `isa` among the forms that a machine of this kind has: NAME_avx512, NAME_avx2 or
// NAME_neon, else `portable`.
#if defined(__x86_64__)
#define ISA_FORM(isa, name, portable)                                                              \
    ((isa) == ISA_AVX512 ? name##_avx512 : (isa) == ISA_AVX2 ? name##_avx2 : (portable))
#elif defined(__aarch64__)
#define ISA_FORM(isa, name, portable) ((isa) == ISA_NEON ? name##_neon : (portable))
#else
#define ISA_FORM(isa, name, portable) ((void)(isa), (portable))
#endif

#endif
