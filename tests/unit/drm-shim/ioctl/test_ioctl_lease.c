/* Leases: what a lessee sees, who may lend, and how it ends. */
#include "kms_rig.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

static struct rig
rig_of(int fd)
{
    struct rig rig = {.fd = fd, .file = device_file(fd)};
    cr_assert(rig.file);
    return rig;
}

static int
lend(const struct rig *rig, const uint32_t *ids, uint32_t count,
     struct rig *lessee, uint32_t *id)
{
    struct drm_mode_create_lease c = {.object_ids = (uintptr_t)ids,
                                      .object_count = count,
                                      .flags = O_CLOEXEC};
    int err = rig_ioctl(rig, DRM_IOCTL_MODE_CREATE_LEASE, &c);
    if (!err && lessee)
        *lessee = rig_of((int)c.fd);
    if (!err && id)
        *id = c.lessee_id;
    return err;
}

static const uint32_t screen[] = {CRTC, CONNECTOR, PRIMARY};

static struct rig
open_universal(void)
{
    struct rig rig = rig_open(0);
    struct drm_set_client_cap c = {DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SET_CLIENT_CAP, &c), 0);
    return rig;
}

union control {
    char buf[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

static void
send_fd(int to, int fd)
{
    char byte = 0;
    union control control = {{0}};
    struct iovec iov = {&byte, 1};
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = control.buf,
                       .msg_controllen = sizeof control.buf};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    cr_assert_eq(sendmsg(to, &m, 0), 1);
}

static int
receive_fd(int from)
{
    char byte;
    int fd;
    union control control;
    struct iovec iov = {&byte, 1};
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = control.buf,
                       .msg_controllen = sizeof control.buf};
    cr_assert_eq(recvmsg(from, &m, 0), 1);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

static unsigned
count_planes(const struct rig *rig)
{
    struct drm_set_client_cap c = {DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1};
    struct drm_mode_get_plane_res r = {0};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_SET_CLIENT_CAP, &c), 0);
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_GETPLANERESOURCES, &r), 0);
    return r.count_planes;
}

Test(lease, a_lessee_is_master_of_what_it_sees)
{
    struct rig rig = open_universal(), lessee;
    uint32_t id = 0, ids[8];
    cr_assert_eq(lend(&rig, screen, 3, &lessee, &id), 0);
    cr_expect_eq(id, 1u);
    struct drm_mode_get_lease g = {.count_objects = 8,
                                   .objects_ptr = (uintptr_t)ids};
    cr_assert_eq(rig_ioctl(&lessee, DRM_IOCTL_MODE_GET_LEASE, &g), 0);
    cr_assert_eq(g.count_objects, 3u);
    cr_expect(!memcmp(ids, screen, sizeof screen));
    cr_expect_eq(count_planes(&lessee), 1u);
    cr_expect_eq(count_planes(&rig), 2u);
    rig_set_crtc(&lessee, rig_add_fb(&lessee, 1024, 768));
    /* Not what it does not have. */
    struct drm_mode_get_plane p = {.plane_id = CURSOR};
    cr_expect_eq(rig_ioctl(&lessee, DRM_IOCTL_MODE_GETPLANE, &p), -ENOENT);
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_GETPLANE, &p), 0);
    struct drm_mode_cursor2 c = {.crtc_id = CRTC,
                                 .flags = DRM_MODE_CURSOR_MOVE};
    cr_expect_eq(rig_ioctl(&lessee, DRM_IOCTL_MODE_CURSOR2, &c), -EACCES);
    const struct change hidden[] = {
        {PRIMARY, DRM_MODE_OBJECT_PLANE, "CRTC_X", 0}};
    struct drm_set_client_cap cap = {DRM_CLIENT_CAP_ATOMIC, 1};
    cr_assert_eq(rig_ioctl(&lessee, DRM_IOCTL_SET_CLIENT_CAP, &cap), 0);
    cr_expect_eq(rig_commit(&lessee, hidden, 1, 0), 0);
    uint32_t one = 1, object = CURSOR, prop = 101;
    uint64_t value = 0;
    struct drm_mode_atomic a = {.count_objs = 1,
                                .objs_ptr = (uintptr_t)&object,
                                .count_props_ptr = (uintptr_t)&one,
                                .props_ptr = (uintptr_t)&prop,
                                .prop_values_ptr = (uintptr_t)&value};
    cr_expect_eq(rig_ioctl(&lessee, DRM_IOCTL_MODE_ATOMIC, &a), -ENOENT);
}

Test(lease, lists_are_checked)
{
    struct rig rig = open_universal();
    const uint32_t none[] = {CRTC, CONNECTOR, 9999};
    const uint32_t encoder[] = {CRTC, CONNECTOR, 51};
    const uint32_t twice[] = {CRTC, CONNECTOR, PRIMARY, CRTC};
    const uint32_t half[] = {CRTC, PRIMARY};
    cr_expect_eq(lend(&rig, screen, 0, NULL, NULL), -EINVAL);
    cr_expect_eq(lend(&rig, screen, 2, NULL, NULL), -EINVAL, "no plane");
    cr_expect_eq(lend(&rig, half, 2, NULL, NULL), -EINVAL, "no connector");
    cr_expect_eq(lend(&rig, none, 3, NULL, NULL), -ENOENT);
    cr_expect_eq(lend(&rig, encoder, 3, NULL, NULL), -EINVAL);
    cr_expect_eq(lend(&rig, twice, 4, NULL, NULL), -ENOSPC);
    cr_expect_eq(lend(&rig, (void *)8, 3, NULL, NULL), -EFAULT);
    struct drm_mode_create_lease c = {
        .object_ids = (uintptr_t)screen, .object_count = 3, .flags = O_APPEND};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_CREATE_LEASE, &c), -EINVAL);
}

