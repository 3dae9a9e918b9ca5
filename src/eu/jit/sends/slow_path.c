/* slow_path.c: accesses to memory that send their message after all: code out
 * of line, which preserves the registers. */
#include "eu/jit/sends/lower_memory.h"

#include <stdlib.h>

struct jit_slow_path *
jit_add_slow_path(struct jit *j)
{
    if (!jit_grow(j, (void **)&j->slow_paths, &j->slow_path_capacity,
                  j->slow_path_count + 1, sizeof *j->slow_paths))
        return NULL;
    struct jit_slow_path *m = &j->slow_paths[j->slow_path_count++];
    memset(m, 0, offsetof(struct jit_slow_path, kept));
    return m;
}

static void
keep_vectors(struct jit_slow_path *m, const struct jit_reg_cache *v,
             unsigned nth)
{
    for (uint32_t set = v->named; set; set &= set - 1) {
        unsigned r = (unsigned)__builtin_ctz(set);
        const struct jit_cached_reg *g = &v->reg[r];
        m->kept[m->kept_count++] = (struct jit_kept){.off_B = g->off_B,
                                                     .len_B = g->len_B,
                                                     .reg = (uint8_t)r,
                                                     .nth = (uint8_t)nth,
                                                     .dirty = v->dirty >> r &
                                                              1};
    }
    for (uint32_t set = v->used & ~v->named; set; set &= set - 1) {
        unsigned r = (unsigned)__builtin_ctz(set);
        if (v->reg[r].kind == JIT_CONST)
            m->kept[m->kept_count++] = (struct jit_kept){
                .reg = (uint8_t)r, .is_const = true, .value = v->reg[r].value};
    }
}

void
jit_keep(struct jit_slow_path *m, const struct jit *j)
{
    m->op = j->here;
    m->nth = j->nth;
    for (unsigned n = 0; n < j->f->threads; n++) {
        const struct jit_side *other = n == j->nth ? NULL : &j->side[n];
        keep_vectors(m, other ? &other->v : &j->v, n);
        memcpy(m->flag_at[n], other ? other->flag_at : j->flag_at,
               sizeof m->flag_at[n]);
    }
}

static void
store_kept(struct jit *j, const struct jit_slow_path *m)
{
    for (unsigned i = 0; i < m->kept_count; i++) {
        const struct jit_kept *k = &m->kept[i];
        jit_address(j, k->nth);
        if (k->dirty)
            jit_store_len(j, k->reg, k->off_B, k->len_B);
    }
}

static void
load_kept(struct jit *j, const struct jit_slow_path *m)
{
    for (unsigned i = 0; i < m->kept_count; i++) {
        const struct jit_kept *k = &m->kept[i];
        jit_address(j, k->nth);
        if (k->is_const)
            x86_vop(&j->x, X86_PBROADCASTD, jit_full_len(j), k->reg, 0,
                    jit_as_memory(x86_const(&j->x, &k->value, 1)), 0);
        else
            jit_load_len(j, k->reg, k->off_B, k->len_B);
    }
}

static void
load_flags(struct jit *j, const struct jit_slow_path *m)
{
    for (unsigned n = 0; n < j->f->threads; n++) {
        jit_address(j, n);
        memcpy(j->flag_at, m->flag_at[n], sizeof j->flag_at);
        jit_reload_flags(j);
    }
}

static void
send_after_all(struct jit *j, const struct jit_slow_path *m)
{
    const struct eu_op *op = &j->f->k->ops[m->op];
    struct access a;
    jit_find_access(&a, op);
    unsigned piece_B = jit_piece_B(j, &a);
    for (unsigned i = 0; i < m->from_count; i++)
        x86_patch(&j->x, m->from[i], j->x.size);
    store_kept(j, m);
    jit_address(j, m->nth);
    jit_call_send(j, op, &a.s);
    load_kept(j, m);
    jit_address(j, m->nth);
    for (unsigned i = 0; a.kind == ACCESS_READ && i < m->answer_count; i++)
        jit_load_len(j, m->answer[i], a.data_B + i * piece_B, piece_B);
    if (a.kind == ACCESS_FENCE && a.channels)
        jit_load_len(j, m->answer[0], a.s.dst_B, EU_GRF_B);
    load_flags(j, m);
    x86_patch(&j->x, x86_jump(&j->x, X86_ALWAYS), m->back);
}

void
jit_memory_slow_paths(struct jit *j)
{
    jit_forget(j);
    for (uint32_t i = 0; i < j->slow_path_count; i++)
        send_after_all(j, &j->slow_paths[i]);
    jit_address(j, 0);
    jit_forget(j);
}
