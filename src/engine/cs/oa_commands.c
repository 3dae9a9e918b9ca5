/* oa_commands.c: MI_REPORT_PERF_COUNT. KBL PRM vol 2a. */
#include "engine/cs/cs.h"
#include "engine/oa/oa.h"

#define LINE_DW 16u

void
mi_report_perf_count(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    uint32_t report[ENGINE_OA_REPORT_DW];
    /* Use Global GTT: a no-op without privileges. Unlike other MI commands,
     * the bit is in the address. */
    if (dw[1] & 1)
        return;
    gpu_va va = cs_va(dw[1], dw[2]) & ~UINT64_C(63);
    engine_oa_report(cs->engine, dw[3], cs->ctx->id, report);
    cs->ctx->last_report = dw[3];
    cs->work++;
    /* Line by line: the next page may lie elsewhere. */
    for (unsigned i = 0; i < ENGINE_OA_REPORT_DW; i += LINE_DW)
        memcpy(cs_write_ptr(cs, va + i * 4, LINE_DW * 4), report + i,
               LINE_DW * 4);
}
