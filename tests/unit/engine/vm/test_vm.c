/* test_vm.c: windows: mapping, replacing, application memory, faults. */
#include "rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Wall time: pages that fault one by one take long on a busy machine. */
TestSuite(vm, .init = setup, .fini = teardown, .timeout = 60);

static enum engine_result
run(void)
{
    return rig_run(&rig, rig.ctx, ENGINE_RCS);
}

#define FAR UINT64_C(0x3000000000)

static int
file_with(uint32_t value, size_t size_B)
{
    int fd = memfd_create("file", MFD_CLOEXEC);
    cr_assert(fd >= 0 && !ftruncate(fd, (off_t)size_B));
    for (size_t at = 0; at < size_B; at += 4096)
        cr_assert_eq(pwrite(fd, &value, 4, (off_t)at), 4);
    return fd;
}

Test(vm, refuses_bad_spans)
{
    int fd = rig.fd;
    cr_assert_eq(engine_vm_map(rig.vm, 1, 4096, fd, 0), -EINVAL);
    cr_assert_eq(engine_vm_map(rig.vm, 0, 4095, fd, 0), -EINVAL);
    cr_assert_eq(engine_vm_map(rig.vm, 0, 0, fd, 0), -EINVAL);
    cr_assert_eq(engine_vm_map(rig.vm, 0, 4096, fd, 1), -EINVAL);
    cr_assert_eq(engine_vm_map(rig.vm, ENGINE_VA_END - 4096, 8192, fd, 0),
                 -EINVAL);
    cr_assert_eq(engine_vm_map(rig.vm, ENGINE_VA_END, 4096, fd, 0), -EINVAL);
    cr_assert_eq(engine_vm_map(rig.vm, UINT64_MAX - 4095, 4096, fd, 0),
                 -EINVAL);
    cr_assert_eq(engine_vm_map(rig.vm, 0, 4096, -1, 0), -EBADF);
}

Test(vm, maps_with_offset_and_survives_close)
{
    int fd = file_with(0, 8192);
    uint32_t v = 0x77;
    cr_assert_eq(pwrite(fd, &v, 4, 4096), 4);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 4096, fd, 4096), 0);
    close(fd);
    cr_assert_eq(vm_read32(rig.vm, FAR), 0x77);
}

Test(vm, last_page_of_the_window_can_be_mapped)
{
    int fd = file_with(9, 4096);
    uint64_t va = ENGINE_VM_SIZE_B - 4096;
    cr_assert_eq(engine_vm_map(rig.vm, va, 4096, fd, 0), 0);
    cr_assert_eq(vm_read32(rig.vm, va), 9);
    /* Canonical form: bits 63..48 repeat bit 47; bits above 39 wrap. */
    cr_assert_eq(vm_read32(rig.vm, va | UINT64_C(0xffff) << 48), 9);
    close(fd);
}

Test(vm, later_mapping_replaces_part_of_an_earlier_one)
{
    int a = file_with(1, 3 * 4096), b = file_with(2, 4096);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 3 * 4096, a, 0), 0);
    cr_assert_eq(engine_vm_map(rig.vm, FAR + 4096, 4096, b, 0), 0);
    cr_assert_eq(vm_read32(rig.vm, FAR), 1);
    cr_assert_eq(vm_read32(rig.vm, FAR + 4096), 2);
    cr_assert_eq(vm_read32(rig.vm, FAR + 8192), 1);
    /* Maps the first one again: the middle must come back, although its ends
     * are still mapped. */
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 3 * 4096, a, 0), 0);
    cr_assert_eq(vm_read32(rig.vm, FAR + 4096), 1);
    close(a);
    close(b);
}

Test(vm, mapping_the_same_again_keeps_it)
{
    int fd = file_with(1, 8192);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 8192, fd, 0), 0);
    int dup_fd = dup(fd);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 8192, dup_fd, 0), 0);
    cr_assert_eq(engine_vm_map(rig.vm, FAR + 4096, 4096, fd, 4096), 0);
    vm_write32(rig.vm, FAR + 4, 5);
    uint32_t v;
    cr_assert_eq(pread(fd, &v, 4, 4), 4);
    cr_assert_eq(v, 5);
    close(dup_fd);
    close(fd);
}

