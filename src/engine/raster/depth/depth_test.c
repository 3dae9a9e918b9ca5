/* depth_test.c: stencil and depth test of single samples: the reference. KBL
 * PRM vol 2d, 3DSTATE_WM_DEPTH_STENCIL. Order: stencil, depth, then both
 * writes. */
#include "base/cpu.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/tile_view.h"

#include <math.h>

static enum depth_kind
depth_kind_of(const struct surface *s)
{
    if (s->type == SURFACE_NULL || !s->mem)
        return DEPTH_NONE;
    if (s->fmt->block_bits == 16)
        return DEPTH_U16;
    return s->fmt->ch[0].kind == FORMAT_FLOAT ? DEPTH_F32 : DEPTH_U24;
}

static void
init_faces(struct depth_state *ds, const struct draw *d)
{
    const struct gen9_3dstate_wm_depth_stencil *w = &d->wm_ds;
    ds->face[0] = (struct stencil_face){
        .func = (uint8_t)w->stencil_test_function,
        .fail = (uint8_t)w->stencil_fail_op,
        .zfail = (uint8_t)w->stencil_pass_depth_fail_op,
        .zpass = (uint8_t)w->stencil_pass_depth_pass_op,
        .ref = (uint8_t)w->stencil_reference_value,
        .test_mask = (uint8_t)w->stencil_test_mask,
        .write_mask = (uint8_t)w->stencil_write_mask,
    };
    ds->face[1] = ds->face[0];
    if (!w->double_sided_stencil_enable)
        return;
    ds->face[1] = (struct stencil_face){
        .func = (uint8_t)w->backface_stencil_test_function,
        .fail = (uint8_t)w->backface_stencil_fail_op,
        .zfail = (uint8_t)w->backface_stencil_pass_depth_fail_op,
        .zpass = (uint8_t)w->backface_stencil_pass_depth_pass_op,
        .ref = (uint8_t)w->backface_stencil_reference_value,
        .test_mask = (uint8_t)w->backface_stencil_test_mask,
        .write_mask = (uint8_t)w->backface_stencil_write_mask,
    };
}

void
depth_state_init(struct depth_state *ds, const struct draw *d)
{
    const struct gen9_3dstate_wm_depth_stencil *w = &d->wm_ds;
    ds->kind = depth_kind_of(&d->depth);
    ds->depth_B = ds->kind == DEPTH_U16 ? 2 : 4;
    ds->depth_write = ds->kind != DEPTH_NONE && w->depth_buffer_write_enable &&
                      d->depth_write_ok;
    ds->ends_clear = ds->depth_write && d->depth.aux == AUX_HIZ;
    /* Observed: depth writes do not need the test; BLORP clears depth with the
     * test off. Off is the same as ALWAYS. */
    ds->depth_test = ds->kind != DEPTH_NONE &&
                     (w->depth_test_enable || ds->depth_write);
    ds->func = w->depth_test_enable ? (uint8_t)w->depth_test_function
                                    : GEN9_COMPAREFUNCTION_ALWAYS;
    static const uint8_t pass[8] = {
        [GEN9_COMPAREFUNCTION_ALWAYS] = 15,
        [GEN9_COMPAREFUNCTION_NEVER] = 0,
        [GEN9_COMPAREFUNCTION_LESS] = 1,
        [GEN9_COMPAREFUNCTION_EQUAL] = 2,
        [GEN9_COMPAREFUNCTION_LEQUAL] = 3,
        [GEN9_COMPAREFUNCTION_GREATER] = 4,
        [GEN9_COMPAREFUNCTION_NOTEQUAL] = 13,
        [GEN9_COMPAREFUNCTION_GEQUAL] = 6,
    };
    ds->pass = pass[ds->func & 7];
    enum cpu_level cpu = cpu_selected();
    ds->block = cpu == CPU_AVX512 ? depth_avx512[ds->kind]
                : cpu == CPU_AVX2 ? depth_avx2[ds->kind]
                                  : NULL;
    ds->list = cpu == CPU_AVX512 ? depth_list_avx512[ds->kind]
               : cpu == CPU_AVX2 ? depth_list_avx2[ds->kind]
                                 : NULL;
    ds->mixed = cpu == CPU_AVX512 ? depth_mixed_avx512[ds->kind]
                : cpu == CPU_AVX2 ? depth_mixed_avx2[ds->kind]
                                  : NULL;
    ds->scan = cpu == CPU_AVX512 ? depth_scan_avx512[ds->kind]
               : cpu == CPU_AVX2 ? depth_scan_avx2[ds->kind]
                                 : NULL;
    ds->stencil_test = w->stencil_test_enable &&
                       d->stencil.type != SURFACE_NULL && d->stencil.mem;
    ds->stencil_write = ds->stencil_test && w->stencil_buffer_write_enable &&
                        d->stencil_write_ok;
    init_faces(ds, d);
}

