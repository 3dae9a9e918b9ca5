/* lanes.h: the common case of a message that moves dwords between memory and
 * the lanes of a thread: every lane's dwords lie inside of the range. One
 * routine per instruction set; what they decline is done lane by lane by the
 * message's own function, which is also what they are tested against.
 *
 * Pure; any worker. */
#ifndef ENGINE_LANES_H
#define ENGINE_LANES_H

#include "base/base.h"
#include "base/cpu.h"
#include "eu/message.h"

struct lane_access {
    uint8_t *mem; /* what offsets count from */
    uint64_t size_B;
    uint32_t keep;    /* bits of offsets that mean something */
    uint32_t mask;    /* lanes that execute; none at or above `lanes` */
    uint8_t lanes;    /* 8 or 16 */
    uint8_t channels; /* consecutive dwords per lane: 1 to 4 */
};

/* What an instruction set brings. offset_B: one per lane. Data: channel c of
 * lane i is dword c * lanes + i. False, with nothing done, when a lane that
 * executes reaches out of the range. Lanes that do not execute touch no memory
 * and keep what they have in dst. Where lanes write the same dword, the last
 * channel's last lane wins. */
struct lane_routines {
    bool (*read)(const struct lane_access *a, const uint32_t *offset_B,
                 uint32_t *dst);
    bool (*write)(const struct lane_access *a, const uint32_t *offset_B,
                  const uint32_t *src);
    /* Does what msg_send() does (fast.h). */
    eu_send_fn send;
};

/* NULL where there are none. */
const struct lane_routines *lanes_for(enum cpu_level cpu);

/* Offsets are compared and added to as signed numbers. */
#define LANES_LIMIT_B UINT64_C(0x7ffffff0)

static inline uint32_t
lanes_size_B(const struct lane_access *a)
{
    return (uint32_t)MIN2(a->size_B, LANES_LIMIT_B);
}

/* The largest offset whose dwords are inside; false: there is none. */
static inline bool
lanes_last_B(const struct lane_access *a, uint32_t *last_B)
{
    uint32_t size_B = lanes_size_B(a), need_B = a->channels * 4u;
    *last_B = size_B - need_B;
    return size_B >= need_B;
}

extern const struct lane_routines lanes_avx2, lanes_avx512;

#endif
