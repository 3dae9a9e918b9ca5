/* payload_layout.c: finds the parts of a pixel shader's payload that its kernel
 * reads, and their registers: see payload.c. */
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "engine/raster/shade/shade.h"

static bool
is_live(const struct eu_launch *l, unsigned grf)
{
    return l->live_in[grf / 32] >> (grf & 31) & 1;
}

/* Adds a part of `grfs` registers at *grf, if the kernel reads any of them.
 * Never exceeds the register file. */
static void
plan_part(struct payload_layout *plan, const struct eu_launch *l,
          struct payload_part part, unsigned grfs, unsigned *grf)
{
    if (*grf + grfs > EU_GRF_COUNT)
        return;
    bool live = false;
    for (unsigned i = 0; i < grfs; i++)
        live |= is_live(l, *grf + i);
    part.grf = (uint8_t)*grf;
    if (live)
        plan->part[plan->part_count++] = part;
    *grf += grfs;
}

/* Adds the parts for lanes base .. base + 15. */
static void
plan_lanes(struct payload_layout *plan, const struct eu_launch *l,
           const struct scene *sc, uint8_t base, unsigned *grf)
{
    const struct draw *d = sc->draw;
    unsigned grfs = MIN2(sc->ps->simd, 16u) / 8;
    struct payload_part p = {.base = base, .kind = PAYLOAD_WEIGHTS};
    for (p.mode = 0; p.mode < 6; p.mode++) {
        if (sc->bary_modes >> p.mode & 1)
            plan_part(plan, l, p, 2 * grfs, grf);
    }
    p.kind = PAYLOAD_DEPTH;
    if (d->ps_extra.pixel_shader_uses_source_depth)
        plan_part(plan, l, p, grfs, grf);
    p.kind = PAYLOAD_W;
    if (d->ps_extra.pixel_shader_uses_source_w)
        plan_part(plan, l, p, grfs, grf);
    p.kind = PAYLOAD_POSITIONS;
    if (d->ps.position_xy_offset_select !=
        GEN9_3DSTATE_PS_POSITION_XY_OFFSET_SELECT_POSOFFSET_NONE)
        plan_part(plan, l, p, 1, grf);
    p.kind = PAYLOAD_COVERAGE;
    if (d->ps_extra.input_coverage_mask_state !=
        GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_NONE)
        plan_part(plan, l, p, grfs, grf);
}

/* Registers grf .. grf + count - 1 come from a source; none do if they exceed
 * the register file. */
static void
claim(uint8_t source[EU_GRF_COUNT], unsigned grf, unsigned count,
      enum payload_source from)
{
    if (grf + count <= EU_GRF_COUNT)
        memset(source + grf, from, count);
}

/* Appends a register to the last run, or begins a new one. */
static void
add_to_runs(struct payload_layout *plan, const struct eu_launch *l,
            const struct scene *sc, unsigned grf, uint8_t source)
{
    bool stays = !(l->written[grf / 32] >> grf % 32 & 1);
    struct payload_run *run = &plan->run[plan->run_count];
    if (plan->run_count && run[-1].grf + run[-1].count == grf &&
        run[-1].source == source && run[-1].stays == stays) {
        run[-1].count++;
        return;
    }
    plan->run_count++;
    *run = (struct payload_run){
        .source = source, .grf = (uint8_t)grf, .count = 1, .stays = stays};
    if (source == PAYLOAD_PUSH)
        run->offset_B = (grf - sc->ps->grf_start) * EU_GRF_B;
    else if (source == PAYLOAD_ATTR)
        run->offset_B = (grf - sc->attr_grf) * EU_GRF_B;
}

/* Registers without payload hold zero, so that a kernel that reads them does
 * not depend on earlier threads. from: the first register after the parts. */
static void
plan_runs(struct payload_layout *plan, const struct eu_launch *l,
          const struct scene *sc, unsigned from)
{
    const struct shader_stage *ps = sc->ps;
    uint8_t source[EU_GRF_COUNT];
    memset(source, PAYLOAD_ZERO, sizeof source);
    if (ps->push)
        claim(source, ps->grf_start, ps->push_grf, PAYLOAD_PUSH);
    claim(source, sc->attr_grf, sc->attr_count * 2, PAYLOAD_ATTR);
    for (unsigned i = MIN2(from, ps->grf_start) / 32; i < EU_GRF_COUNT / 32;
         i++) {
        for (uint32_t live = l->live_in[i]; live; live &= live - 1) {
            unsigned grf = i * 32 + (unsigned)__builtin_ctz(live);
            if (grf >= from || source[grf] != PAYLOAD_ZERO)
                add_to_runs(plan, l, sc, grf, source[grf]);
        }
    }
}

void
payload_layout_init(struct scene *sc)
{
    struct payload_layout *plan = &sc->plan;
    const struct eu_launch *l = &sc->launch;
    unsigned grf = 0, simd = sc->ps->simd;
    plan->part_count = plan->run_count = 0;
    plan_part(plan, l, (struct payload_part){.kind = PAYLOAD_HEADER}, 1, &grf);
    for (unsigned base = 0; base < simd; base += 16)
        plan_part(plan, l,
                  (struct payload_part){.kind = PAYLOAD_SUBSPANS, .base = base},
                  1, &grf);
    for (unsigned base = 0; base < simd; base += 16)
        plan_lanes(plan, l, sc, base, &grf);
    plan_runs(plan, l, sc, grf);
}
