/* fast_select.c: selects instructions that the fast path covers completely.
 *
 * Doubtful cases stay on the general path: other register files, indirect
 * operands, 64-bit types, accumulators, integer saturation, results of more
 * than 32 bits. */
#include "eu/predecode/predecode.h"

#include "eu/interp/alu.h"
#include "eu/interp/fast_ops.h"

static bool
is_float(const struct eu_operand *o)
{
    return eu_operand_type(o) == EU_TYPE_F;
}

static bool
is_int(const struct eu_operand *o)
{
    return !eu_type_is_float((enum eu_type)o->type) &&
           eu_type_size_B((enum eu_type)o->type) <= 4;
}

#define TYPE(name) (1u << EU_TYPE_##name)
#define FLOATS (TYPE(F) | TYPE(VF))
#define SIGNED (TYPE(D) | TYPE(W) | TYPE(B) | TYPE(Q) | TYPE(V))
#define INTS                                                                   \
    (TYPE(UD) | TYPE(D) | TYPE(UW) | TYPE(W) | TYPE(UB) | TYPE(B) | TYPE(UV) | \
     TYPE(V))

/* One bit per type among the sources. */
static unsigned
source_types(const struct eu_insn *insn)
{
    unsigned types = 0;
    for (unsigned i = 0; i < insn->src_count; i++)
        types |= 1u << insn->src[i].type;
    return types;
}

static bool
is_ternary(const struct eu_insn *insn)
{
    return insn->src_count == 3;
}

static bool
has_modifier(const struct eu_insn *insn)
{
    for (unsigned i = 0; i < insn->src_count; i++)
        if (insn->src[i].abs || insn->src[i].negate)
            return true;
    return false;
}

/* A negated unsigned source needs one bit more. */
static bool
has_wide_modifier(const struct eu_insn *insn)
{
    for (unsigned i = 0; i < insn->src_count; i++) {
        const struct eu_operand *o = &insn->src[i];
        if (o->negate && !eu_type_is_signed((enum eu_type)o->type))
            return true;
    }
    return false;
}

static bool
plain_operands(const struct eu_insn *insn)
{
    const struct eu_operand *dst = &insn->dst;
    bool is_null = dst->file == EU_FILE_ARF && dst->reg == EU_ARF_NULL;
    if (insn->align16 && (!is_ternary(insn) || dst->writemask != 0xf))
        return false;
    if (insn->acc_wr || dst->indirect || (dst->file != EU_FILE_GRF && !is_null))
        return false;
    for (unsigned i = 0; i < insn->src_count; i++) {
        const struct eu_operand *o = &insn->src[i];
        if (o->indirect || (o->file != EU_FILE_GRF && o->file != EU_FILE_IMM))
            return false;
    }
    return true;
}

/* Whether one signedness holds all sources: signed if there is no UD. */
static bool
same_order(const struct eu_insn *insn, bool *is_unsigned)
{
    unsigned types = source_types(insn);
    bool ud = types & TYPE(UD);
    *is_unsigned = ud;
    return !(ud && (types & SIGNED));
}

static enum eu_fast_id
select_math(const struct eu_insn *insn)
{
    switch (insn->math) {
    case EU_MATH_INV: return EU_FAST_inv;
    case EU_MATH_LOG: return EU_FAST_log;
    case EU_MATH_EXP: return EU_FAST_exp;
    case EU_MATH_SQRT: return EU_FAST_sqrt;
    case EU_MATH_RSQ: return EU_FAST_rsq;
    case EU_MATH_SIN: return EU_FAST_sin;
    case EU_MATH_COS: return EU_FAST_cos;
    case EU_MATH_FDIV: return EU_FAST_fdiv;
    case EU_MATH_POW: return EU_FAST_pow;
    default: return EU_FAST_NONE;
    }
}

