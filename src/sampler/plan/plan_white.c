/* plan_white.c: the plan of no_tex: every channel is 1.0. */
#include "sampler/plan/plan.h"

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
in_registers_white(const struct sample_plan *plan, uint32_t *out,
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
footprint_white(const struct sample_plan *plan, const struct sample_pair *in,
                uint32_t *out, const int16_t at_dw[4])
{
    (void)in;
    return in_registers_white(plan, out, at_dw);
}

/* in_registers() passes vectors, which are unused here. */
void
sample_plan_init_white(struct sample_plan *plan)
{
    *plan = (struct sample_plan){
        .run = run_white,
        .footprint = footprint_white,
        .in_registers = (sample_in_registers_fn)in_registers_white,
        .any_denormals = true,
        .footprint_any_denormals = true,
    };
}
