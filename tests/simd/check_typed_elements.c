/* check_typed_elements.c: eight elements at once against one at a time: hostile
 * random surfaces and coordinates, in memory that ends with the surface. */
#include "check.h"

#include "sampler/sampler.h"

#define PAGE_B 4096
#define ROOM_B (1 << 20) /* between two inaccessible pages */
#define SURFACES 60000
#define CALLS 8

static const struct format_info *
any_format(void)
{
    static const uint16_t wide[] = {0x000, 0x001, 0x002, 0x080, 0x084, 0x085};
    const struct format_info *fmt;
    if (check_below(2))
        return format_info(wide[check_below(ARRAY_SIZE(wide))]);
    do
        fmt = format_info(check_below(0x200));
    while (!fmt || fmt->compression != FORMAT_PLAIN ||
           fmt->ch[0].kind == FORMAT_RAW || fmt->block_bits < 8);
    return fmt;
}

static uint32_t
any_size(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 7, 8, 16, 31, 64, 100};
    return sizes[check_below(ARRAY_SIZE(sizes))];
}

/* mem: the memory ends with the surface, or begins with it. */
static struct surface
any_surface(uint8_t *room)
{
    static const uint8_t types[] = {SURFACE_2D,    SURFACE_2D,   SURFACE_3D,
                                    SURFACE_1D,    SURFACE_CUBE, SURFACE_BUFFER,
                                    SURFACE_BUFFER};
    static const uint8_t tilings[] = {TILING_LINEAR, TILING_X, TILING_Y,
                                      TILING_Y};
    struct surface s = {
        .fmt = any_format(),
        .type = types[check_below(sizeof types)],
        .tiling = tilings[check_below(sizeof tilings)],
        .width = any_size(),
        .height = any_size(),
        .depth = 1 + check_below(5),
        .samples = check_below(20) ? 1 : 2,
        .halign_el = 4,
        .valign_el = 4,
        .is_array = true,
    };
    s.min_lod = check_below(3) ? 0 : (uint8_t)check_below(4);
    s.min_array = check_below(3) ? 0 : (uint16_t)check_below(4);
    s.view_extent_minus1 = (uint16_t)check_below(6);
    s.qpitch_el_rows = ALIGN_POT(2 * s.height + 8, 4) +
                       (check_below(8) ? 0 : 2);
    s.row_pitch_B = ALIGN_POT((s.width + check_below(8)) * s.fmt->element_B,
                              512);
    s.x_offset = check_below(8) ? 0 : 4;
    s.y_offset = check_below(8) ? 0 : 2;
    if (!check_below(5))
        s.row_pitch_B = 512;
    s.buffer_elements = check_below(3) ? check_below(300) : any_size();
    s.buffer_stride_B = check_below(8) ? s.fmt->element_B : 4 + check_below(16);
    surface_layout(&s);
    s.limit_B = check_below(4) ? ROOM_B : check_below(ROOM_B);
    uint64_t last_B = surface_offset_B(
        &s, s.min_lod, surface_level_width(&s, s.min_lod) - 1,
        surface_level_height(&s, s.min_lod) - 1,
        s.min_array + check_below(s.view_extent_minus1 + 1u), 0);
    uint32_t tight_B = check_below((uint32_t)last_B + PAGE_B),
             few_B = check_below(64);
    if (!check_below(3))
        s.limit_B = MIN2(tight_B, (uint32_t)ROOM_B);
    uint64_t buffer_B = check_below(8) ? s.buffer_elements * s.buffer_stride_B
                                       : few_B;
    if (s.type == SURFACE_BUFFER)
        s.limit_B = MIN2(s.limit_B, buffer_B);
    s.mem = room + ROOM_B - s.limit_B;
    typed_elements_init(&s.elements, &s);
    return s;
}

static uint8_t *
find_one(const struct surface *s, const uint32_t *const at[3], unsigned lane)
{
    uint32_t c[3];
    for (unsigned d = 0; d < 3; d++)
        c[d] = at[d] ? at[d][lane] : 0;
    if (s->type == SURFACE_BUFFER)
        return surface_buffer_ptr(s, c[0]);
    if (c[2] > s->view_extent_minus1)
        return NULL;
    return surface_ptr(s, s->min_lod, c[0], c[1], c[2] + s->min_array, 0);
}

