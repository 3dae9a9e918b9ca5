/* png_write.h: writes a picture as a PNG file. False and errno if that fails.
 * Any thread. */
#ifndef DRM_SHIM_REPORT_PNG_WRITE_H
#define DRM_SHIM_REPORT_PNG_WRITE_H

#include <stdbool.h>
#include <stdint.h>

/* rgba: 4 bytes per pixel, rows top down. Alpha is not written: a screen has
 * none. */
bool png_write(const char *path, uint32_t width_px, uint32_t height_px,
               const uint8_t *rgba);

#endif
