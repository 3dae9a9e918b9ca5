/* test_coverage.c: checks that every row of the instruction tables has vectors.
 *
 * test_coverage EXEMPT FILE...
 *
 * Walks the opcodes, their type rules and capabilities. Fails for a combination
 * without a vector, unless a line of EXEMPT gives a reason, and for lines of
 * EXEMPT that exempt nothing. Writes TAP, a line per opcode. */
#include <fnmatch.h>
#include <stdlib.h>

#include "eu/isa/eu_opcodes.h"
#include "eu/isa/tables.h"
#include "vectors.h"

#define MAX_RULES 32
#define MAX_EXEMPT 512
#define MAX_CLASSES 64

struct covered {
    const struct eu_insn *insn;
    const struct isa_op *op;
    uint32_t cr0;
};

typedef bool (*class_fn)(const struct covered *c);

/* ---- classes of modifiers ---- */

static bool
is_source(const struct covered *c, unsigned n)
{
    return n < c->insn->src_count && c->insn->src[n].file != EU_FILE_IMM;
}

/* The encoded modifier: 1 abs, 2 negate, 3 both. The decoder drops modifiers
 * that logic instructions ignore. */
static bool
modifier(const struct covered *c, unsigned n, unsigned mod)
{
    if (!is_source(c, n))
        return false;
    if (c->op->caps & ISA_CAP_LOGIC && n < 2)
        return bits_get(c->insn->raw[2 + n], 13, 14) == mod;
    const struct eu_operand *o = &c->insn->src[n];
    return o->abs + 2 * o->negate == (int)mod;
}

#define MODIFIER(n, mod)                                   \
    static bool src##n##_mod##mod(const struct covered *c) \
    {                                                      \
        return modifier(c, n, mod);                        \
    }
MODIFIER(0, 1)
MODIFIER(0, 2)
MODIFIER(0, 3)
MODIFIER(1, 1)
MODIFIER(1, 2)
MODIFIER(1, 3)
MODIFIER(2, 1)
MODIFIER(2, 2)
MODIFIER(2, 3)
#undef MODIFIER

#define CMOD(name, value)                            \
    static bool cmod_##name(const struct covered *c) \
    {                                                \
        return c->insn->cmod == (value);             \
    }
CMOD(z, EU_CMOD_Z)
CMOD(nz, EU_CMOD_NZ)
CMOD(g, EU_CMOD_G)
CMOD(ge, EU_CMOD_GE)
CMOD(l, EU_CMOD_L)
CMOD(le, EU_CMOD_LE)
CMOD(o, EU_CMOD_O)
CMOD(u, EU_CMOD_U)
#undef CMOD

#define SIZE(n)                                   \
    static bool size_##n(const struct covered *c) \
    {                                             \
        return c->insn->exec_size == (n);         \
    }
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)
SIZE(32)
#undef SIZE

#define CHANNEL(n)                                   \
    static bool channel_##n(const struct covered *c) \
    {                                                \
        return c->insn->chan_offset == (n);          \
    }
CHANNEL(4)
CHANNEL(8)
CHANNEL(16)
CHANNEL(24)
#undef CHANNEL

#define FLAG(n)                                            \
    static bool pred_flag_##n(const struct covered *c)     \
    {                                                      \
        return c->insn->pred_ctrl && c->insn->flag == (n); \
    }                                                      \
    static bool cmod_flag_##n(const struct covered *c)     \
    {                                                      \
        return c->insn->cmod && c->insn->flag == (n);      \
    }
FLAG(0)
FLAG(1)
FLAG(2)
FLAG(3)
#undef FLAG

static bool
saturates(const struct covered *c)
{
    return c->insn->saturate;
}

static bool
pred_plain(const struct covered *c)
{
    return c->insn->pred_ctrl && !c->insn->pred_inv;
}

static bool
pred_inverted(const struct covered *c)
{
    return c->insn->pred_ctrl && c->insn->pred_inv;
}

static bool
no_mask(const struct covered *c)
{
    return c->insn->no_mask;
}

static bool
branch_ctrl(const struct covered *c)
{
    return c->insn->branch_ctrl;
}

static bool
immediate(const struct covered *c)
{
    const struct eu_insn *insn = c->insn;
    return insn->src_count &&
           insn->src[insn->src_count - 1].file == EU_FILE_IMM;
}

