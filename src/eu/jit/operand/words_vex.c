/* words_vex.c: words and bytes of any region, and results of words, on hosts
 * without AVX-512: byte shuffles inside 16 bytes. Threads compute their pixels'
 * positions with such instructions. */
#include "eu/jit/operand/operand.h"

#define GRF_AT(off_B) (offsetof(struct eu_thread, grf) + (off_B))

#define LANES 8u
#define GROUP 4u /* lanes of half a register */
#define WINDOW_B 16u
#define NOTHING 0x80 /* in a shuffle: zero */

/* Finds 16 bytes that contain the elements these lanes read; if possible, bytes
 * of one store. */
static bool
find_window(const uint16_t *lane_B, unsigned lanes, unsigned size_B,
            unsigned *base_B)
{
    unsigned first_B = lane_B[0], end_B = lane_B[0] + size_B;
    for (unsigned i = 1; i < lanes; i++) {
        first_B = MIN2(first_B, lane_B[i]);
        end_B = MAX2(end_B, lane_B[i] + size_B);
    }
    *base_B = first_B & ~(WINDOW_B - 1);
    if (end_B > *base_B + WINDOW_B)
        *base_B = first_B;
    return end_B <= *base_B + WINDOW_B && *base_B + WINDOW_B <= EU_GRF_FILE_B;
}

static void
sync_lanes(struct jit *j, const uint16_t *lane_B, unsigned lanes,
           unsigned size_B)
{
    for (unsigned i = 0; i < lanes; i++)
        jit_sync(j, lane_B[i], size_B);
}

/* d := one window in both halves, or one in each half. */
static void
load_windows(struct jit *j, unsigned d, const unsigned base_B[2])
{
    struct x86 *x = &j->x;
    if (base_B[0] == base_B[1]) {
        x86_vop(x, X86_BROADCASTI128, 1, d, 0, x86_thread(GRF_AT(base_B[0])),
                0);
        return;
    }
    x86_vop(x, X86_MOVUPS_LD, 0, d, 0, x86_thread(GRF_AT(base_B[0])), 0);
    x86_vop_imm(x, X86_INSERTF128, 1, d, d, x86_thread(GRF_AT(base_B[1])), 0,
                1);
}

bool
jit_spread_vex(struct jit *j, const uint16_t *lane_B, unsigned lanes,
               unsigned size_B, bool is_signed, unsigned *reg)
{
    uint8_t from[LANES * 4];
    uint32_t dwords[LANES];
    unsigned base_B[2], up = is_signed ? 4 - size_B : 0;
    if (lanes > LANES ||
        !find_window(lane_B, MIN2(lanes, GROUP), size_B, &base_B[0]))
        return false;
    base_B[1] = base_B[0];
    if (lanes > GROUP &&
        !find_window(lane_B + GROUP, lanes - GROUP, size_B, &base_B[1]))
        return false;
    memset(from, NOTHING, sizeof from);
    for (unsigned i = 0; i < lanes; i++)
        for (unsigned b = 0; b < size_B; b++)
            from[i * 4 + up + b] = (uint8_t)(lane_B[i] - base_B[i / GROUP] + b);
    memcpy(dwords, from, sizeof dwords);
    sync_lanes(j, lane_B, lanes, size_B);
    unsigned d = jit_temp(j);
    load_windows(j, d, base_B);
    x86_vop(&j->x, X86_PSHUFB, 1, d, d, x86_const(&j->x, dwords, LANES), 0);
    if (up)
        x86_vop_imm(&j->x, X86_PSHIFTD_IMM, 1, 4, d, x86_reg(d), 0,
                    (uint8_t)(up * 8));
    *reg = d;
    return true;
}

/* The host's instruction packs words within each half. */
void
jit_pack_words_vex(struct jit *j, enum x86_vop how, unsigned d, unsigned from)
{
    x86_vop(&j->x, how, 1, d, from, x86_reg(from), 0);
    x86_vop_imm(&j->x, X86_PERMQ, 1, d, 0, x86_reg(d), 0, 0x08);
}

