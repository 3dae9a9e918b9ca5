/* client.h: memory that the client's ioctl arguments point to.
 * The kernel answers a bad pointer with EFAULT, so system calls check them
 * first; 0 or -EFAULT. Any thread. */
#ifndef SHIM_CLIENT_H
#define SHIM_CLIENT_H

#include <stddef.h>
#include <stdint.h>

int client_read(void *dst, uint64_t src, size_t size_B);
int client_write(uint64_t dst, const void *src, size_t size_B);

/* A copy of count elements for the caller to free; NULL with *err set to
 * -EFAULT, -EINVAL (absurd count) or -ENOMEM. A count of 0 is one element's
 * worth of zeros. */
void *client_read_array(uint64_t src, uint64_t count, size_t element_B,
                        int *err);

/* The same where few elements are the rule: into `few`, of few_B bytes, if
 * they fit there. */
void *client_read_list(uint64_t src, uint64_t count, size_t element_B,
                       void *few, size_t few_B, int *err);
void client_list_free(void *list, void *few);

#endif
