/* motion_avc.c: cl_intel_device_side_avc_motion_estimation through NEO and IGC:
 * what searches, refinements and checks answer must agree with sums of absolute
 * differences that the host computes, and with the motion and the directions
 * that the pictures were made with. TAP. */
#include "motion_avc.h"
#include "motion_avc_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAJOR_16X16, MAJOR_16X8, MAJOR_8X16, MAJOR_8X8 };
#define MASK_16X16 0x7e
#define MASK_4X4_ONLY 0x3f
/* Half the windows of one reference and of two. */
#define ONE_X 16
#define ONE_Y 12
#define TWO 8

struct setting {
    int16_t fwd[2], bwd[2];
    uint64_t shape_cost, centre;
    uint32_t mv_cost[2];
    uint8_t mask, precision, max_mvs, haar, unmixed, weight, sub_pel, spare;
};

struct picture source, fwd, bwd;

/* ---- shapes -------------------------------------------------------------- */

static unsigned
block_of(int x, int y)
{
    return (unsigned)((y / 8 * 2 + x / 8) * 4 + y % 8 / 4 * 2 + x % 8 / 4);
}

static unsigned
add_parts(struct part *to, int x0, int y0, unsigned side, unsigned width,
          unsigned height)
{
    unsigned n = 0;
    for (unsigned y = 0; y < side; y += height)
        for (unsigned x = 0; x < side; x += width, n++) {
            int px = x0 + (int)x, py = y0 + (int)y;
            to[n] = (struct part){px, py, width, height, block_of(px, py)};
        }
    return n;
}

/* The partitions of a result; their number. */
static unsigned
parts_of(const struct result *r, struct part parts[16])
{
    unsigned n = 0;
    if (r->major != MAJOR_8X8)
        return add_parts(parts, 0, 0, 16, r->major == MAJOR_8X16 ? 8 : 16,
                         r->major == MAJOR_16X8 ? 8 : 16);
    for (int q = 0; q < 4; q++) {
        unsigned minor = r->minors >> q * 2 & 3;
        n += add_parts(parts + n, q % 2 * 8, q / 2 * 8, 8, minor & 2 ? 4 : 8,
                       minor & 1 ? 4 : 8);
    }
    return n;
}

static unsigned
direction_of(const struct result *r, const struct part *p)
{
    return r->directions >> p->block / 4 * 2 & 3;
}

/* The weighted sum of both predictions. */
static unsigned
both_sad(const struct part *p, int x0, int y0, const struct both_mvs *mvs,
         unsigned weight)
{
    unsigned sum = 0;
    for (int y = y0 + p->y; y < y0 + p->y + (int)p->height; y++)
        for (int x = x0 + p->x; x < x0 + p->x + (int)p->width; x++) {
            unsigned a = picture_at(&fwd, x + mvs->mv[0].x / 4,
                                    y + mvs->mv[0].y / 4);
            unsigned b = picture_at(&bwd, x + mvs->mv[1].x / 4,
                                    y + mvs->mv[1].y / 4);
            int mix = (int)((a * (64 - weight) + b * weight + 32) / 64);
            sum += (unsigned)abs((int)picture_at(&source, x, y) - mix);
        }
    return sum;
}

unsigned
part_sad(const struct result *r, const struct part *p, unsigned mb,
         unsigned weight)
{
    int x0 = (int)(mb % MBS_X) * MB_PX, y0 = (int)(mb / MBS_X) * MB_PX;
    unsigned d = direction_of(r, p);
    const struct both_mvs *mvs = &r->mv[p->block];
    if (d == BIDIRECTIONAL)
        return both_sad(p, x0, y0, mvs, weight);
    return picture_sad(&source, d == BACKWARD ? &bwd : &fwd, x0 + p->x,
                       y0 + p->y, p->width, p->height, mvs->mv[d].x / 4,
                       mvs->mv[d].y / 4);
}

/* Distortions are the sums at their vectors and `penalty` for each partition,
 * best is their sum, count their number, and each 4x4 block has its partition's
 * vectors. */
