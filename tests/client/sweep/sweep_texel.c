/* sweep_texel.c: the allowed results of a lookup. The texels are known; the
 * filter is computed in double precision. It is evaluated at the corners of a
 * small box around the coordinate and the level of detail, as large as the
 * hardware's fixed-point error. */
#include "sweep_texel.h"

#include <math.h>
#include <string.h>

#define COORD_SLACK_PX (1.0 / 128)
#define LOD_SLACK (1.0 / 64)
#define CLAMP_SLACK (1.0 / 256) /* of a minimum or maximum */
#define LOD_STEPS 8

struct lookup {
    const struct texel_texture *t;
    const struct texel_sampler *s;
    unsigned dims;
    int layer;
    double coord[3]; /* on the face */
    float reference;
    bool linear; /* filter of the current level */
    bool gathers;
};

unsigned
texel_dims(GLenum target)
{
    switch (target) {
    case GL_TEXTURE_1D: return 1;
    case GL_TEXTURE_2D:
    case GL_TEXTURE_2D_ARRAY: return 2;
    default: return 3;
    }
}

bool
texel_is_array(GLenum target)
{
    return target == GL_TEXTURE_2D_ARRAY || target == GL_TEXTURE_CUBE_MAP_ARRAY;
}

bool
texel_is_cube(GLenum target)
{
    return target == GL_TEXTURE_CUBE_MAP || target == GL_TEXTURE_CUBE_MAP_ARRAY;
}

/* ---- texels ---- */

static int
floor_mod(int64_t a, int64_t n)
{
    int64_t m = a % n;
    return (int)(m < 0 ? m + n : m);
}

/* -1: the border. */
static int
wrap(int64_t i, int size, GLenum mode)
{
    switch (mode) {
    case GL_REPEAT: return floor_mod(i, size);
    case GL_MIRRORED_REPEAT: {
        int m = floor_mod(i, 2 * (int64_t)size);
        return m < size ? m : 2 * size - 1 - m;
    }
    case GL_CLAMP_TO_BORDER: return i < 0 || i >= size ? -1 : (int)i;
    case GL_MIRROR_CLAMP_TO_EDGE:
        i = i < 0 ? -1 - i : i;
        return i >= size ? size - 1 : (int)i;
    default: return i < 0 ? 0 : i >= size ? size - 1 : (int)i;
    }
}

static double
compared(const struct texel_sampler *s, double reference, double texel)
{
    switch (s->compare) {
    case GL_NEVER: return 0;
    case GL_LESS: return reference < texel;
    case GL_EQUAL: return reference == texel;
    case GL_LEQUAL: return reference <= texel;
    case GL_GREATER: return reference > texel;
    case GL_NOTEQUAL: return reference != texel;
    case GL_GEQUAL: return reference >= texel;
    default: return 1;
    }
}

static void
finish_texel(const struct lookup *l, const float *rgba, double out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = rgba[c];
    if (!l->s->compare)
        return;
    out[0] = compared(l->s, (double)l->reference, out[0]);
    out[1] = out[2] = 0;
    out[3] = 1;
}

static const float *
stored(const struct texel_level *v, int x, int y, int z)
{
    return v->rgba +
           4 * (((size_t)z * (size_t)v->height + (size_t)y) * (size_t)v->width +
                (size_t)x);
}

/* ---- cubes ---- */

/* Major axis and its sign, and the axes and signs of the other two. */
static const struct face {
    int major, major_sign, axis[2], sign[2];
} faces[6] = {
    {0, 1, {2, 1}, {-1, -1}}, {0, -1, {2, 1}, {1, -1}},
    {1, 1, {0, 2}, {1, 1}},   {1, -1, {0, 2}, {1, -1}},
    {2, 1, {0, 1}, {1, -1}},  {2, -1, {0, 1}, {-1, -1}},
};

/* Face of the direction, and the place on that face, 0 to 1. */
static int
cube_face(const double dir[3], double place[2])
{
    int major = 0;
    for (int d = 1; d < 3; d++)
        if (fabs(dir[d]) > fabs(dir[major]))
            major = d;
    int f = 2 * major + (dir[major] < 0);
    for (unsigned d = 0; d < 2; d++)
        place[d] = 0.5 + 0.5 * faces[f].sign[d] * dir[faces[f].axis[d]] /
                             fabs(dir[major]);
    return f;
}

