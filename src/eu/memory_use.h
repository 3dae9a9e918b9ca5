/* memory_use.h: the memory that a message accesses, for profiles.
 *
 * Callers: the engine's send function, before it handles the message, in the
 * thread that runs the EU thread. */
#ifndef EU_MEMORY_USE_H
#define EU_MEMORY_USE_H

#include "base/base.h"

struct eu_thread;

#define EU_MEMORY_PIECES 64

/* Bytes that a lane accesses, in ascending order of lanes. */
struct eu_memory_piece {
    uint64_t at_B; /* the same modulo 64 as its address; local memory: offset */
    uint16_t size_B;
    uint8_t lane;
};

struct eu_memory_use {
    unsigned lanes; /* active ones, whether in range or not */
    unsigned count; /* pieces: of active lanes that are in range */
    bool is_block;  /* one address for all lanes */
    bool is_slm, is_write;
    struct eu_memory_piece piece[EU_MEMORY_PIECES];
};

/* Whether messages have to be counted: they are counted by
 * eu_count_memory(). */
bool eu_counts_memory(void);
/* Counts the message that the thread sends. */
void eu_count_memory(const struct eu_thread *t,
                     const struct eu_memory_use *use);

#endif
