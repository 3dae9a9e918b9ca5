/* test_fast_clear.c: clears by HiZ operations. */
#include <criterion/criterion.h>

#include "rig.h"

static struct hz_op
whole_clear(unsigned samples)
{
    return (struct hz_op){.depth_clear = true,
                          .depth_value = 0.75f,
                          .stencil_value = 0x5a,
                          .x_max = RIG_PX,
                          .y_max = RIG_PX,
                          .samples = samples,
                          .sample_mask = 0xffff,
                          .min_array = 1};
}

Test(clear, depth_take_all_samples_or_those_of_the_mask)
{
    for (unsigned samples = 1; samples <= 16; samples *= 2) {
        for (unsigned some = 0; some < 2; some++) {
            struct rig *rig = rig_create(0);
            rig_depth(rig, 0x0d8, samples);
            struct hz_op op = whole_clear(samples);
            op.pool = rig->pool;
            op.depth = rig->draw.depth;
            op.x_min = some ? 3 : 4;
            op.sample_mask = some ? 0x5555 : 0xffff;
            raster_hz_op(&op);
            for (unsigned i = 0; i < RIG_PX * RIG_PX * samples; i++) {
                unsigned s = i % samples, x = i / samples % RIG_PX;
                float z;
                memcpy(&z,
                       surface_ptr(&op.depth, 0, x, i / samples / RIG_PX, 1, s),
                       4);
                bool hit = x >= op.x_min && op.sample_mask >> s & 1;
                cr_assert_eq(z, hit ? 0.75f : 0.0f, "%u samples: %u of %u", s,
                             samples, x);
            }
            rig_destroy(rig);
        }
    }
}
