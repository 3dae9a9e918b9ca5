/* rt.h: whole 4x4 blocks of a colour target: conversion, blending, store.
 *
 * rt.c chooses a routine per target and blend entry; x86/ has one for each
 * format and way of blending, written once (rt_tmpl.h) and compiled for each
 * instruction set. write.c does the same lane by lane, is their reference,
 * and takes whatever has no routine here. Pure functions of their arguments;
 * any thread. */
#ifndef RASTER_RT_H
#define RASTER_RT_H

#include "engine/raster/plane.h"

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
    RT_PLAIN, /* no blending */
    RT_OVER,  /* source alpha and its inverse, added; from sources that are
               * clamped to 0..1 if the target is normalised */
    RT_BLEND, /* any other */
    RT_MODES
};

/* One plane (sample) of a block: where its first element is, and the lanes
 * to write. */
struct rt_plane {
    uint8_t *at;
    uint32_t mask;
};

/* What a target and a blend entry have in common for all blocks. Channels and
 * factors are those of struct blend_state. */
struct rt_state {
    alignas(64) uint8_t mask[64]; /* bits to be written of a column */
    uint8_t format, mode;
    bool mask_all;
    bool reads; /* what is written depends on what is there */
    bool clamp_source, clamp_result;
    uint32_t
        fp_bits; /* of the host's float mode that must be BLEND_FP_MODE's */
    uint8_t src[2], dst[2], func[2];
    float lo[4], hi[4], constant[4];
};

/* struct sample_begun, of which only processors with AVX-512 know the size. */
#define RT_BEGUN_B 832

/* A block of pixels that a copy has begun to sample: they are stored once the
 * next one's have begun, or by rt_finish_copy(). */
struct rt_begun {
    alignas(64) uint8_t sample[2][RT_BEGUN_B]; /* this one's, and the next */
    uint8_t *at;                               /* NULL: there is none */
    uint32_t mask;
    unsigned number; /* of sample[] */
};

/* One block after the other, each with `planes` of the planes: their colours
 * are step_dw apart. Lanes are in the order of quads: TL TR BL BR, pixels
 * likewise. Rows are pitch_B apart; where a row has more than 16 bytes, the
 * next 16 are column_B further. */
struct rt_block {
    const uint32_t *c[4]; /* 16 lanes each */
    unsigned count, step_dw;
    const struct rt_state *state;
    unsigned planes;
    const struct rt_plane *plane;
    uint32_t pitch_B, column_B;
    /* The rest is for tails alone, which write one plane, at row->caught, or
     * with planes > 1 those of the row's block, see struct row_copies. */
    /* Rows are 16 bytes apart, and all bits of an element are written. */
    bool lines;
    /* Whole blocks of 16-byte elements go past the caches, and whoever calls
     * sees to the fence. */
    bool streams;
    bool fetches_ahead; /* lines; see struct row_fill */
    bool whole;         /* that, and every row of the run writes all lanes */
    struct row_copies rest;
    /* Only for copies: what samples, and how often it did not. */
    const struct sample_plan *plan;
    struct sample_blocks *blocks;
    unsigned *declined;
    struct rt_begun *begun;
};

typedef void (*rt_write_fn)(const struct rt_block *b);
/* struct eu_tail: the same for one block. arg: a struct rt_block, for the state
 * and the steps. */
typedef void (*rt_tail_fn)(void);

struct rt_routine {
    rt_write_fn write;
    rt_tail_fn tail, two; /* two: NULL but with AVX-512 */
};

extern const struct rt_routine rt_routine_avx2[RT_FORMATS][RT_MODES];
extern const struct rt_routine rt_routine_avx512[RT_FORMATS][RT_MODES];
extern const rt_tail_fn rt_copy_avx2[RT_FORMATS];
extern const rt_tail_fn rt_copy_avx512[RT_FORMATS];
extern const rt_tail_fn rt_copy_halves_avx512[RT_FORMATS];
void rt_finish_copy_avx512(const struct rt_block *b);

struct blend_state;
struct target;

/* False if no routine can do what the target and the entry ask for. */
bool rt_state_init(struct rt_state *st, const struct target *t,
                   const struct blend_state *b);
/* The routine for this processor, or NULL; and what it is as a tail. */
rt_write_fn rt_choose(const struct rt_state *st);
rt_tail_fn rt_choose_tail(const struct rt_state *st);
rt_tail_fn rt_choose_tail_of_two(const struct rt_state *st);
/* eu_tail.copy for plans that have pixels(), or NULL. halves: pixels() may
 * leave some to finish(); behind the last call comes rt_finish_copy(). */
rt_tail_fn rt_choose_copy(const struct rt_state *st, bool halves);

static inline void
rt_finish_copy(const struct rt_block *b)
{
    if (b->begun->at)
        rt_finish_copy_avx512(b);
}

#endif
