/* aux_state.h: auxiliary surfaces (CCS, HiZ) from clear to resolve; see
 * docs/architecture.md. Called by draws, dispatches and HiZ operations, on any
 * thread of a batch.
 *
 * A block that the auxiliary surface marks as clear has the clear value of the
 * state that refers to the surface. Before a surface is read or drawn to,
 * aux_bind() writes this value to the clear blocks of the main surface. So
 * later code reads plain memory. The engine remembers the values that clear
 * blocks hold, so that most calls write nothing. */
#ifndef ENGINE_STATE_AUX_STATE_H
#define ENGINE_STATE_AUX_STATE_H

#include "engine/vm/vm.h"
#include "sampler/surface/aux_codes.h"

struct aux_table; /* the engine's */

/* NULL: out of memory; the other functions then do nothing. */
struct aux_table *aux_table_create(void);
void aux_table_destroy(struct aux_table *table);
/* Around fork(): takes the lock and, on both sides, releases it. */
void aux_before_fork(struct engine *engine);
void aux_after_fork(struct engine *engine);

/* Incremented when a result of aux_bind() may be outdated. Never 0. */
uint64_t aux_generation(const struct engine_vm *vm);

/* Fills clear blocks of the surface's levels and layers with the clear value of
 * its state. Returns the generation for which this stays valid; 0: another
 * process may change the surface unnoticed. */
uint64_t aux_bind(struct engine_vm *vm, const struct surface *s);
/* As aux_bind(), for one level and slices [first, first + count) of a render
 * target. */
uint64_t aux_bind_slices(struct engine_vm *vm, const struct surface *s,
                         unsigned level, unsigned first, unsigned count);

/* Records a fast clear that has filled the rectangle of the main surface with
 * the value. */
void aux_cleared(struct engine_vm *vm, const struct surface *s, unsigned level,
                 unsigned slice, const struct aux_rect *r,
                 const uint8_t value[16]);
/* Forgets surfaces in these bytes, because their mapping changes. */
void aux_forget(struct engine *engine, const void *ptr, uint64_t size_B);
/* Marks all blocks of the slice as not clear; the main surface stays. */
void aux_end_slice(const struct engine_vm *vm, const struct surface *s,
                   unsigned level, unsigned slice);

#endif
