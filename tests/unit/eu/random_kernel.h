/* random_kernel.h: random valid kernels with nested control flow, messages and
 * hostile register contents, encoded as the EU reads them. */
#ifndef RANDOM_KERNEL_H
#define RANDOM_KERNEL_H

#include <stdlib.h>

#include "base/fields.h"
#include "eu/interp/interp.h"

#define RK_MAX_INSNS 400
#define RK_MAX_B (RK_MAX_INSNS * 16)

struct random_kernel {
    uint64_t seed;
    unsigned count;
    uint32_t code[RK_MAX_INSNS][4];
    /* What the generator is asked for. */
    unsigned simd;
    bool mixed; /* integer operations read what float ones wrote */
    bool plain; /* common forms only: no odd types, regions, registers */
    int loop;   /* first instruction of the innermost loop, -1: none */
    /* Branches whose targets are not known yet. */
    struct {
        uint16_t insn;
        uint8_t what; /* 0 jip: block's end, 1 uip: loop's end, 2 kernel's */
        uint8_t depth;
    } open[64];
    unsigned open_count, depth, loop_depth;
};

static inline uint32_t
rk_rnd(struct random_kernel *k, uint32_t n)
{
    k->seed = k->seed * UINT64_C(6364136223846793005) +
              UINT64_C(1442695040888963407);
    return (uint32_t)((k->seed >> 32) * n >> 32);
}

static inline bool
rk_chance(struct random_kernel *k, unsigned percent)
{
    return rk_rnd(k, 100) < percent;
}

/* ---- encoding: KBL PRM vol 2d "EU_INSTRUCTION_*" ---- */

static inline unsigned
rk_log2(unsigned v)
{
    return v ? (unsigned)__builtin_ctz(v) : 0;
}

static inline unsigned
rk_stride(unsigned v)
{
    return v ? rk_log2(v) + 1 : 0;
}

static inline unsigned
rk_imm_type(unsigned type)
{
    switch (type) {
    case EU_TYPE_UV: return 4;
    case EU_TYPE_VF: return 5;
    case EU_TYPE_V: return 6;
    case EU_TYPE_DF: return 10;
    case EU_TYPE_HF: return 11;
    default: return type;
    }
}

static inline unsigned
rk_ternary_type(unsigned type)
{
    return type == EU_TYPE_F    ? 0
           : type == EU_TYPE_D  ? 1
           : type == EU_TYPE_UD ? 2
           : type == EU_TYPE_DF ? 3
                                : 4;
}

static inline void
rk_put(uint32_t *dw, unsigned lo, unsigned hi, uint64_t v)
{
    fields_put(dw, lo, hi, v);
}

static inline void
rk_encode_source(uint32_t *dw, const struct eu_operand *o, unsigned n)
{
    unsigned base = n ? 96 : 64;
    unsigned type = o->file == EU_FILE_IMM ? rk_imm_type(o->type) : o->type;
    rk_put(dw, n ? 89 : 41, n ? 90 : 42, o->file);
    rk_put(dw, n ? 91 : 43, n ? 94 : 46, type);
    if (o->file == EU_FILE_IMM) {
        uint32_t imm = (uint32_t)o->imm;
        if (o->type == EU_TYPE_W || o->type == EU_TYPE_UW)
            imm = (imm & 0xffff) * 0x10001;
        dw[3] = imm;
        return;
    }
    rk_put(dw, base, base + 4, o->subreg_B);
    rk_put(dw, base + 5, base + 12, o->reg);
    rk_put(dw, base + 13, base + 14, o->abs | o->negate << 1);
    rk_put(dw, base + 16, base + 17, rk_stride(o->hstride));
    rk_put(dw, base + 18, base + 20, rk_log2(o->width));
    rk_put(dw, base + 21, base + 24, rk_stride(o->vstride));
    if (o->indirect) {
        rk_put(dw, base + 15, base + 15, 1);
        rk_put(dw, base, base + 8, (uint16_t)o->addr_imm_B);
        rk_put(dw, base + 9, base + 12, o->addr_subreg);
    }
}

