/* test_kernel_summary.c: kernels that copy elements from or to a buffer have a
 * summary; each change that makes them another function takes it away. */
#include <criterion/criterion.h>
#include <string.h>

#include "encode.h"
#include "eu/isa/eu_opcodes.h"
#include "eu/summary/summary.h"

/* Registers: uniforms in U, which is also where the payload's constants begin.
 * P: positions of pixels as words. All others hold a parameter of 16 lanes. */
enum { P = 6, U = 8, X = 10, Y = 12, A = 14, B = 16, AT = 18, ZERO = 20 };
enum { TEXEL = 30, PAIR = 40, DATA = 50, FLOAT = 60 };

#define INSNS 40

struct kernel {
    struct code insn[INSNS];
    unsigned count, simd;
};

/* Encoded regions <vertical stride; width, horizontal stride>. */
enum region { ALL, QUADS, ONE, CORNERS };

struct arg {
    unsigned type, reg, subreg_B;
    enum region region;
};

static struct code *
add(struct kernel *k, unsigned opcode)
{
    cr_assert_lt(k->count, INSNS);
    struct code *c = &k->insn[k->count++];
    *c = (struct code){{0}};
    put(c, 6, 0, opcode);
    put(c, 23, 21, k->simd == 16 ? 4 : 3);
    return c;
}

static void
put_dst(struct code *c, struct arg to)
{
    put(c, 36, 35, EU_FILE_GRF);
    put(c, 40, 37, to.type);
    put(c, 52, 48, to.subreg_B);
    put(c, 60, 53, to.reg);
    put(c, 62, 61, 1);
}

static void
put_src(struct code *c, unsigned n, struct arg from)
{
    static const uint8_t stride[] = {4, 4, 0, 1}, width[] = {3, 2, 0, 2},
                         step[] = {1, 1, 0, 0};
    unsigned file = n ? 89 : 41, place = n ? 96 : 64;
    put(c, file + 1, file, EU_FILE_GRF);
    put(c, file + 5, file + 2, from.type);
    put(c, place + 4, place, from.subreg_B);
    put(c, place + 12, place + 5, from.reg);
    put(c, place + 17, place + 16, step[from.region]);
    put(c, place + 20, place + 18, width[from.region]);
    put(c, place + 24, place + 21, stride[from.region]);
}

static struct code *
unary(struct kernel *k, unsigned opcode, struct arg to, struct arg a)
{
    struct code *c = add(k, opcode);
    put_dst(c, to);
    put_src(c, 0, a);
    return c;
}

static struct code *
binary(struct kernel *k, unsigned opcode, struct arg to, struct arg a,
       struct arg b)
{
    struct code *c = unary(k, opcode, to, a);
    put_src(c, 1, b);
    return c;
}

static struct arg
d(unsigned reg)
{
    return (struct arg){.type = EU_TYPE_D, .reg = reg};
}

static struct arg
uniform(unsigned n)
{
    return (struct arg){
        .type = EU_TYPE_D, .reg = U, .subreg_B = n * 4, .region = ONE};
}

/* X and Y: the pixel's position, by way of floats or not. */
static void
add_position(struct kernel *k, bool floats)
{
    struct arg words = {.type = EU_TYPE_UW, .reg = P};
    struct code *c = unary(k, EU_OP_ADD, words,
                           (struct arg){EU_TYPE_UW, 1, 8, CORNERS});
    put(c, 23, 21, k->simd == 16 ? 5 : 4);
    put(c, 34, 34, 1);
    put(c, 90, 89, EU_FILE_IMM);
    put(c, 94, 91, 6);           /* V */
    put(c, 127, 96, 0x11001010); /* columns 0 1 0 1, rows 0 0 1 1 */
    words.region = QUADS;
    for (unsigned i = 0; i < 2; i++, words.subreg_B = 8) {
        const struct arg f = {.type = EU_TYPE_F, .reg = FLOAT + 2 * i};
        if (floats)
            unary(k, EU_OP_MOV, f, words);
        unary(k, EU_OP_MOV, d(i ? Y : X), floats ? f : words);
    }
}

