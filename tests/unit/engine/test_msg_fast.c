/* test_msg_fast.c: messages made by chance to hurt: what the send functions for
 * wide registers do is what the loops over lanes do. The surface is a stub that
 * ends where memory ends. */
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "base/fpmode.h"
#include "engine/msg/dataport.h"
#include "engine/msg/sampler_prepared.h"
#include "engine/stage_cache.h"

#define PAGE_B 4096
#define ROOM_B (2 * PAGE_B) /* between two pages that nobody may touch */
#define STATELESS_B (VM_GUARD_B + PAGE_B)

static struct surface surface, all_memory;
static uint32_t seed = 1;

const struct surface *
stage_surface(const struct shader_stage *stage, unsigned bti)
{
    return bti < BTI_BINDLESS ? &surface : &all_memory;
}

const struct surface *
stage_surface_bindless(const struct shader_stage *stage, uint32_t offset_B)
{
    return &surface;
}

const struct sampler *
stage_sampler(const struct shader_stage *stage, unsigned index)
{
    return NULL;
}

const struct sampler *
stage_sampler_at(const struct shader_stage *stage, uint32_t state_offset_B)
{
    return NULL;
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

static unsigned slow;

/* What the fast functions leave to others, and what they are compared with. */
enum eu_msg_result
msg_send(struct eu_thread *thread, const struct eu_message *m)
{
    slow++;
    return m->sfid == EU_SFID_DC1 ? msg_dc1(thread->user, thread, m)
                                  : msg_sampler(thread->user, thread, m);
}

/* Not sent here. */
enum eu_msg_result
msg_urb(struct thread_env *env, struct eu_thread *t, const struct eu_message *m)
{
    slow++;
    return EU_MSG_ERROR;
}

struct rig {
    uint8_t *room, *stateless;
    uint32_t before[ROOM_B / 4];
    struct engine_vm vm;
    struct shader_stage stage;
    struct thread_group group;
    struct thread_env env;
    struct stage_cache cache;
    struct eu_thread thread;
    uint32_t payload[2][128], answer[128];
    struct eu_message m;
    bool far; /* lanes name places in the stateless memory, by va */
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
    all_memory.mem = r.stateless;
    all_memory.flat_B = VM_GUARD_B;
    r.stage = (struct shader_stage){.gen = 9, .cache = &r.cache};
    r.cache.common = &r.cache;
    r.env = (struct thread_env){
        .stage = &r.stage, .vm = &r.vm, .group = &r.group};
    r.thread.user = &r.env;
    for (unsigned i = 0; i < ROOM_B / 4; i++)
        r.before[i] = any(UINT32_MAX);
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

/* With elements to convert, as a buffer or in two or three dimensions. */
static void
typed_surface(struct surface *s)
{
    enum { RGBA8 = 0xc7, BGRA8 = 0xc0, RGB10A2 = 0xc2, R8 = 0x140 };
    static const uint16_t formats[] = {0x000, 0x002,   0x082, 0x084, RGBA8,
                                       BGRA8, RGB10A2, 0x0d7, R8};
    s->format = formats[any(ARRAY_SIZE(formats))];
    s->fmt = format_info(s->format);
    s->buffer_stride_B = s->fmt->element_B;
    s->buffer_elements = s->flat_B / s->fmt->element_B;
    s->type = any(2) ? SURFACE_BUFFER : any(2) ? SURFACE_2D : SURFACE_3D;
    s->tiling = any(2) ? TILING_Y : TILING_LINEAR;
    s->width = 1 + any(16);
    s->height = 1 + any(16);
    s->depth = 1 + any(2);
    s->samples = 1;
    s->is_array = true;
    s->view_extent_minus1 = (uint16_t)any(2);
    s->halign_el = s->valign_el = 4;
    s->qpitch_el_rows = 16;
    s->row_pitch_B = any(8) ? 256 : 128;
    for (unsigned c = 0; c < 4; c++)
        s->swizzle[c] = (uint8_t)(any(4) ? 4 + c : any(8));
    surface_layout(s);
}

static void
any_memory(struct rig *r)
{
    uint8_t *mem;
    uint64_t size_B = any_range(r, &mem);
    static const uint8_t swizzle[2][4] = {{4, 5, 6, 7}, {4, 5, 6, 1}};
    unsigned format = any(8) ? any(3) : any(8);
    surface = (struct surface){
        .type = any(16) ? SURFACE_BUFFER : SURFACE_STRBUF,
        .fmt = format_info(format),
        .format = (uint16_t)format,
        .buffer_stride_B = any(3)   ? 16
                           : any(2) ? 1
                                    : any(32),
        .mem = mem,
        .flat_B = size_B,
        .limit_B = size_B,
    };
    surface.buffer_elements = any(8) ? size_B / MAX2(surface.buffer_stride_B, 1)
                                     : any(1000);
    memcpy(surface.swizzle, swizzle[any(8) == 0], 4);
    if (any(3) == 0)
        typed_surface(&surface);
    surface.vec4_B = surface_vec4_B(&surface);
    elements_init(&surface.elements, &surface);
    r->group = (struct thread_group){.slm = mem, .slm_B = (uint32_t)size_B};
    atomic_store(&r->cache.surface[3], any(16) ? &surface : NULL);
}

/* Lays the message out: `address` registers, then `data`. */
static void
lay_out(struct rig *r, unsigned header, unsigned lanes, unsigned address,
        unsigned data, unsigned answer, uint32_t desc)
{
    unsigned total = header + address + data;
    unsigned split = any(2) ? header + address : total;
    r->m = (struct eu_message){
        .sfid = EU_SFID_DC1,
        .header = header,
        .exec_size = (uint8_t)lanes,
        .mlen_grf = (uint8_t)split,
        .ex_mlen_grf = (uint8_t)(total - split),
        .rlen_grf = (uint8_t)answer,
        .desc = header << 19 | desc,
        .exec_mask = any_mask(),
        .src0 = r->payload[0],
        .src1 = r->payload[1],
        .dst = any(32) ? r->answer : NULL,
    };
    if (any(16) == 0)
        r->m.rlen_grf = (uint8_t)any(9);
    if (any(16) == 0 && !r->far)
        r->m.mlen_grf = (uint8_t)any(12);
    if (any(16) == 0 && !r->far)
        r->m.ex_mlen_grf = (uint8_t)any(9);
}

static uint32_t
any_bti(void)
{
    static const uint8_t bti[] = {
        3, 3, 3, BTI_BINDLESS, BTI_SLM, BTI_SLM, BTI_STATELESS};
    return bti[any(ARRAY_SIZE(bti))];
}

static void
any_untyped(struct rig *r, bool write)
{
    unsigned lanes = any(3) ? 16 : 8, grfs = lanes / 8;
    unsigned disabled = any(4) ? (0xf << (1 + any(4))) & 0xf : any(16);
    unsigned channels = 4u - (unsigned)__builtin_popcount(disabled);
    unsigned header = any(4) == 0;
    uint32_t desc = (write ? DC1_UNTYPED_WRITE : DC1_UNTYPED_READ) << 14;
    uint32_t offset_B[16];
    fill_offsets(offset_B, (uint32_t)surface.flat_B, channels);
    memcpy(r->payload[0] + 8 * header, offset_B, lanes * 4);
    desc |= (lanes == 16 ? 1u : 2u) << 12 | disabled << 8 | any_bti();
    lay_out(r, header, lanes, grfs, write ? channels * grfs : 0,
            write ? 0 : channels * grfs, desc);
}

static void
any_atomic(struct rig *r)
{
    unsigned lanes = any(3) ? 16 : 8, grfs = lanes / 8, op = 1 + any(15);
    unsigned header = any(4) == 0, answers = any(2);
    uint32_t offset_B[16];
    fill_offsets(offset_B, (uint32_t)surface.flat_B, 1);
    memcpy(r->payload[0] + 8 * header, offset_B, lanes * 4);
    lay_out(r, header, lanes, grfs, atomic_operands(op) * grfs,
            answers ? grfs : 0,
            DC1_UNTYPED_ATOMIC << 14 | answers << 13 |
                (uint32_t)(lanes == 8) << 12 | op << 8 | any_bti());
}

/* Within 4 GB, or where nothing can be. */
static void
fill_addresses(uint64_t *va, uint32_t channels)
{
    static const uint64_t bases[] = {0, 0x7fffff80, 0x12345678, 0xfffeff00};
    uint64_t base = bases[any(ARRAY_SIZE(bases))];
    uint32_t offset_B[16];
    fill_offsets(offset_B, 4096, channels);
    for (unsigned i = 0; i < 16; i++)
        va[i] = base + offset_B[i] % 0x10000;
    if (any(8) == 0)
        va[any(16)] |= UINT64_C(1) << (48 + any(8));
}

static void
any_a64(struct rig *r, bool write)
{
    unsigned lanes = any(3) ? 16 : 8, grfs = lanes / 8, header = any(4) == 0;
    unsigned disabled = any(4) ? (0xf << (1 + any(4))) & 0xf : any(16);
    unsigned channels = 4u - (unsigned)__builtin_popcount(disabled);
    uint32_t desc;
    uint64_t va[16];
    r->far = true;
    if (any(2)) {
        desc = (write ? DC1_A64_UNTYPED_WRITE : DC1_A64_UNTYPED_READ) << 14 |
               (lanes == 16 ? 1u : 2u) << 12 | disabled << 8;
    } else {
        unsigned kind = any(3), code = any(4);
        channels = (kind == 0 ? 1 : 1u << code) * (kind == 2 ? 2 : 1);
        channels *= kind == 0 && code == 3 ? 2 : 1;
        channels = MIN2(channels, 8);
        desc = (write ? DC1_A64_SCATTERED_WRITE : DC1_A64_SCATTERED_READ)
                   << 14 |
               (uint32_t)(lanes == 16) << 12 | code << 10 | kind << 8;
    }
    fill_addresses(va, channels);
    memcpy(r->payload[0] + 8 * header, va, lanes * 8);
    lay_out(r, header, lanes, 2 * grfs, write ? channels * grfs : 0,
            write ? 0 : MIN2(channels * grfs, 16u), desc);
}

static void
any_ld(struct rig *r)
{
    unsigned lanes = any(3) ? 16 : 8, header = any(8) == 0;
    uint32_t index[16];
    fill_offsets(index, (uint32_t)surface.flat_B, 4);
    for (unsigned i = 0; i < 16 && any(16); i++)
        index[i] /= MAX2(surface.buffer_stride_B, 1);
    r->payload[0][2] = any(2) ? 0 : any(16) << 12;
    memcpy(r->payload[0] + 8 * header, index, lanes * 4);
    lay_out(r, header, lanes, lanes / 8, 0, lanes / 2,
            (any(8) ? 7u : 26u) << 12 | (lanes == 16 ? 2u : 1u) << 17 | 3);
    r->m.sfid = EU_SFID_SAMPLER;
}

static void
any_typed(struct rig *r, bool write)
{
    unsigned disabled = any(4) ? (0xf << (1 + any(4))) & 0xf : any(16);
    unsigned channels = 4u - (unsigned)__builtin_popcount(disabled);
    unsigned header = any(8) == 0, coords = 1 + any(4);
    uint32_t group = any(16) ? 1 + any(2) : any(4);
    typed_surface(&surface);
    elements_init(&surface.elements, &surface);
    for (unsigned i = 0; i < 8 * coords; i++) {
        uint32_t n = i >= 16 ? 2 : surface.type == SURFACE_BUFFER ? ROOM_B : 18;
        r->payload[0][8 * header + i] = any(40) ? any(n) : 0 - any(4);
    }
    lay_out(r, header, 8, coords, write ? channels : 0, write ? 0 : channels,
            (write ? DC1_TYPED_WRITE : DC1_TYPED_READ) << 14 | group << 12 |
                disabled << 8 | 3);
}

#define KINDS 10

/* Returns which kind. */
static unsigned
any_message(struct rig *r)
{
    unsigned kind = any(KINDS);
    any_memory(r);
    for (unsigned i = 0; i < 128; i++)
        r->payload[0][i] = r->payload[1][i] = any(UINT32_MAX);
    r->payload[0][5] = 0;
    r->far = false;
    switch (kind) {
    case 0: any_atomic(r); break;
    case 1: any_a64(r, false); break;
    case 2: any_a64(r, true); break;
    case 3: any_ld(r); break;
    case 4:
    case 5: any_untyped(r, false); break;
    case 6: any_typed(r, false); break;
    case 7: any_typed(r, true); break;
    default: any_untyped(r, true); break;
    }
    return kind;
}

/* Around what the lanes name in 4 GB of memory. */
static void
far_copy(struct rig *r, uint32_t copy[16][24], bool to_memory)
{
    for (unsigned i = 0; i < 16; i++) {
        unsigned at = r->m.header ? 1 : 0;
        uint64_t u = r->far ? dataport_lane64(&r->m, at, i)
                            : dataport_lane(&r->m, at, i);
        u &= UINT32_MAX;
        uint8_t *p = r->stateless + (u < 16 ? 0 : u - 16);
        if (to_memory)
            memcpy(p, copy[i], sizeof copy[i]);
        else
            memcpy(copy[i], p, sizeof copy[i]);
    }
}

struct outcome {
    uint32_t room[ROOM_B / 4], far[16][24], answer[128];
};

static void
send(struct rig *r, eu_send_fn fn, struct outcome *out)
{
    bool far = r->far || (r->m.desc & 0xff) == BTI_STATELESS;
    uint32_t before[16][24];
    memset(r->answer, 0xcc, sizeof r->answer);
    memcpy(r->room, r->before, ROOM_B);
    if (far)
        far_copy(r, before, false);
    cr_assert_eq(fn(&r->thread, &r->m), EU_MSG_OK);
    memset(out, 0, sizeof *out);
    memcpy(out->room, r->room, ROOM_B);
    memcpy(out->answer, r->answer, sizeof out->answer);
    if (far) {
        far_copy(r, out->far, false);
        far_copy(r, before, true);
    }
}

static void
compare(const struct lane_routines *fast)
{
    static struct outcome want, got;
    struct rig *r = make_rig();
    unsigned not_slow[KINDS] = {0}, stateless = 0;
    for (unsigned n = 0; n < 100000; n++) {
        unsigned kind = any_message(r);
        fpmode_set(fpmode_make(any(8) ? 0 : any(4), any(2)));
        send(r, msg_send, &want);
        slow = 0;
        send(r, fast->send, &got);
        not_slow[kind] += !slow;
        stateless += !slow && !r->far && r->m.sfid == EU_SFID_DC1 &&
                     (r->m.desc & 0xff) == BTI_STATELESS;
        cr_assert_arr_eq(&got, &want, sizeof got,
                         "message %u: function %u, descriptor %08x, mask %04x",
                         n, r->m.sfid, r->m.desc, r->m.exec_mask);
    }
    fpmode_set(FPMODE_DEFAULT);
    cr_assert_gt(stateless, 300, "%u stateless messages were fast", stateless);
    for (unsigned i = 0; i < KINDS; i++)
        cr_assert_gt(not_slow[i], 300, "%u messages of kind %u were fast",
                     not_slow[i], i);
}

Test(msg_fast, avx2_is_the_loop_over_lanes)
{
    if (cpu_selected() < CPU_AVX2)
        cr_skip_test("no AVX2");
    compare(lanes_for(CPU_AVX2));
}

Test(msg_fast, avx512_is_the_loop_over_lanes)
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

Test(msg_fast, only_lanes_out_of_bounds_are_declined)
{
    if (cpu_selected() >= CPU_AVX2)
        decline(lanes_for(CPU_AVX2));
    if (cpu_selected() >= CPU_AVX512)
        decline(lanes_for(CPU_AVX512));
    cr_assert_null(lanes_for(CPU_SSE4));
}

static eu_send_fn
send_of_host(void)
{
    const struct lane_routines *lanes = lanes_for(cpu_selected());
    return lanes ? lanes->send : msg_send;
}

Test(msg_fast, what_is_out_of_bounds_reads_zero)
{
    struct rig *r = make_rig();
    uint32_t value = 7;
    memcpy(r->room, &value, 4);
    surface = (struct surface){
        .type = SURFACE_BUFFER, .mem = r->room, .flat_B = 4};
    for (unsigned i = 0; i < 16; i++)
        r->payload[0][i] = i * 4;
    r->m = (struct eu_message){.sfid = EU_SFID_DC1,
                               .exec_size = 16,
                               .mlen_grf = 2,
                               .rlen_grf = 2,
                               .desc = DC1_UNTYPED_READ << 14 | 1 << 12 |
                                       0xe << 8 | 3,
                               .exec_mask = 0x7fff,
                               .src0 = r->payload[0],
                               .dst = r->answer};
    memset(r->answer, 0xcc, sizeof r->answer);
    cr_assert_eq(send_of_host()(&r->thread, &r->m), EU_MSG_OK);
    cr_assert_eq(r->answer[0], 7);
    for (unsigned i = 1; i < 15; i++)
        cr_assert_eq(r->answer[i], 0);
    cr_assert_eq(r->answer[15], 0xcccccccc);
}

/* A kernel may ask for one texture in one piece and in two, with two parameters
 * or with three; each is found by its place. */
Test(msg_fast, payloads_of_one_texture_have_places_of_their_own)
{
    const struct {
        uint8_t mlen_grf, ex_mlen_grf;
    } payload[] = {{4, 0}, {2, 2}, {6, 0}, {4, 2}, {2, 4}};
    uint64_t taken = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(payload); i++) {
        struct eu_message m = {.desc = 0x840001u | (uint32_t)payload[i].mlen_grf
                                                       << 25,
                               .mlen_grf = payload[i].mlen_grf,
                               .ex_mlen_grf = payload[i].ex_mlen_grf};
        uint64_t bit = UINT64_C(1) << sampler_usual_slot(&m, NULL);
        cr_assert(!(taken & bit), "payload %u", i);
        taken |= bit;
    }
}
