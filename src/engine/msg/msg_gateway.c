/* msg_gateway.c: the message gateway: barriers. */
#include "engine/msg/msg.h"

/* KBL PRM vol 7 "Message Gateway": function control bits 2:0. */
enum {
    GATEWAY_OPEN,
    GATEWAY_CLOSE,
    GATEWAY_FORWARD,
    GATEWAY_TIMESTAMP,
    GATEWAY_BARRIER
};

enum eu_msg_result
msg_gateway(struct thread_env *env, struct eu_thread *t,
            const struct eu_message *m)
{
    switch (m->desc & 7) {
    case GATEWAY_BARRIER: {
        if (!env->group) {
            guest_error("barrier message from a thread without a group");
            return EU_MSG_ERROR;
        }
        /* M0.2: if bit 15 is set, bits 14:9 hold the number of threads (HS).
         * Compute has it in the interface descriptor. */
        uint32_t dw2 = m->mlen_grf ? m->src0[2] : 0;
        if (dw2 & (1u << 15)) {
            unsigned n = bits_get(dw2, 9, 14);
            if (n)
                env->group->barrier_count = n;
        }
        env->group->barrier_arrived++;
        return EU_MSG_BARRIER;
    }
    case GATEWAY_OPEN:
    case GATEWAY_CLOSE: return EU_MSG_OK;
    default: unimp("gateway message %u", m->desc & 7); return EU_MSG_OK;
    }
}
