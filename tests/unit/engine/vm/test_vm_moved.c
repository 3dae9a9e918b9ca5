/* test_vm_moved.c: addresses that differ only in the bits above the window's
 * size: their buffers are moved apart. */
#include "rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define FAR UINT64_C(0x3000000000)
#define WINDOW ENGINE_VM_SIZE_B
#define PAGE_B UINT64_C(4096)

static struct rig rig;

static void
setup(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9});
}

static void
teardown(void)
{
    rig_finish(&rig);
}

TestSuite(vm_moved, .init = setup, .fini = teardown, .timeout = 60);

/* A file whose pages begin with the value plus their number. */
static int
file_with(uint32_t value, uint64_t size_B)
{
    int fd = memfd_create("file", MFD_CLOEXEC);
    cr_assert(fd >= 0 && !ftruncate(fd, (off_t)size_B));
    for (uint32_t i = 0; i < size_B / PAGE_B; i++) {
        uint32_t v = value + i;
        cr_assert_eq(pwrite(fd, &v, 4, (off_t)(i * PAGE_B)), 4);
    }
    return fd;
}

static int
map(struct engine_vm *vm, uint64_t va, uint64_t size_B, uint32_t value)
{
    int fd = file_with(value, size_B);
    int err = engine_vm_map(vm, va, size_B, fd, 0);
    close(fd);
    return err;
}

static bool
holds(const struct engine_vm *vm, uint64_t va, uint64_t size_B, uint32_t value)
{
    bool ok = true;
    for (uint32_t i = 0; i < size_B / PAGE_B; i++)
        ok &= vm_read32(vm, va + i * PAGE_B) == value + i;
    return ok;
}

Test(vm_moved, one_home_for_many)
{
    const uint64_t size_B = 4 * PAGE_B;
    for (uint32_t i = 0; i < 200; i++)
        cr_assert_eq(map(rig.vm, FAR + i * WINDOW, size_B, i * 100), 0);
    for (uint32_t i = 0; i < 200; i++)
        cr_assert(holds(rig.vm, FAR + i * WINDOW, size_B, i * 100), "%u", i);
    /* As a pointer: upper bits repeat bit 47. */
    cr_assert(holds(rig.vm, (FAR + 199 * WINDOW) | UINT64_C(0xffff) << 48,
                    size_B, 199 * 100));
    for (uint32_t i = 0; i < 199; i++)
        engine_vm_unmap(rig.vm, FAR + i * WINDOW, size_B);
    cr_assert(holds(rig.vm, FAR + 199 * WINDOW, size_B, 199 * 100));
    cr_assert(engine_vm_has_moved(rig.vm));
    engine_vm_unmap(rig.vm, FAR + 199 * WINDOW, size_B);
    cr_assert_not(engine_vm_has_moved(rig.vm));
}

Test(vm_moved, what_alone_has_a_home_is_there)
{
    cr_assert_eq(map(rig.vm, FAR + 5 * WINDOW, PAGE_B, 1), 0);
    cr_assert_eq(map(rig.vm, FAR + 6 * WINDOW + PAGE_B, PAGE_B, 2), 0);
    cr_assert_not(engine_vm_has_moved(rig.vm));
    cr_assert_eq(vm_ptr(rig.vm, FAR + 5 * WINDOW), rig.vm->window + FAR);
}

Test(vm_moved, nothing_overlaps_the_end_of_the_window)
{
    cr_assert_eq(map(rig.vm, 3 * WINDOW - PAGE_B, 3 * PAGE_B, 10), 0);
    cr_assert_eq(map(rig.vm, 0, PAGE_B, 20), 0);
    cr_assert_eq(map(rig.vm, WINDOW - PAGE_B, PAGE_B, 30), 0);
    cr_assert(holds(rig.vm, 3 * WINDOW - PAGE_B, 3 * PAGE_B, 10));
    cr_assert(holds(rig.vm, 0, PAGE_B, 20));
    cr_assert(holds(rig.vm, WINDOW - PAGE_B, PAGE_B, 30));
    cr_assert_eq(vm_limit_B(rig.vm, 3 * WINDOW), 2 * PAGE_B);
    /* The last valid address. */
    cr_assert_eq(map(rig.vm, ENGINE_VA_END - 2 * PAGE_B, 2 * PAGE_B, 40), 0);
    cr_assert(holds(rig.vm, ENGINE_VA_END - 2 * PAGE_B, 2 * PAGE_B, 40));
    cr_assert(holds(rig.vm, WINDOW - PAGE_B, PAGE_B, 30));
}

