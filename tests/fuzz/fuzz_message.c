/* fuzz_message.c: any bytes as messages of a kernel to the shared functions.
 *
 * Surfaces and samplers are plausible ones with some dwords of the input in
 * them; then come messages: function, descriptor, lanes, payload. They go to
 * the stage's send function, as from an EU thread, several with the same state,
 * so that prepared messages are used, too. */
#include "fuzz.h"
#include "fuzz_engine.h"

#include "engine/msg/msg.h"
#include "engine/state/stage_cache.h"
#include "surface_pack.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MEM_VA UINT64_C(0x100000)
#define MEM_B 0x40000u
#define TABLE_B 0x100u /* binding table, from MEM_VA */
#define SURFACES_B 0x400u
#define SURFACES 8u
#define SAMPLERS_B 0x800u
#define SAMPLERS 4u
#define DATA_B 0x2000u
#define SLM_B 65536u
#define MESSAGES_MAX 24

static struct fuzz_engine fuzz;
static uint8_t *pristine, *slm;

static uint8_t
take(struct fuzz_input *in)
{
    return (uint8_t)fuzz_take(in, 1);
}

static void
set_up(void)
{
    fuzz = fuzz_engine_create(&(struct engine_config){.gen = 9}, MEM_VA, MEM_B);
    pristine = malloc(MEM_B);
    slm = aligned_alloc(64, SLM_B);
    if (!pristine || !slm)
        abort();
    for (uint32_t i = 0, x = 1; i < MEM_B; i++, x = x * 1664525 + 1013904223)
        pristine[i] = (uint8_t)(x >> 24);
    memset(slm, 0, SLM_B);
}

/* ------------------------------------------------------------------------
 * State */

static struct gen9_render_surface_state
plausible_surface(struct fuzz_input *in)
{
    /* RGBA32F, RGBA8, R32F, R8, RGBA16, BC1, BC3, ETC2, D32F or D24, NV12, R32
     * of typed messages, RAW */
    static const uint16_t formats[] = {0x000, 0x0c7, 0x0d8, 0x140,
                                       0x080, 0x186, 0x188, 0x1aa,
                                       0x0d9, 0x1a5, 0x0d7, 0x1ff};
    static const uint8_t types[] = {1, 1, 1, 1, 0, 2, 3, 4, 4, 5, 1, 7};
    uint8_t a = take(in), b = take(in), c = take(in);
    struct gen9_render_surface_state s = {
        .surface_type = types[a % ARRAY_SIZE(types)],
        .surface_format = formats[b % ARRAY_SIZE(formats)],
        .surface_array = a >> 5 & 1,
        .tile_mode = b & 0x80 ? 0 : c % 4,
        .surface_horizontal_alignment = 1 + a % 3,
        .surface_vertical_alignment = 1,
        .width = (1u << c % 8) - 1,
        .height = (1u << (c >> 4) % 8) - 1,
        .depth = a >> 6,
        .surface_pitch = b & 0x80 ? 1023 : 511,
        .surface_qpitch = 32,
        .mip_count_lod = c % 5,
        .number_of_multisamples = a >= 0xf0 ? b % 5u : 0,
        .shader_channel_select_red = 4,
        .shader_channel_select_green = 5,
        .shader_channel_select_blue = 6,
        .shader_channel_select_alpha = 7,
        .surface_base_address = MEM_VA + DATA_B,
    };
    if (s.surface_type == 4 || s.surface_type == 5) {
        s.width = 127; /* with the height, the number of elements */
        s.surface_pitch = b % 64;
        s.depth = 0;
    }
    return s;
}

/* Dwords of the input over those of a state. */
static void
change(struct fuzz_input *in, uint32_t *dw, unsigned count)
{
    uint8_t b = take(in);
    for (unsigned n = b < 96 ? 0 : b % 4; n; n--) {
        uint8_t at = take(in);
        dw[at % count] = at & 0x80 ? fuzz_take(in, 4)
                                   : dw[at % count] ^ 1u << take(in) % 32;
    }
}

static void
write_state(struct fuzz_input *in)
{
    uint32_t *table = (uint32_t *)(void *)(fuzz.mem + TABLE_B);
    memcpy(fuzz.mem, pristine, MEM_B);
    for (unsigned i = 0; i < SURFACES; i++) {
        struct gen9_render_surface_state s = plausible_surface(in);
        uint32_t dw[16] = {0};
        gen9_render_surface_state_pack(&s, dw);
        change(in, dw, 16);
        memcpy(fuzz.mem + SURFACES_B + (size_t)i * 64, dw, sizeof dw);
        table[i] = SURFACES_B + i * 64;
    }
    for (unsigned i = 0; i < SAMPLERS; i++) {
        uint32_t dw[4] = {0};
        dw[0] = take(in) % 2 * 0x24000u | (take(in) & 3u) << 20; /* filters */
        dw[1] = 0x00000c00;                                      /* LOD 0..12 */
        dw[2] = SAMPLERS_B + 0x100;
        dw[3] = take(in) | (take(in) & 7u) << 19;
        change(in, dw, 4);
        memcpy(fuzz.mem + SAMPLERS_B + (size_t)i * 16, dw, sizeof dw);
    }
}

