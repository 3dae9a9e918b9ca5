/* vebox_surface.c: VEBOX_SURFACE_STATE, and bytes of rows in linear and tiled
 * memory. KBL PRM vol 2d has the state; its formats are named as in
 * MEDIA_SURFACE_STATE. */
#include "engine/vebox/frame/vebox_surface.h"

/* place: of packed 4:2:2 the component of Y0, U, Y1 and V in a pair of pixels,
 * else of each channel. Guess: AYUV and 16-bit 4:4:4 have V, U, Y, A and U, Y,
 * V, A from low to high, as Microsoft's AYUV and Y416. */
const struct vebox_format vebox_formats[16] = {
    [0] = {"YCRCB_NORMAL", VEBOX_PACKED_422, 1, 2, 0, {0, 1, 2, 3}, 0, 0},
    [1] = {"YCRCB_SWAPUVY", VEBOX_PACKED_422, 1, 2, 0, {1, 2, 3, 0}, 0, 0},
    [2] = {"YCRCB_SWAPUV", VEBOX_PACKED_422, 1, 2, 0, {0, 3, 2, 1}, 0, 0},
    [3] = {"YCRCB_SWAPY", VEBOX_PACKED_422, 1, 2, 0, {1, 0, 3, 2}, 0, 0},
    [4] = {"PLANAR_420_8", VEBOX_PLANAR, 1, 1, 1, {0}, 0, 0},
    [5] = {"PACKED_444A_8", VEBOX_PACKED_444, 1, 4, 0, {2, 1, 0, 3}, 0, 1},
    [6] = {"PACKED_422_16", VEBOX_PACKED_422, 2, 4, 0, {0, 1, 2, 3}, 0, 0},
    [7] = {"R10G10B10A2_UNORM", VEBOX_1010102, 1, 4, 0, {0, 1, 2, 3}, 1, 1},
    [8] = {"R8G8B8A8_UNORM", VEBOX_PACKED_444, 1, 4, 0, {0, 1, 2, 3}, 1, 1},
    [9] = {"PACKED_444_16", VEBOX_PACKED_444, 2, 8, 0, {1, 0, 2, 3}, 0, 1},
    [10] = {"PLANAR_422_16", VEBOX_PLANAR, 2, 2, 0, {0}, 0, 0},
    [11] = {"Y8_UNORM", VEBOX_MONO, 1, 1, 0, {0}, 0, 0},
    [12] = {"PLANAR_420_16", VEBOX_PLANAR, 2, 2, 1, {0}, 0, 0},
    [13] = {"R16G16B16A16", VEBOX_PACKED_444, 2, 8, 0, {0, 1, 2, 3}, 1, 1},
    [14] = {"BAYER_PATTERN", VEBOX_BAYER, 1, 1, 0, {0}, 1, 0},
    [15] = {"Y16_UNORM", VEBOX_MONO, 2, 2, 0, {0}, 0, 0},
};
static const struct vebox_format bayer_16 = {
    "BAYER_PATTERN 16", VEBOX_BAYER, 2, 2, 0, {0}, 1, 0};

struct vebox_surface_state
vebox_surface_state(const uint32_t *dw)
{
    struct vebox_surface_state s = {
        .format = &vebox_formats[bits_get(dw[3], 28, 31)],
        .width = bits_get(dw[2], 4, 17) + 1,
        .height = bits_get(dw[2], 18, 31) + 1,
        .dw = {dw[3], dw[4], dw[5], dw[6]},
    };
    if (s.format->layout == VEBOX_BAYER && bits_get(dw[3], 24, 24))
        s.format = &bayer_16;
    return s;
}

static const struct {
    uint16_t width_B, rows;
} tiles[] = {
    [TILING_LINEAR] = {1, 1},
    [TILING_X] = {512, 8},
    [TILING_Y] = {128, 32},
};

/* Checks that rows of row_B bytes fit into the pitch and the address space. */
static bool
plane_fits(const struct vebox_plane *p, const struct engine_vm *vm, gpu_va va,
           uint32_t row_B, uint32_t rows)
{
    uint64_t end_B = (uint64_t)p->x_B + row_B;
    uint64_t all = ALIGN_POT((uint64_t)p->y + rows,
                             (uint64_t)tiles[p->tiling].rows);
    if (p->pitch_B % tiles[p->tiling].width_B || end_B > p->pitch_B) {
        guest_error("VEBOX: a row of %u bytes at %u, a pitch of %u", row_B,
                    p->x_B, p->pitch_B);
        return false;
    }
    if (all * p->pitch_B > vm_limit_B(vm, va)) {
        guest_error("VEBOX: a surface of %llu rows at 0x%llx",
                    (unsigned long long)all, (unsigned long long)va);
        return false;
    }
    return true;
}

