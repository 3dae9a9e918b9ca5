/* msg_gateway.c: the message gateway: barriers, and messages from one media
 * thread into another one's registers. Payloads are as i965's H.264 kernels for
 * Ironlake build them: Observed: shaders/h264/ildb, scoreboard. */
#include "engine/msg/msg.h"

/* KBL PRM vol 7 "Message Gateway": function control bits 2:0. */
enum {
    GATEWAY_OPEN,
    GATEWAY_CLOSE,
    GATEWAY_FORWARD,
    GATEWAY_TIMESTAMP,
    GATEWAY_BARRIER
};

/* Guess: dword 0 of an answer. */
enum gateway_error {
    GATEWAY_SUCCESS,
    GATEWAY_CLOSED,
    GATEWAY_WRONG_KEY,
    GATEWAY_LIMIT,
};

/* Raises n0.0 of the thread that gets the message. */
#define FORWARD_NOTIFIES 0x8000u
/* Guess: lengths of 1, 2, 4, 8 and 16 bytes; there are four dwords. */
#define FORWARD_MAX_LENGTH 4u

static enum eu_msg_result
answer(const struct eu_message *m, enum gateway_error error)
{
    if (m->dst)
        memset(m->dst, 0, m->rlen_grf * (size_t)EU_GRF_B);
    if (m->dst)
        m->dst[0] = error;
    return EU_MSG_OK;
}

/* M0.4[15:0] key, M0.5[28:21] first register, M0.5[10:8] number of registers,
 * as a power of two. */
static enum eu_msg_result
gateway_open(struct thread_member *self, const struct eu_message *m,
             const uint32_t *m0)
{
    uint32_t at_B = bits_get(m0[5], 21, 28) * EU_GRF_B;
    uint32_t size_B = EU_GRF_B << bits_get(m0[5], 8, 10);
    const uint32_t all_B = EU_GRF_COUNT * EU_GRF_B;
    if (at_B > all_B || size_B > all_B - at_B)
        return answer(m, GATEWAY_LIMIT);
    self->gateway = (struct thread_gateway){
        .open = true, .key = (uint16_t)m0[4], .at_B = at_B, .size_B = size_B};
    return answer(m, GATEWAY_SUCCESS);
}

/* M0.4[31:16] the low half of the other thread's sr0.0, M0.4[15:0] its key,
 * M0.5[28:16] byte offset, M0.5[10:8] length, as a power of two; data are M0.0
 * to M0.3. */
static enum gateway_error
gateway_forward(struct thread_family *family, const struct thread_member *self,
                const struct eu_message *m, const uint32_t *m0)
{
    unsigned number = m0[4] >> 16, length = bits_get(m0[5], 8, 10);
    uint32_t at_B = bits_get(m0[5], 16, 28), size_B = 1u << length;
    struct thread_member *to = number < FAMILY_MEMBERS ? &family->member[number]
                                                       : NULL;
    /* Guess: not to oneself. The registers of a thread that sends a message are
     * not to be changed. */
    if (!to || to == self || !to->live || !to->gateway.open)
        return GATEWAY_CLOSED;
    if (to->gateway.key != (uint16_t)m0[4])
        return GATEWAY_WRONG_KEY;
    if (length > FORWARD_MAX_LENGTH || at_B > to->gateway.size_B ||
        size_B > to->gateway.size_B - at_B)
        return GATEWAY_LIMIT;
    memcpy(to->thread->grf + to->gateway.at_B + at_B, m0, size_B);
    if (m->desc & FORWARD_NOTIFIES)
        to->thread->n0[0]++;
    return GATEWAY_SUCCESS;
}

static enum eu_msg_result
gateway_barrier(struct thread_env *env, const struct eu_message *m)
{
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

enum eu_msg_result
msg_gateway(struct thread_env *env, struct eu_thread *t,
            const struct eu_message *m)
{
    unsigned function = m->desc & 7;
    const uint32_t *m0 = eu_message_reg(m, 0);
    if (function == GATEWAY_BARRIER)
        return gateway_barrier(env, m);
    if (function > GATEWAY_FORWARD) {
        unimp("gateway message %u", function);
        return EU_MSG_OK;
    }
    if (!env->family || !m0) {
        if (function == GATEWAY_FORWARD)
            unimp("message to another thread, outside of a family");
        return EU_MSG_OK;
    }
    if (function == GATEWAY_OPEN)
        return gateway_open(env->self, m, m0);
    if (function == GATEWAY_FORWARD)
        return answer(m, gateway_forward(env->family, env->self, m, m0));
    env->self->gateway.open = false;
    return answer(m, GATEWAY_SUCCESS);
}
