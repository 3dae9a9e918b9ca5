/* media_walk.c: the nest of loops of a MEDIA_OBJECT_WALKER: global outer,
 * global inner, local outer, middle, local inner, colour. A local position is
 * relative to the global one. Positions outside of the block or of the global
 * resolution are stepped over and do not end a loop: walks at an angle start
 * outside and step in. KBL PRM vol 2d, MEDIA_OBJECT_WALKER; Observed: walkers
 * of iHD and i965 give each block once, after those it depends on. */
#include "engine/media/media.h"

#include <limits.h>

/* Steps [begin, end) of a loop. */
struct steps {
    int begin, end;
};

static int
div_floor(int a, int b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Keeps the steps at which start + step * unit is in [low, high). */
static void
keep_inside(struct steps *s, int start, int unit, int low, int high)
{
    if (unit < 0) {
        int swapped = 1 - low;
        low = 1 - high;
        high = swapped;
        start = -start;
        unit = -unit;
    }
    if (!unit) {
        if (start < low || start >= high)
            s->end = s->begin;
        return;
    }
    s->begin = MAX2(s->begin, -div_floor(start - low, unit));
    s->end = MIN2(s->end, div_floor(high - 1 - start, unit) + 1);
}

static struct steps
all_steps(int unit_x, int unit_y)
{
    /* A loop that does not move has one step. */
    return (struct steps){0, unit_x || unit_y ? INT_MAX : 1};
}

/* Where the global loops are. */
static void
global_at(const struct media_walk *walk, int *x, int *y)
{
    const struct gen9_media_object_walker *w = walk->w;
    *x = w->global_start_x +
         walk->global_outer * w->global_outer_loop_stride_x +
         walk->global_inner * w->global_inner_loop_unit_x;
    *y = w->global_start_y +
         walk->global_outer * w->global_outer_loop_stride_y +
         walk->global_inner * w->global_inner_loop_unit_y;
}

/* Begins the global inner loop. Guess: blocks that the global resolution cuts
 * count as inside on each side. */
static void
begin_global_inner(struct media_walk *walk)
{
    const struct gen9_media_object_walker *w = walk->w;
    struct steps s = all_steps(w->global_inner_loop_unit_x,
                               w->global_inner_loop_unit_y);
    int x, y;
    walk->global_inner = 0;
    global_at(walk, &x, &y);
    keep_inside(&s, x, w->global_inner_loop_unit_x,
                1 - (int)w->block_resolution_x, (int)w->global_resolution_x);
    keep_inside(&s, y, w->global_inner_loop_unit_y,
                1 - (int)w->block_resolution_y, (int)w->global_resolution_y);
    walk->global_inner = s.begin;
    walk->global_end = s.end;
}

static void
begin_local_inner(struct media_walk *walk)
{
    const struct gen9_media_object_walker *w = walk->w;
    struct steps s = all_steps(w->local_inner_loop_unit_x,
                               w->local_inner_loop_unit_y);
    int x, y;
    global_at(walk, &x, &y);
    int local_x = (int)w->local_start_x +
                  walk->local_outer * w->local_outer_loop_stride_x +
                  walk->mid * w->mid_loop_unit_x;
    int local_y = (int)w->local_start_y +
                  walk->local_outer * w->local_outer_loop_stride_y +
                  walk->mid * w->local_mid_loop_unit_y;
    keep_inside(
        &s, local_x, w->local_inner_loop_unit_x, MAX2(0, -x),
        MIN2((int)w->block_resolution_x, (int)w->global_resolution_x - x));
    keep_inside(
        &s, local_y, w->local_inner_loop_unit_y, MAX2(0, -y),
        MIN2((int)w->block_resolution_y, (int)w->global_resolution_y - y));
    walk->local_inner = s.begin;
    walk->local_end = s.end;
    walk->x = x + local_x;
    walk->y = y + local_y;
    walk->starts++;
}

/* Goes to the next global position that has steps. False: there is none. */
static bool
find_global(struct media_walk *walk)
{
    while (walk->global_inner >= walk->global_end) {
        if (walk->global_outer >= (int)walk->w->global_loop_exec_count)
            return false;
        walk->global_outer++;
        begin_global_inner(walk);
    }
    return true;
}

/* Begins the innermost loop anew. */
static bool
find_start(struct media_walk *walk)
{
    const struct gen9_media_object_walker *w = walk->w;
    if (walk->mid < (int)w->middle_loop_extra_steps) {
        walk->mid++;
    } else {
        walk->mid = 0;
        if (walk->local_outer < (int)w->local_loop_exec_count) {
            walk->local_outer++;
        } else {
            walk->local_outer = 0;
            walk->global_inner++;
            walk->ended = !find_global(walk);
        }
    }
    if (!walk->ended)
        begin_local_inner(walk);
    return !walk->ended;
}

/* Group ID Loop Select names the outermost loop inside of a group: 1 colour, 2
 * local inner, 3 middle, 4 local outer, 5 global inner. Observed:
 * intel/media-driver's description of the field. */
static unsigned
loops_of_group(const struct gen9_media_object_walker *w)
{
    uint32_t select = w->group_id_loop_select;
    return select && select <= MEDIA_WALK_LOOPS ? MEDIA_WALK_LOOPS + 1 - select
                                                : 0;
}

/* Masked Dispatch: 128, 256 or 512 bits a row, in the CURBE. Observed:
 * intel/media-driver's description of the field. Guess: the least significant
 * bit is the leftmost. */
static void
set_mask(struct media_walk *walk, const uint8_t *curbe, uint32_t curbe_B)
{
    if (!walk->w->masked_dispatch)
        return;
    walk->mask = curbe;
    walk->mask_B = curbe_B;
    walk->mask_pitch = 64u << walk->w->masked_dispatch;
}

/* Guess: a set bit dispatches, and there are no threads outside of the mask. */
static bool
is_masked(const struct media_walk *walk, const struct media_position *p)
{
    if (!walk->mask)
        return false;
    uint32_t at = p->y * walk->mask_pitch + p->x;
    return p->x >= walk->mask_pitch || at / 8 >= walk->mask_B ||
           !(walk->mask[at / 8] >> at % 8 & 1);
}

/* Whether the current position begins a group. */
static bool
begins_group(struct media_walk *walk)
{
    const int now[MEDIA_WALK_LOOPS] = {walk->global_outer, walk->global_inner,
                                       walk->local_outer, walk->mid,
                                       walk->local_inner};
    size_t size_B = walk->group_loops * sizeof *now;
    if (!walk->group_loops ||
        (walk->has_group && !memcmp(walk->group, now, size_B)))
        return false;
    memcpy(walk->group, now, sizeof now);
    walk->has_group = true;
    return true;
}

void
media_walk_begin(struct media_walk *walk,
                 const struct gen9_media_object_walker *w, const uint8_t *curbe,
                 uint32_t curbe_B)
{
    *walk = (struct media_walk){.w = w, .group_loops = loops_of_group(w)};
    set_mask(walk, curbe, curbe_B);
    begin_global_inner(walk);
    walk->ended = !find_global(walk);
    if (!walk->ended)
        begin_local_inner(walk);
}

/* Goes to the next place that has threads. */
static bool
find_place(struct media_walk *walk, struct media_position *p)
{
    const struct gen9_media_object_walker *w = walk->w;
    for (;; walk->local_inner++, walk->starts++) {
        while (walk->local_inner >= walk->local_end)
            if (walk->ended || walk->starts >= MEDIA_WALK_STARTS ||
                !find_start(walk))
                return false;
        p->x = (uint16_t)(walk->x +
                          walk->local_inner * w->local_inner_loop_unit_x);
        p->y = (uint16_t)(walk->y +
                          walk->local_inner * w->local_inner_loop_unit_y);
        if (!is_masked(walk, p))
            return true;
        if (walk->starts >= MEDIA_WALK_STARTS)
            return false;
    }
}

bool
media_walk_next(struct media_walk *walk, struct media_position *p)
{
    if (!find_place(walk, p))
        return false;
    p->color = (uint8_t)walk->color;
    p->begins_group = begins_group(walk);
    if (walk->color++ >= walk->w->color_count_minus_one) {
        walk->color = 0;
        walk->local_inner++;
    }
    return true;
}
