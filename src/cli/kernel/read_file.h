/* read_file.h: reads files as bytes. */
#ifndef CLI_KERNEL_READ_FILE_H
#define CLI_KERNEL_READ_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The whole file ("-": standard input), at most 64 MiB, for the caller to free;
 * NULL after a message. */
uint8_t *read_file(const char *path, size_t *size_B);

#endif
