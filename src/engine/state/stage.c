/* stage.c: surfaces and samplers of a stage, decoded on first use and cached
 * until the draw ends; and the common part of thread payloads. */
#include "engine/state/stage.h"

#include "engine/state/aux_state.h"
#include "engine/state/stage_cache.h"
#include "sampler/plan/plan.h"
#include "surface_pack.h"

static const struct format_info null_format = {
    .name = "NULL",
    .block_bits = 8,
    .element_B = 1,
    .block_w = 1,
    .block_h = 1,
};

/* Used when memory runs out. */
static const struct surface null_surface = {
    .fmt = &null_format,
    .type = SURFACE_NULL,
    .samples = 1,
};
static const struct sampler null_sampler = {.disabled = true};

void
stage_cache_init(struct stage_cache *cache, struct stage_cache *common)
{
    memset(cache, 0, sizeof *cache);
    cache->common = common ? common : cache;
    pthread_mutex_init(&cache->lock, NULL);
    arena_init(&cache->arena, 8192, 0);
}

void
stage_cache_finish(struct stage_cache *cache)
{
    for (unsigned i = 0; i < STAGE_CACHE_WORKERS; i++)
        block_cache_free(cache->blocks[i]);
    pthread_mutex_destroy(&cache->lock);
    arena_finish(&cache->arena);
}

void
stage_cache_reset(struct stage_cache *cache)
{
    if (!cache->used)
        return;
    cache->used = false;
    memset(cache->surface, 0, sizeof cache->surface);
    memset(cache->sampler, 0, sizeof cache->sampler);
    memset(cache->bindless, 0, sizeof cache->bindless);
    memset(cache->by_state, 0, sizeof cache->by_state);
    memset(cache->message, 0, sizeof cache->message);
    memset(cache->usual, 0, sizeof cache->usual);
    memset(cache->direct, 0, sizeof cache->direct);
    atomic_store_explicit(&cache->message_count, 0, memory_order_relaxed);
    arena_reset(&cache->arena);
}

static void *
cache_alloc_locked(struct stage_cache *cache, size_t size_B)
{
    cache->used = true;
    return arena_alloc(&cache->arena, size_B, 16);
}

/* ---- surfaces ---------------------------------------------------------- */

static struct stage_recent_surface *
recent_surface(struct stage_cache *cache, const uint32_t rss[16])
{
    /* Most surfaces differ in size or address. */
    uint32_t hash = (rss[2] ^ rss[8]) * 2654435761u;
    return &cache->common->recent[hash >> 16 & (STAGE_RECENT_SURFACES - 1)];
}

static void
trace_surface(gpu_va va, const struct surface *s)
{
    trace(surf,
          "state 0x%llx: type %u %s %ux%ux%u at 0x%llx, tiling %u, pitch %u, "
          "qpitch %u, samples %u, array %u+%u, level %u+%u, aux %u at 0x%llx, "
          "clear %08x %08x %08x %08x",
          (unsigned long long)va, s->type, s->fmt->name, s->width, s->height,
          s->depth, (unsigned long long)s->base_va, s->tiling, s->row_pitch_B,
          s->qpitch_el_rows, s->samples, s->min_array, s->view_extent_minus1,
          s->min_lod, s->mip_count_minus1, s->aux,
          (unsigned long long)s->aux_va, s->clear_color.u[0],
          s->clear_color.u[1], s->clear_color.u[2], s->clear_color.u[3]);
}

static void
decode_new(const struct shader_stage *stage, gpu_va va, const uint32_t rss[16],
           struct surface *s)
{
    surface_decode(s, rss, stage->gen);
    s->mem = vm_ptr(stage->vm, s->base_va);
    s->limit_B = vm_limit_B(stage->vm, s->base_va);
    if (s->fmt->compression == FORMAT_PALETTE)
        s->palette = stage->palette[s->fmt->palette];
    s->flat_B = surface_flat_B(s);
    s->vec4_B = surface_vec4_B(s);
    typed_elements_init(&s->elements, s);
    s->range = mem_range(s->mem, s->type == SURFACE_STRBUF ? 0 : s->flat_B,
                         s->vec4_B);
    s->aux_mem = vm_ptr(stage->vm, s->aux_va);
    s->aux_limit_B = vm_limit_B(stage->vm, s->aux_va);
    trace_surface(va, s);
}

