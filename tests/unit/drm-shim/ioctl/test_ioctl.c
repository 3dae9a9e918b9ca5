#include "shim_rig.h"

#include "base/base.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/ioctl/ioctl_table.h"

#include <drm_mode.h>

/* What xf86-video-intel asks as it starts, besides GEM and KMS. */
Test(ioctl, old_x_drivers_get_the_kernel_s_answers)
{
    struct rig rig = rig_open(0), render = rig_open(128);
    struct drm_i915_gem_get_aperture a = {0};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_GET_APERTURE, &a), 0);
    cr_expect_gt(a.aper_available_size, 0u);
    struct drm_i915_get_pipe_from_crtc_id g = {.crtc_id = 31, .pipe = 9};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GET_PIPE_FROM_CRTC_ID, &g), 0);
    cr_expect_eq(g.pipe, 0u);
    g.crtc_id = 32;
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GET_PIPE_FROM_CRTC_ID, &g),
                 -ENOENT);
    cr_expect_eq(rig_ioctl(&render, DRM_IOCTL_I915_GET_PIPE_FROM_CRTC_ID, &g),
                 -EACCES);
    struct drm_intel_sprite_colorkey k = {.plane_id = 61};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_I915_SET_SPRITE_COLORKEY, &k),
                 -ENOENT);
    k.flags = 8;
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_I915_SET_SPRITE_COLORKEY, &k),
                 -EINVAL);
    struct drm_intel_overlay_attrs o = {0};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_I915_OVERLAY_ATTRS, &o), -ENODEV);
    struct drm_i915_gem_pin p = {.handle = 1};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PIN, &p), -ENODEV);
    struct drm_i915_gem_init init = {0};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_INIT, &init), 0);
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_ENTERVT, NULL), 0);
    struct drm_i915_gem_execbuffer e = {0};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_EXECBUFFER, &e), -EINVAL);
}

Test(ioctl, unknown_number_is_einval_and_counted)
{
    struct rig rig = rig_open(128);
    uint64_t before = stats_get(STAT_unimp);
    uint8_t arg[64] = {0};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOWR(0x9e, uint64_t), arg), -EINVAL);
    cr_assert_eq(stats_get(STAT_unimp), before + 1);
}

Test(ioctl, shorter_struct_is_completed_with_zeros)
{
    /* The 8-byte CONTEXT_CREATE: flags and extensions must read as 0, and
     * nothing behind the 8 bytes may be written. */
    struct rig rig = rig_open(128);
    struct {
        struct drm_i915_gem_context_create c;
        uint64_t behind[4];
    } arg;
    memset(&arg, 0xff, sizeof arg);
    arg.c.pad = 0;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &arg), 0);
    cr_assert_eq(arg.c.ctx_id, 1u);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(arg.behind[i], UINT64_MAX);
}

Test(ioctl, longer_struct_is_a_newer_one)
{
    struct rig rig = rig_open(128);
    struct {
        struct drm_i915_gem_create c;
        uint64_t more;
    } arg = {{.size = 4096}, 5};
    cr_assert_eq(
        rig_ioctl(&rig, _IOWR('d', DRM_COMMAND_BASE + DRM_I915_GEM_CREATE, arg),
                  &arg),
        0);
    cr_assert_eq(arg.c.handle, 1u);
    cr_assert_eq(arg.more, 5u);
}

Test(ioctl, null_argument_is_efault)
{
    struct rig rig = rig_open(128);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CREATE, NULL), -EFAULT);
}

/* Every row of the table survives an argument of zeros and one of ones, on
 * both nodes, with an errno that is not a crash. */
static const unsigned long requests[] = {
#define X(access, request, function) request,
    IOCTL_TABLE(X)
#undef X
};

static void
hammer(int minor, int fill)
{
    struct rig rig = rig_open(minor);
    for (unsigned i = 0; i < ARRAY_SIZE(requests); i++) {
        uint8_t arg[512];
        memset(arg, fill, sizeof arg);
        int ret = rig_ioctl(&rig, requests[i], arg);
        cr_assert_gt(ret, -4096);
    }
}

Test(ioctl, zeros_on_the_card)
{
    hammer(0, 0);
}

Test(ioctl, ones_on_the_card)
{
    hammer(0, 0xff);
}

Test(ioctl, zeros_on_the_render_node)
{
    hammer(128, 0);
}

Test(ioctl, ones_on_the_render_node)
{
    hammer(128, 0xff);
}

Test(ioctl, modesetting_is_refused_on_the_render_node)
{
    struct rig rig = rig_open(128);
    struct drm_mode_card_res r = {0};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_GETRESOURCES, &r), -EACCES);
}

