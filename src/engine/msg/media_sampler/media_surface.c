/* media_surface.c: MEDIA_SURFACE_STATE, and the place of each channel's
 * samples. KBL PRM vol 2d. Field surfaces have every second row. */
#include "engine/msg/media_sampler/media_sampler.h"

#include "gen9_pack.h"
#include "sampler/surface/tiling.h"

enum {
    YCRCB_NORMAL = 0,
    YCRCB_SWAPUVY = 1,
    YCRCB_SWAPUV = 2,
    YCRCB_SWAPY = 3,
    PLANAR_420_8 = 4,
    Y8_UNORM_VA = 5,
    Y16_UNORM_VA = 7,
    R10G10B10A2_UNORM = 8,
    R8G8B8A8_UNORM = 9,
    R8B8_UNORM = 10,
    R8_UNORM = 11,
    Y8_UNORM = 12,
    A8Y8U8V8_UNORM = 13,
    B8G8R8A8_UNORM = 14,
    R16G16B16A16_UNORM = 15,
    Y1_UNORM = 16,
    PLANAR_422_8 = 18,
    FORMATS = 19,
};

/* Channels of a pixel, or of a pair of pixels with common chroma. */
struct layout {
    const char *name;
    uint8_t pixel_B;
    bool yuv, pairs, planar;
    /* First bit and number of bits; 0 bits: there is none. */
    uint8_t r, r_bits, g, g_bits, b, b_bits, a, a_bits;
};

/* R8B8: Observed: i965 reads Cb and Cr of an image so. A8Y8U8V8: Guess: as the
 * data port's 4:4:4 (ILK PRM vol 4 part 1, 5.10.5.3). */
static const struct layout layouts[FORMATS] = {
    [YCRCB_NORMAL] = {"YCRCB_NORMAL", 2, true, true, false, 24, 8, 0, 8, 8, 8,
                      0, 0},
    [YCRCB_SWAPUVY] = {"YCRCB_SWAPUVY", 2, true, true, false, 0, 8, 8, 8, 16, 8,
                       0, 0},
    [YCRCB_SWAPUV] = {"YCRCB_SWAPUV", 2, true, true, false, 8, 8, 0, 8, 24, 8,
                      0, 0},
    [YCRCB_SWAPY] = {"YCRCB_SWAPY", 2, true, true, false, 16, 8, 8, 8, 0, 8, 0,
                     0},
    [PLANAR_420_8] = {"PLANAR_420_8", 1, true, false, true, 0, 8, 0, 8, 0, 8, 0,
                      0},
    [Y8_UNORM_VA] = {"Y8_UNORM_VA", 1, true, false, false, 0, 0, 0, 8, 0, 0, 0,
                     0},
    [Y16_UNORM_VA] = {"Y16_UNORM_VA", 2, true, false, false, 0, 0, 0, 16, 0, 0,
                      0, 0},
    [R10G10B10A2_UNORM] = {"R10G10B10A2_UNORM", 4, false, false, false, 0, 10,
                           10, 10, 20, 10, 30, 2},
    [R8G8B8A8_UNORM] = {"R8G8B8A8_UNORM", 4, false, false, false, 0, 8, 8, 8,
                        16, 8, 24, 8},
    [R8B8_UNORM] = {"R8B8_UNORM", 2, false, false, false, 0, 8, 0, 0, 8, 8, 0,
                    0},
    [R8_UNORM] = {"R8_UNORM", 1, false, false, false, 0, 8, 0, 0, 0, 0, 0, 0},
    [Y8_UNORM] = {"Y8_UNORM", 1, true, false, false, 0, 0, 0, 8, 0, 0, 0, 0},
    [A8Y8U8V8_UNORM] = {"A8Y8U8V8_UNORM", 4, true, false, false, 0, 8, 16, 8, 8,
                        8, 24, 8},
    [B8G8R8A8_UNORM] = {"B8G8R8A8_UNORM", 4, false, false, false, 16, 8, 8, 8,
                        0, 8, 24, 8},
    [R16G16B16A16_UNORM] = {"R16G16B16A16", 8, false, false, false, 0, 16, 16,
                            16, 32, 16, 48, 16},
    [Y1_UNORM] = {"Y1_UNORM", 1, true, false, false, 0, 0, 0, 8, 0, 0, 0, 0},
    [PLANAR_422_8] = {"PLANAR_422_8", 1, true, false, true, 0, 8, 0, 8, 0, 8, 0,
                      0},
};

static struct media_channel
packed_channel(const struct layout *l, const struct media_surface *s,
               unsigned at_bit, unsigned bits)
{
    struct media_channel c = {.exists = bits != 0,
                              .pixel_B = l->pixel_B,
                              .at_bit = (uint8_t)at_bit,
                              .bits = (uint8_t)bits,
                              .width = (int)s->width,
                              .height = (int)s->height};
    /* 1.0 of 8 bits is FF00h. ILK PRM vol 4 part 1, 4.11.2.4. */
    c.one = bits > 8 ? (uint16_t)(0xffffu << (16 - bits)) : 0xff00;
    return c;
}

