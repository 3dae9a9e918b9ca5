/* chains.c: random chains of threads, and reference results of single
 * threads. */
#include <immintrin.h>

#include "base/cpu.h"
#include "chains.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "encode.h"

void
poison(struct eu_thread *t, unsigned seed)
{
    uint8_t *b = (uint8_t *)t;
    for (size_t i = 0; i < sizeof *t; i++)
        b[i] = (uint8_t)(seed * 41 + i * 167 + (i >> 8));
}

/* add: selects another series of kernels. */
static void
begin_kernel(struct rk *k, uint64_t seed, unsigned add)
{
    memset(k, 0, sizeof *k);
    k->random = seed * UINT64_C(0x9e3779b97f4a7c15) + add;
    k->mode = RK_WHOLE;
    k->banks = true;
    k->plain = rk_chance(k, 85);
    k->gen = EU_GEN9;
}

void
make_straight(struct rk *k, uint64_t seed, bool pixels)
{
    begin_kernel(k, seed, 3);
    k->simd = pixels || rk_chance(k, 60) ? 16 : 8;
    for (unsigned n = 1 + rk_rnd(k, 3); n--;) {
        for (unsigned i = 2 + rk_rnd(k, 8); i--;)
            rk_add_alu(k);
        rk_add_send(k, rk_reg(k, (enum rk_bank)rk_rnd(k, 2), 4),
                    1 + rk_rnd(k, 4), rk_rnd(k, 5), false);
    }
    unsigned mlen = pixels ? EU_CAPTURE_GRF : 2 + rk_rnd(k, 3);
    rk_add_send(k, rk_reg(k, RK_FLOAT, mlen), mlen, 0, true);
}

/* pln (16|M0) r20.0<1>:f r6.0<0;1,0>:f r2.0<8;8,1>:f: threads with weights may
 * form a chain. */
static void
add_plane(struct rk *k)
{
    struct code c = encode_binary(EU_OP_PLN, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 60, 53, 20);
    put(&c, 76, 69, 6);
    put(&c, 88, 80, 0);
    put(&c, 108, 101, 2);
    rk_append(k, c.dw);
}

/* mov (16|M0) r20.0<1>:f r1.0<8;8,1>:f: reads the pixels' positions; such
 * threads may form a chain, too. */
static void
add_place(struct rk *k)
{
    struct code c = encode_unary(EU_OP_MOV, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 60, 53, 20);
    put(&c, 76, 69, 1);
    rk_append(k, c.dw);
}

/* mov (1|M0) dst.0<1>:type r1.14<0;1,0>:type {NoMask}: reads which pixels are
 * live; dst: part of a register, or f0. */
static void
add_lit(struct rk *k)
{
    bool flag = rk_chance(k, 50);
    struct code c = encode_unary(EU_OP_MOV, flag ? EU_TYPE_UW : EU_TYPE_UD);
    put(&c, 23, 21, 0);
    put(&c, 34, 34, 1);
    put(&c, 36, 35, flag ? EU_FILE_ARF : EU_FILE_GRF);
    put(&c, 60, 53, flag ? EU_ARF_F : rk_reg(k, RK_INT, 1));
    put(&c, 76, 69, EU_LIVE_B / EU_GRF_B);
    put(&c, 68, 64, EU_LIVE_B % EU_GRF_B);
    put(&c, 88, 80, 0);
    rk_append(k, c.dw);
}

void
make_first(struct rk *k, uint64_t seed, bool weighs)
{
    begin_kernel(k, seed, 5);
    k->simd = 16;
    if (weighs)
        add_plane(k);
    else
        add_place(k);
    if (rk_chance(k, 30))
        add_lit(k);
}

void
make_silent(struct rk *k, uint64_t seed, bool weighs)
{
    make_first(k, seed, weighs);
    for (unsigned n = 2 + rk_rnd(k, 30); n--;)
        rk_add_alu(k);
    rk_add_send(k, rk_reg(k, RK_FLOAT, EU_CAPTURE_GRF), EU_CAPTURE_GRF, 0,
                true);
}

