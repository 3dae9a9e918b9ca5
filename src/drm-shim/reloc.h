/* reloc.h: relocation entries, for drivers that do not choose addresses. */
#ifndef SHIM_RELOC_H
#define SHIM_RELOC_H

#include <stdint.h>

struct job;

/* Writes the addresses of placed objects into the places that the client
 * listed. 0 or -errno. Called with the submit lock held. */
int reloc_apply(struct job *job, uint64_t flags);

#endif
