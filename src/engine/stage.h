/* stage.h: what every kind of kernel needs to run: the kernel, its constants,
 * its surfaces and samplers. Part of a struct draw or struct dispatch;
 * immutable once made, except for the lazily filled surface cache. */
#ifndef ENGINE_STAGE_H
#define ENGINE_STAGE_H

#include "engine/vm.h"
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

struct meaning; /* raster/ */

#define STAGE_BTI_COUNT 256
/* What no binding table has: KBL PRM vol 2d "Binding Table Index Message
 * Descriptor Control Field". NC: without coherence with the processor. */
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
    unsigned simd;      /* width the kernel was compiled for: 8, 16, 32 */
    unsigned grf_start; /* first register of constants / URB data */
    bool alt_mode, denorm_f_retain, vector_mask_enable, spf;
    uint8_t rounding;
    uint64_t clock; /* virtual time at the start of every thread */
    /* 3DSTATE_CONSTANT_x, slots 0..3 concatenated. NULL when none. */
    const uint32_t *push;
    unsigned push_grf; /* registers of 32 bytes */
    /* g0.3[3:0], g0.5[31:10]; scratch_slots: threads that may run at once. */
    uint32_t scratch_code;
    gpu_va scratch_va; /* relative to general_base_va, as programmed */
    bool scratch_enabled;
    gpu_va general_base_va, surface_base_va, dynamic_base_va, bindless_base_va;
    uint32_t binding_table_offset;             /* from Surface State Base */
    uint32_t sampler_offset;                   /* from Dynamic State Base */
    uint32_t chroma_key[STAGE_CHROMA_KEYS][2]; /* low, high */
    uint8_t mono_width, mono_height;           /* of MAPFILTER_MONO */
    const uint32_t (*palette)[SURFACE_COLORS]; /* SURFACE_PALETTES */
    struct stage_cache *cache;     /* decoded surfaces and samplers */
    const struct meaning *meaning; /* of PS kernels that draw rectangles */
};

/* Decoded binding table entry, cached for the life of the draw. Never NULL
 * (a bad entry gives a null surface). For stateless messages: a null surface
 * but for its flat range, 4 GB from General State Base. Any worker. */
const struct surface *stage_surface(const struct shader_stage *stage,
                                    unsigned bti);
/* Surface by offset from Bindless Surface State Base (BTI 252). */
const struct surface *stage_surface_bindless(const struct shader_stage *stage,
                                             uint32_t offset_B);
/* Sampler by index from the stage's table, or by state pointer: an offset
 * from Dynamic State Base as a message header's dword 3 has it. */
const struct sampler *stage_sampler(const struct shader_stage *stage,
                                    unsigned index);
const struct sampler *stage_sampler_at(const struct shader_stage *stage,
                                       uint32_t state_offset_B);

/* Fills an eu_start from the stage; the caller adds masks. */
void stage_start(const struct shader_stage *stage, struct eu_start *start);

/* Writes the whole header: what every payload shares (g0.3 scratch size and
 * sampler pointer, g0.4 binding table pointer, g0.5 scratch base + FFTID),
 * and zeros, since kernels make message headers of it, whose other dwords
 * mean something. What a stage has besides comes after. */
void stage_header(const struct shader_stage *stage, uint32_t g0[8],
                  unsigned fftid);

#endif