/* ------------------------------------------------------------------------
 * Messages */

static void
fill_register(struct fuzz_input *in, uint32_t *dw)
{
    static const uint32_t edges[] = {
        0,          1,          UINT32_MAX, 0x7fffffff, 0x80000000, 0x3f800000,
        0xbf800000, 0x7f800000, 0x7fc00000, 0x4f000000, 0xfffffffc, 0x00001000,
    };
    uint8_t kind = take(in), b = take(in);
    for (unsigned i = 0; i < 8; i++) {
        float f = (float)(b * 8 + i) / 256.0f;
        switch (kind % 8) {
        case 0: dw[i] = b; break;
        case 1: dw[i] = i * b; break;
        case 2: memcpy(&dw[i], &f, 4); break;
        case 3: dw[i] = edges[b % ARRAY_SIZE(edges)]; break;
        case 4: dw[i] = edges[(b + i) % ARRAY_SIZE(edges)]; break;
        case 5: dw[i] = (uint32_t)MEM_VA + (b * 64u + i * 4) % MEM_B; break;
        case 6: dw[i] = i & 1 ? 0 : (uint32_t)MEM_VA + DATA_B + b * 4u; break;
        default: dw[i] = fuzz_take(in, 4); break;
        }
    }
}

static uint32_t
take_descriptor(struct fuzz_input *in, unsigned *mlen_grf, unsigned *rlen_grf)
{
    /* Type and control are noise; surface and sampler mostly exist. */
    uint32_t desc = fuzz_take(in, 4);
    uint8_t b = take(in);
    if (b < 240)
        desc = (desc & ~0xffu) | (b < 200 ? b % SURFACES : 252u + b % 4);
    *mlen_grf = desc >> 25 & 15;
    *rlen_grf = desc >> 20 & 31;
    return desc;
}

static void
send(struct fuzz_input *in, struct eu_thread *t, eu_send_fn sender)
{
    static const uint8_t functions[] = {2, 2, 2, 10, 12, 10, 12, 9,
                                        4, 3, 5, 6,  11, 7,  8,  13};
    uint8_t a = take(in), b = take(in);
    unsigned mlen_grf, rlen_grf;
    struct eu_message m = {
        .sfid = functions[a % ARRAY_SIZE(functions)],
        .exec_size = (uint8_t)(1u << (b & 7) % 6),
        .eot = (b & 0xf8) == 0xf8,
    };
    if (b & 64)
        m.exec_size = b & 32 ? 16 : 8;
    m.desc = take_descriptor(in, &mlen_grf, &rlen_grf);
    m.header = m.desc >> 19 & 1;
    m.mlen_grf = (uint8_t)mlen_grf;
    m.rlen_grf = (uint8_t)rlen_grf;
    m.ex_mlen_grf = a & 0x80 ? a >> 4 & 7 : 0;
    m.ex_desc = m.sfid | (uint32_t)m.ex_mlen_grf << 6;
    m.exec_mask = take(in) & 1 ? UINT32_MAX : fuzz_take(in, 4);
    if (m.exec_size < 32)
        m.exec_mask &= (1u << m.exec_size) - 1;
    for (unsigned i = 0; i < 24; i++)
        fill_register(in, (uint32_t *)(void *)(t->grf + (16 + i) * EU_GRF_B));
    m.src0 = (const uint32_t *)(const void *)(t->grf + 16 * EU_GRF_B);
    m.src1 = m.ex_mlen_grf
                 ? (const uint32_t *)(const void *)(t->grf + 32 * EU_GRF_B)
                 : NULL;
    m.dst = rlen_grf
                ? (uint32_t *)(void *)(t->grf + (a & 64 ? 16 : 64) * EU_GRF_B)
                : NULL;
    sender(t, &m);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static struct stage_cache cache;
    static struct eu_thread thread;
    static const uint32_t palette[SURFACE_PALETTES][SURFACE_COLORS];
    pthread_once(&once, set_up);
    if (size_B < 8)
        return 0;
    struct fuzz_input in = {data, data + size_B};
    atomic_bool failed = false;
    struct thread_group group = {
        .slm = slm, .slm_B = SLM_B, .barrier_count = 2};
    struct shader_stage stage = {
        .kind = STAGE_CS,
        .enabled = true,
        .gen = 9,
        .vm = fuzz.vm,
        .simd = 16,
        .general_base_va = 0,
        .surface_base_va = MEM_VA,
        .dynamic_base_va = MEM_VA,
        .bindless_base_va = MEM_VA + SURFACES_B,
        .binding_table_offset = TABLE_B,
        .sampler_offset = SAMPLERS_B,
        .palette = palette,
        .cache = &cache,
    };
    struct thread_env env = {
        .stage = &stage, .vm = fuzz.vm, .group = &group, .reset = &failed};
    eu_send_fn sender = data[0] & 1 ? msg_send : msg_sender();
    unsigned sent = 0;
    write_state(&in);
    thread.user = &env;
    stage_cache_init(&cache, NULL);
    vm_thread_enter();
    for (; sent < MESSAGES_MAX && in.at < in.end; sent++)
        send(&in, &thread, sender);
    vm_thread_leave();
    stage_cache_finish(&cache);
    fuzz_count("messages", sent);
    return 0;
}
