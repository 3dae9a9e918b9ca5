/* preload_client.c: what only works through the preloaded library: libc calls
 * on the device's paths, and descriptors that travel. Plain C and TAP, because
 * the program must not be linked with anything of ours. */
#include <dirent.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int tests, failures;

static void
ok(int good, const char *what)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++tests, what);
    failures += !good;
}

static int
open_render(void)
{
    return open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
}

static int
chipset(int fd)
{
    int value = 0;
    struct drm_i915_getparam g = {.param = I915_PARAM_CHIPSET_ID,
                                  .value = &value};
    return ioctl(fd, DRM_IOCTL_I915_GETPARAM, &g) ? -1 : value;
}

static int
lists(const char *dir, const char *name)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    int found = 0;
    while (d && (e = readdir(d)))
        found |= !strcmp(e->d_name, name);
    if (d)
        closedir(d);
    return found;
}

static void
test_paths(void)
{
    struct stat st;
    struct statx sx;
    char buf[4096], link[64];
    ok(lists("/dev/dri", "card0") && lists("/dev/dri", "renderD128"),
       "readdir of /dev/dri");
    ok(lists("/sys/class", "drm") && lists("/sys/class/drm", "card0"),
       "udev's enumeration finds the class");
    ok(!stat("/dev/dri/card0", &st) && S_ISCHR(st.st_mode) &&
           st.st_rdev == makedev(226, 0),
       "stat of the card");
    ok(!statx(AT_FDCWD, "/dev/dri/renderD128", 0, STATX_ALL, &sx) &&
           S_ISCHR(sx.stx_mode) && sx.stx_rdev_minor == 128,
       "statx of the render node");
    ok(!access("/sys/dev/char/226:128/device/drm", F_OK), "access in sysfs");
    ok(realpath("/sys/dev/char/226:128/device", buf) &&
           !strcmp(buf, "/sys/devices/pci0000:00/0000:00:02.0"),
       "realpath hides the root");
    ssize_t n = readlink("/sys/dev/char/226:0/device/subsystem", buf, 4095);
    buf[n > 0 ? n : 0] = 0;
    ok(n > 4 && !strcmp(buf + n - 4, "/pci"), "readlink in sysfs");
    FILE *f = fopen("/sys/dev/char/226:0/device/vendor", "r");
    ok(f && fgets(buf, 64, f) && !strcmp(buf, "0x8086\n"), "fopen in sysfs");
    if (f)
        fclose(f);
    int sys = open("/sys", O_PATH | O_DIRECTORY);
    int class = openat(sys, "class", O_PATH | O_DIRECTORY);
    int drm = openat(class, "drm", O_RDONLY | O_DIRECTORY);
    struct statfs fs;
    ok(drm >= 0 && !fstatat(drm, "card0/uevent", &st, 0) &&
           !fstatfs(drm, &fs) && fs.f_type == SYSFS_MAGIC,
       "a walk by descriptors reaches sysfs files");
    int fd = open_render();
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, buf, 4095);
    buf[n > 0 ? n : 0] = 0;
    ok(!strcmp(buf, "/dev/dri/renderD128"), "/proc names the node");
    ok(open("/dev/dri/card7", O_RDWR) < 0 && errno == ENOENT,
       "there is no other card");
    close(fd);
    close(drm);
    close(class);
    close(sys);
}

static void
test_descriptors(void)
{
    struct stat st;
    int fd = open_render();
    ok(!fstat(fd, &st) && S_ISCHR(st.st_mode) &&
           st.st_rdev == makedev(226, 128),
       "fstat of the open device");
    int copy = dup(fd);
    close(fd);
    ok(chipset(copy) == 0x5912, "a dup is the device");
    int pci = open("/dev/dri/by-path/pci-0000:00:02.0-render", O_RDWR);
    ok(chipset(pci) == 0x5912, "the link by path opens the device");
    close(pci);
    ok(ioctl(0, DRM_IOCTL_VERSION, NULL) < 0 && errno == ENOTTY,
       "ioctls of other descriptors go to the kernel");
    pid_t child = fork();
    if (!child)
        _exit(chipset(copy) == 0x5912 ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    ok(!status, "a child of fork uses the device");
    close(copy);
}

static uint32_t
create(int fd, uint64_t size_B)
{
    struct drm_i915_gem_create c = {.size = size_B};
    return ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &c) ? 0 : c.handle;
}

/* Whether a descriptor takes an ioctl that drivers use all the time. */
static int
creates(int fd)
{
    return create(fd, 4096) != 0;
}

