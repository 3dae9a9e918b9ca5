/* share_peer.c: see share_peer.h. */
#include "share_peer.h"

#include "base/base.h"
#include "drm-shim/device/device.h"
#include "drm-shim/ioctl/ioctl.h"

#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int nursery = -1; /* socket to the process that forks peers */
static int peer = -1;    /* socket to the peer */
static pid_t peer_pid;

/* ------------------------------------------------------------------------
 * Messages with a descriptor */

union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr head;
};

static bool
send_message(int to, const void *data, size_t size_B, int fd)
{
    struct iovec v = {(void *)(uintptr_t)data, size_B};
    union control control = {.bytes = {0}};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = control.bytes;
        m.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    return sendmsg(to, &m, MSG_NOSIGNAL) >= 0;
}

/* Size of the message, 0 at the end. *fd: -1 without a descriptor. */
static size_t
receive_message(int from, void *data, size_t size_B, int *fd)
{
    struct iovec v = {data, size_B};
    union control control;
    struct msghdr m = {.msg_iov = &v,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof control.bytes};
    ssize_t n;
    *fd = -1;
    do
        n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (c && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return n > 0 ? (size_t)n : 0;
}

/* ------------------------------------------------------------------------
 * The peer */

struct actor {
    const uint8_t *at, *end;
    int device_fd, socket;
    struct drm_file *file;
    int last_fd; /* that was sent, to scribble on */
};

static uint8_t
next(struct actor *a)
{
    return a->at < a->end ? *a->at++ : 0;
}

static void
give(struct actor *a, int fd)
{
    char byte = 'f';
    if (fd < 0)
        return;
    send_message(a->socket, &byte, 1, fd);
    if (a->last_fd >= 0)
        close(a->last_fd);
    a->last_fd = fd;
}

static uint32_t
make_object(struct actor *a, uint64_t size_B)
{
    struct drm_i915_gem_create c = {.size = size_B};
    return ioctl_run(a->file, DRM_IOCTL_I915_GEM_CREATE, &c) ? 0 : c.handle;
}

static void
give_object(struct actor *a)
{
    struct drm_prime_handle p = {.handle = make_object(a, 4096u << next(a) % 4),
                                 .flags = DRM_CLOEXEC | DRM_RDWR};
    if (!ioctl_run(a->file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p))
        give(a, p.fd);
}

static void
give_syncobj(struct actor *a)
{
    struct drm_syncobj_create c = {.flags = next(a) & 1};
    struct drm_syncobj_handle h = {0};
    ioctl_run(a->file, DRM_IOCTL_SYNCOBJ_CREATE, &c);
    uint64_t point = next(a) % 8;
    struct drm_syncobj_timeline_array s = {.handles = (uintptr_t)&c.handle,
                                           .points = (uintptr_t)&point,
                                           .count_handles = 1};
    h.handle = c.handle;
    if (ioctl_run(a->file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h))
        return;
    if (point)
        ioctl_run(a->file, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &s);
    give(a, h.fd);
}

/* A batch that ends, or waits until its context is reset, on an object that is
 * shared; and its fence. */
static void
give_fence(struct actor *a)
{
    static const uint32_t ends[] = {0x10000002, 0x100800, 0, 7, 0x05000000, 0},
                          waits[] = {0x0e00c002, 1, 0x100800, 0, 0x05000000, 0};
    uint8_t b = next(a);
    uint32_t handle = make_object(a, 4096);
    struct drm_prime_handle p = {.handle = handle,
                                 .flags = DRM_CLOEXEC | DRM_RDWR};
    struct drm_i915_gem_pwrite w = {
        .handle = handle,
        .size = sizeof ends,
        .data_ptr = (uintptr_t)(b < 240 ? ends : waits)};
    struct drm_i915_gem_exec_object2 o = {
        .handle = handle,
        .offset = 0x100000,
        .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS |
                 EXEC_OBJECT_WRITE};
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)&o,
                                          .buffer_count = 1,
                                          .flags = I915_EXEC_RENDER |
                                                   I915_EXEC_FENCE_OUT};
    ioctl_run(a->file, DRM_IOCTL_I915_GEM_PWRITE, &w);
    if (!ioctl_run(a->file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p))
        give(a, p.fd);
    if (!ioctl_run(a->file, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb))
        give(a, (int)(eb.rsvd2 >> 32));
}

