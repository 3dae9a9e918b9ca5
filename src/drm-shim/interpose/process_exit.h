/* process_exit.h: the end of the process.
 *
 * SOFTLAKE_FRAMEBUFFER=FILE.png writes the last picture, SOFTLAKE_STATS=1
 * prints the counters. Acts once; not in children of vfork(). Called by the
 * wrappers of _exit() and by the destructor of the library. */
#ifndef DRM_SHIM_INTERPOSE_PROCESS_EXIT_H
#define DRM_SHIM_INTERPOSE_PROCESS_EXIT_H

void process_exit_init(void); /* notes the process */
void process_exit_after_fork(void);
void process_exit_run(void);

#endif