void
texel_cube_derivative(const float dir[3], const float by[3], float place[2])
{
    const double d[] = {(double)dir[0], (double)dir[1], (double)dir[2]};
    double at[2];
    const struct face *f = &faces[cube_face(d, at)];
    double major = fabs(d[f->major]);
    double by_major = f->major_sign * (double)by[f->major];
    for (unsigned i = 0; i < 2; i++) {
        double v = d[f->axis[i]], by_v = (double)by[f->axis[i]];
        place[i] = (float)((by_v * major - v * by_major) / (major * major) / 2);
    }
}

/* Beyond an edge is the next face; beyond a corner the mean of the three texels
 * that meet there. Implementations differ in a gather there, which NaN
 * represents. */
static void
fetch_cube(const struct lookup *l, const struct texel_level *v,
           const int64_t at[3], double out[4])
{
    int x = (int)at[0], y = (int)at[1], face = l->layer % 6;
    bool out_x = x < 0 || x >= v->width, out_y = y < 0 || y >= v->width;
    if (out_x && out_y) {
        const int64_t near_x = x < 0 ? 0 : v->width - 1;
        const int64_t near_y = y < 0 ? 0 : v->width - 1;
        const int64_t around[3][3] = {
            {near_x, near_y, 0}, {x, near_y, 0}, {near_x, y, 0}};
        double one[4], sum[4] = {0, 0, 0, 0};
        for (unsigned i = 0; i < 3; i++) {
            fetch_cube(l, v, around[i], one);
            for (unsigned c = 0; c < 4; c++)
                sum[c] += l->gathers ? NAN : one[c];
        }
        for (unsigned c = 0; c < 4; c++)
            out[c] = sum[c] / 3;
        return;
    }
    if (out_x || out_y) {
        const struct face *f = &faces[face];
        double dir[3], place[2];
        double p[2] = {(2 * x + 1) / (double)v->width - 1,
                       (2 * y + 1) / (double)v->width - 1};
        dir[f->major] = f->major_sign * (1 - 1.0 / v->width);
        for (unsigned d = 0; d < 2; d++)
            dir[f->axis[d]] = f->sign[d] * fmin(fmax(p[d], -1), 1);
        face = cube_face(dir, place);
        x = (int)floor(place[0] * v->width);
        y = (int)floor(place[1] * v->width);
        x = x < 0 ? 0 : x >= v->width ? v->width - 1 : x;
        y = y < 0 ? 0 : y >= v->width ? v->width - 1 : y;
    }
    finish_texel(l, stored(v, x, y, l->layer / 6 * 6 + face), out);
}

static void
fetch(const struct lookup *l, int level, const int64_t at[3], double out[4])
{
    const struct texel_level *v = &l->t->level[level];
    const int size[] = {v->width, v->height, v->depth};
    if (texel_is_cube(l->t->target)) {
        fetch_cube(l, v, at, out);
        return;
    }
    int i[3] = {0, 0, 0};
    bool border = false;
    for (unsigned d = 0; d < l->dims; d++) {
        i[d] = wrap(at[d] + l->s->offset[d], size[d], l->s->wrap[d]);
        border |= i[d] < 0;
    }
    if (l->dims < 3)
        i[2] = l->layer;
    if (!border) {
        finish_texel(l, stored(v, i[0], i[1], i[2]), out);
        return;
    }
    unsigned channels = l->t->format->channels;
    float rgba[4];
    for (unsigned c = 0; c < 4; c++)
        rgba[c] = c < channels ? l->s->border[c] : c == 3;
    finish_texel(l, rgba, out);
}

/* ---- filters ---- */

static void
add_level(const struct lookup *l, int level, const double coord_px[3],
          double weight, double out[4])
{
    int64_t base[3] = {0, 0, 0};
    double fraction[3] = {0, 0, 0}, texel[4];
    for (unsigned d = 0; d < l->dims; d++) {
        double c = coord_px[d] - (l->linear ? 0.5 : 0);
        base[d] = (int64_t)floor(c);
        fraction[d] = c - floor(c);
    }
    unsigned corners = l->linear ? 1u << l->dims : 1;
    for (unsigned corner = 0; corner < corners; corner++) {
        double w = weight;
        int64_t at[3] = {0, 0, 0};
        for (unsigned d = 0; d < l->dims; d++) {
            bool upper = corner >> d & 1;
            at[d] = base[d] + upper;
            if (l->linear)
                w *= upper ? fraction[d] : 1 - fraction[d];
        }
        if (w == 0)
            continue;
        fetch(l, level, at, texel);
        for (unsigned c = 0; c < 4; c++)
            out[c] += w * texel[c];
    }
}

