/* png.h: writes pictures. Callers: this sub-room; one thread. */
#ifndef CLI_PROFILE_PIXELS_PNG_H
#define CLI_PROFILE_PIXELS_PNG_H

#include <stdint.h>

enum png_kind {
    PNG_GREY16, /* two bytes a pixel, the high one first */
    PNG_RGB     /* three */
};

/* Rows from the top, without gaps. Returns NULL, or an error message. */
const char *png_write(const char *file, enum png_kind kind, uint32_t width,
                      uint32_t height, const uint8_t *pixels);
/* The same as Base64 (RFC 4648), for the caller to free; NULL: no memory. */
char *png_base64(enum png_kind kind, uint32_t width, uint32_t height,
                 const uint8_t *pixels);

#endif
