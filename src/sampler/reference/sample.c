/* sample.c: answers a request: decisions for all lanes first, then lane by
 * lane. */
#include "sampler/reference/sample.h"

static bool
is_filterable(const struct surface *s)
{
    return s->type == SURFACE_1D || s->type == SURFACE_2D ||
           s->type == SURFACE_3D || s->type == SURFACE_CUBE;
}

/* Within a face every coordinate has a texel, whatever the address modes. */
static void
init_wrap(struct sample_ctx *ctx)
{
    const struct sampler *sp = ctx->sp;
    for (unsigned d = 0; d < 3; d++) {
        unsigned wrap = sp->wrap[d];
        ctx->wrap[d] = (uint8_t)(wrap == GEN9_TCM_CUBE ? GEN9_TCM_CLAMP : wrap);
    }
    ctx->seamless = ctx->cube &&
                    (sp->cube_override || sp->wrap[0] == GEN9_TCM_CUBE);
    if (ctx->seamless)
        ctx->wrap[0] = ctx->wrap[1] = GEN9_TCM_CUBE;
}

bool
sample_ctx_init(struct sample_ctx *ctx, const struct surface *s,
                const struct sampler *sp, const struct sample_req *req)
{
    ctx->s = s;
    ctx->sp = sp;
    ctx->req = req;
    if (!is_filterable(s) || sp->disabled)
        return false;
    ctx->cube = s->type == SURFACE_CUBE;
    ctx->dims = s->type == SURFACE_1D ? 1 : s->type == SURFACE_3D ? 3 : 2;
    ctx->integer = s->fmt->is_int;
    ctx->border.v = (vec4){0.0f, 0.0f, 0.0f, 0.0f};
    ctx->reduction = REDUCTION_NONE;
    unsigned reduction = req->reduction ? req->reduction : sp->reduction;
    if (reduction == REDUCTION_MIN || reduction == REDUCTION_MAX)
        ctx->reduction = (uint8_t)reduction;
    /* KBL PRM vol 2d, SAMPLER_STATE, Reduction Type: no comparison. */
    ctx->compare = req->compare && !ctx->integer && !ctx->reduction;
    ctx->shadow_func = sp->shadow_func;
    ctx->keyed = chroma_key_applies(sp, s) && !ctx->compare;
    ctx->key_hit = false;
    ctx->direct = true;
    ctx->scaled = false;
    ctx->has_min_lod = false;
    ctx->mono = filter_is_mono(sp, s) && !ctx->compare && !ctx->reduction;
    ctx->level0 = s->min_lod;
    init_wrap(ctx);
    texel_init(ctx);
    lod_init(ctx);
    filter_quad_init(ctx);
    return true;
}

/* KBL PRM vol 2d, RENDER_SURFACE_STATE, Shader Channel Select. */
static uint32_t
select_channel(const struct surface *s, const union color *in, unsigned c)
{
    switch (s->swizzle[c]) {
    case GEN9_SCS_ZERO: return 0;
    case GEN9_SCS_ONE: return s->fmt->is_int ? 1 : bits_from_float(1.0f);
    default: return in->u[s->swizzle[c] & 3];
    }
}

void
sample_swizzle(const struct surface *s, const union color *in, unsigned lane,
               uint32_t out[4][SAMPLE_LANES])
{
    for (unsigned c = 0; c < 4; c++)
        out[c][lane] = select_channel(s, in, c);
}

/* Sets the coordinates to filter; returns the slice of the others. */
static uint32_t
lane_coords(const struct sample_ctx *ctx, unsigned lane, float coord[3])
{
    const struct sample_req *req = ctx->req;
    const float dir[3] = {req->u.f[lane], req->v.f[lane], req->r.f[lane]};
    bool zero = req->force_array_index_zero;
    memcpy(coord, dir, sizeof dir);
    if (ctx->cube) {
        enum cube_face face = cube_select_face(dir);
        cube_project(face, dir, coord);
        return texel_slice(ctx, zero ? 0.0f : req->ai.f[lane], face);
    }
    if (ctx->dims == 3)
        return 0;
    return texel_slice(ctx, zero ? 0.0f : dir[ctx->dims], 0);
}

static bool
is_anisotropic(const struct sample_ctx *ctx)
{
    enum sample_op op = ctx->req->op;
    return ctx->dims == 2 && op != SAMPLE_LOD && op != SAMPLE_LZ &&
           (ctx->sp->min_filter == FILTER_ANISOTROPIC ||
            ctx->sp->mag_filter == FILTER_ANISOTROPIC);
}

/* Without mipmaps and with one filter, no result depends on the LOD. */
static bool
needs_lod(const struct sample_ctx *ctx)
{
    const struct sampler *sp = ctx->sp;
    return sp->mip_filter != MIP_NONE || sp->min_filter != sp->mag_filter ||
           is_anisotropic(ctx);
}

