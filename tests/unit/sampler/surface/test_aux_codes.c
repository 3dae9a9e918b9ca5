/* test_aux_codes.c: codes of CCS and HiZ: their places, and the pixels of clear
 * blocks. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "sampler/surface/aux_codes.h"

#define AUX_B (1u << 20)
#define MAIN_B (8u << 20)

static const struct aux_rect all = {0, 0, 1 << 20, 1 << 20};

/* 200 x 150, three levels, four layers. */
static struct surface
make_surface(unsigned format, unsigned aux, unsigned samples)
{
    struct surface s = {
        .limit_B = MAIN_B,
        .fmt = format_info(format),
        .format = (uint16_t)format,
        .type = SURFACE_2D,
        .tiling = TILING_Y,
        .is_array = true,
        .halign_el = 16,
        .valign_el = 4,
        .width = 200,
        .height = 150,
        .depth = 4,
        .row_pitch_B = 4096,
        .qpitch_el_rows = 512,
        .samples = (uint8_t)samples,
        .interleaved = samples > 1,
        .aux = (uint8_t)aux,
        .aux_limit_B = AUX_B,
        .aux_row_pitch_B = 2048,
        .aux_qpitch_el_rows = 512,
    };
    s.mem = calloc(1, MAIN_B);
    s.aux_mem = calloc(1, AUX_B);
    surface_layout(&s);
    return s;
}

static void
free_surface(struct surface *s)
{
    free(s->mem);
    free(s->aux_mem);
}

static const struct {
    unsigned format, aux, samples, gen;
} kinds[] = {
    {0x0c7, AUX_CCS_E, 1, 9}, {0x084, AUX_CCS_E, 1, 9},
    {0x000, AUX_CCS_D, 1, 9}, {0x0c7, AUX_CCS_D, 1, 8},
    {0x000, AUX_CCS_D, 1, 8}, {0x0d9, AUX_HIZ, 1, 9},
    {0x0d8, AUX_HIZ, 4, 9},   {0x10a, AUX_HIZ, 8, 9},
    {0x0d9, AUX_HIZ, 4, 8},   {0x0d8, AUX_HIZ, 8, 8},
};

/* Codes of one level and layer do not affect any other. */
Test(aux_codes, each_slice_has_codes_of_its_own)
{
    for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct surface s = make_surface(kinds[k].format, kinds[k].aux,
                                        kinds[k].samples);
        struct aux_codes c;
        unsigned gen = kinds[k].gen;
        cr_assert(aux_codes_exist(&s));
        for (unsigned i = 0; i < 12; i++) {
            cr_assert(aux_codes_init(&c, &s, gen, i / 4, i % 4));
            aux_codes_end(&c, &all);
        }
        for (unsigned one = 0; one < 12; one++) {
            aux_codes_init(&c, &s, gen, one / 4, one % 4);
            aux_codes_clear(&c, &all);
            for (unsigned i = 0; i < 12; i++) {
                aux_codes_init(&c, &s, gen, i / 4, i % 4);
                for (unsigned y = 0; y < c.height_px; y += 2)
                    for (unsigned x = 0; x < c.width_px; x += 2)
                        cr_assert_eq(aux_codes_are_clear(&c, x, y), i == one,
                                     "kind %u: %u of %u at %u,%u", k, i, one, x,
                                     y);
            }
            aux_codes_init(&c, &s, gen, one / 4, one % 4);
            aux_codes_end(&c, &all);
        }
        free_surface(&s);
    }
}

/* A hostile state: the level is beyond the last one, or codes have no pitch. */
Test(aux_codes, a_slice_without_codes_has_none_to_change)
{
    for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct surface s = make_surface(kinds[k].format, kinds[k].aux,
                                        kinds[k].samples);
        struct aux_codes c;
        cr_assert(!aux_codes_init(&c, &s, kinds[k].gen, SURFACE_LEVELS, 0));
        aux_codes_clear(&c, &all);
        aux_codes_end(&c, &all);
        s.aux_row_pitch_B = 0;
        cr_assert(!aux_codes_init(&c, &s, kinds[k].gen, 0, 0));
        aux_codes_clear(&c, &all);
        aux_codes_end(&c, &all);
        for (unsigned i = 0; i < AUX_B; i++)
            cr_assert_eq(s.aux_mem[i], 0);
        free_surface(&s);
    }
}

/* SKL PRM vol 12: a line of CCS has the codes of 16x16 blocks, lines are
 * ordered as in Y tiles, and levels are 128x64 pixels apart. So drivers
 * ambiguate a level with a rectangle of lines. */
