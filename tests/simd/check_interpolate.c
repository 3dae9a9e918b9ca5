/* check_interpolate.c: every set of interpolate_ops gives the reference's bits.
 */
#include "check.h"

#include <float.h>
#include <math.h>

#include "engine/raster/setup/setup.h"
#include "engine/raster/shade/interpolate.h"
#include "cover_lists.h"

#define GROUPS 5

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
hostile_number(void)
{
    const double pick[] = {
        0,         -0.0,         1,        -1,       INFINITY,  -INFINITY,
        own_nan(), DBL_MAX,      -DBL_MAX, DBL_MIN,  0x1p-1074, -0x1p-1074,
        FLT_MIN,   FLT_MIN / 2,  0x1p-149, 0x1p-150, FLT_MAX,   0x1.ffffffp127,
        -0x1p128,  0x1.000001p0, 1.0 / 3,  -1e-30,
    };
    uint32_t r = check_random();
    if (r & 1)
        return pick[(r >> 1) % ARRAY_SIZE(pick)];
    return ldexp((double)check_random() - 0x1p23, (int)(r >> 4 & 63) - 50);
}

static struct plane
hostile_plane(void)
{
    double c = hostile_number(), dx = hostile_number();
    return (struct plane){c, dx, hostile_number()};
}

/* A reference point: whole subpixels, also far from the tile. */
static double
whole_subpixels(void)
{
    if (check_random() % 4 == 0)
        return -0.0;
    return (int)(check_random() & 0xffffff) / 256.0 - 20000;
}

static struct run_weights
hostile_weights(const struct plane *b1, const struct plane *b2,
                const struct plane *q)
{
    return (struct run_weights){.b1 = b1,
                                .b2 = b2,
                                .q = check_random() & 1 ? q : NULL,
                                .ref_x = whole_subpixels(),
                                .ref_y = whole_subpixels()};
}

static void
compare_quads(const struct interpolate_ops *ops)
{
    struct lane_quads at[GROUPS];
    float want[GROUPS][32], got[GROUPS][32];
    struct plane p1 = hostile_plane(), p2 = hostile_plane();
    struct plane q = hostile_plane();
    for (unsigned n = 0; n < GROUPS; n++) {
        for (unsigned i = 0; i < 4; i++) {
            at[n].x[i] = (int)(check_random() & 0x3fff) / 256.0 -
                         (int)(check_random() & 0xfffff);
            at[n].y[i] = (int)(check_random() & 0x3fff);
        }
    }
    unsigned count = 1 + check_random() % GROUPS;
    for (unsigned divide = 0; divide < 2; divide++) {
        interpolate_ops_ref.weights(&p1, &p2, divide ? &q : NULL, at, count,
                                    want);
        ops->weights(&p1, &p2, divide ? &q : NULL, at, count, got);
        check_bytes(got, want, count * sizeof got[0]);
        float(*want1)[16] = (float(*)[16])want, (*got1)[16] = (float(*)[16])got;
        interpolate_ops_ref.value(&p1, divide, at, count, want1);
        ops->value(&p1, divide, at, count, got1);
        check_bytes(got1, want1, count * sizeof got1[0]);
    }
}

/* Blocks of which about half lie in the row of the one before. */
static void
compare_blocks(const struct interpolate_ops *ops)
{
    struct batch_block block[GROUPS];
    float want[GROUPS][32], got[GROUPS][32];
    struct plane p1 = hostile_plane(), p2 = hostile_plane();
    struct plane q = hostile_plane();
    int32_t y = (int32_t)(check_random() & 0x3ffc);
    for (unsigned n = 0; n < GROUPS; n++) {
        int32_t x = (int32_t)(check_random() & 0x3ffc);
        if (check_random() & 1)
            y += 4;
        block[n] = (struct batch_block){.x = x, .y = y};
    }
    const struct block_places at = {.block = block,
                                    .count = 1 + check_random() % GROUPS,
                                    .ref_x = whole_subpixels(),
                                    .ref_y = whole_subpixels()};
    for (unsigned divide = 0; divide < 2; divide++) {
        const struct plane *by = divide ? &q : NULL;
        interpolate_ops_ref.block_weights(&p1, &p2, by, &at, want);
        ops->block_weights(&p1, &p2, by, &at, got);
        check_bytes(got, want, at.count * sizeof got[0]);
        float(*want1)[16] = (float(*)[16])want, (*got1)[16] = (float(*)[16])got;
        interpolate_ops_ref.block_value(&p1, divide, &at, want1);
        ops->block_value(&p1, divide, &at, got1);
        check_bytes(got1, want1, at.count * sizeof got1[0]);
    }
}

/* ---- chains of a list ---- */

