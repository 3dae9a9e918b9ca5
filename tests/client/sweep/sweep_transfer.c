/* sweep_transfer.c: pixels between memory and textures: random sub-rectangles
 * with row lengths, skips and alignments, through client memory and pixel
 * buffers at odd offsets. Pixels must keep their bits, and memory beside them
 * must not change. */
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W 23
#define H 17
#define LAYERS 3
#define MEMORY_B 65536

static const struct format {
    const char *name;
    GLenum internal, format, type;
    unsigned pixel_B, unit_B; /* unit: offsets are multiples of it */
    bool is_float;            /* its bits must be finite numbers */
} formats[] = {
    {"r8", GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 1, false},
    {"rg8", GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2, 1, false},
    {"rgb8", GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, 3, 1, false},
    {"rgba8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1, false},
    {"bgra8", GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE, 4, 1, false},
    {"rgba8.rev", GL_RGBA8, GL_RGBA, GL_UNSIGNED_INT_8_8_8_8, 4, 4, false},
    {"srgb8_alpha8", GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1, false},
    {"rgb565", GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, 2, false},
    {"rgb5_a1", GL_RGB5_A1, GL_BGRA, GL_UNSIGNED_SHORT_1_5_5_5_REV, 2, 2,
     false},
    {"rgba4", GL_RGBA4, GL_BGRA, GL_UNSIGNED_SHORT_4_4_4_4_REV, 2, 2, false},
    {"rgb10_a2", GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 4, 4,
     false},
    {"rgb10_a2ui", GL_RGB10_A2UI, GL_RGBA_INTEGER,
     GL_UNSIGNED_INT_2_10_10_10_REV, 4, 4, false},
    {"r16", GL_R16, GL_RED, GL_UNSIGNED_SHORT, 2, 2, false},
    {"rg16", GL_RG16, GL_RG, GL_UNSIGNED_SHORT, 4, 2, false},
    {"rgba16", GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 8, 2, false},
    {"r8ui", GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1, 1, false},
    {"rgb8i", GL_RGB8I, GL_RGB_INTEGER, GL_BYTE, 3, 1, false},
    {"rgba8i", GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE, 4, 1, false},
    {"rg16ui", GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT, 4, 2, false},
    {"rgba16i", GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT, 8, 2, false},
    {"r32ui", GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4, 4, false},
    {"rg32i", GL_RG32I, GL_RG_INTEGER, GL_INT, 8, 4, false},
    {"rgb32ui", GL_RGB32UI, GL_RGB_INTEGER, GL_UNSIGNED_INT, 12, 4, false},
    {"rgba32ui", GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16, 4, false},
    {"r16f", GL_R16F, GL_RED, GL_HALF_FLOAT, 2, 2, true},
    {"rgba16f", GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 8, 2, true},
    {"r32f", GL_R32F, GL_RED, GL_FLOAT, 4, 4, true},
    {"rgb32f", GL_RGB32F, GL_RGB, GL_FLOAT, 12, 4, true},
    {"rgba32f", GL_RGBA32F, GL_RGBA, GL_FLOAT, 16, 4, true},
    {"depth16", GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, 2,
     2, false},
    {"depth32f", GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, 4, 4,
     true},
    {"depth24s8", GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8,
     4, 4, false},
    {"stencil8", GL_STENCIL_INDEX8, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, 1, 1,
     false},
};

/* Layout of pixels in memory. */
struct layout {
    GLint alignment, row_length, skip_rows, skip_pixels, image_height,
        skip_images;
    size_t offset_B;
    bool buffer;
};

struct box {
    int x, y, z, w, h, d;
};

static uint8_t texels[W * H * LAYERS * 16], memory[MEMORY_B], back[MEMORY_B];

static void
random_layout(struct layout *l, const struct format *f, const struct box *b)
{
    *l = (struct layout){
        .alignment = 1 << sweep_random(4),
        .row_length = sweep_random(2) ? b->w + (int)sweep_random(9) : 0,
        .skip_rows = (int)sweep_random(3),
        .skip_pixels = (int)sweep_random(3),
        .image_height = sweep_random(2) ? b->h + (int)sweep_random(4) : 0,
        .skip_images = (int)sweep_random(2),
        .offset_B = sweep_random(20) * f->unit_B,
        .buffer = sweep_random(2),
    };
}

/* OpenGL 4.6, 8.4.4.1 "Unpacking". */
static size_t
place_B(const struct layout *l, const struct format *f, const struct box *b,
        int x, int y, int z)
{
    size_t row = (size_t)(l->row_length ? l->row_length : b->w) * f->pixel_B;
    size_t align = (size_t)l->alignment;
    if (f->unit_B < align)
        row = (row + align - 1) / align * align;
    int rows = l->image_height ? l->image_height : b->h;
    return l->offset_B +
           ((size_t)(l->skip_images + z) * (size_t)rows +
            (size_t)(l->skip_rows + y)) *
               row +
           (size_t)(l->skip_pixels + x) * f->pixel_B;
}

static uint8_t *
texel_at(const struct format *f, int x, int y, int z)
{
    return texels + ((z * H + y) * W + x) * (int)f->pixel_B;
}

/* 0.5 up to below 1 in either float type, so that depths are kept, too. */
static void
random_bytes(const struct format *f, uint8_t *to, size_t count_B)
{
    for (size_t i = 0; i < count_B; i++)
        to[i] = (uint8_t)sweep_random(256);
    if (!f->is_float)
        return;
    for (size_t i = 0; i + f->unit_B <= count_B; i += f->unit_B) {
        to[i + f->unit_B - 1] = f->unit_B == 2 ? 0x38 | (to[i + 1] & 3) : 0x3f;
        if (f->unit_B == 4)
            to[i + 2] &= 0x7f;
    }
}

static struct box
random_box(void)
{
    struct box b = {.x = (int)sweep_random(W),
                    .y = (int)sweep_random(H),
                    .z = (int)sweep_random(LAYERS)};
    b.w = 1 + (int)sweep_random((uint32_t)(W - b.x));
    b.h = 1 + (int)sweep_random((uint32_t)(H - b.y));
    b.d = 1 + (int)sweep_random((uint32_t)(LAYERS - b.z));
    return b;
}

static void
set_layout(const struct layout *l, bool unpack)
{
    static const GLenum names[2][6] = {
        {GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS,
         GL_PACK_SKIP_PIXELS, GL_PACK_IMAGE_HEIGHT, GL_PACK_SKIP_IMAGES},
        {GL_UNPACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS,
         GL_UNPACK_SKIP_PIXELS, GL_UNPACK_IMAGE_HEIGHT, GL_UNPACK_SKIP_IMAGES}};
    const GLint values[6] = {l->alignment,   l->row_length,   l->skip_rows,
                             l->skip_pixels, l->image_height, l->skip_images};
    for (unsigned i = 0; i < 6; i++)
        glPixelStorei(names[unpack][i], values[i]);
}

static void
upload(GLuint texture, const struct format *f)
{
    struct box b = random_box();
    struct layout l;
    GLuint pbo = 0;
    random_layout(&l, f, &b);
    random_bytes(f, memory, sizeof memory);
    for (int z = 0; z < b.d; z++)
        for (int y = 0; y < b.h; y++)
            for (int x = 0; x < b.w; x++) {
                uint8_t *from = memory + place_B(&l, f, &b, x, y, z);
                if (f->is_float)
                    random_bytes(f, from, f->pixel_B);
                memcpy(texel_at(f, b.x + x, b.y + y, b.z + z), from,
                       f->pixel_B);
            }
    set_layout(&l, true);
    if (l.buffer) {
        glGenBuffers(1, &pbo);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, pbo);
        glBufferData(GL_PIXEL_UNPACK_BUFFER, sizeof memory, memory,
                     GL_STATIC_DRAW);
    }
    glTextureSubImage3D(texture, 0, b.x, b.y, b.z, b.w, b.h, b.d, f->format,
                        f->type,
                        l.buffer ? (void *)l.offset_B : memory + l.offset_B);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glDeleteBuffers(1, &pbo);
}

