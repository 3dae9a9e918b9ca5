/* test_send_fast.c: numbers that messages of the data port give, with the send
 * function of this processor. The surface is a stub that ends where memory
 * ends. tests/simd/check_gather_scatter.c compares all send functions. */
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "engine/msg/dataport/dataport.h"
#include "engine/msg/sampler_prepared.h"
#include "engine/state/stage_cache.h"

#define PAGE_B 4096
#define ROOM_B (2 * PAGE_B) /* between two inaccessible pages */

static struct surface surface;

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

static uint8_t *
make_room(void)
{
    uint8_t *p = mmap(NULL, ROOM_B + 2 * PAGE_B, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    cr_assert_eq(mprotect(p + PAGE_B, ROOM_B, PROT_READ | PROT_WRITE), 0);
    return p + PAGE_B;
}

/* Receives the messages that the fast functions decline. */
enum eu_msg_result
msg_send(struct eu_thread *thread, const struct eu_message *m)
{
    return m->sfid == EU_SFID_DC1 ? msg_dc1(thread->user, thread, m)
                                  : msg_sampler(thread->user, thread, m);
}

/* Unused here. */
enum eu_msg_result
msg_urb(struct thread_env *env, struct eu_thread *t, const struct eu_message *m)
{
    return EU_MSG_ERROR;
}

struct rig {
    uint8_t *room;
    struct shader_stage stage;
    struct thread_env env;
    struct stage_cache cache;
    struct eu_thread thread;
    uint32_t payload[2][128], answer[128];
    struct eu_message m;
};

static struct rig *
make_rig(void)
{
    static struct rig r;
    r.room = make_room();
    r.stage = (struct shader_stage){.gen = 9, .cache = &r.cache};
    r.cache.common = &r.cache;
    r.env = (struct thread_env){.stage = &r.stage};
    r.thread.user = &r.env;
    return &r;
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

/* Bits 63:47 are equal in addresses that exist. */
Test(msg_fast, addresses_that_are_not_canonical_read_zero)
{
    static const struct {
        uint64_t va;
        uint32_t want;
    } row[] = {{0, 7},
               {UINT64_C(0xffff800000000000), 7},
               {UINT64_C(0x0000800000000000), 0},
               {UINT64_C(0x0001000000000000), 0},
               {UINT64_C(0x8000000000000000), 0},
               {UINT64_C(0xfffc000000000000), 0}};
    struct rig *r = make_rig();
    struct engine_vm vm = {.window = r->room, .mask = ENGINE_VM_SIZE_B - 1};
    static const uint32_t seven = 7;
    memcpy(r->room, &seven, 4);
    r->env.vm = &vm;
    for (unsigned n = 0; n < 2 * ARRAY_SIZE(row); n++) {
        const bool fast = n % 2;
        for (unsigned i = 0; i < 8; i++)
            memcpy(&r->payload[0][2 * i], &row[n / 2].va, 8);
        r->m = (struct eu_message){.sfid = EU_SFID_DC1,
                                   .exec_size = 8,
                                   .mlen_grf = 2,
                                   .rlen_grf = 1,
                                   .desc = DC1_A64_UNTYPED_READ << 14 |
                                           2 << 12 | 0xe << 8,
                                   .exec_mask = 0xff,
                                   .src0 = r->payload[0],
                                   .dst = r->answer};
        memset(r->answer, 0xcc, sizeof r->answer);
        eu_send_fn fn = fast ? send_of_host() : msg_send;
        cr_assert_eq(fn(&r->thread, &r->m), EU_MSG_OK);
        for (unsigned i = 0; i < 8; i++)
            cr_assert_eq(r->answer[i], row[n / 2].want, "0x%llx, fast %u",
                         (unsigned long long)row[n / 2].va, fast);
    }
}

/* Typed messages convert UNORM, SNORM and packed formats when they write, but
 * not when they read. */
Test(msg_fast, typed_reads_of_normalized_formats_give_words)
{
    static const uint16_t formats[] = {0x080, 0x0c7, 0x0c2, 0x0c9,
                                       0x0d3, 0x107, 0x10a, 0x140};
    struct rig *r = make_rig();
    for (unsigned i = 0; i < ROOM_B; i++)
        r->room[i] = (uint8_t)(i * 167 + i / 251);
    for (unsigned f = 0; f < ARRAY_SIZE(formats); f++) {
        const struct format_info *fmt = format_info(formats[f]);
        surface = (struct surface){.type = SURFACE_BUFFER,
                                   .fmt = fmt,
                                   .format = formats[f],
                                   .buffer_stride_B = fmt->element_B,
                                   .buffer_elements = 8,
                                   .mem = r->room,
                                   .flat_B = 64,
                                   .limit_B = 64};
        typed_elements_init(&surface.elements, &surface);
        atomic_store(&r->cache.surface[3], &surface);
        for (unsigned i = 0; i < 8; i++)
            r->payload[0][i] = i;
        r->m = (struct eu_message){.sfid = EU_SFID_DC1,
                                   .exec_size = 8,
                                   .mlen_grf = 1,
                                   .rlen_grf = 1,
                                   .desc = DC1_TYPED_READ << 14 | 1 << 12 |
                                           0xe << 8 | 3,
                                   .exec_mask = 0xff,
                                   .src0 = r->payload[0],
                                   .dst = r->answer};
        for (unsigned fast = 0; fast < 2; fast++) {
            eu_send_fn fn = fast ? send_of_host() : msg_send;
            cr_assert_eq(fn(&r->thread, &r->m), EU_MSG_OK);
            for (unsigned i = 0; i < 8; i++) {
                uint32_t want = 0;
                memcpy(&want, r->room + i * fmt->element_B,
                       MIN2(fmt->element_B, 4));
                cr_assert_eq(r->answer[i], want, "%s, element %u", fmt->name,
                             i);
            }
        }
    }
}

/* A kernel may send one or two payloads for one texture, with two parameters or
 * three; each form has its own plan. */
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
