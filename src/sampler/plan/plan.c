/* plan.c: makes the decisions of sample.c, texel.c and lod.c that do not depend
 * on lanes, once per plan. */
#include "base/stats.h"
#include "sampler/plan/kernels.h"
#include "sampler/plan/plan_parts.h"

/* ---- supported requests ---- */

static bool
is_planned(const struct sample_ctx *ctx)
{
    const struct sample_req *req = ctx->req;
    const struct sampler *sp = ctx->sp;
    if (req->op != SAMPLE_PLAIN && req->op != SAMPLE_BIAS &&
        req->op != SAMPLE_LOD && req->op != SAMPLE_LZ && req->op != SAMPLE_LD)
        return false;
    if (ctx->dims != 2 || ctx->cube || ctx->reduction || ctx->keyed ||
        sp->min_filter == FILTER_MONO || sp->mag_filter == FILTER_MONO)
        return false;
    /* Coordinates in texels, as in the stock driver's blits. */
    if (sp->non_normalized &&
        (req->op != SAMPLE_LZ || ctx->wrap[0] != GEN9_TCM_CLAMP ||
         ctx->wrap[1] != GEN9_TCM_CLAMP))
        return false;
    for (unsigned d = 0; d < 2; d++)
        if (ctx->wrap[d] == GEN9_TCM_MIRROR_ONCE)
            return false;
    return true;
}

/* Whether the element is `count` channels of one kind and size, red first. */
static bool
is_array(const struct format_info *fmt, unsigned kind, unsigned bits,
         unsigned *count)
{
    unsigned n = 0;
    while (n < 4 && fmt->ch[n].kind == kind && fmt->ch[n].bits == bits &&
           fmt->ch[n].start_bit == n * bits)
        n++;
    for (unsigned c = n; c < 4; c++)
        if (fmt->ch[c].kind != FORMAT_NONE && fmt->ch[c].kind != FORMAT_VOID)
            return false;
    *count = n;
    return n == 1 || ((n == 2 || n == 4) && fmt->block_bits == n * bits);
}

static bool
is_srgb_bytes(const struct format_info *fmt)
{
    for (unsigned c = 0; c < 4; c++) {
        const struct format_channel *ch = &fmt->ch[c];
        bool absent = ch->kind == FORMAT_NONE || ch->kind == FORMAT_VOID;
        unsigned byte = ch->start_bit / 8;
        if (c < 3 ? ch->kind != FORMAT_UNORM || byte > 2
                  : !absent && (ch->kind != FORMAT_UNORM || byte != 3))
            return false;
        if (!absent && (ch->bits != 8 || ch->start_bit % 8))
            return false;
    }
    return fmt->srgb && fmt->block_bits == 32;
}

static bool
is_r11g11b10(const struct format_info *fmt)
{
    return fmt->ch[0].kind == FORMAT_UFLOAT && fmt->ch[0].bits == 11 &&
           fmt->ch[1].start_bit == 11 && fmt->ch[1].bits == 11 &&
           fmt->ch[2].start_bit == 22 && fmt->ch[2].bits == 10;
}

/* Whether all channels that exist have one kind and at most 16 bits. */
static bool
is_packed(const struct format_info *fmt, struct sample_packed *packed)
{
    unsigned kind = FORMAT_NONE;
    *packed = (struct sample_packed){.max = {1.0f, 1.0f, 1.0f, 1.0f}};
    if (fmt->element_B > 4 || fmt->block_bits != fmt->element_B * 8)
        return false;
    for (unsigned c = 0; c < 4; c++) {
        const struct format_channel *ch = &fmt->ch[c];
        if (ch->kind == FORMAT_NONE || ch->kind == FORMAT_VOID)
            continue;
        if ((kind != FORMAT_NONE && ch->kind != kind) || ch->bits > 16)
            return false;
        kind = ch->kind;
        packed->left[c] = 32 - ch->start_bit - ch->bits;
        packed->right[c] = 32 - ch->bits;
        unsigned numbers = kind == FORMAT_SNORM ? ch->bits - 1u : ch->bits;
        packed->max[c] = (float)((1u << numbers) - 1);
    }
    packed->is_signed = kind == FORMAT_SNORM || kind == FORMAT_SINT;
    packed->is_int = kind == FORMAT_UINT || kind == FORMAT_SINT;
    return packed->is_int || kind == FORMAT_UNORM || kind == FORMAT_SNORM;
}

