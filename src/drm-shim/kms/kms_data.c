#include "drm-shim/kms/kms_data.h"

#include "drm-shim/core/core.h"

#include <drm_fourcc.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    uint16_t w, h;
} sizes[] = {
    {1024, 768}, {1920, 1080}, {1680, 1050}, {1280, 1024},
    {1280, 800}, {1280, 720},  {800, 600},   {640, 480},
};

/* Blanking like CVT reduced blanking; no client measures it. */
static void
fill_mode(struct drm_mode_modeinfo *m, unsigned w, unsigned h)
{
    memset(m, 0, sizeof *m);
    m->hdisplay = (uint16_t)w;
    m->hsync_start = (uint16_t)(w + 48);
    m->hsync_end = (uint16_t)(w + 80);
    m->htotal = (uint16_t)(w + 160);
    m->vdisplay = (uint16_t)h;
    m->vsync_start = (uint16_t)(h + 3);
    m->vsync_end = (uint16_t)(h + 9);
    m->vtotal = (uint16_t)(h + 31);
    m->clock = (uint32_t)m->htotal * m->vtotal * 60 / 1000;
    m->vrefresh = 60;
    m->flags = DRM_MODE_FLAG_PHSYNC | DRM_MODE_FLAG_NVSYNC;
    m->type = DRM_MODE_TYPE_DRIVER;
    snprintf(m->name, sizeof m->name, "%ux%u", w, h);
}

unsigned
kms_data_modes(struct drm_mode_modeinfo modes[KMS_MODES_MAX])
{
    unsigned w = sizes[0].w, h = sizes[0].h, count = 1;
    const char *text = getenv("SOFTLAKE_MODE");
    if (text && *text &&
        (sscanf(text, "%ux%u", &w, &h) != 2 || w < 16 || h < 16 || w > 8192 ||
         h > 8192)) {
        log_printf("softlake: SOFTLAKE_MODE=%s is not WIDTHxHEIGHT", text);
        w = sizes[0].w;
        h = sizes[0].h;
    }
    fill_mode(&modes[0], w, h);
    modes[0].type |= DRM_MODE_TYPE_PREFERRED;
    /* Lists no larger mode than the chosen one, because some clients take the
     * largest. */
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++)
        if ((sizes[i].w != w || sizes[i].h != h) &&
            sizes[i].w * sizes[i].h <= w * h)
            fill_mode(&modes[count++], sizes[i].w, sizes[i].h);
    return count;
}

/* One detailed timing descriptor (EDID 1.4, section 3.10.2). */
static void
put_timing(uint8_t *d, const struct drm_mode_modeinfo *m)
{
    unsigned hblank = m->htotal - m->hdisplay;
    unsigned vblank = m->vtotal - m->vdisplay;
    unsigned clock = m->clock / 10;
    d[0] = clock & 0xff;
    d[1] = (clock >> 8) & 0xff;
    d[2] = m->hdisplay & 0xff;
    d[3] = hblank & 0xff;
    d[4] = (uint8_t)((m->hdisplay >> 8) << 4 | hblank >> 8);
    d[5] = m->vdisplay & 0xff;
    d[6] = vblank & 0xff;
    d[7] = (uint8_t)((m->vdisplay >> 8) << 4 | vblank >> 8);
    d[8] = 48;
    d[9] = 32;
    d[10] = 3 << 4 | 6;
    d[12] = 0x40; /* 320 mm x 240 mm */
    d[13] = 0xf0;
    d[14] = 0x10;
    d[17] = 0x1a;
}

