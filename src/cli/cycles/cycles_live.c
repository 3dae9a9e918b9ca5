/* cycles_live.c: how many registers are live at the same time.
 *
 * A byte of the register file is live between a write and its last read.
 * Channels count as if all wrote: a write without predicate ends the life of
 * what was there before, as compilers assume when they allocate. */
#include "cli/cycles/cycles_operation.h"
#include "eu/isa/eu_opcodes.h"

#include <stdlib.h>
#include <string.h>

#define GRF_B 32u
#define GRFS 128u

/* A bit for each byte of the register file. */
struct bytes {
    uint32_t reg[GRFS];
};

/* ---- what an instruction reads and writes -------------------------------- */

static void
add_range(struct bytes *b, uint32_t first_B, uint32_t size_B)
{
    for (uint32_t i = first_B; i < first_B + size_B && i < GRFS * GRF_B; i++)
        b->reg[i / GRF_B] |= 1u << i % GRF_B;
}

static void
add_registers(struct bytes *b, uint32_t first, uint32_t count)
{
    add_range(b, first * GRF_B, count * GRF_B);
}

static uint32_t
first_byte(const struct eu_operand *o)
{
    return o->reg * GRF_B + o->subreg_B;
}

static bool
is_register(const struct eu_operand *o)
{
    return o->file == EU_FILE_GRF && !o->indirect;
}

/* A descriptor in an address register is not known: at least one register. */
static void
add_payload(struct bytes *reads, const struct eu_insn *insn)
{
    uint32_t desc = insn->desc_is_reg ? 0 : insn->desc;
    uint32_t ex_desc = insn->ex_desc_is_reg ? 0 : insn->ex_desc;
    if (is_register(&insn->src[0]))
        add_registers(reads, insn->src[0].reg, MAX2(cycles_mlen(desc), 1));
    if (insn->src_count > 1 && is_register(&insn->src[1]))
        add_registers(reads, insn->src[1].reg, cycles_ex_mlen(ex_desc));
}

static void
find_reads(struct bytes *reads, const struct eu_insn *insn)
{
    *reads = (struct bytes){{0}};
    if (eu_insn_is_send(insn)) {
        add_payload(reads, insn);
        return;
    }
    for (unsigned n = 0; n < insn->src_count; n++)
        if (is_register(&insn->src[n]))
            add_range(reads, first_byte(&insn->src[n]),
                      cycles_source_B(insn, n));
}

/* A strided destination leaves the bytes between its elements. */
static void
add_elements(struct bytes *writes, const struct eu_insn *insn)
{
    const struct eu_operand *o = &insn->dst;
    bool packed = insn->align16 || insn->src_count == 3;
    uint32_t size_B = eu_type_size_B((enum eu_type)o->type);
    uint32_t step_B = size_B * (packed ? 1 : MAX2(o->hstride, 1));
    if (packed && o->writemask != 15)
        return;
    for (uint32_t i = 0; i < insn->exec_size; i++)
        add_range(writes, first_byte(o) + i * step_B, size_B);
}

/* What it surely writes. */
static void
find_writes(struct bytes *writes, const struct eu_insn *insn)
{
    *writes = (struct bytes){{0}};
    if (!is_register(&insn->dst))
        return;
    if (eu_insn_is_send(insn) && !insn->desc_is_reg)
        add_registers(writes, insn->dst.reg, cycles_rlen(insn->desc));
    else if (!eu_insn_is_send(insn) &&
             (!insn->pred_ctrl || insn->opcode == EU_OP_SEL))
        add_elements(writes, insn);
}

/* ---- the flow of a kernel ------------------------------------------------ */

/* The index of the instruction at a place, or count. */
static uint32_t
find_insn(const struct eu_insn *insns, uint32_t count, int64_t at_B)
{
    uint32_t first = 0, end = count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (insns[middle].offset_B < at_B)
            first = middle + 1;
        else
            end = middle;
    }
    return first < count && insns[first].offset_B == at_B ? first : count;
}

static bool
goes_on(const struct eu_insn *insn)
{
    bool jumps = insn->opcode == EU_OP_JMPI && !insn->pred_ctrl;
    return !jumps && !(eu_insn_is_send(insn) && insn->eot);
}

static void
unite(struct bytes *all, const struct bytes *b)
{
    for (unsigned r = 0; r < GRFS; r++)
        all->reg[r] |= b->reg[r];
}

/* after := the bytes that are live after insns[i]. live[n]: the bytes that are
 * live before insns[n]. */
static void
find_after(struct bytes *after, const struct bytes *live,
           const struct eu_insn *insns, uint32_t count, uint32_t i,
           enum eu_gen gen)
{
    int64_t targets_B[2];
    unsigned targets = eu_targets(&insns[i], gen, targets_B);
    *after = (struct bytes){{0}};
    if (goes_on(&insns[i]) && i + 1 < count)
        unite(after, &live[i + 1]);
    for (unsigned t = 0; t < targets; t++) {
        uint32_t n = find_insn(insns, count, targets_B[t]);
        if (n < count)
            unite(after, &live[n]);
    }
}

/* True if it has changed. */
static bool
step_back(struct bytes *live, const struct eu_insn *insns, uint32_t count,
          uint32_t i, enum eu_gen gen)
{
    struct bytes now, reads, writes;
    find_after(&now, live, insns, count, i, gen);
    find_reads(&reads, &insns[i]);
    find_writes(&writes, &insns[i]);
    for (unsigned r = 0; r < GRFS; r++)
        now.reg[r] = (now.reg[r] & ~writes.reg[r]) | reads.reg[r];
    bool changed = memcmp(&now, &live[i], sizeof now) != 0;
    live[i] = now;
    return changed;
}

static uint32_t
count_registers(const struct bytes *b)
{
    uint32_t count = 0;
    for (unsigned r = 0; r < GRFS; r++)
        count += b->reg[r] != 0;
    return count;
}

/* Sets only grow, so that it ends. */
bool
cycles_find_live(struct cycles_live *most, const struct eu_insn *insns,
                 uint32_t count, enum eu_gen gen)
{
    struct bytes *live = calloc(count + 1, sizeof *live);
    *most = (struct cycles_live){0};
    for (bool changed = live != NULL; changed;) {
        changed = false;
        for (uint32_t i = count; i-- > 0;)
            changed |= step_back(live, insns, count, i, gen);
    }
    for (uint32_t i = 0; live && i < count; i++) {
        uint32_t grf = count_registers(&live[i]);
        if (grf > most->grf)
            *most = (struct cycles_live){grf, insns[i].offset_B};
    }
    bool ok = live != NULL;
    free(live);
    return ok;
}
