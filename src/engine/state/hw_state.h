/* hw_state.h: state that lasts between batches of a context: registers, packets
 * as last written, the queue. Data header of queue/, cs/ and freeze/, which
 * change it in the thread that executes the context's batch. Code that runs a
 * struct draw or dispatch never reads it. */
#ifndef ENGINE_STATE_HW_STATE_H
#define ENGINE_STATE_HW_STATE_H

#include "engine/core/core.h"
#include "engine/core/hang.h"
#include "engine/cs/commands.h"
#include "engine/state/draw.h"
#include "engine/state/vebox_state.h"
#include "engine/state/video_state.h"
#include "engine/vm/vm.h"

#include <pthread.h>

/* MMIO offsets of the registers that this engine interprets. */
enum {
    REG_BCS_SWCTRL = 0x2200, /* of the blitter: 0x22200 */
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
    REG_CS_CHICKEN1 = 0x2580,
    REG_GPGPU_DISPATCHDIM = 0x2500, /* X, Y, Z */
    REG_GPR = 0x2600,               /* 16 of 64 bits */
    REG_SO_WRITE_OFFSET = 0x5280,   /* 4 of 32 bits */
    REG_RPSTAT0 = 0xa01c,
    REG_SPACE_B = 0x10000,
};

/* Parts of a struct draw that are made anew separately. */
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
    /* Memory that packets point to may have changed: affects every part that
     * reads such memory. */
    HW_PART_MEMORY = 1 << 8,
};

static inline unsigned
hw_part_stage(enum stage_kind kind)
{
    return HW_PART_VS << kind;
}

#define HW_CURBE_B (64 * 1024)
#define HW_DESCRIPTORS 64
#define HW_BLT_SETUP_DW 10
/* Opcode of the setup that has a monochrome pattern. */
#define HW_BLT_SETUP_MONO 0x11

/* The hardware context: packets as last written (commands.csv tells which are
 * stored raw in `packet`), and state that is not one packet. */
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
    /* The last setup packet of the blitter, with the last clip rectangle. */
    uint32_t blt_setup[HW_BLT_SETUP_DW];
    uint32_t interface_descriptor[HW_DESCRIPTORS][8];
    uint32_t curbe_B;
    uint8_t curbe[HW_CURBE_B];
    uint32_t reg[REG_SPACE_B / 4];
    struct pipeline_stats stats;
    struct video_state video;
    struct vebox_state vebox;
};

struct job {
    struct job *next;
    struct engine_submit submit;
    bool seen; /* the thread has left it to a waiting client */
};

struct draw_memory;
struct avc_decoder;
struct mpeg2_queue;

struct engine_context {
    struct engine *engine;
    uint32_t id;          /* engine_context_id() */
    uint32_t last_report; /* of the batch: MI_REPORT_PERF_COUNT's number */
    uint64_t batch;       /* number of the one that executes, from 1 */
    struct engine_vm *vm;
    struct engine_context *prev, *next; /* engine->contexts */
    atomic_uint refs;
    atomic_uint resets_active, resets_pending;
    /* Set by workers after a guest error in a kernel; ends the batch. */
    atomic_bool reset;
    struct hang hang; /* limits of the current draw or dispatch */
    uint64_t turn;    /* on the ring, while a batch executes */
    /* Held while a batch of this context executes; keeps batches in order. */
    pthread_mutex_t exec;
    struct hw_state *hw;
    /* Private memory of the client that the batch lists: vm_userptr.c. */
    const uint64_t *users;
    unsigned user_count;
    /* A post-sync write that is held back, because the results in users must be
     * seen before it, or a report of performance counters: a client may poll
     * it. to: NULL if there is none. */
    struct {
        void *to;
        gpu_va va;
        uint64_t value;
    } signal;
    /* Of the submission and the dispatch that were begun last: scope/. */
    struct {
        uint64_t submit, dispatch;
        uint32_t frame;
        bool counts;
    } scope;
    struct oa *oa; /* of the draw or dispatch that was begun last */
    struct draw_memory *draw_memory; /* reused from draw to draw */
    struct avc_decoder *avc;         /* H.264; NULL: there was none yet */
    struct mpeg2_queue *mpeg2;       /* slices that wait; NULL as well */
    bool draw_held;
    bool draw_varies; /* a held draw may take more ranges with their own VS
                         constants */
    bool draw_waits;  /* pixels of earlier draws are deferred */
    bool media_waits; /* threads of media objects wait: see freeze.h */
    /* The queue and its thread; protected by engine->lock. */
    struct job *head, *tail;
    unsigned queued; /* jobs in the queue or in hand */
    bool has_thread;
    bool in_hand;          /* a job has left the queue and has not ended */
    bool looks;            /* the thread polls, so need not be woken */
    unsigned helped;       /* jobs in a row that engine_help() ran */
    const void *submitter; /* the thread that submitted last */
    bool in_wait;          /* the job in hand waits for its fences */
    bool closing;          /* the thread ends when the queue is empty */
    pthread_cond_t work;
};

/* hw_state.c: resets the state as after power-on, including statistics and
 * registers. */
void context_init_state(struct engine_context *ctx);
/* Sets the hang limits of a draw or dispatch that begins; they depend on the
 * preemption level. */
void context_begin_work(struct engine_context *ctx);

static inline const uint32_t *
hw_packet(const struct hw_state *hw, unsigned at)
{
    return hw->packet + at;
}

#endif