Test(vm, mapped_length_ends_at_the_first_hole)
{
    int fd = file_with(1, 8192);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 8192, fd, 0), 0);
    cr_assert_eq(engine_vm_map(rig.vm, FAR + 8192, 4096, fd, 0), 0);
    cr_assert_eq(engine_vm_map(rig.vm, FAR + 16384, 4096, fd, 0), 0);
    cr_assert_eq(vm_mapped_B(rig.vm, FAR + 100, 1000), 1000);
    cr_assert_eq(vm_mapped_B(rig.vm, FAR + 100, 20000), 12288 - 100);
    cr_assert_eq(vm_mapped_B(rig.vm, FAR + 12288, 20000), 0);
    cr_assert_eq(vm_mapped_B(rig.vm, FAR + 16384 + 4000, 200), 96);
    close(fd);
}

Test(vm, unmapped_range_reads_as_scratch)
{
    EMIT(&rig, LRM(GPR(0), FAR), SRM(GPR(0), RIG_DATA), BBE);
    int fd = file_with(6, 4096);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 4096, fd, 0), 0);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 6);
    engine_vm_unmap(rig.vm, FAR, 4096);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
    /* A real mapping replaces the scratch page. */
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 4096, fd, 0), 0);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 6);
    close(fd);
}

static uint64_t
errors(void)
{
    return stats_get(STAT_guest_errors);
}

Test(vm, vertex_fetch_may_read_where_nothing_is_mapped)
{
    uint64_t before = errors();
    vm_thread_enter();
    vm_fetch_begin();
    cr_expect_eq(vm_read32(rig.vm, FAR), 0u);
    vm_fetch_end();
    cr_expect_eq(vm_read32(rig.vm, FAR + 8), 0u);
    cr_expect_eq(errors(), before);
    /* A write there is an error all the same, and so is a read other than a
     * fetch. */
    vm_write32(rig.vm, FAR + 16, 5);
    cr_expect_eq(errors(), before + 1);
    cr_expect_eq(vm_read32(rig.vm, FAR + (1 << 20)), 0u);
    cr_expect_eq(errors(), before + 2);
    vm_fetch_begin();
    vm_write32(rig.vm, FAR + (2 << 20), 5);
    vm_fetch_end();
    cr_expect_eq(errors(), before + 3);
    vm_thread_leave();
}

Test(vm, file_shorter_than_its_mapping_reads_as_scratch)
{
    int fd = file_with(6, 8192);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 8192, fd, 0), 0);
    cr_assert_eq(ftruncate(fd, 4096), 0);
    EMIT(&rig, LRM(GPR(0), FAR + 4096), SRM(GPR(0), RIG_DATA), LRM(GPR(0), FAR),
         SRM(GPR(0), RIG_DATA + 4), BBE);
    *rig_dw(&rig, RIG_DATA) = 1;
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 6);
    close(fd);
}

Test(vm, thousands_of_scratch_pages_are_no_problem)
{
    /* More pages than the kernel lets a process map one by one. */
    vm_thread_enter();
    uint32_t sum = 0;
    for (unsigned i = 0; i < 100000; i++)
        sum += vm_read32(rig.vm, FAR + (uint64_t)i * 8192);
    vm_thread_leave();
    cr_assert_eq(sum, 0);
}

Test(vm, scratch_never_covers_a_neighbour)
{
    int fd = file_with(6, 4096);
    cr_assert_eq(engine_vm_map(rig.vm, FAR + 5 * 4096, 4096, fd, 0), 0);
    vm_thread_enter();
    for (unsigned i = 0; i < 3000; i++)
        vm_read32(rig.vm, FAR + (UINT64_C(1) << 32) + (uint64_t)i * 8192);
    cr_assert_eq(vm_read32(rig.vm, FAR + 4 * 4096), 0);
    cr_assert_eq(vm_read32(rig.vm, FAR + 6 * 4096), 0);
    cr_assert_eq(vm_read32(rig.vm, FAR + 5 * 4096), 6);
    vm_thread_leave();
    close(fd);
}

/* What the window holds in memory. The process as a whole says too much: a
 * sanitizer's shadow of what was written, where the kernel gives pages to
 * reads, too. */
