/* sample_load.c: the ld messages: texels by integer coordinates, without
 * filter. ILK PRM vol 4 part 1, 4.11.1.4 "ld"; MCS: docs/architecture.md. */
#include "sampler/reference/sample.h"
#include "sampler/surface/tiling.h"

static bool
has_mcs(const struct surface *s)
{
    return s->samples > 1 && !s->interleaved && s->aux_mem &&
           (s->aux == AUX_MCS || s->aux == AUX_CCS_E);
}

/* Bits of a pixel's MCS entry. */
static unsigned
mcs_bits(unsigned samples)
{
    return samples <= 4 ? 8 : samples == 8 ? 32 : 64;
}

/* Sample i is in slice i. */
static uint64_t
mcs_identity(unsigned samples)
{
    switch (samples) {
    case 2: return 0x2;
    case 4: return 0xe4;
    case 8: return 0x76543210;
    case 16: return UINT64_C(0xfedcba9876543210);
    default: return 0;
    }
}

static bool
mcs_is_clear(uint64_t mcs, unsigned samples)
{
    uint64_t ones = samples == 2   ? 0x3
                    : samples == 4 ? 0xff
                    : samples == 8 ? 0xffffffff
                                   : UINT64_MAX;
    return (mcs & ones) == ones;
}

static unsigned
mcs_slice(uint64_t mcs, unsigned samples, unsigned sample)
{
    switch (samples) {
    case 2: return mcs >> sample & 1;
    case 4: return mcs >> 2 * sample & 3;
    case 8: return mcs >> 4 * sample & 7;
    case 16: return mcs >> 4 * sample & 15;
    default: return sample;
    }
}

/* Without MCS the surface ignores the entry that the kernel passes. */
static bool
resolve_sample(const struct surface *s, const struct sample_req *req,
               unsigned lane, unsigned *sample)
{
    uint64_t mcs = req->mcs[0].u[lane] | (uint64_t)req->mcs[1].u[lane] << 32;
    if (req->ignore_mcs || !has_mcs(s) || *sample >= s->samples)
        return true;
    if (mcs_is_clear(mcs, s->samples))
        return false;
    *sample = mcs_slice(mcs, s->samples, *sample);
    return true;
}

/* Clear colours have no values for channels that the format lacks. */
static void
clear_color(const struct surface *s, union color *out)
{
    texel_outside(s->fmt, out);
    for (unsigned c = 0; c < 4; c++) {
        unsigned kind = s->fmt->ch[c].kind;
        if (kind != FORMAT_NONE && kind != FORMAT_VOID)
            out->u[c] = s->clear_color.u[c];
    }
}

struct load_address {
    uint32_t x, y, z;
    unsigned level;
    bool valid;
};

static struct load_address
load_address(const struct surface *s, const struct sample_req *req,
             unsigned lane)
{
    uint32_t u = req->u.u[lane] + (uint32_t)req->offset[0];
    uint32_t v = req->v.u[lane] + (uint32_t)req->offset[1];
    uint32_t r = req->r.u[lane], lod = req->lod.u[lane];
    struct load_address a = {.x = u, .valid = lod <= s->mip_count_minus1};
    a.level = s->min_lod + (a.valid ? lod : 0);
    uint32_t layer = r;
    if (s->type == SURFACE_1D) {
        layer = req->v.u[lane];
    } else {
        a.y = v;
    }
    if (s->type == SURFACE_3D) {
        a.z = r + (uint32_t)req->offset[2];
        return a;
    }
    uint32_t layers = s->depth * (s->type == SURFACE_CUBE ? 6 : 1);
    if (!s->is_array || req->force_array_index_zero)
        layer = 0;
    a.valid = a.valid && layer < layers;
    a.z = s->min_array + layer;
    return a;
}

static void
load_lane(const struct surface *s, const struct sample_req *req, unsigned lane,
          struct format_block_cache *blocks, union color *out)
{
    unsigned sample = req->op == SAMPLE_LD_MS ? req->si.u[lane] : 0;
    if (req->op == SAMPLE_LD_MS && !resolve_sample(s, req, lane, &sample)) {
        clear_color(s, out);
        return;
    }
    struct load_address a = load_address(s, req, lane);
    const uint8_t *p = a.valid && a.x < surface_level_width(s, a.level) &&
                               a.y < surface_level_height(s, a.level)
                           ? surface_ptr(s, a.level, a.x, a.y, a.z, sample)
                           : NULL;
    if (p)
        texel_decode(s, p, a.x, a.y, a.z, blocks, out);
    else
        texel_outside(s->fmt, out);
}

static void
load_buffer(const struct surface *s, uint32_t index, union color *out)
{
    const uint8_t *p = surface_buffer_ptr(s, index);
    if (p && s->fmt->compression == FORMAT_PALETTE)
        palette_decode(s, p, 0, out);
    else if (p)
        s->fmt->unpack(s->fmt, p, out);
    else
        texel_outside(s->fmt, out);
}

void
sample_load(const struct surface *s, const struct sample_req *req,
            uint32_t out[4][SAMPLE_LANES])
{
    struct format_block_cache blocks;
    if (s->fmt->compression != FORMAT_PLAIN)
        format_block_cache_init(&blocks, s->fmt);
    for (unsigned lane = 0; lane < req->lanes; lane++) {
        if (!(req->exec_mask >> lane & 1))
            continue;
        union color c = {.u = {0, 0, 0, 0}};
        if (s->type == SURFACE_NULL || s->type == SURFACE_STRBUF) {
            for (unsigned i = 0; i < 4; i++)
                out[i][lane] = 0;
            continue;
        }
        if (s->type == SURFACE_BUFFER)
            load_buffer(s, req->u.u[lane], &c);
        else
            load_lane(s, req, lane, &blocks, &c);
        sample_swizzle(s, &c, lane, out);
    }
}

/* MCS is a Y-tiled surface of its own with one element per pixel. */
static uint64_t
load_mcs(const struct surface *s, uint32_t x, uint32_t y, uint32_t layer)
{
    unsigned size_B = mcs_bits(s->samples) / 8;
    if (x >= s->width || y >= s->height || layer >= s->depth)
        return 0;
    uint64_t offset = tiling_offset_y_B(
        x * size_B, y + (s->min_array + layer) * s->aux_qpitch_el_rows,
        s->aux_row_pitch_B);
    if (offset + size_B > s->aux_limit_B)
        return 0;
    uint64_t mcs = 0;
    memcpy(&mcs, s->aux_mem + offset, size_B);
    return mcs;
}

void
sample_load_mcs(const struct surface *s, const struct sample_req *req,
                uint32_t out[4][SAMPLE_LANES])
{
    for (unsigned lane = 0; lane < req->lanes; lane++) {
        if (!(req->exec_mask >> lane & 1))
            continue;
        uint32_t layer = s->is_array ? req->r.u[lane] : 0;
        uint64_t mcs = has_mcs(s)
                           ? load_mcs(s, req->u.u[lane], req->v.u[lane], layer)
                           : mcs_identity(s->samples);
        out[0][lane] = (uint32_t)mcs;
        out[1][lane] = (uint32_t)(mcs >> 32);
        out[2][lane] = out[3][lane] = 0;
    }
}
