/* test_image.c: fills and copies of rectangles, without threads, against
 * surface_offset_B(). */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "sampler/surface/image.h"
#include "sampler/surface/tiling.h"

#define MEMORY_B (1u << 20)

static uint32_t seed = 1;

static uint32_t
next_random(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

/* R8, R16, R32, R32G32, R32G32B32A32 _UINT */
static const uint16_t formats[] = {0x143, 0x10d, 0x0d7, 0x087, 0x002};

/* A random surface in `memory`, with a few levels and slices. */
static struct surface
random_surface(uint8_t *memory, unsigned tiling)
{
    static const uint16_t tile_B[] = {[TILING_LINEAR] = 4,
                                      [TILING_W] = 128,
                                      [TILING_X] = 512,
                                      [TILING_Y] = 128};
    unsigned format = formats[tiling == TILING_W ? 0 : next_random(5)];
    struct surface s = {
        .type = SURFACE_2D,
        .mem = memory,
        .limit_B = MEMORY_B,
        .fmt = format_info(format),
        .format = (uint16_t)format,
        .tiling = (uint8_t)tiling,
        .is_array = true,
        .samples = (uint8_t)(1u << next_random(3)),
        .halign_el = 4,
        .valign_el = 4,
        .width = 1 + next_random(150),
        .height = 1 + next_random(90),
        .depth = 2,
        .view_extent_minus1 = 1,
        .x_offset = (uint8_t)(next_random(4) * 4),
        .y_offset = (uint8_t)(next_random(4) * 4),
    };
    s.row_pitch_B = ALIGN_POT((s.width + 20) * s.fmt->element_B,
                              tile_B[tiling]);
    s.qpitch_el_rows = ALIGN_POT(s.height * 2 + 16, 4);
    surface_layout(&s);
    return s;
}

struct rect {
    uint32_t x0, y0, x1, y1;
};

static struct rect
random_rect(const struct image *im)
{
    struct rect r = {next_random(im->width), next_random(im->height), 0, 0};
    r.x1 = r.x0 + 1 + next_random(im->width - r.x0);
    r.y1 = r.y0 + 1 + next_random(im->height - r.y0);
    if (!next_random(4))
        r = (struct rect){0, 0, im->width, im->height};
    return r;
}

static uint64_t
size_of(const struct surface *s)
{
    return (uint64_t)s->row_pitch_B *
           (s->qpitch_el_rows * s->depth * s->samples + 80);
}

static void
fill_by_element(uint8_t *memory, const struct surface *s, unsigned level,
                unsigned slice, unsigned sample, const struct rect *r,
                const uint8_t value[16])
{
    for (uint32_t y = r->y0; y < r->y1; y++)
        for (uint32_t x = r->x0; x < r->x1; x++)
            memcpy(memory + surface_offset_B(s, level, x, y, slice, sample),
                   value, s->fmt->element_B);
}

Test(image, fills_as_element_by_element)
{
    uint8_t *memory = malloc(MEMORY_B), *want = malloc(MEMORY_B);
    unsigned done = 0;
    for (unsigned round = 0; round < 2000; round++) {
        struct surface s = random_surface(memory, round % 4);
        unsigned level = next_random(3), slice = next_random(2);
        unsigned sample = next_random(s.samples), e = s.fmt->element_B;
        uint8_t value[16];
        for (unsigned i = 0; i < 16; i++)
            value[i] = i < e ? (uint8_t)next_random(256) : value[i - e];
        struct image im;
        if (size_of(&s) > MEMORY_B ||
            !image_init(&im, &s, level, slice, sample))
            continue;
        struct rect r = random_rect(&im);
        memset(memory, 0x5a, MEMORY_B);
        memset(want, 0x5a, MEMORY_B);
        fill_by_element(want, &s, level, slice, sample, &r, value);
        /* In bands, as workers do. */
        for (unsigned i = 0; i < image_bands(&im, r.y0, r.y1); i++) {
            uint32_t y0 = r.y0, y1 = r.y1;
            image_band(&im, i, &y0, &y1);
            image_fill(&im, r.x0, y0, r.x1, y1, value);
        }
        cr_assert_eq(memcmp(memory, want, MEMORY_B), 0,
                     "round %u: tiling %u, %u bytes, %u,%u..%u,%u of level %u",
                     round, s.tiling, e, r.x0, r.y0, r.x1, r.y1, level);
        done++;
    }
    cr_assert_gt(done, 500);
    free(memory);
    free(want);
}

Test(image, does_not_leave_the_surface)
{
    uint8_t *memory = calloc(1, MEMORY_B);
    unsigned refused = 0, made = 0;
    for (unsigned round = 0; round < 4000; round++) {
        struct surface s = random_surface(memory, round % 4);
        unsigned level = next_random(SURFACE_LEVELS + 2);
        s.limit_B = next_random(MEMORY_B);
        s.row_pitch_B = next_random(2) ? s.row_pitch_B : next_random(1024);
        if (!next_random(4))
            s.qpitch_el_rows = 0x7ffc;
        struct image im;
        if (!image_init(&im, &s, level, next_random(4), 0)) {
            refused++;
            continue;
        }
        made++;
        for (uint32_t y = 0; y < im.height; y++)
            for (uint32_t x = 0; x < im.width;
                 x += im.width - 1 ? im.width - 1 : 1) {
                uint64_t at = tiling_offset_B(s.tiling,
                                              im.x_B + x * im.element_B,
                                              im.y + y, s.row_pitch_B);
                cr_assert_leq(at + im.element_B, s.limit_B);
            }
    }
    cr_assert_gt(refused, 100);
    cr_assert_gt(made, 100);
    free(memory);
}

static void
copy_by_element(uint8_t *memory, const struct image *to, uint32_t tx,
                uint32_t ty, const struct image *from, uint32_t fx, uint32_t fy,
                uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            unsigned e = to->element_B;
            memcpy(memory + tiling_offset_B(to->tiling, to->x_B + (tx + x) * e,
                                            to->y + ty + y, to->pitch_B),
                   from->mem + tiling_offset_B(from->tiling,
                                               from->x_B + (fx + x) * e,
                                               from->y + fy + y, from->pitch_B),
                   e);
        }
    }
}

