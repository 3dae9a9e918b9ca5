/* msg_dc1.c: data cache data port 1: untyped and typed surfaces, atomics, A64.
 * KBL PRM vol 2d "DataPort 1 messages". */
#include "engine/msg/dataport/dataport.h"
#include "engine/msg/msg.h"
#include "base/fpmode.h"

/* Runs fn in the default float mode, because format conversions must not depend
 * on the kernel's. */
static enum eu_msg_result
converted(enum eu_msg_result (*fn)(struct thread_env *,
                                   const struct eu_message *),
          struct thread_env *env, const struct eu_message *m)
{
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    enum eu_msg_result result = fn(env, m);
    fpmode_leave(FPMODE_DEFAULT, before);
    return result;
}

enum eu_msg_result
msg_dc1(struct thread_env *env, struct eu_thread *t, const struct eu_message *m)
{
    unsigned type = bits_get(m->desc, 14, 18);
    switch (type) {
    case DC1_UNTYPED_READ: return untyped_access(env, m, false);
    case DC1_UNTYPED_WRITE: return untyped_access(env, m, true);
    case DC1_UNTYPED_ATOMIC: return untyped_atomic(env, m, false);
    case DC1_UNTYPED_ATOMIC_FLOAT: return untyped_atomic(env, m, true);
    case DC1_MEDIA_BLOCK_READ: return media_block(env, m, false);
    case DC1_MEDIA_BLOCK_WRITE: return media_block(env, m, true);
    case DC1_TYPED_READ: return converted(typed_read, env, m);
    case DC1_TYPED_WRITE: return converted(typed_write, env, m);
    case DC1_TYPED_ATOMIC: return typed_atomic(env, m);
    case DC1_A64_SCATTERED_READ: return a64_scattered(env, m, false);
    case DC1_A64_SCATTERED_WRITE: return a64_scattered(env, m, true);
    case DC1_A64_UNTYPED_READ: return a64_untyped(env, m, false);
    case DC1_A64_UNTYPED_WRITE: return a64_untyped(env, m, true);
    case DC1_A64_ATOMIC: return a64_atomic(env, m, false);
    case DC1_A64_ATOMIC_FLOAT: return a64_atomic(env, m, true);
    case DC1_A64_BLOCK_READ: return a64_block(env, m, false);
    case DC1_A64_BLOCK_WRITE: return a64_block(env, m, true);
    default: unimp("data port 1 message type 0x%x", type); return EU_MSG_OK;
    }
}
