/* media_objects.c: freezes media commands into a struct media_work, or several
 * of them into a struct media_family_work, and runs it. */
#include "engine/media/media.h"

#include <stdlib.h>

#include "engine/freeze/draw_private.h"

/* Bits 23:16 of a media command. */
enum media_opcode { OBJECT = 0, OBJECT_PRT = 2, OBJECT_WALKER = 3, GRPID = 6 };

/* Guess: "ROB has 64KB of storage". KBL PRM vol 2d,
 * INTERFACE_DESCRIPTOR_DATA. */
#define URB_MAX_B 65536u

/* ---- commands ------------------------------------------------------------ */

static void
set_indirect(const struct engine_context *ctx, struct media_object *object,
             uint32_t start_B, uint32_t size_B)
{
    object->indirect = vm_ptr(ctx->vm, ctx->hw->indirect_base + start_B);
    object->indirect_B = size_B;
}

/* The first `header_dw` dwords are fields. */
static void
set_inline(struct media_object *object, const struct media_command *c,
           unsigned header_dw)
{
    object->inline_data = c->dw + header_dw;
    object->inline_dw = c->len_dw - header_dw;
}

/* enabled, mask: of the command. */
static void
set_scoreboard(const struct hw_state *hw, struct media_source *source,
               bool enabled, uint32_t mask)
{
    struct gen9_media_vfe_state vfe;
    gen9_media_vfe_state_unpack(&vfe, hw_packet(hw, HW_MEDIA_VFE_STATE));
    source->uses_scoreboard = enabled && vfe.scoreboard_enable;
    source->scoreboard_mask = (uint8_t)(mask & vfe.scoreboard_mask);
}

static void
read_object(struct engine_context *ctx, const struct media_command *c,
            struct media_source *source)
{
    struct gen9_media_object p;
    gen9_media_object_unpack(&p, c->dw);
    source->descriptor = p.interface_descriptor_offset;
    source->synchronized = p.thread_synchronization;
    source->object.position = (struct media_position){
        .x = (uint16_t)p.scoreboard_x,
        .y = (uint16_t)p.scoreboard_y,
        .color = (uint8_t)p.scoreboard_color};
    set_scoreboard(ctx->hw, source, p.use_scoreboard, p.scoreboard_mask);
    set_inline(&source->object, c, gen9_MEDIA_OBJECT_len_dw);
    set_indirect(ctx, &source->object, p.indirect_data_start_address,
                 p.indirect_data_length);
}

static void
read_root(const struct media_command *c, struct media_source *source)
{
    struct gen9_media_object_prt p;
    gen9_media_object_prt_unpack(&p, c->dw);
    source->descriptor = p.interface_descriptor_offset;
    set_inline(&source->object, c, gen9_MEDIA_OBJECT_PRT_len_dw);
}

/* The CURBE as a thread of the descriptor would read it. */
static void
set_curbe(const struct hw_state *hw, struct media_source *source)
{
    struct gen9_interface_descriptor_data idd;
    if (source->descriptor >= HW_DESCRIPTORS)
        return;
    gen9_interface_descriptor_data_unpack(
        &idd, hw->interface_descriptor[source->descriptor]);
    uint32_t skip_B = idd.constant_urb_entry_read_offset * EU_GRF_B;
    skip_B = MIN2(skip_B, hw->curbe_B);
    source->curbe = hw->curbe + skip_B;
    source->curbe_B = hw->curbe_B - skip_B;
}

static void
read_walker(struct engine_context *ctx, const struct media_command *c,
            struct media_source *source, struct gen9_media_object_walker *p)
{
    gen9_media_object_walker_unpack(p, c->dw);
    source->walker = p;
    source->descriptor = p->interface_descriptor_offset;
    source->synchronized = p->thread_synchronization;
    source->object.no_constants = p->masked_dispatch != 0;
    set_curbe(ctx->hw, source);
    set_scoreboard(ctx->hw, source, p->use_scoreboard, p->scoreboard_mask);
    set_inline(&source->object, c, gen9_MEDIA_OBJECT_WALKER_len_dw);
    set_indirect(ctx, &source->object, p->indirect_data_start_address,
                 p->indirect_data_length);
}

static void
read_grpid(struct engine_context *ctx, const struct media_command *c,
           struct media_source *source)
{
    struct gen9_media_object_grpid p;
    gen9_media_object_grpid_unpack(&p, c->dw);
    source->descriptor = p.interface_descriptor_offset;
    source->object.position = (struct media_position){
        .x = (uint16_t)p.scoreboard_x,
        .y = (uint16_t)p.scoreboard_y,
        .color = (uint8_t)p.scoreboard_color};
    set_inline(&source->object, c, gen9_MEDIA_OBJECT_GRPID_len_dw);
    set_indirect(ctx, &source->object, p.indirect_data_start_address,
                 p.indirect_data_length);
}