static enum sample_texel
choose_bytes(const struct format_info *fmt)
{
    return fmt->element_B == 1   ? SAMPLE_BYTES1
           : fmt->element_B == 2 ? SAMPLE_BYTES2
           : fmt->element_B == 4 ? SAMPLE_BYTES4
                                 : SAMPLE_TEXELS;
}

/* Picks from three consecutive kinds: one, two and four channels. */
static enum sample_texel
of_count(enum sample_texel first, unsigned count)
{
    return (enum sample_texel)(first + (count == 4 ? 2 : count - 1));
}

static enum sample_texel
choose_texel(const struct sample_ctx *ctx, struct sample_packed *packed)
{
    const struct format_info *fmt = ctx->s->fmt;
    unsigned n;
    if (fmt->compression != FORMAT_PLAIN)
        return fmt->block_w != 4 || fmt->block_h != 4 ||
                       (fmt->element_B != 8 && fmt->element_B != 16)
                   ? SAMPLE_TEXELS
               : ctx->scaled ? SAMPLE_BYTE_BLOCKS
                             : SAMPLE_BLOCKS;
    if (ctx->scaled)
        return choose_bytes(fmt);
    if (is_srgb_bytes(fmt))
        return SAMPLE_SRGB;
    if (fmt->srgb)
        return SAMPLE_TEXELS;
    if (is_array(fmt, FORMAT_FLOAT, 32, &n) ||
        is_array(fmt, FORMAT_UINT, 32, &n) ||
        is_array(fmt, FORMAT_SINT, 32, &n))
        return of_count(SAMPLE_FLOAT1, n);
    if (is_array(fmt, FORMAT_FLOAT, 16, &n))
        return of_count(SAMPLE_HALF1, n);
    if (is_r11g11b10(fmt))
        return SAMPLE_R11G11B10;
    if (is_array(fmt, FORMAT_UNORM, 16, &n) && n == 1)
        return SAMPLE_UNORM16;
    if (is_array(fmt, FORMAT_UNORM, 24, &n) && n == 1)
        return SAMPLE_UNORM24;
    if (is_packed(fmt, packed))
        return SAMPLE_PACKED;
    return SAMPLE_TEXELS;
}

static bool
may_compare(enum sample_texel texel)
{
    return texel == SAMPLE_FLOAT1 || texel == SAMPLE_UNORM16 ||
           texel == SAMPLE_UNORM24;
}

static enum sample_mode
choose_mode(const struct sample_plan *plan, enum sample_op op)
{
    if (op == SAMPLE_LD)
        return SAMPLE_FETCH;
    if (plan->min_anisotropic || plan->mag_anisotropic)
        return SAMPLE_ANISOTROPIC;
    bool one = plan->lod.fixed && !plan->lod.beta;
    bool linear = plan->lod.mag ? plan->mag_linear : plan->min_linear;
    if (one)
        return linear ? SAMPLE_LINEAR : SAMPLE_NEAREST;
    return plan->min_linear && plan->mag_linear ? SAMPLE_MIPMAPS : SAMPLE_ANY;
}

/* ---- levels of detail ---- */

static bool
is_linear(const struct sample_ctx *ctx, unsigned filter)
{
    return filter != FILTER_NEAREST && !ctx->integer;
}

/* Anisotropic filtering needs derivatives. */
static bool
is_anisotropic(const struct sample_ctx *ctx, unsigned filter)
{
    return filter == FILTER_ANISOTROPIC && !ctx->integer &&
           (ctx->req->op == SAMPLE_PLAIN || ctx->req->op == SAMPLE_BIAS);
}

