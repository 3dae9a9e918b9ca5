/* test_rect_buffer.c: rows of buffers against copies of single elements, and
 * places that must be left to threads. The kernel is a C function that sends
 * the coordinates of struct place. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "engine/raster/blit/rect_buffer.h"
#include "eu/summary/summary.h"
#include "rig.h"

enum { RGBA8 = 0x0c7, BGRA8 = 0x0c0, R8 = 0x140, RG8 = 0x106, RGBA16F = 0x084 };
enum { RGBA8_SINT = 0x0ca, RGBA8_SRGB = 0x0c8, RGB8 = 0x193 };

#define BUFFER 1 /* number of the rig's target */
#define BUFFER_B (1u << 18)

/* Element and texel of pixel (x, y), modulo 2^32. */
struct place {
    uint32_t at, column, row;
    uint32_t u, u_column, v, v_row, layer, level;
};

static void
send_parameters(struct eu_thread *t, uint8_t sfid, uint32_t desc,
                uint32_t payload[8][8])
{
    const struct eu_message m = {
        .sfid = sfid, .mlen_grf = 8, .desc = desc, .src0 = payload[0]};
    t->send(t, &m);
}

/* SIMD8: parameters of ld, and the index of a typed write. */
static void
shade_place(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    const struct place *p = rig->user;
    uint32_t fetch[8][8] = {{0}}, store[8][8] = {{0}};
    for (unsigned i = 0; i < 8; i++) {
        uint32_t quad = eu_grf(t, 1)[2 + i / 4];
        uint32_t x = (quad & 0xffff) + i % 2, y = (quad >> 16) + i / 2 % 2;
        store[0][i] = p->at + x * p->column + y * p->row;
        fetch[0][i] = p->u + x * p->u_column;
        fetch[1][i] = p->v + y * p->v_row;
        fetch[2][i] = p->level;
        fetch[3][i] = p->layer;
    }
    bool stores = env->stage->summary->kind == SUMMARY_TO_BUFFER;
    send_parameters(t, EU_SFID_SAMPLER, 0, stores ? fetch : store);
    if (stores)
        send_parameters(t, EU_SFID_DC1, 1 << 12, store);
}

struct test {
    struct rig *rig;
    struct scene *scene;
    struct setup setup;
    struct place place;
    struct kernel_summary summary;
    struct rect_buffer rect;
};

static void
set_swizzle(struct surface *s)
{
    for (unsigned c = 0; c < 4; c++)
        s->swizzle[c] = (uint8_t)(GEN9_SCS_RED + c);
}

/* A texture of RIG_PX by RIG_PX, and a buffer that it does not overlap. */
static struct test *
begin(unsigned kind, unsigned texture, unsigned buffer)
{
    struct test *t = calloc(1, sizeof *t);
    t->rig = rig_create(0);
    t->rig->shader = shade_place;
    t->rig->user = &t->place;
    rig_target(t->rig, 0, texture, format_info(texture)->element_B, 1);
    rig_target(t->rig, BUFFER, RGBA8, 4, 1);
    struct surface *s = &t->rig->target[BUFFER];
    unsigned element_B = format_info(buffer)->element_B;
    free(t->rig->memory[BUFFER]);
    t->rig->memory[BUFFER] = malloc(BUFFER_B);
    *s = (struct surface){.type = SURFACE_BUFFER,
                          .mem = t->rig->memory[BUFFER],
                          .fmt = format_info(buffer),
                          .samples = 1,
                          .buffer_elements = BUFFER_B / element_B,
                          .buffer_stride_B = element_B,
                          .limit_B = BUFFER_B};
    set_swizzle(s);
    set_swizzle(&t->rig->target[0]);
    t->summary = (struct kernel_summary){.kind = (uint8_t)kind,
                                         .message = MESSAGE_LD,
                                         .texture = kind == SUMMARY_FROM_BUFFER,
                                         .store = BUFFER,
                                         .u = 0,
                                         .v = 1,
                                         .level = 2,
                                         .layer = 3};
    struct shader_stage *ps = &t->rig->draw.stage[STAGE_PS];
    ps->simd = 8;
    ps->summary = &t->summary;
    t->scene = calloc(1, sizeof *t->scene);
    t->scene->draw = &t->rig->draw;
    t->scene->ps = ps;
    t->place = (struct place){
        .column = 1, .row = RIG_PX, .u_column = 1, .v_row = 1};
    t->setup.x1 = t->setup.y1 = RIG_PX;
    return t;
}

