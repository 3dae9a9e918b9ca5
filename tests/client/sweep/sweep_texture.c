/* sweep_texture.c: texture lookups of every format and target: random
 * coordinates, filters, wraps, borders and levels of detail, judged by
 * sweep_texel.c. */
#include "sweep_texel.h"

#include <math.h>
#include <stdio.h>

#define SIDE_PX 24 /* lookups of a case: its square */
#define LOOKUPS (SIDE_PX * SIDE_PX)

struct input {
    float coord[4], lod, reference, offset, unused, dx[4], dy[4];
};

static const struct shape {
    const char *name, *type;
    GLenum target;
    int width, height, depth;
    const char *coord, *deriv;
} shapes[] = {
    {"1d", "1D", GL_TEXTURE_1D, 37, 1, 1, "i.coord.x", "x"},
    {"2d", "2D", GL_TEXTURE_2D, 37, 21, 1, "i.coord.xy", "xy"},
    {"2d_small", "2D", GL_TEXTURE_2D, 1, 2, 1, "i.coord.xy", "xy"},
    {"2d_array", "2DArray", GL_TEXTURE_2D_ARRAY, 16, 11, 5, "i.coord.xyz",
     "xy"},
    {"3d", "3D", GL_TEXTURE_3D, 9, 13, 6, "i.coord.xyz", "xyz"},
    {"cube", "Cube", GL_TEXTURE_CUBE_MAP, 17, 17, 6, "i.coord.xyz", "xyz"},
    {"cube_array", "CubeArray", GL_TEXTURE_CUBE_MAP_ARRAY, 12, 12, 18,
     "i.coord", "xyz"},
};

enum how {
    LOD,
    GRAD,
    OFFSET,
    GATHER,
    SHADOW,
    GATHER_SHADOW,
    PROJ,
    IMPLICIT,
    BIASED,
    GATHER_OFFSET,
    GATHER_OFFSETS,
    HOWS
};
static const char *const how_names[] = {
    "lod",    "grad",          "offset",        "gather",
    "shadow", "gather_shadow", "proj",          "implicit",
    "biased", "gather_offset", "gather_offsets"};

#define BIAS 0.75f
static const int gather_offsets[4][2] = {{-8, 7}, {3, -2}, {0, 5}, {-31, -32}};

static bool
gathers(enum how how)
{
    return how == GATHER || how == GATHER_SHADOW || how == GATHER_OFFSET ||
           how == GATHER_OFFSETS;
}

static bool
possible(const struct shape *s, const struct texel_format *f, enum how how)
{
    bool cube = texel_is_cube(s->target), depth = f->kind == 'd';
    if (depth && s->target == GL_TEXTURE_3D)
        return false;
    bool two = texel_dims(s->target) == 2;
    switch (how) {
    case OFFSET: return !cube;
    case GATHER: return two || cube;
    case SHADOW: return depth && s->target != GL_TEXTURE_CUBE_MAP_ARRAY;
    case GATHER_OFFSET:
    case GATHER_OFFSETS: return two;
    case GATHER_SHADOW: return depth && (two || cube);
    case PROJ: return !cube && !texel_is_array(s->target);
    default: return true;
    }
}

