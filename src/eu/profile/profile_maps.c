/* profile_maps.c: memory for counters of host threads, in files or not, and
 * snapshots of the files.
 *
 * The files have holes: most counters stay 0. When the file system is full, a
 * new page is memory of the process instead, and its counts are lost. */
#include "eu/profile/profile_memory.h"

#include "base/file_limit.h"
#include "base/own_stack.h"
#include "eu/eu.h"
#include "eu/profile/profile.h"
#include "eu/profile/profile_unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_B (PROFILE_COUNTERS * sizeof(uint64_t))
#define PAGE_B 4096u

/* One is added, none is removed: a signal handler reads the list. */
static _Atomic(struct profile_map *) maps;
static unsigned files; /* under the lock of profile_memory.h */

const struct profile_map *
profile_maps(void)
{
    return atomic_load(&maps);
}

/* The first page, which says whether others are lost, has its block. */
static bool
has_first_page(int fd)
{
    do
        errno = posix_fallocate(fd, 0, PAGE_B);
    while (errno == EINTR);
    return !errno;
}

static void *
map_file_locked(unsigned *file)
{
    char path[4096];
    if (!eu_profile_is_on())
        return MAP_FAILED;
    snprintf(path, sizeof path, PROFILE_COUNTS_FORMAT,
             getenv("SOFTLAKE_PROFILE"),
             (unsigned long long)profile_process_locked(), *file = files++);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *p = MAP_FAILED;
    if (fd >= 0 && file_limit_allows(FILE_B) && has_first_page(fd) &&
        !ftruncate(fd, FILE_B))
        p = mmap(NULL, FILE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        profile_complain_locked(path);
    if (fd >= 0)
        close(fd);
    return p;
}

uint64_t *
profile_map_locked(bool in_file)
{
    struct profile_map *map = malloc(sizeof *map);
    unsigned file = PROFILE_NO_FILE;
    void *p = in_file ? map_file_locked(&file) : MAP_FAILED;
    if (p == MAP_FAILED) {
        file = PROFILE_NO_FILE;
        p = mmap(NULL, FILE_B, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    if (p == MAP_FAILED || !map) {
        free(map);
        return p == MAP_FAILED ? NULL : p;
    }
    *map = (struct profile_map){atomic_load(&maps), p, file};
    atomic_store(&maps, map);
    return p;
}

void
profile_maps_drop_locked(void)
{
    atomic_store(&maps, NULL);
    files = 0;
}

/* A file without its first page says the same. */
void
profile_note_lost(void)
{
    for (const struct profile_map *m = profile_maps(); m; m = m->next)
        if (m->file != PROFILE_NO_FILE)
            m->counters[PROFILE_LOST_PAGES]++;
}

/* ---- a full file system -------------------------------------------------- */

static void
say_full(void *data)
{
    (void)data;
    log_printf("profile: %s: no space left; some counts are lost\n",
               getenv("SOFTLAKE_PROFILE"));
}

static bool
replace_page(const struct profile_map *m, uintptr_t at)
{
    static atomic_bool said;
    if (syscall(SYS_mmap, at, PAGE_B, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == -1)
        return false;
    m->counters[PROFILE_LOST_PAGES]++;
    /* The handler may run on the application's signal stack. */
    if (!atomic_exchange(&said, true))
        own_stack_call(say_full, NULL);
    return true;
}

bool
eu_profile_answer_fault(uintptr_t addr)
{
    for (const struct profile_map *m = profile_maps(); m; m = m->next)
        if (m->file != PROFILE_NO_FILE &&
            addr - (uintptr_t)m->counters < FILE_B)
            return replace_page(m, addr & ~(uintptr_t)(PAGE_B - 1));
    return false;
}

/* ---- snapshots ----------------------------------------------------------- */

/* Copies what the file has, without holes, up to size_B. */
static bool
copy_data(int from, int to, off_t size_B)
{
    char buffer[PAGE_B / 2];
    off_t at_B = 0;
    while ((at_B = lseek(from, at_B, SEEK_DATA)) >= 0 && at_B < size_B) {
        size_t left_B = MIN2(sizeof buffer, (size_t)(size_B - at_B));
        ssize_t n = pread(from, buffer, left_B, at_B);
        if (n <= 0 || pwrite(to, buffer, (size_t)n, at_B) != n)
            return false;
        at_B += n;
    }
    return true;
}

static bool
copy_file(const char *from, const char *to, off_t size_B)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = in >= 0 && out >= 0 && file_limit_allows((uint64_t)size_B) &&
              !ftruncate(out, size_B) && copy_data(in, out, size_B);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return ok;
}

static bool
write_empty(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

void
eu_profile_snapshot(uint32_t number)
{
    char from[1024], path[1024];
    const char *dir = getenv("SOFTLAKE_PROFILE");
    profile_lock();
    unsigned long long process = profile_process_locked();
    off_t size_B = (off_t)(profile_slots_locked() * sizeof(uint64_t));
    bool ok = true;
    for (const struct profile_map *m = profile_maps(); m; m = m->next) {
        if (m->file == PROFILE_NO_FILE)
            continue;
        snprintf(from, sizeof from, PROFILE_COUNTS_FORMAT, dir, process,
                 m->file);
        snprintf(path, sizeof path, PROFILE_SNAPSHOT_FORMAT, dir, number,
                 process, m->file);
        ok &= copy_file(from, path, size_B);
    }
    snprintf(path, sizeof path, PROFILE_SNAPSHOT_END_FORMAT, dir, number);
    if (!ok || !write_empty(path))
        profile_complain_locked(path);
    profile_unlock();
}
