/* send_messages.h: hostile random messages of the data port and of `ld`, and
 * memory for them: a room between inaccessible pages, and 4 GB of stateless
 * memory of which some addresses are moved. The surfaces are stubs. */
#ifndef TEST_SIMD_SEND_MESSAGES_H
#define TEST_SIMD_SEND_MESSAGES_H

#include "check.h"

#include <sys/mman.h>

#include "base/fpmode.h"
#include "engine/msg/dataport/dataport.h"
#include "engine/state/stage_cache.h"
#include "engine/vm/vm_private.h"

#define ROOM_B (2 * 4096)
#define STATELESS_B (VM_GUARD_B + 4096)

static struct surface surface, all_memory;

struct rig {
    uint8_t *room, *stateless;
    uint32_t before[ROOM_B / 4];
    struct engine_vm vm;
    struct vm_private vm_private;
    struct vm_moved *moved; /* vm.moved of some messages */
    struct shader_stage stage;
    struct thread_group group;
    struct thread_env env;
    struct stage_cache cache;
    struct eu_thread thread;
    uint32_t payload[2][128], answer[128];
    struct eu_message m;
    bool far; /* lanes address stateless memory, by va */
};

/* Moves some of the addresses that messages use: from their first pages on,
 * after their last ones, and in between. */
static void
move_some(struct rig *r)
{
    r->vm_private.vm = &r->vm;
    check_that(vm_moved_set(&r->vm_private, 0x8000, 0x2000, 0xe0000000));
    check_that(vm_moved_set(&r->vm_private, 0xb000, 0x4000, 0xd0000000));
    check_that(vm_moved_set(&r->vm_private, 0x12345000, 0x3000, 0x10000000));
    check_that(vm_moved_set(&r->vm_private, 0x80000000, 0x1000, 0x20000000));
    check_that(
        vm_moved_set(&r->vm_private, 0xffff0000, 0x8000, 0 - 0x7fff0000ll));
    r->moved = atomic_load(&r->vm.moved);
}

static void
choose_moved(struct rig *r, bool moved)
{
    atomic_store(&r->vm.moved, moved ? r->moved : NULL);
    all_memory.flat_B = MIN2(vm_limit_B(&r->vm, 0), VM_GUARD_B);
}

