/* operand.c: finds a lane's element, for every kind of operand.
 *
 * The register file is one little-endian array of bytes; a region is a walk
 * through it (KBL PRM vol 7 "Execution Environment: Regions"). Architecture
 * registers are read and written through an image of 64 bytes. */
#include "eu/interp/alu.h"
#include "base/half.h"

#define IMAGE_B 64

bool
eu_operand_is_acc(const struct eu_operand *o)
{
    return o->file == EU_FILE_ARF && (o->reg & 0xf0) == EU_ARF_ACC;
}

unsigned
eu_region_offset_B(const struct eu_insn *insn, const struct eu_operand *o,
                   unsigned lane)
{
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    if (!insn->align16) {
        unsigned row = lane / o->width, col = lane % o->width;
        unsigned vstride = o->vstride == EU_VSTRIDE_VXH ? 0 : o->vstride;
        return (row * vstride + col * o->hstride) * size_B;
    }
    if (o->rep_ctrl)
        return 0;
    if (size_B == 8) {
        /* Selectors address dwords: .xy and .zw are the two elements. */
        unsigned sel = (o->swizzle >> (lane % 2 * 4)) & 3;
        return (lane / 2 * 2 * (o->vstride ? 1 : 0) + sel / 2) * size_B;
    }
    if (insn->half_pairs && o->type == EU_TYPE_HF) {
        /* Gen8 swizzles dwords, whatever they contain. */
        unsigned sel = (o->swizzle >> (lane / 2 % 4 * 2)) & 3;
        return (lane / 8 * o->vstride + sel) * 4 + lane % 2 * 2;
    }
    unsigned sel = (o->swizzle >> (lane % 4 * 2)) & 3;
    return (lane / 4 * o->vstride + sel) * size_B;
}

uint32_t
eu_operand_components(const struct eu_insn *insn)
{
    const struct eu_operand *o = &insn->dst;
    uint32_t wm = o->writemask, wide = 0;
    if (eu_type_size_B((enum eu_type)o->type) == 8)
        return (wm & 3 ? 0x55555555u : 0) | (wm & 12 ? 0xaaaaaaaau : 0);
    if (!insn->half_pairs || o->type != EU_TYPE_HF)
        return wm * 0x11111111u;
    for (unsigned c = 0; c < 4; c++)
        wide |= wm >> c & 1 ? 3u << c * 2 : 0;
    return wide * 0x01010101u;
}

void
eu_region_walk(const struct eu_insn *insn, const struct eu_operand *o,
               uint16_t at[EU_MAX_LANES])
{
    unsigned base = o->reg * EU_GRF_B + o->subreg_B;
    if (insn->align16) {
        for (unsigned i = 0; i < insn->exec_size; i++)
            at[i] = (uint16_t)(base + eu_region_offset_B(insn, o, i));
        return;
    }
    unsigned size_B = eu_type_size_B((enum eu_type)o->type), i = 0;
    for (unsigned row = base; i < insn->exec_size; row += o->vstride * size_B) {
        unsigned p = row;
        for (unsigned c = 0; c < o->width && i < insn->exec_size; c++) {
            at[i++] = (uint16_t)p;
            p += o->hstride * size_B;
        }
    }
}

static unsigned
dst_offset_B(const struct eu_insn *insn, unsigned lane)
{
    return lane * insn->dst.hstride *
           eu_type_size_B((enum eu_type)insn->dst.type);
}

/* Bytes from the operand's first to past its last, or more. */
static unsigned
extent_B(const struct eu_insn *insn, const struct eu_operand *o, bool is_dst)
{
    unsigned n = insn->exec_size, last;
    if (is_dst)
        last = (n - 1) * o->hstride;
    else if (insn->align16)
        last = (n - 1) / 4 * MAX2(o->vstride, 4u) + 3;
    else
        last = ((n - 1) >> __builtin_ctz(o->width)) * o->vstride +
               (o->width - 1u) * o->hstride;
    return (last + 1) * eu_type_size_B((enum eu_type)o->type);
}

bool
eu_operand_fits(const struct eu_insn *insn, const struct eu_operand *o,
                bool is_dst)
{
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    unsigned base = o->reg * EU_GRF_B + o->subreg_B;
    if (o->file != EU_FILE_GRF || o->indirect ||
        base + extent_B(insn, o, is_dst) <= EU_GRF_FILE_B)
        return true;
    for (unsigned i = 0; i < insn->exec_size; i++) {
        unsigned off = is_dst ? dst_offset_B(insn, i)
                              : eu_region_offset_B(insn, o, i);
        if (base + off + size_B > EU_GRF_FILE_B)
            return false;
    }
    return true;
}