/* Sources of one type, D or UD. */
static enum eu_fast_id
select_division(const struct eu_insn *insn)
{
    bool d = eu_divides_signed(insn);
    if (has_modifier(insn) || insn->cmod ||
        insn->src[0].type != insn->src[1].type ||
        eu_type_size_B((enum eu_type)insn->src[0].type) != 4)
        return EU_FAST_NONE;
    switch (insn->math) {
    case EU_MATH_INT_DIV_QUOTIENT: return d ? EU_FAST_quot_d : EU_FAST_quot_ud;
    case EU_MATH_INT_DIV_REMAINDER: return d ? EU_FAST_rem_d : EU_FAST_rem_ud;
    default: return EU_FAST_NONE;
    }
}

static bool
pln_fits(const struct eu_insn *insn)
{
    const struct eu_operand *uv = &insn->src[1];
    unsigned at = uv->reg * EU_GRF_B + uv->subreg_B;
    return (insn->exec_size == 8 || insn->exec_size == 16) &&
           insn->src[0].file == EU_FILE_GRF && uv->file == EU_FILE_GRF &&
           at % 4 == 0 && at + insn->exec_size * 8u <= EU_GRF_FILE_B;
}

/* All sources F. */
static enum eu_fast_id
select_float(const struct eu_insn *insn)
{
    bool is_min = insn->cmod == EU_CMOD_L || insn->cmod == EU_CMOD_LE;
    if (insn->cmod == EU_CMOD_O)
        return EU_FAST_NONE;
    if (insn->opcode == EU_OP_CMP) /* writes ones in any type */
        return is_float(&insn->dst) || is_int(&insn->dst) ? EU_FAST_cmp_f
                                                          : EU_FAST_NONE;
    if (!is_float(&insn->dst))
        return EU_FAST_NONE;
    switch (insn->opcode) {
    case EU_OP_MOV: return EU_FAST_mov_f;
    case EU_OP_ADD: return EU_FAST_add_f;
    case EU_OP_MUL: return EU_FAST_mul_f;
    case EU_OP_MAD: return EU_FAST_mad_f;
    case EU_OP_LRP: return EU_FAST_lrp_f;
    case EU_OP_PLN: return pln_fits(insn) ? EU_FAST_pln : EU_FAST_NONE;
    case EU_OP_FRC: return EU_FAST_frc;
    case EU_OP_RNDD: return EU_FAST_rndd;
    case EU_OP_RNDU: return EU_FAST_rndu;
    case EU_OP_RNDE: return EU_FAST_rnde;
    case EU_OP_RNDZ: return EU_FAST_rndz;
    case EU_OP_CSEL: return EU_FAST_csel;
    case EU_OP_SEL:
        return !insn->cmod ? EU_FAST_sel_f
               : is_min    ? EU_FAST_min_f
                           : EU_FAST_max_f;
    case EU_OP_MATH: return select_math(insn);
    default: return EU_FAST_NONE;
    }
}

static enum eu_fast_id
select_logic(const struct eu_insn *insn)
{
    if (insn->cmod > EU_CMOD_LE)
        return EU_FAST_NONE;
    switch (insn->opcode) {
    case EU_OP_NOT: return EU_FAST_not;
    case EU_OP_AND: return EU_FAST_and;
    case EU_OP_OR: return EU_FAST_or;
    default: return EU_FAST_xor;
    }
}

static enum eu_fast_id
select_shift(const struct eu_insn *insn)
{
    enum eu_type type = eu_operand_type(&insn->src[0]);
    if (has_wide_modifier(insn))
        return EU_FAST_NONE;
    if (insn->opcode == EU_OP_SHL)
        return EU_FAST_shl;
    if (insn->opcode == EU_OP_ASR)
        return type == EU_TYPE_UD ? EU_FAST_shr : EU_FAST_asr;
    if (type == EU_TYPE_D)
        return EU_FAST_asr;
    /* Only the general path knows whether a negative word is shifted as 16 or
     * 32 bits. */
    return eu_type_is_signed(type) ? EU_FAST_NONE : EU_FAST_shr;
}

/* Results that depend on the order of the sources. */
static enum eu_fast_id
select_ordered(const struct eu_insn *insn, bool *is_unsigned)
{
    bool is_min = insn->cmod == EU_CMOD_L || insn->cmod == EU_CMOD_LE;
    if (has_wide_modifier(insn) || !same_order(insn, is_unsigned) ||
        insn->cmod > EU_CMOD_LE)
        return EU_FAST_NONE;
    if (insn->opcode == EU_OP_CMP)
        return EU_FAST_cmp_i;
    return is_min ? EU_FAST_min_i : EU_FAST_max_i;
}

