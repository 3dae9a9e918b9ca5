/* media.h: an object with the state, kernels and picture of media commands,
 * for their tests. */
#ifndef TESTS_ROBUST_MEDIA_H
#define TESTS_ROBUST_MEDIA_H

#include "commands.h"

#include <string.h>

#define SIZE_B 65536u
#define PITCH_B 128u
/* In the object that a batch may write: a picture of 256 rows, then state. All
 * bases are the object's begin. */
#define SURFACE_B 0x8000u
#define TABLE_B 0x8100u
#define DESCRIPTORS_B 0x8200u
#define CURBE_B 0x8400u
#define INDIRECT_B 0x8500u
#define KERNELS_B 0x9000u
#define KERNEL_B 0x400u
#define DESCRIPTORS 16u

static int fd;
static struct {
    uint32_t handle;
    uint32_t *dw;
} commands, object;

static inline uint32_t *
put(uint32_t *to, const uint32_t *dw, unsigned count)
{
    memcpy(to, dw, count * 4);
    return to + count;
}
#define PUT(to, ...)                         \
    put(to, (const uint32_t[]){__VA_ARGS__}, \
        sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* vfe: dwords 3, 5, 6 and 7 of MEDIA_VFE_STATE: threads, sizes and
 * scoreboard. */
static inline uint32_t *
put_state(uint32_t *dw, const uint32_t vfe[4], uint32_t curbe_B)
{
    const uint32_t base = (uint32_t)OTHER_VA | 1;
    dw = PUT(dw, 0x69040301);
    dw = PUT(dw, 0x61010011, base, 0, 0, base, 0, base, 0, base, 0, base, 0,
             0xfffff001, 0xfffff001, 0xfffff001, 0xfffff001, 1, 0, 0);
    dw = PUT(dw, 0x70000007, 0, 0, vfe[0], 0, vfe[1], vfe[2], vfe[3], 0);
    if (curbe_B)
        dw = PUT(dw, 0x70010002, 0, curbe_B, CURBE_B);
    return PUT(dw, 0x70020002, 0, DESCRIPTORS * 32, DESCRIPTORS_B);
}

/* dw5, dw6: of the interface descriptor. */
static inline void
set_kernel(unsigned n, const uint32_t *code, size_t size_B, uint32_t dw5,
           uint32_t dw6)
{
    memcpy(object.dw + (KERNELS_B + n * KERNEL_B) / 4, code, size_B);
    PUT(object.dw + DESCRIPTORS_B / 4 + n * 8, KERNELS_B + n * KERNEL_B, 0, 0,
        0, TABLE_B, dw5, dw6);
}

static inline void
clear_object(void)
{
    memset(object.dw, 0, SIZE_B);
    /* R8_UINT, linear; its width counts dwords. */
    uint32_t *dw = object.dw + SURFACE_B / 4;
    PUT(dw, 0x250d4000, 0, 255u << 16 | (PITCH_B / 4 - 1), PITCH_B - 1);
    dw[8] = (uint32_t)OTHER_VA;
    object.dw[TABLE_B / 4] = SURFACE_B;
}

static inline int
run(uint32_t context)
{
    int err = submit_commands(fd, context, commands.handle, object.handle);
    return err ? err : bo_wait(fd, object.handle, 20000);
}

static inline const uint32_t *
row(unsigned y)
{
    return object.dw + y * PITCH_B / 4;
}

static inline void
open_media(void)
{
    fd = open_render();
    commands.handle = bo_create(fd, SIZE_B);
    commands.dw = bo_map(fd, commands.handle, SIZE_B);
    object.handle = bo_create(fd, SIZE_B);
    object.dw = bo_map(fd, object.handle, SIZE_B);
}

#endif
