/* mcs_block.c: MCS entries of 4x4 blocks. The same entries as mcs.c makes pixel
 * by pixel. */
#include "engine/raster/output/mcs.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Entries of a block: four rows of 4, 16 or 32 bytes, 16 bytes apart. The
 * second half of a row of 32 bytes lies 512 bytes further. */
struct block_entries {
    uint8_t *at[2];
    unsigned pieces, piece_B;
};

/* Finds the offsets of entries for a tile's columns and rows of blocks. */
static void
find_places(const struct worker *w, struct target *t)
{
    const struct surface *s = &t->surf;
    struct mcs_places *p = &t->mcs_places;
    uint64_t row = (uint64_t)w->tile_y +
                   (s->min_array + (uint64_t)t->layer) * s->aux_qpitch_el_rows;
    p->ready = true;
    p->scanned = false;
    for (unsigned i = 0; i < TILE_PX / 4; i++) {
        uint64_t x_B = ((uint64_t)w->tile_x + 4 * i) * t->mcs_B;
        uint64_t y = row + 4 * i;
        p->x_B[i] = x_B / 128 * 4096 + x_B % 128 / 16 * 512 + x_B % 16;
        p->y_B[i] = y / 32 * (s->aux_row_pitch_B / 128) * 4096 + y % 32 * 16;
    }
}

static bool
find_entries(const struct worker *w, struct target *t, uint32_t x, uint32_t y,
             struct block_entries *b)
{
    const struct surface *s = &t->surf;
    const struct mcs_places *p = &t->mcs_places;
    unsigned size_B = 4 * t->mcs_B;
    if (x % 4 || y % 4 || s->aux_qpitch_el_rows % 4)
        return false;
    if (!p->ready)
        find_places(w, t);
    b->pieces = size_B > 16 ? 2 : 1;
    b->piece_B = MIN2(size_B, 16);
    uint64_t at = p->x_B[(x - (uint32_t)w->tile_x) / 4] +
                  p->y_B[(y - (uint32_t)w->tile_y) / 4];
    b->at[0] = s->aux_mem + at;
    b->at[1] = b->at[0] + 512;
    return at + (b->pieces - 1) * 512 + 3 * 16 + b->piece_B <= s->aux_limit_B;
}

static bool
is_all_zero(const struct block_entries *b)
{
    uint64_t some = 0;
    for (unsigned i = 0; i < 4 * b->pieces; i++) {
        uint64_t v[2] = {0, 0};
        const uint8_t *p = b->at[i / 4] + i % 4 * 16;
        if (b->piece_B == 4)
            memcpy(v, p, 4);
        else
            memcpy(v, p, 16);
        some |= v[0] | v[1];
    }
    return !some;
}

static void
set_all_zero(const struct block_entries *b)
{
    for (unsigned i = 0; i < 4 * b->pieces; i++) {
        uint8_t *p = b->at[i / 4] + i % 4 * 16;
        if (b->piece_B == 4)
            memset(p, 0, 4);
        else
            memset(p, 0, 16);
    }
}

/* Stores the clear colour in the first `planes` planes of a block. */
static void
fill_block(struct worker *w, struct target *t, uint32_t x, uint32_t y,
           unsigned planes)
{
    unsigned tx = x - (uint32_t)w->tile_x, ty = y - (uint32_t)w->tile_y;
    uint8_t value[16];
    t->fmt->rt_pack(t->fmt, &t->surf.clear_color, value);
    for (unsigned i = t->element_B; i < sizeof value; i++)
        value[i] = value[i - t->element_B];
    for (unsigned i = 0; i < planes; i++)
        view_fill(target_view(w, t, i), tx, ty, tx + 4, ty + 4, value);
}

