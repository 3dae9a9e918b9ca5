/* rig.c: the test rig of raster/, and stubs of the rooms around it. */
#include "rig.h"
#include "base/pool.h"

#include <stdlib.h>

/* ---- stubs of other rooms ----------------------------------------------- */

void
vm_thread_enter(void)
{
}

void
vm_thread_leave(void)
{
}

struct rig_memory rig_memory;

bool
vm_is_ours(const struct engine_vm *vm, const void *ptr, uint64_t size_B,
           uint64_t *epoch)
{
    *epoch = rig_memory.epoch;
    return rig_memory.ours;
}

uint64_t
vm_mapped_B(const struct engine_vm *vm, gpu_va va, uint64_t size_B)
{
    return rig_memory.mapped_B ? MIN2(size_B, rig_memory.mapped_B) : size_B;
}

bool
vm_is_shared(const struct engine_vm *vm, const void *ptr)
{
    return rig_memory.shared;
}

static struct rig *
rig_of(const struct shader_stage *stage)
{
    return (struct rig *)(void *)((char *)(uintptr_t)stage -
                                  offsetof(struct rig, draw.stage[STAGE_PS]));
}

const struct surface *
stage_surface(const struct shader_stage *stage, unsigned bti)
{
    return &rig_of(stage)->target[bti % DRAW_MAX_RT];
}

const struct sampler *
stage_sampler(const struct shader_stage *stage, unsigned index)
{
    static const struct sampler none = {.disabled = true};
    return &none;
}

void
stage_header(const struct shader_stage *stage, uint32_t g0[8], unsigned fftid)
{
    g0[5] = fftid;
}

enum eu_msg_result
msg_send(struct eu_thread *thread, const struct eu_message *msg)
{
    return msg_render(thread->user, thread, msg);
}

void
stage_start(const struct shader_stage *stage, struct eu_start *start)
{
    start->kernel = stage->kernel;
    start->send = msg_send;
}

static struct stage_pixels
find_no_pixels(struct thread_env *env, const struct eu_message *m)
{
    return (struct stage_pixels){NULL, NULL};
}

static enum eu_msg_result
catch_send(struct eu_thread *thread, const struct eu_message *msg)
{
    memcpy(thread->captured, msg->src0, EU_CAPTURE_GRF * (size_t)EU_GRF_B);
    thread->message.exec_mask = msg->exec_mask;
    return EU_MSG_OK;
}

/* The epilogue of a chain's thread. */
static void
store_row(const struct eu_thread *thread, const uint32_t color[4][16])
{
    const struct eu_chain_entry *row = thread->chain;
    struct rt_block b;
    memcpy(&b, thread->epilogue.arg, sizeof b);
    struct rt_plane plane[MAX_SAMPLES] = {{row->captured, row->captured_mask}};
    for (unsigned c = 0; c < 4; c++)
        b.c[c] = color[c];
    for (unsigned i = 0; b.planes > 1 && i < b.planes; i++) {
        plane[i] = b.plane[row_block(&b.rest, row) * b.planes + i];
        plane[i].mask &= row->captured_mask;
    }
    b.count = 1;
    b.plane = plane;
    rt_choose(b.state)(&b);
    row_copy_next(&b.rest, row);
}

static void
begin_row(const struct rig *rig, struct eu_thread *thread,
          struct eu_chain_entry *row)
{
    thread->chain = row;
    thread->sr0[2] = row->dispatch_mask;
    thread->sr0[3] = row->vector_mask;
    const struct eu_launch launch = {.chain_grf = rig->chain_grf,
                                     .chain_weights = rig->chain_weights};
    eu_chain_take(&launch, thread, row);
}

static void
run_of_row(struct rig *rig, struct eu_thread *thread)
{
    alignas(32) uint32_t color[4][16];
    bool stores = thread->epilogue.fn;
    thread->captured = stores ? (uint8_t *)color : thread->chain->captured;
    rig->shader(rig, thread, thread->user);
    thread->chain->captured_mask &= thread->message.exec_mask;
    if (stores)
        store_row(thread, color);
}

