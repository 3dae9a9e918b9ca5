/* plan_routines.c: which of the processor's routines run a plan. */
#include "base/cpu.h"
#include "sampler/plan_parts.h"

static const struct sample_routines *
choose_routines(void)
{
    switch (cpu_selected()) {
    case CPU_AVX512: return &sample_avx512;
    case CPU_AVX2: return &sample_avx2;
    case CPU_SSE4: break;
    }
    return NULL;
}

/* Blocks of few colours have patches of their own. */
static const sample_patch_fn *
vbmi_patches(const struct sample_plan *plan)
{
    const struct format_info *fmt = plan->fmt;
    bool bytes = plan->texel == SAMPLE_BYTE_BLOCKS;
    bool opaque_etc = fmt->ch[0].bits == 8 && fmt->ch[3].kind == FORMAT_NONE;
    switch (fmt->compression) {
    case FORMAT_BC1: return bytes ? sample_patch_bc1 : sample_patch_bc1_srgb;
    case FORMAT_BC3: return sample_patch_bc3;
    case FORMAT_ETC1:
    case FORMAT_ETC2:
        if (bytes && opaque_etc)
            return sample_patch_etc;
        break;
    default: break;
    }
    return sample_patch_vbmi[plan->texel];
}

/* For texels in lines of memory, or blocks; NULL: there are none. With AVX-512
 * but without VBMI and VNNI run() keeps lines of bytes in registers. */
static const sample_patch_fn *
square_patches(const struct sample_plan *plan)
{
    enum sample_texel texel = plan->texel;
    if (cpu_selected() == CPU_AVX2)
        return sample_patch_avx2[texel];
    if (texel == SAMPLE_FLOAT1 || texel == SAMPLE_UNORM24 ||
        texel == SAMPLE_R11G11B10)
        return sample_patch_dwords[texel];
    return __builtin_cpu_supports("avx512vbmi") &&
                   __builtin_cpu_supports("avx512vnni")
               ? vbmi_patches(plan)
               : NULL;
}

/* Whether levels begin with whole lines of memory. */
static bool
has_whole_lines(const struct sample_levels *t)
{
    for (unsigned i = 0; i < 16; i++)
        if ((t->x_el[i] | t->y_el[i]) & 3)
            return false;
    return true;
}

/* Coordinates that the common address modes move. */
static sample_patch_fn
choose_square(const struct sample_plan *plan)
{
    const sample_patch_fn *patch = square_patches(plan);
    if (!patch || !(plan->square.usable || plan->blocks) ||
        (plan->texel != SAMPLE_BYTES1 && !has_whole_lines(&plan->levels)))
        return NULL;
    if (plan->way == SAMPLE_FETCH)
        return plan->offset[0] || plan->offset[1] ? NULL : patch[SAMPLE_FETCH];
    if (plan->axis[0] == SAMPLE_AXIS_ANY || plan->axis[1] == SAMPLE_AXIS_ANY)
        return NULL;
    return patch[plan->way];
}

static sample_patch_fn
choose_patch(const struct sample_plan *plan)
{
    /* Without a layer, ld reads the first one. */
    bool layered = plan->layered && plan->way != SAMPLE_FETCH;
    if (cpu_selected() < CPU_AVX2 || layered || plan->lod.lane ||
        plan->border || (plan->way == SAMPLE_MIPMAPS && plan->lod.fixed))
        return NULL;
    bool any_axis = plan->axis[0] == SAMPLE_AXIS_ANY ||
                    plan->axis[1] == SAMPLE_AXIS_ANY;
    sample_patch_fn rows = cpu_selected() == CPU_AVX2
                               ? sample_patch_rows_avx2[plan->texel][plan->way]
                               : sample_patch_rows[plan->texel][plan->way];
    return rows && !any_axis ? rows : choose_square(plan);
}

