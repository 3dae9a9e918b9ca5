#include "drm-shim/finish.h"

#include "drm-shim/bo.h"
#include "drm-shim/device.h"
#include "drm-shim/job.h"
#include "drm-shim/kms.h"
#include "drm-shim/png_write.h"
#include "drm-shim/raw.h"
#include "drm-shim/report.h"
#include "drm-shim/tree.h"
#include "engine/engine.h"

#include <drm_fourcc.h>
#include <stdlib.h>
#include <sys/types.h>

static _Atomic pid_t owner;
static atomic_bool done;

void
finish_init(void)
{
    atomic_store(&owner, getpid());
}

void
finish_after_fork(void)
{
    atomic_store(&owner, getpid());
    atomic_store(&done, false);
}

static unsigned
tiling_of(uint64_t modifier)
{
    switch (modifier) {
    case I915_FORMAT_MOD_X_TILED: return 1;
    case I915_FORMAT_MOD_Y_TILED: return 2;
    default: return 0;
    }
}

/* The part of a framebuffer that was on screen, as RGBA rows. */
static uint8_t *
scanout_rgba(const struct kms_fb *fb, const struct kms_plane_state *part,
             uint32_t *w, uint32_t *h)
{
    uint64_t size_B = fb->bo[0]->size_B;
    const uint8_t *map = bo_map(fb->bo[0]);
    uint8_t *rgba = malloc((size_t)fb->width_px * fb->height_px * 4);
    if (!map || !rgba || fb->offset_B[0] > size_B ||
        !engine_detile_rgba(map + fb->offset_B[0], size_B - fb->offset_B[0],
                            fb->width_px, fb->height_px, fb->pitch_B[0],
                            tiling_of(fb->modifier), fb->fourcc, rgba)) {
        free(rgba);
        return NULL;
    }
    uint32_t x = MIN2(part->src_x >> 16, fb->width_px - 1);
    uint32_t y = MIN2(part->src_y >> 16, fb->height_px - 1);
    *w = MIN2(part->src_w >> 16, fb->width_px - x);
    *h = MIN2(part->src_h >> 16, fb->height_px - y);
    for (uint32_t row = 0; row < *h; row++)
        memmove(rgba + (size_t)row * *w * 4,
                rgba + ((size_t)(row + y) * fb->width_px + x) * 4,
                (size_t)*w * 4);
    return rgba;
}

/* A flip that the program asked for just before its end counts as shown: which
 * frame the picture has must not depend on when the next vblank is. */
static void
settle_display(void)
{
    const int64_t patience_ns = 1000000000;
    device_lock();
    struct fence *pending = kms_pending(device_kms());
    device_unlock();
    if (pending)
        fence_wait(pending, fence_now_ns() + patience_ns);
    fence_unref(pending);
}

static void
write_picture(struct engine *engine, const char *path)
{
    settle_display();
    struct kms_plane_state part;
    uint32_t w = 0, h = 0;
    uint8_t *rgba = NULL;
    device_lock();
    struct kms_fb *fb = kms_last_shown(device_kms(), &part);
    if (fb)
        rgba = scanout_rgba(fb, &part, &w, &h);
    kms_fb_unref(fb);
    device_unlock();
    if (!fb && engine && !engine_last_target(engine, &w, &h, &rgba))
        rgba = NULL;
    if (!rgba || !w || !h)
        log_printf("softlake: nothing was drawn, %s is not written", path);
    else if (!png_write(path, w, h, rgba))
        log_printf("softlake: cannot write %s: %m", path);
    free(rgba);
}

static void
print_stats(void)
{
    for (unsigned i = 0; i < STAT_COUNT; i++)
        if (stats_get(i))
            log_printf("softlake: %16llu %s", (unsigned long long)stats_get(i),
                       stats_help(i));
    uint64_t insns = stats_get(STAT_eu_insns);
    uint64_t native = insns - MIN2(stats_get(STAT_eu_interpreted), insns);
    if (insns)
        log_printf("softlake: %15.3f%% of the EU instructions were compiled",
                   100.0 * (double)native / (double)insns);
}

void
finish_quickly(void)
{
    if (getpid() != atomic_load(&owner) || atomic_exchange(&done, true))
        return;
    report_publish();
    tree_remove();
}

void
finish_process(void)
{
    if (getpid() != atomic_load(&owner) || atomic_exchange(&done, true))
        return;
    struct engine *engine = device_engine_if_any();
    const char *picture = getenv("SOFTLAKE_FRAMEBUFFER");
    const char *stats = getenv("SOFTLAKE_STATS");
    if (engine)
        job_drain();
    if (device_was_opened() && picture && *picture)
        write_picture(engine, picture);
    if (device_was_opened() && stats && *stats && *stats != '0')
        print_stats();
    if (engine)
        engine_trace_coverage();
    report_publish();
    tree_remove();
}