static bool
is_consistent(const struct result *r, unsigned mb, unsigned penalty,
              unsigned weight)
{
    struct part parts[16];
    unsigned n = parts_of(r, parts), sum = 0, vectors = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct part *p = &parts[i];
        unsigned sad = part_sad(r, p, mb, weight) + penalty;
        sum += sad;
        vectors += direction_of(r, p) == BIDIRECTIONAL ? 2 : 1;
        for (int y = p->y; y < p->y + (int)p->height; y += 4)
            for (int x = p->x; x < p->x + (int)p->width; x += 4)
                if (memcmp(&r->mv[block_of(x, y)], &r->mv[p->block],
                           sizeof *r->mv))
                    return false;
        if (r->distortion[p->block] == sad)
            continue;
        printf("# macroblock %u, block %u: distortion %u, SAD %u\n", mb,
               p->block, r->distortion[p->block], sad);
        return false;
    }
    if (r->best == sum && r->count == vectors)
        return true;
    printf("# macroblock %u: best %u of %u, count %u of %u\n", mb, r->best, sum,
           r->count, vectors);
    return false;
}

static unsigned
least_sad(const struct picture *ref, unsigned mb, int x, int y, unsigned side,
          const int16_t offset[2], int half_x, int half_y)
{
    unsigned least = ~0u;
    x += (int)(mb % MBS_X) * MB_PX;
    y += (int)(mb / MBS_X) * MB_PX;
    for (int dy = -half_y; dy < half_y; dy++)
        for (int dx = -half_x; dx < half_x; dx++) {
            unsigned sad = picture_sad(&source, ref, x, y, side, side,
                                       dx + offset[0], dy + offset[1]);
            least = sad < least ? sad : least;
        }
    return least;
}

/* ---- running ------------------------------------------------------------- */

static cl_program
build(const struct motion_rig *r)
{
    const char *text = kernels;
    char options[40];
    cl_int err;
    snprintf(options, sizeof options, "-cl-std=CL2.0 -DWIDTH=%d", WIDTH_PX);
    cl_program p = clCreateProgramWithSource(r->context, 1, &text, NULL, &err);
    return p && !clBuildProgram(p, 1, &r->device, options, NULL, NULL) ? p
                                                                       : NULL;
}

bool
run_subgroups(const struct motion_rig *r, cl_kernel k)
{
    const size_t local[2] = {16, 1}, global[2] = {16 * MBS_X, MBS_Y};
    return !clEnqueueNDRangeKernel(r->queue, k, 2, NULL, global, local, 0, NULL,
                                   NULL);
}

/* Runs a kernel with `images` pictures, settings, `extra` and one or two
 * buffers of results. */
static bool
run_search(const struct motion_rig *r, cl_program p, const char *name,
           unsigned images, const struct setting *s, const int16_t *extra,
           struct result (*out)[MBS], unsigned outs)
{
    const struct picture *pictures[3] = {&source, &fwd, &bwd};
    cl_mem image[3], buffer[2];
    unsigned n = 0;
    cl_int err;
    cl_kernel k = clCreateKernel(p, name, &err);
    bool ok = k != NULL;
    for (unsigned i = 0; i < images; i++) {
        image[i] = rig_image(r, pictures[i]);
        ok = ok && rig_arg(k, &n, sizeof *image, &image[i]);
    }
    ok = ok && rig_arg(k, &n, sizeof *s, s) &&
         (!extra || rig_arg(k, &n, 4, extra));
    for (unsigned i = 0; i < outs; i++) {
        buffer[i] = rig_buffer(r, NULL, sizeof *out);
        ok = ok && rig_arg(k, &n, sizeof *buffer, &buffer[i]);
    }
    ok = ok && run_subgroups(r, k);
    for (unsigned i = 0; i < outs; i++) {
        ok = ok && rig_read(r, buffer[i], out[i], sizeof *out);
        clReleaseMemObject(buffer[i]);
    }
    for (unsigned i = 0; i < images; i++)
        clReleaseMemObject(image[i]);
    return ok;
}

