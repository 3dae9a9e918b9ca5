/* media_objects.c: freezes media commands into a struct media_work and runs it.
 * The objects of a thread group wait in the context for the last one. */
#include "engine/media/media.h"

#include <stdlib.h>

#include "engine/freeze/draw_private.h"

/* As for GPGPU_WALKER: the threads of a subslice. */
#define MAX_GROUP_THREADS 64

/* The commands of a thread group, as they came. */
struct media_group {
    unsigned count;
    uint32_t id;
    struct {
        uint32_t *dw; /* malloc */
        unsigned len_dw;
    } object[MAX_GROUP_THREADS];
};

/* Fills work->d. False after a guest error. */
static bool
resolve_media(struct engine_context *ctx, struct media_work *work,
              unsigned descriptor)
{
    struct dispatch *d = &work->d;
    if (!dispatch_begin(ctx, d, descriptor))
        return false;
    /* Media threads have no common constants. */
    d->idd.cross_thread_constant_data_read_length = 0;
    /* All channels: media kernels enable what they use. */
    d->walker.simd_size = GEN9_GPGPU_WALKER_SIMD_SIZE_SIMD32;
    d->threads_per_group = work->grouped ? work->count : 1;
    d->right_mask = UINT32_MAX;
    d->group_end[0] = d->group_end[1] = d->group_end[2] = 1;
    return dispatch_resolve(ctx, d);
}

static void
run_media(const void *work)
{
    media_run(work);
}

static bool
run_work(struct engine_context *ctx, struct media_work *work,
         unsigned descriptor)
{
    if (!resolve_media(ctx, work, descriptor))
        return false;
    trace(dispatch, "media: %u objects%s, %u dwords inline, %u B indirect",
          work->count, work->walker ? ", walker" : "", work->object->inline_dw,
          work->object->indirect_B);
    dispatch_execute(ctx, &work->d, run_media, work);
    return true;
}

static void
set_indirect(const struct engine_context *ctx, struct media_object *object,
             uint32_t start_B, uint32_t size_B)
{
    object->indirect = vm_ptr(ctx->vm, ctx->hw->indirect_base + start_B);
    object->indirect_B = size_B;
}

/* The first `header_dw` dwords are fields. */
static void
set_inline(struct media_object *object, const uint32_t *dw, unsigned len_dw,
           unsigned header_dw)
{
    object->inline_data = dw + header_dw;
    object->inline_dw = len_dw - header_dw;
}

static bool
uses_scoreboard(const struct hw_state *hw)
{
    struct gen9_media_vfe_state vfe;
    gen9_media_vfe_state_unpack(&vfe, hw_packet(hw, HW_MEDIA_VFE_STATE));
    return vfe.scoreboard_enable;
}

bool
media_object_run(struct engine_context *ctx, const uint32_t *dw,
                 unsigned len_dw)
{
    struct gen9_media_object p;
    struct media_object object = {0};
    struct media_work work = {.object = &object, .count = 1};
    gen9_media_object_unpack(&p, dw);
    if (p.thread_synchronization)
        unimp("MEDIA_OBJECT that waits for a spawned root thread: it runs at "
              "once");
    object.position = (struct media_position){(uint16_t)p.scoreboard_x,
                                              (uint16_t)p.scoreboard_y,
                                              (uint8_t)p.scoreboard_color};
    set_inline(&object, dw, len_dw, gen9_MEDIA_OBJECT_len_dw);
    set_indirect(ctx, &object, p.indirect_data_start_address,
                 p.indirect_data_length);
    return run_work(ctx, &work, p.interface_descriptor_offset);
}

/* A persistent root thread, which ends like any other here: its children are
 * reported when it spawns one. */
bool
media_object_prt_run(struct engine_context *ctx, const uint32_t *dw,
                     unsigned len_dw)
{
    struct gen9_media_object_prt p;
    struct media_object object = {0};
    struct media_work work = {.object = &object, .count = 1};
    gen9_media_object_prt_unpack(&p, dw);
    set_inline(&object, dw, len_dw, gen9_MEDIA_OBJECT_PRT_len_dw);
    return run_work(ctx, &work, p.interface_descriptor_offset);
}

