/* test_setup_box.c: two triangles that setup_is_box() takes for a rectangle
 * cover each pixel of it once. */
#include <criterion/criterion.h>

#include "rig.h"

static uint32_t
next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Adds one to the red channel of every pixel drawn. */
static void
use_additive(struct rig *rig)
{
    struct gen9_blend_state_entry *e = &rig->draw.blend_entry[0];
    e->color_buffer_blend_enable = true;
    e->source_blend_factor = GEN9_BLENDFACTOR_ONE;
    e->destination_blend_factor = GEN9_BLENDFACTOR_ONE;
    for (unsigned c = 0; c < 4; c++)
        rig->color[c] = 1.0f / 255;
}

/* Draws two triangles that share a side. Returns whether they are taken for
 * their box, with the box in *box. */
static bool
draw_quad(struct rig *rig, const float x[4], const float y[4],
          struct setup *box)
{
    const float a[6] = {x[0], y[0], x[1], y[1], x[2], y[2]};
    const float b[6] = {x[2], y[2], x[1], y[1], x[3], y[3]};
    const struct prim prims[2] = {rig_triangle(rig, a, 0),
                                  rig_triangle(rig, b, 0)};
    struct scene *sc = scene_create(&rig->draw);
    struct prim_list *list = scene_list(sc, 0);
    for (unsigned i = 0; i < 2; i++)
        if (scene_add(list, &prims[i]))
            scene_flush(sc);
    bool is_box = list->count == 2 &&
                  setup_is_box(list->ref[0].setup, list->ref[1].setup);
    if (is_box)
        *box = *list->ref[0].setup;
    scene_destroy(sc);
    return is_box;
}

/* Corners on multiples of 1/8 of a pixel, at times one of them out of place. */
Test(setup_box, pixels_are_hit_once)
{
    uint32_t seed = 5;
    unsigned boxes = 0, others = 0;
    for (unsigned round = 0; round < 400; round++) {
        float x[4], y[4];
        float x0 = (float)(next_random(&seed) % 400) / 8 - 10;
        float y0 = (float)(next_random(&seed) % 400) / 8 - 10;
        float x1 = x0 + 20 + (float)(next_random(&seed) % 800) / 8;
        float y1 = y0 + 20 + (float)(next_random(&seed) % 800) / 8;
        for (unsigned i = 0; i < 4; i++) {
            x[i] = i / 2 ? x1 : x0;
            y[i] = i % 2 ? y1 : y0;
        }
        if (next_random(&seed) % 2)
            x[next_random(&seed) % 4] += (float)(next_random(&seed) % 50) / 8;
        struct rig *rig = rig_create(0);
        struct setup box;
        use_additive(rig);
        bool is_box = draw_quad(rig, x, y, &box);
        boxes += is_box;
        others += !is_box;
        for (int32_t py = 0; is_box && py < RIG_PX; py++)
            for (int32_t px = 0; px < RIG_PX; px++) {
                unsigned want = px >= box.x0 && px < box.x1 && py >= box.y0 &&
                                py < box.y1;
                cr_assert_eq(
                    rig_texel(rig, 0, (unsigned)px, (unsigned)py, 0)[0], want,
                    "round %u (%d,%d)", round, px, py);
            }
        rig_destroy(rig);
    }
    cr_expect_gt(boxes, 150);
    cr_expect_gt(others, 100);
}
