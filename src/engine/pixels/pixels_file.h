/* pixels_file.h: the file "pixels.ID" that each profiled process leaves in the
 * directory SOFTLAKE_PROFILE if SOFTLAKE_PROFILE_PIXELS is set: what became of
 * the vertices, primitives and pixels of its draws. It outlives a process that
 * is killed.
 *
 * The first draws have a row each. All draws are also summed up by their
 * kernels, so sums are complete however many draws there are.
 *
 * Writer: pixels.c. Reader: cli/profile. Native byte order, one host. */
#ifndef ENGINE_PIXELS_PIXELS_FILE_H
#define ENGINE_PIXELS_PIXELS_FILE_H

#include <stdint.h>

#define PIXELS_FORMAT "%s/pixels.%016llx"
#define PIXELS_STAGES 6 /* enum stage_kind */
#define PIXELS_DRAWS 4096u
#define PIXELS_SUMS 1024u

/* Values of a row, and their keys in files for users. */
#define PIXELS_VALUES(X)                                                     \
    X(VERTICES, "vertices")         /* fetched, repeated ones included */    \
    X(PRIMITIVES, "primitives")     /* assembled of them */                  \
    X(CLIPPER_IN, "clipper_in")     /* after the last shader stage */        \
    X(REJECTED, "rejected")         /* outside of the view volume */         \
    X(CLIPPED, "clipped")           /* cut at its border */                  \
    X(CULLED, "culled")             /* by facing, or without a pixel */      \
    X(RASTERIZED, "pixels")         /* covered, before tests */              \
    X(FAILED_EARLY, "failed_early") /* of them: depth and stencil, before */ \
    X(KILLED, "killed")             /* by the shader */                      \
    X(FAILED_LATE, "failed_late")   /* tests after the shader */             \
    X(WRITTEN, "samples_written")   /* of all colour targets */              \
    X(BLENDED, "samples_blended")   /* of them, mixed with what was there */ \
    X(QUADS, "quads")               /* 2x2 pixels that were shaded */        \
    X(QUAD_PIXELS, "quad_pixels")   /* of them, lit; at most 4 per quad */   \
    X(THREADS, "fs_threads")        /* of the fragment shader */             \
    X(TARGET_SAMPLES, "target_samples") /* of the targets that were written */

enum pixels_value {
#define X(id, name) PIXELS_##id,
    PIXELS_VALUES(X)
#undef X
        PIXELS_VALUE_COUNT
};

enum pixels_flag {
    PIXELS_OUTLINES = 1,   /* triangles become lines or points: it is unknown
                              how many are culled */
    PIXELS_FAST_CLEAR = 2, /* no pixel is drawn */
    PIXELS_RESOLVE = 4,    /* likewise */
    PIXELS_OTHERS = 8,     /* a sum of draws that found no row for their
                              kernels */
};

struct pixels_row {
    uint64_t draw;    /* its number on the device, from 1; of a sum: how many */
    uint64_t batch;   /* of its context, likewise */
    uint64_t context; /* i915's number of the context */
    uint64_t kernel[PIXELS_STAGES]; /* by stage, XXH3 of their code or 0 */
    uint8_t simd[8];
    uint32_t flags;
    uint32_t vertex_count, instance_count;
    uint32_t width, height, samples; /* of the first colour target; 0: none */
    char format[40];
    uint64_t value[PIXELS_VALUE_COUNT];
};

struct pixels_file {
    uint32_t pid, draws; /* rows of `draw` */
    uint64_t all_draws;
    char process[24]; /* name */
    struct pixels_row draw[PIXELS_DRAWS];
    struct pixels_row sum[PIXELS_SUMS]; /* by kernels; draw 0: free */
};

/* The file "texels.ID" of each process, if SOFTLAKE_PROFILE_SAMPLER is set. */
#define PIXELS_TEXELS_PREFIX "texels."
#define PIXELS_TEXELS_FORMAT "%s/" PIXELS_TEXELS_PREFIX "%016llx"
#define PIXELS_TEXELS_ROWS 4096u

struct pixels_texels_row {
    uint64_t kernel;        /* XXH3 of its code */
    uint32_t stage, simd;   /* enum stage_kind */
    uint32_t level, levels; /* of the surface; how many it has */
    char message[24], format[40], filter[16];
    /* Messages that read the level; 0: the row is free. */
    uint64_t requests;
    /* Lanes, and the texels that their filters read. Helper pixels apart. */
    uint64_t lanes, texels, helper_lanes, helper_texels;
    uint64_t minified; /* lanes whose derivatives ask for a further level */
};

/* The last row is for what finds no other. */
struct pixels_texels {
    struct pixels_texels_row row[PIXELS_TEXELS_ROWS];
};

/* The files "overdraw.ID", one for each colour target that was written, if
 * SOFTLAKE_PROFILE_OVERDRAW is set. */
#define PIXELS_MAP_PREFIX "overdraw."
#define PIXELS_MAP_FORMAT "%s/" PIXELS_MAP_PREFIX "%016llx"

struct pixels_map {
    uint32_t pid, number; /* of the process's targets, from 0 */
    uint64_t va;
    uint32_t width, height, layers; /* of the view and its level */
    uint32_t level, first_layer, samples;
    char format[40];
    /* How often each pixel was written, at most 65535, by layer and row. */
    uint16_t count[];
};

#endif
