/* sampler.h: surfaces and texels. Knows no kernel and no GPU address: the
 * engine turns addresses into host pointers when it makes a struct surface.
 *
 * Who calls: engine (draw creation, messages, render target, depth/stencil).
 * Pure functions over const data, any thread; nothing here allocates.
 * Surface layouts: BDW PRM vol 5 "Memory Views"; formats: formats.csv. */
#ifndef SAMPLER_H
#define SAMPLER_H

#include "base/range.h"
#include "sampler/elements.h"

/* ---- formats --------------------------------------------------------- */

enum format_kind { /* of one channel */
                   FORMAT_NONE,
                   FORMAT_UNORM,
                   FORMAT_SNORM,
                   FORMAT_UINT,
                   FORMAT_SINT,
                   FORMAT_FLOAT,  /* sf: 16, 32, 64 bits */
                   FORMAT_UFLOAT, /* uf: 10, 11 bits; shared exponent 9 bits */
                   FORMAT_USCALED,
                   FORMAT_SSCALED,
                   FORMAT_UFIXED,
                   FORMAT_SFIXED,
                   FORMAT_RAW,
                   FORMAT_VOID, /* x: present in memory, reads as 0 (alpha: 1)
                                 */
};

enum format_compression {
    FORMAT_PLAIN,
    FORMAT_BC1,
    FORMAT_BC2,
    FORMAT_BC3,
    FORMAT_BC4,
    FORMAT_BC5,
    FORMAT_BC6H,
    FORMAT_BC7,
    FORMAT_ETC1,
    FORMAT_ETC2,
    FORMAT_ASTC,
    FORMAT_FXT1,
    FORMAT_YUV, /* packed 4:2:2 */
    FORMAT_PLANAR,
    FORMAT_PALETTE,
    FORMAT_MONO, /* single bits */
};

struct format_channel {
    uint8_t kind; /* enum format_kind */
    uint8_t bits;
    uint8_t start_bit; /* from the element's least significant bit */
};

/* A texel or colour; which member counts follows from the format. */
union color {
    float f[4];
    uint32_t u[4];
    int32_t i[4];
};

struct format_info {
    const char *name;
    uint16_t code; /* SURFACE_FORMAT */
    uint16_t block_bits;
    uint8_t element_B; /* block_bits / 8, at least 1 */
    uint8_t block_w, block_h;
    struct format_channel ch[4]; /* r, g, b, a; luminance in r, with .lum */
    bool srgb;
    bool lum, intensity, alpha_only;
    bool is_int;         /* UINT or SINT channels: texels are integers */
    uint8_t compression; /* enum format_compression */
    /* Palette formats: where the index is, and into which table; ch[3] is
     * where alpha is, unless that is the table's too. */
    struct format_channel index;
    uint8_t palette;
    bool indexed_alpha;
    /* capabilities on the current generation */
    bool can_sample, can_filter, can_shadow, can_render, can_blend;
    bool can_vertex, can_streamout, can_typed_write, can_typed_read;
    /* format_unpack() and format_pack() of this format, for inner loops.
     * Never NULL; those of compressed formats say unimp. */
    void (*unpack)(const struct format_info *fmt, const void *src,
                   union color *out);
    void (*pack)(const struct format_info *fmt, const union color *in,
                 void *dst);
};

/* NULL for a code that is no format. */
const struct format_info *format_info(unsigned code);

/* One plain element at src -> rgba, missing channels 0,0,0,1 (integer 1 for
 * integer formats). sRGB is decoded to linear. */
void format_unpack(const struct format_info *fmt, const void *src,
                   union color *out);
/* rgba -> one plain element, with the clamping, rounding (RTNE) and sRGB
 * encoding that a render target write does. Only bytes of the element are
 * written. */
void format_pack(const struct format_info *fmt, const union color *in,
                 void *dst);
/* One texel (x, y) of a compressed block. Decodes all of it: who reads more
 * than one texel wants one of the next two. */
void format_decode_block(const struct format_info *fmt, const void *block,
                         unsigned x, unsigned y, union color *out);

#define FORMAT_BLOCK_TEXELS 144 /* the most a block has */

/* All block_w * block_h texels, row by row. */
void format_decode_texels(const struct format_info *fmt, const void *block,
                          union color *out);

/* The last few blocks that were decoded, by address: good for as long as
 * memory does not change, like one message. */
struct format_block_cache {
    const struct format_info *fmt;
    unsigned next;
    const void *block[4];
    union color texel[4][FORMAT_BLOCK_TEXELS];
};

void format_block_cache_init(struct format_block_cache *cache,
                             const struct format_info *fmt);
