/* compact.c: the 8-byte instruction format.
 *
 * A compact instruction copies some native fields and gives indices into small
 * fixed tables for the others. KBL PRM vol 2d "EU_INSTRUCTION_COMPACT_TWO_SRC"
 * and "..._THREE_SRC"; Gen8 and Gen9 share the tables. */
#include "base/fields.h"
#include "eu/isa/tables.h"

/* A native instruction; no field is in both halves. */
struct native {
    uint64_t half[2];
};

/* Compact bits lo .. lo + width - 1 become native bits from `native` on. */
struct segment {
    uint8_t lo, native, width;
};

/* Row n is the native value of index n. */
static const uint32_t control_table[32] = {
    0x00002, 0x04000, 0x04001, 0x04002, 0x04003, 0x04004, 0x04005, 0x04007,
    0x04008, 0x04009, 0x0400d, 0x06000, 0x06001, 0x06002, 0x06003, 0x06004,
    0x06005, 0x06007, 0x06009, 0x0600d, 0x06010, 0x06100, 0x08000, 0x08002,
    0x08004, 0x08100, 0x16000, 0x16010, 0x18000, 0x18100, 0x28000, 0x28100,
};

static const uint32_t datatype_table[32] = {
    0x40001, 0x40040, 0x40041, 0x400c1, 0x4015d, 0x405dd, 0x40741, 0x40745,
    0x4075d, 0x41041, 0x43040, 0x43041, 0x45145, 0x47144, 0x47145, 0x5c75d,
    0x5d71d, 0x5d75c, 0x5d75d, 0x5f75c, 0x0040c, 0x4005d, 0x40145, 0x41040,
    0x45144, 0x47104, 0x49209, 0x5775d, 0x5f75d, 0x4f34c, 0x49248, 0x4b248,
};

static const uint16_t subreg_table[32] = {
    0x0000, 0x0001, 0x0008, 0x000f, 0x0010, 0x0080, 0x0100, 0x0180,
    0x0200, 0x0210, 0x0280, 0x1000, 0x1001, 0x1081, 0x1082, 0x1083,
    0x1084, 0x1087, 0x1088, 0x108e, 0x108f, 0x1180, 0x11e8, 0x2000,
    0x2180, 0x3000, 0x3c87, 0x4000, 0x5000, 0x6000, 0x7000, 0x701c,
};

static const uint16_t source_table[32] = {
    0x000, 0x002, 0x010, 0x012, 0x018, 0x020, 0x028, 0x048, 0x050, 0x070, 0x078,
    0x300, 0x302, 0x308, 0x310, 0x312, 0x320, 0x328, 0x338, 0x340, 0x342, 0x348,
    0x350, 0x360, 0x368, 0x370, 0x371, 0x378, 0x468, 0x469, 0x46a, 0x588,
};

static const uint32_t control3_table[4] = {
    0x806001,
    0x006001,
    0x008001,
    0x008021,
};

static const uint64_t source3_table[4] = {
    0x7272720f000,
    0x7272720f002,
    0x7272720f008,
    0x7272720f020,
};

static const struct segment basic_segments[] = {
    {0, 0, 7},    /* opcode */
    {7, 30, 1},   /* DebugCtrl */
    {23, 28, 1},  /* AccWrCtrl */
    {24, 24, 4},  /* CondModifier */
    {40, 53, 8},  /* Dst.RegNum */
    {48, 69, 8},  /* Src0.RegNum */
    {56, 101, 8}, /* Src1.RegNum */
};
static const struct segment control_segments[] = {
    {16, 31, 3}, {4, 12, 12}, {2, 9, 2}, {1, 34, 1}, {0, 8, 1},
};
static const struct segment datatype_segments[] = {
    {18, 61, 3},
    {12, 89, 6},
    {0, 35, 12},
};
static const struct segment subreg_segments[] = {
    {10, 96, 5},
    {5, 64, 5},
    {0, 48, 5},
};
static const struct segment source0_segments[] = {{0, 77, 12}};
static const struct segment source1_segments[] = {{0, 109, 12}};

