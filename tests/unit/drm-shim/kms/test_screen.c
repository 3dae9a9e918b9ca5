/* What one process shows and another one grabs. */
#include "kms_rig.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define COLOR 0x00abcdefu

/* In a process of its own, before this one has used the device. Shows a
 * picture until it is killed, or dark once told so. */
static void
show_picture(int ready, int dark)
{
    struct rig rig = rig_open(0);
    struct drm_mode_create_dumb d = {.width = 1024, .height = 768, .bpp = 32};
    char byte = 0;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_CREATE_DUMB, &d), 0);
    uint32_t color = COLOR;
    memcpy(rig_map(&rig, d.handle, d.size), &color, sizeof color);
    struct drm_mode_fb_cmd2 f = {.width = 1024,
                                 .height = 768,
                                 .pixel_format = 0x34325258, /* XRGB8888 */
                                 .handles = {d.handle},
                                 .pitches = {d.pitch}};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ADDFB2, &f), 0);
    rig_set_crtc(&rig, f.fb_id);
    cr_assert_eq(write(ready, &f.fb_id, sizeof f.fb_id), 4);
    cr_assert_eq(read(dark, &byte, 1), 1);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_RMFB, &f.fb_id), 0);
    cr_assert_eq(write(ready, &byte, 1), 1);
    pause();
}

static uint32_t
shown_fb(const struct rig *rig)
{
    struct drm_mode_get_plane p = {.plane_id = PRIMARY};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_GETPLANE, &p), 0);
    return p.fb_id;
}

static void
grab(const struct rig *rig, uint32_t fb)
{
    struct drm_mode_fb_cmd2 f = {.fb_id = fb};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_GETFB2, &f), 0);
    cr_expect_eq(f.width, 1024u);
    cr_expect_eq(f.height, 768u);
    cr_expect_eq(f.pixel_format, 0x34325258u);
    struct drm_mode_fb_cmd old = {.fb_id = fb};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_GETFB, &old), 0);
    cr_expect_eq(!old.handle, !f.handles[0]);
    if (geteuid()) {
        cr_expect_eq(f.handles[0], 0u, "neither root nor the master");
        return;
    }
    cr_assert_neq(f.handles[0], 0u);
    struct drm_prime_handle p = {.handle = f.handles[0],
                                 .flags = DRM_CLOEXEC | DRM_RDWR};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    uint32_t *px = mmap(NULL, 4096, PROT_READ, MAP_SHARED, p.fd, 0);
    cr_assert_neq(px, MAP_FAILED);
    cr_expect_eq(*px, COLOR);
}

Test(screen, root_grabs_what_another_process_shows)
{
    int ready[2], dark[2];
    char byte = 0;
    uint32_t fb = 0;
    cr_assert(!pipe(ready) && !pipe(dark));
    pid_t child = fork();
    if (!child)
        show_picture(ready[1], dark[0]);
    cr_assert_eq(read(ready[0], &fb, sizeof fb), 4);
    struct rig rig = rig_open(0);
    struct drm_set_client_cap c = {DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SET_CLIENT_CAP, &c), 0);
    cr_expect_eq(shown_fb(&rig), fb);
    grab(&rig, fb);
    cr_assert_eq(write(dark[1], &byte, 1), 1);
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    cr_expect_neq(shown_fb(&rig), fb, "it is dark now");
    /* A process that shows something itself looks at its own screen. */
    uint32_t own = rig_add_fb(&rig, 1024, 768);
    rig_set_crtc(&rig, own);
    cr_expect_eq(shown_fb(&rig), own);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
