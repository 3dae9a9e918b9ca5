/* test_analytics.c: video analytics functions of sample_8x8 against a model
 * that goes over pictures by itself: random kernels, masks, shifts and places,
 * on surfaces of 8, 16 and 1 bit. */
#include "rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "engine/msg/media_sampler/media_sampler.h"
#include "engine/state/stage_cache.h"

#define TABLE_VA (RIG_VA + 0x1000)
#define SURFACE_B 0x2000u
#define STATE_B 0x3000u
#define PICTURE_B 0x10000u
#define PITCH_B 256u
#define W 96
#define H 40
#define MESSAGES 300

enum { CONVOLVE = 1, MIN_MAX = 2, FILTER = 3, ERODE = 4, DILATE = 5 };
enum { Y8_VA = 5, Y16_VA = 7, Y1 = 16 };

static struct rig rig;
static struct stage_cache cache;
static struct shader_stage stage;
static struct thread_env env;
static uint32_t payload[2][8], answer[8][8];

static void
set_up(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9});
    stage_cache_init(&cache, NULL);
    stage = (struct shader_stage){.kind = STAGE_CS,
                                  .enabled = true,
                                  .gen = 9,
                                  .vm = rig.vm,
                                  .surface_base_va = RIG_VA,
                                  .dynamic_base_va = RIG_VA,
                                  .binding_table_offset = 0x1000,
                                  .sampler_offset = STATE_B,
                                  .cache = &cache};
    env = (struct thread_env){.stage = &stage, .vm = rig.vm};
    *rig_dw(&rig, TABLE_VA) = SURFACE_B;
    srand(11);
    for (unsigned i = 0; i < PITCH_B * H; i++)
        rig.mem[PICTURE_B + i] = (uint8_t)(rand() >> 4);
}

static void
tear_down(void)
{
    stage_cache_finish(&cache);
    rig_finish(&rig);
}

TestSuite(analytics, .init = set_up, .fini = tear_down);

/* ---- the model ---- */

static int
pixel(unsigned format, int x, int y)
{
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    y = y < 0 ? 0 : y >= H ? H - 1 : y;
    const uint8_t *row = rig.mem + PICTURE_B + (unsigned)y * PITCH_B;
    if (format == Y16_VA)
        return row[x * 2] | row[x * 2 + 1] << 8;
    return format == Y8_VA ? row[x] : row[x / 8] >> x % 8 & 1;
}

static void
put_surface(unsigned format)
{
    uint32_t *dw = rig_dw(&rig, RIG_VA + SURFACE_B);
    memset(dw, 0, 32);
    dw[1] = (W - 1) << 4 | (H - 1) << 18;
    dw[2] = format << 27 | (PITCH_B - 1) << 3;
    dw[6] = (uint32_t)(RIG_VA + PICTURE_B);
}

static uint32_t
bits_of(float f)
{
    uint32_t dw;
    memcpy(&dw, &f, 4);
    return dw;
}

static void
send(unsigned function, unsigned mode, unsigned values, bool bytes, int x,
     int y)
{
    memset(payload, 0, sizeof payload);
    memset(answer, 0xcc, sizeof answer);
    payload[0][2] = bytes ? 2u << 18 : 0;
    payload[0][3] = STATE_B;
    payload[1][2] = bits_of((float)x / W);
    payload[1][3] = bits_of((float)y / H);
    payload[1][7] = function << 28 | mode << 25 | values << 23;
    struct eu_message m = {.header = true,
                           .mlen_grf = 2,
                           .rlen_grf = 8,
                           .desc = 11u << 12 | 3u << 17,
                           .src0 = payload[0],
                           .dst = answer[0]};
    cr_assert_eq(media_sampler_message(&env, &m, payload[0]), EU_MSG_OK);
}

struct kernel {
    int width, height;
    uint16_t rows[15];
};

/* Writes a state with a random kernel. */
static struct kernel
put_mask(void)
{
    struct kernel k = {1 + rand() % 15, 1 + rand() % 15, {0}};
    uint8_t *state = rig.mem + STATE_B;
    state[0] = (uint8_t)(k.width << 4 | k.height);
    state[1] = 0;
    for (int i = 0; i < 15; i++)
        k.rows[i] = (uint16_t)(rand() & rand());
    k.rows[0] |= 1;
    memcpy(state + 2, k.rows, sizeof k.rows);
    return k;
}

static void
model(unsigned format, const struct kernel *k, int x, int y, int *min, int *max)
{
    *min = 1 << 30;
    *max = 0;
    for (int j = 0; j < k->height; j++)
        for (int i = 0; i < k->width; i++)
            if (k->rows[j] >> i & 1) {
                int v = pixel(format, x + i - k->width / 2,
                              y + j - k->height / 2);
                *min = v < *min ? v : *min;
                *max = v > *max ? v : *max;
            }
}

/* ------------------------------------------------------------------------ */