/* ---- tests of searches --------------------------------------------------- */

static struct result out[2][MBS];

/* Each 8x8 quarter of the picture's macroblocks moves by itself. */
static void
make_quarters(unsigned noise)
{
    picture_noise(&fwd, 1);
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++) {
            int q = y / 8 % 2 * 2 + x / 8 % 2;
            unsigned px = picture_at(&fwd, x + q * 3 - 5, y + 4 - q * 2) +
                          (noise ? (unsigned)rand() % noise : 0);
            source.px[y][x] = (unsigned char)(px > 255 ? 255 : px);
        }
}

static bool
streams_right(const struct result *r, unsigned mb, const int16_t offset[2])
{
    for (int q = 0; q < 4; q++)
        if (r->stream_distortion[q] !=
            least_sad(&fwd, mb, q % 2 * 8, q / 2 * 8, 8, offset, ONE_X, ONE_Y))
            return false;
    return r->stream_distortion[4] ==
           least_sad(&fwd, mb, 0, 0, 16, offset, ONE_X, ONE_Y);
}

static void
test_shapes(struct motion_rig *r, cl_program p)
{
    const struct setting s = {0};
    const int16_t second[2] = {0, 0};
    make_quarters(0);
    bool ok = run_search(r, p, "search", 2, &s, second, out, 2), streams = ok;
    for (unsigned mb = 0; mb < MBS && ok; mb++) {
        const struct result *a = &out[0][mb];
        ok &= is_consistent(a, mb, 0, 0);
        streams &= streams_right(a, mb, second);
        if (mb % MBS_X < 1 || mb % MBS_X == MBS_X - 1 || mb < MBS_X ||
            mb >= MBS - MBS_X)
            continue;
        ok &= a->major == MAJOR_8X8 && !a->minors && !a->best;
        for (int q = 0; q < 4; q++)
            ok &= a->mv[q * 4].mv[0].x == (q * 3 - 5) * 4 &&
                  a->mv[q * 4].mv[0].y == (4 - q * 2) * 4;
    }
    rig_report(r, ok, "quarters that move apart become 8x8");
    rig_report(r, streams, "streamed records are the least of the window");
}

/* A vector beyond the first window, found by the second search alone. */
static void
test_streams(struct motion_rig *r, cl_program p)
{
    const struct setting s = {.mask = MASK_16X16, .fwd = {-20, 0}};
    const int16_t second[2] = {20, 0};
    picture_noise(&fwd, 2);
    picture_moved(&source, &fwd, 25, 3, 4);
    bool ok = run_search(r, p, "search", 2, &s, second, out, 2);
    for (unsigned mb = 0; mb < MBS && ok; mb++) {
        unsigned a = least_sad(&fwd, mb, 0, 0, 16, s.fwd, ONE_X, ONE_Y);
        unsigned b = least_sad(&fwd, mb, 0, 0, 16, second, ONE_X, ONE_Y);
        ok &= out[0][mb].best == a && out[1][mb].best == (a < b ? a : b) &&
              is_consistent(&out[0][mb], mb, 0, 0) &&
              is_consistent(&out[1][mb], mb, 0, 0);
        if (mb % MBS_X < 3 && mb < MBS - MBS_X)
            ok &= out[1][mb].mv[0].mv[0].x == 100 &&
                  out[1][mb].mv[0].mv[0].y == 12;
    }
    rig_report(r, ok, "a second search goes on with the first one's records");
}

