/* reencode.c: decodes encoded vector instructions and encodes them with other
 * registers. Intel SDM vol 2, 2.7 "Intel AVX-512 Encoding". */
#include "eu/jit/x86/reencode.h"

#define EVEX 0x62
#define VEX 0xc4  /* the only VEX form that the encoder uses for vectors */
#define DISP_B 4u /* of constants */
#define LONGEST_B 12u

static inline uint64_t
bits_of(const struct x86_fields *f, const uint8_t reg[32],
        const struct x86_template_step *s)
{
    return f->reg[reg[s->reg]] ^ f->vvvv[reg[s->vvvv]] ^ f->rm[reg[s->rm]];
}

static inline uint64_t
last_of(const uint8_t reg[32], const struct x86_template_step *s)
{
    return (uint64_t)reg[s->last] << 44;
}

static const struct x86_fields *
fields_of(bool evex)
{
    return evex ? &x86_evex_fields : &x86_vex_fields;
}

/* Parts of an instruction. */
struct form {
    unsigned head_B; /* up to ModRM */
    unsigned map, opcode, modrm;
    bool is_const, has_imm, has_last;
};

/* Instructions of map 0F3A, shifts and comparisons have an immediate. Operands
 * are only registers and constants. */
static bool
find_form(struct form *f, const uint8_t *p, bool evex)
{
    unsigned at = evex ? 4 : 3, map = p[1] & 7, opcode = p[at];
    *f = (struct form){
        .head_B = at + 2,
        .map = map,
        .opcode = opcode,
        .modrm = p[at + 1],
        .is_const = (p[at + 1] & 0xc7) == 0x05,
        .has_imm = map == 3 || (map == 1 && (opcode == 0x72 || opcode == 0xc2)),
        .has_last = !evex && map == 3 && opcode >= 0x4a && opcode <= 0x4c};
    return p[0] == (evex ? EVEX : VEX) &&
           (f->modrm >= 0xc0 || (f->is_const && !f->has_last));
}

/* Whether ModRM's reg is a vector register: shifts have an opcode extension
 * there, MOVMSKPS a general register. */
static bool
has_reg(const struct form *f)
{
    return f->map != 1 || (f->opcode != 0x72 && f->opcode != 0x50);
}

/* Finds registers in the prefix's inverted fields and in ModRM. */
static bool
take_apart(struct x86_template_step *s, const uint8_t *p, bool evex)
{
    struct form f;
    if (!find_form(&f, p, evex))
        return false;
    unsigned size_B = f.head_B + (f.is_const ? DISP_B : 0) + f.has_imm;
    unsigned first = x86_template_first(evex), high = evex ? 16 : 0;
    unsigned r = ~p[1], v = ~p[2], w = ~p[3];
    unsigned reg = (f.modrm >> 3 & 7) | (r >> 4 & 8) | (r & high);
    unsigned vvvv = (v >> 3 & 15) | (w << 1 & high);
    unsigned rm = (f.modrm & 7) | (r >> 2 & 8) | (r >> 2 & high);
    unsigned last = f.has_last ? p[f.head_B] >> 4 : 0;
    *s = (struct x86_template_step){
        .size_B = (uint8_t)size_B,
        .reg = (uint8_t)(has_reg(&f) && reg >= first ? reg : 0),
        .vvvv = (uint8_t)(vvvv >= first ? vvvv : 0),
        .rm = (uint8_t)(!f.is_const && rm >= first ? rm : 0),
        .last = (uint8_t)last};
    memcpy(&s->bits, p, MIN2(size_B, 8));
    if (size_B > 8)
        memcpy(&s->rest, p + 8, size_B - 8);
    return true;
}

bool
x86_make_template(struct x86_template *r, const struct x86 *x)
{
    uint8_t same[32];
    unsigned n = 0;
    for (unsigned i = 0; i < 32; i++)
        same[i] = (uint8_t)i;
    if (x->failed || x->fixup_count > ARRAY_SIZE(r->fixups) ||
        x->pool_count > ARRAY_SIZE(r->dw))
        return false;
    for (uint32_t at = 0; at < x->size; at += r->step[n++].size_B) {
        if (n == ARRAY_SIZE(r->step) ||
            !take_apart(&r->step[n], x->code + at, x->evex))
            return false;
        r->step[n].bits ^= bits_of(fields_of(x->evex), same, &r->step[n]) ^
                           last_of(same, &r->step[n]);
    }
    r->evex = x->evex;
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

/* Fixups of the template's constants; they keep their order in the pool. */
static void
copy_fixups(struct x86 *x, const struct x86_template *r)
{
    if (!r->fixup_count)
        return;
    uint32_t base = (uint32_t)x86_disp(x86_const(x, r->dw, r->dw_count));
    if (!x86_room_for_fixups(x, r->fixup_count))
        return;
    struct x86_fixup *to = x->fixups + x->fixup_count;
    for (uint32_t i = 0; i < r->fixup_count; i++)
        to[i] = (struct x86_fixup){.at = x->size + r->fixups[i].at,
                                   .target = base + r->fixups[i].target};
    x->fixup_count += r->fixup_count;
}

/* The caller has made room for all steps. */
static inline uint8_t *
put_steps(uint8_t *p, const struct x86_template *r, const uint8_t reg[32],
          bool evex)
{
    const struct x86_fields *f = fields_of(evex);
    const struct x86_template_step *end = r->step + r->count;
    for (const struct x86_template_step *s = r->step; s < end; s++) {
        uint64_t bits = s->bits ^ bits_of(f, reg, s);
        if (!evex)
            bits ^= last_of(reg, s);
        memcpy(p, &bits, 8);
        memcpy(p + 8, &s->rest, 4);
        p += s->size_B;
    }
    return p;
}

void
x86_put_template(struct x86 *x, const struct x86_template *r,
                 const uint8_t reg[32])
{
    if (!x86_room_for(x, r->count * LONGEST_B))
        return;
    copy_fixups(x, r);
    uint8_t *p = x->code + x->size;
    x86_end(x,
            r->evex ? put_steps(p, r, reg, true) : put_steps(p, r, reg, false));
}
