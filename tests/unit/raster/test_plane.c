/* Every variant of the plane functions gives the reference's bits. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "engine/raster/setup.h"

#define GROUPS 5

static uint32_t state = 1;

static uint32_t
next_random(void)
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* The processor's own NaN, see setup_settle(). */
static double
own_nan(void)
{
    const uint64_t bits = UINT64_C(0xfff8000000000000);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double
hostile(void)
{
    const double pick[] = {
        0,         -0.0,         1,        -1,       INFINITY,  -INFINITY,
        own_nan(), DBL_MAX,      -DBL_MAX, DBL_MIN,  0x1p-1074, -0x1p-1074,
        FLT_MIN,   FLT_MIN / 2,  0x1p-149, 0x1p-150, FLT_MAX,   0x1.ffffffp127,
        -0x1p128,  0x1.000001p0, 1.0 / 3,  -1e-30,
    };
    uint32_t r = next_random();
    if (r & 1)
        return pick[(r >> 1) % ARRAY_SIZE(pick)];
    return ldexp((double)next_random() - 0x1p23, (int)(r >> 4 & 63) - 50);
}

static struct plane
hostile_plane(void)
{
    double c = hostile(), dx = hostile();
    return (struct plane){c, dx, hostile()};
}

/* What reference points are made of, far from the tile, too. */
static double
whole_subpixels(void)
{
    if (next_random() % 4 == 0)
        return -0.0;
    return (int)(next_random() & 0xffffff) / 256.0 - 20000;
}

static struct run_weights
hostile_weights(const struct plane *b1, const struct plane *b2,
                const struct plane *q)
{
    return (struct run_weights){.b1 = b1,
                                .b2 = b2,
                                .q = next_random() & 1 ? q : NULL,
                                .ref_x = whole_subpixels(),
                                .ref_y = whole_subpixels()};
}

static void
compare(const struct plane_ops *ops)
{
    struct lane_quads at[GROUPS];
    float want[GROUPS][32], got[GROUPS][32];
    struct plane p1 = hostile_plane(), p2 = hostile_plane();
    struct plane q = hostile_plane();
    for (unsigned n = 0; n < GROUPS; n++) {
        for (unsigned i = 0; i < 4; i++) {
            at[n].x[i] = (int)(next_random() & 0x3fff) / 256.0 -
                         (int)(next_random() & 0xfffff);
            at[n].y[i] = (int)(next_random() & 0x3fff);
        }
    }
    unsigned count = 1 + next_random() % GROUPS;
    for (unsigned divide = 0; divide < 2; divide++) {
        plane_ops_ref.weights(&p1, &p2, divide ? &q : NULL, at, count, want);
        ops->weights(&p1, &p2, divide ? &q : NULL, at, count, got);
        cr_assert_arr_eq(got, want, count * sizeof got[0]);
        float(*want1)[16] = (float(*)[16])want, (*got1)[16] = (float(*)[16])got;
        plane_ops_ref.value(&p1, divide, at, count, want1);
        ops->value(&p1, divide, at, count, got1);
        cr_assert_arr_eq(got1, want1, count * sizeof got1[0]);
    }
}

/* Blocks of a tile, as often as not in one row. */
static void
compare_blocks(const struct plane_ops *ops)
{
    struct batch_block block[GROUPS];
    float want[GROUPS][32], got[GROUPS][32];
    struct plane p1 = hostile_plane(), p2 = hostile_plane();
    struct plane q = hostile_plane();
    int32_t y = (int32_t)(next_random() & 0x3ffc);
    for (unsigned n = 0; n < GROUPS; n++) {
        int32_t x = (int32_t)(next_random() & 0x3ffc);
        if (next_random() & 1)
            y += 4;
        block[n] = (struct batch_block){.x = x, .y = y};
    }
    const struct block_places at = {.block = block,
                                    .count = 1 + next_random() % GROUPS,
                                    .ref_x = whole_subpixels(),
                                    .ref_y = whole_subpixels()};
    for (unsigned divide = 0; divide < 2; divide++) {
        const struct plane *by = divide ? &q : NULL;
        plane_ops_ref.block_weights(&p1, &p2, by, &at, want);
        ops->block_weights(&p1, &p2, by, &at, got);
        cr_assert_arr_eq(got, want, at.count * sizeof got[0]);
        float(*want1)[16] = (float(*)[16])want, (*got1)[16] = (float(*)[16])got;
        plane_ops_ref.block_value(&p1, divide, &at, want1);
        ops->block_value(&p1, divide, &at, got1);
        cr_assert_arr_eq(got1, want1, at.count * sizeof got1[0]);
    }
}

/* ---- rows ---- */

enum { TILE_X = 128, TILE_Y = 8192, LIST = 72, ROOM = 19, SQUARE = 16 };
enum { JOINED = 9 };

/* What is lit of a block: mostly what is covered. */
static uint16_t
random_lit(uint16_t all)
{
    return next_random() % 4 ? all : all & (uint16_t)next_random();
}

/* Sixteen blocks, four by four, but for one that may not be as the others. */
static void
random_square(struct cover_block *block, uint16_t *lit)
{
    unsigned x = next_random() % 4 * 16, y = next_random() % 4 * 16;
    unsigned odd = next_random() % (2 * SQUARE);
    for (unsigned i = 0; i < SQUARE; i++) {
        block[i] = (struct cover_block){(uint8_t)(x + i % 4 * 4),
                                        (uint8_t)(y + i / 4 * 4), 0xffff};
        lit[i] = 0xffff;
    }
    if (odd >= SQUARE)
        return;
    switch (next_random() % 4) {
    case 0: block[odd].x ^= 4; break;
    case 1: block[odd].y ^= 4; break;
    case 2: block[odd].mask ^= 1 << next_random() % 16; break;
    default: lit[odd] ^= 1 << next_random() % 16; break;
    }
    lit[odd] &= block[odd].mask;
}

/* Row by row, as lists are, or in squares; some blocks twice, some with few
 * pixels or none. */
static unsigned
random_list(struct cover_block block[LIST], uint16_t lit[LIST])
{
    unsigned count = 1 + next_random() % LIST, y = 0;
    for (unsigned i = 0; i < count; i++) {
        uint16_t all = next_random() % 3 ? 0xffff : (uint16_t)next_random();
        if (next_random() % 8 == 0 && count - i >= SQUARE) {
            random_square(&block[i], &lit[i]);
            i += SQUARE - 1;
            continue;
        }
        y = (y + next_random() % 3 / 2) % ROW_COLUMNS;
        block[i] = (struct cover_block){
            (uint8_t)(next_random() % ROW_COLUMNS * 4), (uint8_t)(y * 4), all};
        lit[i] = random_lit(all);
    }
    return count;
}

static void
compare_row(const struct eu_row *got, const struct eu_row *want)
{
    cr_assert_arr_eq(got->payload, want->payload, sizeof got->payload);
    cr_assert_eq(got->caught, want->caught);
    cr_assert_eq(got->dispatch_mask, want->dispatch_mask);
    cr_assert_eq(got->vector_mask, want->vector_mask);
    cr_assert_eq(got->mask, want->mask);
    cr_assert_eq(got->caught_mask, want->caught_mask);
    cr_assert_eq(got->lit, want->lit);
}

/* A list's rows, ROOM at a time: returns how many. */
static unsigned
take_rows(const struct plane_ops *ops, struct row_fill *f,
          struct eu_row out[LIST])
{
    unsigned count = 0;
    ops->begin_rows(f);
    while (f->next < f->count) {
        struct eu_row row[ROOM + ROWS_AHEAD];
        unsigned n = ops->fill_rows(f, row, ROOM);
        cr_assert_leq(n, ROOM);
        cr_assert(n || f->next == f->count);
        for (unsigned i = 0; i < n; i++) {
            cr_assert_eq(!row[i].more, i + 1 == n);
            out[count++] = row[i];
        }
        for (unsigned i = 0; n && f->tails_fetch && i < ROWS_AHEAD; i++) {
            struct cover_block b = f->block[MIN2(f->next + i, f->count - 1)];
            cr_assert_eq(row[n + i].caught,
                         f->to.mem + f->to.x_B[b.x] + f->to.y_B[b.y]);
        }
    }
    return count;
}

static void
compare_rows(const struct plane_ops *ops)
{
    static uint8_t mem[1];
    uint8_t begin[EU_ROW_GRF * EU_GRF_B];
    static struct eu_row row[2][LIST];
    struct cover_block block[LIST];
    uint16_t lit[LIST], rest[2][LIST];
    uint64_t x_B[COVER_TILE_PX], y_B[COVER_TILE_PX];
    struct plane p1 = hostile_plane(), p2 = hostile_plane();
    struct plane q = hostile_plane();
    for (unsigned i = 0; i < COVER_TILE_PX; i++) {
        x_B[i] = next_random() % 4096;
        y_B[i] = next_random() % 4096;
    }
    for (unsigned i = 0; i < sizeof begin; i++)
        begin[i] = (uint8_t)next_random();
    const struct run_weights weights = hostile_weights(&p1, &p2, &q);
    struct row_fill want = {.block = block,
                            .count = random_list(block, lit),
                            .lit = next_random() & 1 ? lit : NULL,
                            .rest = rest[0],
                            .weights = next_random() & 3 ? &weights : NULL,
                            .begin = begin,
                            .tails_fetch = next_random() & 1,
                            .some = next_random() & 1,
                            .vector_mask = next_random() & 1,
                            .to.mem = mem,
                            .to.x_B = x_B,
                            .to.y_B = y_B,
                            .to.tile_x = TILE_X,
                            .to.tile_y = TILE_Y};
    struct row_parts parts;
    struct row_fill got = want;
    got.rest = rest[1];
    got.parts = &parts;
    unsigned rows = take_rows(&plane_ops_ref, &want, row[0]);
    cr_assert_eq(take_rows(ops, &got, row[1]), rows);
    for (unsigned i = 0; i < rows; i++)
        compare_row(&row[1][i], &row[0][i]);
    cr_assert_arr_eq(rest[1], rest[0], want.count * sizeof rest[0][0]);
    cr_assert_eq(got.pixels, want.pixels);
    cr_assert_eq(!got.left, !want.left);
}

/* ---- rows of a batch ---- */

/* Blocks of which some have few pixels, some in the row of the one before. */
static void
random_blocks(struct batch_block block[LIST])
{
    int32_t y = TILE_Y;
    for (unsigned n = 0; n < LIST; n++) {
        y = TILE_Y + (y + (int32_t)(next_random() % 2 * 4)) % COVER_TILE_PX;
        block[n] = (struct batch_block){
            .x = TILE_X + (int32_t)(next_random() % ROW_COLUMNS * 4),
            .y = y,
            .lit = (uint16_t)next_random(),
            .helped = next_random() & 1 ? 0xffff : (uint16_t)next_random()};
    }
}

/* What some blocks are of, with attributes of their own. */
static void
random_prims(struct setup setup[JOINED], struct batch_prim prim[JOINED],
             uint8_t of[LIST + 1])
{
    static const uint32_t attr[JOINED];
    for (unsigned i = 0; i < JOINED; i++) {
        setup[i] = (struct setup){.attr = &attr[i],
                                  .perspective = next_random() & 1,
                                  .b1 = hostile_plane(),
                                  .b2 = hostile_plane(),
                                  .n1 = hostile_plane(),
                                  .n2 = hostile_plane(),
                                  .q = hostile_plane(),
                                  .ref_x = whole_subpixels(),
                                  .ref_y = whole_subpixels()};
        prim[i].setup = &setup[i];
    }
    for (unsigned n = 0, k = 0; n <= LIST; n++) {
        k = MIN2(k + next_random() % 3 / 2, JOINED - 1u);
        of[n] = (uint8_t)k;
    }
}

static void
compare_batch(const struct eu_row *got, const struct eu_row *want,
              unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        compare_row(&got[i], &want[i]);
        cr_assert_eq(!want[i].more, i + 1 == count);
        cr_assert_eq(!got[i].more, i + 1 == count);
    }
}

