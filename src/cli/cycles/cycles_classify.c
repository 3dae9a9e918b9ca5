/* cycles_classify.c: which row of the tables an instruction has, and what its
 * regions cover. */
#include "cli/cycles/cycles_operation.h"
#include "eu/isa/eu_opcodes.h"

enum {
    SFID_SAMPLER = 2,
    SFID_GATEWAY = 3,
    SFID_RENDER = 5,
    SFID_URB = 6,
    SFID_SPAWNER = 7,
    SFID_CONSTANT = 9,
    SFID_DATA_0 = 10,
    SFID_INTERPOLATOR = 11,
    SFID_DATA_1 = 12,
};

/* ---- types --------------------------------------------------------------- */

static bool
is_float(enum eu_type t)
{
    return t == EU_TYPE_F || t == EU_TYPE_HF || t == EU_TYPE_DF;
}

/* The type that a source is computed in. */
static enum eu_type
type_of_source(enum eu_type t)
{
    switch (t) {
    case EU_TYPE_B:
    case EU_TYPE_V: return EU_TYPE_W;
    case EU_TYPE_UB:
    case EU_TYPE_UV: return EU_TYPE_UW;
    case EU_TYPE_VF: return EU_TYPE_F;
    default: return t;
    }
}

/* The largest type of the sources, a float one if several have its size. Half
 * floats that are converted are computed in 32 bits. CHV PRM vol 7, "Execution
 * Data Type". */
enum eu_type
cycles_exec_type(const struct eu_insn *insn)
{
    enum eu_type widest = EU_TYPE_B, dst = (enum eu_type)insn->dst.type;
    if (eu_insn_is_send(insn))
        return EU_TYPE_UD;
    for (unsigned i = 0; i < insn->src_count; i++) {
        enum eu_type t = type_of_source((enum eu_type)insn->src[i].type);
        unsigned size_B = eu_type_size_B(t), most_B = eu_type_size_B(widest);
        if (size_B > most_B || (size_B == most_B && is_float(t)))
            widest = t;
    }
    if (!insn->src_count)
        widest = dst;
    if (eu_type_size_B(widest) != 2 || dst == widest)
        return widest;
    if (widest == EU_TYPE_HF)
        return EU_TYPE_F;
    return dst == EU_TYPE_HF ? EU_TYPE_D : widest;
}

/* Products of two 32-bit integers take as long as 64 bits do. */
bool
cycles_is_long(const struct eu_insn *insn, enum eu_type exec_type)
{
    if (eu_type_size_B(exec_type) > 4)
        return true;
    return insn->opcode == EU_OP_MUL && eu_type_size_B(exec_type) == 4 &&
           !is_float(exec_type) &&
           eu_type_size_B((enum eu_type)insn->src[0].type) ==
               eu_type_size_B((enum eu_type)insn->src[1].type);
}

/* ---- regions ------------------------------------------------------------- */

static bool
is_ternary(const struct eu_insn *insn)
{
    return insn->src_count == 3;
}

uint32_t
cycles_source_B(const struct eu_insn *insn, unsigned n)
{
    const struct eu_operand *o = &insn->src[n];
    uint32_t size_B = eu_type_size_B((enum eu_type)o->type);
    uint32_t lanes = insn->exec_size;
    /* Four values of a plane; two coordinates of each lane. */
    if (insn->opcode == EU_OP_PLN)
        return n == 0 ? 4 * size_B : 2 * lanes * size_B;
    if (is_ternary(insn) || insn->align16)
        return o->rep_ctrl ? size_B : lanes * size_B;
    if (o->vstride == EU_VSTRIDE_VXH || !o->width)
        return size_B;
    uint32_t width = MIN2(o->width, lanes);
    uint32_t last = (lanes / width - 1) * o->vstride + (width - 1) * o->hstride;
    return (last + 1) * size_B;
}

uint32_t
cycles_dst_B(const struct eu_insn *insn)
{
    uint32_t size_B = eu_type_size_B((enum eu_type)insn->dst.type);
    uint32_t stride = is_ternary(insn) || insn->align16 ? 1 : insn->dst.hstride;
    return ((insn->exec_size - 1u) * MAX2(stride, 1u) + 1) * size_B;
}

