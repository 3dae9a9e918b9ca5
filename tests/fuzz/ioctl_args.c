/* ioctl_args.c: arguments of ioctls; see ioctl_run.h. */
#include "ioctl_run.h"

#include "ioctl_fields.h"

#include "drm-shim/kms/display.h"
#include "drm-shim/sync/sync.h"

#include <drm_fourcc.h>
#include <string.h>
#include <unistd.h>

static const struct field {
    uint32_t request;
    uint16_t at_B, size_B;
    enum field_kind kind;
} fields[] = {
#define X(request, type, field, kind)                 \
    {(uint32_t)request, offsetof(struct type, field), \
     (uint16_t)MIN2(sizeof((struct type *)0)->field, 68), FIELD_##kind},
    IOCTL_FIELDS(X)
#undef X
};

void
pool_add(struct pool *pool, uint32_t value)
{
    unsigned n = atomic_fetch_add(&pool->count, 1);
    uint32_t old = atomic_exchange(&pool->value[n % POOL], value);
    if (pool->descriptors && n >= POOL)
        close((int)old);
}

uint32_t
pool_pick(struct pool *pool, unsigned n)
{
    unsigned count = MIN2(atomic_load(&pool->count), POOL);
    return count ? atomic_load(&pool->value[n % count]) : UINT32_MAX;
}

/* ------------------------------------------------------------------------
 * Numbers */

static uint64_t
any_word(struct caller *c)
{
    static const uint64_t edges[] = {
        0,          1,          2,          7,          4095,
        4096,       4097,       0xffff,     0x10000,    0x7fffffff,
        0x80000000, UINT32_MAX, 1ull << 32, 1ull << 40, (1ull << 47) - 4096,
        1ull << 47, 1ull << 48, INT64_MAX,  1ull << 63, ~UINT64_C(4095),
        UINT64_MAX,
    };
    uint8_t b = take(c);
    if (b < ARRAY_SIZE(edges))
        return edges[b];
    if (b < 128)
        return b % 16;
    uint64_t v = 0;
    for (unsigned i = 0; i < (b < 192 ? 4u : 8u); i++)
        v = v << 8 | take(c);
    return v;
}

/* Of a handle table: counts from 1. */
static uint32_t
pick_handle(struct caller *c, unsigned count)
{
    uint8_t b = take(c);
    if (b >= 250)
        return (uint32_t)any_word(c);
    return 1 + b % (b < 200 ? count : 2 * count);
}

static uint64_t
pick_bytes(struct caller *c)
{
    uint8_t b = take(c);
    if (b < 192)
        return (uint64_t)(b % 16) * 4096;
    return b < 240 ? (uint64_t)(b - 192) * 64 : any_word(c);
}

static uint64_t
pick_flags(struct caller *c)
{
    uint8_t b = take(c);
    if (b < 80)
        return 0;
    return b < 208 ? UINT64_C(1) << b % 32 : any_word(c);
}

static uint32_t
pick_object(struct caller *c, uint32_t *type)
{
    static const struct {
        uint32_t id, type;
    } objects[] = {
        {KMS_CRTC, DRM_MODE_OBJECT_CRTC},
        {KMS_CONNECTOR, DRM_MODE_OBJECT_CONNECTOR},
        {KMS_ENCODER, DRM_MODE_OBJECT_ENCODER},
        {KMS_PLANE_FIRST, DRM_MODE_OBJECT_PLANE},
        {KMS_PLANE_FIRST + 1, DRM_MODE_OBJECT_PLANE},
        {KMS_PROP_FIRST, DRM_MODE_OBJECT_PROPERTY},
    };
    uint8_t b = take(c);
    *type = b & 0x40 ? DRM_MODE_OBJECT_ANY
                     : objects[b % ARRAY_SIZE(objects)].type;
    return b >= 240 ? pool_pick(&c->device->ids, b)
                    : objects[b % ARRAY_SIZE(objects)].id;
}

static uint32_t
pick_format(struct caller *c)
{
    static const uint32_t formats[] = {
        DRM_FORMAT_XRGB8888,    DRM_FORMAT_ARGB8888,      DRM_FORMAT_RGB565,
        DRM_FORMAT_XRGB2101010, DRM_FORMAT_XBGR8888,      DRM_FORMAT_NV12,
        DRM_FORMAT_C8,          DRM_FORMAT_ABGR16161616F,
    };
    uint8_t b = take(c);
    return b < 240 ? formats[b % ARRAY_SIZE(formats)] : (uint32_t)any_word(c);
}

static uint32_t
pick_px(struct caller *c)
{
    static const uint16_t sizes[] = {0, 1, 16, 64, 256, 640, 480, 1024, 768};
    uint8_t b = take(c);
    return b < 240 ? sizes[b % ARRAY_SIZE(sizes)] : (uint32_t)any_word(c);
}

static void
fill_mode(struct caller *c, void *at)
{
    static const struct drm_mode_modeinfo mode = {
        .clock = 55000,
        .hdisplay = 1024,
        .hsync_start = 1072,
        .hsync_end = 1104,
        .htotal = 1184,
        .vdisplay = 768,
        .vsync_start = 771,
        .vsync_end = 777,
        .vtotal = 799,
        .vrefresh = 60,
        .flags = DRM_MODE_FLAG_PHSYNC | DRM_MODE_FLAG_NVSYNC,
        .type = DRM_MODE_TYPE_DRIVER,
        .name = "1024x768",
    };
    memcpy(at, &mode, sizeof mode);
    uint8_t b = take(c);
    if (b >= 192)
        ((uint16_t *)at)[b % (sizeof mode / 2)] = (uint16_t)any_word(c);
}

/* ------------------------------------------------------------------------
 * Pointers */

/* Room in the scratch memory; the last of it touches the page that is not
 * there. */
static uint8_t *
make_room(struct caller *c, size_t size_B)
{
    if (c->used_B + size_B + 8 > SCRATCH_B)
        c->used_B = 0;
    uint8_t *p = c->scratch + c->used_B;
    c->used_B += (size_B + 7) & ~(size_t)7;
    return p;
}

/* Sometimes an address where nothing is, or only a part. */
static uint64_t
bad_pointer(struct caller *c, uint8_t b)
{
    switch (b % 6) {
    case 0: return 0;
    case 1: return 8;
    case 2: return (uintptr_t)c->scratch + SCRATCH_B - 4;
    case 3: return (uintptr_t)c->scratch + SCRATCH_B;
    case 4: return UINT64_C(1) << 63;
    default: return any_word(c);
    }
}

#define IS_BAD(b) ((b) >= 248)

static uint64_t
make_words(struct caller *c, enum field_kind kind)
{
    uint32_t *p = (uint32_t *)make_room(c, 8 * sizeof *p), type;
    for (unsigned i = 0; i < 8; i++) {
        switch (kind) {
        case FIELD_P_HANDLES: p[i] = pick_handle(c, 4); break;
        case FIELD_P_OBJECT_IDS: p[i] = pick_object(c, &type); break;
        case FIELD_P_COUNTS: p[i] = take(c) % 4; break;
        case FIELD_P_CONNECTORS: p[i] = KMS_CONNECTOR + !i * 0; break;
        default: p[i] = KMS_PROP_FIRST + take(c) % 26; break;
        }
    }
    return (uintptr_t)p;
}

static uint64_t
make_long_words(struct caller *c, enum field_kind kind)
{
    uint64_t *p = (uint64_t *)make_room(c, 8 * sizeof *p);
    for (unsigned i = 0; i < 8; i++) {
        uint8_t b = take(c);
        p[i] = b % 8;
        if (kind == FIELD_P_VALUES && b >= 64)
            p[i] = b < 128   ? pool_pick(&c->device->ids, b)
                   : b < 160 ? (uint64_t)pool_pick(&c->device->fds, b)
                   : b < 192 ? (uintptr_t)c->scratch
                             : any_word(c);
    }
    return (uintptr_t)p;
}

static uint64_t
make_bytes(struct caller *c)
{
    uint8_t *p = make_room(c, 4096);
    size_t wanted_B = take(c);
    size_t size_B = MIN2(wanted_B, (size_t)(c->end - c->at));
    memset(p, 0, 256);
    if (size_B)
        memcpy(p, c->at, size_B);
    c->at += size_B;
    return (uintptr_t)p;
}

static uint64_t
make_param_value(struct caller *c, uint64_t *size_B)
{
    struct i915_context_param_engines *map;
    uint8_t b = take(c);
    if (b < 128) {
        *size_B = 0;
        return b % 4;
    }
    unsigned count = b % 6;
    *size_B = sizeof *map + count * sizeof map->engines[0];
    map = (void *)make_room(c, *size_B);
    memset(map, 0, *size_B);
    for (unsigned i = 0; i < count; i++) {
        b = take(c);
        map->engines[i].engine_class = b < 240 ? b % 4 : (uint16_t)-1;
        map->engines[i].engine_instance = b < 220 ? 0 : b % 3;
    }
    return (uintptr_t)map;
}

static uint64_t
make_context_extensions(struct caller *c)
{
    uint64_t next = 0;
    for (unsigned n = take(c) % 4; n; n--) {
        struct drm_i915_gem_context_create_ext_setparam *e = (void *)make_room(
            c, sizeof *e);
        uint64_t size_B;
        memset(e, 0, sizeof *e);
        e->base.next_extension = next;
        e->base.name = take(c) >= 240;
        e->param.param = take(c) % 14;
        e->param.value = make_param_value(c, &size_B);
        e->param.size = (uint32_t)size_B;
        next = (uintptr_t)e;
        if (take(c) >= 252)
            e->base.next_extension = next; /* a circle */
    }
    return next;
}

static uint64_t
make_regions(struct caller *c)
{
    struct drm_i915_gem_create_ext_memory_regions *e = (void *)make_room(
        c, sizeof *e);
    uint16_t *regions = (uint16_t *)make_room(c, 32);
    if (take(c) < 128)
        return 0;
    memset(e, 0, sizeof *e);
    e->base.name = take(c) % 3;
    e->num_regions = take(c) % 5;
    e->regions = (uintptr_t)regions;
    for (unsigned i = 0; i < 16; i++)
        regions[i] = take(c) % 3;
    return (uintptr_t)e;
}

static uint64_t
make_query_items(struct caller *c)
{
    struct drm_i915_query_item *items = (void *)make_room(c, 8 * sizeof *items);
    for (unsigned i = 0; i < 8; i++) {
        uint8_t b = take(c);
        items[i] = (struct drm_i915_query_item){
            .query_id = b % 8,
            .length = b < 128 ? 0 : b * 8,
            .flags = take(c) % 4,
            .data_ptr = (uintptr_t)make_room(c, 2048),
        };
    }
    return (uintptr_t)items;
}

static uint64_t
make_pointer(struct caller *c, enum field_kind kind)
{
    uint8_t b = take(c);
    if (IS_BAD(b))
        return bad_pointer(c, b);
    switch (kind) {
    case FIELD_P_OUT: return (uintptr_t)make_room(c, 4096);
    case FIELD_P_BYTES: return make_bytes(c);
    case FIELD_P_USER: return (uintptr_t)c->device->user + b % 8 * 4096;
    case FIELD_P_POINTS:
    case FIELD_P_VALUES: return make_long_words(c, kind);
    case FIELD_P_EXTENSIONS: return make_context_extensions(c);
    case FIELD_P_REGIONS: return make_regions(c);
    case FIELD_P_QUERY_ITEMS: return make_query_items(c);
    default: return make_words(c, kind);
    }
}

/* ------------------------------------------------------------------------ */

/* size_B of a FIELD_PARAM_VALUE lies before it, in the same struct. */
static void
fill_param(struct caller *c, void *arg)
{
    struct drm_i915_gem_context_param *p = arg;
    uint64_t size_B;
    p->value = make_param_value(c, &size_B);
    if (take(c) < 240)
        p->size = (uint32_t)size_B;
}

static uint64_t
pick_value(struct caller *c, enum field_kind kind)
{
    uint32_t type;
    uint8_t b;
    switch (kind) {
    case FIELD_BO:
    case FIELD_SYNCOBJ: return pick_handle(c, 4);
    case FIELD_VM: return pick_handle(c, 2);
    case FIELD_CTX: return pick_handle(c, 2) - 1;
    case FIELD_FD: return pool_pick(&c->device->fds, take(c));
    case FIELD_ID: return pool_pick(&c->device->ids, take(c));
    case FIELD_CRTC: return KMS_CRTC + (take(c) >= 248);
    case FIELD_CONNECTOR: return KMS_CONNECTOR + (take(c) >= 248);
    case FIELD_PLANE: return KMS_PLANE_FIRST + take(c) % 3;
    case FIELD_PROP: return KMS_PROP_FIRST + take(c) % 26;
    case FIELD_OBJECT: return pick_object(c, &type);
    case FIELD_SMALL: return take(c) % 8;
    case FIELD_BYTE: return take(c);
    case FIELD_BYTES: return pick_bytes(c);
    case FIELD_FLAGS: return pick_flags(c);
    case FIELD_PX: return pick_px(c);
    case FIELD_FORMAT: return pick_format(c);
    case FIELD_TIMEOUT_NS: return take(c) % 4 * 100000;
    case FIELD_DEADLINE_NS:
        b = take(c);
        return b < 192 ? 0 : (uint64_t)fence_now_ns() + b % 4 * 100000u;
    default: return make_pointer(c, kind);
    }
}

static void
fill_field(struct caller *c, const struct field *f, uint8_t *arg)
{
    if (f->kind >= FIELD_NEW_FD)
        return;
    if (f->kind == FIELD_MODE) {
        fill_mode(c, arg + f->at_B);
    } else if (f->kind == FIELD_PARAM_VALUE) {
        fill_param(c, arg);
    } else if (f->kind == FIELD_OBJECT) {
        uint32_t type, id = pick_object(c, &type);
        memcpy(arg + f->at_B, &id, sizeof id);
        memcpy(arg + f->at_B + sizeof id, &type, sizeof type);
    } else {
        uint64_t v = pick_value(c, f->kind);
        memcpy(arg + f->at_B, &v, MIN2(f->size_B, sizeof v));
    }
}

static bool
is_pointer(const struct field *f)
{
    return (f->kind >= FIELD_P_OUT && f->kind < FIELD_NEW_FD) ||
           f->kind == FIELD_PARAM_VALUE;
}

/* Whether the bytes are a part of a pointer. Half of one would still point
 * near: at the stack or at the C library, where nothing of ours may write. */
static bool
cuts_pointer(uint32_t request, size_t at_B, size_t size_B)
{
    for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
        const struct field *f = &fields[i];
        if (f->request == request && is_pointer(f) && at_B < f->at_B + 8u &&
            f->at_B < at_B + size_B && (at_B != f->at_B || size_B != 8))
            return true;
    }
    return false;
}

