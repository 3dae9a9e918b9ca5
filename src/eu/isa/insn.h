/* insn.h: one decoded EU instruction.
 *
 * eu_decode() makes it from 8 or 16 bytes; the disassembler, validator,
 * interpreter and JIT read it. Plain data, immutable once decoded. Encodings:
 * KBL PRM vol 2d "EU_INSTRUCTION_*", BDW PRM vol 2b. */
#ifndef EU_INSN_H
#define EU_INSN_H

#include "base/base.h"

/* Hardware numbers (encoding of register operands) where one exists, so that
 * EU_TYPE_UD == 0. Types of immediates only follow. */
enum eu_type {
    EU_TYPE_UD = 0,
    EU_TYPE_D = 1,
    EU_TYPE_UW = 2,
    EU_TYPE_W = 3,
    EU_TYPE_UB = 4,
    EU_TYPE_B = 5,
    EU_TYPE_DF = 6,
    EU_TYPE_F = 7,
    EU_TYPE_UQ = 8,
    EU_TYPE_Q = 9,
    EU_TYPE_HF = 10,
    EU_TYPE_UV = 11, /* immediate: 8 unsigned 4-bit values */
    EU_TYPE_V = 12,  /* immediate: 8 signed 4-bit values */
    EU_TYPE_VF = 13, /* immediate: 4 restricted 8-bit floats */
    EU_TYPE_COUNT
};

enum eu_file { EU_FILE_ARF = 0, EU_FILE_GRF = 1, EU_FILE_IMM = 3 };

/* ARF register numbers: high nibble of the register byte. */
enum eu_arf {
    EU_ARF_NULL = 0x00,
    EU_ARF_A = 0x10,
    EU_ARF_ACC = 0x20,
    EU_ARF_F = 0x30,
    EU_ARF_CE = 0x40,
    EU_ARF_MSG = 0x50,
    EU_ARF_SP = 0x60,
    EU_ARF_SR = 0x70,
    EU_ARF_CR = 0x80,
    EU_ARF_N = 0x90,
    EU_ARF_IP = 0xa0,
    EU_ARF_TDR = 0xb0,
    EU_ARF_TM = 0xc0,
    EU_ARF_FC = 0xd0,
    EU_ARF_DBG = 0xf0,
};

enum eu_cmod {
    EU_CMOD_NONE = 0,
    EU_CMOD_Z = 1,
    EU_CMOD_NZ = 2,
    EU_CMOD_G = 3,
    EU_CMOD_GE = 4,
    EU_CMOD_L = 5,
    EU_CMOD_LE = 6,
    EU_CMOD_O = 8,
    EU_CMOD_U = 9,
};

enum eu_math {
    EU_MATH_INV = 1,
    EU_MATH_LOG = 2,
    EU_MATH_EXP = 3,
    EU_MATH_SQRT = 4,
    EU_MATH_RSQ = 5,
    EU_MATH_SIN = 6,
    EU_MATH_COS = 7,
    EU_MATH_FDIV = 9,
    EU_MATH_POW = 10,
    EU_MATH_INT_DIV_BOTH = 11,
    EU_MATH_INT_DIV_QUOTIENT = 12,
    EU_MATH_INT_DIV_REMAINDER = 13,
    EU_MATH_INVM = 14,
    EU_MATH_RSQRTM = 15,
};

#define EU_MME_NONE 8

#define EU_VSTRIDE_VXH 0xff /* one-dimensional indirect: VxH, or Vx1 */

struct eu_operand {
    uint8_t file;     /* enum eu_file */
    uint8_t type;     /* enum eu_type */
    uint8_t reg;      /* GRF number, or ARF byte (kind | index) */
    uint8_t subreg_B; /* byte offset inside the register */
    bool indirect;    /* address is a0.addr_subreg + addr_imm_B */
    uint8_t addr_subreg;
    int16_t addr_imm_B;
    /* Region, in elements. A destination uses hstride only. Align16 operands
     * and 3-source operands have width 4, hstride 1 and a swizzle. */
    uint8_t vstride; /* 0,1,2,4,8,16,32 or EU_VSTRIDE_VXH */
    uint8_t width;   /* 1,2,4,8,16 */
    uint8_t hstride; /* 0,1,2,4 */
    bool abs;
    bool negate;       /* logic ops: bitwise NOT instead */
    uint8_t swizzle;   /* Align16 source: x bits 1:0 ... w bits 7:6 */
    uint8_t writemask; /* Align16 destination: x = bit 0 */
    bool rep_ctrl;     /* 3-source: replicate the scalar */
    /* madm and Align16 math.invm, math.rsqtm: 0..7 = mme0..7, which are
     * acc2..acc9; swizzle and mask are then the identity. Otherwise
     * EU_MME_NONE. */
    uint8_t mme;
    uint64_t imm; /* raw bits; 16-bit types in the low half */
};

struct eu_insn {
    uint8_t opcode; /* hardware opcode, 7 bits */
    uint8_t src_count;
    uint8_t length_B;    /* 8 when compacted, else 16 */
    uint8_t exec_size;   /* 1..32 channels */
    uint8_t chan_offset; /* first channel: quarter * 8 + nibble * 4 */
    bool align16;
    bool half_pairs; /* Gen8 Align16: channels of HF move in pairs */
    bool no_mask;    /* WE_all */
    bool saturate;
    bool acc_wr;
    bool branch_ctrl;
    bool debug;
    uint8_t thread_ctrl, dep_ctrl;
    uint8_t pred_ctrl; /* 0 none, 1 normal, 2..: see eu_pred_ctrl in isa.h */
    bool pred_inv;
    uint8_t flag; /* flag register * 2 + subregister: f0.0 .. f1.1 */
    uint8_t cmod; /* enum eu_cmod */
    uint8_t math; /* function control of math */
    struct eu_operand dst, src[3];
    /* Control flow: byte offsets relative to this instruction (jmpi: to the
     * next one). Only if the opcode has them. brd, brc and jmpi with a register
     * operand have jip also in src. */
    int32_t jip, uip;
    /* send family */
    uint8_t sfid;
    bool eot;
    bool desc_is_reg;    /* descriptor comes from a0.0 (32 bits) */
    bool ex_desc_is_reg; /* sends: extended descriptor from a0.ex_desc_subreg */
    uint8_t ex_desc_subreg; /* in 16-bit units of a0 */
    uint32_t desc, ex_desc;
    uint32_t offset_B; /* from the start of the kernel */
    uint32_t raw[4];   /* as decoded, with compact forms expanded */
};

#endif
