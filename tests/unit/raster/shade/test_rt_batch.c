/* test_rt_batch.c: colours that the batch captures against colours that threads
 * send one by one: equal bytes, equal MCS entries, equal counts. */
#include <criterion/criterion.h>

#include "base/cpu.h"
#include "base/perf.h"
#include "rig.h"

static uint32_t
mix(uint32_t v)
{
    v = (v ^ v >> 15) * 0x2c1b3c6d;
    v = (v ^ v >> 12) * 0x297a2d39;
    return v ^ v >> 15;
}

/* Difficult numbers for conversion and blending, and ordinary ones. */
static uint32_t
hostile(uint32_t seed)
{
    static const uint32_t odd[] = {0,          0x80000000, 0x7f800000,
                                   0xff800000, 0x7fc00000, 1,
                                   0x3f800001, 0xbf000000, 0x3effffff};
    uint32_t r = mix(seed);
    return r % 4 ? bits_from_float((float)(r >> 8) * 0x1p-24f)
                 : odd[(r >> 8) % ARRAY_SIZE(odd)];
}

/* Colours and lanes derived from the subspans in g1 and from the primitive's
 * number in attribute 0. */
static void
shade_by_place(struct rig *rig, struct eu_thread *t, struct thread_env *env,
               uint32_t always)
{
    alignas(32) uint32_t payload[8][8];
    const uint32_t *g1 = eu_grf(t, 1), *attr = eu_grf(t, 8);
    uint32_t keep = always;
    for (unsigned i = 0; i < 16; i++) {
        uint32_t place = g1[2 + i / 4] * 4 + (i & 3) + attr[3];
        keep |= (uint32_t)(mix(place + 77) % 8 != 0) << i;
        for (unsigned c = 0; c < 4; c++)
            payload[2 * c + i / 8][i & 7] = hostile(place * 4 + c);
    }
    rig_rt_write(env, t, 0, false, t->sr0[2] & keep, payload[0], 8);
}

static void
shade_places(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    shade_by_place(rig, t, env, 0);
}

static void
shade_all_places(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    shade_by_place(rig, t, env, 0xffff);
}

/* Writes the weights of both vertices, from g2 on, as colours. */
static void
shade_weights(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    alignas(32) uint32_t payload[8][8];
    memcpy(payload[0], eu_grf(t, 2), 2 * EU_GRF_B);
    memcpy(payload[2], eu_grf(t, 4), 2 * EU_GRF_B);
    memcpy(payload[4], eu_grf(t, 4), 2 * EU_GRF_B);
    memcpy(payload[6], eu_grf(t, 2), 2 * EU_GRF_B);
    rig_rt_write(env, t, 0, false, t->sr0[2] & 0xffff, payload[0], 8);
}

/* Likewise, with the primitive's number from attribute 0. */
static void
shade_named_weights(struct rig *rig, struct eu_thread *t,
                    struct thread_env *env)
{
    alignas(32) uint32_t payload[8][8];
    memcpy(payload[0], eu_grf(t, 2), 4 * EU_GRF_B);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 8; k++)
            payload[4 + i][k] = eu_grf(t, 8)[3];
    rig_rt_write(env, t, 0, false, t->sr0[2] & 0xffff, payload[0], 8);
}

/* Colours and lanes that are equal for all blocks of a primitive. */
static void
shade_alike(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    alignas(32) uint32_t payload[8][8];
    const uint32_t *attr = eu_grf(t, 8);
    for (unsigned i = 0; i < 64; i++)
        payload[i / 8][i & 7] = hostile(i + attr[3] * 64);
    rig_rt_write(env, t, 0, false, t->sr0[2] & 0xfdff, payload[0], 8);
}

/* Equal MCS entries in eight bytes, as many as fit. */
static uint64_t
entries(unsigned samples, uint32_t r)
{
    uint64_t identity = mcs_identity(samples);
    for (unsigned n = mcs_entry_B(samples); n < 8; n *= 2)
        identity |= identity << (8 * n);
    switch (r % 4) {
    case 0: return identity;
    case 1: return 0;
    default: return UINT64_MAX;
    }
}

/* Sets sample positions and an MCS: most pixels cleared, some written, some in
 * plane 0. Without `blocks`, slices do not begin with a whole block. Then the
 * code takes no block paths: the reference. */