/* The cache's lock is held. */
static void
decode_surface(const struct shader_stage *stage, gpu_va va, struct surface *s)
{
    uint32_t rss[16];
    memcpy(rss, vm_ptr(stage->vm, va), sizeof rss);
    struct stage_recent_surface *recent = recent_surface(stage->cache, rss);
    unsigned places = atomic_load(&stage->vm->places);
    if (recent->surface.fmt && recent->places == places &&
        !memcmp(recent->rss, rss, sizeof rss)) {
        *s = recent->surface;
    } else {
        decode_new(stage, va, rss, s);
        memcpy(recent->rss, rss, sizeof rss);
        recent->places = places;
        recent->surface = *s;
        recent->bound = 0;
    }
    if (s->aux == AUX_NONE || stage->aux_op)
        return;
    if (!recent->bound || recent->bound != aux_generation(stage->vm))
        recent->bound = aux_bind(stage->vm, s);
}

static void
decode_entry(const struct shader_stage *stage, unsigned bti, struct surface *s)
{
    gpu_va entry = stage->surface_base_va + stage->binding_table_offset +
                   bti * 4;
    /* BINDING_TABLE_STATE: the low bits do not belong to the pointer. */
    uint32_t offset_B = vm_read32(stage->vm, entry) & ~63u;
    decode_surface(stage, stage->surface_base_va + offset_B, s);
}

static bool
is_stateless(unsigned bti)
{
    return bti == BTI_STATELESS || bti == BTI_STATELESS_NC;
}

/* The range that 32-bit offsets reach with one shift. Where a mapping has
 * moved, messages use dataport_range() beyond the range. */
static void
make_stateless(const struct shader_stage *stage, struct surface *s)
{
    gpu_va base = stage->general_base_va;
    *s = null_surface;
    s->mem = vm_ptr(stage->vm, base);
    s->flat_B = vm_has_moved(stage->vm)
                    ? MIN2(vm_limit_B(stage->vm, base), VM_GUARD_B)
                    : VM_GUARD_B;
    s->range = mem_range(s->mem, s->flat_B, 0);
    if (!vm_has_moved(stage->vm) &&
        (base & stage->vm->mask) + VM_GUARD_B <= stage->vm->mask + 1)
        s->range.vector_end_B = mem_range_end_B(VM_GUARD_B, 1);
}

static const struct surface *
fill_surface(const struct shader_stage *stage, unsigned bti)
{
    struct stage_cache *cache = stage->cache;
    pthread_mutex_lock(&cache->common->lock);
    struct surface *s = atomic_load_explicit(&cache->surface[bti],
                                             memory_order_relaxed);
    if (!s && (s = cache_alloc_locked(cache, sizeof *s))) {
        if (is_stateless(bti))
            make_stateless(stage, s);
        else
            decode_entry(stage, bti, s);
        atomic_store_explicit(&cache->surface[bti], s, memory_order_release);
    }
    pthread_mutex_unlock(&cache->common->lock);
    return s ? s : &null_surface;
}

const struct surface *
stage_surface(const struct shader_stage *stage, unsigned bti)
{
    bti %= STAGE_BTI_COUNT;
    const struct surface *s = atomic_load_explicit(&stage->cache->surface[bti],
                                                   memory_order_acquire);
    return s ? s : fill_surface(stage, bti);
}

static unsigned
bucket(uint32_t offset_B)
{
    return (offset_B >> 4) * 2654435761u >> 26;
}

static const struct stage_cached_surface *
find_bindless(struct stage_cache *cache, uint32_t offset_B)
{
    const struct stage_cached_surface *e = atomic_load_explicit(
        &cache->bindless[bucket(offset_B)], memory_order_acquire);
    while (e && e->offset_B != offset_B)
        e = e->next;
    return e;
}

const struct surface *
stage_surface_bindless(const struct shader_stage *stage, uint32_t offset_B)
{
    struct stage_cache *cache = stage->cache;
    const struct stage_cached_surface *e = find_bindless(cache, offset_B);
    if (e)
        return &e->surface;
    pthread_mutex_lock(&cache->common->lock);
    e = find_bindless(cache, offset_B);
    struct stage_cached_surface *new = NULL;
    if (!e && (new = cache_alloc_locked(cache, sizeof *new))) {
        decode_surface(stage, stage->bindless_base_va + offset_B,
                       &new->surface);
        new->offset_B = offset_B;
        new->next = atomic_load_explicit(&cache->bindless[bucket(offset_B)],
                                         memory_order_relaxed);
        atomic_store_explicit(&cache->bindless[bucket(offset_B)], new,
                              memory_order_release);
        e = new;
    }
    pthread_mutex_unlock(&cache->common->lock);
    return e ? &e->surface : &null_surface;
}

/* ---- samplers ---------------------------------------------------------- */

