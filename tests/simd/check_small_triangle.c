/* check_small_triangle.c: culling and coverage of small triangles
 * (small_triangle.h). */
#include "check.h"

#include <inttypes.h>

#include "raster/setup/any_triangles.h"

static small_triangles_fn *const kernel[CHECK_ISAS] = {
    small_triangles_find_ref, small_triangles_find_avx2,
    small_triangles_find_avx512};

static void
compare_fixture(const struct fixture *f, small_triangles_fn *fn)
{
    struct small_triangles want, got;
    small_triangles_find_ref(&f->rules, &f->mesh, f->tri, f->count, f->which,
                             &want);
    fn(&f->rules, &f->mesh, f->tri, f->count, f->which, &got);
    check_eq(got.seen, want.seen, "%x, not %x", got.seen, want.seen);
    check_eq(got.narrow, want.narrow);
    check_eq(got.known, want.known, "%x, not %x", got.known, want.known);
    for (uint32_t m = want.seen; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        check_that(got.x0[i] == want.x0[i] && got.y0[i] == want.y0[i]);
        check_that(got.x1[i] == want.x1[i] && got.y1[i] == want.y1[i]);
        for (unsigned k = 0; want.known >> i & 1 && k < 4; k++)
            check_eq(got.square[i][k], want.square[i][k],
                     "%" PRIx64 ", not %" PRIx64, got.square[i][k],
                     want.square[i][k]);
    }
}

static void
compare_triangles(enum check_isa isa)
{
    seed = check_seed();
    for (unsigned n = 0; n < 20000; n++) {
        struct fixture f;
        random_fixture(&f);
        compare_fixture(&f, kernel[isa]);
    }
}

/* ---- bench: sixteen triangles per call ---- */

enum { FIXTURES = 64 };

struct bench {
    enum check_isa isa;
    struct fixture f[FIXTURES];
};

static void
run_fixtures(void *arg)
{
    struct bench *b = arg;
    struct small_triangles out;
    for (unsigned i = 0; i < FIXTURES; i++) {
        const struct fixture *f = &b->f[i];
        kernel[b->isa](&f->rules, &f->mesh, f->tri, f->count, f->which, &out);
    }
}

static void
bench_triangles(enum check_isa isa)
{
    static struct bench b;
    b.isa = isa;
    seed = check_seed();
    for (unsigned i = 0; i < FIXTURES; i++) {
        random_fixture(&b.f[i]);
        b.f[i].mesh.corner = &b.f[i].vert->p;
        b.f[i].count = PRIM_TRIS;
        b.f[i].which = (1u << PRIM_TRIS) - 1;
    }
    check_time("16 triangles", run_fixtures, &b, FIXTURES);
}

static const struct check_row rows[] = {
    {"small_triangles_find", "small_triangles_find_ref", "small_triangle_avx2",
     CHECK_AVX2, compare_triangles, bench_triangles},
    {"small_triangles_find", "small_triangles_find_ref",
     "small_triangle_avx512", CHECK_AVX512, compare_triangles, bench_triangles},
};

CHECK_FAMILY(small_triangle, rows);