static void
set_packed(const struct gen9_media_surface_state *p, const struct layout *l,
           struct media_surface *s)
{
    s->channel[0] = packed_channel(l, s, l->r, l->r_bits);
    s->channel[1] = packed_channel(l, s, l->g, l->g_bits);
    s->channel[2] = packed_channel(l, s, l->b, l->b_bits);
    s->channel[3] = packed_channel(l, s, l->a, l->a_bits);
    for (unsigned i = 0; i < 4; i++) {
        struct media_channel *c = &s->channel[i];
        c->x_B = p->x_offset_for_u_cb * l->pixel_B;
        c->row = p->y_offset_for_u_cb;
        if (l->pairs && i != 1) {
            c->sub_x = true;
            c->pixel_B = 4;
            c->width = (c->width + 1) / 2;
            c->x_px = p->cr_v_cb_u_pixel_offset_u_direction * 0.5f;
        }
    }
}

static void
set_chroma(const struct gen9_media_surface_state *p, struct media_channel *c,
           bool is_cr)
{
    bool apart = !p->interleave_chroma;
    uint32_t x = p->x_offset_for_u_cb, row = p->y_offset_for_u_cb;
    if (apart && is_cr) {
        x = p->x_offset_for_v_cr;
        row = p->y_offset_for_v_cr;
    }
    c->pixel_B = apart ? 1 : 2;
    c->at_bit = !apart && is_cr ? 8 : 0;
    c->x_B += x;
    c->row += row;
    c->sub_x = true;
    c->sub_y = p->surface_format == PLANAR_420_8;
    c->width = (c->width + 1) / 2;
    c->x_px = p->cr_v_cb_u_pixel_offset_u_direction * 0.5f;
    if (!c->sub_y)
        return;
    c->height = (c->height + 1) / 2;
    c->y_px = p->cr_v_cb_u_pixel_offset_v_direction * 0.25f +
              p->cr_v_cb_u_pixel_offset_v_direction_msb;
}

static void
set_planar(const struct gen9_media_surface_state *p, const struct layout *l,
           struct media_surface *s)
{
    for (unsigned i = 0; i < 4; i++) {
        s->channel[i] = packed_channel(l, s, 0, i < 3 ? 8 : 0);
        s->channel[i].x_B = p->x_offset * 4;
        s->channel[i].row = p->y_offset * 4;
    }
    set_chroma(p, &s->channel[0], true);
    set_chroma(p, &s->channel[2], false);
}

static bool
is_supported(const struct gen9_media_surface_state *p)
{
    if (p->surface_format >= FORMATS || !layouts[p->surface_format].name)
        unimp("media surface of format %u", p->surface_format);
    else if (p->tile_mode == TILING_W || p->tiled_resource_mode)
        unimp("media surface of tiling %u, %u", p->tile_mode,
              p->tiled_resource_mode);
    else
        return true;
    return false;
}

/* Whether the first row's tiles are as wide as they need. */
static bool
has_pitch(const struct media_surface *s)
{
    return s->tiling == TILING_LINEAR ||
           s->pitch_B >= (s->tiling == TILING_X ? 512u : 128u);
}

bool
media_surface_find(const struct shader_stage *stage, unsigned bti,
                   struct media_surface *s)
{
    struct gen9_media_surface_state p;
    uint32_t dw[gen9_MEDIA_SURFACE_STATE_len_dw];
    gpu_va entry = stage->surface_base_va + stage->binding_table_offset +
                   bti * 4;
    uint32_t offset_B = vm_read32(stage->vm, entry) & ~63u;
    memcpy(dw, vm_ptr(stage->vm, stage->surface_base_va + offset_B), sizeof dw);
    gen9_media_surface_state_unpack(&p, dw);
    if (!is_supported(&p))
        return false;
    const struct layout *l = &layouts[p.surface_format];
    *s = (struct media_surface){
        .mem = vm_ptr(stage->vm, p.surface_base_address),
        .limit_B = vm_limit_B(stage->vm, p.surface_base_address),
        .tiling = (enum surface_tiling)p.tile_mode,
        .pitch_B = p.surface_pitch + 1,
        .width = p.width + 1,
        .height = p.height + 1,
        .row_step = p.vertical_line_stride ? 2 : 1,
        .first_row = p.vertical_line_stride && p.vertical_line_stride_offset,
        .mirror = p.address_control,
        .is_yuv = l->yuv,
        .rotation = (uint8_t)p.rotation,
        .is_boolean = p.surface_format == Y1_UNORM,
    };
    if (l->planar)
        set_planar(&p, l, s);
    else
        set_packed(&p, l, s);
    trace(surf, "media %s %ux%u, tiling %u, pitch %u at 0x%llx", l->name,
          s->width, s->height, s->tiling, s->pitch_B,
          (unsigned long long)p.surface_base_address);
    return has_pitch(s);
}

/* Outside, the outermost sample goes on, or the surface is mirrored with it. */
static int
inside(const struct media_surface *s, int at, int size)
{
    if (at >= 0 && at < size)
        return at;
    if (!s->mirror)
        return at < 0 ? 0 : size - 1;
    int twice = 2 * size, within = (at % twice + twice) % twice;
    return within < size ? within : twice - 1 - within;
}

uint64_t
media_surface_x_B(const struct media_surface *s, const struct media_channel *c,
                  int x)
{
    uint32_t x_B = c->x_B + (uint32_t)inside(s, x, c->width) * c->pixel_B;
    return tiling_offset_B(s->tiling, x_B, 0, s->pitch_B);
}

uint64_t
media_surface_y_B(const struct media_surface *s, const struct media_channel *c,
                  int y)
{
    uint32_t row = (uint32_t)inside(s, y, c->height) * s->row_step +
                   s->first_row + c->row;
    return tiling_offset_B(s->tiling, 0, row, s->pitch_B);
}