/* Costs: a flat table, and shapes whose price decides. */
static void
test_costs(struct motion_rig *r, cl_program p)
{
    const int16_t none[2] = {0, 0};
    /* 16x16 costs 3, all others 15 << 12. */
    struct setting s = {.shape_cost = UINT64_C(0x03cfcfcfcf)};
    make_quarters(0);
    bool ok = run_search(r, p, "search", 2, &s, none, out, 2);
    for (unsigned mb = 0; mb < MBS && ok; mb++)
        ok &= out[0][mb].major == MAJOR_16X16 && out[0][mb].count == 1 &&
              is_consistent(&out[0][mb], mb, 3, 0);
    rig_report(r, ok, "shapes that cost much are not chosen");
    s = (struct setting){.mv_cost = {0x07070707, 0x07070707}, .precision = 2};
    ok = run_search(r, p, "search", 2, &s, none, out, 2);
    for (unsigned mb = 0; mb < MBS && ok; mb++)
        ok &= is_consistent(&out[0][mb], mb, 14, 0);
    rig_report(r, ok, "penalties of vectors are in their distortions");
    for (unsigned most = 1; most <= 7; most += 3) {
        s = (struct setting){.max_mvs = (uint8_t)most};
        ok = run_search(r, p, "search", 2, &s, none, out, 2);
        for (unsigned mb = 0; mb < MBS && ok; mb++)
            ok &= out[0][mb].count <= most &&
                  is_consistent(&out[0][mb], mb, 0, 0);
        rig_report(r, ok, "no more vectors than are allowed");
    }
}

static void
test_masks(struct motion_rig *r, cl_program p)
{
    static const struct {
        const char *name;
        uint8_t mask, major, count;
    } masks[] = {{"16x16 only", 0x7e, MAJOR_16X16, 1},
                 {"16x8 only", 0x7d, MAJOR_16X8, 2},
                 {"8x16 only", 0x7b, MAJOR_8X16, 2},
                 {"8x8 only", 0x77, MAJOR_8X8, 4},
                 {"8x4 only", 0x6f, MAJOR_8X8, 8},
                 {"4x8 only", 0x5f, MAJOR_8X8, 8},
                 {"4x4 only", MASK_4X4_ONLY, MAJOR_8X8, 16}};
    const int16_t none[2] = {0, 0};
    make_quarters(20);
    for (unsigned i = 0; i < sizeof masks / sizeof *masks; i++) {
        const struct setting s = {.mask = masks[i].mask};
        bool ok = run_search(r, p, "search", 2, &s, none, out, 2);
        for (unsigned mb = 0; mb < MBS && ok; mb++)
            ok &= out[0][mb].major == masks[i].major &&
                  out[0][mb].count == masks[i].count &&
                  is_consistent(&out[0][mb], mb, 0, 0);
        rig_report(r, ok, masks[i].name);
    }
}

/* A smooth picture leads the search. */
static void
test_diamond(struct motion_rig *r, cl_program p)
{
    const struct setting s = {.mask = MASK_16X16};
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++)
            fwd.px[y][x] = (unsigned char)((x * x / 32 + y * y / 24) & 255);
    picture_moved(&source, &fwd, 9, -6, 0);
    bool ok = run_search(r, p, "diamond", 2, &s, NULL, out, 1);
    for (unsigned mb = 0; mb < MBS && ok; mb++)
        ok &= is_consistent(&out[0][mb], mb, 0, 0) &&
              out[0][mb].best <=
                  picture_sad(&source, &fwd, (int)(mb % MBS_X) * MB_PX,
                              (int)(mb / MBS_X) * MB_PX, MB_PX, MB_PX, 0, 0);
    rig_report(r, ok, "diamonds: no worse than standing still");
}

/* Every second row, as a picture of its own. */
static void
take_field(struct picture *to, const struct picture *from, int field)
{
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++)
            to->px[y][x] = (unsigned char)picture_at(
                from, x,
                (y < HEIGHT_PX / 2 ? y : HEIGHT_PX / 2 - 1) * 2 + field);
}

static void
test_fields(struct motion_rig *r, cl_program p)
{
    static struct picture whole[2];
    bool ok = true;
    for (unsigned way = 0; way < 4; way++) {
        const struct setting s = {.mask = MASK_16X16, .weight = (uint8_t)way};
        picture_noise(&fwd, 20 + way);
        picture_noise(&source, 30 + way);
        ok = ok && run_search(r, p, "fields", 2, &s, NULL, out, 1);
        whole[0] = source;
        whole[1] = fwd;
        take_field(&source, &whole[0], way & 1);
        take_field(&fwd, &whole[1], way >> 1);
        for (unsigned mb = 0; mb < MBS / 2 && ok; mb++)
            ok &= is_consistent(&out[0][mb], mb, 0, 0) &&
                  out[0][mb].best ==
                      least_sad(&fwd, mb, 0, 0, 16, s.fwd, ONE_X, ONE_Y);
    }
    rig_report(r, ok, "fields of both pictures");
}

