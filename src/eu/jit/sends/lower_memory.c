/* lower_memory.c: loads and stores without a message: accesses to memory that
 * the thread knows (eu_start.surfaces, slm), if all lanes execute and are in
 * bounds.
 *
 * Lanes at one place or at neighbouring places take one load or a few; other
 * lanes are gathered. All other cases take a slow path (slow_path.c). */
#include "eu/jit/sends/lower_memory.h"

#include <stdlib.h>

#include "eu/jit/x86/encode_gpr.h"

#define THREAD_AT(member) ACCESS_THREAD_AT(member)
#define RANGE_AT(member) ACCESS_RANGE_AT(member)
#define BIT(r) (UINT32_C(1) << (r))
#define K_OUTSIDE 4u
#define K_ALL 5u

/* ---- fences ---- */

/* Fence: earlier stores become visible before later loads. Emits a locked
 * instruction, unless the next barrier has one for all of its threads. Threads
 * without shared local memory need none. */
static void
lower_fence(struct jit *j, uint32_t index, const struct access *a)
{
    struct x86 *x = &j->x;
    unsigned d = jit_temp(j);
    struct jit_slow_path *m = NULL;
    if (!jit_barrier_fences(j->f, index)) {
        m = jit_add_slow_path(j);
        if (!m)
            return;
        jit_keep(m, j);
        m->answer[0] = d;
        x86_load(x, X86_RAX, THREAD_AT(slm), 8);
        x86_load_at_rax(x, X86_RAX, RANGE_AT(mem));
        x86_test(x, X86_RAX);
        jit_slow_path_if(j, m, X86_CC_E);
        x86_fence(x);
    }
    x86_vop(x, X86_PXOR, 1, d, d, x86_reg(d), 0);
    if (m)
        m->back = x->size;
    if (a->channels)
        jit_bind(j, d, a->s.dst_B, EU_GRF_B);
}

/* ---- addresses ---- */

void
jit_need_all_lanes(struct jit *j, const struct eu_op *op,
                   struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    if (op->no_mask || !j->f->in.lane_independent)
        return;
    x86_load(x, X86_RAX, THREAD_AT(mask), 4);
    if (op->chan)
        x86_shift_imm(x, false, X86_RAX, op->chan);
    x86_alu_imm(x, X86_AND, X86_RAX, op->full, false);
    x86_alu_imm(x, X86_CMP, X86_RAX, op->full, false);
    jit_slow_path_if(j, m, X86_CC_NE);
}

void
jit_load_range(struct jit *j, const struct access *a, struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    if (a->bti == ACCESS_SLM) {
        x86_load(x, X86_RAX, THREAD_AT(slm), 8);
        return;
    }
    x86_load(x, X86_RAX, THREAD_AT(surfaces), 8);
    x86_load_at_rax(x, X86_RAX, a->bti * sizeof(void *));
    x86_test(x, X86_RAX);
    jit_slow_path_if(j, m, X86_CC_E);
}

size_t
jit_end_at(const struct access *a)
{
    return a->vector || a->has_base
               ? RANGE_AT(vector_end_B)
               : RANGE_AT(end_B) + (MAX2(a->channels, 1u) - 1) * 4;
}

void
jit_sync_header(struct jit *j, const struct access *a)
{
    if (a->has_header)
        jit_sync(j, a->header_B + ACCESS_GLOBAL_B, 4);
    if (a->has_base)
        jit_sync(j, a->header_B + ACCESS_BASE_B, 4);
}

void
jit_check_header(struct jit *j, const struct access *a, struct jit_slow_path *m)
{
    if (!a->has_header)
        return;
    x86_alu_mem_imm(&j->x, X86_CMP,
                    THREAD_AT(grf) + a->header_B + ACCESS_GLOBAL_B, 0);
    jit_slow_path_if(j, m, X86_CC_NE);
}

void
jit_load_base(struct jit *j, const struct access *a)
{
    x86_load_at_rax(&j->x, X86_RAX, RANGE_AT(mem));
    if (!a->has_base)
        return;
    x86_load(&j->x, X86_RCX, THREAD_AT(grf) + a->header_B + ACCESS_BASE_B, 4);
    x86_alu_reg(&j->x, X86_ADD, X86_RAX, X86_RCX, true);
}

