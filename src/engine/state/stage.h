/* stage.h: state that every kind of kernel needs: kernel, constants, surfaces
 * and samplers. Part of a struct draw or dispatch, which owns it. Immutable
 * after freeze/ made it, except for the lazily filled cache. Any worker. */
#ifndef ENGINE_STATE_STAGE_H
#define ENGINE_STATE_STAGE_H

#include "engine/vm/vm.h"
#include "eu/eu.h"
#include "sampler/sampler.h"

enum stage_kind {
    STAGE_VS,
    STAGE_HS,
    STAGE_DS,
    STAGE_GS,
    STAGE_PS,
    STAGE_CS,
    STAGE_COUNT
};

struct kernel_summary; /* eu/summary/ */
struct oa;
struct thread_env;

/* A sampler message that sample_plan.to_unorm8 may answer for any sender in the
 * current float mode. plan is NULL if it may not, or if the message has not
 * been sent yet. */
struct stage_pixels {
    const struct sample_plan *plan;
    struct block_cache *blocks;
};

#define STAGE_BTI_COUNT 256
/* Special binding table indices: KBL PRM vol 2d "Binding Table Index Message
 * Descriptor Control Field". NC: not coherent with the CPU. */
#define BTI_BINDLESS 252
#define BTI_STATELESS_NC 253
#define BTI_SLM 254
#define BTI_STATELESS 255
#define STAGE_SAMPLER_COUNT 16

#define STAGE_CHROMA_KEYS 4

struct shader_stage {
    enum stage_kind kind;
    bool enabled;
    unsigned gen;
    struct engine_vm *vm;
    const struct eu_kernel *kernel;
    /* Set to functions of msg/: sends a message; finds a message's plan. */
    eu_send_fn send;
    struct oa *oa; /* NULL, or send() counts messages: all are sent */
    struct stage_pixels (*find_pixels)(struct thread_env *env,
                                       const struct eu_message *m);
    unsigned simd;      /* width the kernel was compiled for: 8, 16, 32 */
    unsigned grf_start; /* first register of constants or URB data */
    bool alt_mode, denorm_f_retain, vector_mask_enable, spf;
    uint8_t rounding;
    uint64_t clock; /* virtual time at the start of every thread */
    /* 3DSTATE_CONSTANT_x, slots 0..3 concatenated. NULL when none. */
    const uint32_t *push;
    unsigned push_grf; /* registers of 32 bytes */
    /* g0.3[3:0], g0.5[31:10] */
    uint32_t scratch_code;
    gpu_va scratch_va; /* relative to general_base_va, as programmed */
    bool scratch_enabled;
    gpu_va general_base_va, surface_base_va, dynamic_base_va, bindless_base_va;
    uint32_t binding_table_offset;             /* from Surface State Base */
    uint32_t sampler_offset;                   /* from Dynamic State Base */
    uint32_t chroma_key[STAGE_CHROMA_KEYS][2]; /* low, high */
    uint8_t mono_width, mono_height;           /* for MAPFILTER_MONO */
    const uint32_t (*palette)[SURFACE_COLORS]; /* SURFACE_PALETTES */
    struct stage_cache *cache; /* decoded surfaces and samplers */
    bool aux_op; /* clears or resolves its target: see aux_state.h */
    const struct kernel_summary
        *summary; /* PS of draws that may be rectangles */
};

/* Decoded binding table entry, cached for the life of the draw. Never NULL: an
 * invalid entry gives a null surface. A stateless index gives a null surface
 * with a flat range of 4 GB from General State Base. Any worker. */
const struct surface *stage_surface(const struct shader_stage *stage,
                                    unsigned bti);
/* Surface by offset from Bindless Surface State Base (BTI 252). */
const struct surface *stage_surface_bindless(const struct shader_stage *stage,
                                             uint32_t offset_B);
/* Sampler by index in the stage's table, or by state pointer: an offset from
 * Dynamic State Base, as in dword 3 of a message header. */
const struct sampler *stage_sampler(const struct shader_stage *stage,
                                    unsigned index);
const struct sampler *stage_sampler_at(const struct shader_stage *stage,
                                       uint32_t state_offset_B);

/* Whether all messages go through send(), which prints or counts them. */
static inline bool
stage_sends_all(const struct shader_stage *stage)
{
    return trace_on(TRACE_msg) || stage->oa;
}

/* Fills an eu_start from the stage; the caller adds masks. */
void stage_start(const struct shader_stage *stage, struct eu_start *start);

/* Writes g0: the fields that all payloads share, and zeros. Shared are g0.3
 * scratch size and sampler pointer, g0.4 binding table pointer, g0.5 scratch
 * base and FFTID. Zeros, because kernels copy g0 into message headers. The
 * caller adds the stage's own fields afterwards. */
void stage_header(const struct shader_stage *stage, uint32_t g0[8],
                  unsigned fftid);

#endif
