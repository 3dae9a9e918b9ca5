/* mcs.c: the multisample control surface.
 *
 * An entry maps the samples of a pixel to planes. This file stores three
 * values. All ones: the pixel has the clear colour. Identity: each sample in
 * its own plane. Zero, for whole blocks: all samples in plane 0. Observed: the
 * stock driver fills a new surface with ones and then drops a clear to zero. So
 * a write to a cleared pixel has to spread the clear colour first. The driver's
 * own blits read entries and take zero for "all samples in plane 0". */
#include "engine/raster/output/output.h"
#include "engine/raster/tile_view.h"

unsigned
mcs_entry_B(unsigned samples)
{
    switch (samples) {
    case 2:
    case 4: return 1;
    case 8: return 4;
    case 16: return 8;
    default: return 0;
    }
}

uint64_t
mcs_identity(unsigned samples)
{
    switch (samples) {
    case 2: return 0x2;
    case 4: return 0xe4;
    case 8: return 0x76543210;
    case 16: return UINT64_C(0xfedcba9876543210);
    default: return 0;
    }
}

static uint64_t
mcs_clear_value(unsigned samples)
{
    unsigned bits = mcs_entry_B(samples) * 8;
    return bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

/* Y-tiled, one level, slices aux_qpitch_el_rows apart. */
static uint8_t *
mcs_at(const struct surface *s, uint32_t x, uint32_t y, unsigned slice)
{
    unsigned size = mcs_entry_B(s->samples);
    uint64_t xb = (uint64_t)x * size;
    uint64_t row = y + (uint64_t)slice * s->aux_qpitch_el_rows;
    uint64_t tile = row / 32 * (s->aux_row_pitch_B / 128) + xb / 128;
    uint64_t off = tile * 4096 + xb % 128 / 16 * 512 + row % 32 * 16 + xb % 16;
    return off + size <= s->aux_limit_B ? s->aux_mem + off : NULL;
}

static bool
is_clear(unsigned samples, uint64_t v)
{
    return samples == 2 ? (v & 3) == 3 : v == mcs_clear_value(samples);
}

static unsigned
plane_of(unsigned samples, uint64_t v, unsigned sample)
{
    unsigned bits = samples == 2 ? 1 : samples == 4 ? 2 : 4;
    return (unsigned)(v >> (bits * sample)) & (samples - 1);
}

/* Copies each sample's colour, as entry v maps it, to the sample's own plane.
 */
static void
spread(struct worker *w, struct target *t, uint64_t v, int32_t x, int32_t y)
{
    unsigned n = t->samples;
    unsigned tx = (unsigned)(x - w->tile_x), ty = (unsigned)(y - w->tile_y);
    uint8_t old[MAX_SAMPLES][16] = {{0}};
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *p = view_at(target_view(w, t, i), tx, ty);
        if (is_clear(n, v))
            t->fmt->rt_pack(t->fmt, &t->surf.clear_color, old[i]);
        else if (p)
            memcpy(old[i], p, t->element_B);
    }
    for (unsigned i = 0; i < n; i++) {
        uint8_t *p = view_at(target_view(w, t, i), tx, ty);
        unsigned from = is_clear(n, v) ? i : plane_of(n, v, i);
        if (p)
            memcpy(p, old[from], t->element_B);
    }
}

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

/* Sixteen bytes of equal entries, from tables. Entries assembled in memory
 * would have to wait for all earlier stores of colours. */
enum { ENTRIES_IDENTITY, ENTRIES_CLEAR, ENTRIES_ONE };

#define TWICE(...)               \
    {                            \
        __VA_ARGS__, __VA_ARGS__ \
    }
#define ALL_ONES TWICE(255, 255, 255, 255, 255, 255, 255, 255)

static const uint8_t *
entries_of(unsigned samples, unsigned value)
{
    static const uint8_t one[16] = {0};
    static const uint8_t of_2[2][16] = {TWICE(2, 2, 2, 2, 2, 2, 2, 2),
                                        ALL_ONES};
    static const uint8_t of_4[2][16] = {
        TWICE(0xe4, 0xe4, 0xe4, 0xe4, 0xe4, 0xe4, 0xe4, 0xe4), ALL_ONES};
    static const uint8_t of_8[2][16] = {
        TWICE(0x10, 0x32, 0x54, 0x76, 0x10, 0x32, 0x54, 0x76), ALL_ONES};
    static const uint8_t of_16[2][16] = {
        TWICE(0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe), ALL_ONES};
    if (value == ENTRIES_ONE)
        return one;
    switch (samples) {
    case 2: return of_2[value];
    case 4: return of_4[value];
    case 8: return of_8[value];
    default: return of_16[value];
    }
}

