/* pixels.c: counters of a context, and rows for its draws in the file of the
 * process. */
#include "engine/pixels/pixels.h"

#include "base/file_limit.h"
#include "base/fork_order.h"
#include "base/known.h"
#include "engine/oa/oa.h"
#include "engine/pixels/pixels_file.h"
#include "engine/state/draw.h"
#include "engine/state/hw_state.h"
#include "eu/profile/profile_unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct pixels {
    struct oa *oa;
    struct draw_totals totals;
    /* Sums when the last draw ended: counters only grow. */
    uint64_t before[OA_EVENTS];
};

static struct {
    pthread_mutex_t lock;
    struct pixels_file *file; /* NULL: not yet, or it cannot be made */
    bool tried;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int
read_switch(void)
{
    const char *dir = getenv("SOFTLAKE_PROFILE");
    const char *pixels = getenv("SOFTLAKE_PROFILE_PIXELS");
    return dir && *dir && pixels && *pixels;
}

static bool
is_on(void)
{
    static atomic_int known;
    return known_int(&known, read_switch);
}

/* ---- the file ------------------------------------------------------------ */

uint64_t
pixels_make_id(void)
{
    uint64_t id;
    struct timespec now;
    if (getrandom(&id, sizeof id, GRND_NONBLOCK) == sizeof id)
        return id;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)getpid() << 32 ^ (uint64_t)now.tv_nsec;
}

/* Whether the file has its blocks. */
static bool
has_blocks(int fd, uint64_t size_B)
{
    if (fd < 0 || !file_limit_allows(size_B))
        return false;
    do
        errno = posix_fallocate(fd, 0, (off_t)size_B);
    while (errno == EINTR);
    return !errno;
}

void *
pixels_map_file(const char *path, uint64_t size_B)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *p = MAP_FAILED;
    if (has_blocks(fd, size_B))
        p = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int err = errno;
    if (p == MAP_FAILED && fd >= 0)
        unlink(path);
    if (fd >= 0)
        close(fd);
    errno = err;
    return p == MAP_FAILED ? NULL : p;
}

static void
map_file_locked(void)
{
    char path[4096];
    snprintf(path, sizeof path, PIXELS_FORMAT, getenv("SOFTLAKE_PROFILE"),
             (unsigned long long)pixels_make_id());
    all.file = pixels_map_file(path, sizeof *all.file);
    if (!all.file) {
        log_printf("profile: %s: %s; draws are not counted\n", path,
                   strerror(errno));
        return;
    }
    all.file->pid = (uint32_t)getpid();
    snprintf(all.file->process, sizeof all.file->process, "%s",
             program_invocation_short_name);
}

static struct pixels_file *
find_file_locked(void)
{
    if (!all.tried)
        map_file_locked();
    all.tried = true;
    return all.file;
}

/* The row that sums up draws with these kernels. The last one is for draws that
 * find no other. */
static struct pixels_row *
find_sum_locked(struct pixels_file *file, const struct pixels_row *row)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < PIXELS_STAGES; i++)
        hash = (hash ^ row->kernel[i]) * UINT64_C(0x9e3779b97f4a7c15);
    unsigned at = (unsigned)(hash >> 32) % (PIXELS_SUMS - 1);
    for (unsigned n = 0; n < PIXELS_SUMS - 1; n++) {
        struct pixels_row *sum = &file->sum[(at + n) % (PIXELS_SUMS - 1)];
        if (!sum->draw) {
            memcpy(sum->kernel, row->kernel, sizeof sum->kernel);
            memcpy(sum->simd, row->simd, sizeof sum->simd);
            return sum;
        }
        if (!memcmp(sum->kernel, row->kernel, sizeof sum->kernel))
            return sum;
    }
    file->sum[PIXELS_SUMS - 1].flags |= PIXELS_OTHERS;
    return &file->sum[PIXELS_SUMS - 1];
}

static void
add_row(const struct pixels_row *row)
{
    pthread_mutex_lock(&all.lock);
    struct pixels_file *file = find_file_locked();
    if (file) {
        if (file->draws < PIXELS_DRAWS)
            file->draw[file->draws++] = *row;
        struct pixels_row *sum = find_sum_locked(file, row);
        sum->draw++;
        sum->flags |= row->flags;
        for (unsigned i = 0; i < PIXELS_VALUE_COUNT; i++)
            sum->value[i] += row->value[i];
        file->all_draws++;
    }
    pthread_mutex_unlock(&all.lock);
}

/* ---- draws --------------------------------------------------------------- */

struct oa *
pixels_counters(struct pixels **kept)
{
    struct pixels *p = *kept;
    if (!is_on() || p)
        return p ? p->oa : NULL;
    p = calloc(1, sizeof *p);
    struct oa *oa = p ? oa_create() : NULL;
    if (!oa) {
        free(p);
        return NULL;
    }
    p->oa = oa;
    oa->find_map = pixels_map_find;
    *kept = p;
    return oa;
}

struct draw_totals *
pixels_totals(struct pixels *p)
{
    return p ? &p->totals : NULL;
}

