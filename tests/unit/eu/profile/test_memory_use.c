/* test_memory_use.c: counts of single messages (profile/memory_use.c), worked
 * out by hand. */
#include <criterion/criterion.h>

#include "eu/profile/profile.h"
#include "eu/profile/send_counts.h"

/* A message of sixteen lanes. */
static struct eu_memory_use
lanes_at(uint64_t first_B, int64_t step_B, unsigned size_B)
{
    struct eu_memory_use u = {.lanes = 16, .count = 16};
    for (unsigned i = 0; i < 16; i++)
        u.piece[i] = (struct eu_memory_piece){first_B + (uint64_t)(i * step_B),
                                              (uint16_t)size_B, (uint8_t)i};
    return u;
}

static struct eu_send_counts
count(const struct eu_memory_use *u)
{
    static uint64_t at[PROFILE_MEMORY_ARRAYS];
    struct eu_send_counts c = {0};
    memset(at, 0, sizeof at);
    eu_profile_add_memory(at, 1, u);
    eu_send_counts_add(&c, at, 1, (struct eu_send_shape){.exec_size = 16});
    return c;
}

static void
expect_lines(uint64_t first_B, int64_t step_B, unsigned size_B, unsigned lines,
             unsigned least, unsigned misaligned, enum profile_stride stride)
{
    struct eu_memory_use u = lanes_at(first_B, step_B, size_B);
    struct eu_send_counts c = count(&u);
    cr_expect_eq(c.sent, 1);
    cr_expect_eq(c.lanes, 16);
    cr_expect_eq(c.bytes, 16 * size_B);
    cr_expect_eq(c.lines, lines, "step %lld: %llu lines", (long long)step_B,
                 (unsigned long long)c.lines);
    cr_expect_eq(c.least_lines, least, "step %lld: at least %llu",
                 (long long)step_B, (unsigned long long)c.least_lines);
    cr_expect_eq(c.misaligned, misaligned, "step %lld", (long long)step_B);
    cr_expect_eq(c.strides[stride], 1, "step %lld", (long long)step_B);
}

Test(memory_use, lines)
{
    expect_lines(0x1000, 4, 4, 1, 1, 0, PROFILE_STRIDE_NEXT);
    expect_lines(0x1004, 4, 4, 2, 1, 1, PROFILE_STRIDE_NEXT);
    expect_lines(0x1000, 16, 16, 4, 4, 0, PROFILE_STRIDE_NEXT);
    expect_lines(0x1010, 16, 16, 5, 4, 1, PROFILE_STRIDE_NEXT);
    expect_lines(0x1010, 1, 1, 1, 1, 0, PROFILE_STRIDE_NEXT);
    expect_lines(0x103c, 0, 4, 1, 1, 0, PROFILE_STRIDE_SAME);
    expect_lines(0x103c, 0, 16, 2, 1, 1, PROFILE_STRIDE_SAME);
    /* k dwords apart: k lines; 64 bytes fit in one. */
    for (int k = 2; k <= 16; k++)
        expect_lines(0x1000, 4 * k, 4, (unsigned)k, 1, 0,
                     k < 16 ? PROFILE_STRIDE_SHORT : PROFILE_STRIDE_LONG);
    expect_lines(0x1000, 4096, 4, 16, 1, 0, PROFILE_STRIDE_FAR);
    expect_lines(0x103c, -4, 4, 1, 1, 0, PROFILE_STRIDE_SHORT);
    /* Each lane straddles two lines. */
    expect_lines(0x103e, 128, 4, 32, 1, 0, PROFILE_STRIDE_LONG);
}

Test(memory_use, strides)
{
    struct eu_memory_use u = lanes_at(0, 256, 4);
    cr_expect_eq(count(&u).stride_B, 256);
    u.piece[7].at_B += 4;
    struct eu_send_counts c = count(&u);
    cr_expect_eq(c.strides[PROFILE_STRIDE_MIXED], 1);
    cr_expect_eq(c.stride_B, 0);
    /* Lanes 2, 5 and 9 alone, each at its place. */
    u = lanes_at(0, 4, 4);
    u.count = u.lanes = 3;
    u.piece[0] = u.piece[2];
    u.piece[1] = u.piece[5];
    u.piece[2] = u.piece[9];
    c = count(&u);
    cr_expect_eq(c.lanes, 3);
    cr_expect_eq(c.bytes, 12);
    cr_expect_eq(c.strides[PROFILE_STRIDE_NEXT], 1);
    cr_expect_eq(c.lines, 1);
    /* One lane has no stride; a block neither. */
    u.count = u.lanes = 1;
    c = count(&u);
    for (unsigned i = 0; i < PROFILE_STRIDE_COUNT; i++)
        cr_expect_eq(c.strides[i], 0);
    u.is_block = true;
    u.piece[0] = (struct eu_memory_piece){0x1020, 128, 0};
    c = count(&u);
    cr_expect_eq(c.lines, 3);
    cr_expect_eq(c.least_lines, 2);
    cr_expect_eq(c.misaligned, 1);
}

/* All lanes off, or out of range. */
Test(memory_use, nothing)
{
    struct eu_memory_use u = {.lanes = 5};
    struct eu_send_counts c = count(&u);
    cr_expect_eq(c.sent, 1);
    cr_expect_eq(c.lanes, 5);
    cr_expect_eq(c.bytes, 0);
    cr_expect_eq(c.lines, 0);
    cr_expect_eq(c.least_lines, 0);
}

static void
expect_passes(bool is_write, int64_t step_B, unsigned size_B, unsigned passes,
              unsigned least)
{
    struct eu_memory_use u = lanes_at(0x100, step_B, size_B);
    u.is_slm = true;
    u.is_write = is_write;
    struct eu_send_counts c = count(&u);
    cr_expect_eq(c.lines, 0);
    cr_expect_eq(c.slm_passes, passes, "step %lld: %llu", (long long)step_B,
                 (unsigned long long)c.slm_passes);
    cr_expect_eq(c.slm_least_passes, least, "step %lld: %llu",
                 (long long)step_B, (unsigned long long)c.slm_least_passes);
}

Test(memory_use, banks)
{
    expect_passes(false, 4, 4, 1, 1);
    expect_passes(false, 0, 4, 1, 1);   /* one dword for all */
    expect_passes(true, 0, 4, 16, 1);   /* they conflict even so */
    expect_passes(false, 64, 4, 16, 1); /* columns of a 16x16 tile */
    expect_passes(true, 64, 4, 16, 1);
    expect_passes(false, 68, 4, 1, 1); /* padded by a dword */
    expect_passes(false, 8, 4, 2, 1);
    expect_passes(false, 16, 16, 4, 4);
    expect_passes(false, 1, 1, 1, 1);
    expect_passes(true, 1, 1, 4, 1); /* four lanes in a dword */
}
