/* check.h: the harness of SIMD kernels, like dav1d's checkasm.
 *
 * A family (check_<stem>.c) lists the kernels of one room: a row for each
 * kernel and instruction set, beside the scalar reference. compare() gives
 * kernel and reference the same hostile inputs, bench() times them. The driver
 * (check.c) runs a row in a process whose cpu_selected() is the row's
 * instruction set, on one thread. A check that fails ends its row. */
#ifndef TEST_SIMD_CHECK_H
#define TEST_SIMD_CHECK_H

#include <stdlib.h>

#include "base/base.h"
#include "base/cpu.h"

/* Instruction sets. CHECK_SCALAR: code for every x86-64 (SSE), and in benches
 * the reference. CHECK_VBMI: AVX-512 with VBMI and VNNI. */
enum check_isa {
    CHECK_SCALAR,
    CHECK_AVX2,
    CHECK_AVX512,
    CHECK_VBMI,
    CHECK_ISAS
};

struct check_row {
    const char *kernel;
    const char *reference; /* what the kernel is compared with */
    const char *unit;      /* the kernel's translation unit, without `.c` */
    enum check_isa isa;
    void (*compare)(enum check_isa isa);
    void (*bench)(enum check_isa isa); /* or NULL; calls check_time() */
};

struct check_family {
    const char *stem;
    const struct check_row *row;
    unsigned count;
};

extern const struct check_family check_avc_recon, check_coverage, check_depth,
    check_direct, check_fast_ops, check_footprint, check_gather_scatter,
    check_interpolate, check_mfx_idct, check_rt, check_rt_sample_store,
    check_sample, check_small_triangle, check_typed_elements,
    check_vue_transpose;

#define CHECK_FAMILY(stem, rows) \
    const struct check_family check_##stem = {#stem, rows, ARRAY_SIZE(rows)}

/* ---- comparing ---- */

/* Ends the row as failed. */
_Noreturn void check_fail(const char *file, int line, const char *what,
                          const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Each takes a message, a format and its arguments, or none. */
#define check_that(condition, ...)                                       \
    do {                                                                 \
        if (!(condition))                                                \
            check_fail(__FILE__, __LINE__, #condition, " " __VA_ARGS__); \
    } while (0)
#define check_eq(a, b, ...) check_that((a) == (b), __VA_ARGS__)
#define check_gt(a, b, ...) check_that((a) > (b), __VA_ARGS__)
#define check_bytes(a, b, size_B, ...) \
    check_that(!memcmp(a, b, size_B), __VA_ARGS__)

/* ---- hostile inputs; the sequence begins anew with each row ---- */

uint32_t check_seed(void);
uint32_t check_random(void);
uint32_t check_below(uint32_t n);
/* The bits of a float: specials (NaNs, infinities, denormals, extremes), any
 * bits, or an ordinary number. */
uint32_t check_bits(void);
float check_float(void);
/* Lanes: all, one, a range, or any. */
uint16_t check_mask(void);
/* Memory of size_B bytes between inaccessible pages. It lasts until the row's
 * process ends. size_B: a multiple of 4096. */
uint8_t *check_room(size_t size_B);

/* ---- timing ---- */

/* Prints the core cycles of one call, where run() makes `calls` calls. */
void check_time(const char *variant, void (*run)(void *arg), void *arg,
                unsigned calls);

#endif
