/* memory_access.c: finds the messages that compiled code performs itself, and
 * their operands. */
#include "eu/jit/analysis/memory_access.h"

/* Data port 1, untyped: KBL PRM vol 2d "MSD1R_*", "MSD1W_*". */
#define UNTYPED_MASK UINT32_C(0x000fc000)
#define UNTYPED_READ UINT32_C(0x00004000)
#define UNTYPED_WRITE UINT32_C(0x00024000)
/* Atomics without an answer: "MSD1R_AI*". */
#define UNTYPED_ATOMIC UINT32_C(0x00008000)
#define ANSWERS UINT32_C(0x00002000)
/* Sampler message `ld` without header, with full precision. */
#define LD_MASK UINT32_C(0x600ff000)
#define LD_SIMD8 UINT32_C(0x00027000)
#define LD_SIMD16 UINT32_C(0x00047000)

/* Data port 0: "MSD0R_DWS", "MSD0W_DWS", "MSD0R_BS", "MSD0W_BS". */
#define SCATTERED_MASK UINT32_C(0x0007c000)
#define DWORDS_READ UINT32_C(0x0000c000)
#define DWORDS_WRITE UINT32_C(0x0002c000)
#define BYTES_READ UINT32_C(0x00010000)
#define BYTES_WRITE UINT32_C(0x00030000)
/* "MSD_MEMFENCE". */
#define FENCE_MASK UINT32_C(0x0007c000)
#define FENCE_TYPE UINT32_C(0x0001c000)
/* To the gateway: "MSD_BarrierMsg". */
#define GATEWAY_MASK UINT32_C(0x00000007)
#define GATEWAY_BARRIER UINT32_C(0x00000004)

/* Integer atomics that one instruction performs on [rax + rcx], most with edx:
 * by "MDC_AOP". */
static const struct access_atomic atomics[16] = {
    [1] = {0x21, 0x14, 1}, /* and */
    [2] = {0x09, 0x14, 1}, /* or */
    [3] = {0x31, 0x14, 1}, /* xor */
    [5] = {0xff, 0x04, 0}, /* inc */
    [6] = {0xff, 0x0c, 0}, /* dec */
    [7] = {0x01, 0x14, 1}, /* add */
    [8] = {0x29, 0x14, 1}, /* sub */
};

static bool
find_atomic(struct access *a)
{
    uint32_t desc = a->s.m.desc;
    a->kind = ACCESS_ATOMIC;
    a->atomic = &atomics[bits_get(desc, 8, 11)];
    a->lanes = desc >> 12 & 1 ? 8 : 16;
    a->channels = a->atomic->operands;
    return a->atomic->opcode && !(desc & ANSWERS) && a->bti != ACCESS_BINDLESS;
}

static bool
find_untyped(struct access *a)
{
    uint32_t desc = a->s.m.desc;
    unsigned mode = bits_get(desc, 12, 13), on = ~bits_get(desc, 8, 11) & 15;
    a->kind = (desc & UNTYPED_MASK) == UNTYPED_WRITE ? ACCESS_WRITE
                                                     : ACCESS_READ;
    a->lanes = mode == 1 ? 16 : 8;
    if ((desc & UNTYPED_MASK) == UNTYPED_ATOMIC)
        return find_atomic(a);
    if (a->kind == ACCESS_READ && (desc & UNTYPED_MASK) != UNTYPED_READ)
        return false;
    if ((mode != 1 && mode != 2) || !on || on & (on + 1))
        return false;
    a->channels = 32 - (unsigned)__builtin_clz(on);
    return a->bti != ACCESS_BINDLESS &&
           (a->kind == ACCESS_READ || access_has_rows(a));
}

static bool
find_ld(struct access *a)
{
    uint32_t shape = a->s.m.desc & LD_MASK;
    a->vector = true;
    a->lanes = shape == LD_SIMD16 ? 16 : 8;
    a->channels = 4;
    return (shape == LD_SIMD8 || shape == LD_SIMD16) &&
           a->bti < ACCESS_BINDLESS;
}

/* A dword, or one, two or four bytes. */
static bool
find_scattered(struct access *a)
{
    uint32_t desc = a->s.m.desc, shape = desc & SCATTERED_MASK;
    bool bytes = shape == BYTES_READ || shape == BYTES_WRITE;
    unsigned code = bytes ? bits_get(desc, 10, 11) : 2;
    a->kind = shape == BYTES_WRITE || shape == DWORDS_WRITE ? ACCESS_WRITE
                                                            : ACCESS_READ;
    a->lanes = desc >> 8 & 1 ? 16 : 8;
    a->channels = 1;
    a->element_B = (uint8_t)(1u << code);
    a->any_byte = bytes;
    a->in_dwords = !bytes;
    a->has_header = a->s.m.header;
    a->has_base = a->has_header &&
                  (a->bti == ACCESS_STATELESS || a->bti == ACCESS_STATELESS_NC);
    return (bytes || shape == DWORDS_READ || shape == DWORDS_WRITE) &&
           code < 3 && a->bti != ACCESS_BINDLESS;
}