/* Copies plane 0 of a block to all other planes. */
static void
spread_first(struct worker *w, struct target *t, uint32_t x, uint32_t y)
{
    unsigned tx = x - (uint32_t)w->tile_x, ty = y - (uint32_t)w->tile_y;
    const struct view *from = target_view(w, t, 0);
    for (unsigned i = 1; i < t->samples; i++) {
        const struct view *to = target_view(w, t, i);
        unsigned step_px = from->blocks && to->blocks ? 16 / t->element_B : 1;
        step_px = MIN2(step_px, 4);
        for (unsigned k = 0; k < 16; k += step_px) {
            const uint8_t *p = view_at(from, tx + k % 4, ty + k / 4);
            uint8_t *q = view_at(to, tx + k % 4, ty + k / 4);
            if (p && q)
                memcpy(q, p, (size_t)step_px * t->element_B);
        }
    }
}

/* Which entries of a block have which value. Bit 4 * row + column. */
struct entry_kinds {
    unsigned zero, clear, identity;
};

/* The bits of lanes, which are in the order of quads, as bits of entries. */
static inline unsigned
bits_of_entries(unsigned lanes)
{
    return (lanes & 0xc3c3) | (lanes & 0x0c0c) << 2 | (lanes & 0x3030) >> 2;
}

/* Bit per byte: it is zero. */
static inline unsigned
zero_bytes(uint32_t v)
{
    const uint32_t low = 0x7f7f7f7f;
    uint32_t zero = ~(((v & low) + low) | v | low);
    return (zero >> 7) * 0x10204080u >> 28;
}

/* All ones in the bytes of set bits. */
static inline uint32_t
bytes_of(unsigned bits)
{
    static const uint32_t bytes[16] = {
        0,          0x000000ff, 0x0000ff00, 0x0000ffff, 0x00ff0000, 0x00ff00ff,
        0x00ffff00, 0x00ffffff, 0xff000000, 0xff0000ff, 0xff00ff00, 0xff00ffff,
        0xffff0000, 0xffff00ff, 0xffffff00, 0xffffffff};
    return bytes[bits & 15];
}

static uint8_t *
entry_of_block(const struct block_entries *b, unsigned size_B, unsigned i)
{
    unsigned x_B = i % 4 * size_B;
    return b->at[x_B / 16] + i / 4 * 16 + x_B % 16;
}

#ifdef __SSE2__
static inline unsigned
equal_bytes(__m128i v, uint64_t entry)
{
    return (unsigned)_mm_movemask_epi8(
        _mm_cmpeq_epi8(v, _mm_set1_epi8((char)entry)));
}

static struct entry_kinds
kinds_of_bytes(const struct block_entries *b, unsigned samples)
{
    const uint8_t used = samples == 2 ? 3 : 255;
    uint32_t row[4];
    for (unsigned i = 0; i < 4; i++)
        memcpy(&row[i], b->at[0] + i * 16, sizeof row[i]);
    __m128i v = _mm_setr_epi32((int)row[0], (int)row[1], (int)row[2],
                               (int)row[3]);
    v = _mm_and_si128(v, _mm_set1_epi8((char)used));
    return (struct entry_kinds){
        .zero = equal_bytes(v, 0),
        .clear = equal_bytes(v, used),
        .identity = equal_bytes(v, mcs_identity(samples))};
}
#else
static struct entry_kinds
kinds_of_bytes(const struct block_entries *b, unsigned samples)
{
    struct entry_kinds k = {0};
    const uint32_t used = samples == 2 ? 0x03030303 : 0xffffffff;
    const uint32_t identity = (uint32_t)mcs_identity(samples) * 0x01010101u;
    for (unsigned row = 0; row < 4; row++) {
        uint32_t v;
        memcpy(&v, b->at[0] + row * 16, sizeof v);
        v &= used;
        k.zero |= zero_bytes(v) << 4 * row;
        k.clear |= zero_bytes(v ^ used) << 4 * row;
        k.identity |= zero_bytes(v ^ identity) << 4 * row;
    }
    return k;
}
#endif