/* A number that was the device and then something else. */
static void
test_reused_numbers(void)
{
    int fd = open_render();
    ok(chipset(fd) == 0x5912 && creates(fd), "a number is the device");
    close(fd);
    ok(!creates(fd) && errno == EBADF, "closed, it is nothing");
    int null = open("/dev/null", O_RDWR);
    ok(null == fd && !creates(null) && errno == ENOTTY,
       "opened again, it is what was opened");
    fd = open_render();
    ok(chipset(fd) == 0x5912 && creates(fd), "another is the device");
    dup2(null, fd);
    ok(!creates(fd) && errno == ENOTTY, "dup2() puts something else there");
    close(fd);
    fd = open_render();
    ok(chipset(fd) == 0x5912 && creates(fd), "and the device again");
    dup3(null, fd, O_CLOEXEC);
    ok(!creates(fd) && errno == ENOTTY, "so does dup3()");
    close(fd);
    fd = open_render();
    int copy = dup(fd);
    ok(creates(fd) && creates(copy), "a dup takes it too");
    close_range((unsigned)fd, (unsigned)fd, 0);
    ok(!creates(fd) && errno == EBADF && creates(copy),
       "close_range() ends one of them");
    /* Nobody tells the library, but the new owner asks what it has. */
    syscall(SYS_close, copy);
    syscall(SYS_dup2, null, copy);
    ok(chipset(copy) < 0 && errno == ENOTTY && !creates(copy) &&
           errno == ENOTTY,
       "what is closed behind our back is found out");
    close(copy);
    close(null);
}

static uint32_t *
map(int fd, uint32_t handle, size_t size_B)
{
    struct drm_i915_gem_mmap_offset m = {.handle = handle,
                                         .flags = I915_MMAP_OFFSET_WB};
    if (ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &m))
        return NULL;
    void *p = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                   (off_t)m.offset);
    return p == MAP_FAILED ? NULL : p;
}

/* The other process: fd and the buffer come over a socket, as from a display
 * server. Returns 0 if all is as it should be. */
static int
receiver(int socket)
{
    char byte, control[CMSG_SPACE(2 * sizeof(int))];
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof control};
    int fds[2];
    if (recvmsg(socket, &msg, 0) != 1)
        return 10;
    memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof fds);
    if (chipset(fds[0]) != 0x5912)
        return 11;
    struct drm_prime_handle p = {.fd = fds[1]};
    if (ioctl(fds[0], DRM_IOCTL_PRIME_FD_TO_HANDLE, &p))
        return 12;
    if (lseek(fds[1], 0, SEEK_END) != 65536)
        return 13;
    uint32_t *m = map(fds[0], p.handle, 65536);
    if (!m || m[3] != 0x600d)
        return 14;
    struct drm_i915_gem_get_tiling t = {.handle = p.handle};
    if (ioctl(fds[0], DRM_IOCTL_I915_GEM_GET_TILING, &t) ||
        t.tiling_mode != I915_TILING_Y)
        return 15;
    m[4] = 0xbeef;
    /* The sender's batch on it has not run yet. */
    struct drm_i915_gem_busy b = {.handle = p.handle};
    struct drm_i915_gem_wait w = {.bo_handle = p.handle, .timeout_ns = 1000000};
    if (ioctl(fds[0], DRM_IOCTL_I915_GEM_BUSY, &b) || !(b.busy & 0xffff))
        return 16;
    if (!ioctl(fds[0], DRM_IOCTL_I915_GEM_WAIT, &w) || errno != ETIME)
        return 17;
    if (m[8] || write(socket, &byte, 1) != 1)
        return 18;
    w.timeout_ns = 5000000000;
    if (ioctl(fds[0], DRM_IOCTL_I915_GEM_WAIT, &w))
        return 19;
    return m[8] == 77 ? 0 : 20;
}

/* The sync_file of a batch that ends when **go becomes 1; -1: refused. */
static int
submit_waiting(int fd, uint32_t **go)
{
    const uint64_t va = 0x3000000;
    uint32_t batch = create(fd, 4096), semaphore = create(fd, 4096);
    uint32_t *dw = map(fd, batch, 4096);
    *go = map(fd, semaphore, 4096);
    dw[0] = 0x0e00c002; /* MI_SEMAPHORE_WAIT: poll until equal */
    dw[1] = 1;
    dw[2] = (uint32_t)va;
    dw[4] = 0x05000000; /* MI_BATCH_BUFFER_END */
    struct drm_i915_gem_exec_object2 o[2] = {
        {.handle = semaphore, .offset = va, .flags = EXEC_OBJECT_PINNED},
        {.handle = batch, .offset = 0x200000, .flags = EXEC_OBJECT_PINNED}};
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)o,
                                          .buffer_count = 2,
                                          .batch_len = 24,
                                          .flags = I915_EXEC_NO_RELOC |
                                                   I915_EXEC_FENCE_OUT};
    if (ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb))
        return -1;
    return (int)(eb.rsvd2 >> 32);
}

