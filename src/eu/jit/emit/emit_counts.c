/* emit_counts.c: counters of profiles in compiled code: entries of basic
 * blocks, with EU_JIT_LANES active lanes and branches, and with EU_JIT_MEMORY
 * accesses to memory.
 *
 * The execution mask is constant between the branches and joins that bound a
 * block. So all its instructions of equal channels have equal lanes: the first
 * of them counts. Where every lane is on, as mostly in the unmasked variant,
 * the block's entries tell. */
#include "eu/jit/emit/emit.h"

#include "eu/jit/x86/encode_gpr.h"
#include "eu/profile/profile.h"

#define MASK_AT offsetof(struct eu_thread, mask)

size_t
jit_counter_at(const struct jit *j, uint32_t ip_B, unsigned array)
{
    const struct eu_kernel *k = j->f->origin;
    return (k->profile_slot + array * (k->size_B / 8) + ip_B / 8) *
           sizeof(uint64_t);
}

size_t
jit_bins_at(const struct jit *j, uint32_t ip_B, unsigned set)
{
    const struct eu_kernel *k = j->f->origin;
    uint32_t at = profile_bin((enum profile_bins)set, eu_profile_arrays_of(k),
                              k->profile_bins, k->size_B / 8, ip_B / 8);
    return (k->profile_slot + at) * sizeof(uint64_t);
}

static size_t
counter_at(const struct jit *j, uint32_t op, enum profile_array array)
{
    return jit_counter_at(j, j->f->k->ops[op].ip, array);
}

/* Whether the op is an instruction with channels that may be off. */
static bool
has_channels(const struct eu_op *op)
{
    return op->lanes && !eu_fixed_lanes(op->insn);
}

static uint32_t
end_of_block(const struct jit *j, uint32_t first)
{
    uint32_t i = first + 1;
    while (i < j->f->k->op_count && !(j->f->start[i] & JIT_START))
        i++;
    return i;
}

/* All channels of the block's instructions that may be off. */
static uint64_t
block_channels(const struct jit *j, uint32_t first, uint32_t end)
{
    uint64_t channels = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct eu_op *op = &j->f->k->ops[i];
        if (has_channels(op))
            channels |= (uint64_t)op->full << op->chan;
    }
    return channels;
}

/* rax: the counters. */
static void
count_lanes(struct jit *j, uint32_t first, uint32_t end)
{
    struct x86 *x = &j->x;
    uint64_t seen = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct eu_op *op = &j->f->k->ops[i];
        if (!has_channels(op))
            continue;
        uint64_t channels = profile_channels(op->chan, op->lanes);
        uint32_t mask = op->full << op->chan;
        if (seen & channels)
            continue;
        seen |= channels;
        x86_load(x, X86_RCX, MASK_AT, 4);
        if (mask != UINT32_MAX)
            x86_alu_imm(x, X86_AND, X86_RCX, mask, false);
        x86_gop(x, X86_G_POPCNT, false, X86_RCX, x86_g(X86_RCX));
        x86_inc_element(x, X86_RAX, X86_RCX,
                        jit_bins_at(j, op->ip, PROFILE_BLOCK_BINS));
    }
}

/* rax: the counters. */
static void
count_some_lanes(struct jit *j, uint32_t first, uint32_t end)
{
    x86_inc_at(&j->x, X86_RAX, counter_at(j, first, PROFILE_ENTERED));
    count_lanes(j, first, end);
}

/* Independent lanes, unmasked variant: most threads have all lanes on. */
static void
count_probably_full(struct jit *j, uint32_t first, uint32_t channels)
{
    struct x86 *x = &j->x;
    j->asks = true;
    if (channels == 0xff || channels == 0xffff || channels == UINT32_MAX) {
        unsigned size_B = (unsigned)__builtin_popcount(channels) / 8;
        x86_cmp_ones(x, MASK_AT, size_B);
    } else {
        x86_load(x, X86_RCX, MASK_AT, 4);
        x86_alu_imm(x, X86_AND, X86_RCX, channels, false);
        x86_alu_imm(x, X86_CMP, X86_RCX, channels, false);
    }
    uint32_t some = x86_jump(x, X86_CC_NE);
    x86_inc_at(x, X86_RAX, counter_at(j, first, PROFILE_ENTERED_FULL));
    if (jit_grow(j, (void **)&j->partial_blocks, &j->partial_capacity,
                 j->partial_count + 1, sizeof *j->partial_blocks))
        j->partial_blocks[j->partial_count++] = (struct jit_partial_block){
            some, x->size, first};
}

void
jit_count_partial_blocks(struct jit *j)
{
    for (uint32_t i = 0; i < j->partial_count; i++) {
        const struct jit_partial_block *p = &j->partial_blocks[i];
        x86_patch(&j->x, p->at, j->x.size);
        count_some_lanes(j, p->op, end_of_block(j, p->op));
        x86_patch(&j->x, x86_jump(&j->x, X86_ALWAYS), p->back);
    }
}

