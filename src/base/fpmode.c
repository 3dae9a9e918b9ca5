/* fpmode.c: the thread's current float mode. */
#include "base/fpmode.h"

__thread uint32_t fpmode_mine = FPMODE_DEFAULT;
