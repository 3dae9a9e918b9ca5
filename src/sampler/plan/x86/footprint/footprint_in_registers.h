/* footprint_in_registers.h: makes two kernels of each routine, for callers with
 * coordinates in vectors and in memory; a part of footprint_*.c with AVX-512.
 */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_IN_REGISTERS_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_IN_REGISTERS_H

#include "sampler/plan/x86/address_tmpl.h"
#include "sampler/plan/kernel_types.h"

struct footprint_vectors {
    vfloat u, v, ref;
    struct block_cache *blocks;
};

#define FOOTPRINT_OF_ARGS                                            \
    const struct sample_plan *p, const struct footprint_vectors *in, \
        uint32_t *out, const int16_t at_dw[4]

/* Makes both kernels from name##_of(). `compares`: the vectors begin with the
 * reference. A caller with coordinates in memory may be SSE code, which would
 * wait for dirty upper halves of registers. */
#define FOOTPRINT_VECTORS(compares, name)                                     \
    static __attribute__((noinline)) bool name##_vectors(                     \
        const struct sample_plan *p, uint32_t *out, const int16_t at_dw[4],   \
        struct block_cache *blocks, __m512 a, __m512 b, __m512 c)             \
    {                                                                         \
        const bool later = compares;                                          \
        const struct footprint_vectors in = {(vfloat)(later ? b : a),         \
                                             (vfloat)(later ? c : b),         \
                                             (vfloat)a, blocks};              \
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
