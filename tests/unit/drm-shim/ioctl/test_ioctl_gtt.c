/* test_ioctl_gtt.c: GTT maps of tiled objects look linear, whoever writes. */
#include "shim_rig.h"

#include "drm-shim/core/core.h"
#include "drm-shim/gem/bo.h"

#include <drm_fourcc.h>
#include <drm_mode.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define OBJECT_VA UINT64_C(0x200000)
#define OTHER_VA UINT64_C(0x400000)

struct layout {
    uint32_t tiling, stride_B;
    uint64_t size_B;
};

/* Odd numbers of tiles in a row, and a last row of tiles that the object cuts.
 */
static const struct layout layouts[] = {
    {I915_TILING_X, 512, 4096},      {I915_TILING_X, 1536, 7 * 4096},
    {I915_TILING_X, 4096, 65536},    {I915_TILING_Y, 128, 4096},
    {I915_TILING_Y, 384, 11 * 4096}, {I915_TILING_Y, 1920, 31 * 4096},
    {I915_TILING_Y, 4096, 131072},
};

/* The model goes the other way than the library: from the address in the object
 * to the one in the rows, by its bits. */
static uint64_t
linear_of(const struct layout *l, uint64_t tiled)
{
    uint64_t in = tiled & 4095, tile = tiled >> 12, x, y;
    uint64_t width = l->tiling == I915_TILING_X ? 512 : 128;
    uint64_t across = l->stride_B / width;
    if (l->tiling == I915_TILING_X) {
        x = in & 0x1ff;
        y = in >> 9;
    } else {
        x = (in & 0xf) | (in >> 9) << 4;
        y = in >> 4 & 0x1f;
    }
    x += tile % across * width;
    y += tile / across * (4096 / width);
    return y * l->stride_B + x;
}

static void
set_tiling(const struct rig *rig, uint32_t handle, uint32_t tiling,
           uint32_t stride_B)
{
    struct drm_i915_gem_set_tiling t = {
        .handle = handle, .tiling_mode = tiling, .stride = stride_B};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_GEM_SET_TILING, &t), 0);
}

static uint32_t
create_tiled(const struct rig *rig, const struct layout *l)
{
    uint32_t handle = rig_create(rig, l->size_B);
    set_tiling(rig, handle, l->tiling, l->stride_B);
    return handle;
}

static uint8_t *
map_gtt(const struct rig *rig, uint32_t handle, uint64_t size_B)
{
    struct drm_i915_gem_mmap_gtt m = {.handle = handle};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_GEM_MMAP_GTT, &m), 0);
    void *p = ioctl_mmap(rig->file, NULL, size_B, PROT_READ | PROT_WRITE,
                         MAP_SHARED, m.offset);
    cr_assert_neq(p, MAP_FAILED);
    return p;
}

static void
set_domain(const struct rig *rig, uint32_t handle, uint32_t domain)
{
    struct drm_i915_gem_set_domain d = {
        .handle = handle, .read_domains = domain, .write_domain = domain};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_GEM_SET_DOMAIN, &d), 0);
}

static uint8_t *
read_object(const struct rig *rig, uint32_t handle, uint64_t size_B)
{
    uint8_t *p = malloc(size_B);
    struct drm_i915_gem_pread r = {
        .handle = handle, .size = size_B, .data_ptr = (uintptr_t)p};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_GEM_PREAD, &r), 0);
    return p;
}

static void
write_object(const struct rig *rig, uint32_t handle, uint64_t at,
             const void *data, uint64_t size_B)
{
    struct drm_i915_gem_pwrite w = {.handle = handle,
                                    .offset = at,
                                    .size = size_B,
                                    .data_ptr = (uintptr_t)data};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_GEM_PWRITE, &w), 0);
}

static uint8_t
pattern(uint64_t at, unsigned seed)
{
    uint64_t v = (at + 1) * UINT64_C(0x9e3779b97f4a7c15) + seed * 77u;
    return (uint8_t)(v >> 56);
}

static void
fill(uint8_t *p, uint64_t size_B, unsigned seed)
{
    for (uint64_t i = 0; i < size_B; i++)
        p[i] = pattern(i, seed);
}

