/* motion.c: the built-in kernel of cl_intel_motion_estimation through NEO, and
 * with motion_checks.c those of cl_intel_advanced_motion_estimation. Every
 * residual must be the sum of absolute differences at its vector, and the least
 * one in the window of the search. TAP. */
#include "motion_rig.h"

#include <stdio.h>

#define BASIC "block_motion_estimate_intel"

struct estimate {
    cl_motion_estimation_desc_intel desc;
    const struct picture *source, *reference;
    const struct mv *predicted; /* of each macroblock, or NULL */
    /* Per macroblock the blocks in the kernel's order. */
    struct mv mv[MBS * 16];
    unsigned short residual[MBS * 16];
};

static unsigned
block_px(const struct estimate *e)
{
    return MB_PX >> e->desc.mb_block_type;
}

static bool
run_basic(const struct motion_rig *r, cl_kernel k, struct estimate *e)
{
    cl_accelerator_intel a = rig_accelerator(r, &e->desc);
    cl_mem source = rig_image(r, e->source), ref = rig_image(r, e->reference);
    cl_mem predicted = e->predicted
                           ? rig_buffer(r, e->predicted, sizeof(struct mv[MBS]))
                           : NULL;
    cl_mem mv = rig_buffer(r, NULL, sizeof e->mv);
    cl_mem residual = rig_buffer(r, NULL, sizeof e->residual);
    unsigned i = 0;
    bool ok = rig_arg(k, &i, sizeof a, &a) &&
              rig_arg(k, &i, sizeof source, &source) &&
              rig_arg(k, &i, sizeof ref, &ref) &&
              rig_arg(k, &i, sizeof predicted, predicted ? &predicted : NULL) &&
              rig_arg(k, &i, sizeof mv, &mv) &&
              rig_arg(k, &i, sizeof residual, &residual) && rig_run(r, k) &&
              rig_read(r, mv, e->mv, sizeof e->mv) &&
              rig_read(r, residual, e->residual, sizeof e->residual);
    clReleaseMemObject(source);
    clReleaseMemObject(ref);
    if (predicted)
        clReleaseMemObject(predicted);
    clReleaseMemObject(mv);
    clReleaseMemObject(residual);
    return ok;
}

/* ---- what must come out -------------------------------------------------- */

/* Half the window, in pixels. The last column and row of units lie outside:
 * units of four pixels fill it. */
static void
radius_of(const struct estimate *e, int *x, int *y)
{
    *x = e->desc.search_path_type == CL_ME_SEARCH_PATH_RADIUS_16_12_INTEL ? 16
         : e->desc.search_path_type == CL_ME_SEARCH_PATH_RADIUS_4_4_INTEL ? 4
                                                                          : 2;
    *y = *x == 16 ? 12 : *x;
}

/* NEO's kernel for 4x4 stores a macroblock's sixteen results, which come in Z
 * order, row by row: result i of a macroblock is at i. */
static void
place_of(const struct estimate *e, unsigned i, int *x, int *y)
{
    unsigned side = block_px(e);
    *x = (int)((i & 1) + (i >> 2 & 1) * 2) * (int)side;
    *y = (int)((i >> 1 & 1) + (i >> 3 & 1) * 2) * (int)side;
}

static unsigned
stored_at(const struct estimate *e, unsigned mb, unsigned i)
{
    unsigned side = 1u << e->desc.mb_block_type;
    return (mb / MBS_X * side + i / side) * MBS_X * side + mb % MBS_X * side +
           i % side;
}

static unsigned
least_sad(const struct estimate *e, int x, int y, int centre_x, int centre_y)
{
    int radius_x, radius_y;
    unsigned least = ~0u;
    radius_of(e, &radius_x, &radius_y);
    for (int dy = centre_y - radius_y; dy < centre_y + radius_y; dy++)
        for (int dx = centre_x - radius_x; dx < centre_x + radius_x; dx++) {
            unsigned sad = picture_sad(e->source, e->reference, x, y,
                                       block_px(e), block_px(e), dx, dy);
            least = sad < least ? sad : least;
        }
    return least;
}

/* Of one block, searched by whole pixels. */
static bool
is_best(const struct estimate *e, unsigned mb, unsigned i)
{
    struct mv mv = e->mv[stored_at(e, mb, i)];
    unsigned residual = e->residual[stored_at(e, mb, i)];
    const struct mv *p = e->predicted ? &e->predicted[mb] : NULL;
    int x, y;
    place_of(e, i, &x, &y);
    x += (int)(mb % MBS_X) * MB_PX;
    y += (int)(mb / MBS_X) * MB_PX;
    unsigned sad = picture_sad(e->source, e->reference, x, y, block_px(e),
                               block_px(e), mv.x / 4, mv.y / 4);
    unsigned least = least_sad(e, x, y, p ? p->x / 4 : 0,
                               p ? p->y / 4 & ~1 : 0);
    if (!(mv.x & 3) && !(mv.y & 3) && residual == sad && sad == least)
        return true;
    printf("# macroblock %u, block %u: vector %d,%d, residual %u, SAD %u, "
           "least %u\n",
           mb, i, mv.x, mv.y, residual, sad, least);
    return false;
}

static bool
all_best(const struct estimate *e)
{
    unsigned blocks = 1u << e->desc.mb_block_type * 2;
    for (unsigned mb = 0; mb < MBS; mb++)
        for (unsigned i = 0; i < blocks; i++)
            if (!is_best(e, mb, i))
                return false;
    return true;
}

