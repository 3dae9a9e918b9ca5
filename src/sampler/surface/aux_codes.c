/* aux_codes.c: clear codes of blocks of an image, in its auxiliary surface.
 *
 * CCS. SKL PRM vol 12, planes: 2 bits for each pair of 64-byte cache lines of
 * the main surface. A line of CCS has the codes of 16x16 pairs, and CCS is
 * Y-tiled. BDW PRM vol 7, "MCS Buffer for Render Target(s)": 1 bit, 16x32
 * pairs. Zero means that the main surface holds the pixels: drivers initialise
 * CCS with zeros. Guess: a fast clear writes all ones. Compression uses the
 * other codes; the engine never writes them and reads them as zero.
 *
 * HiZ. The PRM documents only its size: 16 bytes for 8x4 pixels (samples,
 * before Gen9). Observed: Mesa 26 takes a HiZ buffer of zeros for clear. So
 * zero is clear here, in codes of 2 bits, and any other code is not. The codes
 * need a 32nd part of the buffer: a line for each 16x16 blocks, then an unused
 * line. Of these lines the first one has the stamp. */
#include "sampler/surface/aux_codes.h"
#include "sampler/surface/image.h"
#include "sampler/surface/tiling.h"

#define LINE_B 64
#define GROUP 16 /* blocks of a row of a line */
#define HIZ_STEP_B (2 * LINE_B)

/* Pixels of a block, or 0 if the tiling and format have no CCS. */
static unsigned
ccs_width_px(const struct surface *s)
{
    unsigned line_px = s->tiling == TILING_X ? 512 : 256; /* of 8 bits */
    switch (s->fmt->block_bits) {
    case 32:
    case 64:
    case 128: return line_px / s->fmt->block_bits;
    default: return 0;
    }
}

static bool
init_ccs(struct aux_codes *c, const struct surface *s, unsigned gen)
{
    bool gen8 = gen == 8;
    if (s->samples != 1 || s->fmt->compression != FORMAT_PLAIN ||
        s->tiling == TILING_LINEAR || s->tiling == TILING_W)
        return false;
    c->block_w = (uint8_t)ccs_width_px(s);
    c->block_h = s->tiling == TILING_X ? 2 : 4;
    c->bits = gen8 ? 1 : 2;
    c->line_rows = gen8 ? 32 : 16;
    c->qpitch_h = c->block_h;
    if (!c->block_w)
        return false;
    /* "Mip-mapped and arrayed surfaces are supported with MCS buffer layout
     * with these alignments in the RT space": 256x128 and 128x64. */
    c->align_x = (gen8 ? 256 : 128) / c->block_w;
    c->align_y = (gen8 ? 128 : 64) / c->block_h;
    return true;
}

static void
init_hiz(struct aux_codes *c, const struct surface *s, unsigned gen)
{
    unsigned scale_x = 1, scale_y = 1;
    if (gen == 8 && s->samples > 1) {
        scale_x = s->samples >= 8 ? 4 : 2;
        scale_y = s->samples >= 4 ? 2 : 1;
    }
    c->hiz = true;
    c->block_w = (uint8_t)(8 / scale_x);
    c->block_h = (uint8_t)(4 / scale_y);
    c->bits = 2;
    c->line_rows = 16;
    c->qpitch_h = 4;
    /* KBL PRM vol 2d, RENDER_SURFACE_STATE: "The hierarchical depth Auxiliary
     * surface uses Surface Horizontal Alignment of 16, Surface Vertical
     * Alignment of 8". */
    c->align_x = c->align_y = 2;
}

static void
find_level(struct aux_codes *c, const struct surface *s, unsigned level)
{
    for (unsigned l = 0; l <= level; l++) {
        c->width_px = surface_level_width(s, l);
        c->height_px = surface_level_height(s, l);
        c->columns = DIV_ROUND_UP(c->width_px, c->block_w);
        c->rows = DIV_ROUND_UP(c->height_px, c->block_h);
        if (l == level)
            return;
        if (l == 1)
            c->x += ALIGN_POT(c->columns, c->align_x);
        else
            c->y += ALIGN_POT(c->rows, c->align_y);
    }
}

bool
aux_codes_exist(const struct surface *s)
{
    struct aux_codes c;
    if (s->type > SURFACE_CUBE || !s->aux_mem)
        return false;
    if (s->aux == AUX_HIZ)
        return true;
    return (s->aux == AUX_CCS_D || s->aux == AUX_CCS_E) && init_ccs(&c, s, 9);
}

