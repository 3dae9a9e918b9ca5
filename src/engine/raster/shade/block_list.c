/* block_list.c: list shading: all blocks that a primitive covers in a tile at
 * once. Large lists bypass the batch. */
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "engine/raster/shade/shade.h"

/* Smaller lists go into the batch, with blocks of other primitives: for the
 * uniform path, and for chains, which cost more to begin. */
#define ALIKE_BLOCKS 8
#define ROW_BLOCKS 24

/* A path that draws a list without the batch. */
typedef bool list_fn(struct worker *w, const struct setup *s,
                     struct block_list_run *l);

/* False if nothing has been done. */
static bool
draw_at_once(struct worker *w, const struct setup *s, list_fn *fn,
             struct block_list_run *l)
{
    payload_run_blocks(w);
    if (atomic_load_explicit(w->draw->reset, memory_order_relaxed))
        return false;
    uint32_t before = payload_begin_blocks(w);
    w->block_group.setup = s;
    bool drawn = fn(w, s, l);
    eu_launch_end(&w->launch, before);
    w->threads += l->blocks;
    return drawn;
}

/* Whether the input coverage mask holds all covered pixels, even those that
 * failed early tests. */
static bool
tells_covered(const struct worker *w)
{
    return w->draw->ps_extra.input_coverage_mask_state !=
           GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_DEPTH_COVERAGE;
}

/* Appends a list's blocks from `first` on to the batch, which has room. Without
 * branches: which blocks are empty is unpredictable. */
static struct block_put
put_blocks(struct worker *w, const struct cover_list *list,
           const uint16_t *live, unsigned first, unsigned count)
{
    struct block_batch *b = &w->batch;
    struct block_put put = {.list = list->block + first,
                            .live = live ? live + first : NULL,
                            .count = count,
                            .tile_x = w->tile_x,
                            .tile_y = w->tile_y,
                            .covers = tells_covered(w)};
    w->planes->put_blocks(&put, b->block + b->count);
    b->count += put.blocks;
    w->ps_count += put.pixels;
    return put;
}

/* Adds all blocks of a primitive; returns their live pixels. */
static unsigned
add_all(struct worker *w, const struct setup *s, const struct cover_list *list,
        const uint16_t *live)
{
    unsigned pixels = 0;
    for (unsigned i = 0, count; i < list->count; i += count) {
        payload_use_primitive(w, s);
        count = MIN2(list->count - i, BATCH_BLOCKS - w->batch.count);
        pixels += put_blocks(w, list, live, i, count).pixels;
        if (w->batch.count == BATCH_BLOCKS)
            payload_run_blocks(w);
    }
    return pixels;
}

/* Adds all blocks of a primitive, with shared threads for blocks of few quads;
 * returns their live pixels. */
static unsigned
add_shared(struct worker *w, const struct setup *s,
           const struct cover_list *list, const uint16_t *live)
{
    const bool covers = tells_covered(w);
    const int32_t tile_x = w->tile_x, tile_y = w->tile_y;
    unsigned pixels = 0;
    for (unsigned i = 0; i < list->count; i++) {
        const struct cover_block c = list->block[i];
        uint16_t mask = live ? live[i] : c.mask;
        uint16_t full = covers ? c.mask : mask;
        pixels += count_block_bits(mask);
        if (block_fills_thread(mask))
            payload_add_block(w, s, tile_x + c.x, tile_y + c.y, mask, full);
        else if (mask)
            quad_emit_some(w, s, tile_x + c.x, tile_y + c.y, mask, full);
    }
    return pixels;
}

static bool
counts_early(const struct scene *sc)
{
    return sc->test_time == TEST_EARLY && !sc->count_late;
}

void
payload_add_list(struct worker *w, const struct setup *s,
                 const struct cover_list *list, const uint16_t *live)
{
    uint16_t rest[COVER_ROOM];
    struct block_list_run done = {.list = list, .live = live, .rest = rest};
    bool drawn = false;
    if (w->uniform && list->count >= ALIKE_BLOCKS)
        drawn = draw_at_once(w, s, uniform_run, &done);
    else if (w->chains && list->count >= ROW_BLOCKS)
        drawn = draw_at_once(w, s, chain_run_list, &done);
    w->ps_count += done.pixels;
    if (!drawn || done.left)
        done.pixels += (w->thread_per_block ? add_all : add_shared)(
            w, s, list, drawn ? rest : live);
    if (counts_early(w->scene))
        w->depth_count += done.pixels;
}