static bool
immediate_of(const struct covered *c, enum eu_type type)
{
    return immediate(c) && c->insn->src[c->insn->src_count - 1].type == type;
}

static bool
immediate_v(const struct covered *c)
{
    return immediate_of(c, EU_TYPE_V);
}

static bool
immediate_uv(const struct covered *c)
{
    return immediate_of(c, EU_TYPE_UV);
}

static bool
immediate_vf(const struct covered *c)
{
    return immediate_of(c, EU_TYPE_VF);
}

static bool
stride_2(const struct covered *c)
{
    return c->insn->dst.hstride == 2;
}

static bool
null_dst(const struct covered *c)
{
    return c->insn->dst.file == EU_FILE_ARF && c->insn->dst.reg == EU_ARF_NULL;
}

static bool
scalar_source(const struct covered *c)
{
    for (unsigned n = 0; n < c->insn->src_count; n++) {
        const struct eu_operand *o = &c->insn->src[n];
        if (is_source(c, n) && !o->indirect && !o->vstride && !o->hstride)
            return true;
    }
    return false;
}

/* A region whose rows are not contiguous. */
static bool
row_source(const struct covered *c)
{
    for (unsigned n = 0; n < c->insn->src_count; n++) {
        const struct eu_operand *o = &c->insn->src[n];
        if (is_source(c, n) && !o->indirect && o->width > 1 &&
            o->vstride != o->width * o->hstride)
            return true;
    }
    return false;
}

static bool
indirect_dst(const struct covered *c)
{
    return c->insn->dst.indirect;
}

static bool
any_indirect(const struct covered *c, bool per_row, bool per_channel)
{
    for (unsigned n = 0; n < c->insn->src_count; n++) {
        const struct eu_operand *o = &c->insn->src[n];
        bool vxh = o->vstride == EU_VSTRIDE_VXH;
        if (is_source(c, n) && o->indirect &&
            (vxh ? (o->width > 1 ? per_row : per_channel)
                 : !per_row && !per_channel))
            return true;
    }
    return false;
}

static bool
indirect_source(const struct covered *c)
{
    return any_indirect(c, false, false);
}

static bool
indirect_vxh(const struct covered *c)
{
    return any_indirect(c, true, false);
}

static bool
indirect_vx1(const struct covered *c)
{
    return any_indirect(c, false, true);
}

static bool
is_acc(const struct eu_operand *o)
{
    return o->file == EU_FILE_ARF && (o->reg & 0xf0) == EU_ARF_ACC;
}

static bool
acc_source(const struct covered *c)
{
    return c->insn->src_count && is_acc(&c->insn->src[0]);
}

static bool
acc_dst(const struct covered *c)
{
    return is_acc(&c->insn->dst);
}

static bool
acc_write(const struct covered *c)
{
    return c->insn->acc_wr;
}

static bool
align16_swizzle(const struct covered *c)
{
    return c->insn->align16 && c->insn->src[0].swizzle != 0xe4;
}

static bool
align16_mask(const struct covered *c)
{
    return c->insn->align16 && c->insn->dst.writemask != 15;
}

static bool
replicates(const struct covered *c)
{
    return c->insn->src[0].rep_ctrl || c->insn->src[1].rep_ctrl ||
           c->insn->src[2].rep_ctrl;
}

static bool
always(const struct covered *c)
{
    (void)c;
    return true;
}

/* Classes that an opcode needs, by forms and capabilities; and how often. */
#define ALU (1u << ISA_BASIC | 1u << ISA_TERNARY | 1u << ISA_MATH)
#define ALIGN1 (1u << ISA_BASIC)
#define TERNARY (1u << ISA_TERNARY)
#define OTHERS (~ALU)

/* 64-bit immediates belong to mov, which has rules of smaller types too. */
#define SMALL \
    (1 << EU_TYPE_UB | 1 << EU_TYPE_B | 1 << EU_TYPE_UW | 1 << EU_TYPE_W)
#define IMMEDIATES                                                         \
    (1 << EU_TYPE_UW | 1 << EU_TYPE_W | 1 << EU_TYPE_UD | 1 << EU_TYPE_D | \
     1 << EU_TYPE_F | 1 << EU_TYPE_HF)