static int64_t
enter_row(struct rig *rig, struct eu_thread *thread, int64_t left)
{
    for (;; begin_row(rig, thread, thread->chain + 1)) {
        rig->runs++;
        if (rig->unfinished_every && rig->runs % rig->unfinished_every == 0)
            return left;
        run_of_row(rig, thread);
        if (!thread->chain->more)
            break;
    }
    thread->status = EU_FINISHED;
    return left;
}

/* A stub of eu_launch.lockstep that sometimes runs no threads. Threads begin
 * with equal registers, and the registers are restored at the end. */
static bool
run_pairs(const struct eu_launch *launch, struct eu_thread *thread,
          int64_t *left)
{
    struct thread_env *env = thread->user;
    struct rig *rig = rig_of(env->stage);
    uint8_t kept[sizeof thread->grf];
    memcpy(kept, thread->grf, sizeof kept);
    thread->send = catch_send;
    while (rig->runs % 3 && thread->chain->more) {
        for (unsigned n = 0; n < 2; n++) {
            rig->runs++;
            begin_row(rig, thread, thread->chain);
            run_of_row(rig, thread);
            memcpy(thread->grf, kept, sizeof kept);
            if (!thread->chain->more)
                return true;
            thread->chain++;
        }
    }
    return false;
}

/* Like compiled code: captures the colours, or returns without finishing. */
static int64_t
enter(struct eu_thread *thread, int64_t left, const void *entry, uint64_t mask)
{
    struct thread_env *env = thread->user;
    struct rig *rig = rig_of(env->stage);
    thread->send = catch_send;
    if (thread->chain)
        return enter_row(rig, thread, left);
    rig->runs++;
    if (rig->unfinished_every && rig->runs % rig->unfinished_every == 0)
        return left;
    rig->shader(rig, thread, env);
    thread->status = EU_FINISHED;
    return left;
}

void
eu_launch_init(struct eu_launch *launch, const struct eu_start *start)
{
    const struct rig *rig = (const void *)start->kernel;
    launch->start = *start;
    memcpy(launch->live_in, rig->live_in, sizeof rig->live_in);
    launch->captures_rt_write = rig->captures_rt_write;
    launch->steady = rig->steady;
    launch->enter = enter;
    launch->lane_independent = true;
    launch->chains = rig->chain_grf;
    launch->chain_grf = rig->chain_grf;
    launch->chain_weights = rig->chain_weights;
    launch->lockstep = rig->pairs ? run_pairs : NULL;
    memset(launch->written, rig->stays ? 0 : 0xff, sizeof launch->written);
    launch->last_sfid = EU_SFID_RENDER;
    launch->last_pred = !rig->keeps_lanes;
    launch->last_desc = 12u << 14;
}

size_t
eu_kernel_size_B(const struct eu_kernel *kernel)
{
    const struct rig *rig = (const void *)kernel;
    return rig->kernel_B;
}

uint32_t
eu_launch_begin(const struct eu_launch *launch)
{
    return 0;
}

void
eu_launch_end(const struct eu_launch *launch, uint32_t before)
{
}

bool
thread_launch(const struct eu_launch *launch, struct eu_thread *thread,
              struct thread_env *env, uint32_t dispatch_mask,
              uint32_t vector_mask)
{
    struct rig *rig = rig_of(env->stage);
    thread->kernel = launch->start.kernel;
    thread->sr0[2] = dispatch_mask;
    thread->sr0[3] = vector_mask;
    thread->user = env;
    thread->send = launch->start.send;
    rig->runs++;
    if (rig->shader)
        rig->shader(rig, thread, env);
    return true;
}

enum eu_status
eu_launch_next(const struct eu_launch *launch, struct eu_thread *thread,
               uint32_t dispatch_mask, uint32_t vector_mask, int64_t *left)
{
    thread->sr0[2] = dispatch_mask;
    thread->sr0[3] = vector_mask;
    thread->status = EU_RUNNING;
    *left = enter(thread, *left, NULL, dispatch_mask);
    return thread->status;
}

enum eu_status
eu_launch_go_on(const struct eu_launch *launch, struct eu_thread *thread,
                int64_t *left)
{
    return thread->status;
}

bool
thread_go_on(struct eu_thread *thread, struct thread_env *env,
             enum eu_status status)
{
    struct rig *rig = rig_of(env->stage);
    thread->send = msg_send;
    rig->shader(rig, thread, env);
    return true;
}