static const struct segment ternary_segments[] = {
    {0, 0, 7},    /* opcode */
    {12, 56, 7},  /* Dst.RegNum */
    {28, 64, 1},  /* Src0.RepCtrl */
    {30, 30, 1},  /* DebugCtrl */
    {31, 31, 1},  /* Saturate */
    {32, 85, 1},  /* Src1.RepCtrl */
    {33, 106, 1}, /* Src2.RepCtrl */
    {34, 73, 3},  /* Src0.SubRegNum */
    {37, 94, 3},  /* Src1.SubRegNum */
    {40, 115, 3}, /* Src2.SubRegNum */
    {43, 76, 7},  /* Src0.RegNum */
    {50, 97, 7},  /* Src1.RegNum */
    {57, 118, 7}, /* Src2.RegNum */
};
static const struct segment control3_segments[] = {{21, 32, 3}, {0, 8, 21}};
static const struct segment source3_segments[] = {
    {35, 107, 8},
    {27, 86, 8},
    {19, 65, 8},
    {0, 37, 19},
};

static inline void
scatter_bits(struct native *to, uint64_t value, const struct segment *segments,
             unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct segment *s = &segments[i];
        uint64_t mask = (UINT64_C(1) << s->width) - 1;
        to->half[s->native / 64] |= (value >> s->lo & mask) << s->native % 64;
    }
}
#define SCATTER(native, value, segments) \
    scatter_bits(native, value, segments, ARRAY_SIZE(segments))

static unsigned
compact_field(uint64_t compact, unsigned lo, unsigned hi)
{
    return (unsigned)(compact >> lo & ((UINT64_C(2) << (hi - lo)) - 1));
}

static void
uncompact_ternary(struct native *n, uint64_t all)
{
    SCATTER(n, control3_table[compact_field(all, 8, 9)], control3_segments);
    SCATTER(n, source3_table[compact_field(all, 10, 11)], source3_segments);
    SCATTER(n, all, ternary_segments);
}

static void
uncompact_basic(struct native *n, uint64_t all)
{
    SCATTER(n, control_table[compact_field(all, 8, 12)], control_segments);
    SCATTER(n, datatype_table[compact_field(all, 13, 17)], datatype_segments);
    SCATTER(n, subreg_table[compact_field(all, 18, 22)], subreg_segments);
    SCATTER(n, source_table[compact_field(all, 30, 34)], source0_segments);
    SCATTER(n, all, basic_segments);

    if (compact_field(n->half[0], 41, 42) == EU_FILE_IMM ||
        compact_field(n->half[1], 89 - 64, 90 - 64) == EU_FILE_IMM) {
        uint64_t imm = compact_field(all, 35, 39) << 8 |
                       compact_field(all, 56, 63);
        uint32_t wide = (uint32_t)fields_sext(imm, 13);
        n->half[1] = (n->half[1] & UINT32_MAX) | (uint64_t)wide << 32;
    } else {
        SCATTER(n, source_table[compact_field(all, 35, 39)], source1_segments);
    }
}
#undef SCATTER

bool
eu_uncompact(uint32_t native[4], const uint32_t compact[2], enum eu_gen gen)
{
    const struct isa_op *op = isa_op(compact[0] & 0x7f, gen);
    if (!op || !(compact[0] & 1u << 29))
        return false;
    /* UIP does not fit in 64 bits, nor does the second payload register of
     * SENDS. */
    if (op->form == ISA_BRANCH2 || op->form == ISA_BRANCH_REG2 ||
        op->form == ISA_SENDS)
        return false;

    struct native n = {{0}};
    uint64_t all = (uint64_t)compact[1] << 32 | compact[0];
    if (op->form == ISA_TERNARY)
        uncompact_ternary(&n, all);
    else
        uncompact_basic(&n, all);
    memcpy(native, n.half, sizeof n.half);
    return true;
}
