/* interp_run.h: runs a test kernel on a thread whose registers hold lanes. */
#ifndef INTERP_RUN_H
#define INTERP_RUN_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "eu/interp/interp.h"

struct probe {
    unsigned count;
    struct eu_message last; /* except the EOT */
    uint32_t payload[4];    /* first dword of src0 and src1 registers */
};

static inline enum eu_msg_result
probe_send(struct eu_thread *t, const struct eu_message *m)
{
    struct probe *p = t->user;
    if (m->eot)
        return EU_MSG_OK;
    p->count++;
    p->last = *m;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t *r = eu_message_reg(m, i);
        p->payload[i] = r ? r[0] : 0;
    }
    for (unsigned i = 0; i < m->rlen_grf * 8u; i++)
        m->dst[i] = 0x5e000000 + i;
    return EU_MSG_OK;
}

struct test_thread {
    struct eu_thread eu;
    struct probe probe;
};

static inline struct test_thread *
test_thread_new(const uint32_t *code, size_t size_B, uint32_t dispatch)
{
    struct test_thread *t = aligned_alloc(64, sizeof *t + 64 - sizeof *t % 64);
    memset(t, 0, sizeof *t);
    const struct eu_kernel *k = eu_kernel_get(code, size_B, EU_GEN9);
    cr_assert_not_null(k);
    struct eu_start start = {
        .kernel = k,
        .simd = 16,
        .dispatch_mask = dispatch,
        .vector_mask = dispatch,
        .send = probe_send,
        .user = &t->probe,
    };
    eu_thread_init(&t->eu, &start);
    return t;
}

static inline void
test_thread_free(struct test_thread *t)
{
    eu_kernel_unref(t->eu.kernel);
    free(t);
}

#define THREAD(name, dispatch) \
    test_thread_new(kernel_##name, sizeof kernel_##name, dispatch)

static inline void
set_d(struct test_thread *t, unsigned reg, const int32_t v[8])
{
    memcpy(t->eu.grf + reg * EU_GRF_B, v, 32);
}

static inline void
set_f(struct test_thread *t, unsigned reg, const float v[8])
{
    memcpy(t->eu.grf + reg * EU_GRF_B, v, 32);
}

static inline uint32_t
get_u(const struct test_thread *t, unsigned reg, unsigned lane)
{
    uint32_t v;
    memcpy(&v, t->eu.grf + reg * EU_GRF_B + lane * 4, 4);
    return v;
}

static inline float
get_f(const struct test_thread *t, unsigned reg, unsigned lane)
{
    return float_from_bits(get_u(t, reg, lane));
}

#define RUN(t) cr_assert_eq(eu_run(&(t)->eu, 100000), EU_FINISHED)

static inline void
expect_d(const struct test_thread *t, unsigned reg, const int32_t v[8])
{
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(get_u(t, reg, i), (uint32_t)v[i],
                     "r%u lane %u: 0x%x, expected 0x%x", reg, i,
                     get_u(t, reg, i), (uint32_t)v[i]);
}

/* Bit patterns. */
static inline void
expect_u(const struct test_thread *t, unsigned reg, const uint32_t v[8])
{
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(get_u(t, reg, i), v[i], "r%u lane %u: 0x%x, expected 0x%x",
                     reg, i, get_u(t, reg, i), v[i]);
}

#define D(...) ((const int32_t[8]){__VA_ARGS__})
#define U(...) ((const uint32_t[8]){__VA_ARGS__})
#define F(...) ((const float[8]){__VA_ARGS__})

#endif
