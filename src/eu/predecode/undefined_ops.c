/* undefined_ops.c: instructions that decode but that no manual defines. They
 * fail when they run: unreached code does no harm. Other instructions that the
 * tables of eu/isa refuse are computed in the obvious way. */
#include "eu/predecode/predecode.h"

#include "eu/interp/alu.h"

/* One bit per opcode, lower and upper half. */
struct opcodes {
    uint64_t low, high;
};

#define LOW(name) (UINT64_C(1) << EU_OP_##name)
#define HIGH(name) (UINT64_C(1) << (EU_OP_##name - 64))

static const struct opcodes computes[] = {
    [EXEC_INT] = {LOW(MOV) | LOW(SEL) | LOW(MOVI) | LOW(NOT) | LOW(AND) |
                      LOW(OR) | LOW(XOR) | LOW(SHR) | LOW(SHL) | LOW(SMOV) |
                      LOW(ASR) | LOW(CMP) | LOW(CMPN) | LOW(BFREV) | LOW(BFE) |
                      LOW(BFI1) | LOW(BFI2) | LOW(MATH),
                  HIGH(ADD) | HIGH(MUL) | HIGH(AVG) | HIGH(MAC) | HIGH(MACH) |
                      HIGH(LZD) | HIGH(FBH) | HIGH(FBL) | HIGH(CBIT) |
                      HIGH(ADDC) | HIGH(SUBB) | HIGH(SAD2) | HIGH(SADA2) |
                      HIGH(MAD)},
    [EXEC_FLOAT] = {LOW(MOV) | LOW(SEL) | LOW(MOVI) | LOW(SMOV) | LOW(CMP) |
                        LOW(CMPN) | LOW(CSEL) | LOW(MATH),
                    HIGH(ADD) | HIGH(MUL) | HIGH(FRC) | HIGH(RNDU) |
                        HIGH(RNDD) | HIGH(RNDE) | HIGH(RNDZ) | HIGH(MAC) |
                        HIGH(DP4) | HIGH(DPH) | HIGH(DP3) | HIGH(DP2) |
                        HIGH(LINE) | HIGH(PLN) | HIGH(MAD) | HIGH(LRP) |
                        HIGH(MADM)},
    [EXEC_DOUBLE] = {LOW(MOV) | LOW(SEL) | LOW(SMOV) | LOW(CMP) | LOW(CMPN) |
                         LOW(MATH),
                     HIGH(ADD) | HIGH(MUL) | HIGH(MAC) | HIGH(MAD) |
                         HIGH(MADM)},
};

static bool
math_defined(unsigned fn, enum exec_class class)
{
    bool divides = fn >= EU_MATH_INT_DIV_BOTH &&
                   fn <= EU_MATH_INT_DIV_REMAINDER;
    switch (class) {
    case EXEC_INT: return divides;
    case EXEC_FLOAT: return !divides;
    case EXEC_DOUBLE: return fn >= EU_MATH_INVM;
    }
    return false;
}

const char *
eu_undefined(const struct eu_insn *insn)
{
    enum exec_class class = eu_exec_class(insn);
    unsigned opcode = insn->opcode;
    if (insn->pred_ctrl > (insn->align16 ? 7 : 13))
        return "reserved predicate control";
    if (insn->cmod == 7 || insn->cmod > EU_CMOD_U)
        return "reserved condition modifier";
    uint64_t known = opcode < 64 ? computes[class].low : computes[class].high;
    if (!(known >> (opcode & 63) & 1))
        return "opcode does not compute in this type";
    if (opcode == EU_OP_MATH && !math_defined(insn->math, class))
        return "math function does not compute in this type";
    if (opcode == EU_OP_MOVI &&
        (insn->src[0].file != EU_FILE_GRF || !insn->src[0].indirect))
        return "MOVI of a direct operand";
    return NULL;
}
