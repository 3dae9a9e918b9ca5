/* vm_window.c: reserves the windows of address spaces in the process.
 *
 * A window is reserved with PROT_NONE, so that nothing else is mapped there.
 * The first windows have full size; later ones are smaller, because all must
 * fit in 128 TiB beside the application's mappings. RLIMIT_AS counts
 * reservations. Where it forbids them, a window is a free range of addresses
 * that the kernel does not choose by itself; then only mappings count. */
#include "base/known.h"
#include "base/refusal.h"
#include "engine/engine.h"
#include "engine/vm/vm_private.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sizes of windows by the number of those that are open: with guards, 80 TiB
 * for VM_WINDOWS_MAX. */
static const struct {
    unsigned until;
    uint64_t size_B;
} sizes[] = {
    {32, ENGINE_VM_SIZE_B},
    {128, UINT64_C(1) << 37},
    {512, UINT64_C(1) << 35},
    {VM_WINDOWS_MAX, UINT64_C(1) << 33},
};
#define LEAST_B (UINT64_C(1) << 33)

/* Slots for windows without a reservation. The kernel places mappings without
 * an address below the stack at 128 TiB. With an unlimited stack it places them
 * above 42 TiB, a third of user addresses. Programs and their heaps lie at 85
 * TiB or below 4 GiB. */
#define SLOTS_FIRST UINT64_C(0x100000000000)
#define SLOT_B (ENGINE_VM_SIZE_B + (UINT64_C(64) << 30))
#define SLOTS 23

static atomic_uint open_windows;
static atomic_uint slots_used; /* one bit per slot */

static uint64_t
reserved_B(const struct engine_vm *vm)
{
    return vm->mask + 1 + VM_GUARD_B;
}

static bool
reserve_window(struct engine_vm *vm)
{
    unsigned open = atomic_load(&open_windows), i = 0;
    while (i + 1 < ARRAY_SIZE(sizes) && open >= sizes[i].until)
        i++;
    for (uint64_t size_B = sizes[i].size_B; size_B >= LEAST_B; size_B /= 2) {
        long p = syscall(SYS_mmap, NULL, size_B + VM_GUARD_B, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == -1)
            continue;
        vm->window = (uint8_t *)p;
        vm->mask = size_B - 1;
        return true;
    }
    return false;
}

/* ---- mappings of the process --------------------------------------------- */

struct maps_reader {
    uint64_t range[2]; /* start and end in the line */
    unsigned field;    /* index of the number being read; 2: past both */
};

/* Parses one character of /proc/self/maps. True: a range is complete. */
static bool
take_character(struct maps_reader *r, char c)
{
    if (c == '\n') {
        *r = (struct maps_reader){0};
    } else if (r->field == 2) {
        return false;
    } else if (c == '-' || c == ' ') {
        r->field++;
    } else {
        unsigned digit = (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
        r->range[r->field] = r->range[r->field] << 4 | digit;
    }
    return c == ' ';
}

/* Calls `see` for each mapping. False: there is no /proc. */
static bool
read_maps(void (*see)(void *data, uint64_t start, uint64_t end), void *data)
{
    char text[4096];
    struct maps_reader reader = {0};
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps",
                          O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    long n;
    while ((n = syscall(SYS_read, fd, text, sizeof text)) > 0)
        for (long i = 0; i < n; i++)
            if (take_character(&reader, text[i]))
                see(data, reader.range[0], reader.range[1]);
    syscall(SYS_close, fd);
    return true;
}

struct asked {
    uint64_t start, end;
    bool yes;
};

static void
see_overlap(void *data, uint64_t start, uint64_t end)
{
    struct asked *a = data;
    a->yes |= start < a->end && a->start < end;
}

static void
see_cover(void *data, uint64_t start, uint64_t end)
{
    struct asked *a = data;
    a->yes |= start <= a->start && a->end <= end;
}

bool
vm_is_one_mapping(const void *ptr, uint64_t size_B)
{
    struct asked a = {(uintptr_t)ptr, (uintptr_t)ptr + size_B, false};
    return read_maps(see_cover, &a) && a.yes;
}

/* Without /proc the range counts as free, because the kernel follows the same
 * rules. */
static bool
is_free(uint64_t start, uint64_t end)
{
    struct asked a = {start, end, false};
    read_maps(see_overlap, &a);
    return !a.yes;
}

/* ---- without a reservation ----------------------------------------------- */

static bool
take_slot(struct engine_vm *vm)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        unsigned bit = 1u << i;
        uint64_t at = SLOTS_FIRST + i * SLOT_B;
        if (atomic_fetch_or(&slots_used, bit) & bit)
            continue;
        if (is_free(at, at + SLOT_B)) {
            vm->window = (uint8_t *)(uintptr_t)at;
            vm->mask = ENGINE_VM_SIZE_B - 1;
            return true;
        }
        /* Something else is mapped there: leave the slot marked as used. */
    }
    return false;
}

static void
give_slot_back(const struct engine_vm *vm)
{
    uint64_t at = (uintptr_t)vm->window - SLOTS_FIRST;
    atomic_fetch_and(&slots_used, ~(1u << at / SLOT_B));
}

/* ---- both --------------------------------------------------------------- */

bool
vm_window_open(struct vm_private *priv)
{
    struct engine_vm *vm = priv->vm;
    priv->unreserved = !reserve_window(vm);
    if (priv->unreserved && !take_slot(vm)) {
        refusal("no addresses for another GPU address space (%u exist; see "
                "ulimit -v): the driver may fall back to software",
                atomic_load(&open_windows));
        return false;
    }
    atomic_fetch_add(&open_windows, 1);
    if (vm_fault_register(priv))
        return true;
    refusal("more than %u GPU address spaces: the driver may fall back to "
            "software",
            atomic_load(&open_windows) - 1);
    vm_window_close(priv);
    return false;
}

void
vm_window_close(struct vm_private *priv)
{
    vm_fault_unregister(priv);
    syscall(SYS_munmap, priv->vm->window, reserved_B(priv->vm));
    if (priv->unreserved)
        give_slot_back(priv->vm);
    atomic_fetch_sub(&open_windows, 1);
}

/* ---- mappings ----------------------------------------------------------- */

#define MAPS_USUAL 65530
/* A range takes a mapping, and one for the gap after it. With three quarters of
 * the mappings of the process, the rest is the application's. */
#define MAPS_PER_RANGE 2
#define LEAST_RANGES 1024u

static atomic_int ranges_listed;

static int
read_ranges_max(void)
{
    char text[32] = "";
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/sys/vm/max_map_count",
                          O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    long maps = n > 0 ? strtol(text, NULL, 10) : MAPS_USUAL;
    return (int)(CLAMP(maps, 0, 1 << 24) * 3 / 4 / MAPS_PER_RANGE);
}

bool
vm_window_is_crowded(const struct vm_private *priv)
{
    static atomic_int known;
    return priv->range_count >= LEAST_RANGES &&
           atomic_load_explicit(&ranges_listed, memory_order_relaxed) >=
               known_int(&known, read_ranges_max);
}

void
vm_window_count(int ranges)
{
    atomic_fetch_add_explicit(&ranges_listed, ranges, memory_order_relaxed);
}

void
vm_window_clear(struct vm_private *priv, uint64_t at, uint64_t size_B)
{
    uint8_t *ptr = priv->vm->window + at;
    if (priv->unreserved)
        syscall(SYS_munmap, ptr, size_B);
    else
        syscall(SYS_mmap, ptr, size_B, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}
