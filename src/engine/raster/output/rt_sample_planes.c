/* rt_sample_planes.c: finds the planes of a batch's samples and settles their
 * MCS entries before the threads run, so that threads can store directly. */
#include "engine/raster/output/output.h"
#include "engine/raster/tile_view.h"

bool
target_has_blocks(struct worker *w, struct target *t)
{
    for (unsigned s = 0; s < t->samples; s++) {
        if (!target_view(w, t, s)->blocks)
            return false;
    }
    return true;
}

/* Plane 0 was copied to all planes for block n. Earlier blocks of the batch at
 * the same place, whose threads have not run, then write all planes, too. */
static void
widen_earlier(const struct worker *w, const struct target *t, unsigned n,
              uint8_t planes[BATCH_BLOCKS])
{
    const struct block_batch *b = &w->batch;
    for (unsigned i = 0; i < n; i++) {
        if (b->block[i].x == b->block[n].x && b->block[i].y == b->block[n].y)
            planes[i] = (uint8_t)t->samples;
    }
}

/* Settles the MCS entries of block n; returns how many planes its write needs.
 * 0 if unknown. */
static unsigned
settle_planes(struct worker *w, struct target *t, unsigned n,
              uint8_t planes[BATCH_BLOCKS])
{
    const struct batch_block *k = &w->batch.block[n];
    struct mcs_write wr = mcs_write_of(w, t, n, k->live);
    /* With a predicated last message a thread may leave out live lanes. */
    wr.unsure = w->launch.last_pred;
    unsigned need = mcs_prepare_block(w, t, (uint32_t)k->x, (uint32_t)k->y,
                                      &wr);
    if (wr.copied)
        widen_earlier(w, t, n, planes);
    return need;
}

/* The planes of block n if its entries are known and stay what they are; else
 * 0. */
static inline unsigned
known_planes(const struct worker *w, const struct target *t, unsigned n)
{
    const struct batch_block *k = &w->batch.block[n];
    const unsigned place = mcs_block(w, k->x, k->y);
    if (!k->partial_ms && t->mcs_first[place / 64] >> place % 64 & 1)
        return 1;
    bool some = k->partial_ms || k->live != 0xffff || target_reads(t) ||
                w->launch.last_pred;
    return t->rounds_mcs && some && mcs_has_all_planes(t, place) ? t->samples
                                                                 : 0;
}

/* Fewer blocks are settled one by one. */
#define SCAN_BLOCKS 16

/* The largest number of planes that a block of the batch needs; 0 if unknown.
 */
static unsigned
find_planes(struct worker *w, struct target *t, uint8_t planes[BATCH_BLOCKS])
{
    const unsigned count = w->batch.count;
    unsigned most = 1, n = 0;
    if (t->has_mcs && count >= SCAN_BLOCKS)
        mcs_scan_tile(w, t);
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    for (; most && n < count; n++) {
        unsigned need = t->has_mcs ? known_planes(w, t, n) : t->samples;
        if (!need)
            need = settle_planes(w, t, n, planes);
        planes[n] = (uint8_t)need;
        most = need ? MAX2(most, need) : 0;
    }
    fpmode_leave(FPMODE_DEFAULT, before);
    return most;
}

/* Fills in batch.plane[]: addresses of all planes of the batch's blocks, and
 * the lanes to write. */
static void
place_planes(struct worker *w, const struct target *t,
             const uint8_t planes[BATCH_BLOCKS])
{
    struct block_batch *b = &w->batch;
    const int32_t tile_x = w->tile_x, tile_y = w->tile_y;
    const unsigned samples = t->samples, count = b->count;
    struct rt_plane *to = b->plane;
    for (unsigned n = 0; n < count; n++) {
        const struct batch_block k = b->block[n];
        const int32_t x = k.x - tile_x, y = k.y - tile_y;
        for (unsigned s = 0; s < samples; s++, to++) {
            const struct view *v = &t->view[s];
            unsigned mask = k.partial_ms ? b->sample[n][s] : k.live;
            to->at = v->mem + v->x_B[x] + v->y_B[y];
            to->mask = s < planes[n] ? mask : 0;
        }
    }
}

const struct target *
target_of_planes(struct worker *w, int layer)
{
    struct target *t = target_for_colors(w, w->launch.last_desc & 0xff, layer,
                                         0);
    return t && t->samples > 1 && target_has_blocks(w, t) ? t : NULL;
}

void
target_place_batch(struct worker *w, struct target *t)
{
    struct block_batch *b = &w->batch;
    const struct view *v = target_view(w, t, 0);
    uint8_t planes[BATCH_BLOCKS];
    bool inside = v->blocks && v->width == TILE_PX && v->height == TILE_PX;
    b->planes = inside && !b->scattered;
    if (t->samples == 1 || !b->planes)
        return;
    b->planes = target_has_blocks(w, t) ? find_planes(w, t, planes) : 0;
    if (b->planes > 1) {
        b->planes = t->samples;
        place_planes(w, t, planes);
        memcpy(b->settled, planes, b->count);
    }
}
