/* The fast path against the general one: random instructions on random
 * registers must leave the same bits (any NaN for a NaN). */
#include "interp_run.h"

#include <xmmintrin.h>

#include "eu/interp/fast.h"

static uint32_t seed = 42;

static uint32_t
rnd(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)seed * n >> 32);
}

static bool
chance(unsigned percent)
{
    return rnd(100) < percent;
}

static const uint8_t int_types[] = {EU_TYPE_UD, EU_TYPE_D,  EU_TYPE_UW,
                                    EU_TYPE_W,  EU_TYPE_UB, EU_TYPE_B};

static const uint8_t float_ops[] = {
    EU_OP_MOV, EU_OP_ADD,  EU_OP_MUL,  EU_OP_MAD,  EU_OP_LRP,
    EU_OP_FRC, EU_OP_RNDD, EU_OP_RNDU, EU_OP_RNDE, EU_OP_RNDZ,
    EU_OP_SEL, EU_OP_CSEL, EU_OP_CMP,  EU_OP_MATH, EU_OP_PLN};
static const uint8_t int_ops[] = {EU_OP_MATH, EU_OP_MOV,  EU_OP_ADD, EU_OP_MUL,
                                  EU_OP_AND,  EU_OP_OR,   EU_OP_XOR, EU_OP_NOT,
                                  EU_OP_SHL,  EU_OP_SHR,  EU_OP_ASR, EU_OP_SEL,
                                  EU_OP_CMP,  EU_OP_LZD,  EU_OP_FBH, EU_OP_FBL,
                                  EU_OP_BFE,  EU_OP_BFI2, EU_OP_CBIT};

