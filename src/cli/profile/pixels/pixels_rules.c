/* pixels_rules.c: what limits draws with the same kernels. Thresholds are rules
 * of thumb. */
#include "cli/profile/pixels/pixels.h"

/* Least share of all pixels or texels that a finding must concern. */
#define LEAST_SHARE 0.01
#define LEAST_OCCUPANCY 0.70
#define MOST_OVERDRAW 3.0
/* Of the pixels, that fail tests, before and after the shader. */
#define MOST_LATE 0.10
/* Of the lanes that sample a level. */
#define MOST_MINIFIED 0.50

static bool
apply_quads(struct pixels_finding *f, const json_t *row)
{
    f->rule = "quad occupancy";
    f->value = pixels_number(row, "quad_occupancy");
    f->limit = LEAST_OCCUPANCY;
    if (f->value < 0 || f->value >= f->limit)
        return false;
    snprintf(f->text, sizeof f->text,
             "%.0f%% of the lanes of its quads are pixels (less than %.0f%%): "
             "quads of 2x2 are shaded as a whole. Draw larger triangles: fewer "
             "details at a distance, no long thin ones.",
             100 * f->value, 100 * f->limit);
    return true;
}

static bool
apply_overdraw(struct pixels_finding *f, const json_t *row)
{
    f->rule = "overdraw";
    f->value = pixels_number(row, "overdraw");
    f->limit = MOST_OVERDRAW;
    if (f->value <= f->limit)
        return false;
    snprintf(f->text, sizeof f->text,
             "A draw writes each sample of its targets %.1f times (more than "
             "%.0f). Draw what is in front first, with a depth test, and leave "
             "out layers that are covered.",
             f->value, f->limit);
    return true;
}

/* Pixels that are shaded and then dropped, which an early test could have
 * spared. */
static bool
apply_late(struct pixels_finding *f, const json_t *row)
{
    double pixels = pixels_number(row, "pixels");
    double early = pixels_number(row, "failed_early");
    double late = pixels_number(row, "failed_late");
    f->rule = "late tests";
    f->limit = MOST_LATE;
    f->value = pixels > 0 ? late / pixels : -1;
    if (f->value <= f->limit || early >= late)
        return false;
    snprintf(f->text, sizeof f->text,
             "%.0f%% of its pixels fail tests after the shader (more than "
             "%.0f%%), %.0f%% before it. Discard and written depths forbid "
             "early tests: drop them, or draw depth first.",
             100 * f->value, 100 * f->limit, 100 * early / pixels);
    return true;
}

unsigned
pixels_find(const json_t *sums, struct pixels_finding *found, unsigned max)
{
    static bool (*const rules[])(struct pixels_finding *, const json_t *) = {
        apply_quads, apply_overdraw, apply_late};
    const double all = pixels_total(sums, "pixels");
    unsigned count = 0;
    for (size_t i = 0; i < json_array_size(sums); i++) {
        const json_t *row = json_array_get(sums, i);
        if (pixels_number(row, "pixels") < LEAST_SHARE * all)
            continue;
        for (unsigned r = 0; r < sizeof rules / sizeof *rules && count < max;
             r++) {
            found[count] = (struct pixels_finding){
                .kernel = pixels_last_kernel(row)};
            count += rules[r](&found[count], row);
        }
    }
    return count;
}

/* ---- texels -------------------------------------------------------------- */

/* Whether the row is of level 0, though its lanes ask for others, and the
 * surface has no others. */
static bool
apply_levels(struct pixels_finding *f, const json_t *row)
{
    double lanes = pixels_number(row, "lanes");
    f->rule = "missing levels";
    f->limit = MOST_MINIFIED;
    f->value = lanes > 0 ? pixels_number(row, "minified") / lanes : -1;
    if (pixels_number(row, "level") > 0 || f->value <= f->limit)
        return false;
    snprintf(f->text, sizeof f->text,
             "%.0f%% of its lanes sample level 0 (of %.0f) where another level "
             "fits (more than %.0f%%): texels are skipped, and cache lines "
             "wasted. Make mipmaps, and a filter that uses them.",
             100 * f->value, pixels_number(row, "levels"), 100 * f->limit);
    return true;
}

unsigned
pixels_find_texels(const json_t *texels, struct pixels_finding *found,
                   unsigned max)
{
    const double all = pixels_total(texels, "texels");
    unsigned count = 0;
    for (size_t i = 0; i < json_array_size(texels) && count < max; i++) {
        const json_t *row = json_array_get(texels, i);
        const char *name = json_string_value(json_object_get(row, "kernel"));
        if (pixels_number(row, "texels") < LEAST_SHARE * all)
            continue;
        found[count] = (struct pixels_finding){.kernel = name ? name : "-"};
        count += apply_levels(&found[count], row);
    }
    return count;
}
