/* sample.h: types and functions that the files of reference/ share, and
 * decisions that plan/ reuses: a request with all decisions that do not depend
 * on the lane.
 *
 * The path of one lane: lod.c chooses the filter and the levels, cube.c the
 * face, address.c the texels and their weights. texel.c reads the texels,
 * filter*.c mixes them, sample.c swizzles and stores. */
#ifndef SAMPLER_REFERENCE_SAMPLE_H
#define SAMPLER_REFERENCE_SAMPLE_H

#include "sampler/reference/reference.h"
#include "surface_pack.h"

/* Four channels of a texel; bits for integer formats. */
typedef float vec4 __attribute__((vector_size(16)));

union texel {
    vec4 v;
    union color c;
};

enum {
    FILTER_NEAREST = 0,
    FILTER_LINEAR = 1,
    FILTER_ANISOTROPIC = 2,
    FILTER_MONO = 6
};
enum { MIP_NONE = 0, MIP_NEAREST = 1, MIP_LINEAR = 3 };
enum { REDUCTION_NONE = 0, REDUCTION_MIN = 2, REDUCTION_MAX = 3 };

/* Texture addresses and levels of detail have 8 bits of fraction. */
#define SAMPLE_ONE 256
#define SAMPLE_MAX_LEVEL 14

/* ---- address.c ------------------------------------------------------- */

#define ADDRESS_BORDER (-1)
/* Limit of coordinates; no address mode depends on larger ones. */
#define ADDRESS_LIMIT_TEXELS (1 << 20)

/* The two texels that a linear filter reads along one axis, and the second
 * one's weight in 1/256. */
struct address {
    int32_t i0, i1;
    int32_t w1;
};

/* Texel of a coordinate; size is the level's. `texels`: the coordinate is in
 * texels. */
int32_t address_nearest(unsigned wrap, float coord, uint32_t size, bool texels,
                        int offset);
struct address address_linear(unsigned wrap, float coord, uint32_t size,
                              bool texels, int offset, bool round);
/* Applies an address mode to a texel number. Returns ADDRESS_BORDER for the
 * border. */
int32_t address_wrap(unsigned wrap, int32_t i, int32_t size);

/* ---- cube.c ---------------------------------------------------------- */

enum cube_face {
    CUBE_POS_X,
    CUBE_NEG_X,
    CUBE_POS_Y,
    CUBE_NEG_Y,
    CUBE_POS_Z,
    CUBE_NEG_Z
};

enum cube_face cube_select_face(const float dir[3]);
/* s, t in 0..1 on a face. */
void cube_project(enum cube_face face, const float dir[3], float st[2]);
/* The direction of a point on a face; s, t may lie outside of 0..1. */
void cube_unproject(enum cube_face face, const float st[2], float dir[3]);
/* Derivatives of s and t from derivatives of the direction. */
void cube_project_deriv(enum cube_face face, const float dir[3],
                        const float ddir[3], float dst[2]);
/* Maps a texel one step beyond one edge of a face to the face that it is on. */
enum cube_face cube_cross_edge(enum cube_face face, int32_t size, int32_t *x,
                               int32_t *y);

/* ---- the request ------------------------------------------------------ */

/* Addressing of one level of one slice. */
struct texel_plane {
    uint32_t level, z;
    const uint8_t *mem; /* NULL: not directly addressable, see surface_ptr */
    uint32_t x_B, y;    /* origin, within the tiling */
    bool small;         /* all offsets fit in 31 bits */
};

/* Memory channel of a texel's channel. */
enum texel_source { SOURCE_ZERO = 4, SOURCE_ONE = 5 }; /* or 0..3 */

enum texel_kind {
    TEXEL_UNPACK, /* format_info.unpack */
    TEXEL_BLOCK,  /* format_decode_block */
    TEXEL_BYTES,  /* up to four UNORM bytes, see sample_ctx.byte_shift */
};

/* Limits to clamp and compare LODs, in 1/256. */
struct lod_limits {
    int32_t max, min, mips, resident, base;
};

/* State that filter_quad.c keeps from quad to quad. */
struct quad_level {
    const uint8_t *mem; /* NULL: take the generic path */
    uint32_t level, slice;
    int32_t x_B, y;
    int32_t w, h;
};

