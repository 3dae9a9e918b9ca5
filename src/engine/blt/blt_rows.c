/* blt_rows.c: rows of blits that fill with one colour or only copy. They leave
 * the same bytes as the reference in blt_pixels.c. */
#include "engine/blt/blit.h"

/* Whether all pixels are drawn, with all their bytes. */
static bool
draws_all(const struct blit *b)
{
    if (b->chroma || b->write_mask != blt_pixel_mask(b->pixel_B) ||
        (b->source == BLT_SOURCE_MONO && b->mono.transparent))
        return false;
    for (unsigned i = 0; i < 8; i++)
        if (b->pattern_drawn[i] != 0xff)
            return false;
    return true;
}

static bool
find_extent(const struct blit *b, const struct blt_surface *s, int32_t dx,
            int32_t dy, uint64_t at[2])
{
    const int64_t x_B[2] = {((int64_t)b->x1 + dx) * b->pixel_B,
                            ((int64_t)b->x2 + dx) * b->pixel_B};
    const int32_t y[2] = {b->y1 + dy, b->y2 + dy};
    return blt_extent(b->vm, s, x_B, y, &at[0], &at[1]);
}

/* Bytes side by side in a row of a tile that are so in memory, too. */
static int64_t
run_length_B(const struct blt_surface *s)
{
    return INT64_C(1) << __builtin_ctz(~(uint32_t)s->tile.x_mask);
}

/* Bytes from x_B on that are side by side in memory. */
static int64_t
run_after(const struct blt_surface *s, int64_t x_B)
{
    if (!blt_is_tiled(s))
        return INT64_MAX;
    int64_t run_B = run_length_B(s);
    return run_B - (x_B & (run_B - 1));
}

/* ---- fill ---------------------------------------------------------------- */

static bool
is_one_color(const struct blit *b)
{
    for (unsigned i = 1; i < 64; i++)
        if (b->pattern[i / 8][i % 8] != b->pattern[0][0])
            return false;
    return true;
}

bool
blt_fill_fits(const struct blit *b)
{
    uint64_t at[2];
    return !blt_rop_uses_source(b->rop) && !blt_rop_uses_destination(b->rop) &&
           (!blt_rop_uses_pattern(b->rop) || is_one_color(b)) && draws_all(b) &&
           find_extent(b, &b->dst, 0, 0, at);
}

/* Whole pixels: a run begins where a pixel does. */
static void
fill_run(uint8_t *to, size_t size_B, uint32_t color, unsigned pixel_B)
{
    uint32_t color_x4[4];
    uint32_t dword = color;
    for (unsigned i = pixel_B; i < 4; i *= 2)
        dword |= dword << i * 8;
    if (dword == (dword & 0xff) * 0x01010101u) {
        memset(to, (int)(dword & 0xff), size_B);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        color_x4[i] = dword;
    for (; size_B >= 16; size_B -= 16, to += 16)
        memcpy(to, color_x4, 16);
    memcpy(to, color_x4, size_B);
}

void
blt_row_fill(const struct blit *b, int32_t y)
{
    uint32_t color = blt_rop(b->rop, b->pattern[0][0], 0, 0) &
                     blt_pixel_mask(b->pixel_B);
    int64_t end_B = (int64_t)b->x2 * b->pixel_B;
    for (int64_t x_B = (int64_t)b->x1 * b->pixel_B; x_B < end_B;) {
        int64_t n_B = MIN2(run_after(&b->dst, x_B), end_B - x_B);
        fill_run(vm_ptr(b->vm, blt_address(&b->dst, x_B, y)), (size_t)n_B,
                 color, b->pixel_B);
        x_B += n_B;
    }
}

/* ---- copy ---------------------------------------------------------------- */

static bool
is_same_surface(const struct blit *b)
{
    return b->dst.base == b->src.base && b->dst.pitch_B == b->src.pitch_B &&
           b->dst.tile.size_log2_B == b->src.tile.size_log2_B &&
           b->dst.tile.x_mask == b->src.tile.x_mask;
}

/* Whether no two rows have bytes in common. */
static bool
has_separate_rows(const struct blit *b)
{
    int32_t left = b->x1 + MIN2(b->src_dx, 0);
    int64_t right_B = ((int64_t)b->x2 + MAX2(b->src_dx, 0)) * b->pixel_B;
    int64_t row_B = b->dst.pitch_B < 0 ? -(int64_t)b->dst.pitch_B
                                       : b->dst.pitch_B;
    if (blt_is_tiled(&b->dst))
        row_B &= -(INT64_C(1) << b->dst.tile.width_log2_B);
    return left >= 0 && right_B <= row_B;
}

/* Rows and columns go in the order that keeps a source which is the same
 * surface; other sources must not meet the destination. */
bool
blt_copy_fits(const struct blit *b)
{
    uint64_t to[2], from[2];
    if (b->rop != 0xcc || b->source != BLT_SOURCE_COLOR || !draws_all(b) ||
        !find_extent(b, &b->dst, 0, 0, to) ||
        !find_extent(b, &b->src, b->src_dx, b->src_dy, from))
        return false;
    if (to[1] <= from[0] || from[1] <= to[0])
        return true;
    return is_same_surface(b) && has_separate_rows(b);
}

/* Bytes before x_B that are side by side in memory. */
static int64_t
run_before(const struct blt_surface *s, int64_t x_B)
{
    if (!blt_is_tiled(s))
        return INT64_MAX;
    int64_t run_B = run_length_B(s);
    return ((x_B - 1) & (run_B - 1)) + 1;
}

static void
move_run(const struct blit *b, int64_t x_B, int32_t y, int64_t n_B)
{
    int64_t from_B = x_B + (int64_t)b->src_dx * b->pixel_B;
    memmove(vm_ptr(b->vm, blt_address(&b->dst, x_B, y)),
            vm_ptr(b->vm, blt_address(&b->src, from_B, y + b->src_dy)),
            (size_t)n_B);
}

void
blt_row_copy(const struct blit *b, int32_t y)
{
    int64_t dx_B = (int64_t)b->src_dx * b->pixel_B;
    int64_t begin_B = (int64_t)b->x1 * b->pixel_B;
    int64_t end_B = (int64_t)b->x2 * b->pixel_B;
    while (begin_B < end_B) {
        int64_t n_B = end_B - begin_B;
        if (b->backward_x) {
            n_B = MIN2(n_B, run_before(&b->dst, end_B));
            n_B = MIN2(n_B, run_before(&b->src, end_B + dx_B));
            end_B -= n_B;
            move_run(b, end_B, y, n_B);
        } else {
            n_B = MIN2(n_B, run_after(&b->dst, begin_B));
            n_B = MIN2(n_B, run_after(&b->src, begin_B + dx_B));
            move_run(b, begin_B, y, n_B);
            begin_B += n_B;
        }
    }
}
