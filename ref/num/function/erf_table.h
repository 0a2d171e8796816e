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

// erf(x) / x for abs(x) <= 3 in 8 pieces of x^2: row i has the coefficients of t^i, where t is x^2
// less the middle of piece j, at place j; the first middle is erf_piece_first, the others stand
// erf_piece_width apart. Made like those above, cut after 12 terms: the rest adds up to at most
// 2^-54.2 of the value.
#if PIECES == 8
enum { ERF_PIECE_TERMS = 12 };
static const double erf_piece_first = 0.5625, erf_piece_width = 1.15625;
static const double erf_piece[ERF_PIECE_TERMS][PIECES] = {
    {0x1.e57b7477c132ap-1, 0x1.6da601f2f009fp-1, 0x1.28fb70fd99ad1p-1, 0x1.fbb4f4cbba7a2p-2,
     0x1.c1052718f2d6cp-2, 0x1.966997f27bf81p-2, 0x1.75df29e2cb43ap-2, 0x1.5c08a01a60b4cp-2},
    {-0x1.15de911cce442p-2, -0x1.30f36cd463f8ap-3, -0x1.6fd86cd83e752p-4, -0x1.e36b145233233p-5,
     -0x1.55416b2133118p-5, -0x1.fdf57ecfbac55p-6, -0x1.8e1d6663b0f8cp-6, -0x1.41766e545004bp-6},
    {0x1.378cc2f08f2c0p-4, 0x1.2337489ba4fe4p-5, 0x1.2524ef776b94cp-6, 0x1.3f0c225732218p-7,
     0x1.76cc3db7b182cp-8, 0x1.d814b78cede28p-9, 0x1.3bc3e36c327abp-9, 0x1.bc26a43c54242p-10},
    {-0x1.1da9335ac55e5p-6, -0x1.e6bba8d85cd02p-8, -0x1.b5e730c96a4d5p-9, -0x1.a313312a44a7ep-10,
     -0x1.ac94dde7cfb1cp-11, -0x1.d4cab772be6fap-12, -0x1.1168b495454cep-12,
     -0x1.5219da8266692p-13},
    {0x1.b1c55aa618f4ap-9, 0x1.5c5567d1824ddp-10, 0x1.233f65feba9c3p-11, 0x1.fe994abfeabeep-13,
     0x1.d82774d373a45p-14, 0x1.cea60e8c6359cp-15, 0x1.e1476134d174cp-16, 0x1.097b127cc7d16p-16},
    {-0x1.173cbaef9747cp-11, -0x1.aeab92c719916p-13, -0x1.566c2f905aabcp-14, -0x1.1a4c7cefbb4d7p-15,
     -0x1.e57367c378e02p-17, -0x1.b5ac2dcf3d2d8p-18, -0x1.9f7e030deab84p-19,
     -0x1.a0435a42a91bfp-20},
    {0x1.373b0807df179p-14, 0x1.d226d01a42e11p-16, 0x1.6579b0d2e34a1p-17, 0x1.19f72164961a2p-18,
     0x1.cbc2095a013b0p-20, 0x1.856234dc70de2p-21, 0x1.58363a5b1f7e0p-22, 0x1.3ed0708e9770bp-23},
    {-0x1.316cc138b8712p-17, -0x1.bf754e563af56p-19, -0x1.4e01601669fe5p-20, -0x1.fde09f38ed018p-22,
     -0x1.8f853e38b8935p-23, -0x1.42c17cab23197p-24, -0x1.0e05c0b603e61p-25,
     -0x1.d5dd8ed7feae2p-27},
    {0x1.0b87bf805943dp-20, 0x1.814073c66d82ap-22, 0x1.19a7bdd3ad075p-23, 0x1.a34c327f68a5cp-25,
     0x1.3ec15aa448082p-26, 0x1.f0ba987829083p-28, 0x1.8e378bba0a7f6p-29, 0x1.49c4c17d778d3p-30},
    {-0x1.a70d20c68abf3p-24, -0x1.2c701b84b84d2p-25, -0x1.b021c7e53e958p-27, -0x1.3b625036423fep-28,
     -0x1.d4580b41894bap-30, -0x1.62cb265bc1a59p-31, -0x1.131ac28938e7ap-32,
     -0x1.b632a99c8b093p-34},
    {0x1.32ab7c6002ffbp-27, 0x1.aea7a20318608p-29, 0x1.3195c45b69b27p-30, 0x1.b702237b2a99fp-32,
     0x1.3fdb03b26a696p-33, 0x1.d9d8cc61ee0dcp-35, 0x1.65c6a9a29fc58p-36, 0x1.142c3d37b701bp-37},
    {-0x1.9572e0b7bcb16p-31, -0x1.1a0a0f9402ff6p-32, -0x1.8be8fee40f40cp-34, -0x1.18c1669c8c455p-35,
     -0x1.92f539fe77305p-37, -0x1.252f8ac08a00fp-38, -0x1.b17c4cb98fb50p-40,
     -0x1.466806f6f3e8dp-41},
};
#endif

