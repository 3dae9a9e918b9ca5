/* row_simd.h: rows of threads straight from a tile's list of blocks, with what
 * plane_simd.h brings. What planes have of the tile's columns is computed once
 * and found again in every row of blocks; and likewise what they have of four
 * rows, for squares of sixteen blocks, of which most large lists consist. */

static void
columns_of_tile(struct row_fill *f, unsigned n, const struct plane *p,
                enum part_kind kind)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 0, 1, 2, 3, 2, 3);
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        f64x4 x = centres(f->to.tile_x + (int32_t)i * 4, f->weights->ref_x);
        f64x4 v = p->c + p->dx * x;
        if (kind == PART_COLUMNS) {
            f32x8 floats = spread(v, lanes);
            memcpy(f->parts->column[n][i], &floats, sizeof floats);
        } else {
            store_eight(f->parts->column[n][i], columns_of(v));
        }
    }
}

static void
begin_rows(struct row_fill *f)
{
    const struct run_weights *in = f->weights;
    memset(f->rest, 0, f->count * sizeof *f->rest);
    if (!in)
        return;
    struct weigher w = weigher_of(in);
    find_kinds(&w);
    f->parts->kind[0] = (uint8_t)w.p1.kind;
    f->parts->kind[1] = (uint8_t)w.p2.kind;
    f->parts->squares_y = UINT8_MAX;
    columns_of_tile(f, 0, in->b1, w.p1.kind);
    columns_of_tile(f, 1, in->b2, w.p2.kind);
    if (in->q)
        columns_of_tile(f, 2, in->q, PART_ANY);
}

static inline void
column_floats(const struct parts *t, enum part_kind kind,
              const double column[8], f32x8 out[2])
{
    if (kind == PART_ROWS) {
        out[0] = t->floats[0];
        out[1] = t->floats[1];
    } else if (kind == PART_COLUMNS) {
        memcpy(&out[0], column, sizeof out[0]);
        out[1] = out[0];
    } else {
        eight c = load_eight(column);
        out[0] = eight_to_floats(eight_add(c, t->rows[0]));
        out[1] = eight_to_floats(eight_add(c, t->rows[1]));
    }
}

