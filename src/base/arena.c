#include "base/arena.h"
#include "base/base.h"

#include <stdlib.h>

struct arena_block {
    struct arena_block *next;
    size_t size_B, used_B;
    alignas(64) unsigned char data[];
};

void
arena_init(struct arena *arena, size_t block_B)
{
    *arena = (struct arena){.block_B = block_B};
}

static void
free_chain(struct arena_block *block)
{
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void
arena_finish(struct arena *arena)
{
    free_chain(arena->head);
    arena->head = NULL;
    arena->used_B = 0;
}

static struct arena_block *
grow(struct arena *arena, size_t want_B)
{
    size_t size_B = MAX2(arena->block_B, want_B);
    if (want_B > SIZE_MAX - sizeof(struct arena_block) - 64)
        return NULL;
    struct arena_block *block = aligned_alloc(
        64, ALIGN_POT(sizeof *block + size_B, (size_t)64));
    if (!block)
        return NULL;
    block->next = arena->head;
    block->size_B = size_B;
    block->used_B = 0;
    arena->head = block;
    return block;
}

void *
arena_take(struct arena *arena, size_t size_B, size_t align_B)
{
    assert(align_B && align_B <= 64 && !(align_B & (align_B - 1)));
    struct arena_block *block = arena->head;
    size_t at = block ? ALIGN_POT(block->used_B, align_B) : 0;
    if (!block || at > block->size_B || size_B > block->size_B - at) {
        block = grow(arena, size_B);
        if (!block)
            return NULL;
        at = 0;
    }
    block->used_B = at + size_B;
    arena->used_B += size_B;
    return block->data + at;
}

void *
arena_alloc(struct arena *arena, size_t size_B, size_t align_B)
{
    void *p = arena_take(arena, size_B, align_B);
    return p ? memset(p, 0, size_B) : NULL;
}

void
arena_reset(struct arena *arena)
{
    struct arena_block *block = arena->head;
    arena->used_B = 0;
    if (!block)
        return;
    free_chain(block->next);
    block->next = NULL;
    block->used_B = 0;
}