/* Returns the number of wrong bytes. */
static unsigned
download(GLuint texture, const struct format *f)
{
    static uint8_t want[MEMORY_B];
    struct box b = random_box();
    struct layout l;
    GLuint pbo = 0;
    random_layout(&l, f, &b);
    memset(back, 0x5a, sizeof back);
    memcpy(want, back, sizeof want);
    for (int z = 0; z < b.d; z++)
        for (int y = 0; y < b.h; y++)
            for (int x = 0; x < b.w; x++)
                memcpy(want + place_B(&l, f, &b, x, y, z),
                       texel_at(f, b.x + x, b.y + y, b.z + z), f->pixel_B);
    set_layout(&l, false);
    if (l.buffer) {
        glGenBuffers(1, &pbo);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, pbo);
        glBufferData(GL_PIXEL_PACK_BUFFER, sizeof back, back, GL_STATIC_READ);
    }
    glGetTextureSubImage(texture, 0, b.x, b.y, b.z, b.w, b.h, b.d, f->format,
                         f->type,
                         (GLsizei)(sizeof back - (l.buffer ? 0 : l.offset_B)),
                         l.buffer ? (void *)l.offset_B : back + l.offset_B);
    if (l.buffer)
        glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, sizeof back, back);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glDeleteBuffers(1, &pbo);
    unsigned bad = 0;
    for (unsigned i = 0; i < MEMORY_B; i++)
        bad += want[i] != back[i];
    return bad;
}

static void
run_format(const struct format *f)
{
    static const struct layout plain = {.alignment = 1};
    GLuint texture;
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &texture);
    glTextureStorage3D(texture, 1, f->internal, W, H, LAYERS);
    random_bytes(f, texels, sizeof texels);
    set_layout(&plain, true);
    glTextureSubImage3D(texture, 0, 0, 0, 0, W, H, LAYERS, f->format, f->type,
                        texels);
    for (unsigned n = 0; n < (sweep_large ? 100 : 10); n++) {
        upload(texture, f);
        unsigned bad = download(texture, f);
        sweep_verdict(sweep_name("transfer.%s.%u", f->name, n), !bad,
                      "%u bytes", bad);
    }
    set_layout(&plain, true);
    set_layout(&plain, false);
    glDeleteTextures(1, &texture);
}

void
sweep_transfer(void)
{
    for (unsigned i = 0; i < COUNT(formats); i++)
        if (sweep_begin(sweep_name("transfer.%s", formats[i].name)))
            run_format(&formats[i]);
}