static inline void
rk_encode(uint32_t *dw, const struct eu_insn *i)
{
    memset(dw, 0, 16);
    rk_put(dw, 0, 6, i->opcode);
    rk_put(dw, 8, 8, i->align16);
    rk_put(dw, 11, 11, i->chan_offset >> 2 & 1);
    rk_put(dw, 12, 13, i->chan_offset >> 3);
    rk_put(dw, 16, 19, i->pred_ctrl);
    rk_put(dw, 20, 20, i->pred_inv);
    rk_put(dw, 21, 23, rk_log2(i->exec_size));
    rk_put(dw, 24, 27, i->opcode == EU_OP_MATH ? i->math : i->cmod);
    rk_put(dw, 28, 28, i->acc_wr);
    rk_put(dw, 31, 31, i->saturate);
    rk_put(dw, 32, 33, i->flag);
    rk_put(dw, 34, 34, i->no_mask);
    if (i->src_count == 3) {
        static const uint8_t base[3] = {64, 85, 106};
        rk_put(dw, 43, 45, rk_ternary_type(i->src[0].type));
        rk_put(dw, 46, 48, rk_ternary_type(i->dst.type));
        rk_put(dw, 49, 52, i->dst.writemask);
        rk_put(dw, 53, 55, i->dst.subreg_B / 4u);
        rk_put(dw, 56, 63, i->dst.reg);
        for (unsigned n = 0; n < 3; n++) {
            const struct eu_operand *o = &i->src[n];
            rk_put(dw, 37 + n * 2, 38 + n * 2, o->abs | o->negate << 1);
            rk_put(dw, base[n], base[n], o->rep_ctrl);
            rk_put(dw, base[n] + 1u, base[n] + 8u, o->swizzle);
            rk_put(dw, base[n] + 9u, base[n] + 11u, o->subreg_B / 4u);
            rk_put(dw, base[n] + 12u, base[n] + 19u, o->reg);
        }
        return;
    }
    rk_put(dw, 35, 36, i->dst.file);
    rk_put(dw, 37, 40, i->dst.type);
    rk_put(dw, 48, 52, i->dst.subreg_B);
    rk_put(dw, 53, 60, i->dst.reg);
    rk_put(dw, 61, 62, rk_stride(i->dst.hstride));
    for (unsigned n = 0; n < i->src_count; n++)
        rk_encode_source(dw, &i->src[n], n);
}

/* ---- instructions ---- */

static inline uint32_t
rk_float(struct random_kernel *k)
{
    static const uint32_t special[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
        0xff800000, 0x7fc00000, 0x7f7fffff, 0x00000001, 0x80000003,
        0x00800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x3f000000,
        0x4b000001, 0x40200000, 0xb3800000, 0x49800001, 0x5f000000,
        0xffc00001, 0x7f800001, 0x47000000, 0xc7000100, 0x477fff80};
    if (rk_chance(k, 25))
        return special[rk_rnd(k, ARRAY_SIZE(special))];
    if (rk_chance(k, 70))
        return rk_rnd(k, 2) << 31 | (120 + rk_rnd(k, 16)) << 23 |
               rk_rnd(k, 1 << 23);
    return rk_rnd(k, UINT32_MAX);
}

static inline uint32_t
rk_int(struct random_kernel *k)
{
    static const uint32_t special[] = {
        0, 1, UINT32_MAX, 0x80000000, 0x7fffffff, 0x8000, 0xffff8000, 31, 32};
    if (rk_chance(k, 25))
        return special[rk_rnd(k, ARRAY_SIZE(special))];
    return rk_chance(k, 40) ? rk_rnd(k, 64) - 32 : rk_rnd(k, UINT32_MAX);
}

static const uint8_t rk_int_types[] = {EU_TYPE_UD, EU_TYPE_D,  EU_TYPE_UW,
                                       EU_TYPE_W,  EU_TYPE_UB, EU_TYPE_B};

static inline void
rk_region(struct random_kernel *k, struct eu_operand *o, unsigned lanes)
{
    static const uint8_t strides[] = {0, 1, 2, 4, 8};
    unsigned what = rk_rnd(k, k->plain ? 6 : 10);
    if (what < 4) {
        o->width = (uint8_t)MIN2(8, lanes);
        o->vstride = o->width;
        o->hstride = lanes > 1;
    } else if (what < 6) {
        o->width = 1;
    } else if (what == 6) {
        o->width = (uint8_t)MIN2(4, lanes);
        o->vstride = o->width;
        o->hstride = 0;
    } else {
        o->width = (uint8_t)(1u << rk_rnd(k, 4));
        o->vstride = strides[rk_rnd(k, ARRAY_SIZE(strides))];
        o->hstride = strides[rk_rnd(k, 4)];
    }
}

