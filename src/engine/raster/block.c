/* block.c: render target writes of whole 4x4 blocks. What is not a block of
 * the surface is copied into one and back. */
#include "base/fpmode.h"
#include "engine/raster/raster.h"

#define LANES 16
#define BLOCK_PX 4

static inline unsigned
lane_x(unsigned lane)
{
    return (lane >> 2 & 1) * 2 + (lane & 1);
}

static inline unsigned
lane_y(unsigned lane)
{
    return (lane >> 3) * 2 + (lane >> 1 & 1);
}

/* The routine, in the kernel's float mode if that does not show. */
static inline void
run(const struct target *t, const struct rt_block *b)
{
    uint32_t before = FPMODE_DEFAULT;
    if (t->rt.fp_bits)
        before = fpmode_get();
    bool other = (before ^ FPMODE_DEFAULT) & t->rt.fp_bits;
    if (other)
        fpmode_set(FPMODE_DEFAULT);
    t->write(b);
    if (other)
        fpmode_set(before);
}

/* A block of its own: like four rows of a Y tile. */
struct copy {
    alignas(64) uint8_t mem[LANES * 16];
    uint8_t *at[LANES]; /* where the lanes come from and go to */
};

static inline uint8_t *
copy_at(struct copy *k, unsigned lane, unsigned element_B)
{
    unsigned row_B = lane_x(lane) * element_B;
    return k->mem + row_B / 16 * 64 + lane_y(lane) * MIN2(16, 4 * element_B) +
           row_B % 16;
}

/* Fills at[]; returns the lanes that lie in the surface. */
static uint32_t
find_lanes(struct copy *k, const struct worker *w, const struct view *v,
           const struct quad *quad, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        const struct quad *q = &quad[i / 4];
        unsigned x = (unsigned)(q->x - w->tile_x) + (i & 1);
        unsigned y = (unsigned)(q->y - w->tile_y) + (i >> 1 & 1);
        k->at[i] = view_at(v, x, y);
        if (!k->at[i])
            mask &= ~(1u << i);
    }
    return mask;
}

static inline void
copy_element(uint8_t *to, const uint8_t *from, unsigned element_B)
{
    switch (element_B) {
    case 1: *to = *from; break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16); break;
    }
}

static void
write_lanes(struct worker *w, struct target *t, struct rt_block b,
            const struct view *v, const struct quad *quad, uint32_t mask)
{
    struct copy k;
    unsigned size_B = t->element_B;
    mask = find_lanes(&k, w, v, quad, mask);
    if (t->rt.reads) {
        memset(k.mem, 0, sizeof k.mem);
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            copy_element(copy_at(&k, i, size_B), k.at[i], size_B);
        }
    }
    const struct rt_plane plane = {k.mem, 0xffff};
    b.plane = &plane;
    b.planes = 1;
    b.pitch_B = MIN2(16, 4 * size_B);
    b.column_B = 64;
    run(t, &b);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        copy_element(k.at[i], copy_at(&k, i, size_B), size_B);
    }
}

/* Whether the quads are those of one block that has none but good pixels. */
static bool
is_block(const struct worker *w, const struct view *v, unsigned base)
{
    const struct ps_group *g = &w->group;
    const struct quad *q = &g->quad[base / 4];
    unsigned x = (unsigned)(q->x - w->tile_x);
    unsigned y = (unsigned)(q->y - w->tile_y);
    if (!v->blocks || x + BLOCK_PX > v->width || y + BLOCK_PX > v->height)
        return false;
    if (g->block)
        return true;
    if (g->quads < base / 4 + 4 || x % BLOCK_PX || y % BLOCK_PX)
        return false;
    for (unsigned i = 1; i < 4; i++) {
        if (q[i].x != q->x + (int32_t)(i & 1) * 2 ||
            q[i].y != q->y + (int32_t)(i >> 1) * 2)
            return false;
    }
    return true;
}

static void
place(const struct worker *w, const struct view *v, const struct quad *q,
      uint32_t mask, struct rt_block *b, struct rt_plane *plane)
{
    plane->at = v->mem + v->x_B[q->x - w->tile_x] + v->y_B[q->y - w->tile_y];
    plane->mask = mask;
    b->pitch_B = v->pitch_B;
    b->column_B = v->column_B;
}

