/* test_msg_sampler.c: payloads of sampler messages, laid out by hand. Surfaces
 * and samplers are stubs. */
#include <criterion/criterion.h>
#include <immintrin.h>

#include "base/cpu.h"
#include "engine/msg/dataport/dataport.h"
#include "engine/msg/sampler_prepared.h"
#include "engine/state/stage_cache.h"

alignas(4096) static uint8_t texels[64 * 64 * 4];
static struct surface surface;
static struct sampler sampler;
static unsigned asked_index, asked_bti;
static uint32_t asked_state_B, asked_bindless_B;

const struct surface *
stage_surface(const struct shader_stage *stage, unsigned bti)
{
    asked_bti = bti;
    return &surface;
}

const struct surface *
stage_surface_bindless(const struct shader_stage *stage, uint32_t offset_B)
{
    asked_bindless_B = offset_B;
    return &surface;
}

const struct sampler *
stage_sampler(const struct shader_stage *stage, unsigned index)
{
    asked_index = index;
    return &sampler;
}

const struct sampler *
stage_sampler_at(const struct shader_stage *stage, uint32_t state_offset_B)
{
    asked_state_B = state_offset_B;
    return &sampler;
}

struct rig {
    struct shader_stage stage;
    struct thread_env env;
    uint32_t payload[32][8], second[16][8], answer[8][8];
    struct eu_message m;
};

/* A surface of R32_UINT whose texels encode their position: y * 100 + x. */
static struct rig *
make_rig(unsigned type, unsigned simd)
{
    static struct rig r;
    static struct stage_cache cache;
    memset(&r, 0, sizeof r);
    memset(&cache, 0, sizeof cache);
    cache.common = &cache;
    pthread_mutex_init(&cache.lock, NULL);
    arena_init(&cache.arena, 8192, 0);
    r.stage.cache = &cache;
    memset(r.answer, 0xcc, sizeof r.answer);
    r.stage.gen = 9;
    r.stage.sampler_offset = 0x1000;
    r.env.stage = &r.stage;
    r.m = (struct eu_message){
        .sfid = EU_SFID_SAMPLER,
        .exec_size = (uint8_t)(simd == 2 ? 16 : 8),
        .mlen_grf = 15,
        .rlen_grf = (uint8_t)(simd == 2 ? 8 : 4),
        .desc = type << 12 | simd << 17 | 3 << 8 | 42,
        .exec_mask = simd == 2 ? 0xffff : 0xff,
        .src0 = r.payload[0],
        .dst = r.answer[0],
    };
    surface = (struct surface){
        .type = SURFACE_2D,
        .fmt = format_info(0x0d7),
        .mem = texels,
        .limit_B = sizeof texels,
        .is_array = true,
        .width = 16,
        .height = 16,
        .depth = 2,
        .halign_el = 4,
        .valign_el = 4,
        .row_pitch_B = 256,
        .qpitch_el_rows = 32,
        .samples = 1,
        .mip_count_minus1 = 2,
        .swizzle = {4, 5, 6, 7},
    };
    surface_layout(&surface);
    sampler = (struct sampler){.wrap = {2, 2, 2},
                               .max_lod = 14.0f,
                               .mip_filter = 1,
                               .lod_preclamp = 2};
    for (unsigned l = 0; l < 3; l++)
        for (unsigned z = 0; z < 2; z++)
            for (unsigned y = 0; y < 16u >> l; y++)
                for (unsigned x = 0; x < 16u >> l; x++) {
                    uint32_t v = l * 100000 + z * 10000 + y * 100 + x;
                    memcpy(surface_ptr(&surface, l, x, y, z, 0), &v, 4);
                }
    return &r;
}

static void
put_u(struct rig *r, unsigned grf, uint32_t first, uint32_t step)
{
    for (unsigned i = 0; i < 8; i++)
        r->payload[grf][i] = first + i * step;
}

static void
put_f(struct rig *r, unsigned grf, float f)
{
    for (unsigned i = 0; i < 8; i++)
        r->payload[grf][i] = bits_from_float(f);
}

static uint32_t
answer_of(struct rig *r)
{
    cr_assert_eq(msg_sampler(&r->env, NULL, &r->m), EU_MSG_OK);
    return r->answer[0][0];
}

