/* analytics.c: video analytics functions of sample_8x8: convolution, filters by
 * minimum and maximum, erosion and dilation.
 *
 * States: KBL genxml, SAMPLER_STATE_8x8_CONVOLVE and
 * SAMPLER_STATE_8x8_ERODE_DILATE_MINMAXFILTER; iHD's CM runtime fills them so.
 * Payload: IGC. Replies: cm_va_* of the CM language's header. Guess: the middle
 * tap, rounded down, is at the pixel; leftmost pixels and taps are in the low
 * bits; sums are shifted right and saturate; minimum and maximum of a pixel lie
 * side by side, the maximum first. */
#include "engine/msg/media_sampler/media_sampler.h"

#include <math.h>

enum { CONVOLVE = 1, MIN_MAX_FILTER = 3, ERODE = 4, DILATE = 5 };
/* Which values a filter by minimum and maximum returns. */
enum { BOTH = 0, ONLY_MAX = 1, ONLY_MIN = 2 };

#define PLACE_MAX 32768 /* pixels; beyond, all is border */
#define MASK_SIDE 15
#define CONVOLVE_SIDE 31
/* Distances of states in memory, by index. */
#define MASK_STATE_STEP_B 32
#define CONVOLVE_STATE_STEP_B 2048
#define CONVOLVE_STATE_B 2048
#define COEFFICIENTS_B 64 /* 31 rows of columns 0 to 15, then of 16 to 31 */

struct job {
    const struct eu_message *m;
    struct media_surface s;
    unsigned channel;
    unsigned function, mode, values;
    unsigned width, height;
    int x, y;   /* of the first pixel */
    bool bytes; /* reply: 8 bits a value */
    unsigned kernel_width, kernel_height;
    uint16_t mask[MASK_SIDE]; /* of a row */
};

static void
put_bytes(const struct job *j, unsigned at_B, const void *from, unsigned size_B)
{
    if (at_B + size_B <= j->m->rlen_grf * 32u)
        memcpy((uint8_t *)j->m->dst + at_B, from, size_B);
}

/* A pixel as an integer, of 8 or 16 bits. */
static unsigned
pixel_at(const struct job *j, int x, int y)
{
    const struct media_channel *c = &j->s.channel[j->channel];
    uint32_t v = media_surface_read(&j->s, c,
                                    media_surface_x_B(&j->s, c, x) +
                                        media_surface_y_B(&j->s, c, y));
    return v >> (16 - c->bits);
}

static bool
bit_at(const struct job *j, int x, int y)
{
    x = CLAMP(x, 0, (int)j->s.width - 1);
    return pixel_at(j, x / 8, y) >> x % 8 & 1;
}

/* ---- masks --------------------------------------------------------------- */

/* DW0: height 3:0, width 7:4; rows of 16 bits from bit 16 on. */
static void
read_mask(struct job *j, const uint8_t state[MASK_STATE_STEP_B])
{
    j->kernel_height = MIN2(state[0] & 15u, MASK_SIDE);
    j->kernel_width = MIN2(state[0] >> 4, MASK_SIDE);
    for (unsigned i = 0; i < MASK_SIDE; i++)
        memcpy(&j->mask[i], state + 2 + i * 2, 2);
}

struct extremes {
    unsigned min, max;
};

static struct extremes
extremes_at(const struct job *j, int x, int y)
{
    struct extremes e = {0xffff, 0};
    int left = x - (int)j->kernel_width / 2,
        top = y - (int)j->kernel_height / 2;
    bool bits = j->function != MIN_MAX_FILTER;
    for (unsigned row = 0; row < j->kernel_height; row++)
        for (unsigned i = 0; i < j->kernel_width; i++) {
            if (!(j->mask[row] >> i & 1))
                continue;
            unsigned v = bits ? bit_at(j, left + (int)i, top + (int)row)
                              : pixel_at(j, left + (int)i, top + (int)row);
            e.min = MIN2(e.min, v);
            e.max = MAX2(e.max, v);
        }
    return e;
}

/* A bit for each pixel; rows are 64 bits apart, however wide. */
static void
answer_bits(const struct job *j)
{
    for (unsigned y = 0; y < j->height; y++)
        for (unsigned x = 0; x < j->width; x += 8) {
            uint8_t byte = 0;
            for (unsigned i = 0; i < 8; i++) {
                struct extremes e = extremes_at(j, j->x + (int)(x + i),
                                                j->y + (int)y);
                bool v = j->function == ERODE ? e.min : e.max;
                byte |= (uint8_t)(v << i);
            }
            put_bytes(j, y * 8 + x / 8, &byte, 1);
        }
}

static void
answer_extremes(const struct job *j)
{
    unsigned at_B = 0, size_B = j->bytes ? 1 : 2;
    for (unsigned y = 0; y < j->height; y++)
        for (unsigned x = 0; x < j->width; x++) {
            struct extremes e = extremes_at(j, j->x + (int)x, j->y + (int)y);
            if (j->values != ONLY_MIN) {
                put_bytes(j, at_B, &(uint16_t){(uint16_t)e.max}, size_B);
                at_B += size_B;
            }
            if (j->values != ONLY_MAX) {
                put_bytes(j, at_B, &(uint16_t){(uint16_t)e.min}, size_B);
                at_B += size_B;
            }
        }
}

