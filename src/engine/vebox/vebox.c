/* vebox.c: packets that are latched, and VEB_DI_IECP: decodes a frame and runs
 * bands of its rows on the pool. */
#include "engine/vebox/vebox.h"
#include "engine/vebox/sfc/sfc.h"
#include "engine/vebox/frame/frame.h"

#include <stdlib.h>

#include "base/pool.h"

#define PACKET(opcode, member)                         \
    {                                                  \
        opcode, offsetof(struct vebox_state, member),  \
            sizeof((struct vebox_state *)NULL)->member \
    }
static const struct {
    uint16_t opcode; /* dw0[31:16] */
    uint16_t at, size_B;
} packets[] = {PACKET(0x7402, state),      PACKET(0x7500, sfc_lock),
               PACKET(0x7501, sfc),        PACKET(0x7502, avs),
               PACKET(0x7503, ief),        PACKET(0x7505, avs_luma),
               PACKET(0x7506, avs_chroma), PACKET(0x7400, surface[0]),
               PACKET(0x7504, sfc_started)};
#undef PACKET

#define OP_SURFACE_STATE 0x7400
#define OP_SFC_FRAME_START 0x7504

void
vebox_latch(struct vebox_state *v, const uint32_t *dw, unsigned len_dw)
{
    unsigned opcode = dw[0] >> 16;
    for (unsigned i = 0; i < ARRAY_SIZE(packets); i++) {
        if (packets[i].opcode != opcode)
            continue;
        uint8_t *to = (uint8_t *)v + packets[i].at;
        if (opcode == OP_SURFACE_STATE)
            to += bits_get(dw[1], 0, 0) * sizeof v->surface[0];
        memset(to, 0, packets[i].size_B);
        memcpy(to, dw, MIN2(packets[i].size_B, len_dw * 4));
    }
}

/* ---- state in memory ---- */

#define IECP_DW 91
#define DNDI_DW 18
#define GAMUT_DW 38
#define CAPTURE_DW 7
#define GAMMA_DW 512

/* Pointers and addresses are pages. */
static gpu_va
page_va(const uint32_t *dw)
{
    return ((uint64_t)(dw[1] & 0xffff) << 32 | dw[0]) & ~UINT64_C(0xfff);
}

static bool
read_table(struct vebox_frame *f, const uint32_t *pointer, uint32_t *to,
           unsigned size_dw, const char *name)
{
    const struct engine_vm *vm = f->ctx->vm;
    gpu_va va = page_va(pointer);
    if (vm_limit_B(vm, va) < size_dw * 4 ||
        vm_mapped_B(vm, va, size_dw * 4) < size_dw * 4) {
        guest_error("VEBOX: %s state at 0x%llx", name, (unsigned long long)va);
        return false;
    }
    memcpy(to, vm_ptr(vm, va), size_dw * 4);
    return true;
}

/* Flags of VEBOX_STATE's dword 1. */
#define GAMUT (3u << 0)
#define IECP (1u << 2)
#define DN (1u << 3)
#define DI (1u << 4)
#define FIRST_FRAME (1u << 5)
#define AVERAGE_Y (1u << 6)
#define AVERAGE_X (1u << 7)
#define DEMOSAIC (1u << 10)
#define VIGNETTE (1u << 11)
#define ALPHA_PLANE (1u << 12)
#define HOT_PIXELS (1u << 13)
#define LACE (1u << 16)
#define NO_TEMPORAL (1u << 18)
#define FORWARD_GAMMA (1u << 21)

