/* test_media_walk.c: the order of MEDIA_OBJECT_WALKER against plain loops over
 * random walkers, and against what the measured ones are for: each block once,
 * after those that it depends on. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "engine/media/media.h"

#define MODEL_MAX 200000u

static struct media_position model[MODEL_MAX];
static unsigned model_count;

/* The next thread begins a group. */
static bool group_due;

/* An iteration of the loop that has this number in Group ID Loop Select. */
static void
begin_loop(const struct gen9_media_object_walker *w, unsigned select)
{
    group_due |= w->group_id_loop_select == select;
}

#define MASK_B 300u
static uint8_t mask[MASK_B];

static bool
is_on(const struct gen9_media_object_walker *w, unsigned x, unsigned y)
{
    static const unsigned pitch[] = {0, 128, 256, 512};
    unsigned at = y * pitch[w->masked_dispatch] + x;
    return !w->masked_dispatch ||
           (x < pitch[w->masked_dispatch] && at < MASK_B * 8 &&
            (mask[at / 8] & 1u << at % 8));
}

static void
add(const struct gen9_media_object_walker *w, int x, int y, unsigned color)
{
    if (!is_on(w, (unsigned)x, (unsigned)y))
        return;
    if (model_count < MODEL_MAX)
        model[model_count] = (struct media_position){(uint16_t)x, (uint16_t)y,
                                                     (uint8_t)color, group_due};
    group_due = false;
    model_count++;
}

/* The loops of the manual, each with all of its steps, inside or not. `far` is
 * more steps than any loop has inside. */
static void
walk_local(const struct gen9_media_object_walker *w, int gx, int gy, int far)
{
    for (int o = 0; o <= (int)w->local_loop_exec_count; o++) {
        begin_loop(w, 3);
        for (int m = 0; m <= (int)w->middle_loop_extra_steps; m++) {
            begin_loop(w, 2);
            for (int i = 0; i < far; i++) {
                begin_loop(w, 1);
                int x = (int)w->local_start_x +
                        o * w->local_outer_loop_stride_x +
                        m * w->mid_loop_unit_x + i * w->local_inner_loop_unit_x;
                int y = (int)w->local_start_y +
                        o * w->local_outer_loop_stride_y +
                        m * w->local_mid_loop_unit_y +
                        i * w->local_inner_loop_unit_y;
                bool inside = x >= 0 && x < (int)w->block_resolution_x &&
                              y >= 0 && y < (int)w->block_resolution_y &&
                              gx + x >= 0 &&
                              gx + x < (int)w->global_resolution_x &&
                              gy + y >= 0 &&
                              gy + y < (int)w->global_resolution_y;
                for (unsigned c = 0; inside && c <= w->color_count_minus_one;
                     c++)
                    add(w, gx + x, gy + y, c);
                if (!w->local_inner_loop_unit_x && !w->local_inner_loop_unit_y)
                    break;
            }
        }
    }
}

static void
walk_model(const struct gen9_media_object_walker *w, int far)
{
    model_count = 0;
    group_due = false;
    for (int o = 0; o <= (int)w->global_loop_exec_count; o++) {
        begin_loop(w, 5);
        for (int i = 0; i < far; i++) {
            begin_loop(w, 4);
            walk_local(w,
                       w->global_start_x + o * w->global_outer_loop_stride_x +
                           i * w->global_inner_loop_unit_x,
                       w->global_start_y + o * w->global_outer_loop_stride_y +
                           i * w->global_inner_loop_unit_y,
                       far);
            if (!w->global_inner_loop_unit_x && !w->global_inner_loop_unit_y)
                break;
        }
    }
}

static int
pick(int low, int high)
{
    return low + rand() % (high - low + 1);
}

static struct gen9_media_object_walker
random_walker(void)
{
    struct gen9_media_object_walker w = {
        .mid_loop_unit_x = pick(-2, 1),
        .local_mid_loop_unit_y = pick(-2, 1),
        .middle_loop_extra_steps = (unsigned)pick(0, 3),
        .color_count_minus_one = (unsigned)pick(0, 2),
        .local_loop_exec_count = (unsigned)pick(0, 9),
        .global_loop_exec_count = (unsigned)pick(0, 4),
        .block_resolution_x = (unsigned)pick(0, 9),
        .block_resolution_y = (unsigned)pick(0, 9),
        .local_start_x = (unsigned)pick(0, 6),
        .local_start_y = (unsigned)pick(0, 6),
        .local_outer_loop_stride_x = pick(-2, 2),
        .local_outer_loop_stride_y = pick(-2, 2),
        .local_inner_loop_unit_x = pick(-3, 3),
        .local_inner_loop_unit_y = pick(-3, 3),
        .global_resolution_x = (unsigned)pick(0, 12),
        .global_resolution_y = (unsigned)pick(0, 12),
        .global_start_x = pick(-5, 8),
        .global_start_y = pick(-5, 8),
        .global_outer_loop_stride_x = pick(-5, 5),
        .global_outer_loop_stride_y = pick(-5, 5),
        .global_inner_loop_unit_x = pick(-6, 6),
        .global_inner_loop_unit_y = pick(-6, 6),
        .group_id_loop_select = (unsigned)pick(0, 5),
        .masked_dispatch = pick(0, 9) > 6 ? (unsigned)pick(1, 3) : 0,
    };
    return w;
}

