/* arena.h: arena allocator: memory is freed all at once, except for a few
 * blocks that are reused. Not thread-safe: one owner at a time. arena_alloc()
 * returns zeroed memory, arena_take() uninitialised memory; NULL: out of
 * memory. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *head;  /* newest first */
    struct arena_block *spare; /* kept by a reset, to be reused */
    size_t block_B, kept_B;
    size_t used_B; /* sum over all blocks */
};

/* kept_B: bytes that a reset keeps at most, but it keeps at least one block. */
void arena_init(struct arena *arena, size_t block_B, size_t kept_B);
void arena_finish(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size_B, size_t align_B);
void *arena_take(struct arena *arena, size_t size_B, size_t align_B);
void arena_reset(struct arena *arena);

#endif