/* AT = X + u0 + (Y + u1) * u2 */
static void
add_element(struct kernel *k)
{
    binary(k, EU_OP_ADD, d(A), uniform(0), d(X));
    binary(k, EU_OP_ADD, d(B), uniform(1), d(Y));
    binary(k, EU_OP_MUL, d(B), d(B), uniform(2));
    binary(k, EU_OP_ADD, d(AT), d(A), d(B));
}

/* Messages of mlen_grf registers from `reg` and ex_grf ones from `reg2`. */
static struct code *
add_send(struct kernel *k, unsigned sfid, unsigned to, unsigned reg,
         unsigned reg2, unsigned ex_grf, uint32_t desc)
{
    struct code *c = add(k, EU_OP_SEND);
    struct code s = ex_grf ? encode_sends(sfid, desc, ex_grf)
                           : encode_send(sfid, desc);
    put(&s, 23, 21, k->simd == 16 ? 4 : 3);
    put(&s, 60, 53, to);
    put(&s, 76, 69, reg);
    if (ex_grf)
        put(&s, 51, 44, reg2);
    *c = s;
    return c;
}

/* ld_lz (KBL PRM vol 2d, sampler descriptor) with surface 3. */
static void
add_ld(struct kernel *k, unsigned reg, unsigned reg2)
{
    unsigned w = k->simd / 8;
    add_send(k, EU_SFID_SAMPLER, TEXEL, reg, reg2, w,
             3 | 26 << 12 | w << 17 | 4 * w << 20 | w << 25);
}

static void
add_end(struct kernel *k)
{
    unsigned w = k->simd / 8;
    struct code *c = add_send(k, EU_SFID_RENDER, 0, TEXEL, 0, 0,
                              2 | (w == 2 ? 0 : 4) << 8 | 1 << 12 | 12 << 14 |
                                  4 * w << 25);
    put(c, 36, 35, EU_FILE_ARF);
    put(c, 127, 127, 1); /* EOT */
}

static void
make_upload(struct kernel *k, unsigned simd)
{
    *k = (struct kernel){.simd = simd};
    struct code *c = unary(k, EU_OP_MOV, d(ZERO), d(ZERO));
    put(c, 42, 41, EU_FILE_IMM);
    put(c, 46, 43, 1); /* D */
    put(c, 127, 64, 0);
    add_position(k, false);
    add_element(k);
    add_ld(k, AT, ZERO);
    add_end(k);
}

/* A typed write of each half, surface 5, for lanes of the payload's mask. */
static void
add_store(struct kernel *k, unsigned half)
{
    struct code *c;
    for (unsigned i = 0; i < 4; i++) {
        c = unary(k, EU_OP_MOV, d(DATA + i), d(TEXEL + i * k->simd / 8 + half));
        put(c, 23, 21, 3);
        put(c, 13, 12, half);
    }
    c = unary(k, EU_OP_MOV, (struct arg){.type = EU_TYPE_UW},
              (struct arg){EU_TYPE_UW, 1, 28, ONE});
    put(c, 23, 21, 0);
    put(c, 34, 34, 1);
    put(c, 36, 35, EU_FILE_ARF);
    put(c, 60, 53, EU_ARF_F + 1);
    c = add_send(k, EU_SFID_DC1, 0, AT + half, DATA, 4,
                 5 | (half ? 2 : 1) << 12 | 13 << 14 | 1 << 25);
    put(c, 23, 21, 3);
    put(c, 13, 12, half);
    put(c, 35, 35, 0); /* no answer */
    put(c, 19, 16, 1); /* (+f1.0) */
    put(c, 33, 33, 1);
}

static void
make_download(struct kernel *k, unsigned simd)
{
    *k = (struct kernel){.simd = simd};
    add_position(k, true);
    add_element(k);
    add_ld(k, X, Y);
    for (unsigned half = 0; half < simd / 8; half++)
        add_store(k, half);
    add_end(k);
}

static struct kernel_summary
find(const struct kernel *k, enum eu_gen gen)
{
    struct kernel_summary m;
    kernel_summary_find(&m, k->insn, k->count * sizeof k->insn[0], gen, k->simd,
                        U);
    return m;
}

