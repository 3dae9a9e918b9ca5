/* test_aux.c: clear blocks of auxiliary surfaces, from clears over draws to
 * resolves. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "engine/state/aux_state.h"
#include "engine/state/hw_state.h"
#include "rig.h"

#define R32_FLOAT 0x0d8
#define AUX_B (1u << 16)

/* A target with CCS and a depth buffer with HiZ, two layers each. */
struct scene_of_aux {
    struct rig *rig;
    struct engine engine;
    struct engine_vm vm;
    struct raster *raster;
    uint8_t *ccs, *hiz;
};

static struct surface *
target(struct scene_of_aux *a)
{
    return &a->rig->target[0];
}

static void
set_up(struct scene_of_aux *a, unsigned threads)
{
    rig_memory = (struct rig_memory){.ours = true};
    memset(a, 0, sizeof *a);
    a->rig = rig_create(threads);
    a->engine.config.gen = 9;
    a->engine.config.hang_limit_ms = 10000;
    a->engine.aux = aux_table_create();
    a->vm.engine = &a->engine;
    a->rig->draw.vm = &a->vm;
    rig_depth(a->rig, R32_FLOAT, 1);
    a->ccs = calloc(1, AUX_B);
    a->hiz = calloc(1, AUX_B);
    struct surface *s = target(a), *z = &a->rig->draw.depth;
    s->tiling = z->tiling = TILING_Y;
    s->aux = AUX_CCS_E;
    z->aux = AUX_HIZ;
    s->aux_mem = a->ccs;
    z->aux_mem = a->hiz;
    s->aux_limit_B = z->aux_limit_B = AUX_B;
    s->aux_row_pitch_B = z->aux_row_pitch_B = 128;
    s->aux_qpitch_el_rows = z->aux_qpitch_el_rows = 256;
    a->rig->draw.wm_ds.depth_test_enable = true;
    a->rig->draw.wm_ds.depth_test_function = 0; /* always */
    a->rig->draw.vertex_count = 3;
    a->rig->draw.instance_count = 1;
    a->rig->draw.kept_raster = &a->raster;
}

static void
tear_down(struct scene_of_aux *a)
{
    raster_flush(a->raster);
    raster_free(a->raster);
    rig_destroy(a->rig);
    aux_table_destroy(a->engine.aux);
    free(a->ccs);
    free(a->hiz);
}

static void
draw_rect(struct scene_of_aux *a, float x0, float y0, float x1, float y1,
          unsigned layer)
{
    struct prim p = rig_rect(a->rig, x0, y0, x1, y1, 0.25f);
    p.layer = layer;
    a->rig->draw.pixel_serial++;
    rig_draw(a->rig, &p, 1);
    raster_flush(a->raster);
}

static void
set_color(struct scene_of_aux *a, float value)
{
    for (unsigned c = 0; c < 4; c++)
        target(a)->clear_color.f[c] = value;
}

static void
clear_color(struct scene_of_aux *a, float value, unsigned layer)
{
    set_color(a, value);
    a->rig->draw.fast_clear = true;
    draw_rect(a, 0, 0, 2, 2, layer);
    a->rig->draw.fast_clear = false;
}

/* The colour that a surface state with this clear colour reads. */
static unsigned
color_at(struct scene_of_aux *a, float clear, unsigned x, unsigned y,
         unsigned layer)
{
    set_color(a, clear);
    aux_bind(&a->vm, target(a));
    return *surface_ptr(target(a), 0, x, y, layer, 0);
}

Test(aux, clear_blocks_have_the_color_of_whoever_looks)
{
    struct scene_of_aux a;
    set_up(&a, 2);
    clear_color(&a, 1, 0);
    clear_color(&a, 1, 1);
    cr_assert_eq(color_at(&a, 1, 77, 99, 0), 255);
    cr_assert_eq(color_at(&a, 0.2f, 77, 99, 0), 51);
    cr_assert_eq(color_at(&a, 0.4f, 77, 99, 1), 102);
    cr_assert_eq(color_at(&a, 0, 127, 127, 0), 0);
    cr_assert_eq(color_at(&a, 0.2f, 127, 127, 1), 51);
    tear_down(&a);
}

