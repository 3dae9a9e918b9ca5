/* lod.c: levels of detail and anisotropic footprints. ILK PRM vol 4 part 1,
 * 4.2.1 "Level of Detail Computation"; LOD fields of the surface: KBL PRM vol
 * 2d. */
#include <math.h>

#include "sampler/reference/sample.h"

/* Every clamp is within this limit. */
#define LOD_LIMIT 32.0f

static float
level_size(const struct sample_ctx *ctx, unsigned axis)
{
    const struct surface *s = ctx->s;
    unsigned level = (unsigned)ctx->level0;
    if (ctx->sp->non_normalized)
        return 1.0f;
    switch (axis) {
    case 0: return (float)surface_level_width(s, level);
    case 1: return (float)surface_level_height(s, level);
    default: return (float)surface_level_depth(s, level);
    }
}

/* Guess: derivatives are plain differences between the upper left pixel and its
 * neighbours, one set for the whole subspan (ILK PRM vol 4 part 1, 4.11). */
static void
implicit_derivs(const struct sample_req *req, unsigned lane, float dx[3],
                float dy[3])
{
    unsigned q = lane & ~3u;
    dx[0] = req->u.f[q + 1] - req->u.f[q];
    dy[0] = req->u.f[q + 2] - req->u.f[q];
    dx[1] = req->v.f[q + 1] - req->v.f[q];
    dy[1] = req->v.f[q + 2] - req->v.f[q];
    dx[2] = req->r.f[q + 1] - req->r.f[q];
    dy[2] = req->r.f[q + 2] - req->r.f[q];
}

static void explicit(const struct sample_req *req, unsigned lane, float dx[3],
                     float dy[3])
{
    dx[0] = req->dudx[lane];
    dy[0] = req->dudy[lane];
    dx[1] = req->dvdx[lane];
    dy[1] = req->dvdy[lane];
    dx[2] = req->drdx[lane];
    dy[2] = req->drdy[lane];
}

static void
lane_direction(const struct sample_req *req, unsigned lane, float dir[3])
{
    dir[0] = req->u.f[lane];
    dir[1] = req->v.f[lane];
    dir[2] = req->r.f[lane];
}

static double
deriv_determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) +
           a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Kernels divide each pixel's direction by its own major axis, so differences
 * across faces are too short. Guess: directions varied linearly before the
 * division, k1 p1 + k2 p2 - k3 p3 = p0. This finds k1 and k2. */
static void
undo_division(const struct sample_req *req, unsigned quad,
              struct sample_deriv *d)
{
    double p[4][3];
    enum cube_face face = CUBE_POS_X;
    bool same = true;
    for (unsigned i = 0; i < 4; i++) {
        float dir[3];
        lane_direction(req, quad + i, dir);
        for (unsigned k = 0; k < 3; k++)
            p[i][k] = (double)dir[k];
        enum cube_face f = cube_select_face(dir);
        face = i ? face : f;
        same &= f == face;
    }
    double det = deriv_determinant(p[1], p[2], p[3]);
    double k1 = deriv_determinant(p[0], p[2], p[3]) / det;
    double k2 = deriv_determinant(p[1], p[0], p[3]) / det;
    if (same || !(k1 > 0.0 && k1 < 1e6 && k2 > 0.0 && k2 < 1e6))
        return;
    for (unsigned i = 0; i < 3; i++) {
        d->dx[i] = (float)(k1 * p[1][i] - p[0][i]);
        d->dy[i] = (float)(k2 * p[2][i] - p[0][i]);
    }
}

static void
project_derivs(const struct sample_req *req, unsigned lane,
               struct sample_deriv *d)
{
    float dir[3], dx[3], dy[3];
    lane_direction(req, lane, dir);
    memcpy(dx, d->dx, sizeof dx);
    memcpy(dy, d->dy, sizeof dy);
    enum cube_face face = cube_select_face(dir);
    cube_project_deriv(face, dir, dx, d->dx);
    cube_project_deriv(face, dir, dy, d->dy);
}