static void
lookup_code(const struct shape *s, enum how how, char *code, size_t size_B)
{
    unsigned dims = texel_dims(s->target);
    const char *offset = dims == 1   ? "-3"
                         : dims == 2 ? "ivec2(-3, 7)"
                                     : "ivec3(-3, 7, 2)";
    bool d1 = s->target == GL_TEXTURE_1D;
    switch (how) {
    case LOD:
        snprintf(code, size_B, "textureLod(t, %s, i.lod)", s->coord);
        break;
    case GRAD:
        snprintf(code, size_B, "textureGrad(t, %s, i.dx.%s, i.dy.%s)", s->coord,
                 s->deriv, s->deriv);
        break;
    case OFFSET:
        snprintf(code, size_B, "textureLodOffset(t, %s, i.lod, %s)", s->coord,
                 offset);
        break;
    case GATHER:
        snprintf(code, size_B, "textureGather(t, %s, CHANNEL)", s->coord);
        break;
    case SHADOW:
        if (s->target == GL_TEXTURE_2D_ARRAY ||
            s->target == GL_TEXTURE_CUBE_MAP)
            snprintf(code, size_B,
                     "textureGrad(t, vec4(%s, i.reference),"
                     "vec%d(0), vec%d(0))",
                     s->coord, dims, dims);
        else
            snprintf(code, size_B,
                     "textureLod(t, vec3(%s, %si.reference),"
                     "i.lod)",
                     s->coord, d1 ? "0, " : "");
        break;
    case GATHER_OFFSET:
        snprintf(code, size_B,
                 "textureGatherOffset(t, %s, ivec2(i.offset * vec2(1, -3)),"
                 "CHANNEL)",
                 s->coord);
        break;
    case GATHER_OFFSETS:
        snprintf(code, size_B,
                 "textureGatherOffsets(t, %s, ivec2[](ivec2(-8, 7),"
                 "ivec2(3, -2), ivec2(0, 5), ivec2(-31, -32)), CHANNEL)",
                 s->coord);
        break;
    case IMPLICIT: snprintf(code, size_B, "texture(t, %s)", s->coord); break;
    case BIASED:
        snprintf(code, size_B, "texture(t, %s, 0.75)", s->coord);
        break;
    case GATHER_SHADOW:
        snprintf(code, size_B, "textureGather(t, %s, i.reference)", s->coord);
        break;
    default:
        snprintf(code, size_B,
                 "textureProjLod(t, vec%d(i.coord.%s * 2, 2),"
                 "i.lod)",
                 dims + 1, s->deriv);
        break;
    }
}

static GLuint
lookup_program(const struct shape *s, const struct texel_format *f,
               enum how how, unsigned channel)
{
    char code[256], fs[1024];
    const char *prefix = f->kind == 'i' ? "i" : f->kind == 'u' ? "u" : "";
    bool shadow = how == SHADOW || how == GATHER_SHADOW;
    lookup_code(s, how, code, sizeof code);
    snprintf(fs, sizeof fs,
             GLSL "\n#define CHANNEL %u\nuniform %ssampler%s%s t;\n"
                  "struct I { vec4 coord; float lod, reference, offset, unused;"
                  "vec4 dx, dy; };"
                  "layout(std430, binding = 0) readonly buffer B { I b[]; };"
                  "out vec4 o; void main(){ ivec2 p = ivec2(gl_FragCoord);"
                  "I i = b[p.y * %d + p.x]; o = vec4(%s%s); }",
             channel, prefix, s->type, shadow ? "Shadow" : "", SIDE_PX, code,
             how == SHADOW ? ", 0, 0, 1" : "");
    return sweep_fullscreen(fs);
}

/* ---- coordinates ---- */

static float
random_coord(int size)
{
    switch (sweep_random(8)) {
    case 0: /* on an edge or a centre of texels */
        return ((float)sweep_random(6 * (uint32_t)size) / 2 - (float)size) /
               (float)size;
    case 1: return sweep_uniform(-40, 40);
    case 2: return sweep_uniform(-0.1f, 0.1f);
    default: return sweep_uniform(-1.5f, 2.5f);
    }
}

static void
random_direction(float dir[3])
{
    float sorted[3];
    do {
        for (unsigned d = 0; d < 3; d++) {
            dir[d] = sweep_uniform(-2, 2);
            sorted[d] = fabsf(dir[d]);
        }
        for (unsigned d = 0; d < 2; d++)
            if (sorted[d] > sorted[2]) {
                float x = sorted[d];
                sorted[d] = sorted[2];
                sorted[2] = x;
            }
        /* The face must be unambiguous. */
    } while (sorted[2] < 0.1f || sorted[0] > sorted[2] * 0.9999f ||
             sorted[1] > sorted[2] * 0.9999f);
}

