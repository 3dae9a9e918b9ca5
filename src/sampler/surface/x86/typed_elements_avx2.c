/* typed_elements_avx2.c: typed_elements.h's routines. Compiled with -mavx2
 * -mfma -mf16c; called only if the processor has them. */
#include "sampler/surface/typed_elements.h"
#include "sampler/surface/x86/typed_blocks_tmpl.h"

struct places {
    vint at_B;
    uint32_t inside;
};

INLINE vmask
is_below(vint v, uint32_t n)
{
    return v_less_u(v, v_isplat((int32_t)n));
}

/* Lanes outside the surface get the offset of the first lane inside. First they
 * are masked to the origin, because their coordinates can be anything. */
INLINE struct places
find_places(const struct typed_elements *e, const uint32_t *const at[3],
            uint32_t mask)
{
    struct places p;
    vint x = v_load(at[0], TYPED_LANES), y = v_isplat(0), z = y;
    vmask in = is_below(x, e->size[0]);
    if (at[1] && !e->flat) {
        y = v_load(at[1], TYPED_LANES);
        in = v_and(in, is_below(y, e->size[1]));
    }
    if (at[2] && !e->flat) {
        z = v_load(at[2], TYPED_LANES);
        in = v_and(in, is_below(z, e->size[2]));
    }
    p.at_B = offset_x_B(&e->tiling, (x & in) + (int32_t)e->x_el);
    if (!e->flat) {
        vint row = (y & in) + (z & in) * (int32_t)e->slice_rows;
        p.at_B += offset_y_B(&e->tiling, row + (int32_t)e->y_el);
    }
    p.inside = mask & v_bits(in);
    if (p.inside && p.inside != 0xff) {
        vint lane = v_isplat(__builtin_ctz(p.inside));
        p.at_B = v_iselect(v_live(p.inside), p.at_B, of_lanes(p.at_B, lane));
    }
    return p;
}

/* Whether each lane follows the one before it, except the first of every
 * `count` lanes. */
INLINE bool
is_run(const struct typed_elements *e, vint at_B, int32_t count)
{
    vint step = (v_count() & (count - 1)) << e->tiling.element_shift;
    return !v_any(at_B - of_lanes(at_B, v_count() & -count) != step);
}

/* ---- memory ----
 *
 * Elements of 1 to 16 bytes, as dwords of each lane. */

/* Whether all lanes read one line of a Y tile: 4 rows of 16 bytes. Drivers
 * choose the order of a group's lanes to make it so. */
INLINE bool
are_in_line(const struct typed_elements *e, vint at_B)
{
    vint other = at_B ^ of_lanes(at_B, v_isplat(0));
    return e->lines && !v_any((other & -64) != 0);
}

/* Whether the lanes are two quads with two rows of four elements. */
INLINE bool
are_quads(const struct typed_elements *e, vint at_B)
{
    const vint first = {0, 0, 2, 2, 0, 0, 2, 2},
               in_row = {0, 1, 0, 1, 2, 3, 2, 3};
    vint step = in_row << e->tiling.element_shift;
    return !v_any(at_B - of_lanes(at_B, first) != step);
}

/* Fetches the quads of two rows further, which threads of the same tile read
 * soon: each row of a linear surface can be in a page of its own, and
 * processors do not guess the next page's lines. */
INLINE void
prefetch_rows(const uint8_t *first, const uint8_t *second)
{
    const uintptr_t step_B = 2 * ((uintptr_t)second - (uintptr_t)first);
    _mm_prefetch((const char *)((uintptr_t)first + step_B), _MM_HINT_T0);
    _mm_prefetch((const char *)((uintptr_t)second + step_B), _MM_HINT_T0);
}

/* Dwords of a buffer that the lanes of a pixel shader's quads read: two rows of
 * four, so that no lane needs an offset. False: no such lanes. */
INLINE bool
load_quads(const struct typed_elements *e, const uint32_t *at, uint32_t mask,
           vint *dw)
{
    const vint first = {0, 0, 2, 2, 0, 0, 2, 2},
               in_row = {0, 1, 0, 1, 2, 3, 2, 3};
    if (!e->flat || mask != 0xff)
        return false;
    vint x = v_load(at, TYPED_LANES);
    vuint step = (vuint)x - (vuint)of_lanes(x, first);
    if (v_any((vint)step != in_row) || v_bits(is_below(x, e->size[0])) != 0xff)
        return false;
    const uint8_t *row[2];
    for (unsigned i = 0; i < 2; i++)
        row[i] = e->mem + 4 * ((size_t)at[2 * i] + e->x_el);
    prefetch_rows(row[0], row[1]);
    *dw = (vint)_mm256_permute4x64_epi64((__m256i)load_two(row[0], row[1]),
                                         0xd8);
    return true;
}

