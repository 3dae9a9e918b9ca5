/* avc_filter.c: the loop filter's samples. ITU-T H.264, 8.7.2.2 to 8.7.2.4. */
#include "engine/mfx/avc/recon/recon_ref.h"

#include <stdlib.h>

/* Table 8-16. */
const uint8_t avc_alpha[52] = {
    0,  0,  0,  0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
    0,  0,  0,  4,   4,   5,   6,   7,   8,   9,   10,  12,  13,
    15, 17, 20, 22,  25,  28,  32,  36,  40,  45,  50,  56,  63,
    71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255};
const uint8_t avc_beta[52] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, 2,  2,
    2,  3,  3,  3,  3,  4,  4,  4,  6,  6,  7,  7,  8,  8,  9,  9, 10, 10,
    11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18};
/* Table 8-17, bS 1 to 3. */
const uint8_t avc_tc0[52][3] = {
    {0},          {0},         {0},         {0},         {0},
    {0},          {0},         {0},         {0},         {0},
    {0},          {0},         {0},         {0},         {0},
    {0},          {0},         {0, 0, 1},   {0, 0, 1},   {0, 0, 1},
    {0, 0, 1},    {0, 1, 1},   {0, 1, 1},   {1, 1, 1},   {1, 1, 1},
    {1, 1, 1},    {1, 1, 1},   {1, 1, 2},   {1, 1, 2},   {1, 1, 2},
    {1, 1, 2},    {1, 2, 3},   {1, 2, 3},   {2, 2, 3},   {2, 2, 4},
    {2, 3, 4},    {2, 3, 4},   {3, 3, 5},   {3, 4, 6},   {3, 4, 6},
    {4, 5, 7},    {4, 5, 8},   {4, 6, 9},   {5, 7, 10},  {6, 8, 11},
    {6, 8, 13},   {7, 10, 14}, {8, 11, 16}, {9, 12, 18}, {10, 13, 20},
    {11, 15, 23}, {13, 17, 25}};

static inline uint8_t
clip_sample(int v)
{
    return (uint8_t)CLAMP(v, 0, 255);
}

/* bS 4 of luma, 8-479 to 8-486. */
static inline void
filter_strong(uint8_t *q, ptrdiff_t s, int alpha, int beta)
{
    int p0 = q[-s], p1 = q[-2 * s], p2 = q[-3 * s], p3 = q[-4 * s];
    int q0 = q[0], q1 = q[s], q2 = q[2 * s], q3 = q[3 * s];
    bool small = abs(p0 - q0) < (alpha >> 2) + 2;
    if (small && abs(p2 - p0) < beta) {
        q[-s] = (uint8_t)((p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3);
        q[-2 * s] = (uint8_t)((p2 + p1 + p0 + q0 + 2) >> 2);
        q[-3 * s] = (uint8_t)((2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3);
    } else {
        q[-s] = (uint8_t)((2 * p1 + p0 + q1 + 2) >> 2);
    }
    if (small && abs(q2 - q0) < beta) {
        q[0] = (uint8_t)((p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3);
        q[s] = (uint8_t)((p0 + q0 + q1 + q2 + 2) >> 2);
        q[2 * s] = (uint8_t)((2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3);
    } else {
        q[0] = (uint8_t)((2 * q1 + q0 + p1 + 2) >> 2);
    }
}

/* p0 and q0 of bS 1 to 3; p1, q1: their neighbours before the filter. */
static inline void
move_edge(uint8_t *q, ptrdiff_t s, int p1, int q1, int tc)
{
    int p0 = q[-s], q0 = q[0];
    int delta = (4 * (q0 - p0) + (p1 - q1) + 4) >> 3;
    delta = CLAMP(delta, -tc, tc);
    q[-s] = clip_sample(p0 + delta);
    q[0] = clip_sample(q0 - delta);
}

/* bS 1 to 3 of luma, 8-470 to 8-478. */
static inline void
filter_normal(uint8_t *q, ptrdiff_t s, int beta, int tc0)
{
    int p0 = q[-s], p1 = q[-2 * s], p2 = q[-3 * s];
    int q0 = q[0], q1 = q[s], q2 = q[2 * s], tc = tc0;
    if (abs(p2 - p0) < beta) {
        int d = (p2 + ((p0 + q0 + 1) >> 1) - 2 * p1) >> 1;
        q[-2 * s] = (uint8_t)(p1 + CLAMP(d, -tc0, tc0));
        tc++;
    }
    if (abs(q2 - q0) < beta) {
        int d = (q2 + ((p0 + q0 + 1) >> 1) - 2 * q1) >> 1;
        q[s] = (uint8_t)(q1 + CLAMP(d, -tc0, tc0));
        tc++;
    }
    move_edge(q, s, p1, q1, tc);
}

static inline bool
is_filtered(const uint8_t *q, ptrdiff_t s, int alpha, int beta)
{
    return abs(q[-s] - q[0]) < alpha && abs(q[-2 * s] - q[-s]) < beta &&
           abs(q[s] - q[0]) < beta;
}

void
avc_filter_luma_ref(const struct avc_lines *l)
{
    int alpha = avc_alpha[l->index_a], beta = avc_beta[l->index_b];
    ptrdiff_t across = l->across;
    uint8_t *q0 = l->q0;
    for (unsigned i = 0; i < l->count; i++, q0 += l->along) {
        unsigned strength = l->bs[i / l->per_bs];
        if (!strength || !is_filtered(q0, across, alpha, beta))
            continue;
        if (strength == 4)
            filter_strong(q0, across, alpha, beta);
        else
            filter_normal(q0, across, beta, avc_tc0[l->index_a][strength - 1]);
    }
}

void
avc_filter_chroma_ref(const struct avc_lines *l)
{
    int alpha = avc_alpha[l->index_a], beta = avc_beta[l->index_b];
    ptrdiff_t across = l->across;
    uint8_t *q0 = l->q0;
    for (unsigned i = 0; i < l->count; i++, q0 += l->along) {
        unsigned strength = l->bs[i / l->per_bs];
        if (!strength || !is_filtered(q0, across, alpha, beta))
            continue;
        int p = q0[-across], p1 = q0[-2 * across], q = q0[0], q1 = q0[across];
        if (strength == 4) {
            q0[-across] = (uint8_t)((2 * p1 + p + q1 + 2) >> 2);
            q0[0] = (uint8_t)((2 * q1 + q + p1 + 2) >> 2);
            continue;
        }
        move_edge(q0, across, p1, q1, avc_tc0[l->index_a][strength - 1] + 1);
    }
}