static enum eu_fast_id
select_bits(const struct eu_insn *insn, bool *is_unsigned)
{
    bool d = insn->src[0].type == EU_TYPE_D,
         ud = insn->src[0].type == EU_TYPE_UD;
    if (has_modifier(insn) || insn->cmod)
        return EU_FAST_NONE;
    switch (insn->opcode) {
    case EU_OP_BFI2: return EU_FAST_bfi2;
    case EU_OP_BFE:
        *is_unsigned = insn->src[2].type != EU_TYPE_D;
        return EU_FAST_bfe;
    case EU_OP_LZD: return d || ud ? EU_FAST_lzd : EU_FAST_NONE;
    case EU_OP_FBH:
        *is_unsigned = ud;
        return d || ud ? EU_FAST_fbh : EU_FAST_NONE;
    case EU_OP_FBL: return d || ud ? EU_FAST_fbl : EU_FAST_NONE;
    case EU_OP_CBIT:
        return eu_type_is_signed((enum eu_type)insn->src[0].type)
                   ? EU_FAST_NONE
                   : EU_FAST_cbit;
    default: return EU_FAST_NONE;
    }
}

/* Integer sources, F result. */
static enum eu_fast_id
select_float_of_int(const struct eu_insn *insn, bool *is_unsigned)
{
    if (insn->cmod == EU_CMOD_O)
        return EU_FAST_NONE;
    bool ordered = same_order(insn, is_unsigned);
    if (insn->opcode == EU_OP_MOV)
        return *is_unsigned && has_wide_modifier(insn) ? EU_FAST_NONE
                                                       : EU_FAST_float_from_int;
    if (insn->opcode == EU_OP_ADD && ordered && !*is_unsigned &&
        !has_modifier(insn))
        return EU_FAST_add_f_int;
    return EU_FAST_NONE;
}

/* All sources integers of at most 32 bits. */
static enum eu_fast_id
select_int(const struct eu_insn *insn, bool *is_unsigned)
{
    bool dst_int = is_int(&insn->dst);
    unsigned dst_B = eu_type_size_B((enum eu_type)insn->dst.type);
    if (insn->opcode == EU_OP_CMP)
        return dst_int || is_float(&insn->dst)
                   ? select_ordered(insn, is_unsigned)
                   : EU_FAST_NONE;
    if (is_float(&insn->dst))
        return select_float_of_int(insn, is_unsigned);
    if (!dst_int || insn->saturate)
        return EU_FAST_NONE;
    if (insn->opcode == EU_OP_SEL && insn->cmod)
        return select_ordered(insn, is_unsigned);
    if (insn->cmod && dst_B != 4)
        return EU_FAST_NONE;
    *is_unsigned = insn->dst.type == EU_TYPE_UD;
    if (insn->opcode >= EU_OP_NOT && insn->opcode <= EU_OP_XOR)
        return select_logic(insn);
    switch (insn->opcode) {
    case EU_OP_MOV: return EU_FAST_mov_i;
    case EU_OP_SEL: return EU_FAST_sel_i;
    case EU_OP_ADD: return EU_FAST_add_i;
    case EU_OP_MUL: return EU_FAST_mul_i;
    case EU_OP_MATH: return select_division(insn);
    case EU_OP_SHL:
    case EU_OP_SHR:
    case EU_OP_ASR: return select_shift(insn);
    default: return select_bits(insn, is_unsigned);
    }
}

/* Reserved conditions, and comparisons without a condition, are false. */
static bool
cmod_known(const struct eu_insn *insn)
{
    if (insn->opcode == EU_OP_SEL)
        return true;
    if (insn->opcode == EU_OP_CMP || insn->opcode == EU_OP_CSEL || insn->cmod)
        return (insn->cmod >= EU_CMOD_Z && insn->cmod <= EU_CMOD_LE) ||
               (insn->cmod == EU_CMOD_U && !(source_types(insn) & ~FLOATS));
    return true;
}

