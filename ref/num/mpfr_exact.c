// SPDX-License-Identifier: Apache-2.0
// From MPFR's numbers to the one that num_pack rounds, and what MPFR keeps for a thread: a key with
// a destructor sees every thread's end, whoever started it.

#include "ref/num/mpfr_exact.h"

#include <pthread.h>

enum { EXPONENT_LIMIT = 4000 };

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;

static void forget(void *unused)
{
    (void)unused;
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
}

static void make_key(void)
{
    key_made = !pthread_key_create(&key, forget);
}

void num_mpfr_on_this_thread(void)
{
    pthread_once(&key_once, make_key);
    if (key_made && !pthread_getspecific(key))
        pthread_setspecific(key, &key);
}

struct num_exact num_exact_of_mpfr(mpfr_srcptr x, bool cut)
{
    struct num_exact value = {NUM_FINITE, mpfr_signbit(x) != 0, cut, -EXPONENT_LIMIT,
                              UINT64_C(1) << 63};
    if (mpfr_zero_p(x)) {
        value.significand = cut ? value.significand : 0;
        return value;
    }
    mpfr_t leading;
    mpz_t integer;
    mpfr_init2(leading, 64);
    mpz_init(integer);
    value.sticky = mpfr_set(leading, x, MPFR_RNDZ) != 0 || cut;
    const mpfr_exp_t exponent = mpfr_get_exp(leading);
    if (exponent > EXPONENT_LIMIT)
        value.exponent = EXPONENT_LIMIT;
    else if (exponent >= -EXPONENT_LIMIT) {
        value.exponent = (int)mpfr_get_z_2exp(integer, leading);
        mpz_export(&value.significand, NULL, -1, sizeof value.significand, 0, 0, integer);
    }
    mpz_clear(integer);
    mpfr_clear(leading);
    return value;
}
