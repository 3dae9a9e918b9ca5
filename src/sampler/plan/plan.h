/* plan.h: a plan of a sampler message holds every decision that does not depend
 * on its lanes.
 *
 * The engine makes a plan once per draw, binding and message, and runs it for
 * every thread. It is plain data: the caller owns it, and any number of threads
 * run it at once. plan*.c fill a plan in, kernel_select.c selects its kernels,
 * x86/ has the kernels. Their answers have the bits of sampler_sample()
 * (tests/simd/). If a kernel returns false, the caller tries the next one, and
 * in the end sampler_sample(). */
#ifndef SAMPLER_PLAN_PLAN_H
#define SAMPLER_PLAN_PLAN_H

#include "sampler/plan/block_cache.h"
#include "sampler/reference/reference.h"

/* A request without its lanes. */
struct sample_shape {
    enum sample_op op;
    bool compare;
    uint8_t reduction;
    int8_t offset[3];
};

/* A message's lanes: 8 or 16 dwords for each parameter. Absent parameters are
 * zeros. */
struct sample_lanes {
    const uint32_t *u, *v, *r, *lod, *ref;
    unsigned lanes;
    uint32_t exec_mask;
    uint32_t *out[4]; /* may alias a parameter; NULL: channel not needed */
    bool whole;       /* 16 active lanes, all four channels are needed */
    struct block_cache *blocks; /* the caller's cache; see sample_plan.blocks */
};

struct sample_plan;
/* Returns false, and writes nothing, if these lanes need sampler_sample(). */
typedef bool (*sample_plan_fn)(const struct sample_plan *plan,
                               const struct sample_lanes *lanes);

/* Two coordinates of 16 active lanes, and the reference of a comparison. All
 * other parameters are zero. */
struct sample_pair {
    const uint32_t *u, *v, *ref;
    struct block_cache *blocks; /* as in sample_lanes */
};

/* Answers a sample_pair. at_dw: the offset of each channel in `out`, in dwords;
 * negative if the channel is not needed. */
typedef bool (*sample_footprint_fn)(const struct sample_plan *plan,
                                    const struct sample_pair *in, uint32_t *out,
                                    const int16_t at_dw[4]);

/* A footprint kernel with coordinates in vector registers: kernel_types.h has
 * the type. */
typedef void (*sample_in_registers_fn)(void);

/* A footprint kernel that returns pixels as a UNORM8 render target stores them,
 * and its second stage: kernel_types.h has the types. */
typedef void (*sample_to_unorm8_fn)(void);
typedef void (*sample_finish_fn)(void);

/* The LOD of the last message, if its quads agreed. Quads whose squared
 * footprints lie between `least` and `most` have the LOD again, with this bias
 * and rounding. All zeros: no LOD is known. */
struct sample_lod_hint {
    float least, most, bias, rounding;
    int32_t lod; /* in 1/256 */
};

/* How a texel is read. */
enum sample_texel {
    SAMPLE_BYTES1, /* UNORM bytes, filtered as integers */
    SAMPLE_BYTES2,
    SAMPLE_BYTES4,
    SAMPLE_SRGB, /* four bytes */
    SAMPLE_HALF1,
    SAMPLE_HALF2,
    SAMPLE_HALF4,
    SAMPLE_FLOAT1, /* also integers, which are never filtered */
    SAMPLE_FLOAT2,
    SAMPLE_FLOAT4,
    SAMPLE_R11G11B10,
    SAMPLE_UNORM16,
    SAMPLE_UNORM24,
    SAMPLE_PACKED,      /* channels of up to 16 bits anywhere in 8, 16 or 32 */
    SAMPLE_BLOCKS,      /* compressed blocks of 4x4 texels */
    SAMPLE_BYTE_BLOCKS, /* decoded to bytes, filtered like SAMPLE_BYTES4 */
    SAMPLE_TEXELS,
};

/* The part of a plan that is known when a routine is compiled. */
enum sample_mode {
    SAMPLE_NEAREST, /* one level */
    SAMPLE_LINEAR,
    SAMPLE_MIPMAPS, /* linear, levels chosen by lane */
    SAMPLE_ANY,
    SAMPLE_FETCH, /* texels by number */
    SAMPLE_ANISOTROPIC,
    SAMPLE_MODES,
};

struct sample_routines {
    sample_plan_fn fn[SAMPLE_TEXELS][SAMPLE_MODES];
};

/* Address modes with code of their own. */
enum sample_axis { SAMPLE_AXIS_ANY, SAMPLE_AXIS_REPEAT, SAMPLE_AXIS_CLAMP };