/* Elements smaller than a dword are read with the whole dword. */
INLINE void
load_elements(const struct typed_elements *e, const struct places *p,
              unsigned element_B, vint dw[4])
{
    const vint at_B = p->at_B;
    const uint32_t odd_B = (uintptr_t)e->mem & 3; /* element_B < 4 */
    const uint8_t *first = e->mem + at_B[0];
    _mm_prefetch(first + e->ahead_B, _MM_HINT_T0);
    if (element_B < 16 && are_in_line(e, at_B)) {
        const uint8_t *line = e->mem + (at_B[0] & -64);
        vint i = at_B >> 2 & 15;
        dw[0] = v_table(line, i);
        if (element_B == 8)
            dw[1] = v_table(line, i + 1);
    } else if (element_B == 4 && is_run(e, at_B, 4)) {
        dw[0] = load_two(first, e->mem + at_B[4]);
    } else if (element_B == 4 && are_quads(e, at_B)) {
        const uint8_t *second = e->mem + at_B[2];
        prefetch_rows(first, second);
        vint rows = load_two(first, second);
        dw[0] = (vint)_mm256_permute4x64_epi64((__m256i)rows, 0xd8);
    } else if (element_B < 4) {
        dw[0] = v_gather(e->mem - odd_B, (at_B + (int32_t)odd_B) & -4);
    } else if (element_B == 4) {
        dw[0] = v_gather(e->mem, at_B);
    } else if (element_B == 8) {
        v_gather2(e->mem, at_B, dw);
    } else {
        v_gather4(e->mem, at_B, dw);
    }
    if (element_B < 4)
        dw[0] = v_srl_each(dw[0], ((at_B + (int32_t)odd_B) & 3) << 3);
}

/* Stores the elements one after the other. Lanes 0 to 3 and 4 to 7 stay in
 * their halves of registers. */
INLINE void
put_in_rows(unsigned element_B, const vint dw[4],
            uint32_t rows[4 * TYPED_LANES])
{
    if (element_B <= 4) {
        v_store(rows, dw[0]);
        return;
    }
    vint low = V_UNPACK_INT(unpacklo_epi32, dw[0], dw[1]);
    vint high = V_UNPACK_INT(unpackhi_epi32, dw[0], dw[1]);
    if (element_B == 8) {
        store_halves(rows, rows + 8, low);
        store_halves(rows + 4, rows + 12, high);
        return;
    }
    vint low2 = V_UNPACK_INT(unpacklo_epi32, dw[2], dw[3]);
    vint high2 = V_UNPACK_INT(unpackhi_epi32, dw[2], dw[3]);
    store_halves(rows, rows + 16, V_UNPACK_INT(unpacklo_epi64, low, low2));
    store_halves(rows + 4, rows + 20, V_UNPACK_INT(unpackhi_epi64, low, low2));
    store_halves(rows + 8, rows + 24,
                 V_UNPACK_INT(unpacklo_epi64, high, high2));
    store_halves(rows + 12, rows + 28,
                 V_UNPACK_INT(unpackhi_epi64, high, high2));
}

INLINE void
store_each(const struct typed_elements *e, const struct places *p,
           unsigned element_B, const vint dw[4])
{
    const unsigned step_dw = MAX2(element_B / 4, 1u);
    alignas(32) uint32_t rows[4 * TYPED_LANES];
    alignas(32) int32_t at_B[TYPED_LANES];
    v_offsets(p->at_B, at_B);
    put_in_rows(element_B, dw, rows);
    for (unsigned i = 0; i < TYPED_LANES; i++)
        if (p->inside >> i & 1)
            memcpy(e->mem + at_B[i], rows + i * step_dw, element_B);
}

/* Stores consecutive bytes or words. */
INLINE void
store_narrow(uint8_t *p, unsigned element_B, vint v)
{
    __m256i words = _mm256_packus_epi32((__m256i)v, _mm256_setzero_si256());
    __m128i eight = _mm256_castsi256_si128(
        _mm256_permute4x64_epi64(words, 0x08));
    if (element_B == 2)
        store_piece(p, eight);
    else
        _mm_storel_epi64((__m128i *)(void *)p, _mm_packus_epi16(eight, eight));
}

/* Elements smaller than a dword must have zeros above their bits. */
INLINE void
store_elements(const struct typed_elements *e, const struct places *p,
               unsigned element_B, const vint dw[4])
{
    uint8_t *first = e->mem + p->at_B[0];
    __builtin_prefetch(first + e->ahead_B, 1);
    if (element_B < 4 && p->inside == 0xff && is_run(e, p->at_B, 8)) {
        store_narrow(first, element_B, dw[0]);
    } else if (element_B == 4 && p->inside == 0xff && is_run(e, p->at_B, 4)) {
        store_halves(first, e->mem + p->at_B[4], dw[0]);
    } else {
        store_each(e, p, element_B, dw);
    }
}

