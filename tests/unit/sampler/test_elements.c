/* Eight elements at a time against one by one: surfaces and coordinates made by
 * chance to hurt, in memory that ends where they do. */
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "base/cpu.h"
#include "sampler/sampler.h"

#define PAGE_B 4096
#define ROOM_B (1 << 20) /* between two pages that nobody may touch */
#define SURFACES 60000
#define CALLS 8

static uint32_t seed = 1;

static uint32_t
any(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)seed * n >> 32);
}

static uint8_t *
make_room(void)
{
    uint8_t *p = mmap(NULL, ROOM_B + 2 * PAGE_B, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    cr_assert_eq(mprotect(p + PAGE_B, ROOM_B, PROT_READ | PROT_WRITE), 0);
    return p + PAGE_B;
}

static const struct format_info *
any_format(void)
{
    static const uint16_t wide[] = {0x000, 0x001, 0x002, 0x080, 0x084, 0x085};
    const struct format_info *fmt;
    if (any(2))
        return format_info(wide[any(ARRAY_SIZE(wide))]);
    do
        fmt = format_info(any(0x200));
    while (!fmt || fmt->compression != FORMAT_PLAIN ||
           fmt->ch[0].kind == FORMAT_RAW || fmt->block_bits < 8);
    return fmt;
}

static uint32_t
any_size(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 7, 8, 16, 31, 64, 100};
    return sizes[any(ARRAY_SIZE(sizes))];
}

/* mem: so that the memory ends with the surface, or where it begins. */
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
        .type = types[any(sizeof types)],
        .tiling = tilings[any(sizeof tilings)],
        .width = any_size(),
        .height = any_size(),
        .depth = 1 + any(5),
        .samples = any(20) ? 1 : 2,
        .halign_el = 4,
        .valign_el = 4,
        .is_array = true,
    };
    s.min_lod = any(3) ? 0 : (uint8_t)any(4);
    s.min_array = any(3) ? 0 : (uint16_t)any(4);
    s.view_extent_minus1 = (uint16_t)any(6);
    s.qpitch_el_rows = ALIGN_POT(2 * s.height + 8, 4);
    s.row_pitch_B = ALIGN_POT((s.width + any(8)) * s.fmt->element_B, 512);
    s.x_offset = any(8) ? 0 : 4;
    s.y_offset = any(8) ? 0 : 2;
    if (!any(5))
        s.row_pitch_B = 512;
    s.buffer_elements = any(3) ? any(300) : any_size();
    s.buffer_stride_B = any(8) ? s.fmt->element_B : 4 + any(16);
    surface_layout(&s);
    s.limit_B = any(4) ? ROOM_B : any(ROOM_B);
    uint64_t last_B = surface_offset_B(
        &s, s.min_lod, surface_level_width(&s, s.min_lod) - 1,
        surface_level_height(&s, s.min_lod) - 1,
        s.min_array + any(s.view_extent_minus1 + 1u), 0);
    uint32_t tight_B = any((uint32_t)last_B + PAGE_B), few_B = any(64);
    if (!any(3))
        s.limit_B = MIN2(tight_B, (uint32_t)ROOM_B);
    uint64_t buffer_B = any(8) ? s.buffer_elements * s.buffer_stride_B : few_B;
    if (s.type == SURFACE_BUFFER)
        s.limit_B = MIN2(s.limit_B, buffer_B);
    s.mem = room + ROOM_B - s.limit_B;
    elements_init(&s.elements, &s);
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

static void
any_places(const struct surface *s, uint32_t at[3][ELEMENTS])
{
    const uint32_t size[3] = {
        s->type == SURFACE_BUFFER ? (uint32_t)s->buffer_elements : s->width,
        s->height, s->depth};
    unsigned kind = any(4);
    for (unsigned d = 0; d < 3; d++) {
        uint32_t first = any(size[d] + 1);
        for (unsigned i = 0; i < ELEMENTS; i++) {
            uint32_t step = kind == 0   ? (d == 0 ? i : 0)
                            : kind == 1 ? (d == 0 ? i & 3 : i >> 2)
                                        : any(size[d] + 1);
            at[d][i] = kind < 2 ? first + step : step;
            if (!any(30))
                at[d][i] = any(2) ? 0 - any(4) : any(UINT32_MAX);
        }
    }
}

