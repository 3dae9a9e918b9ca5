/* cl_record.c: files of the profile's directory. */
#include "cl-layer/cl_record.h"
#include "cl-layer/cl_layer_file.h"

#include "base/base.h"
#include "base/file_limit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define LAUNCHES_B (CL_LAYER_ROWS * sizeof(struct cl_layer_launch))

static const char *
profile_dir(void)
{
    const char *dir = getenv("SOFTLAKE_PROFILE");
    return dir && *dir ? dir : NULL;
}

/* ---- programs ------------------------------------------------------------ */

static uint64_t
add_hash(uint64_t h, const void *data, size_t size_B)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < size_B; i++) /* FNV-1a */
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return (h ^ size_B) * UINT64_C(0x100000001b3);
}

static bool
write_all(int fd, const void *data, size_t size_B)
{
    const char *p = data;
    while (size_B) {
        ssize_t n = write(fd, p, size_B);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size_B -= (size_t)n;
    }
    return true;
}

#define PARTS 4

static bool
write_parts(const char *path, const struct iovec parts[PARTS])
{
    size_t size_B = 0;
    for (unsigned i = 0; i < PARTS; i++)
        size_B += parts[i].iov_len;
    if (!file_limit_allows(size_B))
        return false;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool ok = true;
    for (unsigned i = 0; ok && i < PARTS; i++)
        ok = write_all(fd, parts[i].iov_base, parts[i].iov_len);
    return !close(fd) && ok;
}

/* A file named by its content. Written under another name first: readers see
 * whole files only. */
static void
write_file(const char *prefix, const struct iovec parts[PARTS])
{
    static atomic_uint serial;
    char path[4096], temporary[4096];
    const char *dir = profile_dir();
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    if (!dir)
        return;
    for (unsigned i = 0; i < PARTS; i++)
        h = add_hash(h, parts[i].iov_base, parts[i].iov_len);
    snprintf(path, sizeof path, "%s/%s%016llx", dir, prefix,
             (unsigned long long)h);
    snprintf(temporary, sizeof temporary, "%s/cl-new.%d.%u", dir, (int)getpid(),
             atomic_fetch_add(&serial, 1));
    if (!access(path, F_OK))
        return;
    if (!write_parts(temporary, parts) || rename(temporary, path))
        unlink(temporary);
}

void
cl_record_program(const struct cl_built *b)
{
    struct cl_layer_program head = {.magic = CL_LAYER_MAGIC,
                                    .source_B = (uint32_t)b->source_B,
                                    .options_B = (uint32_t)b->options_B,
                                    .binary_B = b->binary_B};
    const struct iovec parts[PARTS] = {
        {&head, sizeof head},
        {(void *)b->source, b->source_B},
        {(void *)b->options, b->options_B},
        {(void *)b->binary, b->binary_B},
    };
    if (b->source_B <= UINT32_MAX && b->options_B <= UINT32_MAX)
        write_file(CL_LAYER_PROGRAM_PREFIX, parts);
}

void
cl_record_driver(const char *path)
{
    const struct iovec parts[PARTS] = {{(void *)path, strlen(path)}};
    write_file(CL_LAYER_DRIVER_PREFIX, parts);
}

/* ---- launches ------------------------------------------------------------ */

/* The whole file has memory before it is mapped: a full disk would end the
 * application with SIGBUS. */
static struct cl_layer_launch *
map_launches(void)
{
    static atomic_uint serial;
    char path[4096];
    const char *dir = profile_dir();
    if (!dir || !file_limit_allows(LAUNCHES_B))
        return NULL;
    snprintf(path, sizeof path, "%s/" CL_LAYER_LAUNCHES_PREFIX "%d.%u", dir,
             (int)getpid(), atomic_fetch_add(&serial, 1));
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *p = MAP_FAILED;
    if (fd >= 0 && !posix_fallocate(fd, 0, (off_t)LAUNCHES_B))
        p = mmap(NULL, LAUNCHES_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return p == MAP_FAILED ? NULL : p;
}

static struct cl_layer_launch *rows;

/* The child of fork() counts in its parent's rows. */
void
cl_record_begin(void)
{
    if (!rows)
        rows = map_launches();
}

static void
fill_row(struct cl_layer_launch *row, const struct cl_launched *l)
{
    *row = (struct cl_layer_launch){.state = CL_LAYER_BUSY, .dims = l->dims};
    for (unsigned i = 0; i < l->dims; i++) {
        row->global[i] = l->global[i];
        row->local[i] = l->local ? l->local[i] : 0;
    }
    snprintf(row->kernel, sizeof row->kernel, "%s", l->kernel);
}

/* The row of this launch; one that another thread is about to fill is passed
 * over, so that a launch may have two. */
static struct cl_layer_launch *
find_row(const struct cl_launched *l)
{
    struct cl_layer_launch want;
    fill_row(&want, l);
    uint64_t h = add_hash(UINT64_C(0xcbf29ce484222325), &want, sizeof want);
    for (unsigned i = 0; i < CL_LAYER_ROWS; i++) {
        struct cl_layer_launch *row = &rows[(h + i) % CL_LAYER_ROWS];
        uint32_t state = __atomic_load_n(&row->state, __ATOMIC_ACQUIRE);
        if (state == CL_LAYER_READY && row->dims == want.dims &&
            !memcmp(row->global, want.global, sizeof want.global) &&
            !memcmp(row->local, want.local, sizeof want.local) &&
            !strcmp(row->kernel, want.kernel))
            return row;
        state = CL_LAYER_FREE;
        if (!__atomic_compare_exchange_n(&row->state, &state, CL_LAYER_BUSY,
                                         false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        *row = want;
        __atomic_store_n(&row->state, CL_LAYER_READY, __ATOMIC_RELEASE);
        return row;
    }
    return NULL;
}

void
cl_record_launch(const struct cl_launched *l)
{
    struct cl_layer_launch *row = rows && l->dims <= 3 ? find_row(l) : NULL;
    if (row)
        __atomic_fetch_add(&row->count, 1, __ATOMIC_RELAXED);
}
