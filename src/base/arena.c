/* arena.c: arena allocator. */
#include "base/arena.h"
#include "base/base.h"

#include <stdlib.h>

struct arena_block {
    struct arena_block *next;
    size_t size_B, used_B;
    alignas(64) unsigned char data[];
};

void
arena_init(struct arena *arena, size_t block_B, size_t kept_B)
{
    *arena = (struct arena){.block_B = block_B, .kept_B = kept_B};
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
    free_chain(arena->spare);
    arena->head = arena->spare = NULL;
    arena->used_B = 0;
}

static struct arena_block *
push(struct arena *arena, struct arena_block *block)
{
    block->next = arena->head;
    block->used_B = 0;
    return arena->head = block;
}

static struct arena_block *
grow(struct arena *arena, size_t want_B)
{
    struct arena_block *spare = arena->spare;
    if (spare && spare->size_B >= want_B) {
        arena->spare = spare->next;
        return push(arena, spare);
    }
    size_t size_B = MAX2(arena->block_B, want_B);
    if (want_B > SIZE_MAX - sizeof(struct arena_block) - 64)
        return NULL;
    struct arena_block *block = aligned_alloc(
        64, ALIGN_POT(sizeof *block + size_B, (size_t)64));
    if (!block)
        return NULL;
    block->size_B = size_B;
    return push(arena, block);
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

/* Keeps blocks of a chain up to the limit. Returns the bytes kept so far. */
static size_t
keep(struct arena *arena, struct arena_block *block, size_t kept_B)
{
    while (block) {
        struct arena_block *next = block->next;
        if (kept_B && kept_B + block->size_B > arena->kept_B) {
            free(block);
        } else {
            block->next = arena->spare;
            arena->spare = block;
            kept_B += block->size_B;
        }
        block = next;
    }
    return kept_B;
}

void
arena_reset(struct arena *arena)
{
    struct arena_block *used = arena->head, *spare = arena->spare;
    arena->head = arena->spare = NULL;
    arena->used_B = 0;
    keep(arena, spare, keep(arena, used, 0));
}
