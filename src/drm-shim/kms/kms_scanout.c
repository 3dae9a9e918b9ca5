#include "drm-shim/kms/kms_scanout.h"

#include "drm-shim/gem/gem.h"
#include "drm-shim/kms/display.h"
#include "engine/engine.h"

#include <drm_fourcc.h>
#include <stdlib.h>

static unsigned
tiling_of(uint64_t modifier)
{
    switch (modifier) {
    case I915_FORMAT_MOD_X_TILED: return 1;
    case I915_FORMAT_MOD_Y_TILED: return 2;
    default: return 0;
    }
}

static uint8_t *
read_framebuffer(const struct kms_fb *fb)
{
    uint64_t size_B = fb->bo[0]->size_B;
    gtt_sync(fb->bo[0]);
    const uint8_t *map = bo_map(fb->bo[0]);
    uint8_t *rgba = malloc((size_t)fb->width_px * fb->height_px * 4);
    if (map && rgba && fb->offset_B[0] <= size_B &&
        engine_detile_rgba(map + fb->offset_B[0], size_B - fb->offset_B[0],
                           fb->width_px, fb->height_px, fb->pitch_B[0],
                           tiling_of(fb->modifier), fb->fourcc, rgba))
        return rgba;
    free(rgba);
    return NULL;
}

/* One axis of the scaler: for a position on the screen, the two nearest texels
 * and the second one's weight in 1/256. */
struct tap {
    uint32_t first, second, weight;
};

/* Guess: the scaler blends two neighbours; its own filter has seven taps. It
 * reads only whole pixels within the shown part; fractions of its size are
 * dropped. */
static struct tap
find_tap(uint32_t at, uint32_t screen, uint32_t from, uint32_t count)
{
    int64_t centre = ((int64_t)(2 * (uint64_t)at + 1) * count * 256) /
                         (2 * (int64_t)screen) -
                     128;
    int64_t last = (int64_t)count - 1, first = centre >> 8;
    return (struct tap){
        .first = from + (uint32_t)CLAMP(first, 0, last),
        .second = from + (uint32_t)CLAMP(first + 1, 0, last),
        .weight = (uint32_t)(centre & 255),
    };
}

static uint32_t
mix_channel(uint32_t a, uint32_t b, uint32_t weight)
{
    return a * (256 - weight) + b * weight;
}

static void
put_pixel(uint8_t *out, const uint8_t *fb, uint32_t width_px, struct tap x,
          struct tap y)
{
    const uint8_t *top = fb + (size_t)y.first * width_px * 4;
    const uint8_t *bottom = fb + (size_t)y.second * width_px * 4;
    for (unsigned c = 0; c < 4; c++) {
        uint32_t t = mix_channel(top[x.first * 4 + c], top[x.second * 4 + c],
                                 x.weight);
        uint32_t b = mix_channel(bottom[x.first * 4 + c],
                                 bottom[x.second * 4 + c], x.weight);
        out[c] = (uint8_t)((mix_channel(t, b, y.weight) + 0x8000) >> 16);
    }
}

/* Positions [*first, *end) of a screen of `size` that the plane covers. */
static void
clip_span(int32_t at, uint32_t plane, uint32_t size, uint32_t *first,
          uint32_t *end)
{
    int64_t hi = (int64_t)at + plane;
    *first = (uint32_t)CLAMP((int64_t)at, 0, (int64_t)size);
    *end = (uint32_t)CLAMP(hi, (int64_t)*first, (int64_t)size);
}

static bool
draw_plane(const struct kms_plane_state *p, const uint8_t *fb, uint8_t *screen,
           uint32_t width_px, uint32_t height_px)
{
    uint32_t x0, x1, y0, y1;
    uint32_t src_w = p->src_w >> 16, src_h = p->src_h >> 16;
    clip_span(p->crtc_x, p->crtc_w, width_px, &x0, &x1);
    clip_span(p->crtc_y, p->crtc_h, height_px, &y0, &y1);
    if (!src_w || !src_h || x0 == x1)
        return true;
    struct tap *taps = malloc((x1 - x0) * sizeof *taps);
    if (!taps)
        return false;
    for (uint32_t x = x0; x < x1; x++)
        taps[x - x0] = find_tap((uint32_t)((int32_t)x - p->crtc_x), p->crtc_w,
                                p->src_x >> 16, src_w);
    for (uint32_t y = y0; y < y1; y++) {
        struct tap row = find_tap((uint32_t)((int32_t)y - p->crtc_y), p->crtc_h,
                                  p->src_y >> 16, src_h);
        uint8_t *out = screen + ((size_t)y * width_px + x0) * 4;
        for (uint32_t x = x0; x < x1; x++, out += 4)
            put_pixel(out, fb, p->fb->width_px, taps[x - x0], row);
    }
    free(taps);
    return true;
}

uint8_t *
kms_scanout_rgba(const struct kms_plane_state *plane, uint32_t width_px,
                 uint32_t height_px)
{
    uint8_t *fb = read_framebuffer(plane->fb);
    size_t pixels = (size_t)width_px * height_px;
    uint8_t *screen = fb ? calloc(pixels, 4) : NULL;
    for (size_t i = 0; screen && i < pixels; i++)
        screen[i * 4 + 3] = 0xff;
    if (screen && !draw_plane(plane, fb, screen, width_px, height_px)) {
        free(screen);
        screen = NULL;
    }
    free(fb);
    return screen;
}
