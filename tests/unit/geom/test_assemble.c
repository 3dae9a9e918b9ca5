/* test_assemble.c: vertex order of every topology, against tables written by
 * hand from the GL specification (tables 10.1 and 10.2) and the PRM's
 * topologies. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "engine/geom/assemble.h"
#include "gen9_pack.h"

static char text[4096];

/* "a b c" per object; "!" odd, "~" continues the stipple, "/m" edge mask of
 * triangles when it is not 7, "#n" when the primitive id is not the object's
 * number. */
static unsigned objects;

static void
put(void *ctx, const struct geom_assembled *a)
{
    char *p = text + strlen(text);
    for (unsigned i = 0; i < a->o.count; i++)
        p += sprintf(p, "%s%u", i ? " " : objects ? ", " : "", a->key[i]);
    if (a->o.odd)
        p += sprintf(p, "!");
    if (a->o.continues)
        p += sprintf(p, "~");
    if (a->o.kind == GEOM_TRI && a->o.edge_mask != 7)
        p += sprintf(p, "/%u", a->o.edge_mask);
    if (a->o.prim_id != objects)
        p += sprintf(p, "#%u", a->o.prim_id);
    objects++;
}

#define CUT UINT32_MAX

static const char *
run(unsigned topology, const uint32_t *keys, unsigned count)
{
    struct assembler a;
    text[0] = 0;
    objects = 0;
    cr_assert(assemble_init(&a, topology, put, NULL));
    for (unsigned i = 0; i < count; i++) {
        if (keys[i] == CUT)
            assemble_cut(&a);
        else
            assemble_vertex(&a, keys[i]);
    }
    assemble_end(&a);
    return text;
}

static const char *
run_n(unsigned topology, unsigned count)
{
    uint32_t keys[64];
    for (unsigned i = 0; i < count; i++)
        keys[i] = i;
    return run(topology, keys, count);
}

static const struct {
    unsigned topology, count;
    const char *objects;
} table[] = {
    {GEN9_3DPRIM_POINTLIST, 3, "0, 1, 2"},
    {GEN9_3DPRIM_LINELIST, 5, "0 1, 2 3"},
    {GEN9_3DPRIM_LINESTRIP, 4, "0 1, 1 2~, 2 3~"},
    {GEN9_3DPRIM_LINESTRIP, 1, ""},
    {GEN9_3DPRIM_LINELOOP, 3, "0 1, 1 2~, 2 0~"},
    {GEN9_3DPRIM_LINELOOP, 2, "0 1, 1 0~"},
    {GEN9_3DPRIM_TRILIST, 7, "0 1 2, 3 4 5"},
    {GEN9_3DPRIM_TRISTRIP, 5, "0 1 2, 1 2 3!, 2 3 4"},
    {GEN9_3DPRIM_TRISTRIP_REVERSE, 4, "0 1 2!, 1 2 3"},
    {GEN9_3DPRIM_TRIFAN, 5, "0 1 2, 0 2 3, 0 3 4"},
    {GEN9_3DPRIM_QUADLIST, 9, "3 0 1/3, 3 1 2/6#0, 7 4 5/3#1, 7 5 6/6#1"},
    {GEN9_3DPRIM_QUADSTRIP, 6, "3 2 0/3, 3 0 1/6#0, 5 4 2/3#1, 5 2 3/6#1"},
    {GEN9_3DPRIM_POLYGON, 5, "0 1 2/3, 0 2 3/2#0, 0 3 4/6#0"},
    {GEN9_3DPRIM_POLYGON, 3, "0 1 2"},
    {GEN9_3DPRIM_POLYGON, 2, ""},
    {GEN9_3DPRIM_LINELIST_ADJ, 8, "0 1 2 3, 4 5 6 7"},
    {GEN9_3DPRIM_LINESTRIP_ADJ, 5, "0 1 2 3, 1 2 3 4~"},
    {GEN9_3DPRIM_TRILIST_ADJ, 13, "0 1 2 3 4 5, 6 7 8 9 10 11"},
    /* GL table 10.2: the only triangle 1 3 5 with 2 6 4, counted from 1. */
    {GEN9_3DPRIM_TRISTRIP_ADJ, 6, "0 1 2 5 4 3"},
    {GEN9_3DPRIM_TRISTRIP_ADJ, 7, "0 1 2 5 4 3"},
    {GEN9_3DPRIM_TRISTRIP_ADJ, 8, "0 1 2 6 4 3, 2 0 4 7 6 5!"},
    {GEN9_3DPRIM_TRISTRIP_ADJ, 10, "0 1 2 6 4 3, 2 0 4 8 6 5!, 4 2 6 9 8 7"},
    {GEN9_3DPRIM_TRISTRIP_ADJ, 5, ""},
    {GEN9_3DPRIM_RECTLIST, 6, "0 1 2, 3 4 5"},
    {32, 2, "0, 1"},
    {34, 7, "0 1 2, 3 4 5"},
};