/* ---- channels ---- */

/* 2^23 * 1.5: the low bits of a sum with it are an integer, rounded once. */
#define INT_MAGIC 0x1.8p23f

INLINE vfloat
no_nan(vfloat v)
{
    return v_select(v_fequal(v, v), v, v_splat(0.0f));
}

/* The parameters of a routine; constants where it is inlined. */
struct form {
    enum typed_elements_kind kind;
    unsigned bits, channels;
};

INLINE int32_t
channel_mask(struct form f)
{
    return (int32_t)((UINT64_C(1) << f.bits) - 1);
}

/* Packs to the channel's bits; SINT and SNORM leave sign bits above them. */
INLINE vint
pack_channel(struct form form, vint v)
{
    const int32_t most = channel_mask(form), half = most >> 1;
    vfloat f = (vfloat)v;
    switch (form.kind) {
    case TYPED_UNORM:
        f = v_fmin(v_fmax(f, v_splat(0.0f)), v_splat(1.0f));
        return (vint)v_fma(f, v_splat((float)most), v_splat(INT_MAGIC)) & most;
    case TYPED_SNORM:
        f = v_within(no_nan(f), v_splat(1.0f));
        f = v_fma(f, v_splat((float)half), v_splat(INT_MAGIC));
        return ((vint)f - (vint)v_splat(INT_MAGIC)) & most;
    case TYPED_UINT: return v_min_u(v, v_isplat(most));
    case TYPED_SINT:
        return v_max(v_min(v, v_isplat(half)), v_isplat(-half - 1)) & most;
    case TYPED_HALF:
        return (vint)_mm256_cvtepu16_epi32(
            _mm256_cvtps_ph((__m256)f, _MM_FROUND_TO_NEAREST_INT));
    default: return v;
    }
}

/* NaN keeps its payload: the conversion makes it quiet. */
INLINE vint
float_of_half(vint h)
{
    vfloat f = v_half(h);
    if (__builtin_expect(!v_any(v_not(v_fequal(f, f))), true))
        return (vint)f;
    vint nan = (h & 0x8000) << 16 | 0x7f800000 | (h & 0x3ff) << 13;
    return v_iselect((h & 0x7fff) > 0x7c00, nan, (vint)f);
}

INLINE vint
sign_extend(vint v, unsigned bits)
{
    return v << (int32_t)(32 - bits) >> (int32_t)(32 - bits);
}

/* v / most, rounded once: multiplication and one step of Newton are exact for
 * all integers from -most to most. */
INLINE vint
over_most(vint v, int32_t most)
{
    const vfloat divisor = v_splat((float)most);
    const vfloat reciprocal = v_splat(1.0f / (float)most);
    vfloat f = v_float(v), quotient = f * reciprocal;
    vfloat rest = v_fma(-quotient, divisor, f);
    return (vint)v_fma(rest, reciprocal, quotient);
}

/* v has zeros above the channel's bits. */
INLINE vint
unpack_channel(struct form form, vint v)
{
    const int32_t most = channel_mask(form), half = most >> 1;
    switch (form.kind) {
    case TYPED_UNORM: return over_most(v, most);
    case TYPED_SNORM:
        v = v_max(sign_extend(v, form.bits), v_isplat(-half));
        return over_most(v, half);
    case TYPED_SINT: return sign_extend(v, form.bits);
    case TYPED_HALF: return float_of_half(v);
    default: return v;
    }
}

/* The channel that is stored at place i, and the inverse. */
INLINE unsigned
channel_of_place(const struct typed_elements *e, unsigned i)
{
    return e->blue_first && !(i & 1) ? 2 - i : i;
}

INLINE void
pack_all(const struct typed_elements *e, struct form form,
         const uint32_t *const channel[4], vint dw[4])
{
    for (unsigned i = 0; i < form.channels; i++) {
        unsigned bit = i * form.bits;
        vint v = v_load(channel[channel_of_place(e, i)], TYPED_LANES);
        v = pack_channel(form, v);
        dw[bit / 32] = bit % 32 ? dw[bit / 32] | v << (int32_t)(bit % 32) : v;
    }
}

INLINE void
unpack_all(const struct typed_elements *e, struct form form, const vint dw[4],
           uint32_t inside, unsigned count, uint32_t channel[][TYPED_LANES])
{
    vint live = v_live(inside);
    for (unsigned i = 0; i < 4; i++) {
        if (channel_of_place(e, i) >= count)
            continue;
        unsigned bit = i * form.bits;
        vint v = v_isplat(i == 3 ? (int32_t)e->one : 0);
        if (i < form.channels)
            v = unpack_channel(form, v_srl(dw[bit / 32], bit % 32) &
                                         channel_mask(form));
        v_store(channel[channel_of_place(e, i)], v & live);
    }
}

