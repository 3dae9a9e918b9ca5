/* png.c: PNG (ISO/IEC 15948) with one chunk of data and without filters. */
#include "cli/profile/pixels/png.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void
put_number(uint8_t to[4], uint32_t n)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(n >> (24 - 8 * i));
}

static void
put_chunk(FILE *f, const char type[5], const uint8_t *data, uint32_t size_B)
{
    uint8_t number[4];
    uLong crc = crc32(crc32(0, NULL, 0), (const Bytef *)type, 4);
    if (size_B)
        crc = crc32(crc, data, size_B);
    put_number(number, size_B);
    fwrite(number, 4, 1, f);
    fwrite(type, 4, 1, f);
    fwrite(data, 1, size_B, f);
    put_number(number, (uint32_t)crc);
    fwrite(number, 4, 1, f);
}

/* Each row begins with the number of its filter, 0. NULL: no memory. */
static uint8_t *
compress_rows(const uint8_t *pixels, size_t row_B, uint32_t height,
              uLong *size_B)
{
    size_t raw_B = (row_B + 1) * height;
    uint8_t *raw = malloc(raw_B), *out = NULL;
    for (uint32_t y = 0; raw && y < height; y++) {
        raw[y * (row_B + 1)] = 0;
        memcpy(raw + y * (row_B + 1) + 1, pixels + y * row_B, row_B);
    }
    *size_B = compressBound(raw_B);
    if (raw)
        out = malloc(*size_B);
    if (out && compress2(out, size_B, raw, raw_B, 6) != Z_OK) {
        free(out);
        out = NULL;
    }
    free(raw);
    return out;
}

/* False: no memory. */
static bool
put_png(FILE *f, enum png_kind kind, uint32_t width, uint32_t height,
        const uint8_t *pixels)
{
    static const uint8_t signature[8] = "\x89PNG\r\n\x1a\n";
    const bool grey = kind == PNG_GREY16;
    /* Width, height, bits, colour type, compression, filter, interlace. */
    uint8_t head[13] = {[8] = grey ? 16 : 8, [9] = grey ? 0 : 2};
    uLong size_B = 0;
    uint8_t *data = compress_rows(pixels, (size_t)width * (grey ? 2 : 3),
                                  height, &size_B);
    if (!data)
        return false;
    put_number(head, width);
    put_number(head + 4, height);
    fwrite(signature, sizeof signature, 1, f);
    put_chunk(f, "IHDR", head, sizeof head);
    put_chunk(f, "IDAT", data, (uint32_t)size_B);
    put_chunk(f, "IEND", head, 0);
    free(data);
    return true;
}

const char *
png_write(const char *file, enum png_kind kind, uint32_t width, uint32_t height,
          const uint8_t *pixels)
{
    FILE *f = fopen(file, "we");
    if (!f)
        return strerror(errno);
    bool whole = put_png(f, kind, width, height, pixels), failed = ferror(f);
    if (fclose(f) || failed)
        return strerror(errno);
    return whole ? NULL : "no memory";
}

static char *
base64(const uint8_t *data, size_t size_B)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((size_B + 2) / 3 * 4 + 1), *to = text;
    for (size_t i = 0; text && i < size_B; i += 3) {
        uint32_t three = (uint32_t)data[i] << 16 |
                         (i + 1 < size_B ? data[i + 1] << 8 : 0) |
                         (i + 2 < size_B ? data[i + 2] : 0);
        for (unsigned n = 0; n < 4; n++)
            *to++ = i + n <= size_B ? digits[three >> (18 - 6 * n) & 63] : '=';
    }
    if (to)
        *to = 0;
    return text;
}

char *
png_base64(enum png_kind kind, uint32_t width, uint32_t height,
           const uint8_t *pixels)
{
    char *data = NULL, *text = NULL;
    size_t size_B = 0;
    FILE *f = open_memstream(&data, &size_B);
    if (!f)
        return NULL;
    bool whole = put_png(f, kind, width, height, pixels);
    if (!fclose(f) && whole)
        text = base64((const uint8_t *)data, size_B);
    free(data);
    return text;
}
