/* arena.h: memory that is given back all at once. Not thread-safe: one owner
 * at a time. arena_alloc returns zeroed memory, arena_take
 * leaves it as it is; NULL when none is left. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *head; /* newest first */
    size_t block_B;
    size_t used_B; /* over all blocks */
};

void arena_init(struct arena *arena, size_t block_B);
void arena_finish(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size_B, size_t align_B);
void *arena_take(struct arena *arena, size_t size_B, size_t align_B);
void arena_reset(struct arena *arena); /* keeps one block */

#endif