Test(aux, what_is_drawn_is_clear_no_longer)
{
    for (unsigned threads = 0; threads < 3; threads++) {
        struct scene_of_aux a;
        set_up(&a, threads);
        for (unsigned c = 0; c < 4; c++)
            a.rig->color[c] = 0.6f;
        clear_color(&a, 1, 0);
        clear_color(&a, 1, 1);
        draw_rect(&a, 5, 5, 9, 9, 0);
        draw_rect(&a, 70, 70, 80, 71, 1);
        cr_assert_eq(color_at(&a, 0.2f, 7, 7, 0), 153);
        cr_assert_eq(color_at(&a, 0.2f, 8, 12, 0), 255);
        cr_assert_eq(color_at(&a, 0.2f, 64, 12, 0), 51);
        cr_assert_eq(color_at(&a, 0.2f, 8, 64, 0), 51);
        cr_assert_eq(color_at(&a, 0.4f, 75, 70, 1), 153);
        cr_assert_eq(color_at(&a, 0.4f, 75, 75, 1), 255);
        cr_assert_eq(color_at(&a, 0.4f, 7, 7, 1), 102);
        /* Again: all blocks are clear, and drawing ends their clear state. */
        clear_color(&a, 0, 0);
        cr_assert_eq(color_at(&a, 0.8f, 7, 7, 0), 204);
        draw_rect(&a, 5, 5, 9, 9, 0);
        cr_assert_eq(color_at(&a, 0.2f, 8, 12, 0), 204);
        cr_assert_eq(color_at(&a, 0.2f, 7, 7, 0), 153);
        tear_down(&a);
    }
}

Test(aux, resolves_keep_the_color_for_good)
{
    struct scene_of_aux a;
    set_up(&a, 0);
    clear_color(&a, 1, 0);
    clear_color(&a, 1, 1);
    set_color(&a, 0.2f);
    a.rig->draw.resolve = true;
    draw_rect(&a, 0, 0, 2, 2, 1);
    a.rig->draw.resolve = false;
    cr_assert_eq(color_at(&a, 0.8f, 40, 40, 1), 51);
    cr_assert_eq(color_at(&a, 0.8f, 40, 40, 0), 204);
    tear_down(&a);
}

/* Another writer stores zeros in CCS. */
Test(aux, ccs_of_zeros_shows_what_memory_has)
{
    struct scene_of_aux a;
    set_up(&a, 0);
    clear_color(&a, 1, 0);
    memset(a.ccs, 0, AUX_B);
    cr_assert_eq(color_at(&a, 0.2f, 40, 40, 0), 255);
    tear_down(&a);
}

/* A few codes in mapped memory may stand for terabytes that are not. */
Test(aux, blocks_are_filled_where_memory_is_mapped)
{
    struct scene_of_aux a;
    set_up(&a, 0);
    clear_color(&a, 1, 0);
    color_at(&a, 1, 0, 0, 0);
    struct surface *s = target(&a);
    const uint8_t *last = surface_ptr(s, 0, 127, 127, 0, 0);
    rig_memory.mapped_B = (uint64_t)(surface_ptr(s, 0, 0, 32, 0, 0) - s->mem);
    cr_assert_eq(color_at(&a, 0.2f, 127, 31, 0), 51);
    cr_assert_eq(color_at(&a, 0.2f, 0, 32, 0), 255);
    cr_assert_eq(*last, 255);
    tear_down(&a);
}

Test(aux, fills_end_when_they_take_too_long)
{
    struct scene_of_aux a;
    set_up(&a, 0);
    clear_color(&a, 1, 0);
    clear_color(&a, 1, 1);
    a.engine.config.hang_limit_ms = 0;
    cr_assert_eq(color_at(&a, 0.2f, 77, 99, 0), 51);
    cr_assert_neq(*surface_ptr(target(&a), 0, 77, 99, 1, 0), 51);
    tear_down(&a);
}

/* ---- depth --------------------------------------------------------------- */

static float
depth_at(struct scene_of_aux *a, float clear, unsigned x, unsigned y,
         unsigned layer)
{
    struct surface *z = &a->rig->draw.depth;
    float v;
    z->clear_color.f[0] = clear;
    aux_bind_slices(&a->vm, z, 0, 0, RIG_LAYERS);
    memcpy(&v, surface_ptr(z, 0, x, y, layer, 0), 4);
    return v;
}

static struct hz_op
op_of(struct scene_of_aux *a, float value, unsigned layer)
{
    return (struct hz_op){.vm = &a->vm,
                          .pool = a->rig->pool,
                          .raster = a->raster,
                          .depth_value = value,
                          .x_max = RIG_PX,
                          .y_max = RIG_PX,
                          .samples = 1,
                          .sample_mask = 0xffff,
                          .min_array = layer,
                          .depth = a->rig->draw.depth};
}

