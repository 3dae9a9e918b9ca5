/* kernel_summary.c: derives a kernel's summary from the expressions that it
 * writes. */
#include "eu/summary/summary.h"

#include "eu/summary/symexec.h"
#include "eu/isa/eu_opcodes.h"

#include <stdlib.h>

/* Parameter positions in the messages of Gen9; see msg_sampler.c. */
static const struct {
    uint8_t message;
    int8_t sample, mcs, u, v, layer, level;
} layouts[] = {
    {MESSAGE_LD, -1, -1, 0, 1, 3, 2},
    {MESSAGE_SAMPLE_LZ, -1, -1, 0, 1, 2, -1},
    {MESSAGE_LD_LZ, -1, -1, 0, 1, 2, -1},
    {MESSAGE_LD_MCS, -1, -1, 0, 1, 2, 3},
    {MESSAGE_LD2DMS_W, 0, 1, 3, 4, 5, -1},
    {MESSAGE_LD2DMS, 0, 1, 2, 3, 4, 5},
    {MESSAGE_LD2DSS, 0, -1, 1, 2, 3, 4},
};

/* A fetch whose column depends only on x and whose row depends only on y. */
struct texel {
    uint8_t message, bti, sampler;
    uint16_t sample, mcs, u, v, layer, level; /* symbols */
    int8_t at_u, at_v, at_layer, at_level;    /* parameters */
};

static uint16_t
fetch_param(const struct symexec_fetch *f, int8_t at)
{
    return at >= 0 && at < f->params ? f->param[at] : 0;
}

static bool
is_uniform(const struct symbols *s, const struct symexec_fetch *f, int8_t at)
{
    return at < 0 || at >= f->params || !s->symbol[f->param[at]].depends;
}

static bool
find_texel(const struct symbols *s, unsigned fetch, struct texel *t)
{
    const struct symexec_fetch *f = &s->fetch[fetch];
    for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++) {
        if (layouts[i].message != f->type)
            continue;
        *t = (struct texel){
            .message = f->type,
            .bti = f->bti,
            .sampler = f->sampler,
            .sample = fetch_param(f, layouts[i].sample),
            .mcs = fetch_param(f, layouts[i].mcs),
            .u = fetch_param(f, layouts[i].u),
            .v = fetch_param(f, layouts[i].v),
            .layer = fetch_param(f, layouts[i].layer),
            .level = fetch_param(f, layouts[i].level),
            .at_u = layouts[i].u,
            .at_v = layouts[i].v,
            .at_layer = layouts[i].layer < f->params ? layouts[i].layer : -1,
            .at_level = layouts[i].level < f->params ? layouts[i].level : -1,
        };
        return !(s->symbol[t->u].depends & ~DEPENDS_X) &&
               !(s->symbol[t->v].depends & ~DEPENDS_Y) &&
               is_uniform(s, f, layouts[i].layer) &&
               is_uniform(s, f, layouts[i].level);
    }
    return false;
}

static bool
is_constant(const struct symbols *s)
{
    for (unsigned c = 0; c < 4; c++)
        if (s->symbol[s->color[c]].depends)
            return false;
    return true;
}

/* Whether the kernel fetches once, and the channels are that texel's. */
static bool
has_texel(const struct symbols *s, const uint16_t channel[4])
{
    for (unsigned c = 0; c < 4; c++) {
        const struct symbol *n = &s->symbol[channel[c]];
        if (n->kind != SYMBOL_TEXEL || n->value != c)
            return false;
    }
    return s->fetch_count == 1;
}

static void
summarise_texel(struct kernel_summary *m, const struct texel *t)
{
    m->texture = t->bti;
    m->message = t->message;
    m->u = t->at_u;
    m->v = t->at_v;
    m->layer = t->at_layer;
    m->level = t->at_level;
}

static bool
is_texel(const struct symbols *s, struct kernel_summary *m)
{
    struct texel t;
    if (!has_texel(s, s->color) || !find_texel(s, 0, &t) ||
        (t.message != MESSAGE_LD && t.message != MESSAGE_LD_LZ &&
         t.message != MESSAGE_SAMPLE_LZ))
        return false;
    summarise_texel(m, &t);
    m->sampler = t.sampler;
    return true;
}

/* ---- buffers ---- */

/* Keeps the search for terms short: expressions share parts. */
#define MAX_TERMS 64

/* Whether the symbol is the pixel's own x or y, also by way of a float. */
static bool
is_position(const struct symbols *s, uint16_t symbol, unsigned kind)
{
    const struct symbol *n = &s->symbol[symbol];
    while (n->kind == SYMBOL_OP && n->opcode == EU_OP_MOV && !n->saturate &&
           !n->modifier[0] && (n->type == EU_TYPE_F || n->type <= EU_TYPE_D)) {
        unsigned from = n->src_type[0] - 1u;
        if (from != EU_TYPE_F && from != EU_TYPE_UW && from > EU_TYPE_D)
            return false;
        n = &s->symbol[n->src[0]];
    }
    return n->kind == kind;
}

