/* load_operand.c: EU operands as vectors of 32-bit lanes; store_result.c is the
 * inverse.
 *
 * Any direct region can be read: contiguous and scalar ones as memory operands
 * or cached registers, others by a gather; load_indirect.c has the rest. Narrow
 * types are extended to 32 bits, which is exact. Regions: KBL PRM vol 7
 * "Execution Environment". */
#include "eu/jit/operand/operand.h"

#include "base/half.h"

#define GRF_AT(off_B) (offsetof(struct eu_thread, grf) + (off_B))

static bool
is_logic(const struct eu_insn *insn)
{
    return insn->opcode >= EU_OP_NOT && insn->opcode <= EU_OP_XOR;
}

bool
jit_src_ok(const struct jit *j, const struct eu_op *op, unsigned s,
           bool is_float)
{
    const struct eu_operand *o = &op->insn->src[s];
    enum eu_type type = eu_operand_type(o);
    if (eu_type_size_B(type) == 8 ||
        (type == EU_TYPE_HF && !jit_f16_ok(j, op->insn)))
        return false;
    if (!is_float && eu_type_is_float(type))
        return false;
    if (is_logic(op->insn) && o->abs)
        return false;
    if (o->file == EU_FILE_IMM) {
        /* The rounding of a large integer is known only at run time. */
        uint32_t v = (uint32_t)o->imm;
        bool large = type == EU_TYPE_D || type == EU_TYPE_UD;
        return !is_float || !large || v + (1 << 24) <= 2 << 24;
    }
    return o->file == EU_FILE_GRF &&
           (!o->indirect || (type != EU_TYPE_HF && jit_indirect_ok(j, op, s)));
}

/* Fast path for scalars and consecutive elements. */
static bool
describe_common(struct jit_region *r, const struct eu_insn *insn,
                const struct eu_operand *o, const struct jit_part *p,
                unsigned base)
{
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    bool scalar = insn->align16 ? o->rep_ctrl
                                : o->width == 1 && o->vstride == 0;
    bool packed = insn->align16
                      ? size_B == 4 && o->swizzle == 0xe4 && o->vstride == 4
                      : o->hstride == 1 && (o->vstride == o->width ||
                                            o->width >= insn->exec_size);
    if (size_B != 4 || p->lanes == 1 || (!scalar && !packed))
        return false;
    r->size_B = 4;
    r->shape = scalar ? JIT_SHAPE_SCALAR : JIT_SHAPE_VECTOR;
    r->off_B = base + (scalar ? 0 : p->first * 4);
    r->end_B = r->off_B + (scalar ? 4 : p->lanes * 4);
    return !scalar || !(base & 3);
}

void
jit_describe(struct jit_region *r, const struct eu_insn *insn,
             const struct eu_operand *o, const struct jit_part *p)
{
    unsigned base = o->reg * EU_GRF_B + o->subreg_B;
    bool same = true, packed = true, dwords = true;
    if (describe_common(r, insn, o, p, base))
        return;
    *r = (struct jit_region){.size_B = eu_type_size_B((enum eu_type)o->type)};
    for (unsigned i = 0; i < p->lanes; i++) {
        unsigned at = base + eu_region_offset_B(insn, o, p->first + i);
        r->lane_B[i] = (uint16_t)at;
        r->end_B = MAX2(r->end_B, at + r->size_B);
        same &= at == r->lane_B[0];
        packed &= at == r->lane_B[0] + i * r->size_B;
        dwords &= at == r->lane_B[0] + i * 4;
    }
    r->off_B = r->lane_B[0];
    for (unsigned i = 1; i < p->lanes; i++)
        r->off_B = MIN2(r->off_B, r->lane_B[i]);
    bool fits = (r->off_B & 3) + r->size_B <= 4;
    if (p->lanes == 1)
        r->shape = r->size_B == 4 ? JIT_SHAPE_VECTOR : JIT_SHAPE_SCALAR;
    else if (same)
        r->shape = JIT_SHAPE_SCALAR;
    else if (packed)
        r->shape = JIT_SHAPE_VECTOR;
    else
        r->shape = dwords && fits ? JIT_SHAPE_DWORDS : JIT_SHAPE_ANY;
    if (r->shape == JIT_SHAPE_SCALAR && !fits)
        r->shape = JIT_SHAPE_ANY;
}

