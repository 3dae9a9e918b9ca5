/* context.c: lifetime of hardware contexts. */
#include "engine/cs/cs.h"
#include "engine/freeze/freeze.h"
#include "engine/queue/queue.h"

#include <stdlib.h>

struct engine_context *
engine_context_create(struct engine *engine, struct engine_vm *vm)
{
    struct engine_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->hw = malloc(sizeof *ctx->hw);
    if (!ctx->hw) {
        free(ctx);
        return NULL;
    }
    context_init_state(ctx);
    ctx->engine = engine;
    ctx->id = atomic_fetch_add(&engine->contexts_made, 1) + 1;
    ctx->vm = vm;
    ctx->refs = 1;
    engine_vm_ref(vm);
    atomic_fetch_add(&engine->refs, 1);
    pthread_mutex_init(&ctx->exec, NULL);
    pthread_cond_init(&ctx->work, NULL);
    pthread_mutex_lock(&engine->lock);
    ctx->next = engine->contexts;
    if (ctx->next)
        ctx->next->prev = ctx;
    engine->contexts = ctx;
    pthread_mutex_unlock(&engine->lock);
    return ctx;
}

uint32_t
engine_context_id(const struct engine_context *ctx)
{
    return ctx->id;
}

void
engine_context_share_id(struct engine_context *ctx,
                        const struct engine_context *other)
{
    ctx->id = other->id;
}

void
context_unref(struct engine_context *ctx)
{
    if (atomic_fetch_sub(&ctx->refs, 1) != 1)
        return;
    struct engine *engine = ctx->engine;
    pthread_mutex_lock(&engine->lock);
    if (ctx->prev)
        ctx->prev->next = ctx->next;
    else
        engine->contexts = ctx->next;
    if (ctx->next)
        ctx->next->prev = ctx->prev;
    pthread_mutex_unlock(&engine->lock);
    draw_memory_free(ctx);
    cs_free_context(ctx);
    engine_vm_unref(ctx->vm);
    pthread_mutex_destroy(&ctx->exec);
    pthread_cond_destroy(&ctx->work);
    free(ctx->hw);
    free(ctx);
    engine_unref(engine);
}

void
engine_context_destroy(struct engine_context *ctx)
{
    if (!ctx)
        return;
    pthread_mutex_lock(&ctx->engine->lock);
    ctx->closing = true;
    pthread_cond_signal(&ctx->work);
    pthread_mutex_unlock(&ctx->engine->lock);
    context_unref(ctx);
}

void
engine_context_resets(struct engine_context *ctx, uint32_t *active,
                      uint32_t *pending)
{
    *active = atomic_load(&ctx->resets_active);
    *pending = atomic_load(&ctx->resets_pending);
}
