/* lower_memory_vex.c: lower_memory.c for hosts with eight lanes a register: a
 * channel of sixteen lanes takes two.
 *
 * If there are too many answers, as in loops that pin registers, they go to the
 * register file, as written data do. */
#include "eu/jit/sends/vex_access.h"

#include "eu/jit/x86/encode_gpr.h"

/* ---- addresses ---- */

static void
byte_offsets(const struct vex_access *v, unsigned d, unsigned offsets)
{
    struct x86 *x = &v->j->x;
    uint32_t bits = access_offset_bits(v->a);
    const uint32_t keep[8] = {bits, bits, bits, bits, bits, bits, bits, bits};
    if (v->a->in_dwords)
        jit_to_bytes(v->j, 1, d, offsets);
    if (!v->a->in_dwords || bits != UINT32_MAX)
        x86_vop(x, X86_PAND, 1, d, v->a->in_dwords ? d : offsets,
                x86_const(x, keep, 8), 0);
}

/* rax := the memory, t0 and t1 := the lanes' offsets. */
static void
check_bounds(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    const unsigned *t = v->t;
    unsigned all = t[0];
    jit_load_range(v->j, v->a, v->m);
    jit_check_header(v->j, v->a, v->m);
    for (unsigned i = 0; i < v->parts; i++)
        byte_offsets(v, t[i], v->offsets[i]);
    if (v->parts > 1) {
        all = t[3];
        x86_vop(x, X86_PMAXUD, 1, all, t[0], x86_reg(t[1]), 0);
    }
    x86_vop(x, X86_PBROADCASTD, 1, t[2], 0, x86_at_rax(jit_end_at(v->a)), 0);
    x86_vop(x, X86_PMAXUD, 1, t[2], t[2], x86_reg(all), 0);
    x86_vop(x, X86_PCMPEQD, 1, t[2], t[2], x86_reg(all), 0);
    x86_vop(x, X86_PTEST, 1, t[2], 0, x86_reg(t[2]), 0);
    jit_slow_path_if(v->j, v->m, X86_CC_NE);
    jit_load_base(v->j, v->a);
}

/* rax := the first lane's address, t0 and t1 := each lane's distance from
 * it. */
static void
locate_lanes(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    const unsigned *t = v->t;
    check_bounds(v);
    x86_vop(x, X86_MOVD_TO_GPR, 0, t[0], 0, x86_reg(X86_RCX), 0);
    x86_vop(x, X86_PBROADCASTD, 1, t[2], 0, x86_reg(t[0]), 0);
    for (unsigned i = 0; i < v->parts; i++)
        x86_vop(x, X86_PSUBD, 1, t[i], t[i], x86_reg(t[2]), 0);
    x86_alu_reg(x, X86_ADD, X86_RAX, X86_RCX, true);
}

/* Jumps unless the lanes access one place. */
static uint32_t
test_same(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    unsigned any = v->t[0];
    if (v->parts > 1) {
        any = v->t[2];
        x86_vop(x, X86_POR, 1, any, v->t[0], x86_reg(v->t[1]), 0);
    }
    x86_vop(x, X86_PTEST, 1, any, 0, x86_reg(any), 0);
    return x86_jump(x, X86_CC_NE);
}

uint32_t
vex_test_neighbours(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    const unsigned *t = v->t;
    for (unsigned h = 0; h < v->parts; h++) {
        uint32_t want_B[8];
        for (unsigned i = 0; i < 8; i++)
            want_B[i] = (h * 8 + i) * access_step_B(v->a);
        x86_vop(x, X86_PXOR, 1, t[2 + h], t[h], x86_const(x, want_B, 8), 0);
    }
    if (v->parts > 1)
        x86_vop(x, X86_POR, 1, t[2], t[2], x86_reg(t[3]), 0);
    x86_vop(x, X86_PTEST, 1, t[2], 0, x86_reg(t[2]), 0);
    return x86_jump(x, X86_CC_NE);
}

void
vex_load_distance(const struct vex_access *v, unsigned lane)
{
    x86_gop(&v->j->x, X86_G_MOVSXD, true, X86_RCX,
            x86_g_thread(VEX_SCRATCH_AT + lane * 4));
}

void
vex_store_distances(const struct vex_access *v)
{
    for (unsigned h = 0; h < v->parts; h++)
        x86_vop(&v->j->x, X86_MOVUPS_ST, 1, v->t[h], 0,
                x86_thread(VEX_SCRATCH_AT + h * EU_GRF_B), 0);
}

/* ---- reads ---- */

/* The register for part h of channel c; call put_answer() after loading it. */
static unsigned
answer_reg(const struct vex_access *v, unsigned c, unsigned h)
{
    return v->in_memory ? v->t[VEX_TEMPS - 4 + c] : v->data[c * v->parts + h];
}

