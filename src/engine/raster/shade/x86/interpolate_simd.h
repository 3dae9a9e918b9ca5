/* interpolate_simd.h: the body of interpolate_avx2.c and interpolate_avx512.c,
 * which define the type `eight`, eight lanes of a block, and the functions
 * declared here. Stores are as wide as later loads. Same arithmetic as
 * interpolate.c, value for value. */

static inline void copy_grfs(uint8_t *to, const uint8_t *from, unsigned count);
/* From four columns or rows to the lanes of two quads side by side, in the
 * upper or lower half of a block. */
static inline eight columns_of(f64x4 v);
static inline eight rows_of(f64x4 v, unsigned half);
static inline eight eight_of(f64x4 left, f64x4 right);
static inline eight load_eight(const double v[8]);
static inline void store_eight(double to[8], eight v);
static inline eight load_twice(const double quad[4]);
static inline eight eight_add(eight a, eight b);
static inline eight eight_mul(eight a, eight b);
static inline eight eight_over(eight v); /* 1 / v */
static inline eight eight_plus(eight v, double all);
static inline eight eight_times(eight v, double all);
static inline f32x8 eight_to_floats(eight v);
static inline void store_floats(float out[16], f32x8 a, f32x8 b);

#include "engine/raster/shade/x86/interpolate_quads.h"

/* ---- blocks: rows share terms of x, columns share terms of y ---- */

/* Pixel centres of four columns or rows. */
static inline f64x4
centres(int32_t at_px, double ref)
{
    const f64x4 quad = {0, 0, 2, 2}, pixel = {0.5, 1.5, 0.5, 1.5};
    return (at_px - ref + quad) + pixel;
}

/* A plane that depends on x alone, or on y alone, has four values in a block.
 * Most rectangles have such planes. */
enum part_kind { PART_ANY, PART_COLUMNS, PART_ROWS };

/* A plane's shares of a row of blocks, upper and lower quads. */
struct parts {
    enum part_kind kind;
    eight rows[2];
    f32x8 floats[2]; /* PART_ROWS: the values */
};

/* Skipping a zero increment gives equal bits. Zero times a number is zero, and
 * a sum with zero is the other operand. The sign of a zero may differ, but not
 * when rounding to nearest and c is not -0. */
static inline enum part_kind
kind_of(const struct plane *p, double ref_x, double ref_y)
{
    if (_MM_GET_ROUNDING_MODE() != _MM_ROUND_NEAREST ||
        (p->c == 0 && __builtin_signbit(p->c)) || !__builtin_isfinite(ref_x) ||
        !__builtin_isfinite(ref_y))
        return PART_ANY;
    return p->dx == 0 ? PART_ROWS : p->dy == 0 ? PART_COLUMNS : PART_ANY;
}

static inline eight
part_of_columns(const struct plane *p, f64x4 x)
{
    return columns_of(p->c + p->dx * x);
}

static inline void
parts_of_rows(struct parts *t, const struct plane *p, f64x4 y)
{
    f64x4 b = p->dy * y;
    t->rows[0] = rows_of(b, 0);
    t->rows[1] = rows_of(b, 1);
}

/* Converts four columns or rows to floats in the lanes of half a block. */
static inline f32x8
spread(f64x4 v, __m256i lanes)
{
    __m256 f = _mm256_castps128_ps256(_mm256_cvtpd_ps((__m256d)v));
    return (f32x8)_mm256_permutevar8x32_ps(f, lanes);
}

static inline void
begin_row(struct parts *t, const struct plane *p, f64x4 y)
{
    const __m256i upper = _mm256_setr_epi32(0, 0, 1, 1, 0, 0, 1, 1);
    const __m256i lower = _mm256_setr_epi32(2, 2, 3, 3, 2, 2, 3, 3);
    if (t->kind == PART_ROWS) {
        f64x4 v = p->c + p->dy * y;
        t->floats[0] = spread(v, upper);
        t->floats[1] = spread(v, lower);
    } else if (t->kind == PART_ANY) {
        parts_of_rows(t, p, y);
    }
}

