/* chain_fill_tmpl.h: fills chains directly from a tile's list of blocks; a part
 * of interpolate_simd.h's users. Computes a plane's shares of the tile's
 * columns once, and of four rows of blocks when the list reaches them: lists
 * consist of squares of sixteen blocks, one row of squares after the other. */

/* A share that needs no sum: the values of sixteen lanes. */
static inline float *
floats_at(double part[8])
{
    return (float *)(void *)part;
}

static void
columns_of_tile(struct row_fill *f, unsigned n, const struct plane *p,
                enum part_kind kind)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 0, 1, 2, 3, 2, 3);
    if (kind == PART_ROWS)
        return;
    f64x4 x = centres(f->to.tile_x, f->weights->ref_x);
    for (unsigned i = 0; i < ROW_COLUMNS; i++, x += 4) {
        f64x4 v = p->c + p->dx * x;
        if (kind == PART_COLUMNS) {
            f32x8 floats = spread(v, lanes);
            store_floats(floats_at(f->parts->column[n][i]), floats, floats);
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
    f->parts->rows_y = UINT8_MAX;
    columns_of_tile(f, 0, in->b1, w.p1.kind);
    columns_of_tile(f, 1, in->b2, w.p2.kind);
    if (in->q)
        columns_of_tile(f, 2, in->q, PART_ANY);
}

/* Computes a plane's shares of the four rows of blocks from y on. */
static void
rows_of_plane(const struct row_fill *f, unsigned n, const struct plane *p,
              enum part_kind kind, unsigned y)
{
    struct parts t = no_parts();
    t.kind = kind;
    if (kind == PART_COLUMNS)
        return;
    f64x4 at = centres(f->to.tile_y + (int32_t)y, f->weights->ref_y);
    for (unsigned i = 0; i < ROWS_KEPT; i++, at += 4) {
        begin_row(&t, p, at);
        if (kind == PART_ROWS) {
            store_floats(floats_at(f->parts->row[n][i][0]), t.floats[0],
                         t.floats[1]);
            continue;
        }
        for (unsigned half = 0; half < 2; half++)
            store_eight(f->parts->row[n][i][half], t.rows[half]);
    }
}

/* Constants of a list's threads, to specialise loops. weighs: entries have
 * weights, else positions. */
struct row_kinds {
    bool weighs, divides;
    enum part_kind k1, k2;
};

#define SQUARE_BLOCKS (ROWS_KEPT * ROWS_KEPT)
#define ROW_INLINE static inline __attribute__((always_inline))

/* Computes the rows from ROWS_KEPT * i on, unless they are there already. */
static inline void
keep_rows(const struct row_fill *f, unsigned i)
{
    const struct run_weights *in = f->weights;
    struct row_parts *t = f->parts;
    unsigned y = i * ROWS_KEPT * 4;
    if (t->rows_y == y)
        return;
    t->rows_y = (uint8_t)y;
    rows_of_plane(f, 0, in->b1, t->kind[0], y);
    rows_of_plane(f, 1, in->b2, t->kind[1], y);
    if (in->q)
        rows_of_plane(f, 2, in->q, PART_ANY, y);
}

static inline __m256i
load_256(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* Shares of a row of blocks: for any plane, of upper and lower quads; for a
 * plane that depends on y alone, the values. */
struct row_values {
    eight any[3][2];
    const uint8_t *values[2];
};

ROW_INLINE void
load_rows(const struct row_parts *t, struct row_kinds kinds, unsigned y,
          struct row_values *r)
{
    const enum part_kind kind[3] = {kinds.k1, kinds.k2, PART_ANY};
    for (unsigned n = 0; n < (kinds.divides ? 3 : 2); n++) {
        const double(*from)[8] = t->row[n][y % ROWS_KEPT];
        for (unsigned i = 0; kind[n] == PART_ANY && i < 2; i++)
            r->any[n][i] = load_eight(from[i]);
        if (kind[n] == PART_ROWS)
            r->values[n] = (const uint8_t *)from;
    }
}

/* Values of plane n in column x. */
ROW_INLINE void
weigh_plane(const struct row_parts *t, enum part_kind kind, unsigned n,
            size_t x, const struct row_values *r, float out[16])
{
    const double *column = t->column[n][x];
    if (kind == PART_ANY) {
        eight c = load_eight(column);
        store_floats(out, eight_to_floats(eight_add(c, r->any[n][0])),
                     eight_to_floats(eight_add(c, r->any[n][1])));
        return;
    }
    copy_grfs((uint8_t *)out,
              kind == PART_ROWS ? r->values[n] : (const uint8_t *)column, 2);
}

/* weigh_divided() from shares. */
ROW_INLINE void
block_divided(const struct row_parts *t, size_t x, const struct row_values *r,
              float out[32])
{
    f32x8 v1[2], v2[2];
    for (unsigned i = 0; i < 2; i++) {
        eight v[3];
        for (unsigned n = 0; n < 3; n++)
            v[n] = eight_add(load_eight(t->column[n][x]), r->any[n][i]);
        eight over = eight_over(v[2]);
        v1[i] = eight_to_floats(eight_mul(v[0], over));
        v2[i] = eight_to_floats(eight_mul(v[1], over));
    }
    store_floats(out, v1[0], v1[1]);
    store_floats(out + 16, v2[0], v2[1]);
}

/* Weights of the block in column x. */
ROW_INLINE void
weigh_block(const struct row_parts *t, struct row_kinds kinds, size_t x,
            const struct row_values *r, float out[32])
{
    if (kinds.divides) {
        block_divided(t, x, r, out);
        return;
    }
    weigh_plane(t, kinds.k1, 0, x, r, out);
    weigh_plane(t, kinds.k2, 1, x, r, out + 16);
}

/* plane_positions(), and the registers after it. Stores whole vectors, because
 * compiled code loads whole vectors: narrow stores would stall store
 * forwarding. */
ROW_INLINE void
place_block(const struct row_fill *f, unsigned x, unsigned y, uint16_t live,
            float out[32])
{
    const __m256i quads = _mm256_setr_epi32(0, 0, 0, 2, 2 << 16, (2 << 16) + 2,
                                            0, 0);
    uint32_t at = ((uint32_t)(f->to.tile_x + (int32_t)x) & 0xffff) |
                  (uint32_t)(f->to.tile_y + (int32_t)y) << 16;
    __m256i p = _mm256_add_epi32(_mm256_set1_epi32((int)at), quads);
    p = _mm256_blend_epi32(_mm256_setzero_si256(), p, 0x3c);
    p = _mm256_blend_epi32(p, _mm256_set1_epi32((int)plane_lit_dword(live)),
                           0x80);
    f32x8 grf[EU_CHAIN_GRF];
    static_assert(EU_CHAIN_GRF == 4, "two pairs");
    memcpy(&grf[0], &p, sizeof grf[0]);
    for (unsigned i = 1; i < EU_CHAIN_GRF; i++)
        memcpy(&grf[i], f->begin + i * PLANE_GRF_B, sizeof grf[i]);
    store_floats(out, grf[0], grf[1]);
    store_floats(out + 16, grf[2], grf[3]);
}

/* Prefetches the block's lines in the target. One line is the most frequent
 * case: keeps it out of the loop. */
ROW_INLINE void
fetch_lines(const struct row_fill *f, uint8_t *mem, unsigned lines)
{
    if (lines)
        __builtin_prefetch(mem, 1);
    for (unsigned k = 1; k < lines; k++)
        __builtin_prefetch(mem + k * f->to.step_B, 1);
}

/* put_members() for a completely live block, in two stores. */
ROW_INLINE void
put_whole(struct eu_chain_entry *to, uint8_t *mem)
{
    const __m256i all = _mm256_setr_epi32(0, 0, 0xffff, 0xffff, 0xffff, 1,
                                          0xffff, -1);
    static_assert(offsetof(struct eu_chain_entry, dispatch_mask) ==
                          offsetof(struct eu_chain_entry, captured) + 8 &&
                      offsetof(struct eu_chain_entry, next) ==
                          offsetof(struct eu_chain_entry, captured) +
                              sizeof all,
                  "what is written is all that is between them");
    memcpy(&to->captured, &all, sizeof all);
    to->captured = mem;
}

/* Fills entries for sixteen completely live blocks, a square that begins with
 * `first`. */
ROW_INLINE void
fill_square(const struct row_fill *f, struct row_kinds kinds,
            struct cover_block first, unsigned lines, struct eu_chain_entry *to)
{
    const size_t column = first.x / 4;
    const uint64_t *x_B = &f->to.x_B[first.x];
    for (unsigned i = 0; i < ROWS_KEPT; i++, to += ROWS_KEPT) {
        uint8_t *mem = f->to.mem + f->to.y_B[first.y + i * 4];
        struct row_values values;
        if (kinds.weighs)
            load_rows(f->parts, kinds, i, &values);
        for (unsigned k = 0; lines && k < ROWS_KEPT; k++)
            fetch_lines(f, mem + x_B[k * 4], lines);
        LANES_UNROLLED (unsigned k = 0; k < ROWS_KEPT; k++) {
            float *out = (float *)(void *)to[k].payload;
            if (kinds.weighs)
                weigh_block(f->parts, kinds, column + k, &values, out);
            else
                place_block(f, first.x + k * 4, first.y + i * 4, 0xffff, out);
            put_whole(&to[k], mem + x_B[k * 4]);
        }
    }
}

ROW_INLINE void
fill_block(const struct row_fill *f, struct row_kinds kinds,
           struct cover_block b, uint16_t live, unsigned lines,
           struct eu_chain_entry *to)
{
    uint32_t mask = f->vector_mask ? 0xffff : live;
    float *out = (float *)(void *)to->payload;
    struct row_values values;
    if (kinds.weighs) {
        load_rows(f->parts, kinds, b.y / 4, &values);
        weigh_block(f->parts, kinds, b.x / 4, &values, out);
    } else {
        place_block(f, b.x, b.y, live, out);
    }
    uint8_t *mem = f->to.mem + f->to.y_B[b.y] + f->to.x_B[b.x];
    fetch_lines(f, mem, lines);
    put_members(to, mem, live, 0xffff, mask);
}

/* Whether the sixteen blocks from the n-th on are a completely live square, in
 * the order of coverage_simd.h's add_square(). */
static inline bool
is_square(const struct row_fill *f, unsigned n)
{
    const __m256i all = _mm256_set1_epi32(-1);
    const __m256i upper = _mm256_setr_epi32(0, 4, 8, 12, 0x400, 0x404, 0x408,
                                            0x40c);
    const __m256i lower = _mm256_add_epi32(upper, _mm256_set1_epi32(0x800));
    uint32_t block;
    if (f->count - n < SQUARE_BLOCKS || f->block[n].mask != 0xffff ||
        f->block[n].y % (4 * ROWS_KEPT))
        return false;
    memcpy(&block, &f->block[n], sizeof block);
    __m256i first = _mm256_set1_epi32((int)block), differs, live = all;
    differs = _mm256_or_si256(
        _mm256_xor_si256(load_256(&f->block[n]),
                         _mm256_add_epi32(first, upper)),
        _mm256_xor_si256(load_256(&f->block[n + SQUARE_BLOCKS / 2]),
                         _mm256_add_epi32(first, lower)));
    if (f->live)
        live = load_256(&f->live[n]);
    return _mm256_testz_si256(differs, differs) &&
           _mm256_testc_si256(live, all);
}

/* How many of the first entries have no earlier epilogue that prefetches their
 * lines. */
static inline unsigned
rows_to_fetch(const struct row_fill *f)
{
    if (!f->tails_fetch)
        return UINT32_MAX;
    return f->next ? 0 : ROWS_AHEAD;
}

/* Works on copies, which stores to entries cannot alias. */
ROW_INLINE unsigned
fill_rows_of(struct row_fill *fill, struct row_kinds kinds,
             struct eu_chain_entry *row, unsigned room)
{
    const struct row_fill f = *fill;
    const unsigned fetched = rows_to_fetch(&f);
    unsigned n = f.next, rows = 0, pixels = 0, left = 0, kept_y = UINT32_MAX;
    while (n < f.count && rows < room) {
        const struct cover_block b = f.block[n];
        const unsigned lines = rows < fetched ? f.to.lines : 0;
        uint16_t live = f.live ? f.live[n] : b.mask;
        if (live != 0xffff && (!live || !f.some)) {
            f.rest[n++] = live;
            left |= live;
            continue;
        }
        if (kinds.weighs && b.y / (4 * ROWS_KEPT) != kept_y) {
            kept_y = b.y / (4 * ROWS_KEPT);
            keep_rows(&f, kept_y);
        }
        if (is_square(&f, n)) {
            if (room - rows < SQUARE_BLOCKS)
                break;
            fill_square(&f, kinds, b, lines, &row[rows]);
            n += SQUARE_BLOCKS;
            rows += SQUARE_BLOCKS;
            pixels += SQUARE_BLOCKS * 16;
            continue;
        }
        fill_block(&f, kinds, b, live, lines, &row[rows++]);
        pixels += (unsigned)_mm_popcnt_u32(live);
        n++;
    }
    fill->next = n;
    fill->pixels += pixels;
    fill->left |= left;
    return rows;
}

static inline unsigned
fill_rows_by_kind(struct row_fill *f, struct eu_chain_entry *row, unsigned room)
{
    if (!f->weights)
        return fill_rows_of(f, (struct row_kinds){.weighs = false}, row, room);
    if (f->weights->q)
        return fill_rows_of(
            f, (struct row_kinds){true, true, PART_ANY, PART_ANY}, row, room);
    switch (f->parts->kind[0] * 3 + f->parts->kind[1]) {
#define CASE(a, b)                                                         \
    case a * 3 + b:                                                        \
        return fill_rows_of(f, (struct row_kinds){true, false, a, b}, row, \
                            room);
        CASE(PART_ANY, PART_COLUMNS)
        CASE(PART_ANY, PART_ROWS)
        CASE(PART_COLUMNS, PART_ANY)
        CASE(PART_COLUMNS, PART_COLUMNS)
        CASE(PART_COLUMNS, PART_ROWS)
        CASE(PART_ROWS, PART_ANY)
        CASE(PART_ROWS, PART_COLUMNS)
        CASE(PART_ROWS, PART_ROWS)
    default: CASE(PART_ANY, PART_ANY)
#undef CASE
    }
}

static unsigned
fill_rows(struct row_fill *f, struct eu_chain_entry *row, unsigned room)
{
    unsigned rows = fill_rows_by_kind(f, row, room);
    if (rows)
        row[rows - 1].more = 0;
    if (rows && f->tails_fetch)
        row_put_ahead(f, row + rows);
    return rows;
}

static unsigned
count_caught(const struct eu_chain_entry *row, unsigned rows)
{
    unsigned lanes = 0;
    /* Drops the upper half by a shift. From 16 bits, compilers would write the
     * count to half a register and wait for the other half. */
    for (unsigned n = 0; n < rows; n++)
        lanes += (unsigned)_mm_popcnt_u32(row[n].captured_mask << 16);
    return lanes;
}