static void
compare_fill(const struct plane_ops *ops)
{
    static uint8_t mem[1];
    static uint32_t color[LIST][4][16];
    static struct eu_row row[2][LIST];
    static struct eu_launch launch;
    static uint64_t x_B[COVER_TILE_PX], y_B[COVER_TILE_PX];
    struct batch_block block[LIST];
    struct plane p1 = hostile_plane(), p2 = hostile_plane();
    struct plane q = hostile_plane();
    random_blocks(block);
    for (unsigned i = 0; i < COVER_TILE_PX; i++) {
        x_B[i] = next_random() % 4096;
        y_B[i] = next_random() % 4096;
    }
    launch.start.vector_mask_enable = next_random() & 1;
    launch.apart = next_random() & 3;
    launch.quads = next_random() & 1;
    launch.need = next_random() & 0xffff;
    const struct run_weights weights = hostile_weights(&p1, &p2, &q);
    struct setup setup[JOINED];
    struct batch_prim prim[JOINED];
    uint8_t of[LIST + 1];
    const struct row_prims prims = {prim, of, next_random() & 1};
    random_prims(setup, prim, of);
    static struct tile_centres centres;
    if (next_random() & 1)
        centres.x_px = centres.y_px = -1;
    struct thread_run r = {.launch = &launch,
                           .centres = &centres,
                           .weights = &weights,
                           .block = block,
                           .row = row[0],
                           .color = color,
                           .tail.fn = next_random() & 1 ? abort : NULL,
                           .to.mem = mem,
                           .to.x_B = x_B,
                           .to.y_B = y_B,
                           .to.tile_x = TILE_X,
                           .to.tile_y = TILE_Y,
                           .to.lines = next_random() % 3};
    unsigned first = next_random() % LIST;
    unsigned end = first + 1 + next_random() % (LIST - first);
    unsigned pixels = plane_ops_ref.fill(&r, first, end);
    r.row = row[1];
    cr_assert_eq(ops->fill(&r, first, end), pixels);
    compare_batch(row[1], row[0], end - first);
    pixels = ops->fill_joined(&r, &prims, first, end);
    r.row = row[0];
    cr_assert_eq(plane_ops_ref.fill_joined(&r, &prims, first, end), pixels);
    compare_batch(row[1], row[0], end - first);
    for (unsigned i = 0; i < end - first; i++)
        cr_assert_eq(row[1][i].next, row[0][i].next);
}