static void
use_samples(struct rig *rig, unsigned samples, bool blocks)
{
    struct surface *s = &rig->target[0];
    rig->draw.samples = samples;
    rig->draw.raster.dx_multisample_rasterization_enable = true;
    for (unsigned i = 0; i < samples; i++) {
        rig->draw.sample_x[i] = (uint8_t)(1 + i * 14 / samples);
        rig->draw.sample_y[i] = (uint8_t)(mix(i) & 15);
    }
    s->aux = AUX_MCS;
    s->aux_row_pitch_B = RIG_PX * 8;
    s->aux_qpitch_el_rows = RIG_PX + !blocks;
    s->aux_limit_B = (uint64_t)s->aux_row_pitch_B * RIG_PX * RIG_LAYERS;
    free(rig->mcs);
    rig->mcs = malloc(s->aux_limit_B);
    for (size_t i = 0; i < s->aux_limit_B; i += 8) {
        /* In most blocks all rows are equal. */
        uint32_t seed = mix((uint32_t)(i / 64 * 2 + i / 8 % 2));
        uint64_t v = entries(samples, seed % 8 ? seed >> 3 : mix((uint32_t)i));
        memcpy((uint8_t *)rig->mcs + i, &v, 8);
    }
    s->aux_mem = rig->mcs;
    s->clear_color = (union color){.f = {0.25f, 0.5f, 1, 0.75f}};
}

static uint8_t *
entry_at(struct rig *rig, unsigned x, unsigned y)
{
    const struct surface *s = &rig->target[0];
    unsigned x_B = x * mcs_entry_B(s->samples);
    return rig->mcs + x_B / 128 * 4096 + x_B % 128 / 16 * 512 +
           y / 32 * (s->aux_row_pitch_B * 32) + y % 32 * 16 + x_B % 16;
}

/* Pixels whose MCS entries differ. */
static unsigned
count_different_entries(struct rig *a, struct rig *b, unsigned width)
{
    unsigned size = mcs_entry_B(a->target[0].samples), n = 0;
    for (unsigned y = 0; y < width; y++) {
        for (unsigned x = 0; x < width; x++)
            n += memcmp(entry_at(a, x, y), entry_at(b, x, y), size) != 0;
    }
    return n;
}

/* Moves each sample's colour to its place without an MCS. */
static void
settle_pixel(struct rig *rig, unsigned x, unsigned y)
{
    const struct surface *s = &rig->target[0];
    unsigned n = s->samples, size = mcs_entry_B(n);
    unsigned bits = n == 2 ? 1 : n == 4 ? 2 : 4;
    uint64_t v = 0, cleared = size == 8 ? UINT64_MAX : (1ull << 8 * size) - 1;
    uint8_t *entry = entry_at(rig, x, y);
    uint8_t old[16][16];
    memcpy(&v, entry, size);
    for (unsigned i = 0; i < n; i++)
        memcpy(old[i], rig_texel(rig, 0, x, y, i), s->fmt->element_B);
    for (unsigned i = 0; i < n; i++) {
        uint8_t *to = rig_texel(rig, 0, x, y, i);
        if (v == cleared)
            format_pack(s->fmt, &s->clear_color, to);
        else
            memcpy(to, old[v >> (bits * i) & (n - 1)], s->fmt->element_B);
    }
    v = mcs_identity(n);
    memcpy(entry, &v, size);
}

static void
settle(struct rig *rig, unsigned width)
{
    for (unsigned y = 0; y < width; y++) {
        for (unsigned x = 0; x < width; x++)
            settle_pixel(rig, x, y);
    }
}

struct setting {
    const char *what;
    rig_shader shader;
    unsigned format, element_B;
    /* tiny and small: alternately either */
    bool blends, kills, both, steady, stacked, covered, rows, pairs, small,
        stays, tested, tiny, scanned;
    unsigned width, unfinished_every;
    size_t kernel_B;
    unsigned samples;
};

#define PRIMS 24

/* Whole blocks, each followed by a triangle over some of their samples. */
static struct prim
stacked(struct rig *rig, unsigned i)
{
    float x = (float)(mix(i / 2) % 3 * 4), y = (float)(i / 6 % 3 * 4);
    const float xy[6] = {x, y, x + 8.4f, y, x, y + 8.4f};
    return i % 2 ? rig_triangle(rig, xy, 0.5f)
                 : rig_rect(rig, x, y, x + 8, y + 8, 0.5f);
}

