/* encode_vector.c: constants, and encodings of vector instructions.
 * Intel SDM vol 2, ch. 2 "Instruction Format". */
#include "eu/jit/x86/put_bytes.h"

#include "eu/jit/mem/mem.h"

/* Enough for most kernels; unwritten pages cost nothing. */
#define LEAST_B ((size_t)65536)

/* Parts of an instruction that do not depend on its operands. */
struct row {
    uint64_t evex, vex; /* prefixes, with every register field zero, opcode and
                           ModRM of registers; evex = 0: no such form */
    uint8_t shift[2];  /* log2 of a short displacement's unit, for 128 bits; for
                          a broadcast element */
    uint8_t len_shift; /* all ones if the unit grows with the vector */
    bool has_vex;
};

/* Indexed by enum x86_tuple. */
#define SHIFT(tuple)                                \
    ((tuple) == X86_FULL                        ? 4 \
     : (tuple) == X86_HALF || (tuple) == X86_8B ? 3 \
     : (tuple) == X86_2B                        ? 1 \
                                                : 2)

/* Register fields are stored inverted. */
#define EVEX_HEAD(map, pp, w)                                              \
    (0x62u | (0xf0u | (map)) << 8 | (0x7cu | (pp) | ((w)&1u) << 7) << 16 | \
     0x08u << 24)
#define VEX_HEAD(map, pp, w) \
    (0xc4u | (0xe0u | (map)) << 8 | (0x78u | (pp) | ((w)&1u) << 7) << 16)
#define EVEX_TAIL(opcode) (UINT64_C(0xc0) << 40 | (uint64_t)(opcode) << 32)
#define VEX_TAIL(opcode) (UINT64_C(0xc0) << 32 | (uint64_t)(opcode) << 24)