static void
end(struct test *t)
{
    rig_destroy(t->rig);
    free(t->scene);
    free(t);
}

/* Whether the rectangle of the setup's box needs no threads. */
static bool
prepare(struct test *t)
{
    struct rect_buffer *b = &t->rect;
    const struct setup *s = &t->setup;
    if (t->summary.kind == SUMMARY_TO_BUFFER)
        return rect_buffer_download(b, t->scene, s);
    b->x0 = (uint32_t)s->x0;
    b->y0 = (uint32_t)s->y0;
    b->width = (uint32_t)(s->x1 - s->x0);
    b->height = (uint32_t)(s->y1 - s->y0);
    return image_init(&b->image, &t->rig->target[0], 0, 0, 0) &&
           rect_buffer_upload(b, t->scene, s, t->rig->target[0].fmt);
}

/* ---- copies against the definition ---- */

static uint32_t
next_random(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

static void
fill_random(uint8_t *p, size_t size_B, uint32_t *seed)
{
    for (size_t i = 0; i < size_B; i++)
        p[i] = (uint8_t)next_random(seed, 256);
}

static void
convert(const struct surface *from, const uint8_t *p,
        const struct format_info *to, uint8_t *out)
{
    union color c;
    from->fmt->unpack(from->fmt, p, &c);
    to->rt_pack(to, &c, out);
}

/* Converts one element after another; returns the destination's memory. */
static uint8_t *
copy_elements(struct test *t, bool stores, size_t *size_B)
{
    struct surface *texture = &t->rig->target[0];
    struct surface *buffer = &t->rig->target[BUFFER];
    *size_B = stores ? BUFFER_B : texture->limit_B;
    struct surface *to = stores ? buffer : texture;
    uint8_t *want = malloc(*size_B);
    memcpy(want, to->mem, *size_B);
    for (int32_t y = t->setup.y0; y < t->setup.y1; y++)
        for (int32_t x = t->setup.x0; x < t->setup.x1; x++) {
            const struct place *p = &t->place;
            uint32_t at = p->at + (uint32_t)x * p->column +
                          (uint32_t)y * p->row;
            uint8_t *element = buffer->mem + at * buffer->fmt->element_B;
            uint8_t *texel = surface_ptr(
                texture, 0, (uint32_t)x + (stores ? p->u : 0),
                (uint32_t)y + (stores ? p->v : 0), 0, 0);
            if (stores)
                convert(texture, texel, buffer->fmt,
                        want + (element - buffer->mem));
            else
                convert(buffer, element, texture->fmt,
                        want + (texel - texture->mem));
        }
    return want;
}

static void
choose_tiling(struct test *t, uint32_t *seed)
{
    static const uint8_t tilings[] = {TILING_LINEAR, TILING_X, TILING_Y};
    struct surface *s = &t->rig->target[0];
    s->tiling = tilings[next_random(seed, 3)];
    /* Rows of whole tiles; the target's memory is enough for one layer. */
    s->row_pitch_B = (s->row_pitch_B + 511) & ~511u;
    s->limit_B = (uint64_t)s->row_pitch_B * RIG_PX;
    free(t->rig->memory[0]);
    t->rig->memory[0] = s->mem = malloc(s->limit_B);
    s->view_extent_minus1 = 0;
    s->depth = 1;
    surface_layout(s);
}

/* A rectangle whose rows lie in the buffer, one after another, above each other
 * or, for uploads, on each other. */
static void
choose_place(struct test *t, bool stores, uint32_t *seed)
{
    struct setup *s = &t->setup;
    s->x0 = (int32_t)next_random(seed, RIG_PX - 1);
    s->y0 = (int32_t)next_random(seed, RIG_PX - 1);
    s->x1 = s->x0 + 1 + (int32_t)next_random(seed, RIG_PX - (uint32_t)s->x0);
    s->y1 = s->y0 + 1 + (int32_t)next_random(seed, RIG_PX - (uint32_t)s->y0);
    uint32_t width = (uint32_t)(s->x1 - s->x0), skip = next_random(seed, 9);
    uint32_t row = width + skip;
    if (!stores && !next_random(seed, 4))
        row = next_random(seed, width);
    bool up = !next_random(seed, 3);
    uint32_t first = next_random(seed, 100) +
                     (up ? row * (uint32_t)(s->y1 - s->y0) : 0);
    t->place.row = up ? -row : row;
    t->place.at = first - (uint32_t)s->x0 - (uint32_t)s->y0 * t->place.row;
    t->place.u = stores ? next_random(seed, RIG_PX - (uint32_t)s->x1 + 1) : 0;
    t->place.v = stores ? next_random(seed, RIG_PX - (uint32_t)s->y1 + 1) : 0;
}

static void
compare(unsigned kind, unsigned texture, unsigned buffer, uint32_t *seed)
{
    bool stores = kind == SUMMARY_TO_BUFFER;
    struct test *t = begin(kind, texture, buffer);
    choose_tiling(t, seed);
    choose_place(t, stores, seed);
    fill_random(t->rig->memory[0], t->rig->target[0].limit_B, seed);
    fill_random(t->rig->memory[BUFFER], BUFFER_B, seed);
    size_t size_B;
    uint8_t *want = copy_elements(t, stores, &size_B);
    cr_assert(prepare(t), "format %#x, %#x", texture, buffer);
    const struct rect_buffer *b = &t->rect;
    for (unsigned i = 0; i < image_bands(&b->image, b->y0, b->y0 + b->height);
         i++) {
        uint32_t y0 = b->y0, y1 = b->y0 + b->height;
        image_band(&b->image, i, &y0, &y1);
        rect_buffer_draw(b, y0, y1);
    }
    cr_assert(!memcmp(want, stores ? t->rig->memory[BUFFER] : t->rig->memory[0],
                      size_B),
              "format %#x, buffer %#x, stores %d", texture, buffer, stores);
    free(want);
    end(t);
}

Test(rect_buffer, copies_as_single_elements)
{
    static const uint16_t pairs[][2] = {
        {RGBA8, RGBA8}, {RGBA8, BGRA8}, {BGRA8, RGBA8},
        {R8, R8},       {RG8, RG8},     {RGBA8_SINT, RGBA8_SINT},
        {R8, RGBA8},    {RG8, BGRA8},   {RGBA8, R8},
        {BGRA8, RG8},
    };
    uint32_t seed = 1;
    for (unsigned round = 0; round < 20; round++)
        for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
            compare(SUMMARY_FROM_BUFFER, pairs[i][0], pairs[i][1], &seed);
            if (pairs[i][1] != RGB8) /* no typed write */
                compare(SUMMARY_TO_BUFFER, pairs[i][0], pairs[i][1], &seed);
        }
}