/* Whether the object is the tiled form of the pattern, and the rows are it. */
static void
expect_tiled(const struct layout *l, const uint8_t *object, unsigned seed)
{
    for (uint64_t i = 0; i < l->size_B; i++) {
        uint64_t at = linear_of(l, i);
        if (at < l->size_B)
            cr_assert_eq(object[i], pattern(at, seed),
                         "tiling %u, stride %u, byte %#lx", l->tiling,
                         l->stride_B, i);
    }
}

static void
expect_object(const struct rig *rig, uint32_t handle, const struct layout *l,
              unsigned seed)
{
    uint8_t *object = read_object(rig, handle, l->size_B);
    expect_tiled(l, object, seed);
    free(object);
}

static void
expect_rows(const struct layout *l, const uint8_t *rows, const uint8_t *object)
{
    for (uint64_t i = 0; i < l->size_B; i++) {
        uint64_t at = linear_of(l, i);
        if (at < l->size_B)
            cr_assert_eq(rows[at], object[i], "tiling %u, stride %u, byte %#lx",
                         l->tiling, l->stride_B, i);
    }
}

Test(gtt, what_is_written_to_rows_is_tiled)
{
    struct rig rig = rig_open(128);
    for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const struct layout *l = &layouts[i];
        uint32_t h = create_tiled(&rig, l);
        fill(map_gtt(&rig, h, l->size_B), l->size_B, i);
        expect_object(&rig, h, l, i);
    }
}

Test(gtt, what_is_tiled_is_read_as_rows)
{
    struct rig rig = rig_open(128);
    for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const struct layout *l = &layouts[i];
        uint32_t h = create_tiled(&rig, l);
        uint8_t *object = malloc(l->size_B), *rows;
        fill(object, l->size_B, i);
        write_object(&rig, h, 0, object, l->size_B);
        rows = map_gtt(&rig, h, l->size_B);
        expect_rows(l, rows, object);
        /* And what is written while the map exists. */
        fill(object, l->size_B, i + 1);
        write_object(&rig, h, 0, object, l->size_B);
        expect_rows(l, rows, object);
        free(object);
    }
}

Test(gtt, other_kinds_of_maps_stay_tiled)
{
    struct rig rig = rig_open(128);
    const struct layout *l = &layouts[4];
    uint32_t h = create_tiled(&rig, l);
    uint8_t *rows = map_gtt(&rig, h, l->size_B);
    uint8_t *tiles = rig_map(&rig, h, l->size_B);
    fill(rows, l->size_B, 1);
    set_domain(&rig, h, I915_GEM_DOMAIN_CPU);
    expect_tiled(l, tiles, 1);
    for (uint64_t i = 0; i < l->size_B; i++)
        tiles[i] = (uint8_t)~tiles[i];
    set_domain(&rig, h, I915_GEM_DOMAIN_GTT);
    expect_rows(l, rows, tiles);
}

Test(gtt, maps_of_one_object_show_the_same)
{
    struct rig rig = rig_open(128);
    const struct layout *l = &layouts[1];
    uint32_t h = create_tiled(&rig, l);
    uint8_t *all = map_gtt(&rig, h, l->size_B), *part = map_gtt(&rig, h, 4096);
    fill(all, l->size_B, 1);
    cr_assert_eq(memcmp(all, part, 4096), 0);
    fill(part, 4096, 2);
    munmap(part, 4096);
    uint8_t *object = read_object(&rig, h, l->size_B);
    for (uint64_t i = 0; i < l->size_B; i++) {
        uint64_t at = linear_of(l, i);
        if (at < l->size_B)
            cr_assert_eq(object[i], pattern(at, at < 4096 ? 2 : 1));
    }
    free(object);
}

/* MI_COPY_MEM_MEM of one dword of the object to the first one of the other. */
static uint32_t
copy_batch(const struct rig *rig, uint64_t from)
{
    uint32_t batch = rig_create(rig, 4096);
    uint32_t *dw = rig_map(rig, batch, 4096);
    dw[0] = 0x17000003;
    dw[1] = (uint32_t)OTHER_VA;
    dw[3] = (uint32_t)(OBJECT_VA + from);
    dw[5] = 0x05000000;
    munmap(dw, 4096);
    return batch;
}

