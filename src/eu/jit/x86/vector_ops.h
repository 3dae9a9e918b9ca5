/* vector_ops.h: the vector instructions that the JIT uses, one row each, for
 * VEX and EVEX. Names and encodings: Intel SDM vol 2. */
#ifndef EU_JIT_X86_VECTOR_OPS_H
#define EU_JIT_X86_VECTOR_OPS_H

/* Bytes of a memory operand; EVEX scales short displacements by it. */
enum x86_tuple {
    X86_FULL, /* the vector */
    X86_HALF,
    X86_QUARTER,
    X86_4B,
    X86_8B,
    X86_2B,
};

/* Floats, too, use PBROADCASTD and PBROADCASTQ. Observed: Zen 4 executes them,
 * as broadcast operands, in its load units alone. BROADCASTSS and BROADCASTSD
 * also need a shuffle, which competes with multiplications and additions.
 *
 * name, opcode map, mandatory prefix (0 none, 1 66, 2 F3, 3 F2), W of VEX, W of
 * EVEX, opcode, tuple. W = 2: no such form. */
#define X86_VECTOR_OPS(X)                    \
    X(MOVUPS_LD, 1, 0, 0, 0, 0x10, FULL)     \
    X(MOVUPS_ST, 1, 0, 0, 0, 0x11, FULL)     \
    X(MOVAPS, 1, 0, 0, 0, 0x28, FULL)        \
    X(MOVSS_LD, 1, 2, 0, 0, 0x10, 4B)        \
    X(MOVSS_ST, 1, 2, 0, 0, 0x11, 4B)        \
    X(MOVQ_LD, 1, 2, 0, 1, 0x7e, 8B)         \
    X(MOVQ_ST, 1, 1, 0, 1, 0xd6, 8B)         \
    X(MOVDQU16_ST, 1, 3, 2, 1, 0x7f, FULL)   \
    X(MOVDQU8_ST, 1, 3, 2, 0, 0x7f, FULL)    \
    X(CVTSI2SS, 1, 2, 1, 1, 0x2a, 8B)        \
    X(MOVD_TO_GPR, 1, 1, 0, 0, 0x7e, 4B)     \
    X(PEXTRD, 3, 1, 0, 0, 0x16, 4B)          \
    X(ADDPS, 1, 0, 0, 0, 0x58, FULL)         \
    X(MULPS, 1, 0, 0, 0, 0x59, FULL)         \
    X(SUBPS, 1, 0, 0, 0, 0x5c, FULL)         \
    X(MINPS, 1, 0, 0, 0, 0x5d, FULL)         \
    X(DIVPS, 1, 0, 0, 0, 0x5e, FULL)         \
    X(MAXPS, 1, 0, 0, 0, 0x5f, FULL)         \
    X(SQRTPS, 1, 0, 0, 0, 0x51, FULL)        \
    X(ANDPS, 1, 0, 0, 0, 0x54, FULL)         \
    X(ORPS, 1, 0, 0, 0, 0x56, FULL)          \
    X(XORPS, 1, 0, 0, 0, 0x57, FULL)         \
    X(CMPPS, 1, 0, 0, 0, 0xc2, FULL)         \
    X(FMADD132PS, 2, 1, 0, 0, 0x98, FULL)    \
    X(FMADD213PS, 2, 1, 0, 0, 0xa8, FULL)    \
    X(FMADD231PS, 2, 1, 0, 0, 0xb8, FULL)    \
    X(FNMADD213PS, 2, 1, 0, 0, 0xac, FULL)   \
    X(FNMADD231PS, 2, 1, 0, 0, 0xbc, FULL)   \
    X(RSQRT14PS, 2, 1, 2, 0, 0x4e, FULL)     \
    X(RSQRTPS, 1, 0, 0, 2, 0x52, FULL)       \
    X(GETEXPPS, 2, 1, 2, 0, 0x42, FULL)      \
    X(GETMANTPS, 3, 1, 2, 0, 0x26, FULL)     \
    X(SCALEFPS, 2, 1, 2, 0, 0x2c, FULL)      \
    X(FPCLASSPS, 3, 1, 2, 0, 0x66, FULL)     \
    X(ROUNDPS, 3, 1, 0, 0, 0x08, FULL)       \
    X(ADDPD, 1, 1, 0, 1, 0x58, FULL)         \
    X(MULPD, 1, 1, 0, 1, 0x59, FULL)         \
    X(MINPD, 1, 1, 0, 1, 0x5d, FULL)         \
    X(MAXPD, 1, 1, 0, 1, 0x5f, FULL)         \
    X(DIVPD, 1, 1, 0, 1, 0x5e, FULL)         \
    X(SQRTPD, 1, 1, 0, 1, 0x51, FULL)        \
    X(FIXUPIMMPS, 3, 1, 2, 0, 0x54, FULL)    \
    X(CVTPS2PD, 1, 0, 0, 0, 0x5a, HALF)      \
    X(MOVAPD, 1, 1, 0, 1, 0x28, FULL)        \
    X(CVTDQ2PD, 1, 2, 0, 0, 0xe6, HALF)      \
    X(CVTTPD2DQ, 1, 1, 0, 1, 0xe6, FULL)     \
    X(CMPPD, 1, 1, 0, 1, 0xc2, FULL)         \
    X(FMADD231PD, 2, 1, 1, 1, 0xb8, FULL)    \
    X(PMOVSXDQ, 2, 1, 0, 0, 0x25, HALF)      \
    X(BLENDMPD, 2, 1, 2, 1, 0x65, FULL)      \
    X(PTESTMD, 2, 1, 2, 0, 0x27, FULL)       \
    X(PBROADCASTQ, 2, 1, 0, 1, 0x59, 8B)     \
    X(MOVMSKPD, 1, 1, 0, 2, 0x50, FULL)      \
    X(PCMPGTQ, 2, 1, 0, 2, 0x37, FULL)       \
    X(PCMPQ, 3, 1, 2, 1, 0x1f, FULL)         \
    X(PSHUFD, 1, 1, 0, 0, 0x70, FULL)        \
    X(CVTUDQ2PD, 1, 2, 2, 0, 0x7a, HALF)     \
    X(CVTTPD2UDQ, 1, 0, 2, 1, 0x78, FULL)    \
    X(CVTPD2PS, 1, 1, 0, 1, 0x5a, FULL)      \
    X(CVTDQ2PS, 1, 0, 0, 0, 0x5b, FULL)      \
    X(CVTTPS2DQ, 1, 2, 0, 0, 0x5b, FULL)     \
    X(CVTUDQ2PS, 1, 3, 2, 0, 0x7a, FULL)     \
    X(CVTTPS2UDQ, 1, 0, 2, 0, 0x78, FULL)    \
    X(CVTPH2PS, 2, 1, 0, 0, 0x13, HALF)      \
    X(CVTPS2PH, 3, 1, 0, 0, 0x1d, HALF)      \
    X(PADDD, 1, 1, 0, 0, 0xfe, FULL)         \
    X(PSUBD, 1, 1, 0, 0, 0xfa, FULL)         \
    X(PADDW, 1, 1, 0, 0, 0xfd, FULL)         \
    X(PMULLD, 2, 1, 0, 0, 0x40, FULL)        \
    X(PAND, 1, 1, 0, 0, 0xdb, FULL)          \
    X(PANDN, 1, 1, 0, 0, 0xdf, FULL)         \
    X(POR, 1, 1, 0, 0, 0xeb, FULL)           \
    X(PXOR, 1, 1, 0, 0, 0xef, FULL)          \
    X(PABSD, 2, 1, 0, 0, 0x1e, FULL)         \
    X(PMINSD, 2, 1, 0, 0, 0x39, FULL)        \
    X(PMAXSD, 2, 1, 0, 0, 0x3d, FULL)        \
    X(PMINUD, 2, 1, 0, 0, 0x3b, FULL)        \
    X(PMAXUD, 2, 1, 0, 0, 0x3f, FULL)        \
    X(PSLLVD, 2, 1, 0, 0, 0x47, FULL)        \
    X(PSRLVD, 2, 1, 0, 0, 0x45, FULL)        \
    X(PSRAVD, 2, 1, 0, 0, 0x46, FULL)        \
    X(PSHIFTD_IMM, 1, 1, 0, 0, 0x72, FULL)   \
    X(PCMPEQD, 1, 1, 0, 2, 0x76, FULL)       \
    X(PCMPGTD, 1, 1, 0, 2, 0x66, FULL)       \
    X(PCMPD, 3, 1, 2, 0, 0x1f, FULL)         \
    X(PCMPUD, 3, 1, 2, 0, 0x1e, FULL)        \
    X(PTERNLOGD, 3, 1, 2, 0, 0x25, FULL)     \
    X(PLZCNTD, 2, 1, 2, 0, 0x44, FULL)       \
    X(PCONFLICTD, 2, 1, 2, 0, 0xc4, FULL)    \
    X(POPCNTD, 2, 1, 2, 0, 0x55, FULL)       \
    X(BLENDMPS, 2, 1, 2, 0, 0x65, FULL)      \
    X(BLENDVPS, 3, 1, 0, 2, 0x4a, FULL)      \
    X(MOVMSKPS, 1, 0, 0, 2, 0x50, FULL)      \
    X(PMOVSXWD, 2, 1, 0, 0, 0x23, HALF)      \
    X(PMOVZXWD, 2, 1, 0, 0, 0x33, HALF)      \
    X(PMOVSXBD, 2, 1, 0, 0, 0x21, QUARTER)   \
    X(PMOVZXBD, 2, 1, 0, 0, 0x31, QUARTER)   \
    X(PMOVDW, 2, 2, 2, 0, 0x33, HALF)        \
    X(PMOVDB, 2, 2, 2, 0, 0x31, QUARTER)     \
    X(PBROADCASTD, 2, 1, 0, 0, 0x58, 4B)     \
    X(PBROADCASTB, 2, 1, 0, 2, 0x78, 4B)     \
    X(PBROADCASTW, 2, 1, 0, 0, 0x79, 2B)     \
    X(PBROADCASTD_GPR, 2, 1, 2, 0, 0x7c, 4B) \
    X(UNPCKLPS, 1, 0, 0, 0, 0x14, FULL)      \
    X(UNPCKHPS, 1, 0, 0, 0, 0x15, FULL)      \
    X(UNPCKLPD, 1, 1, 0, 1, 0x14, FULL)      \
    X(UNPCKHPD, 1, 1, 0, 1, 0x15, FULL)      \
    X(INSERTF128, 3, 1, 0, 0, 0x18, HALF)    \
    X(EXTRACTF128, 3, 1, 0, 2, 0x19, HALF)   \
    X(PTEST, 2, 1, 0, 2, 0x17, FULL)         \
    X(PSHUFB, 2, 1, 0, 2, 0x00, FULL)        \
    X(PACKSSDW, 1, 1, 0, 2, 0x6b, FULL)      \
    X(PACKUSDW, 2, 1, 0, 2, 0x2b, FULL)      \
    X(PACKUSWB, 1, 1, 0, 2, 0x67, FULL)      \
    X(BLENDVB, 3, 1, 0, 2, 0x4c, FULL)       \
    X(PERMQ, 3, 1, 1, 2, 0x00, FULL)         \
    X(BROADCASTI128, 2, 1, 0, 2, 0x5a, FULL) \
    X(PERMD, 2, 1, 0, 0, 0x36, FULL)         \
    X(PERMPS, 2, 1, 0, 0, 0x16, FULL)        \
    X(PERMW, 2, 1, 2, 1, 0x8d, FULL)         \
    X(PERMI2D, 2, 1, 2, 0, 0x76, FULL)       \
    X(PGATHERDD, 2, 1, 0, 0, 0x90, 4B)       \
    X(PSCATTERDD, 2, 1, 2, 0, 0xa0, 4B)      \
    X(SHUFF32X4, 3, 1, 2, 0, 0x23, FULL)     \
    X(INSERTF64X4, 3, 1, 2, 1, 0x1a, HALF)   \
    X(EXTRACTF64X4, 3, 1, 2, 1, 0x1b, HALF)

enum x86_vop {
#define X(name, map, pp, vw, ew, opcode, tuple) X86_##name,
    X86_VECTOR_OPS(X)
#undef X
        X86_VOP_COUNT
};

#endif
