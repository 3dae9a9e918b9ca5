/* vex_write.c: stores for hosts without AVX-512. */
#include "eu/jit/sends/vex_access.h"

/* The register with part h of channel c. */
static unsigned
load_data(const struct vex_access *v, unsigned c, unsigned h)
{
    unsigned piece = c * v->parts + h, d;
    if (!v->in_memory)
        return v->data[piece];
    d = v->t[VEX_TEMPS - 4 + c];
    jit_load_len(v->j, d, v->a->data_B + piece * EU_GRF_B, EU_GRF_B);
    return d;
}

/* Stores four lanes' rows at a time, with the rows of the four lanes after
 * them. */
static void
store_rows(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    for (unsigned h = 0; h < v->parts; h++) {
        unsigned d[4], row = v->t[4];
        for (unsigned c = 0; c < 4; c++)
            d[c] = load_data(v, c, h);
        vex_pair_halves(v, d);
        for (unsigned i = 0; i < 4; i++) {
            size_t at_B = (h * 8 + i) * 16;
            vex_join_halves(v, row, i);
            x86_vop(x, X86_MOVUPS_ST, 0, row, 0, x86_at_rax(at_B), 0);
            x86_vop_imm(x, X86_EXTRACTF128, 1, row, 0, x86_at_rax(at_B + 64), 0,
                        1);
        }
    }
}

/* Stores two channels of eight lanes at a time. */
static void
store_pairs(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    for (unsigned h = 0; h < v->parts; h++) {
        unsigned d[2];
        for (unsigned c = 0; c < 2; c++)
            d[c] = load_data(v, c, h);
        for (unsigned i = 0; i < 2; i++) {
            size_t at_B = h * 64 + i * 16;
            unsigned row = v->t[2];
            x86_vop(x, i ? X86_UNPCKHPS : X86_UNPCKLPS, 1, row, d[0],
                    x86_reg(d[1]), 0);
            x86_vop(x, X86_MOVUPS_ST, 0, row, 0, x86_at_rax(at_B), 0);
            x86_vop_imm(x, X86_EXTRACTF128, 1, row, 0, x86_at_rax(at_B + 32), 0,
                        1);
        }
    }
}

/* Stores one channel to neighbouring elements. */
static void
store_row(const struct vex_access *v, unsigned h)
{
    struct x86 *x = &v->j->x;
    unsigned d = v->data[h], element_B = v->a->element_B;
    struct x86_rm at = x86_at_rax(h * 8 * element_B);
    if (element_B == 4) {
        x86_vop(x, X86_MOVUPS_ST, 1, d, 0, at, 0);
        return;
    }
    vex_clear_rest(v, v->t[2], d);
    d = v->t[2];
    jit_pack_words_vex(v->j, X86_PACKUSDW, d, d);
    if (element_B == 1)
        x86_vop(x, X86_PACKUSWB, 0, d, d, x86_reg(d), 0);
    x86_vop(x, element_B == 1 ? X86_MOVQ_ST : X86_MOVUPS_ST, 0, d, 0, at, 0);
}

/* Stores the data, to be read lane by lane. */
static void
store_data(const struct vex_access *v, size_t at)
{
    struct x86 *x = &v->j->x;
    for (unsigned i = 0; i < v->parts * v->a->channels; i++) {
        unsigned d = v->in_memory ? v->t[4] : v->data[i];
        if (v->in_memory)
            jit_load_len(v->j, d, v->a->data_B + i * EU_GRF_B, EU_GRF_B);
        x86_vop(x, X86_MOVUPS_ST, 1, d, 0, x86_thread(at + i * EU_GRF_B), 0);
    }
}

/* If several lanes write one place the last lane wins. */
static void
store_lanes(const struct vex_access *v)
{
    /* mov [rax + rcx], dl; dx: with a prefix; edx; [rax + rcx + 4], edx */
    static const uint8_t code[5][4] = {[1] = {0x88, 0x14, 0x08},
                                       [2] = {0x66, 0x89, 0x14, 0x08},
                                       [4] = {0x89, 0x14, 0x08}};
    static const uint8_t second[4] = {0x89, 0x54, 0x08, 0x04};
    unsigned code_B = v->a->element_B == 2 ? 4 : 3, lanes = v->a->lanes;
    struct x86 *x = &v->j->x;
    size_t data_at = VEX_SCRATCH_AT + 2 * EU_GRF_B;
    vex_store_distances(v);
    store_data(v, data_at);
    for (unsigned i = 0; i < lanes; i++) {
        vex_load_distance(v, i);
        x86_load(x, X86_RDX, data_at + i * 4, 4);
        x86_bytes(x, code[v->a->element_B], code_B);
        if (v->a->channels == 1)
            continue;
        x86_load(x, X86_RDX, data_at + (lanes + i) * 4, 4);
        x86_bytes(x, second, sizeof second);
    }
}

void
vex_write_memory(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    uint32_t others = vex_test_neighbours(v);
    jit_count_next(v->j, v->a, v->m);
    if (v->a->channels == 4) {
        v->m->from[v->m->from_count++] = others;
        store_rows(v);
        return;
    }
    if (v->a->channels == 2)
        store_pairs(v);
    for (unsigned h = 0; v->a->channels == 1 && h < v->parts; h++)
        store_row(v, h);
    if (jit_counts_memory(v->j)) {
        v->m->from[v->m->from_count++] = others;
        return;
    }
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, others, x->size);
    store_lanes(v);
    x86_patch(x, done, x->size);
}
