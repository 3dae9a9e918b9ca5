/* motion_checks.c: the built-in kernels of cl_intel_advanced_motion_estimation
 * through NEO: searches from several predictors, skip checks one way and both
 * ways, intra prediction of 16x16. */
#include "motion_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK "block_advanced_motion_estimate_check_intel"
#define BOTH "block_advanced_motion_estimate_bidirectional_check_intel"
#define WEIGHT 0x15 /* a third: CL_ME_BIDIR_WEIGHT_THIRD_INTEL */

struct pair {
    cl_motion_estimation_desc_intel desc;
    const struct picture *source, *reference;
};

struct check {
    cl_uint flags, skip_type;
    struct mv counts[MBS];        /* predictors, skips */
    struct mv predictors[MBS][8]; /* up to 8 */
    struct mv skips[MBS][8][4];   /* or [MBS * 8] for 16x16 */
    struct mv mv[MBS];
    unsigned char modes[MBS][22];
    unsigned short residual[MBS], skip_residual[MBS][8][4],
        intra_residual[MBS][4];
};

static bool
run_check(const struct motion_rig *r, cl_kernel k, struct check *c,
          const struct pair *e)
{
    const cl_uint none = 0;
    cl_accelerator_intel a = rig_accelerator(r, &e->desc);
    cl_mem source = rig_image(r, e->source), ref = rig_image(r, e->reference);
    const struct {
        void *data;
        size_t size_B;
    } b[] = {{c->counts, sizeof c->counts},
             {c->predictors, sizeof c->predictors},
             {c->skips, sizeof c->skips},
             {c->mv, sizeof c->mv},
             {c->modes, sizeof c->modes},
             {c->residual, sizeof c->residual},
             {c->skip_residual, sizeof c->skip_residual},
             {c->intra_residual, sizeof c->intra_residual}};
    cl_mem m[8];
    unsigned n = 0;
    bool ok = rig_arg(k, &n, sizeof a, &a) &&
              rig_arg(k, &n, sizeof source, &source) &&
              rig_arg(k, &n, sizeof ref, &ref) &&
              rig_arg(k, &n, 4, &c->flags) &&
              rig_arg(k, &n, 4, &c->skip_type) && rig_arg(k, &n, 4, &none) &&
              rig_arg(k, &n, 4, &none);
    for (unsigned i = 0; i < 8; i++) {
        m[i] = rig_buffer(r, b[i].data, b[i].size_B);
        ok = ok && rig_arg(k, &n, sizeof m[i], &m[i]);
    }
    ok = ok && rig_run(r, k);
    for (unsigned i = 3; i < 8; i++)
        ok = ok && rig_read(r, m[i], b[i].data, b[i].size_B);
    return ok;
}

/* H.264's vertical, horizontal and DC predictions of 16x16. */
static unsigned
intra_sad(const struct picture *p, int x, int y, unsigned mode)
{
    unsigned sum = 0, mean = 128, up = y > 0, left = x > 0;
    for (int i = 0; i < MB_PX; i++)
        sum += (up ? picture_at(p, x + i, y - 1) : 0) +
               (left ? picture_at(p, x - 1, y + i) : 0);
    if (up || left)
        mean = (sum + (up + left) * 8) / ((up + left) * 16);
    sum = 0;
    for (int j = 0; j < MB_PX; j++)
        for (int i = 0; i < MB_PX; i++) {
            int px = (int)(mode == 0   ? picture_at(p, x + i, y - 1)
                           : mode == 1 ? picture_at(p, x - 1, y + j)
                                       : mean);
            int d = (int)picture_at(p, x + i, y + j) - px;
            sum += (unsigned)(d < 0 ? -d : d);
        }
    return sum;
}

/* The mode's own sum, and no better one among those that are easy. */
static bool
intra_right(const struct check *c, const struct picture *p, unsigned mb)
{
    int x = (int)(mb % MBS_X) * MB_PX, y = (int)(mb / MBS_X) * MB_PX;
    unsigned mode = c->modes[mb][0], residual = c->intra_residual[mb][0];
    bool ok = mode > 2 || residual == intra_sad(p, x, y, mode);
    for (unsigned m = 0; m < 3; m++)
        if (m == 2 || (m == 0 ? y > 0 : x > 0))
            ok &= residual <= intra_sad(p, x, y, m);
    if (!ok)
        printf("# macroblock %u: mode %u, residual %u; %u %u %u\n", mb, mode,
               residual, intra_sad(p, x, y, 0), intra_sad(p, x, y, 1),
               intra_sad(p, x, y, 2));
    return ok;
}