void
jit_to_bytes(struct jit *j, unsigned len, unsigned d, unsigned dwords)
{
    const unsigned shl = 6; /* the opcode's extension */
    x86_vop_imm(&j->x, X86_PSHIFTD_IMM, len, shl, d, x86_reg(dwords), 0, 2);
}

/* Returns the lanes' byte offsets, in t or unchanged. */
static unsigned
byte_offsets(struct jit *j, const struct access *a, unsigned offsets,
             unsigned t)
{
    unsigned len = a->lanes / 8;
    uint32_t bits = access_offset_bits(a);
    if (a->in_dwords) {
        jit_to_bytes(j, len, t, offsets);
        offsets = t;
    }
    if (bits != UINT32_MAX) {
        x86_vop(&j->x, X86_PAND, len, t, offsets, x86_dword_const(&j->x, bits),
                0);
        offsets = t;
    }
    return offsets;
}

/* rax := the memory; returns the lanes' offsets, in t or unchanged. */
static unsigned
check_bounds(struct jit *j, const struct access *a, unsigned offsets,
             unsigned t, struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    unsigned len = a->lanes / 8;
    struct x86_rm end = x86_bcast(x86_at_rax(jit_end_at(a)), true);
    jit_load_range(j, a, m);
    jit_check_header(j, a, m);
    offsets = byte_offsets(j, a, offsets, t);
    x86_vop_imm(x, X86_PCMPUD, len, K_OUTSIDE, offsets, end, 0, 5);
    x86_kortest(x, K_OUTSIDE, K_OUTSIDE);
    jit_slow_path_if(j, m, X86_CC_NE);
    jit_load_base(j, a);
    return offsets;
}

/* rax := the first lane's address, t[0] := each lane's distance from it. */
static void
locate_lanes(struct jit *j, const struct access *a, unsigned offsets,
             const unsigned t[4], struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    unsigned len = a->lanes / 8;
    offsets = check_bounds(j, a, offsets, t[0], m);
    x86_vop(x, X86_MOVD_TO_GPR, 0, offsets, 0, x86_reg(X86_RCX), 0);
    x86_vop(x, X86_PBROADCASTD, len, t[1], 0, x86_reg(offsets), 0);
    x86_vop(x, X86_PSUBD, len, t[0], offsets, x86_reg(t[1]), 0);
    x86_alu_reg(x, X86_ADD, X86_RAX, X86_RCX, true);
}

/* Jumps unless the lanes access neighbouring elements. */
static uint32_t
test_neighbours(struct jit *j, const struct access *a, unsigned distance)
{
    uint32_t want_B[16];
    for (unsigned i = 0; i < 16; i++)
        want_B[i] = i * access_step_B(a);
    x86_vop_imm(&j->x, X86_PCMPD, a->lanes / 8, K_OUTSIDE, distance,
                x86_const(&j->x, want_B, a->lanes), 0, 4);
    x86_kortest(&j->x, K_OUTSIDE, K_OUTSIDE);
    return x86_jump(&j->x, X86_CC_NE);
}

/* d := dwords of a and b, indexed by `from`; b's indices begin at 16. */
static void
pick_dwords(struct jit *j, unsigned d, const uint32_t from[16], unsigned a,
            unsigned b)
{
    x86_vop(&j->x, X86_MOVUPS_LD, 2, d, 0, x86_const(&j->x, from, 16), 0);
    x86_vop(&j->x, X86_PERMI2D, 2, d, a, x86_reg(b), 0);
}

/* ---- reads ---- */

/* Clears the bits of each dword that are not in memory. */
static void
clear_rest(struct jit *j, const struct access *a, const unsigned d[4])
{
    if (a->element_B < 4)
        x86_vop(&j->x, X86_PAND, a->lanes / 8, d[0], d[0],
                x86_dword_const(&j->x, access_bits(a)), 0);
}

