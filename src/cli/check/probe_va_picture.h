/* probe_va_picture.h: a picture that probe_va.c decodes. */
#ifndef CLI_CHECK_PROBE_VA_PICTURE_H
#define CLI_CHECK_PROBE_VA_PICTURE_H

#include <stdbool.h>

/* Decodes a JPEG on an initialised display, with libva's functions from the
 * library. Whether its samples are right. */
bool probe_va_picture(void *library, void *display);

#endif
