/* x86_ready.c: encoded instructions taken apart and put together again.
 * Intel SDM vol 2, 2.7 "Intel AVX-512 Encoding". */
#include "eu/jit/x86_ready.h"

#include "eu/jit/x86_emit.h"

#define EVEX 0x62
#define HEAD_B 6u /* up to ModRM */
#define DISP_B 4u /* of constants */
#define LONGEST_B 12u
#define STEPS_OF_ROOM (X86_ROOM / LONGEST_B)

static inline uint64_t
evex_regs(const uint8_t reg[32], const struct x86_ready_step *s)
{
    return x86_evex_reg[reg[s->reg]] ^ x86_evex_vvvv[reg[s->vvvv]] ^
           x86_evex_rm[reg[s->rm]];
}

/* Registers and constants are all there is. */
static bool
is_known(const uint8_t *p)
{
    return p[0] == EVEX && (p[5] >= 0xc0 || (p[5] & 0xc7) == 0x05);
}

/* Instructions of the map 0F3A, shifts and comparisons have an immediate. */
static unsigned
size_of(const uint8_t *p)
{
    unsigned map = p[1] & 7, opcode = p[4];
    bool imm = map == 3 || (map == 1 && (opcode == 0x72 || opcode == 0xc2));
    bool is_const = (p[5] & 0xc7) == 0x05;
    return HEAD_B + (is_const ? DISP_B : 0) + imm;
}

static uint8_t
number(unsigned n)
{
    return n >= X86_READY_FIRST ? (uint8_t)n : 0;
}

/* Registers in inverted fields of the prefix, and in ModRM. */
static void
take_apart(struct x86_ready_step *s, const uint8_t *p)
{
    unsigned size_B = size_of(p), r = ~p[1], v = ~p[2], w = ~p[3];
    bool in_reg = p[5] >= 0xc0;
    *s = (struct x86_ready_step){
        .size_B = (uint8_t)size_B,
        .reg = number((p[5] >> 3 & 7) | (r >> 4 & 8) | (r & 16)),
        .vvvv = number((v >> 3 & 15) | (w << 1 & 16)),
        .rm = in_reg ? number((p[5] & 7) | (r >> 2 & 8) | (r >> 2 & 16)) : 0};
    memcpy(&s->bits, p, MIN2(size_B, 8));
    if (size_B > 8)
        memcpy(&s->rest, p + 8, size_B - 8);
}

bool
x86_make_ready(struct x86_ready *r, const struct x86 *x)
{
    uint8_t same[32];
    unsigned n = 0;
    for (unsigned i = 0; i < 32; i++)
        same[i] = (uint8_t)i;
    if (x->failed || x->fixup_count > ARRAY_SIZE(r->fixups) ||
        x->pool_count > ARRAY_SIZE(r->dw))
        return false;
    for (uint32_t at = 0; at < x->size; at += r->step[n++].size_B) {
        if (n == ARRAY_SIZE(r->step) || !is_known(x->code + at))
            return false;
        take_apart(&r->step[n], x->code + at);
        r->step[n].bits ^= evex_regs(same, &r->step[n]);
    }
    r->count = n;
    r->fixup_count = x->fixup_count;
    memset(r->dw, 0, sizeof r->dw);
    if (x->fixup_count) {
        memcpy(r->fixups, x->fixups, x->fixup_count * sizeof *r->fixups);
        memcpy(r->dw, x->pool, x->pool_count * 4);
    }
    r->dw_count = ALIGN_POT(x->pool_count, 16);
    return true;
}

/* Constants of this code only; they lie as they did. */
static void
copy_fixups(struct x86 *x, const struct x86_ready *r)
{
    if (!r->fixup_count)
        return;
    uint32_t base = (uint32_t)x86_const(x, r->dw, r->dw_count).disp;
    if (!x86_room_for_fixups(x, r->fixup_count))
        return;
    struct x86_fixup *to = x->fixups + x->fixup_count;
    for (uint32_t i = 0; i < r->fixup_count; i++)
        to[i] = (struct x86_fixup){.at = x->size + r->fixups[i].at,
                                   .target = base + r->fixups[i].target};
    x->fixup_count += r->fixup_count;
}

void
x86_copy_ready(struct x86 *x, const struct x86_ready *r, const uint8_t reg[32])
{
    copy_fixups(x, r);
    for (uint32_t i = 0; i < r->count;) {
        uint8_t *p = x86_begin(x);
        uint32_t end = MIN2(i + STEPS_OF_ROOM, r->count);
        for (; i < end; i++) {
            const struct x86_ready_step *s = &r->step[i];
            uint64_t bits = s->bits ^ evex_regs(reg, s);
            memcpy(p, &bits, 8);
            memcpy(p + 8, &s->rest, 4);
            p += s->size_B;
        }
        x86_end(x, p);
    }
}
