/* many_bos.c: 100,000 objects while the process may have 1,024 descriptors.
 * Each is used by the processor and by a batch; the application's own files
 * still open, and objects are still shared. */
#include "raw.h"

#include <sys/resource.h>

#define OBJECTS 100000u
#define IN_BATCH 10u
#define OWN_FILES 64u
#define SIZE_B 4096u

static uint32_t handles[OBJECTS];

static uint64_t
address(unsigned i)
{
    return UINT64_C(0x100000000) + (uint64_t)i * 4 * SIZE_B;
}

static int
write_object(int fd, unsigned i)
{
    uint32_t *p = raw_map(fd, handles[i], SIZE_B);
    if (!p)
        return -errno;
    p[1] = i;
    munmap(p, SIZE_B);
    return 0;
}

/* A batch stores i into object i, for IN_BATCH of them. */
static int
run_batch(int fd, uint32_t context, uint32_t batch, uint32_t *dw, unsigned from)
{
    struct raw_object o[IN_BATCH + 1];
    for (unsigned i = 0; i < IN_BATCH; i++) {
        o[i] = (struct raw_object){handles[from + i], address(from + i)};
        raw_store(dw + 4 * i, address(from + i), from + i);
    }
    o[IN_BATCH] = (struct raw_object){batch, RAW_BATCH_VA};
    int err = raw_exec(fd, context, o, IN_BATCH + 1);
    return err ? err : raw_wait(fd, batch);
}

static int
check_object(int fd, unsigned i)
{
    uint32_t *p = raw_map(fd, handles[i], SIZE_B);
    if (!p)
        return -errno;
    int err = p[0] == i && p[1] == i ? 0 : -EIO;
    munmap(p, SIZE_B);
    return err;
}

static unsigned
open_files(void)
{
    int files[OWN_FILES];
    unsigned n = 0;
    while (n < OWN_FILES && (files[n] = open("/dev/null", O_RDONLY)) >= 0)
        n++;
    for (unsigned i = 0; i < n; i++)
        close(files[i]);
    return n;
}

static int
share_object(int fd, uint32_t handle)
{
    struct drm_prime_handle p = {.handle = handle, .flags = DRM_CLOEXEC};
    if (ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p))
        return -errno;
    close(p.fd);
    return 0;
}

/* Shares objects until the library has no descriptor left for one. */
static void
share_many(int fd)
{
    unsigned n = 0;
    while (n < 2000 && !share_object(fd, handles[OBJECTS - 1 - n]))
        n++;
    printf("# %u objects shared\n", n);
}

/* Calls fn for every object; 0 or -errno of the first that fails. */
static int
for_all(int fd, int (*fn)(int fd, unsigned i))
{
    int err = 0;
    for (unsigned i = 0; i < OBJECTS && !err; i++)
        err = fn(fd, i);
    if (err)
        printf("# %s\n", strerror(-err));
    return err;
}

static int
create_object(int fd, unsigned i)
{
    handles[i] = raw_create(fd, SIZE_B);
    return handles[i] ? 0 : -errno;
}

static int
close_object(int fd, unsigned i)
{
    raw_close(fd, handles[i]);
    return 0;
}

int
main(void)
{
    struct rlimit limit = {1024, 1024};
    setrlimit(RLIMIT_NOFILE, &limit);
    int fd = raw_open(), err = 0;
    uint32_t context = raw_context(fd), batch = raw_create(fd, SIZE_B);
    uint32_t *dw = raw_map(fd, batch, SIZE_B);
    raw_ok(!for_all(fd, create_object), "100,000 objects");
    raw_ok(open_files() == OWN_FILES, "the application's files open");
    raw_ok(!for_all(fd, write_object), "the processor writes each");
    for (unsigned i = 0; i < OBJECTS && !err; i += IN_BATCH)
        err = run_batch(fd, context, batch, dw, i);
    printf("# %s\n", strerror(-err));
    raw_ok(!err, "batches write each");
    raw_ok(!for_all(fd, check_object), "each has its own memory");
    raw_ok(!share_object(fd, handles[OBJECTS - 1]), "the last can be shared");
    share_many(fd);
    raw_ok(open_files() == OWN_FILES, "sharing leaves them descriptors");
    for_all(fd, close_object);
    raw_ok(open_files() == OWN_FILES, "the application's files open again");
    raw_ok(!raw_use(fd, 0, 7), "the device still works");
    return raw_end();
}