/* A list's blocks in a batch, and nothing behind the one that need not be
 * there. */
static void
compare_put(const struct plane_ops *ops)
{
    enum { MOST = 64, FILL = 0xa5 };
    struct cover_block list[LIST + 3];
    uint16_t lit[LIST + 3];
    struct batch_block want[MOST + 2], got[MOST + 2];
    memset(list, FILL, sizeof list);
    memset(lit, FILL, sizeof lit);
    memset(want, FILL, sizeof want);
    memset(got, FILL, sizeof got);
    unsigned count = random_list(list, lit);
    for (unsigned i = 0; i < count; i++) {
        lit[i] *= next_random() % 4 != 0;
        list[i].mask *= next_random() % 8 != 0;
    }
    struct block_put a = {.list = list,
                          .lit = next_random() & 1 ? lit : NULL,
                          .count = MIN2(count, MOST),
                          .tile_x = TILE_X,
                          .tile_y = TILE_Y,
                          .covers = next_random() & 1};
    struct block_put b = a;
    plane_ops_ref.put_blocks(&a, want);
    ops->put_blocks(&b, got);
    cr_assert(b.set == a.set && b.blocks == a.blocks && b.pixels == a.pixels);
    cr_assert_arr_eq(got, want, a.blocks * sizeof *want);
    cr_assert_arr_eq(got + a.count + 1, want + a.count + 1, sizeof *want);
}

