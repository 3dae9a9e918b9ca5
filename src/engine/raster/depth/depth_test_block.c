/* depth_test_block.c: the depth test of whole 4x4 blocks and lists: scalar
 * reference and calls of the kernels. Same arithmetic as depth_test.c, value
 * for value. Lanes are in row order here. */
#include "engine/raster/block_layout.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/tile_view.h"

struct block {
    uint8_t *row[BLOCK_PX];
    alignas(64) float z[BLOCK_LANES];
    alignas(64) uint32_t new[BLOCK_LANES], old[BLOCK_LANES]; /* as stored */
};

RASTER_LANES static void
interpolate(const struct setup *s, double x, double y, float z[BLOCK_LANES])
{
    for (unsigned i = 0; i < BLOCK_LANES; i++) {
        double dx = x + (double)(i & 3), dy = y + (double)(i >> 2);
        float v = (float)(s->z.c + s->z.dx * dx + s->z.dy * dy);
        v = v > s->z_lo ? v : s->z_lo;
        z[i] = v > s->z_hi ? s->z_hi : v;
    }
}

RASTER_LANES static void
quantise(const float z[BLOCK_LANES], double max, uint32_t out[BLOCK_LANES])
{
    for (unsigned i = 0; i < BLOCK_LANES; i++) {
        double v = z[i] > 0 ? (double)z[i] : 0;
        v = v > 1 ? 1 : v;
        out[i] = (uint32_t)(int32_t)(v * max + 0.5);
    }
}

RASTER_LANES static unsigned
compare_float(const uint32_t a_bits[BLOCK_LANES],
              const uint32_t b_bits[BLOCK_LANES], unsigned pass)
{
    unsigned m = 0;
    float a[BLOCK_LANES], b[BLOCK_LANES];
    memcpy(a, a_bits, sizeof a);
    memcpy(b, b_bits, sizeof b);
    for (unsigned i = 0; i < BLOCK_LANES; i++) {
        unsigned is = a[i] < b[i] ? 1 : a[i] == b[i] ? 2 : a[i] > b[i] ? 4 : 8;
        m |= (unsigned)((pass & is) != 0) << i;
    }
    return m;
}

RASTER_LANES static unsigned
compare_uint(const uint32_t a[BLOCK_LANES], const uint32_t b[BLOCK_LANES],
             unsigned pass)
{
    unsigned m = 0;
    for (unsigned i = 0; i < BLOCK_LANES; i++) {
        unsigned is = a[i] < b[i] ? 1 : a[i] == b[i] ? 2 : 4;
        m |= (unsigned)((pass & is) != 0) << i;
    }
    return m;
}

/* False if part of the block is outside of memory, or its rows are not
 * contiguous. */
static bool
find_rows(const struct view *v, unsigned tx, unsigned ty, struct block *b)
{
    if (!v->safe || tx + BLOCK_PX > v->width || ty + BLOCK_PX > v->height ||
        v->x_B[tx + 3] - v->x_B[tx] != 3 * v->element_B)
        return false;
    for (unsigned r = 0; r < BLOCK_PX; r++)
        b->row[r] = v->mem + v->x_B[tx] + v->y_B[ty + r];
    return true;
}

static void
load(struct block *b, enum depth_kind kind)
{
    for (unsigned r = 0; r < BLOCK_PX; r++) {
        if (kind != DEPTH_U16) {
            memcpy(&b->old[r * 4], b->row[r], 16);
            continue;
        }
        uint16_t v[4];
        memcpy(v, b->row[r], sizeof v);
        for (unsigned i = 0; i < 4; i++)
            b->old[r * 4 + i] = v[i];
    }
}

static void
store(const struct block *b, enum depth_kind kind, unsigned mask)
{
    for (unsigned r = 0; r < BLOCK_PX; r++) {
        unsigned bits = mask >> (4 * r) & 15;
        if (bits == 15 && kind != DEPTH_U16) {
            memcpy(b->row[r], &b->new[r * 4], 16);
            continue;
        }
        for (; bits; bits &= bits - 1) {
            unsigned i = (unsigned)__builtin_ctz(bits);
            if (kind == DEPTH_U16)
                memcpy(b->row[r] + 2 * i, &b->new[r * 4 + i], 2);
            else
                memcpy(b->row[r] + 4 * i, &b->new[r * 4 + i], 4);
        }
    }
}

