/* blt_maker.c: see blt_maker.h. */
#include "blt_maker.h"

#include <string.h>

#define BCS_SWCTRL 0x22200u

const uint8_t blt_opcodes[BLT_OPCODES] = {
    0x24, 0x25, 0x26, 0x31, 0x40, 0x42, 0x43, 0x50, 0x51, 0x52, 0x53, 0x54,
    0x55, 0x56, 0x57, 0x58, 0x59, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77,
};

bool
blt_has_source(unsigned opcode)
{
    return opcode == 0x42 || opcode == 0x43 || opcode == 0x53 ||
           opcode == 0x55 || opcode == 0x57 || opcode == 0x73 || opcode == 0x74;
}

uint32_t
blt_random(struct blt_maker *g)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (uint32_t)(g->state >> 16);
}

static unsigned
below(struct blt_maker *g, unsigned n)
{
    return blt_random(g) % n;
}

/* ---- surfaces and rectangles --------------------------------------------- */

struct made_surface {
    uint64_t va;
    uint32_t pitch; /* as in packets */
    unsigned width_px, height;
};

static struct made_surface
make_surface(struct blt_maker *g, enum model_tiling t, unsigned pixel_B,
             uint64_t area_va)
{
    unsigned rows = 1, pitch_B, units;
    if (t == LINEAR) {
        pitch_B = pixel_B * (40 + below(g, 300));
    } else {
        rows = blt_model_tile_rows(t, pixel_B);
        unsigned tile_B = blt_model_tile_B(t, pixel_B);
        pitch_B = tile_B *
                  (1 + below(g, MAKER_AREA_B / (tile_B * rows) < 8 ? 2 : 3));
    }
    units = MAKER_AREA_B / (pitch_B * rows);
    bool upwards = !below(g, 4);
    struct made_surface s = {
        .va = area_va + (upwards ? (uint64_t)(units - 1) * pitch_B * rows : 0),
        .width_px = pitch_B / pixel_B,
        .height = units * rows,
    };
    int32_t pitch = (int32_t)(t == LINEAR ? pitch_B : pitch_B / 4);
    s.pitch = (uint32_t)(upwards ? -pitch : pitch) & 0xffff;
    return s;
}

struct made_rectangle {
    unsigned x, y, w, h;
};

static unsigned
least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static struct made_rectangle
make_size(struct blt_maker *g, const struct made_surface *a,
          const struct made_surface *b, unsigned area_px)
{
    unsigned most_w = least(below(g, 6) ? 24 : 160,
                            least(a->width_px, b->width_px));
    unsigned w = 1 + below(g, most_w);
    unsigned most_h = least(below(g, 6) ? 10 : 40, least(a->height, b->height));
    most_h = least(most_h, area_px / w + 1);
    return (struct made_rectangle){.w = w, .h = 1 + below(g, most_h)};
}

static void
move_in(struct blt_maker *g, struct made_rectangle *r,
        const struct made_surface *s)
{
    r->x = below(g, s->width_px - r->w + 1);
    r->y = below(g, s->height - r->h + 1);
}

/* A value beside v, from 0 to most. */
static unsigned
beside(struct blt_maker *g, unsigned v, unsigned most)
{
    unsigned low = v < 9 ? 0 : v - 9;
    return low + below(g, least(v + 9, most) - low + 1);
}

/* Mostly so that the rectangles overlap, often in the same rows. */
static void
move_near(struct blt_maker *g, struct made_rectangle *r,
          const struct made_rectangle *to, const struct made_surface *s)
{
    r->x = beside(g, to->x, s->width_px - r->w);
    r->y = below(g, 2) ? to->y : beside(g, to->y, s->height - r->h);
}

static uint32_t
pack_xy(unsigned x, unsigned y)
{
    return (y & 0xffff) << 16 | (x & 0xffff);
}

/* ---- packets ------------------------------------------------------------- */

struct packet {
    uint32_t dw[260];
    unsigned n;
};

static void
put(struct packet *p, uint32_t dw)
{
    p->dw[p->n++] = dw;
}

static void
put_va(struct packet *p, uint64_t va)
{
    put(p, (uint32_t)va);
    put(p, (uint32_t)(va >> 32));
}

static void
put_random(struct blt_maker *g, struct packet *p, unsigned count)
{
    while (count--)
        put(p, blt_random(g));
}

static void
finish(struct blt_maker *g, struct packet *p, unsigned opcode)
{
    p->dw[0] |= 2u << 29 | opcode << 22 | (p->n - 2);
    g->emit(p->dw, p->n);
}

