/* test_palette.c: palettes and filter sizes, from a batch to the surfaces and
 * samplers of a draw. */
#include "rig.h"

#include <criterion/criterion.h>

#define BASE_DYNAMIC RIG_STATE
#define BASE_SURFACE (RIG_STATE + 0x8000)
#define DRAW 0x7b000005, 0, 3, 0, 1, 0, 0
#define LOAD0(count) (0x79020000u | ((count)-1))
#define LOAD1(count) (0x790c0000u | ((count)-1))

static struct rig rig;
static struct surface seen[2];
static struct sampler seen_sampler;
static uint32_t seen_color[2][SURFACE_COLORS];

static void
look(const struct draw *draw)
{
    const struct shader_stage *ps = &draw->stage[STAGE_PS];
    for (unsigned i = 0; i < 2; i++) {
        seen[i] = *stage_surface(ps, i);
        cr_assert_not_null(seen[i].palette);
        memcpy(seen_color[i], seen[i].palette, sizeof seen_color[i]);
    }
    seen_sampler = *stage_sampler(ps, 0);
}

static void
put_surface(unsigned index, unsigned format)
{
    struct gen9_render_surface_state rss = {
        .surface_type = SURFACE_2D,
        .surface_format = format,
        .surface_horizontal_alignment = 1,
        .surface_vertical_alignment = 1,
        .width = 63,
        .height = 31,
        .surface_pitch = 255,
        .surface_base_address = RIG_DATA,
    };
    uint32_t dw[16] = {0}, offset_B = 0x400 + 0x40 * index;
    gen9_render_surface_state_pack(&rss, dw);
    memcpy(rig_dw(&rig, BASE_SURFACE + offset_B), dw, sizeof dw);
    *rig_dw(&rig, BASE_SURFACE + 0x100 + 4 * index) = offset_B;
}

static void
setup(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9});
    rig_set_bases(&rig, BASE_SURFACE, BASE_DYNAMIC, 0);
    EMIT(&rig, 0x782a0000, 0x100);
    EMIT(&rig, 0x782f0000, 0x200);
    put_surface(0, 0x14b); /* P8_UNORM_PALETTE0 */
    put_surface(1, 0x14d); /* P8_UNORM_PALETTE1 */
    rig_record.on_draw = look;
}

static void
teardown(void)
{
    rig_finish(&rig);
}

TestSuite(palette, .init = setup, .fini = teardown, .timeout = 20);

static enum engine_result
run(struct engine_context *ctx)
{
    EMIT(&rig, BBE);
    return rig_run(&rig, ctx, ENGINE_RCS);
}

/* Loads `count` ascending entries from `first` on. */
static void
emit_load(uint32_t command, uint32_t first, uint32_t count)
{
    rig_emit(&rig, &command, 1);
    for (uint32_t i = 0; i < count; i++)
        rig_emit(&rig, (const uint32_t[]){first + i}, 1);
}

static void
expect_colors(unsigned which, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(seen_color[which][i], first + i, "table %u, entry %u",
                     which, i);
}

Test(palette, each_command_has_its_table)
{
    emit_load(LOAD0(256), 0x1000, 256);
    emit_load(LOAD1(256), 0x2000, 256);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(rig.ctx), ENGINE_OK);
    expect_colors(0, 0x1000, 256);
    expect_colors(1, 0x2000, 256);
}

/* A load changes the first entries and keeps the others, in the batch and after
 * it. */
Test(palette, part_of_a_table)
{
    emit_load(LOAD0(256), 0x1000, 256);
    EMIT(&rig, DRAW);
    emit_load(LOAD0(16), 0x5000, 16);
    emit_load(LOAD1(1), 0x7000, 1);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(rig.ctx), ENGINE_OK);
    expect_colors(0, 0x5000, 16);
    cr_expect_eq(seen_color[0][16], 0x1010);
    cr_expect_eq(seen_color[0][255], 0x10ff);
    expect_colors(1, 0x7000, 1);
    cr_expect_eq(seen_color[1][1], 0);
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(rig.ctx), ENGINE_OK);
    cr_expect_eq(seen_color[0][15], 0x500f);
    cr_expect_eq(seen_color[0][16], 0x1010);
}

/* Any length: no load writes beyond its table, and the next command is
 * found. */
Test(palette, lengths)
{
    for (uint32_t count = 1; count <= 256; count += 15) {
        emit_load(LOAD0(count), count << 16, count);
        EMIT(&rig, DRAW);
        cr_assert_eq(run(rig.ctx), ENGINE_OK, "%u entries", count);
        expect_colors(0, count << 16, count);
        cr_assert_eq(seen_color[1][0], 0);
        rig_at(&rig, RIG_BATCH);
    }
}

/* A packet whose length reaches beyond the end of memory. */
Test(palette, packet_across_the_end_of_memory)
{
    uint64_t va = RIG_VA + RIG_SIZE_B - 16;
    EMIT(&rig, BBS(va));
    rig_at(&rig, va);
    EMIT(&rig, LOAD1(256), 1, 2, 3);
    cr_expect_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_GUEST_ERROR);
}

/* Each context has its own palettes; a new context's are empty. */
Test(palette, contexts_do_not_share)
{
    struct engine_context *other = engine_context_create(rig.engine, rig.vm);
    uint32_t *begin = rig.next;
    emit_load(LOAD0(8), 0x1000, 8);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(rig.ctx), ENGINE_OK);
    expect_colors(0, 0x1000, 8);
    rig.next = begin;
    EMIT(&rig, DRAW);
    cr_assert_eq(run(other), ENGINE_OK);
    cr_expect_eq(seen_color[0][0], 0);
    engine_context_destroy(other);
}

static unsigned waiting_before;

static void
leave_pixels(const struct draw *draw)
{
    waiting_before = rig_record.waiting;
    rig_leave_pixels(draw);
}

/* Deferred pixels need the old colours. */
Test(palette, pixels_come_before_new_colors)
{
    rig_record.on_draw = leave_pixels;
    EMIT(&rig, 0x784b0000, 4); /* triangles */
    EMIT(&rig, DRAW, 0x78180000, 1, DRAW, LOAD0(1), 5, DRAW);
    cr_assert_eq(run(rig.ctx), ENGINE_OK);
    cr_expect_eq(rig_record.draws, 3);
    cr_expect_eq(waiting_before, 0);
    cr_expect_eq(rig_record.flushed, 3);
}

Test(palette, size_of_the_mono_filter)
{
    EMIT(&rig, 0x79110000, 5u << 3 | 2, DRAW);
    cr_assert_eq(run(rig.ctx), ENGINE_OK);
    cr_expect_eq(seen_sampler.mono_width, 5);
    cr_expect_eq(seen_sampler.mono_height, 2);
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, 0x79110000, UINT32_MAX, DRAW);
    cr_assert_eq(run(rig.ctx), ENGINE_OK);
    cr_expect_eq(seen_sampler.mono_width, 7);
    cr_expect_eq(seen_sampler.mono_height, 7);
}