/* The texels of a block; valid until the fourth call from now. */
const union color *format_block_cache_get(struct format_block_cache *cache,
                                          const void *block);
/* Whether any element of `from`, unpacked and packed as `to`, has the same bits
 * again. */
bool format_same_bits(const struct format_info *from,
                      const struct format_info *to);
/* Clamp a colour to what the format can hold (blending does this before and
 * after). No-op for float formats. */
void format_clamp(const struct format_info *fmt, union color *c);

/* ---- surfaces -------------------------------------------------------- */

enum surface_type {
    SURFACE_1D = 0,
    SURFACE_2D = 1,
    SURFACE_3D = 2,
    SURFACE_CUBE = 3,
    SURFACE_BUFFER = 4,
    SURFACE_STRBUF = 5,
    SURFACE_NULL = 7,
};

enum surface_tiling {
    TILING_LINEAR = 0,
    TILING_W = 1,
    TILING_X = 2,
    TILING_Y = 3
};

enum surface_aux {
    AUX_NONE = 0,
    AUX_CCS_D = 1,
    AUX_MCS = 1,
    AUX_HIZ = 3,
    AUX_CCS_E = 5
};

#define SURFACE_LEVELS 15
#define SURFACE_PALETTES 2
#define SURFACE_COLORS 256 /* of a palette */
#define FORMAT_CODE_PLANAR_420_8 0x1a5

/* A decoded surface. Sizes are those of level 0 as programmed (not minified);
 * `base_level` etc. are the view. */
struct surface {
    /* For compiled code, which finds it at the beginning; left for the caller,
     * who knows what messages it is for. */
    struct mem_range range;
    uint64_t base_va; /* GPU address, for the engine; sampler uses mem */
    uint8_t *mem;     /* host address of base_va */
    uint64_t limit_B; /* bytes that may be touched from mem on */
    const struct format_info *fmt; /* never NULL: bad codes become NULL type */
    uint16_t format;
    uint8_t type;   /* enum surface_type */
    uint8_t tiling; /* enum surface_tiling */
    bool is_array;
    uint8_t halign_el, valign_el;
    uint32_t width, height, depth; /* texels; depth: slices or layers */
    uint32_t row_pitch_B;
    uint32_t qpitch_el_rows;  /* array spacing, in rows of elements */
    uint8_t samples;          /* 1, 2, 4, 8, 16 */
    bool interleaved;         /* IMS (depth/stencil) instead of MSS */
    uint8_t mip_count_minus1; /* sampling; for targets: lod */
    uint8_t min_lod;          /* first level of the view; sampling */
    float resource_min_lod;
    float base_mip_level; /* SKL+: Base Mip Level, for resource_min_lod */
    uint16_t min_array, view_extent_minus1;
    uint8_t x_offset, y_offset; /* texels */
    uint8_t swizzle[4];         /* enum scs: 0 zero, 1 one, 4..7 r g b a */
    uint16_t uv_x_B, uv_y;      /* where the chroma plane of NV12 begins */
    /* SURFACE_COLORS of palette formats, as their packets have them; left for
     * the caller. NULL is black. */
    const uint32_t *palette;
    uint8_t cube_faces;
    uint8_t aux; /* enum surface_aux */
    uint64_t aux_va;
    uint8_t *aux_mem;
    uint64_t aux_limit_B;
    uint32_t aux_row_pitch_B, aux_qpitch_el_rows;
    union color clear_color;
    /* buffers */
    uint64_t buffer_elements; /* for RAW: bytes */
    uint32_t buffer_stride_B;
    /* What the data port may touch, and what `ld` reads as four plain dwords
     * at any byte, or 0. Left for the caller, who asks surface_*_B(). */
    uint64_t flat_B, vec4_B;
    struct elements elements; /* the same: elements_init() */
    /* Where each level begins within a slice; from surface_layout(). */
    bool has_layout;
    uint32_t level_x_el[SURFACE_LEVELS], level_y_el[SURFACE_LEVELS];
};

/* Decodes RENDER_SURFACE_STATE (16 dwords). mem/limit_B/aux_mem are left for
 * the caller. False, with a null surface in *s, if it is malformed. */
bool surface_decode(struct surface *s, const uint32_t rss[16], unsigned gen);

uint64_t surface_flat_B(const struct surface *s);
uint64_t surface_vec4_B(const struct surface *s);

/* Fills in level_*_el. surface_decode() does it; who makes a struct surface
 * from other state (depth, stencil) should call it when all else is set:
 * without it every texel's address is computed from scratch. */