uint32_t
kms_data_edid(uint8_t out[KMS_BLOB_MAX_B],
              const struct drm_mode_modeinfo *preferred)
{
    static const uint8_t head[] = {
        0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, /* header */
        0x4d, 0x8b, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00, /* "SLK", product 1 */
        0x01, 0x21, 0x01, 0x04,                         /* 2023, EDID 1.4 */
        0x80, 0x20, 0x18, 0x78, 0x0a,                   /* digital, 32x24 cm */
        0xee, 0x91, 0xa3, 0x54, 0x4c, 0x99, 0x26, 0x0f,
        0x50, 0x54, /* sRGB primaries */
    };
    static const uint8_t name[18] = {0,   0,    0,   0xfc, 0,   'S',
                                     'o', 'f',  't', 'l',  'a', 'k',
                                     'e', '\n', ' ', ' ',  ' ', ' '};
    memset(out, 0, 128);
    memcpy(out, head, sizeof head);
    memset(out + 38, 0x01, 16); /* no standard timings */
    put_timing(out + 54, preferred);
    memcpy(out + 72, name, sizeof name);
    out[93] = 0x10; /* two dummy descriptors */
    out[111] = 0x10;
    uint8_t sum = 0;
    for (unsigned i = 0; i < 127; i++)
        sum += out[i];
    out[127] = (uint8_t)(256 - sum);
    return 128;
}

static const uint32_t primary_formats[] = {
    DRM_FORMAT_XRGB8888,    DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888,
    DRM_FORMAT_ABGR8888,    DRM_FORMAT_RGB565,   DRM_FORMAT_XRGB2101010,
    DRM_FORMAT_XBGR2101010,
};
static const uint32_t cursor_formats[] = {DRM_FORMAT_ARGB8888};

/* No compressed modifier: the display reads memory without decompression. */
static const uint64_t primary_modifiers[] = {
    I915_FORMAT_MOD_Y_TILED, I915_FORMAT_MOD_X_TILED, DRM_FORMAT_MOD_LINEAR};

unsigned
kms_formats(enum kms_plane_index plane, const uint32_t **formats)
{
    *formats = plane == KMS_PRIMARY ? primary_formats : cursor_formats;
    return plane == KMS_PRIMARY ? ARRAY_SIZE(primary_formats)
                                : ARRAY_SIZE(cursor_formats);
}

/* i915: planes show Y tiles since Gen9. */
static unsigned
find_modifiers(const uint64_t **modifiers)
{
    unsigned without = device_platform()->gen < 9 ? 1 : 0;
    *modifiers = primary_modifiers + without;
    return ARRAY_SIZE(primary_modifiers) - without;
}

bool
kms_modifier_known(uint64_t modifier)
{
    const uint64_t *known;
    unsigned count = find_modifiers(&known);
    for (unsigned i = 0; i < count; i++)
        if (known[i] == modifier)
            return true;
    return false;
}

uint32_t
kms_data_in_formats(uint8_t out[KMS_BLOB_MAX_B], enum kms_plane_index plane)
{
    const uint32_t *formats;
    unsigned count = kms_formats(plane, &formats);
    const uint64_t linear = DRM_FORMAT_MOD_LINEAR;
    const uint64_t *mods = &linear;
    unsigned mod_count = plane == KMS_PRIMARY ? find_modifiers(&mods) : 1;
    struct drm_format_modifier_blob head = {
        .version = FORMAT_BLOB_CURRENT,
        .count_formats = count,
        .formats_offset = sizeof head,
        .count_modifiers = mod_count,
        .modifiers_offset = ALIGN_POT((uint32_t)(sizeof head + count * 4), 8u),
    };
    memset(out, 0, KMS_BLOB_MAX_B);
    memcpy(out, &head, sizeof head);
    memcpy(out + head.formats_offset, formats, count * sizeof *formats);
    for (unsigned i = 0; i < mod_count; i++) {
        struct drm_format_modifier m = {
            .formats = (UINT64_C(1) << count) - 1,
            .modifier = mods[i],
        };
        memcpy(out + head.modifiers_offset + i * sizeof m, &m, sizeof m);
    }
    return head.modifiers_offset +
           mod_count * (uint32_t)sizeof(struct drm_format_modifier);
}
