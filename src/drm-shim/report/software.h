/* software.h: notices software rasterisers at work in this process, for the
 * report: llvmpipe, lavapipe or PoCL drew instead of the device.
 *
 * A loaded or enumerated rasteriser proves nothing, because Vulkan's loader
 * opens lavapipe for every program. Proofs are: threads of llvmpipe that woke
 * up for frames, code that a rasteriser had compiled for this processor, and
 * kernels that PoCL has loaded. Called by the wrappers. Any thread; the first
 * three functions also in signal handlers. */
#ifndef DRM_SHIM_REPORT_SOFTWARE_H
#define DRM_SHIM_REPORT_SOFTWARE_H

/* A thread names itself. caller: an address in the calling code. */
void software_thread_named(const char *name, const void *caller);
/* Memory becomes executable. */
void software_code_made(const void *caller);
/* The process reads an environment variable: rasterisers read their variables
 * during setup. */
void software_option_read(const char *name, const void *caller);
/* Called at the end of the process. */
void software_finish(void);

#endif