static bool
chroma_init(struct vebox_surface *s, const struct vebox_surface_state *state,
            const struct engine_vm *vm, gpu_va va)
{
    const struct vebox_format *f = s->format;
    unsigned planes = s->interleaved ? 1 : 2;
    uint32_t columns = (s->width + 1) / 2 * f->component_B * (3 - planes);
    uint32_t rows = f->chroma_y ? (s->height + 1) / 2 : s->height;
    for (unsigned i = 0; i < planes; i++) {
        struct vebox_plane *p = &s->plane[1 + i];
        *p = s->plane[0];
        if (!s->interleaved && bits_get(state->dw[0], 2, 2))
            p->pitch_B /= 2;
        p->x_B = s->plane[0].x_B / (s->interleaved ? 1 : 2) +
                 bits_get(state->dw[1 + i], 16, 28) * f->component_B;
        p->y = (s->plane[0].y >> f->chroma_y) +
               bits_get(state->dw[1 + i], 0, 14);
        if (!plane_fits(p, vm, va, columns, rows))
            return false;
    }
    return true;
}

bool
vebox_surface_init(struct vebox_surface *s,
                   const struct vebox_surface_state *state,
                   const struct engine_vm *vm, gpu_va va)
{
    const struct vebox_format *f = state->format;
    bool tiled = bits_get(state->dw[0], 1, 1);
    bool y_major = bits_get(state->dw[0], 0, 0);
    *s = (struct vebox_surface){
        .format = f,
        .width = state->width,
        .height = state->height,
        .interleaved = bits_get(state->dw[0], 27, 27),
        .bayer = bits_get(state->dw[0], 25, 26),
    };
    s->plane[0] = (struct vebox_plane){
        .base = vm_ptr(vm, va),
        .pitch_B = bits_get(state->dw[0], 3, 19) + 1,
        .tiling = !tiled    ? TILING_LINEAR
                  : y_major ? TILING_Y
                            : TILING_X,
        .x_B = bits_get(state->dw[3], 16, 30) * f->pixel_B,
        .y = bits_get(state->dw[3], 0, 14),
    };
    uint32_t columns = f->layout == VEBOX_PACKED_422 ? ALIGN_POT(s->width, 2u)
                                                     : s->width;
    if (!plane_fits(&s->plane[0], vm, va, columns * f->pixel_B, s->height))
        return false;
    return f->layout != VEBOX_PLANAR || chroma_init(s, state, vm, va);
}

/* ---- bytes ---------------------------------------------------------------
 * Runs that lie together: a row of a linear surface, 512 bytes of an X tile, 16
 * of a Y tile. */

static uint32_t
run_B(const struct vebox_plane *p, uint32_t x_B, uint32_t size_B)
{
    static const uint32_t piece_B[] = {[TILING_X] = 512, [TILING_Y] = 16};
    if (p->tiling == TILING_LINEAR)
        return size_B;
    uint32_t left_B = piece_B[p->tiling] - x_B % piece_B[p->tiling];
    return MIN2(left_B, size_B);
}

static uint8_t *
byte_at(const struct vebox_plane *p, uint32_t x_B, uint32_t y)
{
    return p->base + tiling_offset_B(p->tiling, x_B, y, p->pitch_B);
}

void
vebox_read_bytes(const struct vebox_plane *p, uint32_t x_B, uint32_t y,
                 uint8_t *to, uint32_t size_B)
{
    x_B += p->x_B;
    y += p->y;
    while (size_B) {
        uint32_t n = run_B(p, x_B, size_B);
        memcpy(to, byte_at(p, x_B, y), n);
        to += n;
        x_B += n;
        size_B -= n;
    }
}

void
vebox_write_bytes(const struct vebox_plane *p, uint32_t x_B, uint32_t y,
                  const uint8_t *from, uint32_t size_B)
{
    x_B += p->x_B;
    y += p->y;
    while (size_B) {
        uint32_t n = run_B(p, x_B, size_B);
        memcpy(byte_at(p, x_B, y), from, n);
        from += n;
        x_B += n;
        size_B -= n;
    }
}