static bool
skips_right(const struct check *c, const struct pair *e, unsigned mb,
            bool quarters)
{
    const struct mv *skips = &c->skips[0][0][0];
    const unsigned short *residuals = &c->skip_residual[0][0][0];
    unsigned parts = quarters ? 4 : 1, side = quarters ? 8 : 16;
    for (unsigned i = 0; i < 8 * parts; i++) {
        struct mv mv = skips[mb * 8 * parts + i];
        unsigned q = i % parts;
        int x = (int)(mb % MBS_X * MB_PX + q % 2 * 8);
        int y = (int)(mb / MBS_X * MB_PX + q / 2 * 8);
        unsigned sad = picture_sad(e->source, e->reference, x, y, side, side,
                                   mv.x / 4, mv.y / 4);
        unsigned residual = residuals[mb * 8 * parts + i];
        if (residual == sad)
            continue;
        printf("# macroblock %u, skip %u: residual %u, SAD %u\n", mb, i,
               residual, sad);
        return false;
    }
    return true;
}

/* Noise on steps, so that there is something to predict. */
static void
make_predictable(struct picture *p)
{
    picture_noise(p, 80);
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++)
            p->px[y][x] = (unsigned char)(p->px[y][x] / 4 + (x / 16 * 40 + y));
}

static void
test_one_way(struct motion_rig *r, cl_kernel k)
{
    static struct picture source, reference;
    static struct pair e;
    static struct check c;
    make_predictable(&reference);
    picture_moved(&source, &reference, 5, 3, 3);
    e = (struct pair){
        .desc = {0, 0, 0, 1}, .source = &source, .reference = &reference};
    for (unsigned quarters = 0; quarters < 2; quarters++) {
        memset(&c, 0, sizeof c);
        c.flags = CL_ME_LUMA_INTRA_PREDICT_ENABLED_INTEL;
        c.skip_type = quarters;
        struct mv *skips = &c.skips[0][0][0];
        for (unsigned mb = 0; mb < MBS; mb++) {
            c.counts[mb] = (struct mv){2, 8};
            c.predictors[mb][0] = (struct mv){-20, 8};
            c.predictors[mb][1] = (struct mv){16, 16};
        }
        for (unsigned i = 0; i < MBS * 32; i++)
            skips[i] = (struct mv){(short)((int)(i * 7 % 23) * 4 - 44),
                                   (short)((int)(i * 5 % 19) * 4 - 36)};
        bool ok = run_check(r, k, &c, &e), right = ok, intra = ok;
        for (unsigned mb = 0; mb < MBS && ok; mb++) {
            right &= skips_right(&c, &e, mb, quarters);
            intra &= intra_right(&c, &source, mb);
            if (mb % MBS_X < MBS_X - 1 && mb / MBS_X < MBS_Y - 1)
                ok &= c.mv[mb].x == 20 && c.mv[mb].y == 12 &&
                      c.residual[mb] == picture_sad(&source, &reference,
                                                    (int)(mb % MBS_X) * MB_PX,
                                                    (int)(mb / MBS_X) * MB_PX,
                                                    MB_PX, MB_PX, 5, 3);
        }
        rig_report(r, ok,
                   quarters ? "two predictors, again" : "two predictors");
        rig_report(r, right,
                   quarters ? "skip checks, 8x8" : "skip checks, 16x16");
        rig_report(r, intra, "intra 16x16");
    }
}

/* ---- both ways ----------------------------------------------------------- */

/* As the kernel lays it out: four sets of one pair of vectors, or of four. */
struct both {
    struct mv skips[MBS][4][4][2];
    unsigned char modes[MBS]; /* two bits a part: forward, backward */
    unsigned short residual[MBS][4][4];
};