Test(ioctl, version_names_the_driver)
{
    struct rig rig = rig_open(128);
    char name[8] = {0};
    struct drm_version v = {.name = name, .name_len = 3};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_VERSION, &v), 0);
    cr_assert_eq(v.name_len, 4u);
    cr_assert_str_eq(name, "i91");
}

static int
getparam(const struct rig *rig, int param, int *value)
{
    struct drm_i915_getparam g = {.param = param, .value = value};
    return rig_ioctl(rig, DRM_IOCTL_I915_GETPARAM, &g);
}

Test(ioctl, getparam_answers)
{
    struct rig rig = rig_open(128);
    int v = 0;
    cr_assert_eq(getparam(&rig, I915_PARAM_CHIPSET_ID, &v), 0);
    cr_assert_eq(v, 0x5912);
    cr_assert_eq(getparam(&rig, I915_PARAM_HAS_CONTEXT_ISOLATION, &v), 0);
    cr_assert_eq(v, 15); /* render, copy, video, VEBOX */
    cr_assert_eq(getparam(&rig, 9999, &v), -EINVAL);
    cr_assert_eq(getparam(&rig, I915_PARAM_IRQ_ACTIVE, &v), -ENODEV);
    cr_assert_eq(getparam(&rig, I915_PARAM_HAS_GEM, NULL), -EFAULT);
}

Test(ioctl, platform_follows_the_environment)
{
    setenv("SOFTLAKE_PLATFORM", "bxt", 1);
    struct rig rig = rig_open(128);
    int v = 0;
    getparam(&rig, I915_PARAM_CHIPSET_ID, &v);
    cr_assert_eq(v, 0x5a84);
    getparam(&rig, I915_PARAM_EU_TOTAL, &v);
    cr_assert_eq(v, 18);
    getparam(&rig, I915_PARAM_HAS_LLC, &v);
    cr_assert_eq(v, 0);
}

static int
query(const struct rig *rig, uint64_t id, void *data, int length)
{
    struct drm_i915_query_item item = {
        .query_id = id, .length = length, .data_ptr = (uintptr_t)data};
    struct drm_i915_query q = {.num_items = 1, .items_ptr = (uintptr_t)&item};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_QUERY, &q), 0);
    return item.length;
}

Test(ioctl, query_tells_its_length_and_then_the_topology)
{
    struct rig rig = rig_open(128);
    uint8_t t[64] = {0};
    cr_assert_eq(query(&rig, DRM_I915_QUERY_TOPOLOGY_INFO, NULL, 0), 21);
    cr_assert_eq(query(&rig, DRM_I915_QUERY_TOPOLOGY_INFO, t, 20), -EINVAL);
    cr_assert_eq(query(&rig, DRM_I915_QUERY_TOPOLOGY_INFO, t, 21), 21);
    cr_assert_eq(t[16], 1); /* slices */
    cr_assert_eq(t[17], 7); /* subslices */
    cr_assert_eq(t[20], 0xff);
    /* The header must be zero when handed in. */
    cr_assert_eq(query(&rig, DRM_I915_QUERY_TOPOLOGY_INFO, t, 21), -EINVAL);
    cr_assert_eq(query(&rig, DRM_I915_QUERY_ENGINE_INFO, NULL, 0), 240);
    cr_assert_eq(query(&rig, DRM_I915_QUERY_MEMORY_REGIONS, NULL, 0), 104);
    cr_assert_eq(query(&rig, DRM_I915_QUERY_HWCONFIG_BLOB, NULL, 0), -ENODEV);
    cr_assert_eq(query(&rig, 777, NULL, 0), -EINVAL);
    cr_assert_eq(query(&rig, DRM_I915_QUERY_ENGINE_INFO, (void *)8, 240),
                 -EFAULT);
}

Test(ioctl, timestamp_register_moves_on)
{
    struct rig rig = rig_open(128);
    struct drm_i915_reg_read r = {.offset = 0x2358 | I915_REG_READ_8B_WA};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_REG_READ, &r), 0);
    uint64_t first = r.val;
    usleep(2000);
    rig_ioctl(&rig, DRM_IOCTL_I915_REG_READ, &r);
    /* 12 MHz */
    cr_assert_geq(r.val - first, 24000u);
    r.offset = 0x2360;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_REG_READ, &r), -EINVAL);
}

Test(ioctl, closed_files_give_their_memory_back)
{
    struct rig rig = rig_open(128);
    rig_create(&rig, 4096);
    device_file_unref(rig.file);
    close(rig.fd);
    device_collect();
    device_lock();
    struct drm_file *first = device_first_file();
    device_unlock();
    cr_assert_null(first);
}
