/* profile_decode.c: the instructions of a recorded kernel, and their groups. */
#include "cli/profile/profile_data.h"
#include "eu/isa/eu_opcodes.h"
#include "eu/isa/isa.h"
#include "eu/profile/profile_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SFID_DATA_CACHE_0 10u
#define BTI_STATELESS 253u

static enum profile_group
group_of(const struct eu_insn *insn)
{
    if (insn->opcode >= EU_OP_JMPI && insn->opcode < EU_OP_WAIT)
        return PROFILE_GROUP_CONTROL;
    if (insn->opcode >= EU_OP_WAIT && insn->opcode <= EU_OP_SENDSC)
        return PROFILE_GROUP_SEND;
    if (insn->opcode == EU_OP_NOP || insn->opcode == EU_OP_ILLEGAL)
        return PROFILE_GROUP_OTHER;
    switch (eu_type_size_B((enum eu_type)insn->dst.type)) {
    case 8: return PROFILE_GROUP_64;
    case 4: return PROFILE_GROUP_32;
    default: return PROFILE_GROUP_16;
    }
}

static bool
is_int32(const struct eu_operand *o)
{
    return o->type == EU_TYPE_D || o->type == EU_TYPE_UD;
}

/* Registers in scratch memory. Observed: IGC 1.0.12504 has messages of their
 * own for them; Mesa 22.3.6 sends OWORD blocks to stateless memory. */
static enum profile_kind
kind_of_message(const struct eu_insn *insn)
{
    if (insn->desc_is_reg || insn->sfid != SFID_DATA_CACHE_0)
        return PROFILE_KIND_OTHER;
    const bool stateless = (insn->desc & 255) == BTI_STATELESS;
    switch (insn->desc >> 14 & 31) {
    case 0: return stateless ? PROFILE_KIND_FILL : PROFILE_KIND_OTHER;
    case 8: return stateless ? PROFILE_KIND_SPILL : PROFILE_KIND_OTHER;
    default: break;
    }
    switch (insn->desc >> 17 & 3) { /* bit 18: scratch */
    case 2: return PROFILE_KIND_FILL;
    case 3: return PROFILE_KIND_SPILL;
    default: return PROFILE_KIND_OTHER;
    }
}

static enum profile_kind
kind_of(const struct eu_insn *insn)
{
    switch (insn->opcode) {
    case EU_OP_MOV: return PROFILE_KIND_MOV;
    case EU_OP_MATH: return PROFILE_KIND_MATH;
    case EU_OP_MUL:
    case EU_OP_MACH:
        return is_int32(&insn->src[0]) && is_int32(&insn->src[1])
                   ? PROFILE_KIND_MUL32
                   : PROFILE_KIND_OTHER;
    case EU_OP_MAD:
        return is_int32(&insn->src[1]) && is_int32(&insn->src[2])
                   ? PROFILE_KIND_MUL32
                   : PROFILE_KIND_OTHER;
    case EU_OP_SEND:
    case EU_OP_SENDC:
    case EU_OP_SENDS:
    case EU_OP_SENDSC: return kind_of_message(insn);
    default: return PROFILE_KIND_OTHER;
    }
}

/* Float operations of a lane: MAD has two, a function of extended math one.
 * Comparisons, selections and copies have none. */
static uint8_t
flops_of(const struct eu_insn *insn)
{
    enum eu_type type = (enum eu_type)insn->dst.type;
    if (type != EU_TYPE_F && type != EU_TYPE_HF && type != EU_TYPE_DF)
        return 0;
    switch (insn->opcode) {
    case EU_OP_ADD:
    case EU_OP_MUL:
    case EU_OP_MATH: return 1;
    case EU_OP_MAC:
    case EU_OP_MAD:
    case EU_OP_MADM:
    case EU_OP_LINE: return 2;
    case EU_OP_LRP:
    case EU_OP_DP2: return 3;
    case EU_OP_PLN: return 4;
    case EU_OP_DP3: return 5;
    case EU_OP_DPH: return 6;
    case EU_OP_DP4: return 7;
    default: return 0;
    }
}