static bool
run_both(const struct motion_rig *r, cl_kernel k, struct both *b, cl_uint flags,
         const struct picture pictures[3])
{
    static const cl_motion_estimation_desc_intel desc = {0, 0, 0, 1};
    const cl_uint none = 0;
    const cl_short counts[2] = {0, 4}; /* of all macroblocks */
    const cl_uchar weight = WEIGHT;
    cl_accelerator_intel a = rig_accelerator(r, &desc);
    cl_mem image[3], skips = rig_buffer(r, b->skips, sizeof b->skips);
    cl_mem modes = rig_buffer(r, b->modes, sizeof b->modes);
    cl_mem residual = rig_buffer(r, NULL, sizeof b->residual);
    unsigned n = 0;
    bool ok = rig_arg(k, &n, sizeof a, &a);
    for (unsigned i = 0; i < 3; i++)
        image[i] = rig_image(r, &pictures[i]);
    for (unsigned i = 0; i < 5; i++) /* of the search, then of the check */
        ok = ok && rig_arg(k, &n, sizeof *image, &image[i < 2 ? i : i - 2]);
    ok = ok && rig_arg(k, &n, 4, &flags) && rig_arg(k, &n, 4, &none) &&
         rig_arg(k, &n, 4, &none) && rig_arg(k, &n, sizeof counts, counts) &&
         rig_arg(k, &n, 1, &weight) && rig_arg(k, &n, sizeof(cl_mem), NULL) &&
         rig_arg(k, &n, sizeof(cl_mem), NULL) &&
         rig_arg(k, &n, sizeof modes, &modes) &&
         rig_arg(k, &n, sizeof skips, &skips);
    for (unsigned i = 0; i < 3; i++)
        ok = ok && rig_arg(k, &n, sizeof(cl_mem), NULL);
    return ok && rig_arg(k, &n, sizeof residual, &residual) &&
           rig_arg(k, &n, sizeof(cl_mem), NULL) && rig_run(r, k) &&
           rig_read(r, residual, b->residual, sizeof b->residual);
}

static unsigned
both_sad(const struct picture pictures[3], int x0, int y0, unsigned side,
         const struct mv mv[2], unsigned mode)
{
    unsigned sum = 0;
    for (int y = y0; y < y0 + (int)side; y++)
        for (int x = x0; x < x0 + (int)side; x++) {
            unsigned px[2];
            for (int d = 0; d < 2; d++)
                px[d] = picture_at(&pictures[1 + d], x + mv[d].x / 4,
                                   y + mv[d].y / 4);
            unsigned both = (px[0] * (64 - WEIGHT) + px[1] * WEIGHT + 32) / 64;
            int d = (int)picture_at(&pictures[0], x, y) -
                    (int)(mode == 3 ? both : px[mode - 1]);
            sum += (unsigned)abs(d);
        }
    return sum;
}

static void
test_both_ways(struct motion_rig *r, cl_kernel k)
{
    static struct picture pictures[3];
    static struct both b;
    for (unsigned i = 0; i < 3; i++)
        picture_noise(&pictures[i], 90 + i);
    for (unsigned quarters = 0; quarters < 2; quarters++) {
        unsigned parts = quarters ? 4 : 1, side = quarters ? 8 : 16;
        struct mv *skips = &b.skips[0][0][0][0];
        const unsigned short *residuals = &b.residual[0][0][0];
        for (unsigned i = 0; i < MBS * 32; i++)
            skips[i] = (struct mv){(short)((int)(i * 11 % 29) * 4 - 56),
                                   (short)((int)(i * 13 % 23) * 4 - 44)};
        for (unsigned i = 0; i < MBS; i++) /* no part without a direction */
            b.modes[i] = (unsigned char)(quarters ? 0x9d + i % 2 * 0x20
                                                  : 1 + i % 3);
        bool ok = run_both(r, k, &b, quarters ? 4 : 0, pictures);
        for (unsigned i = 0; i < MBS * 4 * parts && ok; i++) {
            unsigned mb = i / (4 * parts), q = i % parts;
            ok &= residuals[i] ==
                  both_sad(pictures, (int)(mb % MBS_X * MB_PX + q % 2 * 8),
                           (int)(mb / MBS_X * MB_PX + q / 2 * 8), side,
                           skips + i * 2, b.modes[mb] >> q * 2 & 3);
        }
        rig_report(r, ok,
                   quarters ? "skip checks both ways, 8x8"
                            : "skip checks both ways, 16x16");
    }
}

void
test_kernel_checks(struct motion_rig *r)
{
    cl_kernel check = rig_kernel(r, CHECK), both = rig_kernel(r, BOTH);
    rig_report(r, check && both, "the kernels are offered");
    if (check)
        test_one_way(r, check);
    if (both)
        test_both_ways(r, both);
}