static unsigned
source_count(unsigned opcode)
{
    switch (opcode) {
    case EU_OP_MOV:
    case EU_OP_NOT:
    case EU_OP_FRC:
    case EU_OP_RNDD:
    case EU_OP_RNDU:
    case EU_OP_RNDE:
    case EU_OP_RNDZ:
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

static uint32_t
random_float(void)
{
    static const uint32_t special[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
        0xff800000, 0x7fc00000, 0x7f7fffff, 0x00000001, 0x80000003,
        0x00800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x3f000000,
        0x4b000001, 0x40200000, 0xb3800000, 0x49800001, 0x5f000000};
    if (chance(30))
        return special[rnd(ARRAY_SIZE(special))];
    if (chance(50)) /* of ordinary size */
        return (rnd(2) << 31) | (120 + rnd(16)) << 23 | rnd(1 << 23);
    return rnd(UINT32_MAX);
}

static void
random_region(struct eu_operand *o, unsigned lanes)
{
    static const uint8_t strides[] = {0, 1, 2, 4, 8};
    switch (rnd(4)) {
    case 0: o->width = 1; break; /* <0;1,0> */
    case 1:
        o->width = (uint8_t)MIN2(8, lanes);
        o->vstride = o->width;
        o->hstride = 1;
        break;
    case 2:
        o->width = 1;
        o->vstride = 1;
        break;
    default:
        o->width = (uint8_t)(1u << rnd(4));
        o->vstride = strides[rnd(ARRAY_SIZE(strides))];
        o->hstride = strides[rnd(4)];
        break;
    }
}

static struct eu_operand
random_source(unsigned lanes, bool is_float, bool ternary, bool may_imm)
{
    struct eu_operand o = {
        .file = EU_FILE_GRF,
        .type = is_float ? EU_TYPE_F : int_types[rnd(chance(50) ? 2 : 6)],
        .reg = (uint8_t)(1 + rnd(12)),
        .swizzle = 0xe4,
        .mme = EU_MME_NONE,
    };
    if (ternary) {
        if (!is_float)
            o.type = int_types[rnd(2)];
        o.subreg_B = (uint8_t)(rnd(8) * 4);
        o.rep_ctrl = chance(40);
        o.width = o.rep_ctrl ? 1 : 4;
        o.vstride = o.hstride = 0;
        if (!o.rep_ctrl) {
            o.vstride = 4;
            o.hstride = 1;
            o.subreg_B = 0;
            if (chance(20))
                o.swizzle = (uint8_t)rnd(256);
        }
    } else if (may_imm && chance(25)) {
        o.file = EU_FILE_IMM;
        if (chance(20))
            o.type = is_float     ? EU_TYPE_VF
                     : chance(50) ? EU_TYPE_V
                                  : EU_TYPE_UV;
        else if (o.type == EU_TYPE_UB || o.type == EU_TYPE_B)
            o.type = EU_TYPE_W;
        o.imm = is_float ? random_float() : rnd(UINT32_MAX);
        if (eu_type_size_B((enum eu_type)o.type) == 2 && o.type != EU_TYPE_V &&
            o.type != EU_TYPE_UV)
            o.imm &= 0xffff;
        o.width = 1;
        return o;
    } else {
        o.subreg_B = (uint8_t)(rnd(4) * eu_type_size_B((enum eu_type)o.type));
        random_region(&o, lanes);
    }
    if (chance(25)) {
        o.abs = chance(50);
        o.negate = chance(60);
    }
    return o;
}

static struct eu_insn
random_insn(void)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 8, 8, 16, 16, 16, 32};
    bool is_float = chance(50);
    struct eu_insn n = {.exec_size = sizes[rnd(ARRAY_SIZE(sizes))]};
    n.opcode = is_float ? float_ops[rnd(ARRAY_SIZE(float_ops))]
                        : int_ops[rnd(ARRAY_SIZE(int_ops))];
    n.src_count = (uint8_t)source_count(n.opcode);
    bool ternary = n.src_count == 3;
    n.align16 = ternary;
    n.length_B = 16;
    n.chan_offset = n.exec_size == 8    ? (uint8_t)(rnd(4) * 8)
                    : n.exec_size == 16 ? (uint8_t)(rnd(2) * 16)
                                        : 0;
    n.no_mask = chance(30);
    n.saturate = chance(15);
    n.flag = n.chan_offset < 16 && n.exec_size < 32 ? (uint8_t)rnd(4) : 0;
    n.pred_ctrl = chance(25) ? (uint8_t)(chance(80) ? 1 : rnd(14)) : 0;
    if (ternary && n.pred_ctrl > 1)
        n.pred_ctrl = 1;
    n.pred_inv = chance(30);
    if (chance(25) || n.opcode == EU_OP_CMP || n.opcode == EU_OP_CSEL)
        n.cmod = (uint8_t)(1 + rnd(6));
    if (is_float && n.cmod && chance(10) && n.opcode != EU_OP_SEL)
        n.cmod = EU_CMOD_U;

    n.dst = (struct eu_operand){
        .file = EU_FILE_GRF,
        .type = is_float ? EU_TYPE_F : int_types[rnd(chance(60) ? 2 : 6)],
        .reg = (uint8_t)(1 + rnd(12)),
        .hstride = 1,
        .writemask = 0xf,
        .mme = EU_MME_NONE,
    };
    if (ternary) {
        if (!is_float)
            n.dst.type = int_types[rnd(2)];
        n.dst.subreg_B = (uint8_t)(rnd(2) * 16);
    } else {
        n.dst.hstride = (uint8_t)(1u << (chance(70) ? 0 : rnd(3)));
        if (chance(15) && (n.opcode == EU_OP_MOV || n.opcode == EU_OP_CMP))
            n.dst.type = is_float ? int_types[rnd(6)] : EU_TYPE_F;
        if (chance(10)) {
            n.dst.file = EU_FILE_ARF;
            n.dst.reg = EU_ARF_NULL;
        }
    }
    for (unsigned i = 0; i < n.src_count; i++)
        n.src[i] = random_source(n.exec_size, is_float, ternary,
                                 i + 1 == n.src_count);
    if (n.opcode == EU_OP_MATH) {
        n.math = (uint8_t)(1 + rnd(7));
        n.src_count = 1;
        if (!is_float) {
            n.math = (uint8_t)(EU_MATH_INT_DIV_QUOTIENT + rnd(2));
            n.src_count = 2;
            n.dst.type = n.src[0].type = n.src[1].type = int_types[rnd(2)];
        } else if (chance(30)) {
            n.math = chance(50) ? EU_MATH_FDIV : EU_MATH_POW;
            n.src_count = 2;
        }
        n.cmod = 0;
    }
    if (n.opcode == EU_OP_PLN)
        n.src[1].file = EU_FILE_GRF;
    if (n.opcode >= EU_OP_NOT && n.opcode <= EU_OP_XOR)
        for (unsigned i = 0; i < 2; i++)
            n.src[i].abs = false; /* as the decoder leaves it */
    if (n.opcode == EU_OP_BFE || n.opcode == EU_OP_BFI2 ||
        (n.opcode >= EU_OP_LZD && n.opcode <= EU_OP_CBIT))
        for (unsigned i = 0; i < 3; i++)
            n.src[i].abs = n.src[i].negate = false;
    return n;
}

