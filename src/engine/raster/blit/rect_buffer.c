/* rect_buffer.c: rows of a buffer to and from an image. Elements are moved as
 * they are, or byte by byte where the formats order equal channels differently;
 * whatever else a format converts is left to threads. */
#include "engine/raster/blit/rect_buffer.h"

#include "engine/raster/block_layout.h"
#include "engine/raster/blit/rect_sample.h"
#include "eu/summary/summary.h"

/* A piece of elements in other order, which stays in the L1 cache. */
#define PIECE_B 4096
#define PIECE_ROWS 4 /* of a line of a Y tile */

/* ---- formats ------------------------------------------------------------ */

static bool
has_bytes(const struct format_info *fmt)
{
    if (fmt->compression != FORMAT_PLAIN || fmt->srgb || fmt->lum ||
        fmt->intensity || fmt->alpha_only || fmt->block_bits % 8 ||
        fmt->block_bits > 32)
        return false;
    unsigned bits = 0;
    for (unsigned c = 0; c < 4; c++) {
        const struct format_channel *ch = &fmt->ch[c];
        if (ch->kind == FORMAT_NONE)
            continue;
        if ((ch->kind != FORMAT_UNORM && ch->kind != FORMAT_UINT &&
             ch->kind != FORMAT_SINT) ||
            ch->bits != 8 || ch->start_bit % 8)
            return false;
        bits += ch->bits;
    }
    return bits == fmt->block_bits;
}

/* The byte that a shader's channel of kind `kind` comes from. */
static bool
find_byte(const struct surface *from, unsigned scs, unsigned kind, uint8_t *at)
{
    uint8_t one = kind == FORMAT_UNORM ? ELEMENT_BYTE_255 : ELEMENT_BYTE_1;
    *at = scs == GEN9_SCS_ONE ? one : ELEMENT_BYTE_0;
    if (scs < GEN9_SCS_RED)
        return scs == GEN9_SCS_ONE || scs == GEN9_SCS_ZERO;
    unsigned c = scs - GEN9_SCS_RED;
    const struct format_channel *ch = &from->fmt->ch[c & 3];
    if (ch->kind == FORMAT_NONE)
        *at = c == 3 ? one : ELEMENT_BYTE_0;
    else
        *at = ch->start_bit / 8;
    return c < 4 && (ch->kind == FORMAT_NONE || ch->kind == kind);
}

static bool
keeps_channels(const struct surface *from)
{
    for (unsigned c = 0; c < 4; c++)
        if (from->fmt->ch[c].kind != FORMAT_NONE &&
            from->swizzle[c] != GEN9_SCS_RED + c)
            return false;
    return true;
}

/* Whether moving bytes converts a source's elements to a destination's, with
 * the bits that threads give. */
static bool
find_bytes(struct element_bytes *m, const struct surface *from,
           const struct format_info *to)
{
    m->same = format_same_bits(from->fmt, to) && keeps_channels(from);
    m->from_B = from->fmt->element_B;
    m->to_B = to->element_B;
    if (m->same)
        return true;
    if (!has_bytes(from->fmt) || !has_bytes(to) ||
        from->fmt->is_int != to->is_int)
        return false;
    for (unsigned c = 0; c < 4; c++) {
        const struct format_channel *ch = &to->ch[c];
        if (ch->kind != FORMAT_NONE &&
            !find_byte(from, from->swizzle[c], ch->kind,
                       &m->from[ch->start_bit / 8]))
            return false;
    }
    return true;
}

/* ---- places ------------------------------------------------------------- */

/* Elements that the rows touch: the first one, and how many from there on. */
static bool
find_span(const struct rect_buffer *b, const struct surface *s,
          const struct eval_element *e, uint64_t *first, uint64_t *count)
{
    int64_t row = (int32_t)e->at_row, way = row * (int64_t)(b->height - 1);
    int64_t begin = (int64_t)e->at + MIN2(way, 0);
    int64_t end = (int64_t)e->at + MAX2(way, 0) + b->width;
    int64_t apart = row < 0 ? -row : row;
    if (begin < 0 || (uint64_t)end > s->buffer_elements ||
        (b->to_buffer && b->height > 1 && apart < b->width))
        return false;
    *first = (uint64_t)begin;
    *count = (uint64_t)(end - begin);
    return true;
}

