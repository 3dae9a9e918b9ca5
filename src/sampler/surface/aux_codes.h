/* aux_codes.h: clear codes of CCS and HiZ. A code says whether a block is
 * clear. A clear block has the clear value of the state that reads it, instead
 * of the main surface's pixels. See docs/architecture.md; aux_codes.c has the
 * places of codes.
 *
 * Who calls: engine (fast clears, binding, drawing). Any thread; different
 * workers may end different blocks. gen is 8 for Gen8's codes. */
#ifndef SAMPLER_SURFACE_AUX_CODES_H
#define SAMPLER_SURFACE_AUX_CODES_H

#include "sampler/surface/surface.h"

/* The codes of one level and slice. */
struct aux_codes {
    uint8_t *mem;
    uint64_t limit_B;
    uint32_t pitch_tiles;
    uint32_t x, y; /* the level's corner, in blocks */
    uint32_t width_px, height_px, columns, rows; /* of the level */
    uint8_t block_w, block_h;                    /* pixels */
    uint8_t bits, line_rows, qpitch_h;
    uint32_t align_x, align_y; /* blocks */
    bool hiz;
};

struct aux_rect {
    uint32_t x0, y0, x1, y1; /* pixels of the level, maxima exclusive */
};

/* Whether the surface has codes: CCS or HiZ that its state enables. */
bool aux_codes_exist(const struct surface *s);
/* Returns false if the slice has no codes; then clearing and ending them do
 * nothing. */
bool aux_codes_init(struct aux_codes *c, const struct surface *s, unsigned gen,
                    unsigned level, unsigned slice);
/* aux_codes_clear() makes the blocks within the rectangle clear.
 * aux_codes_end() ends the clear state of all blocks that the rectangle
 * touches; it does not write their pixels. */
void aux_codes_clear(const struct aux_codes *c, const struct aux_rect *r);
void aux_codes_end(const struct aux_codes *c, const struct aux_rect *r);
/* Fetches the codes at and beside a pixel, for aux_codes_end() a little later.
 */
void aux_codes_prefetch(const struct aux_codes *c, uint32_t x_px,
                        uint32_t y_px);
bool aux_codes_are_clear(const struct aux_codes *c, uint32_t x_px,
                         uint32_t y_px);
/* Writes the value to the pixels of all clear blocks, which stay clear. Returns
 * false if there are none. */
bool aux_codes_fill(const struct surface *s, unsigned gen, unsigned level,
                    unsigned slice, const uint8_t value[16]);
/* The clear value of the surface's state as an element, repeated to 16 bytes; a
 * depth, too; and the function that repeats an element. */
void aux_clear_value(const struct surface *s, uint8_t value[16]);
void aux_depth_value(const struct format_info *fmt, float z, uint8_t value[16]);
void aux_repeat(uint8_t value[16], unsigned element_B);
/* Eight bytes of a HiZ buffer that hold no code, or NULL. */
uint64_t *aux_stamp(const struct surface *s);

#endif
