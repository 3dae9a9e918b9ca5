/* early_tests.c: the only entry to depth and stencil tests before the pixel
 * shader: for the blocks of a primitive, for the blocks of several primitives,
 * and for a quad with samples. */
#include "engine/raster/depth/depth.h"
#include "engine/raster/setup/setup.h"

/* Tests before the shader, or early rejection of samples that would fail. */
static bool
has_early_tests(const struct scene *sc)
{
    return sc->ds.depth_test && sc->test_time != TEST_LATE;
}

static bool
writes_early(const struct scene *sc)
{
    return sc->test_time == TEST_EARLY;
}

const uint16_t *
early_tests(struct worker *w, const struct setup *s,
            const struct cover_list *list, uint16_t live[COVER_ROOM])
{
    if (!has_early_tests(w->scene))
        return NULL;
    depth_test_list(w, s, list, writes_early(w->scene), live);
    return live;
}

const uint16_t *
early_tests_multi_prim(struct worker *w, const struct cover_multi_prim *m,
                       const struct cover_list *list,
                       uint16_t live[COVER_MIXED_BLOCKS])
{
    if (!has_early_tests(w->scene))
        return NULL;
    depth_test_mixed(w, m, list, writes_early(w->scene), live);
    return live;
}

static uint16_t
input_coverage(const struct worker *w, const struct setup *s, int32_t x,
               int32_t y, uint16_t raster, uint16_t tested)
{
    switch (w->draw->ps_extra.input_coverage_mask_state) {
    case GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_DEPTH_COVERAGE:
        return tested;
    case GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_INNER_CONSERVATIVE:
        return setup_holds_pixel(s, x, y) ? raster : 0;
    default: return raster;
    }
}

void
early_tests_quad(struct worker *w, const struct setup *s, struct quad *q)
{
    const struct scene *sc = w->scene;
    bool early = writes_early(sc);
    bool test = sc->ds.depth_test || sc->ds.stencil_test;
    for (unsigned p = 0; p < 4; p++) {
        uint16_t cover = q->cover[p];
        int32_t x = q->x + (int32_t)(p & 1), y = q->y + (int32_t)(p >> 1);
        if (!cover)
            continue;
        if (test && sc->test_time != TEST_LATE)
            cover = depth_test(w, s, x, y, cover, NULL, -1, early);
        if (early && !sc->count_late)
            w->depth_count += count_bits(cover);
        q->input_coverage[p] = input_coverage(w, s, x, y, q->cover[p], cover);
        q->cover[p] = cover;
    }
}