static unsigned long
resident_kB(void)
{
    const uintptr_t window = (uintptr_t)rig.vm->window;
    unsigned long lo = 0, hi = 0, part_kB, sum_kB = 0;
    char line[512];
    bool inside = false;
    FILE *f = fopen("/proc/self/smaps", "r");
    cr_assert_not_null(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lx-%lx ", &lo, &hi) == 2)
            inside = lo - window < engine_vm_size_B(rig.vm);
        else if (inside && sscanf(line, "Rss: %lu kB", &part_kB) == 1)
            sum_kB += part_kB;
    }
    fclose(f);
    return sum_kB;
}

Test(vm, scratch_takes_little_memory)
{
    unsigned long before_kB = resident_kB();
    vm_thread_enter();
    for (unsigned i = 0; i < 1 << 16; i++)
        vm_write32(rig.vm, FAR + (uint64_t)i * 4096, 1);
    vm_thread_leave();
    cr_assert_gt(resident_kB(), before_kB);
    cr_assert_lt(resident_kB(), before_kB + (64 << 10), "64 MiB");
}

Test(vm, scratch_in_an_object_takes_little_memory)
{
    /* More pages than the kernel lets a process map one by one. */
    const uint64_t size_B = 80000 * UINT64_C(4096), step_B = 16 * 4096;
    int fd = file_with(6, size_B);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, size_B, fd, 0), 0);
    cr_assert_eq(ftruncate(fd, 4096), 0);
    unsigned long before_kB = resident_kB();
    vm_thread_enter();
    for (uint64_t at = 4096; at < size_B; at += 4096)
        vm_write32(rig.vm, FAR + at, 1);
    cr_assert_eq(vm_read32(rig.vm, FAR), 6);
    cr_assert_lt(resident_kB(), before_kB + (64 << 10), "64 MiB");
    /* Whole again, it is mapped again, and stays. */
    cr_assert_eq(ftruncate(fd, (off_t)size_B), 0);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, size_B, fd, 0), 0);
    for (uint64_t at = 0; at < size_B; at += step_B)
        vm_write32(rig.vm, FAR + at, 7);
    for (unsigned i = 0; i < 300; i++)
        vm_write32(rig.vm, FAR + (UINT64_C(1) << 32) + i * 4096u, 1);
    for (uint64_t at = 0; at < size_B; at += step_B)
        cr_assert_eq(vm_read32(rig.vm, FAR + at), 7);
    vm_thread_leave();
    close(fd);
}

/* ---- memory of the application ------------------------------------------- */

static void
check_user_memory(int flags)
{
    uint32_t *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
                       flags | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    p[0] = 0xabc;
    cr_assert_eq(engine_vm_map_ptr(rig.vm, FAR, 8192, p), 0);
    rig.user = FAR;
    EMIT(&rig, LRM(GPR(0), FAR), SRM(GPR(0), FAR + 4096), SDI(FAR + 8, 3), BBE);
    p[3] = 4;
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(p[1024], 0xabc);
    cr_assert_eq(p[2], 3);
    cr_assert_eq(p[3], 4, "what the CPU wrote stays");
    p[0] = 0xdef;
    p[2] = 5;
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(p[1024], 0xdef);
    cr_assert_eq(p[2], 3);
    munmap(p, 8192);
    cr_assert_eq(run(), ENGINE_OK, "memory that is gone does no harm");
}

Test(vm, shared_user_memory)
{
    check_user_memory(MAP_SHARED);
}

Test(vm, private_user_memory)
{
    check_user_memory(MAP_PRIVATE);
}

/* SIGXFSZ would end the process. */
Test(vm, private_user_memory_needs_no_file)
{
    struct rlimit none = {0, 0}, few = {8, 8};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    check_user_memory(MAP_PRIVATE);
}

/* One page of seven is unmapped, one is read-only. */
/* Pages of a file, in an order of their own, and private memory; -1. */
static void
check_pieces(const int page[3])
{
    int fd = file_with(6, 4 * 4096);
    uint32_t *file = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
                          fd, 0);
    uint32_t *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; i < 3; i++)
        if (page[i] >= 0)
            mmap(p + i * 1024, 4096, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED, fd, page[i] * 4096);
    cr_assert_eq(engine_vm_map_ptr(rig.vm, FAR, 3 * 4096, p), 0);
    rig.user = FAR;
    EMIT(&rig, SDI(FAR, 1), SDI(FAR + 4096, 2), SDI(FAR + 8192, 3), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    uint32_t want[4] = {6, 6, 6, 6};
    for (unsigned i = 0; i < 3; i++) {
        cr_expect_eq(p[i * 1024], i + 1);
        if (page[i] >= 0)
            want[page[i]] = i + 1;
    }
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(file[i * 1024], want[i], "page %u of the file", i);
    munmap(p, 3 * 4096);
    munmap(file, 4 * 4096);
    close(fd);
}

