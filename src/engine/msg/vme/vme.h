/* vme.h: video motion estimation (VME, shared function 8) and the check and
 * refinement engine (CRE, 13): integer search, fractional and bidirectional
 * refinement, skip and intra check of one macroblock. Called by SEND of
 * kernels, on any worker; owns nothing.
 *
 * No public manual of Gen9 has these messages. Phases M and W, their fields and
 * units: IGC's OpenCL library and NEO's kernels fill and read them so, and the
 * OpenCL extension cl_intel_device_side_avc_motion_estimation says what they
 * mean; "Guess:" stands where none of them does. */
#ifndef ENGINE_MSG_VME_H
#define ENGINE_MSG_VME_H

#include "engine/msg/media_sampler/media_sampler.h"

#define VME_MB_PX 16
#define VME_IN_PHASES 10
#define VME_OUT_PHASES 11
#define VME_COST_MAX 0xffffu

enum vme_type { VME_IDM = 0, VME_SIC = 1, VME_IME = 2, VME_FBR = 3 };
enum vme_direction { VME_FORWARD, VME_BACKWARD, VME_BIDIRECTIONAL };

/* Quarter pixels, from the source macroblock. */
struct vme_mv {
    int16_t x, y;
};

static inline struct vme_mv
vme_mv_of(uint32_t bits)
{
    return (struct vme_mv){(int16_t)bits, (int16_t)(bits >> 16)};
}

static inline uint32_t
vme_mv_bits(struct vme_mv mv)
{
    return (uint16_t)mv.x | (uint32_t)(uint16_t)mv.y << 16;
}

/* A message. in: the universal phases M0 to M3, then its own. */
struct vme_call {
    const struct thread_env *env;
    enum vme_type type;
    unsigned bti; /* of the source; references follow it */
    bool stream_in, stream_out;
    uint32_t in[VME_IN_PHASES][8];
    uint32_t out[VME_OUT_PHASES][8];
    int x_px, y_px; /* the source macroblock */
    uint8_t source[VME_MB_PX][VME_MB_PX];
};

static inline unsigned
vme_byte(const struct vme_call *v, unsigned phase, unsigned byte)
{
    return v->in[phase][byte / 4] >> byte % 4 * 8 & 0xff;
}

/* The message's handlers; each fills out. */
void vme_ime(struct vme_call *v);
void vme_fbr(struct vme_call *v);
void vme_sic(struct vme_call *v);

/* ---- vme_picture.c ------------------------------------------------------- */

struct vme_picture {
    struct media_surface s;
    unsigned luma; /* its channel */
};

enum vme_field { VME_FRAME, VME_TOP, VME_BOTTOM };

/* False: no such surface, which it reports. */
bool vme_picture_find(const struct vme_call *v, unsigned bti,
                      enum vme_field field, struct vme_picture *p);
bool vme_source_find(const struct vme_call *v, struct vme_picture *p);
/* The reference of a direction for one of the four 8x8 blocks. */
bool vme_reference_find(const struct vme_call *v, enum vme_direction d,
                        unsigned quarter, struct vme_picture *p);
/* Copies width x height samples at (x, y), at most 64 wide; outside of the
 * picture its border goes on. */
void vme_fetch(const struct vme_picture *p, unsigned channel, int x, int y,
               unsigned width, unsigned height, uint8_t *out);
/* What a motion vector predicts for the rectangle at (x, y) of the source
 * macroblock; out has rows of 16. */
void vme_predict(const struct vme_call *v, const struct vme_picture *p,
                 const uint8_t rect[4], struct vme_mv mv,
                 uint8_t out[VME_MB_PX][VME_MB_PX]);

/* Mixes the backward prediction of a rectangle into the forward one: BiWeight,
 * in 64ths. */
void vme_mix(const struct vme_call *v, const uint8_t rect[4],
             const uint8_t backward[VME_MB_PX][VME_MB_PX],
             uint8_t forward[VME_MB_PX][VME_MB_PX]);

/* ---- vme_cost.c ---------------------------------------------------------- */

/* Distortions of the sixteen 4x4 blocks in Z order, by InterSAD. */
void vme_distortions(const struct vme_call *v,
                     const uint8_t source[VME_MB_PX][VME_MB_PX],
                     const uint8_t *pixels, unsigned stride_px,
                     uint16_t out[16]);
/* Of one rectangle, by a mode of InterSAD or IntraSAD. */
unsigned vme_distortion(const uint8_t *source, const uint8_t *pixels,
                        unsigned width, unsigned height, unsigned mode,
                        bool ac_only);
/* A penalty in U4U4: base << shift. */
static inline unsigned
vme_u4u4(unsigned byte)
{
    return (byte & 15) << (byte >> 4);
}
/* Penalty of a vector for its distance from the cost centre of a quarter. */
unsigned vme_mv_cost(const struct vme_call *v, enum vme_direction d,
                     unsigned quarter, struct vme_mv mv);
/* Penalties of a direction and of its reference picture. */
unsigned vme_direction_cost(const struct vme_call *v, enum vme_direction d,
                            unsigned quarter);

/* ---- vme_shape.c --------------------------------------------------------- */

/* Partitions of a macroblock: one of 16x16, 16x8 and 8x16, 8x8 in Z order, then
 * for each quarter 8x4, 4x8 and 4x4. */
#define VME_PARTS 41
enum { VME_16X16 = 0, VME_16X8 = 1, VME_8X16 = 3, VME_8X8 = 5, VME_MINOR = 9 };
enum { VME_MODE_16X16, VME_MODE_16X8, VME_MODE_8X16, VME_MODE_8X8 };

struct vme_part {
    uint8_t rect[4]; /* x, y, width, height in pixels */
    uint8_t mode;    /* VME_MODE_*: of the macroblock */
    uint8_t minor;   /* of the quarter */
    uint8_t cost;    /* which mode cost */
    uint8_t quarter; /* where it begins */
};

/* The others follow it. */
const struct vme_part *vme_part(unsigned part);
/* Sums of all partitions, of the 4x4 blocks in Z order. */
void vme_sum_parts(const uint16_t blocks[16], unsigned out[VME_PARTS]);
unsigned vme_mode_cost(const struct vme_call *v, unsigned part);

/* A choice of partitions, or the one of FBR's input. */
struct vme_shape {
    uint8_t mode;
    uint8_t minors; /* two bits a quarter */
    uint8_t count;
    uint8_t part[16];
    bool truncated; /* MaxNumMVs kept a better one away */
};

/* The cheapest shape that the message allows. */
struct vme_shape vme_shape_choose(const struct vme_call *v,
                                  const unsigned cost[VME_PARTS]);
struct vme_shape vme_shape_make(unsigned mode, unsigned minor_bits);

/* The vectors and the distortion that were chosen for a partition. */
struct vme_result {
    enum vme_direction direction;
    struct vme_mv mv[2];
    unsigned distortion;
};

/* Fills W0 to W6 but for what only one message has. results: one for each part
 * of the shape. */
void vme_answer_shape(struct vme_call *v, const struct vme_shape *shape,
                      const struct vme_result *results);

/* ---- vme_intra.c --------------------------------------------------------- */

/* Intra prediction of luma and chroma from edges in the payload. */
void vme_intra(struct vme_call *v);

#endif