static unsigned
test(struct block *b, const struct depth_state *ds)
{
    load(b, ds->kind);
    if (ds->kind == DEPTH_F32) {
        memcpy(b->new, b->z, sizeof b->new);
        return compare_float(b->new, b->old, ds->pass);
    }
    quantise(b->z, ds->kind == DEPTH_U16 ? 65535 : 16777215, b->new);
    uint32_t upper[BLOCK_LANES]; /* preserves the byte next to D24 */
    uint32_t keep = ds->kind == DEPTH_U24 ? 0xff000000 : 0;
    for (unsigned i = 0; i < BLOCK_LANES; i++) {
        upper[i] = b->old[i] & keep;
        b->old[i] &= ~keep;
    }
    unsigned pass = compare_uint(b->new, b->old, ds->pass);
    for (unsigned i = 0; i < BLOCK_LANES; i++)
        b->new[i] |= upper[i];
    return pass;
}

static struct depth_in
block_in(const struct depth_state *ds, const struct setup *s,
         const struct view *v, bool write)
{
    return (struct depth_in){.c = s->z.c,
                             .dx = s->z.dx,
                             .dy = s->z.dy,
                             .lo = s->z_lo,
                             .hi = s->z_hi,
                             .pitch_B = v->pitch_B,
                             .pass = ds->pass,
                             .write = write && ds->depth_write};
}

uint16_t
depth_test_block(struct worker *w, const struct setup *s, int32_t x, int32_t y,
                 uint16_t cover, bool write)
{
    const struct depth_state *ds = &w->scene->ds;
    if (s->layer > w->draw->depth_view_extent)
        return cover;
    const struct view *v = depth_view(w, false, s->layer, 0);
    unsigned tx = (unsigned)(x - w->tile_x), ty = (unsigned)(y - w->tile_y);
    bool whole = tx + BLOCK_PX <= v->width && ty + BLOCK_PX <= v->height;
    if (ds->block && v->blocks && whole) {
        struct depth_in in = block_in(ds, s, v, write);
        in.x = x + 0.5 - s->ref_x;
        in.y = y + 0.5 - s->ref_y;
        in.at = v->mem + v->x_B[tx] + v->y_B[ty];
        in.mask = depth_transpose(cover);
        return depth_transpose(ds->block(&in));
    }
    struct block b;
    if (!find_rows(v, tx, ty, &b)) {
        for (unsigned i = 0; i < BLOCK_LANES; i++) {
            int32_t px = x + (int32_t)(i >> 2 & 1) * 2 + (int32_t)(i & 1);
            int32_t py = y + (int32_t)(i >> 3) * 2 + (int32_t)(i >> 1 & 1);
            if ((cover >> i & 1) &&
                !depth_test(w, s, px, py, 1, NULL, -1, write))
                cover &= (uint16_t) ~(1u << i);
        }
        return cover;
    }
    interpolate(s, x + 0.5 - s->ref_x, y + 0.5 - s->ref_y, b.z);
    unsigned pass = test(&b, ds) & depth_transpose(cover);
    if (write && ds->depth_write)
        store(&b, ds->kind, pass);
    return depth_transpose((uint16_t)pass);
}

/* The view, if the whole tile is in memory and laid out in blocks; else NULL.
 */
static const struct view *
whole_view(struct worker *w, const struct setup *s)
{
    if (!w->scene->ds.list || s->layer > w->draw->depth_view_extent)
        return NULL;
    const struct view *v = depth_view(w, false, s->layer, 0);
    return v->blocks && v->width >= TILE_PX && v->height >= TILE_PX ? v : NULL;
}

void
depth_test_list(struct worker *w, const struct setup *s,
                const struct cover_list *list, bool write, uint16_t *live)
{
    const struct depth_state *ds = &w->scene->ds;
    const struct view *v = whole_view(w, s);
    if (!v) {
        for (unsigned i = 0; i < list->count; i++)
            live[i] = depth_test_block(w, s, w->tile_x + list->block[i].x,
                                       w->tile_y + list->block[i].y,
                                       list->block[i].mask, write);
        return;
    }
    struct depth_in in = block_in(ds, s, v, write);
    const struct depth_places to = {v->mem, v->x_B, v->y_B};
    in.x = w->tile_x + 0.5 - s->ref_x;
    in.y = w->tile_y + 0.5 - s->ref_y;
    ds->list(&in, &to, list->block, list->count, live);
}

void
depth_test_mixed(struct worker *w, const struct cover_multi_prim *m,
                 const struct cover_list *list, bool write, uint16_t *live)
{
    const struct depth_state *ds = &w->scene->ds;
    const struct view *v = whole_view(w, m->setup[0]);
    if (!v) {
        for (unsigned i = 0; i < list->count; i++)
            live[i] = depth_test_block(
                w, m->setup[m->of[i]], w->tile_x + list->block[i].x,
                w->tile_y + list->block[i].y, list->block[i].mask, write);
        return;
    }
    const struct depth_places to = {v->mem, v->x_B, v->y_B};
    const struct depth_in in = {.x = w->tile_x + 0.5,
                                .y = w->tile_y + 0.5,
                                .pitch_B = v->pitch_B,
                                .pass = ds->pass,
                                .write = write && ds->depth_write};
    ds->mixed(&in, &to, m, list->block, list->count, live);
}