/* d := size_B bytes at byte `at` of each dword of s, extended. */
static void
extract_bytes(struct jit *j, unsigned d, unsigned s, unsigned len, unsigned at,
              unsigned size_B, bool is_signed)
{
    unsigned up = 32 - (at + size_B) * 8, down = 32 - size_B * 8;
    if (!at && !is_signed && j->f->evex) {
        x86_vop(&j->x, X86_PAND, len, d, s,
                x86_dword_const(&j->x, UINT32_MAX >> down), 0);
        return;
    }
    if (up) {
        x86_vop_imm(&j->x, X86_PSHIFTD_IMM, len, 6, d, x86_reg(s), 0,
                    (uint8_t)up);
        s = d;
    }
    x86_vop_imm(&j->x, X86_PSHIFTD_IMM, len, is_signed ? 4 : 2, d, x86_reg(s),
                0, (uint8_t)down);
}

/* Whether a word permute of at most two registers can replace the gather, which
 * costs as much as a dozen other operations. */
static bool
is_near(const struct jit *j, const struct jit_region *r,
        const struct jit_part *p)
{
    unsigned base_B = r->off_B / EU_GRF_B * EU_GRF_B;
    unsigned odd = 0;
    for (unsigned i = 0; i < p->lanes; i++)
        odd |= r->lane_B[i] & 1u;
    unsigned span_B = r->end_B - base_B;
    return j->f->evex && !odd && span_B <= 64 && base_B + 64 <= EU_GRF_FILE_B;
}

/* Words go into the upper half. */
static unsigned
permute_dwords(struct jit *j, const struct jit_region *r,
               const struct jit_part *p)
{
    unsigned base_B = r->off_B / EU_GRF_B * EU_GRF_B;
    unsigned next = r->size_B == 2 ? 0 : 1;
    uint32_t words[16] = {0};
    for (unsigned i = 0; i < p->lanes; i++) {
        unsigned word = (r->lane_B[i] - base_B) / 2;
        words[i] = word | ((word + next) & 31) << 16;
    }
    unsigned s = jit_vec(j, base_B, r->end_B - base_B > EU_GRF_B ? 64 : 32);
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_MOVUPS_LD, 2, d, 0, x86_const(&j->x, words, 16), 0);
    x86_vop(&j->x, X86_PERMW, 2, d, d, x86_reg(s), 0);
    return d;
}

/* Whether every four lanes read equal positions of their own four dwords, as
 * differences between the pixels of a quad do. */
static bool
is_by_quads(const struct jit_region *r, const struct jit_part *p,
            uint8_t *places)
{
    unsigned from_B = r->lane_B[0] & ~15u, all = 0;
    if (r->size_B != 4 || p->lanes % 4 || from_B % EU_GRF_B ||
        from_B + p->lanes * 4 > EU_GRF_FILE_B)
        return false;
    for (unsigned i = 0; i < 4; i++)
        all |= (r->lane_B[i] / 4 & 3u) << i * 2;
    for (unsigned i = 0; i < p->lanes; i++)
        if (r->lane_B[i] != from_B + i / 4 * 16 + (all >> i % 4 * 2 & 3) * 4)
            return false;
    *places = (uint8_t)all;
    return true;
}

static unsigned
shuffle_quads(struct jit *j, const struct jit_region *r,
              const struct jit_part *p, uint8_t places)
{
    unsigned s = jit_vec(j, r->lane_B[0] & ~15u, p->lanes * 4);
    unsigned d = jit_temp(j);
    x86_vop_imm(&j->x, X86_PSHUFD, p->len, d, 0, x86_reg(s), 0, places);
    return d;
}