/* ---- messages ------------------------------------------------------------ */

/* Mesa 22.3.6 goes by bits 14 to 18 for both data ports, and so has some reads
 * of data port 0 among the atomics. */
static enum cycles_class
classify_data(unsigned sfid, uint32_t desc)
{
    unsigned type = desc >> 14 & 31;
    if (sfid == SFID_DATA_0 && type >> 4)
        return CYCLES_SCRATCH;
    switch (type) {
    case 7:
        if (sfid == SFID_DATA_0)
            return CYCLES_FENCE;
        return CYCLES_ATOMIC;
    case 2:
    case 3:
    case 6: return CYCLES_ATOMIC;
    default: return CYCLES_MEMORY;
    }
}

static enum cycles_class
classify_message(const struct eu_insn *insn, uint32_t desc)
{
    switch (insn->sfid) {
    case SFID_SAMPLER: return CYCLES_SAMPLE;
    case SFID_GATEWAY: return (desc & 7) == 4 ? CYCLES_BARRIER : CYCLES_END;
    case SFID_RENDER:
        return (desc >> 14 & 15) == 7 ? CYCLES_RT_FENCE : CYCLES_RT;
    case SFID_URB: return CYCLES_URB;
    case SFID_SPAWNER: return CYCLES_END;
    case SFID_CONSTANT: return CYCLES_PULL;
    case SFID_INTERPOLATOR: return CYCLES_INTERPOLATE;
    case SFID_DATA_0:
    case SFID_DATA_1: return classify_data(insn->sfid, desc);
    default: return CYCLES_MEMORY;
    }
}

/* ---- arithmetic ---------------------------------------------------------- */

static enum cycles_class
classify_math(const struct eu_insn *insn)
{
    switch (insn->math) {
    case EU_MATH_POW:
    case EU_MATH_FDIV: return CYCLES_POW;
    case EU_MATH_INT_DIV_BOTH:
    case EU_MATH_INT_DIV_QUOTIENT:
    case EU_MATH_INT_DIV_REMAINDER: return CYCLES_INT_DIV;
    default: return CYCLES_MATH;
    }
}

/* Where all HALTs of a kernel end: it goes to the next instruction. */
static bool
is_halt_target(const struct eu_insn *insn)
{
    return insn->opcode == EU_OP_HALT && !insn->pred_ctrl &&
           insn->jip == insn->length_B && insn->uip == insn->length_B;
}

enum cycles_class
cycles_classify(const struct eu_insn *insn, uint32_t desc,
                enum eu_type exec_type)
{
    bool is_64 = cycles_is_long(insn, exec_type);
    if (eu_insn_is_send(insn))
        return classify_message(insn, desc);
    if (is_halt_target(insn))
        return CYCLES_NOTHING;
    if (insn->opcode >= EU_OP_JMPI && insn->opcode < EU_OP_WAIT)
        return CYCLES_FLOW;
    switch (insn->opcode) {
    case EU_OP_NOP:
    case EU_OP_ILLEGAL:
    case EU_OP_WAIT: return CYCLES_NOTHING;
    case EU_OP_MATH: return classify_math(insn);
    case EU_OP_MOV:
        if (insn->align16)
            return CYCLES_SWIZZLE;
        return is_64 ? CYCLES_ALU64 : CYCLES_ALU;
    case EU_OP_MAD:
    case EU_OP_MADM: return is_64 ? CYCLES_MAD64 : CYCLES_MAD;
    case EU_OP_BFE:
    case EU_OP_BFI2:
    case EU_OP_CSEL: return CYCLES_MAD;
    case EU_OP_LRP: return CYCLES_LRP;
    case EU_OP_PLN: return CYCLES_PLN;
    case EU_OP_DP2:
    case EU_OP_DP3:
    case EU_OP_DP4:
    case EU_OP_DPH: return CYCLES_DOT;
    case EU_OP_BFREV:
    case EU_OP_CBIT:
    case EU_OP_FBH:
    case EU_OP_FBL:
    case EU_OP_LZD:
    case EU_OP_MAC:
    case EU_OP_MACH: return is_64 ? CYCLES_ALU64 : CYCLES_SLOW;
    default: return is_64 ? CYCLES_ALU64 : CYCLES_ALU;
    }
}