unsigned
eu_operand_acc_index(const struct eu_insn *insn, const struct eu_operand *o,
                     unsigned lane, bool is_dst)
{
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    unsigned off = is_dst ? dst_offset_B(insn, lane)
                          : eu_region_offset_B(insn, o, lane);
    /* Observed: Mesa writes -acc0<0;1,0> for all channels of a saturating
     * subtraction. Guess: the region is ignored. */
    if (!is_dst && !insn->align16 && o->vstride == 0 && o->hstride == 0)
        off = lane * size_B;
    unsigned index = (off + o->subreg_B) / size_B;
    /* acc1 continues acc0's floats. */
    if (eu_type_is_float((enum eu_type)o->type) && (o->reg & 15) == 1)
        index += EU_GRF_B / size_B;
    return index &
           (size_B == 2 && eu_type_is_float((enum eu_type)o->type) ? 31 : 15);
}

/* ---- architecture registers ---- */

/* Fills img with the register's readable contents; img[0] is subregister 0 of
 * o->reg. */
static void
arf_read(struct eu_thread *t, const struct eu_insn *insn, unsigned reg,
         uint8_t img[IMAGE_B])
{
    uint32_t ce;
    uint64_t clock;
    memset(img, 0, IMAGE_B);
    switch (reg & 0xf0) {
    case EU_ARF_A: memcpy(img, t->a0, sizeof t->a0); break;
    case EU_ARF_F:
        memcpy(img, &t->f[reg & 1], 4);
        if (!(reg & 1))
            memcpy(img + 4, &t->f[1], 4);
        break;
    case EU_ARF_CE:
        /* Control flow only: ignores dispatch mask and NoMask. */
        ce = eu_thread_live(t) >> insn->chan_offset;
        memcpy(img, &ce, 4);
        break;
    case EU_ARF_SP: memcpy(img, t->sp, sizeof t->sp); break;
    case EU_ARF_SR: memcpy(img, t->sr0, sizeof t->sr0); break;
    case EU_ARF_CR: memcpy(img, t->cr0, sizeof t->cr0); break;
    case EU_ARF_N: memcpy(img, t->n0, sizeof t->n0); break;
    case EU_ARF_IP: memcpy(img, &insn->offset_B, 4); break;
    case EU_ARF_TM:
        /* Virtual time: deterministic, and every read advances it. */
        clock = t->clock += 16;
        memcpy(img, &clock, 8);
        break;
    /* tdr0 reads as zero: no thread depends on another. So does null. */
    default: break;
    }
}

static void
arf_commit(struct eu_thread *t, unsigned reg, const uint8_t img[IMAGE_B])
{
    switch (reg & 0xf0) {
    case EU_ARF_A: memcpy(t->a0, img, sizeof t->a0); break;
    case EU_ARF_F:
        memcpy(&t->f[reg & 1], img, 4);
        if (!(reg & 1))
            memcpy(&t->f[1], img + 4, 4);
        break;
    case EU_ARF_SP: memcpy(t->sp, img, sizeof t->sp); break;
    case EU_ARF_SR:
        memcpy(t->sr0, img, sizeof t->sr0);
        eu_thread_update_mask(t);
        break;
    case EU_ARF_CR:
        memcpy(t->cr0, img, sizeof t->cr0);
        eu_thread_update_mask(t);
        eu_thread_update_mxcsr(t);
        break;
    case EU_ARF_N: memcpy(t->n0, img, sizeof t->n0); break;
    case EU_ARF_IP: memcpy(&t->ip, img, 4); break; /* see eu_op_set_ip */
    default: break; /* null, and read-only registers */
    }
}

/* ---- sources ---- */

static void
fetch_immediate(const struct eu_insn *insn, const struct eu_operand *o,
                uint64_t *raw)
{
    for (unsigned i = 0; i < insn->exec_size; i++) {
        unsigned element = eu_vector_element(insn, i);
        uint32_t nibble = (uint32_t)(o->imm >> element * 4) & 15;
        switch (o->type) {
        case EU_TYPE_V: raw[i] = (uint16_t)((int)(nibble ^ 8) - 8); break;
        case EU_TYPE_UV: raw[i] = nibble; break;
        case EU_TYPE_VF:
            raw[i] = half_vf_to_f_bits((uint32_t)(o->imm >> (i % 4 * 8)) &
                                       0xff);
            break;
        default: raw[i] = o->imm; break;
        }
    }
}

