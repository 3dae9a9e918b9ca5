/* timeline.c: appends records to the file of the timeline. */
#include "engine/timeline/timeline.h"

#include "base/file_limit.h"
#include "base/known.h"
#include "engine/state/dispatch.h"
#include "engine/state/draw.h"
#include "engine/timeline/timeline_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of a process; about 170 MB. */
#define RECORDS_MAX 1000000u

static int
read_switch(void)
{
    const char *dir = getenv("SOFTLAKE_PROFILE");
    const char *times = getenv("SOFTLAKE_PROFILE_TIMES");
    return dir && *dir && times && *times;
}

static bool
is_on(void)
{
    static atomic_int known;
    return known_int(&known, read_switch);
}

static uint64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t
timeline_begin(void)
{
    return is_on() ? now_ns() : 0;
}

/* In one write(): other threads and processes append, too. */
static void
append(struct timeline_record *r)
{
    static atomic_uint written;
    char path[4096];
    unsigned n = atomic_fetch_add(&written, 1);
    if (n >= RECORDS_MAX) {
        if (n == RECORDS_MAX)
            log_printf("profile: the timeline ends after %u events\n",
                       RECORDS_MAX);
        return;
    }
    r->pid = (uint32_t)getpid();
    r->tid = (uint32_t)gettid();
    snprintf(r->process, sizeof r->process, "%s",
             program_invocation_short_name);
    snprintf(path, sizeof path, TIMELINE_FORMAT, getenv("SOFTLAKE_PROFILE"));
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (file_limit_append(fd, r, sizeof *r) != (ssize_t)sizeof *r)
        atomic_store(&written, RECORDS_MAX);
    close(fd);
}

void
timeline_submit(const struct engine_submit *submit)
{
    if (!is_on())
        return;
    struct timeline_record r = {.kind = TIMELINE_SUBMIT,
                                .ring = submit->ring,
                                .context = (uintptr_t)submit->ctx,
                                .batch = submit->number};
    r.begin_ns = r.end_ns = now_ns();
    append(&r);
}

void
timeline_batch(const struct engine_submit *submit, uint64_t begin_ns)
{
    if (!begin_ns)
        return;
    struct timeline_record r = {.kind = TIMELINE_BATCH,
                                .ring = submit->ring,
                                .context = (uintptr_t)submit->ctx,
                                .batch = submit->number,
                                .begin_ns = begin_ns};
    r.end_ns = now_ns();
    append(&r);
}

static void
set_stage(struct timeline_record *r, const struct shader_stage *stage,
          unsigned kind)
{
    if (!stage->enabled || !stage->kernel)
        return;
    r->kernel[kind] = eu_kernel_content_hash(stage->kernel);
    r->simd[kind] = (uint8_t)stage->simd;
}

void
timeline_draw(const struct engine_context *ctx, const struct draw *draw,
              uint64_t begin_ns)
{
    if (!begin_ns)
        return;
    struct timeline_record r = {
        .kind = TIMELINE_DRAW,
        .ring = ENGINE_RCS,
        .context = (uintptr_t)ctx,
        .begin_ns = begin_ns,
        .size = {draw->vertex_count, draw->instance_count, draw->topology}};
    static_assert(STAGE_COUNT == TIMELINE_STAGES, "stages of a record");
    r.end_ns = now_ns();
    for (unsigned i = STAGE_VS; i <= STAGE_PS; i++)
        set_stage(&r, &draw->stage[i], i);
    append(&r);
}

void
timeline_dispatch(const struct engine_context *ctx, const struct dispatch *d,
                  uint64_t begin_ns)
{
    if (!begin_ns)
        return;
    struct timeline_record r = {.kind = TIMELINE_DISPATCH,
                                .ring = ENGINE_RCS,
                                .context = (uintptr_t)ctx,
                                .begin_ns = begin_ns};
    r.end_ns = now_ns();
    for (unsigned i = 0; i < 3; i++)
        r.size[i] = d->group_end[i] - d->group_start[i];
    set_stage(&r, &d->stage, STAGE_CS);
    append(&r);
}
