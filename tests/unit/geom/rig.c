/* rig.c: see rig.h; stubs of the rest of the engine. */
#include "rig.h"

#include "base/pool.h"
#include "engine/geom/geom.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct rig rig;

#define MAX_LISTS 64

struct prim_list {
    unsigned count, capacity;
    struct rig_prim *prim;
};

struct scene {
    struct prim_list list[MAX_LISTS];
};

/* ---- the rest of the engine ------------------------------------------- */

__thread bool vm_fetching;

void
vm_thread_enter(void)
{
}

void
vm_thread_leave(void)
{
}

void
stage_start(const struct shader_stage *stage, struct eu_start *start)
{
    *start = (struct eu_start){.simd = stage->simd};
}

void
stage_header(const struct shader_stage *stage, uint32_t g0[8], unsigned fftid)
{
    g0[5] = fftid;
}

void
eu_thread_init(struct eu_thread *thread, const struct eu_start *start)
{
    thread->sr0[2] = start->dispatch_mask;
    thread->user = start->user;
}

bool
thread_run(struct eu_thread *thread, struct thread_env *env)
{
    rig.kernel[env->stage->kind](thread, env);
    return true;
}

void
eu_launch_init(struct eu_launch *launch, const struct eu_start *start)
{
    memset(launch->live_in, 0xff, sizeof launch->live_in);
    memset(launch->written, 0xff, sizeof launch->written);
    launch->steady = true;
    launch->start = *start;
}