/* Values of a block, upper and lower quads. */
static inline void
floats_of(const struct parts *t, const struct plane *p, f64x4 x, f32x8 out[2])
{
    const __m256i columns = _mm256_setr_epi32(0, 1, 0, 1, 2, 3, 2, 3);
    if (t->kind == PART_ROWS) {
        out[0] = t->floats[0];
        out[1] = t->floats[1];
    } else if (t->kind == PART_COLUMNS) {
        out[0] = out[1] = spread(p->c + p->dx * x, columns);
    } else {
        eight c = part_of_columns(p, x);
        out[0] = eight_to_floats(eight_add(c, t->rows[0]));
        out[1] = eight_to_floats(eight_add(c, t->rows[1]));
    }
}

struct weigher {
    const struct plane *b1, *b2, *q;
    double ref_x, ref_y;
    struct parts p1, p2, pq;
};

/* Called before the first block. With perspective all planes count as PART_ANY.
 */
static inline void
find_kinds(struct weigher *w)
{
    w->p1.kind = w->q ? PART_ANY : kind_of(w->b1, w->ref_x, w->ref_y);
    w->p2.kind = w->q ? PART_ANY : kind_of(w->b2, w->ref_x, w->ref_y);
}

static inline void
weigh_divided(struct weigher *w, f64x4 x, float out[32])
{
    eight c1 = part_of_columns(w->b1, x), c2 = part_of_columns(w->b2, x);
    eight cq = part_of_columns(w->q, x);
    for (unsigned i = 0; i < 2; i++) {
        eight over = eight_over(eight_add(cq, w->pq.rows[i]));
        eight v1 = eight_mul(eight_add(c1, w->p1.rows[i]), over);
        eight v2 = eight_mul(eight_add(c2, w->p2.rows[i]), over);
        store_floats(&out[i * 16], eight_to_floats(v1), eight_to_floats(v2));
    }
}

/* beside: the block is in the row of the one before. */
static inline void
weigh(struct weigher *w, const struct batch_block *block, bool beside,
      float out[32])
{
    f64x4 x = centres(block->x, w->ref_x);
    f32x8 v1[2], v2[2];
    if (!beside) {
        f64x4 y = centres(block->y, w->ref_y);
        begin_row(&w->p1, w->b1, y);
        begin_row(&w->p2, w->b2, y);
        if (w->q)
            parts_of_rows(&w->pq, w->q, y);
    }
    if (w->q) {
        weigh_divided(w, x, out);
        return;
    }
    floats_of(&w->p1, w->b1, x, v1);
    floats_of(&w->p2, w->b2, x, v2);
    store_floats(out, v1[0], v2[0]);
    store_floats(out + 16, v1[1], v2[1]);
}

/* Most blocks of a list lie beside the one before. */
static inline void
block_weights_of(struct weigher w, const struct block_places *at,
                 float (*out)[32])
{
    const struct batch_block *block = at->block;
    find_kinds(&w);
    for (unsigned n = 0; n < at->count; n++)
        weigh(&w, &block[n], n && block[n].y == block[n - 1].y, out[n]);
}

static void
block_weights(const struct plane *b1, const struct plane *b2,
              const struct plane *q, const struct block_places *at,
              float (*out)[32])
{
    const struct plane p1 = *b1, p2 = *b2;
    const struct block_places in = *at;
    struct weigher w = {
        .b1 = &p1, .b2 = &p2, .ref_x = at->ref_x, .ref_y = at->ref_y};
    if (q) {
        const struct plane pq = *q;
        w.q = &pq;
        block_weights_of(w, &in, out);
    } else {
        block_weights_of(w, &in, out);
    }
}