static const struct feature {
    const char *name;
    class_fn fn;
    uint32_t forms;    /* bit per enum isa_form */
    uint8_t caps;      /* enum isa_cap, any one; 0: every opcode */
    uint8_t sources;   /* at least */
    bool per_rule;     /* for every type rule, not once per opcode */
    uint16_t src, dst; /* a rule must have one of these types; 0: any */
} classes[] = {
    {"any", always, ~0u, 0, 0, false, 0, 0},
    {"types", always, ALU, 0, 0, true, 0, 0},
    {"sat", saturates, ALU, ISA_CAP_SAT, 0, true, 0, 0},
    {"pred", pred_plain, ~0u, ISA_CAP_PRED, 0, true, 0, 0},
    {"pred-inverted", pred_inverted, ~0u, ISA_CAP_PRED, 0, true, 0, 0},
    {"cmod=z", cmod_z, ALU, ISA_CAP_CMOD, 0, true, 0, 0},
    {"cmod=nz", cmod_nz, ALU, ISA_CAP_CMOD, 0, true, 0, 0},
    {"cmod=g", cmod_g, ALU, ISA_CAP_CMOD, 0, true, 0, 0},
    {"cmod=ge", cmod_ge, ALU, ISA_CAP_CMOD, 0, true, 0, 0},
    {"cmod=l", cmod_l, ALU, ISA_CAP_CMOD, 0, true, 0, 0},
    {"cmod=le", cmod_le, ALU, ISA_CAP_CMOD, 0, true, 0, 0},
    {"cmod=o", cmod_o, ALU, ISA_CAP_CMOD, 0, true, 0, 0},
    {"cmod=u", cmod_u, ALU, ISA_CAP_CMOD, 0, true, 0, 0},
    {"src0=abs", src0_mod1, ALU, ISA_CAP_SRC_MOD | ISA_CAP_LOGIC, 1, true, 0,
     0},
    {"src0=neg", src0_mod2, ALU, ISA_CAP_SRC_MOD | ISA_CAP_LOGIC, 1, true, 0,
     0},
    {"src0=negabs", src0_mod3, ALU, ISA_CAP_SRC_MOD | ISA_CAP_LOGIC, 1, true, 0,
     0},
    {"src1=abs", src1_mod1, ALU, ISA_CAP_SRC_MOD | ISA_CAP_LOGIC, 2, true, 0,
     0},
    {"src1=neg", src1_mod2, ALU, ISA_CAP_SRC_MOD | ISA_CAP_LOGIC, 2, true, 0,
     0},
    {"src1=negabs", src1_mod3, ALU, ISA_CAP_SRC_MOD | ISA_CAP_LOGIC, 2, true, 0,
     0},
    {"src2=abs", src2_mod1, ALU, ISA_CAP_SRC_MOD, 3, true, 0, 0},
    {"src2=neg", src2_mod2, ALU, ISA_CAP_SRC_MOD, 3, true, 0, 0},
    {"src2=negabs", src2_mod3, ALU, ISA_CAP_SRC_MOD, 3, true, 0, 0},
    {"imm", immediate, ALIGN1 | 1u << ISA_MATH, 0, 1, true, IMMEDIATES, 0},
    {"size=1", size_1, ALU, 0, 1, false, 0, 0},
    {"size=2", size_2, ALU, 0, 1, false, 0, 0},
    {"size=4", size_4, ALU, 0, 1, false, 0, 0},
    {"size=8", size_8, ALU, 0, 1, false, 0, 0},
    {"size=16", size_16, ALU, 0, 1, false, 0, 0},
    {"size=32", size_32, ALIGN1, 0, 1, false, SMALL, SMALL},
    {"chan=4", channel_4, ALU, 0, 1, false, 0, 0},
    {"chan=8", channel_8, ALU, 0, 1, false, 0, 0},
    {"chan=16", channel_16, ALU, 0, 1, false, 0, 0},
    {"chan=24", channel_24, ALU, 0, 1, false, 0, 0},
    {"nomask", no_mask, ALU | 1u << ISA_SEND | 1u << ISA_SENDS, 0, 1, false, 0,
     0},
    {"pred=f0.0", pred_flag_0, ALU, ISA_CAP_PRED, 0, false, 0, 0},
    {"pred=f0.1", pred_flag_1, ALU, ISA_CAP_PRED, 0, false, 0, 0},
    {"pred=f1.0", pred_flag_2, ALU, ISA_CAP_PRED, 0, false, 0, 0},
    {"pred=f1.1", pred_flag_3, ALU, ISA_CAP_PRED, 0, false, 0, 0},
    {"cmod=f0.0", cmod_flag_0, ALU, ISA_CAP_CMOD, 0, false, 0, 0},
    {"cmod=f0.1", cmod_flag_1, ALU, ISA_CAP_CMOD, 0, false, 0, 0},
    {"cmod=f1.0", cmod_flag_2, ALU, ISA_CAP_CMOD, 0, false, 0, 0},
    {"cmod=f1.1", cmod_flag_3, ALU, ISA_CAP_CMOD, 0, false, 0, 0},
    {"imm=v", immediate_v, ALIGN1, 0, 1, false, 1 << EU_TYPE_W, 0},
    {"imm=uv", immediate_uv, ALIGN1, 0, 1, false, 1 << EU_TYPE_UW, 0},
    {"imm=vf", immediate_vf, ALIGN1, 0, 1, false, 1 << EU_TYPE_F, 0},
    {"stride=2", stride_2, ALIGN1, 0, 1, false, 0, 0},
    {"dst=null", null_dst, ALIGN1, ISA_CAP_CMOD, 0, false, 0, 0},
    {"src=scalar", scalar_source, ALIGN1 | 1u << ISA_MATH, 0, 1, false, 0, 0},
    {"src=rows", row_source, ALIGN1, 0, 1, false, 0, 0},
    {"dst=indirect", indirect_dst, ALIGN1, 0, 1, false, 0, 0},
    {"src=indirect", indirect_source, ALIGN1, 0, 1, false, 0, 0},
    {"src=vxh", indirect_vxh, ALIGN1, 0, 1, false, 0, 0},
    {"src=vx1", indirect_vx1, ALIGN1, 0, 1, false, 0, 0},
    {"src=acc", acc_source, ALIGN1, 0, 1, false, 0, 0},
    {"dst=acc", acc_dst, ALIGN1, 0, 1, false, 0, 0},
    {"accwr", acc_write, ALIGN1, 0, 1, false, 0, 0},
    {"align16=swizzle", align16_swizzle, ALIGN1 | TERNARY, 0, 1, false, 0, 0},
    {"align16=mask", align16_mask, ALIGN1 | TERNARY, 0, 1, false, 0, 0},
    {"src=replicated", replicates, TERNARY, 0, 1, false, 0, 0},
    {"brctl", branch_ctrl, OTHERS, ISA_CAP_BRANCH_CTRL, 0, false, 0, 0},
};