bool
media_object_walker_run(struct engine_context *ctx, const uint32_t *dw,
                        unsigned len_dw)
{
    struct gen9_media_object_walker p;
    struct media_object object = {0};
    struct media_work work = {.object = &object, .count = 1, .walker = &p};
    gen9_media_object_walker_unpack(&p, dw);
    if (p.masked_dispatch)
        unimp("MEDIA_OBJECT_WALKER with masked dispatch: no mask");
    if (p.group_id_loop_select)
        unimp("MEDIA_OBJECT_WALKER with thread groups: threads run alone");
    if (p.thread_synchronization)
        unimp("MEDIA_OBJECT_WALKER that waits for a spawned root thread: it "
              "runs at once");
    work.in_order = p.use_scoreboard && uses_scoreboard(ctx->hw);
    set_inline(&object, dw, len_dw, gen9_MEDIA_OBJECT_WALKER_len_dw);
    set_indirect(ctx, &object, p.indirect_data_start_address,
                 p.indirect_data_length);
    return run_work(ctx, &work, p.interface_descriptor_offset);
}

/* ---- thread groups ------------------------------------------------------- */

static void
free_objects(struct media_group *group)
{
    for (unsigned i = 0; i < group->count; i++)
        free(group->object[i].dw);
    group->count = 0;
}

void
media_group_free(struct media_group *group)
{
    if (group)
        free_objects(group);
    free(group);
}

static bool
run_group(struct engine_context *ctx, struct media_group *group)
{
    struct media_object object[MAX_GROUP_THREADS] = {0};
    struct media_work work = {
        .object = object, .count = group->count, .grouped = true};
    unsigned descriptor = 0;
    for (unsigned i = 0; i < group->count; i++) {
        const uint32_t *dw = group->object[i].dw;
        struct gen9_media_object_grpid p;
        gen9_media_object_grpid_unpack(&p, dw);
        if (i && p.interface_descriptor_offset != descriptor)
            unimp("MEDIA_OBJECT_GRPID: kernels differ in a group");
        else
            descriptor = p.interface_descriptor_offset;
        object[i].position = (struct media_position){
            (uint16_t)p.scoreboard_x, (uint16_t)p.scoreboard_y,
            (uint8_t)p.scoreboard_color};
        set_inline(&object[i], dw, group->object[i].len_dw,
                   gen9_MEDIA_OBJECT_GRPID_len_dw);
        set_indirect(ctx, &object[i], p.indirect_data_start_address,
                     p.indirect_data_length);
    }
    bool good = run_work(ctx, &work, descriptor);
    free_objects(group);
    return good;
}

bool
media_group_end(struct engine_context *ctx)
{
    struct draw_memory *m = ctx->draw_memory;
    if (!m || !m->media_group || !m->media_group->count)
        return true;
    return run_group(ctx, m->media_group);
}

static struct media_group *
group_get(struct engine_context *ctx)
{
    struct draw_memory *m = draw_memory_get(ctx);
    if (m && !m->media_group)
        m->media_group = calloc(1, sizeof *m->media_group);
    return m ? m->media_group : NULL;
}

bool
media_object_grpid_run(struct engine_context *ctx, const uint32_t *dw,
                       unsigned len_dw)
{
    struct gen9_media_object_grpid p;
    gen9_media_object_grpid_unpack(&p, dw);
    struct media_group *group = group_get(ctx);
    uint32_t *copy = malloc(len_dw * sizeof *copy);
    if (!group || !copy) {
        free(copy);
        guest_error("no memory for a media thread group");
        return false;
    }
    memcpy(copy, dw, len_dw * sizeof *copy);
    bool good = (group->id == p.group_id && group->count < MAX_GROUP_THREADS) ||
                media_group_end(ctx);
    group->id = p.group_id;
    group->object[group->count].dw = copy;
    group->object[group->count++].len_dw = len_dw;
    return good && (!p.end_of_thread_group || media_group_end(ctx));
}