static uint64_t
load_raw(const uint8_t *p, unsigned size_B)
{
    uint64_t v = 0;
    memcpy(&v, p, size_B);
    return v;
}

static void
fetch_acc(const struct eu_thread *t, const struct eu_insn *insn,
          const struct eu_operand *o, uint64_t *raw)
{
    unsigned size_B = eu_type_size_B((enum eu_type)o->type), reg = o->reg & 15;
    uint64_t keep = size_B == 8 ? UINT64_MAX
                                : (UINT64_C(1) << (size_B * 8)) - 1;
    for (unsigned i = 0; i < insn->exec_size; i++) {
        unsigned index = eu_operand_acc_index(insn, o, i, false);
        if (eu_type_is_float((enum eu_type)o->type))
            raw[i] = load_raw(
                t->acc[reg < 2 ? 0 : reg % 10] + (index * size_B & 63), size_B);
        else
            raw[i] = (uint64_t)t->acc_wide[reg & 1][index] & keep;
    }
}

static void
fetch_arf(struct eu_thread *t, const struct eu_insn *insn,
          const struct eu_operand *o, uint64_t *raw)
{
    uint8_t img[IMAGE_B];
    if (eu_operand_is_acc(o)) {
        fetch_acc(t, insn, o, raw);
        return;
    }
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    arf_read(t, insn, o->reg, img);
    for (unsigned i = 0; i < insn->exec_size; i++) {
        unsigned at = o->subreg_B + eu_region_offset_B(insn, o, i);
        raw[i] = load_raw(img + MIN2(at, IMAGE_B - size_B), size_B);
    }
}

/* MOVI permutes the bytes of one register, which the first address register
 * names; the other address registers only give a byte inside it. */
static void
walk_movi(const struct eu_thread *t, const struct eu_insn *insn,
          const struct eu_operand *o, uint16_t at[EU_MAX_LANES])
{
    unsigned first = t->a0[o->addr_subreg & 15] + (unsigned)o->addr_imm_B;
    for (unsigned i = 0; i < insn->exec_size; i++) {
        unsigned a = t->a0[(o->addr_subreg + i) & 15] + (unsigned)o->addr_imm_B;
        at[i] = (uint16_t)((first & ~(EU_GRF_B - 1u)) | (a & (EU_GRF_B - 1u)));
    }
}

/* Positions of an indirect operand's lanes, modulo 64 KiB. */
static void
walk_indirect(const struct eu_thread *t, const struct eu_insn *insn,
              const struct eu_operand *o, uint16_t at[EU_MAX_LANES])
{
    bool per_row = o->vstride == EU_VSTRIDE_VXH;
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    for (unsigned i = 0; i < insn->exec_size; i++) {
        unsigned row = per_row ? i / o->width : 0;
        unsigned off = per_row ? i % o->width * o->hstride * size_B
                               : eu_region_offset_B(insn, o, i);
        at[i] = (uint16_t)(t->a0[(o->addr_subreg + row) & 15] +
                           (unsigned)o->addr_imm_B + off);
    }
}

#define LOAD(ctype)                                  \
    for (unsigned i = 0; i < insn->exec_size; i++) { \
        ctype v;                                     \
        memcpy(&v, t->grf + at[i], sizeof v);        \
        raw[i] = v;                                  \
    }                                                \
    break

bool
eu_operand_fetch(struct eu_thread *t, const struct eu_insn *insn,
                 const struct eu_operand *o, uint32_t mask,
                 uint64_t raw[EU_MAX_LANES])
{
    uint16_t at[EU_MAX_LANES];
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    if (o->file == EU_FILE_IMM) {
        fetch_immediate(insn, o, raw);
        return true;
    }
    if (o->file == EU_FILE_ARF) {
        fetch_arf(t, insn, o, raw);
        return true;
    }
    if (o->indirect) {
        if (insn->opcode == EU_OP_MOVI)
            walk_movi(t, insn, o, at);
        else
            walk_indirect(t, insn, o, at);
        for (unsigned i = 0; i < insn->exec_size; i++) {
            if (at[i] + size_B <= EU_GRF_FILE_B)
                continue;
            if (mask >> i & 1)
                return false;
            at[i] = 0;
        }
    } else {
        eu_region_walk(insn, o, at);
    }
    switch (size_B) {
    case 1: LOAD(uint8_t);
    case 2: LOAD(uint16_t);
    case 4: LOAD(uint32_t);
    default: LOAD(uint64_t);
    }
    return true;
}