/* Sizes and origins by level. Entries past the last level repeat it. */
struct sample_levels {
    alignas(64) int32_t w[16], h[16];
    float w_fx8[16], h_fx8[16]; /* 256 times the size, or 256 for texels */
    int32_t x_el[16], y_el[16]; /* origin within the tiling, in texels */
    int32_t last[16];           /* last column, last row << 16 */
};

/* The decisions of lod.c that do not depend on lanes. LODs are in 1/256. */
struct sample_lod_plan {
    bool fixed;    /* every lane has `level`, `beta` and `mag` */
    bool derived;  /* from the coordinates' derivatives */
    bool lane;     /* lanes pass a LOD or a bias */
    bool blends;   /* mixes texels of two levels */
    bool preclamp; /* to preclamp_min..preclamp_max */
    bool mag;
    bool mag_by_mip; /* magnified lanes choose a level, too */
    uint8_t mip_filter;
    float bias, rounding; /* see lod_rounding() */
    float max_anisotropy;
    float size[2]; /* of the first level: unit of the derivatives */
    int32_t preclamp_min, preclamp_max;
    int32_t base; /* at most this: magnification */
    int32_t min, max, mips;
    int32_t alone; /* level of lanes that choose none */
    int32_t level0, level, beta;
};

/* usable: 4x4 dwords are one line of memory. last_x, last_y: the last such
 * line. Columns and rows fit 16 bits. */
struct sample_square {
    bool usable;
    int32_t column_shift; /* log2 of the elements in a dword */
    uint32_t last_x, last_y;
};

/* The channels of SAMPLE_PACKED, all of one kind. Unpacking shifts a channel
 * left to the top bit, then right. */
struct sample_packed {
    bool is_signed, is_int;
    int32_t left[4], right[4];
    float max[4]; /* divisor of a normalised channel */
};

/* Shuffles from a texel's four bytes to the channels of the answer. A channel
 * that is 1.0 comes from an unused byte, which `ones` sets to 255. */
struct sample_bytes {
    alignas(16) uint8_t spread[4][16]; /* of four lanes: one byte, four times */
    int32_t at[4];                     /* that byte's number, four times */
    int32_t ones;
    uint32_t zeros; /* bit per channel that is 0.0 */
    /* Shuffles to pixels, red or blue lowest: from four texels in memory order,
     * and from answers with red in the lowest byte. */
    alignas(16) uint8_t pixel[2][16], answered[2][16];
};

/* A column of a Y tile: 32 rows of 16 bytes. */
#define SAMPLE_COLUMN_B 512

struct sample_plan {
    sample_plan_fn run; /* NULL: every message needs sampler_sample() */
    sample_footprint_fn footprint; /* or NULL; if false, use run() */
    sample_to_unorm8_fn to_unorm8; /* or NULL; never without footprint() */
    sample_finish_fn finish; /* or NULL; the second stage of to_unorm8() */
    sample_in_registers_fn in_registers; /* or NULL */
    enum sample_texel texel; /* SAMPLE_TEXELS if no routine reads its texels */
    enum sample_mode mode;
    bool blocks; /* every message needs the caller's block cache */
    /* Whether flushing denormals cannot change answers: of run(), then of the
     * other four kernels. */
    bool any_denormals;
    bool footprint_any_denormals;
    bool gathers; /* use gather instructions, which few processors do well */
    bool asks;    /* large level: prefetch texels of scattered lanes */
    const struct format_info *fmt;
    const uint8_t *mem;
    struct sample_tiling tiling;
    uint32_t ahead_B; /* offset of the texel 16 columns to the right, mostly */
    struct sample_square square;
    struct sample_packed packed;
    struct sample_lod_plan lod;
    bool min_linear, mag_linear; /* or anisotropic */
    bool min_anisotropic, mag_anisotropic;
    bool border;     /* lanes that reach the border need sampler_sample() */
    uint8_t axis[2]; /* enum sample_axis */
    uint8_t wrap[2];
    float round[2]; /* added to a linear filter's address */
    int32_t offset[2];
    bool compare;
    uint8_t compare_func;
    bool layered;
    float last_layer;
    int32_t layer_rows;
    /* Output channel -> channel of memory, or enum texel_source. */
    uint8_t pick[4];
    bool permuted; /* the channels are a permutation, `place`: its inverse */
    uint8_t place[4];
    int32_t one; /* the value of SOURCE_ONE */
    struct sample_bytes bytes;
    struct sample_levels levels;
};

void sample_plan_init(struct sample_plan *plan, const struct surface *s,
                      const struct sampler *sp,
                      const struct sample_shape *shape);
/* A plan that returns 1.0 in all channels (no_tex), to measure the cost of
 * textures. */
void sample_plan_init_white(struct sample_plan *plan);

static inline bool
sample_plan_run(const struct sample_plan *plan, const struct sample_lanes *in)
{
    return plan->run && plan->run(plan, in);
}

#endif