/* Low and high with room for some colours between. */
static void
put_range(struct blt_maker *g, struct packet *p)
{
    put(p, blt_random(g) & blt_random(g) & blt_random(g));
    put(p, blt_random(g) | blt_random(g) | blt_random(g));
}

struct kind {
    char source;  /* c colours, m bits, i inline bits */
    char pattern; /* s solid, c colours, i inline colours, m bits, f fixed */
    bool keyed;
};

static struct kind
kind_of(unsigned opcode)
{
    switch (opcode) {
    case 0x50: return (struct kind){0, 's', false};
    case 0x51: return (struct kind){0, 'c', false};
    case 0x52: return (struct kind){0, 'm', false};
    case 0x53: return (struct kind){'c', 0, false};
    case 0x54: return (struct kind){'m', 0, false};
    case 0x55: return (struct kind){'c', 'c', false};
    case 0x56: return (struct kind){'m', 'c', false};
    case 0x57: return (struct kind){'c', 'm', false};
    case 0x58: return (struct kind){'m', 'm', false};
    case 0x59: return (struct kind){0, 'f', false};
    case 0x71: return (struct kind){'i', 0, false};
    case 0x72: return (struct kind){0, 'i', false};
    case 0x73: return (struct kind){'c', 0, true};
    case 0x74: return (struct kind){'c', 'i', false};
    case 0x75: return (struct kind){'m', 'i', false};
    case 0x76: return (struct kind){0, 'c', true};
    case 0x77: return (struct kind){0, 'i', true};
    default: return (struct kind){0};
    }
}

struct job {
    const struct blt_choice *c;
    struct made_surface dst, src;
    struct made_rectangle to, from;
    unsigned pixel_B;
};

static uint32_t
control(struct blt_maker *g, const struct job *j)
{
    static const uint8_t depths[3] = {0, 1, 3};
    unsigned depth = depths[j->c->log2_B];
    if (depth == 1 && below(g, 2))
        depth = 2;
    /* Solid and transparent patterns and bits, clipping: sometimes. */
    uint32_t flags = (blt_random(g) & blt_random(g)) & 0xf0000000;
    return j->dst.pitch | j->c->rop << 16 | depth << 24 | flags;
}

static uint32_t
byte_mask(struct blt_maker *g)
{
    return (below(g, 3) ? 3 : below(g, 4)) << 20;
}

static void
put_bits(struct blt_maker *g, struct packet *p, const struct job *j,
         bool is_inline)
{
    unsigned words = (j->to.w + 7 + 15) / 16 * j->to.h;
    if (is_inline)
        put_random(g, p, (words + 3) / 4 * 2);
    else
        put_va(p, MAKER_BITS_VA + below(g, 0x8000));
}

static void
emit_xy(struct blt_maker *g, const struct job *j)
{
    struct packet p = {{0}, 0};
    struct kind k = kind_of(j->c->opcode);
    put(&p, (blt_random(g) & 0x000e7700) | byte_mask(g) |
                (j->c->dst != LINEAR ? 1u << 11 : 0) |
                (k.source == 'c' && j->c->src != LINEAR ? 1u << 15 : 0));
    if (k.pattern == 'f')
        p.dw[0] = (p.dw[0] & ~(15u << 15)) | below(g, 6) << 15;
    put(&p, control(g, j));
    put(&p, pack_xy(j->to.x, j->to.y));
    put(&p, pack_xy(j->to.x + j->to.w, j->to.y + j->to.h));
    put_va(&p, j->dst.va);
    if (k.source == 'c') {
        put(&p, pack_xy(j->from.x, j->from.y));
        put(&p, j->src.pitch);
        put_va(&p, j->src.va);
    }
    if (k.source == 'm')
        put_bits(g, &p, j, false);
    if (k.source == 'm' || k.source == 'i')
        put_random(g, &p, 2);
    if (k.source == 'i')
        put_bits(g, &p, j, true);
    if (k.pattern == 'c')
        put_va(&p, MAKER_BITS_VA + 0x8000 + 64ull * below(g, 256));
    if (k.keyed)
        put_range(g, &p);
    if (k.pattern == 'i')
        put_random(g, &p, 16 * j->pixel_B);
    if (k.pattern == 's')
        put_random(g, &p, 1);
    if (k.pattern == 'm')
        put_random(g, &p, 4);
    if (k.pattern == 'f')
        put_random(g, &p, 2);
    finish(g, &p, j->c->opcode);
}

