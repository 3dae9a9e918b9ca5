/* probe_va_picture.c: decodes a JPEG of 16 x 16 pixels by VA-API and compares
 * its samples. Structures and numbers are libva's (va.h, va_dec_jpeg.h, version
 * 1), written down here because its headers are no dependency. */
#include "cli/check/probe_va_picture.h"
#include "cli/check/probe_functions.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PROFILE_JPEG 12
#define ENTRYPOINT_VLD 1
#define FORMAT_YUV420 1
#define SIDE_PX 16

enum { PICTURE = 0, MATRICES = 1, SLICE = 4, DATA = 5, HUFFMAN = 12 };

struct picture {
    uint16_t width, height;
    struct {
        uint8_t id, h, v, table;
    } components[255];
    uint8_t component_count, color_space;
    uint32_t rotation, reserved[7];
};

struct matrices {
    uint8_t load[4], table[4][64];
    uint32_t reserved[4];
};

struct huffman {
    uint8_t load[2];
    struct {
        uint8_t dc_counts[16], dc_values[12];
        uint8_t ac_counts[16], ac_values[162];
        uint8_t pad[2];
    } table[2];
    uint32_t reserved[4];
};

struct slice {
    uint32_t size_B, offset, flag, x, y;
    struct {
        uint8_t selector, dc, ac;
    } components[4];
    uint8_t component_count;
    uint16_t restart_interval;
    uint32_t mcu_count, reserved[4];
};

struct image {
    uint32_t id, format[12], buffer;
    uint16_t width, height;
    uint32_t size_B, planes, pitches[3], offsets[3];
    int32_t palette[3];
    uint8_t order[4];
    uint32_t reserved[4];
};

#define VA_FUNCTIONS(X)                                                      \
    X(int, CreateConfig, (void *, int, int, void *, int, uint32_t *))        \
    X(int, CreateSurfaces,                                                   \
      (void *, unsigned, unsigned, unsigned, uint32_t *, unsigned, void *,   \
       unsigned))                                                            \
    X(int, CreateContext,                                                    \
      (void *, uint32_t, int, int, int, uint32_t *, int, uint32_t *))        \
    X(int, CreateBuffer,                                                     \
      (void *, uint32_t, int, unsigned, unsigned, const void *, uint32_t *)) \
    X(int, BeginPicture, (void *, uint32_t, uint32_t))                       \
    X(int, RenderPicture, (void *, uint32_t, uint32_t *, int))               \
    X(int, EndPicture, (void *, uint32_t))                                   \
    X(int, SyncSurface, (void *, uint32_t))                                  \
    X(int, DeriveImage, (void *, uint32_t, struct image *))                  \
    X(int, MapBuffer, (void *, uint32_t, void **))                           \
    X(int, UnmapBuffer, (void *, uint32_t))

struct functions {
    VA_FUNCTIONS(PROBE_MEMBER)
};

/* Codes of DC: 0 for a difference of 0, 10 for one of 3 bits; of AC: 0 for the
 * end of a block. Luma's first difference is 7, times 16 of the matrix, an
 * eighth of it 14: luma is 142, and chroma 128. */
#define LUMA 142
#define CHROMA 128
static const uint8_t data[] = {0xb8, 0x00, 0x7f};

struct buffers {
    struct picture picture;
    struct matrices matrices;
    struct huffman huffman;
    struct slice slice;
};

static void
fill_buffers(struct buffers *b)
{
    *b = (struct buffers){
        .picture = {.width = SIDE_PX,
                    .height = SIDE_PX,
                    .components = {{1, 2, 2, 0}, {2, 1, 1, 0}, {3, 1, 1, 0}},
                    .component_count = 3},
        .matrices = {.load = {1}},
        .huffman = {.load = {1, 1}},
        .slice = {.size_B = sizeof data,
                  .components = {{1, 0, 0}, {2, 1, 1}, {3, 1, 1}},
                  .component_count = 3,
                  .mcu_count = 1},
    };
    memset(b->matrices.table[0], 16, 64);
    for (unsigned i = 0; i < 2; i++) {
        b->huffman.table[i].dc_counts[0] = b->huffman.table[i].dc_counts[1] = 1;
        b->huffman.table[i].dc_values[1] = 3;
        b->huffman.table[i].ac_counts[0] = 1;
    }
}

static bool
decode(const struct functions *va, void *display, uint32_t context,
       uint32_t surface)
{
    struct buffers b;
    fill_buffers(&b);
    const struct {
        int type;
        unsigned size_B;
        const void *from;
    } parts[] = {
        {PICTURE, sizeof b.picture, &b.picture},
        {MATRICES, sizeof b.matrices, &b.matrices},
        {HUFFMAN, sizeof b.huffman, &b.huffman},
        {SLICE, sizeof b.slice, &b.slice},
        {DATA, sizeof data, data},
    };
    uint32_t ids[5];
    for (unsigned i = 0; i < 5; i++)
        if (va->CreateBuffer(display, context, parts[i].type, parts[i].size_B,
                             1, parts[i].from, &ids[i]))
            return false;
    return !va->BeginPicture(display, context, surface) &&
           !va->RenderPicture(display, context, ids, 5) &&
           !va->EndPicture(display, context) &&
           !va->SyncSurface(display, surface);
}

static bool
compare(const struct functions *va, void *display, uint32_t surface)
{
    struct image image = {0};
    void *map = NULL;
    if (va->DeriveImage(display, surface, &image) ||
        va->MapBuffer(display, image.buffer, &map) || !map)
        return false;
    const uint8_t *luma = (uint8_t *)map + image.offsets[0];
    const uint8_t *chroma = (uint8_t *)map + image.offsets[1];
    bool same = true;
    for (unsigned y = 0; y < SIDE_PX; y++)
        for (unsigned x = 0; x < SIDE_PX; x++)
            same &= luma[y * image.pitches[0] + x] == LUMA &&
                    chroma[y / 2 * image.pitches[1] + x] == CHROMA;
    va->UnmapBuffer(display, image.buffer);
    return same;
}

bool
probe_va_picture(void *library, void *display)
{
    struct functions va;
    uint32_t config, surface, context;
    if (!PROBE_LOOK_UP(&va, VA_FUNCTIONS, "va", dlsym, library))
        return false;
    return !va.CreateConfig(display, PROFILE_JPEG, ENTRYPOINT_VLD, NULL, 0,
                            &config) &&
           !va.CreateSurfaces(display, FORMAT_YUV420, SIDE_PX, SIDE_PX,
                              &surface, 1, NULL, 0) &&
           !va.CreateContext(display, config, SIDE_PX, SIDE_PX, 1, &surface, 1,
                             &context) &&
           decode(&va, display, context, surface) &&
           compare(&va, display, surface);
}