static void
random_state(struct eu_thread *t)
{
    bool floats = chance(60);
    memset(t, 0, sizeof *t);
    for (unsigned i = 0; i < 128 * 8; i++) {
        uint32_t v = floats ? random_float() : rnd(UINT32_MAX);
        if (!floats && chance(30))
            v = rnd(64) - 32;
        memcpy(t->grf + i * 4, &v, 4);
    }
    t->live = chance(50) ? UINT32_MAX : rnd(UINT32_MAX);
    t->sr0[2] = chance(50) ? UINT32_MAX : rnd(UINT32_MAX);
    t->f[0] = rnd(UINT32_MAX);
    t->f[1] = rnd(UINT32_MAX);
    t->cr0[0] = 0x440 | (chance(50) ? 0x80 : 0) |
                (chance(20) ? rnd(4) : 0) << 4 | (chance(20) ? EU_CR0_ALT : 0);
    eu_thread_update_mask(t);
    eu_thread_update_mxcsr(t);
}

static bool
same_dword(uint32_t a, uint32_t b)
{
    return a == b ||
           ((a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000);
}

/* The same function from the build for hosts without AVX2. */
static eu_op_fn
base_build(eu_op_fn fn)
{
    const eu_op_fn *base = eu_fast_base.any, *avx2 = eu_fast_avx2.any;
    for (unsigned i = 0; i < sizeof eu_fast_base / sizeof *base; i++)
        if (avx2[i] == fn)
            return base[i];
    return fn;
}

static void
compare_paths(bool use_base, unsigned rounds, unsigned *covered)
{
    static struct eu_thread a, b;
    for (unsigned n = 0; n < rounds; n++) {
        struct eu_insn insn = random_insn();
        struct eu_op op;
        eu_op_lower(&op, &insn);
        if (op.fn == op.slow)
            continue;
        ++*covered;
        if (use_base)
            op.fn = base_build(op.fn);
        random_state(&a);
        b = a;
        op.fn(&a, &op);
        op.slow(&b, &op);
        bool same = a.f[0] == b.f[0] && a.f[1] == b.f[1];
        for (unsigned i = 0; i < 128 * 8; i++) {
            uint32_t x, y;
            memcpy(&x, a.grf + i * 4, 4);
            memcpy(&y, b.grf + i * 4, 4);
            if (same && !same_dword(x, y))
                cr_log_error("dword %u: fast 0x%x, general 0x%x", i, x, y);
            same = same && same_dword(x, y);
        }
        if (!same) {
            char text[256];
            _mm_setcsr(0x1f80);
            eu_disasm(text, sizeof text, &insn, EU_GEN9);
            cr_assert(
                same, "round %u: %s\nmath %u cr0 0x%x f %x %x, general %x %x",
                n, text, insn.math, a.cr0[0], a.f[0], a.f[1], b.f[0], b.f[1]);
        }
    }
    _mm_setcsr(0x1f80);
}

Test(interp_fast, agrees_with_the_general_path)
{
    unsigned covered = 0;
    compare_paths(false, 100000, &covered);
    cr_expect_gt(covered, 50000, "only %u instructions were compared", covered);
}

Test(interp_fast, build_for_old_hosts_agrees)
{
    unsigned covered = 0;
    compare_paths(true, 100000, &covered);
    cr_expect_gt(covered, 50000);
}
