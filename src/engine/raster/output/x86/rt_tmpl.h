/* rt_tmpl.h: render target kernels, in the vectors of rows_avx2.h or
 * rows_avx512.h, one of which must be included first. Conversions and
 * blending give the same bits as src/sampler/format/format_convert.h and
 * blend.c. */
#include "engine/raster/output/rt_kernels.h"
#include "gen9_pack.h"
#include "sampler/format/rt_unorm.h"

#include "engine/raster/output/x86/rt_elements.h"

#include "engine/raster/output/x86/rt_blend.h"

/* ---- memory ---- */

LANES_INLINE unsigned
columns_in(enum rt_format f)
{
    return MAX2(bytes_of(f), 4u) / 4;
}

LANES_INLINE vi
load_column(enum rt_format f, const uint8_t *at, uint32_t pitch_B)
{
    switch (bytes_of(f)) {
    case 1: return i_load_rows_8(at, pitch_B);
    case 2: return i_load_rows_16(at, pitch_B);
    default: return pitch_B == 16 ? i_load_line(at) : i_load_rows(at, pitch_B);
    }
}

LANES_INLINE void
store_column(enum rt_format f, uint8_t *at, uint32_t pitch_B, vi e)
{
    switch (bytes_of(f)) {
    case 1: i_store_rows_8(at, pitch_B, e); return;
    case 2: i_store_rows_16(at, pitch_B, e); return;
    default:
        if (pitch_B == 16)
            i_store_line(at, e);
        else
            i_store_rows(at, pitch_B, e);
    }
}

LANES_INLINE void
store_some(enum rt_format f, const struct rt_block *b, const struct rt_plane *p,
           vi e[4])
{
    vi which[4];
    spread(f, p->mask, which);
    EACH_COLUMN (i, f) {
        uint8_t *at = p->at + i * b->column_B;
        vi old = load_column(f, at, b->pitch_B);
        vi bits = i_and(which[i], i_load_line(b->state->mask));
        store_column(f, at, b->pitch_B, i_merge(old, e[i], bits));
    }
}

/* Prefetches the block below: it comes next in a Y tile's memory, but later in
 * time, after the rest of this row. Hardware prefetchers do not track that many
 * columns. */
LANES_INLINE void
fetch_below(enum rt_format f, const struct rt_block *b,
            const struct rt_plane *p)
{
    EACH_COLUMN (i, f)
        __builtin_prefetch(p->at + i * b->column_B + 4 * b->pitch_B, 1);
}

LANES_INLINE void
store(enum rt_format f, const struct rt_block *b, const struct rt_plane *p,
      vi e[4])
{
    if (p->mask != 0xffff || !(b->lines || b->state->mask_all)) {
        store_some(f, b, p, e);
        return;
    }
    EACH_COLUMN (i, f)
        store_column(f, p->at + i * b->column_B, b->pitch_B, e[i]);
}

/* ---- the whole ---- */

LANES_INLINE void
blend_columns(enum rt_format f, enum rt_mode mode, const struct rt_state *st,
              const vf v[4], vi e[4])
{
    struct blend_in in;
    vf out[4];
    EACH_CHANNEL (c)
        in.src[c] = v[c];
    if (mode == RT_SRC_OVER && is_bytes(f))
        unpack_bytes(f, i_rows(e[0]), in.dst);
    else
        unpack(f, e, in.dst);
    blend(f, mode, st, &in, out);
    pack(f, out, mode == RT_SRC_OVER ? UNITS : NOT_BELOW_0, e);
}

LANES_INLINE void
write_plane(const struct rt_block *b, const struct rt_plane *p,
            enum rt_format f, enum rt_mode mode, const vf v[4], vi e[4])
{
    if (mode != RT_NO_BLEND) {
        EACH_COLUMN (n, f)
            e[n] = load_column(f, p->at + n * b->column_B, b->pitch_B);
        if (mode != RT_SRC_OVER || f != RT_RGBA32 ||
            !blend_pixels(b->state, v, e))
            blend_columns(f, mode, b->state, v, e);
    }
    store(f, b, p, e);
}

/* Without blending, packs the colours once for all planes. */
LANES_INLINE void
pack_plain(enum rt_format f, enum rt_mode mode, vf v[4], vi e[4])
{
    EACH_CHANNEL (c) {
        if (mode == RT_NO_BLEND && !has_channel(f, c))
            v[c] = f_all(0);
    }
    if (mode == RT_NO_BLEND) {
        not_negative(f, v);
        pack(f, v, NOT_BELOW_0, e);
    }
}