static void
compare_row(const struct eu_chain_entry *got, const struct eu_chain_entry *want)
{
    check_bytes(got->payload, want->payload, sizeof got->payload);
    check_eq(got->captured, want->captured);
    check_eq(got->dispatch_mask, want->dispatch_mask);
    check_eq(got->vector_mask, want->vector_mask);
    check_eq(got->mask, want->mask);
    check_eq(got->captured_mask, want->captured_mask);
    check_eq(got->live, want->live);
}

/* Fills a list's chain entries, ROOM at a time; returns how many. */
static unsigned
take_rows(const struct interpolate_ops *ops, struct row_fill *f,
          struct eu_chain_entry out[LIST])
{
    unsigned count = 0;
    ops->begin_rows(f);
    while (f->next < f->count) {
        struct eu_chain_entry row[ROOM + ROWS_AHEAD];
        unsigned n = ops->fill_rows(f, row, ROOM);
        check_that(n <= ROOM);
        check_that(n || f->next == f->count);
        for (unsigned i = 0; i < n; i++) {
            check_eq(!row[i].more, i + 1 == n);
            out[count++] = row[i];
        }
        for (unsigned i = 0; n && f->tails_fetch && i < ROWS_AHEAD; i++) {
            struct cover_block b = f->block[MIN2(f->next + i, f->count - 1)];
            check_eq(row[n + i].captured,
                     f->to.mem + f->to.x_B[b.x] + f->to.y_B[b.y]);
        }
    }
    return count;
}

static void
compare_rows(const struct interpolate_ops *ops)
{
    static uint8_t mem[1];
    uint8_t begin[EU_CHAIN_GRF * EU_GRF_B];
    static struct eu_chain_entry row[2][LIST];
    struct cover_block block[LIST];
    uint16_t live[LIST], rest[2][LIST];
    uint64_t x_B[COVER_TILE_PX], y_B[COVER_TILE_PX];
    struct plane p1 = hostile_plane(), p2 = hostile_plane();
    struct plane q = hostile_plane();
    for (unsigned i = 0; i < COVER_TILE_PX; i++) {
        x_B[i] = check_random() % 4096;
        y_B[i] = check_random() % 4096;
    }
    for (unsigned i = 0; i < sizeof begin; i++)
        begin[i] = (uint8_t)check_random();
    const struct run_weights weights = hostile_weights(&p1, &p2, &q);
    struct row_fill want = {.block = block,
                            .count = random_list(block, live),
                            .live = check_random() & 1 ? live : NULL,
                            .rest = rest[0],
                            .weights = check_random() & 3 ? &weights : NULL,
                            .begin = begin,
                            .tails_fetch = check_random() & 1,
                            .some = check_random() & 1,
                            .vector_mask = check_random() & 1,
                            .to.mem = mem,
                            .to.x_B = x_B,
                            .to.y_B = y_B,
                            .to.tile_x = TILE_X,
                            .to.tile_y = TILE_Y};
    struct row_parts parts;
    struct row_fill got = want;
    got.rest = rest[1];
    got.parts = &parts;
    unsigned rows = take_rows(&interpolate_ops_ref, &want, row[0]);
    check_eq(take_rows(ops, &got, row[1]), rows);
    for (unsigned i = 0; i < rows; i++)
        compare_row(&row[1][i], &row[0][i]);
    check_bytes(rest[1], rest[0], want.count * sizeof rest[0][0]);
    check_eq(got.pixels, want.pixels);
    check_eq(!got.left, !want.left);
}

/* ---- chains of a batch ---- */

/* Some blocks have few pixels; some lie in the row of the one before. */
static void
random_blocks(struct batch_block block[LIST])
{
    int32_t y = TILE_Y;
    for (unsigned n = 0; n < LIST; n++) {
        y = TILE_Y + (y + (int32_t)(check_random() % 2 * 4)) % COVER_TILE_PX;
        block[n] = (struct batch_block){
            .x = TILE_X + (int32_t)(check_random() % ROW_COLUMNS * 4),
            .y = y,
            .live = (uint16_t)check_random(),
            .helper = check_random() & 1 ? 0xffff : (uint16_t)check_random()};
    }
}

/* Primitives of the blocks, each with its own attributes. */
static void
random_prims(struct setup setup[JOINED], struct batch_prim prim[JOINED],
             uint8_t of[LIST + 1])
{
    static const uint32_t attr[JOINED];
    for (unsigned i = 0; i < JOINED; i++) {
        setup[i] = (struct setup){.attr = &attr[i],
                                  .perspective = check_random() & 1,
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
        k = MIN2(k + check_random() % 3 / 2, JOINED - 1u);
        of[n] = (uint8_t)k;
    }
}

static void
compare_batch(const struct eu_chain_entry *got,
              const struct eu_chain_entry *want, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        compare_row(&got[i], &want[i]);
        check_eq(!want[i].more, i + 1 == count);
        check_eq(!got[i].more, i + 1 == count);
    }
}

