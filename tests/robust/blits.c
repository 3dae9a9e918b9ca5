/* blits.c: a client of the blitter: finds the engine, submits batches to it as
 * drivers do, by ring number with relocations and by engine map, and sees the
 * bytes. */
#include "commands.h"

#include <string.h>

#define SIZE_B 65536u
#define PITCH_B 512u
#define SECOND_VA UINT64_C(0x28000000)

static int fd;

/* Three objects: commands, target, source. */
static struct {
    uint32_t handle;
    uint32_t *dw;
} commands, target, source;

static int
get_param(int32_t param)
{
    int value = -1;
    struct drm_i915_getparam g = {.param = param, .value = &value};
    return call(fd, DRM_IOCTL_I915_GETPARAM, &g) ? -1 : value;
}

static unsigned
count_engines(uint16_t engine_class)
{
    _Alignas(8) uint8_t answer[512] = {0};
    const struct drm_i915_query_engine_info *info = (void *)answer;
    struct drm_i915_query_item item = {.query_id = DRM_I915_QUERY_ENGINE_INFO,
                                       .length = sizeof answer,
                                       .data_ptr = (uintptr_t)answer};
    struct drm_i915_query q = {.num_items = 1, .items_ptr = (uintptr_t)&item};
    unsigned n = 0;
    if (call(fd, DRM_IOCTL_I915_QUERY, &q) || item.length <= 0)
        return 0;
    for (unsigned i = 0; i < info->num_engines; i++)
        n += info->engines[i].engine.engine_class == engine_class;
    return n;
}

static int
submit(uint64_t ring, uint32_t context)
{
    struct drm_i915_gem_exec_object2 o[3] = {
        {.handle = commands.handle, .offset = COMMANDS_VA},
        {.handle = target.handle,
         .offset = OTHER_VA,
         .flags = EXEC_OBJECT_WRITE},
        {.handle = source.handle,
         .offset = SECOND_VA,
         .flags = EXEC_OBJECT_WRITE}};
    for (unsigned i = 0; i < 3; i++)
        o[i].flags |= EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)o,
                                          .buffer_count = 3,
                                          .flags = ring | I915_EXEC_BATCH_FIRST,
                                          .rsvd1 = context};
    int err = call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
    return err ? err : bo_wait(fd, commands.handle, 10000);
}

