/* cl_record.h: writes what the layer has seen (cl_layer_file.h).
 *
 * Nothing here fails visibly: what cannot be written is left out. No locks, so
 * that a fork() at any time leaves none held. Any thread. */
#ifndef CL_LAYER_CL_RECORD_H
#define CL_LAYER_CL_RECORD_H

#include <stddef.h>
#include <stdint.h>

/* Call once, before launches are recorded. */
void cl_record_begin(void);

struct cl_built {
    const void *source, *options, *binary;
    size_t source_B, options_B, binary_B;
};
void cl_record_program(const struct cl_built *built);
void cl_record_driver(const char *path);

struct cl_launched {
    const char *kernel;
    unsigned dims;
    const size_t *global, *local; /* local: NULL if the driver chooses */
};
void cl_record_launch(const struct cl_launched *launched);

#endif
