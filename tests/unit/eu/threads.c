/* threads.c: many threads compile, run and evict shared and own kernels, and
 * children that the process forks meanwhile do so, too. A plain program, so
 * that it also runs under ThreadSanitizer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "encode.h"
#include "eu/eu.h"
#include "eu/isa/eu_opcodes.h"

#define THREADS 8
#define SHARED_KERNELS 64
#define CHILDREN 100
#define CHILD_S 20

struct answer {
    uint32_t lane[8];
    unsigned count;
};

/* More kernels in total than the cache holds. */
static unsigned rounds = 1000;
static atomic_uint wrong;

static enum eu_msg_result
note(struct eu_thread *t, const struct eu_message *m)
{
    struct answer *a = t->user;
    if (!m->eot) {
        memcpy(a->lane, m->src0, sizeof a->lane);
        a->count++;
    }
    return EU_MSG_OK;
}

/* r10 = first; six times: r10 += step if f0; send r10. */
static unsigned
write_kernel(uint32_t code[][4], uint32_t first, uint32_t step)
{
    unsigned n = 0;
    struct code c = encode_mov_imm(EU_TYPE_UD, (uint64_t)first << 32);
    put(&c, 40, 37, EU_TYPE_UD);
    put(&c, 34, 34, 1);
    memcpy(code[n++], c.dw, 16);
    for (unsigned i = 0; i < 6; i++) {
        c = encode_binary(EU_OP_ADD, EU_TYPE_UD);
        put(&c, 19, 16, 1);
        put(&c, 76, 69, 10);
        put(&c, 121, 89, 0);
        put(&c, 90, 89, EU_FILE_IMM);
        put(&c, 127, 96, step);
        memcpy(code[n++], c.dw, 16);
    }
    c = encode_send(EU_SFID_NULL, 1u << 25);
    put(&c, 76, 69, 10);
    memcpy(code[n++], c.dw, 16);
    put(&c, 127, 127, 1);
    put(&c, 27, 24, EU_SFID_SPAWNER);
    memcpy(code[n++], c.dw, 16);
    return n;
}

static void
run_kernel(uint32_t first, uint32_t step, uint32_t dispatch, uint32_t flags)
{
    uint32_t code[16][4];
    unsigned n = write_kernel(code, first, step);
    const struct eu_kernel *k = eu_kernel_get(code, n * 16, EU_GEN9);
    struct answer a = {.count = 0};
    struct eu_start s = {.kernel = k,
                         .simd = 8,
                         .dispatch_mask = dispatch,
                         .vector_mask = dispatch,
                         .send = note,
                         .user = &a};
    struct eu_thread t;
    memset(&t, 0, sizeof t);
    eu_thread_init(&t, &s);
    t.f[0] = flags;
    bool ok = k && eu_run(&t, 10000) == EU_FINISHED && a.count == 1;
    for (unsigned i = 0; i < 8; i++) /* inactive lanes are undefined */
        ok = ok && (!(dispatch >> i & 1) ||
                    a.lane[i] == first + (flags >> i & 1) * step * 6);
    if (!ok)
        atomic_fetch_add(&wrong, 1);
    eu_kernel_unref(k);
}

static void *
work(void *arg)
{
    uint64_t seed = (uintptr_t)arg * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned i = 0; i < rounds; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        uint32_t r = (uint32_t)(seed >> 32);
        uint32_t dispatch = r & 1 ? 0xff : r >> 8 & 0xff;
        /* A kernel that all threads run, then one that no thread has run
         * before. */
        run_kernel(r % SHARED_KERNELS, 3, dispatch, r >> 16 & 0xff);
        run_kernel((uint32_t)(uintptr_t)arg << 24 | i, 5, 0xff, r >> 16 & 0xff);
    }
    return NULL;
}

/* In a child of fork() a sanitizer's own locks may stay locked. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FORKS false
#else
#define FORKS true
#endif

/* A child runs a shared kernel and two that are new to it. One that a lock of
 * the parent's threads stops is ended by the alarm. */
static void
fork_children(void)
{
    for (uint32_t i = 0; i < CHILDREN; i++) {
        pid_t pid = fork();
        if (!pid) {
            alarm(CHILD_S);
            atomic_store(&wrong, 0);
            run_kernel(i % SHARED_KERNELS, 3, 0xff, 0x5a);
            run_kernel(0xff000000u | i, 5, 0xff, 0x5a);
            run_kernel(0xfe000000u | i, 5, 0xff, 0xa5);
            _exit(atomic_load(&wrong) != 0);
        }
        int status = 0;
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
            fprintf(stderr, "child %u: status %#x\n", i, (unsigned)status);
            atomic_fetch_add(&wrong, 1);
            return;
        }
    }
}

int
main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    if (argc > 1)
        rounds = (unsigned)atoi(argv[1]);
    for (uintptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)(i + 1)))
            return 2;
    if (FORKS)
        fork_children();
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    if (wrong)
        fprintf(stderr, "%u wrong results\n", wrong);
    return wrong != 0;
}
