/* msg.c: chooses the handler of a message by its shared function. */
#include "engine/msg/dataport/gather_scatter.h"
#include "engine/msg/msg.h"

typedef enum eu_msg_result (*msg_fn)(struct thread_env *, struct eu_thread *,
                                     const struct eu_message *);

/* KBL PRM vol 2d "Thread Spawn Message Descriptor". */
#define SPAWNER_SPAWNS 0x01u
#define SPAWNER_ROOT 0x10u

static enum eu_msg_result
msg_spawner(struct thread_env *env, struct eu_thread *t,
            const struct eu_message *m)
{
    /* The URB handle that a thread returns at its end, or before, needs no
     * action. */
    if (!(m->desc & SPAWNER_SPAWNS))
        return EU_MSG_OK;
    const uint32_t *m0 = eu_message_reg(m, 0);
    if (!env->family || !m0 || m->eot) {
        guest_error("thread spawn message 0x%08x %s", m->desc,
                    m->eot ? "ends its thread"
                           : "from a thread that may have no children");
        return EU_MSG_ERROR;
    }
    if (m->desc & SPAWNER_ROOT)
        env->family->release_root(env->family);
    else if (!env->family->spawn(env->family, env, m0))
        return EU_MSG_ERROR;
    return EU_MSG_OK;
}

static const struct {
    msg_fn fn;
    const char *name;
} shared_function[16] = {
    [EU_SFID_SAMPLER] = {msg_sampler, "sampler"},
    [EU_SFID_GATEWAY] = {msg_gateway, "gateway"},
    [EU_SFID_RENDER] = {msg_render, "render"},
    [EU_SFID_URB] = {msg_urb, "urb"},
    [EU_SFID_SPAWNER] = {msg_spawner, "spawner"},
    [EU_SFID_VME] = {msg_vme, "vme"},
    [EU_SFID_CRE] = {msg_vme, "cre"},
    [EU_SFID_CONST] = {msg_const, "const"},
    [EU_SFID_DC0] = {msg_dc0, "dc0"},
    [EU_SFID_PI] = {msg_pixel_interp, "pi"},
    [EU_SFID_DC1] = {msg_dc1, "dc1"},
};

enum eu_msg_result
msg_send(struct eu_thread *thread, const struct eu_message *msg)
{
    struct thread_env *env = thread->user;
    unsigned sfid = msg->sfid & 15;
    trace(msg, "%s desc %08x ex %08x mask %04x mlen %u+%u rlen %u%s",
          shared_function[sfid].name ? shared_function[sfid].name : "?",
          msg->desc, msg->ex_desc, msg->exec_mask, msg->mlen_grf,
          msg->ex_mlen_grf, msg->rlen_grf, msg->eot ? " eot" : "");
    if (!shared_function[sfid].fn) {
        unimp("message to shared function %u, descriptor 0x%08x: the kernel "
              "ends, and its context is reset",
              sfid, msg->desc);
        return EU_MSG_ERROR;
    }
    return shared_function[sfid].fn(env, thread, msg);
}

eu_send_fn
msg_sender(void)
{
    const struct lane_routines *lanes = lanes_for(cpu_selected());
    return lanes ? lanes->send : msg_send;
}