/* ---- destination ---- */

static void
store_acc(struct eu_thread *t, const struct eu_insn *insn, uint32_t mask,
          const uint64_t *raw)
{
    const struct eu_operand *o = &insn->dst;
    unsigned size_B = eu_type_size_B((enum eu_type)o->type), reg = o->reg & 15;
    for (unsigned i = 0; i < insn->exec_size; i++) {
        if (!(mask >> i & 1))
            continue;
        unsigned index = eu_operand_acc_index(insn, o, i, true);
        memcpy(t->acc[reg < 2 ? 0 : reg % 10] + (index * size_B & 63), &raw[i],
               size_B);
        /* Integers come here extended to 64 bits. */
        if (!eu_type_is_float((enum eu_type)o->type))
            t->acc_wide[reg & 1][index] = eu_acc_wrap((int64_t)raw[i],
                                                      (enum eu_type)o->type);
    }
}

bool
eu_operand_store(struct eu_thread *t, const struct eu_insn *insn, uint32_t mask,
                 const uint64_t raw[EU_MAX_LANES])
{
    const struct eu_operand *o = &insn->dst;
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    if (insn->align16)
        mask &= eu_operand_components(insn);
    if (eu_operand_is_acc(o)) {
        store_acc(t, insn, mask, raw);
        return true;
    }

    uint8_t img[IMAGE_B];
    uint8_t *to = t->grf;
    unsigned base = o->reg * EU_GRF_B + o->subreg_B, limit = EU_GRF_FILE_B;
    if (o->file == EU_FILE_ARF) {
        if ((o->reg & 0xf0) == EU_ARF_TM)
            return true; /* read-only, and a read advances time */
        arf_read(t, insn, o->reg, img);
        to = img;
        base = o->subreg_B;
        limit = IMAGE_B;
    } else if (o->indirect) {
        base = (t->a0[o->addr_subreg & 15] + (unsigned)o->addr_imm_B) & 0xffff;
    }
    unsigned step_B = o->hstride * size_B;
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask), at = base + i * step_B;
        if (o->indirect)
            at &= 0xffff; /* as the lanes of a source */
        if (at + size_B > limit) {
            if (o->file == EU_FILE_GRF)
                return false;
            continue;
        }
        switch (size_B) {
        case 1: memcpy(to + at, &raw[i], 1); break;
        case 2: memcpy(to + at, &raw[i], 2); break;
        case 4: memcpy(to + at, &raw[i], 4); break;
        default: memcpy(to + at, &raw[i], 8); break;
        }
    }
    if (o->file == EU_FILE_ARF)
        arf_commit(t, o->reg, img);
    return true;
}

/* ---- predicates other than the channel's own flag bit ---- */

static uint32_t
reduce_flags(uint32_t bits, unsigned group, bool all)
{
    uint32_t out = 0,
             ones = group == 32 ? UINT32_MAX : (UINT32_C(1) << group) - 1;
    for (unsigned at = 0; at < 32; at += group) {
        uint32_t g = bits >> at & ones;
        if (all ? g == ones : g != 0)
            out |= ones << at;
    }
    return out;
}

uint32_t
eu_pred_other(const struct eu_thread *t, const struct eu_insn *insn)
{
    uint32_t bits = t->f[insn->flag >> 1];
    unsigned p = insn->pred_ctrl;

    /* Groups are of the whole register's bits, whichever half is named. */
    if (p == 1) {
        /* as they are */
    } else if (insn->align16 && p <= 5) { /* .x .y .z .w of each four */
        bits = ((bits >> (p - 2)) & 0x11111111u) * 15;
    } else if (insn->align16) {
        bits = reduce_flags(bits, 4, p == 7);
    } else if (p == 2) { /* anyv */
        bits = t->f[0] | t->f[1];
    } else if (p == 3) { /* allv */
        bits = t->f[0] & t->f[1];
    } else {
        bits = reduce_flags(bits, 2u << (MIN2(p, 13) - 4) / 2, p & 1);
    }
    bits >>= ((insn->flag & 1) * 16 + insn->chan_offset) & 31;
    return insn->pred_inv ? ~bits : bits;
}