static void
block_value(const struct plane *plane, bool invert,
            const struct block_places *at, float (*out)[16])
{
    const struct plane p = *plane;
    const struct block_places in = *at;
    for (unsigned n = 0; n < in.count; n++) {
        struct parts t;
        eight v[2];
        parts_of_rows(&t, &p, centres(in.block[n].y, in.ref_y));
        eight c = part_of_columns(&p, centres(in.block[n].x, in.ref_x));
        for (unsigned i = 0; i < 2; i++) {
            v[i] = eight_add(c, t.rows[i]);
            if (invert)
                v[i] = eight_over(v[i]);
        }
        store_floats(out[n], eight_to_floats(v[0]), eight_to_floats(v[1]));
    }
}

static void
copy(uint8_t *grf, const struct grf_copy *c, unsigned count, unsigned n)
{
    for (; count; count--, c++)
        copy_grfs(grf + c->grf * PLANE_GRF_B, c->from + n * c->stride_B,
                  c->count);
}

/* Member by member, so that compilers can drop unused ones. */
static inline struct parts
no_parts(void)
{
    struct parts t;
    t.kind = PART_ANY;
    t.rows[0] = t.rows[1] = rows_of((f64x4){0}, 0);
    t.floats[0] = t.floats[1] = (f32x8){0};
    return t;
}

/* Does not set kinds: see find_kinds(). */
static inline struct weigher
weigher_of(const struct run_weights *in)
{
    struct weigher w;
    w.b1 = in->b1;
    w.b2 = in->b2;
    w.q = in->q;
    w.ref_x = in->ref_x;
    w.ref_y = in->ref_y;
    w.p1 = w.p2 = w.pq = no_parts();
    return w;
}

/* Fills the registers that differ between threads. before: the block of the
 * thread before, or NULL. */
static inline void
fill_registers(struct eu_thread *t, const struct thread_run *r,
               struct weigher *w, unsigned n, const struct batch_block *before)
{
    copy(t->grf, r->copy, r->copies, n);
    if (r->weights)
        weigh(w, &r->block[n], before && before->y == r->block[n].y,
              (float *)(void *)(t->grf + r->weights->grf * PLANE_GRF_B));
    plane_put_lit(r->launch, t, r->block[n].live);
}

/* Address of the block in the target, prefetched for writing. */
static inline uint8_t *
fetch_target(const struct target_places *to, const struct batch_block *b)
{
    uint8_t *at = to->mem + to->x_B[b->x - to->tile_x] +
                  to->y_B[b->y - to->tile_y];
    for (unsigned i = 0; i < to->lines; i++)
        __builtin_prefetch(at + i * to->step_B, 1);
    return at;
}

/* Runs one thread. again: not the first of this run. */
static inline enum eu_status
run_one(const struct thread_run *r, struct weigher *w, unsigned n, bool again,
        bool plain, int64_t *left)
{
    const struct batch_block *b = &r->block[n];
    uint16_t live = b->live, helper = b->helper;
    struct eu_thread *t = r->thread;
    enum eu_status status;
    if (r->to.lines)
        fetch_target(&r->to, b);
    fill_registers(t, r, w, n, again ? b - 1 : NULL);
    t->captured = (uint8_t *)r->color[n];
    if (plain)
        status = eu_launch_again(r->launch, t, live, helper, left);
    else
        status = eu_launch_quick(r->launch, t, live, helper, again, left);
    r->mask[n] = (uint16_t)(t->message.exec_mask & live);
    return status;
}

/* Fills all of an entry except its payload, by scalar stores: interpolation
 * keeps the vector units busy. */
static inline void
put_members(struct eu_chain_entry *to, uint8_t *caught, uint16_t live,
            uint16_t helper, uint32_t mask)
{
    to->captured = caught;
    to->dispatch_mask = live;
    to->vector_mask = helper;
    to->mask = mask;
    to->more = 1;
    to->captured_mask = live;
    to->live = plane_lit_dword(live);
}

#include "engine/raster/shade/x86/tile_centres.h"

/* Fills a chain. Returns the live pixels, 0 if some thread does not fit a
 * chain. Inlined: a call would copy the weigher. */
