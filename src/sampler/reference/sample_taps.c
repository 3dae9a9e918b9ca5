/* sample_taps.c: which texels a request reads: how many, of which level. */
#include "sampler/reference/sample.h"

#define ONE_LEVEL 1.0f

struct taps {
    struct sample_taps *list;
    unsigned count;
};

static void
add_taps(struct taps *t, unsigned lane, uint32_t level, enum sample_filter how,
         unsigned texels, bool minified)
{
    t->list[t->count++] = (struct sample_taps){.lane = (uint8_t)lane,
                                               .level = (uint8_t)level,
                                               .filter = (uint8_t)how,
                                               .minified = minified,
                                               .texels = (uint16_t)texels};
}

/* As filter_level() does; texels of weight zero included. */
static void
add_level(struct taps *t, const struct sample_ctx *ctx,
          const struct sample_lod *lod, unsigned lane, int32_t level,
          bool minified)
{
    bool smooth = !ctx->integer || ctx->reduction != REDUCTION_NONE;
    unsigned texels = 1u << ctx->dims;
    enum sample_filter how = SAMPLE_FILTER_LINEAR;
    if (ctx->mono) {
        how = SAMPLE_FILTER_MONO;
        texels = ctx->sp->mono_width * ctx->sp->mono_height;
    } else if (lod->filter == FILTER_NEAREST || !smooth) {
        how = SAMPLE_FILTER_NEAREST;
        texels = 1;
    } else if (lod->filter == FILTER_ANISOTROPIC && lod->ways > 1) {
        how = SAMPLE_FILTER_ANISOTROPIC;
        texels *= lod->ways;
    }
    add_taps(t, lane, (uint32_t)level, how, texels, minified);
}

static void
add_filtered(struct taps *t, struct sample_ctx *ctx)
{
    const struct sample_req *req = ctx->req;
    struct sample_lod lod[SAMPLE_LANES];
    float derived[SAMPLE_LANES];
    sample_lods(ctx, lod, derived);
    for (unsigned i = 0; i < req->lanes; i++) {
        if (!(req->exec_mask >> i & 1) || lod[i].out_of_bounds)
            continue;
        bool minified = derived[i] >= ONE_LEVEL;
        add_level(t, ctx, &lod[i], i, lod[i].level, minified);
        if (lod[i].beta && (!ctx->integer || ctx->reduction))
            add_level(t, ctx, &lod[i], i, lod[i].level + 1, minified);
    }
}

/* Integer coordinates, of which each has one texel. */
static void
add_loads(struct taps *t, const struct surface *s, const struct sample_req *req)
{
    for (unsigned i = 0; i < req->lanes; i++) {
        uint32_t lod = req->op == SAMPLE_LD ? req->lod.u[i] : 0;
        if (req->exec_mask >> i & 1 && lod <= s->mip_count_minus1)
            add_taps(t, i, s->min_lod + lod, SAMPLE_FILTER_NONE, 1, false);
    }
}

unsigned
sampler_find_taps(const struct surface *s, const struct sampler *sp,
                  const struct sample_req *req,
                  struct sample_taps list[SAMPLE_TAPS_MAX])
{
    struct taps t = {list, 0};
    struct sample_ctx ctx;
    if (s->type == SURFACE_NULL)
        return 0;
    switch (req->op) {
    case SAMPLE_LD:
    case SAMPLE_LD_MS: add_loads(&t, s, req); return t.count;
    case SAMPLE_LD_MCS:
    case SAMPLE_RESINFO:
    case SAMPLE_SAMPLEINFO:
    case SAMPLE_LOD_QUERY: return 0;
    default: break;
    }
    if (!sp || !sample_ctx_init(&ctx, s, sp, req))
        return 0;
    if (req->op != SAMPLE_GATHER4) {
        add_filtered(&t, &ctx);
        return t.count;
    }
    for (unsigned i = 0; i < req->lanes; i++)
        if (req->exec_mask >> i & 1)
            add_taps(&t, i, (uint32_t)ctx.level0, SAMPLE_FILTER_GATHER, 4,
                     false);
    return t.count;
}