static float
derived_lod(const struct sample_ctx *ctx, unsigned lane, struct sample_lod *lod)
{
    struct sample_deriv d;
    lod_derivatives(ctx, lane, &d);
    return is_anisotropic(ctx) ? lod_anisotropic(ctx, &d, lod)
                               : lod_isotropic(&d);
}

static void
choose_lod(const struct sample_ctx *ctx, unsigned lane, float derived,
           struct sample_lod *lod)
{
    const struct sample_req *req = ctx->req;
    float base = derived;
    if (req->op == SAMPLE_BIAS)
        base += req->lod.f[lane];
    else if (req->op == SAMPLE_LOD)
        base = req->lod.f[lane];
    else if (req->op == SAMPLE_LZ)
        base = 0.0f;
    lod_select(ctx, base, req->min_lod[lane], lod);
}

static void
sample_lane(struct sample_ctx *ctx, const struct sample_lod *lod, unsigned lane,
            uint32_t out[4][SAMPLE_LANES])
{
    union texel t;
    if (lod->out_of_bounds) {
        texel_outside(ctx->s->fmt, &t.c);
        sample_swizzle(ctx->s, &t.c, lane, out);
        return;
    }
    float coord[3];
    uint32_t slice = lane_coords(ctx, lane, coord);
    ctx->key_hit = false;
    t.v = filter_level(ctx, lod, lod->level, coord, slice, lane);
    if (lod->beta && (!ctx->integer || ctx->reduction))
        t.v = filter_mix(
            ctx, t.v,
            filter_level(ctx, lod, lod->level + 1, coord, slice, lane),
            lod->beta);
    if (ctx->scaled)
        t.v /= 255.0f;
    else if (!ctx->integer && (lod->filter != FILTER_NEAREST || lod->beta))
        t.v = sample_settle(t.v);
    if (ctx->key_hit && ctx->req->killed)
        *ctx->req->killed |= 1u << lane;
    sample_swizzle(ctx->s, &t.c, lane, out);
}

/* Whether the lanes of a quad have the same LOD. */
static bool
is_uniform(const struct sample_ctx *ctx, unsigned quad)
{
    const struct sample_req *req = ctx->req;
    if (req->op == SAMPLE_GRAD || ctx->has_min_lod)
        return false;
    if (req->op != SAMPLE_BIAS && req->op != SAMPLE_LOD)
        return true;
    const uint32_t *lod = &req->lod.u[quad];
    return lod[0] == lod[1] && lod[0] == lod[2] && lod[0] == lod[3];
}

struct quad {
    unsigned first, mask;
    bool uniform; /* lod holds for all lanes */
    float derived;
    struct sample_lod lod;
};

static void
begin_quad(const struct sample_ctx *ctx, struct quad *q)
{
    const struct sample_req *req = ctx->req;
    if (req->op == SAMPLE_PLAIN || req->op == SAMPLE_BIAS)
        q->derived = derived_lod(ctx, q->first, &q->lod);
    q->uniform = is_uniform(ctx, q->first);
    if (q->uniform)
        choose_lod(ctx, q->first, q->derived, &q->lod);
}

static void
sample_quad(struct sample_ctx *ctx, struct quad *q,
            uint32_t out[4][SAMPLE_LANES])
{
    if (ctx->fast && q->uniform &&
        filter_quad(ctx, &q->lod, q->first, q->mask, out))
        return;
    for (unsigned i = 0; i < 4; i++) {
        unsigned lane = q->first + i;
        if (!(q->mask >> i & 1))
            continue;
        if (ctx->req->op == SAMPLE_GRAD)
            q->derived = derived_lod(ctx, lane, &q->lod);
        if (!q->uniform)
            choose_lod(ctx, lane, q->derived, &q->lod);
        sample_lane(ctx, &q->lod, lane, out);
    }
}

/* Whether all lanes have the same LOD, that of *all. */
static bool
begin_request(struct sample_ctx *ctx, struct quad *all)
{
    const struct sample_req *req = ctx->req;
    bool same = req->op == SAMPLE_LZ || !needs_lod(ctx);
    static const float none[SAMPLE_LANES];
    ctx->has_min_lod = memcmp(req->min_lod, none, sizeof none);
    *all = (struct quad){.uniform = true, .lod = {.ways = 1}};
    same = same && !ctx->has_min_lod;
    if (same)
        choose_lod(ctx, 0, 0.0f, &all->lod);
    return same;
}

static bool
has_derivatives(const struct sample_ctx *ctx)
{
    enum sample_op op = ctx->req->op;
    return op == SAMPLE_PLAIN || op == SAMPLE_BIAS || op == SAMPLE_GRAD;
}