/* send (16|M0) dst:uw src: a payload and an answer of one to three vectors. */
static void
add_sample(struct rk *k)
{
    unsigned count = 2 + 2 * rk_rnd(k, 3);
    uint32_t desc = count << 25 | count << 20 | 2u << 17 | rk_rnd(k, 256);
    struct code c = encode_send(EU_SFID_SAMPLER, desc);
    put(&c, 23, 21, 4);
    put(&c, 60, 53, rk_reg(k, RK_FLOAT, count));
    put(&c, 76, 69, rk_reg(k, RK_FLOAT, count));
    rk_append(k, c.dw);
}

void
add_sum(struct rk *k, unsigned dst, unsigned a, unsigned b)
{
    struct code c = encode_binary(EU_OP_ADD, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 60, 53, dst);
    put(&c, 76, 69, a);
    put(&c, 108, 101, b);
    rk_append(k, c.dw);
}

/* Few registers, so that many ops have to keep their order when compiled code
 * sinks ops below messages. All are written before they are read: otherwise the
 * threads of a pair that is given up would differ. */
#define FIRST_VECTOR 18
#define VECTORS 6
#define HOISTED 9 /* odd */

static void
add_vectors(struct rk *k, unsigned count)
{
    unsigned r[3];
    while (count--) {
        for (unsigned i = 0; i < 3; i++)
            r[i] = FIRST_VECTOR + 2 * rk_rnd(k, VECTORS);
        add_sum(k, r[0], r[1], r[2]);
    }
}

void
make_sampling(struct rk *k, uint64_t seed)
{
    make_silent(k, seed, true);
    k->count = MIN2(k->count - 1, 3);
    k->size_B = k->at_B[k->count];
    bool vectors = rk_chance(k, 50);
    for (unsigned i = 0; vectors && i < VECTORS; i++)
        add_sum(k, FIRST_VECTOR + 2 * i, FIRST_VECTOR + 2, FIRST_VECTOR + 2);
    for (unsigned n = 1 + rk_rnd(k, 3); n--;) {
        add_vectors(k, vectors ? rk_rnd(k, 6) : 0);
        add_sample(k);
        for (unsigned i = rk_rnd(k, 4); i--;)
            rk_add_alu(k);
    }
    unsigned last = rk_reg(k, RK_FLOAT, EU_CAPTURE_GRF);
    rk_add_send(k, vectors ? FIRST_VECTOR : last, EU_CAPTURE_GRF, 0, true);
}

/* Obstacles for values that could move to other registers: vectors that begin
 * with an odd register, halves of vectors, predicates, and arbitrary ops. */
static void
add_obstacle(struct rk *k, unsigned first, unsigned count)
{
    unsigned r[3];
    for (unsigned i = 0; i < 3; i++)
        r[i] = first + rk_rnd(k, 2 * count - 1);
    if (rk_chance(k, 30)) {
        rk_add_alu(k);
        return;
    }
    add_sum(k, r[0], r[1], r[2]);
    uint32_t *dw = (uint32_t *)(void *)(k->code + k->size_B - 16);
    if (rk_chance(k, 50))
        fields_put(dw, 21, 23, 3);            /* of eight lanes */
    fields_put(dw, 16, 19, rk_chance(k, 30)); /* some use f0 */
}

/* A dependency chain of values, and a value derived from each, long before it
 * is added up: few registers suffice only in another order. */
