/* avc_state.c: makes pictures and slices of the packets of MFX_AVC, and decodes
 * MFD_AVC_BSD_OBJECT. KBL PRM vol 2a and 2d; Observed: stock iHD 23.1 and i965
 * 2.4 disagree in fields that are not read here. */
#include "base/fields.h"
#include "engine/mfx/avc/avc.h"
#include "engine/mfx/mfx.h"

#include <stdlib.h>

#define HASH_MASK 0x7ffffu

static int
signed_bits(uint32_t dw, unsigned lo, unsigned hi)
{
    return (int)fields_sext(bits_get(dw, lo, hi), hi - lo + 1);
}

/* ---- pictures ---- */

static void
read_image(struct avc_picture *p, const struct video_state *v)
{
    const uint32_t *dw = v->avc_image;
    unsigned structure = bits_get(dw[3], 8, 9);
    p->field = structure != 0;
    p->bottom = structure == 3;
    p->width_mb = bits_get(dw[2], 0, 7) + 1;
    p->height_mb = bits_get(dw[2], 16, 23) + 1; /* of the frame */
    p->mbaff = !p->field && bits_get(dw[4], 1, 1);
    if (p->field || p->mbaff)
        p->height_mb = (p->height_mb + 1) & ~1u;
    if (p->field)
        p->height_mb /= 2;
    p->weighted_bipred = bits_get(dw[3], 10, 11);
    p->weighted_pred = bits_get(dw[3], 12, 12);
    p->chroma_qp_offset[0] = signed_bits(dw[3], 16, 20);
    p->chroma_qp_offset[1] = signed_bits(dw[3], 24, 28);
    p->transform_8x8 = bits_get(dw[4], 3, 3);
    p->direct_8x8_inference = bits_get(dw[4], 4, 4);
    p->constrained_intra = bits_get(dw[4], 5, 5);
    p->cabac = bits_get(dw[4], 7, 7);
    p->mono = bits_get(dw[4], 10, 11) == 0;
}

static void
read_scale(struct avc_picture *p, const struct video_state *v)
{
    uint8_t x4[6][16], x8[2][64];
    for (unsigned i = 0; i < 2; i++) {
        memcpy(x4[i * 3], v->matrix[i] + 2, sizeof x4 / 2);
        memcpy(x8[i], v->matrix[2 + i] + 2, sizeof x8[i]);
    }
    avc_scale_init(&p->scale, x4, x8);
}

/* A buffer of motion; NULL: its address is no memory of that size. */
static uint32_t *
motion_at(const struct engine_context *ctx, const struct avc_picture *p,
          const uint32_t *dw)
{
    gpu_va va = mfx_va(dw);
    uint64_t rows = ALIGN_POT(p->height_mb * (p->field ? 2u : 1u), 2u);
    uint64_t size_B = rows * p->width_mb * 64;
    if (!va || size_B > vm_limit_B(ctx->vm, va) ||
        vm_mapped_B(ctx->vm, va, size_B) < size_B)
        return NULL;
    return vm_ptr(ctx->vm, va);
}

static bool
read_memory(struct avc_picture *p, const struct engine_context *ctx)
{
    const struct video_state *v = &ctx->hw->video;
    uint32_t luma_rows = p->height_mb * 16 * (p->field ? 2 : 1);
    uint32_t u_row = bits_get(v->surface[4], 0, 14);
    uint32_t rows = MAX2(luma_rows, u_row + luma_rows / 2);
    if (!mfx_surface_init(&p->target, ctx->vm, v->surface, mfx_target_va(v),
                          p->width_mb * 16, rows))
        return false;
    p->motion = motion_at(ctx, p, v->avc_direct + 34);
    for (unsigned i = 0; i < AVC_STORES; i++) {
        gpu_va va = mfx_va(v->buffers + 19 + i * 2);
        p->ref[i].base = NULL;
        if (va && !mfx_surface_init(&p->ref[i], ctx->vm, v->surface, va,
                                    p->width_mb * 16, rows))
            return false;
        p->ref_hash[i] = (uint32_t)((va >> 12) ^ (va >> 31)) & HASH_MASK;
        p->ref_motion[i] = motion_at(ctx, p, v->avc_direct + 1 + i * 2);
    }
    return true;
}

static bool
read_picture(struct avc_picture *p, const struct engine_context *ctx)
{
    const struct video_state *v = &ctx->hw->video;
    read_image(p, v);
    read_scale(p, v);
    for (unsigned i = 0; i < ARRAY_SIZE(p->poc); i++)
        p->poc[i] = (int32_t)v->avc_direct[37 + i];
    return read_memory(p, ctx);
}

/* ---- slices ---- */

