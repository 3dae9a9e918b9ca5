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

/* Blocks of the tile that earlier blocks of the batch write: in plane 0 alone,
 * or in several planes. */
struct used_places {
    uint64_t alone[COVER_BLOCKS / 64], several[COVER_BLOCKS / 64];
};

/* Settles a block's MCS entries; returns how many planes its write needs. 0 if
 * unknown, as when plane 0 must be spread after an earlier block's thread has
 * written it. A place with several planes keeps them: the earlier thread may
 * finish by itself. */
static unsigned
settle_planes(struct worker *w, struct target *t, const struct batch_block *k,
              struct used_places *used)
{
    const unsigned n = mcs_block(w, k->x, k->y);
    const uint64_t bit = UINT64_C(1) << n % 64;
    /* With a predicated last message a thread may leave out live lanes. */
    const bool whole = k->live == 0xffff && !w->launch.last_pred &&
                       !(used->several[n / 64] & bit);
    const enum mcs_use use = mcs_use_of(t, k, whole ? 0xffff : 0);
    unsigned planes = mcs_known_planes(t, n, use);
    if (!planes && use == MCS_SAMPLES && (used->alone[n / 64] & bit))
        return 0;
    if (!planes)
        planes = mcs_prepare_block(w, t, (uint32_t)k->x, (uint32_t)k->y, use);
    *(planes == 1 ? &used->alone[n / 64] : &used->several[n / 64]) |= bit;
    return planes;
}

/* Fewer blocks are settled one by one. */
#define SCAN_BLOCKS 16

/* The largest number of planes that a block of the batch needs; 0 if unknown.
 */
static unsigned
find_planes(struct worker *w, struct target *t, uint8_t planes[BATCH_BLOCKS])
{
    const struct block_batch *b = &w->batch;
    struct used_places used = {0};
    unsigned most = 1, n = 0;
    if (t->has_mcs && b->count >= SCAN_BLOCKS)
        mcs_scan_tile(w, t);
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    for (; most && n < b->count; n++) {
        planes[n] = (uint8_t)(t->has_mcs
                                  ? settle_planes(w, t, &b->block[n], &used)
                                  : t->samples);
        most = planes[n] ? MAX2(most, planes[n]) : 0;
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
    }
}
