/* sample_info.c: messages that query a surface instead of reading it. ILK PRM
 * vol 4 part 1, 4.11.1.4 "resinfo", "sampleinfo". */
#include "sampler/reference/sample.h"

struct extent {
    uint32_t size[3];
    uint32_t levels;
};

static struct extent
buffer_extent(const struct surface *s)
{
    return (struct extent){.size = {(uint32_t)s->buffer_elements}};
}

/* Levels out of range have no size, but still a number of levels. Cube arrays
 * count cubes. */
static struct extent
image_extent(const struct surface *s, uint32_t lod)
{
    struct extent e = {.levels = s->mip_count_minus1 + 1u};
    if (lod > s->mip_count_minus1)
        return e;
    unsigned level = s->min_lod + lod;
    e.size[0] = surface_level_width(s, level);
    if (s->type == SURFACE_1D) {
        e.size[1] = s->is_array ? s->depth : 0;
        return e;
    }
    e.size[1] = surface_level_height(s, level);
    if (s->type == SURFACE_3D)
        e.size[2] = surface_level_depth(s, level);
    else if (s->is_array)
        e.size[2] = s->depth;
    return e;
}

void
sample_resinfo(const struct surface *s, const struct sample_req *req,
               uint32_t out[4][SAMPLE_LANES])
{
    for (unsigned lane = 0; lane < req->lanes; lane++) {
        if (!(req->exec_mask >> lane & 1))
            continue;
        struct extent e = {.levels = 0};
        if (s->type == SURFACE_BUFFER || s->type == SURFACE_STRBUF)
            e = buffer_extent(s);
        else if (s->type != SURFACE_NULL)
            e = image_extent(s, req->lod.u[lane]);
        out[0][lane] = e.size[0];
        out[1][lane] = e.size[1];
        out[2][lane] = e.size[2];
        out[3][lane] = e.levels;
    }
}

void
sample_sampleinfo(const struct surface *s, const struct sample_req *req,
                  uint32_t out[4][SAMPLE_LANES])
{
    for (unsigned lane = 0; lane < req->lanes; lane++) {
        if (!(req->exec_mask >> lane & 1))
            continue;
        out[0][lane] = s->type == SURFACE_NULL ? 0 : s->samples;
        out[1][lane] = out[2][lane] = out[3][lane] = 0;
    }
}