/* Which NaN an operation gives is unspecified, so floats and integers live in
 * registers of their own unless the kernel is to mix them. */
static inline uint8_t
rk_reg(struct random_kernel *k, bool is_float)
{
    return (uint8_t)((is_float || k->mixed ? 1 : 24) + rk_rnd(k, 14));
}

static inline struct eu_operand
rk_source(struct random_kernel *k, const struct eu_insn *i, bool is_float,
          bool may_imm)
{
    bool ternary = i->src_count == 3;
    struct eu_operand o = {.file = EU_FILE_GRF,
                           .type = EU_TYPE_F,
                           .reg = rk_reg(k, is_float),
                           .swizzle = 0xe4,
                           .mme = EU_MME_NONE};
    if (!is_float)
        o.type = rk_int_types[rk_rnd(k, k->plain || rk_chance(k, 60) ? 2 : 6)];
    if (ternary) {
        o.rep_ctrl = rk_chance(k, 30);
        o.width = o.rep_ctrl ? 1 : 4;
        o.vstride = o.rep_ctrl ? 0 : 4;
        o.hstride = !o.rep_ctrl;
        if (o.rep_ctrl)
            o.subreg_B = (uint8_t)(rk_rnd(k, 8) * 4);
        else if (!k->plain && rk_chance(k, 10))
            o.swizzle = (uint8_t)rk_rnd(k, 256);
    } else if (may_imm && rk_chance(k, 25)) {
        o.file = EU_FILE_IMM;
        o.width = 1;
        if (rk_chance(k, 15))
            o.type = is_float           ? EU_TYPE_VF
                     : rk_chance(k, 50) ? EU_TYPE_V
                                        : EU_TYPE_UV;
        else if (o.type == EU_TYPE_UB || o.type == EU_TYPE_B)
            o.type = EU_TYPE_W;
        o.imm = is_float ? rk_float(k) : rk_int(k);
        return o;
    } else {
        rk_region(k, &o, i->exec_size);
        if (!o.hstride || o.width == 1 || !k->plain)
            o.subreg_B = (uint8_t)(rk_rnd(k, 8) *
                                   eu_type_size_B((enum eu_type)o.type));
        if (!k->plain && k->mixed && rk_chance(k, 3)) {
            o.indirect = true;
            o.addr_subreg = (uint8_t)rk_rnd(k, 16);
            o.addr_imm_B = (int16_t)(rk_rnd(k, 256) & ~7u);
        }
    }
    if (rk_chance(k, 20)) {
        o.abs = rk_chance(k, 50);
        o.negate = rk_chance(k, 60);
    }
    return o;
}

static inline unsigned
rk_source_count(unsigned opcode)
{
    switch (opcode) {
    case EU_OP_MOV:
    case EU_OP_NOT:
    case EU_OP_FRC:
    case EU_OP_RNDD:
    case EU_OP_RNDU:
    case EU_OP_RNDE:
    case EU_OP_RNDZ:
    case EU_OP_BFREV:
    case EU_OP_LZD:
    case EU_OP_FBH:
    case EU_OP_FBL:
    case EU_OP_CBIT: return 1;
    case EU_OP_MAD:
    case EU_OP_LRP:
    case EU_OP_CSEL:
    case EU_OP_BFE:
    case EU_OP_BFI2: return 3;
    default: return 2;
    }
}

