/* planes.c: where the samples of a batch's blocks are, found and settled before
 * their threads run, so that those can write them. */
#include "engine/raster/raster.h"

bool
target_has_blocks(struct worker *w, struct target *t)
{
    for (unsigned s = 0; s < t->samples; s++) {
        if (!target_view(w, t, s)->blocks)
            return false;
    }
    return true;
}

/* Places in the tile that blocks of the batch have used, with plane 0 alone and
 * with several. */
struct used_places {
    uint64_t alone[COVER_BLOCKS / 64], several[COVER_BLOCKS / 64];
};

/* How many planes a block is about to need; 0 if that cannot be said, as where
 * what an earlier one leaves in plane 0 is to be spread. A place that has
 * several keeps them: the earlier one's thread may go on by itself. */
static unsigned
settle_planes(struct worker *w, struct target *t, const struct batch_block *k,
              struct used_places *used)
{
    const unsigned n = mcs_block(w, k->x, k->y);
    const uint64_t bit = UINT64_C(1) << n % 64;
    /* A thread may leave out lanes that are lit. */
    const bool whole = k->lit == 0xffff && !w->launch.last_pred &&
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

/* Fewer are looked at one by one. */
#define SCAN_BLOCKS 16

/* The most that a block of the batch needs; 0 as above. */
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

/* Where all planes of the batch's blocks are, and what of them is written. */
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
            unsigned mask = k.partly ? b->sample[n][s] : k.lit;
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