static void
count_block_lanes(struct jit *j, uint32_t first)
{
    uint32_t end = end_of_block(j, first);
    uint64_t channels = block_channels(j, first, end);
    bool required = j->f->unmasked &&
                    !(channels & ~(uint64_t)j->f->required_mask);
    if (required && !j->f->in.lane_independent)
        x86_inc_at(&j->x, X86_RAX, counter_at(j, first, PROFILE_ENTERED_FULL));
    else if (required && channels)
        count_probably_full(j, first, (uint32_t)channels);
    else
        count_some_lanes(j, first, end);
}

void
jit_count_block(struct jit *j, uint32_t first)
{
    /* A link is not an instruction; its ip is its target's. */
    if (!(j->f->flags & EU_JIT_COUNTS) || j->f->k->ops[first].fn == eu_op_link)
        return;
    x86_load_tls(&j->x, X86_RAX, eu_profile_tls_B());
    if (j->f->flags & EU_JIT_LANES)
        count_block_lanes(j, first);
    else
        x86_inc_at(&j->x, X86_RAX, counter_at(j, first, PROFILE_ENTERED));
}

void
jit_count_skipped(struct jit *j, uint32_t op)
{
    const struct eu_insn *insn = j->f->k->ops[op].insn;
    if (!(j->f->flags & EU_JIT_COUNTS))
        return;
    x86_load_tls(&j->x, X86_RAX, eu_profile_tls_B());
    x86_inc_at(&j->x, X86_RAX, counter_at(j, op, PROFILE_RAN));
    if (!(j->f->flags & EU_JIT_LANES))
        return;
    x86_inc_at(&j->x, X86_RAX,
               jit_bins_at(j, j->f->k->ops[op].ip, PROFILE_RAN_BINS));
    if (eu_is_usually_taken(insn))
        x86_inc_at(&j->x, X86_RAX, counter_at(j, op, PROFILE_CONTRARY));
}

/* rsi: the counters. */
static void
count_way(struct jit *j, const struct eu_op *op)
{
    struct x86 *x = &j->x;
    bool usual = eu_is_usually_taken(op->insn);
    uint32_t i = (uint32_t)(op - j->f->k->ops);
    x86_alu_imm(x, X86_CMP, X86_RAX, 0, false);
    uint32_t none = x86_jump(x, X86_CC_E);
    x86_alu_reg(x, X86_CMP, X86_RAX, X86_RCX, false);
    uint32_t all = x86_jump(x, X86_CC_E);
    x86_inc_at(x, X86_RSI, counter_at(j, i, PROFILE_DIVERGENT));
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, usual ? none : all, x->size);
    x86_inc_at(x, X86_RSI, counter_at(j, i, PROFILE_CONTRARY));
    x86_patch(x, usual ? all : none, x->size);
    x86_patch(x, done, x->size);
}

#define LINE_B 64u

/* Bytes that do not begin at a line may take one line more than they need. */
static void
count_crossing(struct jit *j, uint32_t ip_B, unsigned size_B)
{
    struct x86 *x = &j->x;
    unsigned last_B = (LINE_B - size_B % LINE_B) % LINE_B;
    x86_mov_reg(x, X86_RDX, X86_RAX);
    x86_alu_imm(x, X86_AND, X86_RDX, LINE_B - 1, false);
    x86_alu_imm(x, X86_CMP, X86_RDX, last_B, false);
    uint32_t least = x86_jump(x, X86_CC_BE);
    x86_inc_at(x, X86_RSI, jit_counter_at(j, ip_B, PROFILE_LINES));
    x86_inc_at(x, X86_RSI, jit_counter_at(j, ip_B, PROFILE_MISALIGNED));
    x86_patch(x, least, x->size);
}

void
jit_count_access(struct jit *j, uint32_t ip_B, unsigned array, unsigned size_B,
                 bool has_lines)
{
    if (!(j->f->flags & EU_JIT_MEMORY))
        return;
    x86_load_tls(&j->x, X86_RSI, eu_profile_tls_B());
    x86_inc_at(&j->x, X86_RSI, jit_counter_at(j, ip_B, array));
    if (has_lines)
        count_crossing(j, ip_B, size_B);
}

void
jit_count_taken(struct jit *j, const struct eu_op *op)
{
    struct x86 *x = &j->x;
    uint32_t i = (uint32_t)(op - j->f->k->ops);
    if (!(j->f->flags & EU_JIT_LANES) || !eu_parts_channels(op->insn))
        return;
    x86_load_tls(x, X86_RSI, eu_profile_tls_B());
    x86_mov_reg(x, X86_RDX, X86_RAX);
    if (eu_is_usually_taken(op->insn))
        x86_alu_reg(x, X86_XOR, X86_RDX, X86_RCX, false);
    x86_gop(x, X86_G_POPCNT, false, X86_RDI, x86_g(X86_RDX));
    x86_add_at(x, X86_RSI, counter_at(j, i, PROFILE_CONTRARY_LANES), X86_RDI);
    count_way(j, op);
}
