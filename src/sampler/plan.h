/* plan.h: a sampler message with everything decided that does not depend on
 * its lanes: made once per draw, binding and message, then run for every
 * thread. Plain data; any number of threads run the same one.
 *
 * Made and called by engine/msg. plan*.c fill it in and choose the routine,
 * x86/sample_tmpl.h has the routines. What they answer has the same bits as
 * sampler_sample()'s answer (test_plan.c); whatever they leave out is left to
 * sampler_sample(). */
#ifndef SAMPLER_PLAN_H
#define SAMPLER_PLAN_H

#include "sampler/sampler.h"

/* A request without its lanes. */
struct sample_shape {
    enum sample_op op;
    bool compare;
    uint8_t reduction;
    int8_t offset[3];
};

struct sample_blocks;

/* The lanes of a request where the message has them: 8 or 16 dwords each.
 * Absent ones are zeros. */
struct sample_lanes {
    const uint32_t *u, *v, *r, *lod, *ref;
    unsigned lanes;
    uint32_t exec_mask;
    uint32_t *out[4]; /* each may be a parameter's place, or NULL: not asked */
    bool whole;       /* 16 lanes, all execute, all four channels are asked */
    struct sample_blocks *blocks; /* the caller's own; see sample_plan.blocks */
};

struct sample_plan;
/* False, with nothing written, if these lanes need sampler_sample(). */
typedef bool (*sample_plan_fn)(const struct sample_plan *plan,
                               const struct sample_lanes *lanes);

/* Two coordinates of 16 lanes that all execute, and what texels are compared
 * with, if they are. All other parameters are zero. */
struct sample_pair {
    const uint32_t *u, *v, *ref;
    struct sample_blocks *blocks; /* as in sample_lanes */
};

/* The same for these. Channels are at these dwords of the answer, or negative:
 * not asked. */
typedef bool (*sample_patch_fn)(const struct sample_plan *plan,
                                const struct sample_pair *in, uint32_t *out,
                                const int16_t at_dw[4]);

/* The same with vectors: pixels.h has the type. */
typedef void (*sample_vectors_fn)(void);

/* The same for all four channels, as a target of normalised bytes stores them:
 * pixels.h has the type, for vectors. */
typedef void (*sample_pixels_fn)(void);
typedef void (*sample_finish_fn)(void);

/* What a message's quads have had as their LOD, all of them: squares of
 * footprints between these two have it, with this bias. Of zeros nothing is
 * between. */
struct sample_lod_hint {
    float least, most, bias;
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
    SAMPLE_FLOAT1, /* or integers, which are never filtered */
    SAMPLE_FLOAT2,
    SAMPLE_FLOAT4,
    SAMPLE_R11G11B10,
    SAMPLE_UNORM16,
    SAMPLE_UNORM24,
    SAMPLE_PACKED,      /* channels of up to 16 bits somewhere in 8, 16 or 32 */
    SAMPLE_BLOCKS,      /* of 4x4 texels, compressed */
    SAMPLE_BYTE_BLOCKS, /* decoded to bytes, filtered as those are */
    SAMPLE_TEXELS,
};

/* How much of a plan is known when a routine is compiled. */
enum sample_way {
    SAMPLE_NEAREST, /* on one level */
    SAMPLE_LINEAR,
    SAMPLE_MIPMAPS, /* linear, on levels that the lanes choose */
    SAMPLE_ANY,
    SAMPLE_FETCH, /* texels by number */
    SAMPLE_ANISOTROPIC,
    SAMPLE_WAYS,
};

struct sample_routines {
    sample_plan_fn fn[SAMPLE_TEXELS][SAMPLE_WAYS];
};

/* Address modes that have code of their own. */
enum sample_axis { SAMPLE_AXIS_ANY, SAMPLE_AXIS_REPEAT, SAMPLE_AXIS_CLAMP };

/* Entries that no level has repeat the last one. */
struct sample_levels {
    alignas(64) int32_t w[16], h[16];
    float w_fx8[16], h_fx8[16]; /* 256 times the size, or 256 for texels */
    int32_t x_el[16], y_el[16]; /* origin, within the tiling, in texels */
    int32_t last[16];           /* column, and row << 16 */
};

/* What is left of lod.c's decisions. LODs are in 1/256. */
struct sample_lod_plan {
    bool fixed;    /* every lane has `level`, `beta` and `mag` */
    bool derived;  /* from the coordinates' differences */
    bool lane;     /* the lanes bring one, or a bias */
    bool blends;   /* texels of two levels are mixed */
    bool preclamp; /* to preclamp_min..preclamp_max */
    bool mag;
    bool mag_by_mip; /* magnified lanes, too, choose among the levels */
    uint8_t mip_filter;
    float bias;
    float max_anisotropy;
    float size[2]; /* of the level that derivatives count texels of */
    int32_t preclamp_min, preclamp_max;
    int32_t base; /* up to here it is magnification */
    int32_t min, max, mips;
    int32_t alone; /* of lanes that do not choose a level */
    int32_t level0, level, beta;
};