static void
set_target(struct pixels_row *row, const struct draw *draw)
{
    if (!draw->stage[STAGE_PS].enabled)
        return;
    const struct surface *s = stage_surface(&draw->stage[STAGE_PS], 0);
    unsigned level = s->mip_count_minus1;
    if (s->type == SURFACE_NULL || s->type == SURFACE_BUFFER)
        return;
    row->width = MAX2(s->width >> level, 1u);
    row->height = MAX2(s->height >> level, 1u);
    row->samples = s->samples;
    snprintf(row->format, sizeof row->format, "%s", s->fmt->name);
}

static bool
has_outlines(const struct draw *draw)
{
    const struct gen9_3dstate_raster *r = &draw->raster;
    return r->front_face_fill_mode !=
               GEN9_3DSTATE_RASTER_FRONT_FACE_FILL_MODE_SOLID ||
           r->back_face_fill_mode !=
               GEN9_3DSTATE_RASTER_BACK_FACE_FILL_MODE_SOLID;
}

static struct pixels_row
describe_draw(const struct engine_context *ctx, const struct draw *draw)
{
    struct pixels_row row = {
        .draw = draw->id,
        .batch = ctx->batch,
        .context = ctx->id,
        .vertex_count = draw->vertex_count,
        .instance_count = draw->instance_count,
        .flags = (draw->fast_clear ? PIXELS_FAST_CLEAR : 0) |
                 (draw->resolve ? PIXELS_RESOLVE : 0) |
                 (has_outlines(draw) ? PIXELS_OUTLINES : 0),
    };
    for (unsigned i = STAGE_VS; i <= STAGE_PS; i++) {
        const struct shader_stage *stage = &draw->stage[i];
        if (!stage->enabled || !stage->kernel)
            continue;
        row.kernel[i] = eu_kernel_content_hash(stage->kernel);
        row.simd[i] = (uint8_t)stage->simd;
    }
    set_target(&row, draw);
    return row;
}

/* What the draw has added to the events. An enabled stream of performance
 * queries counts the draw, too. */
static void
take_events(struct pixels *p, struct engine *engine, uint64_t event[OA_EVENTS])
{
    struct oa *stream = oa_counting(engine);
    for (unsigned i = 0; i < OA_EVENTS; i++) {
        uint64_t now = oa_sum(p->oa, i);
        event[i] = now - p->before[i];
        p->before[i] = now;
        if (stream)
            oa_add(stream, 0, i, event[i]);
    }
}

static void
set_values(struct pixels_row *row, struct pixels *p,
           const uint64_t event[OA_EVENTS])
{
    static const uint8_t of_event[OA_PIXEL_EVENTS] = {
        [OA_PIXELS_RASTERIZED] = PIXELS_RASTERIZED,
        [OA_PIXELS_FAILED_EARLY] = PIXELS_FAILED_EARLY,
        [OA_PIXELS_KILLED] = PIXELS_KILLED,
        [OA_PIXELS_FAILED_LATE] = PIXELS_FAILED_LATE,
        [OA_SAMPLES_WRITTEN] = PIXELS_WRITTEN,
        [OA_SAMPLES_BLENDED] = PIXELS_BLENDED,
        [OA_QUADS] = PIXELS_QUADS,
        [OA_QUAD_PIXELS] = PIXELS_QUAD_PIXELS,
        [OA_PS_THREADS] = PIXELS_THREADS,
    };
    const struct draw_totals *t = &p->totals;
    uint64_t whole = t->clip_out - t->clip_pieces;
    uint64_t *v = row->value;
    for (unsigned i = 0; i < OA_PIXEL_EVENTS; i++)
        v[of_event[i]] = event[i];
    v[PIXELS_VERTICES] = t->vertices;
    v[PIXELS_PRIMITIVES] = t->prims;
    v[PIXELS_CLIPPER_IN] = t->clip_in;
    v[PIXELS_REJECTED] = t->clip_in - whole - t->clip_cut;
    v[PIXELS_CLIPPED] = t->clip_cut;
    if (!row->flags)
        v[PIXELS_CULLED] = t->clip_out - event[OA_SETUPS];
    for (unsigned i = 0; i < OA_TARGETS; i++)
        v[PIXELS_TARGET_SAMPLES] += atomic_exchange(&p->oa->target_samples[i],
                                                    0);
    p->totals = (struct draw_totals){0};
}

void
pixels_draw(struct pixels *p, const struct engine_context *ctx,
            const struct draw *draw)
{
    uint64_t event[OA_EVENTS];
    if (!p || draw->oa != p->oa)
        return;
    struct pixels_row row = describe_draw(ctx, draw);
    take_events(p, ctx->engine, event);
    set_values(&row, p, event);
    if (!eu_profile_is_outside())
        add_row(&row);
}

void
pixels_dispatch(struct pixels *p, const struct engine_context *ctx)
{
    uint64_t event[OA_EVENTS];
    if (p && ctx->oa == p->oa)
        take_events(p, ctx->engine, event);
}

void
pixels_free(struct pixels *p)
{
    if (!p)
        return;
    oa_free(p->oa);
    free(p);
}

/* ---- fork() -------------------------------------------------------------- */

/* The parent goes on with its file, the child begins with one of its own. */
static void
drop_in_child_locked(void)
{
    all.file = NULL;
    all.tried = false;
}

FORK_LOCK_DROP(FORK_PIXELS, all.lock, drop_in_child_locked)
