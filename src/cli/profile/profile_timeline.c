/* profile_timeline.c: the timeline and the draws of a profile. */
#include "cli/profile/pixels/pixels.h"
#include "cli/profile/profile_data.h"
#include "cli/profile/timeline/timeline.h"
#include "eu/profile/profile_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* As the kernel is called in tables. */
static void
name_kernel(void *data, uint64_t hash, unsigned stage, unsigned simd,
            char *text, size_t size_B)
{
    static const char *const stages[] = {
#define X(id, name) name,
        PROFILE_STAGES(X)
#undef X
    };
    const struct profile *p = data;
    const char *name = stage < sizeof stages / sizeof *stages ? stages[stage]
                                                              : "eu";
    for (unsigned i = 0; i < p->kernel_count; i++) {
        const struct profile_code *k = &p->kernels[i];
        if (k->hash != hash || k->simd != simd || strcmp(k->stage, name))
            continue;
        snprintf(text, size_B, "%s", k->name);
        return;
    }
    snprintf(text, size_B, "%s_%016" PRIx64 "_simd%u", name, hash, simd);
}

void
profile_sum_timeline(struct profile *p)
{
    const json_t *event;
    size_t i;
    for (unsigned k = 0; k < p->kernel_count; k++)
        p->kernels[k].host_ns = 0;
    json_array_foreach(p->timeline, i, event)
    {
        const json_t *names = json_object_get(event, "kernels");
        const char *last = json_string_value(
            json_array_get(names, json_array_size(names) - 1));
        for (unsigned k = 0; last && k < p->kernel_count; k++) {
            if (strcmp(p->kernels[k].name, last))
                continue;
            p->kernels[k].host_ns += timeline_number(event, "end_ns") -
                                     timeline_number(event, "begin_ns");
            break;
        }
    }
}

void
profile_read_timeline(struct profile *p, const char *dir)
{
    p->timeline = timeline_read(dir, name_kernel, p);
    profile_sum_timeline(p);
}

void
profile_read_pixels(struct profile *p, const char *dir, bool overdraw)
{
    pixels_read(dir, name_kernel, p, &p->draws, &p->draw_sums);
    p->texels = pixels_read_texels(dir, name_kernel, p);
    if (overdraw)
        p->maps = pixels_read_maps(dir);
    if (p->maps)
        p->targets = pixels_maps_json(p->maps);
}

const char *
profile_write_overdraw(const struct profile *p, const char *dir)
{
    return p->maps ? pixels_write_maps(p->maps, dir)
                   : "pictures of overdraw need a run";
}

const char *
profile_write_perfetto(const struct profile *p, const char *file)
{
    return p->timeline ? timeline_write_perfetto(p->timeline, file)
                       : "the profile has no timeline";
}

const char *
profile_write_chrome(const struct profile *p, const char *file)
{
    return p->timeline ? timeline_write_chrome(p->timeline, file)
                       : "the profile has no timeline";
}