/* ---- */

INLINE uint32_t
read_as(struct form form, const struct typed_elements *e,
        const uint32_t *const at[3], uint32_t mask, unsigned count,
        uint32_t channel[][TYPED_LANES])
{
    const unsigned element_B = form.bits * form.channels / 8;
    struct block b = find_block(e, at, mask, element_B);
    struct places p;
    vint dw[4];
    if (b.at) {
        prefetch_block(e, b, element_B, false);
        load_block(b, element_B, dw);
        unpack_all(e, form, dw, 0xff, count, channel);
        return 0xff;
    }
    if (element_B == 4 && load_quads(e, at[0], mask, dw)) {
        unpack_all(e, form, dw, 0xff, count, channel);
        return 0xff;
    }
    p = find_places(e, at, mask);
    if (!p.inside) {
        memset(channel, 0, count * sizeof channel[0]);
        return 0;
    }
    load_elements(e, &p, element_B, dw);
    unpack_all(e, form, dw, p.inside, count, channel);
    return p.inside;
}

INLINE uint32_t
write_as(struct form form, const struct typed_elements *e,
         const uint32_t *const at[3], uint32_t mask,
         const uint32_t *const channel[4])
{
    const unsigned element_B = form.bits * form.channels / 8;
    struct block b = find_block(e, at, mask, element_B);
    struct places p;
    vint dw[4];
    if (b.at) {
        prefetch_block(e, b, element_B, true);
        pack_all(e, form, channel, dw);
        store_block(b, element_B, dw);
        return 0xff;
    }
    p = find_places(e, at, mask);
    if (!p.inside)
        return 0;
    pack_all(e, form, channel, dw);
    store_elements(e, &p, element_B, dw);
    return p.inside;
}

static uint32_t
find_elements(const struct typed_elements *e, const uint32_t *const at[3],
              uint32_t mask, uint32_t at_B[TYPED_LANES])
{
    struct places p = find_places(e, at, mask);
    v_store(at_B, p.at_B);
    return p.inside;
}

#define FORM(KIND, BITS, N)                                                \
    static uint32_t read_##KIND##BITS##x##N(                               \
        const struct typed_elements *e, const uint32_t *const at[3],       \
        uint32_t mask, unsigned count, uint32_t channel[][TYPED_LANES])    \
    {                                                                      \
        return read_as((struct form){TYPED_##KIND, BITS, N}, e, at, mask,  \
                       count, channel);                                    \
    }                                                                      \
    static uint32_t write_##KIND##BITS##x##N(                              \
        const struct typed_elements *e, const uint32_t *const at[3],       \
        uint32_t mask, const uint32_t *const channel[4])                   \
    {                                                                      \
        return write_as((struct form){TYPED_##KIND, BITS, N}, e, at, mask, \
                        channel);                                          \
    }
#define FORMS(KIND, BITS) \
    FORM(KIND, BITS, 1) FORM(KIND, BITS, 2) FORM(KIND, BITS, 4)
FORMS(RAW, 32)
FORMS(UNORM, 8)
FORMS(SNORM, 8)
FORMS(UINT, 8)
FORMS(SINT, 8)
FORMS(UNORM, 16)
FORMS(SNORM, 16)
FORMS(UINT, 16)
FORMS(SINT, 16)
FORMS(HALF, 16)

#define OF(KIND, BITS, N)                                                \
    {                                                                    \
        read_##KIND##BITS##x##N, write_##KIND##BITS##x##N, find_elements \
    }
#define ROW(KIND, BITS)                                         \
    {                                                           \
        OF(KIND, BITS, 1), OF(KIND, BITS, 2), OF(KIND, BITS, 4) \
    }
const struct typed_elements_routines typed_elements_avx2[2][6][3] = {
    {[TYPED_UNORM] = ROW(UNORM, 8),
     [TYPED_SNORM] = ROW(SNORM, 8),
     [TYPED_UINT] = ROW(UINT, 8),
     [TYPED_SINT] = ROW(SINT, 8)},
    {[TYPED_RAW] = ROW(RAW, 32),
     [TYPED_UNORM] = ROW(UNORM, 16),
     [TYPED_SNORM] = ROW(SNORM, 16),
     [TYPED_UINT] = ROW(UINT, 16),
     [TYPED_SINT] = ROW(SINT, 16),
     [TYPED_HALF] = ROW(HALF, 16)},
};
