/* exec_mem.c: memory that is written once and then executed.
 *
 * One area of shared anonymous memory, mapped executable. To write a piece, its
 * pages are mapped a second time, writable, at an address that the kernel
 * chooses, and unmapped after the copy. So no page is ever writable and
 * executable at once, and no alias that an attacker could compute stays. A fork
 * shares the pages, so afterwards parent and child write to none of them: each
 * continues in an area of its own, and an area without living pieces is
 * unmapped. The total is bounded; kernels that find no room are interpreted.
 * Any thread: one mutex. Rejected: a writable view that stays, which saves four
 * microseconds a kernel; a memfd, whose size RLIMIT_FSIZE limits. */
#include "eu/jit/mem/mem.h"

#include "base/fork_order.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_CODE_B ((size_t)256 << 20)
#define LINE_B 64u
#define PAGE_B 4096u

/* A released piece; holes are sorted by address and never adjacent. */
struct hole {
    size_t at_B, size_B;
    struct hole *next;
};

/* An area from before a fork. */
struct retired {
    uint8_t *execute;
    size_t size_B, live_B;
    struct retired *next;
};

static struct {
    pthread_mutex_t lock;
    pid_t owner;
    /* Nonzero in the owner: a page that every kind of fork zeroes, because
     * getpid() costs as much as compiling two instructions. NULL if the host
     * has no such pages. */
    const volatile uint32_t *guard;
    uint8_t *execute;
    size_t end_B;  /* everything after it is unused */
    size_t live_B; /* pieces in use */
    struct hole *holes;
    struct retired *retired;
    atomic_size_t total_B; /* pieces in use, of all areas */
} area = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
forget_holes(void)
{
    while (area.holes) {
        struct hole *h = area.holes;
        area.holes = h->next;
        free(h);
    }
}

/* Keeps the area while pieces of it are in use. Without memory to remember it,
 * it stays mapped. */
static void
keep_retired_locked(size_t used_B)
{
    struct retired *r = malloc(sizeof *r);
    if (!r)
        return;
    *r = (struct retired){area.execute, used_B, area.live_B, area.retired};
    area.retired = r;
}

/* Ends writing here; compiled code stays in use. */
static void
retire_area_locked(void)
{
    size_t used_B = area.live_B ? ALIGN_POT(area.end_B, PAGE_B) : 0;
    if (area.execute && used_B < MAX_CODE_B)
        munmap(area.execute + used_B, MAX_CODE_B - used_B);
    if (area.execute && used_B)
        keep_retired_locked(used_B);
    if (area.guard)
        munmap((void *)area.guard, PAGE_B);
    area.guard = NULL;
    forget_holes();
    area.end_B = area.live_B = 0;
    area.execute = NULL;
    area.owner = 0;
}

static void
before_fork(void)
{
    pthread_mutex_lock(&area.lock);
}

static void
after_fork(void)
{
    retire_area_locked();
    pthread_mutex_unlock(&area.lock);
}

__attribute__((constructor)) static void
note_forks(void)
{
    static const struct fork_row row = {before_fork, after_fork, after_fork};
    fork_order_add(FORK_CODE, &row);
}

