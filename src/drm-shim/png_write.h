/* png_write.h: a picture into a file. False and errno if that fails. */
#ifndef SHIM_PNG_WRITE_H
#define SHIM_PNG_WRITE_H

#include <stdbool.h>
#include <stdint.h>

/* rgba: 4 bytes per pixel, rows top down. Alpha is not written: a screen has
 * none. */
bool png_write(const char *path, uint32_t width_px, uint32_t height_px,
               const uint8_t *rgba);

#endif