static_assert(ARRAY_SIZE(classes) <= MAX_CLASSES, "bits of a mask");

/* ---- coverage by the vectors ---- */

struct seen {
    uint64_t classes[128];          /* bit per class: any rule */
    uint64_t rules[128][MAX_RULES]; /* classes, by type rule */
    uint16_t dst_src0[128][16];     /* [dst type]: bit per src0 type */
    uint16_t dst_src1[128][16];
    uint16_t src0_src1[128][16];
    uint32_t predicates[2][2]; /* [Align16][inverted]: bit per kind */
    uint32_t math[16];         /* [function]: bit per dst type */
    uint32_t modes[4][16];     /* [rounding]: bit per denormal bits,
                                * by execution type */
    unsigned vectors;
};

static unsigned
plain_type(unsigned type)
{
    return type == EU_TYPE_UV   ? EU_TYPE_UW
           : type == EU_TYPE_V  ? EU_TYPE_W
           : type == EU_TYPE_VF ? EU_TYPE_F
                                : type;
}

static bool
rule_holds(const struct isa_type_rule *rule, const struct eu_insn *insn)
{
    if (!(rule->dst >> insn->dst.type & 1))
        return false;
    for (unsigned n = 0; n < insn->src_count; n++) {
        const struct eu_operand *o = &insn->src[n];
        bool none = o->file == EU_FILE_ARF && o->reg == EU_ARF_NULL;
        if (!none && !(rule->src >> plain_type(o->type) & 1))
            return false;
    }
    return true;
}

