/* numbers.h: descriptors that are known to be the device.
 *
 * To ask the kernel what a descriptor is costs more than many an ioctl, so the
 * answer is kept, by number. It goes stale when a number is closed and given
 * out again; the wrappers of close(), dup2() and the like tell that. Whoever
 * closes behind their back (a system call of its own) is noticed no later than
 * when the number's new owner asks what it has got: only ioctls of the table's
 * F rows believe this list, and no driver begins with one of them. */
#ifndef SHIM_NUMBERS_H
#define SHIM_NUMBERS_H

#include "base/base.h"

struct drm_file;

/* Around whatever closes the numbers from first to last. Any thread, in signal
 * handlers too: no lock is taken. */
void numbers_closing(unsigned first, unsigned last);
void numbers_closed(void);

/* The rest under the device's lock. NULL: not known. */
struct drm_file *numbers_find(int fd);
/* Of the moment before the kernel was asked; nothing is learned if anything
 * was closed since. */
unsigned numbers_ticket(void);
void numbers_learn(int fd, struct drm_file *file, unsigned ticket);
/* A file that is gone, and what turned out to be something else. */
void numbers_forget_file(const struct drm_file *file);
void numbers_forget(int fd);
/* The child: whoever was closing something did so in the parent. */
void numbers_after_fork(void);

#endif