static enum eu_fast_id
select_id(const struct eu_insn *insn, bool *is_unsigned)
{
    const struct eu_operand *src = &insn->src[0], *dst = &insn->dst;
    if (!plain_operands(insn) || !insn->src_count || !cmod_known(insn))
        return EU_FAST_NONE;
    if (insn->opcode == EU_OP_MOV && is_float(src) && !insn->cmod &&
        !insn->saturate &&
        (dst->type == EU_TYPE_D || dst->type == EU_TYPE_UD)) {
        *is_unsigned = dst->type == EU_TYPE_UD;
        return EU_FAST_int_from_float;
    }
    if (insn->opcode == EU_OP_MOV && src->type == EU_TYPE_HF && !insn->cmod &&
        !insn->saturate && dst->type == EU_TYPE_F && src->file == EU_FILE_GRF)
        return EU_FAST_mov_f;
    unsigned types = source_types(insn);
    if (!(types & ~FLOATS))
        return select_float(insn);
    if (!(types & ~INTS))
        return select_int(insn, is_unsigned);
    return EU_FAST_NONE;
}

/* ---- operands ---- */

static bool
is_contiguous(const struct eu_insn *insn, const struct eu_operand *o)
{
    if (insn->align16)
        return !o->rep_ctrl && o->swizzle == 0xe4 && o->vstride == 4;
    if (o->width >= insn->exec_size)
        return o->hstride == 1;
    return o->width == 1 ? o->vstride == 1
                         : o->hstride == 1 && o->vstride == o->width;
}

static bool
is_scalar(const struct eu_insn *insn, const struct eu_operand *o)
{
    if (insn->exec_size == 1)
        return true;
    if (insn->align16)
        return o->rep_ctrl;
    return o->vstride == 0 && (o->hstride == 0 || o->width == 1);
}

/* Distance between lanes in elements, or 0 if it is not constant. */
static unsigned
linear_step(const struct eu_insn *insn, const struct eu_operand *o)
{
    if (insn->align16)
        return 0;
    if (o->width >= insn->exec_size)
        return o->hstride;
    if (o->width == 1)
        return o->vstride;
    return o->vstride == o->width * o->hstride ? o->hstride : 0;
}

static void
prepare_source(struct eu_op_src *src, const struct eu_insn *insn,
               const struct eu_operand *o)
{
    bool logic = insn->opcode >= EU_OP_NOT && insn->opcode <= EU_OP_XOR;
    bool is_f = eu_type_is_float((enum eu_type)o->type);
    bool modified = o->abs || o->negate;
    unsigned at = o->reg * EU_GRF_B + o->subreg_B;

    bool flips = o->negate && (logic || !is_f);
    src->and_mask = is_f && o->abs ? 0x7fffffff : UINT32_MAX;
    src->xor_mask = flips ? UINT32_MAX : o->negate ? 0x80000000 : 0;
    src->plus = flips && !logic;
    src->off_B = (uint16_t)at;
    src->cls = EU_SRC_OTHER;

    if (o->file == EU_FILE_IMM) {
        switch (o->type) {
        case EU_TYPE_F:
        case EU_TYPE_D:
        case EU_TYPE_UD: src->imm = (uint32_t)o->imm; break;
        case EU_TYPE_W: src->imm = (uint32_t)(int16_t)o->imm; break;
        case EU_TYPE_UW: src->imm = (uint16_t)o->imm; break;
        default: return;
        }
        if (!modified)
            src->cls = EU_SRC_IMM;
        return;
    }

    unsigned step = linear_step(insn, o);
    if ((o->type == EU_TYPE_UW || o->type == EU_TYPE_W) && at % 2 == 0 &&
        step == 1 && !modified)
        src->cls = o->type == EU_TYPE_UW ? EU_SRC_U16 : EU_SRC_S16;
    if (eu_type_size_B((enum eu_type)o->type) != 4 || at % 4 ||
        (o->abs && !is_f))
        return;
    if (is_scalar(insn, o)) {
        src->cls = EU_SRC_SCALAR;
        src->off_B = (uint16_t)(at + eu_region_offset_B(insn, o, 0));
    } else if (is_contiguous(insn, o)) {
        src->cls = modified ? EU_SRC_VEC_MOD : EU_SRC_VEC;
    } else if (step) {
        src->cls = EU_SRC_STRIDED;
        src->step = (uint8_t)step;
    }
}