static void
load_rows(struct jit *j, const struct access *a, const unsigned d[4],
          const unsigned t[4])
{
    static const uint32_t xy[16] = {0, 4, 8, 12, 16, 20, 24, 28,
                                    1, 5, 9, 13, 17, 21, 25, 29};
    static const uint32_t zw[16] = {2, 6, 10, 14, 18, 22, 26, 30,
                                    3, 7, 11, 15, 19, 23, 27, 31};
    static const uint32_t even[16] = {0,  2,  4,  6,  8,  10, 12, 14,
                                      16, 18, 20, 22, 24, 26, 28, 30};
    static const uint32_t odd[16] = {1,  3,  5,  7,  9,  11, 13, 15,
                                     17, 19, 21, 23, 25, 27, 29, 31};
    unsigned len = a->lanes / 8;
    for (unsigned c = 0; c < a->channels; c++)
        x86_vop(&j->x, jit_element_load(a), len, d[c], 0, x86_at_rax(c * 64),
                0);
    /* Prefetches for the thread that runs next. */
    if (a->bti != ACCESS_SLM)
        x86_prefetch_at_rax(&j->x, access_step_B(a) * 16);
    if (a->channels == 1)
        return;
    if (a->channels == 2) {
        for (unsigned c = 0; c < 2; c++)
            pick_dwords(j, t[c], c ? odd : even, d[0], d[1]);
        for (unsigned c = 0; c < 2; c++)
            x86_vop(&j->x, X86_MOVAPS, 2, d[c], 0, x86_reg(t[c]), 0);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        pick_dwords(j, t[i], i < 2 ? xy : zw, d[i % 2 * 2], d[i % 2 * 2 + 1]);
    for (unsigned c = 0; c < 4; c++)
        x86_vop_imm(&j->x, X86_SHUFF32X4, 2, d[c], t[c & 2],
                    x86_reg(t[(c & 2) + 1]), 0, c & 1 ? 0xee : 0x44);
}

static void
gather_lanes(struct jit *j, const struct access *a, const unsigned d[4],
             unsigned distance)
{
    for (unsigned c = 0; c < a->channels; c++) {
        x86_kop(&j->x, X86_KXNOR, K_ALL, K_ALL, K_ALL);
        x86_gather_at_rax(&j->x, a->lanes / 8, d[c], distance, (int32_t)c * 4,
                          K_ALL);
    }
    clear_rest(j, a, d);
}

/* Lanes at different places. C code transposes four dwords of each lane, which
 * is faster than gathers. */
static void
read_apart(struct jit *j, const struct access *a, const unsigned t[4],
           const unsigned d[4], struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    if (!access_has_rows(a)) {
        if (a->channels == 4 || !jit_count_apart(j, a, t[0], &t[1], m))
            jit_slow_path_if(j, m, X86_ALWAYS);
        else
            gather_lanes(j, a, d, t[0]);
        return;
    }
    uint32_t others = test_neighbours(j, a, t[0]);
    jit_count_next(j, a, m);
    load_rows(j, a, d, t);
    if (a->channels == 4) {
        m->from[m->from_count++] = others;
        return;
    }
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, others, x->size);
    if (!jit_count_apart(j, a, t[0], &t[1], m))
        jit_slow_path_if(j, m, X86_ALWAYS);
    gather_lanes(j, a, d, t[0]);
    x86_patch(x, done, x->size);
}

/* Lanes at one place. Returns a jump for others. */
static uint32_t
read_same(struct jit *j, const struct access *a, const unsigned t[4],
          const unsigned d[4], struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    unsigned len = a->lanes / 8;
    x86_vop(x, X86_PTESTMD, len, K_OUTSIDE, t[0], x86_reg(t[0]), 0);
    x86_kortest(x, K_OUTSIDE, K_OUTSIDE);
    uint32_t differ = x86_jump(x, X86_CC_NE);
    jit_count_same(j, a, m);
    for (unsigned c = 0; c < a->channels; c++)
        x86_vop(x, X86_PBROADCASTD, len, d[c], 0, x86_at_rax(c * 4), 0);
    clear_rest(j, a, d);
    return differ;
}

/* Bytes and words are most often neighbours. */
static void
read_narrow(struct jit *j, const struct access *a, const unsigned t[4],
            const unsigned d[4], struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    uint32_t others = test_neighbours(j, a, t[0]);
    jit_count_next(j, a, m);
    load_rows(j, a, d, t);
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, others, x->size);
    uint32_t differ = read_same(j, a, t, d, m);
    uint32_t done_too = x86_jump(x, X86_ALWAYS);
    x86_patch(x, differ, x->size);
    if (!jit_count_apart(j, a, t[0], &t[1], m))
        jit_slow_path_if(j, m, X86_ALWAYS);
    gather_lanes(j, a, d, t[0]);
    x86_patch(x, done, x->size);
    x86_patch(x, done_too, x->size);
}

