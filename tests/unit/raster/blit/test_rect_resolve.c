/* test_rect_resolve.c: averages of bytes against conversion to float and back.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "engine/raster/blit/rect_resolve.h"

#define SIZE_B 3001

static uint8_t
by_definition(const uint8_t *const from[8], unsigned n, size_t i)
{
    const struct format_info *fmt = format_info(0x140); /* R8_UNORM */
    union color c[8], out = {{0}};
    for (unsigned s = 0; s < n; s++)
        fmt->unpack(fmt, from[s] + i, &c[s]);
    float f = n == 2 ? c[0].f[0] + c[1].f[0]
              : n == 4
                  ? (c[0].f[0] + c[1].f[0]) + (c[2].f[0] + c[3].f[0])
                  : ((c[0].f[0] + c[1].f[0]) + (c[2].f[0] + c[3].f[0])) +
                        ((c[4].f[0] + c[5].f[0]) + (c[6].f[0] + c[7].f[0]));
    out.f[0] = f * (1.0f / (float)n);
    uint8_t v;
    fmt->rt_pack(fmt, &out, &v);
    return v;
}

Test(resolve, averages_as_floats_do)
{
    static uint8_t bytes[8][SIZE_B], got[SIZE_B];
    const uint8_t *from[8];
    uint32_t seed = 1;
    unsigned ties = 0;
    for (unsigned s = 0; s < 8; s++)
        from[s] = bytes[s];
    for (unsigned round = 0; round < 300; round++) {
        unsigned n = 2u << round % 3;
        /* Random bytes, close bytes, equal bytes. */
        for (unsigned i = 0; i < SIZE_B; i++) {
            for (unsigned s = 0; s < 8; s++) {
                seed = seed * 1664525 + 1013904223;
                uint32_t v = seed >> 24;
                bytes[s][i] = (uint8_t)(round / 3 % 3 == 0 || !s ? v
                                        : round / 3 % 3 == 1
                                            ? bytes[0][i] ^ (v & 1)
                                            : bytes[0][i]);
            }
        }
        rect_resolve_average(from, n, SIZE_B, got);
        for (unsigned i = 0; i < SIZE_B; i++) {
            unsigned sum = 0;
            for (unsigned s = 0; s < n; s++)
                sum += bytes[s][i];
            ties += sum % n == n / 2;
            cr_assert_eq(got[i], by_definition(from, n, i), "%u of %u", i, n);
        }
    }
    cr_assert_gt(ties, 10000);
}
