/* symexec.c: symbolic execution: runs a kernel on expressions. */
#include <stdlib.h>

#include "eu/summary/symexec_state.h"
#include "eu/isa/eu_opcodes.h"

/* ---- operands ----------------------------------------------------------- */

static struct cell
immediate_cell(struct finder *f, const struct eu_operand *o, unsigned channel)
{
    struct symbol key = {.kind = SYMBOL_IMM, .type = o->type, .value = o->imm};
    if (o->type == EU_TYPE_V || o->type == EU_TYPE_UV)
        key.value = o->imm >> channel % 8 * 4 & 15;
    else if (o->type == EU_TYPE_VF)
        key.value = o->imm >> channel % 4 * 8 & 255;
    if (o->type == EU_TYPE_VF && !key.value)
        key.type = EU_TYPE_F;
    return (struct cell){symexec_number(f, &key), ALL_LANES, 0};
}

static struct cell
read_source(struct finder *f, const struct eu_insn *insn, unsigned n,
            unsigned channel)
{
    const struct eu_operand *o = &insn->src[n];
    const struct cell none = {0};
    if (o->file == EU_FILE_IMM)
        return immediate_cell(f, o, channel);
    if (o->file != EU_FILE_GRF || o->indirect)
        return none;
    unsigned size_B = eu_type_size_B(o->type), element;
    if (insn->src_count == 3) {
        if (!o->rep_ctrl && o->swizzle != 0xe4)
            return none;
        element = o->rep_ctrl ? 0 : channel;
    } else {
        if (!o->width || o->vstride == EU_VSTRIDE_VXH)
            return none;
        element = channel / o->width * o->vstride +
                  channel % o->width * o->hstride;
    }
    return symexec_read_cell(
        f, o->reg * EU_GRF_B + o->subreg_B + element * size_B, size_B);
}

/* ---- operations --------------------------------------------------------- */

/* Position of a quad's corner plus an offset from a packed immediate. */
static bool
pixel_position(struct finder *f, const struct eu_insn *insn,
               const struct cell src[3], struct cell *out)
{
    const struct symbol *quad = &f->out->symbol[src[0].symbol];
    const struct symbol *offset = &f->out->symbol[src[1].symbol];
    if ((quad->kind != SYMBOL_QUAD_X && quad->kind != SYMBOL_QUAD_Y) ||
        insn->opcode != EU_OP_ADD || offset->kind != SYMBOL_IMM ||
        (offset->type != EU_TYPE_V && offset->type != EU_TYPE_UV) ||
        offset->value > 1 || !insn->no_mask || insn->saturate ||
        insn->dst.type != EU_TYPE_UW || insn->src[0].type != EU_TYPE_UW ||
        insn->src[0].negate || insn->src[0].abs)
        return false;
    bool is_x = quad->kind == SYMBOL_QUAD_X;
    unsigned first = (unsigned)quad->value * 4;
    unsigned lanes = is_x ? 5u << offset->value : 3u << 2 * offset->value;
    struct symbol key = {.kind = is_x ? SYMBOL_X : SYMBOL_Y};
    *out = (struct cell){symexec_number(f, &key), (uint16_t)(lanes << first),
                         0};
    return true;
}

static bool
is_copy(const struct eu_insn *insn)
{
    const struct eu_operand *s = &insn->src[0];
    unsigned from = s->type == EU_TYPE_VF && !s->imm ? EU_TYPE_F : s->type;
    return insn->opcode == EU_OP_MOV && !insn->saturate && !s->abs &&
           !s->negate &&
           (from == insn->dst.type ||
            (from <= EU_TYPE_D && insn->dst.type <= EU_TYPE_D));
}

