// SPDX-License-Identifier: Apache-2.0
// Coefficients for erf: sums of c[i] t^i with t in [-1, 1] along each interval.
//
// Chebyshev interpolation at 80 nodes in 200-bit arithmetic, cut after 23 terms and turned into
// powers of t. Of the rest, the further Chebyshev coefficients add up to at most 2^-55 of the least
// erf(x) / x, and to 2^-52 in erfc(x).

#ifndef ASSAY_REF_NUM_FUNCTION_ERF_TABLE_H
#define ASSAY_REF_NUM_FUNCTION_ERF_TABLE_H

enum { ERF_TERMS = 23 };

// erf(x) / x for abs(x) <= 3, where t = 2 x^2 / 9 - 1.
static const double erf_near[ERF_TERMS] = {
    0x1.e16a3caff3c6ep-2,  -0x1.d4943852775dep-3,  0x1.428da06b8199bp-3,  -0x1.c2f218917ac18p-4,
    0x1.291aa45962b3cp-4,  -0x1.6755cf5caf814p-5,  0x1.8b9a5ddd2460ep-6,  -0x1.8c51be36a5a4ep-7,
    0x1.6a6e24422455cp-8,  -0x1.2fec07ca055f0p-9,  0x1.d5b3495310aa7p-11, -0x1.50146a233f8bbp-12,
    0x1.bf5fe8132bfbap-14, -0x1.16277ac910928p-15, 0x1.445af0c23b034p-17, -0x1.63e78b6b455bfp-19,
    0x1.70bdce7396863p-21, -0x1.6a73a02ff10b4p-23, 0x1.518022b64556dp-25, -0x1.232327fec737ep-27,
    0x1.ed52f76a8635ap-30, -0x1.f558b7b963524p-32, 0x1.80f288121e606p-34};

// erfc(x) for x from 3 to 6, where t = (x - 4.5) / 1.5.
static const double erf_far[ERF_TERMS] = {
    0x1.b05d00d3e6dadp-33,  -0x1.756a7fc9472a5p-29, 0x1.3b11d41ea3575p-26,  -0x1.59b38ff213822p-24,
    0x1.14eac222de087p-22,  -0x1.58ab5e7bbc388p-21, 0x1.5a36c4d89ba73p-20,  -0x1.1fb0290e0cba7p-19,
    0x1.9204de6fc9b94p-19,  -0x1.dd2a24a5ae03fp-19, 0x1.e35262fb7dd70p-19,  -0x1.a17c5fae7030ap-19,
    0x1.310e4d05151fbp-19,  -0x1.70a06c4ce2e6cp-20, 0x1.5b6f83671bf33p-21,  -0x1.ad5e94e9feed4p-23,
    0x1.a340b7ff3364fp-29,  0x1.95ea8964263d0p-25,  -0x1.5c58a180ecabdp-25, 0x1.38b0f3db967dcp-26,
    -0x1.98d01b3446a7dp-31, -0x1.b926e19075411p-29, 0x1.174c1c5a58fe4p-30};

#endif
