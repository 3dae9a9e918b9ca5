/* plan_parts.h: the steps of sample_plan_init() that have files of their own.
 * Internal to plan*.c. */
#ifndef SAMPLER_PLAN_PARTS_H
#define SAMPLER_PLAN_PARTS_H

#include "sampler/plan.h"
#include "sampler/sample.h"

/* plan_levels.c. False if some texels are out of the routines' reach. */
bool plan_levels_find(struct sample_plan *plan, struct sample_ctx *ctx);

/* plan_routines.c: when all the rest is known. */
void plan_routines_choose(struct sample_plan *plan);

#endif
