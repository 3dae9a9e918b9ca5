/* scanout.h: images for --framebuffer; see engine_last_target() and
 * engine_detile_rgba() in engine.h. Called by freeze/ (target_note) and
 * engine.c; the engine owns the target. Any thread. */
#ifndef ENGINE_SCANOUT_SCANOUT_H
#define ENGINE_SCANOUT_SCANOUT_H

#include "engine/core/core.h"
#include "engine/state/draw.h"

/* Remembers the draw's first colour target, and keeps a reference to its VM. */
void target_note(struct engine *engine, const struct draw *draw);
void target_forget(struct engine *engine);
/* Called before the range is unmapped, when no batch writes it any more. */
void target_unmap(struct engine_vm *vm, const void *ptr, uint64_t size_B);

#endif