Test(analytics, erosion_and_dilation)
{
    static const int width[] = {64, 32, 64, 32}, height[] = {4, 4, 1, 1};
    put_surface(Y1);
    for (unsigned n = 0; n < MESSAGES; n++) {
        struct kernel k = put_mask();
        unsigned mode = n % 4, function = n / 4 % 2 ? ERODE : DILATE;
        int x0 = rand() % (W + 40) - 20, y0 = rand() % (H + 20) - 10;
        send(function, mode, 3, false, x0, y0);
        for (int i = 0; i < width[mode] * height[mode]; i++) {
            int x = i % width[mode], y = i / width[mode], min, max;
            model(Y1, &k, x0 + x, y0 + y, &min, &max);
            cr_assert_eq(answer[0][y * 2 + x / 32] >> x % 32 & 1,
                         (unsigned)(function == ERODE ? min : max),
                         "message %u, pixel %d, %d", n, x, y);
        }
    }
}

Test(analytics, minimum_and_maximum)
{
    for (unsigned n = 0; n < MESSAGES; n++) {
        unsigned format = n % 2 ? Y8_VA : Y16_VA, values = n / 2 % 3;
        bool bytes = format == Y8_VA && n / 6 % 2;
        static const unsigned modes[] = {0, 2, 3};
        unsigned mode = modes[n / 12 % 3], at = 0;
        int x0 = rand() % (W + 20) - 10, y0 = rand() % (H + 20) - 10;
        put_surface(format);
        struct kernel k = put_mask();
        send(FILTER, mode, values, bytes, x0, y0);
        for (int i = 0; i < (mode == 0 ? 64 : mode == 2 ? 16 : 1); i++) {
            int want[2];
            model(format, &k, x0 + i % 16, y0 + i / 16, &want[1], &want[0]);
            for (unsigned w = values == 2; w < (values == 1 ? 1u : 2u); w++) {
                const void *words = answer;
                int got = bytes ? ((const uint8_t *)words)[at]
                                : ((const uint16_t *)words)[at];
                cr_assert_eq(got, want[w], "message %u, value %u: %d, %d", n,
                             at, got, want[w]);
                at++;
            }
        }
    }
}

/* Where a coefficient is: 31 rows of columns below 16, then the others. */
static uint8_t *
coefficient(int column, int row)
{
    return rig.mem + STATE_B + 64 + (column / 16 * 31 + row) * 32 +
           column % 16 * 2;
}

Test(analytics, convolution)
{
    for (unsigned n = 0; n < MESSAGES; n++) {
        unsigned format = n % 2 ? Y8_VA : Y16_VA, shift = (unsigned)rand() % 16;
        int width = 1 + rand() % 31, height = 1 + rand() % 31;
        int x0 = rand() % (W + 20) - 10, y0 = rand() % (H + 20) - 10;
        bool wide = n / 2 % 2, row = n / 4 % 2;
        uint8_t *state = rig.mem + STATE_B;
        static int c[31][31];
        put_surface(format);
        state[0] = (uint8_t)((width & 15) << 4 | (height & 15));
        state[1] = (uint8_t)(shift | (wide ? 0x10 : 0));
        state[2] = (uint8_t)((width & 16) | height >> 4);
        for (int j = 0; j < 31; j++)
            for (int i = 0; i < 31; i++) {
                c[j][i] = wide ? (int16_t)rand() : (int8_t)rand();
                int16_t v = (int16_t)c[j][i];
                memcpy(coefficient(i, j), &v, 2);
            }
        send(CONVOLVE, row ? 2 : 0, 0, false, x0, y0);
        for (int i = 0; i < (row ? 16 : 64); i++) {
            int64_t sum = 0;
            for (int b = 0; b < height; b++)
                for (int a = 0; a < width; a++)
                    sum += (int64_t)c[b][a] *
                           pixel(format, x0 + i % 16 + a - width / 2,
                                 y0 + i / 16 + b - height / 2);
            sum >>= shift;
            sum = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum;
            cr_assert_eq(((const int16_t *)(const void *)answer)[i], sum,
                         "message %u, pixel %d", n, i);
        }
    }
}

/* What has no reply known to us answers zeros, and so do wrong surfaces. */
Test(analytics, zeros)
{
    static const struct {
        unsigned format, function, mode;
    } none[] = {{Y8_VA, MIN_MAX, 2}, {Y8_VA, 6, 2},     {Y8_VA, 7, 2},
                {Y8_VA, ERODE, 0},   {Y1, CONVOLVE, 0}, {Y8_VA, CONVOLVE, 1},
                {Y8_VA, FILTER, 1},  {6, CONVOLVE, 0}};
    for (unsigned n = 0; n < ARRAY_SIZE(none); n++) {
        put_surface(none[n].format);
        put_mask();
        send(none[n].function, none[n].mode, 0, false, 0, 0);
        for (unsigned i = 0; i < 64; i++)
            cr_assert_eq(answer[i / 8][i % 8], 0, "case %u", n);
    }
}

Test(analytics, hostile_messages_end)
{
    vm_thread_enter(); /* pictures are where nothing is mapped */
    for (unsigned n = 0; n < 2000; n++) {
        put_surface((unsigned)rand() % 20);
        for (unsigned i = 0; i < 3; i++)
            rig_dw(&rig, RIG_VA + SURFACE_B)[rand() % 8] ^= (uint32_t)rand()
                                                            << rand() % 32;
        for (unsigned i = 0; i < 32; i++)
            rig.mem[STATE_B + i] = (uint8_t)rand();
        send(1 + (unsigned)rand() % 7, (unsigned)rand() % 4,
             (unsigned)rand() % 4, rand() & 1, rand() - rand(),
             rand() - rand());
    }
    vm_thread_leave();
}