/* A batch that writes 77 into dword 8 of the buffer once go has signalled. */
static int
submit_blocked(int fd, uint32_t handle, int go)
{
    const uint64_t va = 0x1000000;
    uint32_t batch = create(fd, 4096);
    uint32_t *dw = map(fd, batch, 4096);
    dw[0] = 0x10000002; /* MI_STORE_DATA_IMM */
    dw[1] = (uint32_t)va + 32;
    dw[3] = 77;
    dw[4] = 0x05000000; /* MI_BATCH_BUFFER_END */
    struct drm_i915_gem_exec_object2 o[2] = {
        {.handle = handle,
         .offset = va,
         .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE},
        {.handle = batch, .offset = 0x100000, .flags = EXEC_OBJECT_PINNED}};
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)o,
                                          .buffer_count = 2,
                                          .batch_len = 24,
                                          .flags = I915_EXEC_NO_RELOC |
                                                   I915_EXEC_FENCE_IN,
                                          .rsvd2 = (uint32_t)go};
    return ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

/* Long after any point comes. */
static int64_t
deadline_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec + 20) * INT64_C(1000000000);
}

/* Another process: waits for point 5, which is not there yet, then adds
 * point 6. */
static int
syncobj_receiver(int file)
{
    int fd = open_render();
    struct drm_syncobj_handle h = {.fd = file};
    if (ioctl(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h))
        return 10;
    uint64_t point = 3, value = 0;
    struct drm_syncobj_timeline_wait w = {
        .handles = (uintptr_t)&h.handle,
        .points = (uintptr_t)&point,
        .count_handles = 1,
    };
    if (ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w))
        return 11;
    point = 5;
    w.timeout_nsec = deadline_ns();
    w.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
    if (ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w))
        return 12;
    point = 6;
    struct drm_syncobj_timeline_array a = {
        .handles = (uintptr_t)&h.handle,
        .points = (uintptr_t)&point,
        .count_handles = 1,
    };
    if (ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a))
        return 13;
    a.points = (uintptr_t)&value;
    if (ioctl(fd, DRM_IOCTL_SYNCOBJ_QUERY, &a) || value != 6)
        return 14;
    return 0;
}

static void
test_syncobj(const char *self)
{
    int fd = open_render();
    struct drm_syncobj_create c = {0};
    ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &c);
    uint64_t point = 3, value = 0;
    struct drm_syncobj_timeline_array a = {
        .handles = (uintptr_t)&c.handle,
        .points = (uintptr_t)&point,
        .count_handles = 1,
    };
    ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a);
    struct drm_syncobj_handle h = {.handle = c.handle};
    ok(!ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), "opaque export");
    fcntl(h.fd, F_SETFD, 0);
    pid_t child = fork();
    if (!child) {
        char number[16];
        snprintf(number, sizeof number, "%d", h.fd);
        execl("/proc/self/exe", self, "syncobj", number, NULL);
        _exit(99);
    }
    usleep(50000);
    point = 5;
    ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a);
    int status = -1;
    waitpid(child, &status, 0);
    ok(!status, "another process sees the points of a timeline");
    if (status)
        printf("# receiver ended with %d\n", status >> 8);
    a.points = (uintptr_t)&value;
    ok(!ioctl(fd, DRM_IOCTL_SYNCOBJ_QUERY, &a) && value == 6,
       "and its points arrive here");
}