Test(assemble, every_topology_has_its_order)
{
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
        cr_expect_str_eq(run_n(table[i].topology, table[i].count),
                         table[i].objects, "topology %u, %u vertices: %s",
                         table[i].topology, table[i].count, text);
}

Test(assemble, largest_patch_has_all_its_vertices)
{
    const char *s = run_n(63, 64);
    cr_assert_eq(objects, 2);
    cr_assert(strstr(s, "31, 32 33"), "%s", s);
}

Test(assemble, cut_starts_a_new_strip_and_counts_on)
{
    const uint32_t keys[] = {5, 6, 7, 8, CUT, 1, 2, 3};
    cr_assert_str_eq(run(GEN9_3DPRIM_TRISTRIP, keys, 8),
                     "5 6 7, 6 7 8!, 1 2 3");
}

Test(assemble, cut_drops_incomplete_list_objects)
{
    const uint32_t keys[] = {0, 1, CUT, 2, 3, 4};
    cr_assert_str_eq(run(GEN9_3DPRIM_TRILIST, keys, 6), "2 3 4");
}

Test(assemble, cut_closes_loops_and_polygons)
{
    const uint32_t keys[] = {0, 1, 2, CUT, 7, 8, 9};
    cr_assert_str_eq(run(GEN9_3DPRIM_LINELOOP, keys, 7),
                     "0 1, 1 2~, 2 0~, 7 8, 8 9~, 9 7~");
    cr_assert_str_eq(run(GEN9_3DPRIM_POLYGON, keys, 7), "0 1 2, 7 8 9");
}

Test(assemble, long_strips_forget_nothing_they_need)
{
    struct assembler a;
    objects = 0;
    cr_assert(assemble_init(&a, GEN9_3DPRIM_TRIFAN, put, NULL));
    assemble_vertex(&a, 4711);
    for (uint32_t i = 0; i < 100; i++) {
        text[0] = 0;
        assemble_vertex(&a, i);
    }
    cr_assert_str_eq(text, ", 4711 98 99");
}

Test(assemble, odd_triangles_keep_the_winding)
{
    /* GL table 10.1: trailing i+1 i i+2; D3D's leading order i i+2 i+1. */
    cr_expect_eq(assemble_odd_order(0, true), 1);
    cr_expect_eq(assemble_odd_order(1, true), 0);
    cr_expect_eq(assemble_odd_order(2, true), 2);
    cr_expect_eq(assemble_odd_order(0, false), 0);
    cr_expect_eq(assemble_odd_order(1, false), 2);
    cr_expect_eq(assemble_odd_order(2, false), 1);
}

Test(assemble, unknown_topologies_are_refused)
{
    struct assembler a;
    cr_expect_not(assemble_init(&a, 0, put, NULL));
    cr_expect_not(assemble_init(&a, 31, put, NULL));
    cr_expect_not(assemble_init(&a, 64, put, NULL));
}
