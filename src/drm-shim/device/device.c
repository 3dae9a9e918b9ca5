#include "drm-shim/device/device.h"

#include "base/fork_order.h"
#include "base/refusal.h"
#include "drm-shim/gem/gem.h"
#include "drm-shim/oa/oa.h"
#include "drm-shim/sync/sync.h"
#include "drm-shim/kms/kms.h"
#include "drm-shim/device/adopted_file.h"
#include "drm-shim/device/fd_cache.h"
#include "drm-shim/core/core.h"
#include "drm-shim/report/report.h"
#include "drm-shim/device/devtree.h"
#include "engine/engine.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

/* ------------------------------------------------------------------------
 * fork() */

static void
before_fork(void)
{
    device_submit_lock();
    device_lock();
    fence_before_fork();
    struct engine *engine = device_engine_if_any();
    if (engine)
        engine_before_fork(engine);
}

static void
after_fork_parent(void)
{
    struct engine *engine = device_engine_if_any();
    if (engine)
        engine_after_fork_parent(engine);
    fence_after_fork_parent();
    device_unlock();
    device_submit_unlock();
}

static void
after_fork_child(void)
{
    fence_after_fork_child();
    fd_cache_after_fork();
    device_locks_after_fork();
    request_after_fork();
    syncobj_after_fork();
    devtree_after_fork();
    foreign_after_fork();
    bo_share_after_fork(*device_shared_bos());
    bo_slab_after_fork();
    report_after_fork();
    oa_stream_after_fork();
    struct kms *kms = *device_kms_slot();
    struct engine *engine = device_engine_if_any();
    if (kms)
        kms_after_fork(kms);
    if (engine)
        engine_after_fork(engine);
}

static void
init_once(void)
{
    device_state_init();
    report_open();
    static const struct fork_row row = {before_fork, after_fork_parent,
                                        after_fork_child};
    fork_order_add(FORK_DEVICE, &row);
}

void
device_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_once);
}

/* ------------------------------------------------------------------------
 * Open files */

#define FD_LIMIT 32768
#define NAME_FORMAT "softlake-drm-%d-"
#define LEASE_FORMAT "lease%u-"
/* lessee mask of a file that is no lessee */
#define NO_LEASE UINT_MAX

static int
bind_name(int fd, int minor, unsigned objects)
{
    char lease[32] = "";
    if (objects != NO_LEASE)
        snprintf(lease, sizeof lease, LEASE_FORMAT, objects);
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    int n = snprintf(sa.sun_path + 1, sizeof sa.sun_path - 1,
                     NAME_FORMAT "%s%d-%u-%llx", minor, lease, (int)getpid(),
                     device_new_serial(), (unsigned long long)fence_now_ns());
    return bind(
        fd, (struct sockaddr *)&sa,
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
}

/* Reads the minor from a socket's name, or -1 if it is not the device's.
 * *objects: the lessee's objects, or NO_LEASE. */
static int
read_name(int fd, unsigned *objects)
{
    *objects = NO_LEASE;
    struct sockaddr_un sa;
    socklen_t len = sizeof sa;
    int minor, saved = errno;
    if (getsockname(fd, (struct sockaddr *)&sa, &len) < 0) {
        errno = saved;
        return -1;
    }
    size_t head = offsetof(struct sockaddr_un, sun_path);
    if (sa.sun_family != AF_UNIX || len <= head + 1 || sa.sun_path[0])
        return -1;
    char name[sizeof sa.sun_path + 1] = {0};
    memcpy(name, sa.sun_path + 1, len - head - 1);
    if (sscanf(name, NAME_FORMAT, &minor) != 1)
        return -1;
    if (sscanf(name, NAME_FORMAT LEASE_FORMAT, &minor, objects) != 2)
        *objects = NO_LEASE;
    return minor == 0 || minor == 128 ? minor : -1;
}

/* Raises the soft limit of descriptors, since each object takes one. The usual
 * 1024 protects programs that use select(); the library's descriptors lie above
 * it. */
static void
raise_fd_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= FD_LIMIT)
        return;
    limit.rlim_cur = MIN2(limit.rlim_max, (rlim_t)FD_LIMIT);
    setrlimit(RLIMIT_NOFILE, &limit);
}

static struct drm_file *
add_file(ino_t ino, int minor, int peer, unsigned objects)
{
    struct drm_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    atomic_init(&file->refs, 1);
    file->ino = ino;
    file->minor = minor;
    file->peer = peer;
    device_lock();
    /* The first to open the card becomes its master. */
    file->master = minor == 0;
    for (struct drm_file *f = device_first_file(); f; f = f->next)
        if (f->master && !f->lease.lessee)
            file->master = false;
    if (objects != NO_LEASE) {
        file->lease.lessee = file->master = true;
        file->lease.objects = objects;
    }
    file->authenticated = file->master || minor == 128;
    struct drm_file **files = device_files();
    file->next = *files;
    *files = file;
    device_unlock();
    stats_add(STAT_opens, 1);
    device_note_opened();
    report_publish();
    return file;
}

