/* sfc_run.c: runs bands of the output on the pool: fills the frame, then puts
 * strips of scaled rows where the rotation has them. */
#include "engine/vebox/sfc/sfc.h"

#include <stdlib.h>

#include "base/pool.h"

/* Scaled rows that are stored together: rows of the output, or columns. Even,
 * because pairs share chroma. */
#define STRIP 16
_Static_assert(STRIP <= VEBOX_ROWS, "lines of a strip");

struct sfc_pass {
    const struct sfc *sfc;
    struct sfc_worker *workers;
    unsigned strips;
    int64_t begun_ns;
    atomic_uint done;
    atomic_bool stop;
};

static uint16_t *
rows_init(struct vebox_line *lines, uint32_t *y, uint16_t *at, size_t width)
{
    for (unsigned i = 0; i < VEBOX_ROWS; i++) {
        for (unsigned c = 0; c < VEBOX_CHANNELS; c++) {
            lines[i].ch[c] = at + VEBOX_MARGIN;
            at += width + 2 * VEBOX_MARGIN;
        }
        if (y)
            y[i] = UINT32_MAX;
    }
    return at;
}

static bool
worker_init(struct sfc_worker *w, const struct sfc *s)
{
    size_t width = s->x.size + 2 * VEBOX_MARGIN;
    uint32_t wide = MAX2(s->out.width, s->frame->width);
    w->sfc = s;
    if (!vebox_worker_init(&w->vebox, s->frame, wide))
        return false;
    w->memory = calloc(3 * VEBOX_ROWS * VEBOX_CHANNELS, width * 2);
    if (!w->memory)
        return false;
    uint16_t *at = w->memory;
    at = rows_init(w->wide.line, w->wide.y, at, s->x.size);
    at = rows_init(w->scaled.line, w->scaled.y, at, s->x.size);
    rows_init(w->strip, NULL, at, s->x.size);
    return true;
}

/* ---- fill ---------------------------------------------------------------- */

static void
fill_frame(struct vebox_worker *w, const struct sfc *s)
{
    struct vebox_line lines[4];
    const uint32_t x[2] = {0, s->out.width};
    for (unsigned i = 0; i < 4; i++) {
        lines[i] = w->spare[i];
        for (unsigned c = 0; c < VEBOX_CHANNELS; c++)
            for (uint32_t at = 0; at < s->out.width; at++)
                lines[i].ch[c][at] = s->fill_color[c];
    }
    for (uint32_t y = 0; y < s->out.height; y += 4)
        vebox_store_rows(&s->out, y, lines, MIN2(4, s->out.height - y), x,
                         false, (struct vebox_downsample){4, 4}, w->scratch);
}

/* ---- strips -------------------------------------------------------------- */

/* The scaled rows of a strip, in the order of the output's rows or columns. */
static unsigned
make_strip(struct sfc_worker *w, uint32_t first)
{
    const struct sfc *s = w->sfc;
    unsigned count = MIN2(STRIP, s->y.size - first);
    bool reversed = s->rotation == 1 || s->rotation == 2;
    for (unsigned i = 0; i < count; i++) {
        uint32_t y = first + i;
        sfc_final_row(w, reversed ? s->y.size - 1 - y : y, &w->strip[i]);
    }
    return count;
}

/* Rows stay rows: moved to the region, or mirrored for a half turn. */
static void
store_rows(struct sfc_worker *w, uint32_t first, unsigned count)
{
    const struct sfc *s = w->sfc;
    uint32_t width = s->x.size;
    const uint32_t x[2] = {s->out_x, s->out_x + width};
    for (unsigned at = 0; at < count; at += 4) {
        unsigned rows = MIN2(4, count - at);
        for (unsigned i = 0; i < rows; i++) {
            for (unsigned c = 0; c < VEBOX_CHANNELS; c++) {
                const uint16_t *from = w->strip[at + i].ch[c];
                uint16_t *to = w->vebox.spare[i].ch[c] + s->out_x;
                for (uint32_t n = 0; s->rotation && n < width; n++)
                    to[n] = from[width - 1 - n];
                if (!s->rotation)
                    memcpy(to, from, width * sizeof(uint16_t));
                to[width] = to[width - 1]; /* for a pair's chroma */
            }
        }
        vebox_store_rows(&s->out, s->out_y + first + at, w->vebox.spare, rows,
                         x, false, s->downsample, w->vebox.scratch);
    }
}

