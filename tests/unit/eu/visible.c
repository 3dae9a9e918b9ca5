/* visible.c: a kernel that sends one message and then computes for a while.
 * run_visible.py inspects it with gdb and perf. */
#include <stdlib.h>

#include "encode.h"
#include "eu/eu.h"
#include "eu/isa/eu_opcodes.h"

void stop_here(void);

__attribute__((noinline)) void
stop_here(void)
{
    __asm__ volatile("" ::: "memory");
}

static enum eu_msg_result
answer(struct eu_thread *t, const struct eu_message *m)
{
    stop_here();
    return EU_MSG_OK;
}

int
main(int argc, char **argv)
{
    uint32_t code[12][4];
    unsigned n = 0;
    struct code c = encode_send(EU_SFID_NULL, 1u << 25);
    memcpy(code[n++], c.dw, 16);
    for (; n < 10; n++) {
        c = encode_binary(EU_OP_ADD, EU_TYPE_D);
        memcpy(code[n], c.dw, 16);
    }
    c = encode_branch(EU_OP_JMPI, -16 * 10, 0);
    put(&c, 23, 21, 0);
    put(&c, 34, 34, 1);
    put(&c, 90, 89, EU_FILE_IMM);
    put(&c, 94, 91, EU_TYPE_D);
    put(&c, 127, 96, (uint32_t)(-16 * 10));
    memcpy(code[n++], c.dw, 16);

    const struct eu_kernel *k = eu_kernel_get(code, n * 16, EU_GEN9);
    if (!k)
        return 1;
    struct eu_start s = {.kernel = k,
                         .simd = 8,
                         .dispatch_mask = 0xff,
                         .vector_mask = 0xff,
                         .send = answer};
    static struct eu_thread t;
    eu_thread_init(&t, &s);
    eu_run(&t, argc > 1 ? strtoull(argv[1], NULL, 0) : 1000);
    eu_kernel_unref(k);
    return t.status == EU_RUNNING ? 0 : 1;
}
