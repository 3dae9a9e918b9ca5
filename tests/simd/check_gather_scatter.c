/* check_gather_scatter.c: the data port's kernels (gather_scatter.h): send
 * functions against the loops over lanes, on hostile messages, and the kernels'
 * bounds. The linker routes the engine's calls of stage_surface() and
 * msg_send() to the stubs here (--wrap). */
#include "send_messages.h"

#include "engine/msg/dataport/gather_scatter.h"
#include "engine/msg/msg.h"

const struct surface *__wrap_stage_surface(const struct shader_stage *stage,
                                           unsigned bti);
const struct surface *
__wrap_stage_surface_bindless(const struct shader_stage *stage,
                              uint32_t offset_B);
const struct sampler *__wrap_stage_sampler(const struct shader_stage *stage,
                                           unsigned index);
const struct sampler *__wrap_stage_sampler_at(const struct shader_stage *stage,
                                              uint32_t state_offset_B);
enum eu_msg_result __wrap_msg_send(struct eu_thread *thread,
                                   const struct eu_message *m);

const struct surface *
__wrap_stage_surface(const struct shader_stage *stage, unsigned bti)
{
    return bti < BTI_BINDLESS ? &surface : &all_memory;
}

const struct surface *
__wrap_stage_surface_bindless(const struct shader_stage *stage,
                              uint32_t offset_B)
{
    return &surface;
}

const struct sampler *
__wrap_stage_sampler(const struct shader_stage *stage, unsigned index)
{
    return NULL;
}

const struct sampler *
__wrap_stage_sampler_at(const struct shader_stage *stage,
                        uint32_t state_offset_B)
{
    return NULL;
}

static unsigned slow;

enum eu_msg_result __wrap_msg_dc0(struct thread_env *env, struct eu_thread *t,
                                  const struct eu_message *m);
enum eu_msg_result __real_msg_dc0(struct thread_env *env, struct eu_thread *t,
                                  const struct eu_message *m);

enum eu_msg_result
__wrap_msg_dc0(struct thread_env *env, struct eu_thread *t,
               const struct eu_message *m)
{
    slow++;
    return __real_msg_dc0(env, t, m);
}

/* Receives the messages that the fast functions decline, and is their
 * reference. */
enum eu_msg_result
__wrap_msg_send(struct eu_thread *thread, const struct eu_message *m)
{
    slow++;
    switch (m->sfid) {
    case EU_SFID_DC0: return __real_msg_dc0(thread->user, thread, m);
    case EU_SFID_DC1: return msg_dc1(thread->user, thread, m);
    default: return msg_sampler(thread->user, thread, m);
    }
}

static const struct lane_routines *const lanes_of[CHECK_ISAS] = {
    [CHECK_AVX2] = &lanes_avx2, [CHECK_AVX512] = &lanes_avx512};

/* Copies between `copy` and memory at the address, piece by piece. */
static void
copy_at(struct rig *r, uint8_t *copy, uint64_t va, uint64_t size_B,
        bool to_memory)
{
    while (size_B) {
        uint64_t part_B = MIN2(size_B, vm_limit_B(&r->vm, va));
        if (to_memory)
            memcpy(vm_ptr(&r->vm, va), copy, part_B);
        else
            memcpy(copy, vm_ptr(&r->vm, va), part_B);
        copy += part_B;
        va += part_B;
        size_B -= part_B;
    }
}

/* Copies memory around the lanes' addresses in the 4 GB. */
static void
far_copy(struct rig *r, uint32_t copy[16][24], bool to_memory)
{
    for (unsigned i = 0; i < 16; i++) {
        uint64_t u = stateless_at(r, i);
        copy_at(r, (uint8_t *)copy[i], u < 16 ? 0 : u - 16, sizeof copy[i],
                to_memory);
    }
}

struct outcome {
    uint32_t room[ROOM_B / 4], far[16][24], answer[128];
};

