/* memory_use.c: the scalar reference for counts of memory accesses: lines,
 * strides and passes through local memory of one message.
 *
 * Rules: requests of a thread's lanes to one line of 64 bytes are merged. Local
 * memory has 16 banks of 32 bits: reads of one dword are free, different dwords
 * of a bank conflict, writes to a bank conflict always (Intel, OpenCL
 * Developer Guide for Intel Processor Graphics, "Memory Access
 * Considerations"). That all channels of a message go through together is a
 * guess. */
#include "eu/profile/profile.h"

#define LINE_B 64u
#define BANKS 16u
#define PAGE_B 4096u

/* The most lines: of 64 dwords that each straddle two. */
#define MOST_LINES (2 * EU_MEMORY_PIECES)

/* A conflict counts no further. */
#define MOST_OF_BANK (EU_MEMORY_PIECES + EU_MEMORY_PIECES / 4)

struct pattern {
    bool has_stride;
    enum profile_stride stride;
    uint64_t step_B; /* of equal strides */
};

static uint64_t
divide_up(uint64_t n, unsigned by)
{
    return (n + by - 1) / by;
}

static uint64_t
sum_bytes(const struct eu_memory_use *u)
{
    uint64_t sum_B = 0;
    for (unsigned i = 0; i < u->count; i++)
        sum_B += u->piece[i].size_B;
    return sum_B;
}

static bool
is_even(const struct eu_memory_use *u, int64_t step_B)
{
    const struct eu_memory_piece *first = &u->piece[0];
    for (unsigned i = 1; i < u->count; i++) {
        const struct eu_memory_piece *p = &u->piece[i];
        if ((int64_t)(p->at_B - first->at_B) !=
            (p->lane - first->lane) * step_B)
            return false;
    }
    return true;
}

static struct pattern
find_pattern(const struct eu_memory_use *u)
{
    const struct eu_memory_piece *p = u->piece;
    struct pattern s = {.has_stride = !u->is_block && u->count > 1,
                        .stride = PROFILE_STRIDE_MIXED};
    if (!s.has_stride)
        return s;
    int64_t step_B = (int64_t)(p[1].at_B - p[0].at_B) / (p[1].lane - p[0].lane);
    if (!is_even(u, step_B))
        return s;
    s.step_B = (uint64_t)(step_B < 0 ? -step_B : step_B);
    s.stride = !step_B               ? PROFILE_STRIDE_SAME
               : step_B == p->size_B ? PROFILE_STRIDE_NEXT
               : s.step_B < LINE_B   ? PROFILE_STRIDE_SHORT
               : s.step_B < PAGE_B   ? PROFILE_STRIDE_LONG
                                     : PROFILE_STRIDE_FAR;
    return s;
}

/* ---- lines --------------------------------------------------------------- */

static unsigned
add_line(uint64_t *lines, unsigned count, uint64_t line)
{
    for (unsigned i = count; i--;)
        if (lines[i] == line)
            return count;
    lines[count] = line;
    return count + (count < MOST_LINES - 1);
}

static unsigned
count_lines(const struct eu_memory_use *u)
{
    uint64_t lines[MOST_LINES];
    unsigned count = 0;
    for (unsigned i = 0; i < u->count; i++) {
        const struct eu_memory_piece *p = &u->piece[i];
        uint64_t last = (p->at_B + p->size_B - 1) / LINE_B;
        for (uint64_t n = p->at_B / LINE_B; n <= last; n++)
            count = add_line(lines, count, n);
    }
    return count;
}

static bool
is_contiguous(const struct eu_memory_use *u)
{
    for (unsigned i = 1; i < u->count; i++)
        if (u->piece[i].at_B != u->piece[i - 1].at_B + u->piece[i - 1].size_B)
            return false;
    return true;
}

static void
add_lines(uint64_t *at, uint32_t units, const struct eu_memory_use *u,
          const struct pattern *s, uint64_t size_B)
{
    uint64_t lines = count_lines(u);
    bool is_same = s->has_stride && s->stride == PROFILE_STRIDE_SAME;
    bool together = s->has_stride ? is_same || s->stride == PROFILE_STRIDE_NEXT
                                  : is_contiguous(u);
    uint64_t need_B = is_same ? u->piece[0].size_B : size_B;
    uint64_t least = MIN2(divide_up(need_B, LINE_B), lines);
    at[PROFILE_LINES * units] += lines;
    at[PROFILE_LEAST_LINES * units] += least;
    at[PROFILE_MISALIGNED * units] += together && lines > least;
}

/* ---- local memory -------------------------------------------------------- */

struct banks {
    unsigned dwords, most; /* of all banks, of the bank that has most */
    uint8_t count[BANKS];
    uint64_t dword[BANKS][MOST_OF_BANK];
};

static bool
has_dword(const struct banks *b, unsigned bank, uint64_t dword)
{
    for (unsigned i = b->count[bank]; i--;)
        if (b->dword[bank][i] == dword)
            return true;
    return false;
}

static void
add_dword(struct banks *b, uint64_t dword, bool is_write)
{
    unsigned bank = dword % BANKS, count = b->count[bank];
    if (count == MOST_OF_BANK || (!is_write && has_dword(b, bank, dword)))
        return;
    if (!is_write)
        b->dword[bank][count] = dword;
    b->count[bank] = (uint8_t)(count + 1);
    b->most = MAX2(b->most, count + 1);
    b->dwords++;
}

static void
add_passes(uint64_t *at, uint32_t units, const struct eu_memory_use *u)
{
    struct banks banks;
    memset(&banks, 0, offsetof(struct banks, dword));
    for (unsigned i = 0; i < u->count; i++) {
        const struct eu_memory_piece *p = &u->piece[i];
        uint64_t last = (p->at_B + p->size_B - 1) / 4;
        for (uint64_t d = p->at_B / 4; d <= last; d++)
            add_dword(&banks, d, u->is_write);
    }
    at[PROFILE_SLM_PASSES * units] += banks.most;
    at[PROFILE_SLM_LEAST_PASSES * units] += divide_up(banks.dwords, BANKS);
}

/* ---- */

void
eu_profile_add_memory(uint64_t *at, uint32_t units,
                      const struct eu_memory_use *u)
{
    struct pattern s = find_pattern(u);
    uint64_t size_B = sum_bytes(u);
    at[PROFILE_SENT * units]++;
    at[PROFILE_SENT_LANES * units] += u->lanes;
    at[PROFILE_SENT_BYTES * units] += size_B;
    if (u->is_slm)
        add_passes(at, units, u);
    else
        add_lines(at, units, u, &s, size_B);
    if (!s.has_stride)
        return;
    at[(PROFILE_STRIDES + s.stride) * units]++;
    if (s.stride >= PROFILE_STRIDE_SHORT && s.stride <= PROFILE_STRIDE_FAR)
        at[PROFILE_STRIDE_B * units] += s.step_B;
}