static void
set_guard_locked(void)
{
    uint32_t *p = mmap(NULL, PAGE_B, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    if (madvise(p, PAGE_B, MADV_WIPEONFORK)) {
        munmap(p, PAGE_B);
        return;
    }
    *p = 1;
    area.guard = p;
}

static bool
is_owner_locked(void)
{
    return area.guard ? *area.guard : area.owner == getpid();
}

static bool
open_area_locked(void)
{
    if (is_owner_locked() && area.execute)
        return true;
    retire_area_locked();
    area.owner = getpid();
    set_guard_locked();
    void *p = mmap(NULL, MAX_CODE_B, PROT_READ | PROT_EXEC,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    area.execute = p == MAP_FAILED ? NULL : p;
    return area.execute;
}

/* Copies the code through a writable view of its pages, of which old size 0
 * makes mremap() duplicate the mapping. Asks for the pages first, because a
 * page that the host cannot give would be a signal. Hosts that cannot do this
 * (EINVAL) take the faults. */
static bool
write_locked(size_t at_B, const void *code, size_t size_B)
{
    size_t first_B = at_B & ~(size_t)(PAGE_B - 1);
    size_t view_B = ALIGN_POT(at_B + size_B, PAGE_B) - first_B;
    uint8_t *view = mremap(area.execute + first_B, 0, view_B, MREMAP_MAYMOVE);
    if (view == MAP_FAILED)
        return false;
    bool ok = !mprotect(view, view_B, PROT_READ | PROT_WRITE) &&
              (!madvise(view, view_B, MADV_POPULATE_WRITE) || errno == EINVAL);
    if (ok)
        memcpy(view + (at_B - first_B), code, size_B);
    munmap(view, view_B);
    return ok;
}

static bool
take_locked(size_t size_B, size_t *at_B)
{
    for (struct hole **p = &area.holes; *p; p = &(*p)->next) {
        struct hole *h = *p;
        if (h->size_B < size_B)
            continue;
        *at_B = h->at_B;
        h->at_B += size_B;
        h->size_B -= size_B;
        if (!h->size_B) {
            *p = h->next;
            free(h);
        }
        return true;
    }
    if (size_B > MAX_CODE_B - area.end_B)
        return false;
    *at_B = area.end_B;
    area.end_B += size_B;
    return true;
}

static void
merge_free(struct hole *h)
{
    struct hole *next = h ? h->next : NULL;
    if (!next || h->at_B + h->size_B != next->at_B)
        return;
    h->size_B += next->size_B;
    h->next = next->next;
    free(next);
}

/* Without memory for the hole the piece is lost. */
static void
give_locked(size_t at_B, size_t size_B)
{
    struct hole **p = &area.holes, *before = NULL;
    while (*p && (*p)->at_B < at_B) {
        before = *p;
        p = &(*p)->next;
    }
    struct hole *h = malloc(sizeof *h);
    if (!h)
        return;
    *h = (struct hole){.at_B = at_B, .size_B = size_B, .next = *p};
    *p = h;
    merge_free(h);
    merge_free(before);
}

/* The piece was the last in use of a retired area: unmaps it. */
static void
release_retired_locked(uintptr_t at, size_t size_B)
{
    for (struct retired **p = &area.retired; *p; p = &(*p)->next) {
        struct retired *r = *p;
        if (at - (uintptr_t)r->execute >= r->size_B)
            continue;
        r->live_B -= size_B;
        if (r->live_B)
            return;
        munmap(r->execute, r->size_B);
        *p = r->next;
        free(r);
        return;
    }
}

void *
eu_exec_publish(const void *code, size_t size_B)
{
    size_t at_B, piece_B = ALIGN_POT(size_B, LINE_B);
    uint8_t *p = NULL;
    pthread_mutex_lock(&area.lock);
    if (open_area_locked() && take_locked(piece_B, &at_B)) {
        if (write_locked(at_B, code, size_B)) {
            p = area.execute + at_B;
            area.live_B += piece_B;
            atomic_fetch_add(&area.total_B, piece_B);
        } else {
            give_locked(at_B, piece_B);
        }
    }
    pthread_mutex_unlock(&area.lock);
    return p;
}

void
eu_exec_release(void *code, size_t size_B)
{
    uintptr_t at = (uintptr_t)code;
    size_t piece_B = ALIGN_POT(size_B, LINE_B);
    if (!code)
        return;
    pthread_mutex_lock(&area.lock);
    if (!is_owner_locked())
        retire_area_locked();
    uintptr_t start = (uintptr_t)area.execute;
    if (area.execute && at - start < MAX_CODE_B) {
        give_locked(at - start, piece_B);
        area.live_B -= piece_B;
    } else {
        release_retired_locked(at, piece_B);
    }
    atomic_fetch_sub(&area.total_B, piece_B);
    pthread_mutex_unlock(&area.lock);
}

size_t
eu_exec_total_B(void)
{
    return atomic_load_explicit(&area.total_B, memory_order_relaxed);
}