/* ---- convolution --------------------------------------------------------- */

/* 16 bits, or 8 of them with their sign. */
static int
coefficient_at(const uint8_t *state, unsigned column, unsigned row)
{
    int16_t c;
    unsigned group = row + (column / 16) * CONVOLVE_SIDE;
    memcpy(&c, state + COEFFICIENTS_B + group * 32 + column % 16 * 2, 2);
    return state[1] & 0x10 ? c : (int8_t)c;
}

static int
convolved_at(const struct job *j, const uint8_t *state, int x, int y)
{
    int64_t sum = 0;
    int left = x - (int)j->kernel_width / 2,
        top = y - (int)j->kernel_height / 2;
    for (unsigned row = 0; row < j->kernel_height; row++)
        for (unsigned i = 0; i < j->kernel_width; i++)
            sum += (int64_t)coefficient_at(state, i, row) *
                   (int)pixel_at(j, left + (int)i, top + (int)row);
    sum >>= state[1] & 15;
    return (int)CLAMP(sum, INT16_MIN, INT16_MAX);
}

/* DW0: height 3:0 and 16, width 7:4 and 20, shift 11:8, 16-bit coefficients 12.
 */
static void
answer_convolved(struct job *j, const uint8_t *state)
{
    j->kernel_height = (state[0] & 15u) | (state[2] & 1u) << 4;
    j->kernel_width = (unsigned)state[0] >> 4 | (state[2] & 0x10u);
    for (unsigned y = 0; y < j->height; y++)
        for (unsigned x = 0; x < j->width; x++) {
            int16_t v = (int16_t)convolved_at(j, state, j->x + (int)x,
                                              j->y + (int)y);
            put_bytes(j, (y * j->width + x) * 2, &v, 2);
        }
}

/* ---- messages ------------------------------------------------------------ */

/* Normalized, of the first pixel. */
static int
pixel_place(uint32_t bits, unsigned size)
{
    float f;
    memcpy(&f, &bits, 4);
    f *= (float)size;
    if (!(f > -PLACE_MAX))
        return -PLACE_MAX;
    return f < PLACE_MAX ? (int)lrintf(f) : PLACE_MAX;
}

static bool
set_shape(struct job *j)
{
    static const struct {
        uint8_t width, height;
    } bits[4] = {{64, 4}, {32, 4}, {64, 1}, {32, 1}},
      values[4] = {{16, 4}, {0, 0}, {16, 1}, {1, 1}};
    bool of_bits = j->function == ERODE || j->function == DILATE;
    j->width = of_bits ? bits[j->mode].width : values[j->mode].width;
    j->height = of_bits ? bits[j->mode].height : values[j->mode].height;
    if (!j->width || (j->function == CONVOLVE && j->width == 1)) {
        guest_error("sample_8x8, function %u, with mode %u", j->function,
                    j->mode);
        return false;
    }
    if (of_bits == j->s.is_boolean)
        return true;
    guest_error("sample_8x8, function %u, on a surface of %s", j->function,
                j->s.is_boolean ? "bits" : "pixels");
    return false;
}

static void
run_job(struct job *j, const uint8_t *state)
{
    if (j->function == CONVOLVE) {
        answer_convolved(j, state);
        return;
    }
    read_mask(j, state);
    if (j->function == MIN_MAX_FILTER)
        answer_extremes(j);
    else
        answer_bits(j);
}

void
analytics_message(struct thread_env *env, const struct eu_message *m,
                  const uint32_t *header, const uint32_t *m1,
                  uint32_t sampler_table)
{
    const struct shader_stage *stage = env->stage;
    struct job j = {.m = m,
                    .function = bits_get(m1[7], 28, 31),
                    .mode = bits_get(m1[7], 25, 26),
                    .values = bits_get(m1[7], 23, 24),
                    .bytes = header && bits_get(header[2], 18, 19) >= 2};
    uint8_t state[CONVOLVE_STATE_B];
    bool convolve = j.function == CONVOLVE;
    memset(m->dst, 0, m->rlen_grf * 32u);
    if (!convolve && (j.function < MIN_MAX_FILTER || j.function > DILATE)) {
        unimp("sample_8x8 with function %u: no manual has its reply",
              j.function);
        return;
    }
    if (!media_surface_find(stage, m->desc & 0xff, &j.s) || !set_shape(&j))
        return;
    j.channel = j.s.channel[1].exists ? 1 : 0;
    j.x = pixel_place(m1[2], j.s.width);
    j.y = pixel_place(m1[3], j.s.height);
    memcpy(state,
           vm_ptr(stage->vm, stage->dynamic_base_va + sampler_table +
                                 bits_get(m->desc, 8, 11) *
                                     (convolve ? CONVOLVE_STATE_STEP_B
                                               : MASK_STATE_STEP_B)),
           convolve ? CONVOLVE_STATE_B : MASK_STATE_STEP_B);
    run_job(&j, state);
}
