/* motion_avc_checks.c: skip checks and intra prediction of motion_avc.c,
 * against sums of differences and H.264's transform on the host, and pictures
 * that one intra mode predicts. */
#include "motion_avc.h"

#include <stdlib.h>

struct check {
    uint16_t distortion[16];
    uint32_t raw, intra, intra_shape, counts;
    uint64_t modes, sums;
};

struct check_input {
    struct both_mvs mvs[MBS][4];
    uint32_t type, mask;
    uint8_t weight, intra_mask;
    uint64_t transform;
};

static struct check checks[MBS];

static bool
run_check(const struct motion_rig *r, cl_program p,
          const struct check_input *in)
{
    const struct picture *pictures[3] = {&source, &fwd, &bwd};
    cl_int err;
    cl_kernel k = clCreateKernel(p, "check", &err);
    cl_mem px = rig_buffer(r, &source, sizeof source);
    cl_mem mvs = rig_buffer(r, in->mvs, sizeof in->mvs);
    cl_mem result = rig_buffer(r, NULL, sizeof checks);
    unsigned n = 0;
    bool ok = k != NULL;
    for (unsigned i = 0; i < 3; i++) {
        cl_mem image = rig_image(r, pictures[i]);
        ok = ok && rig_arg(k, &n, sizeof image, &image);
    }
    return ok && rig_arg(k, &n, sizeof px, &px) &&
           rig_arg(k, &n, sizeof mvs, &mvs) && rig_arg(k, &n, 4, &in->type) &&
           rig_arg(k, &n, 4, &in->mask) && rig_arg(k, &n, 1, &in->weight) &&
           rig_arg(k, &n, 1, &in->intra_mask) &&
           rig_arg(k, &n, 8, &in->transform) &&
           rig_arg(k, &n, sizeof result, &result) && run_subgroups(r, k) &&
           rig_read(r, result, checks, sizeof checks);
}

/* Quarters skip forward, backward and both ways in turn. */
static void
test_skips(struct motion_rig *r, cl_program p)
{
    static struct check_input in;
    static const uint8_t ways[4] = {FORWARD, BACKWARD, BIDIRECTIONAL, FORWARD};
    make_turns(16);
    in = (struct check_input){.type = 0x4000, .weight = 16};
    for (unsigned q = 0; q < 4; q++)
        in.mask |= (ways[q] + 1u) << (24 + q * 2);
    for (unsigned i = 0; i < MBS * 4; i++)
        for (unsigned d = 0; d < 2; d++)
            in.mvs[i / 4][i % 4].mv[d] = (struct mv){
                (short)((int)(i * 7 + d * 5) % 31 * 4 - 60),
                (short)((int)(i * 3 + d * 11) % 27 * 4 - 52)};
    bool ok = run_check(r, p, &in);
    for (unsigned mb = 0; mb < MBS && ok; mb++) {
        unsigned sum = 0;
        for (int q = 0; q < 4; q++) {
            struct part part = {q % 2 * 8, q / 2 * 8, 8, 8, (unsigned)q * 4};
            struct result one = {.directions = (uint32_t)ways[q] << q * 2};
            one.mv[q * 4] = in.mvs[mb][q];
            unsigned sad = part_sad(&one, &part, mb, 16);
            ok &= checks[mb].distortion[q * 4] == sad;
            sum += sad;
        }
        ok &= checks[mb].raw == (sum > 65535 ? 65535 : sum);
    }
    rig_report(r, ok, "skip checks, one way and both ways");
}

/* Coefficient (i, j) of a 4x4 block by H.264's matrix. */
static int
coefficient(int x, int y, struct mv mv, unsigned i, unsigned j)
{
    static const int8_t row[4][4] = {
        {1, 1, 1, 1}, {2, 1, -1, -2}, {1, -1, -1, 1}, {1, -2, 2, -1}};
    int sum = 0;
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++)
            sum += row[i][a] * row[j][b] *
                   ((int)picture_at(&source, x + a, y + b) -
                    (int)picture_at(&fwd, x + a + mv.x / 4, y + b + mv.y / 4));
    return sum;
}