/* A file that only looks like an object or a syncobj. */
static void
give_forgery(struct actor *a)
{
    static const int seals[] = {0, F_SEAL_SHRINK, F_SEAL_SHRINK | F_SEAL_GROW,
                                F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL,
                                F_SEAL_WRITE};
    uint8_t b = next(a);
    int fd = memfd_create("softlake-syncobj", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, b % 5 * 4096 + (b >= 224)))
        return;
    if (a->last_fd >= 0) {
        /* With the pages of a true one. */
        char page[8192];
        ssize_t n = pread(a->last_fd, page, sizeof page, b & 64 ? 4096 : 0);
        if (n > 0 && pwrite(fd, page, (size_t)n, 0) < 0)
            n = 0;
    }
    fcntl(fd, F_ADD_SEALS, seals[next(a) % ARRAY_SIZE(seals)]);
    give(a, fd);
}

/* Words into the last descriptor that was sent, most into its last pages: what
 * the library keeps there is what others believe or not. */
static void
scribble(struct actor *a)
{
    struct stat st;
    if (a->last_fd < 0 || fstat(a->last_fd, &st) || !S_ISREG(st.st_mode) ||
        st.st_size < 4096)
        return;
    size_t size_B = (size_t)st.st_size;
    uint8_t *p = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED,
                      a->last_fd, 0);
    if (p == MAP_FAILED)
        return;
    for (unsigned n = 1 + next(a) % 8; n; n--) {
        size_t at = (size_B - (next(a) & 1 && size_B >= 8192 ? 8192 : 4096) +
                     next(a) * 4u) &
                    ~(size_t)3;
        uint8_t b = next(a);
        uint32_t v = b < 32 ? b : b < 64 ? (uint32_t)-1 : b * 0x01010101u;
        if (b >= 224)
            memcpy(&v, p + at, 4), v += b & 1 ? 1 : (uint32_t)-1;
        memcpy(p + at, &v, 4);
    }
    munmap(p, size_B);
}

static void
act(struct actor *a)
{
    for (unsigned n = 0; n < 32 && a->at < a->end; n++) {
        uint8_t b = next(a);
        switch (b % 8) {
        case 0: give_object(a); break;
        case 1: give_syncobj(a); break;
        case 2: give_fence(a); break;
        case 3: give_forgery(a); break;
        case 4: /* dies by itself */
            if (b >= 240)
                _exit(0);
            give_object(a);
            break;
        default: scribble(a); break;
        }
    }
}

_Noreturn static void
run_peer(int socket)
{
    uint8_t data[PEER_BYTES_MAX];
    size_t size_B;
    int fd;
    char byte = 'e';
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while ((size_B = receive_message(socket, data, sizeof data, &fd))) {
        struct actor a = {.at = data, .end = data + size_B, .last_fd = -1};
        a.socket = socket;
        a.device_fd = device_open(128, O_CLOEXEC);
        a.file = device_file(a.device_fd);
        if (a.file) {
            act(&a);
            device_file_unref(a.file);
        }
        send_message(socket, &byte, 1, -1);
        if (a.last_fd >= 0)
            close(a.last_fd);
        close(a.device_fd);
        device_collect();
    }
    _exit(0);
}

/* ------------------------------------------------------------------------
 * Starting and ending peers */

_Noreturn static void
run_nursery(int socket)
{
    char byte;
    int fd;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGALRM, SIG_IGN);
    while (receive_message(socket, &byte, 1, &fd)) {
        pid_t pid = fork();
        if (!pid)
            run_peer(fd);
        close(fd);
        send_message(socket, &pid, sizeof pid, -1);
    }
    _exit(0);
}

void
share_begin(void)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        abort();
    pid_t pid = fork();
    if (pid < 0)
        abort();
    if (!pid)
        run_nursery(pair[1]);
    close(pair[1]);
    nursery = pair[0];
}

static void
start_peer(void)
{
    int pair[2], fd;
    char byte = 's';
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        abort();
    if (!send_message(nursery, &byte, 1, pair[1]) ||
        !receive_message(nursery, &peer_pid, sizeof peer_pid, &fd))
        abort();
    close(pair[1]);
    peer = pair[0];
}

unsigned
share_ask(const uint8_t *data, size_t size_B, int fds[PEER_FDS_MAX])
{
    unsigned count = 0;
    char byte = 0;
    int fd;
    if (!size_B)
        return 0;
    if (peer < 0)
        start_peer();
    send_message(peer, data, MIN2(size_B, PEER_BYTES_MAX), -1);
    while (byte != 'e' && receive_message(peer, &byte, 1, &fd)) {
        if (fd >= 0 && count < PEER_FDS_MAX)
            fds[count++] = fd;
        else if (fd >= 0)
            close(fd);
    }
    if (byte != 'e')
        share_kill(); /* it died */
    return count;
}

void
share_kill(void)
{
    if (peer < 0)
        return;
    kill(peer_pid, SIGKILL);
    close(peer);
    peer = -1;
}