static void
fill(void *p, size_t size_B)
{
    static const float hard[] = {0.0f, -0.0f, 1.0f, 0.5f, -1.0f, 2.0f, 1e-40f};
    uint32_t *u = p;
    for (size_t i = 0; i < size_B / 4; i++) {
        switch (any(8)) {
        case 0: u[i] = bits_from_float(hard[any(ARRAY_SIZE(hard))]); break;
        case 1: u[i] = bits_from_float((float)(any(131072)) / 131070.0f); break;
        case 2: u[i] = any(70000) - any(70000); break;
        case 3: u[i] = 0x7f800000u + (any(4) - 2) + (any(2) << 31); break;
        case 4: u[i] = bits_from_float((float)any(511) / 255.0f - 1.0f); break;
        default: u[i] = any(UINT32_MAX);
        }
    }
}

static void
compare_read(const struct surface *s, const uint32_t *const at[3],
             uint32_t mask)
{
    uint32_t channel[4][ELEMENTS], inside = 0;
    uint32_t found = s->elements.fn->read(&s->elements, at, mask, channel);
    for (unsigned i = 0; i < ELEMENTS; i++) {
        const uint8_t *p = mask >> i & 1 ? find_one(s, at, i) : NULL;
        union color c = {.u = {0, 0, 0, 0}};
        inside |= p ? 1u << i : 0;
        if (p)
            format_unpack(s->fmt, p, &c);
        for (unsigned k = 0; k < 4; k++)
            cr_assert_eq(channel[k][i], c.u[k], "%s, channel %u: %x, not %x",
                         s->fmt->name, k, channel[k][i], c.u[k]);
    }
    cr_assert_eq(found, inside);
}

static void
compare_write(const struct surface *s, const uint32_t *const at[3],
              uint32_t mask, uint8_t *before, uint8_t *after)
{
    uint32_t data[4][ELEMENTS], inside = 0;
    const uint32_t *channel[4] = {data[0], data[1], data[2], data[3]};
    fill(data, sizeof data);
    size_t used_B = MIN2(s->limit_B, (uint64_t)1 << 18);
    memcpy(before, s->mem, used_B);
    for (unsigned i = 0; i < ELEMENTS; i++) {
        uint8_t *p = mask >> i & 1 ? find_one(s, at, i) : NULL;
        union color c = {.u = {data[0][i], data[1][i], data[2][i], data[3][i]}};
        inside |= p ? 1u << i : 0;
        if (p)
            format_pack(s->fmt, &c, p);
    }
    memcpy(after, s->mem, used_B);
    memcpy(s->mem, before, used_B);
    uint32_t found = s->elements.fn->write(&s->elements, at, mask, channel);
    cr_assert_eq(found, inside);
    cr_assert(!memcmp(s->mem, after, used_B), "%s", s->fmt->name);
}

Test(elements, eight_are_eight_times_one)
{
    uint8_t *room = make_room();
    static uint8_t before[1 << 18], after[1 << 18];
    unsigned usual = 0, kinds = 0;
    if (cpu_selected() < CPU_AVX2)
        return;
    fill(room, ROOM_B);
    for (unsigned n = 0; n < SURFACES; n++) {
        struct surface s = any_surface(room);
        if (!s.elements.fn)
            continue;
        usual++;
        kinds |= 1u << s.elements.kind;
        for (unsigned k = 0; k < CALLS; k++) {
            uint32_t place[3][ELEMENTS];
            any_places(&s, place);
            const uint32_t *at[3] = {place[0], any(4) ? place[1] : NULL,
                                     any(2) ? place[2] : NULL};
            uint32_t mask = any(3) ? 0xff : any(256);
            compare_read(&s, at, mask);
            compare_write(&s, at, mask, before, after);
        }
    }
    /* Of those made by chance many are, and of each kind. */
    cr_assert_gt(usual, SURFACES / 20);
    cr_assert_eq(kinds, 0x3f);
}