static unsigned
gather_dwords(struct jit *j, const struct jit_region *r,
              const struct jit_part *p)
{
    unsigned vector_lanes = 4u << p->len;
    uint32_t index[16];
    uint8_t places;
    if (is_by_quads(r, p, &places))
        return shuffle_quads(j, r, p, places);
    if (is_near(j, r, p))
        return permute_dwords(j, r, p);
    unsigned spread;
    if (!j->f->evex && r->size_B == 4 &&
        jit_spread_vex(j, r->lane_B, p->lanes, 4, false, &spread))
        return spread;
    for (unsigned i = 0; i < vector_lanes; i++)
        index[i] = r->lane_B[i < p->lanes ? i : 0];
    jit_sync(j, r->off_B, r->end_B - r->off_B);
    unsigned d = jit_temp(j), at = jit_temp(j);
    x86_vop(&j->x, X86_MOVUPS_LD, p->len, at, 0,
            x86_const(&j->x, index, vector_lanes), 0);
    if (j->f->evex) {
        x86_kop(&j->x, X86_KXNOR, 5, 5, 5);
        x86_gather(&j->x, p->len, d, at, GRF_AT(0), 5);
        return d;
    }
    unsigned ones = jit_temp(j);
    x86_vop(&j->x, X86_PCMPEQD, p->len, ones, ones, x86_reg(ones), 0);
    x86_gather(&j->x, p->len, d, at, GRF_AT(0), ones);
    return d;
}

static struct x86_rm
read_dwords(struct jit *j, const struct jit_region *r, const struct jit_part *p)
{
    unsigned len_B = p->lanes * 4;
    switch (r->shape) {
    case JIT_SHAPE_SCALAR: return jit_bcast(j, r->off_B);
    case JIT_SHAPE_VECTOR: return x86_reg(jit_vec(j, r->off_B, len_B));
    default: return x86_reg(gather_dwords(j, r, p));
    }
}

/* Sixteen words, if no register holds them in halves. They were often written
 * in halves, because an immediate has at most eight words, and two stores are
 * not forwarded to a load of both. */
static unsigned
read_words(struct jit *j, enum x86_vop op, unsigned off_B)
{
    int found = jit_find(j, JIT_GRF, off_B, 32);
    unsigned d = jit_temp(j), high;
    if (found >= 0) {
        x86_vop(&j->x, op, 2, d, 0, x86_reg((unsigned)found), 0);
        return d;
    }
    jit_sync(j, off_B, 32);
    high = jit_temp(j);
    x86_vop(&j->x, op, 1, d, 0, x86_thread(GRF_AT(off_B)), 0);
    x86_vop(&j->x, op, 1, high, 0, x86_thread(GRF_AT(off_B + 16)), 0);
    x86_vop_imm(&j->x, X86_INSERTF64X4, 2, d, d, x86_reg(high), 0, 1);
    jit_release(j, high);
    return d;
}

