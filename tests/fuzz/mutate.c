/* mutate.c: see driver.h. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#define GROWN_MAX_B 4096 /* of an input that began shorter */

void
corpus_add(struct corpus *corpus, const uint8_t *data, size_t size_B)
{
    uint8_t *copy = malloc(size_B ? size_B : 1);
    void *p = realloc(corpus->inputs,
                      (corpus->count + 1) * sizeof *corpus->inputs);
    if (p)
        corpus->inputs = p;
    if (!p || !copy) {
        free(copy);
        return;
    }
    if (size_B)
        memcpy(copy, data, size_B);
    corpus->inputs[corpus->count].data = copy;
    corpus->inputs[corpus->count++].size_B = size_B;
}

size_t
corpus_copy(const struct corpus *corpus, size_t i, uint8_t *out)
{
    size_t size_B = corpus->inputs[i].size_B;
    memcpy(out, corpus->inputs[i].data, size_B);
    return size_B;
}

static uint32_t
draw(struct mutator *m, uint32_t below)
{
    m->state = m->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return below ? (uint32_t)(m->state >> 33) % below : 0;
}

/* A value that programs treat apart, or any. */
static uint64_t
any_value(struct mutator *m)
{
    static const uint64_t edges[] = {
        0,          1,          2,          3,          4,          7,
        8,          15,         16,         31,         32,         63,
        64,         127,        128,        255,        256,        4095,
        4096,       0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff,
        0x80000000, ~3u,        UINT32_MAX, 1ull << 32, 1ull << 47, INT64_MAX,
        ~0xfffull,  UINT64_MAX,
    };
    uint64_t high = draw(m, 1u << 31), low = draw(m, 1u << 31);
    return draw(m, 3) ? edges[draw(m, sizeof edges / sizeof *edges)]
                      : high << 32 | low;
}

/* Overwrites 1, 2, 4 or 8 bytes, often where a field of this size would be. */
static void
set_field(struct mutator *m, uint8_t *data, size_t size_B)
{
    size_t field_B = (size_t)1 << draw(m, 4);
    if (size_B < field_B)
        return;
    size_t at = draw(m, (uint32_t)(size_B - field_B + 1));
    if (draw(m, 4))
        at -= at % field_B;
    uint64_t old = 0, value;
    memcpy(&old, data + at, field_B);
    switch (draw(m, 3)) {
    case 0: value = old + draw(m, 17) - 8; break;
    case 1: value = old ^ UINT64_C(1) << draw(m, (uint32_t)field_B * 8); break;
    default: value = any_value(m); break;
    }
    memcpy(data + at, &value, field_B);
}

/* Copies a piece of another input, or of this one, over a place or into it. */
static size_t
splice(struct mutator *m, uint8_t *data, size_t size_B, size_t room_B)
{
    uint32_t from = draw(m, (uint32_t)m->corpus->count);
    const uint8_t *src = m->corpus->inputs[from].data;
    size_t src_B = m->corpus->inputs[from].size_B;
    size_t at = draw(m, (uint32_t)size_B + 1);
    if (!src_B)
        return size_B;
    size_t start = draw(m, (uint32_t)src_B);
    size_t piece_B = 1 + draw(m, draw(m, 2) ? 16 : 256);
    if (piece_B > src_B - start)
        piece_B = src_B - start;
    if (draw(m, 2) && size_B + piece_B <= room_B) {
        memmove(data + at + piece_B, data + at, size_B - at);
        size_B += piece_B;
    }
    if (piece_B > size_B - at)
        piece_B = size_B - at;
    memcpy(data + at, src + start, piece_B);
    return size_B;
}

static size_t
erase(struct mutator *m, uint8_t *data, size_t size_B)
{
    if (size_B < 2)
        return size_B;
    size_t at = draw(m, (uint32_t)size_B);
    size_t piece_B = 1 + draw(m, draw(m, 2) ? 16 : (uint32_t)size_B / 2);
    if (piece_B > size_B - at)
        piece_B = size_B - at;
    memmove(data + at, data + at + piece_B, size_B - at - piece_B);
    return size_B - piece_B;
}

size_t
mutant_make(struct mutator *m, uint8_t *out)
{
    size_t size_B = 0;
    if (m->corpus->count)
        size_B = corpus_copy(m->corpus, draw(m, (uint32_t)m->corpus->count),
                             out);
    size_t room_B = size_B > GROWN_MAX_B ? size_B : GROWN_MAX_B;
    for (unsigned n = 1 + draw(m, 8); n; n--) {
        switch (m->corpus->count ? draw(m, 8) : 9) {
        case 0: size_B = erase(m, out, size_B); break;
        case 1:
        case 2: size_B = splice(m, out, size_B, room_B); break;
        case 9: /* no corpus: anything */
            for (size_B = 0; size_B < 8u * n; size_B++)
                out[size_B] = (uint8_t)draw(m, 256);
            break;
        default: set_field(m, out, size_B); break;
        }
    }
    return size_B;
}