static struct rig *
make_rig(void)
{
    static struct rig r;
    r.room = check_room(ROOM_B);
    r.stateless = mmap(NULL, STATELESS_B, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check_that(r.stateless != MAP_FAILED);
    r.vm.window = r.stateless;
    r.vm.mask = ENGINE_VM_SIZE_B - 1;
    all_memory.mem = r.stateless;
    all_memory.flat_B = VM_GUARD_B;
    r.stage = (struct shader_stage){.gen = 9, .cache = &r.cache};
    r.cache.common = &r.cache;
    r.env = (struct thread_env){
        .stage = &r.stage, .vm = &r.vm, .group = &r.group};
    r.thread.user = &r.env;
    move_some(&r);
    choose_moved(&r, false);
    for (unsigned i = 0; i < ROOM_B / 4; i++)
        r.before[i] = check_below(UINT32_MAX);
    return &r;
}

/* A range at the end of the room, where the next byte faults, or anywhere in
 * it. */
static uint64_t
any_range(struct rig *r, uint8_t **mem)
{
    static const uint32_t sizes[] = {0, 1, 3, 4, 7, 12, 15, 16, 17, 64, 256};
    uint64_t size_B = check_below(3) ? 4 * check_below(ROOM_B / 4)
                                     : sizes[check_below(ARRAY_SIZE(sizes))];
    *mem = r->room + (check_below(2) ? ROOM_B - size_B
                                     : check_below(ROOM_B - size_B + 1));
    return size_B;
}

static uint32_t
any_offset(uint32_t size_B)
{
    switch (check_below(10)) {
    case 0: return size_B - check_below(24);
    case 1: return UINT32_MAX - check_below(32);
    case 2: return UINT32_C(0x8000000f) - check_below(32);
    case 3: return check_random();
    case 4: return 0x0ffffff0 + check_below(32);
    case 5: return check_below(16);
    default: return check_below(size_B + 1);
    }
}

static void
fill_offsets(uint32_t *u, uint32_t size_B, uint32_t channels)
{
    uint32_t first = any_offset(size_B), kind = check_below(6);
    uint32_t step_B = check_below(8) ? channels * 4 : check_below(32);
    if (kind < 4 && check_below(4))
        first = check_below(size_B / (kind < 2 ? 1 : 8) + 1);
    for (unsigned i = 0; i < 16; i++) {
        switch (kind) {
        case 0: u[i] = first; break;
        case 1:
        case 2:
        case 3: u[i] = first + i * step_B; break;
        case 4: u[i] = check_below(size_B); break;
        default: u[i] = any_offset(size_B); break;
        }
    }
    if (check_below(4) == 0)
        u[check_below(16)] = any_offset(size_B);
    if (check_below(8) == 0)
        for (unsigned i = 0; i < 16; i++)
            u[i] |= check_below(16) << 28;
}

/* A surface with elements to convert: a buffer, or in two or three
 * dimensions. */
static void
typed_surface(struct surface *s)
{
    enum { RGBA8 = 0xc7, BGRA8 = 0xc0, RGB10A2 = 0xc2, R8 = 0x140 };
    enum { RGBA16 = 0x080, RG16 = 0x0cc, RG8S = 0x107, R16 = 0x10a };
    static const uint16_t formats[] = {0x000, 0x002,   0x082, 0x084, RGBA8,
                                       BGRA8, RGB10A2, 0x0d7, R8,    RGBA16,
                                       RG16,  RG8S,    R16};
    s->format = formats[check_below(ARRAY_SIZE(formats))];
    s->fmt = format_info(s->format);
    s->buffer_stride_B = s->fmt->element_B;
    s->buffer_elements = s->flat_B / s->fmt->element_B;
    s->type = check_below(2)   ? SURFACE_BUFFER
              : check_below(2) ? SURFACE_2D
                               : SURFACE_3D;
    s->tiling = check_below(2) ? TILING_Y : TILING_LINEAR;
    s->width = 1 + check_below(16);
    s->height = 1 + check_below(16);
    s->depth = 1 + check_below(2);
    s->samples = 1;
    s->is_array = true;
    s->view_extent_minus1 = (uint16_t)check_below(2);
    s->halign_el = s->valign_el = 4;
    s->qpitch_el_rows = 16;
    s->row_pitch_B = check_below(8) ? 256 : 128;
    for (unsigned c = 0; c < 4; c++)
        s->swizzle[c] = (uint8_t)(check_below(4) ? 4 + c : check_below(8));
    surface_layout(s);
}

static void
any_memory(struct rig *r)
{
    uint8_t *mem;
    uint64_t size_B = any_range(r, &mem);
    static const uint8_t swizzle[2][4] = {{4, 5, 6, 7}, {4, 5, 6, 1}};
    unsigned format = check_below(8) ? check_below(3) : check_below(8);
    surface = (struct surface){
        .type = check_below(16) ? SURFACE_BUFFER : SURFACE_STRBUF,
        .fmt = format_info(format),
        .format = (uint16_t)format,
        .buffer_stride_B = check_below(3)   ? 16
                           : check_below(2) ? 1
                                            : check_below(32),
        .mem = mem,
        .flat_B = size_B,
        .limit_B = size_B,
    };
    surface.buffer_elements = check_below(8)
                                  ? size_B / MAX2(surface.buffer_stride_B, 1)
                                  : check_below(1000);
    memcpy(surface.swizzle, swizzle[check_below(8) == 0], 4);
    if (check_below(3) == 0)
        typed_surface(&surface);
    surface.vec4_B = surface_vec4_B(&surface);
    typed_elements_init(&surface.elements, &surface);
    r->group = (struct thread_group){.slm = mem, .slm_B = (uint32_t)size_B};
    atomic_store(&r->cache.surface[3], check_below(16) ? &surface : NULL);
}

/* Lays out the message: `address` registers, then `data`. */
static void
lay_out(struct rig *r, unsigned header, unsigned lanes, unsigned address,
        unsigned data, unsigned answer, uint32_t desc)
{
    unsigned total = header + address + data;
    unsigned split = check_below(2) ? header + address : total;
    r->m = (struct eu_message){
        .sfid = EU_SFID_DC1,
        .header = header,
        .exec_size = (uint8_t)lanes,
        .mlen_grf = (uint8_t)split,
        .ex_mlen_grf = (uint8_t)(total - split),
        .rlen_grf = (uint8_t)answer,
        .desc = header << 19 | desc,
        .exec_mask = check_mask(),
        .src0 = r->payload[0],
        .src1 = r->payload[1],
        .dst = check_below(32) ? r->answer : NULL,
    };
    if (check_below(16) == 0)
        r->m.rlen_grf = (uint8_t)check_below(9);
    if (check_below(16) == 0 && !r->far)
        r->m.mlen_grf = (uint8_t)check_below(12);
    if (check_below(16) == 0 && !r->far)
        r->m.ex_mlen_grf = (uint8_t)check_below(9);
}

static uint32_t
any_bti(void)
{
    static const uint8_t bti[] = {
        3, 3, 3, BTI_BINDLESS, BTI_SLM, BTI_SLM, BTI_STATELESS};
    return bti[check_below(ARRAY_SIZE(bti))];
}

static void
any_untyped(struct rig *r, bool write)
{
    unsigned lanes = check_below(3) ? 16 : 8, grfs = lanes / 8;
    unsigned disabled = check_below(4) ? (0xf << (1 + check_below(4))) & 0xf
                                       : check_below(16);
    unsigned channels = 4u - (unsigned)__builtin_popcount(disabled);
    unsigned header = check_below(4) == 0;
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
    unsigned lanes = check_below(3) ? 16 : 8, grfs = lanes / 8,
             op = 1 + check_below(15);
    unsigned header = check_below(4) == 0, answers = check_below(2);
    uint32_t offset_B[16];
    fill_offsets(offset_B, (uint32_t)surface.flat_B, 1);
    memcpy(r->payload[0] + 8 * header, offset_B, lanes * 4);
    lay_out(r, header, lanes, grfs, atomic_operands(op) * grfs,
            answers ? grfs : 0,
            DC1_UNTYPED_ATOMIC << 14 | answers << 13 |
                (uint32_t)(lanes == 8) << 12 | op << 8 | any_bti());
}

/* Addresses within 4 GB, or where nothing can be mapped. */
static void
fill_addresses(uint64_t *va, uint32_t channels)
{
    static const uint64_t bases[] = {0, 0x7fffff80, 0x12345678, 0xfffeff00};
    uint64_t base = bases[check_below(ARRAY_SIZE(bases))];
    uint32_t offset_B[16];
    fill_offsets(offset_B, 4096, channels);
    for (unsigned i = 0; i < 16; i++)
        va[i] = base + offset_B[i] % 0x10000;
    if (check_below(8) == 0)
        va[check_below(16)] |= UINT64_C(1) << (48 + check_below(8));
}

static void
any_a64(struct rig *r, bool write)
{
    unsigned lanes = check_below(3) ? 16 : 8, grfs = lanes / 8,
             header = check_below(4) == 0;
    unsigned disabled = check_below(4) ? (0xf << (1 + check_below(4))) & 0xf
                                       : check_below(16);
    unsigned channels = 4u - (unsigned)__builtin_popcount(disabled);
    uint32_t desc;
    uint64_t va[16];
    r->far = true;
    if (check_below(2)) {
        desc = (write ? DC1_A64_UNTYPED_WRITE : DC1_A64_UNTYPED_READ) << 14 |
               (lanes == 16 ? 1u : 2u) << 12 | disabled << 8;
    } else {
        unsigned kind = check_below(3), code = check_below(4);
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
    unsigned lanes = check_below(3) ? 16 : 8, header = check_below(8) == 0;
    uint32_t index[16];
    fill_offsets(index, (uint32_t)surface.flat_B, 4);
    for (unsigned i = 0; i < 16 && check_below(16); i++)
        index[i] /= MAX2(surface.buffer_stride_B, 1);
    r->payload[0][2] = check_below(2) ? 0 : check_below(16) << 12;
    memcpy(r->payload[0] + 8 * header, index, lanes * 4);
    lay_out(r, header, lanes, lanes / 8, 0, lanes / 2,
            (check_below(8) ? 7u : 26u) << 12 | (lanes == 16 ? 2u : 1u) << 17 |
                3);
    r->m.sfid = EU_SFID_SAMPLER;
}

static void
any_typed(struct rig *r, bool write)
{
    unsigned disabled = check_below(4) ? (0xf << (1 + check_below(4))) & 0xf
                                       : check_below(16);
    unsigned channels = 4u - (unsigned)__builtin_popcount(disabled);
    unsigned header = check_below(8) == 0, coords = 1 + check_below(4);
    uint32_t group = check_below(16) ? 1 + check_below(2) : check_below(4);
    typed_surface(&surface);
    typed_elements_init(&surface.elements, &surface);
    for (unsigned i = 0; i < 8 * coords; i++) {
        uint32_t n = i >= 16 ? 2 : surface.type == SURFACE_BUFFER ? ROOM_B : 18;
        r->payload[0][8 * header + i] = check_below(40) ? check_below(n)
                                                        : 0 - check_below(4);
    }
    lay_out(r, header, 8, coords, write ? channels : 0, write ? 0 : channels,
            (write ? DC1_TYPED_WRITE : DC1_TYPED_READ) << 14 | group << 12 |
                disabled << 8 | 3);
}

/* Data port 0: dwords or bytes per lane. Stateless messages mostly stay below
 * the end of the 4 GB. */
static void
any_scattered(struct rig *r, bool write)
{
    enum { DWORDS = 3, BYTES = 4, WRITES = 8 };
    unsigned lanes = check_below(3) ? 16 : 8, grfs = lanes / 8;
    unsigned header = check_below(3) > 0,
             size = check_below(4) ? 2 : check_below(3);
    bool dwords = check_below(3);
    uint32_t offset_B[16];
    fill_offsets(offset_B, (uint32_t)surface.flat_B, 1);
    for (unsigned i = 0; i < 16 && dwords && check_below(16); i++)
        offset_B[i] /= 4;
    r->payload[0][2] = check_below(3) ? 0 : check_below(64);
    memcpy(r->payload[0] + 8 * header, offset_B, lanes * 4);
    r->payload[0][5] = header ? check_below(512) * 4 : r->payload[0][5];
    lay_out(r, header, lanes, grfs, write ? grfs : 0, write ? 0 : grfs,
            (uint32_t)((dwords ? DWORDS : BYTES) | (write ? WRITES : 0)) << 14 |
                size << 10 | (lanes == 16 ? 3u : 2u) << 8 | any_bti());
    r->m.sfid = EU_SFID_DC0;
}

/* Offset or address of a lane that accesses stateless memory. */
static uint64_t
stateless_at(const struct rig *r, unsigned i)
{
    const struct eu_message *m = &r->m;
    unsigned at = m->header ? 1 : 0;
    if (r->far)
        return dataport_lane64(m, at, i) & UINT32_MAX;
    uint32_t u = dataport_lane(m, at, i);
    if (m->sfid != EU_SFID_DC0)
        return u;
    if (at && m->mlen_grf)
        u += m->src0[2];
    u *= bits_get(m->desc, 14, 16) == 3 ? 4 : 1;
    return (uint64_t)u + (at && m->mlen_grf ? m->src0[5] : 0);
}

#define KINDS 12

/* Makes a random message and returns its kind. */
static unsigned
any_message(struct rig *r)
{
    unsigned kind = check_below(KINDS);
    any_memory(r);
    for (unsigned i = 0; i < 128; i++)
        r->payload[0][i] = r->payload[1][i] = check_below(UINT32_MAX);
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
    case 8: any_scattered(r, false); break;
    case 9: any_scattered(r, true); break;
    default: any_untyped(r, true); break;
    }
    return kind;
}

#endif
