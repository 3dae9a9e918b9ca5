/* row_simd.h: rows of threads straight from a tile's list of blocks, with what
 * plane_simd.h brings. What planes have of the tile's columns is computed once
 * and found again in every row of blocks. */

static void
columns_of_tile(struct row_fill *f, unsigned n, const struct plane *p,
                enum part_kind kind)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 0, 1, 2, 3, 2, 3);
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        f64x4 x = centres(f->tile_x + (int32_t)i * 4, f->weights->ref_x);
        f64x4 v = p->c + p->dx * x;
        if (kind == PART_COLUMNS) {
            f32x8 floats = spread(v, lanes);
            memcpy(f->column[n][i], &floats, sizeof floats);
        } else {
            eight c = columns_of(v);
            memcpy(f->column[n][i], &c, sizeof c);
        }
    }
}

static void
begin_rows(struct row_fill *f)
{
    const struct run_weights *in = f->weights;
    struct weigher w = {.b1 = in->b1,
                        .b2 = in->b2,
                        .q = in->q,
                        .ref_x = in->ref_x,
                        .ref_y = in->ref_y};
    find_kinds(&w);
    f->kind[0] = (uint8_t)w.p1.kind;
    f->kind[1] = (uint8_t)w.p2.kind;
    columns_of_tile(f, 0, in->b1, w.p1.kind);
    columns_of_tile(f, 1, in->b2, w.p2.kind);
    if (in->q)
        columns_of_tile(f, 2, in->q, PART_ANY);
}

static inline void
column_floats(const struct parts *t, const double column[8], f32x8 out[2])
{
    if (t->kind == PART_ROWS) {
        out[0] = t->floats[0];
        out[1] = t->floats[1];
    } else if (t->kind == PART_COLUMNS) {
        memcpy(&out[0], column, sizeof out[0]);
        out[1] = out[0];
    } else {
        eight c;
        memcpy(&c, column, sizeof c);
        out[0] = eight_to_floats(eight_add(c, t->rows[0]));
        out[1] = eight_to_floats(eight_add(c, t->rows[1]));
    }
}

static inline void
column_divided(const struct weigher *w, const struct row_fill *f, unsigned i,
               float out[32])
{
    eight c1, c2, cq;
    memcpy(&c1, f->column[0][i], sizeof c1);
    memcpy(&c2, f->column[1][i], sizeof c2);
    memcpy(&cq, f->column[2][i], sizeof cq);
    for (unsigned k = 0; k < 2; k++) {
        eight over = eight_over(eight_add(cq, w->pq.rows[k]));
        eight v1 = eight_mul(eight_add(c1, w->p1.rows[k]), over);
        eight v2 = eight_mul(eight_add(c2, w->p2.rows[k]), over);
        store_floats(&out[k * 16], eight_to_floats(v1), eight_to_floats(v2));
    }
}

static inline void
begin_rows_at(struct weigher *w, int32_t y_px)
{
    f64x4 y = centres(y_px, w->ref_y);
    begin_row(&w->p1, w->b1, y);
    begin_row(&w->p2, w->b2, y);
    if (w->q)
        parts_of_rows(&w->pq, w->q, y);
}

static inline void
weigh_column(const struct weigher *w, const struct row_fill *f, unsigned i,
             float out[32])
{
    f32x8 v1[2], v2[2];
    if (w->q) {
        column_divided(w, f, i, out);
        return;
    }
    column_floats(&w->p1, f->column[0][i], v1);
    column_floats(&w->p2, f->column[1][i], v2);
    store_floats(out, v1[0], v2[0]);
    store_floats(out + 16, v1[1], v2[1]);
}

/* With kinds and a divisor that compilers see. */
static inline __attribute__((always_inline)) unsigned
fill_rows_with(struct row_fill *f, struct eu_row *row, unsigned room,
               struct weigher w)
{
    const struct cover_block *block = f->block;
    const uint16_t *lits = f->lit;
    const uint64_t *x_B = f->x_B, *y_B = f->y_B;
    uint16_t *rest = f->rest;
    const unsigned count = f->count, lines = f->lines;
    const uint32_t always = f->vector_mask ? 0xffff : 0, step_B = f->step_B;
    const bool some = f->some;
    struct eu_row *to = row, *end = row + room;
    unsigned n = f->next, y = UINT32_MAX, pixels = 0, left = 0;
    uint8_t *mem = NULL;
    for (; n < count && to != end; n++) {
        const struct cover_block b = block[n];
        const uint16_t lit = lits ? lits[n] : b.mask;
        bool takes = lit == 0xffff || (lit && some);
        rest[n] = takes ? 0 : lit;
        if (!takes) {
            left |= lit;
            continue;
        }
        pixels += lit == 0xffff ? 16 : (unsigned)_mm_popcnt_u32(lit);
        if (b.y != y) {
            y = b.y;
            begin_rows_at(&w, f->tile_y + b.y);
            mem = f->mem + y_B[y];
        }
        weigh_column(&w, f, b.x / 4u, (float *)(void *)to->payload);
        to->caught = mem + x_B[b.x];
        for (unsigned i = 0; i < lines; i++)
            __builtin_prefetch(to->caught + i * step_B, 1);
        put_masks(to, lit, 0xffff, lit | always);
        to++;
    }
    f->next = n;
    f->pixels += pixels;
    f->left |= left;
    if (to != row)
        to[-1].more = 0;
    return (unsigned)(to - row);
}

static unsigned
fill_rows(struct row_fill *f, struct eu_row *row, unsigned room)
{
    const struct plane p1 = *f->weights->b1, p2 = *f->weights->b2;
    struct weigher w = {.b1 = &p1,
                        .b2 = &p2,
                        .ref_x = f->weights->ref_x,
                        .ref_y = f->weights->ref_y};
    w.p1.kind = f->kind[0];
    w.p2.kind = f->kind[1];
    if (!f->weights->q)
        return fill_rows_with(f, row, room, w);
    const struct plane pq = *f->weights->q;
    w.q = &pq;
    return fill_rows_with(f, row, room, w);
}