static void
compare_fill(const struct interpolate_ops *ops)
{
    static uint8_t mem[1];
    static uint32_t color[LIST][4][16];
    static struct eu_chain_entry row[2][LIST];
    static struct eu_launch launch;
    static uint64_t x_B[COVER_TILE_PX], y_B[COVER_TILE_PX];
    struct batch_block block[LIST];
    struct plane p1 = hostile_plane(), p2 = hostile_plane();
    struct plane q = hostile_plane();
    random_blocks(block);
    for (unsigned i = 0; i < COVER_TILE_PX; i++) {
        x_B[i] = check_random() % 4096;
        y_B[i] = check_random() % 4096;
    }
    launch.start.vector_mask_enable = check_random() & 1;
    launch.lane_independent = check_random() & 3;
    launch.quad_dependent = check_random() & 1;
    launch.required_mask = check_random() & 0xffff;
    const struct run_weights weights = hostile_weights(&p1, &p2, &q);
    struct setup setup[JOINED];
    struct batch_prim prim[JOINED];
    uint8_t of[LIST + 1];
    const struct row_prims prims = {prim, of, check_random() & 1};
    random_prims(setup, prim, of);
    static struct tile_centres centres;
    if (check_random() & 1)
        centres.x_px = centres.y_px = -1;
    struct thread_run r = {.launch = &launch,
                           .centres = &centres,
                           .weights = &weights,
                           .block = block,
                           .row = row[0],
                           .color = color,
                           .tail.fn = check_random() & 1 ? abort : NULL,
                           .to.mem = mem,
                           .to.x_B = x_B,
                           .to.y_B = y_B,
                           .to.tile_x = TILE_X,
                           .to.tile_y = TILE_Y,
                           .to.lines = check_random() % 3};
    unsigned first = check_random() % LIST;
    unsigned end = first + 1 + check_random() % (LIST - first);
    unsigned pixels = interpolate_ops_ref.fill(&r, first, end);
    r.row = row[1];
    check_eq(ops->fill(&r, first, end), pixels);
    compare_batch(row[1], row[0], end - first);
    pixels = ops->fill_joined(&r, &prims, first, end);
    r.row = row[0];
    check_eq(interpolate_ops_ref.fill_joined(&r, &prims, first, end), pixels);
    compare_batch(row[1], row[0], end - first);
    for (unsigned i = 0; i < end - first; i++)
        check_eq(row[1][i].next, row[0][i].next);
}

/* Compacts a list's blocks into a batch. Nothing may be written after the one
 * element of slack. */
static void
compare_put(const struct interpolate_ops *ops)
{
    enum { MOST = 64, FILL = 0xa5 };
    struct cover_block list[LIST + 3];
    uint16_t live[LIST + 3];
    struct batch_block want[MOST + 2], got[MOST + 2];
    memset(list, FILL, sizeof list);
    memset(live, FILL, sizeof live);
    memset(want, FILL, sizeof want);
    memset(got, FILL, sizeof got);
    unsigned count = random_list(list, live);
    for (unsigned i = 0; i < count; i++) {
        live[i] *= check_random() % 4 != 0;
        list[i].mask *= check_random() % 8 != 0;
    }
    struct block_put a = {.list = list,
                          .live = check_random() & 1 ? live : NULL,
                          .count = MIN2(count, MOST),
                          .tile_x = TILE_X,
                          .tile_y = TILE_Y,
                          .covers = check_random() & 1};
    struct block_put b = a;
    interpolate_ops_ref.put_blocks(&a, want);
    ops->put_blocks(&b, got);
    check_that(b.set == a.set && b.blocks == a.blocks && b.pixels == a.pixels);
    check_bytes(got, want, a.blocks * sizeof *want);
    check_bytes(got + a.count + 1, want + a.count + 1, sizeof *want);
}

static void
compare_count(const struct interpolate_ops *ops)
{
    static struct eu_chain_entry row[LIST];
    unsigned rows = check_random() % (LIST + 1);
    for (unsigned i = 0; i < LIST; i++)
        row[i].captured_mask = check_random();
    check_eq(ops->count_caught(row, rows),
             interpolate_ops_ref.count_caught(row, rows));
}

