/* units_table.c: tables (CSV, RFC 4180) of units, or of groups of them. */
#include "cli/profile/units/units.h"
#include "cli/profile/values/values.h"
#include "eu/profile/profile_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *file;
} tables[PER_COUNT] = {
    [PER_KERNEL] = {"kernel", NULL},
    [PER_FRAME] = {"frame", "frames.csv"},
    [PER_SUBMIT] = {"submit", "submits.csv"},
    [PER_DRAW] = {"draw", "draw_kernels.csv"},
    [PER_DISPATCH] = {"dispatch", "dispatches.csv"},
    [PER_SHADER] = {"shader", "shaders.csv"},
};

bool
units_parse_per(const char *word, enum units_per *per)
{
    for (unsigned i = 0; i < PER_COUNT; i++) {
        if (strcmp(word, tables[i].word))
            continue;
        *per = (enum units_per)i;
        return true;
    }
    return false;
}

/* A row of a table: sums over units. */
struct row {
    const struct unit *unit; /* the first one */
    uint64_t submits, draws, dispatches;
    uint64_t threads, insn, lanes, channels;
};

/* ---- groups -------------------------------------------------------------- */

static const char *
name_in_stage(const struct unit *unit, unsigned stage)
{
    for (unsigned i = 0; i < unit->part_count; i++)
        if (unit->parts[i].stage == stage)
            return unit->parts[i].name;
    return "-";
}

static bool
has_same_shaders(const struct unit *a, const struct unit *b)
{
    for (unsigned i = 0; i < UNIT_STAGES; i++)
        if (strcmp(name_in_stage(a, i), name_in_stage(b, i)))
            return false;
    return true;
}

static bool
is_same_row(const struct unit *a, const struct unit *b, enum units_per per)
{
    switch (per) {
    case PER_FRAME: return a->pid == b->pid && a->frame == b->frame;
    case PER_SUBMIT: return a->pid == b->pid && a->submit == b->submit;
    case PER_SHADER: return has_same_shaders(a, b);
    default: return false;
    }
}

static void
add_unit(struct row *row, const struct unit *unit)
{
    row->draws += !unit->is_dispatch;
    row->dispatches += unit->is_dispatch;
    for (unsigned i = 0; i < unit->part_count; i++) {
        row->threads += unit->parts[i].threads;
        row->insn += unit->parts[i].insn;
        row->lanes += unit->parts[i].lanes;
        row->channels += unit->parts[i].channels;
    }
}

/* Rows in the order of their first units; the caller frees them. */
static struct row *
make_rows(const struct units *u, enum units_per per, size_t *count)
{
    struct row *rows = calloc(u->count + 1, sizeof *rows);
    *count = 0;
    for (size_t i = 0; rows && i < u->count; i++) {
        const struct unit *unit = &u->list[i];
        if ((per == PER_DRAW && unit->is_dispatch) ||
            (per == PER_DISPATCH && !unit->is_dispatch))
            continue;
        /* Draws and dispatches are rows of their own. */
        bool apart = per == PER_DRAW || per == PER_DISPATCH;
        size_t n = apart ? 0 : *count;
        while (n && !is_same_row(rows[n - 1].unit, unit, per))
            n--;
        if (!n) {
            n = ++*count;
            rows[n - 1].unit = unit;
        }
        add_unit(&rows[n - 1], unit);
    }
    return rows;
}

/* ---- output -------------------------------------------------------------- */

static void
put_stages(FILE *f, const struct unit *unit, unsigned stages)
{
    for (unsigned i = 0; i < stages; i++) {
        const char *name = name_in_stage(unit, i);
        putc(',', f);
        if (strcmp(name, "-"))
            value_put_quoted(f, name);
        else
            putc('-', f);
    }
}

/* What each stage has executed. */
static void
put_stage_sums(FILE *f, const struct unit *unit)
{
    for (unsigned i = 0; i < UNIT_STAGES - 1; i++) {
        const struct unit_part *part = NULL;
        for (unsigned n = 0; n < unit->part_count; n++)
            if (unit->parts[n].stage == i)
                part = &unit->parts[n];
        if (part)
            fprintf(f, ",%" PRIu64 ",%" PRIu64, part->threads, part->insn);
        else
            fputs(",-,-", f);
    }
}

static void
put_heading(FILE *f, enum units_per per, bool has_lanes)
{
    static const char *const headings[PER_COUNT] = {
        [PER_FRAME] = "process,frame,draws,dispatches",
        [PER_SUBMIT] = "process,frame,submit,draws,dispatches",
        [PER_DRAW] = "process,frame,submit,draw,vertices,instances,topology,"
                     "vs,hs,ds,gs,fs,vs_threads,vs_insn,hs_threads,hs_insn,"
                     "ds_threads,ds_insn,gs_threads,gs_insn,fs_threads,fs_insn",
        [PER_DISPATCH] = "process,frame,submit,dispatch,kernel,simd,groups_x,"
                         "groups_y,groups_z,local",
        [PER_SHADER] = "draws,dispatches,vs,hs,ds,gs,fs,cs",
    };
    fprintf(f, "%s,threads,insn%s\r\n", headings[per],
            has_lanes ? ",lanes,channels" : "");
}

static void
put_row(FILE *f, enum units_per per, const struct row *row)
{
    const struct unit *u = row->unit;
    if (per == PER_SHADER) {
        fprintf(f, "%" PRIu64 ",%" PRIu64, row->draws, row->dispatches);
        put_stages(f, u, UNIT_STAGES);
        return;
    }
    fprintf(f, "%" PRIu32 ",%" PRIu32, u->pid, u->frame);
    if (per != PER_FRAME)
        fprintf(f, ",%" PRIu64, u->submit);
    if (per == PER_FRAME || per == PER_SUBMIT) {
        fprintf(f, ",%" PRIu64 ",%" PRIu64, row->draws, row->dispatches);
        return;
    }
    fprintf(f, ",%" PRIu64, u->number);
    if (per == PER_DRAW) {
        fprintf(f, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, u->size[0], u->size[1],
                u->size[2]);
        put_stages(f, u, UNIT_STAGES - 1);
        put_stage_sums(f, u);
        return;
    }
    putc(',', f);
    value_put_quoted(f, u->part_count ? u->parts[0].name : "-");
    fprintf(f, ",%u,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32,
            u->part_count ? u->parts[0].simd : 0, u->size[0], u->size[1],
            u->size[2], u->local);
}

static const char *
write_table(const struct units *u, enum units_per per, FILE *f)
{
    size_t count;
    struct row *rows = make_rows(u, per, &count);
    put_heading(f, per, u->has_lanes);
    for (size_t i = 0; rows && i < count; i++) {
        put_row(f, per, &rows[i]);
        fprintf(f, ",%" PRIu64 ",%" PRIu64, rows[i].threads, rows[i].insn);
        if (u->has_lanes)
            fprintf(f, ",%" PRIu64 ",%" PRIu64, rows[i].lanes,
                    rows[i].channels);
        fputs("\r\n", f);
    }
    free(rows);
    bool failed = ferror(f) || !rows;
    return fclose(f) || failed ? "cannot be written" : NULL;
}

const char *
units_write_csv(const struct units *u, enum units_per per, const char *dir)
{
    char path[4096];
    if (!tables[per].file)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", dir, tables[per].file);
    FILE *f = fopen(path, "we");
    return f ? write_table(u, per, f) : strerror(errno);
}