unsigned
jit_read_narrow(struct jit *j, const struct jit_region *r,
                const struct jit_part *p, enum jit_extension extension)
{
    bool is_signed = extension == JIT_SIGN_EXTENDED;
    unsigned d, s, at = r->off_B & 3;
    enum x86_vop op;
    switch (r->shape) {
    case JIT_SHAPE_SCALAR:
        s = jit_in_reg(j, jit_bcast(j, r->off_B - at), p->len);
        break;
    case JIT_SHAPE_DWORDS: s = jit_vec(j, r->off_B - at, p->lanes * 4); break;
    case JIT_SHAPE_VECTOR:
        op = r->size_B == 2 ? is_signed ? X86_PMOVSXWD : X86_PMOVZXWD
             : is_signed    ? X86_PMOVSXBD
                            : X86_PMOVZXBD;
        if (r->size_B == 2 && p->len == 2)
            return read_words(j, op, r->off_B);
        jit_sync(j, r->off_B, r->end_B - r->off_B);
        d = jit_temp(j);
        x86_vop(&j->x, op, p->len, d, 0, x86_thread(GRF_AT(r->off_B)), 0);
        return d;
    default:
        if (!j->f->evex &&
            jit_spread_vex(j, r->lane_B, p->lanes, r->size_B, is_signed, &d))
            return d;
        s = gather_dwords(j, r, p);
        at = r->size_B == 2 && is_near(j, r, p) ? 2 : 0;
        break;
    }
    if (!at && extension == JIT_NOT_EXTENDED)
        return s;
    d = jit_temp(j);
    extract_bytes(j, d, s, p->len, at, r->size_B, is_signed);
    return d;
}

/* Whether no bit of the result depends on bits above the source's. */
static bool
ignores_extension(const struct eu_insn *insn, unsigned s)
{
    const struct eu_operand *o = &insn->src[s], *d = &insn->dst;
    if (d->file != EU_FILE_GRF || eu_type_is_float((enum eu_type)d->type) ||
        eu_type_size_B((enum eu_type)d->type) >
            eu_type_size_B((enum eu_type)o->type) ||
        insn->saturate || insn->cmod || insn->acc_wr || o->abs)
        return false;
    switch (insn->opcode) {
    case EU_OP_MOV:
    case EU_OP_ADD:
    case EU_OP_NOT:
    case EU_OP_AND:
    case EU_OP_OR:
    case EU_OP_XOR: return true;
    case EU_OP_SHL: return s == 0;
    default: return false;
    }
}

static enum jit_extension
extension_of(const struct eu_insn *insn, unsigned s)
{
    if (ignores_extension(insn, s))
        return JIT_NOT_EXTENDED;
    return eu_type_is_signed((enum eu_type)insn->src[s].type)
               ? JIT_SIGN_EXTENDED
               : JIT_ZERO_EXTENDED;
}

static struct x86_rm
load_immediate(struct jit *j, const uint32_t *value, const struct jit_part *p)
{
    uint32_t lanes[16] = {0};
    bool same = true;
    for (unsigned i = 0; i < 4u << p->len; i++) {
        lanes[i] = value[p->first + MIN2(i, p->lanes - 1)];
        same &= lanes[i] == lanes[0];
    }
    if (same)
        return jit_dword(j, lanes[0]);
    unsigned r = jit_temp(j);
    x86_vop(&j->x, X86_MOVUPS_LD, p->len, r, 0,
            x86_const(&j->x, lanes, 4u << p->len), 0);
    return x86_reg(r);
}

void
jit_immediate_lanes(const struct eu_insn *insn, const struct eu_operand *o,
                    uint32_t value[EU_MAX_LANES])
{
    for (unsigned i = 0; i < EU_MAX_LANES; i++) {
        unsigned element = eu_vector_element(insn, i);
        uint32_t nibble = (uint32_t)(o->imm >> element * 4) & 15;
        switch (o->type) {
        case EU_TYPE_V: value[i] = (uint32_t)((int)(nibble ^ 8) - 8); break;
        case EU_TYPE_UV: value[i] = nibble; break;
        case EU_TYPE_VF:
            value[i] = half_vf_to_f_bits((uint32_t)(o->imm >> i % 4 * 8) &
                                         0xff);
            break;
        case EU_TYPE_HF:
            value[i] = half_to_f_bits((uint32_t)o->imm & 0xffff);
            break;
        case EU_TYPE_W: value[i] = (uint32_t)(int16_t)o->imm; break;
        case EU_TYPE_UW: value[i] = (uint16_t)o->imm; break;
        default: value[i] = (uint32_t)o->imm; break;
        }
    }
}