static void
decode_sampler(const struct shader_stage *stage, uint32_t offset_B,
               struct sampler *s)
{
    gpu_va base = stage->dynamic_base_va;
    uint32_t state[4], border_offset_B;
    memcpy(state, vm_ptr(stage->vm, base + offset_B), sizeof state);
    sampler_decode(s, state, &border_offset_B, stage->gen);
    s->key_low = stage->chroma_key[s->key_index][0];
    s->key_high = stage->chroma_key[s->key_index][1];
    s->mono_width = stage->mono_width;
    s->mono_height = stage->mono_height;
    bool border = false;
    for (unsigned i = 0; i < 3; i++)
        border |= s->wrap[i] == GEN9_TCM_CLAMP_BORDER ||
                  s->wrap[i] == GEN9_TCM_HALF_BORDER;
    /* Without border modes the pointer may be invalid. */
    if (border)
        memcpy(&s->border, vm_ptr(stage->vm, base + border_offset_B), 16);
    trace(surf, "sampler 0x%x: %08x %08x %08x %08x", offset_B, state[0],
          state[1], state[2], state[3]);
}

static const struct sampler *
fill_sampler(const struct shader_stage *stage, unsigned index)
{
    struct stage_cache *cache = stage->cache;
    pthread_mutex_lock(&cache->common->lock);
    struct sampler *s = atomic_load_explicit(&cache->sampler[index],
                                             memory_order_relaxed);
    if (!s && (s = cache_alloc_locked(cache, sizeof *s))) {
        decode_sampler(stage, stage->sampler_offset + index * 16, s);
        atomic_store_explicit(&cache->sampler[index], s, memory_order_release);
    }
    pthread_mutex_unlock(&cache->common->lock);
    return s ? s : &null_sampler;
}

const struct sampler *
stage_sampler(const struct shader_stage *stage, unsigned index)
{
    if (index >= STAGE_SAMPLER_COUNT)
        return stage_sampler_at(stage, stage->sampler_offset + index * 16);
    const struct sampler *s = atomic_load_explicit(
        &stage->cache->sampler[index], memory_order_acquire);
    return s ? s : fill_sampler(stage, index);
}

static const struct stage_cached_sampler *
find_by_state(struct stage_cache *cache, uint32_t offset_B)
{
    const struct stage_cached_sampler *e = atomic_load_explicit(
        &cache->by_state[bucket(offset_B)], memory_order_acquire);
    while (e && e->offset_B != offset_B)
        e = e->next;
    return e;
}

const struct sampler *
stage_sampler_at(const struct shader_stage *stage, uint32_t state_offset_B)
{
    struct stage_cache *cache = stage->cache;
    uint32_t offset_B = state_offset_B & ~15u;
    const struct stage_cached_sampler *e = find_by_state(cache, offset_B);
    if (e)
        return &e->sampler;
    pthread_mutex_lock(&cache->common->lock);
    e = find_by_state(cache, offset_B);
    struct stage_cached_sampler *new = NULL;
    if (!e && (new = cache_alloc_locked(cache, sizeof *new))) {
        decode_sampler(stage, offset_B, &new->sampler);
        new->offset_B = offset_B;
        new->next = atomic_load_explicit(&cache->by_state[bucket(offset_B)],
                                         memory_order_relaxed);
        atomic_store_explicit(&cache->by_state[bucket(offset_B)], new,
                              memory_order_release);
        e = new;
    }
    pthread_mutex_unlock(&cache->common->lock);
    return e ? &e->sampler : &null_sampler;
}

/* ---- threads ----------------------------------------------------------- */

void
stage_start(const struct shader_stage *stage, struct eu_start *start)
{
    *start = (struct eu_start){
        .kernel = stage->kernel,
        .send = stage->send,
        .simd = stage->simd,
        .vector_mask_enable = stage->vector_mask_enable,
        .alt_mode = stage->alt_mode,
        .denorm_f_retain = stage->denorm_f_retain,
        .rounding = stage->rounding,
        .clock = stage->clock,
        .single_program_flow = stage->spf,
    };
    if (stage->kernel)
        eu_kernel_note_use(stage->kernel, stage->kind, stage->simd);
    if (stage->cache && !stage_sends_all(stage)) {
        start->surfaces = (const void *)stage->cache->surface;
        start->direct = (const void *)stage->cache->direct;
    }
}

void
stage_header(const struct shader_stage *stage, uint32_t g0[8], unsigned fftid)
{
    memset(g0, 0, EU_GRF_B);
    g0[3] = (stage->sampler_offset & ~31u) | stage->scratch_code;
    g0[4] = stage->binding_table_offset & ~31u;
    g0[5] = fftid & 0x3ff;
    if (stage->scratch_enabled) {
        /* Each thread has 2^code KB of scratch; the driver provides memory for
         * as many threads as the hardware runs at once. */
        uint64_t own = stage->scratch_va +
                       (UINT64_C(1024) << stage->scratch_code) * fftid;
        g0[5] |= (uint32_t)own & ~0x3ffu;
    }
}
