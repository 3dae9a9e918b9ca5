/* test_cube.c: faces and edges of cube maps. */
#include <criterion/criterion.h>
#include <math.h>

#include "sample_helper.h"

/* OpenGL 4.6 table 8.19, one direction per face off the centre: 0.5 along
 * the second and 0.25 along the third axis in x, y, z order. */
static const struct {
    float dir[3];
    enum cube_face face;
    float s, t;
} face_table[] = {
    {{1, 0.5f, 0.25f}, CUBE_POS_X, 0.375f, 0.25f},
    {{-1, 0.5f, 0.25f}, CUBE_NEG_X, 0.625f, 0.25f},
    {{0.5f, 1, 0.25f}, CUBE_POS_Y, 0.75f, 0.625f},
    {{0.5f, -1, 0.25f}, CUBE_NEG_Y, 0.75f, 0.375f},
    {{0.5f, 0.25f, 1}, CUBE_POS_Z, 0.75f, 0.375f},
    {{0.5f, 0.25f, -1}, CUBE_NEG_Z, 0.25f, 0.375f},
};

Test(cube, face_table)
{
    for (unsigned i = 0; i < 6; i++) {
        enum cube_face face = cube_select_face(face_table[i].dir);
        cr_expect_eq(face, face_table[i].face, "row %u", i);
        float st[2];
        cube_project(face, face_table[i].dir, st);
        near(st[0], face_table[i].s);
        near(st[1], face_table[i].t);
    }
}

Test(cube, directions_need_no_normalisation)
{
    const float dir[3] = {2.0f, 8.0f, 4.0f};
    float st[2];
    cr_assert_eq(cube_select_face(dir), CUBE_POS_Y);
    cube_project(CUBE_POS_Y, dir, st);
    near(st[0], 0.625f);
    near(st[1], 0.75f);
}

Test(cube, unproject_is_the_inverse)
{
    for (unsigned i = 0; i < 6; i++) {
        const float st[2] = {face_table[i].s, face_table[i].t};
        float dir[3];
        cube_unproject(face_table[i].face, st, dir);
        for (unsigned c = 0; c < 3; c++)
            near(dir[c], face_table[i].dir[c]);
    }
}

/* Crossing an edge must lead to the texel whose centre is adjacent in space,
 * and back again. */
Test(cube, edges_meet_their_neighbours)
{
    const int32_t n = 4;
    for (unsigned face = 0; face < 6; face++)
        for (int32_t k = 0; k < n; k++)
            for (unsigned edge = 0; edge < 4; edge++) {
                int32_t x = edge == 0 ? -1 : edge == 1 ? n : k;
                int32_t y = edge == 2 ? -1 : edge == 3 ? n : k;
                float in[2] = {((float)CLAMP(x, 0, n - 1) + 0.5f) / n,
                               ((float)CLAMP(y, 0, n - 1) + 0.5f) / n};
                float from[3], to[3];
                cube_unproject((enum cube_face)face, in, from);
                enum cube_face other = cube_cross_edge((enum cube_face)face, n,
                                                       &x, &y);
                cr_assert(x >= 0 && x < n && y >= 0 && y < n);
                cr_assert_neq((unsigned)other, face);
                float st[2] = {((float)x + 0.5f) / n, ((float)y + 0.5f) / n};
                cube_unproject(other, st, to);
                float d = 0.0f;
                for (unsigned c = 0; c < 3; c++)
                    d += (from[c] - to[c]) * (from[c] - to[c]);
                /* Both centres are a quarter from the edge. */
                cr_expect_float_eq(d, 2 * 0.25f * 0.25f, 1e-6f,
                                   "face %u edge %u texel %d", face, edge, k);
            }
}

/* +X to its right is -Z: column 0, same row; above +Z is +Y, last row. */
Test(cube, known_edges)
{
    int32_t x = 8, y = 3;
    cr_expect_eq(cube_cross_edge(CUBE_POS_X, 8, &x, &y), CUBE_NEG_Z);
    cr_expect_eq(x, 0);
    cr_expect_eq(y, 3);
    x = 5;
    y = -1;
    cr_expect_eq(cube_cross_edge(CUBE_POS_Z, 8, &x, &y), CUBE_POS_Y);
    cr_expect_eq(x, 5);
    cr_expect_eq(y, 7);
}

Test(cube, one_texel_faces)
{
    int32_t x = -1, y = 0;
    cr_expect_eq(cube_cross_edge(CUBE_POS_Z, 1, &x, &y), CUBE_NEG_X);
    cr_expect_eq(x, 0);
    cr_expect_eq(y, 0);
}

Test(cube, derivatives_match_differences)
{
    const float a[3] = {1, 0.5f, 0.25f}, b[3] = {1.01f, 0.49f, 0.26f};
    const float d[3] = {0.01f, -0.01f, 0.01f};
    float p[2], q[2], dst[2];
    cube_project(CUBE_POS_X, a, p);
    cube_project(CUBE_POS_X, b, q);
    cube_project_deriv(CUBE_POS_X, a, d, dst);
    cr_expect_float_eq(dst[0], q[0] - p[0], 1e-4f);
    cr_expect_float_eq(dst[1], q[1] - p[1], 1e-4f);
}

Test(cube, hostile_directions)
{
    static const float bad[][3] = {
        {NAN, NAN, NAN}, {0, 0, 0}, {INFINITY, -INFINITY, INFINITY}};
    for (unsigned i = 0; i < 3; i++) {
        enum cube_face face = cube_select_face(bad[i]);
        cr_expect(face <= CUBE_NEG_Z);
        float st[2];
        cube_project(face, bad[i], st);
    }
}