Test(vm, user_memory_of_several_mappings)
{
    check_pieces((const int[3]){0, -1, 2});
    check_pieces((const int[3]){-1, 1, 2});
    check_pieces((const int[3]){1, 3, 2});
    check_pieces((const int[3]){1, 2, -1});
    check_pieces((const int[3]){1, 2, 3});
}

Test(vm, private_user_memory_with_holes)
{
    const uint64_t last = FAR + 6 * 4096;
    uint32_t *p = mmap(NULL, 7 * 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    cr_assert_eq(engine_vm_map_ptr(rig.vm, FAR, 7 * 4096, p), 0);
    rig.user = FAR;
    munmap(p + 2 * 1024, 4096);
    mprotect(p + 3 * 1024, 4096, PROT_READ);
    p[0] = 0xabc;
    p[6 * 1024 + 1] = 0xdef;
    EMIT(&rig, LRM(GPR(0), FAR), SRM(GPR(0), last), LRM(GPR(0), last + 4),
         SRM(GPR(0), FAR + 4), SDI(FAR + 2 * 4096, 1), SDI(FAR + 3 * 4096, 2),
         SDI(last + 8, 3), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(p[6 * 1024], 0xabc);
    cr_assert_eq(p[1], 0xdef);
    cr_assert_eq(p[3 * 1024], 0);
    cr_assert_eq(p[6 * 1024 + 2], 3);
    munmap(p, 7 * 4096);
}

Test(vm, user_memory_is_left_alone_by_batches_that_do_not_list_it)
{
    uint32_t *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    cr_assert_eq(engine_vm_map_ptr(rig.vm, FAR, 4096, p), 0);
    EMIT(&rig, SDI(FAR, 3), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(p[0], 0);
    rig.user = FAR;
    p[1] = 4;
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(p[0], 3);
    cr_assert_eq(p[1], 4);
    munmap(p, 4096);
}

#define LARGE_B (32 << 20)

struct watched {
    volatile uint32_t *signal;
    const volatile uint32_t *data;
    bool late;
};

/* A client that polls memory for the end of a batch. */
static void *
watch(void *arg)
{
    struct watched *w = arg;
    while (!*w->signal)
        ;
    atomic_thread_fence(memory_order_seq_cst);
    w->late = *w->data != 3;
    return NULL;
}

static uint32_t *
user_memory(uint64_t va, size_t size_B)
{
    void *p = mmap(NULL, size_B, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    cr_assert_eq(engine_vm_map_ptr(rig.vm, va, size_B, p), 0);
    return p;
}

Test(vm, user_memory_has_arrived_when_the_signal_has)
{
    const uint64_t signal_va = FAR + 8, data_va = FAR + LARGE_B;
    const uint64_t users[2] = {FAR, data_va};
    uint32_t *signal = user_memory(FAR, 8192);
    uint32_t *data = user_memory(data_va, LARGE_B);
    struct watched w = {signal + 2, data + LARGE_B / 4 - 1, true};
    pthread_t thread;
    EMIT(&rig, SDI(data_va + LARGE_B - 4, 3), 0x7a000004, 0x4000, LO(signal_va),
         HI(signal_va), 1, 0, BBE);
    cr_assert_eq(pthread_create(&thread, NULL, watch, &w), 0);
    engine_submit(rig.engine, &(struct engine_submit){.ctx = rig.ctx,
                                                      .batch_va = RIG_BATCH,
                                                      .batch_B = 0x1000,
                                                      .users = users,
                                                      .user_count = 2});
    engine_idle(rig.engine);
    pthread_join(thread, NULL);
    cr_assert_not(w.late);
}

/* ---- copies of unreadable memory ---- */

/* Two pages, the second inaccessible. Bytes differ from their neighbours. */
static uint8_t *
half_there(void)
{
    uint8_t *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    for (unsigned i = 0; i < 4096; i++)
        p[i] = (uint8_t)(i * 7 + 1);
    cr_assert_eq(mprotect(p + 4096, 4096, PROT_NONE), 0);
    return p;
}

Test(vm, copies_end_where_memory_does)
{
    const uint8_t *edge = half_there() + 4096;
    for (size_t there_B = 0; there_B < 300; there_B++) {
        for (size_t size_B = 1; size_B < 300; size_B += size_B < 20 ? 1 : 7) {
            uint8_t to[320];
            memset(to, 0xcc, sizeof to);
            bool all = engine_copy(to + 8, edge - there_B, size_B);
            cr_assert_eq(all, size_B <= there_B, "%zu of %zu", size_B, there_B);
            size_t same_B = all ? size_B : 0;
            cr_assert_eq(memcmp(to + 8, edge - there_B, same_B), 0);
            for (size_t i = 8 + size_B; i < sizeof to; i++)
                cr_assert_eq(to[i], 0xcc);
            for (size_t i = 0; i < 8; i++)
                cr_assert_eq(to[i], 0xcc);
        }
    }
}

Test(vm, copies_into_what_is_not_there_fail)
{
    uint8_t *edge = half_there() + 4096;
    const uint8_t from[300] = {1};
    for (size_t size_B = 1; size_B <= sizeof from; size_B++) {
        cr_assert(engine_copy(edge - size_B, from, size_B));
        cr_assert_not(engine_copy(edge - size_B + 1, from, size_B));
        cr_assert_not(engine_copy(edge + 1, from, size_B));
    }
}

/* ---- faults of the application ---- */

static volatile sig_atomic_t faults;

static void
on_segv(int sig, siginfo_t *info, void *context)
{
    faults++;
    mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)4095), 4096,
             PROT_READ | PROT_WRITE);
}

static void
install(void)
{
    struct sigaction act = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &act, NULL);
    atomic_store(&engine_signals_changed, true);
}

