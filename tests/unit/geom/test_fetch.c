/* test_fetch.c: vertex fetch: formats, component controls, bounds, instances,
 * indices. */
#include <criterion/criterion.h>

#include "engine/geom/geom.h"
#include "rig.h"

TestSuite(fetch, .fini = rig_finish);

/* Attribute (element 2) of a single point. */
static void
attribute(unsigned format, const void *bytes, unsigned size_B)
{
    rig_init(GEN9_3DPRIM_POINTLIST, 1);
    rig_vertex(0, 1, 2, 3, 1, 0);
    memcpy(rig.memory + 32, bytes, size_B);
    rig.draw.ve[2].ve.source_element_format = format;
}

static const uint32_t *
drawn_bits(void)
{
    rig_draw();
    cr_assert_eq(rig.prim_count, 1);
    return (const uint32_t *)(const void *)rig.prim[0].attr[0];
}

struct format_row {
    unsigned format;
    uint8_t bytes[16];
    float value[4];
};

/* Values by the definitions of the formats (GL 4.6, 2.3.5). */
static const struct format_row format_table[] = {
    {0x0c7, {0, 255, 51, 102}, {0, 1, 0.2f, 0.4f}},  /* R8G8B8A8_UNORM */
    {0x0c9, {0x81, 0x7f, 0, 0x80}, {-1, 1, 0, -1}},  /* R8G8B8A8_SNORM */
    {0x0d0, {0, 0x3c, 0, 0xc0}, {1, -2, 0, 1}},      /* R16G16_FLOAT */
    {0x0d8, {0, 0, 0x80, 0x3f}, {1, 0, 0, 1}},       /* R32_FLOAT */
    {0x14a, {200}, {200, 0, 0, 1}},                  /* R8_USCALED */
    {0x0c2, {0xff, 0x03, 0xf0, 0xff}, {1, 0, 1, 1}}, /* R10G10B10A2_UNORM */
    {0x08d, {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, {1, 0, 0, 1}}, /* R64_FLOAT */
};

Test(fetch, formats_convert_to_float)
{
    for (unsigned i = 0; i < ARRAY_SIZE(format_table); i++) {
        const struct format_row *row = &format_table[i];
        attribute(row->format, row->bytes, 16);
        const uint32_t *b = drawn_bits();
        for (unsigned c = 0; c < 4; c++)
            cr_expect_float_eq(float_from_bits(b[c]), row->value[c], 1e-6,
                               "format 0x%x channel %u: %f", row->format, c,
                               (double)float_from_bits(b[c]));
        if (i + 1 < ARRAY_SIZE(format_table))
            rig_finish();
    }
}

Test(fetch, integers_stay_integers)
{
    const uint8_t bytes[16] = {7, 0xff, 3, 4};
    attribute(0x0ca, bytes, 16); /* R8G8B8A8_SINT */
    const uint32_t *b = drawn_bits();
    cr_expect_eq(b[0], 7);
    cr_expect_eq(b[1], UINT32_MAX);
}

/* A plan is reused until state that it was made from changes; vertex contents
 * are not part of it. */
Test(fetch, plans_serve_the_draws_that_follow)
{
    const float one[4] = {1, 2, 3, 4}, other[4] = {5, 6, 7, 8};
    struct geom_kept *kept = NULL;
    attribute(0x000, one, 16);
    rig.draw.kept_geom = &kept;
    rig.draw.input_serial = 1;
    rig_draw();
    cr_assert_not_null(kept);
    const struct fetch_plan *plan = kept->plan;
    memcpy(rig.memory + 32, other, 16);
    rig_draw();
    cr_expect_eq(kept->plan, plan);
    rig.draw.ve[2].ve.component_1_control = GEN9_VFCOMP_STORE_0;
    rig.draw.input_serial++;
    rig_draw();
    cr_assert_eq(rig.prim_count, 3);
    const float wanted[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {5, 0, 7, 8}};
    for (unsigned i = 0; i < 3; i++)
        cr_expect_arr_eq(rig.prim[i].attr[0], wanted[i], 16, "draw %u", i);
    geom_kept_free(kept);
}

Test(fetch, component_controls)
{
    const float in[4] = {5, 6, 7, 8};
    attribute(0x000, in, 16);
    struct gen9_vertex_element_state *ve = &rig.draw.ve[2].ve;
    ve->component_1_control = GEN9_VFCOMP_STORE_0;
    ve->component_2_control = GEN9_VFCOMP_STORE_1_FP;
    ve->component_3_control = GEN9_VFCOMP_STORE_1_INT;
    const uint32_t *b = drawn_bits();
    cr_expect_eq(b[0], bits_from_float(5));
    cr_expect_eq(b[1], 0);
    cr_expect_eq(b[2], bits_from_float(1));
    cr_expect_eq(b[3], 1);
}

Test(fetch, passthru_of_four_doubles_fills_two_slots)
{
    const double in[4] = {1.5, -2, 3, 1e300};
    attribute(0x1bc, in, 32); /* R64G64B64A64_PASSTHRU */
    rig.draw.sbe.vertex_urb_entry_read_length = 2;
    rig.draw.urb_entry_B[0] = 128;
    cr_expect_arr_eq(drawn_bits(), in, 16);
}

Test(fetch, passthru_of_one_double_fills_one_slot)
{
    const double in[2] = {1.5, 99};
    attribute(0x0a1, in, 16); /* R64_PASSTHRU */
    struct gen9_vertex_element_state *ve = &rig.draw.ve[2].ve;
    ve->component_1_control = GEN9_VFCOMP_STORE_0;
    ve->component_2_control = GEN9_VFCOMP_NOSTORE;
    ve->component_3_control = GEN9_VFCOMP_NOSTORE;
    const double out[2] = {1.5, 0};
    cr_expect_arr_eq(drawn_bits(), out, 16);
}

Test(fetch, beyond_the_buffer_is_zero)
{
    const float in[4] = {5, 6, 7, 8};
    attribute(0x000, in, 16);
    rig.draw.vb[0].size_B = 47; /* the attribute ends at 48 */
    const uint32_t *b = drawn_bits();
    for (unsigned c = 0; c < 4; c++)
        cr_expect_eq(b[c], 0);
    cr_expect_eq(rig.prim[0].x[0], 1, "the position is inside");
}

Test(fetch, hostile_buffers_do_no_harm)
{
    const float in[4] = {5, 6, 7, 8};
    attribute(0x000, in, 16);
    rig.draw.vertex_count = 100;
    rig.draw.start_vertex = UINT32_MAX - 50;
    rig.draw.vb[0].pitch_B = UINT32_MAX;
    rig.draw.ve[1].ve.vertex_buffer_index = 63;
    rig.draw.ve[2].ve.source_element_format = 0x1ff;
    rig.draw.sgvs.vertexid_enable = true;
    rig.draw.sgvs.vertexid_element_offset = 63;
    rig_draw();
    cr_expect_eq(rig.prim_count, 100);
}

static void
system_values(void)
{
    rig.draw.sgvs.vertexid_enable = true;
    rig.draw.sgvs.vertexid_element_offset = 2;
    rig.draw.sgvs.vertexid_component_number = 1;
    rig.draw.sgvs.instanceid_enable = true;
    rig.draw.sgvs.instanceid_element_offset = 2;
    rig.draw.sgvs.instanceid_component_number = 2;
}

static uint32_t
attr_bits(unsigned prim, unsigned c)
{
    return bits_from_float(rig.prim[prim].attr[0][c]);
}

Test(fetch, vertex_and_instance_id_do_not_count_the_start)
{
    rig_init(GEN9_3DPRIM_POINTLIST, 2);
    for (unsigned i = 0; i < 8; i++)
        rig_vertex(i, (float)i, 0, 0, 1, (float)i);
    rig.draw.start_vertex = 3;
    rig.draw.start_instance = 5;
    rig.draw.instance_count = 2;
    system_values();
    rig_draw();
    cr_assert_eq(rig.prim_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_eq(rig.prim[i].x[0], 3 + i % 2);
        cr_expect_eq(attr_bits(i, 1), i % 2);
        cr_expect_eq(attr_bits(i, 2), i / 2);
    }
}

Test(fetch, instanced_elements_step)
{
    rig_init(GEN9_3DPRIM_POINTLIST, 1);
    for (unsigned i = 0; i < 8; i++)
        rig_vertex(i, 0, 0, 0, 1, (float)i);
    rig.draw.instance_count = 5;
    rig.draw.start_instance = 2;
    rig.draw.ve[2].instancing = true;
    rig.draw.ve[2].step_rate = 2;
    rig_draw();
    static const float expect[] = {2, 2, 3, 3, 4};
    for (unsigned i = 0; i < 5; i++)
        cr_expect_eq(rig.prim[i].attr[0][0], expect[i]);
}

static void
indices(unsigned index_B, const void *data, unsigned count)
{
    rig_init(GEN9_3DPRIM_POINTLIST, count);
    for (unsigned i = 0; i < 16; i++)
        rig_vertex(i, (float)i, 0, 0, 1, (float)i);
    memcpy(rig.memory + 0x1000, data, index_B * count);
    rig.draw.indexed = true;
    rig.draw.index_buffer.va = 0x1000;
    rig.draw.index_buffer.size_B = index_B * count;
    rig.draw.index_buffer.index_B = index_B;
    system_values();
}

Test(fetch, indices_of_all_sizes_and_base_vertex)
{
    const uint8_t i8[] = {3, 1};
    const uint16_t i16[] = {3, 1};
    const uint32_t i32[] = {3, 1};
    const void *data[] = {i8, i16, i32};
    for (unsigned i = 0; i < 3; i++) {
        indices(1u << i, data[i], 2);
        rig.draw.base_vertex = 2;
        rig_draw();
        cr_assert_eq(rig.prim_count, 2);
        cr_expect_eq(rig.prim[0].x[0], 5);
        cr_expect_eq(rig.prim[1].x[0], 3);
        cr_expect_eq(attr_bits(0, 1), 3, "VertexID is the raw index");
        if (i < 2)
            rig_finish();
    }
}

Test(fetch, negative_base_vertex)
{
    const uint16_t i16[] = {3, 1};
    indices(2, i16, 2);
    rig.draw.base_vertex = -1;
    rig_draw();
    cr_expect_eq(rig.prim[0].x[0], 2);
    cr_expect_eq(rig.prim[1].x[0], 0);
}

Test(fetch, indices_beyond_the_buffer_are_zero)
{
    const uint16_t i16[] = {3, 4};
    indices(2, i16, 2);
    rig.draw.index_buffer.size_B = 3;
    rig_draw();
    cr_expect_eq(rig.prim[0].x[0], 3);
    cr_expect_eq(rig.prim[1].x[0], 0);
}

/* Whole ranges and parts of ranges, because chunks and threads begin
 * anywhere. */
Test(fetch, indices_of_several_ranges)
{
    static const struct draw_range ranges[] = {
        {0, 2, NULL},   {1, 0, NULL},          {3, 3, NULL},
        {4, 100, NULL}, {5, UINT32_MAX, NULL}, {6, 1, NULL}};
    static const float expect[] = {7, 9, 8, 6, 0, 0, 8, 7};
    const uint8_t i8[] = {9, 8, 7, 6};
    indices(1, i8, 4);
    rig.draw.range = ranges;
    rig.draw.range_count = ARRAY_SIZE(ranges);
    rig.draw.start_vertex = ranges[0].start_vertex;
    rig.draw.vertex_count = ARRAY_SIZE(expect);
    rig_draw();
    cr_assert_eq(rig.prim_count, ARRAY_SIZE(expect));
    for (unsigned i = 0; i < ARRAY_SIZE(expect); i++)
        cr_expect_eq(rig.prim[i].x[0], expect[i], "vertex %u", i);
}

Test(fetch, cut_index_is_compared_zero_extended)
{
    const uint16_t i16[] = {0, 1, 2, 0xffff, 3, 4, 5};
    indices(2, i16, 7);
    rig.draw.topology = GEN9_3DPRIM_TRISTRIP;
    rig.draw.vf.indexed_draw_cut_index_enable = true;
    rig.draw.vf.cut_index = 0xffff;
    rig.draw.vf_statistics = true;
    rig_draw();
    cr_expect_eq(rig.prim_count, 2);
    cr_expect_eq(rig.prim[1].x[0], 3);
    cr_expect_eq(rig.stats.ia_vertices, 6);
    cr_expect_eq(rig.stats.ia_primitives, 2);
    rig.draw.vf.cut_index = UINT32_MAX;
    rig.prim_count = 0;
    rig_draw();
    cr_expect_eq(rig.prim_count, 5);
}

Test(fetch, edge_flags_open_borders)
{
    rig_init(GEN9_3DPRIM_TRILIST, 3);
    for (unsigned i = 0; i < 3; i++)
        rig_vertex(i, (float)(i & 1), (float)(i / 2), 0, 1, i != 1);
    rig.draw.ve[2].ve.edge_flag_enable = true;
    rig.draw.ve[2].ve.source_element_format = 0x0d8; /* R32_FLOAT */
    rig_draw();
    cr_expect_eq(rig.prim[0].p.edge_mask, 5);
    rig.draw.topology = GEN9_3DPRIM_TRISTRIP;
    rig_draw();
    cr_expect_eq(rig.prim[1].p.edge_mask, 7, "strips have none");
}

/* ---- eight vertices at a time ----------------------------------------- */

static uint32_t seed = 7;

static unsigned
below(unsigned n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static void
random_elements(struct draw *d)
{
    static const uint16_t format[] = {0x000, 0x001, 0x002, 0x040, 0x041, 0x042,
                                      0x080, 0x085, 0x0c7, 0x0d0, 0x0d6, 0x0d8,
                                      0x14a, 0x08d, 0x0a1, 0x021, 0x1bc, 0x1bd};
    d->ve_count = 1 + below(8);
    for (unsigned i = 0; i < d->ve_count; i++) {
        struct gen9_vertex_element_state *ve = &d->ve[i].ve;
        *ve = (struct gen9_vertex_element_state){
            .valid = below(10) != 0,
            .vertex_buffer_index = below(8) ? 0 : below(3),
            .source_element_format = format[below(ARRAY_SIZE(format))],
            .source_element_offset = below(64),
            .component_0_control = 1 + below(2) * below(3),
            .component_1_control = 1 + below(2) * below(3),
            .component_2_control = 1 + below(2) * below(3),
            .component_3_control = 1 + below(2) * below(3),
        };
        d->ve[i].instancing = !below(5);
        d->ve[i].step_rate = below(3);
    }
    d->sgvs.vertexid_enable = below(2);
    d->sgvs.vertexid_element_offset = below(8);
    d->sgvs.vertexid_component_number = below(4);
    d->sgvs.instanceid_enable = below(2);
    d->sgvs.instanceid_element_offset = below(8);
    d->sgvs.instanceid_component_number = below(4);
}

static void
compare_lanes(struct geom *g)
{
    uint32_t key[8], instance[8], one[DRAW_MAX_VE * 8];
    uint32_t all[DRAW_MAX_VE * 8][8];
    unsigned have = fetch_slots(g->fetch) * 4;
    unsigned from = below(2) * below(have + 4);
    unsigned count = below(3) ? have - MIN2(from, have) : below(64);
    for (unsigned i = 0; i < 8; i++) {
        key[i] = below(20) ? below(300) : 0xfffffff0 + below(16);
        instance[i] = below(5);
    }
    memset(all, 0xa5, sizeof all);
    fetch_lanes(g, key, instance, from, count, all);
    for (unsigned i = 0; i < 8; i++) {
        bool flag = true;
        fetch_vertex(g, key[i], instance[i], one, &flag);
        for (unsigned d = 0; d < count && from + d < have; d++)
            cr_assert_eq(all[d][i], one[from + d], "dword %u lane %u", d, i);
    }
    for (unsigned d = count; d < DRAW_MAX_VE * 8; d++)
        cr_assert_eq(all[d][0], 0xa5a5a5a5);
}

Test(fetch, lanes_are_vertices)
{
    rig_init(GEN9_3DPRIM_POINTLIST, 1);
    for (unsigned i = 0; i < 0x4000; i++)
        rig.memory[i] = (uint8_t)below(256);
    rig.draw.vb[0].size_B = 0x2ffd;
    rig.draw.vb[1] = (struct draw_vertex_buffer){true, 0x100, 3, 0};
    for (unsigned n = 0; n < 3000; n++) {
        struct geom g = {.draw = &rig.draw};
        random_elements(&rig.draw);
        rig.draw.start_vertex = below(4);
        rig.draw.start_instance = below(4);
        rig.draw.vf.component_packing_enable = below(2);
        for (unsigned i = 0; i < DRAW_PACKED_VE / 8; i++)
            rig.draw.component_enables[i] = below(1 << 16) << 16 |
                                            below(1 << 16);
        cr_assert(fetch_init(&g));
        compare_lanes(&g);
        fetch_finish(&g);
    }
}

/* ---- component packing --------------------------------------------------- */

static unsigned
fetch_one(uint32_t key, uint32_t out[DRAW_MAX_VE * 8])
{
    struct geom g = {.draw = &rig.draw};
    bool flag = true;
    cr_assert(fetch_init(&g));
    unsigned dwords = fetch_slots(g.fetch) * 4;
    fetch_vertex(&g, key, 1, out, &flag);
    fetch_finish(&g);
    return dwords;
}

/* Packs an entry by hand. Bits stand for components, which have two dwords in
 * 64-bit formats. SKL PRM vol 2a, 3DSTATE_VF_COMPONENT_PACKING. */
static unsigned
pack_by_hand(const uint32_t *in, uint32_t *out)
{
    unsigned from = 0, n = 0;
    for (unsigned i = 0; i < rig.draw.ve_count; i++) {
        const struct gen9_vertex_element_state *ve = &rig.draw.ve[i].ve;
        if (!ve->valid)
            continue;
        unsigned format = ve->source_element_format;
        bool wide = format == 0x0a1 || format == 0x021 || format == 0x1bc ||
                    format == 0x1bd;
        uint32_t on = i < 32 ? rig.draw.component_enables[i / 8] >> i % 8 * 4
                             : 0xf;
        /* Component 2 is stored: elements of doubles have 256 bits. */
        for (unsigned d = 0; d < (wide ? 8 : 4); d++, from++)
            if (on >> (wide ? d / 2 : d) & 1)
                out[n++] = in[from];
    }
    while (n % 4)
        out[n++] = 0;
    return n;
}

Test(fetch, packing_leaves_the_enabled_components)
{
    rig_init(GEN9_3DPRIM_POINTLIST, 1);
    for (unsigned i = 0; i < 0x4000; i++)
        rig.memory[i] = (uint8_t)below(256);
    rig.draw.vb[0].size_B = 0x2ffd;
    rig.draw.vb[1] = (struct draw_vertex_buffer){true, 0x100, 3, 0};
    for (unsigned n = 0; n < 3000; n++) {
        uint32_t plain[DRAW_MAX_VE * 8], want[DRAW_MAX_VE * 8];
        uint32_t got[DRAW_MAX_VE * 8], key = below(300);
        random_elements(&rig.draw);
        for (unsigned i = 0; i < DRAW_PACKED_VE / 8; i++)
            rig.draw.component_enables[i] = below(1 << 16) << 16 |
                                            below(1 << 16);
        /* More elements than bits. */
        for (unsigned i = 8; n % 50 == 0 && i < DRAW_MAX_VE; i++)
            rig.draw.ve[i] = rig.draw.ve[i % 8];
        if (n % 50 == 0)
            rig.draw.ve_count = DRAW_MAX_VE;
        rig.draw.vf.component_packing_enable = false;
        fetch_one(key, plain);
        rig.draw.vf.component_packing_enable = true;
        unsigned dwords = pack_by_hand(plain, want);
        cr_assert_eq(fetch_one(key, got), dwords);
        cr_assert_arr_eq(got, want, dwords * 4, "draw %u", n);
    }
}