/* Supports EWA ellipses beside linear filters only: drivers use no other
 * combination. */
static bool
plan_anisotropy(struct sample_plan *plan, const struct sample_ctx *ctx)
{
    const struct sampler *sp = ctx->sp;
    plan->min_anisotropic = is_anisotropic(ctx, sp->min_filter);
    plan->mag_anisotropic = is_anisotropic(ctx, sp->mag_filter);
    if (!plan->min_anisotropic && !plan->mag_anisotropic)
        return ctx->integer ? sp->min_filter != FILTER_ANISOTROPIC &&
                                  sp->mag_filter != FILTER_ANISOTROPIC
                            : true;
    return sp->anisotropic_ewa && sp->min_filter != FILTER_NEAREST &&
           sp->mag_filter != FILTER_NEAREST;
}

static bool
plan_lod(struct sample_plan *plan, const struct sample_ctx *ctx)
{
    const struct sampler *sp = ctx->sp;
    const struct lod_limits *lim = &ctx->limits;
    const struct surface *s = ctx->s;
    enum sample_op op = ctx->req->op;
    struct sample_lod_plan *lod = &plan->lod;
    if (lim->resident > lim->mips || !plan_anisotropy(plan, ctx))
        return false;
    int32_t max = MIN2(lim->max, lim->mips);
    int32_t min = MIN2(MAX2(lim->min, lim->resident), lim->mips);
    int32_t whole_max = (max + SAMPLE_ONE - 1) & -SAMPLE_ONE;
    int32_t whole_min = min & -SAMPLE_ONE;
    bool smooth = sp->mip_filter == MIP_LINEAR;
    int32_t alone = MAX2(MIN2(0, whole_max), whole_min);
    *lod = (struct sample_lod_plan){
        .derived = op == SAMPLE_PLAIN || op == SAMPLE_BIAS,
        .lane = op == SAMPLE_BIAS || op == SAMPLE_LOD,
        .blends = !ctx->integer,
        .preclamp = sp->lod_preclamp,
        .mag_by_mip = sp->mag_clamp_mode,
        .mip_filter = sp->mip_filter,
        .bias = sp->lod_bias,
        .rounding = lod_rounding(sp),
        .max_anisotropy = (float)sp->max_anisotropy,
        .size = {(float)surface_level_width(s, s->min_lod),
                 (float)surface_level_height(s, s->min_lod)},
        .preclamp_min = lim->min,
        .preclamp_max = lim->max,
        .base = lim->base,
        .min = smooth ? min : whole_min,
        .max = smooth ? max : whole_max,
        .mips = lim->mips,
        .alone = CLAMP(alone, 0, lim->mips),
        .level0 = ctx->level0,
    };
    lod->fixed = op == SAMPLE_LZ ||
                 (sp->mip_filter == MIP_NONE &&
                  sp->min_filter == sp->mag_filter && !plan->min_anisotropic);
    if (lod->fixed) {
        struct sample_lod same;
        lod_select(ctx, 0.0f, 0.0f, &same);
        lod->mag = same.mag;
        lod->level = same.level;
        lod->beta = ctx->integer ? 0 : same.beta;
    }
    return true;
}

static uint8_t
choose_axis(const struct sample_plan *plan, unsigned d)
{
    if (plan->offset[d])
        return SAMPLE_AXIS_ANY;
    return plan->wrap[d] == GEN9_TCM_WRAP    ? SAMPLE_AXIS_REPEAT
           : plan->wrap[d] == GEN9_TCM_CLAMP ? SAMPLE_AXIS_CLAMP
                                             : SAMPLE_AXIS_ANY;
}

