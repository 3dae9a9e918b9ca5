/* sample_avx512_loads.c: the same for processors that gather slowly. */
#define LANES_GATHER 0
#define SAMPLE_ROUTINES sample_avx512_loads
#include "sampler/x86/sample_tmpl.h"