/* A block of lanes in the order of compute or pixel shaders; mostly aligned. */
static void
any_block(const struct surface *s, uint32_t at[3][TYPED_LANES])
{
    bool quads = check_below(2);
    uint32_t mask = check_below(4) ? 3 : 0, z = check_below(s->depth + 1);
    uint32_t x = check_below(s->width + 2) & ~mask;
    uint32_t y = check_below(s->height + 2) & ~mask;
    for (unsigned i = 0; i < TYPED_LANES; i++) {
        at[0][i] = x + (quads ? i % 2 + i / 4 * 2 : i / 4);
        at[1][i] = y + (quads ? i / 2 % 2 : i % 4);
        at[2][i] = z;
    }
    if (!check_below(8))
        at[check_below(3)][check_below(TYPED_LANES)] ^= 1u << check_below(32);
}

/* Places of a buffer that a pixel shader's quads access: rows of four, any
 * distance apart; sometimes one lane differs. */
static void
any_rows(const struct surface *s, uint32_t at[TYPED_LANES])
{
    uint32_t elements = (uint32_t)s->buffer_elements;
    uint32_t first = check_below(elements + 2);
    uint32_t step = check_below(4) ? check_below(elements + 1)
                                   : check_below(UINT32_MAX);
    for (unsigned i = 0; i < TYPED_LANES; i++)
        at[i] = first + i % 2 + i / 4 * 2 + i / 2 % 2 * step;
    if (!check_below(8))
        at[check_below(TYPED_LANES)] ^= 1u << check_below(32);
}

static void
any_places(const struct surface *s, uint32_t at[3][TYPED_LANES])
{
    const uint32_t size[3] = {
        s->type == SURFACE_BUFFER ? (uint32_t)s->buffer_elements : s->width,
        s->height, s->depth};
    unsigned kind = check_below(4);
    for (unsigned d = 0; d < 3; d++) {
        uint32_t first = check_below(size[d] + 1);
        for (unsigned i = 0; i < TYPED_LANES; i++) {
            uint32_t step = kind == 0   ? (d == 0 ? i : 0)
                            : kind == 1 ? (d == 0 ? i & 3 : i >> 2)
                                        : check_below(size[d] + 1);
            at[d][i] = kind < 2 ? first + step : step;
            if (!check_below(30))
                at[d][i] = check_below(2) ? 0 - check_below(4)
                                          : check_below(UINT32_MAX);
        }
    }
}

static void
fill_hostile(void *p, size_t size_B)
{
    static const float hard[] = {0.0f, -0.0f, 1.0f, 0.5f, -1.0f, 2.0f, 1e-40f};
    uint32_t *u = p;
    for (size_t i = 0; i < size_B / 4; i++) {
        switch (check_below(8)) {
        case 0:
            u[i] = bits_from_float(hard[check_below(ARRAY_SIZE(hard))]);
            break;
        case 1:
            u[i] = bits_from_float((float)(check_below(131072)) / 131070.0f);
            break;
        case 2: u[i] = check_below(70000) - check_below(70000); break;
        case 3:
            u[i] = 0x7f800000u + (check_below(4) - 2) + (check_below(2) << 31);
            break;
        case 4:
            u[i] = bits_from_float((float)check_below(511) / 255.0f - 1.0f);
            break;
        default: u[i] = check_below(UINT32_MAX);
        }
    }
}

#define UNTOUCHED 0x5a

static void
compare_read(const struct surface *s, const uint32_t *const at[3],
             uint32_t mask)
{
    const struct typed_elements *e = &s->elements;
    uint32_t channel[4][TYPED_LANES], at_B[TYPED_LANES], inside = 0;
    unsigned count = check_below(3) ? 4 : check_below(5);
    memset(channel, UNTOUCHED, sizeof channel);
    uint32_t found = e->fn->read(e, at, mask, count, channel);
    check_eq(e->fn->find(e, at, mask, at_B), found);
    for (unsigned i = 0; i < TYPED_LANES; i++) {
        const uint8_t *p = mask >> i & 1 ? find_one(s, at, i) : NULL;
        union color c = {.u = {0, 0, 0, 0}};
        inside |= p ? 1u << i : 0;
        if (p) {
            format_unpack(s->fmt, p, &c);
            check_eq(e->mem + at_B[i], p);
        }
        for (unsigned k = count; k < 4; k++)
            c.u[k] = UNTOUCHED * 0x01010101u;
        for (unsigned k = 0; k < 4; k++)
            check_eq(channel[k][i], c.u[k], "%s, channel %u: %x, not %x",
                     s->fmt->name, k, channel[k][i], c.u[k]);
    }
    check_eq(found, inside);
}