static int
open_node(int minor, int flags, unsigned objects)
{
    int pair[2];
    struct stat st;
    device_init();
    device_collect();
    raise_fd_limit();
    int type = SOCK_SEQPACKET | (flags & O_CLOEXEC ? SOCK_CLOEXEC : 0) |
               (flags & O_NONBLOCK ? SOCK_NONBLOCK : 0);
    if (socketpair(AF_UNIX, type, 0, pair) < 0) {
        refusal("the device cannot be opened: %m");
        return -1;
    }
    int peer = syscall_fd_up(pair[1]);
    /* A full socket must not block the sender of events. */
    fcntl(peer, F_SETFL, O_NONBLOCK);
    if (bind_name(pair[0], minor, objects) < 0 ||
        syscall_fstat(pair[0], &st) < 0 ||
        !add_file(st.st_ino, minor, peer, objects)) {
        refusal("the device cannot be opened: %m");
        close(pair[0]);
        close(peer);
        errno = ENOMEM;
        return -1;
    }
    trace(ioctl, "open minor %d -> %d", minor, pair[0]);
    return pair[0];
}

int
device_open(int minor, int flags)
{
    return open_node(minor, flags, NO_LEASE);
}

int
device_open_lease(int flags, unsigned objects)
{
    return open_node(0, flags, objects);
}

static struct drm_file *
find_file(ino_t ino)
{
    for (struct drm_file *f = device_first_file(); f; f = f->next)
        if (f->ino == ino)
            return f;
    return NULL;
}

int
device_minor_of_inode(int fd, ino_t ino)
{
    device_init();
    device_lock();
    struct drm_file *file = find_file(ino);
    int minor = file ? file->minor : -1;
    unsigned objects;
    device_unlock();
    return file ? minor : read_name(fd, &objects);
}

struct drm_file *
device_file(int fd)
{
    struct stat st;
    int saved = errno;
    unsigned ticket = fd_cache_ticket();
    if (fd < 0 || syscall_fstat(fd, &st) < 0) {
        errno = saved;
        return NULL;
    }
    if (!S_ISSOCK(st.st_mode)) {
        fd_cache_forget(fd);
        return NULL;
    }
    device_init();
    device_lock();
    struct drm_file *file = find_file(st.st_ino), *adopted = NULL;
    if (!file) {
        unsigned objects;
        int minor = read_name(fd, &objects);
        if (minor >= 0)
            file = adopted = add_file(st.st_ino, minor, -1, objects);
    }
    if (file) {
        atomic_fetch_add(&file->refs, 1);
        fd_cache_learn(fd, file, ticket);
    } else {
        fd_cache_forget(fd);
    }
    device_unlock();
    if (adopted)
        device_collect(); /* closes files that were adopted before */
    return file;
}

struct drm_file *
device_file_known(int fd)
{
    device_init();
    device_lock();
    struct drm_file *file = fd_cache_find(fd);
    if (file)
        atomic_fetch_add(&file->refs, 1);
    device_unlock();
    return file ? file : device_file(fd);
}

static void
release_handles(struct drm_file *file)
{
    for (uint32_t h = 0; (h = handle_next(&file->contexts, h));)
        gem_context_unref(handle_remove(&file->contexts, h));
    gem_context_unref(file->default_context);
    for (uint32_t h = 0; (h = handle_next(&file->ppgtts, h));)
        ppgtt_unref(handle_remove(&file->ppgtts, h));
    ppgtt_unref(file->ppgtt);
    for (uint32_t h = 0; (h = handle_next(&file->bos, h));)
        bo_unref(handle_remove(&file->bos, h));
    for (uint32_t h = 0; (h = handle_next(&file->syncobjs, h));)
        syncobj_unref(handle_remove(&file->syncobjs, h));
    handle_finish(&file->contexts);
    handle_finish(&file->ppgtts);
    handle_finish(&file->bos);
    handle_finish(&file->syncobjs);
}

void
device_file_unref(struct drm_file *file)
{
    if (atomic_fetch_sub(&file->refs, 1) != 1)
        return;
    device_lock();
    struct kms *kms = *device_kms_slot();
    if (kms)
        kms_drop_file(kms, file);
    lease_drop_file(file);
    device_unlock();
    release_handles(file);
    if (file->peer >= 0)
        close(file->peer);
    free(file);
}

static bool
is_closed(const struct drm_file *file)
{
    char byte;
    if (file->peer < 0)
        return adopted_file_is_closed(file);
    return recv(file->peer, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void
device_collect(void)
{
    int saved = errno;
    struct drm_file *dead = NULL;
    adopted_file_scan();
    device_lock();
    for (struct drm_file **p = device_files(); *p;) {
        struct drm_file *file = *p;
        if (!is_closed(file)) {
            p = &file->next;
            continue;
        }
        *p = file->next;
        fd_cache_forget_file(file);
        file->next = dead;
        dead = file;
    }
    device_unlock();
    while (dead) {
        struct drm_file *next = dead->next;
        trace(ioctl, "last close of minor %d", dead->minor);
        device_file_unref(dead);
        dead = next;
    }
    errno = saved;
}
