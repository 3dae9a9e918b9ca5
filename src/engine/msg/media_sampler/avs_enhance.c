/* avs_enhance.c: the image enhancement filter after the scaler. It takes the
 * scaled picture's pixels, two around the block: ILK PRM vol 4 part 1, 4.9. The
 * filter is one of YUV: RGB passes it. */
#include "engine/enhance/enhance.h"
#include "engine/msg/media_sampler/media_sampler.h"

enum { RED_OR_CR, GREEN_OR_Y, BLUE_OR_CB };
#define SKIN_TUNED (1u << 31) /* of dword 3 */
#define SMOOTH (1u << 30)

static uint32_t
state_dw(const struct avs_block *b, unsigned at)
{
    uint32_t dw;
    memcpy(&dw, b->state + at * 4, 4);
    return dw;
}

unsigned
avs_enhance_needs(const struct media_surface *s, const struct avs_block *b)
{
    if (!s->is_yuv || !s->channel[GREEN_OR_Y].exists)
        return 0;
    return 1u << GREEN_OR_Y |
           (state_dw(b, 3) & SKIN_TUNED ? 1u << RED_OR_CR | 1u << BLUE_OR_CB
                                        : 0);
}

void
avs_enhance(const struct media_surface *s, const struct avs_block *b,
            uint16_t values[4][AVS_HEIGHT][AVS_WIDTH])
{
    uint32_t dw[IEF_DW];
    uint16_t luma[AVS_HEIGHT][AVS_WIDTH], one = s->channel[GREEN_OR_Y].one;
    struct avs_block around = *b;
    struct ief f = {.smooth = state_dw(b, 3) & SMOOTH,
                    .skin_tuned = state_dw(b, 3) & SKIN_TUNED};
    memcpy(dw, b->state, sizeof dw);
    ief_init(&f, dw[0], dw);
    around.column -= AVS_MARGIN;
    around.row -= AVS_MARGIN;
    around.width += 2 * AVS_MARGIN;
    around.height += 2 * AVS_MARGIN;
    avs_filter(s, GREEN_OR_Y, &around, luma);
    for (unsigned y = 0; y < b->height; y++) {
        const uint16_t *rows[5];
        uint16_t *to = values[GREEN_OR_Y][y];
        for (unsigned i = 0; i < 5; i++)
            rows[i] = luma[y + i];
        ief_row(&f, rows, values[BLUE_OR_CB][y], values[RED_OR_CR][y], to,
                b->width);
        for (unsigned x = 0; x < b->width; x++)
            to[x] = MIN2(to[x], one);
    }
}
