/* blt.c: chooses how a blit is done, and does it row by row. */
#include "engine/blt/blt.h"

#include "base/perf.h"
#include "base/stats.h"
#include "engine/blt/blit.h"

/* The first row that fits is taken. The last one fits all. */
static const struct blt_path {
    const char *name;
    bool (*fits)(const struct blit *b);
    void (*row)(const struct blit *b, int32_t y);
    enum perf_way way; /* PERF_WAYS: cannot be switched off */
    enum stat_id counter;
} paths[] = {
    {"fill", blt_fill_fits, blt_row_fill, PERF_BLT_FILL, STAT_blt_fill},
    {"copy", blt_copy_fits, blt_row_copy, PERF_BLT_COPY, STAT_blt_copy},
    {"any", NULL, blt_row_any, PERF_WAYS, STAT_blt_any},
};

static const struct blt_path *
choose_path(const struct blit *b)
{
    const struct blt_path *path = paths;
    while (path->fits && (perf_leaves_out(path->way) || !path->fits(b)))
        path++;
    return path;
}

bool
blt_command_run(struct engine_context *ctx, const uint32_t *dw, unsigned len_dw)
{
    struct blit b;
    if (!blt_decode(&b, ctx, dw, len_dw))
        return false;
    if (b.x1 >= b.x2 || b.y1 >= b.y2 || !b.write_mask)
        return true;
    const struct blt_path *path = choose_path(&b);
    stats_add(path->counter, 1);
    int64_t begun_ns = clock_tick_ns();
    int32_t rows = b.y2 - b.y1;
    for (int32_t i = 0; i < rows; i++) {
        path->row(&b, b.backward_y ? b.y2 - 1 - i : b.y1 + i);
        if (hang_is_hopeless(&ctx->hang, begun_ns, i + 1, rows, "blit"))
            return false;
    }
    return true;
}
