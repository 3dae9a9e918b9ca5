#include "kms_rig.h"

#include "drm-shim/sync/fence.h"

#include <drm_fourcc.h>
#include <drm_mode.h>
#include <poll.h>
#include <string.h>

static struct drm_event_vblank
next_event(const struct rig *rig)
{
    struct drm_event_vblank e = {0};
    struct pollfd p = {.fd = rig->fd, .events = POLLIN};
    cr_assert_eq(poll(&p, 1, 2000), 1);
    cr_assert_eq(read(rig->fd, &e, sizeof e), (ssize_t)sizeof e);
    return e;
}

Test(kms, lists_come_in_two_calls)
{
    struct rig rig = rig_open(0);
    uint32_t crtc = 0;
    struct drm_mode_card_res r = {0};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_GETRESOURCES, &r), 0);
    cr_assert_eq(r.count_crtcs, 1u);
    r = (struct drm_mode_card_res){.count_crtcs = 1,
                                   .crtc_id_ptr = (uintptr_t)&crtc};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_GETRESOURCES, &r), 0);
    cr_assert_eq(crtc, (uint32_t)CRTC);
    r.crtc_id_ptr = 8;
    r.count_crtcs = 1;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_GETRESOURCES, &r), -EFAULT);
}

Test(kms, preferred_mode_follows_the_environment)
{
    setenv("SOFTLAKE_MODE", "640x360", 1);
    struct rig rig = rig_open(0);
    struct drm_mode_modeinfo m = rig_first_mode(&rig);
    cr_assert_eq(m.hdisplay, 640);
    cr_assert_eq(m.vdisplay, 360);
    cr_assert(m.type & DRM_MODE_TYPE_PREFERRED);
}

Test(kms, set_crtc_is_read_back)
{
    struct rig rig = rig_open(0);
    uint32_t fb = rig_add_fb(&rig, 1024, 768);
    rig_set_crtc(&rig, fb);
    struct drm_mode_crtc c = {.crtc_id = CRTC};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_GETCRTC, &c), 0);
    cr_assert_eq(c.fb_id, fb);
    cr_assert_eq(c.mode.hdisplay, 1024);
}

Test(kms, framebuffer_must_fit_its_object)
{
    struct rig rig = rig_open(0);
    struct drm_mode_fb_cmd2 f = {.width = 64,
                                 .height = 64,
                                 .pixel_format = DRM_FORMAT_XRGB8888,
                                 .handles = {rig_create(&rig, 4096)},
                                 .pitches = {256}};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ADDFB2, &f), -EINVAL);
    f.height = 16;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ADDFB2, &f), 0);
    f.pitches[0] = 255;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ADDFB2, &f), -EINVAL);
    f.pitches[0] = UINT32_MAX;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ADDFB2, &f), -EINVAL);
    f.pitches[0] = 256;
    f.pixel_format = 1;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ADDFB2, &f), -EINVAL);
}

static int
add_tiled(const struct rig *rig, uint64_t modifier)
{
    struct drm_mode_fb_cmd2 f = {.width = 128,
                                 .height = 32,
                                 .pixel_format = DRM_FORMAT_XRGB8888,
                                 .handles = {rig_create(rig, 16384)},
                                 .pitches = {512},
                                 .flags = DRM_MODE_FB_MODIFIERS,
                                 .modifier = {modifier}};
    return rig_ioctl(rig, DRM_IOCTL_MODE_ADDFB2, &f);
}

Test(kms, kaby_lake_shows_y_tiles)
{
    struct rig rig = rig_open(0);
    cr_expect_eq(add_tiled(&rig, I915_FORMAT_MOD_Y_TILED), 0);
    cr_expect_eq(add_tiled(&rig, I915_FORMAT_MOD_X_TILED), 0);
    cr_expect_eq(add_tiled(&rig, I915_FORMAT_MOD_Yf_TILED), -EINVAL);
}

Test(kms, broadwell_shows_no_y_tiles)
{
    setenv("SOFTLAKE_PLATFORM", "bdw", 1);
    struct rig rig = rig_open(0);
    cr_expect_eq(add_tiled(&rig, I915_FORMAT_MOD_Y_TILED), -EINVAL);
    cr_expect_eq(add_tiled(&rig, I915_FORMAT_MOD_X_TILED), 0);
    cr_expect_eq(add_tiled(&rig, DRM_FORMAT_MOD_LINEAR), 0);
}

Test(kms, screen_may_not_be_larger_than_the_framebuffer)
{
    struct rig rig = rig_open(0);
    uint32_t connector = CONNECTOR;
    struct drm_mode_crtc c = {.set_connectors_ptr = (uintptr_t)&connector,
                              .count_connectors = 1,
                              .crtc_id = CRTC,
                              .fb_id = rig_add_fb(&rig, 64, 64),
                              .mode_valid = 1,
                              .mode = rig_first_mode(&rig)};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_SETCRTC, &c), -ENOSPC);
}

