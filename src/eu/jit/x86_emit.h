/* x86_emit.h: bytes of code, for the files that know encodings. */
#ifndef EU_X86_EMIT_H
#define EU_X86_EMIT_H

#include "eu/jit/x86.h"

void x86_more_room(struct x86 *x);

/* A vector register's bits in the first bytes of an instruction of either form:
 * the operand in ModRM's middle, the last one, the one in vvvv. VEX has
 * sixteen.
 */
struct x86_fields {
    uint64_t reg[32], rm[32];
    uint32_t vvvv[32];
};
extern const struct x86_fields x86_evex_fields, x86_vex_fields;

bool x86_room_for_fixups(struct x86 *x, uint32_t count);
/* False: there is no room, and what is put down is useless. */
bool x86_room_for(struct x86 *x, uint32_t size_B);

/* There is room afterwards, if only for code that is useless. */
static inline void
x86_room(struct x86 *x)
{
    if (x->size + X86_ROOM > x->capacity)
        x86_more_room(x);
}

static inline void
x86_byte(struct x86 *x, unsigned b)
{
    x->code[x->size++] = (uint8_t)b;
}

static inline void
x86_dword(struct x86 *x, uint32_t v)
{
    uint32_t at = x->size;
    memcpy(x->code + at, &v, 4);
    x->size = at + 4;
}

/* What was put together in a register: up to eight bytes of an instruction, its
 * first ones, or more of it. */
static inline void
x86_put_more(struct x86 *x, uint64_t v, unsigned size_B)
{
    uint32_t at = x->size;
    memcpy(x->code + at, &v, 8);
    x->size = at + size_B;
}

static inline void
x86_put(struct x86 *x, uint64_t v, unsigned size_B)
{
    x86_room(x);
    x86_put_more(x, v, size_B);
}

/* Where the next instruction's bytes go, and where they ended. */
static inline uint8_t *
x86_begin(struct x86 *x)
{
    x86_room(x);
    return x->code + x->size;
}

static inline void
x86_end(struct x86 *x, const uint8_t *p)
{
    x->size = (uint32_t)(p - x->code);
}

#endif
