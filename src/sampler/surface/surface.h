/* surface.h: decoded surfaces, and the places of their texels in memory. Knows
 * no GPU address: the engine turns addresses into host pointers when it makes a
 * struct surface.
 *
 * Who calls: reference/ and plan/, and the engine by sampler.h (draw creation,
 * messages, render target, depth and stencil). Pure functions over const data,
 * any thread; nothing here allocates. The memory that a surface points to is
 * the client's, and the caller keeps it mapped while the surface is used.
 * Surface layouts: BDW PRM vol 5 "Memory Views". */
#ifndef SAMPLER_SURFACE_SURFACE_H
#define SAMPLER_SURFACE_SURFACE_H

#include "base/range.h"
#include "sampler/format/format.h"
#include "sampler/surface/typed_elements.h"

enum surface_type {
    SURFACE_1D = 0,
    SURFACE_2D = 1,
    SURFACE_3D = 2,
    SURFACE_CUBE = 3,
    SURFACE_BUFFER = 4,
    SURFACE_STRBUF = 5,
    SURFACE_NULL = 7,
};

/* The first four are values of Tile Mode. The others are Tile Mode Y, or a 1D
 * surface, with a Tiled Resource Mode. */
enum surface_tiling {
    TILING_LINEAR = 0,
    TILING_W = 1,
    TILING_X = 2,
    TILING_Y = 3,
    TILING_YF = 4,
    TILING_YS = 5
};

/* A tile of TileYF or TileYS: masks of the offset bits within the tile that
 * come from x in bytes, y and z. z is a 3D slice or a sample. */
struct std_tile {
    uint16_t x_mask, y_mask, z_mask;
    uint8_t size_log2_B, width_log2_B, height_log2, depth_log2;
};

enum surface_aux {
    AUX_NONE = 0,
    AUX_CCS_D = 1,
    AUX_MCS = 1,
    AUX_HIZ = 3,
    AUX_CCS_E = 5
};

/* Arrangement of a surface's levels and slices. Its type, its tiling and the
 * generation decide it. BDW PRM vol 5, "Memory Views"; SKL PRM vol 5, "Memory
 * Views". */
enum surface_layout {
    LAYOUT_2D, /* slices QPitch apart, each with all levels */
    LAYOUT_1D, /* Gen9, linear and standard 1D: levels in a row, no pitch */
    LAYOUT_3D, /* Gen8: levels below each other, 2^level slices side by side */
};

#define SURFACE_LEVELS 15
#define SURFACE_PALETTES 2
#define SURFACE_COLORS 256 /* of a palette */
#define FORMAT_CODE_PLANAR_420_8 0x1a5

/* A decoded surface. Sizes are of level 0, as programmed (not minified);
 * `base_level` etc. are the view. */
struct surface {
    /* First member, for compiled code. The caller sets it, because it knows the
     * messages that use the surface. */
    struct mem_range range;
    uint64_t base_va; /* GPU address, for the engine; sampler uses mem */
    uint8_t *mem;     /* host address of base_va */
    uint64_t limit_B; /* bytes that may be accessed from mem on */
    const struct format_info *fmt; /* never NULL: bad codes become NULL type */
    uint16_t format;
    uint8_t type;   /* enum surface_type */
    uint8_t tiling; /* enum surface_tiling */
    bool is_array;
    uint8_t halign_el, valign_el;
    uint8_t layout;                /* enum surface_layout */
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
    uint16_t uv_x_B, uv_y;      /* corner of the chroma plane of NV12 */
    /* SURFACE_COLORS entries of palette formats, as in their packets; the
     * caller sets it. NULL is black. */
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
    /* The caller sets these from surface_*_B(): bytes that the data port may
     * access, and bytes that `ld` reads as four plain dwords at any offset, or
     * 0. */
    uint64_t flat_B, vec4_B;
    struct typed_elements elements; /* typed_elements_init() */
    /* Corner of each level within a slice; from surface_layout(). */
    bool has_layout;
    uint32_t level_x_el[SURFACE_LEVELS], level_y_el[SURFACE_LEVELS];
    /* Only for standard tilings, which always have a layout. */
    struct std_tile std_tile;
    uint8_t mip_tail_start;
    uint8_t level_z[SURFACE_LEVELS]; /* 3D slices */
};

