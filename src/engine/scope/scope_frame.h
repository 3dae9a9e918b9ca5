/* scope_frame.h: where frames end, for profiles.
 *
 * Caller: drm-shim/kms. Any thread. */
#ifndef ENGINE_SCOPE_SCOPE_FRAME_H
#define ENGINE_SCOPE_SCOPE_FRAME_H

/* The client has asked to show another picture: what it submits from now on is
 * of the next frame. */
void engine_note_frame(void);

#endif
