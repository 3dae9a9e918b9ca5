/* send_counts.c: adds what compiled code counts by paths to what the send
 * function counts by messages. */
#include "eu/profile/send_counts.h"

enum { SFID_SAMPLER = 2, SFID_DC0 = 10, BTI_SLM = 254, LINE_B = 64 };
enum { DC0_DWORDS_SCATTERED = 3, DC1_UNTYPED_ATOMIC = 2 };

/* Bytes of a lane of a message that compiled code performs itself
 * (jit/analysis/memory_access.c). */
static unsigned
lane_size_B(struct eu_send_shape send)
{
    if (send.sfid == SFID_SAMPLER)
        return 16;
    if (send.sfid == SFID_DC0 &&
        bits_get(send.desc, 14, 16) == DC0_DWORDS_SCATTERED)
        return 4;
    if (send.sfid == SFID_DC0)
        return 1u << bits_get(send.desc, 10, 11);
    if (bits_get(send.desc, 14, 18) == DC1_UNTYPED_ATOMIC)
        return 4;
    return (unsigned)__builtin_popcount(~bits_get(send.desc, 8, 11) & 15) * 4;
}

/* Bit 17: types 8 to 15 of data port 0 and 1 are the writes of types 0 to 7. */
static bool
is_write(struct eu_send_shape send)
{
    return send.sfid != SFID_SAMPLER && send.desc >> 17 & 1;
}

static void
add_full(struct eu_send_counts *c, struct eu_send_shape send, uint64_t same,
         uint64_t next, uint64_t apart)
{
    unsigned lane_B = lane_size_B(send), all_B = lane_B * send.exec_size;
    unsigned lines = (all_B + LINE_B - 1) / LINE_B;
    c->sent += same + next + apart;
    c->lanes += (same + next + apart) * send.exec_size;
    c->bytes += (same + next + apart) * all_B;
    c->strides[PROFILE_STRIDE_SAME] += same;
    c->strides[PROFILE_STRIDE_NEXT] += next;
    if (send.sfid == SFID_SAMPLER || (send.desc & 255) != BTI_SLM) {
        c->lines += same + apart + next * lines;
        c->least_lines += same + apart + next * lines;
        return;
    }
    /* Lanes that write parts of one dword conflict. */
    unsigned passes = is_write(send) && lane_B < 4 ? 4 / lane_B : lines;
    c->slm_passes += same + next * passes;
    c->slm_least_passes += same + apart + next * lines;
}

void
eu_send_counts_add(struct eu_send_counts *c, const uint64_t *at, uint32_t units,
                   struct eu_send_shape send)
{
    c->sent += at[PROFILE_SENT * units];
    c->lanes += at[PROFILE_SENT_LANES * units];
    c->bytes += at[PROFILE_SENT_BYTES * units];
    c->lines += at[PROFILE_LINES * units];
    c->least_lines += at[PROFILE_LEAST_LINES * units];
    c->misaligned += at[PROFILE_MISALIGNED * units];
    c->slm_passes += at[PROFILE_SLM_PASSES * units];
    c->slm_least_passes += at[PROFILE_SLM_LEAST_PASSES * units];
    c->stride_B += at[PROFILE_STRIDE_B * units];
    for (unsigned i = 0; i < PROFILE_STRIDE_COUNT; i++)
        c->strides[i] += at[(PROFILE_STRIDES + i) * units];
    uint64_t same = at[PROFILE_FULL_SAME * units];
    uint64_t next = at[PROFILE_FULL_NEXT * units];
    uint64_t apart = at[PROFILE_FULL_APART * units];
    if (same || next || apart)
        add_full(c, send, same, next, apart);
}