/* Formats that convert more than the order of bytes. */
Test(rect_buffer, leaves_conversions_to_threads)
{
    static const uint16_t pairs[][2] = {
        {RGBA8, RGBA16F},    {RGBA16F, RGBA8},    {RGBA8_SRGB, RGBA8},
        {RGBA8, RGBA8_SRGB}, {RGBA8_SINT, RGBA8}, {RGBA8, RGBA8_SINT},
    };
    for (unsigned i = 0; i < 2 * ARRAY_SIZE(pairs); i++) {
        const uint16_t *p = pairs[i / 2];
        struct test *t = begin(i % 2 ? SUMMARY_TO_BUFFER : SUMMARY_FROM_BUFFER,
                               p[0], p[1]);
        t->setup.x1 = t->setup.y1 = 8;
        cr_expect(!prepare(t), "formats %#x, %#x", p[0], p[1]);
        end(t);
    }
}

/* ---- hostile places ---- */

#define LAST (BUFFER_B / 4)

/* A rectangle of 8 x 4 pixels, and changes of its place. */
struct hostile {
    const char *what;
    uint32_t at, column, row;
    bool upload, download; /* whether it needs no threads */
};

static const struct hostile hostile[] = {
    {"plain", 0, 1, 8, true, true},
    {"up to the end", LAST - 32, 1, 8, true, true},
    {"one beyond the end", LAST - 31, 1, 8, false, false},
    {"far beyond the end", LAST, 1, 8, false, false},
    {"before the begin", UINT32_MAX, 1, 8, false, false},
    {"wraps in the first row", UINT32_MAX - 3, 1, 8, false, false},
    {"upwards to the begin", 24, 1, -8u, true, true},
    {"upwards beyond the begin", 23, 1, -8u, false, false},
    {"upwards beyond the end", LAST - 7, 1, -8u, false, false},
    {"rows on each other", 0, 1, 0, true, false},
    {"rows overlap", 0, 1, 7, true, false},
    {"rows overlap upwards", 100, 1, -7u, true, false},
    {"rows of 2^30", 0, 1, 1u << 30, false, false},
    {"rows of -2^31", 0, 1, 1u << 31, false, false},
    {"rows of 2^31 - 1", 0, 1, INT32_MAX, false, false},
    {"columns of two", 0, 2, 16, false, false},
    {"columns to the left", 100, UINT32_MAX, 8, false, false},
    {"no columns", 0, 0, 8, false, false},
};

