/* rt_kernels.h: render target kernels: conversion, blending and store of whole
 * 4x4 blocks.
 *
 * rt_kernels.c chooses a kernel per target and blend entry. x86/ has one for
 * each format and blend mode, written once (rt_tmpl.h) and compiled for each
 * instruction set. rt_write_ref.c, lane by lane, is the reference and takes
 * every target without a kernel. Pure but for the target's memory; any thread.
 */
#ifndef ENGINE_RASTER_OUTPUT_RT_KERNELS_H
#define ENGINE_RASTER_OUTPUT_RT_KERNELS_H

#include "engine/raster/chain.h"

enum rt_format {
    RT_NONE,
    RT_R8,
    RT_RG8,
    RT_RGBA8,
    RT_BGRA8,
    RT_BGRX8,
    RT_BGR565,
    RT_RGB10A2,
    RT_BGR10A2,
    RT_R16,
    RT_RG16,
    RT_RGBA16,
    RT_R16F,
    RT_RG16F,
    RT_RGBA16F,
    RT_R11G11B10F,
    RT_R32, /* bits as they are, float or integer */
    RT_RG32,
    RT_RGBA32,
    RT_FORMATS
};

enum rt_mode {
    RT_NO_BLEND, /* no blending */
    RT_SRC_OVER, /* source alpha and its inverse, added; sources are clamped to
                    0..1 if the target is normalised */
    RT_BLEND,    /* any other */
    RT_MODES
};

/* One plane (sample) of a block: address of its first element, and the lanes to
 * write. */
struct rt_plane {
    uint8_t *at;
    uint32_t mask;
};

/* State of a target and a blend entry, shared by all blocks. Channels and
 * factors as in struct blend_state. */
struct rt_state {
    alignas(64) uint8_t mask[64]; /* bits of a column that are written */
    uint8_t format, mode;
    bool mask_all;
    bool reads; /* the result depends on the target's contents */
    bool clamp_source, clamp_result;
    uint32_t fp_bits; /* bits of the host's float mode that must equal
                         BLEND_FP_MODE's */
    uint8_t src[2], dst[2], func[2];
    float lo[4], hi[4], constant[4];
};

/* Room for struct sample_begun, which only AVX-512 code can define. */
#define RT_BEGUN_B 832

/* Software pipelining of sample stores: a block whose sampling has begun. Its
 * pixels are stored after the next block's sampling has begun, or by
 * rt_finish_sample_store(). */
struct rt_begun {
    alignas(64) uint8_t sample[2][RT_BEGUN_B]; /* this block's, the next's */
    uint8_t *at;                               /* NULL: no block has begun */
    uint32_t mask;
    unsigned number; /* index into sample[] */
};

/* A run of blocks, each with `planes` planes; colours of the next block are
 * step_dw further. Lanes are in quad order: TL TR BL BR, pixels of a quad
 * likewise. Rows are pitch_B apart; if a row has more than 16 bytes, each
 * further 16 bytes are column_B further. */
struct rt_block {
    const uint32_t *c[4]; /* 16 lanes each */
    unsigned count, step_dw;
    const struct rt_state *state;
    unsigned planes;
    const struct rt_plane *plane;
    uint32_t pitch_B, column_B;
    /* Members from here on are for epilogues only. An epilogue writes one plane
     * at row->captured; with planes > 1, the planes of the row's block, see
     * struct row_copies. */
    /* Rows are 16 bytes apart, and all bits of an element are written. */
    bool lines;
    /* Whole blocks of 16-byte elements bypass the caches; the caller issues the
     * fence. */
    bool streams;
    bool fetches_ahead; /* only with lines; see struct row_fill */
    bool whole; /* fetches_ahead, and every row of the run writes all lanes */
    struct row_copies rest;
    /* For sample stores only: the plan that samples, and a count of threads
     * that it declined. */
    const struct sample_plan *plan;
    struct block_cache *blocks;
    unsigned *declined;
    struct rt_begun *begun;
};

typedef void (*rt_write_fn)(const struct rt_block *b);
/* eu_epilogue.fn: writes one block. arg: a struct rt_block, for state and
 * pitches. */
typedef void (*rt_epilogue_fn)(void);

struct rt_routine {
    rt_write_fn write;
    rt_epilogue_fn tail, two; /* two: NULL without AVX-512 */
};

extern const struct rt_routine rt_routine_avx2[RT_FORMATS][RT_MODES];
extern const struct rt_routine rt_routine_avx512[RT_FORMATS][RT_MODES];
extern const rt_epilogue_fn rt_sample_store_avx2[RT_FORMATS];
extern const rt_epilogue_fn rt_sample_store_avx512[RT_FORMATS];
extern const rt_epilogue_fn rt_sample_store_halves_avx512[RT_FORMATS];
void rt_finish_sample_store_avx512(const struct rt_block *b);

struct blend_state;
struct target;

/* False if no kernel can write this target with this entry. */
bool rt_state_init(struct rt_state *st, const struct target *t,
                   const struct blend_state *b);
/* The kernel for this processor, or NULL; the same as an epilogue, and as an
 * epilogue of two threads. */
rt_write_fn rt_choose(const struct rt_state *st);
rt_epilogue_fn rt_choose_epilogue(const struct rt_state *st);
rt_epilogue_fn rt_choose_epilogue_of_two(const struct rt_state *st);
/* eu_epilogue.sample_store for plans that have to_unorm8(), or NULL. halves:
 * to_unorm8() may leave pixels to finish(), so the caller calls
 * rt_finish_sample_store() after the last thread. */
rt_epilogue_fn rt_choose_sample_store(const struct rt_state *st, bool halves);

static inline void
rt_finish_sample_store(const struct rt_block *b)
{
    if (b->begun->at)
        rt_finish_sample_store_avx512(b);
}

#endif
