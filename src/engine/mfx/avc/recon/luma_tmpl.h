/* luma_tmpl.h: which halves a sample of luma is made of, figure 8-4. Included
 * by files that define half_across(), half_down(), half_both(), copy_samples()
 * and average_blocks(). */

static inline void
luma_block(struct avc_window *w, const uint8_t *from, unsigned x, unsigned y,
           unsigned width, unsigned height, uint8_t *to, ptrdiff_t stride)
{
    uint8_t *a = w->half[0], *b = w->half[1];
    const uint8_t *right = from + (x == 3);
    const uint8_t *below = from + (y == 3) * AVC_WINDOW_B;
    bool whole = x % 2 == 0 && y % 2 == 0;
    uint8_t *first = whole ? to : a;
    ptrdiff_t step = whole ? stride : AVC_BLOCK_STRIDE;
    if (!x && !y)
        copy_samples(from, width, height, to, stride);
    else if (x == 2 && y == 2)
        half_both(w, from, width, height, to, stride);
    else if (!y)
        half_across(from, width, height, first, step);
    else if (!x)
        half_down(from, width, height, first, step);
    else if (x == 2)
        half_across(below, width, height, a, AVC_BLOCK_STRIDE);
    else
        half_down(right, width, height, a, AVC_BLOCK_STRIDE);
    if (whole)
        return;
    if (!y)
        copy_samples(right, width, height, b, AVC_BLOCK_STRIDE);
    else if (!x)
        copy_samples(below, width, height, b, AVC_BLOCK_STRIDE);
    else if (x == 2 || y == 2)
        half_both(w, from, width, height, b, AVC_BLOCK_STRIDE);
    else
        half_across(below, width, height, b, AVC_BLOCK_STRIDE);
    average_blocks(to, stride, a, b, width, height);
}
