/* ioctl_perf.c: performance counters: metric sets and streams. Any client may
 * use them: perf_stream_paranoid of the device tree is 0. */
#include "drm-shim/gem/gem.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/oa/oa.h"
#include "engine/engine.h"

#include <i915_drm.h>
#include <stddef.h>
#include <stdlib.h>

/* Guess: the kernel has no limit but memory; the largest list of stock drivers
 * has 200. */
#define REGISTERS_MAX 65536u

/* ---- metric sets --------------------------------------------------------- */

/* Copies a list in, behind the values that metrics has. */
static int
read_list(struct oa_metrics *metrics, unsigned at, enum oa_list list,
          uint64_t ptr)
{
    struct oa_register_value *v = metrics->value + at;
    uint32_t count = metrics->count[list];
    if (!count)
        return 0;
    int err = client_read(v, ptr, count * sizeof *v);
    for (uint32_t i = 0; !err && i < count; i++)
        if (!oa_register_is_valid(list, v[i].address))
            err = -EINVAL;
    return err;
}

static int
read_set(const struct drm_i915_perf_oa_config *c, struct oa_metrics **out)
{
    const uint32_t count[OA_LISTS] = {c->n_mux_regs, c->n_boolean_regs,
                                      c->n_flex_regs};
    const uint64_t ptr[OA_LISTS] = {c->mux_regs_ptr, c->boolean_regs_ptr,
                                    c->flex_regs_ptr};
    uint64_t total = 0, some = 0;
    for (unsigned i = 0; i < OA_LISTS; i++) {
        total += count[i];
        some |= count[i] && ptr[i];
    }
    if (!some || !oa_uuid_is_valid(c->uuid))
        return -EINVAL;
    if (total > REGISTERS_MAX)
        return -ENOMEM;
    struct oa_metrics *m = calloc(1, sizeof *m + total * sizeof m->value[0]);
    if (!m)
        return -ENOMEM;
    memcpy(m->uuid, c->uuid, OA_UUID_LENGTH);
    memcpy(m->count, count, sizeof m->count);
    int err = 0;
    for (unsigned i = 0, at = 0; i < OA_LISTS && !err; at += count[i++])
        err = read_list(m, at, i, ptr[i]);
    if (err)
        free(m);
    else
        *out = m;
    return err;
}

int
ioctl_perf_add_config(struct drm_file *file, void *arg)
{
    struct oa_metrics *m = NULL;
    int err = read_set(arg, &m);
    if (err)
        return err;
    int tree = devtree_open_root();
    int id = tree < 0 ? -ENOMEM : oa_metrics_add(tree, m);
    if (tree >= 0)
        close(tree);
    free(m);
    return id;
}

int
ioctl_perf_remove_config(struct drm_file *file, void *arg)
{
    uint64_t id;
    memcpy(&id, arg, sizeof id);
    int tree = devtree_open_root();
    int err = tree < 0 ? -ENOENT : oa_metrics_remove(tree, id);
    if (tree >= 0)
        close(tree);
    return err;
}

/* ---- streams ------------------------------------------------------------- */

struct properties {
    bool sample, hold_preemption, has_context;
    uint32_t context;
    uint64_t format;
    struct oa_stream_start start;
};

/* Gen8 and Gen9. Others than the last one are of no use here. */
static int
check_format(uint64_t format)
{
    switch (format) {
    case I915_OA_FORMAT_A32u40_A4u32_B8_C8: return 0;
    case I915_OA_FORMAT_A12:
    case I915_OA_FORMAT_A12_B8_C8:
    case I915_OA_FORMAT_C4_B8:
        unimp("OA report format %llu", (unsigned long long)format);
        return -EINVAL;
    default: return -EINVAL;
    }
}