static struct x86_rm
read_lanes(struct jit *j, const struct eu_op *op, unsigned s,
           const struct jit_part *p)
{
    const struct eu_operand *o = &op->insn->src[s];
    enum jit_extension extension = extension_of(op->insn, s);
    struct jit_region r;
    if (o->indirect) {
        unsigned d = jit_read_indirect(j, op, s, p);
        unsigned size_B = eu_type_size_B((enum eu_type)o->type);
        if (size_B < 4 && extension != JIT_NOT_EXTENDED)
            extract_bytes(j, d, d, p->len, 0, size_B,
                          extension == JIT_SIGN_EXTENDED);
        return x86_reg(d);
    }
    jit_describe(&r, op->insn, o, p);
    if (r.size_B == 4)
        return read_dwords(j, &r, p);
    return x86_reg(jit_read_narrow(j, &r, p, extension));
}

/* Fast path: the interpreter's fast path describes these operands
 * completely. */
static bool
read_plain(struct jit *j, const struct eu_op *op, unsigned s,
           const struct jit_part *p, struct x86_rm *rm)
{
    const struct eu_op_src *src = &op->src[s];
    if (op->fn == op->slow || (p->lanes == 1 && src->cls != EU_SRC_IMM))
        return false;
    switch (src->cls) {
    case EU_SRC_VEC:
        *rm = x86_reg(jit_vec(j, src->off_B + p->first * 4, p->lanes * 4));
        return true;
    case EU_SRC_SCALAR:
        if (~src->and_mask | src->xor_mask | src->plus)
            return false;
        *rm = jit_bcast(j, src->off_B);
        return true;
    case EU_SRC_IMM: *rm = jit_dword(j, src->imm); return true;
    default: return false;
    }
}

bool
jit_src_once(struct jit *j, const struct eu_op *op, unsigned s,
             const struct jit_part *p, struct x86_rm *rm)
{
    const struct eu_op_src *src = &op->src[s];
    unsigned off_B = src->off_B + p->first * 4, len_B = p->lanes * 4;
    if (!j->f->evex || op->fn == op->slow || src->cls != EU_SRC_VEC ||
        len_B != 16u << p->len || !jit_dies(j, off_B, len_B))
        return false;
    for (unsigned i = 0; i < op->insn->src_count; i++)
        if (i != s && op->src[i].off_B == src->off_B &&
            op->src[i].cls != EU_SRC_IMM)
            return false;
    if (jit_find(j, JIT_GRF, off_B, len_B) >= 0)
        return false;
    jit_sync(j, off_B, len_B);
    *rm = x86_thread(GRF_AT(off_B));
    return true;
}

struct x86_rm
jit_src_bare(struct jit *j, const struct eu_op *op, unsigned s,
             const struct jit_part *p)
{
    enum eu_type type = eu_operand_type(&op->insn->src[s]);
    if (type == EU_TYPE_HF)
        return x86_reg(jit_f16_to_float(j, op, s, p));
    struct x86_rm rm = read_lanes(j, op, s, p);
    if (type == EU_TYPE_F)
        return rm;
    unsigned r = jit_in_reg(j, rm, p->len), d = jit_temp(j);
    x86_vop(&j->x, type == EU_TYPE_UD ? X86_CVTUDQ2PS : X86_CVTDQ2PS, p->len, d,
            0, x86_reg(r), 0);
    return x86_reg(d);
}

