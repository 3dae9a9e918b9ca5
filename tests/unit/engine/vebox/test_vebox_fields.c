/* test_vebox_fields.c: the deinterlacer and the denoise filter. Their
 * arithmetic is not published, so these tests say what any such filter does:
 * kept rows stay, flat areas stay, still pictures are woven, noise becomes
 * less. */
#include "vebox_bench.h"

TestSuite(vebox_fields, .init = bench_init, .fini = bench_finish,
          .timeout = 120);

#define WIDTH 64u
#define HEIGHT 48u
#define TOP_FIRST (1u << 3)

static struct model_surface in, previous, out;

static uint32_t *
dndi(unsigned dw)
{
    return rig_dw(&rig, DNDI_VA) + dw;
}

/* Frames of 4:4:4, so that chroma can be seen by rows. */
static void
frames(unsigned format)
{
    in = model_surface(format, MODEL_Y, WIDTH, HEIGHT, IN_VA);
    previous = in;
    previous.va = PREVIOUS_VA;
    out = in;
    out.va = OUT_VA;
}

static void
run_flags(uint32_t flags, const struct model_surface *to)
{
    rig_at(&rig, RIG_BATCH);
    emit_state(flags | F_AVERAGE);
    model_emit_surface(&rig, &in, 0);
    model_emit_surface(&rig, to, 1);
    cr_assert_eq(run_frame(WIDTH), ENGINE_OK);
}

static double
luma(const struct model_surface *s, uint32_t x, uint32_t y)
{
    return model_read(&rig, s, x, y).v[0];
}

static void
copy_frame(uint64_t to, uint64_t from)
{
    memcpy(rig_dw(&rig, to), rig_dw(&rig, from), 0x20000);
}

/* ---- deinterlacer ---- */

Test(vebox_fields, keeps_the_first_field_and_interpolates_the_other)
{
    for (unsigned top = 0; top < 2; top++) {
        frames(5);
        *dndi(16) = top ? TOP_FIRST : 0;
        *dndi(14) = 0xff00; /* vertical everywhere */
        run_flags(F_DI | F_FIRST | F_CURRENT, &out);
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t x = 0; x < WIDTH; x++) {
                struct model_pixel got = model_read(&rig, &out, x, y);
                uint32_t up = y ? y - 1 : 1;
                uint32_t down = y + 1 < HEIGHT ? y + 1 : y - 1;
                bool kept = (y & 1) == !top;
                struct model_pixel a = model_read(&rig, &in, x, kept ? y : up);
                struct model_pixel b = model_read(&rig, &in, x,
                                                  kept ? y : down);
                for (unsigned c = 0; c < 4; c++)
                    cr_assert_float_eq(got.v[c], (a.v[c] + b.v[c]) / 2,
                                       kept ? 0 : 0.51);
            }
        }
    }
}

/* A diagonal edge: its steps follow it, and do not become gray. */
Test(vebox_fields, interpolates_along_edges)
{
    frames(11);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            rig.mem[IN_VA - RIG_VA + y / 32 * 4096 + x / 16 * 512 +
                    y % 32 * 16 + x % 16] = x > y ? 200 : 20;
    *dndi(16) = TOP_FIRST;
    run_flags(F_DI | F_FIRST | F_CURRENT, &out);
    unsigned wrong = 0;
    for (uint32_t y = 4; y < HEIGHT - 4; y++)
        for (uint32_t x = 4; x < WIDTH - 4; x++)
            wrong += luma(&out, x, y) != (x > y ? 200 : 20) && x != y &&
                     x != y + 1;
    cr_assert_eq(wrong, 0);
}

/* Fields of chroma alternate in rows of 4:2:0 as well. */
Test(vebox_fields, takes_chroma_of_the_field)
{
    frames(4);
    *dndi(16) = TOP_FIRST;
    struct model_surface wide = model_surface(0, MODEL_LINEAR, WIDTH, HEIGHT,
                                              OUT_VA);
    run_flags(F_DI | F_FIRST | F_CURRENT, &wide);
    for (uint32_t y = 0; y < HEIGHT; y += 2)
        cr_assert_eq(model_read(&rig, &wide, 6, y).v[2],
                     model_read(&rig, &in, 6, y / 4 * 4).v[2], "%u", y);
}

/* Motion: STMM as the frame before has left it. */
static void
set_motion_state(void)
{
    *dndi(16) = TOP_FIRST;
    *dndi(13) = 64 | 100u << 16 | 64u << 24;
    *dndi(14) = 0xff00 | 6u << 16 | 0u << 24;
}

Test(vebox_fields, weaves_what_does_not_move)
{
    frames(5);
    set_motion_state();
    copy_frame(PREVIOUS_VA, IN_VA);
    memset(rig_dw(&rig, STMM_VA), 0, 0x8000);
    run_flags(F_DI | F_CURRENT, &out);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            cr_assert_eq(luma(&out, x, y), luma(&in, x, y));
}

Test(vebox_fields, interpolates_what_moves)
{
    frames(5);
    set_motion_state();
    uint8_t *then = (uint8_t *)rig_dw(&rig, PREVIOUS_VA);
    copy_frame(PREVIOUS_VA, IN_VA);
    for (unsigned i = 0; i < 0x20000; i++)
        then[i] ^= 0x80;
    memset(rig_dw(&rig, STMM_VA), 0, 0x8000);
    run_flags(F_DI | F_CURRENT, &out);
    for (uint32_t y = 1; y < HEIGHT - 1; y += 2)
        for (uint32_t x = 0; x < WIDTH; x++)
            cr_assert_float_eq(luma(&out, x, y),
                               (luma(&in, x, y - 1) + luma(&in, x, y + 1)) / 2,
                               0.51);
}