/* Only the render engine has slices; its configuration is not changed. */
static int
check_sseu(uint64_t ptr)
{
    struct drm_i915_gem_context_param_sseu sseu;
    int err = client_read(&sseu, ptr, sizeof sseu);
    if (err)
        return err;
    const struct platform *p = device_platform();
    uint64_t slices = (UINT64_C(1) << p->slices) - 1;
    uint64_t subslices = (UINT64_C(1) << p->subslices) - 1;
    bool ok = sseu.engine.engine_class == I915_ENGINE_CLASS_RENDER &&
              !sseu.engine.engine_instance && !sseu.flags && !sseu.rsvd &&
              sseu.slice_mask && !(sseu.slice_mask & ~slices) &&
              sseu.subslice_mask && !(sseu.subslice_mask & ~subslices) &&
              sseu.max_eus_per_subslice &&
              sseu.min_eus_per_subslice <= sseu.max_eus_per_subslice &&
              sseu.max_eus_per_subslice <= 8;
    return ok ? 0 : -EINVAL;
}

#define EXPONENT_MAX 31
#define POLL_MIN_NS 100000

static int
read_property(struct properties *p, uint64_t id, uint64_t value)
{
    switch (id) {
    case DRM_I915_PERF_PROP_CTX_HANDLE:
        p->has_context = true;
        p->context = (uint32_t)value;
        return 0;
    case DRM_I915_PERF_PROP_SAMPLE_OA: p->sample |= value != 0; return 0;
    case DRM_I915_PERF_PROP_OA_METRICS_SET:
        p->start.metrics.id = value;
        return value ? 0 : -EINVAL;
    case DRM_I915_PERF_PROP_OA_FORMAT:
        p->format = value;
        return check_format(value);
    case DRM_I915_PERF_PROP_OA_EXPONENT:
        if (value > EXPONENT_MAX)
            return -EINVAL;
        p->start.period_ns = (UINT64_C(2000000000) << value) /
                             device_platform()->timestamp_hz;
        return 0;
    case DRM_I915_PERF_PROP_HOLD_PREEMPTION:
        p->hold_preemption = value != 0;
        return 0;
    case DRM_I915_PERF_PROP_GLOBAL_SSEU: return check_sseu(value);
    case DRM_I915_PERF_PROP_POLL_OA_PERIOD:
        return value < POLL_MIN_NS ? -EINVAL : 0;
    default: return -EINVAL;
    }
}

static int
read_properties(const struct drm_i915_perf_open_param *open,
                struct properties *p)
{
    uint32_t count = open->num_properties;
    int err = count && count < DRM_I915_PERF_PROP_MAX ? 0 : -EINVAL;
    for (uint32_t i = 0; i < count && !err; i++) {
        uint64_t pair[2];
        err = client_read(pair, open->properties_ptr + i * sizeof pair,
                          sizeof pair);
        if (!err)
            err = read_property(p, pair[0], pair[1]);
    }
    return err;
}

/* Finds the context's render engine, which the stream follows. */
static int
find_context(struct drm_file *file, struct properties *p)
{
    if (!p->has_context)
        return 0;
    device_lock();
    struct gem_context *ctx = gem_context_find(file, p->context);
    struct gem_context_engine *engine = NULL;
    for (unsigned i = 0; ctx && i < ctx->engine_count && !engine; i++)
        if (ctx->engines[i].engine_class == I915_ENGINE_CLASS_RENDER)
            engine = &ctx->engines[i];
    struct engine_context *hw = engine ? gem_context_hw(ctx, engine) : NULL;
    if (hw)
        p->start.context_id = engine_context_id(hw);
    device_unlock();
    return !ctx ? -ENOENT : !engine ? -ENODEV : hw ? 0 : -ENOMEM;
}

static bool
choose_metrics(struct oa_chosen *metrics)
{
    int tree = devtree_open_root();
    bool known = tree >= 0 && oa_metrics_choose(tree, metrics->id, metrics);
    if (tree >= 0)
        close(tree);
    return known;
}

int
ioctl_perf_open(struct drm_file *file, void *arg)
{
    const struct drm_i915_perf_open_param *open = arg;
    const uint32_t flags = I915_PERF_FLAG_FD_CLOEXEC |
                           I915_PERF_FLAG_FD_NONBLOCK | I915_PERF_FLAG_DISABLED;
    struct properties p = {
        .start = {
            .cloexec = open->flags & I915_PERF_FLAG_FD_CLOEXEC,
            .nonblock = open->flags & I915_PERF_FLAG_FD_NONBLOCK,
            .disabled = open->flags & I915_PERF_FLAG_DISABLED,
        }};
    int err = open->flags & ~flags ? -EINVAL : read_properties(open, &p);
    if (!err)
        err = find_context(file, &p);
    if (err)
        return err;
    if ((p.hold_preemption && !p.has_context) || !p.sample)
        return -EINVAL;
    /* The order of the kernel: an open stream counts before the set does. */
    if (oa_stream_is_open())
        return -EBUSY;
    if (!p.format || !choose_metrics(&p.start.metrics))
        return -EINVAL;
    return oa_stream_open(&p.start);
}

