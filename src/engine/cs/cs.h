/* cs.h: the command streamer. Walks one batch and calls one handler per
 * command; the command's row in commands.csv tells the rest. Called by queue/
 * in the thread that executes the context's batch and holds the ring. */
#ifndef ENGINE_CS_H
#define ENGINE_CS_H

#include "engine/cs/commands.h"
#include "engine/freeze/freeze.h"

enum cs_kind {
    CS_STATE,
    CS_MI,
    CS_DRAW,
    CS_FLUSH,
    CS_IGNORE,
    CS_UNIMPLEMENTED,
};

struct cs;

/* dw: a copy of the whole packet, because the batch may change meanwhile. */
typedef void (*cs_handler)(struct cs *cs, const uint32_t *dw, unsigned len_dw);

struct cs_command {
    const char *name;
    uint8_t kind;        /* enum cs_kind */
    uint8_t engines;     /* bit per enum engine_ring */
    uint8_t length_bits; /* width of the length field; 0: one dword, no field */
    uint16_t len_min_dw, len_max_dw;
    int16_t store_dw; /* in hw_state.packet, or -1 */
    uint16_t dirty;   /* enum hw_part */
    cs_handler handler;
};

extern const struct cs_command cs_commands[CMD_COUNT];
/* Command id + 1 by opcode; 0: none. */
extern const uint16_t cs_index_mi[1 << 6];
extern const uint16_t cs_index_blt[1 << 7];
extern const uint16_t cs_index_gfx[1 << 13];
extern const uint16_t cs_index_vid[1 << 13];
extern const uint16_t cs_index_veb[1 << 13];

/* rings.c: the properties of a ring. */
struct cs_ring {
    const char *name;
    uint8_t bit;              /* in cs_command.engines */
    uint32_t mmio;            /* where the ring's registers begin */
    const uint16_t *commands; /* index of type 3 */
};
extern const struct cs_ring cs_rings[ENGINE_RING_COUNT];

#define CS_MAX_PACKET_DW 1040

struct cs {
    struct engine *engine;
    struct engine_context *ctx;
    struct engine_vm *vm;
    struct hw_state *hw;
    enum engine_ring ring;
    const struct cs_ring *info;
    gpu_va pc;        /* of the command after the current one */
    gpu_va return_pc; /* where a second-level batch returns to */
    bool second_level;
    bool done;
    bool failed;
    uint64_t work; /* number of commands that drew, dispatched or copied */
    /* Limits of an endless batch. */
    uint64_t dw_left;
    uint32_t jumps_left;
    int64_t begun_ns; /* clock_tick_ns() */
    gpu_va loop_va;   /* target of the last jump ... */
    unsigned loops;   /* ... and of how many before it */
};

/* Frees what handlers keep in a context. */
void cs_free_context(struct engine_context *ctx);
/* Runs a batch to its end, or to its first guest error. */
enum engine_result cs_run(struct engine_context *ctx, enum engine_ring ring,
                          gpu_va batch_va);
/* Does the post-sync write that is held back, after copying out what the batch
 * has changed in private memory of the client. False: there is none. */
bool cs_send_signal(struct engine_context *ctx);

/* Reports a guest error and ends the batch. */
#define cs_fail(cs, ...)          \
    do {                          \
        guest_error(__VA_ARGS__); \
        (cs)->failed = true;      \
    } while (0)

static inline gpu_va
cs_va(uint32_t lo, uint32_t hi)
{
    return (uint64_t)(hi & 0xffff) << 32 | lo;
}

/* Where a command writes size_B bytes; waiting draws learn of the write. */
static inline void *
cs_write_ptr(struct cs *cs, gpu_va va, unsigned size_B)
{
    draw_note_write(cs->ctx, va, size_B);
    return vm_ptr(cs->vm, va);
}

static inline void
cs_write32(struct cs *cs, gpu_va va, uint32_t v)
{
    memcpy(cs_write_ptr(cs, va, 4), &v, 4);
}

/* reg.c: the registers a batch can reach, by MMIO offset. */
uint32_t reg_read(struct cs *cs, uint32_t offset);
void reg_write(struct cs *cs, uint32_t offset, uint32_t value);
/* 64-bit general purpose register 0..15. */
uint64_t reg_gpr(const struct hw_state *hw, unsigned n);
void reg_set_gpr(struct hw_state *hw, unsigned n, uint64_t value);

/* video.c: ends a picture that waits for more slices. */
void video_end_picture(struct cs *cs);

/* mi_math.c: one MI_MATH program. False if it is malformed. */
bool alu_run(struct hw_state *hw, const uint32_t *program, unsigned count);

/* Whether a predicated 3DPRIMITIVE, GPGPU_WALKER or the like executes. */
static inline bool
cs_predicate(const struct hw_state *hw)
{
    return hw->reg[REG_MI_PREDICATE_RESULT / 4] & 1;
}

#endif