/* What there is beside plan->patch. */
static void
choose_beside(struct sample_plan *plan)
{
    const enum sample_texel texel = plan->texel;
    const struct {
        const sample_patch_fn *patch;
        const sample_vectors_fn *vectors;
        const sample_pixels_fn *pixels;
        const sample_finish_fn *finish;
    } beside[] = {
        {sample_patch_avx2[texel], sample_vectors_avx2[texel],
         sample_pixels_avx2[texel], NULL},
        {sample_patch_rows_avx2[texel], sample_vectors_rows_avx2[texel],
         sample_pixels_rows_avx2[texel], NULL},
        {sample_patch_dwords[texel], sample_vectors_dwords[texel],
         sample_pixels_dwords[texel], NULL},
        {sample_patch_rows[texel], sample_vectors_rows[texel],
         sample_pixels_rows[texel], NULL},
        {sample_patch_vbmi[texel], sample_vectors_vbmi[texel],
         sample_pixels_vbmi[texel], sample_finish_vbmi[texel]},
        {sample_patch_bc1, sample_vectors_bc1, sample_pixels_bc1,
         sample_finish_bc1},
        {sample_patch_etc, sample_vectors_etc, sample_pixels_etc,
         sample_finish_etc},
        {sample_patch_bc1_srgb, sample_vectors_bc1_srgb, sample_pixels_bc1_srgb,
         sample_finish_bc1_srgb},
        {sample_patch_bc3, sample_vectors_bc3, sample_pixels_bc3,
         sample_finish_bc3},
    };
    for (unsigned i = 0; plan->patch && i < ARRAY_SIZE(beside); i++) {
        if (plan->patch != beside[i].patch[plan->way])
            continue;
        plan->vectors = beside[i].vectors[plan->way];
        if (plan->compare) /* pixels have nothing to compare with */
            return;
        plan->pixels = beside[i].pixels[plan->way];
        if (beside[i].finish)
            plan->finish = beside[i].finish[plan->way];
        return;
    }
}

/* Asking for what the second level of caches has takes as long as it saves. */
static bool
exceeds_caches(const struct sample_plan *plan)
{
    const int64_t cache_B = 1 << 20, texel_B = 4;
    int32_t level = plan->lod.level;
    return texel_B * plan->levels.w[level] * plan->levels.h[level] > cache_B;
}

void
plan_routines_choose(struct sample_plan *plan)
{
    const struct sample_routines *routines = choose_routines();
    if (routines)
        plan->run = routines->fn[plan->texel][plan->way];
    plan->patch = choose_patch(plan);
    plan->gathers = cpu_gathers_fast();
    plan->asks = exceeds_caches(plan);
    choose_beside(plan);
}

/* ---- no textures ---- */

static void
fill_white(uint32_t *out, unsigned lanes, uint32_t mask)
{
    for (unsigned i = 0; i < lanes; i++) {
        if (mask >> i & 1)
            out[i] = bits_from_float(1.0f);
    }
}

static bool
run_white(const struct sample_plan *plan, const struct sample_lanes *lanes)
{
    (void)plan;
    for (unsigned c = 0; c < 4; c++) {
        if (lanes->out[c])
            fill_white(lanes->out[c], lanes->lanes, lanes->exec_mask);
    }
    return true;
}

static bool
vectors_white(const struct sample_plan *plan, uint32_t *out,
              const int16_t at_dw[4])
{
    (void)plan;
    for (unsigned c = 0; c < 4; c++) {
        if (at_dw[c] >= 0)
            fill_white(out + at_dw[c], 16, 0xffff);
    }
    return true;
}

static bool
patch_white(const struct sample_plan *plan, const struct sample_pair *in,
            uint32_t *out, const int16_t at_dw[4])
{
    (void)in;
    return vectors_white(plan, out, at_dw);
}

/* Compiled code passes vectors, too, which nobody needs here. */
void
sample_plan_init_white(struct sample_plan *plan)
{
    *plan = (struct sample_plan){
        .run = run_white,
        .patch = patch_white,
        .vectors = (sample_vectors_fn)vectors_white,
        .any_denormals = true,
        .patch_any_denormals = true,
    };
}
