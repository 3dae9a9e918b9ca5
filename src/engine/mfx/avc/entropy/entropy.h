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

/* Reads a residual block of at most max coefficients into level[], by position
 * in the scan; the caller has zeroed it. nc: 9.2.1; -1 for chroma's DC.
 * Returns how many are not zero; -1: malformed. */
int avc_cavlc_block(struct avc_bits *b, int nc, unsigned max, int16_t *level);

/* ---- CABAC ---- */

struct avc_cabac {
    uint64_t value; /* codIOffset, then `bits` bits that come next */
    uint32_t range; /* codIRange */
    int bits;
    const uint8_t *at, *end, *begin;
    uint8_t state[AVC_CONTEXTS]; /* pStateIdx << 1 | valMPS */
};

extern const uint8_t avc_range_lps[64][4], avc_next_lps[64];

/* Contexts of a slice. column: 0 for I slices, else 1 + cabac_init_idc. */
void avc_cabac_init_states(struct avc_cabac *c, unsigned column, int qp);
/* Starts the decoding engine at a byte. */
void avc_cabac_start(struct avc_cabac *c, const uint8_t *bytes,
                     const uint8_t *end);
/* The byte after the bits that the engine has taken: of PCM samples. */
const uint8_t *avc_cabac_position(const struct avc_cabac *c);

static inline void
avc_cabac_refill(struct avc_cabac *c)
{
    uint32_t next;
    memcpy(&next, c->at, sizeof next);
    c->value = c->value << 32 | be32toh(next);
    c->bits += 32;
    /* The copy of the slice has zeros after its end. */
    c->at += c->at < c->end + AVC_PADDING_B / 2 ? 4 : 0;
}

static inline unsigned
avc_cabac_get(struct avc_cabac *c, unsigned context)
{
    if (c->bits < 8)
        avc_cabac_refill(c);
    unsigned s = c->state[context], bit = s & 1;
    uint32_t lps = avc_range_lps[s >> 1][c->range >> 6 & 3];
    uint32_t range = c->range - lps;
    uint64_t scaled = (uint64_t)range << c->bits;
    if (c->value < scaled) {
        unsigned shift = range < 256;
        c->state[context] = (uint8_t)(s < 124 ? s + 2 : s);
        c->range = range << shift;
        c->bits -= (int)shift;
        return bit;
    }
    int shift = __builtin_clz(lps) - 23;
    c->value -= scaled;
    c->range = lps << shift;
    c->bits -= shift;
    c->state[context] = (uint8_t)(avc_next_lps[s >> 1] << 1 |
                                  (s < 2 ? !bit : bit));
    return !bit;
}

static inline unsigned
avc_cabac_bypass(struct avc_cabac *c)
{
    if (c->bits < 8)
        avc_cabac_refill(c);
    c->bits--;
    uint64_t scaled = (uint64_t)c->range << c->bits;
    if (c->value < scaled)
        return 0;
    c->value -= scaled;
    return 1;
}

static inline unsigned
avc_cabac_terminate(struct avc_cabac *c)
{
    if (c->bits < 8)
        avc_cabac_refill(c);
    c->range -= 2;
    if (c->value >= (uint64_t)c->range << c->bits)
        return 1;
    if (c->range < 256) {
        c->range <<= 1;
        c->bits--;
    }
    return 0;
}

/* Whether the engine has taken bits after the end of the slice. */
static inline bool
avc_cabac_is_over(const struct avc_cabac *c)
{
    return (c->at - c->end) * 8 - c->bits > 16;
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
                         unsigned max, int16_t *level);

#endif
