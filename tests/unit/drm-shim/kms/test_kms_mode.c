/* Which modes may be set, and how planes may be scaled and placed. */
#include "kms_rig.h"

#include "drm-shim/kms/display.h"
#include "drm-shim/kms/kms_scanout.h"

#include <stddef.h>
#include <stdint.h>

#define FIELD(f) offsetof(struct drm_mode_modeinfo, f)

static int
set_mode(const struct rig *rig, uint32_t fb, const struct drm_mode_modeinfo *m)
{
    uint32_t connector = CONNECTOR;
    struct drm_mode_crtc c = {.set_connectors_ptr = (uintptr_t)&connector,
                              .count_connectors = 1,
                              .crtc_id = CRTC,
                              .fb_id = fb,
                              .mode_valid = 1,
                              .mode = *m};
    return rig_ioctl(rig, DRM_IOCTL_MODE_SETCRTC, &c);
}

/* By a blob, with the framebuffer as large as the screen. */
static int
commit_mode(const struct rig *rig, const struct drm_mode_modeinfo *m)
{
    struct drm_mode_create_blob b = {.data = (uintptr_t)m, .length = sizeof *m};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_CREATEPROPBLOB, &b), 0);
    const struct change c[] = {
        {CRTC, DRM_MODE_OBJECT_CRTC, "MODE_ID", b.blob_id},
        {CRTC, DRM_MODE_OBJECT_CRTC, "ACTIVE", 1},
        {CONNECTOR, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", CRTC}};
    return rig_commit(rig, c, 3, DRM_MODE_ATOMIC_ALLOW_MODESET);
}

/* One field of the mode, and the value that makes it bad, or not. */
static const struct {
    const char *what;
    size_t at_B;
    unsigned size_B;
    uint32_t value;
    int set, commit;
} fields[] = {
    {"nothing", FIELD(vrefresh), 4, 60, 0, 0},
    {"another refresh rate", FIELD(clock), 4, 40000, 0, 0},
    {"no clock", FIELD(clock), 4, 0, -EINVAL, -EINVAL},
    {"a clock beyond HDMI", FIELD(clock), 4, 300001, -EINVAL, -EINVAL},
    {"a clock below HDMI", FIELD(clock), 4, 24999, -EINVAL, -EINVAL},
    {"a clock that is negative", FIELD(clock), 4, 1u << 31, -EINVAL, -EINVAL},
    {"no width", FIELD(hdisplay), 2, 0, -EINVAL, -EINVAL},
    {"no height", FIELD(vdisplay), 2, 0, -EINVAL, -EINVAL},
    {"sync before the end", FIELD(hsync_start), 2, 1023, -EINVAL, -EINVAL},
    {"sync that ends early", FIELD(hsync_end), 2, 1024, -EINVAL, -EINVAL},
    {"a total that is too small", FIELD(htotal), 2, 1050, -EINVAL, -EINVAL},
    {"no blank lines", FIELD(vtotal), 2, 768, -EINVAL, -EINVAL},
    {"a total beyond the hardware", FIELD(htotal), 2, 8193, -EINVAL, -EINVAL},
    {"scan lines repeated", FIELD(vscan), 2, 2, -EINVAL, -EINVAL},
    {"composite sync", FIELD(flags), 4, DRM_MODE_FLAG_CSYNC, -EINVAL, -EINVAL},
    {"a flag that is none", FIELD(flags), 4, 1u << 30, -EINVAL, -EINVAL},
    {"interlacing", FIELD(flags), 4, DRM_MODE_FLAG_INTERLACE, 0, 0},
    {"a type that is none", FIELD(type), 4, 1u << 20, -EINVAL, -EINVAL},
};

Test(kms_mode, bad_ones_are_refused_and_good_ones_need_no_list)
{
    struct rig rig = rig_open_atomic();
    uint32_t fb = rig_add_fb(&rig, 1024, 768);
    for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
        struct drm_mode_modeinfo m = rig_first_mode(&rig);
        memcpy((char *)&m + fields[i].at_B, &fields[i].value, fields[i].size_B);
        cr_expect_eq(set_mode(&rig, fb, &m), fields[i].set, "%s",
                     fields[i].what);
        cr_expect_eq(commit_mode(&rig, &m), fields[i].commit, "%s, in a blob",
                     fields[i].what);
    }
}

