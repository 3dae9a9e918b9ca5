/* report_frames.c: the section of frames: a bar of instructions for each, by
 * kernels. */
#include "cli/profile/report/report.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES_SHOWN 500
/* Colours: the first kernels of the table, then all others. */
#define SLOTS 6
#define BAR_REM 40.0

struct frame {
    double process, number, draws, dispatches;
    double insn, slots[SLOTS];
};

struct frames {
    struct frame *list;
    size_t count;
    double most; /* instructions of a frame */
};

static size_t
slot_of(const json_t *kernels, const char *name)
{
    size_t i = 0;
    while (i + 1 < SLOTS && i < json_array_size(kernels)) {
        const json_t *k = json_array_get(kernels, i);
        const char *other = json_string_value(json_object_get(k, "name"));
        if (name && other && !strcmp(name, other))
            return i;
        i++;
    }
    return SLOTS - 1;
}

/* The frame of a draw or dispatch; NULL: no memory. */
static struct frame *
find_frame(struct frames *f, const json_t *unit)
{
    struct frame new = {.draws = 0};
    report_number(unit, "process", &new.process);
    report_number(unit, "frame", &new.number);
    for (size_t i = f->count; i-- > 0;)
        if (f->list[i].process == new.process &&
            f->list[i].number == new.number)
            return &f->list[i];
    void *more = realloc(f->list, (f->count + 1) * sizeof *f->list);
    if (!more)
        return NULL;
    f->list = more;
    f->list[f->count] = new;
    return &f->list[f->count++];
}

static void
add_kernel(struct frame *frame, const json_t *kernels, const json_t *part)
{
    double insn = 0;
    report_number(part, "insn", &insn);
    const char *name = json_string_value(json_object_get(part, "kernel"));
    frame->slots[slot_of(kernels, name)] += insn;
    frame->insn += insn;
}

/* A dispatch is its kernel, a draw has a list of them. */
static void
add_units(struct frames *f, const json_t *profile, const char *key)
{
    const json_t *kernels = json_object_get(profile, "kernels");
    json_t *unit, *part;
    size_t i, n;
    json_array_foreach(json_object_get(profile, key), i, unit)
    {
        struct frame *frame = find_frame(f, unit);
        const json_t *parts = json_object_get(unit, "kernels");
        if (!frame)
            return;
        if (parts)
            frame->draws++;
        else
            frame->dispatches++;
        json_array_foreach(parts, n, part) add_kernel(frame, kernels, part);
        if (!parts)
            add_kernel(frame, kernels, unit);
        f->most = frame->insn > f->most ? frame->insn : f->most;
    }
}

static void
put_legend(FILE *f, const json_t *kernels)
{
    fputs("<p class=\"legend\">", f);
    for (size_t i = 0; i < SLOTS && i < json_array_size(kernels); i++) {
        const json_t *k = json_array_get(kernels, i);
        const char *name = json_string_value(json_object_get(k, "name"));
        fprintf(f, "<span><i style=\"background:var(--g%zu)\"></i>", i);
        report_put_text(f, i + 1 < SLOTS && name ? name : "others");
        fputs("</span>", f);
    }
    fputs("</p>\n", f);
}

static void
put_frame(FILE *f, const struct frame *frame, double most)
{
    fprintf(f,
            "<tr><td class=\"n\">%.0f</td><td class=\"n\">%.0f</td>"
            "<td class=\"n\">%.0f</td><td class=\"n\">%.0f</td>"
            "<td class=\"n\">%.0f</td><td><div class=\"mix\" style=\"width:"
            "%.2frem\">",
            frame->process, frame->number, frame->draws, frame->dispatches,
            frame->insn, most > 0 ? BAR_REM * frame->insn / most : 0);
    for (unsigned i = 0; i < SLOTS; i++)
        if (frame->slots[i] > 0)
            fprintf(f,
                    "<span style=\"background:var(--g%u);flex:%.6g\" "
                    "title=\"%.0f\"></span>",
                    i, frame->slots[i] / frame->insn, frame->slots[i]);
    fputs("</div></td></tr>\n", f);
}

void
report_put_frames(FILE *f, const json_t *profile)
{
    struct frames frames = {.count = 0};
    add_units(&frames, profile, "draw_kernels");
    add_units(&frames, profile, "dispatches");
    if (!frames.count)
        return;
    fputs("<section id=\"frames\">\n<h2>Frames</h2>\n", f);
    put_legend(f, json_object_get(profile, "kernels"));
    fputs("<div class=\"wide\"><table><thead><tr><th class=\"n\">process</th>"
          "<th class=\"n\">frame</th><th class=\"n\">draws</th>"
          "<th class=\"n\">dispatches</th><th class=\"n\">instructions</th>"
          "<th>by kernels</th></tr></thead><tbody>\n",
          f);
    for (size_t i = 0; i < frames.count && i < FRAMES_SHOWN; i++)
        put_frame(f, &frames.list[i], frames.most);
    fputs("</tbody></table></div>\n", f);
    if (frames.count > FRAMES_SHOWN)
        fprintf(f, "<p class=\"faint\">The first %u of %zu.</p>\n",
                FRAMES_SHOWN, frames.count);
    fputs("</section>\n", f);
    free(frames.list);
}