struct sample_ctx {
    const struct surface *s;
    const struct sampler *sp;
    const struct sample_req *req;
    unsigned dims; /* filtered coordinates: 1..3 */
    bool cube, seamless;
    bool integer; /* texels are integers: no arithmetic on them */
    bool compare;
    bool direct;      /* address texels through texel_plane */
    bool fast;        /* filter_quad() may be called */
    bool has_min_lod; /* some lane has a minimum LOD of its own */
    bool mono;        /* MAPFILTER_MONO */
    uint8_t wrap[3];
    uint8_t shadow_func;
    uint8_t reduction;
    uint8_t texel_kind;
    /* Formats of up to 8 UNORM bits are filtered as integers and divided in the
     * end, which makes a bilinear filter exact. */
    bool scaled;
    /* Shift of each channel in an element whose bits 32 to 47 are 0 and 255. */
    uint8_t byte_shift[4];
    uint8_t source[4]; /* enum texel_source */
    bool clamp_ref;
    bool keyed;     /* compare texels with a chroma key */
    bool key_hit;   /* a texel matched; the caller clears it */
    int32_t level0; /* surface minimum LOD */
    struct lod_limits limits;
    union texel border;
    struct texel_plane plane[4];
    struct quad_level quad_level[2];
    uint8_t quad_pick[4]; /* memory channel of each channel of the answer;
                             texel_source */
    struct format_block_cache blocks; /* initialised for TEXEL_BLOCK only */
};

/* Returns false if the surface cannot be filtered: the answer is zero. */
bool sample_ctx_init(struct sample_ctx *ctx, const struct surface *s,
                     const struct sampler *sp, const struct sample_req *req);

/* Answers the sample messages from an initialised ctx. */
void sample_filtered(struct sample_ctx *ctx, uint32_t out[4][SAMPLE_LANES]);

/* ---- texel.c ---------------------------------------------------------- */

/* Slice number for surface_ptr from an array index or cube face. */
uint32_t texel_slice(const struct sample_ctx *ctx, float array_index,
                     unsigned face);
/* A texel in the form that the filter needs, compared with ref if the request
 * compares. x, y, z may be ADDRESS_BORDER. For 3D surfaces slice is z. */
vec4 texel_fetch(struct sample_ctx *ctx, uint32_t level, int32_t x, int32_t y,
                 uint32_t slice, float ref);
vec4 texel_border(const struct sample_ctx *ctx, float ref);
/* The value of texels outside a surface: zero, and one for a missing alpha. */
void texel_outside(const struct format_info *fmt, union color *out);
/* Decides how to read texels; called once per request. */
void texel_init(struct sample_ctx *ctx);
/* Decodes one texel on the surface, like format_unpack(). Only compressed
 * formats need `blocks`. */
void texel_decode(const struct surface *s, const uint8_t *element, uint32_t x,
                  uint32_t y, uint32_t slice, struct format_block_cache *blocks,
                  union color *out);
/* The plane of a level and slice, from ctx's cache. */
const struct texel_plane *texel_plane(struct sample_ctx *ctx, uint32_t level,
                                      uint32_t slice);
/* Host address of a texel of a direct plane. */
const uint8_t *texel_address(const struct sample_ctx *ctx,
                             const struct texel_plane *plane, uint32_t x,
                             uint32_t y);

/* ---- chroma_key.c ----------------------------------------------------- */

/* A texel on the surface. */
struct key_texel {
    const uint8_t *element;
    uint32_t level, x, y, slice;
};

bool chroma_key_applies(const struct sampler *sp, const struct surface *s);
/* Sets ctx->key_hit if the texel matches. Returns true if *black replaces it.
 */
bool chroma_key_replaces(struct sample_ctx *ctx, const struct key_texel *at,
                         union color *black);

/* ---- planar.c --------------------------------------------------------- */

/* Decodes a texel; `luma` is the address of its luma. */
void planar_decode(const struct surface *s, const uint8_t *luma, uint32_t x,
                   uint32_t y, uint32_t slice, union color *out);

/* ---- palette.c -------------------------------------------------------- */

/* Decodes a texel of a palette format in column x. */
void palette_decode(const struct surface *s, const uint8_t *element, uint32_t x,
                    union color *out);

/* ---- lod.c ------------------------------------------------------------ */

/* Derivatives of the texture coordinates at one lane, in texels of level0. */
struct sample_deriv {
    float dx[3], dy[3];
};

/* LOD and filter of one lane. */
struct sample_lod {
    bool out_of_bounds;
    uint8_t filter;
    bool mag;
    uint8_t ways;  /* anisotropic: samples along the major axis */
    int32_t level; /* absolute */
    int32_t beta;  /* weight of level + 1 in 1/256; 0: level only */
    float ratio;   /* anisotropic */
    float axis[2]; /* step between samples, in texels of level0 */
};

/* sample.c. The LODs that sample_filtered() takes, of the lanes of exec_mask,
 * and those that follow from the derivatives; 0 for messages without
 * derivatives. */