Test(kms_mode, listed_ones_are_good)
{
    struct rig rig = rig_open(0);
    struct drm_mode_modeinfo modes[16];
    struct drm_mode_get_connector c = {.connector_id = CONNECTOR,
                                       .count_modes = 16,
                                       .modes_ptr = (uintptr_t)modes};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_GETCONNECTOR, &c), 0);
    uint32_t fb = rig_add_fb(&rig, 2048, 2048);
    for (unsigned i = 0; i < c.count_modes; i++)
        cr_expect_eq(set_mode(&rig, fb, &modes[i]), 0, "%s", modes[i].name);
}

Test(kms_mode, set_crtc_without_a_mode_has_no_connectors)
{
    struct rig rig = rig_open(0);
    uint32_t connector = CONNECTOR, fb = rig_add_fb(&rig, 1024, 768);
    rig_set_crtc(&rig, fb);
    struct drm_mode_crtc c = {.set_connectors_ptr = (uintptr_t)&connector,
                              .count_connectors = 1,
                              .crtc_id = CRTC};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_SETCRTC, &c), -EINVAL);
    c.count_connectors = 0;
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_SETCRTC, &c), 0);
    struct drm_mode_modeinfo m = rig_first_mode(&rig);
    cr_expect_eq(set_mode(&rig, UINT32_MAX, &m), -EINVAL);
    c = (struct drm_mode_crtc){.crtc_id = CRTC, .x = 1 << 16};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_SETCRTC, &c), -ERANGE);
}

/* ---- planes ------------------------------------------------------------- */

#define W 1024
#define H 768

/* A picture of which every pixel says where it is. */
static uint32_t
add_picture(const struct rig *rig)
{
    struct drm_mode_create_dumb d = {.width = W, .height = H, .bpp = 32};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_CREATE_DUMB, &d), 0);
    uint8_t *p = rig_map(rig, d.handle, d.size);
    for (uint32_t y = 0; y < H; y++) {
        for (uint32_t x = 0; x < W; x++) {
            uint32_t v = (x / 4) << 16 | (y / 4) << 8 | 0x80;
            memcpy(p + y * d.pitch + x * 4, &v, 4);
        }
    }
    struct drm_mode_fb_cmd2 f = {.width = W,
                                 .height = H,
                                 .pixel_format = 0x34325258, /* XRGB8888 */
                                 .handles = {d.handle},
                                 .pitches = {d.pitch}};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_ADDFB2, &f), 0);
    return f.fb_id;
}

struct view {
    uint32_t src_x, src_y, src_w, src_h; /* pixels */
    int32_t x, y;
    uint32_t w, h;
    int err;
};

static int
show(const struct rig *rig, uint32_t plane, uint32_t fb, const struct view *v)
{
    const struct {
        const char *name;
        uint64_t value;
    } p[] = {{"FB_ID", fb},
             {"CRTC_ID", CRTC},
             {"SRC_X", (uint64_t)v->src_x << 16},
             {"SRC_Y", (uint64_t)v->src_y << 16},
             {"SRC_W", (uint64_t)v->src_w << 16},
             {"SRC_H", (uint64_t)v->src_h << 16},
             {"CRTC_X", (uint64_t)(int64_t)v->x},
             {"CRTC_Y", (uint64_t)(int64_t)v->y},
             {"CRTC_W", v->w},
             {"CRTC_H", v->h}};
    struct change c[ARRAY_SIZE(p)];
    for (unsigned i = 0; i < ARRAY_SIZE(p); i++)
        c[i] = (struct change){plane, DRM_MODE_OBJECT_PLANE, p[i].name,
                               p[i].value};
    return rig_commit(rig, c, ARRAY_SIZE(p), 0);
}

static uint8_t *
take_picture(void)
{
    struct kms_plane_state plane;
    uint32_t w, h;
    device_lock();
    struct kms_fb *fb = kms_last_shown(kms_of_device(), &plane, &w, &h);
    cr_assert(fb && w == W && h == H);
    uint8_t *rgba = kms_scanout_rgba(&plane, w, h);
    kms_fb_unref(fb);
    device_unlock();
    cr_assert(rgba);
    return rgba;
}

/* The nearest source pixel, which the filter may miss by a texel or two: a step
 * of one in four pixels. */