static struct cell
operate_lane(struct finder *f, const struct eu_insn *insn, unsigned channel)
{
    struct cell src[3] = {{0}}, out;
    struct symbol key = {.kind = SYMBOL_OP,
                         .opcode = insn->opcode,
                         .saturate = insn->saturate,
                         .type = insn->dst.type};
    uint16_t lanes = ALL_LANES;
    /* A comparison's result is in its condition. */
    if (insn->opcode == EU_OP_CMP)
        key.cmod = insn->cmod;
    for (unsigned i = 0; i < insn->src_count; i++) {
        src[i] = read_source(f, insn, i, channel);
        key.src[i] = src[i].symbol;
        key.src_type[i] = type_code(insn->src[i].type);
        key.modifier[i] = (uint8_t)(insn->src[i].abs | insn->src[i].negate
                                                           << 1);
        lanes &= src[i].lanes;
    }
    if (pixel_position(f, insn, src, &out))
        return out;
    if (is_copy(insn))
        return (struct cell){src[0].symbol, lanes, 0};
    return (struct cell){symexec_number(f, &key), lanes, 0};
}

static bool
is_simple(unsigned opcode)
{
    switch (opcode) {
    case EU_OP_MOV:
    case EU_OP_NOT:
    case EU_OP_AND:
    case EU_OP_OR:
    case EU_OP_XOR:
    case EU_OP_SHR:
    case EU_OP_SHL:
    case EU_OP_ASR:
    case EU_OP_CMP:
    case EU_OP_ADD:
    case EU_OP_MUL:
    case EU_OP_MAD:
    case EU_OP_RNDU:
    case EU_OP_RNDD:
    case EU_OP_RNDE:
    case EU_OP_RNDZ: return true;
    default: return false;
    }
}

static bool
is_null(const struct eu_operand *o)
{
    return o->file == EU_FILE_ARF && (o->reg & 0xf0) == EU_ARF_NULL;
}

/* The flag that an operation's result sets. */
static void
set_flag(struct finder *f, const struct eu_insn *insn, unsigned lane,
         struct cell result)
{
    struct symbol key = {
        .kind = SYMBOL_FLAG,
        .cmod = insn->cmod,
        .type = insn->dst.type,
        .src = {result.symbol},
        .src_type = {type_code(insn->dst.type)},
    };
    f->mask_flags &= (uint8_t) ~(1u << (insn->flag & 3));
    f->now.flag[insn->flag & 3][lane] = (struct cell){symexec_number(f, &key),
                                                      result.lanes, 0};
}

/* A move of the payload's mask to a flag: its predicate leaves out lanes that
 * the thread was not dispatched for. */
static bool
move_mask(struct finder *f, const struct eu_insn *insn)
{
    const struct eu_operand *dst = &insn->dst, *src = &insn->src[0];
    if (insn->opcode != EU_OP_MOV || dst->file != EU_FILE_ARF ||
        (dst->reg & 0xf0) != EU_ARF_F || dst->type != EU_TYPE_UW ||
        insn->exec_size != 1 || !insn->no_mask || insn->pred_ctrl ||
        insn->cmod || insn->acc_wr || insn->saturate || insn->align16 ||
        f->branch.open || dst->indirect || src->type != EU_TYPE_UW ||
        src->abs || src->negate)
        return false;
    struct cell c = read_source(f, insn, 0, 0);
    unsigned flag = (dst->reg & 1) * 2 + dst->subreg_B / 2 % 2;
    if (f->out->symbol[c.symbol].kind != SYMBOL_MASK)
        return false;
    f->mask_flags |= (uint8_t)(1u << flag);
    memset(f->now.flag[flag], 0, sizeof f->now.flag[flag]);
    return true;
}

static void
run_alu(struct finder *f, const struct eu_insn *insn)
{
    const struct eu_operand *dst = &insn->dst;
    if (move_mask(f, insn))
        return;
    bool grf = dst->file == EU_FILE_GRF && !dst->indirect;
    if (!is_simple(insn->opcode) || insn->pred_ctrl || insn->acc_wr ||
        (insn->align16 && insn->src_count != 3) ||
        (insn->src_count == 3 && dst->writemask != 0xf) ||
        (!grf && !is_null(dst)) || (insn->no_mask && f->branch.open) ||
        (insn->cmod && (insn->no_mask || insn->src_count == 3))) {
        f->failed = true;
        return;
    }
    struct cell result[32];
    for (unsigned i = 0; i < insn->exec_size; i++) {
        unsigned lane = (insn->chan_offset + i) & 31;
        result[i] = operate_lane(f, insn, i);
        if (!insn->no_mask)
            result[i].lanes &= (uint16_t)(lane < LANES ? 1u << lane : 0);
        if (insn->cmod && lane < LANES)
            set_flag(f, insn, lane, result[i]);
    }
    unsigned size_B = eu_type_size_B(dst->type);
    unsigned step = insn->src_count == 3 ? 1 : dst->hstride;
    for (unsigned i = 0; grf && i < insn->exec_size; i++)
        symexec_write_cell(
            f, dst->reg * EU_GRF_B + dst->subreg_B + i * step * size_B, size_B,
            result[i]);
}