static inline struct eu_insn
rk_alu(struct random_kernel *k)
{
    static const uint8_t float_ops[] = {
        EU_OP_MOV,  EU_OP_ADD,  EU_OP_MUL, EU_OP_MAD,  EU_OP_MAD,
        EU_OP_ADD,  EU_OP_LRP,  EU_OP_FRC, EU_OP_RNDD, EU_OP_RNDU,
        EU_OP_RNDE, EU_OP_RNDZ, EU_OP_SEL, EU_OP_CSEL, EU_OP_CMP,
        EU_OP_CMP,  EU_OP_MATH, EU_OP_PLN, EU_OP_MUL,  EU_OP_SEL};
    static const uint8_t int_ops[] = {
        EU_OP_MOV, EU_OP_ADD, EU_OP_MUL,  EU_OP_AND,  EU_OP_OR,   EU_OP_XOR,
        EU_OP_NOT, EU_OP_SHL, EU_OP_SHR,  EU_OP_ASR,  EU_OP_SEL,  EU_OP_CMP,
        EU_OP_LZD, EU_OP_FBH, EU_OP_BFE,  EU_OP_BFI2, EU_OP_CBIT, EU_OP_BFREV,
        EU_OP_ADD, EU_OP_AVG, EU_OP_ADDC, EU_OP_MOV,  EU_OP_MOV,  EU_OP_SEL};
    static const uint8_t sizes[] = {1, 2, 4, 8, 32};
    bool is_float = rk_chance(k, 55);
    struct eu_insn i = {.length_B = 16, .exec_size = (uint8_t)k->simd};
    if (rk_chance(k, 20))
        i.exec_size = sizes[rk_rnd(k, k->plain ? 4 : 5)];
    i.opcode = is_float ? float_ops[rk_rnd(k, ARRAY_SIZE(float_ops))]
                        : int_ops[rk_rnd(k, ARRAY_SIZE(int_ops))];
    i.src_count = (uint8_t)rk_source_count(i.opcode);
    i.align16 = i.src_count == 3;
    if (!k->plain && rk_chance(k, 15) && i.exec_size <= 8)
        i.chan_offset = (uint8_t)(rk_rnd(k, 4) * 8);
    i.no_mask = rk_chance(k, i.exec_size < 8 ? 80 : 20);
    i.saturate = rk_chance(k, 12);
    i.flag = i.exec_size < 32 && i.chan_offset < 16 ? (uint8_t)rk_rnd(k, 4) : 0;
    if (i.chan_offset == 8 && i.exec_size == 16)
        i.chan_offset = 0;
    i.pred_ctrl = rk_chance(k, 20);
    if (!k->plain && i.pred_ctrl && rk_chance(k, 15) && i.src_count < 3)
        i.pred_ctrl = (uint8_t)rk_rnd(k, 14);
    i.pred_inv = rk_chance(k, 30);
    if (rk_chance(k, 20) || i.opcode == EU_OP_CMP || i.opcode == EU_OP_CSEL)
        i.cmod = (uint8_t)(1 + rk_rnd(k, 6));

    i.dst = (struct eu_operand){
        .file = EU_FILE_GRF,
        .type = EU_TYPE_F,
        .hstride = 1,
        .writemask = 0xf,
        .mme = EU_MME_NONE,
    };
    if (!is_float)
        i.dst.type =
            rk_int_types[rk_rnd(k, k->plain || rk_chance(k, 70) ? 2 : 6)];
    if (i.src_count == 3 && !is_float)
        i.dst.type = rk_int_types[rk_rnd(k, 2)];
    if (i.src_count < 3) {
        if (!k->plain && rk_chance(k, 25))
            i.dst.hstride = (uint8_t)(1u << rk_rnd(k, 3));
        if (rk_chance(k, 20) &&
            (i.opcode == EU_OP_MOV || i.opcode == EU_OP_CMP))
            i.dst.type = is_float ? rk_int_types[rk_rnd(k, 6)] : EU_TYPE_F;
        if (!k->plain && rk_chance(k, 20))
            i.dst.subreg_B = (uint8_t)(rk_rnd(k, 4) *
                                       eu_type_size_B(
                                           (enum eu_type)i.dst.type));
        if (rk_chance(k, 8) || (i.opcode == EU_OP_CMP && rk_chance(k, 70))) {
            i.dst.file = EU_FILE_ARF;
            i.dst.reg = EU_ARF_NULL;
            i.dst.subreg_B = 0;
        }
    }
    if (i.dst.file == EU_FILE_GRF)
        i.dst.reg = rk_reg(k, i.dst.type == EU_TYPE_F);
    for (unsigned s = 0; s < i.src_count; s++)
        i.src[s] = rk_source(k, &i, is_float, s + 1 == i.src_count);
    if (i.src_count == 3)
        for (unsigned s = 0; s < 3; s++)
            i.src[s].type = is_float ? EU_TYPE_F : i.dst.type;
    if (i.opcode == EU_OP_MATH) {
        i.cmod = 0;
        i.math = (uint8_t)(1 + rk_rnd(k, 7));
        if (rk_chance(k, 25))
            i.math = rk_chance(k, 50) ? EU_MATH_FDIV : EU_MATH_POW;
    }
    if (i.opcode == EU_OP_PLN && i.src[1].file == EU_FILE_IMM)
        i.opcode = EU_OP_ADD;
    if (!k->plain && rk_chance(k, 3) && i.src_count < 3)
        i.acc_wr = true;
    return i;
}