static void
read_refs(struct avc_slice *s, const struct avc_picture *p,
          const struct video_state *v)
{
    for (unsigned list = 0; list < 2; list++)
        for (unsigned i = 0; i < AVC_REFS; i++) {
            uint32_t entry = v->avc_refs[list][2 + i / 4] >> i % 4 * 8 & 0xff;
            unsigned store = bits_get(entry, 1, 4), bottom = entry & 1;
            const int32_t *poc = p->poc + store * 2;
            s->ref[list][i] = (struct avc_ref){
                .id = (uint8_t)(store * 4 + (p->field ? 1 + bottom : 3)),
                .present = !bits_get(entry, 7, 7),
                .long_term = bits_get(entry, 6, 6),
                .poc = p->field ? poc[bottom] : MIN2(poc[0], poc[1]),
            };
        }
}

static void
read_weights(struct avc_slice *s, const struct video_state *v)
{
    for (unsigned list = 0; list < 2; list++)
        for (unsigned i = 0; i < AVC_REFS; i++)
            for (unsigned c = 0; c < 3; c++) {
                uint32_t dw = v->avc_weights[list][2 + i * 3 + c];
                s->weight[list][i][c][0] = (int16_t)(dw & 0xffff);
                s->weight[list][i][c][1] = (int16_t)(dw >> 16);
            }
}

/* The address in coded order of a place in MBs. */
static unsigned
address_of(const struct avc_picture *p, unsigned column, unsigned row)
{
    if (p->mbaff)
        return (row / 2 * p->width_mb + column) * 2;
    return row * p->width_mb + column;
}

static bool
read_slice(struct avc_slice *s, const struct avc_picture *p,
           const struct video_state *v)
{
    const uint32_t *dw = v->avc_slice;
    unsigned mbs = p->width_mb * p->height_mb;
    s->type = bits_get(dw[1], 0, 3);
    s->log2_denom[0] = bits_get(dw[2], 0, 2);
    s->log2_denom[1] = bits_get(dw[2], 8, 10);
    for (unsigned i = 0; i < 2; i++)
        s->ref_count[i] = MIN2(bits_get(dw[2], 16 + i * 8, 21 + i * 8),
                               (unsigned)AVC_REFS);
    s->alpha = signed_bits(dw[3], 0, 3) * 2;
    s->beta = signed_bits(dw[3], 8, 11) * 2;
    s->qp = bits_get(dw[3], 16, 21);
    s->cabac_init = MIN2(bits_get(dw[3], 24, 25), 2u);
    s->deblock = bits_get(dw[3], 27, 28);
    s->direct_spatial = bits_get(dw[3], 29, 29);
    s->first_mb = address_of(p, bits_get(dw[4], 16, 23),
                             bits_get(dw[4], 24, 31));
    s->end_mb = address_of(p, bits_get(dw[5], 0, 8), bits_get(dw[5], 16, 24));
    if (s->end_mb <= s->first_mb || s->end_mb > mbs)
        s->end_mb = mbs;
    if (s->type > AVC_SLICE_I || s->qp > 51 || s->first_mb >= mbs) {
        guest_error("H.264 slice of type %u at macroblock %u of %u", s->type,
                    s->first_mb, mbs);
        return false;
    }
    if (s->type == AVC_SLICE_I)
        s->ref_count[0] = 0;
    if (s->type != AVC_SLICE_B)
        s->ref_count[1] = 0;
    read_refs(s, p, v);
    read_weights(s, v);
    return true;
}

/* ---- commands ---- */

/* The context's decoder with a picture begun; NULL: the batch has an error. */
static struct avc_decoder *
open_picture(struct engine_context *ctx)
{
    struct avc_decoder *d = ctx->avc;
    if (!d)
        d = ctx->avc = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    if (d->open)
        return d;
    d->recon = avc_recon_selected();
    d->pool = engine_pool(ctx->engine);
    if (!read_picture(&d->picture, ctx) || !avc_begin_picture(d))
        return NULL;
    return d;
}

bool
mfx_is_open(const struct engine_context *ctx)
{
    return ctx->mpeg2 || (ctx->avc && ctx->avc->open);
}

void
mfx_end_picture(struct engine_context *ctx)
{
    struct mfx_report report = {0};
    mfx_decode_waiting(ctx);
    if (!ctx->avc || !ctx->avc->open)
        return;
    avc_end_picture(ctx->avc, &report);
    mfx_add_report(&ctx->hw->video, &report);
}

void
mfx_free(struct engine_context *ctx)
{
    if (ctx->avc)
        avc_free(ctx->avc);
    free(ctx->avc);
    free(ctx->mpeg2);
}

bool
mfx_avc_object(struct engine_context *ctx, const uint32_t *dw)
{
    struct mfx_report report = {0};
    struct avc_decoder *d = open_picture(ctx);
    if (!d || !read_slice(&d->slice, &d->picture, &ctx->hw->video))
        return false;
    d->slice.stream = mfx_stream_at(ctx, dw[2], dw[1]);
    d->slice.first_byte = bits_get(dw[4], 16, 31);
    d->slice.first_bit = bits_get(dw[4], 0, 2);
    avc_add_slice(d, &report);
    if (bits_get(dw[4], 3, 3))
        avc_end_picture(d, &report);
    mfx_add_report(&ctx->hw->video, &report);
    return true;
}