Test(image, copies_as_element_by_element)
{
    uint8_t *memory = malloc(MEMORY_B), *want = malloc(MEMORY_B);
    uint8_t *source = malloc(MEMORY_B);
    unsigned done = 0, alike = 0;
    for (unsigned i = 0; i < MEMORY_B; i++)
        source[i] = (uint8_t)next_random(256);
    for (unsigned round = 0; round < 8000; round++) {
        struct surface t = random_surface(memory, round % 4);
        struct surface f = random_surface(source, round / 4 % 4);
        if (!next_random(3)) {
            f = t;
            f.mem = source;
        }
        struct image to, from;
        if (size_of(&t) > MEMORY_B || size_of(&f) > MEMORY_B ||
            t.fmt->element_B != f.fmt->element_B ||
            !image_init(&to, &t, next_random(2), next_random(2), 0) ||
            !image_init(&from, &f, next_random(2), next_random(2), 0))
            continue;
        struct rect r = random_rect(&to), q = random_rect(&from);
        if (!next_random(3))
            r = (struct rect){0, 0, to.width, to.height};
        if (!next_random(3))
            q = (struct rect){0, 0, from.width, from.height};
        uint32_t w = MIN2(r.x1 - r.x0, q.x1 - q.x0);
        uint32_t h = MIN2(r.y1 - r.y0, q.y1 - q.y0);
        memset(memory, 0x5a, MEMORY_B);
        memset(want, 0x5a, MEMORY_B);
        copy_by_element(want, &to, r.x0, r.y0, &from, q.x0, q.y0, w, h);
        image_copy(&to, r.x0, r.y0, &from, q.x0, q.y0, w, h);
        cr_assert_eq(memcmp(memory, want, MEMORY_B), 0,
                     "round %u: tiling %u to %u, %u bytes, %ux%u", round,
                     f.tiling, t.tiling, to.element_B, w, h);
        done++;
        alike += f.tiling == t.tiling && w > 60 && h > 40;
    }
    cr_assert_gt(done, 500);
    cr_assert_gt(alike, 20);
    free(memory);
    free(want);
    free(source);
}

Test(image, overlap_is_never_missed)
{
    uint8_t *memory = malloc(MEMORY_B), *mark = malloc(MEMORY_B);
    unsigned met = 0, apart = 0;
    for (unsigned round = 0; round < 4000; round++) {
        struct surface s = random_surface(memory, round % 4);
        struct surface o = next_random(2) ? s
                                          : random_surface(memory + 8192 * 5,
                                                           round / 4 % 4);
        o.limit_B = MEMORY_B - (uint64_t)(o.mem - memory);
        struct image a, b;
        if (size_of(&s) > MEMORY_B || size_of(&o) > o.limit_B ||
            s.fmt->element_B != o.fmt->element_B ||
            !image_init(&a, &s, next_random(2), next_random(2), 0) ||
            !image_init(&b, &o, next_random(2), next_random(2), 0))
            continue;
        struct rect r = random_rect(&a), q = random_rect(&b);
        uint32_t w = MIN2(r.x1 - r.x0, q.x1 - q.x0);
        uint32_t h = MIN2(r.y1 - r.y0, q.y1 - q.y0);
        uint8_t one[16];
        memset(one, 1, sizeof one);
        memset(memory, 0, MEMORY_B);
        image_fill(&a, r.x0, r.y0, r.x0 + w, r.y0 + h, one);
        memcpy(mark, memory, MEMORY_B);
        memset(memory, 0, MEMORY_B);
        image_fill(&b, q.x0, q.y0, q.x0 + w, q.y0 + h, one);
        bool common = false;
        for (unsigned i = 0; i < MEMORY_B; i++)
            common |= mark[i] & memory[i];
        const struct image_rect p1 = {&a, r.x0, r.y0, w, h};
        const struct image_rect p2 = {&b, q.x0, q.y0, w, h};
        bool answer = image_overlap(&p1, &p2);
        cr_assert(!common || answer);
        met += common;
        apart += !answer;
    }
    cr_assert_gt(met, 50);
    cr_assert_gt(apart, 50);
    free(memory);
    free(mark);
}