void sample_lods(struct sample_ctx *ctx, struct sample_lod lod[SAMPLE_LANES],
                 float derived[SAMPLE_LANES]);
void lod_init(struct sample_ctx *ctx);
/* The number added to 256 times a LOD before rounding down. Guess: if the
 * nearest level is taken, only the LOD's own fraction decides. So a LOD just
 * below k + 0.5 takes level k, as APIs demand; rounding to the nearest 1/256
 * would take level k + 1. */
float lod_rounding(const struct sampler *sp);
void lod_derivatives(const struct sample_ctx *ctx, unsigned lane,
                     struct sample_deriv *d);
/* log2 of a positive number, to within 1e-9; exact for powers of two. */
double lod_log2(float x);
/* The LOD of isotropic derivatives. */
float lod_isotropic(const struct sample_deriv *d);
/* Chooses filter and levels. `lod` does not include the sampler's bias. */
void lod_select(const struct sample_ctx *ctx, float lod, float min_lod,
                struct sample_lod *out);
/* Anisotropic footprint: sets ways, ratio and axis of *out; returns its LOD. */
float lod_anisotropic(const struct sample_ctx *ctx,
                      const struct sample_deriv *d, struct sample_lod *out);
/* LOD messages: clamped and unclamped LOD. */
void lod_query(const struct sample_ctx *ctx, float lod, float out[2]);

/* ---- filter.c --------------------------------------------------------- */

/* Filters one lane on one level. coord: the message's coordinates, for cubes s
 * and t of the face; slice: from texel_slice(). */
vec4 filter_level(struct sample_ctx *ctx, const struct sample_lod *lod,
                  int32_t level, const float coord[3], uint32_t slice,
                  unsigned lane);
/* Returns four texels in the order of gather4, before channel selection. */
void filter_gather4(struct sample_ctx *ctx, const float coord[3],
                    uint32_t slice, unsigned lane, vec4 out[4]);
vec4 filter_mix(const struct sample_ctx *ctx, vec4 a, vec4 b, int32_t w1);

/* ---- filter_mono.c ------------------------------------------------------ */

/* Whether MAPFILTER_MONO is set and supported. */
bool filter_is_mono(const struct sampler *sp, const struct surface *s);
vec4 filter_mono(struct sample_ctx *ctx, uint32_t level, const float coord[3],
                 uint32_t slice);

/* ---- filter_quad.c ------------------------------------------------------ */

/* Decides whether quads of this request may take the fast path. */
void filter_quad_init(struct sample_ctx *ctx);
/* Filters the lanes of `mask` (bits 0..3) of the quad that begins at lane
 * `quad`, all with the same `lod`. The answers have the bits of the generic
 * path. Returns false, and writes nothing, if this quad needs the generic path.
 */
bool filter_quad(struct sample_ctx *ctx, const struct sample_lod *lod,
                 unsigned quad, unsigned mask, uint32_t out[4][SAMPLE_LANES]);

/* ---- sample_load.c, sample_info.c -------------------------------------- */

void sample_load(const struct surface *s, const struct sample_req *req,
                 uint32_t out[4][SAMPLE_LANES]);
void sample_load_mcs(const struct surface *s, const struct sample_req *req,
                     uint32_t out[4][SAMPLE_LANES]);
void sample_resinfo(const struct surface *s, const struct sample_req *req,
                    uint32_t out[4][SAMPLE_LANES]);
void sample_sampleinfo(const struct surface *s, const struct sample_req *req,
                       uint32_t out[4][SAMPLE_LANES]);

/* Shader channel select, applied to one texel. */
void sample_swizzle(const struct surface *s, const union color *in,
                    unsigned lane, uint32_t out[4][SAMPLE_LANES]);

/* KBL PRM vol 2d, SAMPLER_STATE, [U|V|R] Address [Min|Mag] Filter Rounding. */
static inline bool
sample_rounds(const struct sampler *sp, unsigned axis, bool mag)
{
    return sp->rounding_enable >> (2 * (2 - axis) + mag) & 1;
}

/* Compilers choose which of two NaNs a sum keeps, so filtered NaNs are replaced
 * by one. */
static inline vec4
sample_settle(vec4 v)
{
    typedef int32_t bits4 __attribute__((vector_size(16)));
    bits4 number = v == v;
    return (vec4)(((bits4)v & number) | (~number & 0x7fc00000));
}

static inline int32_t
sample_floor(float f)
{
    int32_t i = (int32_t)f;
    return (int32_t)((uint32_t)i - (f < (float)i)); /* wraps as vectors do */
}

#endif