/* Registers from several sources, for one thread of many. */
static void
compare_copy(const struct interpolate_ops *ops)
{
    enum { THREADS = 5, COPIES = 4, GRFS = 32 };
    uint8_t from[THREADS * COPIES * 8 * EU_GRF_B];
    uint8_t want[GRFS * EU_GRF_B], got[GRFS * EU_GRF_B];
    struct grf_copy copy[COPIES];
    unsigned count = check_below(COPIES + 1), n = check_below(THREADS);
    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)check_random();
    memset(want, 0xa5, sizeof want);
    memset(got, 0xa5, sizeof got);
    for (unsigned i = 0; i < count; i++)
        copy[i] = (struct grf_copy){
            .from = from + check_below(COPIES) * 8 * EU_GRF_B,
            .stride_B = (uint16_t)(check_below(9) * EU_GRF_B),
            .grf = (uint8_t)(i * 8 + check_below(4)),
            .count = (uint8_t)check_below(5)};
    interpolate_ops_ref.copy(want, copy, count, n);
    ops->copy(got, copy, count, n);
    check_bytes(got, want, sizeof got);
}

/* ---- rows ---- */

static const struct interpolate_ops *const ops_of[CHECK_ISAS] = {
    &interpolate_ops_ref, &interpolate_ops_avx2, &interpolate_ops_avx512};

#define COMPARE(name, rounds)                           \
    static void compare_many_##name(enum check_isa isa) \
    {                                                   \
        for (unsigned i = 0; i < (rounds); i++)         \
            compare_##name(ops_of[isa]);                \
    }

COMPARE(quads, 20000)
COMPARE(blocks, 20000)
COMPARE(rows, 5000)
COMPARE(fill, 5000)
COMPARE(put, 5000)
COMPARE(count, 5000)
COMPARE(copy, 5000)

/* ---- bench: blocks of a tile ---- */

enum { BENCH_BLOCKS = 64 };

struct bench {
    const struct interpolate_ops *ops;
    struct plane p1, p2, q;
    const struct plane *divides;
    struct batch_block block[BENCH_BLOCKS];
    struct block_places at;
    float out[BENCH_BLOCKS][32];
    struct cover_block list[COVER_ROOM];
    struct batch_block put[BENCH_BLOCKS + 1];
};

static void
run_weights(void *arg)
{
    struct bench *b = arg;
    b->ops->block_weights(&b->p1, &b->p2, b->divides, &b->at, b->out);
}

static void
run_put(void *arg)
{
    struct bench *b = arg;
    struct block_put put = {.list = b->list, .count = BENCH_BLOCKS};
    b->ops->put_blocks(&put, b->put);
}

static struct bench *
make_bench(enum check_isa isa)
{
    static struct bench b;
    b = (struct bench){.ops = ops_of[isa],
                       .p1 = {1, 0.25, 0.5},
                       .p2 = {2, 0.5, 0.25},
                       .q = {1, 1e-3, 1e-3},
                       .at = {b.block, BENCH_BLOCKS, 0.5, 0.5}};
    for (unsigned i = 0; i < BENCH_BLOCKS; i++) {
        b.block[i] = (struct batch_block){.x = (int32_t)i % 16 * 4,
                                          .y = (int32_t)i / 16 * 4};
        b.list[i] = (struct cover_block){(uint8_t)(i % 16 * 4),
                                         (uint8_t)(i / 16 * 4),
                                         (uint16_t)(i % 3 * 0x7777)};
    }
    return &b;
}

static void
bench_blocks(enum check_isa isa)
{
    struct bench *b = make_bench(isa);
    check_time("linear", run_weights, b, BENCH_BLOCKS);
    b->divides = &b->q;
    check_time("perspective", run_weights, b, BENCH_BLOCKS);
}

static void
bench_put(enum check_isa isa)
{
    check_time("64 blocks", run_put, make_bench(isa), 1);
}

#define BOTH(kernel, compare, bench)                                        \
    {"interpolate." kernel,                                                 \
     "interpolate_ops_ref",                                                 \
     "interpolate_avx2",                                                    \
     CHECK_AVX2,                                                            \
     compare,                                                               \
     bench},                                                                \
    {                                                                       \
        "interpolate." kernel, "interpolate_ops_ref", "interpolate_avx512", \
            CHECK_AVX512, compare, bench                                    \
    }

static const struct check_row rows[] = {
    BOTH("weights", compare_many_quads, NULL),
    BOTH("block_weights", compare_many_blocks, bench_blocks),
    BOTH("fill_rows", compare_many_rows, NULL),
    BOTH("fill", compare_many_fill, NULL),
    BOTH("put_blocks", compare_many_put, bench_put),
    BOTH("count_caught", compare_many_count, NULL),
    BOTH("copy", compare_many_copy, NULL),
};

CHECK_FAMILY(interpolate, rows);
