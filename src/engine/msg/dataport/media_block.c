/* media_block.c: media block messages: a rectangle of a surface's bytes,
 * independent of the execution mask. Rows in registers have a power-of-two
 * pitch. Observed: IGC uses them for block reads and writes of images by a
 * sub-group, i965 and iHD in all media kernels. KBL PRM vol 2d, MH_MB and
 * MHC_MB_CONTROL, the same of MBM, MBPM and MBBM, MDC_VLSO; ILK PRM vol 4 part
 * 1, 5.10.5. */
#include "engine/msg/dataport/dataport.h"

#define FORMAT_R8_UINT 0x143

/* The surface as bytes. Its width and its offset are in dwords. */
struct view {
    struct surface s;
    int64_t width_B, height;
    uint32_t left_B;
    unsigned pixel_B;
    bool yuv, luma_odd;
    unsigned row_step, first_row; /* of a field: 2, and 0 or 1 */
};

/* Message Mode. */
enum { MODE_NORMAL, MODE_PIXEL_MASK, MODE_BYTE_MASK };

struct block {
    int64_t x_B, y;
    unsigned width_B, height;
    /* In the registers: row after row, from first_B on. */
    unsigned first_B, pitch_B;
    unsigned mode; /* of a write */
    uint32_t mask;
};

static bool
make_view(const struct surface *s, const struct eu_message *m, struct view *v)
{
    bool field = bits_get(m->desc, 9, 10) == 3;
    if (s->type != SURFACE_2D || !s->mem || (field && s->height < 2))
        return false;
    *v = (struct view){.s = *s,
                       .width_B = (int64_t)s->width * 4,
                       .height = field ? s->height / 2 : s->height,
                       .row_step = field ? 2 : 1,
                       .first_row = field ? bits_get(m->desc, 8, 8) : 0,
                       .left_B = s->x_offset * 4u,
                       .yuv = s->fmt->compression == FORMAT_YUV};
    /* Keep the format of a standard tiling, whose shape depends on it. */
    if (!surface_is_std(s))
        v->s.fmt = format_info(FORMAT_R8_UINT);
    v->s.x_offset = 0;
    v->pixel_B = s->fmt->element_B;
    if (v->pixel_B > v->width_B)
        v->pixel_B = 4;
    /* YCRCB_SWAPUVY and YCRCB_SWAPY begin with chroma. */
    v->luma_odd = s->format == 0x183 || s->format == 0x190;
    return true;
}

static uint8_t *
byte_at(const struct view *v, int64_t x_B, int64_t y)
{
    const struct surface *s = &v->s;
    uint32_t element_B = s->fmt->element_B;
    uint32_t at_B = (uint32_t)x_B + v->left_B;
    uint32_t x = at_B / element_B * s->fmt->block_w;
    uint32_t row = (uint32_t)y * v->row_step + v->first_row;
    uint64_t offset_B = surface_offset_B(s, 0, x, row, s->min_array, 0) +
                        at_B % element_B;
    return offset_B < s->limit_B ? s->mem + offset_B : NULL;
}

/* Outside the edges, repeats the outermost pixel; of a pixel pair that shares
 * chroma, repeats the outer luma. */
static int64_t
clamp_x(const struct view *v, int64_t x_B)
{
    if (x_B >= 0 && x_B < v->width_B)
        return x_B;
    int64_t pixel_B = v->pixel_B;
    int64_t within_B = (x_B % pixel_B + pixel_B) % pixel_B;
    if (v->yuv && (within_B & 1) == v->luma_odd)
        within_B = (x_B < 0 ? 0 : 2) + v->luma_odd;
    return x_B < 0 ? within_B : v->width_B - pixel_B + within_B;
}

static void
read_block(const struct view *v, const struct block *b,
           const struct eu_message *m)
{
    uint8_t *to = (uint8_t *)m->dst;
    unsigned room_B = m->dst ? m->rlen_grf * 32u : 0;
    for (unsigned row = 0; row < b->height; row++) {
        int64_t y = CLAMP(b->y + row, 0, v->height - 1);
        for (unsigned i = 0; i < b->width_B; i++) {
            unsigned at = b->first_B + row * b->pitch_B + i;
            const uint8_t *p = byte_at(v, clamp_x(v, b->x_B + i), y);
            if (at < room_B)
                to[at] = p ? *p : 0;
        }
    }
}

/* Whether a masked write has the byte. Bits of a pixel mask count dwords: four
 * squares of 2x2 in a square, then four to their right. */
