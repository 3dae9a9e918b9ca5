/* media_payload.h: the registers that a media thread begins with. Used within
 * media/. R0 is as for GPGPU_WALKER but for dword 1, which has x and y
 * (Observed: kernels of iHD and i965 mask its halves), and the colour in dword
 * 2 (Guess: bits 3:0). The CURBE's registers follow, then inline and indirect
 * data. Observed: i965. */
#ifndef ENGINE_MEDIA_MEDIA_PAYLOAD_H
#define ENGINE_MEDIA_MEDIA_PAYLOAD_H

#include "engine/media/media.h"

/* Channels: all that a kernel could enable. */
#define MEDIA_CHANNELS UINT32_MAX

/* Fills the registers of a thread of d. Live-in registers after the payload are
 * zero. */
void media_fill_payload(const struct dispatch *d,
                        const struct eu_launch *launch, struct eu_thread *t,
                        const struct media_object *object, unsigned fftid);
/* R0's place. */
void media_set_position(struct eu_thread *t, const struct media_position *p);
/* Copies data to byte at_B of the registers, as far as there are some. Returns
 * where the next register begins. */
unsigned media_append(uint8_t *grf, unsigned at_B, const void *data,
                      uint64_t size_B);

#endif