static void
compare_write(const struct surface *s, const uint32_t *const at[3],
              uint32_t mask, uint8_t *before, uint8_t *after)
{
    uint32_t data[4][TYPED_LANES], inside = 0;
    const uint32_t *channel[4] = {data[0], data[1], data[2], data[3]};
    fill_hostile(data, sizeof data);
    size_t used_B = MIN2(s->limit_B, (uint64_t)1 << 18);
    memcpy(before, s->mem, used_B);
    for (unsigned i = 0; i < TYPED_LANES; i++) {
        uint8_t *p = mask >> i & 1 ? find_one(s, at, i) : NULL;
        union color c = {.u = {data[0][i], data[1][i], data[2][i], data[3][i]}};
        inside |= p ? 1u << i : 0;
        if (p)
            format_pack(s->fmt, &c, p);
    }
    memcpy(after, s->mem, used_B);
    memcpy(s->mem, before, used_B);
    uint32_t found = s->elements.fn->write(&s->elements, at, mask, channel);
    check_eq(found, inside);
    check_that(!memcmp(s->mem, after, used_B), "%s", s->fmt->name);
}

static void
compare_calls(const struct surface *s)
{
    static uint8_t before[1 << 18], after[1 << 18];
    for (unsigned k = 0; k < CALLS; k++) {
        uint32_t place[3][TYPED_LANES];
        if (check_below(2))
            any_places(s, place);
        else
            any_block(s, place);
        if (s->type == SURFACE_BUFFER && check_below(2))
            any_rows(s, place[0]);
        const uint32_t *at[3] = {place[0], check_below(4) ? place[1] : NULL,
                                 check_below(2) ? place[2] : NULL};
        uint32_t mask = check_below(3) ? 0xff : check_below(256);
        compare_read(s, at, mask);
        compare_write(s, at, mask, before, after);
    }
}

/* All values of a normalised channel: the routines do not divide. */
static void
compare_values(uint8_t *room, uint16_t format)
{
    const unsigned values = 1u << format_info(format)->block_bits;
    struct surface s = {.fmt = format_info(format),
                        .type = SURFACE_BUFFER,
                        .mem = room,
                        .limit_B = ROOM_B,
                        .buffer_elements = values,
                        .buffer_stride_B = format_info(format)->element_B};
    for (unsigned v = 0; v < values; v++)
        memcpy(room + v * s.buffer_stride_B, &v, s.buffer_stride_B);
    typed_elements_init(&s.elements, &s);
    check_that(s.elements.fn);
    for (uint32_t v = 0; v < values; v += TYPED_LANES) {
        uint32_t u[TYPED_LANES];
        const uint32_t *const at[3] = {u, NULL, NULL};
        for (unsigned i = 0; i < TYPED_LANES; i++)
            u[i] = v + i;
        compare_read(&s, at, 0xff);
    }
}

static void
compare_elements(enum check_isa isa)
{
    enum { R16_UNORM = 0x10a, R16_SNORM, R8_UNORM = 0x140, R8_SNORM };
    uint8_t *room = check_room(ROOM_B);
    compare_values(room, R16_UNORM);
    compare_values(room, R16_SNORM);
    compare_values(room, R8_UNORM);
    compare_values(room, R8_SNORM);
    unsigned usual = 0, kinds = 0, blocks = 0;
    fill_hostile(room, ROOM_B);
    for (unsigned n = 0; n < SURFACES; n++) {
        struct surface s = any_surface(room);
        if (!s.elements.fn)
            continue;
        usual++;
        blocks += s.elements.lines && s.tiling == TILING_Y;
        kinds |= 1u << s.elements.kind;
        compare_calls(&s);
    }
    /* Many of the random surfaces must be supported, and of each kind. */
    check_gt(usual, SURFACES / 20);
    check_eq(kinds, 0x3f);
    check_gt(blocks, SURFACES / 100);
}