void
vex_clear_rest(const struct vex_access *v, unsigned d, unsigned from)
{
    uint32_t bits = access_bits(v->a);
    const uint32_t keep[8] = {bits, bits, bits, bits, bits, bits, bits, bits};
    x86_vop(&v->j->x, X86_PAND, 1, d, from, x86_const(&v->j->x, keep, 8), 0);
}

static void
put_whole_answer(const struct vex_access *v, unsigned c, unsigned h)
{
    if (v->in_memory)
        jit_store_len(v->j, answer_reg(v, c, h),
                      v->a->data_B + (c * v->parts + h) * EU_GRF_B, EU_GRF_B);
}

static void
put_answer(const struct vex_access *v, unsigned c, unsigned h)
{
    unsigned d = answer_reg(v, c, h);
    if (v->a->element_B < 4)
        vex_clear_rest(v, d, d);
    put_whole_answer(v, c, h);
}

static void
load_same(const struct vex_access *v)
{
    jit_count_same(v->j, v->a, v->m);
    for (unsigned c = 0; c < v->a->channels; c++) {
        for (unsigned h = 0; h < v->parts; h++) {
            x86_vop(&v->j->x, X86_PBROADCASTD, 1, answer_reg(v, c, h), 0,
                    x86_at_rax(c * 4), 0);
            put_answer(v, c, h);
        }
    }
}

/* d := the four dwords of a lane, then the four dwords of the fourth lane after
 * it. */
static void
load_rows(const struct vex_access *v, unsigned d, unsigned lane,
          bool neighbours)
{
    struct x86 *x = &v->j->x;
    if (neighbours) {
        x86_vop(x, X86_MOVUPS_LD, 0, d, 0, x86_at_rax(lane * 16), 0);
        x86_vop_imm(x, X86_INSERTF128, 1, d, d, x86_at_rax((lane + 4) * 16), 0,
                    1);
        return;
    }
    vex_load_distance(v, lane);
    x86_vop_indexed(x, X86_MOVUPS_LD, 0, d, 0, -1);
    vex_load_distance(v, lane + 4);
    x86_vop_indexed(x, X86_INSERTF128, 1, d, d, 1);
}

void
vex_pair_halves(const struct vex_access *v, const unsigned d[4])
{
    struct x86 *x = &v->j->x;
    for (unsigned i = 0; i < 4; i++)
        x86_vop(x, i & 1 ? X86_UNPCKHPS : X86_UNPCKLPS, 1, v->t[i], d[i & 2],
                x86_reg(d[(i & 2) + 1]), 0);
}

void
vex_join_halves(const struct vex_access *v, unsigned d, unsigned i)
{
    x86_vop(&v->j->x, i & 1 ? X86_UNPCKHPD : X86_UNPCKLPD, 1, d, v->t[i >> 1],
            x86_reg(v->t[(i >> 1) + 2]), 0);
}

static void
turn_rows(const struct vex_access *v, bool neighbours)
{
    if (!neighbours)
        vex_store_distances(v);
    for (unsigned h = 0; h < v->parts; h++) {
        unsigned d[4];
        for (unsigned i = 0; i < 4; i++) {
            d[i] = answer_reg(v, i, h);
            load_rows(v, d[i], h * 8 + i, neighbours);
        }
        vex_pair_halves(v, d);
        for (unsigned c = 0; c < 4; c++) {
            vex_join_halves(v, d[c], c);
            put_answer(v, c, h);
        }
    }
}

/* Eight neighbouring lanes of two channels at a time. */
static void
read_pairs(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    const unsigned *t = v->t;
    for (unsigned h = 0; h < v->parts; h++) {
        for (unsigned i = 0; i < 2; i++)
            x86_vop(x, X86_MOVUPS_LD, 1, t[i], 0, x86_at_rax(h * 64 + i * 32),
                    0);
        x86_vop(x, X86_UNPCKLPS, 1, t[2], t[0], x86_reg(t[1]), 0);
        x86_vop(x, X86_UNPCKHPS, 1, t[3], t[0], x86_reg(t[1]), 0);
        for (unsigned c = 0; c < 2; c++) {
            unsigned d = answer_reg(v, c, h);
            x86_vop(x, c ? X86_UNPCKHPS : X86_UNPCKLPS, 1, d, t[2],
                    x86_reg(t[3]), 0);
            x86_vop_imm(x, X86_PERMQ, 1, d, 0, x86_reg(d), 0, 0xd8);
            put_answer(v, c, h);
        }
    }
}

