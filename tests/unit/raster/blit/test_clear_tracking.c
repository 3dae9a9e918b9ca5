/* test_clear_tracking.c: repeated clears of images of which only some tiles
 * have been drawn to. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "rig.h"

#define R32_FLOAT 0x0d8
#define RGBA8_UNORM 0x0c7

struct kept {
    struct rig *rig;
    struct raster *raster;
};

static struct kept
kept_create(unsigned threads)
{
    struct kept k = {.rig = rig_create(threads)};
    rig_depth(k.rig, R32_FLOAT, 1);
    k.rig->target[0].view_extent_minus1 = 0;
    k.rig->draw.depth_view_extent = 0;
    k.rig->draw.wm_ds.depth_test_enable = true;
    k.rig->draw.wm_ds.depth_buffer_write_enable = true;
    k.rig->draw.wm_ds.depth_test_function = 0; /* always */
    k.rig->draw.vertex_count = 3;
    k.rig->draw.instance_count = 1;
    k.rig->captures_rt_write = true;
    return k;
}

static void
kept_destroy(struct kept *k)
{
    raster_flush(k->raster);
    raster_free(k->raster);
    rig_destroy(k->rig);
}

static void
draw_rect(struct kept *k, float x0, float y0, float x1, float y1, float z)
{
    struct prim p = rig_rect(k->rig, x0, y0, x1, y1, z);
    k->rig->draw.kept_raster = &k->raster;
    k->rig->draw.pixel_serial++;
    rig_draw(k->rig, &p, 1);
}

static void
clear_depth(struct kept *k, float z)
{
    raster_flush(k->raster);
    raster_hz_op(&(struct hz_op){.pool = k->rig->pool,
                                 .raster = k->raster,
                                 .depth_clear = true,
                                 .depth_value = z,
                                 .x_max = RIG_PX,
                                 .y_max = RIG_PX,
                                 .samples = 1,
                                 .sample_mask = 0xffff,
                                 .depth = k->rig->draw.depth});
}

static void
clear_color(struct kept *k, float value)
{
    struct rig *rig = k->rig;
    raster_flush(k->raster);
    for (unsigned c = 0; c < 4; c++)
        rig->target[0].clear_color.f[c] = value;
    rig->draw.fast_clear = true;
    draw_rect(k, 0, 0, 2, 2, 0);
    rig->draw.fast_clear = false;
}

static float *
depth_at(const struct kept *k, unsigned x, unsigned y)
{
    return (void *)surface_ptr(&k->rig->draw.depth, 0, x, y, 0, 0);
}

/* Cleared to 0.5, with a draw at (10, 10) and an untracked write at (100, 100).
 */
static struct kept
half_drawn(void)
{
    rig_memory = (struct rig_memory){.ours = true};
    struct kept k = kept_create(0);
    draw_rect(&k, 0, 0, 1, 1, 0);
    clear_depth(&k, 0.5f);
    draw_rect(&k, 5, 5, 15, 15, 0.75f);
    cr_assert_eq(*depth_at(&k, 10, 10), 0.75f);
    *depth_at(&k, 100, 100) = 7;
    return k;
}

Test(cleared, only_tiles_that_were_drawn_are_written_again)
{
    struct kept k = half_drawn();
    clear_depth(&k, 0.5f);
    cr_assert_eq(*depth_at(&k, 10, 10), 0.5f);
    cr_assert_eq(*depth_at(&k, 100, 100), 7);
    kept_destroy(&k);
}

Test(cleared, another_value_is_written_everywhere)
{
    struct kept k = half_drawn();
    clear_depth(&k, 0.25f);
    cr_assert_eq(*depth_at(&k, 10, 10), 0.25f);
    cr_assert_eq(*depth_at(&k, 100, 100), 0.25f);
    kept_destroy(&k);
}

static void
write_there(struct kept *k)
{
    raster_note_write(k->raster, depth_at(k, 127, 127), 4);
}

static void
write_anything(struct kept *k)
{
    raster_note_any_write(k->raster);
}

static void
others_run(struct kept *k)
{
    rig_memory.epoch++;
}

static void
others_may_write(struct kept *k)
{
    rig_memory.ours = false;
}

static void
draw_with_a_wild_shader(struct kept *k)
{
    k->rig->captures_rt_write = false;
    draw_rect(k, 5, 5, 15, 15, 0.75f);
    k->rig->captures_rt_write = true;
}

