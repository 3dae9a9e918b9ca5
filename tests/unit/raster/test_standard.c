/* test_standard.c: colour and depth in standard tilings: every texel equals the
 * texel of a linear surface, for every size of element, samples and depth
 * formats. Tests of the sampler check the addresses. */
#include <criterion/criterion.h>

#include "rig.h"

enum { PITCH_B = 4096, ROWS = 256 };

static const unsigned tilings[] = {TILING_YF, TILING_YS};

/* Allocates the surface's memory again in another tiling; the caller frees it.
 */
static uint8_t *
retile(struct surface *s, unsigned tiling)
{
    s->tiling = (uint8_t)tiling;
    s->mip_tail_start = 15;
    s->row_pitch_B = PITCH_B;
    s->qpitch_el_rows = ROWS * (s->interleaved ? 4 : 1);
    s->limit_B = (uint64_t)PITCH_B * s->qpitch_el_rows * RIG_LAYERS *
                 (s->interleaved ? 1 : s->samples);
    s->mem = calloc(1, s->limit_B);
    surface_layout(s);
    return s->mem;
}

static void
expect_same(const struct surface *a, const struct surface *b)
{
    for (unsigned sample = 0; sample < a->samples; sample++)
        for (unsigned y = 0; y < RIG_PX; y++)
            for (unsigned x = 0; x < RIG_PX; x++)
                cr_assert_arr_eq(surface_ptr(a, 0, x, y, 0, sample),
                                 surface_ptr(b, 0, x, y, 0, sample),
                                 a->fmt->element_B,
                                 "format 0x%x, tiling %u: (%u, %u) %u",
                                 a->format, b->tiling, x, y, sample);
}

static struct rig *
draw(unsigned format, unsigned element_B, unsigned samples, unsigned depth,
     unsigned tiling, uint8_t *memory[2])
{
    static const float low[6] = {3, 5, 120, 30, 40, 126};
    static const float high[6] = {100, 2, 126, 90, 9, 77};
    struct rig *rig = rig_create(0);
    rig_target(rig, 0, format, element_B, samples);
    rig->draw.samples = samples;
    rig_depth(rig, depth, samples);
    memory[0] = memory[1] = NULL;
    if (tiling != TILING_LINEAR) {
        memory[0] = retile(&rig->target[0], tiling);
        memory[1] = retile(&rig->draw.depth, tiling);
    }
    rig->draw.wm_ds.depth_test_enable = true;
    rig->draw.wm_ds.depth_buffer_write_enable = true;
    rig->draw.wm_ds.depth_test_function = GEN9_COMPAREFUNCTION_GEQUAL;
    rig->shader = rig_shade_constant;
    memcpy(rig->color, (float[]){0.2f, 0.4f, 0.6f, 0.8f}, 16);
    struct prim p = rig_triangle(rig, low, 0.25f);
    p.v[1].z = 0.75f;
    rig_draw(rig, &p, 1);
    memcpy(rig->color, (float[]){0.9f, 0.1f, 0.5f, 0.3f}, 16);
    p = rig_triangle(rig, high, 0.5f);
    rig_draw(rig, &p, 1);
    return rig;
}

static void
compare(unsigned format, unsigned element_B, unsigned samples, unsigned depth)
{
    uint8_t *none[2], *memory[2];
    struct rig *want = draw(format, element_B, samples, depth, TILING_LINEAR,
                            none);
    for (unsigned i = 0; i < ARRAY_SIZE(tilings); i++) {
        struct rig *got = draw(format, element_B, samples, depth, tilings[i],
                               memory);
        expect_same(&want->target[0], &got->target[0]);
        expect_same(&want->draw.depth, &got->draw.depth);
        cr_assert_eq(want->stats.ps_depth_count, got->stats.ps_depth_count);
        free(memory[0]);
        free(memory[1]);
        rig_destroy(got);
    }
    rig_destroy(want);
}

Test(standard, colors_and_depth)
{
    enum { R32_FLOAT = 0x0d8, R24_UNORM_X8 = 0x0d9, R16_UNORM = 0x10a };
    compare(0x140, 1, 1, R16_UNORM);    /* R8_UNORM */
    compare(0x106, 2, 1, R24_UNORM_X8); /* R8G8_UNORM */
    compare(0x0c7, 4, 1, R32_FLOAT);    /* R8G8B8A8_UNORM */
    compare(0x084, 8, 1, R32_FLOAT);    /* R16G16B16A16_FLOAT */
    compare(0x000, 16, 1, R16_UNORM);   /* R32G32B32A32_FLOAT */
}

Test(standard, samples)
{
    for (unsigned samples = 2; samples <= 16; samples *= 2) {
        compare(0x0c7, 4, samples, 0x0d8);
        compare(0x000, 16, samples, 0x10a);
    }
}
