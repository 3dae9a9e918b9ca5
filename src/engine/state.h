/* state.h: what lasts between batches: the engine, its contexts and the
 * hardware state of each. Private to this directory's .c files and cs/; nothing
 * below a struct draw or dispatch reads it. */
#ifndef ENGINE_STATE_H
#define ENGINE_STATE_H

#include "engine/cs/commands.h"
#include "engine/draw.h"
#include "engine/vm.h"

#include <pthread.h>

/* MMIO offsets of registers with a meaning here. */
enum {
    REG_PREDICATE_RESULT_2 = 0x23bc,
    REG_TIMESTAMP = 0x2358,
    REG_CTX_TIMESTAMP = 0x23a8,
    REG_MI_PREDICATE_SRC0 = 0x2400,
    REG_MI_PREDICATE_SRC1 = 0x2408,
    REG_MI_PREDICATE_DATA = 0x2410,
    REG_MI_PREDICATE_RESULT = 0x2418,
    REG_3DPRIM_START_VERTEX = 0x2430,
    REG_3DPRIM_VERTEX_COUNT = 0x2434,
    REG_3DPRIM_INSTANCE_COUNT = 0x2438,
    REG_3DPRIM_START_INSTANCE = 0x243c,
    REG_3DPRIM_BASE_VERTEX = 0x2440,
    REG_GPGPU_DISPATCHDIM = 0x2500, /* X, Y, Z */
    REG_GPR = 0x2600,               /* 16 of 64 bits */
    REG_SO_WRITE_OFFSET = 0x5280,   /* 4 of 32 bits */
    REG_SPACE_B = 0x10000,
};

/* Parts of a struct draw by what they are made from. */
enum hw_part {
    HW_PART_INPUT = 1 << 0,     /* vertex and index buffers, elements */
    HW_PART_STREAMOUT = 1 << 1, /* stream output */
    HW_PART_PIXEL = 1 << 2,     /* clip to blend, depth and stencil buffers */
    HW_PART_VS = 1 << 3,        /* 1 << 3 + enum stage_kind */
    HW_PART_HS = 1 << 4,
    HW_PART_DS = 1 << 5,
    HW_PART_GS = 1 << 6,
    HW_PART_PS = 1 << 7,
    HW_PART_ALL = (1 << 8) - 1,
    /* What packets point to may have changed: of each part, as far as it is
     * made from that. */
    HW_PART_MEMORY = 1 << 8,
};

static inline unsigned
hw_part_stage(enum stage_kind kind)
{
    return HW_PART_VS << kind;
}

#define HW_CURBE_B (64 * 1024)
#define HW_DESCRIPTORS 64

/* The hardware context: packets as last written (see commands.csv for which
 * are stored raw in `packet`), and what is not one packet. */
struct hw_state {
    uint32_t packet[HW_PACKET_DW];
    uint32_t vertex_buffer[DRAW_MAX_VB][4];
    uint32_t vertex_element[DRAW_MAX_VE][2];
    unsigned vertex_element_count;
    uint32_t vf_instancing[DRAW_MAX_VE][3];
    uint32_t so_buffer[4][8];
    uint32_t chroma_key[STAGE_CHROMA_KEYS][2]; /* low, high */
    uint32_t palette[SURFACE_PALETTES][SURFACE_COLORS];
    gpu_va general_base, surface_base, dynamic_base, indirect_base,
        instruction_base, bindless_base;
    unsigned pipeline;      /* GEN9_PIPELINE_SELECT_PIPELINE_SELECTION_ */
    unsigned set_predicate; /* MI_SET_PREDICATE's enable */
    bool hz_op_pending;     /* 3DSTATE_WM_HZ_OP waits for its PIPE_CONTROL */
    unsigned dirty;         /* enum hw_part: changed since the last draw */
    uint32_t interface_descriptor[HW_DESCRIPTORS][8];
    uint32_t curbe_B;
    uint8_t curbe[HW_CURBE_B];
    uint32_t reg[REG_SPACE_B / 4];
    struct pipeline_stats stats;
};

struct job {
    struct job *next;
    struct engine_submit submit;
    bool seen; /* the thread has left it to whoever waits for it, once */
};

struct draw_memory;