static void
mark_types(struct seen *s, const struct eu_insn *insn)
{
    unsigned op = insn->opcode, d = insn->dst.type;
    unsigned a = plain_type(insn->src[0].type);
    unsigned b = plain_type(insn->src[1].type);
    s->dst_src0[op][d] |= (uint16_t)(1u << a);
    if (insn->src_count < 2)
        return;
    s->dst_src1[op][d] |= (uint16_t)(1u << b);
    s->src0_src1[op][a] |= (uint16_t)(1u << b);
}

static void
mark(struct seen *s, const struct eu_insn *insn, const struct isa_op *op,
     uint32_t cr0)
{
    struct covered c = {.insn = insn, .op = op, .cr0 = cr0};
    uint64_t mask = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(classes); i++)
        mask |= (uint64_t)classes[i].fn(&c) << i;
    s->classes[insn->opcode] |= mask;
    for (unsigned r = 0; r < op->rule_count && r < MAX_RULES; r++)
        if (rule_holds(&op->rules[r], insn))
            s->rules[insn->opcode][r] |= mask;
    mark_types(s, insn);
    s->predicates[insn->align16 && op->form != ISA_TERNARY][insn->pred_inv] |=
        1u << insn->pred_ctrl;
    if (op->form == ISA_MATH)
        s->math[insn->math & 15] |= 1u << insn->dst.type;
    unsigned denormals = bits_get(cr0, 6, 7) | bits_get(cr0, 10, 10) << 2;
    s->modes[bits_get(cr0, 4, 5)][insn->src[0].type & 15] |= 1u << denormals;
}

/* A vector tests its last instruction that is no `mov` from the accumulator;
 * but a class may be in any of its instructions. */
static void
mark_file(struct seen *s, const char *path)
{
    static struct vector_file file;
    static struct vector v;
    if (!vector_open(&file, path)) {
        printf("Bail out! %s cannot be read\n", path);
        exit(1);
    }
    while (vector_next(&file, &v)) {
        s->vectors++;
        for (unsigned i = 0; i < v.insn_count; i++) {
            struct eu_insn insn;
            if (eu_decode(&insn, v.words[i], 16, file.inputs.gen, NULL))
                mark(s, &insn, isa_op(insn.opcode, file.inputs.gen),
                     file.inputs.cr0);
        }
    }
}

/* ---- exemptions ---- */

struct exemptions {
    unsigned count;
    struct {
        char pattern[128];
        unsigned line, uses;
    } rows[MAX_EXEMPT];
};

/* "pattern: reason"; the pattern is matched against "opcode types class". */
static void
read_exemptions(struct exemptions *e, const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    for (unsigned n = 1; file && fgets(line, sizeof line, file); n++) {
        char *colon = strstr(line, ": ");
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (!colon || strlen(colon) < 8 || e->count == MAX_EXEMPT) {
            printf("Bail out! %s:%u: no reason\n", path, n);
            exit(1);
        }
        *colon = '\0';
        snprintf(e->rows[e->count].pattern, sizeof e->rows[0].pattern, "%.120s",
                 line);
        e->rows[e->count++].line = n;
    }
    if (file)
        fclose(file);
}

static bool
is_exempt(struct exemptions *e, const char *key)
{
    for (unsigned i = 0; i < e->count; i++)
        if (!fnmatch(e->rows[i].pattern, key, 0)) {
            e->rows[i].uses++;
            return true;
        }
    return false;
}

/* ---- evaluation ---- */

struct judge {
    struct exemptions *exempt;
    const struct seen *seen;
    unsigned tests, wanted, exempted, missing;
};

static void
judge(struct judge *j, bool have, const char *op, const char *types,
      const char *class)
{
    char key[512];
    snprintf(key, sizeof key, "%s %s %s", op, types, class);
    j->wanted++;
    if (have)
        return;
    if (is_exempt(j->exempt, key)) {
        j->exempted++;
        return;
    }
    printf("# no vector: %s\n", key);
    j->missing++;
}

static size_t
types_text(char *text, size_t size, uint16_t types)
{
    size_t len = 0;
    text[0] = '\0';
    for (unsigned t = 0; t < EU_TYPE_COUNT; t++)
        if (types >> t & 1)
            len += (size_t)snprintf(text + len, size - len, "%s%s",
                                    len ? "+" : "",
                                    eu_type_name((enum eu_type)t));
    return len;
}