Test(kms, page_flip_sends_its_event_and_is_busy_until_then)
{
    struct rig rig = rig_open(0);
    uint32_t a = rig_add_fb(&rig, 1024, 768), b = rig_add_fb(&rig, 1024, 768);
    struct drm_mode_crtc_page_flip f = {.crtc_id = CRTC,
                                        .fb_id = b,
                                        .flags = DRM_MODE_PAGE_FLIP_EVENT,
                                        .user_data = 0x1234};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_PAGE_FLIP, &f), -EBUSY);
    rig_set_crtc(&rig, a);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_PAGE_FLIP, &f), 0);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_PAGE_FLIP, &f), -EBUSY);
    struct drm_event_vblank e = next_event(&rig);
    cr_assert_eq(e.base.type, (uint32_t)DRM_EVENT_FLIP_COMPLETE);
    cr_assert_eq(e.base.length, sizeof e);
    cr_assert_eq(e.user_data, 0x1234u);
    cr_assert_eq(e.crtc_id, (uint32_t)CRTC);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_PAGE_FLIP, &f), 0);
}

Test(kms, vblanks_come_sixty_times_a_second)
{
    struct rig rig = rig_open(0);
    union drm_wait_vblank v = {
        .request = {.type = _DRM_VBLANK_RELATIVE, .sequence = 1}};
    /* A screen that is dark has none. */
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_WAIT_VBLANK, &v), -EINVAL);
    rig_set_crtc(&rig, rig_add_fb(&rig, 1024, 768));
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_WAIT_VBLANK, &v), 0);
    int64_t start_ns = fence_now_ns();
    v.request = (struct drm_wait_vblank_request){.type = _DRM_VBLANK_RELATIVE,
                                                 .sequence = 6};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_WAIT_VBLANK, &v), 0);
    cr_assert_geq(fence_now_ns() - start_ns, 80000000);
    v.request = (struct drm_wait_vblank_request){.type = _DRM_VBLANK_RELATIVE |
                                                         _DRM_VBLANK_EVENT,
                                                 .sequence = 1,
                                                 .signal = 77};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_WAIT_VBLANK, &v), 0);
    struct drm_event_vblank e = next_event(&rig);
    cr_assert_eq(e.base.type, (uint32_t)DRM_EVENT_VBLANK);
    cr_assert_eq(e.user_data, 77u);
}

/* ---- atomic ----------------------------------------------------------- */

static int
set_property(const struct rig *rig, uint32_t object, uint32_t type,
             const char *name, uint64_t value)
{
    struct drm_mode_obj_set_property p = {
        .value = value,
        .prop_id = rig_find_prop(rig, object, type, name, NULL),
        .obj_id = object,
        .obj_type = type};
    cr_assert_neq(p.prop_id, 0u, "%s", name);
    return rig_ioctl(rig, DRM_IOCTL_MODE_OBJ_SETPROPERTY, &p);
}

Test(kms, a_property_is_set_when_the_call_returns)
{
    struct rig rig = rig_open(0);
    uint32_t fb = rig_add_fb(&rig, 1024, 768);
    struct drm_mode_crtc_page_flip f = {.crtc_id = CRTC, .fb_id = fb};
    rig_set_crtc(&rig, fb);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(
            set_property(&rig, CRTC, DRM_MODE_OBJECT_CRTC, "GAMMA_LUT", 0), 0);
        cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_PAGE_FLIP, &f), 0);
    }
}

Test(kms, flips_keep_the_format_and_need_a_screen_that_is_on)
{
    struct rig rig = rig_open(0);
    uint32_t a = rig_add_fb(&rig, 1024, 768);
    struct drm_mode_create_dumb d = {.width = 1024, .height = 768, .bpp = 16};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_CREATE_DUMB, &d), 0);
    struct drm_mode_fb_cmd2 c = {.width = 1024,
                                 .height = 768,
                                 .pixel_format = DRM_FORMAT_RGB565,
                                 .handles = {d.handle},
                                 .pitches = {d.pitch}};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ADDFB2, &c), 0);
    rig_set_crtc(&rig, a);
    struct drm_mode_crtc_page_flip f = {.crtc_id = CRTC, .fb_id = c.fb_id};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_PAGE_FLIP, &f), -EINVAL);
    f.fb_id = a;
    cr_assert_eq(set_property(&rig, CONNECTOR, DRM_MODE_OBJECT_CONNECTOR,
                              "DPMS", DRM_MODE_DPMS_OFF),
                 0);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_PAGE_FLIP, &f), -EINVAL);
    struct drm_crtc_get_sequence g = {.crtc_id = CRTC};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_CRTC_GET_SEQUENCE, &g), -EINVAL);
    struct drm_crtc_queue_sequence q = {.crtc_id = CRTC};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_CRTC_QUEUE_SEQUENCE, &q), -EINVAL);
    cr_assert_eq(set_property(&rig, CONNECTOR, DRM_MODE_OBJECT_CONNECTOR,
                              "DPMS", DRM_MODE_DPMS_ON),
                 0);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_PAGE_FLIP, &f), 0);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_CRTC_GET_SEQUENCE, &g), 0);
}