static void
prepare_dst(struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *dst = &insn->dst;
    unsigned at = dst->reg * EU_GRF_B + dst->subreg_B;
    bool selects = insn->opcode == EU_OP_SEL || insn->opcode == EU_OP_CSEL ||
                   insn->opcode == EU_OP_CMP;
    op->dst_off_B = (uint16_t)at;
    if (dst->file != EU_FILE_GRF)
        op->post |= EU_POST_NULL;
    else if (eu_type_size_B((enum eu_type)dst->type) != 4 || at % 4 ||
             (dst->hstride != 1 && insn->exec_size > 1))
        op->post |= EU_POST_STORE;
    if (insn->saturate)
        op->post |= EU_POST_SAT;
    if (insn->cmod && !selects)
        op->post |= EU_POST_CMOD;
}

#define CLASS(name) (1u << EU_SRC_##name)
#define VECTORS (CLASS(VEC) | CLASS(SCALAR) | CLASS(IMM))

static uint8_t
plain_types(const struct eu_op *op, unsigned classes, bool changes)
{
    unsigned types = source_types(op->insn), dst = 1u << op->insn->dst.type;
    const unsigned dwords = TYPE(D) | TYPE(UD), words = TYPE(W) | TYPE(UW);
    if ((op->post & ~EU_POST_SAT) || op->lanes < 8 || op->lanes > 16)
        return 0;
    if (dst == TYPE(F) && types == TYPE(F) &&
        !(classes & ~(VECTORS | CLASS(VEC_MOD))))
        return EU_PLAIN_FLOAT;
    if ((dst & dwords) && !(types & ~(dwords | words)) && !op->post &&
        !changes && !(classes & ~VECTORS))
        return EU_PLAIN_INT;
    return 0;
}

static uint8_t
plain_kinds(const struct eu_op *op)
{
    unsigned classes = 0, at_B = 0;
    unsigned dst_B = op->post & EU_POST_NULL ? 0
                                             : op->dst_off_B | op->lanes * 4;
    bool changes = false;
    for (unsigned i = 0; i < op->src_count; i++) {
        const struct eu_op_src *src = &op->src[i];
        classes |= 1u << src->cls;
        changes |= ~src->and_mask | src->xor_mask;
        at_B |= src->cls <= EU_SRC_VEC_MOD ? src->off_B : 0u;
    }
    uint8_t plain = plain_types(op, classes, changes);
    if (dst_B % EU_GRF_B || op->lanes > 16 || op->opcode == EU_OP_PLN ||
        (op->post & EU_POST_STORE) || (classes & ~(VECTORS | CLASS(VEC_MOD))))
        return plain;
    if ((op->post & EU_POST_NULL) || !eu_writes_all(op->insn))
        return plain | EU_PLAIN_GRFS;
    bool flags = op->pred || (op->cmod && op->opcode != EU_OP_SEL);
    return plain | EU_PLAIN_GRFS | EU_PLAIN_WHOLE |
           (flags || at_B % EU_GRF_B ? 0 : EU_PLAIN_BY_LANES);
}

static const struct eu_fast_table *
host_table(void)
{
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &eu_fast_avx2;
    return &eu_fast_base;
}

void
eu_fast_select(struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    bool is_unsigned = false;
    enum eu_fast_id id = select_id(insn, &is_unsigned);
    if (id == EU_FAST_NONE)
        return;
    op->is_unsigned = is_unsigned;
    for (unsigned i = 0; i < insn->src_count; i++)
        prepare_source(&op->src[i], insn, &insn->src[i]);
    if (id == EU_FAST_pln)
        op->src[0].off_B &= (uint16_t)~15u;
    prepare_dst(op);
    op->plain = plain_kinds(op);

    const struct eu_fast_table *table = host_table();
    op->fn = insn->exec_size == 8    ? table->x8[id]
             : insn->exec_size == 16 ? table->x16[id]
                                     : table->any[id];
}
