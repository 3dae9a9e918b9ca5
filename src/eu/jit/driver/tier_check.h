/* tier_check.h: two thread states side by side. Private to driver/. */
#ifndef EU_JIT_DRIVER_TIER_CHECK_H
#define EU_JIT_DRIVER_TIER_CHECK_H

#include "eu/jit/driver/driver.h"

#define CHECK_PAYLOAD_DW (30 * 8)

/* A message as the follower would send it. */
struct check_message {
    bool sent;
    struct eu_message m;
    uint32_t payload[CHECK_PAYLOAD_DW]; /* src0, then src1 */
};

struct tier_pair {
    const struct eu_jit *jit;
    struct eu_thread *t; /* runs compiled code */
    struct eu_thread r;  /* follows */
    char *text;          /* the first difference */
    size_t text_size;
    const struct eu_op *first; /* of the block that just ran */
    bool silent;               /* stops before a message */
    /* During a message. */
    const struct eu_op *op;
    struct check_message expected;
    struct eu_thread *before; /* state before the answer */
    bool sent, unlike;
    enum eu_msg_result result;
    eu_send_fn send; /* the thread's own */
    void *user;
};

/* Compares the states after op. False: they differ, and text describes it. */
bool eu_check_state(struct tier_pair *p, const struct eu_op *op);
/* Compares a message that compiled code is about to send. */
bool eu_check_message(struct tier_pair *p, const struct eu_message *m);
bool eu_check_differs(struct tier_pair *p, const struct eu_op *op,
                      const char *what, uint64_t jit, uint64_t interp);

#endif