static bool
find_rows(struct rect_buffer *b, const struct surface *s,
          const struct eval_element *e)
{
    uint64_t first, count, element_B = s->fmt->element_B;
    if (s->type != SURFACE_BUFFER || !s->mem || s->fmt->block_bits % 8 ||
        s->buffer_stride_B != element_B || e->at_column != 1 ||
        !find_span(b, s, e, &first, &count) || count > INT32_MAX / element_B ||
        (first + count) * element_B > s->limit_B)
        return false;
    b->mem = s->mem + e->at * element_B;
    b->pitch_B = (int32_t)e->at_row * (int64_t)element_B;
    b->buffer = (struct image){.mem = s->mem + first * element_B,
                               .tiling = TILING_LINEAR,
                               .pitch_B = (uint32_t)(count * element_B),
                               .width = (uint32_t)count,
                               .height = 1,
                               .element_B = (unsigned)element_B};
    return rect_buffer_apart(b, b);
}

bool
rect_buffer_upload(struct rect_buffer *b, const struct scene *sc,
                   const struct setup *setup, const struct format_info *target)
{
    const struct surface *from = stage_surface(sc->ps,
                                               sc->ps->summary->texture);
    struct eval_element e;
    b->to_buffer = false;
    return find_bytes(&b->bytes, from, target) &&
           shader_eval_element(sc, setup, b->x0, b->y0, &e) &&
           find_rows(b, from, &e);
}

/* The rectangle as texels. */
static bool
find_texels(struct rect_buffer *b, const struct surface *s,
            const struct eval_element *e)
{
    if (e->u_column != 1 || e->v_row != 1 ||
        !rect_find_texture(&b->image, s, e->level, e->layer) ||
        (uint64_t)e->u + b->width > b->image.width ||
        (uint64_t)e->v + b->height > b->image.height)
        return false;
    b->x0 = e->u;
    b->y0 = e->v;
    return true;
}

bool
rect_buffer_download(struct rect_buffer *b, const struct scene *sc,
                     const struct setup *setup)
{
    const struct kernel_summary *m = sc->ps->summary;
    const struct surface *from = stage_surface(sc->ps, m->texture);
    const struct surface *to = stage_surface(sc->ps, m->store);
    struct eval_element e;
    if (setup->x0 >= setup->x1 || setup->y0 >= setup->y1)
        return false;
    b->to_buffer = true;
    b->width = (uint32_t)(setup->x1 - setup->x0);
    b->height = (uint32_t)(setup->y1 - setup->y0);
    return find_bytes(&b->bytes, from, to->fmt) &&
           shader_eval_element(sc, setup, (uint32_t)setup->x0,
                               (uint32_t)setup->y0, &e) &&
           find_texels(b, from, &e) && find_rows(b, to, &e);
}

bool
rect_buffer_apart(const struct rect_buffer *to, const struct rect_buffer *from)
{
    const struct image_rect image = {&to->image, to->x0, to->y0, to->width,
                                     to->height};
    const struct image_rect to_row = {&to->buffer, 0, 0, to->buffer.width, 1};
    const struct image_rect texture = {&from->image, from->x0, from->y0,
                                       from->width, from->height};
    const struct image_rect row = {&from->buffer, 0, 0, from->buffer.width, 1};
    return to->to_buffer ? !image_overlap(&to_row, &texture)
                         : !image_overlap(&image, &row);
}

/* ---- elements ----------------------------------------------------------- */

/* Four bytes to four bytes: for each distance that bytes move to the left, with
 * rotation, a mask of the moved bytes; and the constant bytes. */
struct dword_bytes {
    uint32_t moved[4], constant;
};

static void
find_dword_bytes(struct dword_bytes *d, const struct element_bytes *m)
{
    *d = (struct dword_bytes){{0}, 0};
    for (unsigned k = 0; k < 4; k++) {
        unsigned at = m->from[k];
        uint32_t value = at == ELEMENT_BYTE_255 ? 255 : at == ELEMENT_BYTE_1;
        d->constant |= value << k * 8;
        if (at < 4)
            d->moved[(k - at) & 3] |= 0xffu << k * 8;
    }
}

/* Loops that compilers make vectors of. */
RASTER_LANES static void
turn_dwords(const struct dword_bytes *d, uint8_t *restrict to,
            const uint8_t *restrict from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v, out = d->constant;
        memcpy(&v, from + (size_t)i * 4, 4);
        out |= v & d->moved[0];
        out |= (v << 8 | v >> 24) & d->moved[1];
        out |= (v << 16 | v >> 16) & d->moved[2];
        out |= (v << 24 | v >> 8) & d->moved[3];
        memcpy(to + (size_t)i * 4, &out, 4);
    }
}

