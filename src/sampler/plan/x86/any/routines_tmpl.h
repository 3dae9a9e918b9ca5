/* routines_tmpl.h: the table of plan.h's routines, with a function for each
 * kind of texel and mode; the end of sample_tmpl.h. */
INLINE bool
is_rare(enum sample_texel kind)
{
    return kind == SAMPLE_BYTES2 || kind == SAMPLE_HALF1 ||
           kind == SAMPLE_HALF2 || kind == SAMPLE_FLOAT2 ||
           kind == SAMPLE_UNORM16 || kind == SAMPLE_PACKED;
}

/* A function for each kind of texel and mode. Modes that do not depend on the
 * kind share one. */
#define ROUTINE(kind, mode, name)                   \
    static bool name(const struct sample_plan *p,   \
                     const struct sample_lanes *in) \
    {                                               \
        return sample_lanes(p, kind, mode, in);     \
    }
#define LEVEL(kind, name, filter)                                  \
    static __attribute__((noinline)) bool name##_level_##filter(   \
        const struct sample_plan *p, const struct lanes_level *lv, \
        const struct lanes_place *at, struct lanes_color *out)     \
    {                                                              \
        return level_##filter(p, kind, lv, at, out);               \
    }
/* Rare kinds share one function for one level and for several. */
#define LINEAR_ROUTINE(kind, name)                                       \
    static bool name##_linear(const struct sample_plan *p,               \
                              const struct sample_lanes *in)             \
    {                                                                    \
        return is_rare(kind) ? name##_mipmaps(p, in)                     \
                             : sample_lanes(p, kind, SAMPLE_LINEAR, in); \
    }
#define ROUTINES(kind, name)                      \
    ROUTINE(kind, SAMPLE_NEAREST, name##_nearest) \
    ROUTINE(kind, SAMPLE_MIPMAPS, name##_mipmaps) \
    ROUTINE(kind, SAMPLE_FETCH, name##_fetch)     \
    LINEAR_ROUTINE(kind, name)                    \
    LEVEL(kind, name, nearest)                    \
    LEVEL(kind, name, linear)
#define ROW(kind, name)                                      \
    [kind] = {name##_nearest, name##_linear, name##_mipmaps, \
              any_texel,      name##_fetch,  any_anisotropic},
#define LEVELS(kind, name) [kind] = {name##_level_nearest, name##_level_linear},

#define EACH_TEXEL(what)                                                       \
    what(SAMPLE_BYTES1, bytes1) what(SAMPLE_BYTES2, bytes2)                    \
        what(SAMPLE_BYTES4, bytes4) what(SAMPLE_SRGB, srgb)                    \
            what(SAMPLE_HALF1, half1) what(SAMPLE_HALF2, half2)                \
                what(SAMPLE_HALF4, half4) what(SAMPLE_FLOAT1, float1)          \
                    what(SAMPLE_FLOAT2, float2) what(SAMPLE_FLOAT4, float4_)   \
                        what(SAMPLE_R11G11B10, r11g11b10)                      \
                            what(SAMPLE_UNORM16, unorm16) what(SAMPLE_UNORM24, \
                                                               unorm24)        \
                                what(SAMPLE_PACKED, packed)                    \
                                    what(SAMPLE_BLOCKS, blocks)                \
                                        what(SAMPLE_BYTE_BLOCKS, byte_blocks)

EACH_TEXEL(ROUTINES)
static const struct level_routines levels[SAMPLE_TEXELS] = {EACH_TEXEL(LEVELS)};

static bool
any_texel(const struct sample_plan *p, const struct sample_lanes *in)
{
    return sample_lanes(p, p->texel, SAMPLE_ANY, in);
}

static bool
any_anisotropic(const struct sample_plan *p, const struct sample_lanes *in)
{
    return sample_lanes(p, p->texel, SAMPLE_ANISOTROPIC, in);
}

const struct sample_routines SAMPLE_ROUTINES = {{EACH_TEXEL(ROW)}};
