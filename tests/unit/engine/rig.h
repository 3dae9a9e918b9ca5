/* rig.h: fixture of the command streamer's tests: an engine with a context and
 * one megabyte of GPU memory. Tests write batches by hand at RIG_BATCH. rig.c
 * has stubs of geom, raster, compute and eu, which record their calls. */
#ifndef TEST_RIG_H
#define TEST_RIG_H

#include "engine/state/dispatch.h"
#include "engine/state/draw.h"
#include "engine/engine.h"

#define RIG_VA UINT64_C(0x100000)
#define RIG_SIZE_B 0x100000
#define RIG_BATCH RIG_VA /* first batch */
#define RIG_BATCH_2 (RIG_VA + 0x8000)
#define RIG_DATA (RIG_VA + 0x10000) /* results */
#define RIG_STATE (RIG_VA + 0x20000)
#define RIG_KERNEL (RIG_VA + 0x40000)

struct rig {
    struct engine *engine;
    struct engine_vm *vm;
    struct engine_context *ctx;
    uint8_t *mem; /* the CPU's view of RIG_VA */
    int fd;
    uint32_t *next; /* where rig_emit() writes */
    uint64_t user;  /* address of application memory, if any */
};

void rig_init(struct rig *rig, const struct engine_config *config);
void rig_finish(struct rig *rig);
/* Dword of GPU memory, as the CPU sees it. */
uint32_t *rig_dw(struct rig *rig, uint64_t va);
uint64_t rig_qw(struct rig *rig, uint64_t va);
/* Sets where the next rig_emit() writes. */
void rig_at(struct rig *rig, uint64_t va);
void rig_emit(struct rig *rig, const uint32_t *dw, unsigned count);
#define EMIT(rig, ...)                             \
    rig_emit(rig, (const uint32_t[]){__VA_ARGS__}, \
             sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
/* STATE_BASE_ADDRESS; bases that are 0 are not modified. */
void rig_set_bases(struct rig *rig, uint64_t surface_va, uint64_t dynamic_va,
                   uint64_t instruction_va);
/* Runs the batch at RIG_BATCH on a context and waits for it. */
enum engine_result rig_run(struct rig *rig, struct engine_context *ctx,
                           enum engine_ring ring);

/* Commands as dwords. */
#define LO(va) (uint32_t)(va)
#define HI(va) (uint32_t)((uint64_t)(va) >> 32)
#define BBE 0x05000000u
#define LRI(reg, value) 0x11000001u, (reg), (value)
#define LRM(reg, va) 0x14800002u, (reg), LO(va), HI(va)
#define SRM(reg, va) 0x12000002u, (reg), LO(va), HI(va)
#define LRR(src, dst) 0x15000001u, (src), (dst)
#define SDI(va, value) 0x10000002u, LO(va), HI(va), (value)
#define BBS(va) 0x18800101u, LO(va), HI(va)
#define GPR(n) (0x2600u + 8 * (n))

/* Calls that the stubs recorded. */
struct rig_record {
    unsigned draws, hz_ops, dispatches;
    struct draw draw;
    struct hz_op hz_op;
    struct dispatch dispatch;
    const void *kernel_code; /* last code given to eu_kernel_get() */
    void (*on_draw)(const struct draw *draw); /* called within geom_draw() */
    unsigned noted_any;                       /* raster_note_any_write() */
    const void *noted_at;
    uint64_t noted_B;
    struct eu_busy busy;       /* eu_busy_read() */
    unsigned waiting, flushed; /* draws with deferred pixels; flushed ones */
};
extern struct rig_record rig_record;
/* An on_draw() that leaves deferred pixels. */
void rig_leave_pixels(const struct draw *draw);

#endif