static void
random_input(const struct texel_texture *t, struct input *in)
{
    unsigned dims = texel_dims(t->target);
    const struct texel_level *v = &t->level[0];
    const int size[] = {v->width, v->height, v->depth};
    int layers = texel_is_cube(t->target) ? v->depth / 6 : v->depth;
    *in = (struct input){.lod = sweep_uniform(-1.5f, (float)t->levels),
                         .reference = sweep_uniform(-0.1f, 1.1f),
                         .offset = (float)((int)sweep_random(21) - 10)};
    if (texel_is_cube(t->target))
        random_direction(in->coord);
    for (unsigned d = 0; d < dims; d++) {
        if (!texel_is_cube(t->target))
            in->coord[d] = random_coord(size[d]);
        float most = 4.0f / (float)size[d];
        in->dx[d] = sweep_uniform(-most, most);
        in->dy[d] = sweep_uniform(-most, most);
    }
    if (texel_is_array(t->target)) {
        float layer = sweep_uniform(-1.5f, (float)layers + 1);
        if (fabsf(layer - floorf(layer) - 0.5f) < 0.01f)
            layer = floorf(layer);
        in->coord[dims] = layer;
    }
}

/* Linear coordinates, for lookups that derive their level of detail from the
 * neighbours. */
static void
plane_inputs(const struct texel_texture *t, struct input *in)
{
    struct input base;
    unsigned dims = texel_dims(t->target);
    float scale = exp2f(sweep_uniform(-3, 3)) / 4;
    random_input(t, &base);
    for (unsigned d = 0; d < dims; d++) {
        if (!texel_is_cube(t->target))
            base.coord[d] = sweep_uniform(-1, 1);
        base.dx[d] *= scale;
        base.dy[d] *= scale;
    }
    for (unsigned i = 0; i < LOOKUPS; i++) {
        in[i] = base;
        for (unsigned d = 0; d < dims; d++)
            in[i].coord[d] += (float)(i % SIDE_PX) * base.dx[d] +
                              (float)(i / SIDE_PX) * base.dy[d];
    }
}

/* Whether the pixels of a quad are on one face, and not near its edge. */
static bool
one_face(const struct input *in, unsigned i)
{
    unsigned quad = i / SIDE_PX / 2 * 2 * SIDE_PX + i % SIDE_PX / 2 * 2;
    const unsigned lanes[] = {quad, quad + 1, quad + SIDE_PX,
                              quad + SIDE_PX + 1};
    int face = -1;
    for (unsigned k = 0; k < 4; k++) {
        const float *c = in[lanes[k]].coord;
        int major = 0;
        for (int d = 1; d < 3; d++)
            if (fabsf(c[d]) > fabsf(c[major]))
                major = d;
        for (int d = 0; d < 3; d++)
            if (d != major && fabsf(c[d]) > 0.9999f * fabsf(c[major]))
                return false;
        int f = 2 * major + (c[major] < 0);
        if (face >= 0 && f != face)
            return false;
        face = f;
    }
    return true;
}

static void
derivative_bounds(const struct texel_texture *t, const struct texel_sampler *s,
                  const struct input *in, float lod[2])
{
    const struct texel_level *v = &t->level[s->base_level];
    const float size[] = {(float)v->width, (float)v->height, (float)v->depth};
    float dx[3] = {in->dx[0], in->dx[1], in->dx[2]};
    float dy[3] = {in->dy[0], in->dy[1], in->dy[2]};
    unsigned dims = texel_dims(t->target);
    if (texel_is_cube(t->target)) {
        texel_cube_derivative(in->coord, in->dx, dx);
        texel_cube_derivative(in->coord, in->dy, dy);
        dims = 2;
    }
    float most = 0, sum = 0;
    for (unsigned d = 0; d < dims; d++) {
        float m = fmaxf(fabsf(dx[d]), fabsf(dy[d])) * size[d];
        most = fmaxf(most, m);
        sum += m;
    }
    lod[0] = log2f(most);
    lod[1] = log2f(sum);
}

/* Bounds of the level of detail over all pixels of the quad. */
static void
quad_bounds(const struct texel_texture *t, const struct texel_sampler *s,
            const struct input *in, unsigned i, enum how how, float lod[2])
{
    unsigned quad = i / SIDE_PX / 2 * 2 * SIDE_PX + i % SIDE_PX / 2 * 2;
    lod[0] = INFINITY;
    lod[1] = -INFINITY;
    for (unsigned k = 0; k < 4; k++) {
        float one[2];
        derivative_bounds(t, s, &in[quad + k % 2 + k / 2 * SIDE_PX], one);
        lod[0] = fminf(lod[0], one[0]);
        lod[1] = fmaxf(lod[1], one[1]);
    }
    for (unsigned k = 0; k < 2; k++)
        lod[k] += how == BIASED ? BIAS : 0;
}

