/* reg.c: MMIO registers as a batch sees them. Most only store; the tables below
 * list the others. Offsets and permissions: KBL PRM vol 6, "User Mode
 * Non-Privileged Registers". */
#include "engine/cs/cs.h"
#include "engine/mfx/mfx.h"
#include "engine/oa/oa.h"

/* 64-bit statistics counters that workers increment. */
static const struct {
    uint16_t offset;
    uint16_t member;
} counters[] = {
#define COUNTER(offset, name)                         \
    {                                                 \
        offset, offsetof(struct pipeline_stats, name) \
    }
    COUNTER(0x2290, cs_invocations),
    COUNTER(0x2300, hs_invocations),
    COUNTER(0x2308, ds_invocations),
    COUNTER(0x2310, ia_vertices),
    COUNTER(0x2318, ia_primitives),
    COUNTER(0x2320, vs_invocations),
    COUNTER(0x2328, gs_invocations),
    COUNTER(0x2330, gs_primitives),
    COUNTER(0x2338, cl_invocations),
    COUNTER(0x2340, cl_primitives),
    COUNTER(0x2348, ps_invocations),
    COUNTER(0x2350, ps_depth_count),
    COUNTER(0x5200, so_prims_written[0]),
    COUNTER(0x5208, so_prims_written[1]),
    COUNTER(0x5210, so_prims_written[2]),
    COUNTER(0x5218, so_prims_written[3]),
    COUNTER(0x5240, so_storage_needed[0]),
    COUNTER(0x5248, so_storage_needed[1]),
    COUNTER(0x5250, so_storage_needed[2]),
    COUNTER(0x5258, so_storage_needed[3]),
#undef COUNTER
};

/* Masked registers: the upper half selects which bits of the lower half are
 * written. */
static const uint16_t masked[] = {
    0x20c0, /* INSTPM */
    0x20d8, /* CS_DEBUG_MODE2 */
    0x20e0, /* FF_SLICE_CS_CHICKEN1 */
    0x20e4, /* FF_SLICE_CS_CHICKEN2 */
    0x2200, /* BCS_SWCTRL, of the blitter only: 0x22200 */
    0x2580, /* CS_CHICKEN1 */
    0x7000, /* CACHE_MODE_0 */
    0x7004, /* CACHE_MODE_1 */
    0x7008, /* GT_MODE */
    0x7010, /* HIZ_CHICKEN */
    0x7014, /* COMMON_SLICE_CHICKEN1 */
    0x7018, /* COMMON_SLICE_CHICKEN2 */
    0xe184, /* HALF_SLICE_CHICKEN3 */
    0xe194, /* HALF_SLICE_CHICKEN7 */
    0xe4f0, /* ROW_CHICKEN */
    0xe4f4, /* ROW_CHICKEN2 */
};

/* Each context runs on one ring, so all rings share the storage of RCS's
 * registers, 0x2000..0x27ff. */
static uint32_t
to_rcs_offset(const struct cs *cs, uint32_t offset)
{
    uint32_t base = cs->info->mmio;
    return offset - base < 0x800 ? offset - base + 0x2000 : offset;
}

static _Atomic uint64_t *
find_counter(struct hw_state *hw, uint32_t offset)
{
    for (unsigned i = 0; i < ARRAY_SIZE(counters); i++)
        if (counters[i].offset == (offset & ~7u))
            return (_Atomic uint64_t *)((char *)&hw->stats +
                                        counters[i].member);
    return NULL;
}

static bool
is_masked(uint32_t offset)
{
    for (unsigned i = 0; i < ARRAY_SIZE(masked); i++)
        if (masked[i] == offset)
            return true;
    return false;
}

/* RPSTAT0: the actual frequency in bits 31:23, in units of 50/3 MHz; 1150 MHz
 * as sysfs has it. Observed: stock drivers store it around performance queries.
 */
#define RPSTAT0_VALUE (69u << 23)

/* CTX_TIMESTAMP counts the time that the context runs. Here it counts all time,
 * which suffices: NEO uses the difference of two reads in one batch. */
uint32_t
reg_read(struct cs *cs, uint32_t offset)
{
    uint32_t status;
    if (mfx_register(&cs->hw->video, offset & ~3u, &status)) {
        mfx_decode_waiting(cs->ctx);
        mfx_register(&cs->hw->video, offset & ~3u, &status);
        return status;
    }
    offset = to_rcs_offset(cs, offset & ~3u);
    if (offset >= REG_SPACE_B) {
        unimp("read of register 0x%x", offset);
        return 0;
    }
    if (offset >= OA_REG_FIRST && offset < OA_REG_END)
        return oa_register(cs->engine, offset);
    if (offset == REG_RPSTAT0)
        return RPSTAT0_VALUE;
    uint64_t wide = 0;
    _Atomic uint64_t *counter = find_counter(cs->hw, offset);
    if (counter)
        wide = atomic_load(counter);
    else if ((offset & ~7u) == REG_TIMESTAMP || offset == REG_CTX_TIMESTAMP)
        wide = engine_timestamp(cs->engine);
    else
        return cs->hw->reg[offset / 4];
    return (uint32_t)(offset & 4 ? wide >> 32 : wide);
}

void
reg_write(struct cs *cs, uint32_t offset, uint32_t value)
{
    offset = to_rcs_offset(cs, offset & ~3u);
    trace(reg, "0x%x = 0x%08x", offset, value);
    if (offset >= REG_SPACE_B) {
        unimp("write of register 0x%x", offset);
        return;
    }
    _Atomic uint64_t *counter = find_counter(cs->hw, offset);
    if (counter) {
        uint64_t wide = atomic_load(counter);
        uint64_t keep = offset & 4 ? 0xffffffff : UINT64_C(0xffffffff) << 32;
        wide = (wide & keep) | (uint64_t)value << (offset & 4 ? 32 : 0);
        atomic_store(counter, wide);
        return;
    }
    if (is_masked(offset)) {
        uint32_t mask = value >> 16;
        value = (cs->hw->reg[offset / 4] & ~mask) | (value & mask);
    }
    cs->hw->reg[offset / 4] = value;
}

uint64_t
reg_gpr(const struct hw_state *hw, unsigned n)
{
    const uint32_t *r = &hw->reg[REG_GPR / 4 + n * 2];
    return (uint64_t)r[1] << 32 | r[0];
}

void
reg_set_gpr(struct hw_state *hw, unsigned n, uint64_t value)
{
    uint32_t *r = &hw->reg[REG_GPR / 4 + n * 2];
    r[0] = (uint32_t)value;
    r[1] = (uint32_t)(value >> 32);
}