static bool
plan_filter(struct sample_plan *plan, const struct sample_ctx *ctx)
{
    const struct sampler *sp = ctx->sp;
    plan->border = false;
    plan->min_linear = is_linear(ctx, sp->min_filter);
    plan->mag_linear = is_linear(ctx, sp->mag_filter);
    for (unsigned d = 0; d < 2; d++) {
        bool min = sample_rounds(sp, d, false),
             mag = sample_rounds(sp, d, true);
        if (plan->min_linear && plan->mag_linear && min != mag)
            return false;
        plan->round[d] = (plan->min_linear ? min : mag) ? 0.5f : 0.0f;
        plan->wrap[d] = ctx->wrap[d];
        plan->offset[d] = ctx->req->offset[d];
        plan->axis[d] = choose_axis(plan, d);
        plan->border |= ctx->wrap[d] == GEN9_TCM_CLAMP_BORDER ||
                        ctx->wrap[d] == GEN9_TCM_HALF_BORDER;
    }
    return true;
}

/* Whether flushing denormals cannot change an answer. Formats of few bits hold
 * no denormal, and filters make none of them. A denormal coordinate lies in the
 * first texel or just before it, which only borders and offsets tell apart. A
 * derivative whose square is denormal gives the least LOD. References are
 * compared as integers with numbers from 0 to 1. */
static bool
knows_no_denormals(const struct sample_plan *plan, enum sample_op op)
{
    if (plan->border || plan->offset[0] || plan->offset[1] ||
        (plan->compare && plan->texel == SAMPLE_FLOAT1) ||
        plan->mode == SAMPLE_ANISOTROPIC || op == SAMPLE_BIAS)
        return false;
    switch (plan->texel) {
    case SAMPLE_BYTES1:
    case SAMPLE_BYTES2:
    case SAMPLE_BYTES4:
    case SAMPLE_SRGB:
    case SAMPLE_UNORM16:
    case SAMPLE_UNORM24:
    case SAMPLE_PACKED:
    case SAMPLE_BLOCKS:
    case SAMPLE_BYTE_BLOCKS:
    case SAMPLE_HALF1: /* denormal halves are normal floats */
    case SAMPLE_HALF2:
    case SAMPLE_HALF4:
    case SAMPLE_R11G11B10: return true;
    case SAMPLE_FLOAT1:
    case SAMPLE_FLOAT2:
    case SAMPLE_FLOAT4:
        return plan->mode == SAMPLE_NEAREST || plan->mode == SAMPLE_FETCH;
    default: return false;
    }
}

/* ---- channels ---- */

/* Bytes keep the order of memory. Comparisons have one result. */
static uint8_t
pick_channel(const struct sample_plan *plan, const struct sample_ctx *ctx,
             unsigned c)
{
    const struct surface *s = ctx->s;
    unsigned scs = s->swizzle[c];
    if (scs == GEN9_SCS_ZERO)
        return SOURCE_ZERO;
    if (scs == GEN9_SCS_ONE)
        return SOURCE_ONE;
    unsigned source = ctx->source[scs & 3];
    if (source >= 4)
        return (uint8_t)source;
    if (plan->texel <= SAMPLE_SRGB)
        return s->fmt->ch[source].start_bit / 8;
    return plan->compare ? 0 : (uint8_t)source;
}

static void
plan_channels(struct sample_plan *plan, const struct sample_ctx *ctx)
{
    unsigned seen = 0;
    plan->one = ctx->integer ? 1 : (int32_t)bits_from_float(1.0f);
    for (unsigned c = 0; c < 4; c++) {
        plan->pick[c] = pick_channel(plan, ctx, c);
        seen |= 1u << plan->pick[c];
        plan->place[plan->pick[c] & 3] = (uint8_t)c;
    }
    plan->permuted = seen == 0xf;
}

/* Fills in the shuffles for texels of four bytes. A channel that is 1.0 borrows
 * a byte that no other channel uses. */