static void
exec_copy(const struct rig *rig, uint32_t object, uint32_t other, uint64_t from)
{
    const uint64_t flags = EXEC_OBJECT_PINNED |
                           EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
    struct drm_i915_gem_exec_object2 objects[] = {
        {.handle = copy_batch(rig, from),
         .offset = RIG_BATCH_VA,
         .flags = flags},
        {.handle = object, .offset = OBJECT_VA, .flags = flags},
        {.handle = other,
         .offset = OTHER_VA,
         .flags = flags | EXEC_OBJECT_WRITE},
    };
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)objects,
                                          .buffer_count = 3,
                                          .batch_len = 24,
                                          .flags = I915_EXEC_NO_RELOC |
                                                   I915_EXEC_HANDLE_LUT |
                                                   I915_EXEC_BATCH_FIRST};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb), 0);
}

Test(gtt, a_batch_reads_what_was_written_and_unmapped)
{
    struct rig rig = rig_open(128);
    const struct layout *l = &layouts[5];
    uint32_t h = create_tiled(&rig, l), other = rig_create(&rig, 4096);
    const uint64_t tiled = 0x7654;
    const uint32_t *got = rig_map(&rig, other, 4096);
    for (uint32_t round = 1; round < 4; round++) {
        uint8_t *rows = map_gtt(&rig, h, l->size_B);
        memcpy(rows + linear_of(l, tiled), &round, 4);
        munmap(rows, l->size_B);
        exec_copy(&rig, h, other, tiled);
        cr_assert_eq(*got, round);
    }
}

static void
gpu_store(const struct rig *rig, uint32_t handle, uint64_t at, uint32_t value)
{
    struct drm_i915_gem_execbuffer2 eb = {0};
    uint32_t batch = rig_store_batch(rig, OBJECT_VA + at, value);
    cr_assert_eq(rig_exec(rig, batch, handle, OBJECT_VA, &eb), 0);
}

/* The client writes without a call: what the GPU wrote beside it stays. */
Test(gtt, untouched_bytes_do_not_overwrite_the_gpu)
{
    struct rig rig = rig_open(128);
    const struct layout *l = &layouts[5];
    const uint64_t tiled = 0x3210;
    uint32_t h = create_tiled(&rig, l), seen = 0;
    uint8_t *rows = map_gtt(&rig, h, l->size_B);
    uint8_t *at = rows + linear_of(l, tiled);
    gpu_store(&rig, h, tiled, 0x11223344);
    at[-1] = 0xaa;
    at[1] = 0xbb;
    gpu_store(&rig, h, tiled + 8, 0x55667788);
    set_domain(&rig, h, I915_GEM_DOMAIN_GTT);
    memcpy(&seen, at, 4);
    cr_assert_eq(at[-1], 0xaa);
    cr_assert_eq(seen, 0x1122bb44u);
    memcpy(&seen, at + 8, 4);
    cr_assert_eq(seen, 0x55667788u);
    uint8_t *object = read_object(&rig, h, l->size_B);
    cr_assert_eq(memcmp(object + tiled, at, 4), 0);
    free(object);
}

Test(gtt, uploads_and_batches_take_turns)
{
    struct rig rig = rig_open(128);
    const struct layout *l = &layouts[4];
    const uint64_t tiled = 0x5678;
    uint32_t h = create_tiled(&rig, l);
    uint8_t *rows = map_gtt(&rig, h, l->size_B);
    for (unsigned round = 0; round < 3; round++) {
        uint32_t seen = 0, value = 0xdead0000 + round;
        set_domain(&rig, h, I915_GEM_DOMAIN_GTT);
        fill(rows, l->size_B, 5); /* the same each time */
        gpu_store(&rig, h, tiled, value);
        set_domain(&rig, h, I915_GEM_DOMAIN_GTT);
        memcpy(&seen, rows + linear_of(l, tiled), 4);
        cr_assert_eq(seen, value);
        fill(rows, l->size_B, 5);
        expect_object(&rig, h, l, 5);
    }
}