static struct entry_kinds
kinds_of(const struct block_entries *b, unsigned samples)
{
    struct entry_kinds k = {0};
    const unsigned size_B = mcs_entry_B(samples);
    if (size_B == 1)
        return kinds_of_bytes(b, samples);
    for (unsigned i = 0; i < 16; i++) {
        uint64_t v = 0;
        memcpy(&v, entry_of_block(b, size_B, i), size_B);
        k.zero |= (unsigned)(v == 0) << i;
        k.clear |= (unsigned)mcs_is_clear(samples, v) << i;
        k.identity |= (unsigned)(v == mcs_identity(samples)) << i;
    }
    return k;
}

/* Entries after a write. Bits as in struct entry_kinds. */
struct entry_change {
    unsigned full, some; /* pixels written: all samples, some samples */
    bool reads;          /* only clear ones of `full` become zero */
};

/* Returns the bits that change; stores unless `looks`. */
static inline uint32_t
change_bytes(const struct block_entries *b, unsigned samples,
             const struct entry_change *c, bool looks)
{
    const uint32_t used = samples == 2 ? 0x03030303 : 0xffffffff;
    const uint32_t identity = (uint32_t)mcs_identity(samples) * 0x01010101u;
    uint32_t differ = 0;
    for (unsigned row = 0; row < 4; row++) {
        uint32_t v, next, some = bytes_of(c->some >> 4 * row);
        memcpy(&v, b->at[0] + row * 16, sizeof v);
        unsigned full = c->full >> 4 * row;
        if (c->reads)
            full &= zero_bytes((v & used) ^ used);
        next = (v & ~(bytes_of(full) | some)) | (some & identity);
        differ |= next ^ v;
        if (!looks)
            memcpy(b->at[0] + row * 16, &next, sizeof next);
    }
    return differ;
}

/* Whether entries change; stores them unless `looks`. */
static bool
change_entries(const struct block_entries *b, unsigned samples,
               const struct entry_change *c, bool looks)
{
    const unsigned size_B = mcs_entry_B(samples);
    bool differs = false;
    if (size_B == 1)
        return change_bytes(b, samples, c, looks) != 0;
    for (unsigned bits = c->full | c->some; bits; bits &= bits - 1) {
        unsigned i = (unsigned)__builtin_ctz(bits);
        uint8_t *at = entry_of_block(b, size_B, i);
        uint64_t v = 0;
        memcpy(&v, at, size_B);
        uint64_t next = c->some >> i & 1 ? mcs_identity(samples)
                        : c->reads && !mcs_is_clear(samples, v) ? v
                                                                : 0;
        differs |= next != v;
        if (!looks)
            memcpy(at, &next, size_B);
    }
    return differs;
}

/* ---- colours ---- */

/* Copies plane 0 of some pixels to all other planes. */
static void
spread_first_pixels(struct worker *w, struct target *t, uint32_t x, uint32_t y,
                    unsigned pixels)
{
    unsigned tx = x - (uint32_t)w->tile_x, ty = y - (uint32_t)w->tile_y;
    const struct view *first = target_view(w, t, 0);
    for (unsigned s = 1; s < t->samples; s++) {
        const struct view *other = target_view(w, t, s);
        for (unsigned m = pixels; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            const uint8_t *from = view_at(first, tx + i % 4, ty + i / 4);
            uint8_t *to = view_at(other, tx + i % 4, ty + i / 4);
            if (from && to)
                memcpy(to, from, t->element_B);
        }
    }
}

typedef uint32_t u32x4 __attribute__((vector_size(16)));

/* Likewise, for elements of four bytes in blocks; and stores the clear colour
 * in all planes of some other pixels. */
