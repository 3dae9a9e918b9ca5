/* cs.h: the command streamer. Walks one batch and calls one handler per
 * command; everything a command knows about itself is its row in
 * commands.csv. Runs on the context's thread, which holds the ring. */
#ifndef ENGINE_CS_H
#define ENGINE_CS_H

#include "engine/cs/commands.h"
#include "engine/state.h"

enum cs_kind {
    CS_STATE,
    CS_MI,
    CS_DRAW,
    CS_FLUSH,
    CS_IGNORE,
    CS_UNIMPLEMENTED,
};

struct cs;

/* dw holds the whole packet, copied: the batch may change under our feet. */
typedef void (*cs_handler)(struct cs *cs, const uint32_t *dw, unsigned len_dw);

struct cs_command {
    const char *name;
    uint8_t kind;        /* enum cs_kind */
    uint8_t engines;     /* bit per enum engine_ring */
    uint8_t length_bits; /* of the length field; 0: one dword, no field */
    uint16_t len_min_dw, len_max_dw;
    int16_t store_dw; /* in hw_state.packet, or -1 */
    cs_handler handler;
};

extern const struct cs_command cs_commands[CMD_COUNT];
/* Command id + 1 by opcode; 0: none. */
extern const uint8_t cs_index_mi[1 << 6];
extern const uint8_t cs_index_blt[1 << 7];
extern const uint8_t cs_index_gfx[1 << 13];

#define CS_MAX_PACKET_DW 1040

struct cs {
    struct engine *engine;
    struct engine_context *ctx;
    struct engine_vm *vm;
    struct hw_state *hw;
    enum engine_ring ring;
    gpu_va pc;        /* of the command after the current one */
    gpu_va return_pc; /* where a second-level batch goes back to */
    bool second_level;
    bool done;
    bool failed;
    /* What keeps an endless batch from running for ever. */
    uint64_t dw_left;
    uint32_t jumps_left;
};

/* Runs a batch to its end. */
enum engine_result cs_run(struct engine_context *ctx, enum engine_ring ring,
                          gpu_va batch_va);

/* Reports that the current batch is malformed and ends it. */
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

/* Before a command writes size_B bytes. */
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

/* parts.c: the parts of a draw that a command changes: enum hw_part. */
unsigned cs_parts(const struct cs_command *cmd);
/* Whether it draws, or changes nothing but what the next draw is made from. */
bool cs_is_state(const struct cs_command *cmd);

/* reg.c: the registers a batch can reach, by MMIO offset. */
uint32_t reg_read(struct cs *cs, uint32_t offset);
void reg_write(struct cs *cs, uint32_t offset, uint32_t value);
/* 64-bit general purpose register 0..15. */
uint64_t reg_gpr(const struct hw_state *hw, unsigned n);
void reg_set_gpr(struct hw_state *hw, unsigned n, uint64_t value);

/* alu.c: one MI_MATH program. False if it is malformed. */
bool alu_run(struct hw_state *hw, const uint32_t *program, unsigned count);

/* 3DPRIMITIVE, WALKER and the like under predication: go ahead? */
static inline bool
cs_predicate(const struct hw_state *hw)
{
    return hw->reg[REG_MI_PREDICATE_RESULT / 4] & 1;
}

/* Handlers, named as in commands.csv. mi.c: */
void mi_set_predicate(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_batch_buffer_end(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_batch_buffer_start(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_conditional_batch_buffer_end(struct cs *cs, const uint32_t *dw,
                                     unsigned len_dw);
void mi_predicate(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_math(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_load_register_imm(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_load_register_mem(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_load_register_reg(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_store_register_mem(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_store_data_imm(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_copy_mem_mem(struct cs *cs, const uint32_t *dw, unsigned len_dw);
/* sync.c: */
void mi_semaphore_wait(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_atomic(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void mi_flush_dw(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void gfx_pipe_control(struct cs *cs, const uint32_t *dw, unsigned len_dw);
/* gfx.c: */
void gfx_state_base_address(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void gfx_pipeline_select(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void gfx_vertex_buffers(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void gfx_vertex_elements(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void gfx_vf_instancing(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void gfx_vf_component_packing(struct cs *cs, const uint32_t *dw,
                              unsigned len_dw);
void gfx_chroma_key(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void gfx_palette_load(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void gfx_so_buffer(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void gfx_wm_hz_op(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void gfx_3dprimitive(struct cs *cs, const uint32_t *dw, unsigned len_dw);
/* media.c: */
void media_curbe_load(struct cs *cs, const uint32_t *dw, unsigned len_dw);
void media_interface_descriptor_load(struct cs *cs, const uint32_t *dw,
                                     unsigned len_dw);
void media_gpgpu_walker(struct cs *cs, const uint32_t *dw, unsigned len_dw);

#endif
