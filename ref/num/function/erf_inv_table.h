// SPDX-License-Identifier: Apache-2.0
// Coefficients for erf_inv: erf_inv(x) / x = sum of c[i] t^i with t in [-1, 1] along each interval
// of the argument.
//
// Chebyshev interpolation at 32 nodes in 200-bit arithmetic, cut after 18 terms and turned into
// powers of t. Of the rest, the 14 further Chebyshev coefficients add up to at most 2^-60 of the
// function, and coefficients rounded to double to 2^-53.

#ifndef ASSAY_REF_NUM_FUNCTION_ERF_INV_TABLE_H
#define ASSAY_REF_NUM_FUNCTION_ERF_INV_TABLE_H

enum { ERF_INV_PIECES = 6, ERF_INV_TERMS = 18 };

// Piece 0: the argument is x*x, for abs(x) <= 1/2. The others: sqrt(-log(1 - x*x)).
static const struct {
    double from, to;
    double coefficient[ERF_INV_TERMS];
} erf_inv_piece[ERF_INV_PIECES] = {
    {0.0,
     0.25,
     {0x1.d5b68cab21ed6p-1, 0x1.12fc00eac5523p-5, 0x1.56a033eae079cp-9, 0x1.08877d2b5758ap-12,
      0x1.c499564b1384cp-16, 0x1.9b356de909c45p-19, 0x1.84ae113eeed64p-22, 0x1.79cf2680f6df2p-25,
      0x1.76f88a54d1b8fp-28, 0x1.7a31dfe25f73cp-31, 0x1.825e1ec4f70cfp-34, 0x1.8edcae134b368p-37,
      0x1.9f5e87697c12bp-40, 0x1.b3b8593c68390p-43, 0x1.ca95c61b5ab41p-46, 0x1.e67c1bdeed4e3p-49,
      0x1.1a55b7d7b8159p-51, 0x1.2fde44e5e0b8dp-54}},
    {0.5,
     1.0,
     {0x1.051c4e177e09cp+0, 0x1.74d27b8e801b5p-4, 0x1.09b6d60885d26p-6, 0x1.cb05665a6ff3bp-13,
      -0x1.2d9f4914dbcddp-15, -0x1.5e2c386507487p-17, -0x1.427c31b0605ecp-22, 0x1.8acab96d9766fp-24,
      0x1.b5d904393e72dp-27, 0x1.5592e50021ffbp-32, -0x1.457bdc87fcfddp-33, -0x1.64514c6b26adap-36,
      -0x1.467405c77fd5ap-42, 0x1.12a4547f9ee0bp-42, 0x1.260a4a3e3d350p-45, 0x1.975ab87a1cfb2p-52,
      -0x1.de72f02430481p-52, -0x1.d006603b665dfp-55}},
    {1.0,
     1.5,
     {0x1.4488eeaec42e0p+0, 0x1.4092d2face57cp-3, 0x1.039b042d2dd00p-6, -0x1.e3c2d7cea5805p-12,
      -0x1.f6a07ee7e4afcp-14, -0x1.c71cab5b0c02cp-20, 0x1.f9a1b22357d6bp-20, 0x1.072e0b9dfa640p-23,
      -0x1.84bf8fbb7f2e7p-26, -0x1.de2354ea5bc58p-29, 0x1.358d26afc8440p-33, 0x1.2e36b858b7793p-34,
      0x1.5636e0af27f08p-39, -0x1.19430156b79d5p-40, -0x1.fe6ef87a6722ap-44, 0x1.4391b60739b26p-47,
      0x1.5e1506e41fdc4p-49, 0x1.6ff16f63d21e2p-56}},
    {1.5,
     2.25,
     {0x1.bf1b004e09e28p+0, 0x1.529d03a99eb0bp-2, 0x1.436cc8c84db74p-6, -0x1.049995d5db887p-8,
      0x1.73fe8961d64dep-14, 0x1.f6115324312cdp-14, -0x1.64443c6512d46p-17, -0x1.27f1d16b73c49p-18,
      0x1.55927ae7113d4p-21, 0x1.5bc47904d95f2p-23, -0x1.115e161a2b803p-25, -0x1.9640036583929p-28,
      0x1.9b14e298cfd15p-30, 0x1.cf07674bd11b4p-33, -0x1.27fd1454ff215p-34, -0x1.f60add888c786p-38,
      0x1.61ef93f6c1eeep-39, 0x1.c2dd80f631334p-43}},
    {2.25,
     3.125,
     {0x1.42b5de420f79cp+1, 0x1.bcb4226b98968p-2, 0x1.0a717fec6da24p-8, -0x1.a3a54939b0f8dp-10,
      0x1.ff2cbb7e7393ap-12, -0x1.8c5e8930b6240p-14, 0x1.b8716ebcbd3a5p-19, 0x1.100a0ca83ac1bp-18,
      -0x1.2c0bad6b4c48cp-20, 0x1.33322f707ae50p-25, 0x1.9f6d34d80b07cp-25, -0x1.842e048119513p-27,
      -0x1.03675880742ccp-33, 0x1.2ccc7ee15e551p-31, -0x1.a9d18ec61f25cp-34, -0x1.d59281a376f87p-38,
      0x1.64be95d65d9a5p-38, -0x1.35419f395748ap-41}},
    {3.125,
     4.0625,
     {0x1.b708b93eff044p+1, 0x1.e3ceb4ef57d27p-2, 0x1.3cb3029d0b00ep-11, -0x1.7092e46ed6c41p-13,
      0x1.4e52e968eaa71p-15, -0x1.691e8f0f77f26p-17, 0x1.adb220a7d55fcp-19, -0x1.c37578540f1e1p-21,
      0x1.5cc2eb1149b07p-23, -0x1.06d97b8d87fe8p-26, -0x1.77f55e40a0717p-29, 0x1.9b01bca7b60d1p-30,
      -0x1.4be60b631b040p-32, 0x1.6379946a58e32p-36, 0x1.bc07a9c595d81p-38, -0x1.39ee17a941014p-39,
      0x1.29847b3bd3e39p-42, 0x1.4bed85268b3ebp-47}},
};

#endif
