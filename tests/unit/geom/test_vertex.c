/* test_vertex.c: vectors of vertices against single ones, on hostile values;
 * the triangle fast path against objects. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "engine/geom/clip/clip.h"
#include "rig.h"

TestSuite(vertex, .fini = rig_finish);

static uint32_t seed = 1;

static unsigned
below(unsigned n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static float
hostile_float(void)
{
    static const uint32_t special[] = {
        0x7fc00000, 0xffc00001, 0x7f800001, 0x7f800000, 0xff800000, 0x00000001,
        0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x80000000, 0,
        0x4b189680, 0xcb189680, 0x3f800000, 0xbf800000};
    if (!below(3))
        return float_from_bits(special[below(ARRAY_SIZE(special))]);
    if (!below(4))
        return float_from_bits(below(1 << 24) << 8 | below(256));
    return ((float)below(4000) - 2000) / 1000;
}

static void
same(float a, float b)
{
    if (!isnan(a) || !isnan(b))
        cr_assert_eq(bits_from_float(a), bits_from_float(b), "%a %a", (double)a,
                     (double)b);
}

#define VERTS 29

static void
check_lanes(struct geom *g)
{
    uint32_t vue[VERTS + GEOM_PAD_VERTS][16] = {{0}};
    struct geom_vert one[VERTS], all[VERTS + GEOM_PAD_VERTS];
    for (unsigned i = 0; i < VERTS; i++) {
        for (unsigned k = 0; k < 16; k++)
            vue[i][k] = bits_from_float(hostile_float());
        one[i] = all[i] = (struct geom_vert){
            .p.v.vue = vue[i],
            .viewport = GEOM_VIEWPORT_NONE,
        };
        vertex_prepare(g, &one[i], 3);
    }
    uint32_t codes[VERTS + GEOM_PAD_VERTS];
    vertex_prepare_all(g, vue[0], sizeof vue[0], all, VERTS, 3, codes);
    for (unsigned i = 0; i < VERTS; i++) {
        same(one[i].p.v.x, all[i].p.v.x);
        same(one[i].p.v.y, all[i].p.v.y);
        same(one[i].p.v.z, all[i].p.v.z);
        same(one[i].p.v.w_inv, all[i].p.v.w_inv);
        cr_assert_eq(one[i].p.x, all[i].p.x);
        cr_assert_eq(one[i].p.y, all[i].p.y);
        cr_assert_eq(one[i].codes, all[i].codes, "%x %x", one[i].codes,
                     all[i].codes);
        cr_assert_eq(all[i].viewport, 3);
        cr_assert_eq(all[i].codes, codes[i]);
    }
}

Test(vertex, lanes_are_vertices)
{
    rig_init(GEN9_3DPRIM_TRILIST, 3);
    rig_clip();
    struct geom g = {.draw = &rig.draw, .last_slots = 4};
    for (unsigned n = 0; n < 2000; n++) {
        rig.draw.clip.clip_enable = below(4);
        rig.draw.clip.perspective_divide_disable = !below(4);
        rig.draw.sf.viewport_transform_enable = below(4);
        rig.draw.clip.api_mode = below(2);
        g.user_clip = below(4) ? 0 : below(256);
        rig.draw.viewport[3].viewport_matrix_element_m00 = hostile_float();
        rig.draw.viewport[3].x_max_clip_guardband = hostile_float();
        check_lanes(&g);
    }
}

/* ---- draws ------------------------------------------------------------ */

static void
random_vertices(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        float w = below(8) ? 1 + (float)below(8) / 4 : hostile_float();
        float v[12] = {[4] = ((float)below(60) - 30) / 10,
                       ((float)below(60) - 30) / 10,
                       ((float)below(30) - 15) / 10,
                       w,
                       (float)i,
                       hostile_float()};
        if (!below(10))
            v[4 + below(4)] = hostile_float();
        ((uint32_t *)v)[1] = below(3) ? 0 : below(70000);
        memcpy(rig.memory + i * 48, v, sizeof v);
    }
}

static void
compare_prims(const struct rig_prim *a, const struct rig_prim *b)
{
    cr_assert_eq(a->p.kind, b->p.kind);
    cr_assert_eq(a->p.provoking, b->p.provoking);
    cr_assert_eq(a->p.edge_mask, b->p.edge_mask);
    cr_assert_eq(a->p.layer, b->p.layer);
    cr_assert_eq(a->p.primitive_id, b->p.primitive_id);
    cr_assert_eq(a->p.vue_slots, b->p.vue_slots);
    for (unsigned i = 0; i < 3; i++) {
        same(a->x[i], b->x[i]);
        same(a->y[i], b->y[i]);
        same(a->z[i], b->z[i]);
        for (unsigned k = 0; k < 4; k++)
            same(a->attr[i][k], b->attr[i][k]);
    }
    for (unsigned k = 0; k < 4; k++)
        same(a->flat[k], b->flat[k]);
}

/* With several viewports a draw takes the path of objects; all vertices select
 * viewport 0. */
static void
check_draw(unsigned topology)
{
    struct draw *d = &rig.draw;
    unsigned count = 3 + below(300);
    uint16_t index[310];
    rig_init(topology, count);
    rig_clip();
    random_vertices(100);
    bool near = below(2);
    for (unsigned i = 0; i < count; i++)
        index[i] = (uint16_t)(below(20)          ? (i + below(3)) % 100
                              : near || below(4) ? below(120)
                                                 : below(60000));
    memcpy(rig.memory + 0x8000, index, count * 2);
    d->indexed = true;
    d->index_buffer.va = 0x8000;
    d->index_buffer.size_B = count * 2 - below(2) * 10 * below(2);
    d->index_buffer.index_B = 2;
    d->clip.clip_mode = below(5) ? 0 : below(5);
    d->clip.clip_enable = below(6);
    d->clip.guardband_clip_test_enable = below(3);
    d->sf.triangle_strip_list_provoking_vertex_select = below(3);
    d->sf.triangle_fan_provoking_vertex_select = below(3);
    rig_draw();
    unsigned prims = rig.prim_count;
    uint64_t in = rig.stats.cl_invocations, out = rig.stats.cl_primitives;
    struct rig_prim *expect = malloc((prims + 1) * sizeof *expect);
    memcpy(expect, rig.prim, prims * sizeof *expect);
    rig.prim_count = 0;
    d->clip.maximum_vp_index = 0;
    rig_draw();
    cr_assert_eq(rig.prim_count, prims);
    cr_assert_eq(rig.stats.cl_invocations, 2 * in);
    cr_assert_eq(rig.stats.cl_primitives, 2 * out);
    for (unsigned i = 0; i < prims; i++)
        compare_prims(&expect[i], &rig.prim[i]);
    free(expect);
    rig_finish();
}

Test(vertex, short_way_is_the_way)
{
    static const uint8_t topology[] = {
        GEN9_3DPRIM_TRILIST,
        GEN9_3DPRIM_TRISTRIP,
        GEN9_3DPRIM_TRISTRIP_REVERSE,
        GEN9_3DPRIM_TRIFAN,
    };
    for (unsigned n = 0; n < 400; n++)
        check_draw(topology[n % ARRAY_SIZE(topology)]);
}
