#include "drm-shim/kms/kms_mode.h"

#include <errno.h>
#include <limits.h>

#define AR_SHIFT 19 /* DRM_MODE_FLAG_PIC_AR_MASK */
#define AR_LAST DRM_MODE_PICTURE_ASPECT_256_135
#define FLAG_3D_MASK (0x1fu << 14)
#define FLAG_3D_LAST DRM_MODE_FLAG_3D_SIDE_BY_SIDE_HALF
#define FLAGS_KNOWN                                                           \
    (DRM_MODE_FLAG_PHSYNC | DRM_MODE_FLAG_NHSYNC | DRM_MODE_FLAG_PVSYNC |     \
     DRM_MODE_FLAG_NVSYNC | DRM_MODE_FLAG_INTERLACE | DRM_MODE_FLAG_DBLSCAN | \
     DRM_MODE_FLAG_CSYNC | DRM_MODE_FLAG_PCSYNC | DRM_MODE_FLAG_NCSYNC |      \
     DRM_MODE_FLAG_HSKEW | DRM_MODE_FLAG_DBLCLK | DRM_MODE_FLAG_CLKDIV2 |     \
     FLAG_3D_MASK)
/* Flags that the display engine's timing generator lacks. */
#define FLAGS_REFUSED                                                    \
    (DRM_MODE_FLAG_HSKEW | DRM_MODE_FLAG_CSYNC | DRM_MODE_FLAG_NCSYNC |  \
     DRM_MODE_FLAG_PCSYNC | DRM_MODE_FLAG_BCAST | DRM_MODE_FLAG_PIXMUX | \
     DRM_MODE_FLAG_CLKDIV2)
#define TYPES_KNOWN                                                            \
    (DRM_MODE_TYPE_BUILTIN | DRM_MODE_TYPE_CLOCK_C | DRM_MODE_TYPE_CRTC_C |    \
     DRM_MODE_TYPE_PREFERRED | DRM_MODE_TYPE_DEFAULT | DRM_MODE_TYPE_USERDEF | \
     DRM_MODE_TYPE_DRIVER)

/* Limits of a Gen9 transcoder, and of HDMI 1.4 on it, in kHz. */
#define H_MAX_PX 8192
#define V_MAX_PX 4096
#define V_TOTAL_MAX_PX 8192
#define H_MIN_PX 64
#define H_BLANK_MIN_PX 32
#define V_BLANK_MIN_PX 5
#define CLOCK_MIN_KHZ 25000
#define CLOCK_MAX_KHZ 300000

static bool
same_timing(const struct drm_mode_modeinfo *a,
            const struct drm_mode_modeinfo *b)
{
    return a->clock == b->clock && a->flags == b->flags &&
           a->hdisplay == b->hdisplay && a->hsync_start == b->hsync_start &&
           a->hsync_end == b->hsync_end && a->htotal == b->htotal &&
           a->vdisplay == b->vdisplay && a->vsync_start == b->vsync_start &&
           a->vsync_end == b->vsync_end && a->vtotal == b->vtotal &&
           a->vscan == b->vscan;
}

/* Display, sync, blank: in that order. */
static bool
in_order(unsigned display, unsigned sync_start, unsigned sync_end,
         unsigned total)
{
    return display && display <= sync_start && sync_start <= sync_end &&
           sync_end <= total;
}

static bool
fits_hardware(const struct drm_mode_modeinfo *m)
{
    return m->vscan <= 1 && !(m->flags & FLAGS_REFUSED) &&
           m->hdisplay >= H_MIN_PX && m->hdisplay <= H_MAX_PX &&
           m->htotal <= H_MAX_PX && m->htotal - m->hdisplay >= H_BLANK_MIN_PX &&
           m->vdisplay <= V_MAX_PX && m->vtotal <= V_TOTAL_MAX_PX &&
           m->vtotal - m->vdisplay >= V_BLANK_MIN_PX &&
           m->clock >= CLOCK_MIN_KHZ && m->clock <= CLOCK_MAX_KHZ;
}

int
kms_mode_check(const struct drm_mode_modeinfo *mode,
               const struct drm_mode_modeinfo *listed, unsigned count)
{
    uint32_t aspect = mode->flags >> AR_SHIFT & 0xf;
    if (mode->clock > INT_MAX || mode->vrefresh > INT_MAX)
        return -ERANGE;
    if (aspect > AR_LAST || mode->type & ~(uint32_t)TYPES_KNOWN ||
        mode->flags & ~(FLAGS_KNOWN | 0xfu << AR_SHIFT) ||
        (mode->flags & FLAG_3D_MASK) > FLAG_3D_LAST || !mode->clock)
        return -EINVAL;
    if (!in_order(mode->hdisplay, mode->hsync_start, mode->hsync_end,
                  mode->htotal) ||
        !in_order(mode->vdisplay, mode->vsync_start, mode->vsync_end,
                  mode->vtotal))
        return -EINVAL;
    for (unsigned i = 0; i < count; i++)
        if (same_timing(mode, &listed[i]))
            return 0;
    return fits_hardware(mode) ? 0 : -EINVAL;
}
