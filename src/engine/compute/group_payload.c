/* group_payload.c: registers that the threads of a group begin with. KBL PRM
 * vol 7 "GPGPU Thread Groups", "Thread Payload". */
#include "engine/compute/group_run.h"

/* Registers from 1 on: the cross-thread constants, then this thread's own, or
 * the reverse. */
static void
fill_constants(const struct dispatch *d, uint8_t *to, unsigned thread)
{
    unsigned grf = 1;
    uint64_t cross_B = (uint64_t)d->cross_thread_grf * EU_GRF_B;
    uint64_t own_B = (uint64_t)d->per_thread_grf * EU_GRF_B;
    const struct {
        uint64_t from, size;
    } part[2] = {{0, cross_B}, {cross_B + thread * own_B, own_B}};
    for (unsigned i = 0; i < 2; i++) {
        unsigned p = i ^ d->own_first;
        for (uint64_t at = 0; at < part[p].size && grf < EU_GRF_COUNT;
             at += EU_GRF_B, grf++) {
            uint64_t from = part[p].from + at;
            if (from < d->curbe_B)
                memcpy(to + grf * EU_GRF_B, d->curbe + from,
                       MIN2(d->curbe_B - from, EU_GRF_B));
        }
    }
}

void
group_payload_fill(const struct group_run *run, struct group_slot *slot,
                   unsigned worker)
{
    const struct dispatch *d = run->d;
    for (unsigned i = 0; i < d->threads_per_group; i++) {
        uint8_t *to = slot->payload + i * run->payload.grfs * EU_GRF_B;
        uint32_t g0[EU_GRF_B / 4];
        stage_header(&d->stage, g0, worker * d->threads_per_group + i);
        memcpy(to, g0, sizeof g0);
        fill_constants(d, to, i);
    }
}

/* g0: dword 1 group X, 2 barrier id, 6 group Y, 7 group Z. Observed: brw
 * kernels, stock iris. */
static void
give_id(struct eu_thread *t, const uint32_t id[3])
{
    uint32_t *g0 = eu_grf(t, 0);
    g0[1] = id[0];
    g0[6] = id[1];
    g0[7] = id[2];
}

static void
clear_grfs(struct eu_thread *t, const uint8_t *grfs, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        memset(eu_grf(t, grfs[n]), 0, EU_GRF_B);
}

void
group_payload_give(const struct group_run *run, struct group_slot *slot)
{
    const struct payload_plan *p = &run->payload;
    size_t size_B = (size_t)p->grfs * EU_GRF_B;
    for (unsigned i = 0; i < run->d->threads_per_group; i++) {
        struct eu_thread *t = &slot->threads[i];
        memcpy(t->grf, slot->payload + i * size_B, size_B);
        give_id(t, slot->group.id);
        clear_grfs(t, p->beyond, p->beyond_count);
    }
}

void
group_payload_renew(const struct group_run *run, struct group_slot *slot)
{
    const struct payload_plan *p = &run->payload;
    const uint8_t *from = slot->payload;
    for (unsigned i = 0; i < run->d->threads_per_group; i++) {
        struct eu_thread *t = &slot->threads[i];
        for (unsigned n = 0; n < p->changed_count; n++)
            memcpy(eu_grf(t, p->changed[n]), from + p->changed[n] * EU_GRF_B,
                   EU_GRF_B);
        give_id(t, slot->group.id);
        clear_grfs(t, p->changed_beyond, p->changed_beyond_count);
        from += p->grfs * EU_GRF_B;
    }
}

static void
plan_grf(struct payload_plan *p, unsigned grf, bool changes)
{
    bool beyond = grf >= p->grfs;
    if (beyond)
        p->beyond[p->beyond_count++] = (uint8_t)grf;
    if (changes && beyond)
        p->changed_beyond[p->changed_beyond_count++] = (uint8_t)grf;
    else if (changes)
        p->changed[p->changed_count++] = (uint8_t)grf;
}

/* Scans 32 registers at a time, because few are live. */
void
group_payload_plan(struct group_run *run)
{
    const struct eu_launch *l = &run->launch;
    const struct dispatch *d = run->d;
    run->payload.grfs = MIN2(1 + d->cross_thread_grf + d->per_thread_grf,
                             EU_GRF_COUNT);
    for (unsigned i = 0; i < ARRAY_SIZE(l->live_in); i++)
        for (uint32_t m = l->live_in[i]; m; m &= m - 1) {
            unsigned bit = (unsigned)__builtin_ctz(m);
            plan_grf(&run->payload, i * 32 + bit, l->written[i] >> bit & 1);
        }
}
