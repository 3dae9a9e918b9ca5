/* entropy.h: both entropy codings of H.264: CAVLC's residual blocks, and the
 * arithmetic decoder with its contexts. Pure functions of their arguments.
 * Called by avc/ in the thread that decodes the slice. ITU-T H.264, clause 9.
 */
#ifndef ENGINE_MFX_AVC_ENTROPY_H
#define ENGINE_MFX_AVC_ENTROPY_H

#include "engine/mfx/avc/entropy/avc_bits.h"

#define AVC_CONTEXTS 460 /* of 4:2:0 and 4:0:0 */

struct avc_vlc {
    int16_t value;  /* or the index of further entries */
    uint8_t length; /* bits of the code; 0: there is none */
    uint8_t more;   /* whether codes are longer than 8 bits */
};

/* Values of coeff_token. */
#define AVC_TOKEN(ones, total) ((total) << 2 | (ones))

extern const struct avc_vlc *const avc_vlc_tokens[3],
    *const avc_vlc_zeros[16], *const avc_vlc_dc_zeros[4],
                                  *const avc_vlc_runs[8];
extern const struct avc_vlc avc_vlc_token_dc[];

/* Coefficients of a residual block that are not zero: positions in the scan and
 * levels, in any order. */
struct avc_levels {
    uint8_t at[64];
    int16_t level[64];
};

/* Reads a residual block of at most max coefficients. nc: 9.2.1; -1 for
 * chroma's DC. Returns how many are not zero; -1: malformed. */
int avc_cavlc_block(struct avc_bits *b, int nc, unsigned max,
                    struct avc_levels *out);

/* ---- CABAC ---- */

/* Apart from the contexts, so that a loop can keep it in registers. */
struct avc_arith {
    uint64_t value; /* codIOffset, then `bits` bits that come next */
    uint32_t range; /* codIRange */
    int bits;
    const uint8_t *at, *end;
};

struct avc_cabac {
    struct avc_arith arith;
    const uint8_t *begin;
    uint8_t state[AVC_CONTEXTS]; /* pStateIdx << 1 | valMPS */
};

extern const uint8_t avc_range_lps[64][4], avc_next_lps[64];
/* The state after the less probable symbol, by the state before it. */
extern const uint8_t avc_after_lps[128];

/* Contexts of a slice. column: 0 for I slices, else 1 + cabac_init_idc. */
void avc_cabac_init_states(struct avc_cabac *c, unsigned column, int qp);
/* Starts the decoding engine at a byte. */
void avc_cabac_start(struct avc_cabac *c, const uint8_t *bytes,
                     const uint8_t *end);
/* The byte after the bits that the engine has taken: of PCM samples. */
const uint8_t *avc_cabac_position(const struct avc_cabac *c);

static inline void
avc_arith_refill(struct avc_arith *c)
{
    uint32_t next;
    memcpy(&next, c->at, sizeof next);
    c->value = c->value << 32 | be32toh(next);
    c->bits += 32;
    /* The copy of the slice has zeros after its end. */
    c->at += c->at < c->end + AVC_PADDING_B / 2 ? 4 : 0;
}

static inline unsigned
avc_arith_get(struct avc_arith *c, uint8_t *state)
{
    if (c->bits < 8)
        avc_arith_refill(c);
    unsigned s = *state, bit = s & 1;
    uint32_t lps = avc_range_lps[s >> 1][c->range >> 6 & 3];
    uint32_t range = c->range - lps;
    uint64_t scaled = (uint64_t)range << c->bits;
    if (c->value < scaled) {
        unsigned shift = range < 256;
        *state = (uint8_t)(s < 124 ? s + 2 : s);
        c->range = range << shift;
        c->bits -= (int)shift;
        return bit;
    }
    int shift = __builtin_clz(lps) - 23;
    c->value -= scaled;
    c->range = lps << shift;
    c->bits -= shift;
    *state = avc_after_lps[s];
    return !bit;
}

static inline unsigned
avc_arith_bypass(struct avc_arith *c)
{
    if (c->bits < 8)
        avc_arith_refill(c);
    c->bits--;
    uint64_t scaled = (uint64_t)c->range << c->bits;
    uint64_t one = c->value >= scaled;
    c->value -= scaled & -one;
    return (unsigned)one;
}

static inline unsigned
avc_cabac_get(struct avc_cabac *c, unsigned context)
{
    return avc_arith_get(&c->arith, &c->state[context]);
}

static inline unsigned
avc_cabac_bypass(struct avc_cabac *c)
{
    return avc_arith_bypass(&c->arith);
}

static inline unsigned
avc_cabac_terminate(struct avc_cabac *c)
{
    struct avc_arith *a = &c->arith;
    if (a->bits < 8)
        avc_arith_refill(a);
    a->range -= 2;
    if (a->value >= (uint64_t)a->range << a->bits)
        return 1;
    if (a->range < 256) {
        a->range <<= 1;
        a->bits--;
    }
    return 0;
}

/* Whether the engine has taken bits after the end of the slice. */
static inline bool
avc_cabac_is_over(const struct avc_cabac *c)
{
    return (c->arith.at - c->arith.end) * 8 - c->arith.bits > 16;
}

/* Categories of residual blocks, table 9-42. */
enum {
    AVC_CAT_DC16,
    AVC_CAT_AC16,
    AVC_CAT_4X4,
    AVC_CAT_CHROMA_DC,
    AVC_CAT_CHROMA_AC,
    AVC_CAT_8X8,
    AVC_CATS,
};

/* Reads a residual block whose coded_block_flag is 1, as avc_cavlc_block(). */
unsigned avc_cabac_block(struct avc_cabac *c, unsigned cat, bool field,
                         unsigned max, struct avc_levels *out);

#endif
