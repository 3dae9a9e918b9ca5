/* report.c: fills the template. */
#include "cli/profile/report/report.h"

#include "report_template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Characters of listings, so that the file stays below 20 MB. */
#define LISTINGS_B (16u << 20)

/* Inside of <script> no tag may end the data, and no address appears in a file
 * that needs none: JSON knows both characters by number, too. */
static void
put_data(FILE *f, const json_t *profile)
{
    json_t *packed = report_pack(profile, LISTINGS_B);
    char *text = packed ? json_dumps(packed, JSON_COMPACT) : NULL;
    for (const char *s = text ? text : "{\"kernels\":[],\"texts\":[]}"; *s;
         s++) {
        if (*s == '<')
            fputs("\\u003c", f);
        else if (!strncmp(s, "http", 4))
            fputs("\\u0068", f);
        else
            putc(*s, f);
    }
    free(text);
    json_decref(packed);
}

const char *
report_write_html(const json_t *profile, const json_t *pictures,
                  const char *file)
{
    FILE *f = fopen(file, "we");
    if (!f)
        return strerror(errno);
    for (size_t i = 0; i < sizeof report_parts / sizeof *report_parts; i++) {
        fputs(report_parts[i].text, f);
        switch (report_parts[i].then) {
        case REPORT_SLOT_OVERVIEW: report_put_overview(f, profile); break;
        case REPORT_SLOT_FINDINGS: report_put_findings(f, profile); break;
        case REPORT_SLOT_KERNELS: report_put_kernels(f, profile); break;
        case REPORT_SLOT_DRAWS: report_put_draws(f, profile, pictures); break;
        case REPORT_SLOT_FRAMES: report_put_frames(f, profile); break;
        case REPORT_SLOT_DATA: put_data(f, profile); break;
        case REPORT_SLOT_END: break;
        }
    }
    bool failed = ferror(f);
    return fclose(f) || failed ? strerror(errno) : NULL;
}
