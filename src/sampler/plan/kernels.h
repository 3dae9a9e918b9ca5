/* kernels.h: the tables of x86/'s kernels, and the choice among them. Internal
 * to plan/. The tables are constant. An entry is NULL where there is no kernel.
 */
#ifndef SAMPLER_PLAN_KERNELS_H
#define SAMPLER_PLAN_KERNELS_H

#include "sampler/plan/plan.h"

/* ---- kernel_select.c ---- */

/* Families of kernels for messages whose lanes read texels near each other. */
#define KERNEL_ROWS 9

/* Sets the kernels of a plan whose other members are known, and counts the
 * choice. left_out: a bit per row to skip, for tests. Returns the row, or
 * KERNEL_ROWS if only the kernels for any lanes fit. */
unsigned kernel_select(struct sample_plan *plan, unsigned left_out);
const char *kernel_row_name(unsigned row);

/* ---- x86/ ---- */

extern const struct sample_routines sample_avx2, sample_avx512;
extern const sample_footprint_fn sample_footprint_avx2[SAMPLE_TEXELS]
                                                      [SAMPLE_MODES];
extern const sample_footprint_fn sample_footprint_vbmi[SAMPLE_TEXELS]
                                                      [SAMPLE_MODES];
/* Replace the above for SAMPLE_BYTE_BLOCKS or SAMPLE_BLOCKS in these formats.
 */
extern const sample_footprint_fn sample_footprint_bc1[SAMPLE_MODES];
extern const sample_footprint_fn sample_footprint_etc[SAMPLE_MODES];
extern const sample_footprint_fn sample_footprint_bc1_srgb[SAMPLE_MODES];
extern const sample_footprint_fn sample_footprint_bc3[SAMPLE_MODES];
extern const sample_footprint_fn sample_footprint_dwords[SAMPLE_TEXELS]
                                                        [SAMPLE_MODES];
extern const sample_footprint_fn sample_footprint_grid[SAMPLE_TEXELS]
                                                      [SAMPLE_MODES];
extern const sample_footprint_fn sample_footprint_grid_avx2[SAMPLE_TEXELS]
                                                           [SAMPLE_MODES];
/* Variants of some footprint kernels with coordinates in registers. */
extern const sample_in_registers_fn sample_in_registers_avx2[SAMPLE_TEXELS]
                                                            [SAMPLE_MODES];
extern const sample_in_registers_fn sample_in_registers_grid_avx2[SAMPLE_TEXELS]
                                                                 [SAMPLE_MODES];
extern const sample_in_registers_fn sample_in_registers_grid[SAMPLE_TEXELS]
                                                            [SAMPLE_MODES];
extern const sample_in_registers_fn sample_in_registers_dwords[SAMPLE_TEXELS]
                                                              [SAMPLE_MODES];
extern const sample_in_registers_fn sample_in_registers_vbmi[SAMPLE_TEXELS]
                                                            [SAMPLE_MODES];
extern const sample_in_registers_fn sample_in_registers_bc1[SAMPLE_MODES];
extern const sample_in_registers_fn sample_in_registers_etc[SAMPLE_MODES];
extern const sample_in_registers_fn sample_in_registers_bc1_srgb[SAMPLE_MODES];
extern const sample_in_registers_fn sample_in_registers_bc3[SAMPLE_MODES];
/* Variants of footprint kernels that return pixels. */
extern const sample_to_unorm8_fn sample_to_unorm8_avx2[SAMPLE_TEXELS]
                                                      [SAMPLE_MODES];
extern const sample_to_unorm8_fn sample_to_unorm8_grid_avx2[SAMPLE_TEXELS]
                                                           [SAMPLE_MODES];
extern const sample_to_unorm8_fn sample_to_unorm8_dwords[SAMPLE_TEXELS]
                                                        [SAMPLE_MODES];
extern const sample_to_unorm8_fn sample_to_unorm8_grid[SAMPLE_TEXELS]
                                                      [SAMPLE_MODES];
extern const sample_to_unorm8_fn sample_to_unorm8_vbmi[SAMPLE_TEXELS]
                                                      [SAMPLE_MODES];
extern const sample_to_unorm8_fn sample_to_unorm8_bc1[SAMPLE_MODES];
extern const sample_to_unorm8_fn sample_to_unorm8_etc[SAMPLE_MODES];
extern const sample_to_unorm8_fn sample_to_unorm8_bc1_srgb[SAMPLE_MODES];
extern const sample_to_unorm8_fn sample_to_unorm8_bc3[SAMPLE_MODES];
/* Second stages of the to_unorm8() kernels that have two. */
extern const sample_finish_fn sample_finish_vbmi[SAMPLE_TEXELS][SAMPLE_MODES];
extern const sample_finish_fn sample_finish_bc1[SAMPLE_MODES];
extern const sample_finish_fn sample_finish_etc[SAMPLE_MODES];
extern const sample_finish_fn sample_finish_bc1_srgb[SAMPLE_MODES];
extern const sample_finish_fn sample_finish_bc3[SAMPLE_MODES];

#endif
