/* shade_path.c: chooses how the blocks of a primitive in a tile are shaded. One
 * row per path: the first that fits is taken, the last one always fits. All
 * paths draw the same pixels, with any row left out by SOFTLAKE_PERF. The last
 * one counts what performance queries ask for. */
#include "base/perf.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/shade/shade.h"

struct shade_path {
    const char *name;
    enum perf_way off;
    enum stat_id count; /* one per primitive and tile */
    bool tests;         /* needs early_tests() of the blocks */
    /* Whether the path can draw primitives of the worker's scene. Only for
     * primitives that coverage describes completely. several_samples: the list
     * distinguishes samples. */
    bool (*fits)(const struct worker *w, bool several_samples);
    /* live: pixels of each block that passed early tests; NULL: covered pixels.
     */
    void (*run)(struct worker *w, const struct setup *s, unsigned samples,
                const uint16_t *live);
};

static bool
list_fits(const struct worker *w, bool several_samples)
{
    return w->list_shading && !several_samples;
}

static void
list_run(struct worker *w, const struct setup *s, unsigned samples,
         const uint16_t *live)
{
    payload_add_list(w, s, &w->cover, live);
}

static bool
samples_fit(const struct worker *w, bool several_samples)
{
    return w->batches_partial_blocks && several_samples;
}

static void
samples_run(struct worker *w, const struct setup *s, unsigned samples,
            const uint16_t *live)
{
    payload_add_sample_list(w, s, &w->cover);
}

static bool
depth_fits(const struct worker *w, bool several_samples)
{
    return w->scene->single_sample_no_stencil && !w->scene->ps &&
           (w->draw->sample_mask & 1);
}

static void
depth_run(struct worker *w, const struct setup *s, unsigned samples,
          const uint16_t *live)
{
    quad_count_list(w, &w->cover, live);
}

static bool
block_fits(const struct worker *w, bool several_samples)
{
    return w->scene->single_sample_no_stencil && w->scene->ps &&
           (w->draw->sample_mask & 1);
}

static void
block_run(struct worker *w, const struct setup *s, unsigned samples,
          const uint16_t *live)
{
    const struct cover_list *list = &w->cover;
    for (unsigned i = 0; i < list->count; i++) {
        const struct cover_block *b = &list->block[i];
        quad_emit_block(w, s, w->tile_x + b->x, w->tile_y + b->y, b->mask,
                        live ? live[i] : b->mask);
    }
}

static void
quads_of_block(struct worker *w, const struct setup *s, unsigned samples,
               unsigned i)
{
    const struct cover_list *list = &w->cover;
    const struct cover_block *b = &list->block[i];
    const uint16_t *masks = list->sample[i];
    uint16_t same[MAX_SAMPLES];
    for (unsigned k = 0; samples == 1 && k < w->scene->samples; k++)
        same[k] = b->mask;
    quad_emit_samples(w, s, w->tile_x + b->x, w->tile_y + b->y,
                      samples == 1 ? same : masks);
}

static bool
is_covered(const uint16_t *masks, unsigned samples)
{
    unsigned all = 0xffff;
    for (unsigned i = 0; i < samples; i++)
        all &= masks[i];
    return all == 0xffff;
}

static bool
covered_fits(const struct worker *w, bool several_samples)
{
    return w->scene->ms_no_sample_tests;
}

static void
covered_run(struct worker *w, const struct setup *s, unsigned samples,
            const uint16_t *live)
{
    const struct cover_list *list = &w->cover;
    for (unsigned i = 0; i < list->count; i++) {
        const struct cover_block *b = &list->block[i];
        if (is_covered(samples > 1 ? list->sample[i] : &b->mask, samples))
            quad_emit_covered(w, s, w->tile_x + b->x, w->tile_y + b->y);
        else
            quads_of_block(w, s, samples, i);
    }
}

static bool
quads_fit(const struct worker *w, bool several_samples)
{
    return true;
}

static void
quads_run(struct worker *w, const struct setup *s, unsigned samples,
          const uint16_t *live)
{
    for (unsigned i = 0; i < w->cover.count; i++)
        quads_of_block(w, s, samples, i);
}

static const struct shade_path shade_paths[] = {
    {"block_list", PERF_BLOCK_LIST, STAT_shade_block_list, true, list_fits,
     list_run},
    {"sample_list", PERF_SAMPLE_LIST, STAT_shade_sample_list, false,
     samples_fit, samples_run},
    {"depth_only", PERF_DEPTH_ONLY, STAT_shade_depth_only, true, depth_fits,
     depth_run},
    {"block", PERF_BLOCK, STAT_shade_block, true, block_fits, block_run},
    {"covered", PERF_COVERED, STAT_shade_covered, false, covered_fits,
     covered_run},
    {"quad", PERF_WAYS, STAT_shade_quad, false, quads_fit, quads_run},
};
#define GENERAL (ARRAY_SIZE(shade_paths) - 1)

static const struct shade_path *
choose_path(const struct worker *w, bool several_samples)
{
    for (unsigned i = 0; i < GENERAL && !w->draw->oa; i++) {
        const struct shade_path *p = &shade_paths[i];
        if (p->fits(w, several_samples) && !perf_leaves_out(p->off))
            return p;
    }
    return &shade_paths[GENERAL];
}

void
shade_choose_paths(struct worker *w)
{
    w->path[0] = choose_path(w, false);
    w->path[1] = choose_path(w, true);
}

/* Stipple and smooth primitives need more than coverage. */
static bool
is_special(const struct setup *s)
{
    return s->poly_stipple || s->line_stipple || s->round || s->smooth;
}

void
shade_primitive(struct worker *w, const struct setup *s, unsigned samples)
{
    const struct shade_path *path = is_special(s) ? &shade_paths[GENERAL]
                                                  : w->path[samples > 1];
    uint16_t passing[COVER_ROOM];
    const uint16_t *live = NULL;
    if (path->tests)
        live = early_tests(w, s, &w->cover, passing);
    stats_add(path->count, 1);
    path->run(w, s, samples, live);
}
