/* rt_kernels.c: chooses the kernel that writes the blocks of a target. */
#include "base/cpu.h"
#include "base/fpmode.h"
#include "engine/raster/output/output.h"

static const struct {
    uint16_t surface_format;
    uint8_t format;
} formats[] = {
    {0x000, RT_RGBA32},  {0x001, RT_RGBA32},  {0x002, RT_RGBA32},
    {0x080, RT_RGBA16},  {0x084, RT_RGBA16F}, {0x085, RT_RG32},
    {0x086, RT_RG32},    {0x087, RT_RG32},    {0x0c0, RT_BGRA8},
    {0x0c2, RT_RGB10A2}, {0x0c7, RT_RGBA8},   {0x0cc, RT_RG16},
    {0x0d0, RT_RG16F},   {0x0d1, RT_BGR10A2}, {0x0d3, RT_R11G11B10F},
    {0x0d6, RT_R32},     {0x0d7, RT_R32},     {0x0d8, RT_R32},
    {0x0e9, RT_BGRX8},   {0x100, RT_BGR565},  {0x106, RT_RG8},
    {0x10a, RT_R16},     {0x10e, RT_R16F},    {0x140, RT_R8},
};

static enum rt_format
format_of(unsigned surface_format)
{
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].surface_format == surface_format)
            return formats[i].format;
    }
    return RT_NONE;
}

static bool
needs_second_source(const struct blend_state *b)
{
    const uint8_t f[4] = {b->src[0], b->src[1], b->dst[0], b->dst[1]};
    for (unsigned i = 0; i < 4; i++) {
        if (f[i] == GEN9_BLENDFACTOR_SRC1_COLOR ||
            f[i] == GEN9_BLENDFACTOR_SRC1_ALPHA ||
            f[i] == GEN9_BLENDFACTOR_INV_SRC1_COLOR ||
            f[i] == GEN9_BLENDFACTOR_INV_SRC1_ALPHA)
            return true;
    }
    return false;
}

static enum rt_mode
mode_of(const struct blend_state *b)
{
    for (unsigned i = 0; i < 2; i++) {
        if (b->src[i] != GEN9_BLENDFACTOR_SRC_ALPHA ||
            b->dst[i] != GEN9_BLENDFACTOR_INV_SRC_ALPHA ||
            b->func[i] != GEN9_BLENDFUNCTION_ADD)
            return RT_BLEND;
    }
    return RT_SRC_OVER;
}

static bool
is_unit_range(const struct blend_range *r)
{
    for (unsigned c = 0; c < 4; c++) {
        if (r->lo[c] != 0 || r->hi[c] != 1)
            return false;
    }
    return true;
}

static void
fill_state(struct rt_state *st, const struct target *t,
           const struct blend_state *b)
{
    for (unsigned i = 0; i < sizeof st->mask; i++)
        st->mask[i] = t->mask[i % t->element_B];
    st->mask_all = t->mask_all;
    st->clamp_source = (b->pre_clamp || b->pre_clamp_src_only) &&
                       !t->range.none;
    /* The conversion to a normalised format clamps, too. */
    st->clamp_result = b->post_clamp && !t->range.none &&
                       !(is_unit_range(&t->range) &&
                         t->fmt->ch[0].kind == FORMAT_UNORM);
    memcpy(st->src, b->src, sizeof st->src);
    memcpy(st->dst, b->dst, sizeof st->dst);
    memcpy(st->func, b->func, sizeof st->func);
    memcpy(st->lo, t->range.lo, sizeof st->lo);
    memcpy(st->hi, t->range.hi, sizeof st->hi);
    blend_constant(b, &t->range, st->constant);
}

/* Bits of the float mode that affect the result. Conversions from float do not
 * depend on denormals. Nor does blending in [0, 1] for a normalised target: its
 * smallest step is far above denormals, and no value is infinite. AVX-512
 * arithmetic has explicit rounding. Verified by check_rt.c. */
static uint32_t
fp_bits_of(const struct rt_state *st, const struct blend_range *r)
{
    enum { ROUNDING = 0x6000 };
    bool float_target = st->format >= RT_R16F;
    bool tame = st->clamp_source && is_unit_range(r) && !float_target;
    if (st->mode != RT_NO_BLEND && !tame)
        return ~FPMODE_STATUS;
    return cpu_selected() == CPU_AVX512 ? 0 : ROUNDING;
}

bool
rt_state_init(struct rt_state *st, const struct target *t,
              const struct blend_state *b)
{
    bool blends = b->enabled && !t->fmt->is_int;
    st->format = (uint8_t)format_of(t->fmt->code);
    st->mode = blends ? (uint8_t)mode_of(b) : RT_NO_BLEND;
    st->reads = blends || !t->mask_all;
    if (st->format == RT_NONE || b->logic_op ||
        (blends && needs_second_source(b)))
        return false;
    fill_state(st, t, b);
    bool unit = st->clamp_source && is_unit_range(&t->range);
    if (st->mode == RT_SRC_OVER && st->format < RT_R16F && !unit)
        st->mode = RT_BLEND;
    st->fp_bits = fp_bits_of(st, &t->range);
    return true;
}

static struct rt_routine
routine_of(const struct rt_state *st)
{
    switch (cpu_selected()) {
    case CPU_AVX512: return rt_routine_avx512[st->format][st->mode];
    case CPU_AVX2: return rt_routine_avx2[st->format][st->mode];
    default: return (struct rt_routine){NULL, NULL, NULL};
    }
}

rt_write_fn
rt_choose(const struct rt_state *st)
{
    return routine_of(st).write;
}

rt_epilogue_fn
rt_choose_epilogue(const struct rt_state *st)
{
    return routine_of(st).tail;
}

rt_epilogue_fn
rt_choose_epilogue_of_two(const struct rt_state *st)
{
    return routine_of(st).two;
}

rt_epilogue_fn
rt_choose_sample_store(const struct rt_state *st, bool halves)
{
    if (st->mode != RT_NO_BLEND || !st->mask_all)
        return NULL;
    switch (cpu_selected()) {
    case CPU_AVX512:
        return halves ? rt_sample_store_halves_avx512[st->format]
                      : rt_sample_store_avx512[st->format];
    case CPU_AVX2: return rt_sample_store_avx2[st->format];
    default: return NULL;
    }
}