/* ---- messages ----------------------------------------------------------- */

/* The value of all lanes from `first` on in a payload register, of a payload in
 * up to two parts; 0 if lanes differ. */
static uint16_t
payload_lanes(struct finder *f, const struct eu_insn *insn, unsigned grf,
              unsigned first, unsigned count)
{
    unsigned mlen = bits_get(insn->desc, 25, 28), symbol = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned n = grf + i / 8;
        unsigned reg = n < mlen ? insn->src[0].reg + n
                                : insn->src[1].reg + n - mlen;
        struct cell c = symexec_read_cell(f, reg * EU_GRF_B + i % 8 * 4, 4);
        if (!(c.lanes >> (first + i) & 1) || (i && c.symbol != symbol))
            return 0;
        symbol = c.symbol;
    }
    return (uint16_t)symbol;
}

static uint16_t
payload_symbols(struct finder *f, const struct eu_insn *insn, unsigned grf)
{
    return payload_lanes(f, insn, grf, 0, f->simd);
}

static unsigned
payload_grf(const struct eu_insn *insn)
{
    bool split = insn->opcode == EU_OP_SENDS || insn->opcode == EU_OP_SENDSC;
    return bits_get(insn->desc, 25, 28) +
           (split ? bits_get(insn->ex_desc, 6, 9) : 0);
}

/* Whether the message is for all lanes of the thread, and static. */
static bool
is_plain_message(const struct finder *f, const struct eu_insn *insn)
{
    return !insn->desc_is_reg && !insn->ex_desc_is_reg && !insn->pred_ctrl &&
           !insn->src[0].indirect && !insn->src[1].indirect &&
           insn->src[0].file == EU_FILE_GRF && insn->exec_size == f->simd &&
           !insn->chan_offset && !insn->no_mask &&
           !bits_get(insn->desc, 19, 19); /* header */
}

static void
sampler_message(struct finder *f, const struct eu_insn *insn)
{
    enum { SIMD8 = 1, SIMD16 = 2 };
    struct symbols *s = f->out;
    unsigned width = f->simd / 8, answer = bits_get(insn->desc, 20, 24);
    unsigned simd = bits_get(insn->desc, 17, 18) | bits_get(insn->desc, 29, 30)
                                                       << 2;
    if (insn->eot || simd != (width == 2 ? SIMD16 : SIMD8) ||
        s->fetch_count == SYMBOL_FETCHES || insn->dst.indirect ||
        insn->dst.file != EU_FILE_GRF) {
        f->failed = true;
        return;
    }
    struct symexec_fetch *fetch = &s->fetch[s->fetch_count];
    *fetch = (struct symexec_fetch){
        .type = (uint8_t)bits_get(insn->desc, 12, 16),
        .bti = (uint8_t)bits_get(insn->desc, 0, 7),
        .sampler = (uint8_t)bits_get(insn->desc, 8, 11),
    };
    unsigned count = payload_grf(insn) / width;
    for (unsigned i = 0; i < MIN2(count, SYMBOL_PARAMS); i++)
        fetch->param[fetch->params++] = payload_symbols(f, insn, i * width);
    for (unsigned i = 0; i < answer * 8; i++) {
        unsigned channel = i / f->simd, lane = i % f->simd;
        struct symbol key = {.kind = SYMBOL_TEXEL,
                             .value = s->fetch_count * 4 + channel};
        struct cell c = {symexec_number(f, &key), (uint16_t)(1u << lane), 4};
        if (channel >= 4)
            c = (struct cell){0};
        symexec_write_cell(f, insn->dst.reg * EU_GRF_B + i * 4, 4, c);
    }
    s->fetch_count++;
}