Test(msg_sampler, ld_of_gen9)
{
    struct rig *r = make_rig(7, 1);
    put_u(r, 0, 0, 1); /* u */
    put_u(r, 1, 1, 0); /* v */
    put_u(r, 2, 1, 0); /* lod */
    put_u(r, 3, 1, 0); /* r */
    answer_of(r);
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(r->answer[0][i], 110100 + i);
    cr_expect_eq(r->answer[1][0], 0);
    cr_expect_eq(r->answer[3][0], 1);
    cr_expect_eq(asked_bti, 42);
}

Test(msg_sampler, ld_of_gen8_has_lod_second)
{
    struct rig *r = make_rig(7, 1);
    r->stage.gen = 8;
    put_u(r, 0, 3, 0);
    put_u(r, 1, 1, 0); /* lod */
    put_u(r, 2, 2, 0); /* v */
    put_u(r, 3, 1, 0); /* r */
    cr_expect_eq(answer_of(r), 110203);
}

Test(msg_sampler, missing_parameters_are_zero)
{
    struct rig *r = make_rig(7, 1);
    put_u(r, 0, 3, 0);
    put_u(r, 1, 2, 0);
    put_u(r, 2, 1, 0);
    r->m.mlen_grf = 1;
    cr_expect_eq(answer_of(r), 3);
    r->m.mlen_grf = 2;
    cr_expect_eq(answer_of(r), 203);
}

Test(msg_sampler, payload_split_anywhere)
{
    for (unsigned split = 1; split <= 3; split++) {
        struct rig *r = make_rig(7, 1);
        uint32_t value[4] = {3, 2, 1, 1};
        for (unsigned i = 0; i < 4; i++)
            for (unsigned k = 0; k < 8; k++)
                (i < split ? r->payload[i]
                           : r->second[i - split])[k] = value[i];
        r->m.mlen_grf = (uint8_t)split;
        r->m.ex_mlen_grf = (uint8_t)(4 - split);
        r->m.src1 = r->second[0];
        cr_expect_eq(answer_of(r), 110203);
    }
}

Test(msg_sampler, simd16_has_two_registers_each)
{
    struct rig *r = make_rig(26, 2); /* ld_lz */
    put_u(r, 0, 0, 1);
    put_u(r, 1, 8, 1);
    put_u(r, 2, 4, 0);
    put_u(r, 3, 5, 0);
    answer_of(r);
    for (unsigned i = 0; i < 8; i++) {
        cr_expect_eq(r->answer[0][i], 400 + i);
        cr_expect_eq(r->answer[1][i], 508 + i);
        cr_expect_eq(r->answer[7][i], 1);
    }
}

Test(msg_sampler, only_executing_lanes_are_written)
{
    struct rig *r = make_rig(26, 1);
    put_u(r, 0, 0, 1);
    r->m.exec_mask = 0x82;
    answer_of(r);
    cr_expect_eq(r->answer[0][1], 1);
    cr_expect_eq(r->answer[0][7], 7);
    cr_expect_eq(r->answer[0][0], 0xcccccccc);
    cr_expect_eq(r->answer[3][6], 0xcccccccc);
}

Test(msg_sampler, short_answers)
{
    struct rig *r = make_rig(26, 1);
    r->m.rlen_grf = 2;
    answer_of(r);
    cr_expect_eq(r->answer[1][0], 0);
    cr_expect_eq(r->answer[2][0], 0xcccccccc);
}

Test(msg_sampler, disabled_channels_move_the_others_down)
{
    struct rig *r = make_rig(26, 1);
    r->m.header = true;
    r->payload[0][2] = 0x7 << 12; /* alpha only */
    r->payload[0][3] = 0x1000;
    put_u(r, 1, 3, 0);
    r->m.rlen_grf = 1;
    cr_expect_eq(answer_of(r), 1);
    cr_expect_eq(r->answer[1][0], 0xcccccccc);
}

Test(msg_sampler, header_offsets_are_signed)
{
    struct rig *r = make_rig(26, 1);
    r->m.header = true;
    r->payload[0][2] = 0xe << 8 | 3 << 4; /* u - 2, v + 3 */
    put_u(r, 1, 5, 0);
    put_u(r, 2, 5, 0);
    cr_expect_eq(answer_of(r), 803);
}