static bool
is_written(const struct block *b, unsigned byte, unsigned row)
{
    unsigned x = byte / 4;
    switch (b->mode) {
    case MODE_PIXEL_MASK:
        return b->mask >> ((x & 4) << 2 | (row & 2) << 2 | (x & 2) << 1 |
                           (row & 1) << 1 | (x & 1)) &
               1;
    case MODE_BYTE_MASK: return byte < 32 && (b->mask >> byte & 1);
    default: return true;
    }
}

static void
write_block(const struct view *v, const struct block *b,
            const struct eu_message *m)
{
    for (unsigned row = 0; row < b->height; row++)
        for (unsigned i = 0; i < b->width_B; i++) {
            int64_t x_B = b->x_B + i, y = b->y + row;
            unsigned at = row * b->pitch_B + i;
            const uint32_t *reg = eu_message_reg(m, 1 + at / 32);
            if (!is_written(b, i, row))
                continue;
            if (!reg || x_B < 0 || x_B >= v->width_B || y < 0 || y >= v->height)
                continue;
            uint8_t *p = byte_at(v, x_B, y);
            if (p)
                *p = ((const uint8_t *)reg)[at % 32];
        }
}

static struct block
read_header(const uint32_t *header, bool write)
{
    struct block b = {
        .x_B = (int32_t)header[0],
        .y = (int32_t)header[1],
        .width_B = bits_get(header[2], 0, 5) + 1,
        .height = bits_get(header[2], 16, 21) + 1,
        .pitch_B = 4,
        .mode = write ? bits_get(header[2], 30, 31) : MODE_NORMAL,
        .mask = header[3],
    };
    if (b.mode == MODE_PIXEL_MASK) {
        b.width_B = 32;
        b.height = 4;
    }
    while (b.pitch_B < b.width_B)
        b.pitch_B *= 2;
    if (!write) {
        /* Rows of other reads lie between: 1, 2 or 4 of them to a pitch. */
        b.first_B = bits_get(header[2], 24, 28);
        b.pitch_B *= bits_get(header[2], 8, 9) + 1;
    }
    return b;
}

/* ---- bytes for profiles -------------------------------------------------- */

/* Reads repeat the outermost pixels; writes leave them out. */
static const uint8_t *
accessed_byte(const struct view *v, const struct block *b,
              const struct eu_message *m, bool write, unsigned row, unsigned i)
{
    unsigned at = b->first_B + row * b->pitch_B + i;
    int64_t x_B = b->x_B + i, y = b->y + row;
    if (!write)
        return m->dst && at < m->rlen_grf * 32u
                   ? byte_at(v, clamp_x(v, x_B), CLAMP(y, 0, v->height - 1))
                   : NULL;
    if (!is_written(b, i, row) || !eu_message_reg(m, 1 + at / 32) || x_B < 0 ||
        x_B >= v->width_B || y < 0 || y >= v->height)
        return NULL;
    return byte_at(v, x_B, y);
}

const struct surface *
media_block_walk(const struct thread_env *env, const struct eu_message *m,
                 bool write, void (*add)(void *data, uint64_t offset_B),
                 void *data)
{
    const uint32_t *header = m->header ? eu_message_reg(m, 0) : NULL;
    const struct surface *s = dataport_surface(env, m);
    struct view v;
    if (!header)
        return NULL;
    if (!make_view(s, m, &v))
        return s;
    struct block b = read_header(header, write);
    for (unsigned row = 0; row < b.height; row++)
        for (unsigned i = 0; i < b.width_B; i++) {
            const uint8_t *p = accessed_byte(&v, &b, m, write, row, i);
            if (p)
                add(data, (uint64_t)(p - v.s.mem));
        }
    return s;
}

/* ---- */

enum eu_msg_result
media_block(struct thread_env *env, const struct eu_message *m, bool write)
{
    const uint32_t *header = m->header ? eu_message_reg(m, 0) : NULL;
    if (!header) {
        guest_error("media block message without a header");
        return EU_MSG_ERROR;
    }
    struct block b = read_header(header, write);
    struct view v;
    if (!make_view(dataport_surface(env, m), m, &v)) {
        if (!write && m->dst)
            memset(m->dst, 0, m->rlen_grf * 32u);
        return EU_MSG_OK;
    }
    if (write)
        write_block(&v, &b, m);
    else
        read_block(&v, &b, m);
    return EU_MSG_OK;
}
