/* reloc.h: relocation entries, for drivers that do not choose addresses. */
#ifndef DRM_SHIM_GEM_RELOC_H
#define DRM_SHIM_GEM_RELOC_H

#include <stdint.h>

struct fence;
struct request;

/* Writes the addresses of placed objects where the client's entries say. 0 or
 * -errno; -EAGAIN: wait without the submit lock for *busy, release it, place
 * the objects, and try again. With the submit lock held, on the client's
 * thread. */
int reloc_apply(struct request *request, uint64_t flags, struct fence **busy);

#endif