Test(vm_moved, mapping_the_same_again_keeps_the_place)
{
    int fd = file_with(7, 2 * PAGE_B);
    cr_assert_eq(map(rig.vm, FAR, PAGE_B, 1), 0);
    cr_assert_eq(engine_vm_map(rig.vm, FAR + WINDOW, 2 * PAGE_B, fd, 0), 0);
    const void *at = vm_ptr(rig.vm, FAR + WINDOW);
    engine_vm_unmap(rig.vm, FAR, PAGE_B);
    cr_assert_eq(engine_vm_map(rig.vm, FAR + WINDOW, 2 * PAGE_B, fd, 0), 0);
    cr_assert_eq(vm_ptr(rig.vm, FAR + WINDOW), at);
    /* Another mapping of that size keeps the place, too. */
    cr_assert_eq(map(rig.vm, FAR + WINDOW, 2 * PAGE_B, 50), 0);
    cr_assert_eq(vm_ptr(rig.vm, FAR + WINDOW), at);
    cr_assert(holds(rig.vm, FAR + WINDOW, 2 * PAGE_B, 50));
    close(fd);
}

Test(vm_moved, more_than_there_is_room_for_is_refused)
{
    int fd = rig.fd;
    cr_assert_eq(map(rig.vm, FAR, PAGE_B, 1), 0);
    cr_assert_eq(engine_vm_map(rig.vm, WINDOW, WINDOW, fd, 0), -ENOSPC);
    cr_assert_eq(engine_vm_map(rig.vm, WINDOW, 2 * WINDOW, fd, 0), -ENOSPC);
    cr_assert_not(engine_vm_has_moved(rig.vm));
    cr_assert(holds(rig.vm, FAR, PAGE_B, 1));
}

Test(vm_moved, exposure_and_identity_are_of_the_address)
{
    uint64_t epoch, other = FAR + WINDOW;
    cr_assert_eq(map(rig.vm, FAR, PAGE_B, 1), 0);
    cr_assert_eq(map(rig.vm, other, PAGE_B, 2), 0);
    engine_vm_expose(rig.vm, other, PAGE_B, true);
    cr_assert(vm_is_ours(rig.vm, vm_ptr(rig.vm, FAR), 1, &epoch));
    cr_assert_not(vm_is_ours(rig.vm, vm_ptr(rig.vm, other), 1, &epoch));
    cr_assert_not(vm_is_shared(rig.vm, vm_ptr(rig.vm, FAR)));
    cr_assert(vm_is_shared(rig.vm, vm_ptr(rig.vm, other)));
    cr_assert_eq(vm_mapped_B(rig.vm, other + 8, 2 * PAGE_B), PAGE_B - 8);
}

Test(vm_moved, batches_have_all_bits_of_an_address)
{
    const uint64_t va[3] = {FAR, FAR + 3 * WINDOW, FAR + 200 * WINDOW};
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_eq(map(rig.vm, va[i], PAGE_B, 10 * i + 1), 0);
    EMIT(&rig, LRM(GPR(0), va[0]), SRM(GPR(0), va[2] + 8), SDI(va[1] + 4, 5),
         LRM(GPR(0), va[1]), SRM(GPR(0), RIG_DATA), BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_OK);
    cr_assert_eq(vm_read32(rig.vm, va[2] + 8), 1);
    cr_assert_eq(vm_read32(rig.vm, va[1] + 4), 5);
    cr_assert_eq(vm_read32(rig.vm, va[0] + 4), 0);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 11);
}

Test(vm_moved, private_user_memory)
{
    const uint64_t va = FAR + 100 * WINDOW;
    uint32_t *p = mmap(NULL, PAGE_B, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    cr_assert_eq(map(rig.vm, FAR, PAGE_B, 1), 0);
    cr_assert_eq(engine_vm_map_ptr(rig.vm, va, PAGE_B, p), 0);
    rig.user = va;
    p[0] = 77;
    EMIT(&rig, LRM(GPR(0), va), SRM(GPR(0), va + 4), SDI(FAR + 8, 3), BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_OK);
    cr_assert_eq(p[1], 77);
    cr_assert_eq(p[2], 0);
    munmap(p, PAGE_B);
}

/* ---- side by side ---- */

static void
expect_side_by_side(const uint64_t *va, unsigned count)
{
    const uint8_t *p = vm_ptr(rig.vm, va[0]);
    for (unsigned i = 0; i < count; i++)
        cr_assert_eq(vm_ptr(rig.vm, va[i]), p + (va[i] - va[0]));
}

Test(vm_moved, neighbours_are_made_neighbours)
{
    const uint64_t va[4] = {FAR + WINDOW, FAR + WINDOW + PAGE_B,
                            FAR + WINDOW + 2 * PAGE_B,
                            FAR + WINDOW + 3 * PAGE_B};
    const uint64_t size_B = 4 * PAGE_B;
    uint32_t *user = mmap(NULL, 2 * PAGE_B, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(map(rig.vm, FAR + 2 * PAGE_B, PAGE_B, 9), 0);
    cr_assert_eq(map(rig.vm, va[3], PAGE_B, 4), 0);
    cr_assert_eq(map(rig.vm, va[2], PAGE_B, 3), 0);
    cr_assert_eq(engine_vm_map_ptr(rig.vm, va[0], 2 * PAGE_B, user), 0);
    cr_assert_not(engine_vm_is_straight(rig.vm, va[0], size_B));
    cr_assert(engine_vm_straighten(rig.vm, va[0], size_B));
    cr_assert(engine_vm_is_straight(rig.vm, va[0], size_B));
    cr_assert_eq(vm_limit_B(rig.vm, va[0]), size_B);
    expect_side_by_side(va, 4);
    cr_assert(holds(rig.vm, va[2], 2 * PAGE_B, 3));
    cr_assert(holds(rig.vm, FAR + 2 * PAGE_B, PAGE_B, 9));
    rig.user = va[0];
    user[0] = 55;
    EMIT(&rig, LRM(GPR(0), va[0]), SRM(GPR(0), va[1]), BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_OK);
    cr_assert_eq(user[1024], 55);
    /* The places that they left are free. */
    cr_assert_eq(map(rig.vm, FAR, 2 * PAGE_B, 20), 0);
    cr_assert(holds(rig.vm, FAR, 2 * PAGE_B, 20));
    cr_assert_eq(vm_ptr(rig.vm, FAR), rig.vm->window + FAR);
    engine_vm_unmap(rig.vm, va[0], size_B);
    cr_assert_not(engine_vm_has_moved(rig.vm));
    munmap(user, 2 * PAGE_B);
}

/* ---- random mappings against a model ---- */

#define PAGES 12
#define HIGHS 5

struct model {
    struct engine_vm *vm;
    uint64_t apart_B;
    uint32_t value[HIGHS][PAGES]; /* 0: nothing is mapped */
    uint32_t next, seed;
};

static uint32_t
any(struct model *m, uint32_t n)
{
    m->seed = m->seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)m->seed * n >> 32);
}

