/* sampler.h: formats, surfaces, copies and the reference sampler; all of the
 * room but plans. Knows no kernel and no GPU address: the engine turns
 * addresses into host pointers when it makes a struct surface.
 *
 * Who includes it: engine and cli. Files of this room include the headers of
 * the sub-rooms: format <- surface <- reference <- plan. */
#ifndef SAMPLER_H
#define SAMPLER_H

#include "sampler/format/format.h"
#include "sampler/reference/reference.h"
#include "sampler/surface/image.h"
#include "sampler/surface/surface.h"

#endif