static int
full_commit(const struct rig *rig, uint32_t fb, uint32_t flags,
            int32_t *out_fence)
{
    struct drm_mode_modeinfo mode = rig_first_mode(rig);
    struct drm_mode_create_blob b = {.data = (uintptr_t)&mode,
                                     .length = sizeof mode};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_CREATEPROPBLOB, &b), 0);
    const struct change c[] = {
        {CRTC, DRM_MODE_OBJECT_CRTC, "MODE_ID", b.blob_id},
        {CRTC, DRM_MODE_OBJECT_CRTC, "ACTIVE", 1},
        {CONNECTOR, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", CRTC},
        PLANE_PROP("FB_ID", fb),
        PLANE_PROP("CRTC_ID", CRTC),
        PLANE_PROP("SRC_W", 1024 << 16),
        PLANE_PROP("SRC_H", 768 << 16),
        PLANE_PROP("CRTC_W", 1024),
        PLANE_PROP("CRTC_H", 768),
        {CRTC, DRM_MODE_OBJECT_CRTC, "OUT_FENCE_PTR", (uintptr_t)out_fence}};
    return rig_commit(rig, c, out_fence ? 10 : 9, flags);
}

Test(kms, atomic_needs_the_client_cap)
{
    struct rig rig = rig_open(0);
    struct drm_mode_atomic a = {0};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ATOMIC, &a), -EOPNOTSUPP);
}

Test(kms, atomic_test_changes_nothing)
{
    struct rig rig = rig_open_atomic();
    uint32_t fb = rig_add_fb(&rig, 1024, 768);
    cr_assert_eq(
        full_commit(&rig, fb,
                    DRM_MODE_ATOMIC_TEST_ONLY | DRM_MODE_ATOMIC_ALLOW_MODESET,
                    NULL),
        0);
    struct drm_mode_crtc c = {.crtc_id = CRTC};
    rig_ioctl(&rig, DRM_IOCTL_MODE_GETCRTC, &c);
    cr_assert_eq(c.fb_id, 0u);
}

Test(kms, atomic_modeset_needs_its_flag)
{
    struct rig rig = rig_open_atomic();
    uint32_t fb = rig_add_fb(&rig, 1024, 768);
    cr_assert_eq(full_commit(&rig, fb, 0, NULL), -EINVAL);
}

Test(kms, atomic_commit_shows_and_signals)
{
    struct rig rig = rig_open_atomic();
    uint32_t fb = rig_add_fb(&rig, 1024, 768);
    int32_t fence = -1;
    uint32_t flags = DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_ATOMIC_ALLOW_MODESET |
                     DRM_MODE_PAGE_FLIP_EVENT;
    cr_assert_eq(full_commit(&rig, fb, flags, &fence), 0);
    cr_assert_geq(fence, 0);
    cr_assert_eq(full_commit(&rig, fb, flags, NULL), -EBUSY);
    struct drm_event_vblank e = next_event(&rig);
    cr_assert_eq(e.base.type, (uint32_t)DRM_EVENT_FLIP_COMPLETE);
    cr_assert_eq(e.user_data, 5u);
    struct pollfd p = {.fd = fence, .events = POLLIN};
    cr_assert_eq(poll(&p, 1, 0), 1);
    uint64_t value = 0;
    rig_find_prop(&rig, 61, DRM_MODE_OBJECT_PLANE, "FB_ID", &value);
    cr_assert_eq(value, fb);
}

Test(kms, atomic_bad_values_are_refused)
{
    struct rig rig = rig_open_atomic();
    uint32_t fb = rig_add_fb(&rig, 1024, 768);
    const struct change plane_alone[] = {PLANE_PROP("FB_ID", fb)};
    cr_assert_eq(rig_commit(&rig, plane_alone, 1, 0), -EINVAL);
    const struct change no_such[] = {PLANE_PROP("FB_ID", 9999)};
    cr_assert_eq(rig_commit(&rig, no_such, 1, 0), -EINVAL);
    const struct change constant[] = {PLANE_PROP("type", 0)};
    cr_assert_eq(rig_commit(&rig, constant, 1, 0), -EINVAL);
    struct drm_mode_atomic a = {.count_objs = UINT32_MAX};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ATOMIC, &a), -EINVAL);
}