static void
gather_lanes(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    unsigned lanes = v->t[2];
    for (unsigned c = 0; c < v->a->channels; c++) {
        for (unsigned h = 0; h < v->parts; h++) {
            x86_vop(x, X86_PCMPEQD, 1, lanes, lanes, x86_reg(lanes), 0);
            x86_gather_at_rax(x, 1, answer_reg(v, c, h), v->t[h],
                              (int32_t)c * 4, lanes);
            put_answer(v, c, h);
        }
    }
}

static void
read_neighbours(const struct vex_access *v)
{
    unsigned step_B = access_step_B(v->a);
    if (v->a->channels == 4)
        turn_rows(v, true);
    if (v->a->channels == 2)
        read_pairs(v);
    for (unsigned h = 0; v->a->channels == 1 && h < v->parts; h++) {
        x86_vop(&v->j->x, jit_element_load(v->a), 1, answer_reg(v, 0, h), 0,
                x86_at_rax(h * 8 * step_B), 0);
        put_whole_answer(v, 0, h);
    }
    /* Prefetches for the thread that runs next. */
    if (v->a->bti != ACCESS_SLM)
        x86_prefetch_at_rax(&v->j->x, v->a->lanes * step_B);
}

/* Lanes at different places. */
static void
read_apart(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    if (v->a->channels == 3) {
        if (jit_counts_memory(v->j))
            jit_slow_path_if(v->j, v->m, X86_ALWAYS);
        gather_lanes(v);
        return;
    }
    uint32_t others = vex_test_neighbours(v);
    jit_count_next(v->j, v->a, v->m);
    read_neighbours(v);
    if (jit_counts_memory(v->j)) {
        v->m->from[v->m->from_count++] = others;
        return;
    }
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, others, x->size);
    if (v->a->channels == 4)
        turn_rows(v, false);
    else
        gather_lanes(v);
    x86_patch(x, done, x->size);
}

static void
read_memory(const struct vex_access *v)
{
    struct x86 *x = &v->j->x;
    uint32_t differ = test_same(v);
    load_same(v);
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, differ, x->size);
    read_apart(v);
    x86_patch(x, done, x->size);
}

/* ---- */

/* Takes the registers for offsets and answers. */
static void
take_registers(struct vex_access *v)
{
    struct jit *j = v->j;
    const struct access *a = v->a;
    unsigned pieces = v->parts * a->channels, len_B = pieces * EU_GRF_B;
    unsigned free = (unsigned)__builtin_popcount(j->v.all & ~j->v.pinned);
    unsigned temps = a->kind == ACCESS_WRITE && a->channels > 1 ? 5 : 4;
    v->in_memory = v->parts + pieces + temps > free;
    if (v->in_memory) {
        temps = VEX_TEMPS;
        if (a->kind == ACCESS_READ)
            jit_sync_drop(j, a->data_B, len_B);
        else
            jit_sync(j, a->data_B, len_B);
    }
    for (unsigned i = 0; i < v->parts; i++)
        v->offsets[i] = jit_vec(j, a->offset_B + i * EU_GRF_B, EU_GRF_B);
    for (unsigned i = 0; i < pieces && !v->in_memory; i++)
        v->data[i] = a->kind == ACCESS_READ
                         ? jit_temp(j)
                         : jit_vec(j, a->data_B + i * EU_GRF_B, EU_GRF_B);
    for (unsigned i = 0; i < temps; i++)
        v->t[i] = jit_temp(j);
}

void
jit_lower_memory_vex(struct jit *j, const struct eu_op *op,
                     const struct access *a, struct jit_slow_path *m)
{
    struct vex_access v = {.j = j, .m = m, .a = a, .parts = a->lanes / 8};
    unsigned answers = a->kind == ACCESS_READ ? v.parts * a->channels : 0;
    take_registers(&v);
    jit_keep(m, j);
    m->answer_count = v.in_memory ? 0 : answers;
    memcpy(m->answer, v.data, sizeof v.data);
    jit_need_all_lanes(j, op, m);
    if (a->kind == ACCESS_ATOMIC && !jit_counts_atomic(j, a))
        jit_slow_path_if(j, m, X86_ALWAYS);
    if (a->kind == ACCESS_ATOMIC) {
        check_bounds(&v);
        jit_update_lanes(j, a, v.t, v.data, &v.t[2], m);
    } else {
        locate_lanes(&v);
    }
    if (a->kind == ACCESS_READ)
        read_memory(&v);
    else if (a->kind == ACCESS_WRITE)
        vex_write_memory(&v);
    m->back = j->x.size;
    j->failed |= j->out_of_registers;
    /* The offsets may lie where the answer goes. */
    if (v.in_memory && answers)
        jit_sync_drop(j, a->data_B, answers * EU_GRF_B);
    for (unsigned i = 0; i < m->answer_count; i++)
        jit_bind(j, v.data[i], a->data_B + i * EU_GRF_B, EU_GRF_B);
}