static void
read_memory(struct jit *j, const struct access *a, const unsigned t[4],
            const unsigned d[4], struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    if (a->element_B < 4 && access_has_rows(a)) {
        read_narrow(j, a, t, d, m);
        return;
    }
    uint32_t differ = read_same(j, a, t, d, m);
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, differ, x->size);
    read_apart(j, a, t, d, m);
    x86_patch(x, done, x->size);
}

/* ---- writes ---- */

/* The register with row i of 64 bytes: several channels of neighbouring lanes.
 * Rows are made in order. */
static unsigned
make_row(struct jit *j, const struct access *a, unsigned i, const unsigned d[4],
         const unsigned t[4])
{
    static const uint32_t half[2][16] = {
        {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23},
        {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31}};
    static const uint32_t pairs[2][16] = {
        {0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23},
        {8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31}};
    if (a->channels == 2) {
        pick_dwords(j, t[2], half[i], d[0], d[1]);
        return t[2];
    }
    if (i % 2 == 0) {
        pick_dwords(j, t[0], half[i / 2], d[0], d[1]);
        pick_dwords(j, t[1], half[i / 2], d[2], d[3]);
    }
    pick_dwords(j, t[2], pairs[i % 2], t[0], t[1]);
    return t[2];
}

static void
store_rows(struct jit *j, const struct access *a, const unsigned d[4],
           const unsigned t[4])
{
    static const enum x86_vop stores[5] = {
        [1] = X86_PMOVDB, [2] = X86_PMOVDW, [4] = X86_MOVUPS_ST};
    struct x86 *x = &j->x;
    if (a->channels == 1) {
        x86_vop(x, stores[a->element_B], a->lanes / 8, d[0], 0, x86_at_rax(0),
                0);
        return;
    }
    for (unsigned i = 0; i < a->channels; i++)
        x86_vop(x, X86_MOVUPS_ST, 2, make_row(j, a, i, d, t), 0,
                x86_at_rax(i * 64), 0);
}

/* Several channels of lanes at different places, lane by lane. */
static void
store_apart(struct jit *j, const struct access *a, const unsigned d[4],
            const unsigned t[4])
{
    /* mov [rax + rcx], rdx; mov [rax + rcx + 8], rdx */
    static const uint8_t low[] = {0x48, 0x89, 0x14, 0x08};
    static const uint8_t high[] = {0x48, 0x89, 0x54, 0x08, 0x08};
    const size_t at = THREAD_AT(scratch), row_at = at + 64;
    struct x86 *x = &j->x;
    unsigned lane_B = a->channels * 4u, count = 64 / lane_B;
    x86_vop(x, X86_MOVUPS_ST, 2, t[0], 0, x86_thread(at), 0);
    for (unsigned i = 0; i < a->lanes; i++) {
        size_t from = row_at + i % count * lane_B;
        if (i % count == 0)
            x86_vop(x, X86_MOVUPS_ST, 2, make_row(j, a, i / count, d, t), 0,
                    x86_thread(row_at), 0);
        x86_gop(x, X86_G_MOVSXD, true, X86_RCX, x86_g_thread(at + i * 4));
        x86_load(x, X86_RDX, from, 8);
        x86_bytes(x, low, sizeof low);
        if (lane_B == 8)
            continue;
        x86_load(x, X86_RDX, from + 8, 8);
        x86_bytes(x, high, sizeof high);
    }
}

/* If several lanes write one dword the last lane wins, as with scatters.
 * Scatters are not used for less than a dword, and for several channels a lane
 * at a time is as fast. */
static void
write_memory(struct jit *j, const struct access *a, const unsigned t[4],
             const unsigned d[4], struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    uint32_t others = test_neighbours(j, a, t[0]);
    jit_count_next(j, a, m);
    store_rows(j, a, d, t);
    if (a->element_B < 4) {
        m->from[m->from_count++] = others;
        return;
    }
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, others, x->size);
    if (!jit_count_apart(j, a, t[0], &t[1], m))
        jit_slow_path_if(j, m, X86_ALWAYS);
    if (a->channels > 1) {
        store_apart(j, a, d, t);
    } else {
        x86_kop(x, X86_KXNOR, K_ALL, K_ALL, K_ALL);
        x86_scatter_at_rax(x, a->lanes / 8, d[0], t[0], 0, K_ALL);
    }
    x86_patch(x, done, x->size);
}