/* A fence always answers with a register of zeros. */
static bool
find_fence(struct access *a, unsigned lanes)
{
    a->kind = ACCESS_FENCE;
    a->lanes = lanes;
    a->channels = a->s.m.rlen_grf > 0;
    return (a->s.m.desc & FENCE_MASK) == FENCE_TYPE;
}

/* A barrier message belongs to the thread, whatever channels are on. */
static bool
is_barrier(const struct eu_op *op)
{
    struct jit_send s;
    return jit_is_send(op) && jit_describe_send(&s, op) && !s.m.eot &&
           s.m.sfid == EU_SFID_GATEWAY && op->no_mask && !op->pred &&
           s.m.mlen_grf && (s.m.desc & GATEWAY_MASK) == GATEWAY_BARRIER;
}

bool
jit_signals(const struct jit_facts *f, uint32_t index)
{
    const struct eu_op *op = &f->k->ops[index], *next = op + 1;
    return index + 1 < f->k->op_count && is_barrier(op) &&
           next->fn == eu_op_wait && !next->insn->src[0].subreg_B;
}

/* Arithmetic that cannot touch a notification register. */
static bool
is_between(const struct jit_facts *f, uint32_t i)
{
    const struct eu_operand *d = &f->k->ops[i].insn->dst;
    return !(f->start[i] & (JIT_START | JIT_SEND)) &&
           (d->file != EU_FILE_ARF || !d->reg);
}

bool
jit_barrier_fences(const struct jit_facts *f, uint32_t index)
{
    uint32_t i = index + 1;
    while (i < f->k->op_count && is_between(f, i))
        i++;
    return f->threads == 1 && i < f->k->op_count &&
           !(f->start[i] & JIT_START) && jit_signals(f, i);
}

/* Start of an operand. False: it does not lie in one part of the payload. */
static bool
find_operand(const struct access *a, unsigned grf, unsigned count,
             unsigned *at_B)
{
    const struct eu_message *m = &a->s.m;
    *at_B = jit_payload_B(&a->s, grf);
    return grf + count <= m->mlen_grf ||
           (grf >= m->mlen_grf && grf + count <= m->mlen_grf + m->ex_mlen_grf);
}

static bool
find_operands(struct access *a)
{
    unsigned grfs = a->lanes / 8, data_grfs = grfs * a->channels;
    unsigned at = a->has_header;
    a->header_B = a->s.src_B[0];
    if (a->s.m.mlen_grf < MAX2(at, 1u) ||
        !find_operand(a, at, grfs, &a->offset_B))
        return false;
    if (a->kind == ACCESS_READ) {
        a->data_B = a->s.dst_B;
        return a->s.m.rlen_grf == data_grfs;
    }
    return find_operand(a, at + grfs, data_grfs, &a->data_B);
}

/* Quickly rejects most messages. */
static inline bool
may_be_access(const struct eu_insn *insn)
{
    uint32_t shape = insn->desc & LD_MASK;
    return insn->sfid == EU_SFID_DC0 || insn->sfid == EU_SFID_DC1 ||
           (insn->sfid == EU_SFID_SAMPLER &&
            (shape == LD_SIMD8 || shape == LD_SIMD16));
}

bool
jit_find_access(struct access *a, const struct eu_op *op)
{
    *a = (struct access){.element_B = 4};
    if (op->insn->eot || op->pred || !may_be_access(op->insn) ||
        !jit_describe_send(&a->s, op))
        return false;
    a->bti = a->s.m.desc & 0xff;
    if (a->s.m.sfid == EU_SFID_DC0 && find_fence(a, op->lanes))
        return true;
    bool known = a->s.m.sfid == EU_SFID_DC0   ? find_scattered(a)
                 : a->s.m.sfid == EU_SFID_DC1 ? find_untyped(a)
                                              : find_ld(a);
    return known && a->lanes == op->lanes && find_operands(a);
}

bool
jit_is_memory(const struct eu_op *op)
{
    struct access a;
    return jit_find_access(&a, op);
}

bool
jit_is_read(const struct eu_op *op)
{
    struct access a;
    return jit_find_access(&a, op) && a.kind == ACCESS_READ;
}

static void
add_part(struct jit_moved *m, unsigned off_B, unsigned len_B, bool written)
{
    m->part[m->count].off_B = (uint16_t)off_B;
    m->part[m->count].len_B = (uint16_t)len_B;
    m->part[m->count++].written = written;
}

void
jit_memory_moves(const struct eu_op *op, struct jit_moved *moved)
{
    struct access a;
    jit_find_access(&a, op);
    moved->count = 0;
    if (a.kind == ACCESS_FENCE) {
        add_part(moved, a.s.dst_B, a.channels * EU_GRF_B, true);
        return;
    }
    add_part(moved, a.offset_B, a.lanes * 4, false);
    for (unsigned c = 0; c < a.channels; c++)
        add_part(moved, a.data_B + c * a.lanes * 4, a.lanes * 4,
                 a.kind == ACCESS_READ);
}