Test(aux_codes, zeros_in_the_lines_of_a_level_end_it_alone)
{
    struct surface s = make_surface(0x0c7, AUX_CCS_E, 1);
    struct aux_codes c;
    for (unsigned level = 0; level < 3; level++) {
        aux_codes_init(&c, &s, 9, level, 1);
        aux_codes_clear(&c, &all);
    }
    /* Level 1 of layer 1: below level 0, which has 192 rows of pixels; 100x75
     * pixels are a line and two. */
    for (unsigned line = 0; line < 2; line++) {
        unsigned y = (512 + 192) / 64 + line;
        memset(s.aux_mem + y / 8 * 16 * 4096 + y % 8 * 64, 0, 64);
    }
    for (unsigned level = 0; level < 3; level++) {
        aux_codes_init(&c, &s, 9, level, 1);
        for (unsigned y = 0; y < c.height_px; y += 4)
            for (unsigned x = 0; x < c.width_px; x += 8)
                cr_assert_eq(aux_codes_are_clear(&c, x, y), level != 1);
    }
    free_surface(&s);
}

Test(aux_codes, zeros_are_nothing_clear_in_ccs_and_all_clear_in_hiz)
{
    for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct surface s = make_surface(kinds[k].format, kinds[k].aux,
                                        kinds[k].samples);
        struct aux_codes c;
        aux_codes_init(&c, &s, kinds[k].gen, 1, 2);
        cr_assert_eq(aux_codes_are_clear(&c, 50, 50), s.aux == AUX_HIZ);
        free_surface(&s);
    }
}

/* A rectangle clears the blocks within it, and ends the clear state of blocks
 * that it touches. A fill writes exactly the pixels of clear blocks. */
Test(aux_codes, clear_blocks_are_filled_and_no_others)
{
    const struct aux_rect in = {13, 6, 171, 150}, out = {50, 50, 51, 90};
    for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct surface s = make_surface(kinds[k].format, kinds[k].aux,
                                        kinds[k].samples);
        unsigned size_B = s.fmt->element_B, clear = 0;
        struct aux_codes c;
        uint8_t value[16];
        memset(value, 0xa5, sizeof value);
        aux_codes_init(&c, &s, kinds[k].gen, 0, 3);
        aux_codes_end(&c, &all);
        cr_assert_not(aux_codes_fill(&s, kinds[k].gen, 0, 3, value));
        aux_codes_clear(&c, &in);
        aux_codes_end(&c, &out);
        cr_assert(aux_codes_fill(&s, kinds[k].gen, 0, 3, value));
        for (unsigned y = 0; y < s.height; y++) {
            for (unsigned x = 0; x < s.width; x++) {
                unsigned x0 = x / c.block_w * c.block_w;
                unsigned y0 = y / c.block_h * c.block_h;
                bool is = x0 >= in.x0 && y0 >= in.y0 && x0 + c.block_w <= in.x1;
                if (x0 <= 50 && x0 + c.block_w > 50 && y0 + c.block_h > 50 &&
                    y0 < 90)
                    is = false;
                clear += is;
                cr_assert_eq(aux_codes_are_clear(&c, x, y), is, "%u: %u,%u", k,
                             x, y);
                for (unsigned i = 0; i < s.samples; i++)
                    cr_assert_eq(
                        !memcmp(surface_ptr(&s, 0, x, y, 3, i), value, size_B),
                        is, "kind %u: %u,%u sample %u", k, x, y, i);
            }
        }
        cr_assert(clear > 10000);
        free_surface(&s);
    }
}

Test(aux_codes, values_are_those_of_elements)
{
    struct surface s = make_surface(0x0c8, AUX_CCS_D, 1); /* sRGB */
    uint8_t value[16];
    s.clear_color = (union color){.f = {1, 128 / 255.0f, 0, 0.2f}};
    aux_clear_value(&s, value);
    cr_assert_eq(value[12], 255);
    cr_assert_eq(value[13], 128);
    cr_assert_eq(value[15], 51);
    free_surface(&s);
    s = make_surface(0x10a, AUX_HIZ, 1);
    s.clear_color.f[0] = 0.5f;
    aux_clear_value(&s, value);
    cr_assert_eq(value[14] | value[15] << 8, 32768);
    free_surface(&s);
}

/* Invalid states must not access anything outside the memory. */
Test(aux_codes, states_without_sense_do_no_harm)
{
    struct surface s = make_surface(0x0c7, AUX_CCS_E, 1);
    struct aux_codes c;
    uint8_t value[16] = {0};
    s.aux_limit_B = 100;
    cr_assert(aux_codes_init(&c, &s, 9, 0, 0));
    aux_codes_clear(&c, &all);
    cr_assert(aux_codes_fill(&s, 9, 0, 0, value));
    cr_assert_eq(s.aux_mem[100], 0);
    aux_codes_init(&c, &s, 9, 2, 2047);
    aux_codes_clear(&c, &all);
    cr_assert_not(aux_codes_fill(&s, 9, 2, 2047, value));
    cr_assert_not(aux_codes_init(&c, &s, 9, SURFACE_LEVELS, 0));
    s.aux_qpitch_el_rows = 1 << 18;
    cr_assert_not(aux_codes_init(&c, &s, 9, 0, UINT32_MAX));
    s.aux_row_pitch_B = 0;
    cr_assert_not(aux_codes_init(&c, &s, 9, 0, 0));
    s.fmt = format_info(0x140); /* of 8 bits */
    cr_assert_not(aux_codes_exist(&s));
    free_surface(&s);
}