bool
depth_compare(unsigned func, double a, double b)
{
    switch (func) {
    case GEN9_COMPAREFUNCTION_ALWAYS: return true;
    case GEN9_COMPAREFUNCTION_NEVER: return false;
    case GEN9_COMPAREFUNCTION_LESS: return a < b;
    case GEN9_COMPAREFUNCTION_EQUAL: return a == b;
    case GEN9_COMPAREFUNCTION_LEQUAL: return a <= b;
    case GEN9_COMPAREFUNCTION_GREATER: return a > b;
    case GEN9_COMPAREFUNCTION_NOTEQUAL: return a != b;
    default: return a >= b;
    }
}

uint8_t
depth_stencil_op(unsigned op, uint8_t value, uint8_t ref)
{
    switch (op) {
    case GEN9_STENCILOP_ZERO: return 0;
    case GEN9_STENCILOP_REPLACE: return ref;
    case GEN9_STENCILOP_INCRSAT: return value == 255 ? 255 : value + 1;
    case GEN9_STENCILOP_DECRSAT: return value == 0 ? 0 : value - 1;
    case GEN9_STENCILOP_INCR: return (uint8_t)(value + 1);
    case GEN9_STENCILOP_DECR: return (uint8_t)(value - 1);
    case GEN9_STENCILOP_INVERT: return (uint8_t)~value;
    default: return value;
    }
}

void
depth_forget_views(struct worker *w)
{
    w->depth_ready = w->stencil_ready = 0;
    w->depth_layer = w->depth_ended = -1;
}

const struct view *
depth_view(struct worker *w, bool stencil, unsigned layer, unsigned sample)
{
    const struct draw *d = w->draw;
    const struct surface *s = stencil ? &d->stencil : &d->depth;
    uint32_t *ready = stencil ? &w->stencil_ready : &w->depth_ready;
    struct view *v = stencil ? &w->stencil[sample] : &w->depth[sample];
    if (w->depth_layer != (int)layer) {
        depth_forget_views(w);
        w->depth_layer = (int)layer;
    }
    if (w->scene->ds.ends_clear && w->depth_ended != (int)layer) {
        w->depth_ended = (int)layer;
        tile_end_clear(w, &d->depth, d->depth_level,
                       d->depth_min_array + layer);
    }
    if (*ready >> sample & 1)
        return v;
    *ready |= 1u << sample;
    view_init(v, s, stencil ? d->stencil_level : d->depth_level,
              d->depth_min_array + layer, sample,
              stencil ? 1 : w->scene->ds.depth_B, w->tile_x, w->tile_y);
    return v;
}

/* A depth as the buffer stores it, comparable with depth_load(). */
static double
depth_quantise(enum depth_kind kind, float z)
{
    if (kind == DEPTH_F32)
        return z;
    double max = kind == DEPTH_U16 ? 65535 : 16777215;
    double v = !(z > 0) ? 0 : z > 1 ? 1 : z;
    return (uint32_t)(v * max + 0.5);
}