static const struct row rows[X86_VOP_COUNT] = {
#define X(name, map, pp, vw, ew, opcode, tuple)                              \
    [X86_##                                                                  \
        name] = {(ew) == 2 ? 0 : EVEX_HEAD(map, pp, ew) | EVEX_TAIL(opcode), \
                 VEX_HEAD(map, pp, vw) | VEX_TAIL(opcode),                   \
                 {SHIFT(X86_##tuple), 2 + ((ew) == 1)},                      \
                 X86_##tuple <= X86_QUARTER ? 3 : 0,                         \
                 (vw) != 2},
    X86_VECTOR_OPS(X)
#undef X
};

void
x86_init(struct x86 *x, bool evex, struct arena *memory)
{
    *x = (struct x86){.evex = evex, .memory = memory};
}

static bool
grow_buffer(struct x86 *x, void **array, uint32_t *capacity, uint32_t need,
            size_t item_B)
{
    if (need <= *capacity)
        return true;
    uint32_t least = (uint32_t)(LEAST_B / item_B);
    if (x->failed || !jit_arena_grow(x->memory, array, capacity,
                                     MAX2(need, least), item_B)) {
        x->failed = true;
        return false;
    }
    return true;
}

bool
x86_room_for(struct x86 *x, uint32_t size_B)
{
    return grow_buffer(x, (void **)&x->code, &x->capacity, x->size + size_B, 1);
}

void
x86_more_room(struct x86 *x)
{
    /* Without memory new code overwrites old code. */
    if (x86_room_for(x, X86_ROOM))
        return;
    if (!x->code) {
        x->code = x->nowhere;
        x->capacity = sizeof x->nowhere;
    }
    x->size = 0;
}

/* Inline, because most constants are short. */
static inline bool
is_same(const uint32_t *a, const uint32_t *b, unsigned count)
{
    uint32_t differs = 0;
    if (count > 16)
        return !memcmp(a, b, count * 4);
    for (unsigned i = 0; i < count; i++)
        differs |= a[i] ^ b[i];
    return !differs;
}

/* Constants are shared through a hash table; a collision only costs room. */
struct x86_rm
x86_const(struct x86 *x, const uint32_t *dw, unsigned count)
{
    bool bcast = count == 1 && x->evex;
    uint16_t
        *slot = &x->known[x86_const_slot(dw[0], count > 1 ? dw[1] : 0, count)];
    if (*slot && *slot - 1u + count <= x->pool_count &&
        x->pool[*slot - 1] == dw[0] &&
        (count == 1 || is_same(x->pool + *slot - 1, dw, count))) {
        return x86_bcast(x86_memory(X86_CONST, (*slot - 1u) * 4), bcast);
    }
    /* Vectors must not straddle cache lines. */
    uint32_t at = ALIGN_POT(x->pool_count, count >= 4 ? MIN2(count, 16u) : 1);
    if (!grow_buffer(x, (void **)&x->pool, &x->pool_capacity, at + count, 4))
        return x86_memory(X86_CONST, 0);
    memset(x->pool + x->pool_count, 0, (at - x->pool_count) * 4);
    x->pool_count = at;
    memcpy(x->pool + x->pool_count, dw, count * 4);
    if (at < UINT16_MAX)
        *slot = (uint16_t)(at + 1);
    x->pool_count += count;
    return x86_bcast(x86_memory(X86_CONST, at * 4), bcast);
}

static __attribute__((noinline)) bool
more_pool(struct x86 *x)
{
    return grow_buffer(x, (void **)&x->pool, &x->pool_capacity,
                       x->pool_count + 1, 4);
}

struct x86_rm
x86_new_dword(struct x86 *x, uint32_t value)
{
    uint32_t at = x->pool_count;
    if (at == x->pool_capacity && !more_pool(x))
        return x86_memory(X86_CONST, 0);
    x->pool[at] = value;
    if (at < UINT16_MAX)
        x->known[x86_const_slot(value, 0, 1)] = (uint16_t)(at + 1);
    x->pool_count = at + 1;
    return x86_bcast(x86_memory(X86_CONST, at * 4), x->evex);
}

static __attribute__((noinline)) struct x86_rm
new_dwords(struct x86 *x, uint32_t value)
{
    const uint32_t dw[8] = {value, value, value, value,
                            value, value, value, value};
    return x86_const(x, dw, 8);
}

struct x86_rm
x86_dwords_const(struct x86 *x, uint32_t value)
{
    uint32_t at = x->known[x86_const_slot(value, value, 8)] - 1u;
    uint64_t twice = (uint64_t)value << 32 | value, differs = 0, found[4];
    if (at >= x->pool_count || at + 8 > x->pool_count)
        return new_dwords(x, value);
    memcpy(found, x->pool + at, sizeof found);
    for (unsigned i = 0; i < 4; i++)
        differs |= found[i] ^ twice;
    if (differs)
        return new_dwords(x, value);
    return x86_memory(X86_CONST, at * 4);
}

struct x86_rm
x86_const_double(struct x86 *x, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return x86_const_qword(x, bits);
}

struct x86_rm
x86_const_qword(struct x86 *x, uint64_t value)
{
    uint32_t dw[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    return x86_bcast(x86_const(x, dw, 2), true);
}

void
x86_place_pool(struct x86 *x)
{
    uint32_t base = ALIGN_POT(x->size, 64), pool_B = x->pool_count * 4;
    if (x->failed ||
        !grow_buffer(x, (void **)&x->code, &x->capacity, base + pool_B, 1))
        return;
    uint8_t *code = x->code;
    memset(code + x->size, 0xcc, base - x->size);
    if (pool_B)
        memcpy(code + base, x->pool, pool_B);
    x->size = base + pool_B;
    const struct x86_fixup *fixups = x->fixups;
    for (uint32_t i = 0, n = x->fixup_count; i < n; i++) {
        uint32_t distance = base + fixups[i].target - (fixups[i].at + 4);
        memcpy(code + fixups[i].at, &distance, 4);
    }
}

/* ---- vectors ---- */

#define EVEX_REG(r) (((r)&8u) << 12 | ((r)&16u) << 8 | (uint64_t)((r)&7u) << 43)
#define EVEX_VVVV(r) (((r)&15u) << 19 | ((r)&16u) << 23)
#define EVEX_RM(r) (((r)&24u) << 10 | (uint64_t)((r)&7u) << 40)
#define VEX_REG(r) (((r)&8u) << 12 | (uint64_t)((r)&7u) << 35)
#define VEX_VVVV(r) (((r)&15u) << 19)
#define VEX_RM(r) (((r)&8u) << 10 | (uint64_t)((r)&7u) << 32)
#define FOUR(X, r) X(r), X((r) + 1), X((r) + 2), X((r) + 3)
#define ALL(X)                                                             \
    {                                                                      \
        FOUR(X, 0u), FOUR(X, 4u), FOUR(X, 8u), FOUR(X, 12u), FOUR(X, 16u), \
            FOUR(X, 20u), FOUR(X, 24u), FOUR(X, 28u)                       \
    }
const struct x86_fields x86_evex_fields = {ALL(EVEX_REG), ALL(EVEX_RM),
                                           ALL(EVEX_VVVV)};
const struct x86_fields x86_vex_fields = {ALL(VEX_REG), ALL(VEX_RM),
                                          ALL(VEX_VVVV)};

/* Encodes all operands but the last. */
static inline uint64_t
evex_bytes(const struct row *r, unsigned regs, uint64_t mods)
{
    const struct x86_fields *f = &x86_evex_fields;
    return (r->evex ^ f->reg[regs & 31] ^ f->vvvv[regs >> 8 & 31]) | mods;
}

/* Encodes all operands but the last, VEX. */
static inline uint64_t
vex_bytes(const struct row *r, unsigned regs, uint64_t mods)
{
    const struct x86_fields *f = &x86_vex_fields;
    return (r->vex ^ f->reg[regs & 31] ^ f->vvvv[regs >> 8 & 31]) |
           (mods >> 29 & 3) << 18;
}

/* Not encodable in VEX: 512 bits, mask registers. */
#define VEX_LACKS (UINT64_C(2) << 29 | 7 << 24)

/* Number of immediate bytes, and the immediate. */
static inline unsigned
imm_size_B(uint64_t mods)
{
    return (unsigned)(mods >> 56);
}

static inline uint64_t
imm_of(uint64_t mods)
{
    return mods >> 48 & 0xff;
}

__attribute__((noinline)) bool
x86_room_for_fixups(struct x86 *x, uint32_t count)
{
    return grow_buffer(x, (void **)&x->fixups, &x->fixup_capacity,
                       x->fixup_count + count, sizeof *x->fixups);
}

/* Puts v with a constant as its last operand; ModRM is byte `at`. */
static inline void
put_const(struct x86 *x, uint64_t v, unsigned at, int32_t disp, uint64_t mods)
{
    const uint64_t modrm = 0x05;
    unsigned imm_B = imm_size_B(mods);
    if (x->fixup_count < x->fixup_capacity || x86_room_for_fixups(x, 1))
        x->fixups[x->fixup_count++] = (struct x86_fixup){
            .at = x->size + at + 1, .target = (uint32_t)disp - imm_B};
    x86_put_more(x, v ^ (modrm ^ 0xc0) << at * 8, at + 1);
    x86_put_more(x, imm_of(mods) << 32, 4 + imm_B);
}

/* Puts v with a memory operand; v has nothing after ModRM. */
static inline void
put_memory(struct x86 *x, uint64_t v, unsigned at, unsigned shift,
           struct x86_rm rm, uint64_t mods)
{
    const uint64_t far = 0x80 ^ 0xc0, near = 0x40 ^ 0xc0; /* ModRM's mode */
    bool thread = x86_kind(rm) == X86_THREAD;
    int32_t disp = x86_disp(rm) + (x->bias & -(int32_t)thread);
    int32_t short_disp = disp >> shift;
    uint64_t base = thread ? X86_RBX : X86_RAX, imm = imm_of(mods);
    unsigned size_B = at + 2 + imm_size_B(mods);
    uint32_t from = x->size;
    uint8_t *p = x->code + from;
    v |= base << at * 8;
    if (short_disp == (int8_t)short_disp &&
        (uint32_t)short_disp << shift == (uint32_t)disp) {
        v ^= near << at * 8 ^ ((uint8_t)short_disp | imm << 8) << (at + 1) * 8;
        memcpy(p, &v, 8);
        x->size = from + size_B;
        return;
    }
    uint64_t last = (uint32_t)disp | imm << 32;
    v ^= far << at * 8;
    memcpy(p, &v, 8);
    memcpy(p + at + 1, &last, 8);
    x->size = from + size_B + 3;
}

static __attribute__((noinline)) void
vector_vex_const(struct x86 *x, enum x86_vop op, uint64_t mods, unsigned regs,
                 struct x86_rm rm)
{
    put_const(x, vex_bytes(&rows[op], regs, mods), 4, x86_disp(rm), mods);
}

static __attribute__((noinline)) void
vector_vex_memory(struct x86 *x, enum x86_vop op, uint64_t mods, unsigned regs,
                  struct x86_rm rm)
{
    put_memory(x, vex_bytes(&rows[op], regs, mods), 4, 0, rm, mods);
}

static __attribute__((noinline)) void
vector_vex(struct x86 *x, enum x86_vop op, uint64_t mods, unsigned regs,
           struct x86_rm rm)
{
    const struct row *r = &rows[op];
    assert(r->has_vex && !x86_is_bcast(rm) && !(mods & VEX_LACKS));
    if (x86_kind(rm) == X86_REG) {
        uint64_t v = vex_bytes(r, regs, mods) ^
                     x86_vex_fields.rm[x86_reg_of(rm) & 31];
        x86_put_more(x, v | mods >> 48 << 40, 5 + imm_size_B(mods));
    } else if (x86_kind(rm) == X86_CONST) {
        vector_vex_const(x, op, mods, regs, rm);
    } else {
        vector_vex_memory(x, op, mods, regs, rm);
    }
}

static __attribute__((noinline)) void
vector_evex_memory(struct x86 *x, enum x86_vop op, uint64_t mods, unsigned regs,
                   struct x86_rm rm)
{
    const struct row *r = &rows[op];
    bool bcast = x86_is_bcast(rm);
    uint64_t v = evex_bytes(r, regs, (uint32_t)mods) | (uint32_t)bcast << 28;
    unsigned len = mods >> 29 & 3;
    unsigned shift = r->shift[bcast] + (bcast ? 0 : len & r->len_shift);
    put_memory(x, v, 5, shift, rm, mods);
}

static __attribute__((noinline)) void
vector_evex_const(struct x86 *x, enum x86_vop op, uint64_t mods, unsigned regs,
                  struct x86_rm rm)
{
    uint64_t v = evex_bytes(&rows[op], regs, mods) | (uint32_t)x86_is_bcast(rm)
                                                         << 28;
    put_const(x, v, 5, x86_disp(rm), mods);
}

static void vector_far(struct x86 *x, enum x86_vop op, uint64_t mods,
                       unsigned regs, struct x86_rm rm);

/* Makes only tail calls, so it needs no stack frame. */
void
x86_vector(struct x86 *x, enum x86_vop op, uint64_t mods, unsigned regs,
           struct x86_rm rm)
{
    const struct row *r = &rows[op];
    if (x->size + X86_ROOM > x->capacity) {
        vector_far(x, op, mods, regs, rm);
        return;
    }
    if (!x->evex || !r->evex) {
        vector_vex(x, op, mods, regs, rm);
        return;
    }
    if (x86_kind(rm) == X86_REG) {
        uint64_t v = evex_bytes(r, regs, mods) ^
                     x86_evex_fields.rm[x86_reg_of(rm) & 31];
        x86_put_more(x, v, 6 + imm_size_B(mods));
    } else if (x86_kind(rm) == X86_CONST) {
        vector_evex_const(x, op, mods, regs, rm);
    } else {
        vector_evex_memory(x, op, mods, regs, rm);
    }
}

/* The slow path without room in the buffer. */
static __attribute__((noinline)) void
vector_far(struct x86 *x, enum x86_vop op, uint64_t mods, unsigned regs,
           struct x86_rm rm)
{
    x86_room(x);
    x86_vector(x, op, mods, regs, rm);
}

void
x86_vop_indexed(struct x86 *x, enum x86_vop op, unsigned len, unsigned reg,
                unsigned vvvv, int imm)
{
    const struct row *r = &rows[op];
    const uint64_t modrm = 0xc0 ^ 0x04, sib = X86_RCX << 3 | X86_RAX;
    assert(!x->evex && r->has_vex && len < 2);
    x86_room(x);
    uint64_t v = vex_bytes(r, reg | vvvv << 8, x86_mods(len, 0, false)) ^
                 modrm << 32;
    x86_put_more(x, v | sib << 40 | (uint64_t)(uint8_t)imm << 48,
                 6 + (imm >= 0));
}

/* [base + index * 1 + disp32] */
static void
put_vsib(struct x86 *x, unsigned reg, unsigned base, unsigned index,
         int32_t disp)
{
    x86_byte(x, 0x80 | (reg & 7) << 3 | 4);
    x86_byte(x, (index & 7) << 3 | base);
    x86_dword(x, (uint32_t)(disp + (base == X86_RBX ? x->bias : 0)));
}

static void
vsib_evex(struct x86 *x, enum x86_vop op, unsigned len, unsigned reg,
          unsigned base, unsigned index, int32_t disp, unsigned k)
{
    const struct row *r = &rows[op];
    x86_room(x);
    x86_byte(x, 0x62);
    x86_byte(x, (~reg >> 3 & 1) << 7 | (~index >> 3 & 1) << 6 | 1 << 5 |
                    (~reg >> 4 & 1) << 4 | (r->evex >> 8 & 3));
    x86_byte(x, r->evex >> 16 & 0xff);
    x86_byte(x, len << 5 | (~index >> 4 & 1) << 3 | k);
    x86_byte(x, r->evex >> 32 & 0xff);
    put_vsib(x, reg, base, index, disp);
}

static void
put_gather(struct x86 *x, unsigned len, unsigned reg, unsigned base,
           unsigned index, int32_t disp, unsigned k)
{
    if (x->evex) {
        vsib_evex(x, X86_PGATHERDD, len, reg, base, index, disp, k);
        return;
    }
    x86_room(x);
    x86_byte(x, 0xc4);
    x86_byte(x, (~reg >> 3 & 1) << 7 | (~index >> 3 & 1) << 6 | 1 << 5 | 2);
    x86_byte(x, (~k & 15) << 3 | len << 2 | 1);
    x86_byte(x, 0x90);
    put_vsib(x, reg, base, index, disp);
}

void
x86_gather(struct x86 *x, unsigned len, unsigned reg, unsigned index,
           int32_t disp, unsigned k)
{
    put_gather(x, len, reg, X86_RBX, index, disp, k);
}

void
x86_scatter(struct x86 *x, unsigned len, unsigned reg, unsigned index,
            int32_t disp, unsigned k)
{
    vsib_evex(x, X86_PSCATTERDD, len, reg, X86_RBX, index, disp, k);
}

void
x86_gather_at_rax(struct x86 *x, unsigned len, unsigned reg, unsigned index,
                  int32_t disp, unsigned k)
{
    put_gather(x, len, reg, X86_RAX, index, disp, k);
}

void
x86_scatter_at_rax(struct x86 *x, unsigned len, unsigned reg, unsigned index,
                   int32_t disp, unsigned k)
{
    vsib_evex(x, X86_PSCATTERDD, len, reg, X86_RAX, index, disp, k);
}

void
x86_vzeroupper(struct x86 *x)
{
    x86_room(x);
    x86_byte(x, 0xc5);
    x86_byte(x, 0xf8);
    x86_byte(x, 0x77);
}
