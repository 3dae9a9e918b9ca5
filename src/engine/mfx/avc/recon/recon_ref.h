/* recon_ref.h: the routines that recon/'s tables list, and the loop filter's
 * limits. Inside of recon/, any thread. */
#ifndef ENGINE_MFX_AVC_RECON_REF_H
#define ENGINE_MFX_AVC_RECON_REF_H

#include "engine/mfx/avc/recon/recon.h"

#define AVC_BLOCK_STRIDE 16 /* of predicted blocks */

/* Tables 8-16 and 8-17; of tc0 for bS 1 to 3. */
extern const uint8_t avc_alpha[52], avc_beta[52], avc_tc0[52][3];

#define AVC_RECON_ROUTINES(isa)                                                \
    void avc_add_4x4_##isa(uint8_t *to, ptrdiff_t stride, int16_t coef[16]);   \
    void avc_add_8x8_##isa(uint8_t *to, ptrdiff_t stride, int16_t coef[64]);   \
    void avc_luma_##isa(struct avc_window *w, const uint8_t *from, unsigned x, \
                        unsigned y, unsigned width, unsigned height,           \
                        uint8_t *to, ptrdiff_t stride);                        \
    void avc_chroma_##isa(const uint8_t *from, unsigned x, unsigned y,         \
                          unsigned width, unsigned height,                     \
                          uint8_t *const to[2], ptrdiff_t stride);             \
    void avc_average_##isa(uint8_t *to, ptrdiff_t stride, const uint8_t *a,    \
                           const uint8_t *b, unsigned width, unsigned height); \
    void avc_weight_one_##isa(uint8_t *to, ptrdiff_t stride, const uint8_t *a, \
                              const struct avc_weights *w, unsigned width,     \
                              unsigned height);                                \
    void avc_weight_two_##isa(uint8_t *to, ptrdiff_t stride, const uint8_t *a, \
                              const uint8_t *b, const struct avc_weights *w,   \
                              unsigned width, unsigned height);                \
    void avc_filter_luma_##isa(const struct avc_lines *lines);                 \
    void avc_filter_chroma_##isa(const struct avc_lines *lines)

AVC_RECON_ROUTINES(ref);
AVC_RECON_ROUTINES(avx2);

#endif