static void
lod_bounds(const struct texel_texture *t, const struct texel_sampler *s,
           const struct input *in, enum how how, float lod[2])
{
    lod[0] = lod[1] = how == SHADOW && (t->target == GL_TEXTURE_2D_ARRAY ||
                                        t->target == GL_TEXTURE_CUBE_MAP)
                          ? -100
                          : in->lod;
    if (how == GRAD)
        derivative_bounds(t, s, in, lod);
}

/* ---- samplers ---- */

static GLenum
random_of(const GLenum *list, unsigned count)
{
    return list[sweep_random(count)];
}

static struct texel_sampler
random_sampler(const struct texel_texture *t, enum how how)
{
    static const GLenum mins[] = {
        GL_NEAREST,
        GL_LINEAR,
        GL_NEAREST_MIPMAP_NEAREST,
        GL_LINEAR_MIPMAP_NEAREST,
        GL_NEAREST_MIPMAP_LINEAR,
        GL_LINEAR_MIPMAP_LINEAR,
    };
    static const GLenum wraps[] = {GL_REPEAT, GL_MIRRORED_REPEAT,
                                   GL_CLAMP_TO_EDGE, GL_CLAMP_TO_BORDER,
                                   GL_MIRROR_CLAMP_TO_EDGE};
    const struct texel_format *f = t->format;
    bool filters = f->kind == 'f' || f->kind == 'd';
    struct texel_sampler s = {.min_lod = -1000, .max_lod = 1000};
    s.min = random_of(mins, COUNT(mins));
    s.mag = sweep_random(2) ? GL_NEAREST : GL_LINEAR;
    /* GL_NEAREST would be right as well. Observed: Mesa 22.3 takes the nearest
     * level of integer textures even then. */
    if (!filters) {
        s.min = GL_NEAREST_MIPMAP_NEAREST;
        s.mag = GL_NEAREST;
    }
    for (unsigned d = 0; d < 3; d++)
        s.wrap[d] = random_of(wraps, COUNT(wraps));
    for (unsigned c = 0; c < 4; c++) {
        s.border[c] = sweep_random(3) ? sweep_uniform(f->low, f->high)
                                      : (float)sweep_random(2);
        if (!filters)
            s.border[c] = floorf(s.border[c]);
    }
    s.max_level = 1000;
    if (sweep_random(2)) {
        s.base_level = (int)sweep_random((uint32_t)t->levels);
        s.max_level = s.base_level + (int)sweep_random(3);
    }
    if (sweep_random(2) && !gathers(how)) {
        s.bias = sweep_uniform(-2, 2);
        s.min_lod = sweep_uniform(-2, 1);
        s.max_lod = s.min_lod + sweep_uniform(0, 3);
    }
    if (how == OFFSET) {
        static const int offset[] = {-3, 7, 2};
        for (unsigned d = 0; d < texel_dims(t->target); d++)
            s.offset[d] = offset[d];
    }
    if (how == SHADOW || how == GATHER_SHADOW)
        s.compare = GL_NEVER + sweep_random(8);
    return s;
}

/* ---- cases ---- */

static bool
gather_fits(const struct texel_texture *t, const struct texel_sampler *s,
            const struct input *in, enum how how, unsigned channel,
            const float seen[4])
{
    struct texel_sampler moved = *s;
    if (how == GATHER_OFFSET) {
        moved.offset[0] = (int)in->offset;
        moved.offset[1] = (int)(in->offset * -3);
    }
    if (how != GATHER_OFFSETS)
        return texel_gather_fits(t, &moved, in->coord, in->reference, channel,
                                 seen);
    /* Each component is the last component of a gather with its own offset. */
    for (unsigned i = 0; i < 4; i++) {
        float one[4] = {NAN, NAN, NAN, seen[i]};
        moved.offset[0] = gather_offsets[i][0];
        moved.offset[1] = gather_offsets[i][1];
        if (!texel_gather_fits(t, &moved, in->coord, in->reference, channel,
                               one))
            return false;
    }
    return true;
}