struct engine_context {
    struct engine *engine;
    struct engine_vm *vm;
    struct engine_context *prev, *next; /* engine->contexts */
    atomic_uint refs;
    atomic_uint resets_active, resets_pending;
    /* Set by workers when a kernel failed; ends the batch. */
    atomic_bool reset;
    /* Held by whoever executes for this context: order between batches. */
    pthread_mutex_t exec;
    struct hw_state *hw;
    struct draw_memory *draw_memory; /* reused from draw to draw */
    bool draw_held;
    bool draw_varies; /* if held: until other than constants for VS come */
    bool draw_waits;  /* pixels of draws whose vertices are done */
    /* The queue and its thread; engine->lock. */
    struct job *head, *tail;
    unsigned queued; /* jobs in the queue or in hand */
    bool has_thread;
    bool in_hand;    /* a job that is no longer in the queue */
    bool looks;      /* the thread comes by itself, without being woken */
    unsigned helped; /* jobs in a row that those who waited for them ran */
    const void *submitter; /* the thread that did so last */
    bool in_wait;          /* the job in hand waits for its fences */
    bool closing;          /* the thread ends when the queue is empty */
    pthread_cond_t work;
};

struct engine {
    struct engine_config config;
    atomic_uint refs;
    pthread_mutex_t lock; /* contexts and their queues */
    pthread_cond_t idle;  /* some context has drained, half or all, or waits */
    struct engine_context *contexts;
    bool dead; /* engine_destroy() has begun: drop what is not running */
    pthread_mutex_t ring[ENGINE_RING_COUNT]; /* one batch at a time */
    pthread_mutex_t pool_lock;
    struct pool *pool; /* made when first used, and again after a fork */
    /* What one context knows of memory ends with an epoch: see vm_is_ours(). */
    atomic_uint_fast64_t epoch;
    struct engine_context *_Atomic last; /* that had ENGINE_RCS */
    atomic_bool forked;
    atomic_uint_fast64_t draw_id;
    atomic_uint_fast64_t shader_clock; /* see draw_stage_common() */
    /* Last colour target, for engine_last_target(). */
    pthread_mutex_t target_lock;
    struct engine_vm *target_vm;
    struct surface target;
    unsigned target_level;
};

/* engine.c */
void engine_unref(struct engine *engine);
struct pool *engine_pool(struct engine *engine);

/* context.c */
void context_unref(struct engine_context *ctx);
/* Everything as after power-on; statistics and registers too. */
void context_init_state(struct engine_context *ctx);

/* submit.c: a semaphore wait lets other contexts have the ring. */
void submit_ring_release(struct engine *engine, enum engine_ring ring);
void submit_ring_acquire(struct engine *engine, enum engine_ring ring);
void submit_after_fork(struct engine_context *ctx);

/* vm_user.c: memory at these places that cannot be aliased is copied in and out
 * around batches. */
void vm_begin_users(struct engine_vm *vm, const uint64_t *va, unsigned count);
void vm_end_users(struct engine_vm *vm, const uint64_t *va, unsigned count);
void engine_vm_ref(struct engine_vm *vm);
/* vm_fault.c: locks that another thread of the parent held are free. */
void vm_fault_after_fork(void);

/* target.c: remembers the draw's first colour target. */
void target_note(struct engine *engine, const struct draw *draw);
void target_forget(struct engine *engine);

/* draw.c and dispatch.c: hw_state -> struct draw, struct dispatch -> done.
 * False after a guest error. */
/* The draw may be held, for the next one to join it, until draw_release():
 * that comes before any other command, perhaps but for 3DSTATE_CONSTANT_VS
 * (draw_varies). Then its pixels may wait, for those of
 * the next ones, until draw_finish(): that comes before any command that is
 * more than state. */
bool draw_run(struct engine_context *ctx, const uint32_t *prim);
void draw_release(struct engine_context *ctx);
void draw_finish(struct engine_context *ctx);
void draw_hz_op(struct engine_context *ctx);
/* Before a command or a dispatch writes memory: so much, or anything. */
void draw_note_write(struct engine_context *ctx, gpu_va va, uint64_t size_B);
void draw_note_any_write(struct engine_context *ctx);
bool dispatch_run(struct engine_context *ctx, const uint32_t *walker);
/* Frees what the context keeps from draw to draw. */
void draw_memory_free(struct engine_context *ctx);

static inline const uint32_t *
hw_packet(const struct hw_state *hw, unsigned at)
{
    return hw->packet + at;
}

#endif
