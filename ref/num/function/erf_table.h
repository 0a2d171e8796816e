// SPDX-License-Identifier: Apache-2.0
// Coefficients for erf: sums of c[i] t^i with t in [-1, 1] along each interval.
//
// Chebyshev interpolation at 80 nodes in 200-bit arithmetic, cut after 21 terms and turned into
// powers of t. Of the rest, the further Chebyshev coefficients add up to at most 2^-49 of erf(x) /
// x and 2^-48 of erfc(x).

#ifndef ASSAY_REF_NUM_FUNCTION_ERF_TABLE_H
#define ASSAY_REF_NUM_FUNCTION_ERF_TABLE_H

enum { ERF_TERMS = 21 };

// erf(x) / x for abs(x) <= 3, where t = 2 x^2 / 9 - 1.
static const double erf_near[ERF_TERMS] = {
    0x1.e16a3caff3c6fp-2,  -0x1.d494385277495p-3,  0x1.428da06b8182fp-3,  -0x1.c2f2189186897p-4,
    0x1.291aa45969cf4p-4,  -0x1.6755cf5ab291dp-5,  0x1.8b9a5ddb68e17p-6,  -0x1.8c51be85692d0p-7,
    0x1.6a6e247994433p-8,  -0x1.2fec0116b8756p-9,  0x1.d5b3413d68b42p-11, -0x1.50151990eeb55p-12,
    0x1.bf60a439b6bd8p-14, -0x1.161c3bf5a1980p-15, 0x1.444ff4d69d0eep-17, -0x1.64d097a8ac892p-19,
    0x1.7190b352a2736p-21, -0x1.5ee28c32d218ap-23, 0x1.47adf2ad8f006p-25, -0x1.7563b62331836p-27,
    0x1.38d32b1860536p-29};

// erfc(x) for x from 3 to 6, where t = (x - 4.5) / 1.5.
static const double erf_far[ERF_TERMS] = {
    0x1.b05d46a6edf16p-33, -0x1.75683cc63f1cbp-29, 0x1.3b11501ba9f0ap-26,  -0x1.59b8bed905f6ap-24,
    0x1.14ec0c2a4d893p-22, -0x1.589d5fd8fa646p-21, 0x1.5a31bdbb9bfdep-20,  -0x1.1fd2d057ecaf6p-19,
    0x1.9218fae3c85ebp-19, -0x1.dc6d7968ce400p-19, 0x1.e2f488de2ed2fp-19,  -0x1.a3e5d5ea06b1cp-19,
    0x1.321f532bcc713p-19, -0x1.66bb3f09a7657p-20, 0x1.5377556ffffd2p-21,  -0x1.09f38f2b8916fp-22,
    0x1.666efc10e4ef3p-26, 0x1.6dce1ef5e6670p-24,  -0x1.ce5b3313cdff9p-25, 0x1.72f6fd4c98b02p-30,
    0x1.4ceea395b188ap-28};

#endif
