/* avc_interpolate.c: samples between samples, and weighted prediction. ITU-T
 * H.264, 8.4.2.2 and 8.4.2.3. */
#include "engine/mfx/avc/recon/recon_ref.h"

#define TO_STRIDE AVC_BLOCK_STRIDE

static inline uint8_t
clip_sample(int v)
{
    return (uint8_t)CLAMP(v, 0, 255);
}

static inline int
six_taps(const uint8_t *p, ptrdiff_t step)
{
    return p[-2 * step] + p[3 * step] - 5 * (p[-step] + p[2 * step]) +
           20 * (p[0] + p[step]);
}

static void
half_across(const uint8_t *from, unsigned width, unsigned height, uint8_t *to,
            ptrdiff_t stride)
{
    for (unsigned y = 0; y < height; y++, from += AVC_WINDOW_B, to += stride)
        for (unsigned x = 0; x < width; x++)
            to[x] = clip_sample((six_taps(from + x, 1) + 16) >> 5);
}

static void
half_down(const uint8_t *from, unsigned width, unsigned height, uint8_t *to,
          ptrdiff_t stride)
{
    for (unsigned y = 0; y < height; y++, from += AVC_WINDOW_B, to += stride)
        for (unsigned x = 0; x < width; x++)
            to[x] = clip_sample((six_taps(from + x, AVC_WINDOW_B) + 16) >> 5);
}

/* Half across and down: from sums that are not rounded. */
static void
half_both(struct avc_window *w, const uint8_t *from, unsigned width,
          unsigned height, uint8_t *to, ptrdiff_t stride)
{
    const uint8_t *line = from - 2 * AVC_WINDOW_B;
    for (unsigned y = 0; y < height + 5; y++, line += AVC_WINDOW_B)
        for (unsigned x = 0; x < width; x++)
            w->middle[y * TO_STRIDE + x] = (int16_t)six_taps(line + x, 1);
    const int16_t *m = w->middle + 2 * TO_STRIDE;
    for (unsigned y = 0; y < height; y++, m += TO_STRIDE, to += stride)
        for (unsigned x = 0; x < width; x++) {
            const int16_t *p = m + x;
            int v = p[-2 * TO_STRIDE] + p[3 * TO_STRIDE] -
                    5 * (p[-TO_STRIDE] + p[2 * TO_STRIDE]) +
                    20 * (p[0] + p[TO_STRIDE]);
            to[x] = clip_sample((v + 512) >> 10);
        }
}

static void
average_blocks(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
               const uint8_t *b, unsigned width, unsigned height)
{
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            to[y * stride + x] = (uint8_t)((a[y * TO_STRIDE + x] +
                                            b[y * TO_STRIDE + x] + 1) >>
                                           1);
}

static void
copy_samples(const uint8_t *from, unsigned width, unsigned height, uint8_t *to,
             ptrdiff_t stride)
{
    for (unsigned y = 0; y < height; y++)
        memcpy(to + y * stride, from + y * AVC_WINDOW_B, width);
}

#include "engine/mfx/avc/recon/luma_tmpl.h"

void
avc_luma_ref(struct avc_window *w, const uint8_t *from, unsigned x, unsigned y,
             unsigned width, unsigned height, uint8_t *to, ptrdiff_t stride)
{
    luma_block(w, from, x, y, width, height, to, stride);
}

void
avc_average_ref(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
                const uint8_t *b, unsigned width, unsigned height)
{
    average_blocks(to, stride, a, b, width, height);
}

void
avc_chroma_ref(const uint8_t *from, unsigned x, unsigned y, unsigned width,
               unsigned height, uint8_t *const to[2], ptrdiff_t stride)
{
    unsigned w00 = (8 - x) * (8 - y), w10 = x * (8 - y);
    unsigned w01 = (8 - x) * y, w11 = x * y;
    for (unsigned j = 0; j < height; j++) {
        const uint8_t *p = from + j * AVC_WINDOW_B, *q = p + AVC_WINDOW_B;
        for (unsigned i = 0; i < width * 2; i++) {
            unsigned sum = w00 * p[i] + w10 * p[i + 2] + w01 * q[i] +
                           w11 * q[i + 2];
            to[i % 2][j * stride + i / 2] = (uint8_t)((sum + 32) >> 6);
        }
    }
}

void
avc_weight_one_ref(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
                   const struct avc_weights *w, unsigned width, unsigned height)
{
    int round = w->log2_denom ? 1 << (w->log2_denom - 1) : 0;
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            int v = (a[y * TO_STRIDE + x] * w->w0 + round) >> w->log2_denom;
            to[y * stride + x] = clip_sample(v + w->offset);
        }
}

void
avc_weight_two_ref(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
                   const uint8_t *b, const struct avc_weights *w,
                   unsigned width, unsigned height)
{
    int round = 1 << w->log2_denom;
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            int v = a[y * TO_STRIDE + x] * w->w0 + b[y * TO_STRIDE + x] * w->w1;
            v = ((v + round) >> (w->log2_denom + 1)) + w->offset;
            to[y * stride + x] = clip_sample(v);
        }
}
