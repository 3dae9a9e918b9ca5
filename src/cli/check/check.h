/* check.h: `softlake --check`: tests whether each installed driver stack draws
 * through Softlake.
 *
 * Called by main(); one thread. Each stack is opened in a child process. */
#ifndef CLI_CHECK_CHECK_H
#define CLI_CHECK_CHECK_H

/* Prints one line per driver stack; 0 if all installed stacks use Softlake.
 * self: the path of this program. */
int check_run(const char *self);
/* The child's side: opens one stack, prints driver and device, and exits with
 * an enum probe_status. */
int check_probe(const char *stack);

#endif