Test(kernel_summary, element_of_a_buffer)
{
    for (unsigned simd = 8; simd <= 16; simd += 8) {
        struct kernel k;
        make_upload(&k, simd);
        struct kernel_summary m = find(&k, EU_GEN9);
        cr_assert_eq(m.kind, SUMMARY_FROM_BUFFER, "SIMD%u: %u", simd, m.kind);
        cr_expect_eq(m.texture, 3);
        cr_expect_eq(m.target, 2);
        cr_expect_eq(m.u, 0);
        cr_expect_eq(m.v, -1);
        cr_expect_eq(m.level, -1);
        cr_expect_eq(find(&k, EU_GEN8).kind, SUMMARY_NONE);
    }
}

Test(kernel_summary, texel_to_a_buffer)
{
    for (unsigned simd = 8; simd <= 16; simd += 8) {
        struct kernel k;
        make_download(&k, simd);
        struct kernel_summary m = find(&k, EU_GEN9);
        cr_assert_eq(m.kind, SUMMARY_TO_BUFFER, "SIMD%u: %u", simd, m.kind);
        cr_expect_eq(m.texture, 3);
        cr_expect_eq(m.store, 5);
        cr_expect_eq(m.target, 2);
        cr_expect_eq(m.u, 0);
        cr_expect_eq(m.v, 1);
        cr_expect_eq(find(&k, EU_GEN8).kind, SUMMARY_NONE);
    }
}

/* Bits of an instruction, counted from the kernel's end if negative. */
struct change {
    const char *what;
    int insn;
    unsigned hi, lo;
    uint64_t value;
};

static void
expect_other(void (*make)(struct kernel *, unsigned), unsigned simd,
             const struct change *c)
{
    struct kernel k;
    make(&k, simd);
    unsigned at = c->insn < 0 ? k.count - (unsigned)-c->insn
                              : (unsigned)c->insn;
    put(&k.insn[at], c->hi, c->lo, c->value);
    struct kernel_summary m = find(&k, EU_GEN9);
    cr_expect(m.kind != SUMMARY_FROM_BUFFER && m.kind != SUMMARY_TO_BUFFER,
              "SIMD%u: %s: %u", simd, c->what, m.kind);
}

/* Instructions of make_upload(): 0 the zero, 1 to 3 the position, 4 to 7 the
 * element, then messages. */
Test(kernel_summary, changed_uploads)
{
    static const struct change changes[] = {
        {"other coordinates are not 0", 0, 127, 96, 1},
        {"corners of rows and columns are exchanged", 1, 127, 96, 0x01010011},
        {"columns are negated", 2, 78, 78, 1},
        {"columns are saturated", 4, 31, 31, 1},
        {"the column twice", 5, 108, 101, X},
        {"no column", 4, 108, 101, Y},
        {"columns are halved", 4, 6, 0, EU_OP_SHR},
        {"columns are scaled", 6, 76, 69, A},
        {"rows times rows", 6, 108, 101, Y},
        {"the product is subtracted", 7, 110, 110, 1},
        {"the product as words", 6, 94, 91, EU_TYPE_UW},
        {"the sum as float", 7, 40, 37, EU_TYPE_F},
        {"the sum is compared", 7, 6, 0, EU_OP_CMP},
        {"the sum for some lanes", 7, 19, 16, 1},
        {"a texel is sampled", -2, 96 + 16, 96 + 12, 0},
        {"an element of half the lanes", -2, 96 + 18, 96 + 17, 3},
        {"a message with a header", -2, 96 + 19, 96 + 19, 1},
        {"a fetch for some lanes", -2, 19, 16, 1},
        {"channels in other registers", -1, 76, 69, TEXEL + 2},
        {"no end", -1, 127, 127, 0},
        {"an unknown opcode", 5, 6, 0, EU_OP_AVG},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(changes); i++)
        for (unsigned simd = 8; simd <= 16; simd += 8)
            expect_other(make_upload, simd, &changes[i]);
}

/* Instructions of make_download(): 0 to 4 the position, 5 to 8 the element, 9
 * the fetch, then six for each half. */