static void
change_dwords(struct caller *c, uint32_t request, uint8_t *arg)
{
    unsigned dwords = _IOC_SIZE(request) / 4;
    uint8_t b = take(c);
    for (unsigned n = b < 192 ? 0 : b % 4; n && dwords; n--) {
        size_t at_B = (size_t)take(c) % dwords * 4;
        uint64_t v = any_word(c);
        size_t size_B = at_B / 4 + 1 < dwords && v >> 32 ? 8 : 4;
        if (!cuts_pointer(request, at_B, size_B))
            memcpy(arg + at_B, &v, size_B);
    }
}

void
args_fill(struct caller *c, uint32_t request, void *arg)
{
    for (unsigned i = 0; i < ARRAY_SIZE(fields); i++)
        if (fields[i].request == request)
            fill_field(c, &fields[i], arg);
    change_dwords(c, request, arg);
}

void
args_learn(struct caller *c, uint32_t request, const void *arg)
{
    for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
        const struct field *f = &fields[i];
        uint32_t v;
        if (f->request != request || f->kind < FIELD_NEW_FD)
            continue;
        memcpy(&v, (const uint8_t *)arg + f->at_B, sizeof v);
        pool_add(f->kind == FIELD_NEW_FD ? &c->device->fds : &c->device->ids,
                 v);
    }
}
