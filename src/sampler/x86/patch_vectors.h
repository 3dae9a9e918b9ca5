/* patch_vectors.h: routines for callers that have coordinates in vectors, and
 * for those that have them in memory; a part of patch_*.c with AVX-512. */
#ifndef SAMPLER_PATCH_VECTORS_H
#define SAMPLER_PATCH_VECTORS_H

#include "sampler/x86/address_tmpl.h"
#include "sampler/pixels.h"

struct patch_vectors {
    vfloat u, v, ref;
    struct sample_blocks *blocks;
};

#define PATCH_OF_ARGS                                            \
    const struct sample_plan *p, const struct patch_vectors *in, \
        uint32_t *out, const int16_t at_dw[4]

/* Both of what name##_of() does; `compares`: its vectors begin with what texels
 * are compared with. Who has no vectors may have instructions that wait for the
 * upper halves of registers. */
#define PATCH_VECTORS(compares, name)                                         \
    static __attribute__((noinline)) bool name##_vectors(                     \
        const struct sample_plan *p, uint32_t *out, const int16_t at_dw[4],   \
        struct sample_blocks *blocks, __m512 a, __m512 b, __m512 c)           \
    {                                                                         \
        const bool later = compares;                                          \
        const struct patch_vectors in = {(vfloat)(later ? b : a),             \
                                         (vfloat)(later ? c : b), (vfloat)a,  \
                                         blocks};                             \
        return name##_of(p, &in, out, at_dw);                                 \
    }                                                                         \
    static bool name(const struct sample_plan *p,                             \
                     const struct sample_pair *in, uint32_t *out,             \
                     const int16_t at_dw[4])                                  \
    {                                                                         \
        __m512 u = _mm512_loadu_ps(in->u), v = _mm512_loadu_ps(in->v);        \
        bool done = compares                                                  \
                        ? name##_vectors(p, out, at_dw, in->blocks,           \
                                         _mm512_loadu_ps(in->ref), u, v)      \
                        : name##_vectors(p, out, at_dw, in->blocks, u, v, v); \
        _mm256_zeroupper();                                                   \
        return done;                                                          \
    }

#endif
