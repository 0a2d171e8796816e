// SPDX-License-Identifier: Apache-2.0
// Asked of the processor itself (CPUID, Intel SDM vol. 2A) and not of the compiler's run time,
// which knows other names in each version. What needs registers that the kernel does not save is
// absent: XCR0 says which it saves.

#include "harness/host/processor.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static const char level_prefix[] = "x86-64-v";

#if defined(__x86_64__)
#include <cpuid.h>

enum { LEAF_1C, LEAF_7B, LEAF_7C, LEAF_7D, LEAF_71A, LEAF_81C, XCR0, REGISTERS };

static void read_registers(uint32_t value[REGISTERS])
{
    uint32_t a, b, c, d, last;
    memset(value, 0, REGISTERS * sizeof *value);
    __cpuid(0, last, b, c, d);
    __cpuid(1, a, b, value[LEAF_1C], d);
    if (last >= 7) {
        __cpuid_count(7, 0, last, value[LEAF_7B], value[LEAF_7C], value[LEAF_7D]);
        if (last >= 1)
            __cpuid_count(7, 1, value[LEAF_71A], b, c, d);
    }
    __cpuid(0x80000001, a, b, value[LEAF_81C], d); // every 64-bit processor has it
    if (value[LEAF_1C] & 1u << 27) {               // OSXSAVE
        __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
        value[XCR0] = a;
    }
}

struct feature {
    unsigned in, bit;
};

static bool has(const uint32_t *value, const struct feature *features, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(value[features[i].in] >> features[i].bit & 1))
            return false;
    return true;
}

#define HAS(...)                                                                                   \
    has(value, (const struct feature[]){__VA_ARGS__},                                              \
        sizeof((const struct feature[]){__VA_ARGS__}) / sizeof(struct feature))

void processor_class_here(char class[PROCESSOR_CLASS_SIZE])
{
    uint32_t value[REGISTERS];
    read_registers(value);
    const uint32_t saved = value[XCR0];
    const bool ymm = (saved & 0x6) == 0x6, zmm = (saved & 0xe6) == 0xe6,
               tiles = (saved & 0x60000) == 0x60000;
    // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT, LAHF
    const bool v2 = HAS({LEAF_1C, 0}, {LEAF_1C, 9}, {LEAF_1C, 13}, {LEAF_1C, 19}, {LEAF_1C, 20},
                        {LEAF_1C, 23}, {LEAF_81C, 0});
    // FMA, MOVBE, AVX, F16C, BMI1, AVX2, BMI2, LZCNT
    const bool v3 = v2 && ymm &&
                    HAS({LEAF_1C, 12}, {LEAF_1C, 22}, {LEAF_1C, 28}, {LEAF_1C, 29}, {LEAF_7B, 3},
                        {LEAF_7B, 5}, {LEAF_7B, 8}, {LEAF_81C, 5});
    // AVX512F, DQ, CD, BW, VL
    const bool v4 =
        v3 && zmm && HAS({LEAF_7B, 16}, {LEAF_7B, 17}, {LEAF_7B, 28}, {LEAF_7B, 30}, {LEAF_7B, 31});
    const bool vnni = (v4 && HAS({LEAF_7C, 11})) || (v3 && HAS({LEAF_71A, 4}));
    snprintf(class, PROCESSOR_CLASS_SIZE, "%s%d%s%s%s%s", level_prefix,
             v4   ? 4
             : v3 ? 3
             : v2 ? 2
                  : 1,
             vnni ? "+vnni" : "", v4 && HAS({LEAF_71A, 5}) ? "+bf16" : "",
             v4 && HAS({LEAF_7D, 23}) ? "+fp16" : "",
             v4 && tiles && HAS({LEAF_7D, 24}) ? "+amx" : "");
}
#else
void processor_class_here(char class[PROCESSOR_CLASS_SIZE])
{
    struct utsname name;
    snprintf(class, PROCESSOR_CLASS_SIZE, "%.40s", uname(&name) ? "unknown" : name.machine);
}
#endif

// The level of an x86-64 class, 0 of another architecture.
static long level_of(const char *class)
{
    const size_t prefix = sizeof level_prefix - 1;
    return strncmp(class, level_prefix, prefix) != 0 ? 0 : strtol(class + prefix, NULL, 10);
}

const char *processor_class_held(const char *has_class, const char *ceiling)
{
    assert(has_class);
    return ceiling && level_of(ceiling) && level_of(ceiling) <= level_of(has_class) ? ceiling
                                                                                    : has_class;
}
