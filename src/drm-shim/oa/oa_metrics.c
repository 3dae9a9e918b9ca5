/* oa_metrics.c: metric sets as files. A set with id N is the file oa/N of the
 * device tree, which no path of the application leads to, and the directory of
 * its uuid in sysfs. */
#include "drm-shim/oa/oa.h"

#include "drm-shim/core/core.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define METRICS "sys/devices/pci0000:00/0000:00:02.0/drm/card0/metrics"
#define PATH_B 160

/* ---- what may be in a set ------------------------------------------------ */

struct register_range {
    uint32_t first, last;
};

/* Gen8 and Gen9: i915-perf lets clients program these, and no others. */
static const struct register_range mux[] = {
    {0x0d00, 0x0d2c}, {0x20cc, 0x20cc}, {0x91b8, 0x91cc},
    {0x9800, 0x9888}, {0xe180, 0xe180},
};
static const struct register_range boolean[] = {
    {0x2710, 0x272c}, {0x2740, 0x275c}, {0x2770, 0x27ac}};
static const struct register_range flex[] = {
    {0xe458, 0xe458}, {0xe558, 0xe558}, {0xe658, 0xe658}, {0xe758, 0xe758},
    {0xe45c, 0xe45c}, {0xe55c, 0xe55c}, {0xe65c, 0xe65c},
};
static const struct {
    const struct register_range *range;
    unsigned count;
} lists[OA_LISTS] = {
    [OA_LIST_MUX] = {mux, ARRAY_SIZE(mux)},
    [OA_LIST_BOOLEAN] = {boolean, ARRAY_SIZE(boolean)},
    [OA_LIST_FLEX] = {flex, ARRAY_SIZE(flex)},
};

bool
oa_register_is_valid(enum oa_list list, uint32_t address)
{
    for (unsigned i = 0; i < lists[list].count; i++)
        if (address >= lists[list].range[i].first &&
            address <= lists[list].range[i].last)
            return true;
    return false;
}

bool
oa_uuid_is_valid(const char uuid[OA_UUID_LENGTH])
{
    for (unsigned i = 0; i < OA_UUID_LENGTH; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? uuid[i] != '-' : !isxdigit((unsigned char)uuid[i]))
            return false;
    }
    return true;
}

/* ---- files --------------------------------------------------------------- */

static bool
write_all(int fd, const void *data, size_t size_B)
{
    return fd >= 0 && file_limit_append(fd, data, size_B) == (ssize_t)size_B;
}

static size_t
metrics_B(const struct oa_metrics *m)
{
    size_t values = 0;
    for (unsigned i = 0; i < OA_LISTS; i++)
        values += m->count[i];
    return sizeof *m + values * sizeof m->value[0];
}

static void
set_path(char path[PATH_B], uint64_t id)
{
    snprintf(path, PATH_B, "oa/%llu", (unsigned long long)id);
}

/* Where to look first for a free id. */
static atomic_uint next_id = OA_FIRST_ID;