void
make_hoisted(struct rk *k, uint64_t seed)
{
    const unsigned first = 40, x = first + 2 * HOISTED, sum = x + 4;
    make_first(k, seed, true);
    for (unsigned r = first; r <= sum + 6; r += 2)
        add_sum(k, r, 20, 20);
    for (unsigned n = 1 + rk_rnd(k, 3); n--;) {
        unsigned obstacles = rk_chance(k, 50) ? 15 : 0;
        for (unsigned i = 0; i < HOISTED; i++) {
            if (i)
                add_sum(k, x + i % 2 * 2, x + (i - 1) % 2 * 2, 20);
            add_sum(k, first + 2 * i, x + i % 2 * 2, 20);
            if (rk_chance(k, obstacles))
                add_obstacle(k, first, HOISTED + 6);
        }
        for (unsigned i = 0; i < HOISTED; i++) {
            unsigned to = sum + 2 * rk_rnd(k, 2);
            add_sum(k, to, to, first + 2 * i);
            if (rk_chance(k, obstacles))
                add_obstacle(k, first, HOISTED + 6);
        }
    }
    for (unsigned r = sum + 4; r <= sum + 6; r += 2)
        add_sum(k, r, r - 4, 20);
    rk_add_send(k, sum, EU_CAPTURE_GRF, 0, true);
}

struct row_directs row_directs;

static enum eu_msg_result
answer_message(const struct eu_message *m)
{
    uint32_t sum[16];
    bool error = false;
    for (unsigned i = 0; i < 16; i++) {
        sum[i] = m->desc;
        for (unsigned at = i; at < m->mlen_grf * 8u; at += 16)
            sum[i] = (sum[i] ^ m->src0[at]) * 0x01000193;
        error |= (m->exec_mask >> i & 1) && sum[i] * 0x9e3779b1 >> 23 == 0;
    }
    for (unsigned i = 0; i < m->rlen_grf * 8u; i++)
        if (m->exec_mask >> i % 16 & 1)
            m->dst[i] = (sum[i % 16] + i) & 0x40ffffff;
    return error ? EU_MSG_ERROR : EU_MSG_OK;
}

/* Declines every fifth call, and payloads whose answer is an error: the message
 * is sent. */
static bool
answer_payload(const struct eu_message *message, uint32_t *dst,
               const unsigned *more, uint32_t payload[3][16])
{
    uint32_t out[EU_CAPTURE_GRF * 8];
    struct eu_message m = *message;
    cr_assert_eq(more, &row_directs.calls);
    if (++row_directs.calls % 5 == 0)
        return false;
    m.src0 = payload[0];
    m.dst = out;
    m.exec_mask = 0xffff;
    if (answer_message(&m) != EU_MSG_OK)
        return false;
    memcpy(dst, out, m.rlen_grf * (size_t)EU_GRF_B);
    return true;
}

__attribute__((target("avx512f"))) static bool
answer_avx512(const struct eu_message *message, uint32_t *dst,
              const unsigned *more, __m512 a, __m512 b, __m512 c)
{
    uint32_t payload[3][16];
    _mm512_storeu_ps(payload[0], a);
    _mm512_storeu_ps(payload[1], b);
    _mm512_storeu_ps(payload[2], c);
    return answer_payload(message, dst, more, payload);
}

__attribute__((target("avx2"))) static bool
answer_avx2(const struct eu_message *message, uint32_t *dst,
            const unsigned *more, __m256 a0, __m256 a1, __m256 b0, __m256 b1,
            __m256 c0, __m256 c1)
{
    const __m256 v[6] = {a0, a1, b0, b1, c0, c1};
    uint32_t payload[3][16];
    memcpy(payload, v, sizeof payload);
    return answer_payload(message, dst, more, payload);
}

enum eu_msg_result
answer_alone(struct eu_thread *t, const struct eu_message *m)
{
    unsigned at = m->site - 1u;
    if (m->site && row_directs.fills) {
        cr_assert(m->mlen_grf >= 4 && m->exec_size == 16 && !m->header);
        row_directs.message[at] = *m;
        row_directs.entry[at] = (struct eu_direct){
            cpu_selected() == CPU_AVX512 ? (void (*)(void))answer_avx512
                                         : (void (*)(void))answer_avx2,
            &row_directs.message[at], &row_directs.calls};
        row_directs.direct[at] = &row_directs.entry[at];
    }
    return answer_message(m);
}

