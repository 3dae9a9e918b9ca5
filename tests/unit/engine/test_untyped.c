/* test_untyped.c: untyped messages, made by chance to hurt: what the routines
 * for wide registers do is what the loop over the lanes does. The surface is a
 * stub that ends where memory ends. */
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "engine/msg/dataport.h"

#define PAGE_B 4096
#define ROOM_B (2 * PAGE_B) /* between two pages that nobody may touch */
#define STATELESS_B (VM_GUARD_B + PAGE_B)

static struct surface surface;
static uint32_t seed = 1;

const struct surface *
stage_surface(const struct shader_stage *stage, unsigned bti)
{
    return &surface;
}

const struct surface *
stage_surface_bindless(const struct shader_stage *stage, uint32_t offset_B)
{
    return &surface;
}

static uint32_t
any(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)seed * n >> 32);
}

static uint8_t *
make_room(void)
{
    uint8_t *p = mmap(NULL, ROOM_B + 2 * PAGE_B, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    cr_assert_eq(mprotect(p + PAGE_B, ROOM_B, PROT_READ | PROT_WRITE), 0);
    return p + PAGE_B;
}

struct rig {
    uint8_t *room, *stateless;
    uint32_t before[ROOM_B / 4];
    struct engine_vm vm;
    struct shader_stage stage;
    struct thread_group group;
    struct thread_env env;
    uint32_t payload[2][128], answer[128];
    struct eu_message m;
    bool write;
};

static struct rig *
make_rig(void)
{
    static struct rig r;
    r.room = make_room();
    r.stateless = mmap(NULL, STATELESS_B, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(r.stateless, MAP_FAILED);
    r.vm.window = r.stateless;
    r.env = (struct thread_env){
        .stage = &r.stage, .vm = &r.vm, .group = &r.group};
    return &r;
}

/* At the end of the room, where the next byte faults, or anywhere. */
static uint64_t
any_range(struct rig *r, uint8_t **mem)
{
    static const uint32_t sizes[] = {0, 1, 3, 4, 7, 12, 15, 16, 17, 64, 256};
    uint64_t size_B = any(3) ? 4 * any(ROOM_B / 4)
                             : sizes[any(ARRAY_SIZE(sizes))];
    *mem = r->room + (any(2) ? ROOM_B - size_B : any(ROOM_B - size_B + 1));
    return size_B;
}

static uint32_t
any_offset(uint32_t size_B)
{
    switch (any(10)) {
    case 0: return size_B - any(24);
    case 1: return UINT32_MAX - any(32);
    case 2: return UINT32_C(0x8000000f) - any(32);
    case 3: return seed;
    case 4: return 0x0ffffff0 + any(32);
    case 5: return any(16);
    default: return any(size_B + 1);
    }
}

static void
fill_offsets(uint32_t *u, uint32_t size_B, uint32_t channels)
{
    uint32_t first = any_offset(size_B), kind = any(6);
    uint32_t step_B = any(8) ? channels * 4 : any(32);
    if (kind < 4 && any(4))
        first = any(size_B / (kind < 2 ? 1 : 8) + 1);
    for (unsigned i = 0; i < 16; i++) {
        switch (kind) {
        case 0: u[i] = first; break;
        case 1:
        case 2:
        case 3: u[i] = first + i * step_B; break;
        case 4: u[i] = any(size_B); break;
        default: u[i] = any_offset(size_B); break;
        }
    }
    if (any(4) == 0)
        u[any(16)] = any_offset(size_B);
    if (any(8) == 0)
        for (unsigned i = 0; i < 16; i++)
            u[i] |= any(16) << 28;
}

static uint32_t
any_mask(void)
{
    switch (any(4)) {
    case 0: return seed >> 16;
    case 1: return 0xffff << any(16) & 0xffff >> any(16);
    case 2: return 1u << any(16);
    default: return 0xffff;
    }
}

static void
any_message(struct rig *r)
{
    static const uint8_t bti[] = {
        3, 3, 3, BTI_BINDLESS, BTI_SLM, BTI_SLM, BTI_STATELESS};
    unsigned lanes = any(3) ? 16 : 8, grfs = lanes / 8;
    unsigned disabled = any(4) ? (0xf << (1 + any(4))) & 0xf : any(16);
    unsigned channels = 4u - (unsigned)__builtin_popcount(disabled);
    unsigned header = any(4) == 0;
    uint8_t *mem;
    uint64_t size_B = any_range(r, &mem);
    r->write = any(2);
    surface = (struct surface){.type = any(16) ? SURFACE_BUFFER
                                               : SURFACE_STRBUF,
                               .buffer_stride_B = any(32),
                               .mem = mem,
                               .flat_B = size_B};
    r->group = (struct thread_group){.slm = mem, .slm_B = (uint32_t)size_B};
    for (unsigned i = 0; i < 128; i++)
        r->payload[0][i] = r->payload[1][i] = any(UINT32_MAX);
    r->payload[0][5] = 0;
    uint32_t offset_B[16];
    fill_offsets(offset_B, (uint32_t)size_B, channels);
    memcpy(r->payload[0] + 8 * header, offset_B, lanes * 4);
    unsigned address = header + grfs, data = r->write ? channels * grfs : 0;
    unsigned split = any(2) ? address : address + data;
    r->m = (struct eu_message){
        .sfid = EU_SFID_DC1,
        .header = header,
        .exec_size = (uint8_t)lanes,
        .mlen_grf = (uint8_t)split,
        .ex_mlen_grf = (uint8_t)(address + data - split),
        .rlen_grf = r->write ? 0 : (uint8_t)(channels * grfs),
        .desc = header << 19 | (lanes == 16 ? 1u : 2u) << 12 | disabled << 8 |
                bti[any(ARRAY_SIZE(bti))],
        .exec_mask = any_mask(),
        .src0 = r->payload[0],
        .src1 = r->payload[1],
        .dst = any(32) ? r->answer : NULL,
    };
    if (any(16) == 0)
        r->m.rlen_grf = (uint8_t)any(9);
    if (any(16) == 0)
        r->m.mlen_grf = (uint8_t)any(12);
    if (any(16) == 0)
        r->m.ex_mlen_grf = (uint8_t)any(9);
}

/* Around what the lanes name in 4 GB of memory. */
static void
stateless_copy(struct rig *r, uint32_t copy[16][12], bool to_memory)
{
    for (unsigned i = 0; i < 16; i++) {
        uint32_t u = dataport_lane(&r->m, r->m.header ? 1 : 0, i);
        uint8_t *p = r->stateless + (u < 16 ? 0 : u - 16);
        if (to_memory)
            memcpy(p, copy[i], sizeof copy[i]);
        else
            memcpy(copy[i], p, sizeof copy[i]);
    }
}

struct outcome {
    uint32_t room[ROOM_B / 4], stateless[16][12], answer[128];
};

static void
send(struct rig *r, const struct lane_routines *fast, struct outcome *out)
{
    bool stateless = (r->m.desc & 0xff) == BTI_STATELESS;
    uint32_t before[16][12];
    memset(r->answer, 0xcc, sizeof r->answer);
    memcpy(r->room, r->before, ROOM_B);
    if (stateless)
        stateless_copy(r, before, false);
    cr_assert_eq(untyped_access(&r->env, &r->m, r->write, fast), EU_MSG_OK);
    memset(out, 0, sizeof *out);
    memcpy(out->room, r->room, ROOM_B);
    memcpy(out->answer, r->answer, sizeof out->answer);
    if (stateless) {
        stateless_copy(r, out->stateless, false);
        stateless_copy(r, before, true);
    }
}

static void
compare(const struct lane_routines *fast)
{
    static struct outcome want, got;
    struct rig *r = make_rig();
    for (unsigned i = 0; i < ROOM_B / 4; i++)
        r->before[i] = any(UINT32_MAX);
    for (unsigned n = 0; n < 100000; n++) {
        any_message(r);
        send(r, NULL, &want);
        send(r, fast, &got);
        cr_assert_arr_eq(&got, &want, sizeof got,
                         "message %u: descriptor %08x, mask %04x", n, r->m.desc,
                         r->m.exec_mask);
    }
}

Test(untyped, avx2_is_the_loop_over_lanes)
{
    if (cpu_selected() < CPU_AVX2)
        cr_skip_test("no AVX2");
    compare(lanes_for(CPU_AVX2));
}

Test(untyped, avx512_is_the_loop_over_lanes)
{
    if (cpu_selected() < CPU_AVX512)
        cr_skip_test("no AVX-512");
    compare(lanes_for(CPU_AVX512));
}

/* Whatever lies inside is theirs, and what does not is not. */
static void
decline(const struct lane_routines *fast)
{
    uint8_t *mem = make_room();
    uint32_t offset_B[16], data[64] = {0};
    struct lane_access a = {.mem = mem, .size_B = ROOM_B, .keep = ~3u};
    for (unsigned n = 0; n < 10000; n++) {
        a.lanes = any(2) ? 16 : 8;
        a.channels = (uint8_t)(1 + any(4));
        a.mask = any_mask() & (a.lanes == 16 ? 0xffff : 0xff);
        for (unsigned i = 0; i < 16; i++)
            offset_B[i] = any(ROOM_B - a.channels * 4);
        cr_assert(fast->read(&a, offset_B, data));
        cr_assert(fast->write(&a, offset_B, data));
        unsigned lane = any(a.lanes);
        offset_B[lane] = ROOM_B + 4 - a.channels * 4u + any(1u << 30) * 4;
        bool executes = a.mask >> lane & 1;
        cr_assert_eq(fast->read(&a, offset_B, data), !executes);
        cr_assert_eq(fast->write(&a, offset_B, data), !executes);
    }
}

Test(untyped, only_lanes_out_of_bounds_are_declined)
{
    if (cpu_selected() >= CPU_AVX2)
        decline(lanes_for(CPU_AVX2));
    if (cpu_selected() >= CPU_AVX512)
        decline(lanes_for(CPU_AVX512));
    cr_assert_null(lanes_for(CPU_SSE4));
}

Test(untyped, what_is_out_of_bounds_reads_zero)
{
    struct rig *r = make_rig();
    uint32_t value = 7;
    memcpy(r->room, &value, 4);
    surface = (struct surface){
        .type = SURFACE_BUFFER, .mem = r->room, .flat_B = 4};
    for (unsigned i = 0; i < 16; i++)
        r->payload[0][i] = i * 4;
    r->m = (struct eu_message){.exec_size = 16,
                               .mlen_grf = 2,
                               .rlen_grf = 2,
                               .desc = 1 << 12 | 0xe << 8,
                               .exec_mask = 0x7fff,
                               .src0 = r->payload[0],
                               .dst = r->answer};
    memset(r->answer, 0xcc, sizeof r->answer);
    untyped_access(&r->env, &r->m, false, lanes_selected());
    cr_assert_eq(r->answer[0], 7);
    for (unsigned i = 1; i < 15; i++)
        cr_assert_eq(r->answer[i], 0);
    cr_assert_eq(r->answer[15], 0xcccccccc);
}