Test(gtt, busy_and_wait_show_what_the_gpu_wrote)
{
    struct rig rig = rig_open(128);
    const struct layout *l = &layouts[4];
    uint32_t h = create_tiled(&rig, l), seen = 0;
    const uint8_t *at = map_gtt(&rig, h, l->size_B) + linear_of(l, 64);
    gpu_store(&rig, h, 64, 1);
    struct drm_i915_gem_busy b = {.handle = h};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_BUSY, &b), 0);
    memcpy(&seen, at, 4);
    cr_assert_eq(seen, 1u);
    gpu_store(&rig, h, 64, 2);
    struct drm_i915_gem_wait w = {.bo_handle = h, .timeout_ns = -1};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_WAIT, &w), 0);
    memcpy(&seen, at, 4);
    cr_assert_eq(seen, 2u);
}

Test(gtt, maps_follow_the_tiling)
{
    struct rig rig = rig_open(128);
    const struct layout x = {I915_TILING_X, 1536, 48 * 4096};
    const struct layout y = {I915_TILING_Y, 384, 48 * 4096};
    uint32_t h = rig_create(&rig, x.size_B);
    uint8_t *rows = map_gtt(&rig, h, x.size_B), *part = map_gtt(&rig, h, 8192);
    fill(rows, x.size_B, 1);
    uint8_t *object = read_object(&rig, h, x.size_B);
    cr_assert_eq(memcmp(rows, object, x.size_B), 0);
    const struct layout *steps[] = {&x, &y, &x};
    for (unsigned i = 0; i < 3; i++) {
        set_tiling(&rig, h, steps[i]->tiling, steps[i]->stride_B);
        expect_rows(steps[i], rows, object);
        cr_assert_eq(memcmp(rows, part, 8192), 0);
        fill(rows, x.size_B, i + 2);
        expect_object(&rig, h, steps[i], i + 2);
        free(object);
        object = read_object(&rig, h, x.size_B);
    }
    set_tiling(&rig, h, I915_TILING_NONE, 0);
    cr_assert_eq(memcmp(rows, object, x.size_B), 0);
    part[5] ^= 1;
    cr_assert_eq(rows[5], object[5] ^ 1);
    free(object);
}

