/* media_queue.c: media commands whose threads cannot run yet. The threads of a
 * thread group wait for the group's last one. A root thread that may have
 * children, or that waits for a spawn root message, waits for later commands,
 * because the threads of later commands run beside it. Any command but a media
 * object ends the wait. */
#include "engine/freeze/draw_private.h"
#include "engine/media/media.h"

#include <stdlib.h>

/* Guess: hardware stalls on fewer. */
#define MAX_COMMANDS 65536u
#define MAX_QUEUE_B (16u << 20)

enum media_kind { MEDIA_GROUP, MEDIA_FAMILY };

struct media_queue {
    enum media_kind kind;
    unsigned count, capacity;
    size_t size_B; /* of their dwords */
    struct media_command *command;
};

static struct media_queue *
queue_get(struct engine_context *ctx)
{
    struct draw_memory *m = draw_memory_get(ctx);
    if (m && !m->media_queue)
        m->media_queue = calloc(1, sizeof *m->media_queue);
    return m ? m->media_queue : NULL;
}

static void
empty_queue(struct media_queue *queue)
{
    for (unsigned i = 0; i < queue->count; i++)
        free((void *)queue->command[i].dw);
    queue->count = 0;
    queue->size_B = 0;
}

void
media_queue_free(struct media_queue *queue)
{
    if (!queue)
        return;
    empty_queue(queue);
    free(queue->command);
    free(queue);
}

static bool
grow(struct media_queue *queue)
{
    if (queue->count < queue->capacity)
        return true;
    unsigned more = queue->capacity * 2 + 64;
    struct media_command *command = realloc(queue->command,
                                            more * sizeof *command);
    if (!command)
        return false;
    queue->command = command;
    queue->capacity = more;
    return true;
}

/* Adds a copy of the command. What waits is run first if it is of another kind
 * or too much. */
static bool
add_command(struct engine_context *ctx, enum media_kind kind,
            const uint32_t *dw, unsigned len_dw)
{
    size_t size_B = len_dw * sizeof *dw;
    struct media_queue *queue = queue_get(ctx);
    if (queue && queue->count &&
        (queue->kind != kind || queue->count >= MAX_COMMANDS ||
         queue->size_B + size_B > MAX_QUEUE_B) &&
        !media_end(ctx))
        return false;
    uint32_t *copy = malloc(size_B);
    if (!copy || !queue || !grow(queue)) {
        free(copy);
        guest_error("no memory for media commands");
        return false;
    }
    memcpy(copy, dw, size_B);
    queue->kind = kind;
    queue->size_B += size_B;
    queue->command[queue->count++] = (struct media_command){copy, len_dw};
    ctx->media_waits = true;
    return true;
}

bool
media_end(struct engine_context *ctx)
{
    if (!ctx->media_waits)
        return true;
    struct media_queue *queue = ctx->draw_memory->media_queue;
    ctx->media_waits = false;
    bool good = queue->kind == MEDIA_GROUP
                    ? media_run_group(ctx, queue->command, queue->count)
                    : media_run_commands(ctx, queue->command, queue->count);
    empty_queue(queue);
    return good;
}

void
media_drop(struct engine_context *ctx)
{
    if (ctx->media_waits)
        empty_queue(ctx->draw_memory->media_queue);
    ctx->media_waits = false;
}

static bool
family_waits(const struct engine_context *ctx)
{
    return ctx->media_waits &&
           ctx->draw_memory->media_queue->kind == MEDIA_FAMILY;
}

/* Runs the command's threads; if a family waits, beside the family's threads.
 */
static bool
run_or_add(struct engine_context *ctx, const uint32_t *dw, unsigned len_dw,
           bool begins_family)
{
    if (begins_family || family_waits(ctx))
        return add_command(ctx, MEDIA_FAMILY, dw, len_dw);
    const struct media_command command = {dw, len_dw};
    return media_end(ctx) && media_run_one(ctx, &command);
}

bool
media_object_run(struct engine_context *ctx, const uint32_t *dw,
                 unsigned len_dw)
{
    struct gen9_media_object p;
    gen9_media_object_unpack(&p, dw);
    return run_or_add(ctx, dw, len_dw,
                      p.children_present || p.thread_synchronization);
}

bool
media_object_walker_run(struct engine_context *ctx, const uint32_t *dw,
                        unsigned len_dw)
{
    struct gen9_media_object_walker p;
    gen9_media_object_walker_unpack(&p, dw);
    return run_or_add(ctx, dw, len_dw, p.thread_synchronization);
}

/* Guess: with a fence, later threads begin after the root thread has ended. */
bool
media_object_prt_run(struct engine_context *ctx, const uint32_t *dw,
                     unsigned len_dw)
{
    struct gen9_media_object_prt p;
    gen9_media_object_prt_unpack(&p, dw);
    return add_command(ctx, MEDIA_FAMILY, dw, len_dw) &&
           (!p.prt_fence_needed || media_end(ctx));
}

/* Whether the thread group that waits has no room for the command. */
static bool
ends_group(const struct engine_context *ctx, const uint32_t *dw)
{
    if (!ctx->media_waits)
        return false;
    const struct media_queue *queue = ctx->draw_memory->media_queue;
    struct gen9_media_object_grpid p, first;
    if (queue->kind != MEDIA_GROUP)
        return true;
    gen9_media_object_grpid_unpack(&p, dw);
    gen9_media_object_grpid_unpack(&first, queue->command[0].dw);
    return first.group_id != p.group_id || queue->count >= MEDIA_GROUP_THREADS;
}

bool
media_object_grpid_run(struct engine_context *ctx, const uint32_t *dw,
                       unsigned len_dw)
{
    struct gen9_media_object_grpid p;
    gen9_media_object_grpid_unpack(&p, dw);
    if (ends_group(ctx, dw) && !media_end(ctx))
        return false;
    return add_command(ctx, MEDIA_GROUP, dw, len_dw) &&
           (!p.end_of_thread_group || media_end(ctx));
}
