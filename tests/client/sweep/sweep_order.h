/* sweep_order.h: operations of sweep_order.c, and a model of the memory that
 * they access. */
#ifndef CLIENT_SWEEP_ORDER_H
#define CLIENT_SWEEP_ORDER_H

#include "sweep.h"

#define W 48
#define H 40
#define PX (W * H)
#define TEXTURES 3
#define WORDS 16

enum source {
    CONSTANT,
    UNIFORM,
    STORAGE,
    SAME,
    MIRRORED,
    SELF,
    FETCH,
    SOURCES
};

struct rect {
    int x, y, w, h;
};

/* Everything one draw depends on. */
struct draw {
    unsigned target, from; /* textures */
    enum source source;
    struct rect box, scissor;
    bool has_scissor, depth_test, depth_write, early, counts, query;
    GLenum depth_func, logic; /* logic 0: none */
    int z;                    /* 16ths */
    uint8_t write_mask;       /* channels */
    uint32_t constant, drop;  /* discards where x ^ y ^ drop & 3 is 0 */
    unsigned word;
};

extern struct order_memory {
    uint32_t texel[TEXTURES][PX];
    int depth[PX];
    uint32_t uniform[WORDS], storage[WORDS];
} order_memory;

struct rect order_random_rect(void);
bool order_contains(const struct rect *r, int x, int y);
/* The bits of a texel that a channel mask selects. */
uint32_t order_mask(uint8_t channels);
/* Returns the number of samples that pass. */
unsigned order_draw(const struct draw *d);
void order_fill(uint32_t *to, const struct rect *r, uint32_t value,
                uint32_t mask);
/* From one texture to another. */
void order_copy(unsigned to, int tx, int ty, unsigned from,
                const struct rect *r, bool mirror);

#endif