static volatile uint32_t *
forbidden_page(void)
{
    return mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

Test(vm, application_handler_installed_before_gets_its_faults)
{
    faults = 0;
    install();
    vm_init();
    volatile uint32_t *p = forbidden_page();
    *p = 1;
    cr_assert_eq(faults, 1);
}

Test(vm, application_handler_installed_later_does_not_take_ours)
{
    faults = 0;
    install();
    EMIT(&rig, LRM(GPR(0), FAR), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(faults, 0);
    volatile uint32_t *p = forbidden_page();
    *p = 1;
    cr_assert_eq(faults, 1);
}

Test(vm, a_handler_that_nobody_told_of_is_found_in_time)
{
    EMIT(&rig, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    struct sigaction act = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &act, NULL);
    usleep(50000);
    faults = 0;
    EMIT(&rig, LRM(GPR(0), FAR), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(faults, 0);
}

static struct sigaction previous;

static void
on_segv_chain(int sig, siginfo_t *info, void *context)
{
    faults++;
    previous.sa_sigaction(sig, info, context);
}

Test(vm, handlers_that_chain_to_each_other_end, .signal = SIGSEGV)
{
    /* The engine's handler, then the application's that calls the engine's,
     * then the engine's again that calls the application's. */
    struct sigaction act = {.sa_sigaction = on_segv_chain,
                            .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &act, &previous);
    vm_init();
    volatile uint32_t *p = forbidden_page();
    *p = 1;
}

Test(vm, window_is_not_for_the_application)
{
    faults = 0;
    install();
    vm_init();
    *(volatile uint32_t *)vm_ptr(rig.vm, FAR) = 1;
    cr_assert_eq(faults, 1);
}

Test(vm, child_can_work_after_fork)
{
    EMIT(&rig, SDI(RIG_DATA, 1), BBE);
    engine_before_fork(rig.engine);
    pid_t pid = fork();
    if (pid == 0) {
        engine_after_fork(rig.engine);
        _exit(run() == ENGINE_OK ? 7 : 8);
    }
    engine_after_fork_parent(rig.engine);
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status));
    cr_assert_eq(WEXITSTATUS(status), 7);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 1, "memory is shared");
}

/* ---- who may write ---- */

