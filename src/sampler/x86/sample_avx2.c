/* sample_avx2.c: plan.h's routines, eight lanes at a time. */
#define SAMPLE_ROUTINES sample_avx2
#include "sampler/x86/sample_tmpl.h"
