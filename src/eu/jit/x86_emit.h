/* x86_emit.h: bytes of code, for the files that know encodings. */
#ifndef EU_X86_EMIT_H
#define EU_X86_EMIT_H

#include "eu/jit/x86.h"

/* Longest thing that is emitted without asking for room again. */
#define X86_ROOM 64

void x86_more_room(struct x86 *x);

/* False: there is none at all. */
static inline bool
x86_room(struct x86 *x)
{
    if (x->size + X86_ROOM > x->capacity)
        x86_more_room(x);
    return x->capacity;
}

static inline void
x86_byte(struct x86 *x, unsigned b)
{
    if (x->size < x->capacity)
        x->code[x->size++] = (uint8_t)b;
}

static inline void
x86_dword(struct x86 *x, uint32_t v)
{
    if (x->size + 4 > x->capacity)
        return;
    memcpy(x->code + x->size, &v, 4);
    x->size += 4;
}

/* For general and mask registers. */
static inline void
x86_modrm(struct x86 *x, unsigned reg, struct x86_rm rm)
{
    unsigned base = rm.kind == X86_AT_RAX ? X86_RAX : X86_RBX;
    assert(rm.kind == X86_THREAD || rm.kind == X86_AT_RAX);
    x86_byte(x, 0x80 | (reg & 7) << 3 | base);
    x86_dword(x, (uint32_t)(rm.disp + (base == X86_RBX ? x->bias : 0)));
}

#endif
