/* check_avc_recon.c: H.264's samples (engine/mfx/avc/recon). */
#include "check.h"

#include "engine/mfx/avc/recon/recon.h"

#define ROUNDS 2000
#define STRIDE 40
#define LINES 24
#define BLOCK_B (16 * 16 + 16) /* the last row is read to its 16th byte */

static uint8_t
hostile_sample(void)
{
    uint32_t r = check_random();
    return r & 1 ? (uint8_t)(r >> 8) : r & 2 ? 255 : 0;
}

static void
fill_samples(uint8_t *to, size_t size_B)
{
    /* Also nearly flat ones, which loop filters smooth. */
    unsigned base = check_below(240), spread = check_below(2) ? 16 : 0;
    for (size_t i = 0; i < size_B; i++)
        to[i] = spread ? (uint8_t)(base + check_below(spread))
                       : hostile_sample();
}

/* ---- transforms ---- */

static void
fill_coefficients(int16_t *coef, unsigned count)
{
    unsigned kind = check_below(3);
    for (unsigned i = 0; i < count; i++) {
        uint32_t r = check_random();
        coef[i] = kind == 0 ? (int16_t)r : (int16_t)((int)(r % 1024) - 512);
        if (kind == 1)
            coef[i] = r & 1 ? INT16_MAX : INT16_MIN;
    }
}

static void
compare_add(enum check_isa isa)
{
    (void)isa;
    const struct avc_recon *ops = avc_recon_selected();
    for (unsigned n = 0; n < ROUNDS; n++) {
        uint8_t want[8 * STRIDE], got[8 * STRIDE];
        int16_t a[64], b[64];
        bool big = n & 1;
        fill_samples(want, sizeof want);
        memcpy(got, want, sizeof got);
        fill_coefficients(a, 64);
        memcpy(b, a, sizeof b);
        (big ? avc_recon_ref.add_8x8 : avc_recon_ref.add_4x4)(want + 4, STRIDE,
                                                              a);
        (big ? ops->add_8x8 : ops->add_4x4)(got + 4, STRIDE, b);
        check_bytes(want, got, sizeof got, "%s", big ? "8x8" : "4x4");
        check_bytes(a, b, sizeof a, "coefficients");
    }
}

/* ---- interpolation ---- */

static void
compare_luma(const struct avc_recon *ops, unsigned n)
{
    static const uint8_t sizes[] = {4, 8, 16};
    static struct avc_window w;
    uint8_t want[LINES * STRIDE] = {0}, got[LINES * STRIDE] = {0};
    unsigned width = sizes[check_below(3)], height = sizes[check_below(3)];
    unsigned x = n & 3, y = n >> 2 & 3;
    fill_samples(w.bytes[0], sizeof w.bytes);
    const uint8_t *from = &w.bytes[2][2 + check_below(16)];
    avc_recon_ref.luma(&w, from, x, y, width, height, want + 1, STRIDE);
    ops->luma(&w, from, x, y, width, height, got + 1, STRIDE);
    check_bytes(want, got, sizeof got, "(%u, %u), %u x %u", x, y, width,
                height);
}

static void
compare_chroma(const struct avc_recon *ops, unsigned n)
{
    static struct avc_window w;
    uint8_t want[2][LINES * STRIDE] = {{0}}, got[2][LINES * STRIDE] = {{0}};
    uint8_t *const want_to[2] = {want[0] + 1, want[1] + 1};
    uint8_t *const got_to[2] = {got[0] + 1, got[1] + 1};
    unsigned width = 2u << check_below(3), height = 2u << check_below(3);
    unsigned x = n & 7, y = n >> 3 & 7;
    fill_samples(w.bytes[0], sizeof w.bytes);
    const uint8_t *from = &w.bytes[0][check_below(8) * 2];
    avc_recon_ref.chroma(from, x, y, width, height, want_to, STRIDE);
    ops->chroma(from, x, y, width, height, got_to, STRIDE);
    check_bytes(want, got, sizeof got, "(%u, %u), %u x %u", x, y, width,
                height);
}

/* Any weights that a packet can have. */
static struct avc_weights
hostile_weights(void)
{
    bool wild = check_below(2);
    unsigned range = wild ? 65536 : 256;
    int half = wild ? 32768 : 128;
    return (struct avc_weights){
        .w0 = (int)check_below(range) - half,
        .w1 = (int)check_below(range) - half,
        .offset = (int)check_below(range) - half,
        .log2_denom = (int)check_below(8),
    };
}

