/* interpolate_quads.h: planes at scattered quads; a part of interpolate_simd.h,
 * which declares its helpers. */

/* Places of eight of the sixteen lanes. */
struct places {
    eight x, y;
};

static inline f64x4
four_of(double v)
{
    return (f64x4){v, v, v, v};
}

static inline void
find_places(struct places *p, const struct lane_quads *at, unsigned half)
{
    const f64x4 in_x = {0.5, 1.5, 0.5, 1.5}, in_y = {0.5, 0.5, 1.5, 1.5};
    p->x = eight_of(four_of(at->x[2 * half]) + in_x,
                    four_of(at->x[2 * half + 1]) + in_x);
    p->y = eight_of(four_of(at->y[2 * half]) + in_y,
                    four_of(at->y[2 * half + 1]) + in_y);
}

static inline eight
planes_at(const struct plane *p, const struct places *at)
{
    const f64x4 c = four_of(p->c), dx = four_of(p->dx), dy = four_of(p->dy);
    eight v = eight_add(eight_of(c, c), eight_mul(eight_of(dx, dx), at->x));
    return eight_add(v, eight_mul(eight_of(dy, dy), at->y));
}

static inline void
weights_of(const struct plane *b1, const struct plane *b2,
           const struct plane *q, const struct lane_quads *at, unsigned count,
           float (*out)[32])
{
    for (unsigned n = 0; n < count; n++) {
        for (unsigned half = 0; half < 2; half++) {
            struct places p;
            find_places(&p, &at[n], half);
            eight v1 = planes_at(b1, &p), v2 = planes_at(b2, &p);
            if (q) {
                eight over = eight_over(planes_at(q, &p));
                v1 = eight_mul(v1, over);
                v2 = eight_mul(v2, over);
            }
            store_floats(&out[n][half * 16], eight_to_floats(v1),
                         eight_to_floats(v2));
        }
    }
}

static void
weights(const struct plane *b1, const struct plane *b2, const struct plane *q,
        const struct lane_quads *at, unsigned count, float (*out)[32])
{
    const struct plane p1 = *b1, p2 = *b2;
    if (q) {
        const struct plane pq = *q;
        weights_of(&p1, &p2, &pq, at, count, out);
    } else {
        weights_of(&p1, &p2, NULL, at, count, out);
    }
}

static void
value(const struct plane *plane, bool invert, const struct lane_quads *at,
      unsigned count, float (*out)[16])
{
    const struct plane copy = *plane;
    for (unsigned n = 0; n < count; n++) {
        f32x8 v[2];
        for (unsigned half = 0; half < 2; half++) {
            struct places p;
            find_places(&p, &at[n], half);
            eight d = planes_at(&copy, &p);
            v[half] = eight_to_floats(invert ? eight_over(d) : d);
        }
        store_floats(out[n], v[0], v[1]);
    }
}