LANES_INLINE void
load_colors(const struct rt_block *b, size_t n, enum rt_format f,
            enum rt_mode mode, vf v[4], vi e[4])
{
    EACH_CHANNEL (c)
        v[c] = f_load(b->c[c] + n * b->step_dw);
    pack_plain(f, mode, v, e);
}

/* Works on copies, which stores to the target cannot alias. */
LANES_INLINE void
write_blocks(const struct rt_block *block, enum rt_format f, enum rt_mode mode)
{
    const struct rt_block b = *block;
    const struct rt_plane *p = b.plane;
    vf v[4];
    vi e[4];
    if (b.planes == 1) {
        for (size_t n = 0; n < b.count; n++) {
            const struct rt_plane one = p[n];
            load_colors(&b, n, f, mode, v, e);
            fetch_below(f, &b, &one);
            write_plane(&b, &one, f, mode, v, e);
        }
        return;
    }
    for (size_t n = 0; n < b.count; n++) {
        load_colors(&b, n, f, mode, v, e);
        for (unsigned i = 0; i < b.planes; i++) {
            const struct rt_plane one = *p++;
            fetch_below(f, &b, &one);
            write_plane(&b, &one, f, mode, v, e);
        }
    }
}

LANES_INLINE bool
streams(enum rt_format f, enum rt_mode mode, const struct rt_block *b,
        const struct rt_plane *p)
{
    return mode == RT_NO_BLEND && f == RT_RGBA32 && b->streams &&
           (uintptr_t)p->at % 64 == 0;
}

/* Writes all lanes to a target whose rows are lines. */
LANES_INLINE void
write_lines(uint8_t *at, const struct rt_block *block, enum rt_format f,
            enum rt_mode mode, const vf v[4], vi e[4])
{
    const struct rt_plane p = {at, 0xffff};
    struct rt_block b = *block;
    b.pitch_B = 16;
    b.lines = true;
    if (!streams(f, mode, &b, &p)) {
        write_plane(&b, &p, f, mode, v, e);
        return;
    }
    EACH_COLUMN (i, f)
        i_stream_line(p.at + i * b.column_B, e[i]);
}

/* Whether a masked store of a line is as fast as a whole one, and nothing is
 * read. Then whole and partial blocks need no branch, which would be
 * unpredictable along edges. */
LANES_INLINE bool
stores_lanes(enum rt_format f, enum rt_mode mode)
{
#ifdef I_STORES_LANES
    return mode == RT_NO_BLEND && bytes_of(f) == 4;
#else
    return false;
#endif
}

/* Writes all lanes, or with stores_lanes() the lanes of the mask. */
LANES_INLINE void
write_line(uint8_t *at, uint32_t mask, const struct rt_block *block,
           enum rt_format f, enum rt_mode mode, const vf v[4], vi e[4])
{
#ifdef I_STORES_LANES
    /* Quads to rows. */
    if (stores_lanes(f, mode)) {
        mask = (mask & 0xc3c3) | (mask & 0x0c0c) << 2 | (mask & 0x3030) >> 2;
        i_store_lanes(at, mask, e[0]);
        return;
    }
#endif
    write_lines(at, block, f, mode, v, e);
}

LANES_INLINE void
fetch_ahead(enum rt_format f, const struct rt_block *b,
            const struct eu_chain_entry *row)
{
    EACH_COLUMN (i, f)
        __builtin_prefetch(row[ROWS_AHEAD].captured + i * b->column_B, 1);
}

/* Out of line: few threads need it, and inlined it would make all of them save
 * registers. */
static __attribute__((noinline)) void
copy_next(const struct rt_block *b, const struct eu_chain_entry *row)
{
    row_copy_next(&b->rest, row);
}

/* Epilogue for any block, with the thread's colours still in registers. The
 * block's memory has been prefetched. */
LANES_INLINE void
write_any(const vf color[4], const struct eu_chain_entry *row,
          const struct rt_block *block, uint32_t mask, enum rt_format f,
          enum rt_mode mode)
{
    const struct rt_plane p = {row->captured, mask};
    struct rt_block b = *block;
    vf v[4];
    vi e[4];
    EACH_CHANNEL (c)
        v[c] = color[c];
    b.lines = false;
    pack_plain(f, mode, v, e);
    write_plane(&b, &p, f, mode, v, e);
    if (row_copies_next(&b.rest, row))
        copy_next(block, row);
}