static inline void
rk_add(struct random_kernel *k, const struct eu_insn *i)
{
    rk_encode(k->code[k->count++], i);
}

/* mov of random words to a0, or of a flag */
static inline void
rk_add_arf(struct random_kernel *k)
{
    struct eu_insn i = {.opcode = EU_OP_MOV,
                        .length_B = 16,
                        .exec_size = 1,
                        .src_count = 1,
                        .no_mask = true};
    i.dst = (struct eu_operand){.file = EU_FILE_ARF,
                                .type = EU_TYPE_UW,
                                .reg = EU_ARF_A,
                                .subreg_B = (uint8_t)(rk_rnd(k, 16) * 2),
                                .hstride = 1};
    i.src[0] = (struct eu_operand){.file = EU_FILE_IMM,
                                   .type = EU_TYPE_UW,
                                   .imm = rk_rnd(k, 2048) & ~3u,
                                   .width = 1};
    if (rk_chance(k, 40)) {
        i.dst.reg = (uint8_t)(EU_ARF_F + rk_rnd(k, 2));
        i.dst.subreg_B = (uint8_t)(rk_rnd(k, 2) * 2);
        i.src[0].imm = rk_rnd(k, 65536);
        if (rk_chance(k, 50)) {
            i.src[0].file = EU_FILE_GRF;
            i.src[0].reg = rk_reg(k, false);
            i.src[0].subreg_B = (uint8_t)(rk_rnd(k, 16) * 2);
        }
    }
    rk_add(k, &i);
}

/* send r(dst) r(src) null-function, mlen 1..3, rlen 0..2 */
static inline void
rk_add_send(struct random_kernel *k, bool eot)
{
    uint32_t *dw = k->code[k->count++];
    memset(dw, 0, 16);
    uint32_t mlen = 1 + rk_rnd(k, 3), rlen = eot ? 0 : rk_rnd(k, 3);
    rk_put(dw, 0, 6, EU_OP_SEND);
    rk_put(dw, 21, 23, rk_log2(k->simd));
    rk_put(dw, 24, 27, eot ? EU_SFID_SPAWNER : EU_SFID_NULL);
    rk_put(dw, 35, 36, EU_FILE_GRF);
    rk_put(dw, 53, 60, rk_reg(k, rk_chance(k, 50)));
    rk_put(dw, 61, 62, 1);
    rk_put(dw, 41, 42, EU_FILE_GRF);
    rk_put(dw, 69, 76, eot ? 112 : rk_reg(k, rk_chance(k, 50)));
    rk_put(dw, 89, 90, EU_FILE_IMM);
    rk_put(dw, 96, 126, mlen << 25 | rlen << 20);
    rk_put(dw, 127, 127, eot);
    if (!eot)
        rk_put(dw, 16, 20, rk_chance(k, 20));
}

/* ---- control flow ---- */

static inline unsigned
rk_add_branch(struct random_kernel *k, unsigned opcode, bool predicated)
{
    struct eu_insn i = {.opcode = (uint8_t)opcode,
                        .length_B = 16,
                        .exec_size = (uint8_t)k->simd,
                        .pred_ctrl = predicated,
                        .pred_inv = predicated && rk_chance(k, 30),
                        .flag = predicated ? (uint8_t)rk_rnd(k, 4) : 0};
    unsigned at = k->count;
    if (predicated && rk_chance(k, 10))
        i.pred_ctrl = (uint8_t)(4 + rk_rnd(k, 8));
    rk_add(k, &i);
    return at;
}

static inline void
rk_jip(struct random_kernel *k, unsigned at, unsigned target)
{
    k->code[at][3] = (target - at) * 16;
}

static inline void
rk_uip(struct random_kernel *k, unsigned at, unsigned target)
{
    k->code[at][2] = (target - at) * 16;
}

static inline void
rk_open(struct random_kernel *k, unsigned at, unsigned what, unsigned depth)
{
    if (k->open_count == ARRAY_SIZE(k->open))
        return;
    k->open[k->open_count].insn = (uint16_t)at;
    k->open[k->open_count].what = (uint8_t)what;
    k->open[k->open_count++].depth = (uint8_t)depth;
}

/* The block (or loop) of this depth ends at target. */
static inline void
rk_close(struct random_kernel *k, unsigned what, unsigned depth,
         unsigned target)
{
    unsigned n = 0;
    for (unsigned i = 0; i < k->open_count; i++) {
        if (k->open[i].what != what || k->open[i].depth < depth) {
            k->open[n++] = k->open[i];
            continue;
        }
        if (what == 0)
            rk_jip(k, k->open[i].insn, target);
        else
            rk_uip(k, k->open[i].insn, target);
    }
    k->open_count = n;
}

