/* exec_mem.c: memory that is written once and then executed.
 *
 * One memfd, mapped twice: code is written through one view and executed
 * through the other, and no page is ever writable and executable at once.
 * Pages are shared across a fork, so there nobody writes to them any more:
 * parent and child go on in a memfd of their own. The sum is bounded; kernels
 * that find no room are interpreted. Any thread: one mutex. Rejected: a mapping
 * for each kernel, which costs more than compiling a small one. */
#include "eu/jit/compile.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_CODE_B ((size_t)256 << 20)
#define LINE_B 64u
#define PAGE_B 4096u
#define READY_B 65536u

/* A piece that was released; in the order of addresses, never adjacent. */
struct hole {
    size_t at_B, size_B;
    struct hole *next;
};

static struct {
    pthread_mutex_t lock;
    pid_t owner;
    /* Not zero in the owner: a page that every kind of fork empties, because
     * asking for the pid costs as much as compiling two instructions. NULL
     * where there is none. */
    const volatile uint32_t *guard;
    uint8_t *write, *execute;
    size_t end_B;   /* nothing behind it was ever used */
    size_t ready_B; /* pages before it are there */
    struct hole *holes;
    bool forks_noted;
} area = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *
map_view(int fd, int protection)
{
    void *p = mmap(NULL, MAX_CODE_B, protection, MAP_SHARED | MAP_NORESERVE, fd,
                   0);
    return p == MAP_FAILED ? NULL : p;
}

static void
forget_area(void)
{
    while (area.holes) {
        struct hole *h = area.holes;
        area.holes = h->next;
        free(h);
    }
    area.end_B = area.ready_B = 0;
    area.write = area.execute = NULL;
}

/* Nothing is written here any more; what was compiled is still in use. */
static void
retire_area_locked(void)
{
    size_t used_B = ALIGN_POT(area.end_B, PAGE_B);
    if (area.write)
        munmap(area.write, MAX_CODE_B);
    if (area.execute && used_B < MAX_CODE_B)
        munmap(area.execute + used_B, MAX_CODE_B - used_B);
    if (area.guard)
        munmap((void *)area.guard, PAGE_B);
    area.guard = NULL;
    forget_area();
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
    if (is_owner_locked())
        return area.execute;
    retire_area_locked();
    if (!area.forks_noted)
        area.forks_noted = !pthread_atfork(before_fork, after_fork, after_fork);
    area.owner = getpid();
    set_guard_locked();
    int fd = memfd_create("softlake-code", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)MAX_CODE_B)) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    area.write = map_view(fd, PROT_READ | PROT_WRITE);
    area.execute = area.write ? map_view(fd, PROT_READ | PROT_EXEC) : NULL;
    close(fd);
    return area.execute;
}

/* Many pages at once cost less than one fault for each. Hosts that cannot do
 * this have the faults. */
static void
make_ready_locked(void)
{
    if (area.end_B <= area.ready_B)
        return;
    size_t end_B = MIN2(ALIGN_POT(area.end_B, READY_B), MAX_CODE_B);
    madvise(area.write + area.ready_B, end_B - area.ready_B,
            MADV_POPULATE_WRITE);
    area.ready_B = end_B;
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
    make_ready_locked();
    return true;
}

static void
merge(struct hole *h)
{
    struct hole *next = h ? h->next : NULL;
    if (!next || h->at_B + h->size_B != next->at_B)
        return;
    h->size_B += next->size_B;
    h->next = next->next;
    free(next);
}

/* Without memory for the note the piece is lost. */
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
    merge(h);
    merge(before);
}

void *
eu_exec_publish(const void *code, size_t size_B)
{
    size_t at_B;
    uint8_t *p = NULL;
    pthread_mutex_lock(&area.lock);
    if (open_area_locked() && take_locked(ALIGN_POT(size_B, LINE_B), &at_B)) {
        p = area.execute + at_B;
        memcpy(area.write + at_B, code, size_B);
    }
    pthread_mutex_unlock(&area.lock);
    return p;
}

void
eu_exec_release(void *code, size_t size_B)
{
    uintptr_t at = (uintptr_t)code;
    pthread_mutex_lock(&area.lock);
    uintptr_t start = (uintptr_t)area.execute;
    /* Code from before a fork is in use in both processes. */
    if (is_owner_locked() && area.execute && at >= start &&
        at < start + MAX_CODE_B)
        give_locked(at - start, ALIGN_POT(size_B, LINE_B));
    pthread_mutex_unlock(&area.lock);
}