static void
compare_count(const struct plane_ops *ops)
{
    static struct eu_row row[LIST];
    unsigned rows = next_random() % (LIST + 1);
    for (unsigned i = 0; i < LIST; i++)
        row[i].caught_mask = next_random();
    cr_assert_eq(ops->count_caught(row, rows),
                 plane_ops_ref.count_caught(row, rows));
}

static void
compare_many(const struct plane_ops *ops, enum cpu_level cpu)
{
    if (cpu_selected() < cpu)
        cr_skip("not on this processor");
    for (unsigned i = 0; i < 20000; i++)
        compare(ops);
    for (unsigned i = 0; i < 20000; i++)
        compare_blocks(ops);
    for (unsigned i = 0; i < 5000; i++)
        compare_rows(ops);
    for (unsigned i = 0; i < 5000; i++)
        compare_fill(ops);
    for (unsigned i = 0; i < 5000; i++)
        compare_put(ops);
    for (unsigned i = 0; i < 5000; i++)
        compare_count(ops);
}

Test(plane, avx2)
{
    compare_many(&plane_ops_avx2, CPU_AVX2);
}

Test(plane, avx512)
{
    compare_many(&plane_ops_avx512, CPU_AVX512);
}

/* Lanes and registers are where the payload wants them. */
Test(plane, reference_layout)
{
    const struct plane px = {0, 1, 0}, py = {1000, 0, 1}, two = {2, 0, 0};
    const struct lane_quads at = {{0, 10, 20, 30}, {100, 200, 300, 400}};
    float out[1][32], v[1][16];
    plane_ops_ref.weights(&px, &py, NULL, &at, 1, out);
    cr_assert_eq(out[0][0], 0.5f);
    cr_assert_eq(out[0][5], 11.5f);
    cr_assert_eq(out[0][8 + 6], 1201.5f);
    cr_assert_eq(out[0][16 + 7], 31.5f);
    cr_assert_eq(out[0][24 + 2], 1301.5f);
    plane_ops_ref.weights(&px, &py, &two, &at, 1, out);
    cr_assert_eq(out[0][24 + 2], 1301.5f / 2);
    plane_ops_ref.value(&two, true, &at, 1, v);
    cr_assert_eq(v[0][15], 0.5f);
}