#undef ALL_ONES
#undef TWICE

/* Compares all rows without a branch: if the first row matches, the others
 * mostly match. */
static inline bool
rows_are(const uint8_t *p, const uint8_t *want, unsigned size_B)
{
    uint64_t differ = 0;
    for (unsigned row = 0; row < 4; row++) {
        uint64_t v[2] = {0, 0}, w[2] = {0, 0};
        memcpy(v, p + row * 16, size_B);
        memcpy(w, want, size_B);
        differ |= (v[0] ^ w[0]) | (v[1] ^ w[1]);
    }
    return !differ;
}

static bool
are_all(const struct block_entries *b, const uint8_t want[16])
{
    if (b->piece_B == 4)
        return rows_are(b->at[0], want, 4);
    return rows_are(b->at[0], want, 16) &&
           (b->pieces == 1 || rows_are(b->at[1], want, 16));
}

static void
set_all(const struct block_entries *b, const uint8_t entry[16])
{
    for (unsigned i = 0; i < 4 * b->pieces; i++) {
        uint8_t *p = b->at[i / 4] + i % 4 * 16;
        if (b->piece_B == 4)
            memcpy(p, entry, 4);
        else
            memcpy(p, entry, 16);
    }
}

/* Stores the clear colour in the first `planes` planes of a block. */
static void
spread_clear(struct worker *w, struct target *t, uint32_t x, uint32_t y,
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

/* Sets the block's entries for the write; returns the planes to write, or 0. */
static unsigned
settle_block(struct worker *w, struct target *t, uint32_t x, uint32_t y,
             enum mcs_use use)
{
    const unsigned n = t->samples;
    const uint8_t *one = entries_of(n, ENTRIES_ONE);
    const uint8_t *identity = entries_of(n, ENTRIES_IDENTITY);
    struct block_entries b;
    if (!find_entries(w, t, x, y, &b))
        return 0;
    bool is_one = are_all(&b, one);
    if (is_one && use != MCS_SAMPLES)
        return 1;
    if (!is_one && use != MCS_OVERWRITTEN) {
        if (are_all(&b, identity))
            return n;
        if (!are_all(&b, entries_of(n, ENTRIES_CLEAR)))
            return 0;
        spread_clear(w, t, x, y, use == MCS_SAMPLES ? n : 1);
    }
    if (is_one)
        spread_first(w, t, x, y);
    set_all(&b, use == MCS_SAMPLES ? identity : one);
    return use == MCS_SAMPLES ? n : 1;
}

unsigned
mcs_prepare_block(struct worker *w, struct target *t, uint32_t x, uint32_t y,
                  enum mcs_use use)
{
    unsigned n = mcs_block(w, (int32_t)x, (int32_t)y);
    uint64_t bit = UINT64_C(1) << n % 64;
    unsigned planes = settle_block(w, t, x, y, use);
    t->mcs_first[n / 64] &= ~bit;
    t->mcs_all[n / 64] &= ~bit;
    if (planes)
        *(planes == 1 ? &t->mcs_first[n / 64] : &t->mcs_all[n / 64]) |= bit;
    return planes;
}

typedef uint32_t u32x4 __attribute__((vector_size(16)));

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
        t->mcs_first[n / 64] |= (uint64_t)which_are(row, 0) << n % 64;
        t->mcs_all[n / 64] |= (uint64_t)which_are(row, identity) << n % 64;
    }
    p->scanned = true;
}

void
mcs_prepare_pixel(struct worker *w, struct target *t, int32_t x, int32_t y)
{
    const struct surface *s = &t->surf;
    uint32_t width = surface_level_width(s, t->level);
    uint32_t height = surface_level_height(s, t->level);
    if ((uint32_t)x >= width || (uint32_t)y >= height)
        return;
    uint8_t *p = mcs_at(s, (uint32_t)x, (uint32_t)y,
                        s->min_array + (unsigned)t->layer);
    uint64_t v = 0, identity = mcs_identity(t->samples);
    if (!p)
        return;
    memcpy(&v, p, t->mcs_B);
    if (v == identity)
        return;
    spread(w, t, v, x, y);
    memcpy(p, &identity, t->mcs_B);
    unsigned n = mcs_block(w, x, y);
    t->mcs_first[n / 64] &= ~(UINT64_C(1) << n % 64);
}

void
mcs_clear_layer(const struct surface *s, unsigned level, unsigned slice)
{
    unsigned size = mcs_entry_B(s->samples);
    uint32_t width = surface_level_width(s, level);
    uint32_t height = surface_level_height(s, level);
    uint64_t ones = ~UINT64_C(0);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *p = mcs_at(s, x, y, slice);
            if (p)
                memcpy(p, &ones, size);
        }
    }
}
