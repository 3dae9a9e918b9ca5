/* mfx_huc.c: HUC_STREAM_OBJECT as stock iHD uses it without firmware: it
 * gathers a bitstream that came in parts. */
#include "engine/mfx/mfx.h"
#include "engine/mfx/mfx_stream.h"

#define STREAM_OUT (1u << 26)
#define START_CODE_SEARCH (1u << 24)
#define EMULATION_REMOVAL (1u << 25)

/* Whether size_B bytes at va are mapped; else the guest's error. */
static bool
is_whole(const struct engine_vm *vm, gpu_va va, uint64_t size_B)
{
    if (size_B <= vm_limit_B(vm, va) && vm_mapped_B(vm, va, size_B) == size_B)
        return true;
    guest_error("HuC copies %llu bytes at 0x%llx", (unsigned long long)size_B,
                (unsigned long long)va);
    return false;
}

bool
mfx_huc_copy(struct engine_context *ctx, const uint32_t *dw)
{
    const struct video_state *v = &ctx->hw->video;
    bool enabled = bits_get(v->huc_mode[1], 4, 4);
    if (!enabled || !(dw[4] & STREAM_OUT))
        return true;
    if (dw[4] & (START_CODE_SEARCH | EMULATION_REMOVAL))
        unimp("HuC stream object that changes the stream: 0x%x", dw[4]);
    uint64_t size_B = dw[1];
    gpu_va from = (mfx_va(v->huc_indirect + 1) & ~UINT64_C(0xfff)) +
                  (dw[2] & 0x1fffffff);
    gpu_va to = (mfx_va(v->huc_indirect + 6) & ~UINT64_C(0xfff)) +
                (dw[3] & 0x1fffffff);
    from &= VM_VA_MASK;
    to &= VM_VA_MASK;
    if (!is_whole(ctx->vm, from, size_B) || !is_whole(ctx->vm, to, size_B))
        return false;
    mfx_decode_waiting(ctx);
    memmove(vm_ptr(ctx->vm, to), vm_ptr(ctx->vm, from), size_B);
    return true;
}
