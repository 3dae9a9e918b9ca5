/* jitdump.c: code and source lines for `perf inject --jit`.
 *
 * One file per process, jit-PID.dump in $JITDUMPDIR or the current directory,
 * in the format of tools/perf/Documentation/jitdump-specification.txt. perf
 * finds it because its first page is mapped executable. Times are from
 * CLOCK_MONOTONIC, as in `perf record -k CLOCK_MONOTONIC`. Each kernel's
 * disassembly, next to the dump, is the source of its code. */
#include "eu/jit/listing/listing.h"

#include "base/fork_order.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 0x4a695444u
#define MACHINE_X86_64 62

enum { RECORD_LOAD = 0, RECORD_LINES = 2 };

struct header {
    uint32_t magic, version, size_B, machine, pad, pid;
    uint64_t time, flags;
};

struct record {
    uint32_t id, size_B;
    uint64_t time;
};

struct load {
    struct record record;
    uint32_t pid, tid;
    uint64_t vma, address, size_B, index;
};

struct lines {
    struct record record;
    uint64_t address, count;
};

struct line {
    uint64_t address;
    uint32_t line, discriminator;
};

static struct {
    pthread_mutex_t lock;
    FILE *file;
    pid_t pid; /* a forked child writes its own */
    uint64_t index;
} dump = {.lock = PTHREAD_MUTEX_INITIALIZER};
FORK_LOCK(FORK_JITDUMP, dump.lock)

static uint64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const char *
dump_directory(void)
{
    const char *d = getenv("JITDUMPDIR");
    return d && *d ? d : ".";
}

static bool
open_locked(void)
{
    char path[512];
    pid_t pid = getpid();
    if (dump.pid == pid)
        return dump.file;
    dump.pid = pid;
    dump.file = NULL;
    snprintf(path, sizeof path, "%s/jit-%d.dump", dump_directory(), (int)pid);
    int fd = eu_code_event_open(path, false);
    if (fd < 0) {
        log_printf("softlake: cannot write %s: %m", path);
        return false;
    }
    struct header h = {.magic = MAGIC,
                       .version = 1,
                       .size_B = sizeof h,
                       .machine = MACHINE_X86_64,
                       .pid = (uint32_t)pid,
                       .time = now_ns()};
    dump.file = fdopen(fd, "w");
    if (!dump.file || fwrite(&h, sizeof h, 1, dump.file) != 1)
        return false;
    fflush(dump.file);
    /* Never unmapped: perf record notes the mapping, and so the file's name. */
    void *mark = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE),
                      PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    if (mark == MAP_FAILED)
        log_printf("softlake: cannot map %s for perf: %m", path);
    return true;
}

/* Line n is op n - 1. */
static void
write_source(const struct eu_kernel *k, char *path, size_t path_size)
{
    char here[256] = ".";
    const char *d = dump_directory();
    if (*d != '/' && getcwd(here, sizeof here))
        snprintf(path, path_size, "%s/%s/eu-%016llx.asm", here, d,
                 (unsigned long long)k->hash);
    else
        snprintf(path, path_size, "%s/eu-%016llx.asm", d,
                 (unsigned long long)k->hash);
    int fd = eu_code_event_open(path, false);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f)
        return;
    for (uint32_t i = 0; i + 1 < k->op_count; i++) {
        char text[256];
        eu_disasm(text, sizeof text, k->ops[i].insn, k->gen);
        fprintf(f, "%6x: %s\n", k->ops[i].ip,
                k->ops[i].fn == eu_op_join ? "(channels join)" : text);
    }
    fclose(f);
}

static void
write_lines(const struct jit_variant *c, const char *source)
{
    uint64_t count = c->kernel->op_count - 1;
    size_t name_B = strlen(source) + 1;
    struct lines l = {
        .record = {RECORD_LINES,
                   (uint32_t)(sizeof l +
                              count * (sizeof(struct line) + name_B)),
                   now_ns()},
        .address = (uintptr_t)c->code,
        .count = count,
    };
    fwrite(&l, sizeof l, 1, dump.file);
    for (uint32_t i = 0; i < count; i++) {
        struct line line = {.address = (uintptr_t)c->code + c->at[i],
                            .line = (c->order ? c->order[i] : i) + 1};
        fwrite(&line, sizeof line, 1, dump.file);
        fwrite(source, name_B, 1, dump.file);
    }
}

static void
write_load(const struct jit_variant *c)
{
    char name[CODE_EVENT_NAME_B];
    eu_code_event_name(c, name);
    size_t name_B = strlen(name) + 1;
    struct load l = {
        .record = {RECORD_LOAD, (uint32_t)(sizeof l + name_B + c->size_B),
                   now_ns()},
        .pid = (uint32_t)dump.pid,
        .tid = (uint32_t)syscall(SYS_gettid),
        .vma = (uintptr_t)c->code,
        .address = (uintptr_t)c->code,
        .size_B = c->size_B,
        .index = dump.index++,
    };
    fwrite(&l, sizeof l, 1, dump.file);
    fwrite(name, name_B, 1, dump.file);
    fwrite(c->code, c->size_B, 1, dump.file);
}

void
eu_jitdump_add(const struct jit_variant *copy)
{
    pthread_mutex_lock(&dump.lock);
    if (open_locked()) {
        char source[1024];
        write_source(copy->kernel, source, sizeof source);
        write_lines(copy, source);
        write_load(copy);
        fflush(dump.file);
    }
    pthread_mutex_unlock(&dump.lock);
}