void
lod_derivatives(const struct sample_ctx *ctx, unsigned lane,
                struct sample_deriv *d)
{
    bool grad = ctx->req->op == SAMPLE_GRAD;
    if (grad)
        explicit(ctx->req, lane, d->dx, d->dy);
    else
        implicit_derivs(ctx->req, lane, d->dx, d->dy);
    if (ctx->cube && !grad)
        undo_division(ctx->req, lane & ~3u, d);
    if (ctx->cube)
        project_derivs(ctx->req, grad ? lane : lane & ~3u, d);
    for (unsigned i = 0; i < 3; i++) {
        float size = i < ctx->dims ? level_size(ctx, i) : 0.0f;
        d->dx[i] = size ? d->dx[i] * size : 0.0f;
        d->dy[i] = size ? d->dy[i] * size : 0.0f;
    }
}

/* No libm: its last bit differs between hosts, and a LOD must not differ. */
double
lod_log2(float x)
{
    uint32_t u = bits_from_float(x);
    int exponent = (int)(u >> 23) - 127;
    double m = float_from_bits((u & 0x7fffff) | 127u << 23);
    if (m > 1.4142135) {
        m *= 0.5;
        exponent++;
    }
    /* log2(m) = 2 / ln 2 * atanh(z) */
    double z = (m - 1.0) / (m + 1.0), z2 = z * z;
    double p = 1.0 / 9.0;
    p = 1.0 / 7.0 + z2 * p;
    p = 1.0 / 5.0 + z2 * p;
    p = 1.0 / 3.0 + z2 * p;
    p = 1.0 + z2 * p;
    return exponent + 2.8853900817779268 * z * p;
}