static bool
is_ours(uint64_t va, uint64_t size_B)
{
    uint64_t epoch;
    return vm_is_ours(rig.vm, vm_ptr(rig.vm, va), size_B, &epoch);
}

Test(vm, memory_is_ours_within_one_object)
{
    int a = file_with(1, 8192), b = file_with(2, 4096);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 8192, a, 0), 0);
    cr_assert_eq(engine_vm_map(rig.vm, FAR + 8192, 4096, b, 0), 0);
    cr_assert(is_ours(FAR, 8192));
    cr_assert(is_ours(FAR + 4095, 4097));
    cr_assert_not(is_ours(FAR + 4095, 4098));
    cr_assert_not(is_ours(FAR - 1, 2));
    cr_assert_not(is_ours(FAR + 12288, 1));
    engine_vm_unmap(rig.vm, FAR + 4096, 4096);
    cr_assert(is_ours(FAR, 4096));
    cr_assert_not(is_ours(FAR, 4097));
}

Test(vm, memory_that_others_see_is_not_ours)
{
    int a = file_with(1, 8192), b = file_with(2, 4096);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 8192, a, 0), 0);
    cr_assert_eq(engine_vm_map(rig.vm, FAR + 8192, 4096, b, 0), 0);
    engine_vm_expose(rig.vm, FAR, 8192, false);
    cr_assert_not(is_ours(FAR, 1));
    cr_assert_not(is_ours(FAR + 8191, 1));
    cr_assert(is_ours(FAR + 8192, 4096));
    /* The remaining part is unchanged. */
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 4096, b, 0), 0);
    cr_assert(is_ours(FAR, 4096));
    cr_assert_not(is_ours(FAR + 4096, 1));
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(engine_vm_map_ptr(rig.vm, FAR, 4096, p), 0);
    cr_assert_not(is_ours(FAR, 1));
    cr_assert(is_ours(FAR + 8192, 4096));
    engine_before_fork(rig.engine);
    engine_after_fork_parent(rig.engine);
    cr_assert_not(is_ours(FAR + 8192, 4096));
}

static uint64_t
epoch(void)
{
    uint64_t now;
    vm_is_ours(rig.vm, vm_ptr(rig.vm, RIG_VA), 1, &now);
    return now;
}

Test(vm, epoch_ends_where_others_may_write)
{
    EMIT(&rig, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    uint64_t now = epoch();
    EMIT(&rig, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(epoch(), now);
    EMIT(&rig, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_BCS), ENGINE_OK);
    cr_assert_neq(epoch(), now);
    now = epoch();
    struct engine_context *other = engine_context_create(rig.engine, rig.vm);
    EMIT(&rig, BBE);
    cr_assert_eq(rig_run(&rig, other, ENGINE_RCS), ENGINE_OK);
    cr_assert_neq(epoch(), now);
    now = epoch();
    EMIT(&rig, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_neq(epoch(), now);
    engine_context_destroy(other);
    int fd = file_with(1, 4096);
    now = epoch();
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 4096, fd, 0), 0);
    cr_assert_neq(epoch(), now);
    now = epoch();
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 4096, fd, 0), 0);
    cr_assert_eq(epoch(), now);
    engine_vm_unmap(rig.vm, FAR, 4096);
    cr_assert_neq(epoch(), now);
}

/* ---- where the windows are ---------------------------------------------- */

#define MANY 300

Test(vm, hundreds_of_windows)
{
    struct engine_vm *vms[MANY];
    int fd = file_with(7, 4096);
    for (unsigned i = 0; i < MANY; i++) {
        vms[i] = engine_vm_create(rig.engine);
        cr_assert(vms[i], "window %u", i);
        uint64_t top = engine_vm_size_B(vms[i]) - 4096;
        cr_assert_eq(engine_vm_map(vms[i], top, 4096, fd, 0), 0);
        cr_assert_eq(engine_vm_map(vms[i], 0, 4096, rig.fd, 0), 0);
    }
    /* Bits above the window's size are ignored. */
    for (unsigned i = 0; i < MANY; i++)
        cr_assert_eq(vm_read32(vms[i], UINT64_C(0x7ffffffff000)), 7);
    for (unsigned i = 0; i < MANY; i++)
        engine_vm_unref(vms[i]);
    struct engine_vm *again = engine_vm_create(rig.engine);
    cr_assert(again);
    cr_assert_eq(engine_vm_size_B(again), ENGINE_VM_SIZE_B);
    engine_vm_unref(again);
    close(fd);
}