Test(msg_sampler, sampler_by_index_and_by_header)
{
    struct rig *r = make_rig(24, 1);
    answer_of(r);
    cr_expect_eq(asked_index, 3);
    r->m.header = true;
    r->payload[0][3] = 0x1007; /* the stage's table and scratch size bits */
    asked_index = 99;
    answer_of(r);
    cr_expect_eq(asked_index, 3);
    r->payload[0][3] = 0x1100; /* sampler 16 + 3 */
    answer_of(r);
    cr_expect_eq(asked_state_B, 0x1130);
}

Test(msg_sampler, bindless_surface)
{
    struct rig *r = make_rig(26, 1);
    r->m.desc = (r->m.desc & ~0xffu) | 252;
    r->m.ex_desc = 5 << 12 | EU_SFID_SAMPLER;
    answer_of(r);
    cr_expect_eq(asked_bindless_B, 5 * 64);
}

/* Order of parameters, for messages with coordinates: level 1, texel (2, 3),
 * layer 1 of the same surface. */
static void
expect_sample(unsigned type, const float *param, unsigned count)
{
    struct rig *r = make_rig(type, 1);
    for (unsigned i = 0; i < count; i++)
        put_f(r, i, param[i]);
    r->m.mlen_grf = (uint8_t)count;
    cr_expect_eq(answer_of(r), 110302, "type %u: %u", type, r->answer[0][0]);
}

#define TEX_U (2.5f / 8)
#define TEX_V (3.5f / 8)

Test(msg_sampler, parameter_order)
{
    expect_sample(2, (float[]){1, TEX_U, TEX_V, 1}, 4);
    float d = 2.0f / 16;
    expect_sample(4, (float[]){TEX_U, d, 0, TEX_V, 0, d, 1}, 7);
}

Test(msg_sampler, minimum_lod_comes_last)
{
    expect_sample(0, (float[]){TEX_U, TEX_V, 1, 0, 1}, 5);
    expect_sample(1, (float[]){0, TEX_U, TEX_V, 1, 0, 1}, 6);
    expect_sample(4, (float[]){TEX_U, 0, 0, TEX_V, 0, 0, 1, 0, 0, 0, 1}, 11);
}

static uint32_t
compare_answer(unsigned type, const float *param, unsigned count)
{
    struct rig *r = make_rig(type, 1);
    surface.fmt = format_info(0x0d8); /* R32_FLOAT */
    for (unsigned i = 0; i < 16 * 16; i++) {
        float f = i % 16 == 2 ? 0.5f : 0.0f;
        memcpy(surface_ptr(&surface, 0, i % 16, i / 16, 0, 0), &f, 4);
    }
    sampler.shadow_func = 3; /* zero if equal */
    for (unsigned i = 0; i < count; i++)
        put_f(r, i, param[i]);
    r->m.mlen_grf = (uint8_t)count;
    return answer_of(r);
}

Test(msg_sampler, reference_comes_first)
{
    const float u = 2.5f / 16, v = 0.5f / 16;
    static const unsigned plain[] = {3, 25, 20};
    for (unsigned i = 0; i < 3; i++) {
        cr_expect_eq(compare_answer(plain[i], (float[]){0.5f, u, 0, v}, 4), 0,
                     "type %u", plain[i]);
        cr_expect_eq(compare_answer(plain[i], (float[]){0.4f, u, 0, v}, 4),
                     0x3f800000, "type %u", plain[i]);
    }
    for (unsigned type = 5; type <= 6; type++)
        cr_expect_eq(compare_answer(type, (float[]){0.5f, 0, u, v}, 4), 0);
}

Test(msg_sampler, gather4_channel_and_offsets)
{
    struct rig *r = make_rig(17, 1); /* gather4_po */
    r->m.header = true;
    r->payload[0][2] = 3 << 16; /* alpha: one */
    put_f(r, 1, 8.0f / 16);
    put_f(r, 2, 8.0f / 16);
    cr_expect_eq(answer_of(r), 1);
    r->payload[0][2] = 0;
    put_u(r, 3, 0xffffffc1, 0); /* bits above 5 are ignored: 1 */
    put_u(r, 4, 0x3e, 0);       /* -2 */
    put_f(r, 5, 1.0f);          /* r */
    cr_expect_eq(answer_of(r), 10608);
    cr_expect_eq(r->answer[3][0], 10508);
}

