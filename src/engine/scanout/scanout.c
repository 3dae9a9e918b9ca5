/* scanout.c: images for --framebuffer: the engine's last colour target, and
 * scan-out buffers of the virtual display. */
#include "engine/scanout/scanout.h"

#include <math.h>
#include <stdlib.h>

#define FOURCC(a, b, c, d)                                      \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | \
     (uint32_t)(d) << 24)

/* SURFACE_FORMAT by fourcc of drm_fourcc.h. */
static const struct {
    uint32_t fourcc;
    uint16_t format;
} scanout_formats[] = {
    {FOURCC('X', 'R', '2', '4'), 0x0e9}, /* B8G8R8X8_UNORM */
    {FOURCC('A', 'R', '2', '4'), 0x0c0}, /* B8G8R8A8_UNORM */
    {FOURCC('X', 'B', '2', '4'), 0x0eb}, /* R8G8B8X8_UNORM */
    {FOURCC('A', 'B', '2', '4'), 0x0c7}, /* R8G8B8A8_UNORM */
    {FOURCC('R', 'G', '1', '6'), 0x100}, /* B5G6R5_UNORM */
    {FOURCC('X', 'R', '3', '0'), 0x0ee}, /* B10G10R10X2_UNORM */
    {FOURCC('A', 'R', '3', '0'), 0x0d1}, /* B10G10R10A2_UNORM */
    {FOURCC('A', 'B', '3', '0'), 0x0c2}, /* R10G10B10A2_UNORM */
};

static uint8_t
to_unorm8(float f)
{
    return (uint8_t)(CLAMP(f, 0.0f, 1.0f) * 255.0f + 0.5f);
}

static float
srgb_encode(float f)
{
    f = CLAMP(f, 0.0f, 1.0f);
    return f <= 0.0031308f ? f * 12.92f
                           : 1.055f * powf(f, 1.0f / 2.4f) - 0.055f;
}

static void
texel_rgba(const struct format_info *fmt, const uint8_t *texel, uint8_t out[4])
{
    union color c;
    format_unpack(fmt, texel, &c);
    for (unsigned i = 0; i < 4; i++) {
        if (fmt->is_int)
            out[i] = (uint8_t)MIN2(c.u[i], 255);
        else if (fmt->srgb && i < 3)
            out[i] = to_unorm8(srgb_encode(c.f[i]));
        else
            out[i] = to_unorm8(c.f[i]);
    }
}

#define TEXEL_MAX_B 16

/* False if part of the memory is no longer mapped. */
static bool
read_rows(const struct surface *s, unsigned level, uint32_t width,
          uint32_t height, uint8_t *rgba)
{
    bool all = true;
    sigset_t mask;
    bool blocked = vm_unblock_faults(&mask);
    for (uint32_t y = 0; y < height && all; y++)
        for (uint32_t x = 0; x < width && all; x++, rgba += 4) {
            const uint8_t *at = surface_ptr(s, level, x, y, s->min_array, 0);
            uint8_t texel[TEXEL_MAX_B];
            memset(rgba, 0, 4);
            if (!at)
                continue;
            if (engine_copy(texel, at, s->fmt->element_B))
                texel_rgba(s->fmt, texel, rgba);
            else
                all = false;
        }
    if (blocked)
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return all;
}

bool
engine_detile_rgba(const void *mem, uint64_t size_B, uint32_t width,
                   uint32_t height, uint32_t pitch_B, unsigned tiling,
                   uint32_t fourcc, uint8_t *rgba)
{
    static const uint8_t tilings[] = {TILING_LINEAR, TILING_X, TILING_Y};
    struct surface s = {
        .mem = (uint8_t *)mem,
        .limit_B = size_B,
        .type = SURFACE_2D,
        .width = width,
        .height = height,
        .depth = 1,
        .row_pitch_B = pitch_B,
        .qpitch_el_rows = height,
        .samples = 1,
        .halign_el = 4,
        .valign_el = 4,
        .swizzle = {4, 5, 6, 7},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(scanout_formats); i++)
        if (scanout_formats[i].fourcc == fourcc)
            s.format = scanout_formats[i].format;
    s.fmt = s.format ? format_info(s.format) : NULL;
    if (!s.fmt || tiling >= ARRAY_SIZE(tilings) || !pitch_B)
        return false;
    s.tiling = tilings[tiling];
    return read_rows(&s, 0, width, height, rgba);
}

/* ---- the last colour target ------------------------------------------- */

void
target_note(struct engine *engine, const struct draw *draw)
{
    const struct surface *s = stage_surface(&draw->stage[STAGE_PS], 0);
    if (s->type == SURFACE_NULL || s->type == SURFACE_BUFFER ||
        s->samples > 1 || s->fmt->compression != FORMAT_PLAIN ||
        s->fmt->element_B > TEXEL_MAX_B)
        return;
    struct engine_vm *old = NULL;
    pthread_mutex_lock(&engine->target_lock);
    if (engine->target_vm != draw->vm) {
        old = engine->target_vm;
        engine->target_vm = draw->vm;
        engine_vm_ref(draw->vm);
    }
    engine->target = *s;
    engine->target_level = s->mip_count_minus1;
    pthread_mutex_unlock(&engine->target_lock);
    engine_vm_unref(old);
}

void
target_forget(struct engine *engine)
{
    pthread_mutex_lock(&engine->target_lock);
    struct engine_vm *old = engine->target_vm;
    engine->target_vm = NULL;
    free(engine->target_rgba);
    engine->target_rgba = NULL;
    pthread_mutex_unlock(&engine->target_lock);
    engine_vm_unref(old);
}

/* NULL: there is no target, or its memory is unmapped. */
static uint8_t *
read_target_locked(struct engine *engine, uint32_t *width, uint32_t *height)
{
    const struct surface *s = &engine->target;
    if (!engine->target_vm)
        return NULL;
    *width = surface_level_width(s, engine->target_level);
    *height = surface_level_height(s, engine->target_level);
    uint8_t *rgba = malloc((size_t)*width * *height * 4);
    if (rgba && read_rows(s, engine->target_level, *width, *height, rgba))
        return rgba;
    free(rgba);
    return NULL;
}

/* Copies the target before it goes, because programs free it before they
 * end. */
void
target_unmap(struct engine_vm *vm, const void *ptr, uint64_t size_B)
{
    struct engine *engine = vm->engine;
    struct engine_vm *old = NULL;
    if (!engine->config.keep_target)
        return;
    pthread_mutex_lock(&engine->target_lock);
    if (engine->target_vm == vm &&
        (uint64_t)(engine->target.mem - (const uint8_t *)ptr) < size_B) {
        free(engine->target_rgba);
        engine->target_rgba = read_target_locked(engine, &engine->target_width,
                                                 &engine->target_height);
        old = engine->target_vm;
        engine->target_vm = NULL;
    }
    pthread_mutex_unlock(&engine->target_lock);
    engine_vm_unref(old);
}

bool
engine_last_target(struct engine *engine, uint32_t *width, uint32_t *height,
                   uint8_t **rgba)
{
    vm_init();
    pthread_mutex_lock(&engine->target_lock);
    *rgba = read_target_locked(engine, width, height);
    if (!*rgba && !engine->target_vm && engine->target_rgba) {
        *rgba = engine->target_rgba;
        *width = engine->target_width;
        *height = engine->target_height;
        engine->target_rgba = NULL;
    }
    pthread_mutex_unlock(&engine->target_lock);
    return *rgba != NULL;
}
