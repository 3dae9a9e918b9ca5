/* tiling_std.c: the standard tilings, TileYF (4 KiB) and TileYS (64 KiB), and
 * MIP tails, which hold the last levels in one tile. The shape of a tile
 * depends on the element's size. SKL PRM vol 5, "Memory Views", Surface Layout
 * and Tiling; KBL PRM vol 2d, RENDER_SURFACE_STATE, Mip Tail Start LOD. */
#include "sampler/surface/tiling.h"

#define YF_LOG2_B 12
#define YS_LOG2_B 16
#define SLOTS 16
/* TileYF has those slots of TileYS that are below 4 KiB. */
#define YF_FIRST_SLOT 4

/* Bits of an offset within 4 KiB, by log2 of an element's bytes. TileYS has
 * four more bits. */
struct masks {
    uint16_t x, y, z;
};

static const struct masks masks_2d[5] = {
    {0xa0f, 0x5f0, 0}, {0xa8f, 0x570, 0}, {0xa8f, 0x570, 0},
    {0xacf, 0x530, 0}, {0xacf, 0x530, 0},
};
static const struct masks masks_3d[5] = {
    {0x00f, 0xa30, 0x5c0}, {0x00f, 0xa30, 0x5c0}, {0x20f, 0x930, 0x4c0},
    {0x30f, 0x830, 0x4c0}, {0x30f, 0x830, 0x4c0},
};
static const struct masks masks_1d = {0xfff, 0, 0};

static const struct masks above_2d = {0xa000, 0x5000, 0};
static const struct masks above_3d = {0x9000, 0x4000, 0x2000};
static const struct masks above_1d = {0xf000, 0, 0};

/* Offsets in the tile. 2D has one slot less than 1D and 3D. 3D elements of 32
 * bits have another order. */
static const uint16_t slots_2d_B[SLOTS] = {
    32768, 16384, 8192, 4096, 2048, 1536, 1280, 1024,
    768,   512,   256,  192,  128,  64,   0,    0,
};
static const uint16_t slots_3d_B[SLOTS] = {
    32768, 16384, 8192, 4096, 2048, 1024, 768, 512,
    448,   384,   320,  256,  192,  128,  64,  0,
};
static const uint16_t slots_3d_32_B[SLOTS] = {
    32768, 16384, 8192, 4096, 2048, 1024, 768, 256,
    704,   640,   576,  512,  192,  128,  64,  0,
};

/* YCRCB formats count as 16 bits per element. KBL PRM vol 2d,
 * RENDER_SURFACE_STATE, Tiled Resource Mode. */
static unsigned
element_log2_B(const struct surface *s)
{
    unsigned size_B = s->fmt->compression == FORMAT_YUV ? 2 : s->fmt->element_B;
    return MIN2((unsigned)__builtin_ctz(size_B), 4u);
}

/* log2 of the samples in a tile. TileYF keeps samples in slices, like TileY:
 * its row in the table of MIP tails is the same for any number of samples. */
static unsigned
sample_bits(const struct surface *s)
{
    if (s->tiling != TILING_YS || s->interleaved || s->samples <= 1)
        return 0;
    return (unsigned)__builtin_ctz(s->samples);
}

static struct std_tile
make_tile(struct masks m, bool ys)
{
    return (struct std_tile){
        .x_mask = m.x,
        .y_mask = m.y,
        .z_mask = m.z,
        .size_log2_B = ys ? YS_LOG2_B : YF_LOG2_B,
        .width_log2_B = (uint8_t)__builtin_popcount(m.x),
        .height_log2 = (uint8_t)__builtin_popcount(m.y),
        .depth_log2 = (uint8_t)__builtin_popcount(m.z),
    };
}

static struct masks
with_upper_bits(struct masks m, struct masks above, bool ys)
{
    if (ys) {
        m.x |= above.x;
        m.y |= above.y;
        m.z |= above.z;
    }
    return m;
}

struct std_tile
std_tile_2d(unsigned element_log2_B, bool ys)
{
    return make_tile(with_upper_bits(masks_2d[element_log2_B], above_2d, ys),
                     ys);
}

void
std_tile_init(struct std_tile *t, const struct surface *s)
{
    const unsigned size = element_log2_B(s);
    const bool ys = s->tiling == TILING_YS;
    struct masks m = s->type == SURFACE_1D
                         ? with_upper_bits(masks_1d, above_1d, ys)
                     : s->type == SURFACE_3D
                         ? with_upper_bits(masks_3d[size], above_3d, ys)
                         : with_upper_bits(masks_2d[size], above_2d, ys);
    /* The sample's number replaces the uppermost bits. */
    unsigned below = 0xffffu >> sample_bits(s);
    if (below != 0xffff && s->type != SURFACE_1D && s->type != SURFACE_3D) {
        m.x &= (uint16_t)below;
        m.y &= (uint16_t)below;
        m.z = (uint16_t)~below;
    }
    *t = make_tile(m, ys);
}

/* Extracts the bits of v at the ones of mask. */
static uint32_t
extract_bits(uint32_t v, uint32_t mask)
{
    uint32_t out = 0;
    for (unsigned i = 0; mask; mask &= mask - 1, i++)
        out |= v & mask & -mask ? 1u << i : 0;
    return out;
}

void
std_tail_origin(const struct surface *s, unsigned level, uint32_t *x_B,
                uint32_t *y, uint32_t *z)
{
    const struct std_tile *t = &s->std_tile;
    const uint16_t *slots_B = s->type == SURFACE_2D || s->type == SURFACE_CUBE
                                  ? slots_2d_B
                              : s->type == SURFACE_3D && element_log2_B(s) == 2
                                  ? slots_3d_32_B
                                  : slots_3d_B;
    unsigned first = s->tiling == TILING_YF ? YF_FIRST_SLOT : sample_bits(s);
    /* Levels without a slot share the last one. */
    uint32_t at_B = slots_B[MIN2(first + level, SLOTS - 1u)];
    *x_B = extract_bits(at_B, t->x_mask);
    *y = extract_bits(at_B, t->y_mask);
    *z = extract_bits(at_B, t->z_mask);
}

uint64_t
std_offset_B(const struct std_tile *t, uint32_t x_B, uint32_t row, uint32_t z,
             uint32_t pitch_B)
{
    uint64_t tiles_per_row = pitch_B >> t->width_log2_B;
    uint64_t tile = (row >> t->height_log2) * tiles_per_row +
                    (x_B >> t->width_log2_B);
    return (tile << t->size_log2_B) + (bits_deposit(x_B, t->x_mask) |
                                       bits_deposit(row, t->y_mask) |
                                       bits_deposit(z, t->z_mask));
}
