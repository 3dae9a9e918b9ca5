/* mfx_state.c: packets that are latched, status registers, the memory of
 * bitstreams. */
#include "engine/mfx/mfx.h"
#include "engine/mfx/mfx_stream.h"

#define PACKET(opcode, member, rows)                                    \
    {                                                                   \
        opcode, offsetof(struct video_state, member),                   \
            sizeof((struct video_state *)NULL)->member / (rows), (rows) \
    }
/* rows > 1: dword 1 tells which. */
static const struct {
    uint16_t opcode; /* dw0[31:16] */
    uint16_t at, size_B;
    uint16_t rows; /* a power of two */
} packets[] = {
    PACKET(0x7000, pipe_mode, 1),
    PACKET(0x7001, surface, 1),
    PACKET(0x7002, buffers, 1),
    PACKET(0x7003, indirect, 1),
    PACKET(0x7007, matrix, VIDEO_MATRICES),
    PACKET(0x7100, avc_image, 1),
    PACKET(0x7102, avc_direct, 1),
    PACKET(0x7103, avc_slice, 1),
    PACKET(0x7104, avc_refs, VIDEO_LISTS),
    PACKET(0x7105, avc_weights, VIDEO_LISTS),
    PACKET(0x7300, mpeg2, 1),
    PACKET(0x7700, jpeg, 1),
    PACKET(0x7702, huffman, VIDEO_HUFFMAN),
    PACKET(0x7580, huc_mode, 1),
    PACKET(0x7585, huc_indirect, 1),
};
#undef PACKET

#define OP_PIPE_MODE_SELECT 0x7000
#define OP_SURFACE_STATE 0x7001

/* Tables of the last picture must not serve the next. */
static void
begin_picture(struct video_state *v)
{
    memset(v->matrix, 0, sizeof v->matrix);
    memset(v->huffman, 0, sizeof v->huffman);
    v->errors = v->decoded = v->concealed = 0;
}

void
mfx_store(struct video_state *v, const uint32_t *dw, unsigned len_dw)
{
    unsigned opcode = dw[0] >> 16;
    if (opcode == OP_PIPE_MODE_SELECT)
        begin_picture(v);
    /* Other surfaces belong to encoders and scalers. */
    if (opcode == OP_SURFACE_STATE && bits_get(dw[1], 0, 3))
        return;
    for (unsigned i = 0; i < ARRAY_SIZE(packets); i++) {
        if (packets[i].opcode != opcode)
            continue;
        size_t row = dw[1] & (packets[i].rows - 1u);
        uint8_t *to = (uint8_t *)v + packets[i].at + row * packets[i].size_B;
        size_t size_B = MIN2(packets[i].size_B, len_dw * 4);
        memset(to, 0, packets[i].size_B);
        memcpy(to, dw, size_B);
    }
}

/* ---- status ------------------------------------------------------------- */

#define REG_MFX_ERROR_FLAG 0x12800
#define REG_MFX_MB_COUNT 0x12868

/* What batches of stock drivers store from: the status of MFX, of its encoders,
 * and of HCP. All is 0, but what a decoder counts. Guess: MFX_MB_COUNT's upper
 * half has the decoded macroblocks. */
static const struct {
    uint32_t first, end;
} registers[] = {
    {0x12800, 0x12a00},
    {0x1e900, 0x1ea00},
};

bool
mfx_register(const struct video_state *v, uint32_t offset, uint32_t *value)
{
    *value = 0;
    if (offset == REG_MFX_ERROR_FLAG)
        *value = v->errors;
    else if (offset == REG_MFX_MB_COUNT)
        *value = MIN2(v->decoded, 0xffffu) << 16 | MIN2(v->concealed, 0xffffu);
    for (unsigned i = 0; i < ARRAY_SIZE(registers); i++)
        if (offset >= registers[i].first && offset < registers[i].end)
            return true;
    return false;
}

void
mfx_add_report(struct video_state *v, const struct mfx_report *report)
{
    v->errors |= report->errors;
    v->decoded += report->decoded;
    v->concealed += report->concealed;
}

/* ---- memory ------------------------------------------------------------- */

gpu_va
mfx_target_va(const struct video_state *v)
{
    bool pre = bits_get(v->pipe_mode[1], 8, 8);
    return mfx_va(v->buffers + (pre ? 1 : 4));
}

struct mfx_stream
mfx_stream_at(const struct engine_context *ctx, uint32_t offset,
              uint32_t length_B)
{
    const struct video_state *v = &ctx->hw->video;
    gpu_va base = mfx_va(v->indirect + 1) & ~UINT64_C(0xfff);
    /* Observed: iHD has the address of the last page in it, i965 has 0. */
    gpu_va bound = mfx_va(v->indirect + 4) & ~UINT64_C(0xfff);
    gpu_va at = (base + (offset & 0x1fffffff)) & VM_VA_MASK;
    uint64_t size_B = length_B;
    if (bound) {
        bound += 0x1000;
        size_B = at < bound ? MIN2(size_B, bound - at) : 0;
    }
    size_B = MIN2(size_B, vm_limit_B(ctx->vm, at));
    return (struct mfx_stream){
        .bytes = vm_ptr(ctx->vm, at),
        .size_B = vm_mapped_B(ctx->vm, at, size_B),
    };
}