Test(rect_buffer, hostile_places)
{
    for (unsigned i = 0; i < 2 * ARRAY_SIZE(hostile); i++) {
        const struct hostile *h = &hostile[i / 2];
        bool stores = i % 2;
        struct test *t = begin(stores ? SUMMARY_TO_BUFFER : SUMMARY_FROM_BUFFER,
                               RGBA8, RGBA8);
        t->setup.x1 = 8;
        t->setup.y1 = 4;
        t->place.at = h->at;
        t->place.column = h->column;
        t->place.row = h->row;
        cr_expect_eq(prepare(t), stores ? h->download : h->upload, "%s, %s",
                     stores ? "download" : "upload", h->what);
        end(t);
    }
}

static void
expect_threads(struct test *t, const char *what)
{
    t->setup.x1 = 8;
    t->setup.y1 = 4;
    cr_expect(!prepare(t), "%s", what);
    end(t);
}

static struct test *
begin_download(void)
{
    return begin(SUMMARY_TO_BUFFER, RGBA8, RGBA8);
}

Test(rect_buffer, hostile_texels)
{
    struct test *t = begin_download();
    t->place.u = RIG_PX - 7;
    expect_threads(t, "column beyond the texture");
    t = begin_download();
    t->place.v = RIG_PX - 3;
    expect_threads(t, "row beyond the texture");
    t = begin_download();
    t->place.v = UINT32_MAX - 1;
    expect_threads(t, "rows that wrap");
    t = begin_download();
    t->place.u_column = 2;
    expect_threads(t, "every other column");
    t = begin_download();
    t->place.v_row = -1u;
    t->place.v = 50;
    expect_threads(t, "rows upwards");
    t = begin_download();
    t->place.layer = RIG_LAYERS;
    expect_threads(t, "layer beyond the texture");
    t = begin_download();
    t->place.level = UINT32_MAX;
    expect_threads(t, "level beyond the texture");
}

Test(rect_buffer, hostile_buffers)
{
    for (unsigned i = 0; i < 12; i++) {
        struct test *t = begin(i % 2 ? SUMMARY_TO_BUFFER : SUMMARY_FROM_BUFFER,
                               RGBA8, RGBA8);
        struct surface *s = &t->rig->target[BUFFER];
        switch (i / 2) {
        case 0: s->type = SURFACE_NULL; break;
        case 1: s->mem = NULL; break;
        case 2: s->buffer_elements = 31; break;
        case 3: s->limit_B = 127; break;
        case 4: s->buffer_stride_B = 8; break;
        case 5: s->mem = t->rig->target[0].mem + 64; break; /* overlaps */
        }
        t->place.row = 8;
        char what[] = "buffer 00";
        what[7] = (char)('0' + i / 10);
        what[8] = (char)('0' + i % 10);
        expect_threads(t, what);
    }
}