static inline __attribute__((always_inline)) unsigned
fill_row_with(const struct thread_run *r, unsigned first, unsigned end,
              struct weigher w)
{
    const struct eu_launch *l = r->launch;
    const bool vmask = l->start.vector_mask_enable;
    const bool apart = l->lane_independent, quads = l->quad_dependent;
    const uint32_t need = l->required_mask;
    const bool stores = r->tail.fn, places = stores || r->to.lines;
    const struct tile_centres *centres = find_centres(r);
    struct eu_chain_entry *to = r->row;
    bool takes = true;
    unsigned pixels = 0;
    for (unsigned n = first; n < end; n++, to++) {
        const struct batch_block *b = &r->block[n];
        uint32_t mask = vmask ? b->helper : b->live;
        takes &= eu_masks_nothing(mask, need, apart, quads);
        pixels += (unsigned)_mm_popcnt_u32(b->live);
        weigh_alone(&w, centres, b, (float *)(void *)to->payload);
        uint8_t *at = places ? fetch_target(&r->to, b) : NULL;
        put_members(to, stores ? at : (uint8_t *)r->color[n], b->live,
                    b->helper, mask);
    }
    to[-1].more = 0;
    return takes ? pixels : 0;
}

/* fill_row_with() on copies, which no store can alias. */
static unsigned
fill_row(const struct thread_run *run, unsigned first, unsigned end)
{
    const struct thread_run r = *run;
    const struct plane p1 = *r.weights->b1, p2 = *r.weights->b2;
    struct weigher w = {.b1 = &p1,
                        .b2 = &p2,
                        .ref_x = r.weights->ref_x,
                        .ref_y = r.weights->ref_y};
    if (!r.weights->q)
        return fill_row_with(&r, first, end, w);
    const struct plane pq = *r.weights->q;
    w.q = &pq;
    return fill_row_with(&r, first, end, w);
}

/* Runs a chain from its thread number `ran` on, all in compiled code. Without
 * an epilogue, threads differ only in their weights. Returns as run() does. */
static inline unsigned
run_row(const struct thread_run *r, unsigned first, unsigned ran, int64_t *left)
{
    copy(r->thread->grf, r->copy, r->copies, first + ran);
    *r->rest = (struct row_copies){.copy = r->copy,
                                   .copies = r->copies,
                                   .first = first,
                                   .row = r->row,
                                   .grf = r->thread->grf};
    const struct eu_chain_entry *at = eu_launch_chain(
        r->launch, r->thread, r->row + ran, r->tail, !r->copies, left);
    unsigned done = (unsigned)(at - r->row);
    done += r->thread->status == EU_FINISHED;
    *r->stored = r->tail.fn ? done : 0;
    for (unsigned i = *r->stored; i < done; i++)
        r->mask[first + i] = (uint16_t)r->row[i].captured_mask;
    return first + done;
}

static unsigned
run_each(const struct thread_run *r, unsigned first, unsigned end,
         int64_t *left)
{
    const struct thread_run in = *r;
    const bool plain = eu_launch_is_plain(in.launch);
    struct weigher w = {0};
    unsigned n = first;
    if (in.weights) {
        w = weigher_of(in.weights);
        find_kinds(&w);
    }
    if (n == end || run_one(&in, &w, n, false, false, left) != EU_FINISHED)
        return n;
    for (n++; plain && n < end; n++) {
        if (run_one(&in, &w, n, true, true, left) != EU_FINISHED)
            return n;
    }
    for (; n < end; n++) {
        if (run_one(&in, &w, n, true, false, left) != EU_FINISHED)
            return n;
    }
    return end;
}

/* Whether threads differ only in the payload of chain entries. */
static inline bool
begin_alike(const struct thread_run *r)
{
    const unsigned chain_grf = r->launch->chain_grf;
    for (unsigned i = 0; i < r->copies; i++) {
        const struct grf_copy *c = &r->copy[i];
        if (c->stride_B && (r->weights || c->grf < chain_grf ||
                            c->grf + c->count > chain_grf + EU_CHAIN_GRF))
            return false;
    }
    return r->weights ? r->weights->grf == chain_grf : chain_grf;
}

