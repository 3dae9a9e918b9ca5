/* check_fast_ops.c: the interpreter's fast ops (fast_ops.h), as compiled for
 * each instruction set, against its general path: random instructions on random
 * registers must give equal bits (any NaN for a NaN). */
#include "check.h"

#include "eu/interp/fast_ops.h"
#include "eu/predecode/predecode.h"
#include "base/fpmode.h"

static bool
has_chance(unsigned percent)
{
    return check_below(100) < percent;
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
    if (has_chance(30))
        return special[check_below(ARRAY_SIZE(special))];
    if (has_chance(50)) /* of ordinary magnitude */
        return (check_below(2) << 31) | (120 + check_below(16)) << 23 |
               check_below(1 << 23);
    return check_below(UINT32_MAX);
}

static void
random_region(struct eu_operand *o, unsigned lanes)
{
    static const uint8_t strides[] = {0, 1, 2, 4, 8};
    switch (check_below(4)) {
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
        o->width = (uint8_t)(1u << check_below(4));
        o->vstride = strides[check_below(ARRAY_SIZE(strides))];
        o->hstride = strides[check_below(4)];
        break;
    }
}

static struct eu_operand
random_source(unsigned lanes, bool is_float, bool ternary, bool may_imm)
{
    struct eu_operand o = {
        .file = EU_FILE_GRF,
        .type = is_float ? EU_TYPE_F
                         : int_types[check_below(has_chance(50) ? 2 : 6)],
        .reg = (uint8_t)(1 + check_below(12)),
        .swizzle = 0xe4,
        .mme = EU_MME_NONE,
    };
    if (ternary) {
        if (!is_float)
            o.type = int_types[check_below(2)];
        o.subreg_B = (uint8_t)(check_below(8) * 4);
        o.rep_ctrl = has_chance(40);
        o.width = o.rep_ctrl ? 1 : 4;
        o.vstride = o.hstride = 0;
        if (!o.rep_ctrl) {
            o.vstride = 4;
            o.hstride = 1;
            o.subreg_B = 0;
            if (has_chance(20))
                o.swizzle = (uint8_t)check_below(256);
        }
    } else if (may_imm && has_chance(25)) {
        o.file = EU_FILE_IMM;
        if (has_chance(20))
            o.type = is_float         ? EU_TYPE_VF
                     : has_chance(50) ? EU_TYPE_V
                                      : EU_TYPE_UV;
        else if (o.type == EU_TYPE_UB || o.type == EU_TYPE_B)
            o.type = EU_TYPE_W;
        o.imm = is_float ? random_float() : check_below(UINT32_MAX);
        if (eu_type_size_B((enum eu_type)o.type) == 2 && o.type != EU_TYPE_V &&
            o.type != EU_TYPE_UV)
            o.imm &= 0xffff;
        o.width = 1;
        return o;
    } else {
        o.subreg_B = (uint8_t)(check_below(4) *
                               eu_type_size_B((enum eu_type)o.type));
        random_region(&o, lanes);
    }
    if (has_chance(25)) {
        o.abs = has_chance(50);
        o.negate = has_chance(60);
    }
    return o;
}

static void
random_destination(struct eu_insn *n, bool is_float)
{
    n->dst = (struct eu_operand){
        .file = EU_FILE_GRF,
        .type = is_float ? EU_TYPE_F
                         : int_types[check_below(has_chance(60) ? 2 : 6)],
        .reg = (uint8_t)(1 + check_below(12)),
        .hstride = 1,
        .writemask = 0xf,
        .mme = EU_MME_NONE,
    };
    if (n->align16) {
        if (!is_float)
            n->dst.type = int_types[check_below(2)];
        n->dst.subreg_B = (uint8_t)(check_below(2) * 16);
    } else {
        n->dst.hstride = (uint8_t)(1u << (has_chance(70) ? 0 : check_below(3)));
        if (has_chance(15) &&
            (n->opcode == EU_OP_MOV || n->opcode == EU_OP_CMP))
            n->dst.type = is_float ? int_types[check_below(6)] : EU_TYPE_F;
        if (has_chance(10)) {
            n->dst.file = EU_FILE_ARF;
            n->dst.reg = EU_ARF_NULL;
        }
    }
}

/* What the decoder never leaves, and functions of MATH. */
static void
settle_insn(struct eu_insn *n, bool is_float)
{
    if (n->opcode == EU_OP_MATH) {
        n->math = (uint8_t)(1 + check_below(7));
        n->src_count = 1;
        if (!is_float) {
            n->math = (uint8_t)(EU_MATH_INT_DIV_QUOTIENT + check_below(2));
            n->src_count = 2;
            n->dst.type = n->src[0].type = n->src[1].type =
                int_types[check_below(2)];
        } else if (has_chance(30)) {
            n->math = has_chance(50) ? EU_MATH_FDIV : EU_MATH_POW;
            n->src_count = 2;
        }
        n->cmod = 0;
    }
    if (n->opcode == EU_OP_PLN)
        n->src[1].file = EU_FILE_GRF;
    if (n->opcode >= EU_OP_NOT && n->opcode <= EU_OP_XOR)
        for (unsigned i = 0; i < 2; i++)
            n->src[i].abs = false; /* as the decoder leaves it */
    if (n->opcode == EU_OP_BFE || n->opcode == EU_OP_BFI2 ||
        (n->opcode >= EU_OP_LZD && n->opcode <= EU_OP_CBIT))
        for (unsigned i = 0; i < 3; i++)
            n->src[i].abs = n->src[i].negate = false;
}