static inline void
column_divided(const struct weigher *w, const struct row_fill *f, unsigned i,
               float out[32])
{
    eight c1 = load_eight(f->parts->column[0][i]);
    eight c2 = load_eight(f->parts->column[1][i]);
    eight cq = load_eight(f->parts->column[2][i]);
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

/* Blocks side by side of which the same lanes are lit. */
struct row_run {
    const struct cover_block *block;
    unsigned count;
    uint16_t lit;
    uint32_t mask; /* that their threads begin with */
    uint8_t *mem;  /* of column 0 */
};

/* What compilers see of a list's planes. */
struct row_kinds {
    enum part_kind k1, k2;
    bool divides;
};

#define SQUARE_BLOCKS (ROW_SQUARE * ROW_SQUARE)
#define ROW_INLINE static inline __attribute__((always_inline))

/* Where the colours of a block in column x go, and its masks; mem: of column 0.
 */
ROW_INLINE void
end_row(const struct target_places *to, uint8_t *mem, unsigned x, __m256i masks,
        struct eu_row *row)
{
    mem += to->x_B[x];
    for (unsigned k = 0; k < to->lines; k++)
        __builtin_prefetch(mem + k * to->step_B, 1);
    put_masks(row, mem, masks);
}

/* A block in column x of w's row. */
ROW_INLINE void
fill_block(const struct row_fill *f, const struct weigher *w,
           struct row_kinds kinds, unsigned x, uint8_t *mem, __m256i masks,
           struct eu_row *to)
{
    float *out = (float *)(void *)to->payload;
    if (kinds.divides) {
        column_divided(w, f, x / 4, out);
    } else {
        f32x8 v1[2], v2[2];
        column_floats(&w->p1, kinds.k1, f->parts->column[0][x / 4], v1);
        column_floats(&w->p2, kinds.k2, f->parts->column[1][x / 4], v2);
        store_floats(out, v1[0], v2[0]);
        store_floats(out + 16, v1[1], v2[1]);
    }
    end_row(&f->to, mem, x, masks, to);
}

ROW_INLINE void
fill_run(const struct row_fill *fill, const struct weigher *w,
         struct row_kinds kinds, struct row_run run, struct eu_row *to)
{
    const struct row_fill f = *fill;
    const struct weigher at = *w;
    const __m256i masks = row_masks(run.lit, 0xffff, run.mask);
    for (unsigned i = 0; i < run.count; i++)
        fill_block(&f, &at, kinds, run.block[i].x, run.mem, masks, &to[i]);
}

/* The same of threads that have positions. */
static inline void
place_run(const struct row_fill *f, struct row_run run, struct eu_row *to)
{
    const int32_t tile_x = f->to.tile_x, tile_y = f->to.tile_y;
    const __m256i masks = row_masks(run.lit, 0xffff, run.mask);
    for (unsigned i = 0; i < run.count; i++, to++) {
        const struct cover_block b = run.block[i];
        plane_positions(tile_x + b.x, tile_y + b.y, run.lit,
                        (uint32_t *)(void *)to->payload);
        memcpy(to->payload + PLANE_GRF_B, f->begin + PLANE_GRF_B,
               sizeof to->payload - PLANE_GRF_B);
        end_row(&f->to, run.mem, b.x, masks, to);
    }
}

static inline __m256i
load_256(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

ROW_INLINE void
load_row(struct parts *p, enum part_kind kind, double from[2][8])
{
    for (unsigned i = 0; i < 2; i++) {
        if (kind == PART_ROWS)
            memcpy(&p->floats[i], from[i], sizeof p->floats[i]);
        else
            p->rows[i] = load_eight(from[i]);
    }
}

ROW_INLINE void
store_row(const struct parts *p, double to[2][8])
{
    for (unsigned i = 0; i < 2; i++) {
        if (p->kind == PART_ROWS)
            memcpy(to[i], &p->floats[i], sizeof p->floats[i]);
        else if (p->kind == PART_ANY)
            store_eight(to[i], p->rows[i]);
    }
}

/* What planes have of the rows of squares at y. */
static void
rows_of_squares(struct row_fill *f, struct weigher *w, unsigned y)
{
    for (unsigned i = 0; i < ROW_SQUARE; i++) {
        begin_rows_at(w, f->to.tile_y + (int32_t)(y + i * 4));
        store_row(&w->p1, f->parts->row[0][i]);
        store_row(&w->p2, f->parts->row[1][i]);
        if (w->q)
            store_row(&w->pq, f->parts->row[2][i]);
    }
    f->parts->squares_y = (uint8_t)y;
}

/* Sixteen blocks that are lit as a whole, of which this is the first. */
ROW_INLINE void
fill_square(const struct row_fill *fill, struct row_kinds kinds,
            struct cover_block first, struct eu_row *to)
{
    const struct row_fill f = *fill;
    const __m256i masks = row_masks(0xffff, 0xffff, 0xffff);
    for (unsigned i = 0; i < ROW_SQUARE; i++, to += ROW_SQUARE) {
        struct weigher w;
        uint8_t *mem = f.to.mem + f.to.y_B[first.y + i * 4];
        load_row(&w.p1, kinds.k1, f.parts->row[0][i]);
        load_row(&w.p2, kinds.k2, f.parts->row[1][i]);
        if (kinds.divides)
            load_row(&w.pq, PART_ANY, f.parts->row[2][i]);
        for (unsigned k = 0; k < ROW_SQUARE; k++)
            fill_block(&f, &w, kinds, first.x + k * 4, mem, masks, &to[k]);
    }
}

/* run.count 0: a square. */
ROW_INLINE void
fill_any(const struct row_fill *f, const struct weigher *w,
         struct row_kinds kinds, struct row_run run, struct eu_row *to)
{
    if (run.count)
        fill_run(f, w, kinds, run, to);
    else
        fill_square(f, kinds, *run.block, to);
}

static inline void
fill_by_kind(const struct row_fill *f, const struct weigher *w,
             struct row_run run, struct eu_row *to)
{
    enum { DIVIDED = 9 };
    if (!f->weights) {
        place_run(f, run, to);
        return;
    }
    switch (w->q ? DIVIDED : w->p1.kind * 3 + w->p2.kind) {
#define CASE(a, b)                                                \
    case a * 3 + b:                                               \
        fill_any(f, w, (struct row_kinds){a, b, false}, run, to); \
        break;
        CASE(PART_ANY, PART_ANY)
        CASE(PART_ANY, PART_COLUMNS)
        CASE(PART_ANY, PART_ROWS)
        CASE(PART_COLUMNS, PART_ANY)
        CASE(PART_COLUMNS, PART_COLUMNS)
        CASE(PART_COLUMNS, PART_ROWS)
        CASE(PART_ROWS, PART_ANY)
        CASE(PART_ROWS, PART_COLUMNS)
        CASE(PART_ROWS, PART_ROWS)
#undef CASE
    default:
        fill_any(f, w, (struct row_kinds){PART_ANY, PART_ANY, true}, run, to);
        break;
    }
}

/* Whether sixteen blocks from the list's n-th on are a square, as
 * cover_simd.h's add_square() puts them there, and lit as a whole. */
static inline bool
is_square(const struct row_fill *f, unsigned n)
{
    const __m256i all = _mm256_set1_epi32(-1);
    const __m256i upper = _mm256_setr_epi32(0, 4, 8, 12, 0x400, 0x404, 0x408,
                                            0x40c);
    const __m256i lower = _mm256_add_epi32(upper, _mm256_set1_epi32(0x800));
    uint32_t block;
    if (f->count - n < SQUARE_BLOCKS || f->block[n].mask != 0xffff)
        return false;
    memcpy(&block, &f->block[n], sizeof block);
    __m256i first = _mm256_set1_epi32((int)block), differs, lit = all;
    differs = _mm256_or_si256(
        _mm256_xor_si256(load_256(&f->block[n]),
                         _mm256_add_epi32(first, upper)),
        _mm256_xor_si256(load_256(&f->block[n + SQUARE_BLOCKS / 2]),
                         _mm256_add_epi32(first, lower)));
    if (f->lit)
        lit = load_256(&f->lit[n]);
    return _mm256_testz_si256(differs, differs) && _mm256_testc_si256(lit, all);
}

static inline void
take_square(struct row_fill *f, struct weigher *w, struct eu_row *row)
{
    const struct cover_block *first = &f->block[f->next];
    if (f->parts->squares_y != first->y)
        rows_of_squares(f, w, first->y);
    fill_by_kind(f, w, (struct row_run){.block = first}, row);
    f->pixels += SQUARE_BLOCKS * 16;
    f->next += SQUARE_BLOCKS;
}

/* How many blocks from the list's n-th on are lit as a whole and lie in its
 * row, at most `most`. */
static inline unsigned
count_whole(const struct row_fill *f, unsigned n, unsigned most)
{
    const struct cover_block *b = &f->block[n];
    const uint16_t *lit = f->lit ? f->lit + n : NULL;
    unsigned i = 1;
    while (i < most && b[i].y == b->y && (lit ? lit[i] : b[i].mask) == 0xffff)
        i++;
    return i;
}

static unsigned
fill_rows(struct row_fill *f, struct eu_row *row, unsigned room)
{
    const struct run_weights none = {.grf = 0};
    struct weigher w = weigher_of(f->weights ? f->weights : &none);
    if (f->weights) {
        w.p1.kind = f->parts->kind[0];
        w.p2.kind = f->parts->kind[1];
    }
    unsigned y = UINT32_MAX, rows = 0;
    uint8_t *mem = NULL;
    while (f->next < f->count && rows < room) {
        unsigned n = f->next;
        const struct cover_block b = f->block[n];
        uint16_t lit = f->lit ? f->lit[n] : b.mask;
        bool takes = lit == 0xffff || (lit && f->some);
        if (f->weights && is_square(f, n)) {
            if (room - rows < SQUARE_BLOCKS)
                break;
            take_square(f, &w, &row[rows]);
            rows += SQUARE_BLOCKS;
            y = UINT32_MAX;
            continue;
        }
        f->next++;
        if (!takes) {
            f->rest[n] = lit;
            f->left |= lit;
            continue;
        }
        if (b.y != y) {
            y = b.y;
            if (f->weights)
                begin_rows_at(&w, f->to.tile_y + b.y);
            mem = f->to.mem + f->to.y_B[y];
        }
        struct row_run run = {&f->block[n], 1, lit,
                              f->vector_mask ? 0xffff : lit, mem};
        if (lit == 0xffff)
            run.count = count_whole(f, n, MIN2(f->count - n, room - rows));
        fill_by_kind(f, &w, run, &row[rows]);
        f->pixels += run.count * (unsigned)_mm_popcnt_u32(lit);
        f->next = n + run.count;
        rows += run.count;
    }
    if (rows)
        row[rows - 1].more = 0;
    return rows;
}