struct range {
    double low[4], high[4];
};

/* NaN wins. */
static double
least(double a, double b)
{
    return isnan(a) || a < b ? a : b;
}

static double
most(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static void
begin_range(struct range *r)
{
    for (unsigned c = 0; c < 4; c++) {
        r->low[c] = INFINITY;
        r->high[c] = -INFINITY;
    }
}

/* Places in the coordinate's interval: its ends, its middle, and the filter's
 * kink if it has one there. */
static double
place_in(const struct lookup *l, double c, unsigned which)
{
    double slack = COORD_SLACK_PX + fabs(c) * 0x1p-20;
    double kink = floor(c) + 0.5;
    switch (which) {
    case 0: return c;
    case 1: return c - slack;
    case 2: return c + slack;
    default: return l->linear && fabs(kink - c) < slack ? kink : c;
    }
}

/* The range of the level's results all over the box around the coordinate. */
static void
level_range(const struct lookup *l, int level, struct range *r)
{
    const struct texel_level *v = &l->t->level[level];
    const int size[] = {v->width, v->height, v->depth};
    unsigned places = 1;
    for (unsigned d = 0; d < l->dims; d++)
        places *= 4;
    begin_range(r);
    for (unsigned p = 0; p < places; p++) {
        double at[3] = {0, 0, 0}, out[4] = {0, 0, 0, 0};
        for (unsigned d = 0; d < l->dims; d++)
            at[d] = place_in(l, l->coord[d] * size[d], p >> (2 * d) & 3);
        add_level(l, level, at, 1, out);
        for (unsigned c = 0; c < 4; c++) {
            r->low[c] = least(r->low[c], out[c]);
            r->high[c] = most(r->high[c], out[c]);
        }
    }
}

static bool
is_linear(GLenum filter)
{
    return filter == GL_LINEAR || filter == GL_LINEAR_MIPMAP_NEAREST ||
           filter == GL_LINEAR_MIPMAP_LINEAR;
}

static void
widen(struct range *r, const struct range *by)
{
    for (unsigned c = 0; c < 4; c++) {
        r->low[c] = least(r->low[c], by->low[c]);
        r->high[c] = most(r->high[c], by->high[c]);
    }
}

static int
clamp_level(const struct texel_texture *t, const struct texel_sampler *s,
            double level)
{
    int last = s->max_level < t->levels - 1 ? s->max_level : t->levels - 1;
    int l = (int)level;
    return l < s->base_level ? s->base_level : l > last ? last : l;
}

/* At one level of detail, already clamped. */
static void
range_at(struct lookup *l, double lod, bool magnified, struct range *r)
{
    const struct texel_sampler *s = l->s;
    l->linear = is_linear(magnified ? s->mag : s->min);
    double base = s->base_level;
    if (magnified || s->min == GL_NEAREST || s->min == GL_LINEAR) {
        level_range(l, clamp_level(l->t, s, base), r);
        return;
    }
    if (s->min == GL_NEAREST_MIPMAP_NEAREST ||
        s->min == GL_LINEAR_MIPMAP_NEAREST) {
        level_range(l, clamp_level(l->t, s, ceil(base + lod + 0.5) - 1), r);
        return;
    }
    double f = lod - floor(lod);
    struct range a, b;
    level_range(l, clamp_level(l->t, s, base + floor(lod)), &a);
    level_range(l, clamp_level(l->t, s, base + floor(lod) + 1), &b);
    for (unsigned c = 0; c < 4; c++) {
        r->low[c] = a.low[c] * (1 - f) + b.low[c] * f;
        r->high[c] = a.high[c] * (1 - f) + b.high[c] * f;
    }
}

static bool
within(const struct lookup *l, const struct range *r, const float seen[4])
{
    const struct texel_format *f = l->t->format;
    for (unsigned c = 0; c < 4; c++) {
        if (isnan(r->low[c]) || isnan(r->high[c]))
            continue;
        double size = fmax(fabs(r->low[c]), fabs(r->high[c]));
        double slack = f->kind == 'i' || f->kind == 'u' || f->kind == 's'
                           ? 0
                           : 1e-6 + 2e-6 * size + f->step * 0.51 +
                                 (r->high[c] - r->low[c]) * 0.02;
        if (!((double)seen[c] >= r->low[c] - slack &&
              (double)seen[c] <= r->high[c] + slack))
            return false;
    }
    return true;
}

/* If the two filters differ, older rules magnify up to 0.5. */
static void
add_lod(struct lookup *l, double lod, struct range *all)
{
    struct range r;
    if (lod > 0) {
        range_at(l, lod, false, &r);
        widen(all, &r);
    }
    if (lod <= 0.5) {
        range_at(l, lod, true, &r);
        widen(all, &r);
    }
}

static struct lookup
begin(const struct texel_texture *t, const struct texel_sampler *s,
      const float coord[4], float reference)
{
    unsigned dims = texel_dims(t->target), layer_of = dims;
    struct lookup l = {.t = t, .s = s, .dims = dims, .reference = reference};
    int faces_of = texel_is_cube(t->target) ? 6 : 1;
    for (unsigned d = 0; d < dims; d++)
        l.coord[d] = (double)coord[d];
    if (texel_is_array(t->target)) {
        int layers = t->level[0].depth / faces_of;
        double layer = nearbyint((double)coord[layer_of]);
        l.layer = (int)fmin(fmax(layer, 0), layers - 1) * faces_of;
    }
    if (faces_of == 6) {
        const double dir[] = {l.coord[0], l.coord[1], l.coord[2]};
        l.layer += cube_face(dir, l.coord);
        l.dims = 2;
    }
    return l;
}

bool
texel_lookup_fits(const struct texel_texture *t, const struct texel_sampler *s,
                  const float coord[4], const float lod[2], float reference,
                  const float seen[4], double want[4])
{
    struct lookup l = begin(t, s, coord, reference);
    double low = (double)lod[0] + (double)s->bias - LOD_SLACK;
    double high = (double)lod[1] + (double)s->bias + LOD_SLACK;
    low = fmin(fmax(low, (double)s->min_lod), (double)s->max_lod);
    high = fmin(fmax(high, (double)s->min_lod), (double)s->max_lod);
    low = fmax(low - CLAMP_SLACK, 0);
    high += CLAMP_SLACK;
    struct range all;
    begin_range(&all);
    for (unsigned step = 0; step <= LOD_STEPS; step++)
        add_lod(&l, low + (high - low) * step / LOD_STEPS, &all);
    for (double kink = ceil(low * 2) / 2; kink < high; kink += 0.5)
        add_lod(&l, fmax(kink, 1e-9), &all);
    for (unsigned c = 0; c < 4; c++)
        want[c] = (all.low[c] + all.high[c]) / 2;
    return within(&l, &all, seen);
}

bool
texel_gather_fits(const struct texel_texture *t, const struct texel_sampler *s,
                  const float coord[4], float reference, unsigned channel,
                  const float seen[4])
{
    static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct lookup l = begin(t, s, coord, reference);
    l.gathers = true;
    const struct texel_level *v = &t->level[s->base_level];
    for (unsigned p = 0; p < 9; p++) {
        double x = l.coord[0] * v->width, y = l.coord[1] * v->height;
        x += ((int)(p % 3) - 1) * (COORD_SLACK_PX + fabs(x) * 0x1p-20) - 0.5;
        y += ((int)(p / 3) - 1) * (COORD_SLACK_PX + fabs(y) * 0x1p-20) - 0.5;
        bool same = true;
        for (unsigned i = 0; i < 4; i++) {
            const int64_t at[3] = {(int64_t)floor(x) + order[i][0],
                                   (int64_t)floor(y) + order[i][1], 0};
            double texel[4];
            fetch(&l, s->base_level, at, texel);
            same &= isnan(texel[channel]) || isnan(seen[i]) ||
                    fabs(texel[channel] - (double)seen[i]) <=
                        1e-6 * (1 + fabs(texel[channel])) +
                            t->format->step * 0.51;
        }
        if (same)
            return true;
    }
    return false;
}