static bool
read_tables(struct vebox_frame *f, const uint32_t *state)
{
    uint32_t table[GAMMA_DW], flags = state[1];
    if (flags & (DN | DI | HOT_PIXELS)) {
        if (!read_table(f, state + 2, table, DNDI_DW, "DNDI"))
            return false;
        vebox_denoise_init(&f->denoise, table);
        vebox_deinterlace_init(&f->deinterlace, table);
        vebox_statistics_read_dndi(&f->statistics, table);
    }
    f->denoise.enabled = flags & (DN | HOT_PIXELS);
    f->denoise.temporal = (flags & DN) && !(flags & NO_TEMPORAL);
    f->denoise.hot_pixels = flags & HOT_PIXELS;
    f->deinterlace.enabled = f->interlaced = flags & DI;
    if (f->interlaced)
        f->denoise.progressive = false;
    if (!(flags & IECP))
        return true;
    if (!read_table(f, state + 4, table, IECP_DW, "IECP"))
        return false;
    vebox_iecp_init(&f->iecp, table);
    vebox_statistics_read_iecp(&f->statistics, table);
    if (flags & GAMUT) {
        if (!read_table(f, state + 6, table, GAMUT_DW, "gamut"))
            return false;
        vebox_gamut_init(&f->iecp.gamut, table, flags);
    }
    if (flags & FORWARD_GAMMA) {
        if (!read_table(f, state + 14, table, GAMMA_DW, "gamma"))
            return false;
        vebox_gamma_init(&f->iecp, table);
    }
    return true;
}

/* ---- surfaces ---- */

#define NAMES_DW 24 /* of VEB_DI_IECP */

static bool
surface_at(struct vebox_frame *f, struct vebox_surface *s,
           const struct vebox_surface_state *state, const uint32_t *names,
           enum vebox_address which)
{
    if (bits_get(names[which], 9, 10))
        unimp("VEBOX: surfaces in TileYf or TileYs");
    return vebox_surface_init(s, state, f->ctx->vm, page_va(names + which));
}

/* An output frame: not with SFC, which has one of its own, and not of address
 * 0, which stock drivers leave where no frame is expected. */
static bool
outputs_init(struct vebox_frame *f, const struct vebox_state *v,
             const uint32_t *names)
{
    static const uint8_t which[2] = {VEBOX_CURRENT_OUT, VEBOX_PREVIOUS_OUT};
    struct vebox_surface_state state = vebox_surface_state(v->surface[1]);
    unsigned frames = bits_get(v->state[1], 8, 9);
    bool wanted[2] = {frames != 1,
                      frames != 2 && f->interlaced && f->has_history};
    if (!f->interlaced)
        wanted[0] = f->iecp.enabled;
    /* Guess: the output surface is at least as large as the frame. */
    state.width = f->width;
    state.height = f->height;
    for (unsigned i = 0; i < 2; i++) {
        if (!wanted[i] || !page_va(names + which[i]))
            continue;
        if (!surface_at(f, &f->out[i], &state, names, which[i]))
            return false;
        if (state.format->layout == VEBOX_BAYER) {
            guest_error("VEBOX: an output of Bayer patterns");
            return false;
        }
    }
    return true;
}

static void
motion_init(struct vebox_frame *f, const struct vebox_state *v,
            const uint32_t *names)
{
    const struct engine_vm *vm = f->ctx->vm;
    uint32_t pitch_B = bits_get(v->surface[0][7], 0, 16) + 1;
    if (!f->interlaced && !f->denoise.enabled)
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct vebox_motion *m = i ? &f->stmm_out : &f->stmm_in;
        gpu_va va = page_va(names + (i ? VEBOX_STMM_OUT : VEBOX_STMM_IN));
        uint64_t size_B = (uint64_t)pitch_B * f->height;
        if (!va || (!i && !f->has_history))
            continue;
        if (pitch_B < f->width || size_B > vm_limit_B(vm, va))
            guest_error("VEBOX: STMM at 0x%llx, pitch %u",
                        (unsigned long long)va, pitch_B);
        else
            *m = (struct vebox_motion){vm_ptr(vm, va), pitch_B};
    }
}