static bool
is_int_op(const struct symbol *n, unsigned opcode)
{
    if (n->kind != SYMBOL_OP || n->opcode != opcode || n->saturate ||
        n->type > EU_TYPE_D)
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (n->modifier[i] || n->src_type[i] - 1u > EU_TYPE_D)
            return false;
    return true;
}

struct terms {
    const struct symbols *s;
    unsigned count, columns; /* all terms, terms that are x */
};

/* Whether the symbol is a sum of x, of uniforms and of y times uniforms. */
static bool
is_linear(struct terms *t, uint16_t symbol)
{
    const struct symbol *n = &t->s->symbol[symbol];
    if (++t->count > MAX_TERMS)
        return false;
    if (!n->depends || is_position(t->s, symbol, SYMBOL_Y))
        return true;
    if (is_position(t->s, symbol, SYMBOL_X)) {
        t->columns++;
        return true;
    }
    if (is_int_op(n, EU_OP_ADD))
        return is_linear(t, n->src[0]) && is_linear(t, n->src[1]);
    if (!is_int_op(n, EU_OP_MUL))
        return false;
    bool second = !t->s->symbol[n->src[0]].depends;
    unsigned columns = t->columns;
    return (second || !t->s->symbol[n->src[1]].depends) &&
           is_linear(t, n->src[second]) && t->columns == columns;
}

static bool
has_columns(const struct symbols *s, uint16_t symbol, unsigned columns)
{
    struct terms t = {.s = s};
    return is_linear(&t, symbol) && t.columns == columns;
}

static bool
is_fetch(const struct symbols *s, const uint16_t channel[4])
{
    unsigned type = s->fetch[0].type;
    return has_texel(s, channel) &&
           (type == MESSAGE_LD || type == MESSAGE_LD_LZ);
}

/* An element is found by its first coordinate; the others must be 0. */
static bool
is_element(const struct symbols *s, struct kernel_summary *m)
{
    const struct symexec_fetch *f = &s->fetch[0];
    if (!is_fetch(s, s->color) || !f->params || !has_columns(s, f->param[0], 1))
        return false;
    for (unsigned i = 1; i < f->params; i++) {
        const struct symbol *n = &s->symbol[f->param[i]];
        if (n->kind != SYMBOL_IMM || n->value)
            return false;
    }
    m->texture = f->bti;
    m->message = f->type;
    m->u = 0;
    m->v = m->layer = m->level = -1;
    return true;
}

static bool
is_store(const struct symbols *s, unsigned simd, struct kernel_summary *m)
{
    struct texel t;
    if (s->store.lanes != (1u << simd) - 1 || !is_fetch(s, s->store.data) ||
        !find_texel(s, 0, &t) || !has_columns(s, t.u, 1) ||
        !has_columns(s, t.v, 0) || !has_columns(s, s->store.at, 1))
        return false;
    summarise_texel(m, &t);
    m->store = (uint8_t)s->store.bti;
    return true;
}

/* ---- averages ---- */

static bool
is_op(const struct symbol *n, unsigned opcode, unsigned type, unsigned sources)
{
    if (n->kind != SYMBOL_OP || n->opcode != opcode || n->saturate ||
        n->type != type)
        return false;
    for (unsigned i = 0; i < sources; i++)
        if (n->modifier[i])
            return false;
    return true;
}

/* Facts common to all samples. */
struct average {
    const struct symbols *s;
    struct texel first; /* of the first message, possibly ld_mcs */
    bool mcs;
    unsigned channel;
};

static bool
is_control(const struct average *a, uint16_t symbol, unsigned channel)
{
    const struct symbol *n = &a->s->symbol[symbol];
    return n->kind == SYMBOL_TEXEL && n->value == channel;
}

static bool
is_sample(const struct average *a, uint16_t symbol, unsigned index)
{
    const struct symbol *n = &a->s->symbol[symbol];
    struct texel t;
    if (n->kind != SYMBOL_TEXEL || n->value % 4 != a->channel ||
        !find_texel(a->s, (unsigned)n->value / 4, &t) ||
        t.bti != a->first.bti || t.u != a->first.u || t.v != a->first.v ||
        t.layer != a->first.layer || t.level != a->first.level)
        return false;
    const struct symbol *i = &a->s->symbol[t.sample];
    if (i->kind != SYMBOL_IMM || i->value != index)
        return false;
    return a->mcs ? t.message == MESSAGE_LD2DMS && is_control(a, t.mcs, 0)
                  : t.message == MESSAGE_LD2DSS;
}