static double
depth_load(enum depth_kind kind, const uint8_t *p)
{
    uint32_t u;
    if (kind == DEPTH_U16)
        return (double)(p[0] | p[1] << 8);
    memcpy(&u, p, 4);
    return kind == DEPTH_F32 ? float_from_bits(u) : u & 0xffffff;
}

static void
depth_store(enum depth_kind kind, uint8_t *p, double z)
{
    if (kind == DEPTH_F32) {
        float f = (float)z;
        memcpy(p, &f, 4);
        return;
    }
    uint32_t u = (uint32_t)z;
    memcpy(p, &u, kind == DEPTH_U16 ? 2 : 3);
}

static float
depth_of_sample(const struct worker *w, const struct setup *s, int32_t x,
                int32_t y, unsigned sample)
{
    const struct scene *sc = w->scene;
    double dx = x + sc->sample_x[sample] * (1.0 / SUBPIXEL) - s->ref_x;
    double dy = y + sc->sample_y[sample] * (1.0 / SUBPIXEL) - s->ref_y;
    return (float)(s->z.c + s->z.dx * dx + s->z.dy * dy);
}

static float
clamp_depth(const struct setup *s, float z)
{
    z = z > s->z_lo ? z : s->z_lo;
    return z > s->z_hi ? s->z_hi : z;
}

struct sample_test {
    const struct depth_state *ds;
    const struct stencil_face *face;
    uint8_t ref;
    bool write;
};

static bool
test_sample(const struct sample_test *t, uint8_t *zp, uint8_t *sp, float z)
{
    const struct depth_state *ds = t->ds;
    const struct stencil_face *f = t->face;
    bool stencil_pass = true, depth_pass = true;
    if (sp)
        stencil_pass = depth_compare(f->func, t->ref & f->test_mask,
                                     *sp & f->test_mask);
    double zq = 0;
    if (zp) {
        zq = depth_quantise(ds->kind, z);
        depth_pass = depth_compare(ds->func, zq, depth_load(ds->kind, zp));
    }
    if (t->write && sp && ds->stencil_write) {
        unsigned op = !stencil_pass ? f->fail
                      : !depth_pass ? f->zfail
                                    : f->zpass;
        uint8_t v = depth_stencil_op(op, *sp, t->ref);
        *sp = (uint8_t)((*sp & ~f->write_mask) | (v & f->write_mask));
    }
    if (t->write && zp && ds->depth_write && stencil_pass && depth_pass)
        depth_store(ds->kind, zp, zq);
    return stencil_pass && depth_pass;
}

uint16_t
depth_test(struct worker *w, const struct setup *s, int32_t x, int32_t y,
           uint16_t cover, const float *z, int stencil_ref, bool write)
{
    const struct depth_state *ds = &w->scene->ds;
    if (!ds->depth_test && !ds->stencil_test)
        return cover;
    if (s->layer > w->draw->depth_view_extent)
        return cover;
    const struct stencil_face *face = &ds->face[s->back];
    struct sample_test t = {
        ds, face, stencil_ref >= 0 ? (uint8_t)stencil_ref : face->ref, write};
    unsigned tx = (unsigned)(x - w->tile_x), ty = (unsigned)(y - w->tile_y);
    uint16_t pass = 0;
    for (uint16_t left = cover; left; left &= (uint16_t)(left - 1)) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint8_t *zp = NULL, *sp = NULL;
        if (ds->depth_test)
            zp = view_at(depth_view(w, false, s->layer, i), tx, ty);
        if (ds->stencil_test)
            sp = view_at(depth_view(w, true, s->layer, i), tx, ty);
        float zv = z ? *z : depth_of_sample(w, s, x, y, i);
        if (test_sample(&t, zp, sp, clamp_depth(s, zv)))
            pass |= (uint16_t)(1u << i);
    }
    return pass;
}
