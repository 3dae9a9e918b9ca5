/* report.h: a profile as one HTML file that needs no other.
 *
 * report.html, .css and .js are the template; gen_report.py makes an array of
 * it. Overview, limiters and the table of kernels are HTML; the listings are
 * data, which the script shows. Whatever the profile lacks is shown as '-'.
 *
 * Caller: profile_json.c, with the object that --json writes. One thread; reads
 * the object only. */
#ifndef CLI_PROFILE_REPORT_REPORT_H
#define CLI_PROFILE_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* pictures: NULL, or a list of pixels_pictures(). Returns NULL, or why the file
 * cannot be written. */
const char *report_write_html(const json_t *profile, const json_t *pictures,
                              const char *file);

/* report_pack.c: the profile for the script: instructions as one array per key,
 * texts as indices into "texts". Beyond the limit of characters kernels have no
 * instructions, and the timeline is left out. NULL: no memory. The caller frees
 * the object. */
json_t *report_pack(const json_t *profile, size_t limit_B);

/* report_html.c: the parts without script. */
void report_put_overview(FILE *f, const json_t *profile);
void report_put_findings(FILE *f, const json_t *profile);
void report_put_kernels(FILE *f, const json_t *profile);
/* Texts and cells. No text is markup or looks like an address. */
void report_put_text(FILE *f, const char *text);
void report_put_number(FILE *f, const json_t *object, const char *key);
void report_put_share(FILE *f, bool is_known, double share);
/* report_draws.c: the section of draws, if they were counted. */
void report_put_draws(FILE *f, const json_t *profile, const json_t *pictures);
/* report_frames.c: a bar for each frame, if draws and dispatches were told
 * apart (--per). */
void report_put_frames(FILE *f, const json_t *profile);

/* A number of the object, which above 2^53 is a string. False: it has none. */
bool report_number(const json_t *object, const char *key, double *n);

#endif
