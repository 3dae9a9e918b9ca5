/* lanes.c: four vertices at a time, for every processor; the other parts of
 * struct geom_lanes one at a time. */
#include "base/base.h"
#include "base/cpu.h"
#include "base/transpose.h"

#define LANES 4
typedef base_vec4 vec;
typedef int32_t ivec __attribute__((vector_size(16)));

#include "engine/geom/lanes_tmpl.h"

static inline void
load_rows(vec r[4], const uint8_t *row, uint32_t stride_B)
{
    for (unsigned i = 0; i < LANES; i++)
        memcpy(&r[i], row + (size_t)i * stride_B, sizeof r[i]);
    transpose_4x4(r);
}

static inline void
put_rows(struct geom_vert *v, const vec r[4])
{
    vec p[4] = {r[0], r[1], r[2], r[3]};
    transpose_4x4(p);
    for (unsigned i = 0; i < LANES; i++)
        memcpy(&v[i].p.v.x, &p[i], sizeof p[i]);
}

static inline void
snap(int32_t out[LANES][2], const vec *x, const vec *y)
{
    for (unsigned i = 0; i < LANES; i++) {
        out[i][0] = prim_snap((*x)[i]);
        out[i][1] = prim_snap((*y)[i]);
    }
}

static void
rows(const uint8_t *const row[8], uint32_t (*out)[8])
{
    for (unsigned i = 0; i < 8; i++) {
        uint32_t in[4];
        memcpy(in, row[i], sizeof in);
        for (unsigned c = 0; c < 4; c++)
            out[c][i] = in[c];
    }
}

static void
rows_apart(const uint8_t *row, uint32_t stride_B, uint32_t (*out)[8])
{
    const uint8_t *at[8];
    for (unsigned i = 0; i < 8; i++)
        at[i] = row + (size_t)i * stride_B;
    rows(at, out);
}

static void
columns(const uint32_t (*in)[8], uint8_t *const row[8])
{
    for (unsigned i = 0; i < 8; i++) {
        uint32_t out[8];
        for (unsigned c = 0; c < 8; c++)
            out[c] = in[c][i];
        memcpy(row[i], out, sizeof out);
    }
}

static void
range(const uint32_t *key, uint32_t count, uint32_t *lo, uint32_t *hi)
{
    *lo = UINT32_MAX;
    *hi = 0;
    for (uint32_t i = 0; i < count; i++) {
        *lo = MIN2(*lo, key[i]);
        *hi = MAX2(*hi, key[i]);
    }
}

static bool
may_be_seen(const struct prim_sieve *s, const int32_t x[3], const int32_t y[3])
{
    int32_t x0 = MIN2(x[0], MIN2(x[1], x[2])),
            x1 = MAX2(x[0], MAX2(x[1], x[2]));
    int32_t y0 = MIN2(y[0], MIN2(y[1], y[2])),
            y1 = MAX2(y[0], MAX2(y[1], y[2]));
    if (MAX2((x0 + s->up) >> 8, s->x0) > MIN2((x1 - s->down) >> 8, s->x1 - 1) ||
        MAX2((y0 + s->up) >> 8, s->y0) > MIN2((y1 - s->down) >> 8, s->y1 - 1))
        return false;
    if (MAX2(x1 - x0, y1 - y0) >= GEOM_SIEVE_SIDE)
        return true;
    int32_t area = (x[1] - x[0]) * (y[2] - y[0]) -
                   (x[2] - x[0]) * (y[1] - y[0]);
    return !(area > 0 ? s->cw : area < 0 ? s->ccw : s->flat);
}

static uint32_t
sieve(const struct prim_sieve *s, const struct geom_vert *vert,
      const struct batch_tri *tri, unsigned count)
{
    uint32_t seen = 0;
    for (unsigned i = 0; i < count; i++) {
        int32_t x[3], y[3];
        for (unsigned k = 0; k < 3; k++) {
            x[k] = vert[tri[i].vert[k]].p.x;
            y[k] = vert[tri[i].vert[k]].p.y;
        }
        seen |= (uint32_t)may_be_seen(s, x, y) << i;
    }
    return seen;
}

const struct geom_lanes geom_lanes_ref = {LANES,   prepare, rows, rows_apart,
                                          columns, range,   sieve};

const struct geom_lanes *
geom_lanes_selected(void)
{
    switch (cpu_selected()) {
    case CPU_AVX512: return &geom_lanes_avx512;
    case CPU_AVX2: return &geom_lanes_avx2;
    default: return &geom_lanes_ref;
    }
}
