/* finish.h: what happens when the process ends.
 * SOFTLAKE_FRAMEBUFFER=FILE.png writes the last picture, SOFTLAKE_STATS=1
 * prints the counters. Does everything once; not for children of vfork(). */
#ifndef SHIM_FINISH_H
#define SHIM_FINISH_H

void finish_init(void); /* notes which process this is */
void finish_after_fork(void);
void finish_process(void);
/* The part that is safe in a signal handler: for _exit(). */
void finish_quickly(void);

#endif
