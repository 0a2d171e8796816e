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

// erf(x) / x for abs(x) <= 3 in pieces of x^2: row i has the coefficients of t^i, where t is x^2
// less the nearest multiple j of 5/8, at place j. Made like those above, cut after 10 terms: the
// rest adds up to at most 2^-51.7 of the value.
enum { ERF_PIECES = 16, ERF_PIECE_TERMS = 10 };
static const double erf_piece[ERF_PIECE_TERMS][ERF_PIECES] = {
    {0x1.20dd750429b6ep+0, 0x1.dcf2e4601133bp-1, 0x1.95cfa9ad950bfp-1, 0x1.622aa496fe511p-1,
     0x1.3b9bfd4d15ff3p-1, 0x1.1e08aeaa8650bp-1, 0x1.06c3ada71345dp-1, 0x1.e80cc86a82e2ap-2,
     0x1.c93ad78332848p-2, 0x1.af699bba6af96p-2, 0x1.996eed90a1655p-2, 0x1.8674ebddbc8cap-2,
     0x1.75df29e2cb43ap-2, 0x1.6739180db0654p-2, 0x1.5a2a4cf6744a4p-2, 0x1.4e6e9893f7da3p-2},
    {-0x1.812746b0379e9p-2, -0x1.0c56e48f1a819p-2, -0x1.8076435ab2ce4p-3, -0x1.1b45fbdcbb312p-3,
     -0x1.ad1921b4b5022p-4, -0x1.4da1dd991e179p-4, -0x1.09ca0ed0a700dp-4, -0x1.b0eb305464be7p-5,
     -0x1.678e37a7d1ea3p-5, -0x1.2fd1a1c0051c1p-5, -0x1.049c1934ce042p-5, -0x1.c4f5d8a665291p-6,
     -0x1.8e1d6663b0f8cp-6, -0x1.615c15f278c8fp-6, -0x1.3c5397678c3dep-6, -0x1.1d4c6117e4e69p-6},
    {0x1.ce2f21a0406cep-4, 0x1.2a78d100157b9p-4, 0x1.89096fca011b6p-5, 0x1.083a91faa4a27p-5,
     0x1.6b2a0e1862451p-6, 0x1.fe9c07f867be8p-7, 0x1.6f4ac36132379p-7, 0x1.0e4304b22d7f4p-7,
     0x1.968da2f807dffp-8, 0x1.383850c05572bp-8, 0x1.e8f343f41d33fp-9, 0x1.85c0ed1967df3p-9,
     0x1.3bc3e36c325e8p-9, 0x1.039867c8ffa3bp-9, 0x1.b07ae2eba3ba1p-10, 0x1.6c834a778e03ep-10},
    {-0x1.b82ce3128703cp-6, -0x1.1070cb9fed5eap-6, -0x1.55de81390053bp-7, -0x1.b3750a0ec39ffp-8,
     -0x1.19e189420875ap-8, -0x1.735d37ff66241p-9, -0x1.f25ff1f179486p-10, -0x1.54e71f4424b83p-10,
     -0x1.dba2a693e7489p-11, -0x1.526de085f8d7bp-11, -0x1.eb17a22f14e24p-12, -0x1.6b1fa7239ca49p-12,
     -0x1.1168b49545273p-12, -0x1.a2d14251e846ep-13, -0x1.45eff63f8113bp-13,
     -0x1.016cced751e7bp-13},
    {0x1.565bcd1a47824p-8, 0x1.9c83ecb1f7390p-9, 0x1.f6024ebe4a743p-10, 0x1.34d498ac71550p-10,
     0x1.80973a16e71e1p-11, 0x1.e5489f07ee08ep-12, 0x1.368f9a92fa1c2p-12, 0x1.93985d665c0eap-13,
     0x1.0a8252f95bd57p-13, 0x1.65f0117a468c2p-14, 0x1.e91d394863c26p-15, 0x1.54165e4a208e4p-15,
     0x1.e14761391fb11p-16, 0x1.5a74fae1b3332p-16, 0x1.fb36fd73e1ab3p-17, 0x1.7948f1c52839dp-17},
    {-0x1.c02db40c6231ep-11, -0x1.09086090bf1b7p-11, -0x1.3bd1bff2ee77cp-12, -0x1.7b78e2ea52361p-13,
     -0x1.cc23bbe922707p-14, -0x1.19ca094fee894p-14, -0x1.5cef53bf735f9p-15, -0x1.b53e4fae619cdp-16,
     -0x1.1579db3d2388cp-16, -0x1.6502b78369ce6p-17, -0x1.d2013555b7b24p-18, -0x1.34be1b9237b2bp-18,
     -0x1.9f7e0311eef6ap-19, -0x1.1c058682d8d55p-19, -0x1.8a82679f0bc49p-20,
     -0x1.165626b1c333cp-20},
    {0x1.f9a2d1f2ed664p-14, 0x1.26f9ccde81fdcp-14, 0x1.5a2f0b4f97de7p-15, 0x1.98e876a852db2p-16,
     0x1.e66ec88868128p-17, 0x1.23968247d3981p-17, 0x1.60923ed2e691fp-18, 0x1.ae4a5d0e95080p-19,
     0x1.093c222966fccp-19, 0x1.4a91b6e841462p-20, 0x1.a0d6a840a44ccp-21, 0x1.0a18a29a7473ap-21,
     0x1.58361c1fd8af5p-22, 0x1.c3619c34712ecp-23, 0x1.2c295af471487p-23, 0x1.94fe29f8a93fbp-24},
    {-0x1.f4d2154572480p-17, -0x1.2128ce102aaacp-17, -0x1.4f7895597bc5fp-18, -0x1.8733a8f371d65p-19,
     -0x1.cac381346ce80p-20, -0x1.0ea8cc4cee336p-20, -0x1.418680c14d423p-21, -0x1.80c6331fb5438p-22,
     -0x1.d02c9a452a3c8p-23, -0x1.1a6db8e1784bap-23, -0x1.5af0a882ac69ap-24, -0x1.ae8581ae361abp-25,
     -0x1.0e05a9b1095cbp-25, -0x1.569e727e6e942p-26, -0x1.b80185cdfd713p-27,
     -0x1.1e1c27cd9861bp-27},
    {0x1.badf7785c7a5cp-20, 0x1.fb3f0d4173e2cp-21, 0x1.2399a56a7623cp-21, 0x1.50aa0b86e2bc0p-22,
     0x1.8677239c613a2p-23, 0x1.c71ecb799703cp-24, 0x1.0aaef0c8fb625p-24, 0x1.3a63554ba69f8p-25,
     0x1.75061bd73ab66p-26, 0x1.bdb5ddb24cb3fp-27, 0x1.0c5035c2d965ap-27, 0x1.45b60276ae1d6p-28,
     0x1.8ee6e6b9f3341p-29, 0x1.ed314d00b8625p-30, 0x1.33fa6de70c198p-30, 0x1.84c457678b55ap-31},
    {-0x1.6029cfbc205a3p-23, -0x1.90b6ff0b3519cp-24, -0x1.c969127a7810ep-25, -0x1.05f74be6aed05p-25,
     -0x1.2d30fcc006672p-26, -0x1.5bb4a9ae76487p-27, -0x1.93308174246f0p-28, -0x1.d5ca7e1920cfep-29,
     -0x1.1323a4ee9c63dp-29, -0x1.441fb472d5a87p-30, -0x1.803436dc95879p-31, -0x1.ca7d4355659c1p-32,
     -0x1.138f9a8b124a2p-32, -0x1.4dd549959bc8dp-33, -0x1.97d4e07f65cb8p-34,
     -0x1.f6b5b46d7351ep-35},
};

#endif