/* ---- both references ----------------------------------------------------- */

void
make_turns(unsigned weight)
{
    picture_noise(&fwd, 3);
    picture_noise(&bwd, 4);
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++) {
            int turn = (y / MB_PX * MBS_X + x / MB_PX) % 3;
            unsigned a = picture_at(&fwd, x + 3, y - 2);
            unsigned b = picture_at(&bwd, x - 4, y + 5);
            source.px[y][x] = (unsigned char)(turn == 0   ? a
                                              : turn == 1 ? b
                                                          : (a * (64 - weight) +
                                                             b * weight + 32) /
                                                                64);
        }
}

static void
test_both(struct motion_rig *r, cl_program p, unsigned weight)
{
    const struct setting s = {.mask = MASK_16X16, .weight = (uint8_t)weight};
    char name[60];
    make_turns(weight);
    bool ok = run_search(r, p, "both", 3, &s, NULL, out, 2), mixed = ok;
    for (unsigned mb = 0; mb < MBS && ok; mb++) {
        unsigned a = least_sad(&fwd, mb, 0, 0, 16, s.fwd, TWO, TWO);
        unsigned b = least_sad(&bwd, mb, 0, 0, 16, s.bwd, TWO, TWO);
        ok &= out[0][mb].best == (a < b ? a : b) &&
              is_consistent(&out[0][mb], mb, 0, 0);
        mixed &= is_consistent(&out[1][mb], mb, 0, weight) &&
                 out[1][mb].best <= out[0][mb].best;
        if (mb < MBS_X || mb >= MBS - MBS_X || mb % MBS_X == 0 ||
            mb % MBS_X == MBS_X - 1)
            continue;
        mixed &= out[1][mb].directions == mb % 3 * 0x55;
        if (mb % 3 < 2)
            mixed &= !out[1][mb].best;
    }
    snprintf(name, sizeof name, "two references, weight %u: search", weight);
    rig_report(r, ok, name);
    snprintf(name, sizeof name, "two references, weight %u: refinement",
             weight);
    rig_report(r, mixed, name);
}

/* One direction for all quarters of a macroblock, then one way for all or both
 * for all. */
static void
test_unmixed(struct motion_rig *r, cl_program p)
{
    const struct setting s = {.mask = 0x77, .weight = 32, .unmixed = 1};
    unsigned both = 0;
    make_turns(32);
    bool ok = run_search(r, p, "both", 3, &s, NULL, out, 2);
    for (unsigned mb = 0; mb < MBS && ok; mb++) {
        unsigned found = out[0][mb].directions, refined = out[1][mb].directions;
        ok &= (found == 0 || found == 0x55) &&
              is_consistent(&out[0][mb], mb, 0, 0) &&
              is_consistent(&out[1][mb], mb, 0, 32) &&
              (refined == 0xaa || !(refined & 0xaa));
        both += refined == 0xaa;
    }
    rig_report(r, ok && both, "directions are not mixed where that is off");
}

int
main(void)
{
    struct motion_rig r;
    cl_program p = NULL;
    if (rig_open(&r))
        p = build(&r);
    if (!p) {
        printf("1..0 # SKIP the extension is not offered\n");
        return 0;
    }
    test_shapes(&r, p);
    test_streams(&r, p);
    test_costs(&r, p);
    test_masks(&r, p);
    test_diamond(&r, p);
    test_fields(&r, p);
    test_both(&r, p, 32);
    test_both(&r, p, 16);
    test_unmixed(&r, p);
    test_checks(&r, p);
    return rig_finish(&r);
}
