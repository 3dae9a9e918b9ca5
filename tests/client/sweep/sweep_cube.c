/* sweep_cube.c: lookups that straddle the edges and corners of cubes: of every
 * level, of arrays, with comparisons and gathers. sweep_texel.c judges them. */
#include "sweep_texel.h"

#include <math.h>
#include <stdio.h>

#define SIDE_PX 32
#define LOOKUPS (SIDE_PX * SIDE_PX)

struct input {
    float coord[4], lod, reference, unused[2];
};

enum how { LOD, SHADOW, GATHER, GATHER_SHADOW, HOWS };
static const char *const how_names[] = {"lod", "shadow", "gather",
                                        "gather_shadow"};

/* If there is no other way to select the base level, all pixels of a quad have
 * one coordinate. */
static GLuint
make_program(const struct texel_format *f, bool array, enum how how)
{
    static const char *const code[2][HOWS] = {
        {"textureLod(t, i.coord.xyz, i.lod)",
         "vec4(textureGrad(t, vec4(i.coord.xyz, i.reference), vec3(0),"
         " vec3(0)), 0, 0, 1)",
         "textureGather(t, i.coord.xyz, 0)",
         "textureGather(t, i.coord.xyz, i.reference)"},
        {"textureLod(t, i.coord, i.lod)",
         "vec4(texture(t, i.coord, i.reference), 0, 0, 1)",
         "textureGather(t, i.coord, 0)",
         "textureGather(t, i.coord, i.reference)"},
    };
    char fs[1024];
    bool shadow = how == SHADOW || how == GATHER_SHADOW;
    snprintf(fs, sizeof fs,
             GLSL "uniform samplerCube%s%s t;"
                  "struct I { vec4 coord; float lod, reference, a, b; };"
                  "layout(std430, binding = 0) readonly buffer B { I b[]; };"
                  "out vec4 o; void main(){ ivec2 p = ivec2(gl_FragCoord);"
                  "I i = b[p.y * %d + p.x]; o = %s; }",
             array ? "Array" : "", shadow ? "Shadow" : "", SIDE_PX,
             code[array][how]);
    return sweep_fullscreen(fs);
}

/* Distance from an edge in units of half a face. Never on the edge, where
 * either face is correct. */
static float
beside_edge(int size_px)
{
    float most = fminf(3.0f / (float)size_px, 0.9f);
    float off = sweep_uniform(0.0005f, most);
    return sweep_random(2) ? 1 + off : 1 - off;
}

static void
straddle(float dir[3], int size_px)
{
    unsigned major = sweep_random(3), minor = (major + 1 + sweep_random(2)) % 3;
    unsigned other = 3 - major - minor;
    bool corner = sweep_random(3) == 0;
    float scale = sweep_uniform(0.5f, 3);
    do {
        dir[major] = 1;
        dir[minor] = beside_edge(size_px);
        dir[other] = corner ? beside_edge(size_px) : sweep_uniform(0, 1);
    } while (fabsf(dir[minor] - dir[other]) < 0.0005f);
    for (unsigned d = 0; d < 3; d++)
        dir[d] *= sweep_random(2) ? scale : -scale;
}

static void
make_inputs(const struct texel_texture *t, int level, enum how how,
            struct input *in)
{
    bool array = texel_is_array(t->target);
    int cubes = t->level[0].depth / 6;
    for (unsigned i = 0; i < LOOKUPS; i++) {
        unsigned x = i % SIDE_PX, y = i / SIDE_PX;
        if (how == SHADOW && array && (x % 2 || y % 2)) {
            in[i] = in[y / 2 * 2 * SIDE_PX + x / 2 * 2];
            continue;
        }
        in[i] = (struct input){.lod = sweep_uniform(-0.5f, 1.2f),
                               .reference = sweep_uniform(-0.1f, 1.1f)};
        straddle(in[i].coord, t->level[level].width);
        if (array)
            in[i].coord[3] = (float)sweep_random((uint32_t)cubes);
    }
}