static void
spread_dwords(struct worker *w, struct target *t, uint32_t x, uint32_t y,
              unsigned pixels, unsigned clear)
{
    unsigned tx = x - (uint32_t)w->tile_x, ty = y - (uint32_t)w->tile_y;
    const u32x4 bit = {1, 2, 4, 8};
    uint32_t value = 0;
    if (clear)
        t->fmt->rt_pack(t->fmt, &t->surf.clear_color, (uint8_t *)&value);
    for (unsigned row = 0; row < 4; row++) {
        const unsigned cleared = clear >> 4 * row & 15;
        const unsigned bits = (pixels >> 4 * row & 15) | cleared;
        const u32x4 mask = (u32x4)((bits & bit) != 0);
        const u32x4 from_clear = (u32x4)((cleared & bit) != 0);
        u32x4 from, to;
        if (!bits)
            continue;
        memcpy(&from, view_at(&t->view[0], tx, ty + row), sizeof from);
        from = (from & ~from_clear) | (value & from_clear);
        for (unsigned s = cleared ? 0 : 1; s < t->samples; s++) {
            uint8_t *at = view_at(&t->view[s], tx, ty + row);
            memcpy(&to, at, sizeof to);
            to = (from & mask) | (to & ~mask);
            memcpy(at, &to, sizeof to);
        }
    }
}

/* Whether each row of the block is sixteen bytes of the surface, in all planes.
 */
static bool
has_dword_rows(struct worker *w, struct target *t, uint32_t x, uint32_t y)
{
    unsigned tx = x - (uint32_t)w->tile_x, ty = y - (uint32_t)w->tile_y;
    const struct view *v = target_view(w, t, 0);
    return t->element_B == 4 && v->safe && tx + 4 <= v->width &&
           ty + 4 <= v->height && target_has_blocks(w, t);
}

/* Stores the clear colour in the first planes of some pixels. */
static void
fill_pixels(struct worker *w, struct target *t, uint32_t x, uint32_t y,
            unsigned pixels, unsigned planes)
{
    uint8_t clear[16];
    if (pixels)
        t->fmt->rt_pack(t->fmt, &t->surf.clear_color, clear);
    for (; pixels; pixels &= pixels - 1) {
        unsigned i = (unsigned)__builtin_ctz(pixels);
        mcs_fill_pixel(w, t, clear, planes, (int32_t)(x + i % 4),
                       (int32_t)(y + i / 4));
    }
}

/* Moves the colours of all pixels to their samples' own planes. Without pixels
 * in several planes the whole block can be moved. */
static void
spread_block(struct worker *w, struct target *t, uint32_t x, uint32_t y,
             const struct entry_kinds *k)
{
    if (k->clear == 0xffff) {
        fill_block(w, t, x, y, t->samples);
    } else if (!k->identity) {
        fill_pixels(w, t, x, y, k->clear, 1);
        spread_first(w, t, x, y);
    } else if (k->identity != 0xffff && has_dword_rows(w, t, x, y)) {
        spread_dwords(w, t, x, y, k->zero, k->clear);
    } else if (k->identity != 0xffff) {
        fill_pixels(w, t, x, y, k->clear, t->samples);
        spread_first_pixels(w, t, x, y, k->zero);
    }
}

/* ---- a write ---- */

static void
note_block(const struct worker *w, struct target *t, uint32_t x, uint32_t y,
           bool first, bool all)
{
    unsigned n = mcs_block(w, (int32_t)x, (int32_t)y);
    uint64_t bit = UINT64_C(1) << n % 64;
    t->mcs_first[n / 64] &= ~bit;
    t->mcs_all[n / 64] &= ~bit;
    t->mcs_first[n / 64] |= first ? bit : 0;
    t->mcs_all[n / 64] |= all ? bit : 0;
}

/* mcs_prepare_block() where neither one plane is enough nor all planes are
 * known to have their samples' colours. */
