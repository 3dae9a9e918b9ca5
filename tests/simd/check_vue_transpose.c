/* check_vue_transpose.c: vectors of vertices (vue_transpose.h). */
#include "check.h"

#include <math.h>

#include "engine/geom/geom.h"
#include "engine/geom/vue_transpose.h"

static const struct geom_lanes *const lanes_of[CHECK_ISAS] = {
    &geom_lanes_ref, &geom_lanes_avx2, &geom_lanes_avx512};

static void
check_same(float a, float b)
{
    if (!isnan(a) || !isnan(b))
        check_eq(bits_from_float(a), bits_from_float(b), "%a, not %a",
                 (double)b, (double)a);
}

static void
prepare_in_steps(const struct geom_lanes *lanes, const struct vertex_space *s,
                 const uint32_t vue[16][8], struct geom_vert v[16],
                 uint32_t codes[16])
{
    for (unsigned i = 0; i < 16; i += lanes->verts)
        lanes->prepare(s, (const uint8_t *)vue[i], sizeof vue[i], v + i,
                       codes + i);
}

static void
compare_prepare(const struct geom_lanes *lanes, const struct vertex_space *s)
{
    uint32_t vue[16][8], want[16], got[16];
    struct geom_vert one[16], all[16];
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned k = 0; k < 8; k++)
            vue[i][k] = check_bits();
    }
    prepare_in_steps(&geom_lanes_ref, s, vue, one, want);
    prepare_in_steps(lanes, s, vue, all, got);
    for (unsigned i = 0; i < 16; i++) {
        check_same(one[i].p.v.x, all[i].p.v.x);
        check_same(one[i].p.v.y, all[i].p.v.y);
        check_same(one[i].p.v.z, all[i].p.v.z);
        check_same(one[i].p.v.w_inv, all[i].p.v.w_inv);
        check_that(one[i].p.x == all[i].p.x && one[i].p.y == all[i].p.y);
        check_that(want[i] == got[i] && all[i].codes == got[i]);
        check_that(all[i].viewport == s->viewport && all[i].p.v.vue == vue[i] &&
                   all[i].edge_flag);
    }
}

static void
compare_columns(const struct geom_lanes *lanes)
{
    uint32_t in[8][8];
    uint8_t want[8][40] = {{0}}, got[8][40] = {{0}};
    uint8_t *want_row[8], *got_row[8];
    for (unsigned i = 0; i < 8; i++) {
        unsigned place = (i * 3 + 1) % (8 - check_below(3)),
                 at_B = check_below(2) * 4;
        want_row[i] = want[place] + at_B;
        got_row[i] = got[place] + at_B;
        for (unsigned c = 0; c < 8; c++)
            in[i][c] = check_below(1 << 24);
    }
    geom_lanes_ref.columns(in, want_row);
    lanes->columns(in, got_row);
    check_bytes(got, want, sizeof want);
}

static void
compare_moves(const struct geom_lanes *lanes)
{
    uint8_t memory[256];
    const uint8_t *row[8];
    uint32_t want[4][8], got[4][8], key[100], lo[2], hi[2];
    for (unsigned i = 0; i < sizeof memory; i++)
        memory[i] = (uint8_t)check_below(256);
    for (unsigned i = 0; i < 8; i++)
        row[i] = memory + check_below(sizeof memory - 15);
    geom_lanes_ref.rows(row, want);
    lanes->rows(row, got);
    check_bytes(got, want, sizeof want);
    unsigned stride_B = check_below((sizeof memory - 16) / 7 + 1);
    geom_lanes_ref.rows_apart(memory, stride_B, want);
    lanes->rows_apart(memory, stride_B, got);
    check_bytes(got, want, sizeof want);
    compare_columns(lanes);
    unsigned count = check_below(ARRAY_SIZE(key));
    for (unsigned i = 0; i < count; i++)
        key[i] = check_below(1 << 16) << check_below(17);
    geom_lanes_ref.range(key, count, &lo[0], &hi[0]);
    lanes->range(key, count, &lo[1], &hi[1]);
    check_that(lo[0] == lo[1] && hi[0] == hi[1]);
}

static struct vertex_space
any_space(void)
{
    struct vertex_space s = {
        .clips = check_below(2),
        .d3d = check_below(2),
        .divides = check_below(2),
        .transforms = check_below(2),
        .viewport = 5,
    };
    for (unsigned i = 0; i < 3; i++) {
        s.scale[i] = check_float();
        s.offset[i] = check_float();
    }
    for (unsigned i = 0; i < 4; i++)
        s.guard[i] = check_float();
    return s;
}

static void
compare_vertices(enum check_isa isa)
{
    for (unsigned n = 0; n < 4000; n++) {
        struct vertex_space s = any_space();
        compare_prepare(lanes_of[isa], &s);
    }
}

static void
compare_transposes(enum check_isa isa)
{
    for (unsigned n = 0; n < 4000; n++)
        compare_moves(lanes_of[isa]);
}

/* ---- benches ---- */

enum { VERTS = 64, ENTRY_DW = 16 };

struct bench {
    const struct geom_lanes *lanes;
    struct vertex_space space;
    uint32_t vue[VERTS][ENTRY_DW], out[8][8], codes[VERTS];
    struct geom_vert vert[VERTS];
};

static void
run_prepare(void *arg)
{
    struct bench *b = arg;
    for (unsigned i = 0; i < VERTS; i += b->lanes->verts)
        b->lanes->prepare(&b->space, (const uint8_t *)b->vue[i],
                          sizeof b->vue[i], b->vert + i, b->codes + i);
}

static void
run_rows(void *arg)
{
    struct bench *b = arg;
    for (unsigned i = 0; i < VERTS; i += 8)
        b->lanes->rows_apart((const uint8_t *)b->vue[i], sizeof b->vue[i],
                             b->out);
}

static struct bench *
make_bench(enum check_isa isa)
{
    static struct bench b;
    b = (struct bench){.lanes = lanes_of[isa],
                       .space = {.clips = true,
                                 .divides = true,
                                 .transforms = true,
                                 .scale = {100, 100, 1},
                                 .offset = {50, 50, 0},
                                 .guard = {-8, 8, -8, 8}}};
    for (unsigned i = 0; i < VERTS; i++)
        for (unsigned k = 0; k < ENTRY_DW; k++)
            b.vue[i][k] = bits_from_float(k == 7 ? 1 : (float)(i + k) / 100);
    return &b;
}

static void
bench_vertices(enum check_isa isa)
{
    check_time("per vertex", run_prepare, make_bench(isa), VERTS);
}

static void
bench_transposes(enum check_isa isa)
{
    check_time("per vertex", run_rows, make_bench(isa), VERTS);
}

static const struct check_row rows[] = {
    {"geom_lanes.prepare", "geom_lanes_ref", "vue_transpose_avx2", CHECK_AVX2,
     compare_vertices, bench_vertices},
    {"geom_lanes.prepare", "geom_lanes_ref", "vue_transpose_avx512",
     CHECK_AVX512, compare_vertices, bench_vertices},
    {"geom_lanes.rows", "geom_lanes_ref", "vue_transpose_avx2", CHECK_AVX2,
     compare_transposes, bench_transposes},
    {"geom_lanes.rows", "geom_lanes_ref", "vue_transpose_avx512", CHECK_AVX512,
     compare_transposes, bench_transposes},
};

CHECK_FAMILY(vue_transpose, rows);