static void
run_level(const char *name, const struct texel_texture *t, int level,
          enum how how)
{
    static struct input in[LOOKUPS];
    static float seen[LOOKUPS][4];
    struct texel_sampler s = {
        .min = GL_LINEAR_MIPMAP_LINEAR,
        .mag = GL_LINEAR,
        .wrap = {GL_REPEAT, GL_CLAMP_TO_BORDER, GL_REPEAT},
        .min_lod = -1000,
        .max_lod = 1000,
        .base_level = level,
        .max_level = 1000};
    if (how == SHADOW || how == GATHER_SHADOW)
        s.compare = GL_NEVER + sweep_random(8);
    make_inputs(t, level, how, in);
    texel_look_up(t, &s, in, sizeof in, SIDE_PX, seen);
    unsigned bad = 0, first = 0;
    double want[4] = {0}, w[4] = {0};
    for (unsigned i = 0; i < LOOKUPS; i++) {
        const float lod[2] = {how == SHADOW ? -100 : in[i].lod,
                              how == SHADOW ? -100 : in[i].lod};
        bool fits = how == GATHER || how == GATHER_SHADOW
                        ? texel_gather_fits(t, &s, in[i].coord, in[i].reference,
                                            0, seen[i])
                        : texel_lookup_fits(t, &s, in[i].coord, lod,
                                            in[i].reference, seen[i], w);
        if (!fits && !bad++) {
            first = i;
            for (unsigned c = 0; c < 4; c++)
                want[c] = w[c];
        }
    }
    const float *c = in[first].coord, *o = seen[first];
    sweep_verdict(name, !bad,
                  "%u of %u; (%.9g %.9g %.9g) cube %g lod %g reference %g: "
                  "%g %g %g %g, not %g %g %g %g; compare %x",
                  bad, LOOKUPS, (double)c[0], (double)c[1], (double)c[2],
                  (double)c[3], (double)in[first].lod,
                  (double)in[first].reference, (double)o[0], (double)o[1],
                  (double)o[2], (double)o[3], want[0], want[1], want[2],
                  want[3], s.compare);
}

static void
run_texture(const struct texel_format *f, bool array, int side_px)
{
    const char *shape = array ? "array" : "cube";
    if (!sweep_begin(sweep_name("cube.%s.%d.%s", shape, side_px, f->name)))
        return;
    struct texel_texture t;
    texel_create(&t, f, array ? GL_TEXTURE_CUBE_MAP_ARRAY : GL_TEXTURE_CUBE_MAP,
                 side_px, side_px, array ? 18 : 6, 0);
    texel_read_back(&t,
                    sweep_name("cube.fetch.%s.%d.%s", shape, side_px, f->name));
    GLuint target = sweep_target(GL_RGBA32F, SIDE_PX, SIDE_PX);
    for (enum how how = LOD; how < HOWS; how++) {
        bool compares = how == SHADOW || how == GATHER_SHADOW;
        if (compares && f->kind != 'd')
            continue;
        GLuint program = make_program(f, array, how);
        for (int level = 0; level < t.levels; level++)
            for (unsigned i = 0; i < (sweep_large ? 2 : 1); i++)
                run_level(sweep_name("cube.%s.%s.%d.%s.level%d.%u", shape,
                                     how_names[how], side_px, f->name, level,
                                     i),
                          &t, level, how);
        glDeleteProgram(program);
    }
    sweep_free_target(target);
    texel_free(&t);
}

void
sweep_cube(void)
{
    static const int sides_px[] = {16, 17, 5, 1, 64, 31};
    glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    sweep_buffer(GL_SHADER_STORAGE_BUFFER, 0, NULL,
                 LOOKUPS * sizeof(struct input));
    for (unsigned f = 0; f < texel_format_count; f++) {
        char kind = texel_formats[f].kind;
        for (unsigned s = 0; s < COUNT(sides_px); s++)
            for (unsigned array = 0; array < 2; array++)
                if ((kind == 'f' || kind == 'd') &&
                    (sweep_large ||
                     (s < 4 && (f * 8 + s * 2 + array) % 7 == 0) ||
                     (kind == 'd' && s == 1)))
                    run_texture(&texel_formats[f], array, sides_px[s]);
    }
}