static void
emit_with_setup(struct blt_maker *g, const struct job *j)
{
    struct packet s = {{0}, 0}, p = {{0}, 0};
    bool mono = below(g, 2);
    uint32_t tiled = j->c->dst != LINEAR ? 1u << 11 : 0;
    put(&s, byte_mask(g) | tiled);
    put(&s, control(g, j));
    put(&s, pack_xy(j->to.x + j->to.w / 4, j->to.y));
    put(&s, pack_xy(j->to.x + j->to.w, j->to.y + j->to.h - j->to.h / 4));
    put_va(&s, j->dst.va);
    put_random(g, &s, 2);
    if (mono)
        put_random(g, &s, 2);
    else
        put_va(&s, MAKER_BITS_VA + 0x8000 + 64ull * below(g, 256));
    finish(g, &s, mono ? 0x11 : 0x01);

    put(&p, tiled | (blt_random(g) & 0x17700));
    put(&p, pack_xy(j->to.x, j->to.y));
    if (j->c->opcode != 0x24)
        put(&p, pack_xy(j->to.x + j->to.w, j->to.y + j->to.h));
    if (j->c->opcode == 0x26 || j->c->opcode == 0x31)
        put_bits(g, &p, j, j->c->opcode == 0x31);
    finish(g, &p, j->c->opcode);
}

static void
emit_bytes(struct blt_maker *g, const struct job *j)
{
    struct packet p = {{0}, 0};
    bool copies = j->c->opcode == 0x43, back = copies && below(g, 2);
    uint64_t back_B = back ? (uint64_t)j->to.w * j->pixel_B - 1 : 0;
    put(&p, byte_mask(g));
    put(&p, (control(g, j) & ~(1u << 30)) | (back ? 1u << 30 : 0));
    put(&p, pack_xy(j->to.w * j->pixel_B, j->to.h));
    put_va(&p, j->dst.va + (uint64_t)j->to.x * j->pixel_B + back_B);
    if (copies) {
        put(&p, j->src.pitch);
        put_va(&p, j->src.va + (uint64_t)j->from.x * j->pixel_B + back_B);
    } else {
        put_random(g, &p, 1);
    }
    finish(g, &p, j->c->opcode);
}

static void
emit_fast_copy(struct blt_maker *g, const struct job *j)
{
    static const uint8_t depths[5] = {0, 1, 3, 4, 5},
                         modes[5] = {0, 1, 2, 2, 3};
    const struct blt_choice *c = j->c;
    struct packet p = {{0}, 0};
    put(&p, (uint32_t)modes[c->dst] << 13 | (uint32_t)modes[c->src] << 20);
    put(&p, j->dst.pitch | (uint32_t)depths[c->log2_B] << 24 |
                (c->dst == TILE_YF ? 1u << 30 : 0) |
                (c->src == TILE_YF ? 1u << 31 : 0));
    put(&p, pack_xy(j->to.x, j->to.y));
    put(&p, pack_xy(j->to.x + j->to.w, j->to.y + j->to.h));
    put_va(&p, j->dst.va);
    put(&p, pack_xy(j->from.x, j->from.y));
    put(&p, j->src.pitch);
    put_va(&p, j->src.va);
    finish(g, &p, c->opcode);
}

void
blt_make(struct blt_maker *g, const struct blt_choice *c)
{
    struct job j = {.c = c, .pixel_B = 1u << c->log2_B};
    unsigned inline_px = c->opcode == 0x31 || c->opcode == 0x71 ? 1500 : 6400;
    j.dst = make_surface(g, c->dst, j.pixel_B, MAKER_DST_VA);
    j.src = c->one_surface ? j.dst
                           : make_surface(g, c->src, j.pixel_B, MAKER_SRC_VA);
    j.to = make_size(g, &j.dst, &j.src, inline_px);
    j.from = j.to;
    move_in(g, &j.to, &j.dst);
    if (c->one_surface && below(g, 4))
        move_near(g, &j.from, &j.to, &j.src);
    else
        move_in(g, &j.from, &j.src);
    uint32_t y = (c->dst == TILE_Y ? 2 : 0) | (c->src == TILE_Y ? 1 : 0);
    g->emit((uint32_t[]){0x11000001, BCS_SWCTRL, 3u << 16 | y}, 3);
    g->emit((uint32_t[]){0x40c00001,
                         pack_xy(j.to.x + below(g, 3), j.to.y + below(g, 3)),
                         pack_xy(j.to.x + j.to.w - below(g, 2),
                                 j.to.y + j.to.h - below(g, 2))},
            3);
    if (c->opcode == 0x42)
        emit_fast_copy(g, &j);
    else if (c->opcode == 0x40 || c->opcode == 0x43)
        emit_bytes(g, &j);
    else if (c->opcode < 0x40)
        emit_with_setup(g, &j);
    else
        emit_xy(g, &j);
}
