/* test_coverage.c: the reference of cover_find() against its definition. */
#include <criterion/criterion.h>

#include "any_cover_job.h"

/* The reference against its definition, pixel by pixel. */
Test(cover, reference)
{
    static struct cover_list list;
    state = 2;
    for (unsigned n = 0; n < 300; n++) {
        struct cover_job job = random_job();
        const struct cover_job all = job;
        uint16_t got[64][64] = {{0}};
        list.count = 0;
        if (cover_reject_edges(&job))
            cover_find_ref(&job, &list);
        for (unsigned i = 0; i < list.count; i++) {
            for (unsigned p = 0; p < 16; p++) {
                unsigned x = list.block[i].x + (p >> 2 & 1) * 2 + (p & 1);
                unsigned y = list.block[i].y + (p >> 3) * 2 + (p >> 1 & 1);
                for (unsigned k = 0; k < all.samples; k++)
                    got[y][x] |= (uint16_t)((list.sample[i][k] >> p & 1) << k);
                cr_assert_eq(list.block[i].mask >> p & 1, got[y][x] != 0);
            }
        }
        for (unsigned i = 0; i < 64 * 64 * all.samples; i++) {
            unsigned x = i & 63, y = i >> 6 & 63, k = i >> 12;
            bool in = (all.columns >> x & 1) && (all.rows >> y & 1);
            for (unsigned e = 0; e < all.edges; e++)
                in &= all.c[e][k] + all.a[e] * x + all.b[e] * y >= 0;
            cr_assert_eq(got[y][x] >> k & 1, in, "job %u (%u,%u) sample %u", n,
                         x, y, k);
        }
    }
}