static void
rule_text(char *text, size_t size, const struct isa_type_rule *rule)
{
    size_t len = types_text(text, size, rule->dst);
    len += (size_t)snprintf(text + len, size - len, "<-");
    types_text(text + len, size - len, rule->src);
}

static bool
rule_fits(const struct feature *f, const struct isa_type_rule *rule)
{
    return (!f->src || f->src & rule->src) && (!f->dst || f->dst & rule->dst);
}

static bool
applies(const struct feature *f, const struct isa_op *op)
{
    bool fits = !op->rule_count;
    for (unsigned r = 0; r < op->rule_count; r++)
        fits |= rule_fits(f, &op->rules[r]);
    return fits && f->forms >> op->form & 1 &&
           (!f->caps || f->caps & op->caps) && op->src_count >= f->sources;
}

static void
judge_pairs(struct judge *j, const struct isa_op *op, unsigned opcode,
            const char *what, const uint16_t have[16], uint16_t left,
            uint16_t right)
{
    for (unsigned a = 0; a < EU_TYPE_COUNT; a++)
        for (unsigned b = 0; b < EU_TYPE_COUNT; b++) {
            char pair[64];
            if (!(left >> a & 1) || !(right >> b & 1))
                continue;
            snprintf(pair, sizeof pair, "%s,%s", eu_type_name((enum eu_type)a),
                     eu_type_name((enum eu_type)b));
            judge(j, have[a] >> b & 1, op->name, pair, what);
        }
}

static void
judge_rule(struct judge *j, const struct isa_op *op, unsigned opcode,
           unsigned r)
{
    const struct isa_type_rule *rule = &op->rules[r];
    const struct seen *s = j->seen;
    char text[128];
    rule_text(text, sizeof text, rule);
    for (unsigned i = 0; i < ARRAY_SIZE(classes); i++)
        if (classes[i].per_rule && applies(&classes[i], op) &&
            rule_fits(&classes[i], rule))
            judge(j, s->rules[opcode][r] >> i & 1, op->name, text,
                  classes[i].name);
    judge_pairs(j, op, opcode, "dst,src0", s->dst_src0[opcode], rule->dst,
                rule->src);
    if (op->src_count < 2)
        return;
    judge_pairs(j, op, opcode, "dst,src1", s->dst_src1[opcode], rule->dst,
                rule->src);
    if (op->form != ISA_TERNARY)
        judge_pairs(j, op, opcode, "src0,src1", s->src0_src1[opcode], rule->src,
                    rule->src);
}

static void
judge_opcode(struct judge *j, const struct isa_op *op, unsigned opcode)
{
    unsigned missing = j->missing, wanted = j->wanted;
    for (unsigned i = 0; i < ARRAY_SIZE(classes); i++)
        if (applies(&classes[i], op) &&
            (!classes[i].per_rule || !op->rule_count))
            judge(j, j->seen->classes[opcode] >> i & 1, op->name, "-",
                  classes[i].name);
    bool alu = ALU >> op->form & 1;
    for (unsigned r = 0; alu && r < op->rule_count; r++)
        judge_rule(j, op, opcode, r);
    j->tests++;
    printf("%sok %u - %s: %u combinations\n",
           j->missing == missing ? "" : "not ", j->tests, op->name,
           j->wanted - wanted);
}

/* ---- coverage independent of opcodes ---- */

static void
judge_predicates(struct judge *j)
{
    char name[32];
    for (unsigned align16 = 0; align16 < 2; align16++)
        for (unsigned kind = 1; kind <= (align16 ? 7u : 13u); kind++)
            for (unsigned inv = 0; inv < 2; inv++) {
                snprintf(name, sizeof name, "%u%s", kind, inv ? "~" : "");
                judge(j, j->seen->predicates[align16][inv] >> kind & 1,
                      "predicate", align16 ? "align16" : "align1", name);
            }
}

