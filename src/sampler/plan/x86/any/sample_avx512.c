/* sample_avx512.c: plan.h's routines, a message of 16 lanes at a time. */
#define SAMPLE_ROUTINES sample_avx512
#include "sampler/plan/x86/any/sample_tmpl.h"
