/* fuzz_mfx.c: any bytes as state and bitstream of the video engine.
 *
 * The input: codec, then pairs of a dword's index and its value, which change
 * plausible packets, then objects: their dwords and bytes of the bitstream.
 * Seeds are slices and scans of real streams. */
#include "fuzz.h"
#include "fuzz_engine.h"

#include "engine/mfx/mfx.h"

#include <stdlib.h>

#define MEM_VA UINT64_C(0x100000)
#define MEM_B 0x80000u
#define SURFACE_B 0x10000u /* target and references, from MEM_VA on */
#define SURFACES 3u
#define STREAM_B 0x40000u
#define STREAM_MAX_B 0x20000u
#define MOTION_B 0x60000u /* of the target and of both references */
#define MOTION_EACH_B 0x2000u
#define OBJECTS_MAX 16
#define CHANGES_MAX 16

static struct engine_context *ctx;
static uint8_t *mem;

static void
set_up(void)
{
    struct fuzz_engine f = fuzz_engine_create(
        &(struct engine_config){.gen = 9, .hang_limit_ms = 5000}, MEM_VA,
        MEM_B);
    mem = f.mem;
    ctx = engine_context_create(f.engine, f.vm);
    if (!ctx)
        abort();
    context_begin_work(ctx);
}

/* H.264: two frame stores, and a slice of the whole picture. */
static void
plausible_avc(struct video_state *v)
{
    uint32_t motion = (uint32_t)MEM_VA + MOTION_B;
    v->avc_image[2] = 7u << 16 | 15;
    v->avc_image[4] = 1u << 10 | 1u << 4;
    v->avc_direct[34] = motion;
    for (unsigned i = 0; i < 2; i++) {
        v->avc_direct[1 + i * 2] = motion + (1 + i) * MOTION_EACH_B;
        v->avc_direct[37 + i * 2] = v->avc_direct[38 + i * 2] = i * 8;
        v->avc_refs[i][2] = i ? 0x80800002 : 0x80800200;
    }
    v->avc_direct[69] = v->avc_direct[70] = 4;
    v->avc_slice[5] = 8u << 16;
}

/* A Y-tiled surface of 256 x 128 pixels, two references, flat tables. */
static void
plausible_state(struct video_state *v)
{
    memset(v, 0, sizeof *v);
    v->pipe_mode[1] = 1u << 8;
    v->surface[2] = 127u << 18 | 255u << 4;
    v->surface[3] = 255u << 3 | 3;
    v->surface[4] = v->surface[5] = 128;
    v->buffers[1] = (uint32_t)MEM_VA;
    for (unsigned i = 0; i < 4; i++)
        v->buffers[19 + i * 2] = (uint32_t)MEM_VA + (1 + i % 2) * SURFACE_B;
    v->indirect[1] = (uint32_t)MEM_VA + STREAM_B;
    v->mpeg2[1] = 3u << 12 | 0x22220000;
    v->mpeg2[2] = 1u << 9;
    v->mpeg2[3] = 7u << 16 | 15;
    v->jpeg[1] = 1u << 8 | 1;
    v->jpeg[2] = 15u << 16 | 31;
    for (unsigned i = 0; i < VIDEO_MATRICES; i++)
        memset(v->matrix[i] + 2, 16, 64);
    plausible_avc(v);
}

/* Every kind of packet, by its dwords; Huffman tables follow the input. */
static void
change_state(struct fuzz_input *in, struct video_state *v)
{
    unsigned count = fuzz_take(in, 1) % CHANGES_MAX;
    for (unsigned i = 0; i < count; i++) {
        uint32_t at = fuzz_take(in, 2) % (sizeof *v / 4);
        uint32_t value = fuzz_take(in, 4);
        memcpy((uint8_t *)v + at * 4, &value, 4);
    }
}

static void
take_tables(struct fuzz_input *in, struct video_state *v)
{
    for (unsigned i = 0; i < VIDEO_HUFFMAN; i++)
        for (unsigned j = 1; j < ARRAY_SIZE(v->huffman[i]); j++)
            v->huffman[i][j] = fuzz_take(in, 4);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 16; j++)
            v->matrix[i][2 + j] = fuzz_take(in, 4);
}

static void
run_objects(struct fuzz_input *in, unsigned codec)
{
    static bool (*const decode[])(struct engine_context *, const uint32_t *) = {
        mfx_mpeg2_object, mfx_jpeg_object, mfx_huc_copy, mfx_avc_object};
    unsigned objects = 0;
    for (; in->at < in->end && objects < OBJECTS_MAX; objects++) {
        uint32_t dw[6] = {0};
        for (unsigned i = 3; i < 6; i++)
            dw[i] = fuzz_take(in, 4);
        uint32_t size_B = fuzz_take(in, 2);
        size_B = (uint32_t)MIN2(size_B, (size_t)(in->end - in->at));
        memset(mem + STREAM_B, 0, STREAM_MAX_B);
        memcpy(mem + STREAM_B, in->at, size_B);
        in->at += size_B;
        dw[1] = size_B;
        if (codec == 2)
            dw[2] = dw[5];
        decode[codec](ctx, dw);
    }
    mfx_end_picture(ctx);
    fuzz_count("objects", objects);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    struct fuzz_input in = {data, data + size_B};
    if (!ctx)
        set_up();
    struct video_state *v = &ctx->hw->video;
    unsigned codec = fuzz_take(&in, 1) % 4;
    plausible_state(v);
    change_state(&in, v);
    if (codec == 1)
        take_tables(&in, v);
    for (uint32_t i = 0, x = 1; i < SURFACES * SURFACE_B; i++)
        mem[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    vm_thread_enter();
    run_objects(&in, codec);
    uint32_t value;
    mfx_register(v, 0x12868, &value);
    vm_thread_leave();
    return 0;
}