static struct eu_insn
random_insn(void)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 8, 8, 16, 16, 16, 32};
    bool is_float = has_chance(50);
    struct eu_insn n = {.exec_size = sizes[check_below(ARRAY_SIZE(sizes))]};
    n.opcode = is_float ? float_ops[check_below(ARRAY_SIZE(float_ops))]
                        : int_ops[check_below(ARRAY_SIZE(int_ops))];
    n.src_count = (uint8_t)source_count(n.opcode);
    bool ternary = n.src_count == 3;
    n.align16 = ternary;
    n.length_B = 16;
    n.chan_offset = n.exec_size == 8    ? (uint8_t)(check_below(4) * 8)
                    : n.exec_size == 16 ? (uint8_t)(check_below(2) * 16)
                                        : 0;
    n.no_mask = has_chance(30);
    n.saturate = has_chance(15);
    n.flag = n.chan_offset < 16 && n.exec_size < 32 ? (uint8_t)check_below(4)
                                                    : 0;
    n.pred_ctrl = has_chance(25)
                      ? (uint8_t)(has_chance(80) ? 1 : check_below(14))
                      : 0;
    if (ternary && n.pred_ctrl > 1)
        n.pred_ctrl = 1;
    n.pred_inv = has_chance(30);
    if (has_chance(25) || n.opcode == EU_OP_CMP || n.opcode == EU_OP_CSEL)
        n.cmod = (uint8_t)(1 + check_below(6));
    if (is_float && n.cmod && has_chance(10) && n.opcode != EU_OP_SEL)
        n.cmod = EU_CMOD_U;
    random_destination(&n, is_float);
    for (unsigned i = 0; i < n.src_count; i++)
        n.src[i] = random_source(n.exec_size, is_float, ternary,
                                 i + 1 == n.src_count);
    settle_insn(&n, is_float);
    return n;
}

static void
random_state(struct eu_thread *t)
{
    bool floats = has_chance(60);
    memset(t, 0, sizeof *t);
    for (unsigned i = 0; i < 128 * 8; i++) {
        uint32_t v = floats ? random_float() : check_below(UINT32_MAX);
        if (!floats && has_chance(30))
            v = check_below(64) - 32;
        memcpy(t->grf + i * 4, &v, 4);
    }
    t->live = has_chance(50) ? UINT32_MAX : check_below(UINT32_MAX);
    t->sr0[2] = has_chance(50) ? UINT32_MAX : check_below(UINT32_MAX);
    t->f[0] = check_below(UINT32_MAX);
    t->f[1] = check_below(UINT32_MAX);
    t->cr0[0] = 0x440 | (has_chance(50) ? 0x80 : 0) |
                (has_chance(20) ? check_below(4) : 0) << 4 |
                (has_chance(20) ? EU_CR0_ALT : 0);
    eu_thread_update_mask(t);
    eu_thread_update_mxcsr(t);
}

static bool
same_dword(uint32_t a, uint32_t b)
{
    return a == b ||
           ((a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000);
}

/* The op's function in one of the builds; a process selects one of them. */
static eu_op_fn
build_of(enum check_isa isa, eu_op_fn fn)
{
    const eu_op_fn *base = eu_fast_base.any, *avx2 = eu_fast_avx2.any;
    for (unsigned i = 0; i < sizeof eu_fast_base / sizeof *base; i++)
        if (base[i] == fn || avx2[i] == fn)
            return isa == CHECK_SCALAR ? base[i] : avx2[i];
    return fn;
}

static void
compare_insn(const struct eu_insn *insn, const struct eu_op *op)
{
    static struct eu_thread a, b;
    random_state(&a);
    b = a;
    op->fn(&a, op);
    op->slow(&b, op);
    char text[256];
    for (unsigned i = 0; i < 128 * 8; i++) {
        uint32_t x, y;
        memcpy(&x, a.grf + i * 4, 4);
        memcpy(&y, b.grf + i * 4, 4);
        if (same_dword(x, y))
            continue;
        fpmode_set(FPMODE_DEFAULT);
        eu_disasm(text, sizeof text, insn, EU_GEN9);
        check_eq(x, y, "%s math %u cr0 %x, dword %u: %x, not %x", text,
                 insn->math, a.cr0[0], i, x, y);
    }
    if (a.f[0] == b.f[0] && a.f[1] == b.f[1])
        return;
    fpmode_set(FPMODE_DEFAULT);
    eu_disasm(text, sizeof text, insn, EU_GEN9);
    check_bytes(a.f, b.f, sizeof a.f, "%s cr0 %x: f %x %x, not %x %x", text,
                a.cr0[0], a.f[0], a.f[1], b.f[0], b.f[1]);
}

static void
compare_ops(enum check_isa isa)
{
    unsigned covered = 0;
    for (unsigned n = 0; n < 100000; n++) {
        struct eu_insn insn = random_insn();
        struct eu_op op;
        eu_op_predecode(&op, &insn);
        if (op.fn == op.slow)
            continue;
        covered++;
        op.fn = build_of(isa, op.fn);
        compare_insn(&insn, &op);
    }
    check_gt(covered, 50000, "only %u instructions were compared", covered);
}

static const struct check_row rows[] = {
    {"eu_fast", "eu_op.slow", "fast_ops", CHECK_SCALAR, compare_ops, NULL},
    {"eu_fast", "eu_op.slow", "fast_ops", CHECK_AVX2, compare_ops, NULL},
};

CHECK_FAMILY(fast_ops, rows);