Test(msg_sampler, resinfo_needs_a_lod)
{
    struct rig *r = make_rig(10, 1);
    put_u(r, 0, 1, 0);
    cr_expect_eq(answer_of(r), 8);
    cr_expect_eq(r->answer[2][0], 2);
    cr_expect_eq(r->answer[3][0], 3);
}

Test(msg_sampler, ld2dms_w)
{
    struct rig *r = make_rig(28, 1);
    put_u(r, 3, 4, 0);
    put_u(r, 4, 5, 0);
    put_u(r, 5, 1, 0);
    cr_expect_eq(answer_of(r), 10504);
    r = make_rig(30, 1); /* ld2dms: one word of MCS */
    put_u(r, 2, 4, 0);
    put_u(r, 3, 5, 0);
    put_u(r, 4, 1, 0);
    cr_expect_eq(answer_of(r), 10504);
}

/* Any descriptor is answered or refused. sample_unorm reads the surface's state
 * in memory, which this rig lacks: test_media_rotation.c has it. */
Test(msg_sampler, hostile_descriptors)
{
    for (unsigned type = 0; type < 32; type++)
        for (unsigned simd = 0; simd < 4; simd++)
            for (unsigned rlen = 0; rlen <= 8; rlen++) {
                if (type == 12 && simd == 3)
                    continue;
                struct rig *r = make_rig(type, simd);
                r->m.rlen_grf = (uint8_t)rlen;
                r->m.mlen_grf = (uint8_t)(rlen + 1);
                r->m.header = rlen & 1;
                r->m.desc |= (rlen & 2) << 29; /* words */
                memset(r->payload, 0xff, sizeof r->payload);
                r->payload[0][2] = 0;
                if (!rlen)
                    r->m.dst = NULL;
                cr_assert_eq(msg_sampler(&r->env, NULL, &r->m), EU_MSG_OK);
            }
}

/* The active pixel mask follows the channels. */
Test(msg_sampler, killed_pixels)
{
    struct rig *r = make_rig(12, 1);
    r->m.rlen_grf = 5;
    surface.fmt = format_info(0x0c0); /* B8G8R8A8_UNORM */
    surface.format = 0x0c0;
    sampler.mip_filter = 0;
    sampler.chromakey = true;
    /* Texel (3, 0) of slice 0 is 3: blue is 3, other channels are 0. */
    sampler.key_low = sampler.key_high = 3;
    for (unsigned i = 0; i < 8; i++)
        r->payload[0][i] = bits_from_float(((float)i + 0.5f) / 16);
    put_f(r, 1, 0.5f / 16);
    put_f(r, 2, 0.0f);
    answer_of(r);
    cr_expect_eq(r->answer[4][0], 0xfffffff7);
    for (unsigned i = 1; i < 8; i++)
        cr_expect_eq(r->answer[4][i], 0xcccccccc);
}

/* Eight lanes use half a register, sixteen lanes all of it. */
Test(msg_sampler, words)
{
    for (unsigned simd = 1; simd <= 2; simd++) {
        struct rig *r = make_rig(26, simd); /* ld_lz */
        r->m.desc |= 1u << 30;
        r->m.rlen_grf = 4;
        unsigned lanes = 8 * simd;
        for (unsigned half = 0; half < simd; half++) {
            put_u(r, half, 8 * half, 1);
            put_u(r, simd + half, 2, 0);
            put_u(r, 2 * simd + half, 1, 0);
        }
        r->m.exec_mask &= ~4u;
        answer_of(r);
        const uint16_t *red = (const uint16_t *)r->answer[0];
        const uint16_t *alpha = (const uint16_t *)r->answer[3];
        for (unsigned i = 0; i < 16; i++) {
            bool is_written = i < lanes && i != 2;
            cr_expect_eq(red[i], is_written ? 10200 + i : 0xcccc);
            cr_expect_eq(alpha[i], is_written ? 1 : 0xcccc);
        }
    }
}

/* 3 / 255 is 0x1.818182p-7, which rounds to 0x2206. */
Test(msg_sampler, words_of_floats)
{
    struct rig *r = make_rig(26, 1);
    r->m.desc |= 1u << 30;
    surface.fmt = format_info(0x0c7); /* R8G8B8A8_UNORM */
    surface.format = 0x0c7;
    put_u(r, 0, 3, 0);
    answer_of(r);
    cr_expect_eq(r->answer[0][0], 0x22062206);
    cr_expect_eq(r->answer[0][4], 0xcccccccc);
}