/* Where two bytes are exchanged, as RGBA and BGRA want it, and constants. */
RASTER_LANES static void
turn_halves(const struct dword_bytes *d, uint8_t *restrict to,
            const uint8_t *restrict from, uint32_t count)
{
    const uint32_t stay = d->moved[0], turn = d->moved[2], add = d->constant;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v;
        memcpy(&v, from + (size_t)i * 4, 4);
        v = (v & stay) | ((v << 16 | v >> 16) & turn) | add;
        memcpy(to + (size_t)i * 4, &v, 4);
    }
}

static void
turn_bytes(const struct element_bytes *m, uint8_t *to, const uint8_t *from,
           uint32_t count)
{
    uint8_t value[ELEMENT_BYTE_255 + 1] = {
        [ELEMENT_BYTE_1] = 1, [ELEMENT_BYTE_255] = 255};
    for (uint32_t i = 0; i < count; i++, from += m->from_B, to += m->to_B) {
        memcpy(value, from, m->from_B);
        for (unsigned k = 0; k < m->to_B; k++)
            to[k] = value[m->from[k]];
    }
}

static void
turn_row(const struct element_bytes *m, uint8_t *to, const uint8_t *from,
         uint32_t count)
{
    struct dword_bytes d;
    if (m->from_B != 4 || m->to_B != 4) {
        turn_bytes(m, to, from, count);
        return;
    }
    find_dword_bytes(&d, m);
    if (d.moved[1] | d.moved[3])
        turn_dwords(&d, to, from, count);
    else
        turn_halves(&d, to, from, count);
}

/* ---- rows --------------------------------------------------------------- */

static uint8_t *
row_at(const struct rect_buffer *b, uint32_t x, uint32_t y)
{
    return b->mem + (int64_t)(y - b->y0) * b->pitch_B +
           (uint64_t)(x - b->x0) * b->buffer.element_B;
}

/* A part of the rectangle by way of a buffer of rows. */
static void
turn_piece(const struct rect_buffer *b, uint32_t x, uint32_t y, uint32_t w,
           uint32_t h)
{
    alignas(64) uint8_t rows[PIECE_B];
    unsigned element_B = b->image.element_B;
    const struct image piece = {.mem = rows,
                                .tiling = TILING_LINEAR,
                                .pitch_B = w * element_B,
                                .width = w,
                                .height = h,
                                .element_B = element_B};
    if (b->to_buffer)
        image_copy(&piece, 0, 0, &b->image, x, y, w, h);
    for (uint32_t i = 0; i < h; i++) {
        uint8_t *row = rows + (size_t)i * piece.pitch_B;
        uint8_t *at = row_at(b, x, y + i);
        turn_row(&b->bytes, b->to_buffer ? at : row, b->to_buffer ? row : at,
                 w);
    }
    if (!b->to_buffer)
        image_copy(&b->image, x, y, &piece, 0, 0, w, h);
}

static void
turn_rows(const struct rect_buffer *b, uint32_t y0, uint32_t y1)
{
    uint32_t most = PIECE_B / PIECE_ROWS / b->image.element_B;
    for (uint32_t y = y0, h; y < y1; y += h) {
        h = MIN2(PIECE_ROWS - (b->image.y + y) % PIECE_ROWS, y1 - y);
        for (uint32_t x = 0, w; x < b->width; x += w) {
            w = MIN2(most, b->width - x);
            turn_piece(b, b->x0 + x, y, w, h);
        }
    }
}

static void
copy_rows(const struct rect_buffer *b, uint32_t y, uint32_t h)
{
    const struct image rows = {.mem = row_at(b, b->x0, y),
                               .tiling = TILING_LINEAR,
                               .pitch_B = (uint32_t)MAX2(b->pitch_B, 0),
                               .width = b->width,
                               .height = h,
                               .element_B = b->buffer.element_B};
    if (b->to_buffer)
        image_copy(&rows, 0, 0, &b->image, b->x0, y, b->width, h);
    else
        image_copy(&b->image, b->x0, y, &rows, 0, 0, b->width, h);
}

void
rect_buffer_draw(const struct rect_buffer *b, uint32_t y0, uint32_t y1)
{
    if (!b->bytes.same) {
        turn_rows(b, y0, y1);
    } else if (b->pitch_B >= 0 && b->pitch_B <= INT32_MAX) {
        copy_rows(b, y0, y1 - y0);
    } else {
        for (uint32_t y = y0; y < y1; y++)
            copy_rows(b, y, 1);
    }
}