/* The plane's least (or greatest) value in a box, by depth_test.c's arithmetic.
 * Each step of it is monotonic in x and in y, so the extreme lies in a corner.
 */
static float
extreme(const struct setup *s, int32_t x0, int32_t y0, int32_t x1, int32_t y1,
        bool least)
{
    const struct plane *z = &s->z;
    int32_t x = (z->dx < 0) == least ? x1 - 1 : x0;
    int32_t y = (z->dy < 0) == least ? y1 - 1 : y0;
    double dx = (x & ~3) + 0.5 - s->ref_x + (double)(x & 3);
    double dy = (y & ~3) + 0.5 - s->ref_y + (double)(y & 3);
    float v = (float)(z->c + z->dx * dx + z->dy * dy);
    v = v > s->z_lo ? v : s->z_lo;
    return v > s->z_hi ? s->z_hi : v;
}

static uint32_t
as_stored(enum depth_kind kind, float z)
{
    if (kind == DEPTH_F32)
        return bits_from_float(z);
    double v = z > 0 ? MIN2((double)z, 1.0) : 0;
    return (uint32_t)(v * (kind == DEPTH_U16 ? 65535 : 16777215) + 0.5);
}

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

bool
depth_is_ordered(const struct scene *sc)
{
    const struct depth_state *ds = &sc->ds;
    bool less = ds->pass & LESS, greater = ds->pass & GREATER;
    return ds->scan && ds->depth_test && sc->single_sample_no_stencil &&
           less != greater && !(ds->pass & UNORDERED) &&
           sc->test_time != TEST_LATE;
}

/* Whether the depth passes anywhere in the box. True if unknown. */
static bool
passes_anywhere(struct worker *w, const struct setup *s, int32_t x0, int32_t y0,
                int32_t x1, int32_t y1, uint32_t depth, uint8_t pass)
{
    const struct view *v = depth_view(w, false, s->layer, 0);
    struct depth_scan scan = {
        .mem = v->mem,
        .x_B = v->x_B,
        .y_B = v->y_B,
        .x0 = (unsigned)(x0 - w->tile_x) & ~3u,
        .y0 = (unsigned)(y0 - w->tile_y) & ~3u,
        .x1 = ((unsigned)(x1 - w->tile_x) + 3) & ~3u,
        .y1 = ((unsigned)(y1 - w->tile_y) + 3) & ~3u,
        .pitch_B = v->pitch_B,
        .depth = depth,
        .pass = pass,
    };
    return !v->blocks || scan.x1 > v->width || scan.y1 > v->height ||
           w->scene->ds.scan(&scan);
}

bool
depth_rejects_box(struct worker *w, const struct setup *s, int32_t x0,
                  int32_t y0, int32_t x1, int32_t y1)
{
    const struct depth_state *ds = &w->scene->ds;
    if (!depth_is_ordered(w->scene) || s->layer > w->draw->depth_view_extent)
        return false;
    float z = extreme(s, x0, y0, x1, y1, ds->pass & LESS);
    return z == z && !passes_anywhere(w, s, x0, y0, x1, y1,
                                      as_stored(ds->kind, z), ds->pass);
}

bool
depth_range(const struct setup *s, int32_t x0, int32_t y0, int32_t x1,
            int32_t y1, struct depth_range *r)
{
    const struct depth_state *ds = &s->scene->ds;
    bool less = ds->pass & LESS;
    float first = extreme(s, x0, y0, x1, y1, less);
    float last = extreme(s, x0, y0, x1, y1, !less);
    r->first = as_stored(ds->kind, first);
    r->last = as_stored(ds->kind, last);
    return first == first && last == last;
}

bool
depth_passes(const struct depth_state *ds, uint32_t new, uint32_t old)
{
    double a = new, b = old;
    if (ds->kind == DEPTH_F32) {
        a = (double)float_from_bits(new);
        b = (double)float_from_bits(old);
    }
    return ds->pass & (a < b ? LESS : a == b ? EQUAL : GREATER);
}

bool
depth_accepts_box(struct worker *w, const struct setup *s, int32_t x0,
                  int32_t y0, int32_t x1, int32_t y1, uint32_t depth)
{
    const uint8_t fail = s->scene->ds.pass ^
                         (LESS | EQUAL | GREATER | UNORDERED);
    return s->layer <= w->draw->depth_view_extent &&
           !passes_anywhere(w, s, x0, y0, x1, y1, depth, fail);
}
