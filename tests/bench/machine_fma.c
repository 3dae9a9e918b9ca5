/* machine_fma.c: as many multiply-adds as the host can do; compiled once for
 * each instruction set. */
#include "machine.h"

#include <immintrin.h>

#ifdef __AVX512F__
#define RUN machine_fma_avx512
#define VECTOR __m512
#define SET _mm512_set1_ps
#define FMA _mm512_fmadd_ps
#else
#define RUN machine_fma_avx2
#define VECTOR __m256
#define SET _mm256_set1_ps
#define FMA _mm256_fmadd_ps
#endif
#define LANES (sizeof(VECTOR) / sizeof(float))
/* Enough to hide the latency; an array would stay in memory. */
#define SUMS 12
#define EACH(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11)
#define DECLARE(i) VECTOR sum##i = SET(i);
#define MULTIPLY_ADD(i) sum##i = FMA(sum##i, factor, one);
#define ADD(i) total += sum##i;

double
RUN(uint32_t turns)
{
    VECTOR factor = SET(0.5f), one = SET(1.0f), total = one;
    EACH(DECLARE)
    for (uint32_t t = 0; t < turns; t++) {
        EACH(MULTIPLY_ADD)
        /* Otherwise compilers may find a shorter way to the sum. */
        __asm__ volatile("" : "+r"(turns));
    }
    EACH(ADD)
    volatile float sink = total[0];
    (void)sink;
    return 2.0 * SUMS * (double)LANES * turns;
}
