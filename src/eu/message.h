/* message.h: messages of SEND instructions, from the EU to the shared
 * functions.
 *
 * Callers: the engine's send function and its handlers, in the thread that runs
 * the EU thread. A message is valid during the call. src0, src1 and dst point
 * into the thread's register file and may overlap: a handler reads or copies
 * its payload before it writes dst. The EU guarantees that all three ranges lie
 * inside the register file.
 *
 * For messages without a header, the sampler writes all of dst in the lanes of
 * exec_mask, and so do untyped reads of the data port. If no lane is off,
 * compiled code does not keep the old contents of dst. Other answers may leave
 * parts of dst unwritten. Source: KBL PRM vol 7. */
#ifndef EU_MESSAGE_H
#define EU_MESSAGE_H

#include "base/base.h"

enum eu_sfid {
    EU_SFID_NULL = 0,
    EU_SFID_SAMPLER = 2,
    EU_SFID_GATEWAY = 3,
    EU_SFID_DC2 = 4,
    EU_SFID_RENDER = 5,
    EU_SFID_URB = 6,
    EU_SFID_SPAWNER = 7,
    EU_SFID_VME = 8,
    EU_SFID_CONST = 9,
    EU_SFID_DC0 = 10,
    EU_SFID_PI = 11,
    EU_SFID_DC1 = 12,
    EU_SFID_CRE = 13,
};

struct eu_thread;

struct eu_message {
    uint8_t sfid;
    bool eot;
    bool header;         /* descriptor bit 19 */
    bool check_tdr;      /* sendc, sendsc */
    uint8_t exec_size;   /* lanes of the instruction */
    uint8_t chan_offset; /* 0, or 1 plus its index in eu_start.direct */
    uint8_t mlen_grf, ex_mlen_grf, rlen_grf;
    uint8_t site; /* 0, or one more than its place in eu_start.direct */
    uint32_t desc, ex_desc;
    /* Bit i: lane i of this instruction executes (control flow, dispatch mask
     * and predicate applied; NoMask leaves the predicate only). */
    uint32_t exec_mask;
    const uint32_t *src0; /* mlen_grf registers of 8 dwords */
    const uint32_t *src1; /* ex_mlen_grf registers, or NULL */
    uint32_t *dst;        /* rlen_grf registers, or NULL */
};

/* Register number `grf` of the payload: src0 first, then src1, wherever the
 * split falls. NULL past its end. */
static inline const uint32_t *
eu_message_reg(const struct eu_message *m, unsigned grf)
{
    if (grf < m->mlen_grf)
        return m->src0 + grf * 8;
    grf -= m->mlen_grf;
    return grf < m->ex_mlen_grf ? m->src1 + grf * 8 : NULL;
}

enum eu_msg_result {
    EU_MSG_OK,
    EU_MSG_BARRIER, /* barrier signalled: `wait` blocks until the thread that
                       runs the group raises thread->n0[0], after a fence. A
                       group runs on one host thread. */
    EU_MSG_ERROR,   /* guest error already reported: end the thread */
};

typedef enum eu_msg_result (*eu_send_fn)(struct eu_thread *thread,
                                         const struct eu_message *msg);

/* Direct answer: a C function that answers a message in all lanes. Compiled
 * code calls it with arg, dst, more, the thread's user, and the payload in
 * vector registers. The payload is two or three vectors of 16 lanes (AVX2:
 * twice as many of eight); inactive lanes are undefined. It returns false if it
 * has done nothing; then the message is sent. It preserves the vector
 * registers, upper halves included. */
struct eu_direct {
    void (*fn)(void);
    const void *arg, *more;
};
#define EU_DIRECTS 16

#endif