/* KBL PRM vol 2d, render target write descriptor. */
static void
render_message(struct finder *f, const struct eu_insn *insn)
{
    enum { WRITE = 12, SIMD16 = 0, REPLICATED = 1, SIMD8 = 4 };
    unsigned type = bits_get(insn->desc, 8, 10), width = f->simd / 8;
    bool replicated = type == REPLICATED && f->simd == 16;
    bool whole = type == (f->simd == 16 ? SIMD16 : SIMD8);
    if (!insn->eot || f->branch.open || bits_get(insn->desc, 14, 17) != WRITE ||
        bits_get(insn->desc, 11, 11) || bits_get(insn->desc, 29, 31) ||
        (!replicated && !whole) ||
        payload_grf(insn) != (replicated ? 1 : 4 * width)) {
        f->failed = true;
        return;
    }
    f->out->write_bti = bits_get(insn->desc, 0, 7);
    for (unsigned c = 0; c < 4; c++) {
        if (!replicated) {
            f->out->color[c] = payload_symbols(f, insn, c * width);
            continue;
        }
        struct cell one = symexec_read_cell(
            f, insn->src[0].reg * EU_GRF_B + c * 4, 4);
        f->out->color[c] = one.lanes == ALL_LANES ? one.symbol : 0;
    }
    f->written = true;
}

/* Whether all lanes that were dispatched take part in a message of eight. */
static bool
is_store_mask(const struct finder *f, const struct eu_insn *insn)
{
    bool mask = insn->pred_ctrl == 1 && !insn->pred_inv &&
                (f->mask_flags >> (insn->flag & 3) & 1);
    return insn->exec_size == 8 && !insn->no_mask &&
           (insn->chan_offset == 0 || insn->chan_offset == 8) &&
           insn->chan_offset < f->simd && (!insn->pred_ctrl || mask);
}

/* KBL PRM vol 2d, typed surface write: one address, four channels,
 * no header. A SIMD16 thread sends one message for each half. */
static void
store_message(struct finder *f, const struct eu_insn *insn)
{
    enum { TYPED_WRITE = 13, GRFS = 5 };
    struct symexec_store *s = &f->out->store, now = {0};
    unsigned first = insn->chan_offset;
    if (insn->eot || f->branch.open || insn->desc_is_reg ||
        insn->ex_desc_is_reg || insn->src[0].indirect ||
        insn->src[1].indirect || insn->src[0].file != EU_FILE_GRF ||
        !is_store_mask(f, insn) || s->lanes >> first & 1 ||
        bits_get(insn->desc, 14, 18) != TYPED_WRITE ||
        bits_get(insn->desc, 12, 13) != (first ? 2 : 1) ||
        bits_get(insn->desc, 8, 11) || bits_get(insn->desc, 19, 24) ||
        payload_grf(insn) != GRFS) {
        f->failed = true;
        return;
    }
    now.bti = (uint16_t)bits_get(insn->desc, 0, 7);
    now.at = payload_lanes(f, insn, 0, first, 8);
    for (unsigned c = 0; c < 4; c++)
        now.data[c] = payload_lanes(f, insn, 1 + c, first, 8);
    now.lanes = s->lanes;
    if (s->lanes && memcmp(s, &now, sizeof now))
        f->failed = true;
    *s = now;
    s->lanes |= (uint16_t)(0xff << first);
}

/* A replicated write may execute without mask. */
static void
run_message(struct finder *f, const struct eu_insn *insn)
{
    struct eu_insn masked = *insn;
    if (insn->sfid == EU_SFID_RENDER && bits_get(insn->desc, 8, 10) == 1)
        masked.no_mask = false;
    if (payload_grf(insn) > bits_get(insn->desc, 25, 28) &&
        insn->src[1].file != EU_FILE_GRF)
        f->failed = true;
    else if (insn->sfid == EU_SFID_DC1)
        store_message(f, insn);
    else if (!is_plain_message(f, &masked))
        f->failed = true;
    else if (insn->sfid == EU_SFID_SAMPLER)
        sampler_message(f, insn);
    else if (insn->sfid == EU_SFID_RENDER)
        render_message(f, insn);
    else
        f->failed = true;
}