Test(plane, reference_count)
{
    const struct eu_row row[3] = {{.caught_mask = 0xffff8001},
                                  {.caught_mask = 0xffff},
                                  {.caught_mask = 0x110000}};
    cr_assert_eq(plane_ops_ref.count_caught(row, 3), 18);
    cr_assert_eq(plane_ops_ref.count_caught(row, 0), 0);
}

/* Blocks are what their quads are. */
Test(plane, reference_blocks)
{
    const struct batch_block block[2] = {{.x = 8, .y = 4}, {.x = 12, .y = 64}};
    const struct block_places at = {block, 2, 3.25, -1.5};
    const struct plane px = {0, 1, 0}, py = {1000, 0, 1};
    float out[2][32], v[2][16];
    plane_ops_ref.block_weights(&px, &py, NULL, &at, out);
    cr_assert_eq(out[0][0], 5.25f);
    cr_assert_eq(out[0][5], 8.25f);
    cr_assert_eq(out[1][8 + 6], 1000 + 64 + 1.5f + 1.5f);
    cr_assert_eq(out[1][16 + 7], 12 - 3.25f + 3.5f);
    plane_ops_ref.block_value(&py, false, &at, v);
    cr_assert_eq(v[0][15], 1000 + 4 + 1.5f + 3.5f);
}