/* ---- messages that compiled code answers directly ---- */

__attribute__((target("avx512f"))) static bool
call_direct(struct rig *r, const struct eu_direct *d)
{
    const uint32_t *payload = r->payload[0];
    bool (*fn)(const void *, uint32_t *, const void *, struct thread_env *,
               __m512, __m512, __m512);
    memcpy(&fn, &d->fn, sizeof fn);
    bool done = fn(d->arg, r->answer[0], d->more, &r->env,
                   _mm512_loadu_ps(payload), _mm512_loadu_ps(payload + 16),
                   _mm512_loadu_ps(payload + 32));
    __asm__ volatile("vzeroupper");
    return done;
}

/* Coordinates of four texels per lane, of a depth map or of colours. */
static void
put_places(struct rig *r, bool compare)
{
    uint32_t *at = r->payload[0];
    for (unsigned i = 0; i < 16; i++) {
        if (compare)
            at[i] = bits_from_float((float)i / 16);
        at[16 * compare + i] = bits_from_float((float)(i % 4 + 3) / 17);
        at[16 * compare + 16 + i] = bits_from_float((float)(i / 4 + 2) / 19);
    }
}

static void
expect_direct(unsigned type, unsigned format, unsigned mlen, unsigned rlen,
              bool expected)
{
    struct rig *r = make_rig(type, 2);
    bool compare = type == 3;
    surface.fmt = format_info(format);
    surface.tiling = TILING_Y;
    surface.is_array = false;
    surface.depth = 1;
    surface.mip_count_minus1 = 0;
    for (unsigned i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)(i * 167 + i / 251);
    surface_layout(&surface);
    sampler.min_filter = sampler.mag_filter = 1;
    sampler.mip_filter = 0;
    sampler.shadow_func = 2;
    sampler.rounding_enable = 0x3f;
    put_places(r, compare);
    r->m.mlen_grf = (uint8_t)mlen;
    r->m.rlen_grf = (uint8_t)rlen;
    r->m.site = 3;
    uint32_t want[8][8];
    answer_of(r);
    memcpy(want, r->answer, sizeof want);
    const struct prepared_message *p = sampler_find_usual(&r->env, &r->m);
    cr_assert_not_null(p);
    sampler_note_direct(&r->env, &r->m, p);
    const struct eu_direct *d = r->stage.cache->direct[2];
    cr_assert_eq(d != NULL, expected, "type %u of %u registers", type, mlen);
    memset(r->answer, 0xcc, sizeof r->answer);
    /* Another worker has no block cache yet. */
    r->env.worker = 1;
    if (d && p->plan.blocks)
        cr_assert(!call_direct(r, d) && r->answer[0][0] == 0xcccccccc);
    r->env.worker = 0;
    if (d) {
        cr_assert(call_direct(r, d));
        cr_assert_arr_eq(r->answer, want, sizeof want);
    }
    block_cache_free(r->stage.cache->blocks[0]);
    for (unsigned i = 0; i < EU_DIRECTS; i++)
        cr_expect(i == 2 || !r->stage.cache->direct[i]);
}

Test(msg_sampler, answers_that_need_not_be_asked_for)
{
    if (cpu_selected() != CPU_AVX512 || !__builtin_cpu_supports("avx512vbmi") ||
        !__builtin_cpu_supports("avx512vnni"))
        return;
    enum { RGBA8 = 0x0c7, D24 = 0x0d9, BC1 = 0x186, BC7 = 0x1a2, ETC2 = 0x1aa };
    expect_direct(0, RGBA8, 4, 8, true);  /* sample */
    expect_direct(0, RGBA8, 4, 6, true);  /* without alpha */
    expect_direct(24, RGBA8, 4, 8, true); /* sample_lz */
    expect_direct(3, D24, 6, 2, true);    /* sample_c: one channel */
    expect_direct(3, D24, 6, 8, true);
    expect_direct(0, RGBA8, 6, 8, false); /* a third coordinate */
    expect_direct(3, D24, 8, 8, false);
    expect_direct(2, RGBA8, 6, 8, false); /* a LOD */
    expect_direct(0, BC1, 4, 8, true);
    expect_direct(0, BC7, 4, 8, true);
    expect_direct(24, ETC2, 4, 6, true);
    expect_direct(2, BC1, 6, 8, false);
}
