/* many_kernels.c: a client compiles more and more shaders: memory stays
 * bounded. A plain program, which reads its own size. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "encode.h"
#include "eu/eu.h"
#include "eu/isa/eu_opcodes.h"

#define KERNELS 14000u
#define INSNS 400u
#define LIMIT_MIB 150

static enum eu_msg_result
ignore(struct eu_thread *t, const struct eu_message *m)
{
    return EU_MSG_OK;
}

/* Adds to registers again and again; the numbers make the kernel unique. */
static unsigned
write_kernel(uint32_t code[][4], uint32_t number)
{
    unsigned count = INSNS / 2 + number * 7 % (INSNS / 2), n = 0;
    struct code c;
    while (n < count) {
        c = encode_binary(EU_OP_ADD, EU_TYPE_UD);
        put(&c, 60, 53, 10 + n % 64);
        put(&c, 76, 69, 10 + n * 5 % 64);
        put(&c, 121, 89, 0);
        put(&c, 90, 89, EU_FILE_IMM);
        put(&c, 127, 96, number + n);
        memcpy(code[n++], c.dw, 16);
    }
    c = encode_send(EU_SFID_SPAWNER, 1u << 25);
    put(&c, 76, 69, 10);
    put(&c, 127, 127, 1);
    memcpy(code[n++], c.dw, 16);
    return n;
}

static bool
run_kernel(uint32_t number)
{
    static uint32_t code[INSNS + 1][4];
    unsigned n = write_kernel(code, number);
    const struct eu_kernel *k = eu_kernel_get(code, n * 16, EU_GEN9);
    struct eu_start s = {.kernel = k,
                         .simd = 8,
                         .dispatch_mask = 0xff,
                         .vector_mask = 0xff,
                         .send = ignore};
    struct eu_thread t;
    memset(&t, 0, sizeof t);
    if (!k)
        return false;
    eu_thread_init(&t, &s);
    bool ok = eu_run(&t, 100000) == EU_FINISHED;
    eu_kernel_unref(k);
    return ok;
}

static long
resident_mib(void)
{
    long pages = 0, all;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * sysconf(_SC_PAGESIZE) >> 20;
}

int
main(void)
{
    long start = resident_mib(), most = 0;
    for (uint32_t i = 0; i < KERNELS; i++) {
        if (!run_kernel(i)) {
            fprintf(stderr, "kernel %u does not run\n", i);
            return 1;
        }
        if (i % 1000 == 0) {
            long grown = resident_mib() - start;
            most = grown > most ? grown : most;
            printf("%u kernels: %ld MiB\n", i, grown);
        }
    }
    printf("at most %ld MiB of %d\n", most, LIMIT_MIB);
    return most > LIMIT_MIB;
}
