/* arena.h: memory that is given back all at once, but for a few blocks that
 * serve again. Not thread-safe: one owner at a time. arena_alloc returns zeroed
 * memory, arena_take leaves it as it is; NULL when none is left. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *head;  /* newest first */
    struct arena_block *spare; /* of before the reset */
    size_t block_B, kept_B;
    size_t used_B; /* over all blocks */
};

/* kept_B: what a reset keeps at most, one block at least. */
void arena_init(struct arena *arena, size_t block_B, size_t kept_B);
void arena_finish(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size_B, size_t align_B);
void *arena_take(struct arena *arena, size_t size_B, size_t align_B);
void arena_reset(struct arena *arena);

#endif