struct x86_rm
jit_src_float(struct jit *j, const struct eu_op *op, unsigned s,
              const struct jit_part *p)
{
    const struct eu_operand *o = &op->insn->src[s];
    struct x86_rm plain;
    if (o->type == EU_TYPE_F &&
        (jit_src_once(j, op, s, p, &plain) || read_plain(j, op, s, p, &plain)))
        return plain;
    enum eu_type type = eu_operand_type(o);
    if (o->file == EU_FILE_IMM) {
        uint32_t value[EU_MAX_LANES];
        jit_immediate_lanes(op->insn, o, value);
        for (unsigned i = 0; i < EU_MAX_LANES; i++) {
            if (type == EU_TYPE_UD)
                value[i] = bits_from_float((float)value[i]);
            else if (!eu_type_is_float(type))
                value[i] = bits_from_float((float)(int32_t)value[i]);
            value[i] &= o->abs ? 0x7fffffff : UINT32_MAX;
            value[i] ^= o->negate ? 0x80000000 : 0;
        }
        return load_immediate(j, value, p);
    }

    struct x86_rm rm = jit_src_bare(j, op, s, p);
    if (!o->abs && !o->negate)
        return rm;
    unsigned r = jit_in_reg(j, rm, p->len), d = jit_temp(j);
    enum x86_vop vop = !o->abs ? X86_XORPS : o->negate ? X86_ORPS : X86_ANDPS;
    uint32_t bits = o->negate ? 0x80000000 : 0x7fffffff;
    struct x86_rm sign = jit_dword(j, bits);
    x86_vop(&j->x, vop, p->len, d, r, sign, 0);
    return x86_reg(d);
}

static struct x86_rm
modify_int(struct jit *j, const struct eu_op *op, unsigned s, struct x86_rm rm,
           const struct jit_part *p)
{
    const struct eu_operand *o = &op->insn->src[s];
    enum eu_type type = eu_operand_type(o);
    bool is_signed = eu_type_is_signed(type);
    unsigned r = jit_in_reg(j, rm, p->len), d = jit_temp(j);
    if (is_logic(op->insn)) {
        struct x86_rm ones = jit_dword(j, UINT32_MAX);
        x86_vop(&j->x, X86_PXOR, p->len, d, r, ones, 0);
        return x86_reg(d);
    }
    if (o->abs && is_signed) {
        x86_vop(&j->x, X86_PABSD, p->len, d, 0, x86_reg(r), 0);
        r = d;
    }
    if (o->negate) {
        unsigned zero = jit_temp(j);
        x86_vop(&j->x, X86_PXOR, 0, zero, zero, x86_reg(zero), 0);
        x86_vop(&j->x, X86_PSUBD, p->len, d, zero, x86_reg(r), 0);
        r = d;
    }
    /* As in interp/convert.c. */
    if (is_signed && eu_negated_type(op->insn, type) == EU_TYPE_W) {
        x86_vop_imm(&j->x, X86_PSHIFTD_IMM, p->len, 6, d, x86_reg(r), 0, 16);
        x86_vop_imm(&j->x, X86_PSHIFTD_IMM, p->len, 4, d, x86_reg(d), 0, 16);
        r = d;
    }
    return x86_reg(r);
}

struct x86_rm
jit_src_int(struct jit *j, const struct eu_op *op, unsigned s,
            const struct jit_part *p)
{
    const struct eu_operand *o = &op->insn->src[s];
    struct x86_rm plain;
    if (read_plain(j, op, s, p, &plain))
        return plain;
    enum eu_type type = eu_operand_type(o);
    if (o->file == EU_FILE_IMM) {
        uint32_t value[EU_MAX_LANES];
        jit_immediate_lanes(op->insn, o, value);
        for (unsigned i = 0; i < EU_MAX_LANES; i++) {
            if (is_logic(op->insn)) {
                value[i] = o->negate ? ~value[i] : value[i];
                continue;
            }
            if (o->abs && (int32_t)value[i] < 0 && eu_type_is_signed(type))
                value[i] = -value[i];
            if (o->negate)
                value[i] = -value[i];
            if (type == EU_TYPE_W &&
                eu_negated_type(op->insn, type) == EU_TYPE_W)
                value[i] = (uint32_t)(int16_t)value[i];
        }
        return load_immediate(j, value, p);
    }
    struct x86_rm rm = read_lanes(j, op, s, p);
    return o->abs || o->negate ? modify_int(j, op, s, rm, p) : rm;
}