/* Guess: frames of Bayer patterns have no history. */
static bool
capture_init(struct vebox_frame *f, const uint32_t *state)
{
    uint32_t table[CAPTURE_DW];
    if (!(state[1] & DEMOSAIC) || f->current.format->layout != VEBOX_BAYER)
        return true;
    f->has_history = false;
    if (!read_table(f, state + 10, table, CAPTURE_DW, "capture pipe"))
        return false;
    vebox_capture_init(&f->capture, table, f->current.bayer);
    return true;
}

static bool
frame_init(struct vebox_frame *f, const struct vebox_state *v,
           const uint32_t *names)
{
    struct vebox_surface_state in = vebox_surface_state(v->surface[0]);
    uint32_t flags = v->state[1];
    f->width = in.width;
    f->height = in.height;
    f->x[0] = MIN2(bits_get(names[1], 16, 29), in.width - 1);
    f->x[1] = MIN2(bits_get(names[1], 0, 13) + 1, in.width);
    f->downsample = (struct vebox_downsample){.x = flags & AVERAGE_X ? 4 : 0,
                                              .y = flags & AVERAGE_Y ? 4 : 0};
    f->has_history = !(flags & FIRST_FRAME) && (flags & (DN | DI));
    if (f->x[0] >= f->x[1])
        return true;
    if (flags & VIGNETTE)
        unimp("VEBOX: vignette correction");
    if (flags & (LACE | ALPHA_PLANE))
        unimp("VEBOX: LACE or an alpha plane");
    if (!read_tables(f, v->state) ||
        !surface_at(f, &f->current, &in, names, VEBOX_CURRENT))
        return false;
    if (!capture_init(f, v->state))
        return false;
    if (f->has_history &&
        !surface_at(f, &f->previous, &in, names, VEBOX_PREVIOUS))
        return false;
    if (f->denoise.enabled && page_va(names + VEBOX_DENOISED) &&
        !surface_at(f, &f->denoised, &in, names, VEBOX_DENOISED))
        return false;
    motion_init(f, v, names);
    vebox_statistics_init(f, names, flags);
    return true;
}

/* ---- run ---- */

#define BAND 32 /* rows; a multiple of 4: see vebox_store_rows() */

struct run {
    struct vebox_frame *frame;
    struct vebox_worker *workers;
    int64_t begun_ns;
    unsigned bands;
    atomic_uint done;
    atomic_bool stop;
};

static void
store_denoised(struct vebox_worker *w, uint32_t y, unsigned rows)
{
    const struct vebox_frame *f = w->frame;
    struct vebox_line lines[4];
    for (unsigned i = 0; i < rows; i++)
        lines[i] = *vebox_row(w, VEBOX_ROWS_CLEAN, y + i);
    vebox_store_rows(&f->denoised, y, lines, rows, f->x, f->interlaced,
                     (struct vebox_downsample){4, 4}, w->scratch);
}

static void
store_output(struct vebox_worker *w, unsigned output, uint32_t y, unsigned rows)
{
    const struct vebox_frame *f = w->frame;
    struct vebox_line lines[4];
    if (w->output != output)
        memset(w->rows[VEBOX_ROWS_DONE].y, 0xff,
               sizeof w->rows[VEBOX_ROWS_DONE].y);
    w->output = output;
    for (unsigned i = 0; i < rows; i++)
        lines[i] = *vebox_row(w, VEBOX_ROWS_DONE, y + i);
    vebox_store_rows(&f->out[output], y, lines, rows, f->x, false,
                     f->downsample, w->scratch);
}

static void
run_rows(struct vebox_worker *w, uint32_t y)
{
    const struct vebox_frame *f = w->frame;
    unsigned rows = MIN2(4, f->height - y);
    for (unsigned i = 0; i < rows; i++) {
        if (f->deinterlace.enabled)
            vebox_deinterlace_motion(w, y + i);
        if (f->denoise.enabled)
            vebox_denoise_history(w, y + i);
    }
    if (f->denoised.format)
        store_denoised(w, y, rows);
    for (unsigned i = 0; i < 2; i++)
        if (f->out[i].format)
            store_output(w, i, y, rows);
    vebox_statistics_rows(w, y, rows);
}

