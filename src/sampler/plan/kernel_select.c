/* kernel_select.c: selects a plan's kernels for the processor. The table has
 * one row per family of kernels. The first row that fits, and has a kernel for
 * the plan's texels and mode, is taken. Messages that its kernel leaves out go
 * to the kernels for any lanes, then to the reference sampler. Switching a row
 * off with SOFTLAKE_PERF changes no bit of any answer. */
#include "base/cpu.h"
#include "base/perf.h"
#include "base/stats.h"
#include "sampler/plan/kernels.h"
#include "sampler/plan/plan_parts.h"

/* A family of kernels. Each of its tables has a row per kind of texel, or one
 * row. */
struct kernel_row {
    const char *name;
    enum perf_way off;
    enum stat_id count; /* of plans */
    bool (*fits)(const struct sample_plan *plan);
    bool by_texel;
    const sample_footprint_fn (*footprint)[SAMPLE_MODES];
    const sample_in_registers_fn (*in_registers)[SAMPLE_MODES];
    const sample_to_unorm8_fn (*to_unorm8)[SAMPLE_MODES];
    const sample_finish_fn (*finish)[SAMPLE_MODES]; /* or NULL */
};

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

/* ---- predicates ---- */

/* Whether most messages can stay within one level of one layer, inside the
 * texture. */
static bool
may_share_texels(const struct sample_plan *plan)
{
    /* Without a layer, ld reads the first one. */
    bool layered = plan->layered && plan->mode != SAMPLE_FETCH;
    bool by_quad = plan->mode == SAMPLE_MIPMAPS ||
                   plan->mode == SAMPLE_ANISOTROPIC;
    return cpu_selected() >= CPU_AVX2 && !layered && !plan->lod.lane &&
           !plan->border && !(by_quad && plan->lod.fixed);
}

/* Whether both coordinates have address modes with code of their own. */
static bool
has_common_axes(const struct sample_plan *plan)
{
    if (plan->mode == SAMPLE_FETCH)
        return !plan->offset[0] && !plan->offset[1];
    return plan->axis[0] != SAMPLE_AXIS_ANY && plan->axis[1] != SAMPLE_AXIS_ANY;
}

/* Whether the origin of every level is aligned to a line of memory. */
static bool
has_whole_lines(const struct sample_levels *t)
{
    for (unsigned i = 0; i < 16; i++)
        if ((t->x_el[i] | t->y_el[i]) & 3)
            return false;
    return true;
}

/* Whether texels lie in lines of memory or in compressed blocks. */
static bool
has_footprints(const struct sample_plan *plan)
{
    return (plan->square.usable || plan->blocks) &&
           (plan->texel == SAMPLE_BYTES1 || has_whole_lines(&plan->levels)) &&
           has_common_axes(plan);
}

static bool
grid_avx2_fits(const struct sample_plan *plan)
{
    return cpu_selected() == CPU_AVX2 && has_common_axes(plan);
}

static bool
grid_fits(const struct sample_plan *plan)
{
    return cpu_selected() == CPU_AVX512 && has_common_axes(plan);
}

static bool
avx2_fits(const struct sample_plan *plan)
{
    return cpu_selected() == CPU_AVX2 && has_footprints(plan);
}

static bool
dwords_fits(const struct sample_plan *plan)
{
    return cpu_selected() == CPU_AVX512 && has_footprints(plan);
}

/* Needs VBMI and VNNI. On AVX-512 without them the kernels for any lanes
 * already hold lines of bytes in registers. */
static bool
vbmi_fits(const struct sample_plan *plan)
{
    return cpu_selected() == CPU_AVX512 &&
           __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vnni") && has_footprints(plan);
}

/* Blocks with palettes: each message decodes all four blocks. */
static bool
bc1_fits(const struct sample_plan *plan)
{
    return plan->fmt->compression == FORMAT_BC1 &&
           plan->texel == SAMPLE_BYTE_BLOCKS && vbmi_fits(plan);
}

static bool
bc1_srgb_fits(const struct sample_plan *plan)
{
    return plan->fmt->compression == FORMAT_BC1 &&
           plan->texel == SAMPLE_BLOCKS && vbmi_fits(plan);
}

static bool
bc3_fits(const struct sample_plan *plan)
{
    return plan->fmt->compression == FORMAT_BC3 && vbmi_fits(plan);
}