/* Observed: Mesa 26 clears nothing at first, and relies on the state. */
Test(aux, hiz_of_zeros_is_clear_to_what_the_state_says)
{
    struct scene_of_aux a;
    set_up(&a, 1);
    cr_assert_eq(depth_at(&a, 0.75f, 3, 3, 0), 0.75f);
    cr_assert_eq(depth_at(&a, 0.5f, 3, 3, 1), 0.5f);
    /* A draw that only tests keeps the clear state; a draw that writes ends it.
     */
    draw_rect(&a, 0, 0, 20, 20, 0);
    cr_assert_eq(depth_at(&a, 0.875f, 3, 3, 0), 0.875f);
    a.rig->draw.wm_ds.depth_buffer_write_enable = true;
    draw_rect(&a, 0, 0, 20, 20, 0);
    cr_assert_eq(depth_at(&a, 0.5f, 3, 3, 0), 0.25f);
    cr_assert_eq(depth_at(&a, 0.5f, 30, 30, 0), 0.875f);
    cr_assert_eq(depth_at(&a, 0.5f, 100, 3, 0), 0.5f);
    cr_assert_eq(depth_at(&a, 0.5f, 3, 3, 1), 0.5f);
    /* Meanwhile the driver has used the buffer for another surface. */
    memset(a.hiz, 0, AUX_B);
    cr_assert_eq(depth_at(&a, 0.5f, 3, 3, 0), 0.5f);
    tear_down(&a);
}

Test(aux, hiz_operations_are_for_one_layer)
{
    struct scene_of_aux a;
    set_up(&a, 0);
    struct hz_op op = op_of(&a, 0, 0);
    op.hiz_resolve = true;
    raster_hz_op(&op); /* memory stays */
    op = op_of(&a, 0.5f, 1);
    op.depth_clear = true;
    raster_hz_op(&op);
    cr_assert_eq(depth_at(&a, 0.25f, 60, 60, 0), 0);
    cr_assert_eq(depth_at(&a, 0.25f, 60, 60, 1), 0.25f);
    op = op_of(&a, 0, 1);
    op.depth.clear_color.f[0] = 0.625f;
    op.depth_resolve = true;
    raster_hz_op(&op);
    cr_assert_eq(depth_at(&a, 0.25f, 60, 60, 1), 0.625f);
    tear_down(&a);
}

/* A partially cleared block must not be marked as clear. */
Test(aux, part_of_a_block_is_written)
{
    struct scene_of_aux a;
    set_up(&a, 0);
    struct hz_op op = op_of(&a, 0, 0);
    op.hiz_resolve = true;
    raster_hz_op(&op);
    op = op_of(&a, 0.5f, 0);
    op.depth_clear = true;
    op.x_min = 3;
    raster_hz_op(&op);
    cr_assert_eq(depth_at(&a, 0.25f, 2, 9, 0), 0);
    cr_assert_eq(depth_at(&a, 0.25f, 3, 9, 0), 0.5f);
    cr_assert_eq(depth_at(&a, 0.25f, 8, 9, 0), 0.25f);
    tear_down(&a);
}

/* ---- tracking ----------------------------------------------------------- */

/* Untracked writes: only memory that other processes may have is checked again.
 */
Test(aux, memory_of_others_is_looked_at_in_every_batch)
{
    for (unsigned shared = 0; shared < 2; shared++) {
        struct scene_of_aux a;
        set_up(&a, 0);
        rig_memory.shared = shared;
        clear_color(&a, 1, 0);
        cr_assert_eq(!aux_bind(&a.vm, target(&a)), shared);
        *surface_ptr(target(&a), 0, 40, 40, 0, 0) = 9;
        cr_assert_eq(color_at(&a, 1, 40, 40, 0), 9);
        a.engine.batches++;
        cr_assert_eq(color_at(&a, 1, 40, 40, 0), shared ? 255 : 9);
        tear_down(&a);
    }
}

Test(aux, generations_change_with_clears_and_fills)
{
    struct scene_of_aux a;
    set_up(&a, 0);
    clear_color(&a, 1, 0);
    uint64_t first = aux_bind(&a.vm, target(&a)), epoch = a.engine.epoch;
    cr_assert_eq(first, aux_generation(&a.vm));
    cr_assert_eq(first, aux_bind(&a.vm, target(&a)));
    set_color(&a, 0);
    uint64_t second = aux_bind(&a.vm, target(&a));
    cr_assert_neq(second, first);
    cr_assert_neq(a.engine.epoch, epoch);
    clear_color(&a, 0, 0);
    cr_assert_neq(aux_generation(&a.vm), second);
    second = aux_generation(&a.vm);
    aux_forget(&a.engine, a.ccs, AUX_B);
    cr_assert_neq(aux_generation(&a.vm), second);
    tear_down(&a);
}