/* Motion lasts: it falls from frame to frame, by the blending constants. */
Test(vebox_fields, motion_decays)
{
    frames(5);
    set_motion_state();
    copy_frame(PREVIOUS_VA, IN_VA);
    uint8_t *motion = (uint8_t *)rig_dw(&rig, STMM_VA);
    run_flags(F_DI | F_FIRST | F_CURRENT, &out);
    cr_assert_eq(motion[0x8000], 255, "the first frame leaves the most");
    for (unsigned before = 256; before;) {
        memcpy(motion, motion + 0x8000, 0x8000);
        run_flags(F_DI | F_CURRENT, &out);
        cr_assert_lt(motion[0x8000], before);
        before = motion[0x8000];
        if (before < 4)
            break;
    }
}

Test(vebox_fields, cadence_takes_the_neighbouring_field)
{
    for (unsigned cadence = 1; cadence < 3; cadence++) {
        frames(5);
        set_motion_state();
        *dndi(17) = cadence << 8;
        run_flags(F_DI | F_CURRENT, &out);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                cr_assert_eq(
                    luma(&out, x, y),
                    luma(y & 1 && cadence == 1 ? &previous : &in, x, y));
    }
}

/* ---- denoise ---- */

/* As iHD has them at a noise factor of 64. */
static void
set_noise_state(void)
{
    *dndi(0) = 2304u << 20 | 208u << 12 | 8 << 8 | 2;
    *dndi(1) = 640u << 20 | 192 << 10 | 128;
    *dndi(2) = 1u << 28 | 640u << 16 | 32 << 10;
    *dndi(4) = 144u << 16 | 1 << 12 | 14 << 6 | 8;
    *dndi(5) = 16 | 15 << 5 | 13 << 10 | 10 << 15 | 7 << 20 | 4 << 25;
    *dndi(8) = 1920u << 16 | 1280;
    *dndi(9) = 896u << 16 | 576;
    *dndi(10) = 384u << 16 | 8 | 8 << 5 | 4 << 10;
    *dndi(11) = 16 | 16 << 5 | 8 << 10 | 16 << 15 | 16 << 20 | 8 << 25;
}

static double
variance(const struct model_surface *s)
{
    double sum = 0, squares = 0, count = WIDTH * HEIGHT;
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            double v = luma(s, x, y);
            sum += v;
            squares += v * v;
        }
    }
    return squares / count - sum / count * (sum / count);
}

static void
noisy(uint64_t va)
{
    uint8_t *bytes = (uint8_t *)rig_dw(&rig, va);
    for (unsigned i = 0; i < 0x20000; i++)
        bytes[i] = (uint8_t)(100 + random_32() % 9);
}

Test(vebox_fields, flat_frames_stay_flat)
{
    frames(4);
    set_noise_state();
    memset(rig_dw(&rig, IN_VA), 77, 0x20000);
    memset(rig_dw(&rig, PREVIOUS_VA), 77, 0x20000);
    struct model_surface denoised = in;
    denoised.va = DENOISED_VA;
    for (unsigned first = 0; first < 2; first++) {
        memset(rig_dw(&rig, DENOISED_VA), 1, 0x10000);
        run_flags(F_DN | (first ? F_FIRST : 0), &out);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                for (unsigned c = 0; c < 3; c++)
                    cr_assert_eq(model_read(&rig, &denoised, x, y).v[c], 77);
    }
}

Test(vebox_fields, noise_becomes_less_and_with_history_even_less)
{
    frames(4);
    set_noise_state();
    struct model_surface denoised = in;
    denoised.va = DENOISED_VA;
    noisy(IN_VA);
    run_flags(F_DN | F_FIRST, &out);
    double before = variance(&in), space = variance(&denoised);
    cr_assert_lt(space, before / 3);
    /* The next frames have the one before them, and its history. */
    for (unsigned n = 0; n < 4; n++) {
        copy_frame(PREVIOUS_VA, DENOISED_VA);
        memcpy(rig_dw(&rig, STMM_VA), rig_dw(&rig, STMM_VA + 0x8000), 0x8000);
        noisy(IN_VA);
        run_flags(F_DN, &out);
    }
    cr_assert_lt(variance(&denoised), space * 0.8);
}

Test(vebox_fields, edges_survive_the_denoise_filter)
{
    frames(11);
    set_noise_state();
    struct model_surface denoised = in;
    denoised.va = DENOISED_VA;
    for (uint32_t i = 0; i < 0x4000; i++)
        rig.mem[IN_VA - RIG_VA + i] = i / 512 % 8 < 2 ? 20 : 220;
    run_flags(F_DN | F_FIRST, &out);
    for (uint32_t x = 0; x < WIDTH; x++)
        cr_assert_float_eq(luma(&denoised, x, 10), luma(&in, x, 10), 35);
}

Test(vebox_fields, hot_pixels_become_the_median)
{
    frames(11);
    *dndi(3) = 8u << 28 | 40 << 20;
    *dndi(5) = 1;
    *dndi(11) = 1;
    struct model_surface denoised = in;
    denoised.va = DENOISED_VA;
    memset(rig_dw(&rig, IN_VA), 60, 0x4000);
    rig.mem[IN_VA - RIG_VA + 512 + 10 * 16 + 5] = 250; /* (21, 10) */
    run_flags(F_FIRST | 1u << 13, &out);
    cr_assert_eq(luma(&in, 21, 10), 250);
    cr_assert_eq(luma(&denoised, 21, 10), 60);
}