/* ---- DRM_I915_QUERY_PERF_CONFIG ------------------------------------------ */

#define LIST_MAX 512

/* A header without flags; the union is the list's count, a uuid or an id. */
static int
read_header(const struct drm_i915_query_item *item,
            struct drm_i915_query_perf_config *head)
{
    int err = client_read(head, item->data_ptr, sizeof *head);
    return err ? err : head->flags ? -EINVAL : 0;
}

static int
query_list(const struct drm_i915_query_item *item, int tree)
{
    struct drm_i915_query_perf_config head;
    uint64_t ids[LIST_MAX];
    unsigned count = MIN2(oa_metrics_list(tree, ids, LIST_MAX), LIST_MAX);
    int size_B = (int)(sizeof head + count * sizeof ids[0]);
    if (!item->length)
        return size_B;
    if (item->length < size_B)
        return -EINVAL;
    int err = read_header(item, &head);
    head.n_configs = count;
    if (!err)
        err = client_write(item->data_ptr, &head, sizeof head);
    if (!err)
        err = client_write(item->data_ptr + sizeof head, ids,
                           count * sizeof ids[0]);
    return err ? err : size_B;
}

/* Tells the length of a list, or copies it to a buffer of that length. */
static int
write_list(const struct oa_register_value *v, uint32_t count, uint64_t ptr,
           uint32_t *client_count)
{
    uint32_t room = *client_count;
    if (room && room < count)
        return -EINVAL;
    *client_count = count;
    return room ? client_write(ptr, v, count * sizeof *v) : 0;
}

static int
write_set(const struct oa_metrics *m, uint64_t at)
{
    struct drm_i915_perf_oa_config c;
    int err = client_read(&c, at, sizeof c);
    if (err)
        return err;
    const struct oa_register_value *boolean = m->value + m->count[OA_LIST_MUX];
    const struct oa_register_value *flex = boolean + m->count[OA_LIST_BOOLEAN];
    err = write_list(boolean, m->count[OA_LIST_BOOLEAN], c.boolean_regs_ptr,
                     &c.n_boolean_regs);
    if (!err)
        err = write_list(flex, m->count[OA_LIST_FLEX], c.flex_regs_ptr,
                         &c.n_flex_regs);
    if (!err)
        err = write_list(m->value, m->count[OA_LIST_MUX], c.mux_regs_ptr,
                         &c.n_mux_regs);
    memcpy(c.uuid, m->uuid, sizeof c.uuid);
    return err ? err : client_write(at, &c, sizeof c);
}

static int
query_data(const struct drm_i915_query_item *item, int tree, bool by_uuid)
{
    struct drm_i915_query_perf_config head;
    int size_B = (int)(sizeof head + sizeof(struct drm_i915_perf_oa_config));
    if (!item->length)
        return size_B;
    if (item->length < size_B)
        return -EINVAL;
    int err = read_header(item, &head);
    if (err)
        return err;
    uint64_t id = by_uuid ? oa_metrics_find(tree, head.uuid) : head.config;
    struct oa_metrics *m = oa_metrics_read(tree, id);
    err = m ? write_set(m, item->data_ptr + sizeof head) : -ENOENT;
    free(m);
    return err ? err : size_B;
}

int
ioctl_query_perf_config(const struct drm_i915_query_item *item)
{
    int tree = devtree_open_root();
    int ret = -EINVAL;
    if (tree < 0)
        return -ENOMEM;
    switch (item->flags) {
    case DRM_I915_QUERY_PERF_CONFIG_LIST: ret = query_list(item, tree); break;
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID:
        ret = query_data(item, tree, true);
        break;
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID:
        ret = query_data(item, tree, false);
        break;
    default: break;
    }
    close(tree);
    return ret;
}