void surface_layout(struct surface *s);

/* 8-bit 4:2:0 with interleaved chroma. */
static inline bool
surface_is_nv12(const struct surface *s)
{
    return s->format == FORMAT_CODE_PLANAR_420_8;
}

/* Size of level `level` in texels. */
uint32_t surface_level_width(const struct surface *s, unsigned level);
uint32_t surface_level_height(const struct surface *s, unsigned level);
uint32_t surface_level_depth(const struct surface *s, unsigned level);

/* Slices that level has: 3D depth, or end of the view in array layers. */
uint32_t surface_level_slices(const struct surface *s, unsigned level);

/* Byte offset from mem of the element (block) that holds texel (x, y) of a
 * level, in slice z (3D slice, array layer, or 6 * cube + face; relative to
 * the resource, so the caller adds min_array) and sample. Coordinates are
 * taken as they are; check surface_ptr's result. */
uint64_t surface_offset_B(const struct surface *s, unsigned level, uint32_t x,
                          uint32_t y, uint32_t z, unsigned sample);
/* Pointer to that element, or NULL when it is outside of the level or of the
 * memory. */
uint8_t *surface_ptr(const struct surface *s, unsigned level, uint32_t x,
                     uint32_t y, uint32_t z, unsigned sample);
/* Offsets along a row and along a column: surface_offset_B() of (x + i, y + j)
 * is the wrapping sum x_B[i] + y_B[j]. True if 4x4 blocks counted from (x, y)
 * are laid out alike: elements have a power of two bytes, the tiling is linear,
 * X or Y, and no block straddles tiles. */
bool surface_axes(const struct surface *s, unsigned level, uint32_t x,
                  uint32_t y, uint32_t z, unsigned sample, unsigned width,
                  unsigned height, uint64_t *x_B, uint64_t *y_B);
/* What its tables depend on. */
struct axes_place {
    enum surface_tiling tiling;
    uint32_t pitch_B, element_B;
    uint32_t x_B, row; /* of the element at (x, y), in the grid of level 0 */
};
/* False if elements do not lie in the surface's grid as they are numbered. */
bool surface_axes_place(const struct surface *s, unsigned level, uint32_t x,
                        uint32_t y, uint32_t z, unsigned sample,
                        struct axes_place *p);
/* What surface_axes() returns. */
bool axes_alike(const struct axes_place *p);
/* Whether tables of up to 64 elements each way would be the same at both places
 * but for a constant: what all sums at the second are greater by, wrapping. */
bool axes_step(const struct axes_place *from, const struct axes_place *to,
               uint64_t *step_B);
/* Element `index` of a SURFACE_BUFFER (typed), or NULL when out of range. */
uint8_t *surface_buffer_ptr(const struct surface *s, uint64_t index);

/* ---- rectangles ------------------------------------------------------ */

/* One level, layer and sample of a surface as rows of bytes: rectangles that
 * need no texel decoded are filled and copied by whole tiles and cache lines.
 * Coordinates are elements from the level's corner. */
struct image {
    uint8_t *mem;
    uint8_t tiling; /* enum surface_tiling */
    uint32_t pitch_B;
    uint32_t x_B, y; /* of the corner */
    uint32_t width, height;
    unsigned element_B;
};

/* Rows that are drawn as one piece of work: a multiple of every tile's
 * height. */
#define IMAGE_BAND 64

/* False if the level has no such form or does not lie within the surface's
 * memory as a whole. */
bool image_init(struct image *im, const struct surface *s, unsigned level,
                unsigned slice, unsigned sample);
/* All samples of an interleaved surface; they are elements of their own. */
bool image_init_samples(struct image *im, const struct surface *s,
                        unsigned level, unsigned slice);
/* The multisample control surface of one layer; an element is an entry of
 * entry_B bytes. */
bool image_init_mcs(struct image *im, const struct surface *s, unsigned slice,
                    unsigned entry_B);
/* Where an element is. */
uint8_t *image_at(const struct image *im, uint32_t x, uint32_t y);
/* Bands that rows [y0, y1) touch, and the rows of one of them. */
unsigned image_bands(const struct image *im, uint32_t y0, uint32_t y1);
void image_band(const struct image *im, unsigned index, uint32_t *y0,
                uint32_t *y1);

/* The rectangle must lie in the image. `value` repeats an element, whose size
 * is a power of two. */
void image_fill(const struct image *im, uint32_t x0, uint32_t y0, uint32_t x1,
                uint32_t y1, const uint8_t value[16]);
/* Both rectangles must lie in their images, elements be of one size; they must
 * not overlap. */
