/* vebox_state.h: state of the VEBOX ring: packets of VEBOX and SFC as last
 * written. Data header of cs/ and vebox/, part of struct hw_state; changed in
 * the thread that executes the context's batch. */
#ifndef ENGINE_STATE_VEBOX_STATE_H
#define ENGINE_STATE_VEBOX_STATE_H

#include <stdint.h>

#define SFC_PHASES 32 /* of a polyphase filter's table */

/* Each packet is as long as its longest form; dwords that a shorter one lacks
 * are 0. */
struct vebox_state {
    uint32_t state[16];     /* VEBOX_STATE */
    uint32_t surface[2][9]; /* VEBOX_SURFACE_STATE: input, output */
    uint32_t sfc_lock[2];   /* SFC_LOCK */
    uint32_t sfc[34];       /* SFC_STATE */
    uint32_t avs[3];        /* SFC_AVS_STATE */
    uint32_t avs_luma[1 + SFC_PHASES * 4];
    uint32_t avs_chroma[1 + SFC_PHASES * 2];
    uint32_t ief[24]; /* SFC_IEF_STATE */
    /* SFC_FRAME_START: the next frame goes through SFC. Not 0 until then. */
    uint32_t sfc_started;
};

#endif
