/* rig.c: see rig.h; stubs of geom, raster, compute and eu. */
#include "rig.h"

#include "engine/compute/compute.h"
#include "engine/geom/geom.h"
#include "engine/raster/raster.h"
#include "eu/profile/profile_unit.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct rig_record rig_record;

/* ---- stubs of the rooms below ---- */

void
geom_draw(const struct draw *draw)
{
    rig_record.draws++;
    rig_record.draw = *draw;
    if (rig_record.on_draw)
        rig_record.on_draw(draw);
}

void
raster_hz_op(const struct hz_op *op)
{
    rig_record.hz_ops++;
    rig_record.hz_op = *op;
}

void
raster_free(struct raster *raster)
{
}

void
geom_kept_free(struct geom_kept *kept)
{
}

/* A test's on_draw() leaves one for deferred pixels. */
struct raster {
    char unused;
};
static struct raster left;

void
rig_leave_pixels(const struct draw *draw)
{
    *draw->kept_raster = &left;
    rig_record.waiting++;
}

bool
raster_has_deferred(const struct raster *raster)
{
    return rig_record.waiting != 0;
}

void
raster_flush(struct raster *raster)
{
    rig_record.flushed += rig_record.waiting;
    rig_record.waiting = 0;
}

void
raster_note_write(struct raster *raster, const void *at, uint64_t size_B)
{
    rig_record.noted_at = at;
    rig_record.noted_B = size_B;
}

void
raster_note_any_write(struct raster *raster)
{
    rig_record.noted_any++;
}

bool
eu_kernel_is_pure(const struct eu_kernel *kernel)
{
    return true;
}

void
compute_dispatch(const struct dispatch *dispatch)
{
    rig_record.dispatches++;
    rig_record.dispatch = *dispatch;
}

struct eu_kernel {
    uint8_t code[64];
};

/* A kernel is 64 bytes; one that begins with a zero is malformed. */
const struct eu_kernel *
eu_kernel_get(const void *code, size_t avail_B, enum eu_gen gen)
{
    rig_record.kernel_code = code;
    if (*(const uint8_t *)code == 0)
        return NULL;
    struct eu_kernel *kernel = malloc(sizeof *kernel);
    memcpy(kernel->code, code, sizeof kernel->code);
    return kernel;
}

const struct eu_kernel *
eu_kernel_get_counted(const void *code, size_t avail_B, enum eu_gen gen)
{
    return eu_kernel_get(code, avail_B, gen);
}

void
eu_busy_read(struct eu_busy *busy)
{
    *busy = rig_record.busy;
}

void
eu_kernel_unref(const struct eu_kernel *kernel)
{
    free((void *)kernel);
}

void
eu_trace_fallbacks(void)
{
}

void
eu_kernel_note_use(const struct eu_kernel *kernel, unsigned stage,
                   unsigned simd)
{
    (void)kernel;
    (void)stage;
    (void)simd;
}

uint32_t
eu_kernel_counters(const struct eu_kernel *kernel, uint32_t *count)
{
    *count = 0;
    return 0;
}

uint64_t
eu_kernel_content_hash(const struct eu_kernel *kernel)
{
    return kernel->code[0];
}

size_t
eu_kernel_size_B(const struct eu_kernel *kernel)
{
    return sizeof kernel->code;
}

/* ---- the rig ------------------------------------------------------------ */

void
rig_init(struct rig *rig, const struct engine_config *config)
{
    memset(&rig_record, 0, sizeof rig_record);
    rig->engine = engine_create(config);
    cr_assert_not_null(rig->engine);
    rig->vm = engine_vm_create(rig->engine);
    cr_assert_not_null(rig->vm);
    rig->ctx = engine_context_create(rig->engine, rig->vm);
    cr_assert_not_null(rig->ctx);
    rig->fd = memfd_create("rig", MFD_CLOEXEC);
    cr_assert(rig->fd >= 0 && !ftruncate(rig->fd, RIG_SIZE_B));
    rig->mem = mmap(NULL, RIG_SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED,
                    rig->fd, 0);
    cr_assert_neq(rig->mem, MAP_FAILED);
    cr_assert_eq(engine_vm_map(rig->vm, RIG_VA, RIG_SIZE_B, rig->fd, 0), 0);
    rig_at(rig, RIG_BATCH);
}

void
rig_finish(struct rig *rig)
{
    engine_context_destroy(rig->ctx);
    engine_vm_unref(rig->vm);
    engine_destroy(rig->engine);
    munmap(rig->mem, RIG_SIZE_B);
    close(rig->fd);
}

uint32_t *
rig_dw(struct rig *rig, uint64_t va)
{
    return (uint32_t *)(void *)(rig->mem + (va - RIG_VA));
}

uint64_t
rig_qw(struct rig *rig, uint64_t va)
{
    uint64_t v;
    memcpy(&v, rig_dw(rig, va), 8);
    return v;
}

void
rig_at(struct rig *rig, uint64_t va)
{
    rig->next = rig_dw(rig, va);
}

void
rig_emit(struct rig *rig, const uint32_t *dw, unsigned count)
{
    if (count)
        memcpy(rig->next, dw, count * 4);
    rig->next += count;
}

struct finish {
    atomic_bool over;
    enum engine_result result;
};

static void
on_done(void *data, enum engine_result result)
{
    struct finish *finish = data;
    finish->result = result;
    atomic_store(&finish->over, true);
}

void
rig_set_bases(struct rig *rig, uint64_t surface_va, uint64_t dynamic_va,
              uint64_t instruction_va)
{
    struct gen9_state_base_address p = {
        .surface_state_base_address_modify_enable = surface_va != 0,
        .surface_state_base_address = surface_va,
        .dynamic_state_base_address_modify_enable = dynamic_va != 0,
        .dynamic_state_base_address = dynamic_va,
        .instruction_base_address_modify_enable = instruction_va != 0,
        .instruction_base_address = instruction_va,
    };
    uint32_t dw[19] = {0};
    gen9_state_base_address_pack(&p, dw);
    dw[0] |= 0x61010011;
    rig_emit(rig, dw, 19);
}

enum engine_result
rig_run(struct rig *rig, struct engine_context *ctx, enum engine_ring ring)
{
    struct finish finish = {0};
    engine_submit(rig->engine, &(struct engine_submit){
                                   .ctx = ctx,
                                   .ring = ring,
                                   .batch_va = RIG_BATCH,
                                   .batch_B = 0x1000,
                                   .users = &rig->user,
                                   .user_count = rig->user != 0,
                                   .done = on_done,
                                   .data = &finish,
                               });
    engine_idle(rig->engine);
    cr_assert(atomic_load(&finish.over));
    rig_at(rig, RIG_BATCH);
    return finish.result;
}