/* Epilogue for several planes, each with its own lanes. */
LANES_INLINE void
write_planes(const vf color[4], const struct eu_chain_entry *row,
             const struct rt_block *block, uint32_t mask, enum rt_format f,
             enum rt_mode mode)
{
    const struct rt_block b = *block;
    const struct rt_plane *p = b.plane +
                               (size_t)row_block(&b.rest, row) * b.planes;
    vf v[4];
    vi e[4];
    EACH_CHANNEL (c)
        v[c] = color[c];
    pack_plain(f, mode, v, e);
    /* Masked stores need not wait for a load of the other lanes. */
    const bool lanes = stores_lanes(f, mode) && b.pitch_B == 16 &&
                       b.state->mask_all;
    for (unsigned i = 0; i < b.planes; i++) {
        const struct rt_plane one = {p[i].at, p[i].mask & mask};
        if (!one.mask)
            continue;
        if (lanes)
            write_line(one.at, one.mask, &b, f, mode, v, e);
        else
            write_plane(&b, &one, f, mode, v, e);
    }
    if (row_copies_next(&b.rest, row))
        copy_next(block, row);
}

LANES_INLINE void
write_whole(const vf color[4], const struct eu_chain_entry *row,
            const struct rt_block *b, uint32_t mask, enum rt_format f,
            enum rt_mode mode)
{
    vf v[4];
    vi e[4];
    EACH_CHANNEL (c)
        v[c] = color[c];
    if (b->fetches_ahead)
        fetch_ahead(f, b, row);
    pack_plain(f, mode, v, e);
    write_line(row->captured, mask, b, f, mode, v, e);
    if (row_copies_next(&b->rest, row))
        copy_next(b, row);
}

/* Epilogue with rt_block.whole: no further checks. Rows of a list are of one
 * primitive, so that only rest.copies matters. */
LANES_INLINE void
write_next(const vf color[4], const struct eu_chain_entry *row,
           const struct rt_block *b, enum rt_format f, enum rt_mode mode)
{
    vf v[4];
    vi e[4];
    EACH_CHANNEL (c)
        v[c] = color[c];
    fetch_ahead(f, b, row);
    pack_plain(f, mode, v, e);
    write_lines(row->captured, b, f, mode, v, e);
    if (b->rest.copies)
        copy_next(b, row);
}

#ifdef F_ARGS_OF_TWO
/* Epilogue of two threads, interleaved to hide latency. All other cases are out
 * of line, so that this one saves no registers. */
LANES_INLINE void
write_both(const vf first[4], const vf second[4],
           const struct eu_chain_entry *row, const struct rt_block *b,
           enum rt_format f, enum rt_mode mode)
{
    vf v[4], v1[4];
    vi e[4], e1[4];
    EACH_CHANNEL (c) {
        v[c] = first[c];
        v1[c] = second[c];
    }
    if (b->fetches_ahead) {
        fetch_ahead(f, b, row);
        fetch_ahead(f, b, row + 1);
    }
    pack_plain(f, mode, v, e);
    pack_plain(f, mode, v1, e1);
    if (b->whole) {
        write_lines(row[0].captured, b, f, mode, v, e);
        write_lines(row[1].captured, b, f, mode, v1, e1);
        return;
    }
    write_line(row[0].captured, row[0].captured_mask, b, f, mode, v, e);
    write_line(row[1].captured, row[1].captured_mask, b, f, mode, v1, e1);
}

#define TWO_WRITER(format, name, mode)                                   \
    static __attribute__((noinline)) void each_##format##_##name(        \
        F_ARGS_OF_TWO, const struct eu_chain_entry *row,                 \
        const struct rt_block *at)                                       \
    {                                                                    \
        tail_##format##_##name(F_NAMES, row, at, row->captured_mask);    \
        tail_##format##_##name(F_NAMES_OF_SECOND, row + 1, at,           \
                               row[1].captured_mask);                    \
    }                                                                    \
    static void two_##format##_##name(F_ARGS_OF_TWO,                     \
                                      const struct eu_chain_entry *row,  \
                                      const struct rt_block *at)         \
    {                                                                    \
        const vf first[4] = F_PASSED, second[4] = F_PASSED_SECOND;       \
        const uint32_t mask = row->captured_mask,                        \
                       mask1 = row[1].captured_mask;                     \
        const bool some = stores_lanes(format, mode) && (mask | mask1);  \
        if (at->lines && (some || (mask & mask1) == 0xffff))             \
            write_both(first, second, row, at, format, mode);            \
        else if (mask | mask1)                                           \
            each_##format##_##name(F_NAMES, F_NAMES_OF_SECOND, row, at); \
    }