Test(lease, who_knows_of_no_planes_lends_all)
{
    struct rig rig = rig_open(0), lessee;
    cr_assert_eq(lend(&rig, screen, 2, &lessee, NULL), 0);
    cr_expect_eq(count_planes(&lessee), 2u);
}

Test(lease, only_the_master_lends_and_only_once)
{
    struct rig rig = open_universal(), lessee;
    struct rig second = rig_open(0);
    cr_expect_eq(lend(&second, screen, 3, NULL, NULL), -EACCES);
    cr_assert_eq(lend(&rig, screen, 3, &lessee, NULL), 0);
    cr_expect_eq(lend(&rig, screen, 3, NULL, NULL), -EBUSY);
    cr_expect_eq(lend(&lessee, screen, 3, NULL, NULL), -EINVAL);
    cr_expect_eq(rig_ioctl(&lessee, DRM_IOCTL_SET_MASTER, NULL), 0, "it is");
    cr_expect_eq(rig_ioctl(&lessee, DRM_IOCTL_DROP_MASTER, NULL), -EINVAL);
    /* Lessees of one that is no longer master are none. */
    uint32_t fb = rig_add_fb(&lessee, 1024, 768);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_DROP_MASTER, NULL), 0);
    struct drm_mode_crtc_page_flip f = {.crtc_id = CRTC, .fb_id = fb};
    cr_expect_eq(rig_ioctl(&lessee, DRM_IOCTL_MODE_PAGE_FLIP, &f), -EACCES);
    cr_expect_eq(rig_ioctl(&lessee, DRM_IOCTL_SET_MASTER, NULL), -EINVAL);
    cr_assert_eq(rig_ioctl(&second, DRM_IOCTL_SET_MASTER, NULL), 0);
}

Test(lease, revoking_ends_it)
{
    struct rig rig = open_universal(), lessee;
    uint32_t id = 0, ids[4] = {0};
    cr_assert_eq(lend(&rig, screen, 3, &lessee, &id), 0);
    struct drm_mode_list_lessees l = {.count_lessees = 4,
                                      .lessees_ptr = (uintptr_t)ids};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_LIST_LESSEES, &l), 0);
    cr_expect_eq(l.count_lessees, 1u);
    cr_expect_eq(ids[0], id);
    struct drm_mode_revoke_lease r = {.lessee_id = id + 1};
    cr_expect_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_REVOKE_LEASE, &r), -ENOENT);
    r.lessee_id = id;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_REVOKE_LEASE, &r), 0);
    struct drm_mode_card_res res = {0};
    cr_assert_eq(rig_ioctl(&lessee, DRM_IOCTL_MODE_GETRESOURCES, &res), 0);
    cr_expect_eq(res.count_crtcs, 0u);
    cr_expect_eq(res.count_connectors, 0u);
    struct drm_mode_crtc c = {.crtc_id = CRTC};
    cr_expect_eq(rig_ioctl(&lessee, DRM_IOCTL_MODE_GETCRTC, &c), -ENOENT);
    l.count_lessees = 4;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_LIST_LESSEES, &l), 0);
    cr_expect_eq(l.count_lessees, 0u);
    cr_expect_eq(lend(&rig, screen, 3, NULL, NULL), 0, "it is free again");
}

Test(lease, closing_the_descriptor_ends_it)
{
    struct rig rig = open_universal(), lessee;
    cr_assert_eq(lend(&rig, screen, 3, &lessee, NULL), 0);
    device_file_unref(lessee.file);
    close(lessee.fd);
    cr_expect_eq(lend(&rig, screen, 3, NULL, NULL), 0);
}

/* A compositor gives the descriptor away. */
Test(lease, travels_to_another_process)
{
    int pair[2], status = 0;
    cr_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    pid_t child = fork();
    if (!child) {
        struct rig lessee = rig_of(receive_fd(pair[1]));
        struct drm_mode_crtc c = {.crtc_id = CRTC};
        cr_assert_eq(count_planes(&lessee), 1u);
        cr_assert_eq(rig_ioctl(&lessee, DRM_IOCTL_MODE_GETCRTC, &c), 0);
        rig_set_crtc(&lessee, rig_add_fb(&lessee, 1024, 768));
        _exit(7);
    }
    struct rig rig = open_universal();
    struct drm_mode_create_lease c = {.object_ids = (uintptr_t)screen,
                                      .object_count = 3};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_CREATE_LEASE, &c), 0);
    send_fd(pair[0], (int)c.fd);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status));
    cr_expect_eq(WEXITSTATUS(status), 7);
}
