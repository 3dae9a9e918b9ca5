#include "drm-shim/gem/gtt_merge.h"

#include "base/base.h"

#include <i915_drm.h>

/* Bytes of a row that are contiguous in either tiling: an OWord. */
#define PIECE_B 16

/* Each word is read once: another thread may write it at any time. */
static uint64_t
load_word(const uint8_t *p)
{
    return __atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_RELAXED);
}

static void
store_word(uint8_t *p, uint64_t value)
{
    __atomic_store_n((uint64_t *)(void *)p, value, __ATOMIC_RELAXED);
}

/* 0xff for each byte that is not zero. */
static uint64_t
nonzero_bytes(uint64_t v)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return (((((v & low) + low) | v) & ~low) >> 7) * 0xff;
}

/* Stores the bytes of a word that differ from what was there, while others may
 * store the rest of it. */
static void
store_changes(uint8_t *p, uint64_t value, uint64_t was)
{
    uint64_t changed = nonzero_bytes(value ^ was), now = load_word(p);
    if (changed == UINT64_MAX) {
        store_word(p, value);
        return;
    }
    if (__atomic_compare_exchange_n((uint64_t *)(void *)p, &now,
                                    (now & ~changed) | (value & changed), false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    for (unsigned i = 0; i < 8; i++)
        if (changed >> 8 * i & 1)
            __atomic_store_n(p + i, (uint8_t)(value >> 8 * i),
                             __ATOMIC_RELAXED);
}

static void
merge_piece(uint8_t *view, uint8_t *base, uint8_t *object, bool both)
{
    for (unsigned i = 0; i < PIECE_B; i += 8) {
        uint64_t client = load_word(view + i), agreed = load_word(base + i);
        if (client != agreed) {
            store_changes(object + i, client, agreed);
            store_word(base + i, client);
        }
        uint64_t gpu = both ? load_word(object + i) : client;
        if (gpu != client) {
            store_changes(view + i, gpu, client);
            store_word(base + i, gpu);
        }
    }
}

/* Where a row begins in the object. A tile has 4 KiB: 8 rows of 512 bytes (X)
 * or 32 rows of 128 bytes in columns of OWords (Y): BDW PRM vol 5, "Memory
 * Views", tiling. Address bits are not swizzled, as GEM_GET_TILING tells. */
static uint64_t
row_offset_B(const struct gtt_image *image, uint64_t y)
{
    uint64_t stride_B = image->stride_B;
    return image->tiling == I915_TILING_X
               ? y / 8 * 8 * stride_B + y % 8 * 512
               : y / 32 * 32 * stride_B + y % 32 * PIECE_B;
}

/* Where a piece lies relative to its row. */
static uint64_t
piece_offset_B(const struct gtt_image *image, uint64_t x_B)
{
    return image->tiling == I915_TILING_X ? x_B / 512 * 4096 + x_B % 512
                                          : x_B / PIECE_B * 512;
}

static void
merge_row(const struct gtt_image *image, uint64_t y, bool both)
{
    uint64_t at_B = y * image->stride_B, row_B = row_offset_B(image, y);
    uint64_t width_B = MIN2(image->stride_B, image->size_B - at_B);
    uint8_t *view = image->view + at_B, *base = image->base + at_B;
    if (!both && !memcmp(view, base, width_B))
        return;
    for (uint64_t x_B = 0; x_B < width_B; x_B += PIECE_B) {
        uint64_t object_B = row_B + piece_offset_B(image, x_B);
        /* The last row of tiles may go beyond the object's pages: the aperture
         * has a scratch page there. */
        if (object_B < image->size_B)
            merge_piece(view + x_B, base + x_B, image->object + object_B, both);
    }
}

static void
merge_rows(const struct gtt_image *image, bool both)
{
    for (uint64_t y = 0; y * image->stride_B < image->size_B; y++)
        merge_row(image, y, both);
}

void
gtt_merge_view(const struct gtt_image *image)
{
    merge_rows(image, false);
}

void
gtt_merge_both(const struct gtt_image *image)
{
    merge_rows(image, true);
}
