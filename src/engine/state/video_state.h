/* video_state.h: state of the video ring: packets of the MFX and HuC pipes as
 * last written, and the status registers. Data header of cs/ and mfx/, part of
 * struct hw_state; changed in the thread that executes the context's batch. */
#ifndef ENGINE_STATE_VIDEO_STATE_H
#define ENGINE_STATE_VIDEO_STATE_H

#include <stdint.h>

#define VIDEO_MATRICES 4 /* MFX_QM_STATE's 2-bit kind */
#define VIDEO_LISTS 2    /* of references: 0, 1 */
#define VIDEO_HUFFMAN 2  /* MFX_JPEG_HUFF_TABLE_STATE: luma, chroma */

/* Each packet is as long as its longest form; dwords that a shorter one lacks
 * are 0. */
struct video_state {
    uint32_t pipe_mode[5]; /* MFX_PIPE_MODE_SELECT */
    uint32_t surface[6];   /* MFX_SURFACE_STATE of surface 0 */
    uint32_t buffers[68];  /* MFX_PIPE_BUF_ADDR_STATE */
    uint32_t indirect[26]; /* MFX_IND_OBJ_BASE_ADDR_STATE */
    uint32_t mpeg2[13];    /* MFX_MPEG2_PIC_STATE */
    uint32_t jpeg[3];      /* MFX_JPEG_PIC_STATE */
    uint32_t matrix[VIDEO_MATRICES][18];
    uint32_t huffman[VIDEO_HUFFMAN][53];
    uint32_t huc_mode[3];                  /* HUC_PIPE_MODE_SELECT */
    uint32_t huc_indirect[11];             /* HUC_IND_OBJ_BASE_ADDR_STATE */
    uint32_t avc_image[21];                /* MFX_AVC_IMG_STATE */
    uint32_t avc_direct[71];               /* MFX_AVC_DIRECTMODE_STATE */
    uint32_t avc_slice[11];                /* MFX_AVC_SLICE_STATE */
    uint32_t avc_refs[VIDEO_LISTS][10];    /* MFX_AVC_REF_IDX_STATE */
    uint32_t avc_weights[VIDEO_LISTS][98]; /* MFX_AVC_WEIGHTOFFSET_STATE */
    /* Of the current picture: MFX_ERROR_FLAG, and macroblocks or MCUs for
     * MFX_MB_COUNT. */
    uint32_t errors, decoded, concealed;
};

#endif