/* Whether 4x4 dwords are a line of memory, and the last such block that memory
 * has. Columns and rows fit 16 bits. */
struct sample_square {
    bool usable;
    int32_t column_shift; /* log2 of the elements in a dword */
    uint32_t last_x, last_y;
};

/* The channels of SAMPLE_PACKED, all of one kind. A channel's bits are moved to
 * the top and then down. */
struct sample_packed {
    bool is_signed, is_int;
    int32_t left[4], right[4];
    float max[4]; /* what 1.0 is */
};

/* Where the four bytes of a texel go, in the order of the answer. What is 1.0
 * comes from a byte that no channel has, which `ones` makes 255. */
struct sample_bytes {
    alignas(16) uint8_t spread[4][16]; /* of four lanes: one, four times */
    int32_t at[4];                     /* its number, four times */
    int32_t ones;
    uint32_t zeros; /* bit per channel: none of them, 0.0 */
    /* Of four texels as they are, and of answers with red in the lowest byte:
     * where a pixel's bytes come from, red lowest or blue. */
    alignas(16) uint8_t pixel[2][16], answered[2][16];
};

/* Of a Y tile: 16 bytes of 32 rows. */
#define SAMPLE_COLUMN_B 512

struct sample_plan {
    sample_plan_fn run;        /* NULL: sampler_sample() answers all of them */
    sample_patch_fn patch;     /* or NULL; what it leaves out is run()'s */
    sample_pixels_fn pixels;   /* likewise; where there is patch() */
    sample_finish_fn finish;   /* of what pixels() may have begun */
    sample_vectors_fn vectors; /* likewise */
    enum sample_texel texel; /* SAMPLE_TEXELS if no routine reads its texels */
    enum sample_way way;
    bool blocks; /* all of them need the caller's blocks */
    /* Bits are the same whether the processor flushes denormals or not. */
    bool any_denormals;
    bool patch_any_denormals; /* of patch(), pixels() and vectors() */
    bool gathers; /* with instructions for that, as is best on few processors */
    bool asks;    /* the texels of lanes that look anywhere are in few caches */
    const struct format_info *fmt;
    const uint8_t *mem;
    struct sample_tiling tiling;
    uint32_t ahead_B; /* what is 16 texels to the right, mostly */
    struct sample_square square;
    struct sample_packed packed;
    struct sample_lod_plan lod;
    bool min_linear, mag_linear; /* or anisotropic */
    bool min_anisotropic, mag_anisotropic;
    bool border;     /* lanes that reach it are sampler_sample()'s */
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
    bool permuted; /* no more than an order of four: output of each channel */
    uint8_t place[4];
    int32_t one; /* what SOURCE_ONE is */
    struct sample_bytes bytes;
    struct sample_levels levels;
};

void sample_plan_init(struct sample_plan *plan, const struct surface *s,
                      const struct sampler *sp,
                      const struct sample_shape *shape);
/* All four channels are 1.0, whatever is asked: shows what textures cost. */
void sample_plan_init_white(struct sample_plan *plan);

static inline bool
sample_plan_run(const struct sample_plan *plan, const struct sample_lanes *in)
{
    return plan->run && plan->run(plan, in);
}

/* ---- blocks.c ------------------------------------------------------------ */

#define SAMPLE_BLOCK_SLOTS_LOG2 9
#define SAMPLE_BLOCK_SLOTS (1 << SAMPLE_BLOCK_SLOTS_LOG2)

/* Decoded blocks: floats channel by channel, or texels of four bytes. What a
 * block decodes to depends on its bits and its format and on nothing else, so
 * these are what it is looked up by: the bits are read from the texture for
 * every message, and whoever changes the texture, in whatever way, is seen.
 * Nothing ever has to be thrown away. */
struct sample_block_key {
    uint64_t bits[2];              /* the second is 0 if a block has 8 bytes */
    const struct format_info *fmt; /* NULL: nothing in this slot */
};

struct sample_blocks {
    struct sample_block_key key[SAMPLE_BLOCK_SLOTS];
    alignas(64) float texel[SAMPLE_BLOCK_SLOTS][4][16];
    float bytes[SAMPLE_BLOCK_SLOTS][16]; /* of formats of bytes, instead */
    float spare[4][4][16];               /* for blocks whose slots are held */
};

