/* cl_layer_file.h: what the OpenCL layer leaves in the directory
 * SOFTLAKE_PROFILE.
 *
 * "cl-program.HASH" is one program as built for one device: struct
 * cl_layer_program, then its source, its build options and its device binary. A
 * file appears whole or not at all; equal programs share one.
 * "cl-driver.HASH" is the path of the driver's library, unterminated.
 * "cl-launches.PID.N" is an array of struct cl_layer_launch, one row for each
 * kernel and work size.
 *
 * Writer: cl_record.c. Reader: cli/symbols. Native byte order, one host. */
#ifndef CL_LAYER_CL_LAYER_FILE_H
#define CL_LAYER_CL_LAYER_FILE_H

#include <stdint.h>

#define CL_LAYER_LIBRARY "libsoftlake-cl-layer.so"
#define CL_LAYER_PROGRAM_PREFIX "cl-program."
#define CL_LAYER_DRIVER_PREFIX "cl-driver."
#define CL_LAYER_LAUNCHES_PREFIX "cl-launches."
#define CL_LAYER_MAGIC "SLKCL001"
#define CL_LAYER_ROWS 1024u
#define CL_LAYER_KERNEL_B 120u

struct cl_layer_program {
    char magic[8];
    uint32_t source_B, options_B;
    uint64_t binary_B;
};

enum cl_layer_row_state { CL_LAYER_FREE, CL_LAYER_BUSY, CL_LAYER_READY };

struct cl_layer_launch {
    uint32_t state; /* enum cl_layer_row_state; others have no meaning yet */
    uint32_t dims;
    uint64_t count;
    uint64_t global[3], local[3];   /* local 0: chosen by the driver */
    char kernel[CL_LAYER_KERNEL_B]; /* terminated; cut if longer */
};

#endif