static void
compare_weights(const struct avc_recon *ops)
{
    uint8_t a[BLOCK_B], b[BLOCK_B];
    uint8_t want[LINES * STRIDE] = {0}, got[LINES * STRIDE] = {0};
    unsigned width = 2u << check_below(4), height = 2u << check_below(4);
    struct avc_weights w = hostile_weights();
    fill_samples(a, sizeof a);
    fill_samples(b, sizeof b);
    avc_recon_ref.average(want, STRIDE, a, b, width, height);
    ops->average(got, STRIDE, a, b, width, height);
    check_bytes(want, got, sizeof got, "average");
    avc_recon_ref.weight_one(want, STRIDE, a, &w, width, height);
    ops->weight_one(got, STRIDE, a, &w, width, height);
    check_bytes(want, got, sizeof got, "%d + %d >> %d", w.w0, w.offset,
                w.log2_denom);
    avc_recon_ref.weight_two(want, STRIDE, a, b, &w, width, height);
    ops->weight_two(got, STRIDE, a, b, &w, width, height);
    check_bytes(want, got, sizeof got, "%d, %d + %d >> %d", w.w0, w.w1,
                w.offset, w.log2_denom);
}

static void
compare_interpolation(enum check_isa isa)
{
    (void)isa;
    const struct avc_recon *ops = avc_recon_selected();
    for (unsigned n = 0; n < ROUNDS; n++) {
        compare_luma(ops, n);
        compare_chroma(ops, n);
        compare_weights(ops);
    }
}

/* ---- loop filter ---- */

static void
compare_filter(enum check_isa isa)
{
    (void)isa;
    const struct avc_recon *ops = avc_recon_selected();
    for (unsigned n = 0; n < ROUNDS * 8; n++) {
        uint8_t want[LINES * STRIDE], got[LINES * STRIDE];
        bool luma = n & 1, vertical = n & 2, whole = check_below(8);
        bool strong = check_below(4) == 0, mixed = check_below(16) == 0;
        fill_samples(want, sizeof want);
        memcpy(got, want, sizeof got);
        unsigned count = (luma ? 16u : 8u) >> !whole;
        struct avc_lines l = {
            .across = vertical ? 1 : STRIDE,
            .along = vertical ? STRIDE : 1,
            .count = count,
            .per_bs = count / 4,
            .index_a = (int)check_below(52),
            .index_b = (int)check_below(52),
        };
        for (unsigned i = 0; i < 4; i++)
            l.bs[i] = (uint8_t)(mixed    ? check_below(5)
                                : strong ? 4
                                         : check_below(4));
        l.q0 = want + 4 * STRIDE + 4;
        (luma ? avc_recon_ref.filter_luma : avc_recon_ref.filter_chroma)(&l);
        l.q0 = got + 4 * STRIDE + 4;
        (luma ? ops->filter_luma : ops->filter_chroma)(&l);
        check_bytes(want, got, sizeof got, "luma %d, vertical %d, bS %u", luma,
                    vertical, l.bs[0]);
    }
}

/* ---- timing ---- */

static struct {
    struct avc_window window;
    uint8_t to[LINES * STRIDE], a[BLOCK_B], b[BLOCK_B];
    int16_t coef[64];
} bench;

static const struct avc_recon *
ops_of(enum check_isa isa)
{
    return isa == CHECK_SCALAR ? &avc_recon_ref : avc_recon_selected();
}

#define BENCH_CALLS 1000

static void
run_add(void *arg)
{
    const struct avc_recon *ops = arg;
    for (unsigned i = 0; i < BENCH_CALLS; i++)
        ops->add_8x8(bench.to, STRIDE, bench.coef);
}

static void
run_luma(void *arg)
{
    const struct avc_recon *ops = arg;
    for (unsigned i = 0; i < BENCH_CALLS; i++)
        ops->luma(&bench.window, &bench.window.bytes[2][2], 3, 2, 16, 16,
                  bench.to, STRIDE);
}

static void
run_filter(void *arg)
{
    const struct avc_recon *ops = arg;
    struct avc_lines l = {.q0 = bench.to + 4 * STRIDE + 4,
                          .across = 1,
                          .along = STRIDE,
                          .count = 16,
                          .per_bs = 4,
                          .bs = {1, 2, 1, 2},
                          .index_a = 36,
                          .index_b = 36};
    for (unsigned i = 0; i < BENCH_CALLS; i++)
        ops->filter_luma(&l);
}

static void
bench_add(enum check_isa isa)
{
    check_time("8x8", run_add, (void *)(uintptr_t)ops_of(isa), BENCH_CALLS);
}

static void
bench_luma(enum check_isa isa)
{
    check_time("quarter", run_luma, (void *)(uintptr_t)ops_of(isa),
               BENCH_CALLS);
}

static void
bench_filter(enum check_isa isa)
{
    check_time("vertical", run_filter, (void *)(uintptr_t)ops_of(isa),
               BENCH_CALLS);
}

static const struct check_row rows[] = {
    {"avc_add", "avc_recon_ref", "avc_transform_avx2", CHECK_AVX2, compare_add,
     bench_add},
    {"avc_interpolate", "avc_recon_ref", "avc_interpolate_avx2", CHECK_AVX2,
     compare_interpolation, bench_luma},
    {"avc_filter", "avc_recon_ref", "avc_filter_avx2", CHECK_AVX2,
     compare_filter, bench_filter},
};
CHECK_FAMILY(avc_recon, rows);
