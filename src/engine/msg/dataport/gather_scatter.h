/* gather_scatter.h: moves dwords between memory and the lanes of a thread, if
 * all lanes are in bounds. One implementation per instruction set. The caller
 * handles declined messages lane by lane; tests compare with that path. Pure;
 * any worker. */
#ifndef ENGINE_MSG_DATAPORT_GATHER_SCATTER_H
#define ENGINE_MSG_DATAPORT_GATHER_SCATTER_H

#include "base/base.h"
#include "base/cpu.h"
#include "eu/message.h"

struct lane_access {
    uint8_t *mem; /* offset 0 */
    uint64_t size_B;
    uint32_t keep;    /* significant bits of offsets */
    uint32_t mask;    /* enabled lanes; none at or above `lanes` */
    uint8_t lanes;    /* 8 or 16 */
    uint8_t channels; /* consecutive dwords per lane: 1 to 4 */
};

/* Routines of an instruction set. offset_B: one per lane. Data: channel c of
 * lane i is dword c * lanes + i. False, with nothing done: an enabled lane is
 * out of range. Disabled lanes access no memory and keep their part of dst. If
 * lanes write the same dword, the last channel's last lane wins. */
struct lane_routines {
    bool (*read)(const struct lane_access *a, const uint32_t *offset_B,
                 uint32_t *dst);
    bool (*write)(const struct lane_access *a, const uint32_t *offset_B,
                  const uint32_t *src);
    /* Equivalent of msg_send() (send_fast.h). */
    eu_send_fn send;
};

/* NULL: the processor has none. */
const struct lane_routines *lanes_for(enum cpu_level cpu);

/* Limit of offsets, because vectors compare and add them as signed numbers. */
#define LANES_LIMIT_B UINT64_C(0x7ffffff0)

static inline uint32_t
lanes_size_B(const struct lane_access *a)
{
    return (uint32_t)MIN2(a->size_B, LANES_LIMIT_B);
}

/* The largest offset whose dwords are in the range. False: there is none. */
static inline bool
lanes_last_B(const struct lane_access *a, uint32_t *last_B)
{
    uint32_t size_B = lanes_size_B(a), need_B = a->channels * 4u;
    *last_B = size_B - need_B;
    return size_B >= need_B;
}

extern const struct lane_routines lanes_avx2, lanes_avx512;

#endif