/* walker: where to put a walker's fields. */
static void
read_command(struct engine_context *ctx, const struct media_command *c,
             struct media_source *source,
             struct gen9_media_object_walker *walker)
{
    *source = (struct media_source){0};
    switch ((enum media_opcode)bits_get(c->dw[0], 16, 23)) {
    case OBJECT: read_object(ctx, c, source); break;
    case OBJECT_PRT: read_root(c, source); break;
    case OBJECT_WALKER: read_walker(ctx, c, source, walker); break;
    case GRPID: read_grpid(ctx, c, source); break;
    }
}

/* ---- threads that have no children --------------------------------------- */

static void
no_common_constants(struct dispatch *d)
{
    d->idd.cross_thread_constant_data_read_length = 0;
    /* All channels: media kernels enable what they use. */
    d->walker.simd_size = GEN9_GPGPU_WALKER_SIMD_SIZE_SIMD32;
}

/* Fills work->d. False after a guest error. */
static bool
resolve_media(struct engine_context *ctx, struct media_work *work,
              unsigned descriptor)
{
    struct dispatch *d = &work->d;
    if (!dispatch_begin(ctx, d, descriptor))
        return false;
    no_common_constants(d);
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

/* Guess: reserved values are as 0. */
static bool
has_groups(const struct gen9_media_object_walker *w)
{
    return w->group_id_loop_select - UINT32_C(1) < MEDIA_WALK_LOOPS;
}

bool
media_run_one(struct engine_context *ctx, const struct media_command *command)
{
    struct media_source source;
    struct gen9_media_object_walker walker;
    read_command(ctx, command, &source, &walker);
    struct media_work work = {
        .object = &source.object,
        .count = 1,
        .walker = source.walker,
        .grouped = source.walker && has_groups(&walker),
        .in_order = source.uses_scoreboard,
    };
    return run_work(ctx, &work, source.descriptor);
}

bool
media_run_group(struct engine_context *ctx, const struct media_command *command,
                unsigned count)
{
    struct media_object object[MEDIA_GROUP_THREADS] = {0};
    struct media_work work = {
        .object = object, .count = count, .grouped = true};
    unsigned descriptor = 0;
    for (unsigned i = 0; i < count; i++) {
        struct media_source source;
        read_command(ctx, &command[i], &source, NULL);
        if (i && source.descriptor != descriptor)
            unimp("MEDIA_OBJECT_GRPID: kernels differ in a group");
        else
            descriptor = source.descriptor;
        object[i] = source.object;
    }
    return run_work(ctx, &work, descriptor);
}

/* ---- families ------------------------------------------------------------ */

static bool
resolve_kernel(void *ctx, unsigned descriptor, struct dispatch *d,
               struct stage_cache *cache)
{
    if (!dispatch_begin(ctx, d, descriptor))
        return false;
    no_common_constants(d);
    return dispatch_resolve_own(ctx, d, cache);
}

static void
run_family(const void *work)
{
    media_run_family(work);
}

static void
set_limits(const struct hw_state *hw, struct media_family_work *work)
{
    const uint32_t *dw = hw_packet(hw, HW_MEDIA_VFE_STATE);
    struct gen9_media_vfe_state vfe;
    gen9_media_vfe_state_unpack(&vfe, dw);
    uint64_t urb_B = (uint64_t)vfe.number_of_urb_entries *
                     vfe.urb_entry_allocation_size * EU_GRF_B;
    work->urb_B = (uint32_t)MIN2(urb_B, URB_MAX_B);
    work->max_threads = vfe.maximum_number_of_threads + 1;
    for (unsigned i = 0; i < MEDIA_SCOREBOARD_DELTAS; i++) {
        uint32_t delta = dw[7 + i / 4] >> i % 4 * 8;
        for (unsigned axis = 0; axis < 2; axis++)
            work->delta[i][axis] = (int8_t)((int8_t)(delta >> axis * 4 << 4) /
                                            16);
    }
}

static bool
run_sources(struct engine_context *ctx, struct media_family_work *work)
{
    struct media_work first = {.count = 1};
    if (!resolve_media(ctx, &first, work->source->descriptor))
        return false;
    work->d = &first.d;
    work->resolve = resolve_kernel;
    work->ctx = ctx;
    set_limits(ctx->hw, work);
    trace(dispatch, "media: a family of %u commands", work->count);
    dispatch_execute(ctx, &first.d, run_family, work);
    return true;
}

bool
media_run_commands(struct engine_context *ctx,
                   const struct media_command *command, unsigned count)
{
    struct media_source *source = malloc(count * sizeof *source);
    struct gen9_media_object_walker *walker = malloc(count * sizeof *walker);
    struct media_family_work work = {.source = source, .count = count};
    bool good = source && walker;
    if (!good)
        guest_error("no memory for media commands");
    for (unsigned i = 0; good && i < count; i++) {
        read_command(ctx, &command[i], &source[i], &walker[i]);
        if (source[i].walker && has_groups(&walker[i]))
            unimp("MEDIA_OBJECT_WALKER with thread groups beside other root "
                  "threads: its threads run alone");
    }
    good = good && run_sources(ctx, &work);
    free(source);
    free(walker);
    return good;
}
