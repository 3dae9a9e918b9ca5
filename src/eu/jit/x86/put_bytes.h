/* put_bytes.h: writes bytes of code, for the files that know encodings. */
#ifndef EU_JIT_X86_PUT_BYTES_H
#define EU_JIT_X86_PUT_BYTES_H

#include "eu/jit/x86/x86.h"

void x86_more_room(struct x86 *x);

/* A vector register's bits in the first bytes of an instruction: as ModRM's reg
 * operand, its rm operand, and vvvv. VEX has sixteen registers. */
struct x86_fields {
    uint64_t reg[32], rm[32];
    uint32_t vvvv[32];
};
extern const struct x86_fields x86_evex_fields, x86_vex_fields;

bool x86_room_for_fixups(struct x86 *x, uint32_t count);
/* False: no room, and the code is unusable. */
bool x86_room_for(struct x86 *x, uint32_t size_B);

/* Makes room, if necessary by overwriting code that is unusable anyway. */
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

/* Puts up to eight bytes, assembled in a register. */
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

/* Begin and end of the next instruction's bytes. */
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
