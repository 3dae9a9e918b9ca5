/* pixels.h: what became of the vertices, primitives and pixels of draws, as two
 * JSON lists, which profile.json holds:
 *
 *   draws       a draw each, the first 4096 of each process
 *     draw, batch, context, pid, process    numbers, from 1: of the device's
 *                                           draws, of the context's batches
 *     kernels, ids                          names, and XXH3 of their code
 *     vertex_count, instance_count          as the application asked for
 *     target, samples, format               of the first colour target
 *     operation                             "fast clear", "resolve": no pixels
 *   draw_sums   all draws with the same kernels
 *     draws, kernels, ids
 *
 * Both have the values of engine/pixels/pixels_file.h under their names, and
 *     quad_occupancy    lit pixels by 4 per quad
 *     lanes_per_thread  lit pixels per thread of the fragment shader
 *     overdraw          samples written by samples of the targets, per draw
 * An unknown value has no key.
 *
 * Callers: cli/profile; one thread. */
#ifndef CLI_PROFILE_PIXELS_PIXELS_H
#define CLI_PROFILE_PIXELS_PIXELS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The name of a kernel. stage: the engine's enum stage_kind. */
typedef void (*pixels_name_fn)(void *data, uint64_t hash, unsigned stage,
                               unsigned simd, char *text, size_t size_B);

/* Reads engine/pixels/pixels_file.h of all processes. False: the directory has
 * none; the lists stay as they are. */
bool pixels_read(const char *dir, pixels_name_fn name, void *data,
                 json_t **draws, json_t **sums);

/* A number of a row, negative if it has none. */
double pixels_number(const json_t *row, const char *key);
/* The sums of a value; negative if no row has it. */
double pixels_total(const json_t *rows, const char *key);
/* The name of the row's last kernel, "-" if it has none. */
const char *pixels_last_kernel(const json_t *row);

/* pixels_maps.c: how often the pixels of each colour target were written, read
 * from the same directory, which may be removed then. Never NULL but without
 * memory; free with pixels_free_maps(). */
struct pixels_maps;
struct pixels_maps *pixels_read_maps(const char *dir);
void pixels_free_maps(struct pixels_maps *all);
/* The list "targets" of profile.json: target (a number), pid, size, layers,
 * level, samples, format; pixels_written, most (of one pixel), overdraw
 * (pixels written by pixels), and the name of its picture. */
json_t *pixels_maps_json(const struct pixels_maps *all);
/* Writes two pictures of each: colours, and counts of 16 bits. NULL, or an
 * error message. */
const char *pixels_write_maps(const struct pixels_maps *all, const char *dir);
/* Those that are not empty, {"picture", "most", "png": Base64}, as far as so
 * many characters go. */
json_t *pixels_pictures(const struct pixels_maps *all, size_t limit_B);

/* pixels_text.c: the table of the summary; rows that shade most come first. */
void pixels_print(FILE *f, const json_t *sums, unsigned top);
void pixels_print_targets(FILE *f, const json_t *targets, unsigned top);
/* draws.csv. */
void pixels_put_csv(FILE *f, const json_t *draws);

/* For tables: a comma and the row's value. */
void pixels_put_field(FILE *f, const json_t *row, const char *key);

/* pixels_texels.c: which texels sampler messages read: the list "sampler" of
 * profile.json, most texels first. Per kernel, message, format, filter and
 * level: levels (of the surface), requests (messages that read the level),
 * lanes, texels (of their filters), helper_lanes, helper_texels (of helper
 * pixels, not in the former), minified (lanes whose derivatives ask for a
 * further level than the first). NULL: they were not counted. */
json_t *pixels_read_texels(const char *dir, pixels_name_fn name, void *data);
void pixels_print_texels(FILE *f, const json_t *rows, unsigned top);
void pixels_put_texels_csv(FILE *f, const json_t *rows);

/* pixels_rules.c: what a row's numbers say, in words. */
struct pixels_finding {
    const char *kernel, *rule;
    double value, limit;
    char text[256];
};
unsigned pixels_find(const json_t *sums, struct pixels_finding *found,
                     unsigned max);
unsigned pixels_find_texels(const json_t *texels, struct pixels_finding *found,
                            unsigned max);

#endif
