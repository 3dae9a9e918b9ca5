#include "drm-shim/interpose/process_exit.h"

#include "drm-shim/gem/gem.h"
#include "drm-shim/device/device.h"
#include "drm-shim/kms/kms.h"
#include "drm-shim/report/report.h"
#include "drm-shim/core/core.h"
#include "engine/engine.h"

#include <stdlib.h>
#include <sys/types.h>

static _Atomic pid_t owner;
static atomic_bool done;

void
process_exit_init(void)
{
    atomic_store(&owner, getpid());
}

void
process_exit_after_fork(void)
{
    atomic_store(&owner, getpid());
    atomic_store(&done, false);
}

/* Waits for a pending flip, so that the written picture does not depend on the
 * time of the next vblank. */
static void
settle_display(void)
{
    const int64_t patience_ns = 1000000000;
    device_lock();
    struct fence *pending = kms_pending(kms_of_device());
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
    struct kms_fb *fb = kms_last_shown(kms_of_device(), &part, &w, &h);
    if (fb)
        rgba = kms_scanout_rgba(&part, w, h);
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
process_exit_run(void)
{
    if (getpid() != atomic_load(&owner) || atomic_exchange(&done, true))
        return;
    struct engine *engine = device_engine_if_any();
    const char *picture = getenv("SOFTLAKE_FRAMEBUFFER");
    const char *stats = getenv("SOFTLAKE_STATS");
    if (engine)
        request_drain();
    if (device_was_opened()) {
        device_lock();
        gtt_before_exit();
        device_unlock();
    }
    if (device_was_opened() && picture && *picture)
        write_picture(engine, picture);
    if (device_was_opened() && stats && *stats && *stats != '0')
        print_stats();
    if (engine)
        engine_trace_coverage();
    software_finish();
    report_publish();
    screen_withdraw();
    devtree_remove();
}