Test(media_walk, random_walkers_go_as_plain_loops)
{
    unsigned some = 0;
    srand(1);
    for (unsigned i = 0; i < MASK_B; i++)
        mask[i] = (uint8_t)pick(0, 255);
    for (unsigned n = 0; n < 3000; n++) {
        struct gen9_media_object_walker w = random_walker();
        struct media_walk walk;
        struct media_position p;
        unsigned count = 0;
        walk_model(&w, 40);
        cr_assert_leq(model_count, MODEL_MAX);
        media_walk_begin(&walk, &w, mask, MASK_B);
        for (; media_walk_next(&walk, &p); count++) {
            cr_assert_lt(count, model_count, "walker %u", n);
            cr_assert(p.x == model[count].x && p.y == model[count].y &&
                          p.color == model[count].color &&
                          p.begins_group == model[count].begins_group,
                      "walker %u, thread %u: %u,%u color %u", n, count, p.x,
                      p.y, p.color);
        }
        cr_assert_eq(count, model_count, "walker %u", n);
        some += count > 3;
        cr_assert_not(media_walk_next(&walk, &p));
    }
    cr_expect_gt(some, 500, "%u", some);
}

/* ---- measured ------------------------------------------------------------ */

/* Dependencies of a scoreboard: who is at (x + dx, y + dy) comes first. */
struct measured {
    const char *name;
    uint32_t dw[17];
    unsigned width, height, colors;
    int depends[4][2];
};

#define AT_OUTER_INNER(mid, exec, block, start, outer, inner, global, stride) \
    {                                                                         \
        0x7103000f, 0, 0x200000, 0, 0, 0, (mid), (exec), (block), (start), 0, \
            (outer), (inner), (global), 0, (stride), 0xf0000                  \
    }

/* Observed: iHD 23.1.1 and i965 2.4.1 on Kaby Lake. */
static const struct measured measured[] = {
    {"composite",
     {0x7103000f, 0, 0x200000, 0, 0, 0, 0, 0x10007, 0x8000a, 0, 0, 0x10000, 1,
      0x8000a, 0, 0xa, 0x80000},
     10,
     8,
     1,
     {{0}}},
    {"raster",
     AT_OUTER_INNER(0, 0xfff0fff, 0xf0014, 0, 0x10000, 1, 0xf0014, 0x14),
     20,
     15,
     1,
     {{-1, 0}, {0, -1}}},
    {"45 degrees",
     AT_OUTER_INNER(0, 0xfff0fff, 0xf0014, 0, 1, 0x10fff, 0xf0014, 0x14),
     20,
     15,
     1,
     {{-1, 0}, {0, -1}}},
    {"26 degrees",
     AT_OUTER_INNER(0, 0xfff0fff, 0xf0014, 0, 1, 0x10ffe, 0xf0014, 0x14),
     20,
     15,
     1,
     {{-1, 0}, {-1, -1}, {0, -1}, {1, -1}}},
    /* i965 has ones above the fields, and smaller counts. */
    {"26 degrees, i965",
     AT_OUTER_INNER(0, 0x3ff03ff, 0xf0014, 0, 1, 0x1fffe, 0xf0014, 0x14),
     20,
     15,
     1,
     {{-1, 0}, {-1, -1}, {0, -1}, {1, -1}}},
};

static unsigned
find(const struct media_position *all, unsigned count, int x, int y)
{
    for (unsigned i = 0; i < count; i++)
        if (all[i].x == x && all[i].y == y)
            return i;
    return count;
}

static void
check_measured(const struct measured *m)
{
    static struct media_position all[1024];
    struct gen9_media_object_walker w;
    struct media_walk walk;
    unsigned count = 0;
    gen9_media_object_walker_unpack(&w, m->dw);
    media_walk_begin(&walk, &w, mask, sizeof mask);
    while (count < 1024 && media_walk_next(&walk, &all[count]))
        count++;
    cr_assert_eq(count, m->width * m->height * m->colors, "%s: %u", m->name,
                 count);
    cr_assert_lt(walk.starts, MEDIA_WALK_STARTS);
    for (unsigned i = 0; i < count; i++) {
        int x = all[i].x, y = all[i].y;
        cr_assert_eq(find(all, count, x, y), i, "%s: %d,%d twice", m->name, x,
                     y);
        for (unsigned d = 0; d < 4; d++) {
            int ox = x + m->depends[d][0], oy = y + m->depends[d][1];
            bool is = m->depends[d][0] || m->depends[d][1];
            if (is && ox >= 0 && oy >= 0 && ox < (int)m->width)
                cr_assert_lt(find(all, count, ox, oy), i, "%s: %d,%d", m->name,
                             x, y);
        }
    }
}

Test(media_walk, measured_walkers_give_each_block_once_and_in_order)
{
    for (unsigned i = 0; i < ARRAY_SIZE(measured); i++)
        check_measured(&measured[i]);
}

/* The longest of loops with nothing inside, and one that has all inside. */
Test(media_walk, hostile_walkers_end)
{
    uint32_t dw[17] = {0x7103000f, 0,          0,          0,          0,
                       0,          0x0f1f3300, 0x0fff0fff, 0x07ff07ff, 0,
                       0,          0x00010001, 0x00000001, 0x07ff07ff, 0,
                       0x00010001, 0x00010001};
    for (unsigned n = 0; n < 300; n++) {
        struct gen9_media_object_walker w;
        struct media_walk walk;
        struct media_position p;
        srand(n);
        for (unsigned i = 6; n && i < 17; i++)
            dw[i] = (uint32_t)rand() ^ (uint32_t)rand() << 16;
        gen9_media_object_walker_unpack(&w, dw);
        media_walk_begin(&walk, &w, mask, sizeof mask);
        unsigned count = 0;
        for (; count < 100000 && media_walk_next(&walk, &p); count++)
            cr_assert(p.x < w.global_resolution_x &&
                      p.y < w.global_resolution_y);
        cr_assert_leq(walk.starts, MEDIA_WALK_STARTS);
    }
}