static void
run_send(struct rig *r, eu_send_fn fn, struct outcome *out)
{
    bool far = r->far || (r->m.desc & 0xff) == BTI_STATELESS;
    uint32_t before[16][24];
    memset(r->answer, 0xcc, sizeof r->answer);
    memcpy(r->room, r->before, ROOM_B);
    if (far)
        far_copy(r, before, false);
    check_eq(fn(&r->thread, &r->m), EU_MSG_OK);
    memset(out, 0, sizeof *out);
    memcpy(out->room, r->room, ROOM_B);
    memcpy(out->answer, r->answer, sizeof out->answer);
    if (far) {
        far_copy(r, out->far, false);
        far_copy(r, before, true);
    }
}

/* Messages that the fast function answered by itself. */
struct tally {
    unsigned kind[KINDS], stateless, moved;
};

static void
compare_message(struct rig *r, const struct lane_routines *fast, unsigned n,
                struct tally *tally)
{
    static struct outcome want, got;
    unsigned kind = any_message(r);
    fpmode_set(
        fpmode_make(check_below(8) ? 0 : check_below(4), check_below(2)));
    choose_moved(r, check_below(4) == 0);
    run_send(r, __wrap_msg_send, &want);
    slow = 0;
    run_send(r, fast->send, &got);
    tally->kind[kind] += !slow;
    tally->moved += !slow && r->far && vm_has_moved(&r->vm);
    tally->stateless += !slow && !r->far && r->m.sfid == EU_SFID_DC1 &&
                        (r->m.desc & 0xff) == BTI_STATELESS;
    check_bytes(&got, &want, sizeof got,
                "message %u: function %u, descriptor %08x, mask %04x", n,
                r->m.sfid, r->m.desc, r->m.exec_mask);
}

static void
compare_sends(enum check_isa isa)
{
    struct tally tally = {{0}, 0, 0};
    struct rig *r = make_rig();
    for (unsigned n = 0; n < 100000; n++)
        compare_message(r, lanes_of[isa], n, &tally);
    fpmode_set(FPMODE_DEFAULT);
    choose_moved(r, false);
    check_gt(tally.stateless, 300);
    check_gt(tally.moved, 300);
    for (unsigned i = 0; i < KINDS; i++)
        check_gt(tally.kind[i], 300, "%u messages of kind %u were fast",
                 tally.kind[i], i);
}

/* Lane by lane; the mask's lanes are in bounds. */
static void
move_lanes(const struct lane_access *a, const uint32_t *offset_B,
           uint32_t *data, bool write)
{
    for (unsigned c = 0; c < a->channels; c++) {
        for (unsigned i = 0; i < a->lanes; i++) {
            uint8_t *at = a->mem + (offset_B[i] & a->keep) + c * 4;
            uint32_t *dw = &data[c * a->lanes + i];
            if (a->mask >> i & 1)
                memcpy(write ? (void *)at : dw, write ? (void *)dw : at, 4);
        }
    }
}

/* Data ends with 16 dwords that no lane has. */
static void
compare_moves(const struct lane_routines *fast, struct lane_access *a,
              const uint32_t *offset_B)
{
    static uint8_t before[ROOM_B], want_mem[ROOM_B];
    uint32_t data[80], want[80];
    for (unsigned i = 0; i < ARRAY_SIZE(data); i++)
        data[i] = want[i] = check_random();
    move_lanes(a, offset_B, want, false);
    check_that(fast->read(a, offset_B, data));
    check_bytes(data, want, sizeof data, "read, mask %04x", a->mask);
    for (unsigned i = 0; i < ARRAY_SIZE(data); i++)
        data[i] = check_random();
    memcpy(before, a->mem, ROOM_B);
    move_lanes(a, offset_B, data, true);
    memcpy(want_mem, a->mem, ROOM_B);
    memcpy(a->mem, before, ROOM_B);
    check_that(fast->write(a, offset_B, data));
    check_bytes(a->mem, want_mem, ROOM_B, "write, mask %04x", a->mask);
}

