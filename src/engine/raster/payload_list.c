/* payload_list.c: blocks that come as a list of all that a primitive has in a
 * tile. What many of them have in common need not go through the batch. */
#include "engine/raster/raster.h"

/* Fewer blocks of a primitive go into the batch, with those of others: for
 * those that have a colour in common, and for rows, which take longer to begin.
 */
#define ALIKE_BLOCKS 8
#define ROW_BLOCKS 24

/* How a list's blocks are drawn without the batch. */
typedef bool list_fn(struct worker *w, const struct setup *s,
                     struct caught_list *l);

/* False if nothing has been done. */
static bool
draw_at_once(struct worker *w, const struct setup *s, list_fn *fn,
             struct caught_list *l)
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

/* What passes early tests of a list, or all of it. */
static const uint16_t *
test_list(struct worker *w, const struct setup *s,
          const struct cover_list *list, uint16_t *lit)
{
    const struct scene *sc = w->scene;
    if (!sc->ds.depth_test || sc->test_time == TEST_LATE)
        return NULL;
    depth_test_list(w, s, list, sc->test_time == TEST_EARLY, lit);
    return lit;
}

/* What threads are told that is covered: more than what is lit, perhaps. */
static bool
tells_covered(const struct worker *w)
{
    return w->draw->ps_extra.input_coverage_mask_state !=
           GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_DEPTH_COVERAGE;
}

/* Blocks of the list, lit[i] of block i, each a thread of its own. Which of
 * them have got anything is hard to foresee: all are put in the batch, where
 * the next one takes the place of one that has not. Returns how many pixels
 * they have. */
static unsigned
add_all(struct worker *w, const struct setup *s, const struct cover_list *list,
        const uint16_t *lit)
{
    struct block_batch *b = &w->batch;
    const bool covers = tells_covered(w);
    const int32_t tile_x = w->tile_x, tile_y = w->tile_y;
    unsigned pixels = 0;
    for (unsigned i = 0, end; i < list->count; i = end) {
        payload_use_primitive(w, s);
        uint64_t four = 0;
        unsigned count = b->count;
        end = MIN2(list->count, i + BATCH_BLOCKS - count);
        for (unsigned k = i; k < end; k++) {
            const struct cover_block c = list->block[k];
            uint16_t mask = lit ? lit[k] : c.mask;
            payload_put_block(&b->block[count], tile_x + c.x, tile_y + c.y,
                              mask, covers ? c.mask : mask);
            count += mask != 0;
            four = four << 16 | mask;
            if (k % 4 == 3) {
                pixels += count_four_blocks(four);
                four = 0;
            }
        }
        pixels += count_four_blocks(four);
        b->count = count;
        if (count == BATCH_BLOCKS)
            payload_run_blocks(w);
    }
    w->ps_count += pixels;
    return pixels;
}

/* Those that have little share threads. */
static unsigned
add_shared(struct worker *w, const struct setup *s,
           const struct cover_list *list, const uint16_t *lit)
{
    const bool covers = tells_covered(w);
    const int32_t tile_x = w->tile_x, tile_y = w->tile_y;
    unsigned pixels = 0;
    for (unsigned i = 0; i < list->count; i++) {
        const struct cover_block c = list->block[i];
        uint16_t mask = lit ? lit[i] : c.mask;
        uint16_t full = covers ? c.mask : mask;
        pixels += count_block_bits(mask);
        if (quad_fills_thread(mask))
            payload_add_block(w, s, tile_x + c.x, tile_y + c.y, mask, full);
        else if (mask)
            quad_emit_some(w, s, tile_x + c.x, tile_y + c.y, mask, full);
    }
    return pixels;
}

void
payload_add_list(struct worker *w, const struct setup *s,
                 const struct cover_list *list)
{
    uint16_t passing[COVER_BLOCKS], rest[COVER_BLOCKS];
    const uint16_t *lit = test_list(w, s, list, passing);
    bool counts = w->scene->test_time == TEST_EARLY && !w->scene->count_late;
    struct caught_list done = {.list = list, .lit = lit, .rest = rest};
    bool drawn = false;
    if (w->same && list->count >= ALIKE_BLOCKS)
        drawn = draw_at_once(w, s, caught_alike, &done);
    else if (w->rows && list->count >= ROW_BLOCKS)
        drawn = draw_at_once(w, s, caught_rows, &done);
    w->ps_count += done.pixels;
    if (!drawn || done.left)
        done.pixels += (w->cheap ? add_all : add_shared)(w, s, list,
                                                         drawn ? rest : lit);
    if (counts)
        w->depth_count += done.pixels;
}