static void
test_sharing(const char *self)
{
    int pair[2], fd = open_render();
    uint32_t h = create(fd, 65536);
    uint32_t *m = map(fd, h, 65536);
    m[3] = 0x600d;
    struct drm_i915_gem_set_tiling t = {
        .handle = h, .tiling_mode = I915_TILING_Y, .stride = 512};
    ioctl(fd, DRM_IOCTL_I915_GEM_SET_TILING, &t);
    struct drm_prime_handle p = {.handle = h, .flags = DRM_CLOEXEC | DRM_RDWR};
    ok(!ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), "prime export");
    ok(lseek(p.fd, 0, SEEK_END) == 65536, "lseek tells the object's size");
    struct dma_buf_sync s = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW};
    ok(!ioctl(p.fd, DMA_BUF_IOCTL_SYNC, &s), "dma-buf sync");
    struct dma_buf_export_sync_file e = {.flags = DMA_BUF_SYNC_RW};
    struct pollfd poll_fd = {.events = POLLIN};
    ok(!ioctl(p.fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &e) &&
           (poll_fd.fd = e.fd) >= 0 && poll(&poll_fd, 1, 0) == 1,
       "sync_file of an idle buffer is signalled");
    struct sync_merge_data merge = {.fd2 = e.fd};
    struct sync_file_info info = {0};
    ok(!ioctl(e.fd, SYNC_IOC_MERGE, &merge) &&
           !ioctl(merge.fence, SYNC_IOC_FILE_INFO, &info) && info.status == 1 &&
           info.num_fences == 1,
       "sync_files merge");
    uint32_t *go;
    ok(!submit_blocked(fd, h, submit_waiting(fd, &go)),
       "a batch waits for a sync_file");
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    pid_t child = fork();
    if (!child) {
        char number[16];
        snprintf(number, sizeof number, "%d", pair[1]);
        execl("/proc/self/exe", self, number, NULL);
        _exit(99);
    }
    int fds[2] = {fd, p.fd};
    char byte = 0, control[CMSG_SPACE(sizeof fds)] = {0};
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(c), fds, sizeof fds);
    sendmsg(pair[0], &msg, 0);
    close(pair[1]);
    failures += read(pair[0], &byte, 1) != 1;
    *go = 1;
    int status = -1;
    waitpid(child, &status, 0);
    ok(!status, "device, buffer, tiling and fences arrive in another process");
    if (status)
        printf("# receiver ended with %d\n", status >> 8);
    ok(m[4] == 0xbeef, "and its writes come back");
}

/* ---- performance counters ------------------------------------------------ */

static int
add_metrics(int fd)
{
    static const uint32_t boolean[] = {0x2740, 1};
    struct drm_i915_perf_oa_config c = {.n_boolean_regs = 1,
                                        .boolean_regs_ptr = (uintptr_t)boolean};
    memcpy(c.uuid, "01234567-89ab-cdef-0123-456789abcdef", sizeof c.uuid);
    return ioctl(fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &c);
}

/* exponent 0: without timer */
static int
open_stream(int fd, int set, unsigned exponent, unsigned flags)
{
    const uint64_t pairs[][2] = {
        {DRM_I915_PERF_PROP_SAMPLE_OA, 1},
        {DRM_I915_PERF_PROP_OA_METRICS_SET, (uint64_t)set},
        {DRM_I915_PERF_PROP_OA_FORMAT, I915_OA_FORMAT_A32u40_A4u32_B8_C8},
        {DRM_I915_PERF_PROP_OA_EXPONENT, exponent},
    };
    struct drm_i915_perf_open_param p = {.flags = I915_PERF_FLAG_FD_CLOEXEC |
                                                  flags,
                                         .num_properties = exponent ? 4 : 3,
                                         .properties_ptr = (uintptr_t)pairs};
    return ioctl(fd, DRM_IOCTL_I915_PERF_OPEN, &p);
}

static int
read_fails(int fd, size_t size_B, int err)
{
    static char room[10 * 264];
    errno = 0;
    return read(fd, room, size_B) == -1 && errno == err;
}

static void
test_perf(void)
{
    int fd = open_render(), set = add_metrics(fd);
    int s = open_stream(fd, set, 20, /* 175 ms */
                        I915_PERF_FLAG_FD_NONBLOCK | I915_PERF_FLAG_DISABLED);
    ok(set > 0 && s >= 0 && read_fails(s, 2640, EIO),
       "a disabled stream of counters cannot be read");
    ok(!ioctl(s, I915_PERF_IOCTL_ENABLE, 0) && read_fails(s, 2640, EAGAIN),
       "an enabled one has nothing yet");
    struct pollfd p = {.fd = s, .events = POLLIN};
    ok(poll(&p, 1, 10000) == 1 && read_fails(s, 263, ENOSPC),
       "a record does not fit into fewer bytes");
    int copy = dup(s);
    ok(!ioctl(s, I915_PERF_IOCTL_DISABLE, 0) && read_fails(copy, 2640, EIO),
       "it is disabled for all its descriptors");
    close(copy);
    close(s);
    s = open_stream(fd, set, 0, 0);
    ok(s >= 0 && read_fails(s, 2640, EIO),
       "without a timer a read that would wait fails");
    close(s);
    close(fd);
}

int
main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 2)
        return syncobj_receiver(atoi(argv[2]));
    if (argc > 1)
        return receiver(atoi(argv[1]));
    test_paths();
    test_descriptors();
    test_reused_numbers();
    test_sharing(argv[0]);
    test_syncobj(argv[0]);
    test_perf();
    printf("1..%d\n", tests);
    return failures != 0;
}