/* Lanes of the mask that cover only some of the samples. */
static uint32_t
partly_covered(const struct scene *sc, const struct quad *quad, uint32_t mask)
{
    uint64_t all = sc->all_samples * UINT64_C(0x0001000100010001);
    uint32_t partly = 0;
    for (unsigned q = 0; q < LANES / 4; q++) {
        uint64_t cover;
        memcpy(&cover, quad[q].cover, sizeof cover);
        if (!(mask >> (4 * q) & 15) || cover == all)
            continue;
        for (unsigned p = 0; p < 4; p++)
            partly |= (unsigned)(quad[q].cover[p] != sc->all_samples)
                      << (4 * q + p);
    }
    return partly & mask;
}

/* Lanes of the mask that cover each sample. */
static void
masks_of_samples(const struct scene *sc, const struct quad *quad, uint32_t mask,
                 uint32_t of[MAX_SAMPLES])
{
    uint32_t partly = partly_covered(sc, quad, mask);
    for (unsigned s = 0; s < MAX_SAMPLES; s++)
        of[s] = s < sc->samples ? mask & ~partly : 0;
    for (; partly; partly &= partly - 1) {
        unsigned i = (unsigned)__builtin_ctz(partly);
        for (unsigned c = quad[i / 4].cover[i & 3]; c; c &= c - 1)
            of[__builtin_ctz(c)] |= 1u << i;
    }
}

static void
prepare_mcs(struct worker *w, struct target *t, const struct quad *quad,
            bool block, uint32_t mask)
{
    if (block && mcs_block_ready(t, (uint32_t)quad->x, (uint32_t)quad->y))
        return;
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        const struct quad *q = &quad[i / 4];
        mcs_prepare_pixel(w, t, q->x + (int32_t)(i & 1),
                          q->y + (int32_t)(i >> 1 & 1));
    }
    fpmode_leave(FPMODE_DEFAULT, before);
}

static void
write_samples(struct worker *w, struct target *t, struct rt_block b,
              unsigned base, uint32_t mask)
{
    const struct quad *quad = &w->group.quad[base / 4];
    bool block = is_block(w, target_view(w, t, 0), base);
    uint32_t of[MAX_SAMPLES];
    struct rt_plane plane[MAX_SAMPLES];
    if (t->has_mcs)
        prepare_mcs(w, t, quad, block, mask);
    masks_of_samples(w->scene, quad, mask, of);
    b.planes = 0;
    b.plane = plane;
    for (unsigned s = 0; s < t->samples; s++) {
        const struct view *v = target_view(w, t, s);
        if (of[s] && block && v->blocks)
            place(w, v, quad, of[s], &b, &plane[b.planes++]);
        else if (of[s])
            write_lanes(w, t, b, v, quad, of[s]);
    }
    if (b.planes)
        run(t, &b);
}

/* The target as it was used last, or made ready now. */
static inline struct target *
find_target(struct worker *w, unsigned bti, int layer, unsigned entry)
{
    struct target *t = &w->target[bti & (DRAW_MAX_RT - 1)];
    if (bti < DRAW_MAX_RT && t->ready && !t->null && t->layer == layer &&
        t->entry == (int)entry)
        return t;
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    t = target_get(w, bti, layer);
    if (t)
        target_use_entry(t, &w->scene->blend[entry], entry);
    fpmode_leave(FPMODE_DEFAULT, before);
    return t;
}

bool
target_write_colors(struct ps_group *g, const uint32_t *const c[4],
                    unsigned base, uint32_t mask, unsigned bti, unsigned entry)
{
    struct worker *w = g->worker;
    if (!w->scene->only_colors || g->setup->smooth)
        return false;
    entry &= DRAW_MAX_RT - 1;
    struct target *t = find_target(w, bti, g->setup->layer, entry);
    if (!t || !t->write)
        return false;
    if (w->scene->late_count_only) {
        uint32_t todo = mask << base & g->lit & ~g->tested;
        g->tested |= todo;
        w->depth_count += count_bits(todo);
    }
    mask &= g->alive >> base;
    if (!mask)
        return true;
    w->pixels += mask == 0xffff ? LANES : count_bits(mask);
    struct rt_block b = {.c = {c[0], c[1], c[2], c[3]}, .state = &t->rt};
    if (t->samples > 1) {
        write_samples(w, t, b, base, mask);
        return true;
    }
    const struct view *v = target_view(w, t, 0);
    const struct quad *q = &g->quad[base / 4];
    if (!is_block(w, v, base)) {
        write_lanes(w, t, b, v, q, mask);
        return true;
    }
    struct rt_plane plane;
    place(w, v, q, mask, &b, &plane);
    b.plane = &plane;
    b.planes = 1;
    run(t, &b);
    return true;
}
