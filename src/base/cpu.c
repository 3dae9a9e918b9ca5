/* cpu.c: detects the processor and reads SOFTLAKE_CPU. */
#include "base/cpu.h"
#include "base/base.h"
#include "base/known.h"

#include <cpuid.h>
#include <stdlib.h>

/* Features of every processor with AVX2, which a virtual machine may hide. */
static bool
has_companions(void)
{
    unsigned a, b, c, d;
    const unsigned popcnt_f16c = 1u << 23 | 1u << 29, lzcnt = 1u << 5;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & popcnt_f16c) != popcnt_f16c)
        return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & lzcnt) &&
           __builtin_cpu_supports("bmi");
}

static enum cpu_level
host_level(void)
{
    __builtin_cpu_init();
    if (!has_companions())
        return CPU_SSE4;
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
        return CPU_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return CPU_AVX2;
    return CPU_SSE4;
}

static int
read_level(void)
{
    enum cpu_level host = host_level();
    const char *s = getenv("SOFTLAKE_CPU");
    if (!s || !*s)
        return (int)host;
    if (!strcmp(s, "sse4"))
        return CPU_SSE4;
    if (!strcmp(s, "avx2"))
        return (int)MIN2(host, CPU_AVX2);
    if (strcmp(s, "avx512"))
        log_printf("SOFTLAKE_CPU=%s: expected sse4, avx2 or avx512\n", s);
    return (int)host;
}

enum cpu_level
cpu_selected(void)
{
    static atomic_int known;
    return (enum cpu_level)known_int(&known, read_level);
}

/* Gathers are fast on Intel's processors that are not affected by Gather Data
 * Sampling, which have AVX512-FP16. On earlier ones the microcode's mitigation
 * slows gathers, and AMD's are slow. */
static int
find_fast_gathers(void)
{
    unsigned a, b, c, d;
    const unsigned avx512_fp16 = 1u << 23;
    return __builtin_cpu_is("intel") &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & avx512_fp16);
}

bool
cpu_gathers_fast(void)
{
    static atomic_int known;
    return known_int(&known, find_fast_gathers);
}

/* Intel's divider takes 13 cycles for a 512-bit root, the time of 26
 * multiplications; AMD's takes 10 cycles, on Zen 4 the time of 10. Measured: 3
 * to 9 on Intel, 5 to 13 on AMD; 5 and 7 are best. Even numbers are bad,
 * because threads in lockstep alternate. */
static int
find_roots_in_steps(void)
{
    return __builtin_cpu_is("intel") ? 5 : __builtin_cpu_is("amd") ? 7 : 0;
}

unsigned
cpu_roots_in_steps(void)
{
    static atomic_int known;
    return (unsigned)known_int(&known, find_roots_in_steps);
}

/* Streaming stores are fast on AMD. Observed: on Intel's Xeons one core's reach
 * 6 GB/s, while stores through the caches reach 28 GB/s, up to 16 MB that no
 * other core shares. */
static int
find_fast_streams(void)
{
    return __builtin_cpu_is("amd");
}

bool
cpu_streams_fast(void)
{
    static atomic_int known;
    return known_int(&known, find_fast_streams);
}