static uint64_t
bits_below(unsigned n)
{
    return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* Adds the primitives of a list whose blocks lie in the batch from block
 * `first` on. Like payload_use_primitive(), drops primitives without blocks. */
static void
use_primitives(struct worker *w, const struct cover_multi_prim *m,
               const struct block_put *put, unsigned first)
{
    struct block_batch *b = &w->batch;
    unsigned n = b->prims;
    if (n && b->prim[n - 1].first == first)
        n--;
    for (unsigned k = 0; k < m->count; k++) {
        const uint64_t own = put->set & bits_below(m->first[k + 1]) &
                             ~bits_below(m->first[k]);
        b->prim[n].setup = m->setup[k];
        b->prim[n].first = first;
        n += own != 0;
        first += count_four_blocks(own);
    }
    b->prims = n;
}

void
payload_add_mixed(struct worker *w, const struct cover_multi_prim *m,
                  const struct cover_list *list)
{
    const struct scene *sc = w->scene;
    struct block_batch *b = &w->batch;
    uint16_t passing[COVER_MIXED_BLOCKS];
    const uint16_t *live = early_tests_multi_prim(w, m, list, passing);
    if (b->count + list->count > BATCH_BLOCKS)
        payload_run_blocks(w);
    payload_use_layer(w, m->setup[0]->layer);
    const unsigned first = b->count;
    const struct block_put put = put_blocks(w, list, live, 0, list->count);
    use_primitives(w, m, &put, first);
    if (counts_early(sc))
        w->depth_count += put.pixels;
    if (b->count == BATCH_BLOCKS)
        payload_run_blocks(w);
}

/* ---- several samples ---- */

#define FOURS (MAX_SAMPLES / 4)

/* Pixel masks of four samples: all ones for each sample whose bit is set. */
static inline uint64_t
four_samples(unsigned bits)
{
    return ((bits & 1) | (uint64_t)(bits & 2) << 15 |
            (uint64_t)(bits & 4) << 30 | (uint64_t)(bits & 8) << 45) *
           0xffff;
}

/* The draw's samples and the samples that it writes, four at a time. */
struct sample_set {
    unsigned fours;
    uint64_t there[FOURS], drawn[FOURS];
};

/* Fills in place: copying the struct right after narrow stores would stall
 * store forwarding. */
static void
find_samples(const struct worker *w, struct sample_set *set)
{
    const struct scene *sc = w->scene;
    set->fours = (sc->samples + 3) / 4;
    for (unsigned i = 0; i < set->fours; i++) {
        set->there[i] = four_samples(sc->all_samples >> 4 * i);
        set->drawn[i] = set->there[i] &
                        four_samples(w->draw->sample_mask >> 4 * i);
    }
}

/* Drawn part of a block: pixels with any sample, pixels with all samples, count
 * of samples. */
struct sample_pixels {
    unsigned any, all, count;
};

/* Loads and stores masks in fours: a wide load after narrow stores would stall
 * store forwarding. */
static inline struct sample_pixels
take_samples(const struct sample_set *set, const uint16_t *from, uint16_t *to)
{
    uint64_t any = 0, all = UINT64_MAX;
    struct sample_pixels p = {0};
    for (unsigned i = 0; i < set->fours; i++) {
        uint64_t on;
        memcpy(&on, &from[4 * i], sizeof on);
        on &= set->drawn[i];
        memcpy(&to[4 * i], &on, sizeof on);
        any |= on;
        all &= on | ~set->there[i];
        p.count += (unsigned)__builtin_popcountll(on);
    }
    any |= any >> 32;
    all &= all >> 32;
    p.any = (any | any >> 16) & 0xffff;
    p.all = (all & all >> 16) & 0xffff;
    return p;
}

RASTER_LANES void
payload_add_sample_list(struct worker *w, const struct setup *s,
                        const struct cover_list *list)
{
    const struct scene *sc = w->scene;
    struct sample_set set;
    find_samples(w, &set);
    const int32_t tile_x = w->tile_x, tile_y = w->tile_y;
    const bool cheap = w->thread_per_block;
    struct block_batch *b = &w->batch;
    unsigned samples = 0, pixels = 0;
    /* Comes first: runs a batch of another layer before the target changes
     * layers, and before masks are stored at the batch's end. */
    payload_use_layer(w, s->layer);
    const struct target *t = w->captures_rt_write
                                 ? target_of_planes(w, s->layer)
                                 : NULL;
    for (unsigned i = 0; i < list->count; i++) {
        const struct cover_block c = list->block[i];
        int32_t x = tile_x + c.x, y = tile_y + c.y;
        const struct sample_pixels p = take_samples(&set, list->sample[i],
                                                    b->sample[b->count]);
        if (!p.any)
            continue;
        if (!cheap && !block_fills_thread(p.any)) {
            quad_emit_samples(w, s, x, y, list->sample[i]);
            continue;
        }
        payload_use_primitive(w, s);
        payload_put_block(&b->block[b->count++], x, y, (uint16_t)p.any,
                          (uint16_t)p.any, p.any != p.all);
        if (t && p.any != p.all)
            target_fetch(t, c.x, c.y);
        samples += p.count;
        pixels += (unsigned)__builtin_popcount(p.any);
        if (b->count == BATCH_BLOCKS)
            payload_run_blocks(w);
    }
    w->ps_count += pixels;
    if (sc->test_time == TEST_EARLY && !sc->count_late)
        w->depth_count += samples;
}
