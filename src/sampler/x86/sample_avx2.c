/* sample_avx2.c: plan.h's routines, eight lanes at a time. Few processors
 * without AVX-512 gather faster than they load. */
#define LANES_GATHER 0
#define SAMPLE_ROUTINES sample_avx2
#include "sampler/x86/sample_tmpl.h"