/* ---- bench: eight elements side by side of a Y-tiled surface ---- */

enum { RUNS = 256, SIZE = 64 };

struct bench {
    enum check_isa isa;
    struct surface s;
    uint32_t x[TYPED_LANES], y[TYPED_LANES], channel[4][TYPED_LANES];
};

static void
run_reads(void *arg)
{
    struct bench *b = arg;
    const uint32_t *const at[3] = {b->x, b->y, NULL};
    for (unsigned n = 0; n < RUNS; n++) {
        for (unsigned i = 0; i < TYPED_LANES; i++)
            b->y[i] = n % SIZE;
        if (b->isa != CHECK_SCALAR) {
            b->s.elements.fn->read(&b->s.elements, at, 0xff, 4, b->channel);
            continue;
        }
        for (unsigned i = 0; i < TYPED_LANES; i++) {
            union color c;
            format_unpack(b->s.fmt, find_one(&b->s, at, i), &c);
            for (unsigned k = 0; k < 4; k++)
                b->channel[k][i] = c.u[k];
        }
    }
}

static void
run_writes(void *arg)
{
    struct bench *b = arg;
    const uint32_t *const at[3] = {b->x, b->y, NULL};
    const uint32_t *const channel[4] = {b->channel[0], b->channel[1],
                                        b->channel[2], b->channel[3]};
    for (unsigned n = 0; n < RUNS; n++) {
        for (unsigned i = 0; i < TYPED_LANES; i++)
            b->y[i] = n % SIZE;
        if (b->isa != CHECK_SCALAR) {
            b->s.elements.fn->write(&b->s.elements, at, 0xff, channel);
            continue;
        }
        for (unsigned i = 0; i < TYPED_LANES; i++) {
            union color c = {.u = {b->channel[0][i], b->channel[1][i],
                                   b->channel[2][i], b->channel[3][i]}};
            format_pack(b->s.fmt, &c, find_one(&b->s, at, i));
        }
    }
}

static void
bench_formats(enum check_isa isa, void (*run)(void *arg))
{
    alignas(4096) static uint8_t mem[SIZE * SIZE * 16];
    static const uint16_t format[] = {0x000, 0x084, 0x0c7, 0x0d7, 0x140};
    static struct bench b;
    for (unsigned i = 0; i < ARRAY_SIZE(format); i++) {
        b = (struct bench){.isa = isa,
                           .s = {.fmt = format_info(format[i]),
                                 .type = SURFACE_2D,
                                 .tiling = TILING_Y,
                                 .width = SIZE,
                                 .height = SIZE,
                                 .depth = 1,
                                 .samples = 1,
                                 .halign_el = 4,
                                 .valign_el = 4,
                                 .qpitch_el_rows = SIZE,
                                 .mem = mem,
                                 .limit_B = sizeof mem}};
        b.s.row_pitch_B = SIZE * b.s.fmt->element_B;
        b.s.row_pitch_B = ALIGN_POT(b.s.row_pitch_B, 128);
        for (unsigned k = 0; k < TYPED_LANES; k++)
            b.x[k] = 16 + k;
        surface_layout(&b.s);
        typed_elements_init(&b.s.elements, &b.s);
        check_that(b.s.elements.fn);
        check_time(b.s.fmt->name, run, &b, RUNS);
    }
}

static void
bench_reads(enum check_isa isa)
{
    bench_formats(isa, run_reads);
}

static void
bench_writes(enum check_isa isa)
{
    bench_formats(isa, run_writes);
}

/* One comparison reads and writes. */
static const struct check_row rows[] = {
    {"typed_elements.read", "format_unpack", "typed_elements_avx2", CHECK_AVX2,
     compare_elements, bench_reads},
    {"typed_elements.write", "format_pack", "typed_elements_avx2", CHECK_AVX2,
     compare_elements, bench_writes},
};

CHECK_FAMILY(typed_elements, rows);
