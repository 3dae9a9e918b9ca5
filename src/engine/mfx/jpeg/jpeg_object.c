/* jpeg_object.c: MFD_JPEG_BSD_OBJECT: makes a scan from packets and decodes it.
 */
#include "engine/mfx/jpeg/jpeg.h"
#include "engine/mfx/mfx.h"

/* Input_Format_YUV: blocks of an MCU per component, Y and chroma. */
static const struct {
    uint8_t h, v, chroma_h, chroma_v;
} formats[8] = {
    {1, 1, 0, 0}, /* 4:0:0 */
    {2, 2, 1, 1}, /* 4:2:0 */
    {2, 1, 1, 1}, /* 4:2:2, horizontal, 2 Y */
    {1, 1, 1, 1}, /* 4:4:4 */
    {4, 1, 1, 1}, /* 4:1:1 */
    {1, 2, 1, 1}, /* 4:2:2, vertical, 2 Y */
    {2, 2, 1, 2}, /* 4:2:2, horizontal, 4 Y */
    {2, 2, 2, 1}, /* 4:2:2, vertical, 4 Y */
};

/* Output_Format_YUV. Rules over MFX_SURFACE_STATE's format, which iHD leaves
 * odd. */
enum jpeg_output {
    OUTPUT_PLANAR, /* as coded, planes where MFX_SURFACE_STATE says */
    OUTPUT_NV12,
    OUTPUT_UYVY,
    OUTPUT_YUY2,
    OUTPUT_COUNT
};

/* Chroma is this much narrower and lower than luma; 0: any. */
static const struct {
    uint8_t shrinks_x, shrinks_y;
    /* byte of Y, Cb, Cr in a group, and bytes between samples */
    uint8_t place_B[JPEG_COMPONENTS], step_B[JPEG_COMPONENTS];
} outputs[OUTPUT_COUNT] = {
    [OUTPUT_PLANAR] = {0, 0, {0, 0, 0}, {1, 1, 1}},
    [OUTPUT_NV12] = {2, 2, {0, 0, 1}, {1, 2, 2}},
    [OUTPUT_UYVY] = {2, 1, {1, 0, 2}, {2, 4, 4}},
    [OUTPUT_YUY2] = {2, 1, {0, 1, 3}, {2, 4, 4}},
};

struct tables {
    struct jpeg_huffman dc[VIDEO_HUFFMAN], ac[VIDEO_HUFFMAN];
    struct jpeg_scan scan;
};

/* Tables by dword of MFX_JPEG_HUFF_TABLE_STATE: 12 counts of DC codes at 2,
 * their values at 5, 16 counts of AC codes at 8, 162 values at 12. Bytes after
 * the last value are undefined (Observed: of the driver's stack). */
static bool
read_huffman(struct tables *t, const struct video_state *v)
{
    for (unsigned i = 0; i < VIDEO_HUFFMAN; i++) {
        const uint8_t *bytes = (const uint8_t *)v->huffman[i];
        if (!jpeg_huffman_init(&t->dc[i], bytes + 2 * 4, 12, bytes + 5 * 4,
                               12) ||
            !jpeg_huffman_init(&t->ac[i], bytes + 8 * 4, 16, bytes + 12 * 4,
                               162))
            return false;
    }
    return true;
}

/* Sizes and tables. The output decides where the planes are. */
static void
init_components(struct tables *t, const struct video_state *v,
                enum jpeg_output output)
{
    unsigned format = bits_get(v->jpeg[1], 0, 2);
    unsigned h = formats[format].h, height = formats[format].v;
    unsigned columns = DIV_ROUND_UP(bits_get(v->jpeg[2], 0, 12) + 1, h);
    unsigned rows = DIV_ROUND_UP(bits_get(v->jpeg[2], 16, 28) + 1, height);
    for (unsigned c = 0; c < JPEG_COMPONENTS; c++) {
        struct jpeg_component *comp = &t->scan.component[c];
        bool chroma = c > 0;
        comp->h = chroma ? formats[format].chroma_h : h;
        comp->v = chroma ? formats[format].chroma_v : height;
        comp->columns = columns * comp->h;
        comp->rows = rows * comp->v;
        comp->place_B = outputs[output].place_B[c];
        comp->step_B = outputs[output].step_B[c];
        comp->row_limit = comp->rows * 8;
        /* Observed: a picture whose components share tables has the first
         * alone. */
        unsigned table = chroma && v->huffman[1][0];
        comp->dc = &t->dc[table];
        comp->ac = &t->ac[table];
        const uint8_t *matrix = (const uint8_t *)(v->matrix[c] + 2);
        for (unsigned i = 0; i < 64; i++)
            comp->matrix[i] = matrix[i];
    }
    t->scan.mcu_columns = columns;
}