void image_copy(const struct image *to, uint32_t to_x, uint32_t to_y,
                const struct image *from, uint32_t from_x, uint32_t from_y,
                uint32_t width, uint32_t height);
struct image_rect {
    const struct image *image;
    uint32_t x, y, width, height;
};
/* How many bytes from *begin on hold all of the rectangle, which is not empty.
 */
uint64_t image_span(const struct image_rect *rect, const uint8_t **begin);
/* Whether the two rectangles may have bytes in common. */
bool image_overlap(const struct image_rect *a, const struct image_rect *b);

/* ---- sampling -------------------------------------------------------- */

enum sample_op {
    SAMPLE_PLAIN,   /* implicit LOD */
    SAMPLE_BIAS,    /* + lod_or_bias */
    SAMPLE_LOD,     /* explicit lod_or_bias */
    SAMPLE_LZ,      /* LOD 0 */
    SAMPLE_GRAD,    /* d{u,v,r}d{x,y} */
    SAMPLE_GATHER4, /* offsets per lane in off_u/off_v if offsets_per_lane */
    SAMPLE_LD,      /* integer coordinates, integer lod */
    SAMPLE_LD_MS,   /* + sample index; MCS word already fetched by kernel */
    SAMPLE_LD_MCS,
    SAMPLE_LOD_QUERY,
    SAMPLE_RESINFO,
    SAMPLE_SAMPLEINFO,
};

#define SAMPLE_LANES 16

struct sampler {
    bool disabled;
    uint8_t min_filter, mag_filter, mip_filter; /* SAMPLER_STATE values */
    bool anisotropic_ewa;
    uint8_t max_anisotropy; /* 2..16 */
    uint8_t wrap[3];        /* TCX, TCY, TCZ: TCM values */
    uint8_t shadow_func;
    bool non_normalized;
    bool cube_override;
    uint8_t lod_preclamp;
    bool dx9_border;
    float lod_bias, min_lod, max_lod;
    uint8_t mag_clamp_mode;
    uint8_t rounding_enable; /* bit per address_*_rounding, R min first */
    uint8_t reduction;       /* 0 none, 2 minimum, 3 maximum (when enabled) */
    bool chromakey;
    uint8_t key_mode, key_index;
    uint32_t key_low, key_high;      /* of that index; left for the caller */
    uint8_t mono_width, mono_height; /* 1..7; left for the caller */
    union color border;              /* as stored; float or raw by format */
};

/* Decodes SAMPLER_STATE (4 dwords). *border_offset_B is its border colour's
 * offset from Dynamic State Base: the caller reads the colour from there. */
void sampler_decode(struct sampler *s, const uint32_t state[4],
                    uint32_t *border_offset_B, unsigned gen);

/* A request in structure-of-arrays form. Lanes 4k..4k+3 are a 2x2 quad
 * (top left, top right, bottom left, bottom right); derivatives come from all
 * four, whether exec_mask has them or not. Float or integer coordinates
 * follow from the op. Unused members are zero. */
struct sample_req {
    enum sample_op op;
    bool compare; /* shadow: ref is compared with the texel */
    bool force_array_index_zero;
    unsigned lanes; /* 8 or 16 */
    uint32_t exec_mask;
    union {
        float f[SAMPLE_LANES];
        uint32_t u[SAMPLE_LANES];
        int32_t i[SAMPLE_LANES];
    } u, v, r, ai, lod, ref, si, mcs[4];
    float dudx[SAMPLE_LANES], dudy[SAMPLE_LANES];
    float dvdx[SAMPLE_LANES], dvdy[SAMPLE_LANES];
    float drdx[SAMPLE_LANES], drdy[SAMPLE_LANES];
    bool offsets_per_lane;
    int32_t off_u[SAMPLE_LANES], off_v[SAMPLE_LANES]; /* if per lane */
    int8_t offset[3];            /* header offsets u, v, r */
    uint8_t gather_channel;      /* 0..3 */
    uint8_t reduction;           /* instead of the sampler's, if not 0 */
    bool ignore_mcs;             /* SAMPLE_LD_MS: si is the slice */
    float min_lod[SAMPLE_LANES]; /* "mlod": least LOD, per lane */
    uint32_t *killed; /* where lanes that match a chroma key are marked */
};

/* Answers a request: out[channel][lane], all lanes of exec_mask. sp may be
 * NULL for ops that need no sampler (ld, resinfo, sampleinfo). */
void sampler_sample(const struct surface *s, const struct sampler *sp,
                    const struct sample_req *req,
                    uint32_t out[4][SAMPLE_LANES]);

#endif
