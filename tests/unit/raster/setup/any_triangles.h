/* any_triangles.h: hostile random triangles and culling rules. */
#ifndef TEST_ANY_TRIANGLES_H
#define TEST_ANY_TRIANGLES_H

#include "engine/geom/geom.h"
#include "engine/raster/scene.h"
#include "engine/raster/setup/setup.h"

#define VERTS 40

static uint32_t seed = 1;

static inline int32_t
below(int32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (int32_t)((seed >> 8) % (uint32_t)n);
}

/* Includes the largest distances, points in a line, and pixel centres. */
static inline int32_t
coordinate(int32_t near, int32_t side)
{
    static const int32_t odd[] = {0,
                                  127,
                                  128,
                                  129,
                                  255,
                                  256,
                                  -128,
                                  SMALL_MAX_SUBPX,
                                  SMALL_MAX_SUBPX + 1,
                                  SHAPE_MAX_SUBPX - 1,
                                  SHAPE_MAX_SUBPX,
                                  -SHAPE_MAX_SUBPX,
                                  SNAP_MAX_PX * SUBPIXEL,
                                  -SNAP_MAX_PX * SUBPIXEL};
    int32_t v = near + (below(16) ? below(side) : odd[below(ARRAY_SIZE(odd))]);
    return MIN2(MAX2(v, -SNAP_MAX_PX * SUBPIXEL), SNAP_MAX_PX * SUBPIXEL);
}

struct fixture {
    struct geom_vert vert[VERTS];
    struct prim_mesh mesh;
    struct prim_tri tri[PRIM_TRIS];
    struct cull_rules rules;
    unsigned count;
    uint32_t which;
};

static inline struct cull_rules
random_rules(int32_t x, int32_t y)
{
    bool centres = below(4), clips = !below(3);
    x /= SUBPIXEL;
    y /= SUBPIXEL;
    return (struct cull_rules){
        .cw = -below(2),
        .ccw = -(below(4) == 0),
        .up = centres ? SUBPIXEL / 2 - 1 : 0,
        .down = centres ? SUBPIXEL / 2 : 0,
        .x0 = clips ? x + below(6) : 0,
        .y0 = clips ? y + below(6) : 0,
        .x1 = clips ? x + below(16) : SCREEN_MAX_PX,
        .y1 = below(2) ? SCREEN_MAX_PX : y + below(16),
        .squares = centres && below(8),
    };
}

static inline void
random_fixture(struct fixture *f)
{
    int32_t x = below(SCREEN_MAX_PX * SUBPIXEL), y = below(2000);
    int32_t side = 16 << below(9), grid = below(3) ? 1 : 64;
    for (unsigned i = 0; i < VERTS; i++) {
        f->vert[i].p.x = coordinate(x, side) / grid * grid;
        f->vert[i].p.y = coordinate(y, side) / grid * grid;
    }
    f->mesh = (struct prim_mesh){.corner = &f->vert->p};
    for (unsigned i = 0; i < PRIM_TRIS; i++) {
        for (unsigned k = 0; k < 3; k++)
            f->tri[i].corner[k] = (uint16_t)below(VERTS);
    }
    f->rules = random_rules(x, y);
    f->count = 1 + (unsigned)below(PRIM_TRIS);
    uint32_t all = (1u << f->count) - 1;
    f->which = below(2) ? all : (uint32_t)below(1 << 16) & all;
}

#endif
