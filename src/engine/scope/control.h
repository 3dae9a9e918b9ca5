/* control.h: the commands of --control: pause, resume, stop, snapshot, one a
 * line, in a FIFO. The process that submits next reads them, so that they hold
 * from its submission on; the state is for all processes.
 *
 * Caller: scope.c. Any thread. */
#ifndef ENGINE_SCOPE_CONTROL_H
#define ENGINE_SCOPE_CONTROL_H

#include "base/base.h"

/* Reads new commands; whether counting is on. *snapshot: the number of the one
 * that was asked for last, else unchanged. */
bool control_read(uint32_t *snapshot);

#endif
