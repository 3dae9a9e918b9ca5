#include "drm-shim/report/png_write.h"

#include "drm-shim/core/core.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

bool
png_write(const char *path, uint32_t width_px, uint32_t height_px,
          const uint8_t *rgba)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION,
        .width = width_px,
        .height = height_px,
        .format = PNG_FORMAT_RGB,
    };
    size_t pixels = (size_t)width_px * height_px;
    uint8_t *rgb = malloc(pixels * 3);
    int fd = syscall_openat(AT_FDCWD, path,
                            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    bool ok = false;
    if (rgb && file) {
        for (size_t i = 0; i < pixels; i++)
            for (int c = 0; c < 3; c++)
                rgb[i * 3 + (size_t)c] = rgba[i * 4 + (size_t)c];
        ok = png_image_write_to_stdio(&image, file, 0, rgb, 0, NULL);
    }
    if (file)
        ok = !fclose(file) && ok;
    else if (fd >= 0)
        close(fd);
    free(rgb);
    return ok;
}