static float
squared_length(const float v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

/* log2 of a length, from its square. */
static float
log2_root(float squared)
{
    if (!(squared >= 1.17549435e-38f))
        return -LOD_LIMIT;
    if (squared > 3.0e38f)
        return LOD_LIMIT;
    return (float)(0.5 * lod_log2(squared));
}

float
lod_isotropic(const struct sample_deriv *d)
{
    float x = squared_length(d->dx), y = squared_length(d->dy);
    return log2_root(MAX2(x, y));
}

/* Axes of the ellipse that a circular pixel covers in the texture: the roots of
 * the eigenvalues of J J^T. */
static void
ellipse_axes(const struct sample_deriv *d, float *major, float *minor,
             float axis[2])
{
    double a = (double)d->dx[0] * d->dx[0] + (double)d->dy[0] * d->dy[0];
    double b = (double)d->dx[0] * d->dx[1] + (double)d->dy[0] * d->dy[1];
    double c = (double)d->dx[1] * d->dx[1] + (double)d->dy[1] * d->dy[1];
    double root = sqrt((a - c) * (a - c) + 4.0 * b * b);
    double high = 0.5 * (a + c + root);
    double det = (double)d->dx[0] * d->dy[1] - (double)d->dx[1] * d->dy[0];
    double low = high > 0.0 ? det * det / high : 0.0;
    /* The longer of the two forms of the eigenvector. */
    double x = a >= c ? high - c : b, y = a >= c ? b : high - a;
    double length = sqrt(x * x + y * y);
    *major = (float)sqrt(high);
    *minor = (float)sqrt(low);
    axis[0] = length > 0.0 ? (float)(x / length) : 1.0f;
    axis[1] = length > 0.0 ? (float)(y / length) : 0.0f;
}

/* The legacy algorithm takes the longer derivative as the axis. */
static void
parallelogram_axes(const struct sample_deriv *d, float *major, float *minor,
                   float axis[2])
{
    float x = sqrtf(squared_length(d->dx)), y = sqrtf(squared_length(d->dy));
    const float *v = x >= y ? d->dx : d->dy;
    *major = MAX2(x, y);
    *minor = MIN2(x, y);
    axis[0] = *major > 0.0f ? v[0] / *major : 1.0f;
    axis[1] = *major > 0.0f ? v[1] / *major : 0.0f;
}

float
lod_anisotropic(const struct sample_ctx *ctx, const struct sample_deriv *d,
                struct sample_lod *out)
{
    float major, minor;
    if (ctx->sp->anisotropic_ewa)
        ellipse_axes(d, &major, &minor, out->axis);
    else
        parallelogram_axes(d, &major, &minor, out->axis);
    float max = (float)ctx->sp->max_anisotropy;
    float ratio = minor * max > major ? major / minor : max;
    if (!(ratio > 1.0f) || !(major < 1e18f))
        ratio = 1.0f;
    float width = major / ratio;
    /* ILK PRM 4.2.3.3: the next larger even number of ways, one texel apart.
     * Guess: below two the samples move together, so that ratio 1 is isotropic.
     */
    unsigned ways = ratio <= 2.0f ? 2 : (unsigned)ceilf(0.5f * ratio) * 2;
    out->ways = (uint8_t)(ratio > 1.0f ? MIN2(ways, 16u) : 1);
    out->ratio = ratio;
    float step = ratio < 2.0f ? width * (ratio - 1.0f) : width;
    out->axis[0] *= step;
    out->axis[1] *= step;
    return log2_root(width * width);
}

float
lod_rounding(const struct sampler *sp)
{
    return sp->mip_filter == MIP_NEAREST ? 0.0f : 0.5f;
}

/* Rounds to 1/256 of a level. `rounding` is 0.5 to nearest, 0 down. */
static int32_t
fixed_lod(float lod, float rounding)
{
    if (!(lod > -LOD_LIMIT))
        lod = -LOD_LIMIT;
    if (lod > LOD_LIMIT)
        lod = LOD_LIMIT;
    return sample_floor(lod * SAMPLE_ONE + rounding);
}

void
lod_init(struct sample_ctx *ctx)
{
    const struct surface *s = ctx->s;
    float resident = s->resource_min_lod - (float)s->min_lod;
    ctx->limits = (struct lod_limits){
        .max = fixed_lod(ctx->sp->max_lod, 0.5f),
        .min = fixed_lod(ctx->sp->min_lod, 0.5f),
        .mips = s->mip_count_minus1 * SAMPLE_ONE,
        .resident = fixed_lod(MAX2(resident, 0.0f), 0.5f),
        .base = fixed_lod(s->base_mip_level, 0.5f),
    };
}

struct clamped {
    int32_t lod; /* 1/256, relative to level0 */
    bool mag, out_of_bounds;
    bool fraction; /* both neighbouring levels contribute */
};

static struct clamped
clamp_lod(const struct sample_ctx *ctx, float raw, float min_lod)
{
    const struct sampler *sp = ctx->sp;
    const struct lod_limits *lim = &ctx->limits;
    int32_t resident = lim->resident;
    int32_t lod = fixed_lod(raw, lod_rounding(sp));
    if (min_lod > 0.0f)
        resident = MAX2(resident, fixed_lod(min_lod, 0.5f));
    if (sp->lod_preclamp)
        lod = MAX2(MIN2(lod, lim->max), lim->min);
    struct clamped c = {.out_of_bounds = resident > lim->mips};
    c.mag = lod <= lim->base;
    int32_t mips = lim->mips, max = MIN2(lim->max, mips);
    int32_t min = MIN2(MAX2(lim->min, resident), mips);
    bool by_mip = !c.mag || sp->mag_clamp_mode;
    if (!by_mip || sp->mip_filter == MIP_NONE)
        lod = 0;
    if (by_mip && sp->mip_filter == MIP_LINEAR) {
        lod = MAX2(MIN2(lod, max), min);
        c.fraction = true;
    } else {
        lod = MIN2(lod, (max + SAMPLE_ONE - 1) & -SAMPLE_ONE);
        lod = MAX2(lod, min & -SAMPLE_ONE);
        if (by_mip && sp->mip_filter == MIP_NEAREST)
            lod = (lod + SAMPLE_ONE / 2) & -SAMPLE_ONE;
    }
    c.lod = CLAMP(lod, 0, mips);
    return c;
}

void
lod_select(const struct sample_ctx *ctx, float lod, float min_lod,
           struct sample_lod *out)
{
    struct clamped c = clamp_lod(ctx, lod + ctx->sp->lod_bias, min_lod);
    out->out_of_bounds = c.out_of_bounds;
    out->mag = c.mag;
    out->filter = c.mag ? ctx->sp->mag_filter : ctx->sp->min_filter;
    if (out->filter == FILTER_MONO && !ctx->mono)
        out->filter = FILTER_NEAREST;
    out->level = ctx->level0 + (c.lod >> 8);
    out->beta = c.fraction ? c.lod & (SAMPLE_ONE - 1) : 0;
}

void
lod_query(const struct sample_ctx *ctx, float lod, float out[2])
{
    lod += ctx->sp->lod_bias;
    out[0] = (float)clamp_lod(ctx, lod, 0.0f).lod / SAMPLE_ONE;
    out[1] = lod;
}