/* Returns the number of entries. */
static unsigned
make_row(struct rk *k, const struct eu_launch *l, bool whole,
         struct eu_chain_entry row[ROW], struct caught_row *to)
{
    static struct eu_thread t;
    unsigned count = l->lockstep && l->sfids ? ROW - rk_rnd(k, 2)
                     : l->lockstep           ? FEW + rk_rnd(k, ROW - FEW)
                                             : FEW - rk_rnd(k, 2);
    for (unsigned n = 0; n < count; n++) {
        uint32_t lit = whole || !rk_rnd(k, 3) ? 0xffff : rk_rnd(k, 0x10000);
        uint32_t quads = lit | lit >> 1 | lit >> 2 | lit >> 3;
        rk_fill_registers(k, &t);
        row[n].captured = (uint8_t *)to->color[n];
        row[n].dispatch_mask = lit;
        row[n].vector_mask = (quads & 0x1111) * 15;
        row[n].mask = l->start.vector_mask_enable ? row[n].vector_mask : lit;
        row[n].more = n + 1 < count;
        row[n].live = rk_rnd(k, UINT32_MAX);
        memcpy(row[n].payload, eu_grf(&t, l->chain_grf), sizeof row->payload);
    }
    return count;
}

bool
make_ready(struct ready *r, struct rk *state, const struct rk *k, bool whole,
           eu_send_fn send, struct caught_row *to)
{
    r->kernel = eu_kernel_build(k->code, k->size_B, k->gen);
    cr_assert_not_null(r->kernel);
    r->kernel->profile_slot = k->counts ? RK_SLOT : 0;
    r->kernel->profile_bins = k->lanes ? PROFILE_BINS_MAX : 0;
    struct eu_start s = rk_start(state, r->kernel);
    if (send) {
        s.send = send;
        s.direct = row_directs.direct;
    }
    row_directs.fills = false;
    memset(row_directs.direct, 0, sizeof row_directs.direct);
    eu_launch_init(&r->launch, &s);
    r->count = make_row(state, &r->launch, whole, r->row, to);
    bool fits = r->launch.chain_grf;
    for (unsigned n = 0; n < r->count; n++)
        fits = fits && eu_launch_takes(&r->launch, r->row[n].mask);
    return fits;
}

void
set_payload(const struct eu_launch *l, struct eu_thread *t,
            const struct eu_chain_entry *row)
{
    eu_chain_take(l, t, row);
    if (l->chain_sets_mask)
        memcpy(t->grf + EU_LIVE_B, &row->live, sizeof row->live);
}

void
set_own(struct eu_thread *t, const struct own *own, unsigned n)
{
    if (own)
        memcpy(eu_grf(t, own->grf), own->value[n], EU_GRF_B);
}

unsigned
run_single(const struct eu_launch *l, struct eu_thread *t, bool alike,
           const struct own *own, const struct eu_chain_entry row[ROW],
           struct caught_row *to, int64_t *left)
{
    static struct eu_thread first;
    unsigned n = 0;
    first = *t;
    do {
        if (alike)
            memcpy(t->grf, first.grf, sizeof t->grf);
        set_own(t, own, n);
        set_payload(l, t, &row[n]);
        t->captured = (uint8_t *)to->color[n];
        if (eu_launch_next(l, t, row[n].dispatch_mask, row[n].vector_mask,
                           left) != EU_FINISHED)
            return n;
        to->mask[n] = t->message.exec_mask & row[n].dispatch_mask;
    } while (row[n++].more);
    return n;
}

void
expect_colors(const struct caught_row *got, const struct caught_row *want,
              unsigned count, uint64_t seed)
{
    for (unsigned n = 0; n < count; n++) {
        cr_assert_eq(got->mask[n], want->mask[n], "seed %llu: thread %u",
                     (unsigned long long)seed, n);
        for (unsigned i = 0; i < 64; i++) {
            if (want->mask[n] >> i % 16 & 1)
                cr_assert_eq(got->color[n][i / 16][i % 16],
                             want->color[n][i / 16][i % 16],
                             "seed %llu: thread %u, dword %u",
                             (unsigned long long)seed, n, i);
        }
    }
}
