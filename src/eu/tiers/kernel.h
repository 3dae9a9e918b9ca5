/* kernel.h: builds kernels from clients' bytes.
 *
 * Caller: kernel_cache.c, under its lock. A built kernel is immutable, except
 * for facts and code that the tiers add when first needed (struct eu_kernel,
 * eu/interp/interp.h). It owns all of its memory. */
#ifndef EU_TIERS_KERNEL_H
#define EU_TIERS_KERNEL_H

#include "eu/interp/interp.h"

/* Copies and decodes the code. NULL: a guest error, or no memory. */
struct eu_kernel *eu_kernel_build(const void *code, size_t avail_B,
                                  enum eu_gen gen);
void eu_kernel_free(struct eu_kernel *kernel);
/* Lists the kernel's instructions, trace(eu). */
void eu_kernel_trace(const struct eu_kernel *k);

/* busy_kernel.c: what eu_busy_read() knows about a counted kernel. It outlives
 * the kernel, so that sums only grow. NULL: not counted, or no memory. */
struct busy_kernel;
struct busy_kernel *busy_kernel_add(struct busy_kernel **list,
                                    const struct eu_kernel *k);
void busy_kernel_use(struct busy_kernel *b, unsigned stage);
void busy_kernels_read(const struct busy_kernel *list, struct eu_busy *busy);

#endif