static uint32_t *
put_dwords(uint32_t *to, const uint32_t *dw, unsigned count)
{
    memcpy(to, dw, count * 4);
    return to + count;
}
#define PUT(to, ...)                                \
    put_dwords(to, (const uint32_t[]){__VA_ARGS__}, \
               sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static uint32_t *
put_copy(uint32_t *dw, uint32_t flags, uint64_t to, uint32_t to_pitch,
         uint64_t from, uint32_t from_pitch)
{
    return PUT(dw, 0x54f00008 | flags, 3u << 24 | 0xccu << 16 | to_pitch, 0,
               32u << 16 | PITCH_B / 4, (uint32_t)to, (uint32_t)(to >> 32), 0,
               from_pitch, (uint32_t)from, (uint32_t)(from >> 32));
}

/* MI_LOAD_REGISTER_IMM of BCS_SWCTRL between MI_FLUSH_DW, as drivers have it.
 */
static uint32_t *
put_swctrl(uint32_t *dw, uint32_t value)
{
    return PUT(dw, 0x13000002, 0, 0, 0, 0x11000001, 0x22200, value);
}

/* ------------------------------------------------------------------------ */

/* The driver of the VA API clears a new surface like this. */
static void
test_relocated_fill(void)
{
    struct drm_i915_gem_relocation_entry r = {
        .target_handle = target.handle,
        .offset = 16,
        .presumed_offset = UINT64_MAX,
        .write_domain = I915_GEM_DOMAIN_RENDER,
        .read_domains = I915_GEM_DOMAIN_RENDER};
    struct drm_i915_gem_exec_object2 o[2] = {{.handle = target.handle},
                                             {.handle = commands.handle,
                                              .relocation_count = 1,
                                              .relocs_ptr = (uintptr_t)&r}};
    struct drm_i915_gem_execbuffer2 eb = {
        .buffers_ptr = (uintptr_t)o, .buffer_count = 2, .flags = I915_EXEC_BLT};
    memset(target.dw, 0, SIZE_B);
    put_end(PUT(commands.dw, 0x54000005, 0xf0u << 16 | 128, 0, 8u << 16 | 128,
                0, 0, 0x10));
    int err = call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
    ok(!err && !bo_wait(fd, target.handle, 10000),
       "a batch with relocations runs");
    ok(target.dw[0] == 0x10101010 && target.dw[255] == 0x10101010 &&
           target.dw[256] == 0,
       "and fills 1024 bytes");
}

static void
test_tiled_copies(void)
{
    for (unsigned i = 0; i < SIZE_B / 4; i++)
        source.dw[i] = i * 2654435761u;
    memset(target.dw, 0, SIZE_B);
    uint32_t *dw = put_swctrl(commands.dw, 3u << 16 | 2);
    dw = put_copy(dw, 1u << 11, OTHER_VA, PITCH_B / 4, SECOND_VA, PITCH_B);
    put_end(put_swctrl(dw, 3u << 16));
    ok(!submit(I915_EXEC_BLT, 0), "a copy to a Y-tiled surface");
    /* Pixel (37, 5): the second tile, the second column of 16 bytes. */
    ok(target.dw[1024 + 128 + 5 * 4 + 1] == source.dw[5 * 128 + 37],
       "puts pixels where tiles have them");
    for (unsigned i = 0; i < 32 * 128; i++)
        source.dw[SIZE_B / 8 + i] = 0;
    dw = put_swctrl(commands.dw, 3u << 16 | 1);
    dw = put_copy(dw, 1u << 15, SECOND_VA + SIZE_B / 2, PITCH_B, OTHER_VA,
                  PITCH_B / 4);
    put_end(put_swctrl(dw, 3u << 16));
    ok(!submit(I915_EXEC_BLT, 0) &&
           !memcmp(source.dw, source.dw + SIZE_B / 8, 32 * PITCH_B),
       "and back");
}

/* The engine map's first engine is the blitter. */
static void
test_engine_map(void)
{
    uint32_t context = context_create(fd);
    I915_DEFINE_CONTEXT_PARAM_ENGINES(map, 1) = {
        .engines = {{I915_ENGINE_CLASS_COPY, 0}}};
    struct drm_i915_gem_context_param p = {.ctx_id = context,
                                           .size = sizeof map,
                                           .param = I915_CONTEXT_PARAM_ENGINES,
                                           .value = (uintptr_t)&map};
    ok(!call(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p),
       "an engine map of the blitter");
    memset(target.dw, 0, SIZE_B);
    put_end(put_copy(commands.dw, 0, OTHER_VA, PITCH_B, SECOND_VA, PITCH_B));
    ok(!submit(0, context) && !memcmp(source.dw, target.dw, 32 * PITCH_B),
       "copies");
    ok(count_resets(fd, context) == 0, "without a reset");
    put_end(PUT(commands.dw, 0x54000004, 0, 0, 0, 0, 0));
    submit(0, context);
    ok(count_resets(fd, context) == 1, "a broken packet resets the context");
}

/* What one ring has written, the other one reads. */
static void
test_two_rings(void)
{
    put_end(put_store(commands.dw, SECOND_VA, 0x600d));
    int err = submit(I915_EXEC_RENDER, 0);
    put_end(put_copy(commands.dw, 0, OTHER_VA, PITCH_B, SECOND_VA, PITCH_B));
    ok(!err && !submit(I915_EXEC_BLT, 0) && target.dw[0] == 0x600d,
       "the blitter reads what the render ring has written");
}

int
main(void)
{
    fd = open_render();
    commands.handle = bo_create(fd, SIZE_B);
    target.handle = bo_create(fd, SIZE_B);
    source.handle = bo_create(fd, SIZE_B);
    commands.dw = bo_map(fd, commands.handle, SIZE_B);
    target.dw = bo_map(fd, target.handle, SIZE_B);
    source.dw = bo_map(fd, source.handle, SIZE_B);
    ok(get_param(I915_PARAM_HAS_BLT) == 1, "I915_PARAM_HAS_BLT");
    ok(count_engines(I915_ENGINE_CLASS_COPY) == 1, "one copy engine");
    ok(count_engines(I915_ENGINE_CLASS_RENDER) == 1, "one render engine");
    test_relocated_fill();
    test_tiled_copies();
    test_engine_map();
    test_two_rings();
    return done_testing();
}