void
jit_store_words_at_vex(struct jit *j, const struct jit_part *p, unsigned reg,
                       struct x86_rm at)
{
    static const uint32_t low[LANES] = {0xffff, 0xffff, 0xffff, 0xffff,
                                        0xffff, 0xffff, 0xffff, 0xffff};
    struct x86 *x = &j->x;
    unsigned d = jit_temp(j);
    x86_vop(x, X86_PAND, 1, d, reg, x86_const(x, low, LANES), 0);
    jit_pack_words_vex(j, X86_PACKUSDW, d, d);
    if (!p->mask.all) {
        unsigned mask = jit_temp(j), old = jit_temp(j);
        jit_pack_words_vex(j, X86_PACKSSDW, mask, p->mask.k);
        x86_vop(x, X86_MOVUPS_LD, 0, old, 0, at, 0);
        x86_vop_imm(x, X86_BLENDVB, 0, d, old, x86_reg(d), 0,
                    (uint8_t)(mask << 4));
    }
    x86_vop(x, X86_MOVUPS_ST, 0, d, 0, at, 0);
}

void
jit_store_words_vex(struct jit *j, const struct jit_part *p, unsigned reg,
                    unsigned off_B)
{
    jit_sync_drop(j, off_B, p->lanes * 2);
    jit_store_words_at_vex(j, p, reg, x86_thread(GRF_AT(off_B)));
}

void
jit_store_bytes_vex(struct jit *j, const struct jit_part *p, unsigned reg,
                    unsigned off_B)
{
    struct x86 *x = &j->x;
    unsigned at = off_B & 1, d = jit_temp(j), old = jit_temp(j), mask;
    struct x86_rm place = x86_thread(GRF_AT(off_B - at));
    jit_sync_drop(j, off_B - at, p->lanes * 2);
    x86_vop(x, X86_PAND, 1, d, reg, x86_reg(jit_dword_reg(j, 0xff)), 0);
    if (at)
        x86_vop_imm(x, X86_PSHIFTD_IMM, 1, 6, d, x86_reg(d), 0, 8);
    jit_pack_words_vex(j, X86_PACKUSDW, d, d);
    mask = jit_dword_reg(j, at ? 0xff00ff00 : 0x00ff00ff);
    if (!p->mask.all) {
        unsigned lanes = jit_temp(j);
        jit_pack_words_vex(j, X86_PACKSSDW, lanes, p->mask.k);
        x86_vop(x, X86_PAND, 0, lanes, lanes, x86_reg(mask), 0);
        mask = lanes;
    }
    x86_vop(x, X86_MOVUPS_LD, 0, old, 0, place, 0);
    x86_vop_imm(x, X86_BLENDVB, 0, d, old, x86_reg(d), 0, (uint8_t)(mask << 4));
    x86_vop(x, X86_MOVUPS_ST, 0, d, 0, place, 0);
}

void
jit_store_spread_vex(struct jit *j, const struct jit_part *p, unsigned reg,
                     unsigned off_B, unsigned size_B)
{
    struct x86 *x = &j->x;
    unsigned at = off_B % 4, old = jit_vec(j, off_B - at, LANES * 4);
    unsigned d = jit_temp(j), rest = jit_temp(j);
    unsigned bits = jit_dword_reg(j, (UINT32_MAX >> (32 - size_B * 8))
                                         << at * 8);
    if (at)
        x86_vop_imm(x, X86_PSHIFTD_IMM, 1, 6, d, x86_reg(reg), 0,
                    (uint8_t)(at * 8));
    x86_vop(x, X86_PAND, 1, d, at ? d : reg, x86_reg(bits), 0);
    x86_vop(x, X86_PANDN, 1, rest, bits, x86_reg(old), 0);
    x86_vop(x, X86_POR, 1, d, d, x86_reg(rest), 0);
    if (!p->mask.all)
        x86_vop_imm(x, X86_BLENDVPS, 1, d, old, x86_reg(d), 0,
                    (uint8_t)(p->mask.k << 4));
    jit_bind(j, d, off_B - at, LANES * 4);
}