/* Nothing is mapped over memory that lies where a GTT map was. */
Test(gtt, a_change_of_the_tiling_leaves_other_memory_alone)
{
    const uint64_t size_B = 48 * 4096;
    struct rig rig = rig_open(128);
    uint32_t h = rig_create(&rig, size_B);
    uint8_t *kept = map_gtt(&rig, h, size_B), *p;
    for (unsigned i = 0; i < 100; i++)
        munmap(map_gtt(&rig, h, size_B), size_B);
    /* One that is gone, one in part, one replaced by another kind. */
    uint8_t *gone = map_gtt(&rig, h, size_B);
    uint8_t *partly = map_gtt(&rig, h, size_B);
    p = mmap(gone, size_B, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    cr_assert_eq(p, gone);
    p = mmap(partly + 4096, 8192, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    cr_assert_eq(p, partly + 4096);
    uint8_t *replaced = map_gtt(&rig, h, size_B);
    munmap(replaced, size_B);
    uint8_t *tiles = rig_map(&rig, h, size_B);
    cr_assert_eq(tiles, replaced, "the kernel reuses the address");
    memset(gone, 1, size_B);
    memset(partly + 4096, 2, 8192);
    tiles[16] = 3; /* the second byte of row 1 in a Y tile's first column */
    set_tiling(&rig, h, I915_TILING_Y, 384);
    cr_assert_eq(gone[16], 1);
    cr_assert_eq(partly[4096 + 16], 2);
    cr_assert_eq(tiles[16], 3);
    cr_assert_eq(kept[384], 3);
    cr_assert_eq(partly[384], 3);
    partly[3 * 4096] = 4;
    cr_assert_eq(kept[3 * 4096], 4);
}

Test(gtt, an_export_sees_what_was_written)
{
    struct rig a = rig_open(128), b = rig_open(128);
    const struct layout *l = &layouts[4];
    uint32_t h = create_tiled(&a, l);
    uint8_t *rows = map_gtt(&a, h, l->size_B);
    fill(rows, l->size_B, 1);
    struct drm_prime_handle p = {.handle = h, .flags = DRM_CLOEXEC | DRM_RDWR};
    cr_assert_eq(rig_ioctl(&a, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    const uint8_t *file = mmap(NULL, l->size_B, PROT_READ, MAP_SHARED, p.fd, 0);
    cr_assert_neq(file, MAP_FAILED);
    expect_tiled(l, file, 1);
    /* The other file of the process changes the tiling, too. */
    cr_assert_eq(rig_ioctl(&b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p), 0);
    set_tiling(&b, p.handle, I915_TILING_X, 512);
    const struct layout x = {I915_TILING_X, 512, l->size_B};
    expect_rows(&x, rows, file);
    /* What was written last is there after the last handle is gone. */
    fill(rows, l->size_B, 2);
    munmap(rows, l->size_B);
    struct drm_gem_close c = {.handle = h};
    cr_assert_eq(rig_ioctl(&a, DRM_IOCTL_GEM_CLOSE, &c), 0);
    c.handle = p.handle;
    cr_assert_eq(rig_ioctl(&b, DRM_IOCTL_GEM_CLOSE, &c), 0);
    expect_tiled(&x, file, 2);
}

Test(gtt, a_child_shares_the_view)
{
    struct rig rig = rig_open(128);
    const struct layout *l = &layouts[4];
    uint32_t h = create_tiled(&rig, l);
    uint8_t *rows = map_gtt(&rig, h, l->size_B);
    int status = -1;
    pid_t child = fork();
    if (!child) {
        fill(rows, l->size_B, 3);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    expect_object(&rig, h, l, 3);
    /* The child's batch is none of the parent's. */
    set_domain(&rig, h, I915_GEM_DOMAIN_GTT);
    child = fork();
    if (!child) {
        gpu_store(&rig, h, 64, 0x12345678);
        struct drm_i915_gem_wait w = {.bo_handle = h, .timeout_ns = -1};
        _exit(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_WAIT, &w) != 0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    uint32_t seen;
    set_domain(&rig, h, I915_GEM_DOMAIN_GTT);
    memcpy(&seen, rows + linear_of(l, 64), 4);
    cr_assert_eq(seen, 0x12345678u);
}

Test(gtt, lengths_and_offsets_are_checked)
{
    struct rig rig = rig_open(128);
    struct drm_i915_gem_mmap_gtt m = {.handle = create_tiled(&rig, layouts)};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_MMAP_GTT, &m), 0);
    cr_assert_eq(
        ioctl_mmap(rig.file, NULL, 8192, PROT_READ, MAP_SHARED, m.offset),
        MAP_FAILED);
    cr_assert_eq(ioctl_mmap(rig.file, NULL, 4096, PROT_READ, MAP_SHARED,
                            m.offset + 4096),
                 MAP_FAILED);
    m.handle = 99;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_MMAP_GTT, &m), -ENOENT);
}

/* A thread writes one dword for ever, without a call; the GPU its neighbour. */
struct writer {
    uint32_t *at, last;
    atomic_bool stop;
};

static void *
write_for_ever(void *data)
{
    struct writer *w = data;
    while (!atomic_load(&w->stop))
        __atomic_store_n(w->at, ++w->last, __ATOMIC_RELAXED);
    return NULL;
}

Test(gtt, no_write_is_lost_while_another_thread_submits)
{
    struct rig rig = rig_open(128);
    const struct layout *l = &layouts[4];
    const uint64_t tiled = 0x1230;
    uint32_t h = create_tiled(&rig, l);
    uint8_t *rows = map_gtt(&rig, h, l->size_B);
    struct writer w = {.at = (uint32_t *)(rows + linear_of(l, tiled))};
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, write_for_ever, &w), 0);
    for (uint32_t i = 1; i < 200; i++) {
        gpu_store(&rig, h, tiled + 4, i);
        set_domain(&rig, h, I915_GEM_DOMAIN_GTT);
        cr_assert_eq(w.at[1], i);
    }
    atomic_store(&w.stop, true);
    pthread_join(thread, NULL);
    cr_assert_eq(*w.at, w.last);
    uint8_t *object = read_object(&rig, h, l->size_B);
    cr_assert_eq(memcmp(object + tiled, w.at, 8), 0);
    free(object);
}

