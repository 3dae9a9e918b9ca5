/* coverage_line.c: coverage of thin lines: one pixel for each step along the
 * major axis, with the diamond exit rule at the ends (OpenGL 4.6, 14.5.1). */
#include "engine/raster/coverage/coverage.h"
#include "engine/raster/shade/shade.h"

/* A line with major axis u and minor axis v; dv/du from (u0, v0). du > 0: ends
 * are swapped if need be. */
struct stepper {
    int64_t u0, v0, du, dv;
    int64_t start_u, start_v, end_u, end_v; /* in drawing order */
    int dir;
    bool last_pixel, tie_down;
};

static int64_t
floor_div(int64_t n, int64_t d)
{
    int64_t q = n / d;
    return q - (n % d < 0);
}

static void
stepper_init(struct stepper *t, const struct setup *s)
{
    const struct setup_line *l = &s->line;
    t->start_u = l->x_major ? l->x0 : l->y0;
    t->start_v = l->x_major ? l->y0 : l->x0;
    t->end_u = l->x_major ? l->x1 : l->y1;
    t->end_v = l->x_major ? l->y1 : l->x1;
    t->dir = t->end_u > t->start_u ? 1 : -1;
    t->u0 = t->dir > 0 ? t->start_u : t->end_u;
    t->v0 = t->dir > 0 ? t->start_v : t->end_v;
    t->du = (t->end_u - t->start_u) * t->dir;
    t->dv = (t->end_v - t->start_v) * t->dir;
    t->last_pixel = s->last_pixel;
    t->tie_down = !l->x_major;
}

/* Minor coordinate of the pixel at major pixel u. A line exactly between two
 * pixels takes the lower pixel in y and the left pixel in x. This is OpenGL's
 * rule for a window whose rows count upwards. */
static int64_t
stepper_minor(const struct stepper *t, int64_t u)
{
    int64_t c = u * SUBPIXEL + SUBPIXEL / 2;
    int64_t n = t->v0 * t->du + (c - t->u0) * t->dv;
    return floor_div(n - t->tie_down, t->du * SUBPIXEL);
}

static bool
in_diamond(int64_t pu, int64_t pv, int64_t u, int64_t v)
{
    int64_t du = pu - (u * SUBPIXEL + SUBPIXEL / 2);
    int64_t dv = pv - (v * SUBPIXEL + SUBPIXEL / 2);
    return (du < 0 ? -du : du) + (dv < 0 ? -dv : dv) < SUBPIXEL / 2;
}

static bool
stepper_draws(const struct stepper *t, int64_t u, int64_t v)
{
    int64_t c = u * SUBPIXEL + SUBPIXEL / 2;
    int64_t along = (c - t->start_u) * t->dir;
    if (along < 0 && !in_diamond(t->start_u, t->start_v, u, v))
        return false;
    if (in_diamond(t->end_u, t->end_v, u, v))
        return t->last_pixel;
    return along <= t->du;
}

static void
emit_pixel(uint8_t masks[MAX_SAMPLES], unsigned samples, int32_t x, int32_t y)
{
    uint8_t bit = (uint8_t)(1u << ((x & 1) + 2 * (y & 1)));
    for (unsigned i = 0; i < samples; i++)
        masks[i] |= bit;
}

void
cover_line(struct worker *w, const struct setup *s)
{
    int32_t x0 = MAX2(s->x0, w->tile_x), y0 = MAX2(s->y0, w->tile_y);
    int32_t x1 = MIN2(s->x1, w->tile_x + TILE_PX);
    int32_t y1 = MIN2(s->y1, w->tile_y + TILE_PX);
    bool xm = s->line.x_major;
    struct stepper t;
    stepper_init(&t, s);
    int64_t lo = xm ? y0 : x0, hi = xm ? y1 : x1;
    int32_t u1 = xm ? x1 : y1;
    for (int32_t u = (xm ? x0 : y0) & ~1; u < u1; u += 2) {
        /* Two steps: their pixels may share a quad. */
        int64_t v[2];
        bool on[2];
        for (int i = 0; i < 2; i++) {
            v[i] = stepper_minor(&t, u + i);
            on[i] = u + i >= (xm ? x0 : y0) && u + i < u1 && v[i] >= lo &&
                    v[i] < hi && stepper_draws(&t, u + i, v[i]);
        }
        for (int i = 0; i < 2; i++) {
            if (!on[i])
                continue;
            uint8_t m[MAX_SAMPLES] = {0};
            for (int j = i; j < 2; j++) {
                if (!on[j] || v[j] >> 1 != v[i] >> 1)
                    continue;
                int32_t x = xm ? u + j : (int32_t)v[j];
                int32_t y = xm ? (int32_t)v[j] : u + j;
                emit_pixel(m, w->scene->samples, x, y);
                on[j] = j == i;
            }
            int32_t minor = (int32_t)v[i] & ~1;
            quad_emit(w, s, xm ? u : minor, xm ? minor : u, m);
        }
    }
}
