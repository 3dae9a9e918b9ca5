/* meaning.c: from the expressions that a kernel writes to what it draws. */
#include "engine/raster/meaning.h"

#include "engine/raster/symbol.h"
#include "eu/isa/eu_opcodes.h"

#include <stdlib.h>

/* Places of parameters in the messages of Gen9; see msg_sampler.c. */
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

/* A fetch at coordinates that are fit for a table of columns and one of
 * rows. */
struct texel {
    uint8_t message, bti, sampler;
    uint16_t sample, mcs, u, v, layer, level; /* symbols */
    int8_t at_u, at_v, at_layer, at_level;    /* parameters */
};

static uint16_t
param(const struct symbol_fetch *f, int8_t at)
{
    return at >= 0 && at < f->params ? f->param[at] : 0;
}

static bool
is_uniform(const struct symbols *s, const struct symbol_fetch *f, int8_t at)
{
    return at < 0 || at >= f->params || !s->symbol[f->param[at]].depends;
}

static bool
find_texel(const struct symbols *s, unsigned fetch, struct texel *t)
{
    const struct symbol_fetch *f = &s->fetch[fetch];
    for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++) {
        if (layouts[i].message != f->type)
            continue;
        *t = (struct texel){
            .message = f->type,
            .bti = f->bti,
            .sampler = f->sampler,
            .sample = param(f, layouts[i].sample),
            .mcs = param(f, layouts[i].mcs),
            .u = param(f, layouts[i].u),
            .v = param(f, layouts[i].v),
            .layer = param(f, layouts[i].layer),
            .level = param(f, layouts[i].level),
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

static bool
is_texel(const struct symbols *s, struct meaning *m)
{
    struct texel t;
    for (unsigned c = 0; c < 4; c++) {
        const struct symbol *n = &s->symbol[s->color[c]];
        if (n->kind != SYMBOL_TEXEL || n->value != c)
            return false;
    }
    if (s->fetch_count != 1 || !find_texel(s, 0, &t) ||
        (t.message != MESSAGE_LD && t.message != MESSAGE_LD_LZ &&
         t.message != MESSAGE_SAMPLE_LZ))
        return false;
    m->texture = t.bti;
    m->sampler = t.sampler;
    m->message = t.message;
    m->u = t.at_u;
    m->v = t.at_v;
    m->layer = t.at_layer;
    m->level = t.at_level;
    return true;
}

void
meaning_find(struct meaning *out, const void *code, size_t code_B,
             enum eu_gen gen, unsigned simd, unsigned grf_start)
{
    *out = (struct meaning){.kind = MEANING_NONE};
    struct symbols *s = malloc(sizeof *s);
    if (!s)
        return;
    if (symbol_find(s, code, code_B, gen, simd, grf_start)) {
        out->target = (uint8_t)s->write_bti;
        if (!s->fetch_count && is_constant(s))
            out->kind = MEANING_CONSTANT;
        else if (gen == EU_GEN9 && is_texel(s, out))
            out->kind = MEANING_TEXEL;
    }
    free(s);
}