static void
check_out_of_bounds(const struct lane_routines *fast, struct lane_access *a,
                    uint32_t *offset_B)
{
    static uint8_t before[ROOM_B];
    uint32_t data[64] = {0}, untouched[64] = {0};
    unsigned lane = check_below(a->lanes);
    offset_B[lane] = ROOM_B + 4 - a->channels * 4u + check_below(1u << 30) * 4;
    bool executes = a->mask >> lane & 1;
    memcpy(before, a->mem, ROOM_B);
    check_eq(fast->read(a, offset_B, data), !executes);
    check_that(!executes || !memcmp(data, untouched, sizeof data));
    check_eq(fast->write(a, offset_B, data), !executes);
    check_that(!executes || !memcmp(a->mem, before, ROOM_B));
}

static void
compare_bounds(const struct lane_routines *fast)
{
    uint32_t offset_B[16];
    struct lane_access a = {
        .mem = check_room(ROOM_B), .size_B = ROOM_B, .keep = ~3u};
    for (unsigned n = 0; n < 10000; n++) {
        a.lanes = check_below(2) ? 16 : 8;
        a.channels = (uint8_t)(1 + check_below(4));
        a.mask = check_mask() & (a.lanes == 16 ? 0xffff : 0xff);
        for (unsigned i = 0; i < 16; i++)
            offset_B[i] = check_below(ROOM_B - a.channels * 4 + 1);
        compare_moves(fast, &a, offset_B);
        check_out_of_bounds(fast, &a, offset_B);
    }
}

/* Takes messages in bounds, with the bytes of a loop, and declines others
 * without touching memory. */
static void
compare_lanes(enum check_isa isa)
{
    compare_bounds(lanes_of[isa]);
}

/* ---- benches: sixteen lanes of four channels ---- */

enum { RUNS = 256 };

struct bench {
    enum check_isa isa;
    bool write;
    struct lane_access a;
    uint32_t offset_B[16], data[64];
};

static void
run_lanes(void *arg)
{
    struct bench *b = arg;
    for (unsigned n = 0; n < RUNS; n++) {
        if (b->isa == CHECK_SCALAR)
            move_lanes(&b->a, b->offset_B, b->data, b->write);
        else if (b->write)
            lanes_of[b->isa]->write(&b->a, b->offset_B, b->data);
        else
            lanes_of[b->isa]->read(&b->a, b->offset_B, b->data);
    }
}

static void
bench_lanes(enum check_isa isa)
{
    struct bench b = {.isa = isa,
                      .a = {.mem = check_room(ROOM_B),
                            .size_B = ROOM_B,
                            .keep = ~3u,
                            .mask = 0xffff,
                            .lanes = 16,
                            .channels = 4}};
    for (unsigned scattered = 0; scattered < 2; scattered++) {
        for (unsigned i = 0; i < 16; i++)
            b.offset_B[i] = (scattered ? i * 167 % 500 : i) * 16;
        b.write = false;
        check_time(scattered ? "read scattered" : "read side by side",
                   run_lanes, &b, RUNS);
        b.write = true;
        check_time(scattered ? "write scattered" : "write side by side",
                   run_lanes, &b, RUNS);
    }
}

static const struct check_row rows[] = {
    {"lane_routines.send", "msg_dc0, msg_dc1, msg_sampler",
     "gather_scatter_avx2", CHECK_AVX2, compare_sends, NULL},
    {"lane_routines.send", "msg_dc0, msg_dc1, msg_sampler",
     "gather_scatter_avx512", CHECK_AVX512, compare_sends, NULL},
    {"lane_routines.read", "lane by lane", "gather_scatter_avx2", CHECK_AVX2,
     compare_lanes, bench_lanes},
    {"lane_routines.read", "lane by lane", "gather_scatter_avx512",
     CHECK_AVX512, compare_lanes, bench_lanes},
};

CHECK_FAMILY(gather_scatter, rows);