/* Whether the symbol is the sum of samples first .. first + n - 1, added in
 * pairs. */
static bool
is_sum(const struct average *a, uint16_t symbol, unsigned first, unsigned n)
{
    const struct symbol *k = &a->s->symbol[symbol];
    if (n == 1)
        return is_sample(a, symbol, first);
    return is_op(k, EU_OP_ADD, EU_TYPE_F, 2) &&
           is_sum(a, k->src[0], first, n / 2) &&
           is_sum(a, k->src[1], first + n / 2, n / 2);
}

static bool
is_scaled_sum(const struct average *a, uint16_t symbol, unsigned n)
{
    const struct symbol *k = &a->s->symbol[symbol];
    if (!is_op(k, EU_OP_MUL, EU_TYPE_F, 2) || !is_sum(a, k->src[0], 0, n))
        return false;
    const struct symbol *scale = &a->s->symbol[k->src[1]];
    return scale->kind == SYMBOL_IMM && scale->type == EU_TYPE_F &&
           scale->value == bits_from_float(1.0f / (float)n);
}

/* Whether the symbol tests that MCS is 0 or all ones: all samples are equal. */
static bool
is_alike_entry(const struct average *a, uint16_t symbol, unsigned n)
{
    const struct symbol *flag = &a->s->symbol[symbol];
    if (flag->kind != SYMBOL_FLAG || flag->cmod != EU_CMOD_NZ ||
        !is_op(&a->s->symbol[flag->src[0]], EU_OP_OR, EU_TYPE_UD, 2))
        return false;
    const struct symbol *either = &a->s->symbol[flag->src[0]];
    const uint64_t ones = n == 2 ? 0x3 : n == 4 ? 0xff : 0xffffffff;
    for (unsigned i = 0; i < 2; i++) {
        const struct symbol *cmp = &a->s->symbol[either->src[i]];
        if (!is_op(cmp, EU_OP_CMP, EU_TYPE_D, 2) || cmp->cmod != EU_CMOD_Z ||
            !is_control(a, cmp->src[0], 0))
            return false;
        const struct symbol *value = &a->s->symbol[cmp->src[1]];
        if (value->kind != SYMBOL_IMM ||
            (value->value && (value->value & ones) != ones))
            return false;
    }
    return true;
}

static bool
is_average_of(struct average *a, unsigned n)
{
    for (a->channel = 0; a->channel < 4; a->channel++) {
        uint16_t symbol = a->s->color[a->channel];
        const struct symbol *k = &a->s->symbol[symbol];
        if (a->mcs) {
            if (k->kind != SYMBOL_CHOOSE || !is_alike_entry(a, k->src[0], n) ||
                !is_sample(a, k->src[1], 0))
                return false;
            symbol = k->src[2];
        }
        if (!is_scaled_sum(a, symbol, n))
            return false;
    }
    return true;
}

static bool
is_average(const struct symbols *s, struct kernel_summary *m)
{
    struct average a = {.s = s};
    if (!s->fetch_count || !find_texel(s, 0, &a.first))
        return false;
    a.mcs = a.first.message == MESSAGE_LD_MCS;
    unsigned n = s->fetch_count - a.mcs;
    if ((n != 2 && n != 4 && n != 8) || !is_average_of(&a, n))
        return false;
    m->texture = a.first.bti;
    m->samples = (uint8_t)n;
    m->mcs = a.mcs;
    m->message = a.first.message;
    m->u = a.first.at_u;
    m->v = a.first.at_v;
    m->layer = a.first.at_layer;
    m->level = a.first.at_level;
    return true;
}

void
kernel_summary_find(struct kernel_summary *out, const void *code, size_t code_B,
                    enum eu_gen gen, unsigned simd, unsigned grf_start)
{
    *out = (struct kernel_summary){.kind = SUMMARY_NONE};
    struct symbols *s = malloc(sizeof *s);
    if (!s)
        return;
    if (symexec_run(s, code, code_B, gen, simd, grf_start)) {
        out->target = (uint8_t)s->write_bti;
        if (s->store.lanes) {
            if (gen == EU_GEN9 && is_store(s, simd, out))
                out->kind = SUMMARY_TO_BUFFER;
        } else if (!s->fetch_count && is_constant(s))
            out->kind = SUMMARY_CLEAR;
        else if (gen == EU_GEN9 && is_texel(s, out))
            out->kind = SUMMARY_BLIT;
        else if (gen == EU_GEN9 && is_element(s, out))
            out->kind = SUMMARY_FROM_BUFFER;
        else if (gen == EU_GEN9 && is_average(s, out))
            out->kind = SUMMARY_RESOLVE;
    }
    free(s);
}
