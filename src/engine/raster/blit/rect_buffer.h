/* rect_buffer.h: rectangles copied between a texture and a typed buffer without
 * threads, as drivers move pixel buffer objects. Private to blit/. Any worker;
 * a rect_buffer is read-only once it is made. */
#ifndef ENGINE_RASTER_BLIT_RECT_BUFFER_H
#define ENGINE_RASTER_BLIT_RECT_BUFFER_H

#include "engine/raster/blit/shader_eval.h"

/* Bytes of an element of the destination: bytes of the source's element from
 * number 0 on, or constants. */
enum { ELEMENT_BYTE_0 = 4, ELEMENT_BYTE_1, ELEMENT_BYTE_255 };
struct element_bytes {
    bool same; /* all bits */
    uint8_t from_B, to_B;
    uint8_t from[4];
};

struct rect_buffer {
    /* The rectangle of the texture. */
    struct image image;
    uint32_t x0, y0, width, height;
    /* The buffer: element of the first pixel, distance of rows. */
    struct image buffer; /* all rows as one */
    uint8_t *mem;
    int64_t pitch_B;
    bool to_buffer;
    struct element_bytes bytes;
};

/* The caller has filled in the image and its rectangle. False if threads must
 * draw it: formats differ by more than the order of bytes, a pixel has no
 * element, or texture and buffer overlap. */
bool rect_buffer_upload(struct rect_buffer *b, const struct scene *sc,
                        const struct setup *setup,
                        const struct format_info *target);
/* Likewise, and fills in the image and its rectangle. */
bool rect_buffer_download(struct rect_buffer *b, const struct scene *sc,
                          const struct setup *setup);
/* Whether what `to` writes and what `from` reads have no bytes in common. */
bool rect_buffer_apart(const struct rect_buffer *to,
                       const struct rect_buffer *from);
/* Rows [y0, y1) of the image. */
void rect_buffer_draw(const struct rect_buffer *b, uint32_t y0, uint32_t y1);

#endif