/* Counts and sums of coefficients beyond their thresholds. */
static bool
counts_right(const struct check *c, unsigned mb, struct mv mv,
             const unsigned thresholds[7])
{
    unsigned count[4] = {0}, sum[4] = {0};
    bool ok = true;
    for (int z = 0; z < 256; z++) {
        int b = z / 16, q = b / 4, i = z % 4, j = z / 4 % 4;
        int x = (int)(mb % MBS_X) * MB_PX + q % 2 * 8 + b % 2 * 4;
        int y = (int)(mb / MBS_X) * MB_PX + q / 2 * 8 + b / 2 % 2 * 4;
        unsigned size = (unsigned)abs(
            coefficient(x, y, mv, (unsigned)i, (unsigned)j));
        if (size <= thresholds[i + j])
            continue;
        count[q]++;
        sum[q] += size - thresholds[i + j];
    }
    for (int q = 0; q < 4; q++)
        ok &= (c->counts >> q * 8 & 255) == count[q] &&
              (c->sums >> q * 16 & 65535) == (sum[q] > 65535 ? 65535 : sum[q]);
    return ok;
}

static void
test_transform(struct motion_rig *r, cl_program p)
{
    static struct check_input in;
    static const unsigned thresholds[7] = {300, 90, 80, 70, 60, 50, 40};
    picture_noise(&fwd, 5);
    picture_moved(&source, &fwd, 1, 1, 40);
    bwd = fwd;
    in = (struct check_input){.mask = 1u << 24, .transform = thresholds[0]};
    for (unsigned i = 1; i < 7; i++)
        in.transform |= (uint64_t)thresholds[i] << (8 + i * 8);
    for (unsigned i = 0; i < MBS; i++)
        in.mvs[i][0].mv[0] = (struct mv){4, 4};
    bool ok = run_check(r, p, &in);
    for (unsigned mb = 0; mb < MBS && ok; mb++)
        ok &= counts_right(&checks[mb], mb, in.mvs[mb][0].mv[0], thresholds);
    rig_report(r, ok, "skip checks count large coefficients");
}

/* A picture whose pixels are alike along one direction: that mode predicts it.
 */
static const struct {
    const char *name;
    int x, y, c;
} directions[9] = {
    {"vertical", 3, 0, 0},
    {"horizontal", 0, 3, 0},
    {"DC", 0, 0, 90},
    {"diagonal down left", 1, 1, 0},
    {"diagonal down right", 1, -1, 80},
    {"vertical right", 2, -1, 70},
    {"horizontal down", -1, 2, 90},
    {"vertical left", 2, 1, 0},
    {"horizontal up", 1, 2, 0},
};

static void
test_intra(struct motion_rig *r, cl_program p)
{
    static struct check_input in;
    in.mask = 1u << 24;
    for (unsigned mode = 0; mode < 9; mode++) {
        bool ok = true;
        for (int y = 0; y < HEIGHT_PX; y++)
            for (int x = 0; x < WIDTH_PX; x++)
                source.px[y][x] = (unsigned char)(directions[mode].x * x +
                                                  directions[mode].y * y +
                                                  directions[mode].c);
        for (unsigned size = 0; size < 3; size++) {
            in.intra_mask = (uint8_t)(7 & ~(1u << size));
            ok = ok && run_check(r, p, &in);
            for (unsigned mb = MBS_X; mb < MBS; mb++) {
                const struct check *c = &checks[mb];
                if (mb % MBS_X == 0 || mb % MBS_X == MBS_X - 1)
                    continue;
                ok &= c->intra_shape == size;
                /* All ramps are planes. */
                if (size == 0 && mode > 2)
                    ok &= (c->modes & 15) == 4 && c->intra == 0;
                if (mode == 2)
                    ok &= c->intra == 0;
                else if (size)
                    ok &= (c->modes & 15) == mode;
                if (mode < 2)
                    ok &= c->modes == (mode ? UINT64_C(0x1111111111111111) : 0);
            }
        }
        rig_report(r, ok, directions[mode].name);
    }
}

void
test_checks(struct motion_rig *r, cl_program p)
{
    test_skips(r, p);
    test_transform(r, p);
    test_intra(r, p);
}
