/* vue_transpose.c: the reference of struct geom_lanes, for every processor:
 * prepares four vertices at a time, other routines one. */
#include "base/base.h"
#include "base/cpu.h"
#include "base/transpose.h"

#define LANES 4
typedef base_vec4 vec;
typedef int32_t ivec __attribute__((vector_size(16)));

#include "engine/geom/vue_transpose_tmpl.h"

#include "engine/geom/vue_transpose_strided.h"

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

const struct geom_lanes geom_lanes_ref = {LANES,      prepare, rows,
                                          rows_apart, columns, range};

const struct geom_lanes *
geom_lanes_selected(void)
{
    switch (cpu_selected()) {
    case CPU_AVX512: return &geom_lanes_avx512;
    case CPU_AVX2: return &geom_lanes_avx2;
    default: return &geom_lanes_ref;
    }
}