/* ---- branches ----------------------------------------------------------- */

/* One IF at a time; follows both sides. */
static void
branch_if(struct finder *f, const struct eu_insn *insn)
{
    struct branch *b = &f->branch;
    if (b->open || insn->pred_ctrl != 1 || insn->pred_inv ||
        insn->exec_size != f->simd || insn->no_mask || insn->branch_ctrl) {
        f->failed = true;
        return;
    }
    b->open = true;
    b->in_else = false;
    b->else_at = insn->offset_B + (uint32_t)insn->jip;
    b->end_at = insn->offset_B + (uint32_t)insn->uip;
    b->before = f->now;
    memcpy(b->condition, f->now.flag[insn->flag & 3], sizeof b->condition);
}

static void
branch_else(struct finder *f, const struct eu_insn *insn)
{
    struct branch *b = &f->branch;
    if (!b->open || b->in_else || insn->branch_ctrl ||
        insn->offset_B + insn->length_B != b->else_at ||
        insn->offset_B + (uint32_t)insn->jip != b->end_at) {
        f->failed = true;
        return;
    }
    b->in_else = true;
    b->then = f->now;
    f->now = b->before;
}

static struct cell
choose_lanes(struct finder *f, struct cell a, struct cell b)
{
    uint16_t lanes = a.lanes & b.lanes;
    if (a.symbol == b.symbol && a.size_B == b.size_B)
        return (struct cell){a.symbol, lanes, a.size_B};
    /* Merges different values only in cells that belong to one lane. */
    if (a.size_B != b.size_B || a.size_B == ANY_SIZE || !a.size_B || !lanes ||
        lanes & (lanes - 1))
        return (struct cell){0};
    struct cell condition = f->branch.condition[__builtin_ctz(lanes)];
    if (!(condition.lanes & lanes))
        return (struct cell){0};
    struct symbol key = {.kind = SYMBOL_CHOOSE,
                         .src = {condition.symbol, a.symbol, b.symbol},
                         .src_type = {1, 1, 1}};
    return (struct cell){symexec_number(f, &key), lanes, a.size_B};
}

static void
branch_end(struct finder *f, const struct eu_insn *insn)
{
    struct branch *b = &f->branch;
    if (!b->open || !b->in_else || insn->offset_B != b->end_at) {
        f->failed = true;
        return;
    }
    b->open = false;
    for (unsigned i = 0; i < CELLS; i++)
        f->now.cell[i] = choose_lanes(f, b->then.cell[i], f->now.cell[i]);
    memset(f->now.flag, 0, sizeof f->now.flag);
}

/* ---- the kernel --------------------------------------------------------- */

static void
run_step(struct finder *f, const struct eu_insn *insn)
{
    switch (insn->opcode) {
    case EU_OP_NOP: break;
    case EU_OP_IF: branch_if(f, insn); break;
    case EU_OP_ELSE: branch_else(f, insn); break;
    case EU_OP_ENDIF: branch_end(f, insn); break;
    case EU_OP_SEND:
    case EU_OP_SENDC:
    case EU_OP_SENDS:
    case EU_OP_SENDSC: run_message(f, insn); break;
    default: run_alu(f, insn); break;
    }
}

bool
symexec_run(struct symbols *out, const void *code, size_t code_B,
            enum eu_gen gen, unsigned simd, unsigned grf_start)
{
    struct finder *f = simd == 8 || simd == 16 ? malloc(sizeof *f) : NULL;
    if (!f)
        return false;
    memset(f, 0, sizeof *f);
    memset(out, 0, sizeof *out);
    out->count = 1;
    out->symbol[0].depends = DEPENDS_ON_MORE;
    f->out = out;
    f->simd = simd;
    symexec_init_cells(f, grf_start);
    for (size_t at = 0; !f->failed && !f->written;) {
        struct eu_insn insn;
        unsigned length = at < code_B
                              ? eu_decode(&insn, (const uint8_t *)code + at,
                                          code_B - at, gen, NULL)
                              : 0;
        if (!length)
            break;
        insn.offset_B = (uint32_t)at;
        run_step(f, &insn);
        at += length;
    }
    bool found = f->written && !f->failed;
    free(f);
    return found;
}