/* Forbids reserving a window; the address sanitizer then finds no memory for
 * shadows either. */
static void
limit_addresses(void)
{
#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("the sanitizer needs addresses");
#endif
    struct rlimit limit = {UINT64_C(1) << 32, UINT64_C(1) << 32};
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

Test(vm, windows_without_a_reservation)
{
    int fd = file_with(8, 4096);
    engine_context_destroy(rig.ctx);
    engine_vm_unref(rig.vm);
    limit_addresses();
    rig.vm = engine_vm_create(rig.engine);
    rig.ctx = engine_context_create(rig.engine, rig.vm);
    struct engine_vm *other = engine_vm_create(rig.engine);
    cr_assert(rig.vm && other);
    cr_assert_eq(engine_vm_size_B(rig.vm), ENGINE_VM_SIZE_B);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 4096, fd, 0), 0);
    cr_assert_eq(engine_vm_map(other, FAR, 4096, rig.fd, 0), 0);
    cr_assert_eq(vm_read32(rig.vm, FAR), 8);
    engine_vm_unmap(rig.vm, FAR, 4096);
    uint64_t errors = stats_get(STAT_guest_errors);
    vm_thread_enter();
    cr_assert_eq(vm_read32(rig.vm, FAR), 0);
    cr_assert_eq(vm_read32(rig.vm, ENGINE_VM_SIZE_B / 2), 0);
    vm_thread_leave();
    cr_assert_eq(stats_get(STAT_guest_errors), errors + 2);
    cr_assert_eq(engine_vm_map(rig.vm, FAR, 4096, fd, 0), 0);
    cr_assert_eq(vm_read32(rig.vm, FAR), 8);
    engine_vm_unref(other);
    close(fd);
}

Test(vm, many_windows_without_a_reservation_end_in_a_refusal)
{
    struct engine_vm *vms[100];
    unsigned count = 0;
    limit_addresses();
    while (count < 100 && (vms[count] = engine_vm_create(rig.engine)))
        count++;
    cr_assert(count >= 20 && count < 100);
    engine_vm_unref(vms[--count]);
    vms[count] = engine_vm_create(rig.engine);
    cr_assert(vms[count]);
    for (unsigned i = 0; i <= count; i++)
        engine_vm_unref(vms[i]);
}

/* ---- signals of the application ------------------------------------------ */

static int reports;

static void
report_once(int sig)
{
    reports++;
}

static int
status_of_crash(int flags, void (*handler)(int), void (*crash)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(10);
        struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};
        sigaction(SIGSEGV, &sa, NULL);
        vm_init(); /* on top of it */
        crash();
        _exit(reports);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static void
touch_nothing(void)
{
    volatile uintptr_t nowhere = 16;
    *(volatile int *)nowhere = 1;
}

static void
send_one(void)
{
    kill(getpid(), SIGSEGV);
}

static void
send_two(void)
{
    kill(getpid(), SIGSEGV);
    kill(getpid(), SIGSEGV);
}

Test(vm, application_dies_of_its_signals)
{
    const int once = (int)SA_RESETHAND | SA_NODEFER;
    cr_assert_eq(WTERMSIG(status_of_crash(0, SIG_DFL, touch_nothing)), SIGSEGV);
    cr_assert_eq(WTERMSIG(status_of_crash(0, SIG_IGN, touch_nothing)), SIGSEGV);
    cr_assert_eq(WTERMSIG(status_of_crash(once, report_once, touch_nothing)),
                 SIGSEGV);
    cr_assert_eq(WTERMSIG(status_of_crash(0, SIG_DFL, send_one)), SIGSEGV);
    cr_assert_eq(WTERMSIG(status_of_crash(once, report_once, send_two)),
                 SIGSEGV);
    cr_assert_eq(status_of_crash(once, report_once, send_one), 1 << 8);
    cr_assert_eq(status_of_crash(0, report_once, send_two), 2 << 8);
    cr_assert_eq(status_of_crash(0, SIG_IGN, send_one), 0);
}