/* Triangles of stacked(), and last whole blocks over all of them. */
static struct prim
covered(struct rig *rig, unsigned i)
{
    return i + 1 < PRIMS ? stacked(rig, i | 1)
                         : rig_rect(rig, 0, 0, 20, 20, 0.5f);
}

/* A block in plane 0; some samples of its last column; the whole column, after
 * which all its entries are zero again; many blocks, so that their batch scans
 * the tile; three of the block's rows, in plane 0; samples as before. */
static struct prim
scanned(struct rig *rig, unsigned i)
{
    static const float edge[][4] = {{0, 0, 4, 4},   {0},          {3, 0, 4, 4},
                                    {8, 8, 40, 40}, {0, 0, 4, 3}, {0}};
    static const float corner[6] = {3.5f, 4, 3.5f, -200, -200, 4};
    const float *e = edge[MIN2(i, 3)];
    if (i >= PRIMS - 2)
        e = edge[i + 6 - PRIMS];
    return e[2] > 0 ? rig_rect(rig, e[0], e[1], e[2], e[3], 0.5f)
                    : rig_triangle(rig, corner, 0.5f);
}

static void
draw(struct rig *rig, const struct setting *s, bool catches)
{
    rig->captures_rt_write = catches;
    rig->steady = s->steady;
    rig->shader = s->shader;
    rig->keeps_lanes = s->shader == shade_all_places ||
                       s->shader == shade_weights;
    rig->unfinished_every = s->unfinished_every;
    rig->kernel_B = s->kernel_B;
    rig_target(rig, 0, s->format, s->element_B, MAX2(s->samples, 1));
    if (s->samples > 1)
        use_samples(rig, s->samples, catches);
    rig->target[0].width = rig->target[0].height = s->width;
    if (s->tested) {
        rig_depth(rig, 0x0d8 /* R32_FLOAT */, 1);
        rig->draw.wm_ds.depth_test_enable = true;
        rig->draw.wm_ds.depth_buffer_write_enable = true;
        rig->draw.wm_ds.depth_test_function = GEN9_COMPAREFUNCTION_GREATER;
    }
    struct gen9_blend_state_entry *e = &rig->draw.blend_entry[0];
    e->color_buffer_blend_enable = s->blends;
    e->source_blend_factor = GEN9_BLENDFACTOR_SRC_ALPHA;
    e->destination_blend_factor = GEN9_BLENDFACTOR_INV_SRC_ALPHA;
    e->source_alpha_blend_factor = GEN9_BLENDFACTOR_ONE;
    e->destination_alpha_blend_factor = GEN9_BLENDFACTOR_DST_COLOR;
    rig->draw.ps_extra.pixel_shader_kills_pixel = s->kills;
    /* Centroids depend on samples: each primitive has batches of its own. */
    if (s->scanned)
        rig->draw.wm.position_zw_interpolation_mode =
            GEN9_3DSTATE_WM_POSITION_ZW_INTERPOLATION_MODE_INTERP_CENTROID;
    rig->draw.sbe.number_of_sf_output_attributes = 1;
    /* Only registers that the shader reads are payload. */
    memset(rig->live_in, 0, sizeof rig->live_in);
    bool places = s->shader == shade_places || s->shader == shade_all_places;
    rig->chain_grf = !s->rows ? 0 : places ? 1 : 2;
    rig->chain_weights = !places;
    rig->pairs = s->pairs;
    rig->stays = s->stays;
    rig->live_in[0] = places ? 1u << 1 | 1u << 8 : 1u << 8;
    if (s->shader == shade_weights) {
        rig->live_in[0] = 15u << 2 | (s->both ? 15u << 6 : 0) |
                          (s->pairs ? 1u << 8 : 0);
        rig->draw.wm.barycentric_interpolation_mode = s->both ? 1 | 1 << 3 : 1;
    }
    if (s->shader == shade_named_weights) {
        rig->live_in[0] = 15u << 2 | 1u << 8;
        rig->draw.wm.barycentric_interpolation_mode = 1;
    }
    struct prim prims[PRIMS];
    uint32_t names[PRIMS][64] = {{0}};
    uint32_t r = 5;
    for (unsigned i = 0; i < PRIMS; i++) {
        /* With depth tests, every fourth primitive fails completely. */
        float xy[6], z = s->tested ? (float)(1 + i) / 32 : 0.5f;
        if (s->tested && i % 4 == 3)
            z = 0;
        for (unsigned k = 0; k < 6; k++) {
            r = mix(r + 1);
            uint32_t most = s->tiny ? (s->small && i % 2 ? 24 : 15) : 36;
            xy[k] = s->tiny || s->small
                        ? (float)(i % 3 * 40 + r % (most * 8) / 8)
                        : (float)(r % (RIG_PX * 8)) / 8;
        }
        prims[i] = s->stacked   ? stacked(rig, i)
                   : s->covered ? covered(rig, i)
                   : s->scanned ? scanned(rig, i)
                                : rig_triangle(rig, xy, z);
        names[i][0] = bits_from_float((float)i);
        for (unsigned k = 0; k < 3; k++)
            prims[i].v[k].vue = names[i];
        /* Every third primitive has perspective. */
        bool flat = s->stacked || s->covered || s->scanned;
        for (unsigned k = 0; i % 3 == 0 && !flat && k < 3; k++)
            prims[i].v[k].w_inv = (float)(k + 1) / 4;
    }
    rig_draw(rig, prims, PRIMS);
}