/* How many of the macroblocks that have their match in the picture found it. */
static bool
found_shift(const struct estimate *e, int dx, int dy)
{
    unsigned blocks = 1u << e->desc.mb_block_type * 2;
    for (unsigned mb = 0; mb < MBS; mb++) {
        int x = (int)(mb % MBS_X) * MB_PX + dx;
        int y = (int)(mb / MBS_X) * MB_PX + dy;
        if (x < 0 || y < 0 || x + MB_PX > WIDTH_PX || y + MB_PX > HEIGHT_PX)
            continue;
        for (unsigned i = 0; i < blocks; i++) {
            struct mv mv = e->mv[stored_at(e, mb, i)];
            if (mv.x != dx * 4 || mv.y != dy * 4)
                return false;
        }
    }
    return true;
}

/* ---- tests --------------------------------------------------------------- */

static const struct {
    const char *name;
    cl_uint path;
    int dx, dy;
} searches[] = {
    {"2x2", CL_ME_SEARCH_PATH_RADIUS_2_2_INTEL, -2, 1},
    {"4x4", CL_ME_SEARCH_PATH_RADIUS_4_4_INTEL, 3, -3},
    {"16x12", CL_ME_SEARCH_PATH_RADIUS_16_12_INTEL, -9, 7},
    {"16x12, far", CL_ME_SEARCH_PATH_RADIUS_16_12_INTEL, 15, -12},
};

static void
test_searches(struct motion_rig *r, cl_kernel k)
{
    static struct picture source, reference;
    static struct estimate e;
    static const char *const sizes[] = {"16x16", "8x8", "4x4"};
    for (unsigned i = 0; i < sizeof searches / sizeof *searches; i++)
        for (unsigned size = 0; size < 3; size++) {
            char name[80];
            picture_noise(&reference, i * 3 + size);
            picture_moved(&source, &reference, searches[i].dx, searches[i].dy,
                          9);
            e = (struct estimate){.desc = {size, 0, 0, searches[i].path},
                                  .source = &source,
                                  .reference = &reference};
            bool ok = run_basic(r, k, &e);
            snprintf(name, sizeof name, "search %s, blocks %s: residuals",
                     searches[i].name, sizes[size]);
            rig_report(r, ok && all_best(&e), name);
            snprintf(name, sizeof name, "search %s, blocks %s: the shift",
                     searches[i].name, sizes[size]);
            /* Small blocks may match elsewhere. */
            rig_report(r, ok && found_shift(&e, searches[i].dx, searches[i].dy),
                       name);
        }
}

static void
test_predicted(struct motion_rig *r, cl_kernel k)
{
    static struct picture source, reference;
    static struct mv predicted[MBS];
    static struct estimate e;
    picture_noise(&reference, 50);
    picture_moved(&source, &reference, 13, -7, 5);
    for (unsigned i = 0; i < MBS; i++)
        predicted[i] = (struct mv){12 * 4 + (short)(i % 4), -6 * 4};
    e = (struct estimate){.desc = {0, 0, 0, 0},
                          .source = &source,
                          .reference = &reference,
                          .predicted = predicted};
    bool ok = run_basic(r, k, &e);
    rig_report(r, ok && all_best(&e), "predicted vectors: residuals");
    rig_report(r, ok && found_shift(&e, 13, -7),
               "predicted vectors: the shift");
}

/* Refined vectors are near the whole ones, and never cost more. */
static void
test_fractions(struct motion_rig *r, cl_kernel k)
{
    static struct picture source, reference;
    static struct estimate e, whole;
    picture_noise(&reference, 60);
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++)
            source.px[y][x] =
                (unsigned char)((picture_at(&reference, x + 1, y - 1) +
                                 picture_at(&reference, x + 2, y - 1) + 1) /
                                2);
    whole = (struct estimate){
        .desc = {0, 0, 0, 1}, .source = &source, .reference = &reference};
    bool ok = run_basic(r, k, &whole);
    for (cl_uint mode = 1; mode < 3; mode++) {
        int step = mode == 1 ? 2 : 1;
        e = whole;
        e.desc.subpixel_mode = mode;
        ok &= run_basic(r, k, &e);
        for (unsigned i = 0; i < MBS; i++) {
            int dx = e.mv[i].x - whole.mv[i].x, dy = e.mv[i].y - whole.mv[i].y;
            ok &= dx % step == 0 && dy % step == 0 && dx >= -3 && dx <= 3 &&
                  dy >= -3 && dy <= 3 && e.residual[i] <= whole.residual[i];
            if (i % MBS_X < MBS_X - 1 && i / MBS_X)
                ok &= e.mv[i].x == 6 && e.mv[i].y == -4;
        }
        rig_report(r, ok, mode == 1 ? "half pixels" : "quarter pixels");
    }
}

static void
test_haar(struct motion_rig *r, cl_kernel k)
{
    static struct picture source, reference;
    static struct estimate e;
    picture_noise(&reference, 70);
    picture_moved(&source, &reference, 2, 2, 0);
    e = (struct estimate){
        .desc = {1, 0, 1, 1}, .source = &source, .reference = &reference};
    rig_report(r, run_basic(r, k, &e) && found_shift(&e, 2, 2),
               "Haar transform: the shift");
}

int
main(void)
{
    struct motion_rig r;
    if (!rig_open(&r)) {
        printf("1..0 # SKIP no device\n");
        return 0;
    }
    cl_kernel basic = rig_kernel(&r, BASIC);
    if (!basic) {
        printf("1..0 # SKIP the kernels are not offered\n");
        return 0;
    }
    test_searches(&r, basic);
    test_predicted(&r, basic);
    test_fractions(&r, basic);
    test_haar(&r, basic);
    test_kernel_checks(&r);
    return rig_finish(&r);
}