/* Rows become columns, from `first` on; columns become rows, upwards for three
 * quarter turns. */
static void
store_columns(struct sfc_worker *w, uint32_t first, unsigned count)
{
    const struct sfc *s = w->sfc;
    uint32_t high = s->x.size;
    const uint32_t x[2] = {s->out_x + first, s->out_x + first + count};
    for (uint32_t y = 0; y < high; y += 4) {
        unsigned rows = MIN2(4, high - y);
        for (unsigned i = 0; i < rows; i++) {
            uint32_t column = s->rotation == 3 ? high - 1 - y - i : y + i;
            for (unsigned c = 0; c < VEBOX_CHANNELS; c++) {
                uint16_t *to = w->vebox.spare[i].ch[c] + x[0];
                for (unsigned n = 0; n < count; n++)
                    to[n] = w->strip[n].ch[c][column];
                to[count] = to[count - 1]; /* for a pair's chroma */
            }
        }
        vebox_store_rows(&s->out, s->out_y + y, w->vebox.spare, rows, x, false,
                         s->downsample, w->vebox.scratch);
    }
}

static void
run_strip(void *ctx, unsigned index, unsigned worker)
{
    struct sfc_pass *pass = ctx;
    const struct sfc *s = pass->sfc;
    struct sfc_worker *w = &pass->workers[worker];
    const struct hang *hang = &s->frame->ctx->hang;
    if (atomic_load(&pass->stop))
        return;
    vm_thread_enter();
    unsigned count = make_strip(w, index * STRIP);
    if (s->rotation & 1)
        store_columns(w, index * STRIP, count);
    else
        store_rows(w, index * STRIP, count);
    vm_thread_leave();
    unsigned done = atomic_fetch_add(&pass->done, 1) + 1;
    if (hang_is_late(hang, pass->begun_ns) &&
        hang_is_hopeless(hang, pass->begun_ns, done, pass->strips, "SFC"))
        atomic_store(&pass->stop, true);
}

static bool
run_pass(const struct sfc *s)
{
    struct pool *pool = engine_pool(s->frame->ctx->engine);
    unsigned workers = pool_workers(pool);
    struct sfc_pass pass = {.sfc = s,
                            .strips = DIV_ROUND_UP(s->y.size, STRIP),
                            .begun_ns = clock_tick_ns(),
                            .workers = calloc(workers, sizeof *pass.workers)};
    bool ok = pass.workers;
    for (unsigned i = 0; pass.workers && i < workers; i++)
        ok &= worker_init(&pass.workers[i], s);
    if (ok) {
        if (s->fill)
            fill_frame(&pass.workers[0].vebox, s);
        pool_for(pool, pass.strips, run_strip, &pass);
    } else
        guest_error("no memory for a frame of the SFC");
    for (unsigned i = 0; pass.workers && i < workers; i++) {
        vebox_worker_finish(&pass.workers[i].vebox);
        free(pass.workers[i].memory);
    }
    free(pass.workers);
    return !atomic_load(&pass.stop);
}

bool
sfc_run(struct vebox_frame *f, const struct vebox_state *v)
{
    struct sfc *s = calloc(1, sizeof *s);
    if (!s) {
        guest_error("no memory for a frame of the SFC");
        return false;
    }
    bool ok = sfc_init(s, f, v) && run_pass(s);
    free(s);
    return ok;
}
