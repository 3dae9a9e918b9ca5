/* sweep_order_model.c: the model of sweep_order.c: every operation, texel by
 * texel. */
#include "sweep_order.h"

#include <string.h>

struct order_memory order_memory;

struct rect
order_random_rect(void)
{
    struct rect r = {(int)sweep_random(W), (int)sweep_random(H), 0, 0};
    r.w = 1 + (int)sweep_random((uint32_t)(W - r.x));
    r.h = 1 + (int)sweep_random((uint32_t)(H - r.y));
    return r;
}

bool
order_contains(const struct rect *r, int x, int y)
{
    return x >= r->x && y >= r->y && x < r->x + r->w && y < r->y + r->h;
}

uint32_t
order_mask(uint8_t channels)
{
    uint32_t m = 0;
    for (unsigned c = 0; c < 4; c++)
        m |= channels >> c & 1 ? 0xffu << 8 * c : 0;
    return m;
}

static bool
passes(GLenum func, int z, int old)
{
    switch (func) {
    case GL_LESS: return z < old;
    case GL_LEQUAL: return z <= old;
    case GL_GREATER: return z > old;
    case GL_EQUAL: return z == old;
    case GL_NOTEQUAL: return z != old;
    default: return true;
    }
}

static uint32_t
combine(GLenum logic, uint32_t s, uint32_t d)
{
    switch (logic) {
    case GL_XOR: return s ^ d;
    case GL_AND: return s & d;
    case GL_OR_INVERTED: return ~s | d;
    case GL_INVERT: return ~d;
    default: return s;
    }
}

static uint32_t
color_of(const struct draw *d, const uint32_t *from, int x, int y)
{
    switch (d->source) {
    case CONSTANT: return d->constant;
    case UNIFORM: return order_memory.uniform[d->word];
    case STORAGE: return order_memory.storage[d->word];
    case SAME: return from[y * W + x] ^ d->constant;
    case MIRRORED: return from[y * W + W - 1 - x] ^ d->constant;
    default: return order_memory.texel[d->target][y * W + x] ^ d->constant;
    }
}

unsigned
order_draw(const struct draw *d)
{
    unsigned passed = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            if (!order_contains(&d->box, x, y) ||
                (d->has_scissor && !order_contains(&d->scissor, x, y)))
                continue;
            uint32_t *to = &order_memory.texel[d->target][y * W + x];
            int *depth = &order_memory.depth[y * W + x];
            bool in_front = !d->depth_test ||
                            passes(d->depth_func, d->z, *depth);
            if (d->early && !in_front)
                continue;
            uint32_t color = color_of(d, order_memory.texel[d->from], x, y);
            bool dropped = d->drop &&
                           (((uint32_t)x ^ (uint32_t)y ^ d->drop) & 3) == 0;
            if (d->counts)
                order_memory.storage[WORDS - 1]++;
            if (in_front && (d->early || !dropped)) {
                passed++;
                if (d->depth_test && d->depth_write)
                    *depth = d->z;
            }
            if (dropped || !in_front)
                continue;
            uint32_t m = order_mask(d->write_mask);
            *to = (*to & ~m) | (combine(d->logic, color, *to) & m);
        }
    return passed;
}

void
order_fill(uint32_t *to, const struct rect *r, uint32_t value, uint32_t mask)
{
    for (int y = r->y; y < r->y + r->h; y++)
        for (int x = r->x; x < r->x + r->w; x++)
            to[y * W + x] = (to[y * W + x] & ~mask) | (value & mask);
}

void
order_copy(unsigned to, int tx, int ty, unsigned from, const struct rect *r,
           bool mirror)
{
    static uint32_t old[PX];
    memcpy(old, order_memory.texel[from], sizeof old);
    for (int y = 0; y < r->h; y++)
        for (int x = 0; x < r->w; x++)
            order_memory
                .texel[to][(ty + y) * W + tx + (mirror ? r->w - 1 - x : x)] =
                old[(r->y + y) * W + r->x + x];
}