static __attribute__((noinline)) unsigned
settle_pixels(struct worker *w, struct target *t, uint32_t x, uint32_t y,
              const struct block_entries *b, const struct entry_change *c,
              bool *copied)
{
    const struct entry_kinds k = kinds_of(b, t->samples);
    if ((k.zero | k.clear | k.identity) != 0xffff)
        return 0;
    const bool all = c->some || (c->reads && c->full & k.identity);
    const unsigned first = c->reads && !all ? c->full & k.clear : 0;
    const struct entry_change identity = {.some = 0xffff};
    if (all && t->rounds_mcs)
        c = &identity;
    if (all)
        spread_block(w, t, x, y, &k);
    else if (first && k.clear == 0xffff)
        fill_block(w, t, x, y, 1);
    else
        fill_pixels(w, t, x, y, first, 1);
    *copied = all && k.zero;
    change_entries(b, t->samples, c, false);
    unsigned zero = c->full & (c->reads ? k.zero | k.clear : 0xffff);
    note_block(w, t, x, y, !all && (k.zero | zero) == 0xffff, all);
    return all ? t->samples : 1;
}

/* The change to a block's entries. Rounded, blocks with several planes have
 * identities alone, and other blocks zeroes: most later writes change none. */
static struct entry_change
change_of(const struct target *t, const struct mcs_write *wr)
{
    const unsigned some = bits_of_entries(wr->partial);
    const unsigned full = bits_of_entries(wr->mask) & ~some;
    if (t->rounds_mcs && some)
        return (struct entry_change){0, 0xffff, true};
    if (t->rounds_mcs && (full != 0xffff || wr->unsure))
        return (struct entry_change){0xffff, 0, true};
    return (struct entry_change){full, some, wr->reads};
}

unsigned
mcs_prepare_block(struct worker *w, struct target *t, uint32_t x, uint32_t y,
                  struct mcs_write *wr)
{
    const bool all = mcs_has_all_planes(t,
                                        mcs_block(w, (int32_t)x, (int32_t)y));
    const struct entry_change c = change_of(t, wr);
    const bool whole = c.full == 0xffff && !c.reads;
    struct block_entries b;
    if (!find_entries(w, t, x, y, &b))
        return 0;
    if (wr->unsure && !t->rounds_mcs &&
        change_entries(&b, t->samples, &c, true))
        return 0;
    if (all && !whole) {
        if (!t->rounds_mcs)
            change_entries(&b, t->samples, &c, false);
        return t->samples;
    }
    bool is_zero = !c.some && is_all_zero(&b);
    if (!is_zero && !whole)
        return settle_pixels(w, t, x, y, &b, &c, &wr->copied);
    if (!is_zero)
        set_all_zero(&b);
    note_block(w, t, x, y, true, false);
    return 1;
}

/* Bit per block, of four side by side: all its entries equal `want`. */
static inline unsigned
which_are(const u32x4 row[4], uint32_t want)
{
    const u32x4 bits = {1, 2, 4, 8};
    u32x4 differ = (row[0] ^ want) | (row[1] ^ want) | (row[2] ^ want) |
                   (row[3] ^ want);
    u32x4 v = (u32x4)(differ == 0) & bits;
    return v[0] | v[1] | v[2] | v[3];
}

/* Only entries of one byte: four blocks then are one cache line. */
void
mcs_scan_tile(struct worker *w, struct target *t)
{
    const struct surface *s = &t->surf;
    struct mcs_places *p = &t->mcs_places;
    const uint32_t identity = (uint32_t)mcs_identity(t->samples) * 0x01010101u;
    if (t->mcs_B != 1 || s->aux_qpitch_el_rows % 4)
        return;
    if (!p->ready)
        find_places(w, t);
    for (unsigned n = 0; !p->scanned && n < COVER_BLOCKS; n += 4) {
        u32x4 row[4];
        uint64_t at = p->x_B[n % (TILE_PX / 4)] + p->y_B[n / (TILE_PX / 4)];
        if (at + sizeof row > s->aux_limit_B)
            continue;
        memcpy(row, s->aux_mem + at, sizeof row);
        t->mcs_all[n / 64] |= (uint64_t)which_are(row, identity) << n % 64;
        /* In a block with all planes entries may have become zero. */
        t->mcs_first[n / 64] |= (uint64_t)which_are(row, 0) << n % 64 &
                                ~t->mcs_all[n / 64];
    }
    p->scanned = true;
}
