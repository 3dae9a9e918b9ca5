/* check_mfx_idct.c: the inverse DCT of MPEG-2 and JPEG (engine/mfx). */
#include "check.h"

#include "engine/mfx/mfx_idct.h"

#define ROUNDS 5000

/* Also rows without AC coefficients, and any bits. */
static void
fill_block(int16_t block[64])
{
    unsigned kind = check_below(4), chance = 1 + check_below(8);
    for (unsigned i = 0; i < 64; i++) {
        int16_t any = (int16_t)check_random();
        block[i] = check_below(8) < chance ? any : 0;
        if (kind == 0)
            block[i] = (int16_t)(any % 2048);
        else if (kind == 1)
            block[i] = check_below(2) ? INT16_MIN : INT16_MAX;
        else if (kind == 2 && i % 8)
            block[i] = 0;
    }
}

static void
compare_idct(enum check_isa isa)
{
    (void)isa;
    for (unsigned n = 0; n < ROUNDS; n++) {
        int16_t want[64], got[64];
        fill_block(want);
        memcpy(got, want, sizeof got);
        mfx_idct_ref(want);
        mfx_idct_selected()(got);
        check_bytes(want, got, sizeof got, "block %u", n);
    }
}

#define BENCH_CALLS 1000

static void
run_idct(void *arg)
{
    static int16_t block[64];
    mfx_idct_fn **idct = arg;
    for (unsigned i = 0; i < BENCH_CALLS; i++) {
        for (unsigned k = 0; k < 64; k += 7)
            block[k] = (int16_t)(i + k);
        (*idct)(block);
    }
}

static void
bench_idct(enum check_isa isa)
{
    mfx_idct_fn *idct = isa == CHECK_SCALAR ? mfx_idct_ref
                                            : mfx_idct_selected();
    check_time("8x8", run_idct, &idct, BENCH_CALLS);
}

static const struct check_row rows[] = {
    {"mfx_idct", "mfx_idct_ref", "mfx_idct_avx2", CHECK_AVX2, compare_idct,
     bench_idct},
};
CHECK_FAMILY(mfx_idct, rows);
