/* sample_avx2.c: plan.h's routines, eight lanes at a time. */
#define SAMPLE_ROUTINES sample_avx2
#include "sampler/plan/x86/any/sample_tmpl.h"
