/* cube.c: faces of a cube map, and texels across their edges. Axes of the
 * faces: OpenGL 4.6, table 8.19 "Selection of cube map images"; the hardware
 * has the same order of faces. */
#include <math.h>

#include "sampler/reference/sample.h"

/* For each face: the major axis, and the axes of s and t, with signs. */
static const struct cube_axes {
    uint8_t major, s, t;
    int8_t sign, s_sign, t_sign;
} cube_axes[6] = {
    [CUBE_POS_X] = {0, 2, 1, +1, -1, -1}, [CUBE_NEG_X] = {0, 2, 1, -1, +1, -1},
    [CUBE_POS_Y] = {1, 0, 2, +1, +1, +1}, [CUBE_NEG_Y] = {1, 0, 2, -1, +1, -1},
    [CUBE_POS_Z] = {2, 0, 1, +1, +1, -1}, [CUBE_NEG_Z] = {2, 0, 1, -1, -1, -1},
};

enum cube_face
cube_select_face(const float dir[3])
{
    float x = fabsf(dir[0]), y = fabsf(dir[1]), z = fabsf(dir[2]);
    unsigned axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    return (enum cube_face)(2 * axis + (dir[axis] < 0.0f));
}

void
cube_project(enum cube_face face, const float dir[3], float st[2])
{
    const struct cube_axes *a = &cube_axes[face];
    float major = dir[a->major] * a->sign;
    if (!(major > 0.0f))
        major = 1.0f;
    st[0] = (dir[a->s] * a->s_sign / major + 1.0f) * 0.5f;
    st[1] = (dir[a->t] * a->t_sign / major + 1.0f) * 0.5f;
}

void
cube_unproject(enum cube_face face, const float st[2], float dir[3])
{
    const struct cube_axes *a = &cube_axes[face];
    dir[a->major] = a->sign;
    dir[a->s] = (st[0] * 2.0f - 1.0f) * a->s_sign;
    dir[a->t] = (st[1] * 2.0f - 1.0f) * a->t_sign;
}

/* d(c/m) = (dc m - c dm) / m^2, which holds across the faces of a quad. */
void
cube_project_deriv(enum cube_face face, const float dir[3], const float ddir[3],
                   float dst[2])
{
    const struct cube_axes *a = &cube_axes[face];
    float m = dir[a->major] * a->sign, dm = ddir[a->major] * a->sign;
    if (!(m > 0.0f)) {
        m = 1.0f;
        dm = 0.0f;
    }
    float scale = 0.5f / (m * m);
    dst[0] = (ddir[a->s] * m - dir[a->s] * dm) * a->s_sign * scale;
    dst[1] = (ddir[a->t] * m - dir[a->t] * dm) * a->t_sign * scale;
}

/* In units of half a texel the face spans -size..size, and texel centres are at
 * most size - 1 away from its middle. Folding over an edge makes the axis that
 * left the face the major one. The old major axis ends half a texel from the
 * edge, and the third axis does not change. */
enum cube_face
cube_cross_edge(enum cube_face face, int32_t size, int32_t *x, int32_t *y)
{
    const struct cube_axes *a = &cube_axes[face];
    int32_t s = 2 * *x + 1 - size, t = 2 * *y + 1 - size;
    bool out_s = s <= -size || s >= size;
    int32_t dir[3];
    dir[a->major] = a->sign * (size - 1);
    dir[a->s] = s * a->s_sign;
    dir[a->t] = t * a->t_sign;
    unsigned axis = out_s ? a->s : a->t;
    enum cube_face to = (enum cube_face)(2 * axis + (dir[axis] < 0));
    const struct cube_axes *b = &cube_axes[to];
    *x = (dir[b->s] * b->s_sign + size - 1) / 2;
    *y = (dir[b->t] * b->t_sign + size - 1) / 2;
    *x = CLAMP(*x, 0, size - 1);
    *y = CLAMP(*y, 0, size - 1);
    return to;
}