static void
place_planes(struct jpeg_scan *scan, enum jpeg_output output)
{
    struct jpeg_component *comp = scan->component;
    const struct mfx_surface *s = &scan->target;
    if (output == OUTPUT_UYVY || output == OUTPUT_YUY2)
        return;
    if (s->u_row && comp[1].h)
        comp[0].row_limit = MIN2(comp[0].row_limit, s->u_row);
    comp[1].place_row = comp[2].place_row = s->u_row;
    if (output == OUTPUT_PLANAR) {
        comp[1].place_B = s->u_B;
        comp[2].place_row = s->v_row;
        comp[2].place_B = s->v_B;
    }
}

/* Whether the surface's chroma is as the picture's. Converting it is not
 * implemented. */
static bool
fits_output(unsigned format, enum jpeg_output output)
{
    unsigned x = outputs[output].shrinks_x, y = outputs[output].shrinks_y;
    unsigned chroma_h = formats[format].chroma_h;
    return !x || (chroma_h && formats[format].h == chroma_h * x &&
                  formats[format].v == formats[format].chroma_v * y);
}

/* Rows of the surface that any plane reaches. */
static uint32_t
surface_rows(const struct jpeg_scan *scan)
{
    uint32_t rows = 0;
    for (unsigned c = 0; c < JPEG_COMPONENTS; c++)
        if (scan->component[c].h)
            rows = MAX2(rows, scan->component[c].place_row +
                                  scan->component[c].row_limit);
    return rows;
}

/* What a command counts beyond the picture is left out. */
static void
limit_count(struct jpeg_scan *scan, unsigned mcu_rows)
{
    uint64_t all = (uint64_t)scan->mcu_columns * mcu_rows;
    uint64_t left = scan->first_mcu < all ? all - scan->first_mcu : 0;
    scan->mcu_count = (uint32_t)MIN2(scan->mcu_count, left);
}

/* A scan of one component has its blocks in raster order, and no blocks that
 * only fill MCUs: T.81 A.2.2. The count of MCUs tells whether the width in
 * blocks, which the packets do not have, is odd. Returns the rows. */
static unsigned
init_single(struct jpeg_scan *scan)
{
    unsigned rows = 0;
    for (unsigned c = 0; c < JPEG_COMPONENTS; c++) {
        const struct jpeg_component *comp = &scan->component[c];
        if (scan->components != 1u << c)
            continue;
        rows = comp->rows;
        scan->mcu_columns = MAX2(comp->columns, 1u);
        for (unsigned less = 0; less < comp->h && less < comp->columns; less++)
            if (scan->mcu_count % (comp->columns - less) == 0) {
                scan->mcu_columns = comp->columns - less;
                break;
            }
    }
    return rows;
}

/* Whether this conversion and rotation are implemented. */
static bool
is_supported(const struct video_state *v)
{
    unsigned format = bits_get(v->jpeg[1], 0, 2);
    unsigned output = bits_get(v->jpeg[1], 8, 11);
    unsigned rotation = bits_get(v->jpeg[1], 4, 5);
    if (output < OUTPUT_COUNT && fits_output(format, output) && !rotation)
        return true;
    unimp("JPEG of format %u to %u, rotated %u", format, output, rotation);
    return false;
}

/* False after a guest error. */
static bool
init_scan(struct tables *t, struct engine_context *ctx, const uint32_t *dw)
{
    const struct video_state *v = &ctx->hw->video;
    struct jpeg_scan *scan = &t->scan;
    enum jpeg_output output = bits_get(v->jpeg[1], 8, 11);
    gpu_va va = mfx_target_va(v);
    init_components(t, v, output);
    if (!mfx_surface_init(&scan->target, ctx->vm, v->surface, va, 0, 0))
        return false;
    place_planes(scan, output);
    scan->stream = mfx_stream_at(ctx, dw[2], dw[1]);
    scan->components = bits_get(dw[4], 27, 29);
    scan->interleaved = bits_get(dw[4], 30, 30);
    scan->mcu_count = bits_get(dw[4], 0, 25);
    scan->restart_interval = bits_get(dw[5], 0, 15);
    scan->hang = &ctx->hang;
    scan->idct = mfx_idct_selected();
    unsigned mcu_rows = scan->component[0].rows / scan->component[0].v;
    if (!scan->interleaved)
        mcu_rows = init_single(scan);
    scan->first_mcu = bits_get(dw[3], 0, 12) * scan->mcu_columns +
                      bits_get(dw[3], 16, 28);
    limit_count(scan, mcu_rows);
    uint32_t width_B = scan->component[0].columns * 8 *
                       scan->component[0].step_B;
    return mfx_surface_init(&scan->target, ctx->vm, v->surface, va, width_B,
                            surface_rows(scan));
}

bool
mfx_jpeg_object(struct engine_context *ctx, const uint32_t *dw)
{
    struct video_state *v = &ctx->hw->video;
    struct mfx_report report = {0};
    struct tables t = {0};
    bool ok = true;
    if (!is_supported(v))
        return true;
    if (!read_huffman(&t, v))
        report.errors = MFX_JPEG_BAD_CODE;
    else
        ok = init_scan(&t, ctx, dw) && jpeg_decode_scan(&t.scan, &report);
    mfx_add_report(v, &report);
    return ok;
}