static void
clear_a_part(struct kept *k)
{
    struct hz_op op = {.pool = k->rig->pool,
                       .raster = k->raster,
                       .depth_clear = true,
                       .x_max = RIG_PX / 2,
                       .y_max = RIG_PX,
                       .samples = 1,
                       .sample_mask = 0xffff,
                       .depth = k->rig->draw.depth};
    raster_hz_op(&op);
}

/* Draws to the same bytes as a surface of another shape. */
static void
draw_as_color(struct kept *k)
{
    struct surface *s = &k->rig->target[0], before = *s;
    k->rig->draw.depth.type = SURFACE_NULL;
    s->mem = k->rig->depth;
    s->width = 64;
    s->height = 256;
    s->qpitch_el_rows = 256;
    s->row_pitch_B = 256;
    surface_layout(s);
    draw_rect(k, 0, 0, 64, 256, 0);
    *s = before;
    k->rig->draw.depth.type = SURFACE_2D;
}

static void
draw_layers(struct kept *k)
{
    k->rig->draw.depth_view_extent = 1;
    draw_rect(k, 5, 5, 15, 15, 0.75f);
    k->rig->draw.depth_view_extent = 0;
}

Test(cleared, other_writes_end_what_is_known)
{
    void (*const writers[])(struct kept * k) = {
        write_there,  write_anything, others_run,  others_may_write,
        clear_a_part, draw_as_color,  draw_layers, draw_with_a_wild_shader,
    };
    for (unsigned i = 0; i < ARRAY_SIZE(writers); i++) {
        struct kept k = half_drawn();
        writers[i](&k);
        clear_depth(&k, 0.5f);
        cr_assert_eq(*depth_at(&k, 10, 10), 0.5f, "writer %u", i);
        cr_assert_eq(*depth_at(&k, 100, 100), 0.5f, "writer %u", i);
        kept_destroy(&k);
    }
}

Test(cleared, writes_elsewhere_do_not)
{
    struct kept k = half_drawn();
    raster_note_write(k.raster, depth_at(&k, 127, 127) + 1, 4);
    raster_note_write(k.raster, depth_at(&k, 0, 0) - 1, 4);
    clear_depth(&k, 0.5f);
    cr_assert_eq(*depth_at(&k, 100, 100), 7);
    kept_destroy(&k);
}

/* ---- against clears that always write ------------------------------------ */

static unsigned
rnd(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* One step for both; only the first one tracks clears. */
static void
step(struct kept two[2], unsigned kind, const unsigned v[4])
{
    for (unsigned i = 0; i < 2; i++) {
        struct kept *k = &two[i];
        struct draw *d = &k->rig->draw;
        rig_memory.ours = i == 0;
        switch (kind) {
        case 0: clear_depth(k, v[0] % 2 ? 0.5f : 1); break;
        case 1: clear_color(k, v[0] % 2 ? 1 : 0); break;
        case 2:
            raster_flush(k->raster);
            *depth_at(k, v[0] % RIG_PX, v[1] % RIG_PX) = 3;
            raster_note_write(k->raster,
                              depth_at(k, v[0] % RIG_PX, v[1] % RIG_PX), 4);
            break;
        default:
            d->deferrable = v[2] / 64 % 2;
            d->depth_write_ok = v[3] / 64 % 2;
            k->rig->color[0] = (float)(v[0] % 4) / 4;
            draw_rect(k, (float)(v[0] % RIG_PX), (float)(v[1] % RIG_PX),
                      (float)(v[0] % RIG_PX + v[2] % 64),
                      (float)(v[1] % RIG_PX + v[3] % 64),
                      (float)(v[2] % 16) / 16);
        }
    }
}

static void
compare(struct kept two[2], unsigned n)
{
    size_t size_B = (size_t)RIG_PX * RIG_PX * 4;
    for (unsigned i = 0; i < 2; i++)
        raster_flush(two[i].raster);
    cr_assert(!memcmp(two[0].rig->depth, two[1].rig->depth, size_B),
              "depths after step %u", n);
    cr_assert(!memcmp(two[0].rig->memory[0], two[1].rig->memory[0], size_B),
              "colours after step %u", n);
}

Test(cleared, memory_is_what_clears_of_everything_leave)
{
    rig_memory = (struct rig_memory){.ours = true};
    struct kept two[2] = {kept_create(2), kept_create(0)};
    for (unsigned n = 0; n < 3000; n++) {
        unsigned v[4] = {rnd(), rnd(), rnd(), rnd()};
        step(two, rnd() % 6, v);
        if (rnd() % 4 == 0)
            compare(two, n);
    }
    for (unsigned i = 0; i < 2; i++)
        kept_destroy(&two[i]);
}