static void
compare(const struct setting *s)
{
    struct rig *sent = rig_create(0), *caught = rig_create(0);
    draw(sent, s, false);
    draw(caught, s, true);
    if (s->samples > 1) {
        if (perf_leaves_out(PERF_MCS_BLOCKS))
            cr_expect_eq(count_different_entries(sent, caught, s->width), 0,
                         "%s", s->what);
        settle(sent, s->width);
        settle(caught, s->width);
    }
    cr_expect_eq(
        memcmp(sent->memory[0], caught->memory[0], sent->target[0].limit_B), 0,
        "%s", s->what);
    cr_expect_gt(sent->stats.ps_invocations, s->tiny ? 100 : 1000, "%s",
                 s->what);
    cr_expect_eq(sent->stats.ps_invocations, caught->stats.ps_invocations, "%s",
                 s->what);
    cr_expect_eq(sent->stats.ps_depth_count, caught->stats.ps_depth_count, "%s",
                 s->what);
    if (s->steady && cpu_selected() >= CPU_AVX2)
        cr_expect_lt(caught->runs, sent->runs, "%s", s->what);
    else if (!s->unfinished_every)
        cr_expect_eq(caught->runs, sent->runs, "%s", s->what);
    rig_destroy(sent);
    rig_destroy(caught);
}