static void
judge_math(struct judge *j)
{
    static const struct {
        uint8_t function;
        uint16_t types;
    } table[] = {
        {EU_MATH_INV, 1 << EU_TYPE_F | 1 << EU_TYPE_HF},
        {EU_MATH_LOG, 1 << EU_TYPE_F | 1 << EU_TYPE_HF},
        {EU_MATH_EXP, 1 << EU_TYPE_F | 1 << EU_TYPE_HF},
        {EU_MATH_SQRT, 1 << EU_TYPE_F | 1 << EU_TYPE_HF},
        {EU_MATH_RSQ, 1 << EU_TYPE_F | 1 << EU_TYPE_HF},
        {EU_MATH_SIN, 1 << EU_TYPE_F | 1 << EU_TYPE_HF},
        {EU_MATH_COS, 1 << EU_TYPE_F | 1 << EU_TYPE_HF},
        {EU_MATH_FDIV, 1 << EU_TYPE_F | 1 << EU_TYPE_HF},
        {EU_MATH_POW, 1 << EU_TYPE_F | 1 << EU_TYPE_HF},
        {EU_MATH_INT_DIV_BOTH, 1 << EU_TYPE_D | 1 << EU_TYPE_UD},
        {EU_MATH_INT_DIV_QUOTIENT, 1 << EU_TYPE_D | 1 << EU_TYPE_UD},
        {EU_MATH_INT_DIV_REMAINDER, 1 << EU_TYPE_D | 1 << EU_TYPE_UD},
        {EU_MATH_INVM, 1 << EU_TYPE_F | 1 << EU_TYPE_DF},
        {EU_MATH_RSQRTM, 1 << EU_TYPE_F | 1 << EU_TYPE_DF},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
        for (unsigned t = 0; t < EU_TYPE_COUNT; t++) {
            char name[32];
            snprintf(name, sizeof name, "function=%u", table[i].function);
            if (table[i].types >> t & 1)
                judge(j, j->seen->math[table[i].function] >> t & 1, "math",
                      eu_type_name((enum eu_type)t), name);
        }
}

/* Every rounding mode with denormals kept and flushed, by type. */
static void
judge_modes(struct judge *j)
{
    static const struct {
        enum eu_type type;
        unsigned bit; /* of the three denormal bits */
    } types[] = {{EU_TYPE_DF, 0}, {EU_TYPE_F, 1}, {EU_TYPE_HF, 2}};
    for (unsigned mode = 0; mode < 4; mode++)
        for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
            uint32_t m = j->seen->modes[mode][types[i].type];
            bool kept = false, flushed = false;
            char name[32];
            for (unsigned d = 0; d < 8; d++)
                if (m >> d & 1)
                    *(d >> types[i].bit & 1 ? &kept : &flushed) = true;
            snprintf(name, sizeof name, "rounding=%u,kept", mode);
            judge(j, kept, "cr0", eu_type_name(types[i].type), name);
            snprintf(name, sizeof name, "rounding=%u,flushed", mode);
            judge(j, flushed, "cr0", eu_type_name(types[i].type), name);
        }
}

static void
judge_group(struct judge *j, const char *name, void (*fn)(struct judge *))
{
    unsigned missing = j->missing, wanted = j->wanted;
    fn(j);
    j->tests++;
    printf("%sok %u - %s: %u combinations\n",
           j->missing == missing ? "" : "not ", j->tests, name,
           j->wanted - wanted);
}

static void
judge_exemptions(struct judge *j)
{
    for (unsigned i = 0; i < j->exempt->count; i++)
        if (!j->exempt->rows[i].uses) {
            printf("# line %u exempts nothing: %s\n", j->exempt->rows[i].line,
                   j->exempt->rows[i].pattern);
            j->missing++;
        }
}

int
main(int argc, char **argv)
{
    static struct seen seen;
    static struct exemptions exempt;
    struct judge j = {.exempt = &exempt, .seen = &seen};
    if (argc < 3)
        return 2;
    read_exemptions(&exempt, argv[1]);
    for (int i = 2; i < argc; i++)
        mark_file(&seen, argv[i]);
    for (unsigned opcode = 0; opcode < 128; opcode++)
        if (isa_op(opcode, EU_GEN9))
            judge_opcode(&j, isa_op(opcode, EU_GEN9), opcode);
    judge_group(&j, "predicates", judge_predicates);
    judge_group(&j, "math functions", judge_math);
    judge_group(&j, "float modes", judge_modes);
    judge_group(&j, "exemptions", judge_exemptions);
    printf("1..%u\n# %u vectors, %u combinations, %u of them exempt in %u "
           "rows\n",
           j.tests, seen.vectors, j.wanted, j.exempted, exempt.count);
    return j.missing > 0;
}