/* Addresses around a multiple of the window's size. */
static uint64_t
address(const struct model *m, unsigned high, unsigned page)
{
    return (2 * high + 1) * m->apart_B + page * PAGE_B - PAGES / 2 * PAGE_B;
}

static void
change(struct model *m)
{
    unsigned high = any(m, HIGHS), first = any(m, PAGES);
    unsigned count = 1 + any(m, PAGES - first);
    uint64_t va = address(m, high, first), size_B = count * PAGE_B;
    bool maps = any(m, 3) > 0;
    if (maps)
        cr_assert_eq(map(m->vm, va, size_B, m->next), 0);
    else
        engine_vm_unmap(m->vm, va, size_B);
    for (unsigned i = 0; i < count; i++)
        m->value[high][first + i] = maps ? m->next + i : 0;
    m->next += count;
}

static void
check(const struct model *m, unsigned step)
{
    for (unsigned h = 0; h < HIGHS; h++)
        for (unsigned p = 0; p < PAGES; p++)
            cr_assert(!m->value[h][p] ||
                          vm_read32(m->vm, address(m, h, p)) == m->value[h][p],
                      "step %u: page %u of %u", step, p, h);
}

static void
try_anything(struct engine_vm *vm)
{
    struct model m = {.vm = vm, .apart_B = engine_vm_size_B(vm), .next = 1};
    for (unsigned step = 0; step < 3000; step++) {
        change(&m);
        check(&m, step);
    }
    for (unsigned h = 0; h < HIGHS; h++)
        engine_vm_unmap(vm, address(&m, h, 0), PAGES * PAGE_B);
    cr_assert_not(engine_vm_has_moved(vm));
}

Test(vm_moved, anything)
{
    try_anything(rig.vm);
}

#define FULL_WINDOWS 64 /* see vm_window.c */

Test(vm_moved, anything_in_a_small_window)
{
    struct engine_vm *vm[FULL_WINDOWS + 1];
    for (unsigned i = 0; i <= FULL_WINDOWS; i++)
        vm[i] = engine_vm_create(rig.engine);
    struct engine_vm *last = vm[FULL_WINDOWS];
    cr_assert_lt(engine_vm_size_B(last), ENGINE_VM_SIZE_B);
    try_anything(last);
    for (unsigned i = 0; i <= FULL_WINDOWS; i++)
        engine_vm_unref(vm[i]);
}

/* ---- lookups during changes ---- */

static atomic_bool stop;

static void *
look(void *arg)
{
    uintptr_t wrong = 0;
    while (!atomic_load(&stop))
        for (uint32_t i = 1; i < 20; i += 2)
            wrong += vm_read32(rig.vm, FAR + i * WINDOW) != i * 10;
    return (void *)wrong;
}

Test(vm_moved, those_that_stay_are_there_all_the_time)
{
    pthread_t thread;
    void *wrong;
    for (uint32_t i = 0; i < 20; i++)
        cr_assert_eq(map(rig.vm, FAR + i * WINDOW, PAGE_B, i * 10), 0);
    cr_assert_eq(pthread_create(&thread, NULL, look, NULL), 0);
    for (unsigned turn = 0; turn < 300; turn++) {
        for (uint32_t i = 2; i < 20; i += 2)
            engine_vm_unmap(rig.vm, FAR + i * WINDOW, PAGE_B);
        for (uint32_t i = 2; i < 20 + turn % 50; i += 2)
            map(rig.vm, FAR + i * WINDOW, PAGE_B, i * 10);
    }
    atomic_store(&stop, true);
    pthread_join(thread, &wrong);
    cr_assert_null(wrong);
}