#define TWO(name) (rt_epilogue_fn)(two_##name)
#else
#define TWO_WRITER(format, name, mode)
#define TWO(name) NULL
#endif

/* Nothing to write if all lanes have been discarded. */
#define WRITER(format, name, mode)                                            \
    static void write_##format##_##name(const struct rt_block *b)             \
    {                                                                         \
        write_blocks(b, format, mode);                                        \
    }                                                                         \
    static __attribute__((noinline)) void any_##format##_##name(              \
        F_ARGS, const struct eu_chain_entry *row, const struct rt_block *at,  \
        uint32_t mask)                                                        \
    {                                                                         \
        const vf color[4] = F_PASSED;                                         \
        write_any(color, row, at, mask, format, mode);                        \
    }                                                                         \
    static __attribute__((noinline)) void planes_##format##_##name(           \
        F_ARGS, const struct eu_chain_entry *row, const struct rt_block *at,  \
        uint32_t mask)                                                        \
    {                                                                         \
        const vf color[4] = F_PASSED;                                         \
        write_planes(color, row, at, mask, format, mode);                     \
    }                                                                         \
    static void tail_##format##_##name(                                       \
        F_ARGS, const struct eu_chain_entry *row, const struct rt_block *at,  \
        uint32_t mask)                                                        \
    {                                                                         \
        const vf color[4] = F_PASSED;                                         \
        if (at->whole)                                                        \
            write_next(color, row, at, format, mode);                         \
        else if (at->lines && (stores_lanes(format, mode) || mask == 0xffff)) \
            write_whole(color, row, at, mask, format, mode);                  \
        else if (at->planes > 1)                                              \
            planes_##format##_##name(F_NAMES, row, at, mask);                 \
        else if (mask || row_copies_next(&at->rest, row))                     \
            any_##format##_##name(F_NAMES, row, at, mask);                    \
    }                                                                         \
    TWO_WRITER(format, name, mode)
#define WRITERS(format)                \
    WRITER(format, plain, RT_NO_BLEND) \
    WRITER(format, over, RT_SRC_OVER)  \
    WRITER(format, blend, RT_BLEND)

WRITERS(RT_R8)
WRITERS(RT_RG8)
WRITERS(RT_RGBA8)
WRITERS(RT_BGRA8)
WRITERS(RT_BGRX8)
WRITERS(RT_BGR565)
WRITERS(RT_RGB10A2)
WRITERS(RT_BGR10A2)
WRITERS(RT_R16)
WRITERS(RT_RG16)
WRITERS(RT_RGBA16)
WRITERS(RT_R16F)
WRITERS(RT_RG16F)
WRITERS(RT_RGBA16F)
WRITERS(RT_R11G11B10F)
WRITERS(RT_R32)
WRITERS(RT_RG32)
WRITERS(RT_RGBA32)

#undef WRITERS
#undef WRITER
#define PAIR(name)                                              \
    {                                                           \
        write_##name, (rt_epilogue_fn)(tail_##name), TWO(name), \
    }
#define ROW(format) \
    [format] = {PAIR(format##_plain), PAIR(format##_over), PAIR(format##_blend)}

const struct rt_routine RT_TABLE[RT_FORMATS][RT_MODES] = {
    ROW(RT_R8),    ROW(RT_RG8),     ROW(RT_RGBA8),      ROW(RT_BGRA8),
    ROW(RT_BGRX8), ROW(RT_BGR565),  ROW(RT_RGB10A2),    ROW(RT_BGR10A2),
    ROW(RT_R16),   ROW(RT_RG16),    ROW(RT_RGBA16),     ROW(RT_R16F),
    ROW(RT_RG16F), ROW(RT_RGBA16F), ROW(RT_R11G11B10F), ROW(RT_R32),
    ROW(RT_RG32),  ROW(RT_RGBA32),
};

#undef ROW
#undef PAIR
#undef TWO
#undef TWO_WRITER