void
sample_lods(struct sample_ctx *ctx, struct sample_lod lod[SAMPLE_LANES],
            float derived[SAMPLE_LANES])
{
    const struct sample_req *req = ctx->req;
    struct quad all;
    struct sample_lod unused;
    bool same = begin_request(ctx, &all);
    struct quad q = all;
    for (unsigned lane = 0; lane < req->lanes; lane++) {
        derived[lane] = 0;
        if (lane % 4 == 0) {
            q = all;
            q.first = lane;
            if (!same && req->exec_mask >> lane & 0xf)
                begin_quad(ctx, &q);
        }
        if (!(req->exec_mask >> lane & 1))
            continue;
        if (req->op == SAMPLE_GRAD && !same)
            q.derived = derived_lod(ctx, lane, &q.lod);
        if (!q.uniform)
            choose_lod(ctx, lane, q.derived, &q.lod);
        lod[lane] = q.lod;
        if (has_derivatives(ctx))
            derived[lane] = derived_lod(ctx, lane, &unused);
    }
}

void
sample_filtered(struct sample_ctx *ctx, uint32_t out[4][SAMPLE_LANES])
{
    const struct sample_req *req = ctx->req;
    struct quad all;
    bool same = begin_request(ctx, &all);
    for (unsigned lane = 0; lane < req->lanes; lane += 4) {
        struct quad q = all;
        q.first = lane;
        q.mask = req->exec_mask >> lane & 0xf;
        if (!q.mask)
            continue;
        if (!same)
            begin_quad(ctx, &q);
        sample_quad(ctx, &q, out);
    }
}

/* The header names a channel; its shader channel select chooses the channel to
 * gather. Comparisons gather their result. */
static void
sample_gather4(struct sample_ctx *ctx, uint32_t out[4][SAMPLE_LANES])
{
    const struct sample_req *req = ctx->req;
    unsigned channel = req->gather_channel & 3;
    unsigned lit = ctx->source[0] < 4 ? 0 : 3;
    for (unsigned lane = 0; lane < req->lanes; lane++) {
        if (!(req->exec_mask >> lane & 1))
            continue;
        float coord[3];
        uint32_t slice = lane_coords(ctx, lane, coord);
        union texel t[4];
        vec4 v[4];
        filter_gather4(ctx, coord, slice, lane, v);
        for (unsigned i = 0; i < 4; i++) {
            t[i].v = ctx->scaled ? v[i] / 255.0f : v[i];
            if (ctx->compare && ctx->s->swizzle[channel] >= GEN9_SCS_RED)
                out[i][lane] = t[i].c.u[lit];
            else
                out[i][lane] = select_channel(ctx->s, &t[i].c, channel);
        }
    }
}

static void
sample_lod_query(struct sample_ctx *ctx, uint32_t out[4][SAMPLE_LANES])
{
    const struct sample_req *req = ctx->req;
    for (unsigned lane = 0; lane < req->lanes; lane++) {
        if (!(req->exec_mask >> lane & 1))
            continue;
        struct sample_lod lod;
        float answer[2];
        lod_query(ctx, derived_lod(ctx, lane, &lod), answer);
        out[0][lane] = bits_from_float(answer[0]);
        out[1][lane] = bits_from_float(answer[1]);
        out[2][lane] = out[3][lane] = 0;
    }
}

static void
sample_zero(const struct sample_req *req, uint32_t out[4][SAMPLE_LANES])
{
    for (unsigned c = 0; c < 4; c++)
        for (unsigned lane = 0; lane < req->lanes; lane++)
            if (req->exec_mask >> lane & 1)
                out[c][lane] = 0;
}

void
sampler_sample(const struct surface *s, const struct sampler *sp,
               const struct sample_req *req, uint32_t out[4][SAMPLE_LANES])
{
    switch (req->op) {
    case SAMPLE_LD:
    case SAMPLE_LD_MS: sample_load(s, req, out); return;
    case SAMPLE_LD_MCS: sample_load_mcs(s, req, out); return;
    case SAMPLE_RESINFO: sample_resinfo(s, req, out); return;
    case SAMPLE_SAMPLEINFO: sample_sampleinfo(s, req, out); return;
    default: break;
    }
    struct sample_ctx ctx;
    if (!sp || !sample_ctx_init(&ctx, s, sp, req)) {
        sample_zero(req, out);
        return;
    }
    if (req->op == SAMPLE_GATHER4)
        sample_gather4(&ctx, out);
    else if (req->op == SAMPLE_LOD_QUERY)
        sample_lod_query(&ctx, out);
    else
        sample_filtered(&ctx, out);
}