/* ---- atomics ---- */

/* One thread at a time uses a group's shared local memory: the running one. */
void
jit_update_lanes(struct jit *j, const struct access *a, const unsigned *offsets,
                 const unsigned *data, const unsigned t[2],
                 struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    size_t at = THREAD_AT(scratch), data_at = at + 64;
    unsigned piece_B = jit_piece_B(j, a), len = jit_len(piece_B);
    uint8_t code[] = {0xf0, a->atomic->opcode, a->atomic->modrm, 0x08};
    bool alone = a->bti == ACCESS_SLM;
    x86_mov_reg(x, X86_RCX, X86_RAX);
    x86_alu_imm(x, X86_AND, X86_RCX, 3, false);
    jit_slow_path_if(j, m, X86_CC_NE);
    if (jit_counts_memory(j) && jit_counts_atomic(j, a))
        jit_count_atomic(j, a, *offsets, t);
    for (unsigned i = 0; i * piece_B < a->lanes * 4; i++) {
        x86_vop(x, X86_MOVUPS_ST, len, offsets[i], 0,
                x86_thread(at + i * piece_B), 0);
        if (a->channels)
            x86_vop(x, X86_MOVUPS_ST, len, data[i], 0,
                    x86_thread(data_at + i * piece_B), 0);
    }
    for (unsigned i = 0; i < a->lanes; i++) {
        x86_load(x, X86_RCX, at + i * 4, 4);
        if (a->channels)
            x86_load(x, X86_RDX, data_at + i * 4, 4);
        x86_bytes(x, code + alone, sizeof code - alone);
    }
}

static void
update_memory(struct jit *j, const struct access *a, unsigned offsets,
              const unsigned t[4], const unsigned d[4], struct jit_slow_path *m)
{
    offsets = check_bounds(j, a, offsets, t[0], m);
    jit_update_lanes(j, a, &offsets, d, &t[1], m);
}

/* ---- */

void
jit_lower_memory(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    struct access a;
    unsigned d[4] = {0}, t[4], len_B;
    jit_find_access(&a, op);
    jit_drop_derived(j);
    if (!j->f->evex)
        jit_forget_masks(j);
    if (a.kind == ACCESS_FENCE) {
        lower_fence(j, index, &a);
        return;
    }
    struct jit_slow_path *m = jit_add_slow_path(j);
    if (!m)
        return;
    jit_sync_header(j, &a);
    if (!j->f->evex) {
        jit_lower_memory_vex(j, op, &a, m);
        return;
    }
    len_B = a.lanes * 4;
    unsigned offsets = jit_vec(j, a.offset_B, len_B);
    for (unsigned c = 0; c < a.channels; c++)
        d[c] = a.kind == ACCESS_READ ? jit_temp(j)
                                     : jit_vec(j, a.data_B + c * len_B, len_B);
    for (unsigned i = 0; i < 4; i++)
        t[i] = jit_temp(j);
    jit_keep(m, j);
    memcpy(m->answer, d, sizeof d);
    m->answer_count = a.channels;
    jit_need_all_lanes(j, op, m);
    if (a.kind == ACCESS_ATOMIC && !jit_counts_atomic(j, &a))
        jit_slow_path_if(j, m, X86_ALWAYS);
    if (a.kind == ACCESS_ATOMIC)
        update_memory(j, &a, offsets, t, d, m);
    else
        locate_lanes(j, &a, offsets, t, m);
    if (a.kind == ACCESS_READ) {
        read_memory(j, &a, t, d, m);
    } else if (a.kind == ACCESS_WRITE) {
        write_memory(j, &a, t, d, m);
    }
    m->back = j->x.size;
    j->failed |= j->out_of_registers;
    for (unsigned c = 0; a.kind == ACCESS_READ && c < a.channels; c++)
        jit_bind(j, d[c], a.data_B + c * len_B, len_B);
}