Test(kernel_summary, changed_downloads)
{
    static const struct change changes[] = {
        {"the texel's column from y", 2, 76, 69, FLOAT + 2},
        {"rows of texels are negated", 4, 78, 78, 1},
        {"rows of texels are absolute", 4, 77, 77, 1},
        {"no column in the element", 5, 108, 101, Y},
        {"the element is the texel's row", -2, 76, 69, Y},
        {"the element is any register", -2, 76, 69, 100},
        {"a channel is changed", 10, 6, 0, EU_OP_NOT},
        {"a channel twice", 11, 76, 69, TEXEL},
        {"the mask of another register", 14, 76, 69, 2},
        {"the mask of another word", 14, 68, 64, 30},
        {"the mask goes to another flag", 14, 60, 53, EU_ARF_F},
        {"a predicate of another flag", 15, 33, 33, 0},
        {"an inverted predicate", 15, 20, 20, 1},
        {"a predicate of all lanes", 15, 19, 16, 3},
        {"a store without mask", 15, 34, 34, 1},
        {"a store of the other half", 15, 96 + 13, 96 + 12, 2},
        {"a store of three channels", 15, 96 + 11, 96 + 8, 8},
        {"an atomic operation", 15, 96 + 18, 96 + 14, 6},
        {"a store with an answer", 15, 96 + 24, 96 + 20, 1},
        {"a store with a header", 15, 96 + 19, 96 + 19, 1},
        {"a store of less", 15, 67, 64, 3},
        {"an untyped message", 15, 27, 24, EU_SFID_DC0},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(changes); i++)
        for (unsigned simd = 8; simd <= 16; simd += 8)
            expect_other(make_download, simd, &changes[i]);
}

/* Stores of a SIMD16 thread's halves must agree, and be of both halves. */
Test(kernel_summary, changed_halves)
{
    static const struct change changes[] = {
        {"another surface", -2, 96 + 7, 96, 6},
        {"the same half again", -2, 13, 12, 0},
        {"a higher half", -2, 13, 12, 2},
        {"other elements", -2, 76, 69, A + 1},
        {"lanes of the first half", -2, 76, 69, AT},
        {"channels of the first half", 16, 76, 69, TEXEL},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(changes); i++)
        expect_other(make_download, 16, &changes[i]);
    struct kernel k = {.simd = 16};
    add_position(&k, true);
    add_element(&k);
    add_ld(&k, X, Y);
    add_store(&k, 0);
    add_end(&k);
    cr_expect_eq(find(&k, EU_GEN9).kind, SUMMARY_NONE);
}

/* The mask must be the payload's when the store reads it. */
Test(kernel_summary, overwritten_mask)
{
    struct kernel k;
    make_download(&k, 8);
    struct code store = k.insn[15], end = k.insn[16];
    k.count = 15;
    struct code *c = binary(&k, EU_OP_CMP, d(A), d(X), d(Y));
    put(c, 27, 24, 1); /* .z */
    put(c, 33, 33, 1);
    k.insn[k.count++] = store;
    k.insn[k.count++] = end;
    cr_expect_eq(find(&k, EU_GEN9).kind, SUMMARY_NONE);
    put(c, 33, 33, 0); /* f0.0 instead */
    cr_expect_eq(find(&k, EU_GEN9).kind, SUMMARY_TO_BUFFER);
}

/* Kernels that end early, or go on for ever. */
Test(kernel_summary, cut_kernels)
{
    struct kernel k;
    struct kernel_summary m;
    make_download(&k, 16);
    size_t all_B = k.count * sizeof k.insn[0];
    for (size_t size_B = 0; size_B < all_B; size_B++) {
        kernel_summary_find(&m, k.insn, size_B, EU_GEN9, 16, U);
        cr_expect_eq(m.kind, SUMMARY_NONE, "%zu bytes", size_B);
    }
    kernel_summary_find(&m, k.insn, all_B, EU_GEN9, 32, U);
    cr_expect_eq(m.kind, SUMMARY_NONE);
}

/* Any bits: no crash, and the end is found. */
Test(kernel_summary, damaged_kernels)
{
    uint32_t seed = 1;
    for (unsigned round = 0; round < 20000; round++) {
        struct kernel k;
        (round % 2 ? make_download : make_upload)(&k, round % 4 < 2 ? 8 : 16);
        for (unsigned i = 0; i < 1 + round % 5; i++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t bit = (seed >> 8) % (k.count * 128);
            k.insn[bit / 128].dw[bit % 128 / 32] ^= 1u << bit % 32;
        }
        cr_assert_leq(find(&k, EU_GEN9).kind, SUMMARY_TO_BUFFER);
    }
}