/* From the order of registers to the order of weights in a chain entry. */
static inline void
swap_halves(uint8_t payload[EU_CHAIN_GRF * PLANE_GRF_B])
{
    f32x8 v[EU_CHAIN_GRF];
    memcpy(v, payload, sizeof v);
    store_floats((float *)(void *)payload, v[0], v[2]);
    store_floats((float *)(void *)(payload + 2 * PLANE_GRF_B), v[1], v[3]);
}

/* fill_row() for payload that is copied, not computed. */
static bool
fill_row_with_copies(const struct thread_run *r, unsigned first, unsigned end)
{
    const struct eu_launch *l = r->launch;
    const unsigned chain_grf = l->chain_grf;
    const bool places = r->tail.fn || r->to.lines;
    struct eu_chain_entry *to = r->row;
    bool takes = true;
    for (unsigned n = first; n < end; n++, to++) {
        const struct batch_block *b = &r->block[n];
        uint32_t mask = l->start.vector_mask_enable ? b->helper : b->live;
        takes &= eu_launch_takes(l, mask);
        memcpy(to->payload, r->thread->grf + chain_grf * PLANE_GRF_B,
               sizeof to->payload);
        for (unsigned i = 0; i < r->copies; i++) {
            const struct grf_copy *c = &r->copy[i];
            if (c->stride_B)
                copy_grfs(to->payload + (c->grf - chain_grf) * PLANE_GRF_B,
                          c->from + n * c->stride_B, c->count);
        }
        if (l->chain_weights)
            swap_halves(to->payload);
        uint8_t *at = places ? fetch_target(&r->to, b) : NULL;
        put_members(to, r->tail.fn ? at : (uint8_t *)r->color[n], b->live,
                    b->helper, mask);
    }
    to[-1].more = 0;
    return takes;
}

static inline bool
fill_alike(const struct thread_run *r, unsigned first, unsigned end)
{
    copy(r->thread->grf, r->copy, r->copies, first);
    return r->weights ? fill_row(r, first, end)
                      : fill_row_with_copies(r, first, end);
}

/* Runs the first threads of a chain in lockstep, each with the registers
 * restored. Returns how many have finished. */
static unsigned
run_alike(const struct thread_run *r, unsigned first, int64_t *left)
{
    *r->rest = (struct row_copies){.first = first, .row = r->row};
    unsigned done = eu_launch_chain_two(r->launch, r->thread, r->row, r->tail,
                                        left);
    *r->stored = r->tail.fn ? done : 0;
    for (unsigned i = *r->stored; i < done; i++)
        r->mask[first + i] = (uint16_t)r->row[i].captured_mask;
    return done;
}

static unsigned
run(const struct thread_run *r, unsigned first, unsigned end, int64_t *left)
{
    bool fits = r->weights && r->weights->grf == r->launch->chain_grf;
    bool stores = r->launch->chains && r->tail.fn;
    if (fits && r->launch->chains && !r->copies &&
        (end - first > 1 || r->tail.fn) && fill_row(r, first, end))
        return run_row(r, first, 0, left);
    *r->stored = 0;
    bool alike = end - first > 1 && begin_alike(r);
    if (alike && r->launch->lockstep && !r->tail.sample_store &&
        fill_alike(r, first, end)) {
        unsigned ran = run_alike(r, first, left);
        if (first + ran < end && stores)
            return run_row(r, first, ran, left);
        first += ran;
    } else if (fits && stores && fill_row(r, first, end)) {
        return run_row(r, first, 0, left);
    } else if (alike && stores && !r->weights &&
               fill_row_with_copies(r, first, end)) {
        return run_row(r, first, 0, left);
    }
    return run_each(r, first, end, left);
}