static bool
find_codes(struct aux_codes *c, const struct surface *s, unsigned gen,
           unsigned level, unsigned slice)
{
    *c = (struct aux_codes){.mem = s->aux_mem, .limit_B = s->aux_limit_B};
    if (!aux_codes_exist(s) || level >= SURFACE_LEVELS)
        return false;
    if (s->aux == AUX_HIZ)
        init_hiz(c, s, gen);
    else if (!init_ccs(c, s, gen))
        return false;
    c->pitch_tiles = s->aux_row_pitch_B / 128;
    find_level(c, s, level);
    uint64_t y = c->y + (uint64_t)slice * (s->aux_qpitch_el_rows / c->qpitch_h);
    if (!c->pitch_tiles || y > UINT32_MAX / 2)
        return false;
    c->y = (uint32_t)y;
    return true;
}

bool
aux_codes_init(struct aux_codes *c, const struct surface *s, unsigned gen,
               unsigned level, unsigned slice)
{
    if (find_codes(c, s, gen, level, slice))
        return true;
    /* No blocks, and nothing zero to divide by. */
    *c = (struct aux_codes){.block_w = 1, .block_h = 1, .line_rows = 1};
    return false;
}

/* ---- words --------------------------------------------------------------- */

/* v / unit, rounded down. Blocks and lines have sizes that are powers of two,
 * and this runs for each tile that is drawn: division would show. */
static uint32_t
in_units(uint32_t v, unsigned unit)
{
    return v >> __builtin_ctz(unit);
}

static uint32_t
in_units_up(uint32_t v, unsigned unit)
{
    return in_units(v + (unit - 1), unit);
}

/* The line of codes of block (x, y), in blocks from the auxiliary surface's
 * corner. Returns NULL beyond its memory. */
static uint8_t *
line_at(const struct aux_codes *c, uint32_t x, uint32_t y)
{
    uint64_t line_x = x / GROUP, line_y = in_units(y, c->line_rows), at;
    if (c->hiz)
        at = (line_y * c->pitch_tiles + line_x) * HIZ_STEP_B;
    else
        at = (line_y / 8 * c->pitch_tiles + line_x / 8) * 4096 +
             line_x % 8 * 512 + line_y % 8 * LINE_B;
    return at + LINE_B <= c->limit_B ? c->mem + at : NULL;
}

/* The codes of 16 adjacent blocks of a row: a word of 2 or 4 bytes. */
static uint8_t *
word_at(const struct aux_codes *c, uint32_t x, uint32_t y)
{
    uint8_t *line = line_at(c, x, y);
    return line ? line + (y & (c->line_rows - 1u)) * (2u * c->bits) : NULL;
}

/* Moves bits 0, 2, 4, ... to bits 0, 1, 2, ... */
static uint32_t
squeeze_pairs(uint32_t v)
{
    v &= 0x55555555;
    v = (v | v >> 1) & 0x33333333;
    v = (v | v >> 2) & 0x0f0f0f0f;
    v = (v | v >> 4) & 0x00ff00ff;
    return (v | v >> 8) & 0xffff;
}

/* The inverse, which sets both bits of each pair. */
static uint32_t
spread_pairs(uint32_t v)
{
    v = (v | v << 8) & 0x00ff00ff;
    v = (v | v << 4) & 0x0f0f0f0f;
    v = (v | v << 2) & 0x33333333;
    v = (v | v << 1) & 0x55555555;
    return v | v << 1;
}

/* Atomic, because workers that draw different tiles of pixels may share a word.
 */
static uint32_t
clear_of_word(const struct aux_codes *c, const uint8_t *p)
{
    if (!p)
        return 0;
    if (c->bits == 1)
        return __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED);
    uint32_t v = __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
    return c->hiz ? squeeze_pairs(~(v | v >> 1)) : squeeze_pairs(v & v >> 1);
}

