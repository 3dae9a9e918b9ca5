/* msg_trace.c: appends the memory accesses of messages to a file, for
 * softlake profile --memory=trace. */
#include "base/file_limit.h"
#include "base/known.h"
#include "engine/msg/access_file.h"
#include "engine/msg/msg.h"
#include "eu/memory_use.h"
#include "eu/profile/profile_unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Of a process; about 190 MB. */
#define RECORDS_MAX 1000000u
/* Stages number their draws in steps of their clock (freeze/draw_stage.c). */
#define CLOCK_BITS 24

static int
read_switch(void)
{
    const char *dir = getenv("SOFTLAKE_PROFILE");
    const char *accesses = getenv("SOFTLAKE_PROFILE_ACCESSES");
    return dir && *dir && accesses && *accesses;
}

static bool
is_on(void)
{
    static atomic_int known;
    return known_int(&known, read_switch);
}

/* Records; more than RECORDS_MAX: there will be no further ones. */
static atomic_uint written;

/* Whether the file has room for another record. */
static bool
take_record(void)
{
    if (atomic_load(&written) > RECORDS_MAX)
        return false;
    unsigned n = atomic_fetch_add(&written, 1);
    if (n == RECORDS_MAX)
        log_printf("profile: the trace of memory ends after %u messages\n",
                   RECORDS_MAX);
    return n < RECORDS_MAX;
}

/* In one write(): other threads and processes append, too. A part of a record
 * is taken away again. */
static bool
append_to(int fd, const struct access_record *r, const uint64_t *words)
{
    const struct iovec v[2] = {{(void *)r, sizeof *r},
                               {(void *)words, r->count * sizeof *words}};
    off_t end_B = lseek(fd, 0, SEEK_END);
    if (end_B < 0 || !file_limit_allows((uint64_t)end_B + 1024))
        return false;
    ssize_t n_B = writev(fd, v, 2);
    if (n_B == (ssize_t)r->size_B)
        return true;
    int err = n_B < 0 ? errno : ENOSPC;
    end_B = lseek(fd, 0, SEEK_CUR);
    if (n_B > 0 && end_B == lseek(fd, 0, SEEK_END) &&
        ftruncate(fd, end_B - n_B))
        err = errno;
    errno = err;
    return false;
}

/* After a failure the trace ends: it has no gaps. */
static void
append(const struct access_record *r, const uint64_t *words)
{
    char path[4096];
    snprintf(path, sizeof path, ACCESS_FILE_FORMAT, getenv("SOFTLAKE_PROFILE"));
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if ((fd < 0 || !append_to(fd, r, words)) &&
        atomic_exchange(&written, RECORDS_MAX + 1) <= RECORDS_MAX)
        log_printf("profile: %s: %s; the trace of memory ends\n", path,
                   strerror(errno));
    if (fd >= 0)
        close(fd);
}

void
msg_trace_access(const struct eu_thread *t, const struct eu_message *m,
                 const struct eu_memory_use *u)
{
    const struct thread_env *env = t->user;
    const struct thread_group *group = env->group;
    uint64_t words[EU_MEMORY_PIECES];
    if (!is_on() || eu_profile_is_outside() || !take_record())
        return;
    struct access_record r = {
        .size_B = (uint32_t)(sizeof r + u->count * sizeof *words),
        .offset_B = t->ip,
        .kernel = eu_kernel_content_hash(t->kernel),
        .process = (uint64_t)getpid(),
        .work = (uint32_t)(env->stage->clock >> CLOCK_BITS),
        .thread = ACCESS_NO_THREAD,
        .desc = m->desc,
        .exec_mask = m->exec_mask,
        .sfid = m->sfid,
        .stage = (uint8_t)env->stage->kind,
        .flags = (uint8_t)((u->is_write ? ACCESS_WRITES : 0) |
                           (u->is_slm ? ACCESS_IS_SLM : 0) |
                           (u->is_block ? ACCESS_IS_BLOCK : 0)),
        .count = (uint8_t)u->count};
    if (group && group->threads) {
        memcpy(r.group, group->id, sizeof r.group);
        r.thread = (uint32_t)(t - group->threads);
    }
    for (unsigned i = 0; i < u->count; i++)
        words[i] = access_word(u->piece[i].at_B, u->piece[i].lane,
                               u->piece[i].size_B);
    append(&r, words);
}
