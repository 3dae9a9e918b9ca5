/* symexec_state.c: numbers of expressions, and the registers that hold them. */
#include "eu/summary/symexec_state.h"

/* ---- numbers ------------------------------------------------------------ */

static uint8_t
dependence_of(const struct symbols *s, const struct symbol *n)
{
    uint8_t all = 0;
    switch (n->kind) {
    case SYMBOL_UNIFORM:
    case SYMBOL_IMM: return 0;
    case SYMBOL_X: return DEPENDS_X;
    case SYMBOL_Y: return DEPENDS_Y;
    case SYMBOL_TEXEL: return DEPENDS_TEXEL;
    case SYMBOL_OP:
    case SYMBOL_FLAG:
    case SYMBOL_CHOOSE:
        for (unsigned i = 0; i < 3; i++)
            if (n->src_type[i])
                all |= s->symbol[n->src[i]].depends;
        return all;
    default: return DEPENDS_ON_MORE;
    }
}

/* src_type 0: no source, see type_code(). */
uint16_t
symexec_number(struct finder *f, const struct symbol *key)
{
    struct symbols *s = f->out;
    struct symbol n;
    memset(&n, 0, sizeof n);
    n.kind = key->kind;
    n.opcode = key->opcode;
    n.cmod = key->cmod;
    n.saturate = key->saturate;
    n.type = key->type;
    n.value = key->value;
    for (unsigned i = 0; i < 3; i++) {
        n.src_type[i] = key->src_type[i];
        n.modifier[i] = key->modifier[i];
        n.src[i] = key->src[i];
        if (n.src_type[i] && !n.src[i])
            return 0;
    }
    n.depends = dependence_of(s, &n);
    for (unsigned i = s->count; i-- > 1;) {
        if (!memcmp(&s->symbol[i], &n, sizeof n))
            return (uint16_t)i;
    }
    if (s->count == SYMBOL_MAX) {
        f->failed = true;
        return 0;
    }
    s->symbol[s->count] = n;
    return (uint16_t)s->count++;
}

/* ---- cells -------------------------------------------------------------- */

void
symexec_init_cells(struct finder *f, unsigned grf_start)
{
    struct state *st = &f->now;
    memset(st, 0, sizeof *st);
    for (unsigned i = grf_start * EU_GRF_B / CELL_B; i < CELLS; i++)
        st->cell[i] = (struct cell){.lanes = ALL_LANES, .size_B = ANY_SIZE};
    /* Observed: predicates of stock iris take the mask of pixels from r1.7. */
    st->cell[(EU_GRF_B + 28) / CELL_B] = (struct cell){
        symexec_number(f, &(struct symbol){.kind = SYMBOL_MASK}), ALL_LANES, 2};
    /* r1.2 and on: the corners of the quads. */
    for (unsigned q = 0; q < f->simd / 4; q++) {
        uint16_t lanes = (uint16_t)(0xf << 4 * q);
        unsigned at = (EU_GRF_B + 8 + q * 4) / CELL_B;
        st->cell[at] = (struct cell){
            symexec_number(f,
                           &(struct symbol){.kind = SYMBOL_QUAD_X, .value = q}),
            lanes, 2};
        st->cell[at + 1] = (struct cell){
            symexec_number(f,
                           &(struct symbol){.kind = SYMBOL_QUAD_Y, .value = q}),
            lanes, 2};
    }
}

static bool
is_raw(const struct state *st, unsigned at_B, unsigned size_B)
{
    for (unsigned i = 0; i < size_B; i += CELL_B)
        if (st->cell[(at_B + i) / CELL_B].size_B != ANY_SIZE)
            return false;
    return true;
}

struct cell
symexec_read_cell(struct finder *f, unsigned at_B, unsigned size_B)
{
    const struct cell none = {0};
    if (size_B < CELL_B || at_B % CELL_B ||
        at_B + size_B > EU_GRF_COUNT * EU_GRF_B)
        return none;
    if (is_raw(&f->now, at_B, size_B)) {
        struct symbol key = {
            .kind = SYMBOL_UNIFORM, .value = at_B, .type = (uint8_t)size_B};
        return (struct cell){symexec_number(f, &key), ALL_LANES,
                             (uint8_t)size_B};
    }
    struct cell c = f->now.cell[at_B / CELL_B];
    return c.size_B == size_B ? c : none;
}

void
symexec_write_cell(struct finder *f, unsigned at_B, unsigned size_B,
                   struct cell c)
{
    if (size_B < CELL_B || at_B % CELL_B ||
        at_B + size_B > EU_GRF_COUNT * EU_GRF_B) {
        f->failed = true;
        return;
    }
    unsigned at = at_B / CELL_B;
    /* A larger value that begins earlier is no longer whole. */
    for (unsigned i = 1; i < 4 && i <= at; i++) {
        struct cell *before = &f->now.cell[at - i];
        if (before->size_B != ANY_SIZE && before->size_B > i * CELL_B)
            *before = (struct cell){0};
    }
    for (unsigned i = 0; i < size_B / CELL_B; i++)
        f->now.cell[at + i] = (struct cell){0};
    c.size_B = (uint8_t)size_B;
    f->now.cell[at] = c;
}