static void
set_word(const struct aux_codes *c, uint8_t *p, uint32_t blocks, bool clear)
{
    bool ones = clear != c->hiz;
    if (c->bits == 1) {
        uint16_t bits = (uint16_t)blocks;
        if (ones)
            __atomic_fetch_or((uint16_t *)p, bits, __ATOMIC_RELAXED);
        else
            __atomic_fetch_and((uint16_t *)p, (uint16_t)~bits,
                               __ATOMIC_RELAXED);
        return;
    }
    uint32_t bits = spread_pairs(blocks);
    if (ones)
        __atomic_fetch_or((uint32_t *)p, bits, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and((uint32_t *)p, ~bits, __ATOMIC_RELAXED);
}

/* ---- rectangles of blocks ------------------------------------------------ */

/* Blocks of the level that a rectangle touches, or that it contains. */
struct blocks {
    uint32_t x0, y0, x1, y1;
};

static struct blocks
blocks_touched(const struct aux_codes *c, const struct aux_rect *r)
{
    return (struct blocks){in_units(r->x0, c->block_w),
                           in_units(r->y0, c->block_h),
                           MIN2(in_units_up(r->x1, c->block_w), c->columns),
                           MIN2(in_units_up(r->y1, c->block_h), c->rows)};
}

/* A rectangle that reaches the level's right or bottom border contains the
 * blocks that stick out. */
static struct blocks
blocks_within(const struct aux_codes *c, const struct aux_rect *r)
{
    struct blocks b = {
        in_units_up(r->x0, c->block_w), in_units_up(r->y0, c->block_h),
        in_units(r->x1, c->block_w), in_units(r->y1, c->block_h)};
    if (r->x1 >= c->width_px)
        b.x1 = c->columns;
    if (r->y1 >= c->height_px)
        b.y1 = c->rows;
    return b;
}

/* Mask of blocks [x0, x1) among the 16 of the word at column x. */
static uint32_t
blocks_of_word(uint32_t x, uint32_t x0, uint32_t x1)
{
    uint32_t mask = 0xffff;
    if (x0 > x)
        mask &= 0xffffu << (x0 - x);
    if (x1 < x + GROUP)
        mask &= 0xffffu >> (x + GROUP - x1);
    return mask & 0xffff;
}

/* Ends the clear state of half of each word of a whole line: a tile of 64
 * pixels. Returns false if codes differ and must be changed one by one. */
static bool
end_half(const struct aux_codes *c, uint8_t *line, unsigned half)
{
    const uint32_t mask = half ? 0xffff0000 : 0xffff;
    uint32_t any = 0, all = UINT32_MAX;
    for (unsigned y = 0; y < LINE_B / 4; y++) {
        uint32_t v = __atomic_load_n((const uint32_t *)line + y,
                                     __ATOMIC_RELAXED);
        any |= v;
        all &= v;
    }
    bool zeros = !(any & mask), ones = (all & mask) == mask;
    if (c->hiz ? ones : zeros)
        return true;
    if (!(c->hiz ? zeros : ones))
        return false;
    uint16_t code = c->hiz ? UINT16_MAX : 0;
    for (unsigned y = 0; y < LINE_B / 4; y++)
        __atomic_store_n((uint16_t *)line + 2 * y + half, code,
                         __ATOMIC_RELAXED);
    return true;
}

/* Sets these blocks in rows [y0, y1) of a line. Writes only codes that change.
 * No other worker writes this line or this half word, because a tile of pixels
 * has at least half a word of codes. */
static void
set_line(const struct aux_codes *c, uint8_t *line, uint32_t y0, uint32_t y1,
         uint32_t blocks, bool clear)
{
    const unsigned row_B = 2 * c->bits;
    const int ones = clear != c->hiz ? 0xff : 0;
    if (blocks == 0xffff && !y0 && y1 == c->line_rows) {
        memset(line, ones, LINE_B);
        return;
    }
    if (!clear && c->bits == 2 && !y0 && y1 == c->line_rows &&
        (blocks == 0xff || blocks == 0xff00) &&
        end_half(c, line, blocks == 0xff00))
        return;
    for (uint32_t y = y0; y < y1; y++) {
        uint8_t *p = line + y * row_B;
        uint32_t is = clear_of_word(c, p);
        uint32_t want = blocks & (clear ? ~is : is);
        if (!want)
            continue;
        if (c->bits == 2 && (blocks == 0xff || blocks == 0xff00))
            __atomic_store_n((uint16_t *)p + (blocks != 0xff),
                             (uint16_t)(ones << 8 | ones), __ATOMIC_RELAXED);
        else
            set_word(c, p, want, clear);
    }
}

static void
set_blocks(const struct aux_codes *c, struct blocks b, bool clear)
{
    uint32_t x0 = c->x + b.x0, x1 = c->x + b.x1;
    uint32_t y0 = c->y + b.y0, y1 = c->y + b.y1;
    for (uint32_t top = y0 & ~(c->line_rows - 1u); top < y1;
         top += c->line_rows) {
        for (uint32_t x = x0 / GROUP * GROUP; x < x1; x += GROUP) {
            uint8_t *line = line_at(c, x, top);
            if (!line)
                break;
            set_line(c, line, MAX2(top, y0) - top, MIN2(y1 - top, c->line_rows),
                     blocks_of_word(x, x0, x1), clear);
        }
    }
}

void
aux_codes_clear(const struct aux_codes *c, const struct aux_rect *r)
{
    set_blocks(c, blocks_within(c, r), true);
}

void
aux_codes_end(const struct aux_codes *c, const struct aux_rect *r)
{
    set_blocks(c, blocks_touched(c, r), false);
}

void
aux_codes_prefetch(const struct aux_codes *c, uint32_t x_px, uint32_t y_px)
{
    __builtin_prefetch(line_at(c, c->x + in_units(x_px, c->block_w),
                               c->y + in_units(y_px, c->block_h)),
                       1);
}

bool
aux_codes_are_clear(const struct aux_codes *c, uint32_t x_px, uint32_t y_px)
{
    uint32_t x = c->x + in_units(x_px, c->block_w);
    uint32_t y = c->y + in_units(y_px, c->block_h);
    return clear_of_word(c, word_at(c, x, y)) >> x % GROUP & 1;
}

/* ---- the pixels of clear blocks ------------------------------------------ */

/* The target of fills: the level as an image, or pixel by pixel. */
struct fill {
    const struct surface *s;
    unsigned level, slice;
    const struct aux_codes *codes;
    bool has_image;
    struct image image;
    uint32_t scale_x, scale_y; /* elements per pixel */
    const uint8_t *value;
};

static void
init_fill(struct fill *f)
{
    const struct surface *s = f->s;
    f->scale_x = f->scale_y = 1;
    if (s->fmt->element_B & (s->fmt->element_B - 1))
        return;
    if (s->samples == 1) {
        f->has_image = image_init(&f->image, s, f->level, f->slice, 0);
        return;
    }
    f->has_image = image_init_samples(&f->image, s, f->level, f->slice);
    if (f->has_image) {
        f->scale_x = f->image.width / ALIGN_POT(f->codes->width_px, 2);
        f->scale_y = f->image.height / ALIGN_POT(f->codes->height_px, 2);
    }
}

static void
fill_pixels(const struct fill *f, const struct aux_rect *r)
{
    for (uint32_t y = r->y0; y < r->y1; y++)
        for (uint32_t x = r->x0; x < r->x1; x++)
            for (unsigned i = 0; i < f->s->samples; i++) {
                uint8_t *p = surface_ptr(f->s, f->level, x, y, f->slice, i);
                if (p)
                    memcpy(p, f->value, f->s->fmt->element_B);
            }
}

/* Fills the pixels of some blocks of a row, one block after the other. */
static void
fill_blocks(const struct fill *f, const struct aux_rect *run)
{
    uint32_t block_w = f->codes->block_w;
    for (uint32_t x = run->x0; x < run->x1; x += block_w) {
        struct aux_rect r = {x, run->y0, MIN2(x + block_w, run->x1), run->y1};
        /* Most blocks of a surface that is larger than its memory lie outside
         * it. */
        if (surface_ptr(f->s, f->level, r.x0, r.y0, f->slice, 0))
            fill_pixels(f, &r);
    }
}

/* Fills blocks [x0, x1) of a row. */
static void
fill_run(const struct fill *f, uint32_t x0, uint32_t x1, uint32_t row)
{
    const struct aux_codes *c = f->codes;
    struct aux_rect r = {x0 * c->block_w, row * c->block_h,
                         MIN2(x1 * c->block_w, c->width_px),
                         MIN2((row + 1) * c->block_h, c->height_px)};
    if (f->has_image)
        image_fill(&f->image, r.x0 * f->scale_x, r.y0 * f->scale_y,
                   r.x1 * f->scale_x, r.y1 * f->scale_y, f->value);
    else
        fill_blocks(f, &r);
}

/* Fills the runs of clear blocks of a row; returns whether there are any. */
static bool
fill_row(const struct fill *f, uint32_t row)
{
    const struct aux_codes *c = f->codes;
    uint32_t y = c->y + row, begin = 0;
    bool any = false, open = false;
    for (uint32_t i = 0; i < c->columns;) {
        uint32_t x = c->x + i, in_word = x % GROUP;
        uint32_t n = MIN2(GROUP - in_word, c->columns - i);
        uint32_t clear = clear_of_word(c, word_at(c, x, y)) >> in_word;
        for (uint32_t k = 0; k < n; k++) {
            bool is = clear >> k & 1;
            if (is && !open)
                begin = i + k;
            else if (!is && open)
                fill_run(f, begin, i + k, row);
            any |= is;
            open = is;
        }
        i += n;
    }
    if (open)
        fill_run(f, begin, c->columns, row);
    return any;
}

bool
aux_codes_fill(const struct surface *s, unsigned gen, unsigned level,
               unsigned slice, const uint8_t value[16])
{
    struct aux_codes c;
    if (!aux_codes_init(&c, s, gen, level, slice) || !s->mem)
        return false;
    struct fill f = {
        .s = s, .level = level, .slice = slice, .codes = &c, .value = value};
    init_fill(&f);
    bool any = false;
    for (uint32_t row = 0; row < c.rows; row++) {
        if (!word_at(&c, c.x, c.y + row))
            break;
        any |= fill_row(&f, row);
    }
    return any;
}

/* -------------------------------------------------------------------------- */

uint64_t *
aux_stamp(const struct surface *s)
{
    bool has = s->aux == AUX_HIZ && s->aux_mem && s->aux_limit_B >= HIZ_STEP_B;
    return has ? (uint64_t *)(void *)(s->aux_mem + LINE_B) : NULL;
}