void
eu_launch_count_from(struct eu_thread *thread)
{
    thread->chain = NULL;
    thread->epilogue.fn = NULL;
}

void
eu_launch_count(struct eu_thread *thread, uint64_t spent, unsigned caught,
                unsigned times)
{
}

/* ---- the rig ------------------------------------------------------------- */

static void
make_surface(struct surface *s, uint8_t **memory, unsigned format,
             unsigned element_B, unsigned samples)
{
    memset(s, 0, sizeof *s);
    s->fmt = format_info(format);
    s->format = (uint16_t)format;
    s->type = SURFACE_2D;
    s->is_array = true;
    s->width = s->height = RIG_PX;
    s->depth = RIG_LAYERS;
    s->view_extent_minus1 = RIG_LAYERS - 1;
    s->halign_el = s->valign_el = 4;
    s->samples = (uint8_t)samples;
    s->row_pitch_B = RIG_PX * element_B;
    s->qpitch_el_rows = RIG_PX;
    s->limit_B = (uint64_t)s->row_pitch_B * RIG_PX * RIG_LAYERS *
                 MAX2(samples, 1);
    free(*memory);
    *memory = calloc(1, s->limit_B);
    s->mem = *memory;
    surface_layout(s);
}

void
rig_target(struct rig *rig, unsigned i, unsigned format, unsigned element_B,
           unsigned samples)
{
    make_surface(&rig->target[i], &rig->memory[i], format, element_B, samples);
}

static void
make_interleaved(struct surface *s, uint8_t **memory, unsigned format,
                 unsigned element_B, unsigned samples)
{
    make_surface(s, memory, format, element_B, samples);
    if (samples == 1)
        return;
    /* Room for 4 x 4 samples per pixel, with any count. */
    s->interleaved = true;
    s->row_pitch_B *= 4;
    s->qpitch_el_rows *= 4;
    s->limit_B = (uint64_t)s->row_pitch_B * s->qpitch_el_rows * RIG_LAYERS;
    free(*memory);
    *memory = calloc(1, s->limit_B);
    s->mem = *memory;
    surface_layout(s);
}

void
rig_depth(struct rig *rig, unsigned format, unsigned samples)
{
    unsigned size = format_info(format)->block_bits / 8;
    make_interleaved(&rig->draw.depth, &rig->depth, format, size, samples);
    rig->draw.depth_write_ok = true;
    rig->draw.depth_view_extent = RIG_LAYERS - 1;
}

void
rig_stencil(struct rig *rig, unsigned samples)
{
    const unsigned r8_uint = 0x143;
    make_interleaved(&rig->draw.stencil, &rig->stencil, r8_uint, 1, samples);
    rig->draw.stencil_write_ok = true;
    rig->draw.depth_view_extent = RIG_LAYERS - 1;
}

struct rig *
rig_create(unsigned threads)
{
    const unsigned rgba8_unorm = 0x0c7, r32_float = 0x0d8;
    struct rig *rig = calloc(1, sizeof *rig);
    struct draw *d = &rig->draw;
    rig->pool = d->pool = pool_create(threads);
    d->gen = 9;
    d->stats = &rig->stats;
    d->reset = &rig->reset;
    d->samples = 1;
    d->sample_mask = 0xffff;
    d->drawing_rect.clipped_drawing_rectangle_x_max = RIG_PX - 1;
    d->drawing_rect.clipped_drawing_rectangle_y_max = RIG_PX - 1;
    d->raster.cull_mode = GEN9_3DSTATE_RASTER_CULL_MODE_NONE;
    d->raster
        .front_winding = GEN9_3DSTATE_RASTER_FRONT_WINDING_COUNTER_CLOCKWISE;
    d->ps_extra.pixel_shader_valid = true;
    d->ps_blend.has_writeable_rt = true;
    d->wm.statistics_enable = true;
    for (unsigned i = 0; i < DRAW_MAX_VIEWPORTS; i++)
        d->cc_viewport[i].maximum_depth = 1;
    d->clip.maximum_vp_index = DRAW_MAX_VIEWPORTS - 1;
    struct shader_stage *ps = &d->stage[STAGE_PS];
    ps->kind = STAGE_PS;
    ps->enabled = true;
    ps->kernel = (const struct eu_kernel *)(const void *)rig;
    ps->find_pixels = find_no_pixels;
    memset(rig->live_in, 0xff, sizeof rig->live_in);
    ps->simd = 16;
    ps->grf_start = 8;
    d->depth.type = d->stencil.type = SURFACE_NULL;
    d->depth.fmt = d->stencil.fmt = format_info(r32_float);
    for (unsigned i = 0; i < DRAW_MAX_RT; i++) {
        rig->target[i].type = SURFACE_NULL;
        rig->target[i].fmt = format_info(rgba8_unorm);
        rig->target[i].samples = 1;
    }
    rig_target(rig, 0, rgba8_unorm, 4, 1);
    rig->shader = rig_shade_constant;
    for (unsigned c = 0; c < 4; c++)
        rig->color[c] = 1;
    return rig;
}