// The same, shorter, where u = erf_short_scale x: erf(x) is u times the sum of the coefficients of
// piece j, times t^i, for u^2 = j + 1/2 + t, t in [-1/2, 1/2]. Chebyshev interpolation: as many
// nodes as terms.
#if PIECES == 8
enum { ERF_SHORT_TERMS = 10 };
static const double erf_short_scale = 0.9375;
static const double erf_short[ERF_SHORT_TERMS][PIECES] = {
    {0x1.027388a70d7b0p+0, 0x1.8702afabd4bd5p-1, 0x1.3e49ef7cbf6ccp-1, 0x1.105eb4544f15ep-1,
     0x1.e20e0a13e0a1ep-2, 0x1.b4757740830b9p-2, 0x1.9198fcc575e70p-2, 0x1.75e60008c084bp-2},
    {-0x1.50067d47d679ap-2, -0x1.743da6e64b0e1p-3, -0x1.c3e907f086b5bp-4, -0x1.2a2632a062f7ep-4,
     -0x1.a5f2388a1fc47p-5, -0x1.3bb5287ad34f8p-5, -0x1.ed57b6aba783bp-6, -0x1.8e90f7a6691a3p-6},
    {0x1.ac50b3c408deep-4, 0x1.952e796c086c8p-5, 0x1.9bc8fb192e602p-6, 0x1.c35a83293163dp-7,
     0x1.0a663bbfba284p-7, 0x1.50981f072f0a8p-8, 0x1.c3278fa1aa207p-9, 0x1.3dacf0f64f369p-9},
    {-0x1.bea0ad12c6464p-6, -0x1.81ac2e422e7f1p-7, -0x1.5f0ffc27cedfdp-8, -0x1.53340f9b3b183p-9,
     -0x1.5d76b9052fff7p-10, -0x1.8048cce9bb86bp-11, -0x1.c1dcb81cc5000p-12,
     -0x1.16ce448789dfbp-12},
    {0x1.81b4c1d05d7d2p-8, 0x1.3a40de7a3a05fp-9, 0x1.0a39aa691ec94p-10, 0x1.d81c7ee5235c2p-12,
     0x1.b8c0331b77c37p-13, 0x1.b323911e931c4p-14, 0x1.c733cf85fb577p-15, 0x1.f82da9bf09834p-16},
    {-0x1.1a72f1bd2bfa4p-10, -0x1.ba463063c0ecap-12, -0x1.64a6c446659dep-13, -0x1.29d3541d585abp-14,
     -0x1.02f9c01664b43p-15, -0x1.d76c44559b4dbp-17, -0x1.c2f319ee74040p-18,
     -0x1.c669a1851f180p-19},
    {0x1.661f4c9c89df1p-13, 0x1.106b4a7db0690p-14, 0x1.a810a04db6113p-16, 0x1.532592152967fp-17,
     0x1.17ff04bf259f8p-18, 0x1.df8fe7e320f95p-20, 0x1.abf0184e33dcdp-21, 0x1.8f684d97909bbp-22},
    {-0x1.8fd2742fbe580p-16, -0x1.2999dc5b63855p-17, -0x1.c32bb4a78e260p-19, -0x1.5d6c0d68499f2p-20,
     -0x1.158892a8b6e53p-21, -0x1.c5fc9aa9b1fe4p-23, -0x1.7ffbd4e982e0fp-24,
     -0x1.5137cf592ff0fp-25},
    {0x1.9153a621ff5a9p-19, 0x1.25a7694c3869bp-20, 0x1.b41da201f5952p-22, 0x1.497e1d17d4046p-23,
     0x1.fc0f595a4584fp-25, 0x1.910e59cf3e30ep-26, 0x1.4556080900d5fp-27, 0x1.103b2db718b49p-28},
    {-0x1.6894d64b4fa73p-22, -0x1.044e26e363725p-23, -0x1.7c6d8fcfc7ff4p-25, -0x1.19f588603718ap-26,
     -0x1.a8eb69815b9ecp-28, -0x1.46667fa2d2ec7p-29, -0x1.005ee16db3fdap-30,
     -0x1.9d29a365c9871p-32},
};
#endif

#endif
