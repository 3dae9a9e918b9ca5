/* tile_centres.h: weights of single blocks; a part of interpolate_simd.h. Pixel
 * centres come from tables of the tile, in lane order: computing them would
 * take as long as the rest. Reference points are whole subpixels, so that sums
 * of coordinates are exact in any order. */

/* The tables for the threads' tile. */
static inline const struct tile_centres *
find_centres(const struct thread_run *r)
{
    struct tile_centres *c = r->centres;
    const int32_t x = r->to.tile_x, y = r->to.tile_y;
    if (c->x_px != x) {
        for (int32_t i = 0; i < ROW_COLUMNS; i++)
            store_eight(c->x[i], columns_of(centres(x + i * 4, 0)));
    }
    if (c->y_px != y) {
        for (int32_t i = 0; i < 2 * ROW_COLUMNS; i++) {
            const double upper = y + i * 2 + 0.5;
            const f64x4 quad = {upper, upper, upper + 1, upper + 1};
            memcpy(c->y[i / 2][i % 2], &quad, sizeof quad);
        }
    }
    c->x_px = x;
    c->y_px = y;
    return c;
}

struct lane_places {
    eight x, y[2]; /* upper and lower quads */
};

static inline struct lane_places
places_in_block(const struct tile_centres *c, const struct batch_block *b,
                double ref_x, double ref_y)
{
    unsigned column = (unsigned)b->x % COVER_TILE_PX / 4;
    unsigned row = (unsigned)b->y % COVER_TILE_PX / 4;
    return (struct lane_places){eight_plus(load_eight(c->x[column]), -ref_x),
                                {eight_plus(load_twice(c->y[row][0]), -ref_y),
                                 eight_plus(load_twice(c->y[row][1]), -ref_y)}};
}

static inline void
plane_at_places(const struct plane *p, const struct lane_places *at,
                eight out[2])
{
    eight c = eight_plus(eight_times(at->x, p->dx), p->c);
    for (unsigned i = 0; i < 2; i++)
        out[i] = eight_add(c, eight_times(at->y[i], p->dy));
}

static inline void
weigh_alone(const struct weigher *w, const struct tile_centres *c,
            const struct batch_block *block, float out[32])
{
    const struct lane_places at = places_in_block(c, block, w->ref_x, w->ref_y);
    eight v1[2], v2[2], q[2];
    plane_at_places(w->b1, &at, v1);
    plane_at_places(w->b2, &at, v2);
    if (w->q)
        plane_at_places(w->q, &at, q);
    for (unsigned i = 0; i < 2; i++) {
        if (w->q) {
            eight over = eight_over(q[i]);
            v1[i] = eight_mul(v1[i], over);
            v2[i] = eight_mul(v2[i], over);
        }
    }
    store_floats(out, eight_to_floats(v1[0]), eight_to_floats(v1[1]));
    store_floats(out + 16, eight_to_floats(v2[0]), eight_to_floats(v2[1]));
}