static inline void rk_block(struct random_kernel *k, unsigned want);

static inline void
rk_add_if(struct random_kernel *k)
{
    unsigned at = rk_add_branch(k, EU_OP_IF, true), other = 0;
    k->depth++;
    rk_block(k, 6);
    if (rk_chance(k, 50)) {
        rk_close(k, 0, k->depth, k->count);
        other = rk_add_branch(k, EU_OP_ELSE, false);
        rk_block(k, 5);
    }
    unsigned end = k->count;
    rk_close(k, 0, k->depth, end);
    k->depth--;
    unsigned endif = rk_add_branch(k, EU_OP_ENDIF, false);
    rk_jip(k, endif, endif + 1);
    rk_jip(k, at, other ? other + 1 : end);
    rk_uip(k, at, end);
    if (other) {
        rk_jip(k, other, end);
        rk_uip(k, other, end);
    }
}

static inline void
rk_add_loop(struct random_kernel *k)
{
    int outer = k->loop;
    unsigned first = k->count, outer_depth = k->loop_depth;
    k->loop = (int)first;
    k->depth++;
    k->loop_depth = k->depth;
    rk_block(k, 7);
    unsigned end = k->count;
    rk_close(k, 0, k->depth, end);
    rk_close(k, 1, k->depth, end);
    k->depth--;
    unsigned at = rk_add_branch(k, EU_OP_WHILE, true);
    rk_jip(k, at, first);
    k->loop = outer;
    k->loop_depth = outer_depth;
}

static inline void
rk_add_leave(struct random_kernel *k)
{
    bool halt = k->loop < 0 || rk_chance(k, 15);
    unsigned opcode = halt               ? EU_OP_HALT
                      : rk_chance(k, 50) ? EU_OP_BREAK
                                         : EU_OP_CONT;
    if (k->open_count + 2 > ARRAY_SIZE(k->open))
        return;
    unsigned at = rk_add_branch(k, opcode, true);
    rk_open(k, at, 0, k->depth);
    rk_open(k, at, halt ? 2 : 1, halt ? 0 : k->loop_depth);
}

static inline void
rk_block(struct random_kernel *k, unsigned want)
{
    for (unsigned n = 1 + rk_rnd(k, want * 2); n > 0; n--) {
        unsigned what = rk_rnd(k, 100);
        if (k->count + 40 > RK_MAX_INSNS) {
            return;
        } else if (what < 5 && k->depth < 3) {
            rk_add_if(k);
        } else if (what < 8 && k->depth < 3) {
            rk_add_loop(k);
        } else if (what < 10) {
            rk_add_leave(k);
        } else if (what < 15) {
            rk_add_send(k, false);
        } else if (what < 17 && !k->plain) {
            rk_add_arf(k);
        } else {
            struct eu_insn i = rk_alu(k);
            rk_add(k, &i);
        }
    }
}

static inline void
rk_make(struct random_kernel *k, uint64_t seed, bool mixed)
{
    k->mixed = mixed;
    k->seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    k->count = k->open_count = k->depth = k->loop_depth = 0;
    k->loop = -1;
    rk_rnd(k, 2);
    k->simd = rk_chance(k, 50) ? 8 : 16;
    k->plain = rk_chance(k, 50);
    rk_block(k, 16);
    rk_close(k, 0, 0, k->count);
    rk_close(k, 2, 0, k->count);
    rk_add_send(k, true);
}

/* Registers, flags and masks to start with. */
static inline void
rk_state(struct random_kernel *k, struct eu_thread *t)
{
    unsigned floats = rk_rnd(k, 101);
    for (unsigned i = 0; i < EU_GRF_COUNT * 8; i++) {
        uint32_t v = rk_chance(k, floats) ? rk_float(k) : rk_int(k);
        memcpy(t->grf + i * 4, &v, 4);
    }
    t->f[0] = rk_rnd(k, UINT32_MAX);
    t->f[1] = rk_chance(k, 30) ? UINT32_MAX : rk_rnd(k, UINT32_MAX);
    for (unsigned i = 0; i < 16; i++)
        t->a0[i] = (uint16_t)(rk_rnd(k, 3000) & ~3u);
}

#endif