static void
run_band(void *ctx, unsigned index, unsigned worker)
{
    struct run *run = ctx;
    const struct vebox_frame *f = run->frame;
    const struct hang *hang = &f->ctx->hang;
    if (atomic_load(&run->stop))
        return;
    vm_thread_enter();
    uint32_t end = MIN2((index + 1) * BAND, f->height);
    for (uint32_t y = index * BAND; y < end; y += 4)
        run_rows(&run->workers[worker], y);
    vm_thread_leave();
    unsigned done = atomic_fetch_add(&run->done, 1) + 1;
    if (hang_is_late(hang, run->begun_ns) &&
        hang_is_hopeless(hang, run->begun_ns, done, run->bands, "VEBOX"))
        atomic_store(&run->stop, true);
}

static bool
run_frame(struct vebox_frame *f)
{
    struct pool *pool = engine_pool(f->ctx->engine);
    struct run run = {.frame = f, .begun_ns = clock_tick_ns()};
    unsigned workers = pool_workers(pool);
    bool ok = true;
    run.bands = DIV_ROUND_UP(f->height, BAND);
    run.workers = calloc(workers, sizeof run.workers[0]);
    for (unsigned i = 0; run.workers && i < workers; i++)
        ok &= vebox_worker_init(&run.workers[i], f, f->width);
    if (run.workers && ok) {
        pool_for(pool, run.bands, run_band, &run);
        vebox_statistics_finish(f, run.workers, workers);
    } else
        guest_error("no memory for a frame of the VEBOX");
    for (unsigned i = 0; run.workers && i < workers; i++)
        vebox_worker_finish(&run.workers[i]);
    free(run.workers);
    return !atomic_load(&run.stop);
}

static bool
process(struct vebox_frame *f, struct vebox_state *v, const uint32_t *names)
{
    bool sfc = v->sfc_started && bits_get(v->sfc_lock[1], 0, 0);
    v->sfc_started = 0;
    if (!frame_init(f, v, names))
        return false;
    if (f->x[0] >= f->x[1])
        return true;
    if (!sfc && !outputs_init(f, v, names))
        return false;
    return run_frame(f) && (!sfc || sfc_run(f, v));
}

bool
vebox_process(struct engine_context *ctx, const uint32_t *dw, unsigned len_dw)
{
    uint32_t names[NAMES_DW] = {0};
    struct vebox_frame *f = calloc(1, sizeof *f);
    memcpy(names, dw, MIN2(len_dw, NAMES_DW) * 4);
    if (!f) {
        guest_error("no memory for a frame of the VEBOX");
        return false;
    }
    f->ctx = ctx;
    bool ok = process(f, &ctx->hw->vebox, names);
    free(f);
    return ok;
}

/* Rows as they are, byte for byte, if both have one format. */
bool
vebox_convert_tiling(struct engine_context *ctx, const uint32_t *dw)
{
    const struct vebox_state *v = &ctx->hw->vebox;
    uint32_t names[NAMES_DW] = {0};
    struct vebox_frame *f = calloc(1, sizeof *f);
    if (!f)
        return false;
    f->ctx = ctx;
    memcpy(names + VEBOX_CURRENT, dw + 1, 8);
    memcpy(names + VEBOX_CURRENT_OUT, dw + 3, 8);
    struct vebox_surface_state in = vebox_surface_state(v->surface[0]);
    struct vebox_surface_state out = vebox_surface_state(v->surface[1]);
    f->width = in.width;
    f->height = in.height;
    f->x[1] = in.width;
    f->downsample = (struct vebox_downsample){4, 4};
    out.width = in.width;
    out.height = in.height;
    bool ok = surface_at(f, &f->current, &in, names, VEBOX_CURRENT) &&
              surface_at(f, &f->out[0], &out, names, VEBOX_CURRENT_OUT) &&
              run_frame(f);
    free(f);
    return ok;
}
