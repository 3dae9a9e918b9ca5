/* rk_run.c: runs a random kernel on both tiers. */
#include "rk.h"

#include <stdio.h>

#include "base/fpmode.h"
#include "eu/profile/profile.h"

static const char *const mode_names[RK_MODES] = {
    [RK_BLOCKS] = "blocks",
    [RK_WHOLE] = "whole",
    [RK_STEPS] = "steps",
    [RK_DAMAGED] = "damaged",
};

const char *
rk_mode_name(enum rk_mode mode)
{
    return mode_names[mode];
}

/* ---- messages ---- */

/* All NaNs count as equal. */
static uint32_t
canonical(unsigned grf, uint32_t v, uint32_t high)
{
    switch (rk_reg_bank(grf)) {
    case RK_FLOAT: return (v & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : v;
    case RK_HALF:
        if ((v & 0x7fff) > 0x7c00)
            v = (v & 0xffff0000) | 0x7e00;
        if ((v & 0x7fff0000) > 0x7c000000)
            v = (v & 0xffff) | 0x7e000000;
        return v;
    case RK_DOUBLE:
        /* The high half tells whether a low half belongs to a NaN. */
        return (high & 0x7fffffff) >= 0x7ff00000 ? 0x7ff80000 : v;
    default: return v;
    }
}

/* at: register of the payload after the header */
static bool
lane_is_on(const struct eu_message *m, int at, unsigned dword)
{
    if (at < 0 || (m->exec_size != 8 && m->exec_size != 16))
        return true;
    unsigned high = m->exec_size == 16 && (at & 1) ? 8 : 0;
    return m->exec_mask >> (high + dword) & 1;
}

static uint64_t
hash_payload(uint64_t h, const struct eu_thread *t, const struct eu_message *m,
             const uint32_t *p, unsigned count_grf, int at)
{
    const struct rk_log *log = t->user;
    unsigned first = (unsigned)((const uint8_t *)p - t->grf) / EU_GRF_B;
    for (unsigned i = 0; i < count_grf * 8; i++)
        if (!log->lanes || lane_is_on(m, at + (int)(i / 8), i % 8))
            h = (h ^ canonical(first + i / 8, p[i], p[i | 1])) *
                UINT64_C(0x100000001b3);
    return h;
}

enum eu_msg_result
rk_answer(struct eu_thread *t, const struct eu_message *m)
{
    struct rk_log *log = t->user;
    uint64_t h = log->hash + m->desc + m->ex_desc * UINT64_C(3) + m->exec_mask;
    h = (h ^ (m->sfid | m->eot << 4 | m->exec_size << 8 | m->chan_offset << 16 |
              m->mlen_grf << 24)) *
        UINT64_C(0x100000001b3);
    int at = !m->header ? 0 : m->sfid == EU_SFID_RENDER ? -2 : -1;
    h = hash_payload(h, t, m, m->src0, m->mlen_grf, at);
    if (m->src1)
        h = hash_payload(h, t, m, m->src1, m->ex_mlen_grf, at + m->mlen_grf);
    log->hash = h;
    log->count++;
    for (unsigned i = 0; i < m->rlen_grf * 8u; i++)
        if (m->exec_mask >> (i % m->exec_size) & 1)
            m->dst[i] = (uint32_t)(h >> (i & 31)) & 0x40ffffff;
    return h % 512 ? EU_MSG_OK : EU_MSG_BARRIER;
}

/* ---- state ---- */

void
rk_fill_registers(struct rk *k, struct eu_thread *t)
{
    unsigned floats = rk_rnd(k, 101);
    for (unsigned grf = 0; grf < EU_GRF_COUNT; grf++) {
        enum rk_bank bank = rk_reg_bank(grf);
        if (!k->banks)
            bank = rk_chance(k, 10)       ? (enum rk_bank)rk_rnd(k, RK_BANKS)
                   : rk_chance(k, floats) ? RK_FLOAT
                                          : RK_INT;
        for (unsigned i = 0; i < 4; i++) {
            uint64_t v;
            switch (bank) {
            case RK_FLOAT:
                v = rk_bits_f(k) | (uint64_t)rk_bits_f(k) << 32;
                break;
            case RK_INT: v = rk_bits_i(k) | (uint64_t)rk_bits_i(k) << 32; break;
            case RK_HALF:
                v = rk_bits_hf(k) | (uint64_t)rk_bits_hf(k) << 16;
                v |= v << 32;
                break;
            default: v = rk_bits_df(k); break;
            }
            memcpy(t->grf + grf * EU_GRF_B + i * 8, &v, 8);
        }
    }
}

struct eu_start
rk_start(struct rk *k, const struct eu_kernel *kernel)
{
    uint32_t mask = UINT32_MAX;
    if (rk_chance(k, 50))
        mask = rk_chance(k, 10) ? 0 : rk_rnd(k, UINT32_MAX);
    if (k->simd < 32)
        mask &= (UINT32_C(1) << k->simd) - 1;
    return (struct eu_start){
        .kernel = kernel,
        .simd = k->simd,
        .dispatch_mask = mask,
        .vector_mask = rk_chance(k, 70) ? mask : rk_rnd(k, UINT32_MAX),
        .vector_mask_enable = rk_chance(k, 20),
        .alt_mode = rk_chance(k, 12),
        .denorm_f_retain = rk_chance(k, 40),
        .rounding = rk_chance(k, 20) ? (uint8_t)rk_rnd(k, 4) : 0,
        .send = rk_answer,
    };
}

static void
start(struct eu_thread *t, struct rk *k, const struct eu_kernel *kernel)
{
    struct eu_start s = rk_start(k, kernel);
    eu_thread_init(t, &s);
    rk_fill_registers(k, t);
    t->f[0] = rk_rnd(k, UINT32_MAX);
    t->f[1] = rk_chance(k, 30) ? UINT32_MAX : rk_rnd(k, UINT32_MAX);
    for (unsigned i = 0; i < 16; i++)
        t->a0[i] = (uint16_t)(k->banks ? (34 + rk_rnd(k, 28)) * 32
                                       : rk_rnd(k, 3000) & ~3u);
    for (unsigned i = 0; i < 3; i++)
        t->n0[i] = rk_rnd(k, 3);
    eu_thread_update_mxcsr(t);
}

/* ---- comparing ---- */

bool
rk_notify(struct eu_thread *t, unsigned *patience)
{
    if (t->status != EU_WAITING || !*patience)
        return false;
    --*patience;
    for (unsigned i = 0; i < 3; i++)
        t->n0[i]++;
    t->status = EU_RUNNING;
    return true;
}

static bool
compare_states(const struct eu_jit *jit, struct eu_thread *t, char *text,
               size_t text_size)
{
    struct rk_log log = {0};
    uint64_t left = 80;
    unsigned patience = 20;
    t->user = &log;
    do {
        if (!eu_jit_agrees(jit, t, &left, text, text_size))
            return false;
    } while (rk_notify(t, &patience) && left);
    return true;
}

/* What the arrays say of one instruction. */
struct insn_counts {
    uint64_t runs, lanes, contrary, divergent, contrary_lanes;
    uint64_t bins[PROFILE_BINS_MAX];
};

/* Of a basic block of compiled code, while its instructions are walked. */
struct block_counts {
    uint64_t entries, full;
    uint64_t seen;            /* profile_channels() */
    const uint64_t *bins[64]; /* by the number of that bit */
};

static const uint64_t *
bins_at(const struct eu_kernel *k, const uint64_t *counters,
        enum profile_bins set, uint32_t u)
{
    return &counters[RK_SLOT + profile_bin(set, eu_profile_arrays_of(k),
                                           k->profile_bins, k->size_B / 8, u)];
}

/* Also the lanes of compiled code. */
static void
read_bins(const struct eu_kernel *k, const uint64_t *counters,
          struct block_counts *b, const struct eu_insn *insn, uint32_t u,
          struct insn_counts *n)
{
    uint64_t channels = profile_channels(insn->chan_offset, insn->exec_size);
    const uint64_t **first = &b->bins[__builtin_ctzll(channels)];
    const uint64_t *ran = bins_at(k, counters, PROFILE_RAN_BINS, u);
    if (!(b->seen & channels))
        *first = bins_at(k, counters, PROFILE_BLOCK_BINS, u);
    b->seen |= channels;
    n->lanes += b->full * insn->exec_size;
    n->bins[insn->exec_size] = b->full;
    for (unsigned i = 0; i < k->profile_bins; i++) {
        n->lanes += i * (*first)[i];
        n->bins[i] += ran[i] + (*first)[i];
    }
}

static struct insn_counts
read_insn(const struct eu_kernel *k, const uint64_t *counters,
          struct block_counts *b, const struct eu_insn *insn, uint32_t u)
{
    const uint64_t *at = &counters[RK_SLOT + u];
    uint32_t units = k->size_B / 8;
    struct insn_counts n = {
        .runs = at[PROFILE_RAN * units] + b->entries + b->full,
        .contrary = at[PROFILE_CONTRARY * units],
        .divergent = at[PROFILE_DIVERGENT * units],
        .contrary_lanes = at[PROFILE_CONTRARY_LANES * units],
        .lanes = at[PROFILE_LANES * units]};
    if (eu_fixed_lanes(insn))
        n.lanes = n.runs * eu_fixed_lanes(insn);
    else if (k->profile_bins)
        read_bins(k, counters, b, insn, u, &n);
    return n;
}

/* Whether the bins have all executions, with these lanes. */
static bool
bins_add_up(const struct insn_counts *n)
{
    uint64_t runs = 0, lanes = 0;
    for (unsigned i = 0; i < PROFILE_BINS_MAX; i++) {
        runs += n->bins[i];
        lanes += i * n->bins[i];
    }
    return runs == n->runs && lanes == n->lanes;
}

static void
begin_block(struct block_counts *b, const uint64_t *counters, uint32_t units,
            uint32_t u)
{
    b->entries = counters[RK_SLOT + PROFILE_ENTERED * units + u];
    b->full = counters[RK_SLOT + PROFILE_ENTERED_FULL * units + u];
    b->seen = 0;
}

bool
rk_same_counts(const struct eu_jit *jit, const struct eu_kernel *kernel,
               const uint64_t *compiled, const uint64_t *reference, char *text,
               size_t text_size)
{
    uint32_t units = kernel->size_B / 8;
    struct block_counts block[2] = {{0}, {0}};
    for (uint32_t u = 0; u < units; u++) {
        if (kernel->op_of[u] == EU_NO_OP)
            continue;
        const struct eu_insn *insn = kernel->ops[kernel->op_of[u]].insn;
        if (eu_jit_begins_block(jit, u * 8)) {
            begin_block(&block[0], compiled, units, u);
            begin_block(&block[1], reference, units, u);
        }
        struct insn_counts a = read_insn(kernel, compiled, &block[0], insn, u);
        struct insn_counts b = read_insn(kernel, reference, &block[1], insn, u);
        if (!memcmp(&a, &b, sizeof a) &&
            (!kernel->profile_bins || eu_fixed_lanes(insn) || bins_add_up(&a)))
            continue;
        snprintf(
            text, text_size,
            "0x%x counted %llu times, %llu lanes, branch %llu, %llu, %llu "
            "lanes; interpreted %llu times, %llu lanes, branch %llu, "
            "%llu, %llu lanes",
            u * 8, (unsigned long long)a.runs, (unsigned long long)a.lanes,
            (unsigned long long)a.contrary, (unsigned long long)a.divergent,
            (unsigned long long)a.contrary_lanes, (unsigned long long)b.runs,
            (unsigned long long)b.lanes, (unsigned long long)b.contrary,
            (unsigned long long)b.divergent,
            (unsigned long long)b.contrary_lanes);
        return false;
    }
    return true;
}

/* Runs code as outside check mode. */
static bool
compare_messages(const struct eu_jit *jit, struct eu_thread *a,
                 struct rk_result *r, char *text, size_t text_size)
{
    static _Thread_local uint64_t count_a[RK_COUNTERS], count_b[RK_COUNTERS];
    struct eu_thread b = *a;
    struct rk_log log_a = {.lanes = eu_jit_info(jit).lane_independent},
                  log_b = log_a;
    unsigned patience_a = 6, patience_b = 6;
    memset(count_a, 0, sizeof count_a);
    memset(count_b, 0, sizeof count_b);
    a->user = &log_a;
    b.user = &log_b;
    eu_profile_count_at(count_a);
    do
        eu_jit_execute(jit, a, 400);
    while (rk_notify(a, &patience_a));
    /* The interpreter runs kernels that compiled code refuses. */
    if (a->status == EU_RUNNING)
        do
            eu_run_reference(a, 400);
        while (rk_notify(a, &patience_a));
    r->finished = a->status == EU_FINISHED || a->status == EU_FAILED;
    if (!r->finished)
        return true;
    eu_profile_count_at(count_b);
    do
        eu_run_reference(&b, 4000);
    while (rk_notify(&b, &patience_b));
    /* A block whose instruction fails counts as a whole. */
    if (a->status == b.status && log_a.hash == log_b.hash)
        return a->status == EU_FAILED || !a->kernel->profile_slot ||
               rk_same_counts(jit, a->kernel, count_a, count_b, text,
                              text_size);
    snprintf(text, text_size,
             "status %d after %u messages, interpreted %d after %u, which "
             "differ",
             a->status, log_a.count, b.status, log_b.count);
    return false;
}

bool
rk_run(const struct rk *k, uint64_t seed, enum cpu_level cpu,
       struct rk_result *result, char *text, size_t text_size)
{
    static const unsigned flags[RK_MODES] = {
        [RK_BLOCKS] = EU_JIT_SPLIT,
        [RK_WHOLE] = 0,
        [RK_STEPS] = EU_JIT_SPLIT | EU_JIT_STEP,
        [RK_DAMAGED] = EU_JIT_SPLIT | EU_JIT_STEP,
    };
    struct rk state = {.random = seed ^ UINT64_C(0x5851f42d4c957f2d),
                       .banks = k->banks,
                       .simd = k->simd};
    struct eu_thread t;
    *result = (struct rk_result){0};
    struct eu_kernel *kernel = eu_kernel_build(k->code, k->size_B, k->gen);
    if (!kernel)
        return true;
    uint32_t host_mode = fpmode_get();
    start(&t, &state, kernel);
    unsigned modes = (seed & 1 ? EU_JIT_DENORMALS : 0u) |
                     (t.cr0[0] & EU_CR0_ALT ? EU_JIT_ALT : 0u);
    if (k->mode == RK_WHOLE && k->counts) {
        kernel->profile_slot = RK_SLOT;
        kernel->profile_bins = k->lanes ? PROFILE_BINS_MAX : 0;
        modes |= EU_JIT_COUNTS | (k->lanes ? EU_JIT_LANES : 0u);
    }
    struct eu_jit *jit = eu_jit_compile(kernel, cpu, flags[k->mode] | modes);
    bool same = jit;
    snprintf(text, text_size, "not compiled");
    if (jit) {
        result->built = true;
        result->op_count = eu_jit_info(jit).op_count;
        result->native_count = eu_jit_info(jit).native_count;
        same = k->mode == RK_WHOLE
                   ? compare_messages(jit, &t, result, text, text_size)
                   : compare_states(jit, &t, text, text_size);
    }
    fpmode_set(host_mode);
    eu_jit_free(jit);
    eu_kernel_free(kernel);
    return same;
}
