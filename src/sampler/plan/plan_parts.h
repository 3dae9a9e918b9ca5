/* plan_parts.h: the steps of sample_plan_init() that have files of their own.
 * Internal to plan*.c. */
#ifndef SAMPLER_PLAN_PLAN_PARTS_H
#define SAMPLER_PLAN_PLAN_PARTS_H

#include "sampler/plan/plan.h"
#include "sampler/reference/sample.h"

/* plan_levels.c. Returns false if the kernels cannot address some texels. */
bool plan_levels_find(struct sample_plan *plan, struct sample_ctx *ctx);

#endif