Test(kms, removed_framebuffer_goes_dark)
{
    struct rig rig = rig_open(0);
    uint32_t fb = rig_add_fb(&rig, 1024, 768);
    rig_set_crtc(&rig, fb);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_RMFB, &fb), 0);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_RMFB, &fb), -ENOENT);
    struct drm_mode_crtc c = {.crtc_id = CRTC};
    rig_ioctl(&rig, DRM_IOCTL_MODE_GETCRTC, &c);
    cr_assert_eq(c.fb_id, 0u);
}

Test(kms, second_opener_is_not_master)
{
    struct rig a = rig_open(0), b = rig_open(0);
    struct drm_mode_crtc c = {.crtc_id = CRTC};
    cr_assert_eq(rig_ioctl(&b, DRM_IOCTL_MODE_SETCRTC, &c), -EACCES);
    cr_assert_eq(rig_ioctl(&b, DRM_IOCTL_SET_MASTER, NULL), -EBUSY);
    struct drm_auth magic = {0};
    cr_assert_eq(rig_ioctl(&b, DRM_IOCTL_GET_MAGIC, &magic), 0);
    cr_assert_eq(rig_ioctl(&b, DRM_IOCTL_AUTH_MAGIC, &magic), -EACCES);
    cr_assert_eq(rig_ioctl(&a, DRM_IOCTL_AUTH_MAGIC, &magic), 0);
    cr_assert_eq(rig_ioctl(&a, DRM_IOCTL_AUTH_MAGIC, &magic), -EINVAL);
    cr_assert_eq(rig_ioctl(&a, DRM_IOCTL_DROP_MASTER, NULL), 0);
    cr_assert_eq(rig_ioctl(&b, DRM_IOCTL_SET_MASTER, NULL), 0);
}

/* drmOpen() of libdrm takes the first card that has none. */
Test(kms, a_card_has_a_bus_id_once_a_version_is_set)
{
    struct rig rig = rig_open(0), other = rig_open(0);
    char id[64] = "";
    struct drm_unique u = {.unique = id, .unique_len = sizeof id};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_GET_UNIQUE, &u), 0);
    cr_assert_eq(u.unique_len, 0u);
    struct drm_set_version v = {1, 5, -1, 0};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SET_VERSION, &v), -EINVAL);
    v = (struct drm_set_version){1, 4, -1, 0};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SET_VERSION, &v), 0);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_GET_UNIQUE, &u), 0);
    cr_assert_eq(u.unique_len, strlen("pci:0000:00:02.0"));
    cr_assert_str_empty(id); /* there was no room */
    u.unique_len = sizeof id;
    cr_assert_eq(rig_ioctl(&other, DRM_IOCTL_GET_UNIQUE, &u), 0);
    cr_assert_str_eq(id, "pci:0000:00:02.0");
}

Test(kms, blob_in_use_outlives_its_destruction)
{
    struct rig rig = rig_open_atomic();
    uint32_t fb = rig_add_fb(&rig, 1024, 768);
    rig_set_crtc(&rig, fb);
    uint64_t id = 0;
    rig_find_prop(&rig, CRTC, DRM_MODE_OBJECT_CRTC, "MODE_ID", &id);
    struct drm_mode_modeinfo mode;
    struct drm_mode_get_blob g = {.blob_id = (uint32_t)id,
                                  .length = sizeof mode,
                                  .data = (uintptr_t)&mode};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_GETPROPBLOB, &g), 0);
    cr_assert_eq(mode.hdisplay, 1024);
    struct drm_mode_create_blob c = {.data = (uintptr_t)&mode,
                                     .length = sizeof mode};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_CREATEPROPBLOB, &c), 0);
    struct drm_mode_destroy_blob d = {.blob_id = c.blob_id};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_DESTROYPROPBLOB, &d), 0);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_DESTROYPROPBLOB, &d), -ENOENT);
    d.blob_id = (uint32_t)id;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_DESTROYPROPBLOB, &d), -EPERM);
}

Test(kms, edid_checksum_is_right)
{
    struct rig rig = rig_open_atomic();
    uint64_t id = 0;
    uint8_t edid[128], sum = 0;
    rig_find_prop(&rig, CONNECTOR, DRM_MODE_OBJECT_CONNECTOR, "EDID", &id);
    struct drm_mode_get_blob g = {.blob_id = (uint32_t)id,
                                  .length = sizeof edid,
                                  .data = (uintptr_t)edid};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_GETPROPBLOB, &g), 0);
    cr_assert_eq(g.length, 128u);
    for (unsigned i = 0; i < sizeof edid; i++)
        sum += edid[i];
    cr_assert_eq(sum, 0);
}