bool
eu_kernel_is_pure(const struct eu_kernel *kernel)
{
    return !rig.impure;
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

void
eu_launch_zero(const struct eu_launch *launch, struct eu_thread *thread,
               unsigned first_grf)
{
    memset(eu_grf(thread, first_grf), 0, (EU_GRF_COUNT - first_grf) * EU_GRF_B);
}

void
thread_series_begin(struct thread_series *s, const struct eu_launch *launch,
                    struct eu_thread *thread, struct thread_env *env)
{
    *s = (struct thread_series){.thread = thread, .env = env};
    thread->user = env;
}

void
thread_series_run(struct thread_series *s, uint32_t mask)
{
    s->thread->sr0[2] = mask;
    thread_run(s->thread, s->env);
}

void
thread_series_end(struct thread_series *s)
{
}

bool
thread_run_group(struct eu_thread *threads, unsigned count,
                 struct thread_group *group, struct thread_env *env)
{
    cr_expect_eq(group->barrier_count, count);
    cr_expect_eq(env->group, group);
    for (unsigned i = 0; i < count; i++)
        rig.kernel[env->stage->kind](&threads[i], env);
    return true;
}

struct scene *
scene_create(const struct draw *draw)
{
    return calloc(1, sizeof(struct scene));
}

static void
show(struct scene *s)
{
    for (unsigned i = 0; i < MAX_LISTS; i++) {
        struct prim_list *l = &s->list[i];
        cr_assert_leq(rig.prim_count + l->count, RIG_MAX_PRIMS);
        if (l->count)
            memcpy(&rig.prim[rig.prim_count], l->prim,
                   l->count * sizeof *l->prim);
        rig.prim_count += l->count;
        l->count = 0;
    }
}

void
scene_destroy(struct scene *s)
{
    show(s);
    for (unsigned i = 0; i < MAX_LISTS; i++)
        free(s->list[i].prim);
    free(s);
}

struct prim_list *
scene_list(struct scene *s, unsigned i)
{
    cr_assert_lt(i, MAX_LISTS);
    return &s->list[i];
}

static struct rig_prim *
new_prim(struct prim_list *l)
{
    rig.late_count += atomic_load(&rig.reset);
    if (l->count == l->capacity) {
        l->capacity = l->capacity * 2 + 16;
        l->prim = realloc(l->prim, l->capacity * sizeof *l->prim);
    }
    struct rig_prim *r = &l->prim[l->count++];
    memset(r, 0, sizeof *r);
    return r;
}

bool
scene_add(struct prim_list *l, const struct prim *p)
{
    static const unsigned verts[] = {1, 2, 3, 3};
    struct rig_prim *r = new_prim(l);
    r->p = *p;
    for (unsigned i = 0; i < verts[p->kind]; i++) {
        r->x[i] = p->v[i].x;
        r->y[i] = p->v[i].y;
        r->z[i] = p->v[i].z;
        if (p->vue_slots > 2)
            memcpy(r->attr[i], p->v[i].vue + 8, 16);
    }
    const uint32_t *flat = p->flat_vue ? p->flat_vue : p->v[p->provoking].vue;
    if (p->vue_slots > 2)
        memcpy(r->flat, flat + 8, 16);
    if (p->cut) {
        r->cut = *p->cut;
        for (unsigned i = 0; i < 3; i++)
            r->cut_attr[i] = float_from_bits(p->cut->vue[i][8]);
    }
    return rig.flush_every && l->count >= rig.flush_every;
}

bool
scene_add_triangles(struct prim_list *l, const struct prim_mesh *mesh,
                    const struct prim_tri *tri, unsigned count, uint32_t which)
{
    cr_assert_leq(count, PRIM_TRIS);
    for (unsigned i = 0; i < count; i++) {
        struct prim p = {
            .kind = PRIM_TRIANGLE,
            .provoking = mesh->provoking[tri[i].primitive_id & 1],
            .edge_mask = 7,
            .primitive_id = tri[i].primitive_id,
            .vue_slots = mesh->vue_slots,
        };
        if (!(which >> i & 1))
            continue;
        for (unsigned k = 0; k < 3; k++) {
            const struct prim_corner *c = prim_corner(mesh, &tri[i], k);
            p.v[k] = c->v;
            cr_assert_eq(c->x, prim_snap(p.v[k].x));
            cr_assert_eq(c->y, prim_snap(p.v[k].y));
        }
        if (!rig.draw.clip.force_zero_rta_index_enable)
            p.layer = (uint16_t)MIN2(p.v[p.provoking].vue[1], 0xffffu);
        scene_add(l, &p);
    }
    return rig.flush_every && l->count >= rig.flush_every;
}

size_t
scene_used_B(const struct scene *s)
{
    size_t used_B = 0;
    for (unsigned i = 0; i < MAX_LISTS; i++)
        used_B += s->list[i].count * sizeof *s->list[i].prim;
    return used_B;
}

void
scene_sort(struct prim_list *list)
{
}

void
scene_flush(struct scene *s)
{
    show(s);
    rig.flush_count++;
}

/* ---- the draw --------------------------------------------------------- */

#define FMT_R32G32B32A32_FLOAT 0x000

static void
element(unsigned i)
{
    rig.draw.ve[i].ve = (struct gen9_vertex_element_state){
        .valid = true,
        .source_element_format = FMT_R32G32B32A32_FLOAT,
        .source_element_offset = i * 16,
        .component_0_control = GEN9_VFCOMP_STORE_SRC,
        .component_1_control = GEN9_VFCOMP_STORE_SRC,
        .component_2_control = GEN9_VFCOMP_STORE_SRC,
        .component_3_control = GEN9_VFCOMP_STORE_SRC,
    };
}

void
rig_init(unsigned topology, unsigned count)
{
    memset(&rig, 0, sizeof rig);
    rig.memory = calloc(1, RIG_MEMORY_B);
    rig.prim = calloc(RIG_MAX_PRIMS, sizeof *rig.prim);
    rig.vm.window = rig.memory;
    rig.vm.mask = ENGINE_VM_SIZE_B - 1;
    struct draw *d = &rig.draw;
    d->gen = 9;
    d->vm = &rig.vm;
    d->stats = &rig.stats;
    d->reset = &rig.reset;
    d->topology = topology;
    d->vertex_count = count;
    d->instance_count = 1;
    d->vb[0].valid = true;
    d->vb[0].size_B = RIG_MEMORY_B / 2;
    d->vb[0].pitch_B = 48;
    d->ve_count = 3;
    for (unsigned i = 0; i < 3; i++)
        element(i);
    for (unsigned i = 0; i < STAGE_COUNT; i++) {
        d->stage[i].kind = i;
        d->stage[i].grf_start = i == STAGE_VS || i == STAGE_GS ? 2 : 5;
    }
    for (unsigned i = 0; i < 4; i++) {
        d->urb_entry_B[i] = 64;
        d->so_buffer[i].offset_B = &rig.so_offset[i];
    }
    d->ds.dispatch_mode = GEN9_3DSTATE_DS_DISPATCH_MODE_SIMD8_SINGLE_PATCH;
    d->sbe.vertex_urb_entry_read_offset = 1;
    d->sbe.vertex_urb_entry_read_length = 1;
    d->clip.perspective_divide_disable = true;
    d->raster.cull_mode = GEN9_3DSTATE_RASTER_CULL_MODE_NONE;
    d->sf.triangle_strip_list_provoking_vertex_select = 2;
    d->sf.triangle_fan_provoking_vertex_select = 2;
    d->sf.line_strip_list_provoking_vertex_select = 1;
}

void
rig_finish(void)
{
    if (rig.draw.pool)
        pool_destroy(rig.draw.pool);
    free(rig.memory);
    free(rig.prim);
    memset(&rig, 0, sizeof rig);
}

void
rig_vertex(unsigned i, float x, float y, float z, float w, float a)
{
    float v[12] = {[4] = x, y, z, w, a, a, a, a};
    memcpy(rig.memory + i * 48, v, sizeof v);
}

void
rig_clip(void)
{
    struct draw *d = &rig.draw;
    d->clip.clip_enable = true;
    d->clip.perspective_divide_disable = false;
    d->clip.guardband_clip_test_enable = true;
    d->clip.viewport_xy_clip_test_enable = true;
    d->clip.statistics_enable = true;
    d->clip.maximum_vp_index = 15;
    d->sf.viewport_transform_enable = true;
    d->raster.viewport_z_near_clip_test_enable = true;
    d->raster.viewport_z_far_clip_test_enable = true;
    for (unsigned i = 0; i < DRAW_MAX_VIEWPORTS; i++)
        d->viewport[i] = (struct gen9_sf_clip_viewport){
            .viewport_matrix_element_m00 = 50,
            .viewport_matrix_element_m11 = 50,
            .viewport_matrix_element_m22 = 0.5f,
            .viewport_matrix_element_m30 = 50.0f + (float)i * 100,
            .viewport_matrix_element_m31 = 50,
            .viewport_matrix_element_m32 = 0.5f,
            .x_min_clip_guardband = -8,
            .x_max_clip_guardband = 8,
            .y_min_clip_guardband = -8,
            .y_max_clip_guardband = 8,
        };
}

void
rig_stage(enum stage_kind kind, rig_kernel kernel)
{
    rig.draw.stage[kind].enabled = true;
    rig.kernel[kind] = kernel;
}

void
rig_threads(unsigned threads)
{
    rig.draw.pool = pool_create(threads);
}

void
rig_draw(void)
{
    geom_draw(&rig.draw);
}