static bool
etc_fits(const struct sample_plan *plan)
{
    const struct format_info *fmt = plan->fmt;
    bool opaque = fmt->ch[0].bits == 8 && fmt->ch[3].kind == FORMAT_NONE;
    return (fmt->compression == FORMAT_ETC1 ||
            fmt->compression == FORMAT_ETC2) &&
           plan->texel == SAMPLE_BYTE_BLOCKS && opaque && vbmi_fits(plan);
}

/* ---- rows ---- */

#define TABLES(name)                                           \
    true, sample_footprint_##name, sample_in_registers_##name, \
        sample_to_unorm8_##name
#define ONE_TABLE(name)                                           \
    false, &sample_footprint_##name, &sample_in_registers_##name, \
        &sample_to_unorm8_##name, &sample_finish_##name

static const struct kernel_row rows[KERNEL_ROWS] = {
    {"grid_avx2", PERF_TEX_GRID, STAT_tex_grid, grid_avx2_fits,
     TABLES(grid_avx2), NULL},
    {"grid", PERF_TEX_GRID, STAT_tex_grid, grid_fits, TABLES(grid), NULL},
    {"avx2", PERF_TEX_FOOTPRINT, STAT_tex_footprint, avx2_fits, TABLES(avx2),
     NULL},
    {"dwords", PERF_TEX_DWORDS, STAT_tex_dwords, dwords_fits, TABLES(dwords),
     NULL},
    {"bc1", PERF_TEX_BC1, STAT_tex_bc1, bc1_fits, ONE_TABLE(bc1)},
    {"bc1_srgb", PERF_TEX_BC1_SRGB, STAT_tex_bc1_srgb, bc1_srgb_fits,
     ONE_TABLE(bc1_srgb)},
    {"bc3", PERF_TEX_BC3, STAT_tex_bc3, bc3_fits, ONE_TABLE(bc3)},
    {"etc", PERF_TEX_ETC, STAT_tex_etc, etc_fits, ONE_TABLE(etc)},
    {"vbmi", PERF_TEX_FOOTPRINT, STAT_tex_footprint, vbmi_fits, TABLES(vbmi),
     sample_finish_vbmi},
};

const char *
kernel_row_name(unsigned row)
{
    return rows[row].name;
}

/* Returns KERNEL_ROWS if no row fits. */
static unsigned
find_row(const struct sample_plan *plan, unsigned left_out)
{
    unsigned row = may_share_texels(plan) ? 0 : KERNEL_ROWS;
    for (; row < KERNEL_ROWS; row++) {
        const struct kernel_row *r = &rows[row];
        unsigned texel = r->by_texel ? plan->texel : 0;
        if (!(left_out >> row & 1) && r->footprint[texel][plan->mode] &&
            r->fits(plan) && !perf_leaves_out(r->off))
            break;
    }
    return row;
}

static void
take_row(struct sample_plan *plan, const struct kernel_row *r)
{
    unsigned texel = r->by_texel ? plan->texel : 0;
    plan->footprint = r->footprint[texel][plan->mode];
    plan->in_registers = r->in_registers[texel][plan->mode];
    if (plan->compare) /* to_unorm8() has no parameter for references */
        return;
    plan->to_unorm8 = r->to_unorm8[texel][plan->mode];
    if (r->finish)
        plan->finish = r->finish[texel][plan->mode];
}

/* Prefetching only pays off for levels larger than the second-level cache. */
static bool
exceeds_caches(const struct sample_plan *plan)
{
    const int64_t cache_B = 1 << 20, texel_B = 4;
    int32_t level = plan->lod.level;
    return texel_B * plan->levels.w[level] * plan->levels.h[level] > cache_B;
}

unsigned
kernel_select(struct sample_plan *plan, unsigned left_out)
{
    const struct sample_routines *routines = choose_routines();
    plan->run = NULL;
    plan->footprint = NULL;
    plan->in_registers = NULL;
    plan->to_unorm8 = NULL;
    plan->finish = NULL;
    plan->gathers = cpu_gathers_fast();
    plan->asks = exceeds_caches(plan);
    if (!routines || perf_leaves_out(PERF_TEX_LANES)) {
        stats_add(STAT_tex_reference, 1);
        return KERNEL_ROWS;
    }
    plan->run = routines->fn[plan->texel][plan->mode];
    unsigned row = find_row(plan, left_out);
    if (row < KERNEL_ROWS)
        take_row(plan, &rows[row]);
    stats_add(row < KERNEL_ROWS ? rows[row].count : STAT_tex_lanes, 1);
    return row;
}