static void
run_case(const char *name, const struct texel_texture *t,
         const struct texel_sampler *s, enum how how, unsigned channel)
{
    static struct input in[LOOKUPS];
    static float seen[LOOKUPS][4];
    bool implicit = how == IMPLICIT || how == BIASED;
    for (unsigned i = 0; i < LOOKUPS && !implicit; i++)
        random_input(t, &in[i]);
    if (implicit)
        plane_inputs(t, in);
    texel_look_up(t, s, in, sizeof in, SIDE_PX, seen);
    unsigned bad = 0, first = 0;
    double want[4] = {0}, w[4] = {0};
    for (unsigned i = 0; i < LOOKUPS; i++) {
        float lod[2];
        bool fits;
        lod_bounds(t, s, &in[i], how, lod);
        if (implicit)
            quad_bounds(t, s, in, i, how, lod);
        if (implicit && texel_is_cube(t->target) && !one_face(in, i))
            continue;
        if (gathers(how))
            fits = gather_fits(t, s, &in[i], how, channel, seen[i]);
        else
            fits = texel_lookup_fits(t, s, in[i].coord, lod, in[i].reference,
                                     seen[i], w);
        if (!fits && !bad++) {
            first = i;
            for (unsigned c = 0; c < 4; c++)
                want[c] = w[c];
        }
    }
    const struct input *p = &in[first];
    const float *o = seen[first];
    sweep_verdict(name, !bad,
                  "%u of %u; (%.9g %.9g %.9g %.9g) lod %g ref %g: %g %g %g %g, "
                  "not %g %g %g %g; min %x mag %x wrap %x %x %x border %g %g %g"
                  " %g bias %g lod %g..%g level %d..%d compare %x",
                  bad, LOOKUPS, (double)p->coord[0], (double)p->coord[1],
                  (double)p->coord[2], (double)p->coord[3], (double)p->lod,
                  (double)p->reference, (double)o[0], (double)o[1],
                  (double)o[2], (double)o[3], want[0], want[1], want[2],
                  want[3], s->min, s->mag, s->wrap[0], s->wrap[1], s->wrap[2],
                  (double)s->border[0], (double)s->border[1],
                  (double)s->border[2], (double)s->border[3], (double)s->bias,
                  (double)s->min_lod, (double)s->max_lod, s->base_level,
                  s->max_level, s->compare);
}

static void
run_texture(const struct shape *shape, const struct texel_format *f)
{
    struct texel_texture t;
    if (!sweep_begin(sweep_name("texture.%s.%s", shape->name, f->name)))
        return;
    texel_create(&t, f, shape->target, shape->width, shape->height,
                 shape->depth, 0);
    texel_read_back(&t,
                    sweep_name("texture.fetch.%s.%s", shape->name, f->name));
    GLuint target = sweep_target(GL_RGBA32F, SIDE_PX, SIDE_PX);
    for (enum how how = 0; how < HOWS; how++) {
        if (!possible(shape, f, how))
            continue;
        unsigned channel = gathers(how) && how != GATHER_SHADOW
                               ? sweep_random(4)
                               : 0;
        GLuint program = lookup_program(shape, f, how, channel);
        unsigned variants = sweep_large ? 40 : 2;
        for (unsigned i = 0; i < variants; i++) {
            struct texel_sampler s = random_sampler(&t, how);
            run_case(sweep_name("texture.%s.%s.%s.%u", how_names[how],
                                shape->name, f->name, i),
                     &t, &s, how, channel);
        }
        glDeleteProgram(program);
    }
    sweep_free_target(target);
    texel_free(&t);
}

void
sweep_texture(void)
{
    glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    sweep_buffer(GL_SHADER_STORAGE_BUFFER, 0, NULL,
                 LOOKUPS * sizeof(struct input));
    /* Every format in two dimensions, some in the others. */
    for (unsigned s = 0; s < COUNT(shapes); s++)
        for (unsigned f = 0; f < texel_format_count; f++)
            if ((sweep_large || s == 1 || (f + s) % 4 == 0) &&
                possible(&shapes[s], &texel_formats[f], LOD))
                run_texture(&shapes[s], &texel_formats[f]);
}