static void
add_send(struct profile_code *c, const struct eu_insn *insn)
{
    void *more = realloc(c->sends, (c->send_count + 1) * sizeof *c->sends);
    if (!more)
        return;
    c->sends = more;
    c->sends[c->send_count++] = (struct profile_send){
        .offset_B = insn->offset_B,
        .shape = {.sfid = insn->sfid,
                  .exec_size = insn->exec_size,
                  .desc = insn->desc_is_reg ? 0 : insn->desc}};
    const char *type = eu_message_name(insn);
    snprintf(c->sends[c->send_count - 1].type,
             sizeof c->sends[c->send_count - 1].type, "%s", type ? type : "");
}

/* Adds what the cycle model says of the instructions. */
static void
add_model(struct profile_code *c, const struct eu_insn *insns)
{
    struct cycles_cost *costs = calloc(c->insn_count + 1, sizeof *costs);
    for (unsigned t = 0; costs && t < CYCLES_TABLES; t++) {
        cycles_schedule(insns, c->insn_count, (enum cycles_table)t, costs,
                        NULL);
        for (uint32_t i = 0; i < c->insn_count; i++)
            c->insns[i].model[t] = costs[i];
    }
    c->has_model = costs != NULL;
    free(costs);
}

static void
begin_block_at(struct profile_code *c, int64_t offset_B)
{
    uint32_t first = 0, end = c->insn_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (c->insns[middle].offset_B < offset_B)
            first = middle + 1;
        else
            end = middle;
    }
    if (first < c->insn_count && c->insns[first].offset_B == offset_B)
        c->insns[first].begins_block = true;
}

/* Blocks begin at the targets of branches and after branches. */
static void
mark_blocks(struct profile_code *c, const struct eu_insn *insns,
            enum eu_gen gen)
{
    for (uint32_t i = 0; i < c->insn_count; i++) {
        int64_t targets_B[2];
        unsigned count = eu_targets(&insns[i], gen, targets_B);
        for (unsigned t = 0; t < count; t++)
            begin_block_at(c, targets_B[t]);
        if (!i)
            c->insns[i].begins_block = true;
        if (i + 1 < c->insn_count && eu_ends_block(&insns[i], gen))
            c->insns[i + 1].begins_block = true;
    }
}

bool
profile_decode(struct profile_code *c, const struct profile_kernel *k)
{
    const uint8_t *begins = (const uint8_t *)(k + 1);
    const uint8_t *code = begins + k->code_B / 8;
    struct eu_insn *all = calloc(k->code_B / 8 + 1, sizeof *all);
    c->insns = all ? calloc(k->code_B / 8 + 1, sizeof *c->insns) : NULL;
    c->code = malloc(k->code_B + 1);
    if (c->code)
        memcpy(c->code, code, k->code_B);
    for (uint32_t u = 0; c->insns && u < k->code_B / 8; u++) {
        struct eu_insn insn;
        char text[512];
        if (!begins[u] || !eu_decode(&insn, code + u * 8, k->code_B - u * 8,
                                     (enum eu_gen)k->gen, NULL))
            continue;
        insn.offset_B = u * 8;
        eu_disasm_labels(text, sizeof text, &insn, (enum eu_gen)k->gen);
        all[c->insn_count] = insn;
        c->insns[c->insn_count++] = (struct profile_insn){
            .offset_B = u * 8,
            .exec_size = insn.exec_size,
            .chan_offset = insn.chan_offset,
            .fixed_lanes = (uint8_t)eu_fixed_lanes(&insn),
            .group = (uint8_t)group_of(&insn),
            .kind = (uint8_t)kind_of(&insn),
            .flops = flops_of(&insn),
            .has_branch = eu_parts_channels(&insn),
            .usually_taken = eu_is_usually_taken(&insn),
            .text = strdup(text),
        };
        if (!eu_insn_is_send(&insn))
            continue;
        c->insns[c->insn_count - 1].message = profile_add_message(
            c, eu_function_name(&insn, (enum eu_gen)k->gen),
            eu_message_name(&insn));
        if (k->has & PROFILE_HAS_MEMORY)
            add_send(c, &insn);
    }
    if (c->insns) {
        add_model(c, all);
        cycles_find_live(&c->live, all, c->insn_count, (enum eu_gen)k->gen);
        mark_blocks(c, all, (enum eu_gen)k->gen);
        if (k->has & PROFILE_HAS_LANES)
            c->bins = calloc(c->insn_count + 1,
                             PROFILE_BINS_MAX * sizeof *c->bins);
    }
    free(all);
    return c->insns && (c->bins || !(k->has & PROFILE_HAS_LANES));
}