static bool
is_right(const uint8_t *px, const struct view *v, int x, int y)
{
    int64_t dx = x - v->x, dy = y - v->y;
    if (dx < 0 || dy < 0 || dx >= v->w || dy >= v->h)
        return !px[0] && !px[1] && !px[2] && px[3] == 255;
    int sx = (int)(v->src_x + (uint64_t)dx * v->src_w / v->w) / 4;
    int sy = (int)(v->src_y + (uint64_t)dy * v->src_h / v->h) / 4;
    return abs(px[0] - sx) <= 1 && abs(px[1] - sy) <= 1 && px[2] == 0x80 &&
           px[3] == 255;
}

static const struct view views[] = {
    {0, 0, W, H, 0, 0, W, H, 0},
    {0, 0, W / 2, H / 2, 0, 0, W, H, 0},
    {100, 60, 300, 200, 50, 70, 640, 480, 0},
    {0, 0, W, H, 100, 100, W / 2, H / 2, 0},
    {0, 0, W, H, -200, -100, W, H, 0},
    {0, 0, W, H, 500, 300, W, H, 0},
    {8, 8, 8, 8, 10, 10, 100, 100, 0},
    {0, 0, 1000, 700, 2000, 0, 1000, 700, 0},
    /* Beyond the framebuffer, the scaler, or what numbers can say. */
    {1, 0, W, H, 0, 0, W, H, -ENOSPC},
    {0, 0, W, H, 0, 0, W / 3 - 1, H, -ERANGE},
    {0, 0, 7, 7, 0, 0, 100, 100, -EINVAL},
    {0, 0, 16, 16, 0, 0, 7, 16, -EINVAL},
    {0, 0, W, H, 0, 0, 4097, H, -EINVAL},
    {0, 0, W, H, INT32_MAX, 0, W, H, -ERANGE},
};

Test(kms_mode, primary_plane_is_scaled_and_placed)
{
    struct rig rig = rig_open_atomic();
    uint32_t fb = add_picture(&rig);
    rig_set_crtc(&rig, fb);
    for (unsigned i = 0; i < ARRAY_SIZE(views); i++) {
        const struct view *v = &views[i];
        cr_expect_eq(show(&rig, PRIMARY, fb, v), v->err, "view %u", i);
        if (v->err)
            continue;
        uint8_t *rgba = take_picture();
        unsigned wrong = 0;
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                wrong += !is_right(rgba + (y * W + x) * 4, v, x, y);
        cr_expect_eq(wrong, 0u, "view %u: %u pixels", i, wrong);
        free(rgba);
    }
}

Test(kms_mode, a_whole_scale_keeps_the_edges)
{
    struct rig rig = rig_open_atomic();
    uint32_t fb = add_picture(&rig);
    rig_set_crtc(&rig, fb);
    /* One colour, whatever lies beside it. */
    const struct view v = {400, 200, 8, 8, 0, 0, W, H, 0};
    struct view one = v;
    one.src_w = one.src_h = 8;
    cr_assert_eq(show(&rig, PRIMARY, fb, &one), 0);
    uint8_t *rgba = take_picture();
    cr_expect_eq(rgba[0], 100);
    cr_expect_eq(rgba[1], 50);
    const uint8_t *last = rgba + (W * H - 1) * 4;
    cr_expect_eq(last[0], 101);
    cr_expect_eq(last[1], 51);
    free(rgba);
}

Test(kms_mode, cursors_are_not_scaled)
{
    struct rig rig = rig_open_atomic();
    rig_set_crtc(&rig, rig_add_fb(&rig, W, H));
    struct drm_mode_create_dumb d = {.width = 64, .height = 64, .bpp = 32};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_CREATE_DUMB, &d), 0);
    struct drm_mode_fb_cmd2 f = {.width = 64,
                                 .height = 64,
                                 .pixel_format = 0x34325241, /* ARGB8888 */
                                 .handles = {d.handle},
                                 .pitches = {d.pitch}};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ADDFB2, &f), 0);
    const struct view same = {0, 0, 64, 64, -10, 5, 64, 64, 0};
    cr_expect_eq(show(&rig, CURSOR, f.fb_id, &same), 0);
    const struct view twice = {0, 0, 64, 64, 0, 0, 128, 128, 0};
    cr_expect_eq(show(&rig, CURSOR, f.fb_id, &twice), -ERANGE);
    /* Nor of another format. */
    cr_expect_eq(show(&rig, CURSOR, rig_add_fb(&rig, 64, 64), &same), -EINVAL);
}