void
rig_destroy(struct rig *rig)
{
    pool_destroy(rig->pool);
    for (unsigned i = 0; i < DRAW_MAX_RT; i++)
        free(rig->memory[i]);
    free(rig->depth);
    free(rig->stencil);
    free(rig->mcs);
    free(rig);
}

uint8_t *
rig_texel(struct rig *rig, unsigned i, unsigned x, unsigned y, unsigned sample)
{
    return surface_ptr(&rig->target[i], 0, x, y, 0, sample);
}

uint32_t
rig_rgba8(struct rig *rig, unsigned x, unsigned y)
{
    uint32_t v;
    memcpy(&v, rig_texel(rig, 0, x, y, 0), 4);
    return v;
}

struct prim
rig_triangle(struct rig *rig, const float xy[6], float z)
{
    struct prim p = {.kind = PRIM_TRIANGLE, .edge_mask = 7, .vue_slots = 16};
    for (unsigned i = 0; i < 3; i++)
        p.v[i] = (struct prim_vertex){xy[2 * i], xy[2 * i + 1], z, 1,
                                      rig->vue[i]};
    return p;
}

struct prim
rig_rect(struct rig *rig, float x0, float y0, float x1, float y1, float z)
{
    const float xy[6] = {x1, y1, x0, y1, x0, y0};
    struct prim p = rig_triangle(rig, xy, z);
    p.kind = PRIM_RECT;
    return p;
}

void
rig_draw(struct rig *rig, const struct prim *prims, unsigned count)
{
    struct scene *sc = scene_create(&rig->draw);
    struct prim_list *list = scene_list(sc, 0);
    for (unsigned i = 0; i < count; i++)
        if (scene_add(list, &prims[i]))
            scene_flush(sc);
    scene_destroy(sc);
}

void
rig_rt_write(struct thread_env *env, struct eu_thread *t, uint32_t desc,
             bool header, uint32_t mask, const uint32_t *payload, unsigned grfs)
{
    struct eu_message m = {.sfid = EU_SFID_RENDER,
                           .header = header,
                           .exec_size = 16,
                           .mlen_grf = (uint8_t)grfs,
                           .desc = 12u << 14 | desc,
                           .exec_mask = mask,
                           .src0 = payload};
    t->send(t, &m);
}

void
rig_shade_constant(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    alignas(32) uint32_t payload[16][8];
    unsigned simd = env->stage->simd;
    unsigned per = rig->dual || simd == 8 ? 1 : 2; /* registers per channel */
    for (unsigned k = 0; k < 8; k++) {
        float v = k < 4 ? rig->color[k] : rig->src1[k - 4];
        for (unsigned i = 0; i < 8 * per; i++)
            payload[k * per + i / 8][i & 7] = bits_from_float(v);
    }
    uint32_t mask = t->sr0[2];
    if (rig->dual) {
        rig_rt_write(env, t, 2u << 8, false, mask & 0xff, payload[0], 8);
        rig_rt_write(env, t, 3u << 8, false, mask >> 8 & 0xff, payload[0], 8);
    } else if (simd == 8) {
        rig_rt_write(env, t, 4u << 8, false, mask, payload[0], 4);
    } else {
        for (unsigned g = 0; g < simd; g += 16)
            rig_rt_write(env, t, (g / 16) << 11, false, mask >> g & 0xffff,
                         payload[0], 8);
    }
}