/* Decodes RENDER_SURFACE_STATE (16 dwords). The caller sets mem, limit_B and
 * aux_mem. Returns false, with a null surface in *s, if the state is malformed.
 */
bool surface_decode(struct surface *s, const uint32_t rss[16], unsigned gen);

uint64_t surface_flat_B(const struct surface *s);
uint64_t surface_vec4_B(const struct surface *s);

/* Type and tiling of *s must be set. */
enum surface_layout surface_choose_layout(const struct surface *s,
                                          unsigned gen);
/* The corner of a slice, numbered as in surface_offset_B(), in elements from
 * the level's corner. */
void surface_slice_el(const struct surface *s, unsigned level, uint32_t slice,
                      uint32_t *x, uint32_t *y);

/* Fills in level_*_el. surface_decode() calls it. A caller that makes a struct
 * surface from other state (depth, stencil) should call it when all else is
 * set: without it every address is computed from scratch. */
void surface_layout(struct surface *s);

/* TileYF or TileYS: only surface_offset_B() and surface_ptr() support them. */
static inline bool
surface_is_std(const struct surface *s)
{
    return s->tiling >= TILING_YF;
}

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

/* Slices of a level: 3D depth, or the end of the view in array layers. */
uint32_t surface_level_slices(const struct surface *s, unsigned level);

/* Offset in bytes from mem of the element (block) that holds texel (x, y) of a
 * level, in slice z (3D slice, array layer, or 6 * cube + face; relative to the
 * resource, so the caller adds min_array) and sample. Coordinates are not
 * checked; see surface_ptr(). */
uint64_t surface_offset_B(const struct surface *s, unsigned level, uint32_t x,
                          uint32_t y, uint32_t z, unsigned sample);
/* Pointer to the element of surface_offset_B(), or NULL outside the level or
 * the memory. */
uint8_t *surface_ptr(const struct surface *s, unsigned level, uint32_t x,
                     uint32_t y, uint32_t z, unsigned sample);
/* Offsets along a row and along a column: surface_offset_B() of (x + i, y + j)
 * is the wrapping sum x_B[i] + y_B[j]. Returns true if all 4x4 blocks counted
 * from (x, y) have the same layout: elements have a power of two bytes, the
 * tiling is linear, X or Y, and no block straddles tiles. */
bool surface_axes(const struct surface *s, unsigned level, uint32_t x,
                  uint32_t y, uint32_t z, unsigned sample, unsigned width,
                  unsigned height, uint64_t *x_B, uint64_t *y_B);
/* The inputs of surface_axes()'s tables. */
struct axes_place {
    enum surface_tiling tiling;
    uint32_t pitch_B, element_B;
    uint32_t x_B, row; /* of the element at (x, y), in the grid of level 0 */
};
/* Returns false if the surface does not store elements in a plain grid. */
bool surface_axes_place(const struct surface *s, unsigned level, uint32_t x,
                        uint32_t y, uint32_t z, unsigned sample,
                        struct axes_place *p);
/* The return value of surface_axes(). */
bool axes_alike(const struct axes_place *p);
/* Whether tables of up to 64 elements each way differ only by a constant
 * between two places. *step_B: the wrapping difference of the second place's
 * sums. */
bool axes_step(const struct axes_place *from, const struct axes_place *to,
               uint64_t *step_B);
/* Element `index` of a SURFACE_BUFFER (typed), or NULL when out of range. */
uint8_t *surface_buffer_ptr(const struct surface *s, uint64_t index);

#endif
