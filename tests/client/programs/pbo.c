/* pbo.c: random uploads from and reads into pixel buffer objects, which stock
 * drivers do by draws that fetch from buffers or store to them, and draws of
 * such shaders with hostile places. Prints one line per operation, with a
 * checksum of what it wrote. Lines that begin with "own" depend on the
 * implementation; see run_pbo.py.
 *
 * usage: pbo SEED COUNT */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../gl/gl.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_PX 150
#define MAX_LAYERS 5

/* A texture's format, and one of the client's that converts exactly. */
struct format {
    const char *name;
    GLenum internal, format, type;
    unsigned pixel_B;
};

static const struct format formats[] = {
    {"r8", GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1},
    {"rg8", GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2},
    {"rgba8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
    {"rgba8 bgra", GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE, 4},
    {"rgba8 bgra rev", GL_RGBA8, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, 4},
    {"rgba8 abgr", GL_RGBA8, GL_RGBA, GL_UNSIGNED_INT_8_8_8_8, 4},
    {"rgba8 rgb", GL_RGBA8, GL_RGB, GL_UNSIGNED_BYTE, 3},
    {"rgba8 red", GL_RGBA8, GL_RED, GL_UNSIGNED_BYTE, 1},
    {"rgb8", GL_RGB8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
    {"rgb8 rgb", GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, 3},
    {"srgb8_a8", GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
    {"srgb8_a8 bgra", GL_SRGB8_ALPHA8, GL_BGRA, GL_UNSIGNED_BYTE, 4},
    {"rgb10_a2", GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 4},
    {"rgb565", GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2},
    {"rg16", GL_RG16, GL_RG, GL_UNSIGNED_SHORT, 4},
    {"rgba16", GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 8},
    {"rgba16f", GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 8},
    {"r32f", GL_R32F, GL_RED, GL_FLOAT, 4},
    {"rgba32f", GL_RGBA32F, GL_RGBA, GL_FLOAT, 16},
    {"rgba8ui", GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, 4},
    {"rgba8ui bgra", GL_RGBA8UI, GL_BGRA_INTEGER, GL_UNSIGNED_BYTE, 4},
    {"r8i", GL_R8I, GL_RED_INTEGER, GL_BYTE, 1},
    {"rgba16i", GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT, 8},
    {"r32ui", GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4},
    {"rgba32ui", GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
};

struct texture {
    const struct format *f;
    GLenum target;
    GLuint name;
    int size[3];
};

struct box {
    int at[3], size[3];
};

static uint32_t seed;

static uint32_t
next_random(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

/* Floats and halves that are numbers: other bits may change on their way. */
static uint8_t *
random_bytes(size_t size_B, GLenum type)
{
    uint8_t *p = malloc(size_B + 4);
    unsigned step = type == GL_HALF_FLOAT ? 2 : type == GL_FLOAT ? 4 : 0;
    for (size_t i = 0; i < size_B; i++) {
        p[i] = (uint8_t)next_random(256);
        if (step && i % step == step - 1)
            p[i] = (uint8_t)(0x20 + next_random(0x18));
    }
    return p;
}

static uint64_t
hash_bytes(const uint8_t *p, size_t size_B)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < size_B; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h;
}

static void
print_hash(const char *what, const char *name, const uint8_t *p, size_t size_B)
{
    printf("%s %s %016llx\n", what, name,
           (unsigned long long)hash_bytes(p, size_B));
}

/* ---- textures ---- */

static void
plain_store(void)
{
    static const GLenum zero[] = {GL_UNPACK_ROW_LENGTH,   GL_UNPACK_SKIP_ROWS,
                                  GL_UNPACK_SKIP_PIXELS,  GL_PACK_ROW_LENGTH,
                                  GL_PACK_SKIP_ROWS,      GL_PACK_SKIP_PIXELS,
                                  GL_UNPACK_IMAGE_HEIGHT, GL_PACK_IMAGE_HEIGHT};
    for (unsigned i = 0; i < COUNT(zero); i++)
        glPixelStorei(zero[i], 0);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
}

static size_t
texture_B(const struct texture *t)
{
    return (size_t)t->size[0] * (size_t)t->size[1] * (size_t)t->size[2] *
           t->f->pixel_B;
}

static void
upload_box(const struct texture *t, const struct box *b, const void *pixels)
{
    if (t->target == GL_TEXTURE_2D)
        glTextureSubImage2D(t->name, 0, b->at[0], b->at[1], b->size[0],
                            b->size[1], t->f->format, t->f->type, pixels);
    else
        glTextureSubImage3D(t->name, 0, b->at[0], b->at[1], b->at[2],
                            b->size[0], b->size[1], b->size[2], t->f->format,
                            t->f->type, pixels);
}

static void
make_texture(struct texture *t)
{
    static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_2D,
                                     GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D};
    t->f = &formats[next_random(COUNT(formats))];
    t->target = targets[next_random(COUNT(targets))];
    t->size[0] = 1 + (int)next_random(MAX_PX);
    t->size[1] = 1 + (int)next_random(MAX_PX);
    t->size[2] = 1;
    glCreateTextures(t->target, 1, &t->name);
    if (t->target == GL_TEXTURE_2D) {
        glTextureStorage2D(t->name, 1, t->f->internal, t->size[0], t->size[1]);
    } else {
        t->size[2] = 1 + (int)next_random(MAX_LAYERS);
        glTextureStorage3D(t->name, 1, t->f->internal, t->size[0], t->size[1],
                           t->size[2]);
    }
    uint8_t *data = random_bytes(texture_B(t), t->f->type);
    const struct box all = {{0}, {t->size[0], t->size[1], t->size[2]}};
    upload_box(t, &all, data);
    free(data);
}

static void
random_box(const struct texture *t, struct box *b)
{
    bool whole = !next_random(3);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t size = (uint32_t)t->size[i];
        b->at[i] = whole ? 0 : (int)next_random(size);
        b->size[i] = whole ? t->size[i]
                           : 1 + (int)next_random(size - (uint32_t)b->at[i]);
    }
}

/* Random distances of rows; returns how many bytes they may take. */
static size_t
random_store(const struct texture *t, const struct box *b, bool pack)
{
    int length = next_random(2) ? b->size[0] + (int)next_random(9) : 0;
    int height = next_random(2) ? b->size[1] + (int)next_random(5) : 0;
    int skip = next_random(2) ? (int)next_random(7) : 0;
    int rows = next_random(2) ? (int)next_random(4) : 0;
    glPixelStorei(pack ? GL_PACK_ROW_LENGTH : GL_UNPACK_ROW_LENGTH, length);
    glPixelStorei(pack ? GL_PACK_SKIP_PIXELS : GL_UNPACK_SKIP_PIXELS, skip);
    glPixelStorei(pack ? GL_PACK_SKIP_ROWS : GL_UNPACK_SKIP_ROWS, rows);
    glPixelStorei(pack ? GL_PACK_IMAGE_HEIGHT : GL_UNPACK_IMAGE_HEIGHT,
                  t->target == GL_TEXTURE_2D ? 0 : height);
    glPixelStorei(pack ? GL_PACK_ALIGNMENT : GL_UNPACK_ALIGNMENT,
                  1 << next_random(4));
    return (size_t)(b->size[0] + 20) * (size_t)(b->size[1] + 10) *
               (size_t)b->size[2] * t->f->pixel_B +
           4096;
}

/* ---- transfers ---- */

static void
upload(struct texture *t)
{
    struct box b;
    random_box(t, &b);
    size_t size_B = random_store(t, &b, false);
    uint8_t *data = random_bytes(size_B, t->f->type);
    GLuint buffer;
    glCreateBuffers(1, &buffer);
    glNamedBufferStorage(buffer, (GLsizeiptr)size_B, data, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    uintptr_t at_B = next_random(8) * (uintptr_t)t->f->pixel_B;
    upload_box(t, &b, (const void *)at_B);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glDeleteBuffers(1, &buffer);
    plain_store();
    data = realloc(data, texture_B(t));
    glGetTextureImage(t->name, 0, t->f->format, t->f->type,
                      (GLsizei)texture_B(t), data);
    print_hash("upload", t->f->name, data, texture_B(t));
    free(data);
}

static void
download(struct texture *t)
{
    struct box b;
    random_box(t, &b);
    size_t size_B = random_store(t, &b, true);
    uint8_t *data = random_bytes(size_B, t->f->type);
    GLuint buffer;
    glCreateBuffers(1, &buffer);
    glNamedBufferStorage(buffer, (GLsizeiptr)size_B, data, 0);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
    uintptr_t at_B = next_random(8) * (uintptr_t)t->f->pixel_B;
    glGetTextureSubImage(t->name, 0, b.at[0], b.at[1], b.at[2], b.size[0],
                         b.size[1], b.size[2], t->f->format, t->f->type,
                         (GLsizei)(size_B - at_B), (void *)at_B);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    plain_store();
    glGetNamedBufferSubData(buffer, 0, (GLsizeiptr)size_B, data);
    /* Observed: iris of Mesa 22.3 reads slices from 0 on instead: its views of
     * 3D textures begin at slice 0, and this path tells its shader of no first
     * slice. Hardware would answer likewise. */
    bool from_0 = t->target == GL_TEXTURE_3D && b.at[2];
    print_hash(from_0 ? "own read" : "read", t->f->name, data, size_B);
    glDeleteBuffers(1, &buffer);
    free(data);
}

/* ---- shaders like the driver's ---- */

#define SIZE_PX 96

static const char vs_corners[] =
    "#version 430\n"
    "layout(location = 0) uniform vec2 corner[4];"
    "void main(){ gl_Position = vec4(corner[gl_VertexID], 0, 1); }";
static const char fs_fetch[] =
    "#version 430\n"
    "layout(location = 4) uniform ivec4 at; uniform samplerBuffer s;"
    "out vec4 c; void main(){ ivec2 p = ivec2(gl_FragCoord.xy);"
    " c = texelFetch(s, p.x + at.x + (p.y + at.y) * at.z); }";
static const char fs_store[] =
    "#version 430\n"
    "layout(location = 4) uniform ivec4 at; uniform sampler2D s;"
    "layout(binding = 0) writeonly uniform imageBuffer o;"
    "void main(){ ivec2 p = ivec2(gl_FragCoord.xy);"
    " imageStore(o, p.x + at.x + (p.y + at.y) * at.z,"
    " texelFetch(s, p + ivec2(at.w, 0), 0)); }";

/* A rectangle, mostly; else a corner is out of place. */
static void
random_corners(void)
{
    float x0 = -1, y0 = -1, x1 = 1, y1 = 1;
    if (next_random(2)) {
        x0 = (float)next_random(90) / 90 - 1;
        y0 = (float)next_random(90) / 90 - 1;
        x1 = (float)next_random(90) / 90;
        y1 = (float)next_random(90) / 90;
    }
    float corner[8] = {x0, y0, x0, y1, x1, y0, x1, y1};
    if (!next_random(4))
        corner[next_random(8)] += 0.3f;
    glUniform2fv(0, 4, corner);
}

/* Pixel (x, y) has element x + first + (y + row) * stride, and texel
 * (x + shift, y). */
struct place {
    int32_t first, row, stride, shift;
};

/* Places within the buffer, around its ends and far off. Rows of stores do not
 * overlap: which pixel would win is undefined. */
static struct place
random_place(bool stores)
{
    static const int32_t strides[] = {
        SIZE_PX, SIZE_PX + 7, -SIZE_PX, SIZE_PX << 12, 0, 1, 1 << 30, -1};
    struct place at = {.first = (int32_t)next_random(40)};
    if (!next_random(4))
        at.first = (int32_t)next_random(3 * SIZE_PX * SIZE_PX) -
                   SIZE_PX * SIZE_PX;
    if (!next_random(8))
        at.first = INT32_MAX - (int32_t)next_random(200);
    at.row = (int32_t)next_random(3) - 1;
    at.stride = strides[next_random(stores ? 4 : COUNT(strides))];
    if (at.stride == -SIZE_PX && next_random(4))
        at.first = SIZE_PX * SIZE_PX;
    at.shift = next_random(4) ? 0 : (int32_t)next_random(5) - 2;
    return at;
}

/* Whether all pixels have an element. */
static bool
is_inside(const struct place *at, size_t elements)
{
    for (int64_t i = 0; i < 4; i++) {
        int64_t x = i % 2 * (SIZE_PX - 1), y = i / 2 * (SIZE_PX - 1);
        int64_t element = x + at->first + (y + at->row) * at->stride;
        if (element < 0 || element >= (int64_t)elements)
            return false;
    }
    return true;
}

static GLuint
make_buffer(GLenum format, size_t size_B, GLuint *texture)
{
    GLuint buffer;
    uint8_t *data = random_bytes(size_B, GL_UNSIGNED_BYTE);
    glCreateBuffers(1, &buffer);
    glNamedBufferStorage(buffer, (GLsizeiptr)size_B, data, 0);
    free(data);
    glCreateTextures(GL_TEXTURE_BUFFER, 1, texture);
    glTextureBuffer(*texture, format, buffer);
    return buffer;
}

static GLuint
make_picture(void)
{
    GLuint picture;
    uint8_t *data = random_bytes(SIZE_PX * SIZE_PX * 4, GL_UNSIGNED_BYTE);
    glCreateTextures(GL_TEXTURE_2D, 1, &picture);
    glTextureStorage2D(picture, 1, GL_RGBA8, SIZE_PX, SIZE_PX);
    glTextureSubImage2D(picture, 0, 0, 0, SIZE_PX, SIZE_PX, GL_RGBA,
                        GL_UNSIGNED_BYTE, data);
    free(data);
    return picture;
}

static void
draw_strip(GLuint fbo, const struct place *at)
{
    random_corners();
    glUniform4i(4, at->first, at->row, at->stride, at->shift);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glViewport(0, 0, SIZE_PX, SIZE_PX);
    if (!next_random(3)) {
        glEnable(GL_SCISSOR_TEST);
        glScissor((int)next_random(30), (int)next_random(30), 64, 32);
    }
    if (!next_random(6))
        glEnable(GL_BLEND);
    if (!next_random(6))
        glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

static const struct element {
    GLenum format;
    unsigned size_B;
} elements[] = {{GL_RGBA8, 4}, {GL_R8, 1}, {GL_RGBA16F, 8}, {GL_RG8, 2}};

/* GL leaves open what a fetch beyond the buffer returns, and how halves are
 * rounded. */
static void
fetch_pixels(GLuint program)
{
    const struct element *e = &elements[next_random(COUNT(elements))];
    size_t size_B = (8 + next_random(4 * SIZE_PX * SIZE_PX * 4)) & ~(size_t)7;
    GLuint texture, fbo, picture = make_picture();
    GLuint buffer = make_buffer(e->format, size_B, &texture);
    const struct place at = random_place(false);
    glCreateFramebuffers(1, &fbo);
    glNamedFramebufferTexture(fbo, GL_COLOR_ATTACHMENT0, picture, 0);
    glUseProgram(program);
    glBindTextureUnit(0, texture);
    draw_strip(fbo, &at);
    uint8_t *data = malloc(SIZE_PX * SIZE_PX * 4);
    glGetTextureImage(picture, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      SIZE_PX * SIZE_PX * 4, data);
    bool shared = is_inside(&at, size_B / e->size_B) && e->format != GL_RGBA16F;
    print_hash(shared ? "all" : "own", "fetch", data, SIZE_PX * SIZE_PX * 4);
    free(data);
    glDeleteFramebuffers(1, &fbo);
    glDeleteTextures(1, &texture);
    glDeleteTextures(1, &picture);
    glDeleteBuffers(1, &buffer);
}

/* The target, if any, is not the picture that is read: GL leaves open what such
 * a feedback loop reads, as it does for texels beyond the picture. Stores
 * beyond the buffer change nothing. */
static void
store_pixels(GLuint program)
{
    const struct element *e = &elements[next_random(COUNT(elements))];
    size_t size_B = (8 + next_random(2 * SIZE_PX * SIZE_PX * 4)) & ~(size_t)7;
    GLuint texture, fbo, picture = make_picture(), target = make_picture();
    GLuint buffer = make_buffer(e->format, size_B, &texture);
    const struct place at = random_place(true);
    glCreateFramebuffers(1, &fbo);
    glNamedFramebufferParameteri(fbo, GL_FRAMEBUFFER_DEFAULT_WIDTH, SIZE_PX);
    glNamedFramebufferParameteri(fbo, GL_FRAMEBUFFER_DEFAULT_HEIGHT, SIZE_PX);
    if (!next_random(5))
        glNamedFramebufferTexture(fbo, GL_COLOR_ATTACHMENT0, target, 0);
    glUseProgram(program);
    glBindTextureUnit(0, picture);
    glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_WRITE_ONLY, e->format);
    draw_strip(fbo, &at);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    uint8_t *data = malloc(size_B);
    glGetNamedBufferSubData(buffer, 0, (GLsizeiptr)size_B, data);
    bool shared = !at.shift && e->format != GL_RGBA16F;
    print_hash(shared ? "all" : "own", "store", data, size_B);
    free(data);
    glDeleteFramebuffers(1, &fbo);
    glDeleteTextures(1, &texture);
    glDeleteTextures(1, &picture);
    glDeleteTextures(1, &target);
    glDeleteBuffers(1, &buffer);
}

int
main(int argc, char **argv)
{
    if (argc != 3)
        gl_die("usage", "pbo SEED COUNT");
    seed = (uint32_t)strtoul(argv[1], NULL, 0);
    unsigned count = (unsigned)strtoul(argv[2], NULL, 0);
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 4,
                                        EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
    gl_open(attributes);
    plain_store();
    GLuint vao, fetch = gl_program(vs_corners, fs_fetch);
    GLuint store = gl_program(vs_corners, fs_store);
    glCreateVertexArrays(1, &vao);
    glBindVertexArray(vao);
    for (unsigned i = 0; i < count; i++) {
        struct texture t;
        make_texture(&t);
        upload(&t);
        download(&t);
        upload(&t);
        glDeleteTextures(1, &t.name);
        fetch_pixels(fetch);
        store_pixels(store);
    }
    return 0;
}