/* One for each worker; NULL if there is no memory. */
struct sample_blocks *sample_blocks_new(void);
void sample_blocks_free(struct sample_blocks *blocks);
/* Where the texels of a block that has no slot are to go: to this slot's, or
 * elsewhere if those are held. */
float *sample_block_miss(struct sample_blocks *blocks, unsigned slot, float *to,
                         const struct sample_block_key *key,
                         const float *const held[4], unsigned count);
/* Any format: four channels of 16 texels, row by row. */
void sample_block_decode(const struct sample_block_key *key, float to[64]);
/* Formats that are decoded to bytes: 16 texels, red lowest. */
void sample_block_decode_bytes(const struct sample_block_key *key,
                               uint32_t to[16]);

/* Where a block's texels are, or are to go: in the second case `found` is
 * false, and what a caller decodes there is found from then on. The first
 * `count` of `held`, at most three, stay where they are. `bytes`: of a format
 * that is decoded to those. */
static inline float *
sample_block_find(struct sample_blocks *blocks, bool bytes,
                  const struct sample_block_key *key,
                  const float *const held[4], unsigned count, bool *found)
{
    uint64_t hash = (key->bits[0] ^ key->bits[1] * 5) *
                    UINT64_C(0x9e3779b97f4a7c15);
    unsigned slot = (unsigned)(hash >> (64 - SAMPLE_BLOCK_SLOTS_LOG2));
    const struct sample_block_key *have = &blocks->key[slot];
    *found = have->bits[0] == key->bits[0] && have->bits[1] == key->bits[1] &&
             have->fmt == key->fmt;
    float *to = bytes ? blocks->bytes[slot] : blocks->texel[slot][0];
    return *found ? to : sample_block_miss(blocks, slot, to, key, held, count);
}

/* ---- x86/sample_*.c ------------------------------------------------------ */

extern const struct sample_routines sample_avx2, sample_avx512;
/* NULL where there is none. */
extern const sample_patch_fn sample_patch_avx2[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_patch_fn sample_patch_vbmi[SAMPLE_TEXELS][SAMPLE_WAYS];
/* Instead, of SAMPLE_BYTE_BLOCKS, or SAMPLE_BLOCKS, in these formats. */
extern const sample_patch_fn sample_patch_bc1[SAMPLE_WAYS];
extern const sample_patch_fn sample_patch_etc[SAMPLE_WAYS];
extern const sample_patch_fn sample_patch_bc1_srgb[SAMPLE_WAYS];
extern const sample_patch_fn sample_patch_bc3[SAMPLE_WAYS];
extern const sample_patch_fn sample_patch_dwords[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_patch_fn sample_patch_rows[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_patch_fn sample_patch_rows_avx2[SAMPLE_TEXELS][SAMPLE_WAYS];
/* Beside some of them. */
extern const sample_vectors_fn sample_vectors_avx2[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_vectors_fn sample_vectors_rows_avx2[SAMPLE_TEXELS]
                                                       [SAMPLE_WAYS];
extern const sample_vectors_fn sample_vectors_rows[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_vectors_fn sample_vectors_dwords[SAMPLE_TEXELS]
                                                    [SAMPLE_WAYS];
extern const sample_vectors_fn sample_vectors_vbmi[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_vectors_fn sample_vectors_bc1[SAMPLE_WAYS];
extern const sample_vectors_fn sample_vectors_etc[SAMPLE_WAYS];
extern const sample_vectors_fn sample_vectors_bc1_srgb[SAMPLE_WAYS];
extern const sample_vectors_fn sample_vectors_bc3[SAMPLE_WAYS];
/* Beside each of them. */
extern const sample_pixels_fn sample_pixels_avx2[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_pixels_fn sample_pixels_rows_avx2[SAMPLE_TEXELS]
                                                     [SAMPLE_WAYS];
extern const sample_pixels_fn sample_pixels_dwords[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_pixels_fn sample_pixels_rows[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_pixels_fn sample_pixels_vbmi[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_pixels_fn sample_pixels_bc1[SAMPLE_WAYS];
extern const sample_pixels_fn sample_pixels_etc[SAMPLE_WAYS];
extern const sample_pixels_fn sample_pixels_bc1_srgb[SAMPLE_WAYS];
extern const sample_pixels_fn sample_pixels_bc3[SAMPLE_WAYS];
/* Beside those that begin some. */
extern const sample_finish_fn sample_finish_vbmi[SAMPLE_TEXELS][SAMPLE_WAYS];
extern const sample_finish_fn sample_finish_bc1[SAMPLE_WAYS];
extern const sample_finish_fn sample_finish_etc[SAMPLE_WAYS];
extern const sample_finish_fn sample_finish_bc1_srgb[SAMPLE_WAYS];
extern const sample_finish_fn sample_finish_bc3[SAMPLE_WAYS];

#endif