/* Makes the file of the first free id. Returns -1 and errno. */
static int
create_set(int tree_fd, unsigned *id)
{
    char path[PATH_B];
    int fd;
    do {
        *id = atomic_fetch_add(&next_id, 1);
        set_path(path, *id);
        fd = syscall_openat(tree_fd, path,
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    } while (fd < 0 && errno == EEXIST && *id < INT_MAX);
    return fd;
}

static void
remove_uuid(int tree_fd, const char *uuid)
{
    char path[PATH_B];
    snprintf(path, sizeof path, METRICS "/%s/id", uuid);
    unlinkat(tree_fd, path, 0);
    snprintf(path, sizeof path, METRICS "/%s", uuid);
    unlinkat(tree_fd, path, AT_REMOVEDIR);
}

static bool
show_id(int tree_fd, const char *uuid, unsigned id)
{
    char path[PATH_B], text[16];
    snprintf(path, sizeof path, METRICS "/%s/id", uuid);
    int n = snprintf(text, sizeof text, "%u\n", id);
    int fd = syscall_openat(tree_fd, path,
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    bool ok = write_all(fd, text, (size_t)n);
    if (fd >= 0)
        close(fd);
    return ok;
}

/* The directory in sysfs comes first: it decides who adds the set. The file
 * with the id comes last: readers of the id find the set. */
int
oa_metrics_add(int tree_fd, const struct oa_metrics *metrics)
{
    char path[PATH_B];
    unsigned id;
    snprintf(path, sizeof path, METRICS "/%s", metrics->uuid);
    if (mkdirat(tree_fd, path, 0755) < 0)
        return errno == EEXIST ? -EADDRINUSE : -errno;
    int fd = create_set(tree_fd, &id);
    bool ok = write_all(fd, metrics, metrics_B(metrics));
    int err = ok ? 0 : -errno;
    if (fd >= 0)
        close(fd);
    if (ok && show_id(tree_fd, metrics->uuid, id))
        return (int)id;
    err = err ? err : -errno;
    set_path(path, id);
    if (fd >= 0)
        unlinkat(tree_fd, path, 0);
    remove_uuid(tree_fd, metrics->uuid);
    return err;
}

int
oa_metrics_remove(int tree_fd, uint64_t id)
{
    char path[PATH_B];
    struct oa_metrics *m = oa_metrics_read(tree_fd, id);
    if (!m)
        return -ENOENT;
    remove_uuid(tree_fd, m->uuid);
    set_path(path, id);
    int err = unlinkat(tree_fd, path, 0) < 0 ? -errno : 0;
    free(m);
    return err;
}

struct oa_metrics *
oa_metrics_read(int tree_fd, uint64_t id)
{
    char path[PATH_B];
    struct stat st;
    struct oa_metrics *m = NULL;
    set_path(path, id);
    int fd = syscall_openat(tree_fd, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    size_t size_B = syscall_fstat(fd, &st) < 0 ? 0 : (size_t)st.st_size;
    if (size_B >= sizeof *m && (m = malloc(size_B)) &&
        (read(fd, m, size_B) != (ssize_t)size_B || metrics_B(m) != size_B ||
         memchr(m->uuid, 0, sizeof m->uuid) != m->uuid + OA_UUID_LENGTH)) {
        free(m);
        m = NULL;
    }
    close(fd);
    return m;
}

/* Observed: the set that stock drivers call "Gpu Rings Busyness". What the
 * registers of its multiplexers mean is not documented. */
static const char rings_uuid[] = "6c66fe6e-2988-454a-bfae-7fca3bbcbec2";

/* The order of the flex ranges is that of the engine's registers. */
static void
read_flex(const struct oa_metrics *m, uint32_t flex_of[ENGINE_OA_FLEX])
{
    const struct oa_register_value *v = m->value + m->count[OA_LIST_MUX] +
                                        m->count[OA_LIST_BOOLEAN];
    for (uint32_t i = 0; i < m->count[OA_LIST_FLEX]; i++)
        for (unsigned k = 0; k < ENGINE_OA_FLEX; k++)
            if (flex[k].first == v[i].address)
                flex_of[k] = v[i].value;
}
static_assert(ARRAY_SIZE(flex) == ENGINE_OA_FLEX, "a range for each register");

bool
oa_metrics_choose(int tree_fd, uint64_t id, struct oa_chosen *chosen)
{
    struct oa_metrics *m = oa_metrics_read(tree_fd, id);
    if (!m)
        return false;
    *chosen = (struct oa_chosen){.id = id};
    read_flex(m, chosen->set.flex);
    chosen->set.rings = !strcmp(m->uuid, rings_uuid);
    free(m);
    return true;
}

uint64_t
oa_metrics_find(int tree_fd, const char uuid[OA_UUID_LENGTH])
{
    char path[PATH_B], text[16] = "";
    if (!oa_uuid_is_valid(uuid))
        return 0;
    snprintf(path, sizeof path, METRICS "/%.*s/id", OA_UUID_LENGTH, uuid);
    int fd = syscall_openat(tree_fd, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 ? strtoull(text, NULL, 10) : 0;
}

unsigned
oa_metrics_list(int tree_fd, uint64_t *ids, unsigned max)
{
    unsigned count = 0, end = atomic_load(&next_id);
    char path[PATH_B];
    struct stat st;
    /* Another process may have added more. */
    for (unsigned id = OA_FIRST_ID, gap = 0; id < end || gap < 64; id++) {
        set_path(path, id);
        gap++;
        if (syscall_fstatat(tree_fd, path, &st, 0) < 0)
            continue;
        gap = 0;
        if (count < max)
            ids[count] = id;
        count++;
    }
    return count;
}
