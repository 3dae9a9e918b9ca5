/* motion_avc.h: what motion_avc.c and motion_avc_checks.c share: pictures,
 * results, and sums of differences of partitions. */
#ifndef MOTION_AVC_H
#define MOTION_AVC_H

#include "motion_rig.h"

#include <stdint.h>

enum { FORWARD, BACKWARD, BIDIRECTIONAL };

struct both_mvs {
    struct mv mv[2];
};

/* As in motion_avc_kernels.h. */
struct result {
    struct both_mvs mv[16];
    uint16_t distortion[16];
    uint32_t best, major, minors, directions, count, border, ids, spare;
    struct mv stream_mv[8];
    uint16_t stream_distortion[8];
};

struct part {
    int x, y;
    unsigned width, height, block; /* first 4x4 in Z order */
};

extern struct picture source, fwd, bwd;

/* Macroblocks take turns: of the forward picture, of the backward one, of both
 * with the backward one's weight of 64. */
void make_turns(unsigned weight);
/* The sum of a partition by its direction and its vectors. */
unsigned part_sad(const struct result *r, const struct part *p, unsigned mb,
                  unsigned weight);
/* A macroblock for each subgroup. */
bool run_subgroups(const struct motion_rig *r, cl_kernel k);

void test_checks(struct motion_rig *r, cl_program p);

#endif