static void
compare_all(void)
{
    enum { RGBA8 = 0x0c7, BGRA8 = 0x0c0, RGBA16F = 0x084, RGBA32F = 0x000 };
    enum { BGR565 = 0x100, R8 = 0x140 };
    static const struct setting settings[] = {
        {"RGBA8", shade_places, RGBA8, 4, .width = 128, .kernel_B = 4096},
        {"cheap", shade_places, RGBA8, 4, .width = 128},
        {"odd size", shade_places, RGBA8, 4, .width = 101},
        {"blended", shade_places, RGBA8, 4, .blends = true, .width = 127,
         .kernel_B = 4096},
        {"kills", shade_places, BGRA8, 4, .kills = true, .width = 128},
        {"halves", shade_places, RGBA16F, 8, .blends = true, .width = 126},
        {"floats", shade_places, RGBA32F, 16, .width = 125, .kernel_B = 4096},
        {"few bits", shade_places, BGR565, 2, .blends = true, .width = 128},
        {"a byte", shade_places, R8, 1, .width = 103, .kernel_B = 4096},
        {"some go on", shade_places, RGBA8, 4, .blends = true, .width = 128,
         .unfinished_every = 3, .kernel_B = 4096},
        {"all go on", shade_places, RGBA8, 4, .width = 128,
         .unfinished_every = 1},
        {"weights", shade_weights, RGBA32F, 16, .width = 128},
        {"weights of quads", shade_weights, RGBA32F, 16, .width = 117,
         .kernel_B = 4096},
        {"weights of two kinds", shade_weights, RGBA32F, 16, .both = true,
         .width = 128},
        {"weights, some go on", shade_weights, RGBA32F, 16, .width = 128,
         .unfinished_every = 4},
        {"rows", shade_weights, RGBA32F, 16, .rows = true, .width = 128},
        {"rows, odd size", shade_weights, RGBA16F, 8, .rows = true,
         .width = 101},
        {"rows of whole blocks", shade_weights, RGBA32F, 16, .rows = true,
         .width = 128, .kernel_B = 4096},
        {"rows, blended", shade_weights, RGBA8, 4, .rows = true, .blends = true,
         .width = 128},
        {"rows, some go on", shade_weights, RGBA32F, 16, .rows = true,
         .width = 128, .unfinished_every = 5},
        {"rows, all go on", shade_weights, RGBA16F, 8, .rows = true,
         .width = 128, .kernel_B = 4096, .unfinished_every = 1},
        {"rows of places", shade_places, RGBA8, 4, .rows = true, .width = 128,
         .kernel_B = 4096},
        {"rows of places, odd size", shade_places, BGRA8, 4, .rows = true,
         .width = 101},
        {"rows of places, blended", shade_places, RGBA16F, 8, .rows = true,
         .blends = true, .width = 128},
        {"rows of places, some go on", shade_places, RGBA8, 4, .rows = true,
         .width = 128, .unfinished_every = 5},
        {"pairs", shade_weights, RGBA32F, 16, .rows = true, .pairs = true,
         .width = 128},
        {"pairs, odd size", shade_weights, RGBA16F, 8, .rows = true,
         .pairs = true, .width = 101},
        {"pairs, blended", shade_weights, RGBA8, 4, .rows = true, .pairs = true,
         .blends = true, .width = 128},
        {"pairs, some go on", shade_weights, RGBA32F, 16, .rows = true,
         .pairs = true, .width = 128, .unfinished_every = 5},
        {"pairs of places", shade_places, RGBA8, 4, .rows = true, .pairs = true,
         .width = 128},
        {"pairs of places, some go on", shade_places, RGBA16F, 8, .rows = true,
         .pairs = true, .blends = true, .width = 128, .unfinished_every = 4},
        {"joined", shade_named_weights, RGBA32F, 16, .rows = true,
         .small = true, .stays = true, .width = 128},
        {"joined, odd size", shade_named_weights, RGBA16F, 8, .rows = true,
         .small = true, .stays = true, .width = 101},
        {"joined, blended", shade_named_weights, RGBA8, 4, .rows = true,
         .small = true, .stays = true, .blends = true, .width = 128},
        {"joined, some go on", shade_named_weights, RGBA32F, 16, .rows = true,
         .small = true, .stays = true, .width = 128, .unfinished_every = 5},
        {"joined, all go on", shade_named_weights, RGBA8, 4, .rows = true,
         .small = true, .stays = true, .width = 128, .unfinished_every = 1},
        {"joined, shared threads", shade_named_weights, RGBA32F, 16,
         .rows = true, .small = true, .stays = true, .width = 128,
         .kernel_B = 4096},
        {"joined, pairs", shade_named_weights, RGBA32F, 16, .rows = true,
         .pairs = true, .small = true, .stays = true, .width = 128},
        {"joined, tested", shade_named_weights, RGBA32F, 16, .rows = true,
         .small = true, .stays = true, .tested = true, .width = 128},
        {"joined, tested, some go on", shade_named_weights, RGBA8, 4,
         .rows = true, .small = true, .stays = true, .tested = true,
         .width = 128, .unfinished_every = 3},
        {"tiny", shade_named_weights, RGBA32F, 16, .rows = true, .tiny = true,
         .stays = true, .width = 128},
        {"tiny, odd size", shade_places, RGBA16F, 8, .tiny = true,
         .width = 101},
        {"tiny, tested", shade_named_weights, RGBA8, 4, .rows = true,
         .tiny = true, .stays = true, .tested = true, .width = 128},
        {"tiny, tested, odd size", shade_named_weights, RGBA8, 4, .rows = true,
         .tiny = true, .stays = true, .tested = true, .width = 101},
        {"tiny, tested, some go on", shade_places, RGBA8, 4, .tiny = true,
         .tested = true, .width = 128, .unfinished_every = 3},
        {"tiny and small", shade_named_weights, RGBA32F, 16, .rows = true,
         .tiny = true, .small = true, .stays = true, .width = 128},
        {"tiny and small, odd size", shade_places, RGBA16F, 8, .tiny = true,
         .small = true, .width = 101},
        {"tiny and small, tested", shade_named_weights, RGBA8, 4, .rows = true,
         .tiny = true, .small = true, .stays = true, .tested = true,
         .width = 128},
        {"tiny and small, some go on", shade_places, RGBA8, 4, .tiny = true,
         .small = true, .tested = true, .width = 113, .unfinished_every = 3},
        {"not joined", shade_named_weights, RGBA32F, 16, .rows = true,
         .small = true, .width = 128},
        {"joined, four samples", shade_named_weights, RGBA8, 4, .rows = true,
         .small = true, .stays = true, .width = 128, .samples = 4},
        {"joined, eight, some go on", shade_named_weights, RGBA8, 4,
         .rows = true, .small = true, .stays = true, .width = 128, .samples = 8,
         .unfinished_every = 5},
        {"two samples", shade_places, RGBA8, 4, .width = 128, .samples = 2},
        {"four", shade_places, RGBA16F, 8, .width = 113, .samples = 4},
        {"eight, blended", shade_places, BGRA8, 4, .blends = true, .width = 128,
         .samples = 8, .unfinished_every = 5},
        {"sixteen, alike", shade_alike, RGBA8, 4, .width = 128, .steady = true,
         .samples = 16},
        {"stacked, two samples", shade_all_places, RGBA8, 4, .stacked = true,
         .width = 128, .samples = 2},
        {"stacked, four", shade_all_places, RGBA16F, 8, .stacked = true,
         .width = 15, .samples = 4},
        {"stacked, eight", shade_all_places, RGBA32F, 16, .stacked = true,
         .width = 128, .samples = 8},
        {"stacked, sixteen, blended", shade_all_places, RGBA8, 4,
         .blends = true, .stacked = true, .width = 128, .samples = 16},
        {"rows of two samples", shade_places, RGBA8, 4, .rows = true,
         .width = 128, .samples = 2},
        {"rows of four", shade_all_places, RGBA32F, 16, .rows = true,
         .width = 128, .samples = 4, .unfinished_every = 30},
        {"rows of four, blended", shade_places, RGBA16F, 8, .rows = true,
         .blends = true, .width = 113, .samples = 4},
        {"pairs of eight", shade_all_places, RGBA8, 4, .rows = true,
         .pairs = true, .width = 128, .samples = 8},
        {"stacked rows of four", shade_all_places, RGBA8, 4, .rows = true,
         .stacked = true, .width = 128, .samples = 4, .unfinished_every = 7},
        {"stacked rows of sixteen", shade_places, RGBA8, 4, .rows = true,
         .stacked = true, .width = 128, .samples = 16},
        {"stacked pairs of two", shade_all_places, RGBA8, 4, .rows = true,
         .pairs = true, .stacked = true, .width = 128, .samples = 2},
        {"covered rows of four", shade_all_places, RGBA8, 4, .rows = true,
         .covered = true, .width = 128, .samples = 4},
        {"covered, some go on", shade_all_places, RGBA8, 4, .rows = true,
         .covered = true, .width = 128, .samples = 4, .unfinished_every = 2},
        {"scanned, two samples", shade_all_places, RGBA8, 4, .scanned = true,
         .width = 128, .samples = 2},
        {"scanned, four", shade_all_places, RGBA8, 4, .scanned = true,
         .width = 128, .samples = 4},
        {"alike", shade_alike, RGBA8, 4, .steady = true, .width = 128,
         .kernel_B = 4096},
        {"alike, blended", shade_alike, RGBA8, 4, .blends = true,
         .steady = true, .width = 101},
        {"alike, halves", shade_alike, RGBA16F, 8, .steady = true,
         .width = 126},
        {"alike, first goes on", shade_alike, RGBA8, 4, .kills = true,
         .steady = true, .width = 128, .unfinished_every = 7},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(settings); i++)
        compare(&settings[i]);
}

Test(caught, same_bytes_as_sent)
{
    compare_all();
}

/* Each pixel's MCS entry, too. */
Test(caught, same_entries_as_sent)
{
    setenv("SOFTLAKE_PERF", "no_mcs_blocks", 1);
    compare_all();
}