static void
plan_bytes(struct sample_plan *plan)
{
    struct sample_bytes *b = &plan->bytes;
    unsigned used = 0;
    for (unsigned c = 0; c < 4; c++)
        used |= 1u << plan->pick[c];
    unsigned spare = (unsigned)__builtin_ctz(~used) & 3;
    b->ones = 0;
    b->zeros = 0;
    for (unsigned c = 0; c < 4; c++) {
        unsigned pick = plan->pick[c], byte = pick & 3;
        if (pick == SOURCE_ONE) {
            byte = spare;
            b->ones = (int32_t)(0xffu << 8 * spare);
        }
        bool zero = pick == SOURCE_ZERO;
        b->zeros |= (uint32_t)zero << c;
        b->at[c] = (int32_t)(byte * 0x01010101u);
        for (unsigned i = 0; i < 16; i++)
            b->spread[c][i] = zero ? 0x80 : (uint8_t)((i & ~3u) + byte);
    }
    for (unsigned i = 0; i < 32; i++) {
        bool blue_first = i >= 16;
        unsigned at = i % 16, c = at & 3;
        c = blue_first && !(c & 1) ? c ^ 2 : c;
        bool zero = b->zeros >> c & 1;
        b->pixel[blue_first][at] = b->spread[c][at];
        b->answered[blue_first][at] = zero ? 0x80 : (uint8_t)((at & ~3u) + c);
    }
}

/* Returns false if only sampler_sample() can answer. Fills in all members but
 * the kernels. */
static bool
make_plan(struct sample_plan *plan, const struct surface *s,
          const struct sampler *sp, const struct sample_shape *shape)
{
    struct sample_req req = {
        .op = shape->op,
        .compare = shape->compare,
        .reduction = shape->reduction,
        .offset = {shape->offset[0], shape->offset[1], shape->offset[2]},
    };
    static const struct sampler no_sampler; /* ld needs none */
    struct sample_ctx ctx;
    if (shape->op == SAMPLE_LD)
        sp = &no_sampler;
    if (!sp || (shape->op > SAMPLE_LZ && shape->op != SAMPLE_LD) ||
        s->samples > 1 || !sample_ctx_init(&ctx, s, sp, &req) ||
        !is_planned(&ctx))
        return false;
    enum sample_texel texel = choose_texel(&ctx, &plan->packed);
    if (texel == SAMPLE_TEXELS || (ctx.compare && !may_compare(texel)) ||
        !plan_levels_find(plan, &ctx) || !plan_lod(plan, &ctx) ||
        !plan_filter(plan, &ctx))
        return false;
    plan->texel = texel;
    plan->blocks = texel == SAMPLE_BLOCKS || texel == SAMPLE_BYTE_BLOCKS;
    plan->fmt = s->fmt;
    plan->compare = ctx.compare;
    plan->compare_func = ctx.shadow_func;
    plan->mode = choose_mode(plan, shape->op);
    /* Each of the many samples would prefetch, which costs more than it saves.
     */
    if (plan->mode == SAMPLE_ANISOTROPIC)
        plan->ahead_B = 0;
    plan_channels(plan, &ctx);
    plan_bytes(plan);
    plan->any_denormals = knows_no_denormals(plan, shape->op);
    /* The footprint kernels detect floats that can give a denormal. */
    bool detected = texel == SAMPLE_FLOAT1 || texel == SAMPLE_FLOAT4 ||
                    plan->mode == SAMPLE_ANISOTROPIC;
    plan->footprint_any_denormals = plan->any_denormals ||
                                    (detected && !plan->offset[0] &&
                                     !plan->offset[1]);
    return true;
}

void
sample_plan_init(struct sample_plan *plan, const struct surface *s,
                 const struct sampler *sp, const struct sample_shape *shape)
{
    plan->run = NULL;
    plan->footprint = NULL;
    plan->to_unorm8 = NULL;
    plan->finish = NULL;
    plan->in_registers = NULL;
    plan->texel = SAMPLE_TEXELS;
    if (make_plan(plan, s, sp, shape))
        kernel_select(plan, 0);
    else
        stats_add(STAT_tex_reference, 1);
}
