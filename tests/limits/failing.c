/* failing.c: a library to preload that lets one call of Softlake fail: an
 * allocation, a mapping, a descriptor or a thread. Only calls from
 * libsoftlake.so count. run_failing.py chooses the call.
 *
 * FAILING_LIST=FILE: appends a line "SITE FUNCTION COUNT" per place that calls.
 * FAILING_SITE=SITE, FAILING_CALL=N: the Nth call from there fails; 0: all do.
 * A crash in Softlake's code, in code that it has made, or in a function that
 * it called ends the process with status 77; one anywhere else, such as a
 * driver that does not check its allocations, with 78. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

void *__libc_malloc(size_t size_B);
void *__libc_calloc(size_t count, size_t size_B);
void *__libc_realloc(void *p, size_t size_B);
void *__libc_memalign(size_t align_B, size_t size_B);

#define SITES 1024
static struct {
    _Atomic uintptr_t offset;
    const char *function;
    atomic_uint count;
} sites[SITES];

static atomic_uintptr_t base, first, end; /* of the library and its code */
static atomic_bool started;
static uintptr_t chosen_site;
static unsigned chosen_call;
static const char *list_path;

static int
find_library(struct dl_phdr_info *info, size_t size, void *data)
{
    if (!strstr(info->dlpi_name, "libsoftlake.so"))
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        atomic_store(&base, info->dlpi_addr);
        atomic_store(&end, at + p->p_memsz);
        atomic_store(&first, at);
    }
    return 1;
}

static void start(void);

static bool
is_ours(uintptr_t address)
{
    uintptr_t start = atomic_load(&first);
    return start && address >= start && address < atomic_load(&end);
}

/* Whether this call fails; counts it. */
static bool
fails(void *caller, const char *function)
{
    uintptr_t address = (uintptr_t)caller;
    start();
    if (!is_ours(address))
        return false;
    uintptr_t offset = address - atomic_load(&base);
    for (unsigned n = 0, i = offset % SITES; n < SITES; n++, i++) {
        uintptr_t none = 0;
        i %= SITES;
        if (atomic_load(&sites[i].offset) != offset &&
            !atomic_compare_exchange_strong(&sites[i].offset, &none, offset) &&
            none != offset)
            continue;
        sites[i].function = function;
        unsigned count = atomic_fetch_add(&sites[i].count, 1) + 1;
        return offset == chosen_site && (count == chosen_call || !chosen_call);
    }
    return false;
}

#define FAILS(name) fails(__builtin_return_address(0), name)

void *
malloc(size_t size_B)
{
    if (FAILS("malloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size_B);
}

void *
calloc(size_t count, size_t size_B)
{
    if (FAILS("calloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, size_B);
}

void *
realloc(void *p, size_t size_B)
{
    if (FAILS("realloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(p, size_B);
}

void *
aligned_alloc(size_t align_B, size_t size_B)
{
    if (FAILS("aligned_alloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_memalign(align_B, size_B);
}

static void *
next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
               void *(*run)(void *), void *data)
{
    int (*fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (FAILS("pthread_create"))
        return EAGAIN;
    fn = (__typeof__(fn))next("pthread_create");
    return fn(thread, attr, run, data);
}

int
memfd_create(const char *name, unsigned flags)
{
    if (FAILS("memfd_create")) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}

int
eventfd(unsigned value, int flags)
{
    if (FAILS("eventfd")) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_eventfd2, value, flags);
}

int
socketpair(int domain, int type, int protocol, int pair[2])
{
    if (FAILS("socketpair")) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_socketpair, domain, type, protocol, pair);
}

void *
mremap(void *at, size_t old_B, size_t new_B, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    void *to = va_arg(ap, void *);
    va_end(ap);
    if (FAILS("mremap")) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mremap, at, old_B, new_B, flags, to);
}

/* The library's raw system calls. */
long
syscall(long number, ...)
{
    va_list ap;
    long a[6];
    va_start(ap, number);
    for (unsigned i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    bool maps = number == SYS_mmap || number == SYS_mremap;
    if ((maps || number == SYS_memfd_create) &&
        FAILS(maps ? "mmap" : "memfd_create")) {
        errno = maps ? ENOMEM : EMFILE;
        return -1;
    }
    register long r10 __asm__("r10") = a[3];
    register long r8 __asm__("r8") = a[4];
    register long r9 __asm__("r9") = a[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10),
                       "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

/* ---- crashes ------------------------------------------------------------- */

/* Who crashed: code outside of any file is compiled by Softlake; a function of
 * libc counts for the first caller that is found on the stack. */
static bool
blames_us(const ucontext_t *u)
{
    uintptr_t rip = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    const uintptr_t *stack = (const void *)u->uc_mcontext.gregs[REG_RSP];
    Dl_info info;
    if (is_ours(rip) || (rip && !dladdr((void *)rip, &info)))
        return true;
    if (!rip || !strstr(info.dli_fname, "libc.so"))
        return false;
    for (unsigned i = 0; i < 256; i++) {
        if (is_ours(stack[i]))
            return true;
        if (dladdr((void *)stack[i], &info) &&
            !strstr(info.dli_fname, "libc.so"))
            return false;
    }
    return false;
}

static void
on_crash(int sig, siginfo_t *info, void *context)
{
    bool ours = blames_us(context);
    const ucontext_t *u = context;
    char text[128];
    int n = snprintf(text, sizeof text, "failing: signal %d at +0x%llx\n", sig,
                     (unsigned long long)u->uc_mcontext.gregs[REG_RIP] -
                         (unsigned long long)atomic_load(&base));
    if (write(STDERR_FILENO, text, (size_t)n) < 0 || ours)
        syscall(SYS_exit_group, 77);
    syscall(SYS_exit_group, 78);
}

static void
write_list(void)
{
    FILE *f = fopen(list_path, "a");
    for (unsigned i = 0; f && i < SITES; i++)
        if (atomic_load(&sites[i].count))
            fprintf(f, "%llx %s %u\n",
                    (unsigned long long)atomic_load(&sites[i].offset),
                    sites[i].function, atomic_load(&sites[i].count));
    if (f)
        fclose(f);
}

/* The first call of any kind starts it: constructors of other libraries may run
 * earlier. */
__attribute__((constructor)) static void
start(void)
{
    if (atomic_exchange(&started, true))
        return;
    const char *site = getenv("FAILING_SITE"), *call = getenv("FAILING_CALL");
    struct sigaction act = {.sa_sigaction = on_crash};
    act.sa_flags = SA_SIGINFO;
    chosen_site = site ? strtoull(site, NULL, 16) : 0;
    chosen_call = call ? (unsigned)atoi(call) : 0;
    list_path = getenv("FAILING_LIST");
    dl_iterate_phdr(find_library, NULL);
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &act, NULL);
    if (list_path)
        atexit(write_list);
}