/* Another process may look at the screen: kms/screen.h. */
Test(gtt, what_is_shown_has_what_was_written)
{
    struct rig rig = rig_open(0);
    const struct layout l = {I915_TILING_X, 512, 16384};
    uint32_t h = create_tiled(&rig, &l);
    uint8_t *rows = map_gtt(&rig, h, l.size_B);
    struct drm_prime_handle p = {.handle = h, .flags = DRM_CLOEXEC | DRM_RDWR};
    struct drm_mode_fb_cmd2 fb = {.width = 128,
                                  .height = 32,
                                  .pixel_format = DRM_FORMAT_XRGB8888,
                                  .handles = {h},
                                  .pitches = {l.stride_B}};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    const uint8_t *file = mmap(NULL, l.size_B, PROT_READ, MAP_SHARED, p.fd, 0);
    cr_assert_neq(file, MAP_FAILED);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_ADDFB2, &fb), 0);
    fill(rows, l.size_B, 1);
    struct drm_mode_fb_dirty_cmd dirty = {.fb_id = fb.fb_id};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_MODE_DIRTYFB, &dirty), 0);
    expect_tiled(&l, file, 1);
}

static unsigned
open_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 2000; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

Test(gtt, views_go_with_their_objects)
{
    struct rig rig = rig_open(128);
    const struct layout *l = &layouts[4];
    unsigned before = open_descriptors();
    for (unsigned i = 0; i < 50; i++) {
        struct drm_gem_close c = {.handle = create_tiled(&rig, l)};
        uint8_t *rows = map_gtt(&rig, c.handle, l->size_B);
        cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_GEM_CLOSE, &c), 0);
        rows[i] = 1; /* the map outlives the object */
        munmap(rows, l->size_B);
    }
    cr_assert_eq(open_descriptors(), before);
}

/* Objects without a file of their own: bo_slab.h. */
Test(gtt, objects_of_the_slab_have_views)
{
    struct rlimit limit = {.rlim_cur = 40, .rlim_max = 40};
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rig rig = rig_open(128);
    for (unsigned i = 0; i < 24; i++)
        rig_create(&rig, 4096);
    const struct layout *l = &layouts[4];
    uint32_t h = rig_create(&rig, l->size_B);
    const struct bo *bo = handle_get(&rig.file->bos, h);
    cr_assert(bo->in_slab);
    uint8_t *rows = map_gtt(&rig, h, l->size_B);
    fill(rows, l->size_B, 1);
    uint8_t *object = read_object(&rig, h, l->size_B);
    cr_assert_eq(memcmp(rows, object, l->size_B), 0);
    set_tiling(&rig, h, l->tiling, l->stride_B);
    expect_rows(l, rows, object);
    fill(rows, l->size_B, 2);
    expect_object(&rig, h, l, 2);
    set_tiling(&rig, h, I915_TILING_NONE, 0);
    expect_tiled(l, rows, 2);
    /* Another object, of the same file, where the map was. */
    munmap(rows, l->size_B);
    uint32_t other = rig_create(&rig, l->size_B);
    uint8_t *bytes = rig_map(&rig, other, l->size_B);
    cr_assert_eq(bytes, rows, "the kernel reuses the address");
    fill(bytes, l->size_B, 3);
    set_tiling(&rig, h, l->tiling, l->stride_B);
    memset(bytes, 4, l->size_B);
    expect_object(&rig, h, l, 2);
    free(object);
    object = read_object(&rig, other, l->size_B);
    cr_assert_eq(memcmp(object, bytes, l->size_B), 0);
    free(object);
}
