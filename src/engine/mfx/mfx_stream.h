/* mfx_stream.h: the bitstream, the target's address and the status report of
 * all decoders of mfx/. */
#ifndef ENGINE_MFX_STREAM_H
#define ENGINE_MFX_STREAM_H

#include "engine/state/hw_state.h"

/* Bits of MFX_ERROR_FLAG for MPEG-2; JPEG has its own. KBL PRM vol 2d,
 * "MPEG2". */
enum {
    MFX_MPEG2_CONCEALED = 1 << 0,
    MFX_MPEG2_MISSING_MB = 1 << 1,
    MFX_MPEG2_OUT_OF_BOUNDS = 1 << 3,
    MFX_MPEG2_MISSING_EOB = 1 << 5,
};
/* Guess: bits of MFX_ERROR_FLAG for AVC; drivers only tell them from 0. */
enum {
    MFX_AVC_CONCEALED = 1 << 0,
    MFX_AVC_BAD_SLICE = 1 << 1,
};
/* KBL PRM vol 2d, "JPEG". */
enum {
    MFX_JPEG_MISSING_ECS = 1 << 0,
    MFX_JPEG_MISSING_BLOCK = 1 << 2,
    MFX_JPEG_BAD_CODE = 1 << 4,
};

/* What a slice or scan adds to the status of its picture. */
struct mfx_report {
    uint32_t errors;             /* of the codec's bits above */
    uint32_t decoded, concealed; /* macroblocks or MCUs */
};

struct mfx_stream {
    const uint8_t *bytes;
    size_t size_B;
};

/* The bytes of an object: length_B at an offset from the base of
 * MFX_IND_OBJ_BASE_ADDR_STATE. Ends before the upper bound, if there is one,
 * and before memory that is not mapped. */
struct mfx_stream mfx_stream_at(const struct engine_context *ctx,
                                uint32_t offset, uint32_t length_B);
/* The address that the picture is written to. */
gpu_va mfx_target_va(const struct video_state *v);
/* Adds a report to the picture's status. */
void mfx_add_report(struct video_state *v, const struct mfx_report *report);

static inline gpu_va
mfx_va(const uint32_t *dw)
{
    return ((uint64_t)(dw[1] & 0xffff) << 32 | dw[0]) & ~UINT64_C(63);
}

#endif
