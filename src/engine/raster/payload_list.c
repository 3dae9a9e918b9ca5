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

/* Blocks of the list, lit[i] of block i. Returns how many pixels they have. */
static unsigned
add_blocks(struct worker *w, const struct setup *s,
           const struct cover_list *list, const uint16_t *lit)
{
    struct block_batch *b = &w->batch;
    bool covers =
        w->draw->ps_extra.input_coverage_mask_state !=
        GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_DEPTH_COVERAGE;
    const int32_t tile_x = w->tile_x, tile_y = w->tile_y;
    const bool cheap = w->cheap;
    unsigned pixels = 0, shared = 0;
    payload_use_primitive(w, s);
    for (unsigned i = 0; i < list->count; i++) {
        const struct cover_block c = list->block[i];
        uint16_t mask = lit ? lit[i] : c.mask;
        uint16_t full = covers ? c.mask : mask;
        unsigned count = count_block_bits(mask);
        pixels += count;
        if (!mask)
            continue;
        if (!cheap && !quad_fills_thread(mask)) {
            shared += count;
            quad_emit_some(w, s, tile_x + c.x, tile_y + c.y, mask, full);
            continue;
        }
        if (!b->prims)
            payload_use_primitive(w, s);
        payload_put_block(&b->block[b->count++], tile_x + c.x, tile_y + c.y,
                          mask, full);
        if (b->count == BATCH_BLOCKS)
            payload_run_blocks(w);
    }
    w->ps_count += pixels - shared;
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
        done.pixels += add_blocks(w, s, list, drawn ? rest : lit);
    if (counts)
        w->depth_count += done.pixels;
}
